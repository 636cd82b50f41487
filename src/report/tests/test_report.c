/* Reports on facts built by hand: what people read, word for word, and what no facts may do to a
 * terminal, to the width of a page or to JSON. */
#include "report/report.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/text.h"
#include "report/tests/example.h"
#include "report/totals.h"
#include "report/words.h"

static const struct look plain = { .columns = 80 };

static void write_summary(const struct facts *facts, FILE *out, const void *look)
{
	report_summary(facts, "", look, out);
}

static void write_page(const struct facts *facts, FILE *out, const void *look)
{
	report_show(facts, SHOW_PAGE, look, out);
}

static void write_tree(const struct facts *facts, FILE *out, const void *look)
{
	report_show(facts, SHOW_TREE, look, out);
}

static void write_lines(const struct facts *facts, FILE *out, const void *look)
{
	for (size_t i = 0; i < facts->n_lines; i++)
		report_list(&facts->lines[i], look, out);
}

static void write_plots(const struct facts *facts, FILE *out, const void *look)
{
	for (size_t i = 0; i < facts->n_lines; i++) {
		report_series(facts, &facts->lines[i], false, look, out);
		report_series(facts, &facts->lines[i], true, look, out);
	}
}

static void write_history(const struct facts *facts, FILE *out, const void *look)
{
	struct history *history = history_new(false, look, out);

	history_add(history, "x.sonde", "3f9a2c71", facts);
	history_add_damaged(history, "y.sonde", "\033[2Jbad", "it is\nnot a database");
	assert_int_equal(history_finish(history, NULL), 0);
	history_free(history);
}

static void write_json(const struct facts *facts, FILE *out, const void *look)
{
	(void)look;
	assert_int_equal(report_json.write(facts, out, NULL), 0);
}

static void write_history_json(const struct facts *facts, FILE *out, const void *look)
{
	struct history *history = history_new(true, look, out);

	history_add(history, "x.sonde", "3f9a2c71", facts);
	history_add_damaged(history, "y.sonde", "\xff\033", "\"\\");
	assert_int_equal(history_finish(history, NULL), 0);
	history_free(history);
}

static void write_csv(const struct facts *facts, FILE *out, const void *look)
{
	(void)look;
	assert_int_equal(report_csv.write(facts, out, NULL), 0);
}

static example_writer *const for_people[] = { write_summary, write_page,  write_tree,
					      write_lines,   write_plots, write_history };

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Printable text and line ends, nothing else; no line wider than the terminal. */
static void check_page(const char *text, const struct look *look)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length;) {
		size_t bytes = utf8_length(text + i, length - i);
		unsigned char first = (unsigned char)text[i];

		assert_int_not_equal(bytes, 0);
		assert_true(first == '\n' || first >= 0x20);
		assert_true(first != 0x7f);
		assert_false(first == 0xc2 && (unsigned char)text[i + 1] < 0xa0);
		i += bytes;
	}
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		CLEANUP(text_clear) struct text one = { 0 };

		text_add_bytes(&one, line, strcspn(line, "\n"));
		assert_true(words_columns(text_string(&one)) <= (size_t)look->columns);
	}
}

static const char *const hostile[] = {
	"\033[2J\033]0;owned\007",
	"two\nlines\r\tand a tab",
	"\xff\xfe invalid \xc3",
	("\xc2\x9b"
	 "31m c1"),
	") R 1 (",
	"",
	"\"quotes\" \\ and , commas",
	"\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97 wide \xf0\x9f\x94\xa5",
	"%s%n%d",
};

/* Every string of a recording is somebody else's. */
static void make_hostile(struct facts *facts)
{
	static const char *const sections[] = { "run",         "exit",    "machine",
						"limits",      "context", "sonde",
						"environment", "tag",     "command" };
	static const char *const names[] = { "id",   "name",      "started", "host",
					     "user", "directory", "reason",  "version" };

	for (size_t i = 0; i < COUNT(hostile); i++) {
		const char *bad = hostile[i];

		for (size_t j = 0; j < COUNT(sections); j++)
			facts_add_text(facts, sections[j], bad, bad);
		facts_note(facts, "%s", bad);
		facts_add_advice(facts, &(struct advice){ bad, bad, bad, bad });
		example_process(facts, (uint32_t)i, bad, bad, (double)i);
		facts_add(facts, &(struct fact){ .section = "totals",
						 .name = bad,
						 .value = value_estimated(1),
						 .low = -INFINITY,
						 .high = INFINITY,
						 .source = bad,
						 .why = bad });
	}
	for (size_t i = 0; i < COUNT(names); i++) {
		facts_add_text(facts, "run", names[i], hostile[i % COUNT(hostile)]);
		facts_add_text(facts, "exit", names[i], hostile[i % COUNT(hostile)]);
	}
}

static void test_hostile(void **state)
{
	static const struct metric bad = { .name = "\033[31m\xff", .help = "\n\033[0m" };
	static const int widths[] = { 40, 80, 120, 200 };
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct point point = { .time_ns = UINT64_MAX, .number = -1e300 };
	struct line *line;

	(void)state;
	example_run(&facts);
	make_hostile(&facts);
	line = facts_add_line(&facts);
	line->metric = &bad;
	line->points = mem_new(sizeof(point));
	line->points[line->n_points++] = point;
	for (size_t i = 0; i < COUNT(for_people); i++) {
		for (size_t j = 0; j < COUNT(widths); j++) {
			struct look look = { .columns = widths[j], .unicode = j % 2 };
			CLEANUP(freep) char *text = example_written(for_people[i], &facts, &look);

			check_page(text, &look);
		}
	}
}

/* Asks a parser that is not ours. */
static void check_json(const char *text)
{
	FILE *parser = popen("python3 -c 'import json, sys; json.load(sys.stdin.buffer)'", "w");

	assert_non_null(parser);
	fputs(text, parser);
	assert_int_equal(pclose(parser), 0);
}

static void test_json_is_valid(void **state)
{
	example_writer *const writers[] = { write_json, write_history_json };

	(void)state;
	for (int bad = 0; bad < 3; bad++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };

		if (bad > 0)
			example_run(&facts);
		if (bad > 1) {
			make_hostile(&facts);
			facts_add_number(&facts, "exit", "status", INFINITY);
		}
		for (size_t i = 0; i < COUNT(writers); i++) {
			CLEANUP(freep) char *text = example_written(writers[i], &facts, &plain);

			check_json(text);
		}
	}
}

static const char *const always_there[] = {
	"\"format\": \"sonde.run/1\"",
	"\"wall_s\": {\"value\": null, \"how\": \"absent\", \"why\": ",
	"\"co2e_g\": {\"value\": null, \"how\": \"absent\", \"why\": \"this version",
	"\"memory_tree_peak_bytes\": {\"value\": null",
	"\"exit\": {\"status\": null, \"signal\": null, \"reason\": null, \"cause\": null, ",
	"\"cause\": null, \"sure\": null}",
	"\"complete\": false",
	"\"processes\": []",
	"\"phases\": []",
	"\"advice\": []",
	"\"notes\": []",
};

static void test_json_of_nothing(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = example_written(write_json, &facts, &plain);

	(void)state;
	for (size_t i = 0; i < COUNT(always_there); i++)
		assert_non_null(strstr(text, always_there[i]));
	assert_null(strstr(text, "\"series\""));
}

static void test_json_of_run(void **state)
{
	static const double cores[] = { 0.5, NAN, 2 };
	static const char *const expected[] = {
		"\"command\": [\n      \"python\",\n      \"fit.py\",",
		"\"cpu_s\": {\"value\": 278, \"how\": \"measured\", \"source\": \"wait4\"}",
		"\"low\": 5476083302.4, \"high\": 6335076761.6, \"source\": \"statm, smaps\", "
		"\"why\": \"looked at every 100 ms\"}",
		"\"id\": 3,\n      \"parent_id\": 2,\n      \"pid\": 4003,\n      \"parent\": "
		"4002,",
		"\"count\": 9968,",
		"\"memory_peak_bytes\": {\"value\": 3000000, \"how\": \"measured\"}",
		"\"environment\": {\n      \"OMP_NUM_THREADS\": \"8\"",
		"\"share\": {\"value\": 0.0012, ",
		"\"cores\": [[0.1, 0.5], [0.2, null], [0.3, 2]]",
	};
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;

	(void)state;
	example_run(&facts);
	example_line(&facts, 0, cores, COUNT(cores));
	text = example_written(write_json, &facts, &plain);
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_non_null(strstr(text, expected[i]));
}

static void test_csv(void **state)
{
	static const double cores[] = { 0.5, NAN, 2 }, bytes[] = { 1000, 2500.5 };
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *totals = NULL, *series = NULL;

	(void)state;
	example_run(&facts);
	facts_add_absent(&facts, "totals", "odd", UNIT_COUNT, "a \"quote\", a comma\nand a line");
	totals = example_written(write_csv, &facts, &plain);
	assert_non_null(strstr(totals, "name,unit,value,how,low,high,source,why\r\n"
				       "wall_s,seconds,252,measured,,,clock,\r\n"));
	assert_non_null(strstr(totals, "co2e_g,grams,,absent,,,,this version of sonde"));
	assert_non_null(strstr(totals, "\r\nodd,count,,absent,,,,"
				       "\"a \"\"quote\"\", a comma\nand a line\"\r\n"));
	example_line(&facts, 0, cores, COUNT(cores));
	example_line(&facts, 1, bytes, COUNT(bytes));
	series = example_written(write_csv, &facts, &plain);
	assert_string_equal(series, "t_s,cores,io_read_bytes\r\n0.1,0.5,1000\r\n"
				    "0.2,,2500.5\r\n0.3,2,\r\n");
}

static void test_full_disk(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	example_run(&facts);
	for (size_t i = 0; report_table[i]; i++) {
		struct err err = { 0 };

		assert_int_equal(report_table[i]->write(&facts, full, &err), -ENOSPC);
		assert_non_null(strstr(err.text, "No space left"));
		clearerr(full);
	}
	fclose(full);
}

static void test_page(void **state)
{
	static const char *const expected[] = {
		"run 3f9a2c71 \"fit\", 2026-11-16 04:37:15 on node7 by ann\n"
		"  python fit.py --title 'two words'\n"
		"  in /home/ann/fit\n"
		"  tags: size=large\n"
		"  exit status 0\n",
		"memory of all together     about 5.2 GiB  5.1 GiB to 5.9 GiB  statm, smaps\n",
		"  estimated: memory of all together (looked at every 100 ms)\n",
		"  not measured: most swapped out (/proc/PID/smaps_rollup: Permission denied)\n",
		"memory               about 5.2 GiB  of  6 GiB   87 %  cgroup memory.max\n",
		"sh                9,968         8 s    2.9 %     2.86 MiB    1 kB        -\n",
		"(not seen)            1      990 ms   0.36 %            -  1.9 GB  12.3 MB\n"
		"all together      9,972  4 min 38 s    100 %      5.2 GiB  1.9 GB  12.3 MB\n",
		"bash run.sh                                10 ms      977 KiB  4 min 12 s\n"
		"|- python fit.py --title 'two words'  4 min 26 s     1.91 MiB  4 min 12 s\n"
		"|  `- sh x 9,968                             8 s     2.86 MiB\n"
		"`- gzip -9 out                               3 s     3.81 MiB  4 min 12 s\n",
		"  others kept 0.09 of 16 cores busy on average, 21.7 s of CPU time\n",
		"  300 ms of CPU time, 0.12 % of one core, looking every 100 ms\n",
	};
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;

	(void)state;
	setenv("TZ", "UTC", 1);
	example_run(&facts);
	text = example_written(write_page, &facts, &plain);
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_non_null(strstr(text, expected[i]));
}

/* What is on the page where there is more to say. */
static void test_page_in_full(void **state)
{
	static const double cores[] = { 1, 1, 1, 15, 1, 1 };
	static const char *const expected[] = {
		"  exit status 0\n\n"
		"  Nobody looked for 50 s of it (1 gap): totals are right, peaks may be "
		"missing.\n\n"
		"what to do\n"
		"  One core was busy at a time.\n"
		"    because: 1.1 cores on average, of 16\n"
		"    next: --cpus-per-task=1\n"
		"    more: sonde explain one-core\n"
		"  It took \\x1b[2J long.\n"
		"    more: sonde explain long\n\n"
		"what it used",
		"cores, asked for               1.1  of            8     14 %  "
		"SLURM_CPUS_PER_...\n",
		"time                    4 min 12 s  of  10 h 00 min    0.7 %  "
		"SLURM_JOB_END_TIME\n",
		"processes at once                4  of        4,096  0.098 %  ulimit -u\n\n"
		"cores busy, over time\n"
		"      20 |\n"
		"         |----------------------------------:'''''''''''",
		"machine: CPU time of all  5 min 00 s  /proc/stat\n",
	};
	static const struct advice advice[] = {
		{ "one-core", "One core was busy at a time.", "1.1 cores on average, of 16",
		  "--cpus-per-task=1" },
		{ "long", "It took \033[2J long.", NULL, NULL },
	};
	static const struct metric machine = { .name = "machine_busy_s", .unit = UNIT_SECONDS };
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;

	(void)state;
	example_run(&facts);
	example_line(&facts, 0, cores, COUNT(cores));
	facts_set_metrics(&facts, SCOPE_RUN, &machine, 1);
	facts_add_number(&facts, "sonde", "gaps", 1);
	facts_add_measured(&facts, "sonde", "gaps_s", UNIT_SECONDS, 50, NULL);
	for (size_t i = 0; i < COUNT(advice); i++)
		facts_add_advice(&facts, &advice[i]);
	facts_add_measured(&facts, "limits", "cores_requested", UNIT_COUNT, 8,
			   "SLURM_CPUS_PER_TASK");
	facts_add_measured(&facts, "limits", "memory_requested_bytes", UNIT_BYTES, 6 * GIB, "same");
	facts_add_measured(&facts, "limits", "time_s", UNIT_SECONDS, 36000, "SLURM_JOB_END_TIME");
	facts_add_measured(&facts, "limits", "processes", UNIT_COUNT, 4096, "ulimit -u");
	facts_add_measured(&facts, "limits", "open_files", UNIT_COUNT, 1024, "ulimit -n");
	text = example_written(write_page, &facts, &plain);
	for (size_t i = 0; i < COUNT(expected); i++) {
		if (!strstr(text, expected[i]))
			fail_msg("no '%s'", expected[i]);
	}
	assert_null(strstr(text, "memory, asked for")); /* it is the limit itself */
	check_page(text, &plain);
}

/* Labels for people; a metric that nobody knew when this was written is called by its help. */
static void test_labels(void **state)
{
	static const struct metric metrics[] = {
		{ .name = "machine_load", .help = "load of the machine: ...", .kind = KIND_GAUGE },
		{ .name = "odd_bytes",
		  .help = "odd bytes of it",
		  .unit = UNIT_BYTES,
		  .kind = KIND_GAUGE },
		{ .name = "bare_s", .unit = UNIT_SECONDS },
	};
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{ "wall_s", "time" },
		{ "machine_load_peak", "machine: load" },
		{ "machine_load_mean", "machine: load" },
		{ "odd_peak_bytes", "odd bytes of it" },
		{ "bare_s", "bare_s" },
		{ "unknown", "unknown" },
	};
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	facts_set_metrics(&facts, SCOPE_RUN, metrics, COUNT(metrics));
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(total_label(&facts, cases[i].name), cases[i].expected);
}

static void test_series(void **state)
{
	static const double cores[] = { 0.5, 2, NAN, 1 }, bytes[] = { 1e6, 2e6, NAN, 9e6, 19e6 };
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;
	const struct look narrow = { .columns = 46 };

	(void)state;
	example_metrics(&facts);
	example_line(&facts, 0, cores, COUNT(cores));
	example_line(&facts, 1, bytes, COUNT(bytes));
	text = example_written(write_lines, &facts, &narrow);
	assert_string_equal(text, "cores: cores busy\n"
				  "        0.10 s           0.5  ####\n"
				  "        0.20 s             2  ##############\n"
				  "        0.30 s           gap\n"
				  "        0.40 s             1  #######\n"
				  "io_read_bytes, per second: bytes through read\n"
				  "        0.10 s       10 MB/s  #\n"
				  "        0.20 s       10 MB/s  #\n"
				  "        0.30 s           gap\n"
				  "        0.40 s             -\n"
				  "        0.50 s      100 MB/s  ##############\n");
}

/* 10,000 rows below one parent: one line in short, one each in full. */
static void test_many_processes(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *in_short = NULL, *in_full = NULL, *json = NULL;

	(void)state;
	example_metrics(&facts);
	example_process(&facts, 0, "make", "make -j8", 1);
	for (int i = 1; i < 10000; i++)
		example_process(&facts, 1, i % 2 ? "cc1" : "as", NULL, 0.001);
	in_short = example_written(write_page, &facts, &plain);
	assert_non_null(strstr(in_short, "cc1 x 5,000"));
	assert_non_null(strstr(in_short, "as x 4,999"));
	assert_true(count_lines(in_short) < 60);
	in_full = example_written(write_tree, &facts, &plain);
	assert_int_equal(count_lines(in_full), 10001);
	json = example_written(write_json, &facts, &plain);
	check_json(json);
}

/* However deep, wide or wound up the tree is: every process is in a line or in the count of one. */
static void test_odd_trees(void **state)
{
	enum { CHAIN, RING, OWN_PARENT, NO_PARENT, SAME_ID, TREES };
	static const uint32_t count = 5000;

	(void)state;
	for (int kind = 0; kind < TREES; kind++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(freep) char *tree = NULL, *page = NULL;

		example_metrics(&facts);
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t parents[] = { [CHAIN] = i,
						     [RING] = i ? i : count,
						     [OWN_PARENT] = i + 1,
						     [NO_PARENT] = 1000000 + i,
						     [SAME_ID] = 7 };
			struct process *process = example_process(&facts, parents[kind], "x", NULL,
								  0.001);

			if (kind == SAME_ID)
				process->id = 7;
		}
		tree = example_written(write_tree, &facts, &plain);
		page = example_written(write_page, &facts, &plain);
		check_page(tree, &plain);
		check_page(page, &plain);
		if (kind == CHAIN || kind == RING)
			assert_non_null(strstr(tree, "(4,992 more below)"));
		if (kind == OWN_PARENT || kind == NO_PARENT)
			assert_int_equal(count_lines(tree), count + 1);
	}
}

/* In short, the costliest branches stand first and the last line counts the rest. */
static void test_short_tree(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;
	char name[16];

	(void)state;
	example_metrics(&facts);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "p%02d", i);
		example_process(&facts, 0, name, NULL, i);
	}
	text = example_written(write_page, &facts, &plain);
	assert_non_null(strstr(text, "who started whom"));
	assert_non_null(strstr(text, "\np99 "));
	assert_non_null(strstr(text, "(80 more: sonde show --tree)  52 min 40 s"));
	assert_non_null(strstr(text, "(all others)"));
}

static void test_states(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *running = NULL, *cut = NULL, *list = NULL;

	(void)state;
	setenv("TZ", "UTC", 1);
	example_run(&facts);
	facts.running = true;
	running = example_written(write_page, &facts, &plain);
	assert_non_null(strstr(running, "still running"));
	list = example_written(write_history, &facts, &plain);
	assert_string_equal(
	    list, "id          when         name: command             time  cores   memory"
		  "     exit\n"
		  "3f9a2c71    11-16 04:37  fit: python fit...  4 min 12 s    1.1  5.2 GiB"
		  "  running\n"
		  "\\x1b[2Jbad               damaged: it is\\...           -      -        -"
		  "        -\n\n"
		  "1 run: time 4 min 12 s, CPU time 4 min 38 s = 0.0772 core-hours, memory at "
		  "most\n  about 5.2 GiB; 1 still running, as far as known; 1 more damaged\n");
	facts.running = false;
	facts_add_bool(&facts, "run", "complete", false);
	cut = example_written(write_page, &facts, &plain);
	assert_non_null(strstr(cut, "did not see the end"));
}

static void test_look(void **state)
{
	static const struct {
		const char *columns, *locale;
		int expected;
		bool unicode;
	} cases[] = {
		{ NULL, NULL, 80, false },
		{ "132", "en_US.UTF-8", 132, true },
		{ "0", "C", 80, false },
		{ "7", "de_DE.utf8", 40, true },
		{ "nonsense", "POSIX", 80, false },
		{ "99999999", "", 1000, false },
	};
	FILE *file = tmpfile();

	(void)state;
	unsetenv("LC_CTYPE");
	unsetenv("LANG");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct look look;

		unsetenv("COLUMNS");
		unsetenv("LC_ALL");
		if (cases[i].columns)
			setenv("COLUMNS", cases[i].columns, 1);
		if (cases[i].locale)
			setenv("LC_ALL", cases[i].locale, 1);
		look = look_of(fileno(file));
		assert_int_equal(look.columns, cases[i].expected);
		assert_int_equal(look.unicode, cases[i].unicode);
		assert_false(look.colour);
	}
	fclose(file);
}

static void test_cut(void **state)
{
	static const struct {
		const char *string;
		size_t columns;
		bool unicode;
		const char *expected;
	} cases[] = {
		{ "short", 5, false, "short" },
		{ "longer", 5, false, "lo..." },
		{ "longer", 5, true, "long\u2026" },
		{ "longer", 2, false, ".." },
		{ "longer", 0, false, "" },
		{ "\u6f22\u5b57\u6f22", 6, true, "\u6f22\u5b57\u6f22" },
		{ "\u6f22\u5b57\u6f22", 5, true, "\u6f22\u5b57\u2026" },
		{ "\u6f22\u5b57\u6f22", 4, true, "\u6f22\u2026" },
		{ "e\u0301te\u0301", 3, true, "e\u0301te\u0301" },
		{ "\U0001f525x", 2, true, "\u2026" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(text_clear) struct text text = { 0 };
		const struct look look = { .columns = 80, .unicode = cases[i].unicode };

		words_cut(&text, cases[i].string, cases[i].columns, &look);
		assert_string_equal(text_string(&text), cases[i].expected);
	}
}

static void test_wrap(void **state)
{
	static const struct {
		const char *sentence, *expected;
		int lines;
	} cases[] = {
		{ "short", "  short\n", 9 },
		{ "looking every now and then, every 96 ms or so",
		  "  looking every now and then, every\n    96 ms or so\n",
		  9 }, /* not 96, then ms */
		{ "a-word-that-is-longer-than-the-line-of-forty-columns",
		  "  a-word-that-is-longer-than-the-line-o\n    f-forty-columns\n", 9 },
		{ "one line only, whatever there is to be said of it",
		  "  one line only, whatever there is t...\n", 1 },
		{ "", "", 9 },
	};
	const struct look narrow = { .columns = 40 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(freep) char *text = NULL;
		size_t length;
		FILE *out = open_memstream(&text, &length);

		words_wrap(cases[i].sentence, 2, cases[i].lines, &narrow, out);
		fclose(out);
		assert_string_equal(text, cases[i].expected);
	}
}

/* The reason stands in place of the plain words, and the status in it. */
static void test_words_exit(void **state)
{
	static const struct {
		double status, signal;
		const char *reason, *words;
	} cases[] = {
		{ 0, -1, NULL, "" },
		{ 3, -1, NULL, "exit status 3" },
		{ -1, 9, NULL,
		  "ended by SIGKILL, signal 9: killed from outside, often for lack of memory" },
		{ -1, 40, NULL, "ended by signal 40" },
		{ 3, -1, "Likely a full disk.", "Likely a full disk (exit status 3)." },
		{ -1, 9, "Killed for lack of memory.",
		  "Killed for lack of memory (SIGKILL, signal 9)." },
		{ -1, 9, "as an old sonde said it", "as an old sonde said it (SIGKILL, signal 9)" },
		{ 0, -1, "It ended well, but.", "It ended well, but." },
		{ -1, -1, "Cancelled by Slurm.", "Cancelled by Slurm." },
		{ 3, -1, "\x1b[2J'x'.", "\\x1b[2J'x' (exit status 3)." },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(text_clear) struct text text = { 0 };

		if (cases[i].status >= 0)
			facts_add_number(&facts, "exit", "status", cases[i].status);
		if (cases[i].signal >= 0)
			facts_add_number(&facts, "exit", "signal", cases[i].signal);
		if (cases[i].reason)
			facts_add_text(&facts, "exit", "reason", cases[i].reason);
		words_exit(&text, &facts);
		assert_string_equal(text_string(&text), cases[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_exit),    cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_json_is_valid), cmocka_unit_test(test_json_of_nothing),
		cmocka_unit_test(test_json_of_run),   cmocka_unit_test(test_csv),
		cmocka_unit_test(test_full_disk),     cmocka_unit_test(test_page),
		cmocka_unit_test(test_page_in_full),  cmocka_unit_test(test_labels),
		cmocka_unit_test(test_series),        cmocka_unit_test(test_many_processes),
		cmocka_unit_test(test_odd_trees),     cmocka_unit_test(test_short_tree),
		cmocka_unit_test(test_states),        cmocka_unit_test(test_look),
		cmocka_unit_test(test_cut),           cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
