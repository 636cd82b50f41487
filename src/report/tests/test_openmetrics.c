/* What a reader of OpenMetrics relies on: a small one of our own reads all that is written, and
 * says where a rule is broken. */
#include "report/report.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "report/tests/example.h"

#define SECOND 1000000000u
#define BASE "{run=\"3f9a2c71\",name=\"fit\",host=\"node7\",tag_size=\"large\""

static const struct openmetrics by_second = { .step_ns = SECOND }, exact = { .step_ns = 1000000 },
				textfile = { .textfile = true };

static void write_it(const struct facts *facts, FILE *out, const void *how)
{
	assert_int_equal(openmetrics_write(facts, how, out, NULL), 0);
}

/* The next character of a name: a letter or underscore, or a digit that is not the first. */
static bool is_name(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || c == '_' || (!first && c >= '0' && c <= '9');
}

static size_t name_length(const char *text)
{
	size_t length = 0;

	while (is_name(text[length], length == 0))
		length++;
	assert_true(length > 0);
	return length;
}

/* Behind the labels: names once each, values with closed quotes and known escapes, valid UTF-8. */
static const char *skip_labels(const char *text)
{
	char seen[64][64] = { "" };
	size_t count = 0;

	for (text++;; text++) {
		size_t length = name_length(text);

		assert_true(length < 64 && count < 64);
		memcpy(seen[count], text, length);
		for (size_t i = 0; i < count; i++)
			assert_string_not_equal(seen[i], seen[count]);
		count++;
		assert_memory_equal(text + length, "=\"", 2);
		for (text += length + 2; *text != '"'; text++) {
			size_t bytes = utf8_length(text, strlen(text));

			assert_true(bytes > 0 && *text != '\n' && (unsigned char)*text >= 0x20);
			text += bytes - 1;
			if (*text == '\\')
				assert_non_null(strchr("\\n\"", *++text));
		}
		if (*++text != ',')
			break;
	}
	assert_int_equal(*text, '}');
	return text + 1;
}

/* Of what was read: the family that the last lines were about, and the last series and its time. */
struct reader {
	char families[128][96];
	size_t n_families, samples;
	char series[1024];
	double time;
	bool times;
};

static bool belongs(const char *name, const char *family)
{
	size_t length = strlen(family);

	return strncmp(name, family, length) == 0 &&
	       (!name[length] || strcmp(name + length, "_total") == 0);
}

/* A family stands in one place. */
static void meet_family(struct reader *reader, const char *name)
{
	size_t last = reader->n_families;

	if (last > 0 && belongs(name, reader->families[last - 1]))
		return;
	for (size_t i = 0; i < last; i++)
		assert_string_not_equal(reader->families[i], name);
	assert_true(last < COUNT(reader->families));
	snprintf(reader->families[reader->n_families++], 96, "%s", name);
	reader->series[0] = '\0';
}

static void read_meta(struct reader *reader, const char *line)
{
	char word[8], name[96], rest[512];

	assert_int_equal(sscanf(line, "# %7s %95s %511[^\n]", word, name, rest), 3);
	assert_true(strcmp(word, "HELP") == 0 || strcmp(word, "TYPE") == 0 ||
		    strcmp(word, "UNIT") == 0);
	assert_int_equal(name_length(name), strlen(name));
	meet_family(reader, name);
	if (strcmp(word, "UNIT") == 0)
		assert_string_equal(name + strlen(name) - strlen(rest), rest);
	if (strcmp(word, "HELP") == 0)
		assert_null(strchr(rest, '"'));
}

static void read_sample(struct reader *reader, const char *line)
{
	size_t length = name_length(line);
	const char *behind = line[length] == '{' ? skip_labels(line + length) : line + length;
	char name[96], series[1024], *end;
	double time;

	snprintf(name, sizeof(name), "%.*s", (int)length, line);
	snprintf(series, sizeof(series), "%.*s", (int)(behind - line), line);
	meet_family(reader, name);
	assert_int_equal(*behind, ' ');
	assert_true(isfinite(strtod(behind, &end)));
	assert_true(end > behind);
	assert_int_equal(*end == ' ', reader->times);
	time = strtod(end, &end);
	assert_int_equal(*end, '\0');
	if (reader->times && strcmp(series, reader->series) == 0)
		assert_true(time > reader->time);
	strcpy(reader->series, series);
	reader->time = time;
	reader->samples++;
}

/* Returns how many samples there are. */
static size_t read_all(const char *text, bool times)
{
	CLEANUP(freep) struct reader *reader = mem_new(sizeof(*reader));
	CLEANUP(freep) char *copy = mem_copy(text);
	bool ended = false;

	reader->times = times;
	for (char *line = copy, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		assert_false(ended);
		ended = strcmp(line, "# EOF") == 0;
		if (!ended && *line == '#')
			read_meta(reader, line);
		else if (!ended)
			read_sample(reader, line);
	}
	assert_int_equal(ended, times);
	return reader->samples;
}

static void assert_has(const char *text, const char *expected)
{
	if (!strstr(text, expected))
		fail_msg("no '%s' in:\n%s", expected, text);
}

static void example_with_lines(struct facts *facts)
{
	static const double cores[] = { 0.25, NAN, 0.5, 1, 1, 1, 1, 1, 1, 0.125, 2, 2, 1.5 };
	static const double bytes[] = { 0, 100, 100, 300 };

	example_run(facts);
	example_line(facts, 0, cores, COUNT(cores));
	example_line(facts, 1, bytes, COUNT(bytes));
	facts_add_line(facts)->metric = &facts->run_metrics[0]; /* nobody ever read it */
}

/* The points are 0.1 s apart: the last of each second stands at that second's end. */
static void test_forms(void **state)
{
	static const struct {
		const struct openmetrics *how;
		bool times;
		const char *expected[8], *missing[6];
	} cases[] = {
		{ &by_second,
		  true,
		  { "# HELP sonde_cores cores busy\n# TYPE sonde_cores gauge\n"
		    "sonde_cores" BASE "} 0.125 1794803836\nsonde_cores" BASE "} 1.5 1794803837\n#",
		    "# HELP sonde_io_read_bytes_total bytes through read; all processes together\n"
		    "sonde_io_read_bytes_total" BASE "} 300 1794803836\n#",
		    "# UNIT sonde_run_wall_seconds seconds\n"
		    "sonde_run_wall_seconds" BASE ",how=\"measured\"} 252 1794804087\n",
		    "sonde_run_memory_tree_peak_bytes" BASE ",how=\"estimated\"}",
		    "sonde_run_info" BASE ",command=\"python fit.py --title 'two words'\"",
		    "sonde_run_start_time_seconds" BASE "} 1794803835 ",
		    "sonde_run_exit_status" BASE "} 0 1794804087\n" },
		  { "swap", "nan", "NAN", "gpu", "_total counter" } },
		{ &exact,
		  true,
		  { "\nsonde_cores" BASE "} 0.25 1794803835.100\nsonde_cores" BASE
		    "} 0.5 1794803835.300\n",
		    "# TYPE sonde_io_read_bytes counter\n# UNIT sonde_io_read_bytes bytes\n"
		    "sonde_io_read_bytes_total" BASE "} 0 1794803835.100\n",
		    "how=\"measured\"} 252 1794804087.000\n" },
		  { "swap", "nan", "gpu" } },
		{ &textfile,
		  false,
		  { "# TYPE sonde_run_wall_seconds gauge\n"
		    "sonde_run_wall_seconds" BASE ",how=\"measured\"} 252\n" },
		  { "# UNIT", "sonde_cores{", "1794804087", "swap", "EOF" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(freep) char *text = NULL;

		example_with_lines(&facts);
		text = example_written(write_it, &facts, cases[i].how);
		assert_true(read_all(text, cases[i].times) > 12);
		for (size_t j = 0; cases[i].expected[j]; j++)
			assert_has(text, cases[i].expected[j]);
		for (size_t j = 0; cases[i].missing[j]; j++)
			assert_null(strstr(text, cases[i].missing[j]));
	}
}

/* What a run does now is news; what it did last when it was still there is none. */
static void test_textfile_of_running(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;

	(void)state;
	example_with_lines(&facts);
	facts.running = true;
	text = example_written(write_it, &facts, &textfile);
	read_all(text, false);
	assert_has(text, "\nsonde_cores" BASE "} 1.5\n");
	assert_has(text, "# TYPE sonde_io_read_bytes_total counter\nsonde_io_read_bytes_total" BASE
			 "} 300\n");
}

static void test_label_values(void **state)
{
	static const struct {
		const char *value, *expected;
	} cases[] = {
		{ "plain", "plain" },
		{ "say \"hi\"", "say \\\"hi\\\"" },
		{ "C:\\dir", "C:\\\\dir" },
		{ "two\nlines\n", "two\\nlines\\n" },
		{ "M\xc3\xbcller", "M\xc3\xbcller" },
		{ "\xff\xc3", "\\\\xff\\\\xc3" },
		{ "\033[2J", "\\\\x1b[2J" },
		{ "\\", "\\\\" },
		{ "a=\"b\",c", "a=\\\"b\\\",c" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(text_clear) struct text expected = { 0 };
		CLEANUP(freep) char *text = NULL;

		example_with_lines(&facts);
		facts_add_text(&facts, "run", "name", cases[i].value);
		text = example_written(write_it, &facts, &by_second);
		read_all(text, true);
		text_add_format(&expected, ",name=\"%s\",host=", cases[i].expected);
		assert_has(text, expected.data);
	}
}

/* Names of tags, of metrics and their help may be anything. */
static void test_foreign_names(void **state)
{
	static const char *const tags[] = {
		"a-b", "a.b", "A_B", "\xff", "__name__", "jobName", ""
	};
	static const struct metric metrics[] = {
		{ .name = "x y", .help = "\"quoted\"\nand \\ more", .unit = UNIT_BYTES },
		{ .name = "x.y", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
		{ .name = "9{}", .help = "\033[2J", .unit = UNIT_JOULES, .kind = KIND_GAUGE },
		{ .name = "", .help = "", .unit = UNIT_COUNT, .kind = KIND_GAUGE },
	};
	const double number = 1;

	(void)state;
	for (size_t form = 0; form < 3; form++) {
		const struct openmetrics *const forms[] = { &by_second, &exact, &textfile };
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(freep) char *text = NULL;

		example_run(&facts);
		facts_set_metrics(&facts, SCOPE_RUN, metrics, COUNT(metrics));
		for (size_t i = 0; i < COUNT(metrics); i++)
			example_line(&facts, i, &number, 1);
		for (size_t i = 0; i < COUNT(tags); i++)
			facts_add_text(&facts, "tag", tags[i], "v");
		facts.running = true;
		text = example_written(write_it, &facts, forms[form]);
		read_all(text, form < 2);
		assert_has(text, "tag_a_b=\"v\"");
		assert_has(text, "tag_a_b_2=\"v\"");
		assert_has(text, "tag_a_b_3=\"v\"");
		assert_has(text, "sonde_x_y_bytes_2{");
		assert_has(text, " 'quoted'\\\\nand \\\\ more\n");
	}
}

static void test_nothing_known(void **state)
{
	static const char *const starts[] = { NULL, "yesterday", "1970-01-01T00:00:00Z" };

	(void)state;
	for (size_t i = 0; i < COUNT(starts); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(freep) char *text = NULL;
		struct err err = { 0 };
		FILE *out = fopen("/dev/null", "w");

		if (starts[i])
			facts_add_text(&facts, "run", "started", starts[i]);
		assert_int_equal(openmetrics_write(&facts, &by_second, out, &err), -EINVAL);
		assert_non_null(strstr(err.text, "when the run started"));
		fclose(out);
		text = example_written(write_it, &facts, &textfile);
		assert_string_equal(text, "# HELP sonde_run_info what was run, and by whom\n"
					  "# TYPE sonde_run_info gauge\nsonde_run_info 1\n");
	}
}

static void test_full_disk(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct err err = { 0 };
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	example_with_lines(&facts);
	assert_int_equal(report_openmetrics.write(&facts, full, &err), -ENOSPC);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),         cmocka_unit_test(test_textfile_of_running),
		cmocka_unit_test(test_label_values),  cmocka_unit_test(test_foreign_names),
		cmocka_unit_test(test_nothing_known), cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests_name("report/openmetrics", tests, NULL, NULL);
}
