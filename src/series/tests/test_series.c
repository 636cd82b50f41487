/* What goes into a recording comes out of it, whatever happens in between. */
#include "series/series.h"

#include "base/file.h"
#include "series/journal.h"
#include "series/tests/made.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#define EVERYTHING (READ_PROCESSES | READ_LINES | READ_PROCESS_LINES)

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static void write_file(const char *path, const void *bytes, size_t count)
{
	CLEANUP(closep) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(file_write(fd, bytes, count), 0);
}

static int write_journal(uint32_t ticks, const struct limits *limits)
{
	struct facts facts = { 0 };
	struct series *series;

	made_facts(&facts);
	if (series_open_within(made_path, &facts, limits, &series, NULL) < 0)
		return 1;
	for (uint32_t i = 0; i < ticks; i += 100) {
		made_ticks(series, i, ticks - i < 100 ? ticks - i : 100);
		series_settle(series, 0);
	}
	series_close(series);
	facts_clear(&facts);
	return 0;
}

/* Leaves a journal of `ticks` ticks whose writer is dead: it was another process. */
static void leave_journal(uint32_t ticks, const struct limits *limits)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(write_journal(ticks, limits));
	assert_true(waitpid(child, &status, 0) == child && status == 0);
}

/* The points that a metric's line must have. */
struct expected {
	struct point points[4000];
	size_t count;
	bool numbers; /* the last point is one */
};

static void expected_add(struct expected *line, uint32_t tick, const struct metric *metric,
			 struct value value)
{
	if (made_gap(tick) && line->numbers) {
		line->points[line->count++] = (struct point){ .time_ns = made_time_ns(tick - 1),
							      .number = NAN };
		line->numbers = false;
	}
	if (!value_is(value) && !line->numbers)
		return;
	value = metric_restore(metric, metric_quantise(metric, value));
	line->points[line->count++] = (struct point){ .time_ns = made_time_ns(tick),
						      .number = value_is(value) ? value.number
										: NAN };
	line->numbers = value_is(value);
}

static void same_points(const struct line *line, const struct expected *expected)
{
	assert_int_equal(line->n_points, expected->count);
	for (size_t i = 0; i < expected->count; i++) {
		const struct point *is = &line->points[i], *should = &expected->points[i];

		assert_true(is->time_ns == should->time_ns);
		assert_true(isnan(should->number) ? isnan(is->number)
						  : is->number == should->number);
		assert_true(isnan(is->low) && isnan(is->high));
	}
}

static void same_run_lines(const struct facts *facts, uint32_t ticks)
{
	for (unsigned m = 0; m < MADE_RUN; m++) {
		static struct expected expected;

		expected.count = 0;
		expected.numbers = false;
		for (uint32_t i = 0; i < ticks; i++)
			expected_add(&expected, i, &made_run[m], made_run_value(i, m));
		assert_string_equal(facts->lines[m].metric->name, made_run[m].name);
		assert_int_equal(facts->lines[m].process, 0);
		same_points(&facts->lines[m], &expected);
	}
}

static void same_process_line(const struct line *line, uint32_t ticks)
{
	static struct expected expected;
	unsigned m = 0;

	while (strcmp(line->metric->name, made_own[m].name) != 0)
		m++;
	expected.count = 0;
	expected.numbers = false;
	for (uint32_t i = 0; i < ticks; i++) {
		if (made_moves(i, line->process))
			expected_add(&expected, i, &made_own[m],
				     made_own_value(i, line->process, m));
	}
	same_points(line, &expected);
}

static const struct process *process_of(const struct facts *facts, uint32_t id)
{
	for (size_t i = 0; i < facts->n_processes; i++) {
		if (facts->processes[i].id == id)
			return &facts->processes[i];
	}
	return NULL;
}

static void same_process(const struct process *process, bool ended)
{
	struct process should = made_process(process->id, ended);

	assert_int_equal(process->parent, should.parent);
	assert_int_equal(process->pid, should.pid);
	assert_true(process->count == should.count);
	assert_true(process->started_ns == should.started_ns);
	assert_true(process->ended_ns == should.ended_ns);
	assert_int_equal(process->status, should.status);
	assert_string_equal(process->name, should.name);
	if (should.command)
		assert_string_equal(process->command, should.command);
	else
		assert_null(process->command);
}

static void same_metrics(const struct facts *facts)
{
	assert_int_equal(facts->n_run_metrics, MADE_RUN);
	assert_int_equal(facts->n_process_metrics, MADE_OWN);
	for (size_t i = 0; i < MADE_RUN; i++) {
		assert_string_equal(facts->run_metrics[i].name, made_run[i].name);
		assert_int_equal(facts->run_metrics[i].unit, made_run[i].unit);
		assert_int_equal(facts->run_metrics[i].kind, made_run[i].kind);
		assert_int_equal(facts->run_metrics[i].with_children, made_run[i].with_children);
	}
	assert_string_equal(facts->run_metrics[0].source, "tree");
	assert_string_equal(facts->run_metrics[0].help, "h");
	assert_null(facts->run_metrics[1].source);
	assert_int_equal(facts->process_metrics[1].scope, SCOPE_PROCESS);
}

static void same_facts(const struct facts *is, const struct facts *should)
{
	assert_int_equal(is->n_facts, should->n_facts);
	for (size_t i = 0; i < should->n_facts; i++) {
		const struct fact *a = &is->facts[i], *b = &should->facts[i];

		assert_string_equal(a->section, b->section);
		assert_string_equal(a->name, b->name);
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->unit, b->unit);
		assert_int_equal(a->value.how, b->value.how);
		assert_true(a->value.number == b->value.number);
		assert_true(isnan(b->low) ? isnan(a->low) : a->low == b->low);
		assert_true(isnan(b->high) ? isnan(a->high) : a->high == b->high);
		assert_string_equal(a->text ? a->text : "-", b->text ? b->text : "-");
		assert_string_equal(a->source ? a->source : "-", b->source ? b->source : "-");
		assert_string_equal(a->why ? a->why : "-", b->why ? b->why : "-");
	}
}

static struct facts read_well(unsigned what)
{
	struct facts facts = { 0 };
	struct err err = { 0 };

	if (recording_read(made_path, what, &facts, &err) < 0)
		fail_msg("%s", err.text);
	return facts;
}

static void whole_run(void **state)
{
	static const uint32_t lengths[] = { 0, 1, 7, 1024, 1025, 3000 };

	for (size_t i = 0; i < COUNT(lengths); i++) {
		uint32_t ticks = lengths[i];
		struct facts facts = { 0 }, read;
		struct series *series;

		made_setup(state);
		made_facts(&facts);
		assert_int_equal(series_open(made_path, &facts, &series, NULL), 0);
		assert_true(exists(made_journal) && !exists(made_path));
		made_ticks(series, 0, ticks);
		made_end(&facts);
		assert_int_equal(series_finish(series, &facts, NULL), 0);
		series_close(series);
		assert_true(!exists(made_journal) && exists(made_path));
		read = read_well(EVERYTHING);
		same_facts(&read, &facts);
		same_metrics(&read);
		same_run_lines(&read, ticks);
		for (size_t l = MADE_RUN; l < read.n_lines; l++)
			same_process_line(&read.lines[l], ticks);
		assert_int_equal(read.n_processes, ticks ? (ticks - 1) / 10 : 0);
		for (size_t p = 0; p < read.n_processes; p++)
			same_process(&read.processes[p],
				     (ticks + 0) / 10 > read.processes[p].id + MADE_ALIVE);
		assert_false(read.running || read.repaired);
		facts_clear(&read);
		facts_clear(&facts);
	}
}

/* Rows that are known at the end win over those that came before. */
static void process_rows(void **state)
{
	struct facts facts = { 0 }, read;
	struct series *series;
	struct process *last, seen = made_process(100000, false);

	(void)state;
	made_facts(&facts);
	assert_int_equal(series_open(made_path, &facts, &series, NULL), 0);
	series_process(series, &seen, NULL);
	seen = made_process(2, false);
	series_process(series, &seen, NULL);
	seen.name = "renamed";
	series_process(series, &seen, NULL);
	last = facts_add_process(&facts);
	last->id = 100000;
	last->name = "last";
	last->values[0] = value_estimated(2.5);
	last->values[1] = value_read(1e15);
	assert_int_equal(series_finish(series, &facts, NULL), 0);
	series_close(series);
	read = read_well(READ_PROCESSES);
	assert_int_equal(read.n_processes, 2);
	assert_int_equal(read.n_lines, 0);
	assert_string_equal(process_of(&read, 2)->name, "renamed");
	assert_string_equal(process_of(&read, 100000)->name, "last");
	assert_int_equal(process_of(&read, 100000)->values[0].how, HOW_ESTIMATED);
	assert_true(process_of(&read, 100000)->values[0].number == 2.5);
	assert_int_equal(process_of(&read, 100000)->values[1].how, HOW_MEASURED);
	assert_int_equal(process_of(&read, 100000)->values[2].how, HOW_ABSENT);
	facts_clear(&read);
	read = read_well(0);
	assert_int_equal(read.n_processes, 0);
	facts_clear(&read);
	facts_clear(&facts);
}

static void near_total(const struct facts *facts, const char *name, double should)
{
	struct value value = facts_value(facts, "totals", name);

	assert_true(value_is(value) && fabs(value.number - should) < 1e-6);
}

static void dead_run(void **state)
{
	struct facts read;
	const struct fact *fact;

	(void)state;
	leave_journal(500, &limits_usual);
	assert_false(exists(made_path));
	read = read_well(EVERYTHING);
	assert_true(read.repaired && !read.running);
	same_metrics(&read);
	same_run_lines(&read, 500);
	assert_string_equal(facts_text(&read, "run", "name"), "fit");
	assert_string_equal(facts_text(&read, "command", "1"), "a \x1b[31m\xff file");
	assert_true(facts_value(&read, "run", "complete").number == 0);
	assert_true(facts_value(&read, "totals", "wall_s").number ==
		    (double)made_time_ns(499) / 1e9);
	near_total(&read, "cpu_s", 499 * 0.125);
	assert_true(facts_value(&read, "totals", "memory_tree_peak_bytes").number == 9e12);
	fact = facts_find(&read, "totals", "energy_j");
	assert_true(fact->value.how == HOW_ESTIMATED && fact->value.number == 499 * 0.5);
	assert_string_equal(facts_text(&read, "note", "0"),
			    "the run did not end: the recording stops at 65.0 s");
	/* One that ended keeps what its row said; of one that did not, the ticks tell. */
	same_process(process_of(&read, 20), true);
	assert_true(process_of(&read, 20)->values[0].number == 5);
	assert_int_equal(process_of(&read, 20)->values[1].how, HOW_ESTIMATED);
	same_process(process_of(&read, 49), false);
	assert_true(fabs(process_of(&read, 49)->values[0].number - 7 * 0.001 * 49) < 1e-9);
	assert_false(value_is(process_of(&read, 49)->values[2]));
	facts_clear(&read);

	assert_true(exists(made_path) && !exists(made_journal));
	read = read_well(EVERYTHING);
	assert_false(read.repaired);
	near_total(&read, "cpu_s", 499 * 0.125);
	same_run_lines(&read, 500);
	facts_clear(&read);
}

static void tell(struct series *series, const char *name, double number)
{
	series_fact(series, &(struct fact){ .section = "exit",
					    .name = name,
					    .kind = FACT_NUMBER,
					    .value = value_read(number) });
}

static bool is_written(const char *name)
{
	CLEANUP(freep) char *bytes = NULL;
	ssize_t length = file_read("/", made_journal, &bytes, NULL);

	return length > 0 && memmem(bytes, (size_t)length, name, strlen(name));
}

/* Writes a journal and never ends: somebody kills it. */
static void write_and_wait(void)
{
	struct facts facts = { 0 };
	struct series *series;

	made_facts(&facts);
	if (series_open(made_path, &facts, &series, NULL) < 0)
		_exit(1);
	made_ticks(series, 0, 10);
	tell(series, "sent_signal", 15);
	made_ticks(series, 10, 10);
	tell(series, "sent_signal", 2);
	tell(series, "sent_last", 1);
	for (;;)
		pause();
}

static void told_while_it_ran(void **state)
{
	pid_t child = fork();
	struct facts read;
	int status;

	(void)state;
	if (child == 0)
		write_and_wait();
	for (int i = 0; !is_written("sent_last") && i < 1000; i++)
		usleep(10000);
	kill(child, SIGKILL);
	assert_true(waitpid(child, &status, 0) == child);
	read = read_well(EVERYTHING);
	assert_true(read.repaired);
	assert_true(facts_value(&read, "exit", "sent_signal").number == 2);
	assert_true(facts_value(&read, "exit", "sent_last").number == 1);
	facts_clear(&read);
}

static void dead_in_read_only_directory(void **state)
{
	struct facts read;

	(void)state;
	leave_journal(30, &limits_usual);
	if (geteuid() == 0) /* for whom nothing is read-only: something stands in the way instead */
		mkdir(made_path, 0755);
	else
		chmod(made_directory, 0555);
	if (geteuid() == 0) {
		assert_int_equal(recording_read(made_path, 0, &read, NULL), -EISDIR);
		rmdir(made_path);
	} else {
		read = read_well(EVERYTHING);
		same_run_lines(&read, 30);
		assert_false(read.repaired);
		facts_clear(&read);
		chmod(made_directory, 0755);
	}
	assert_true(exists(made_journal));
}

static void running(void **state)
{
	struct facts facts = { 0 }, read;
	struct series *series;

	(void)state;
	made_facts(&facts);
	assert_int_equal(series_open(made_path, &facts, &series, NULL), 0);
	read = read_well(EVERYTHING);
	assert_true(read.running && !read.repaired);
	assert_string_equal(facts_text(&read, "run", "name"), "fit");
	facts_clear(&read);
	made_ticks(series, 0, 50);
	usleep(1050000); /* then the writer's thread is due, at the latest at the next tick */
	made_ticks(series, 50, 1);
	usleep(1500000); /* a second later, it is written */
	read = read_well(EVERYTHING);
	assert_true(read.running);
	same_run_lines(&read, 51);
	facts_clear(&read);
	assert_true(exists(made_journal) && !exists(made_path));
	assert_int_equal(series_finish(series, &facts, NULL), 0);
	series_close(series);
	facts_clear(&facts);
}

/* With the journal of a dead run, as another machine would see it. */
static void elsewhere(void **state)
{
	CLEANUP(freep) char *journal = NULL;
	struct facts read;
	ssize_t length;
	char *boot;
	struct text out = { 0 };
	struct arena arena = { 0 };
	struct origin origin;
	struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	struct record record;

	(void)state;
	(void)boot;
	leave_journal(30, &limits_usual);
	length = file_read("/", made_journal + 1, &journal, NULL);
	assert_true(length > 0);
	assert_int_equal(record_parse(journal + JOURNAL_HEAD_BYTES,
				      (size_t)length - JOURNAL_HEAD_BYTES, &record),
			 1);
	origin_unpack(&record.payload, &arena, &origin);
	origin.boot = "00000000-0000-0000-0000-000000000000";
	origin.host = "node17";
	text_add_bytes(&out, journal, JOURNAL_HEAD_BYTES);
	record_writer(&out, &origin);
	text_add_bytes(&out, journal + JOURNAL_HEAD_BYTES + record.size,
		       (size_t)length - JOURNAL_HEAD_BYTES - record.size);
	write_file(made_journal, out.data, out.length);
	read = read_well(READ_LINES);
	assert_true(read.running);
	assert_non_null(strstr(facts_text(&read, "note", "0"), "'node17'"));
	same_run_lines(&read, 30);
	facts_clear(&read);
	assert_true(exists(made_journal) && !exists(made_path));

	utimensat(AT_FDCWD, made_journal, old, 0);
	read = read_well(READ_LINES);
	assert_true(read.repaired);
	facts_clear(&read);
	text_clear(&out);
	arena_clear(&arena);
}

static void named_by_its_journal(void **state)
{
	struct facts read = { 0 };

	(void)state;
	leave_journal(5, &limits_usual);
	assert_int_equal(recording_read(made_journal, READ_LINES, &read, NULL), 0);
	assert_true(read.repaired);
	facts_clear(&read);
	assert_int_equal(recording_read(made_journal, READ_LINES, &read, NULL), 0);
	facts_clear(&read);
}

/* Wherever a journal ends, every record before counts. */
static void cut_anywhere(void **state)
{
	CLEANUP(freep) char *journal = NULL;
	ssize_t length;

	(void)state;
	leave_journal(25, &limits_usual);
	length = file_read("/", made_journal + 1, &journal, NULL);
	for (size_t cut = 0; cut <= (size_t)length; cut++) {
		struct facts read = { 0 };
		struct err err = { 0 };
		size_t at = JOURNAL_HEAD_BYTES, ticks = 0;
		struct record record;

		while (at < cut && record_parse(journal + at, cut - at, &record) > 0) {
			ticks += (record.type == RECORD_FIRST || record.type == RECORD_TICK) &&
				 *record.payload.at == STREAM_RUN;
			at += record.size;
		}
		unlink(made_path);
		write_file(made_journal, journal, cut);
		if (recording_read(made_path, EVERYTHING, &read, &err) < 0) {
			assert_true(cut < JOURNAL_HEAD_BYTES);
			assert_int_equal(err.code, -EBADMSG);
			assert_non_null(strstr(err.text, made_path));
			continue;
		}
		/* With no writer in it, nobody knows whose it is. */
		assert_true(read.repaired || read.running);
		if (ticks)
			same_run_lines(&read, (uint32_t)ticks);
		facts_clear(&read);
	}
}

/* A byte that is wrong ends the reading before it. */
static void wrong_anywhere(void **state)
{
	CLEANUP(freep) char *journal = NULL;
	ssize_t length;

	(void)state;
	leave_journal(25, &limits_usual);
	length = file_read("/", made_journal + 1, &journal, NULL);
	for (size_t i = 0; i < (size_t)length; i++) {
		struct facts read = { 0 };
		size_t at = JOURNAL_HEAD_BYTES, ticks = 0;
		struct record record;

		while (at < i && record_parse(journal + at, (size_t)length - at, &record) > 0) {
			at += record.size;
			ticks += at <= i &&
				 (record.type == RECORD_FIRST || record.type == RECORD_TICK) &&
				 *record.payload.at == STREAM_RUN;
		}
		unlink(made_path);
		journal[i] ^= (char)(1 << i % 8);
		write_file(made_journal, journal, (size_t)length);
		journal[i] ^= (char)(1 << i % 8);
		if (recording_read(made_path, EVERYTHING, &read, NULL) < 0) {
			assert_true(i < JOURNAL_HEAD_BYTES);
			continue;
		}
		if (ticks)
			same_run_lines(&read, (uint32_t)ticks);
		facts_clear(&read);
	}
}

/* The same of a finished recording: an error that names it, or facts, never more. */
static void wrong_recording(void **state)
{
	CLEANUP(freep) char *bytes = NULL;
	struct facts facts = { 0 };
	struct series *series;
	size_t length, told = 0;

	(void)state;
	made_facts(&facts);
	assert_int_equal(series_open(made_path, &facts, &series, NULL), 0);
	made_ticks(series, 0, 300);
	assert_int_equal(series_finish(series, &facts, NULL), 0);
	series_close(series);
	facts_clear(&facts);
	length = (size_t)file_read("/", made_path + 1, &bytes, NULL);
	for (uint32_t i = 0; i < 1500; i++) {
		struct facts read = { 0 };
		struct err err = { 0 };
		size_t at = i < 120 ? i : made_noise(i, 3) % length;
		size_t size = i % 5 ? length : at;

		bytes[at] ^= (char)(1 + made_noise(i, 4) % 255);
		write_file(made_path, bytes, size);
		if (size == length)
			bytes[at] ^= (char)(1 + made_noise(i, 4) % 255);
		if (recording_read(made_path, EVERYTHING, &read, &err) < 0) {
			assert_non_null(strstr(err.text, made_path));
			told++;
		}
		facts_clear(&read);
	}
	assert_true(told > 100);
}

static void what_is_no_recording(void **state)
{
	static const char sqlite[] = "SQLite format 3";
	char head[4096] = { 0 };
	struct facts read;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(recording_read(made_path, 0, &read, &err), -ENOENT);
	assert_non_null(strstr(err.text, made_path));
	write_file(made_path, "", 0);
	assert_int_equal(recording_read(made_path, 0, &read, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a sonde recording: it is empty"));
	write_file(made_path, "hello", 5);
	assert_int_equal(recording_read(made_path, 0, &read, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a sonde recording"));
	memcpy(head, sqlite, sizeof(sqlite)); /* somebody else's database */
	write_file(made_path, head, sizeof(head));
	assert_int_equal(recording_read(made_path, 0, &read, &err), -EINVAL);
	memcpy(head + 68, "snde", 4);
	head[63] = 7;
	write_file(made_path, head, sizeof(head));
	assert_int_equal(recording_read(made_path, 0, &read, &err), -EPROTONOSUPPORT);
	assert_non_null(
	    strstr(err.text, "was written by a newer sonde (format 7; this one reads up to 1)"));
	head[63] = 1;
	write_file(made_path, head, sizeof(head));
	assert_int_equal(recording_read(made_path, 0, &read, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "is damaged"));
	assert_true(*err.hint);
	unlink(made_path);
	assert_int_equal(recording_read(made_directory, 0, &read, &err), -EISDIR);
	assert_int_equal(mkfifo(made_path, 0644), 0);
	assert_int_equal(recording_read(made_path, 0, &read, &err), -EINVAL);
	unlink(made_path);
	write_file(made_journal, "sonde.j\n\7\0\0\0", 12);
	assert_int_equal(recording_read(made_path, 0, &read, &err), -EPROTONOSUPPORT);
	assert_non_null(strstr(err.text, "format 7"));
	write_file(made_journal, "something else", 14);
	assert_int_equal(recording_read(made_path, 0, &read, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "is not the journal of a sonde recording"));
}

static void odd_names(void **state)
{
	static const char *const names[] = { "a b?c#d%25.sonde", "file:x.sonde",
					     ":memory:", "plain" };
	char before[4096];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(made_directory), 0);
	for (size_t i = 0; i < COUNT(names); i++) {
		struct facts facts = { 0 }, read = { 0 };
		struct series *series;

		made_facts(&facts);
		assert_int_equal(series_open(names[i], &facts, &series, NULL), 0);
		made_ticks(series, 0, 3);
		assert_int_equal(series_finish(series, &facts, NULL), 0);
		series_close(series);
		assert_int_equal(recording_read(names[i], READ_LINES, &read, NULL), 0);
		same_run_lines(&read, 3);
		facts_clear(&read);
		facts_clear(&facts);
		assert_int_equal(unlink(names[i]), 0);
	}
	assert_int_equal(chdir(before), 0);
}

static void there_already(void **state)
{
	struct facts facts = { 0 };
	struct series *series = NULL, *second = NULL;
	struct err err = { 0 };

	(void)state;
	made_facts(&facts);
	assert_int_equal(series_open(made_path, &facts, &series, NULL), 0);
	assert_int_equal(series_open(made_path, &facts, &second, &err), -EEXIST);
	assert_true(*err.hint);
	assert_int_equal(series_finish(series, &facts, NULL), 0);
	series_close(series);
	assert_int_equal(series_open(made_path, &facts, &second, &err), -EEXIST);
	assert_int_equal(series_open("/nowhere/x.sonde", &facts, &second, &err), -ENOENT);
	assert_null(second);
	series_close(NULL);
	facts_clear(&facts);
}

/* Killed between the rename and the removal of the journal. */
static void both_there(void **state)
{
	CLEANUP(freep) char *journal = NULL;
	struct facts read;
	ssize_t length;

	(void)state;
	leave_journal(40, &limits_usual);
	length = file_read("/", made_journal + 1, &journal, NULL);
	read = read_well(0);
	facts_clear(&read);
	write_file(made_journal, journal, (size_t)length / 2);
	read = read_well(READ_LINES);
	same_run_lines(&read, 40);
	assert_false(read.repaired);
	assert_false(exists(made_journal));
	facts_clear(&read);

	/* A recording that a power cut has emptied is no reason to lose the journal. */
	write_file(made_journal, journal, (size_t)length);
	assert_int_equal(truncate(made_path, 2000), 0);
	read = read_well(READ_LINES);
	same_run_lines(&read, 40);
	assert_true(read.repaired);
	facts_clear(&read);
}

/* The end is in the journal already, the recording is not: nothing is lost, not even the end. */
static void dead_at_the_end(void **state)
{
	struct facts read, should = { 0 };
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		struct facts facts = { 0 };
		struct series *series;

		made_facts(&facts);
		series_open(made_path, &facts, &series, NULL);
		made_ticks(series, 0, 20);
		made_end(&facts);
		mkdir(made_path, 0755); /* so that it cannot be renamed */
		_exit(series_finish(series, &facts, NULL) < 0 ? 0 : 1);
	}
	assert_true(waitpid(child, &status, 0) == child && status == 0);
	rmdir(made_path);
	read = read_well(READ_LINES);
	made_facts(&should);
	made_end(&should);
	same_facts(&read, &should);
	same_run_lines(&read, 20);
	assert_true(read.repaired);
	facts_clear(&read);
	facts_clear(&should);
}

/* Folding. */

static const struct limits limits_tight = {
	.keep = { { { .ticks = 2500 }, { .ticks = 20 }, { .ticks = 10 } },
		  { { .ticks = 2500 }, { .ticks = 20 }, { .ticks = 10 } } },
	.void_bytes = 20000,
};

#define LONG_TICKS 12000

static void check_folded(const struct facts *read, uint32_t ticks)
{
	const struct line *memory = &read->lines[1], *cpu = &read->lines[2];
	double peak = 0, before = -1;
	uint64_t time_ns = 0;

	for (size_t i = 0; i < memory->n_points; i++) {
		const struct point *point = &memory->points[i];

		assert_true(point->time_ns >= time_ns);
		time_ns = point->time_ns;
		if (!isnan(point->high) && point->high > peak)
			peak = point->high;
		if (!isnan(point->number) && point->number > peak)
			peak = point->number;
		assert_true(isnan(point->high) ||
			    (point->low <= point->number && point->number <= point->high));
	}
	assert_true(peak == 9e12); /* the spike of one tick, long ago */
	assert_true(time_ns == made_time_ns(ticks - 1));
	for (size_t i = 0; i < cpu->n_points; i++) {
		if (isnan(cpu->points[i].number))
			continue;
		assert_true(cpu->points[i].number > before);
		before = cpu->points[i].number;
		if (isnan(cpu->points[i].high))
			continue;
		/* 0.125 s in each 0.1 s, give or take the noise of 1 ms in the times */
		assert_true(cpu->points[i].low > 1.22 && cpu->points[i].high < 1.28);
		assert_true(cpu->points[i].low <= cpu->points[i].high);
	}
	assert_true(fabs(before - (ticks - 1) * 0.125) < 1e-6);
	assert_true(facts_value(read, "totals", "memory_tree_peak_bytes").number == 9e12);
	near_total(read, "cpu_s", (ticks - 1) * 0.125);
}

static void folded_run(void **state)
{
	struct facts read;
	struct stat journal;

	(void)state;
	leave_journal(LONG_TICKS, &limits_tight);
	assert_int_equal(stat(made_journal, &journal), 0);
	read = read_well(EVERYTHING);
	assert_true(read.repaired);
	assert_true(read.lines[0].n_points < 5000);
	check_folded(&read, LONG_TICKS);
	assert_int_equal(read.n_processes, (LONG_TICKS - 1) / 10);
	assert_int_equal(read.n_marks, 2 + (LONG_TICKS + 24) / 25); /* rewriting keeps them */
	facts_clear(&read);
	read = read_well(EVERYTHING);
	check_folded(&read, LONG_TICKS);
	facts_clear(&read);
}

/* Whenever the writer is killed, what is folded and what is not yet make one series without holes:
 * a point holds at most the 97 ticks between two gaps. */
static void folded_and_killed(void **state)
{
	for (uint32_t i = 0; i < 25; i++) {
		struct facts read;
		double before = 0;
		pid_t child;

		made_setup(state);
		child = fork();
		if (child == 0) {
			write_journal(LONG_TICKS, &limits_tight);
			pause();
		}
		while (!exists(made_journal))
			usleep(100);
		usleep(made_noise(i, 5) % 300000);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		read = read_well(EVERYTHING);
		assert_true(read.repaired);
		for (size_t p = 0; p < read.lines[2].n_points; p++) {
			const struct point *point = &read.lines[2].points[p];

			if (isnan(point->number))
				continue;
			assert_true(point->number >= before);
			assert_true(point->number - before <= 97 * 0.125 + 1e-6);
			before = point->number;
		}
		facts_clear(&read);
	}
}

/* Damage in the middle may take away old points, but nothing else happens. */
static void folded_and_cut(void **state)
{
	CLEANUP(freep) char *journal = NULL;
	ssize_t length;

	(void)state;
	leave_journal(LONG_TICKS, &limits_tight);
	length = file_read("/", made_journal + 1, &journal, NULL);
	for (uint32_t i = 0; i < 50; i++) {
		size_t cut = (size_t)length - made_noise(i, 5) % ((size_t)length / 2);
		struct facts read;
		uint64_t time_ns = 0;

		unlink(made_path);
		write_file(made_journal, journal, cut);
		read = read_well(EVERYTHING);
		assert_true(read.repaired);
		for (size_t p = 0; p < read.lines[2].n_points; p++) {
			assert_true(read.lines[2].points[p].time_ns >= time_ns);
			time_ns = read.lines[2].points[p].time_ns;
		}
		facts_clear(&read);
	}
}

/* Disks. */

static void full_disk(void **state)
{
	static const rlim_t sizes[] = { 0, 100, 3000, 9000, 20000, 60000, 150000 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct facts read = { 0 };
		struct err err = { 0 };
		int status;
		pid_t child;

		made_setup(state);
		child = fork();
		if (child == 0) {
			struct facts facts = { 0 };
			struct series *series;

			signal(SIGXFSZ, SIG_IGN); /* then writing more fails with EFBIG */
			setrlimit(RLIMIT_FSIZE, &(struct rlimit){ sizes[i], sizes[i] });
			made_facts(&facts);
			if (series_open(made_path, &facts, &series, &err) < 0)
				_exit(1);
			for (uint32_t t = 0; t < 3000; t += 10) {
				made_ticks(series, t, 10);
				if (t == 1000 &&
				    i % 3 == 0) /* the writer's thread meets it, or the end does */
					usleep(1100000);
			}
			made_end(&facts);
			status = series_finish(series, &facts, &err);
			series_close(series);
			_exit(status == -EFBIG || status == -ENOSPC || status == -EIO ? 0
			      : status == 0                                           ? 2
										      : 3);
		}
		assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
		assert_int_not_equal(WEXITSTATUS(status), 3);
		assert_int_not_equal(WEXITSTATUS(status), 1);
		if (sizes[i] >= 60000) { /* the facts at least were kept */
			read = read_well(EVERYTHING);
			assert_true(facts_value(&read, "exit", "status").number == 3);
			assert_int_equal(read.n_processes, 299);
		} else if (sizes[i] >= 3000) { /* or what was in the journal by then */
			read = read_well(EVERYTHING);
			assert_string_equal(facts_text(&read, "run", "name"), "fit");
		}
		facts_clear(&read);
	}
}

/* A real full disk of 200 kB, where root may mount one; the program fills it, then half of it is
 * free again. */
static int fill_disk(void)
{
	struct facts facts = { 0 }, read = { 0 };
	struct err err = { 0 };
	struct series *series;
	char junk[4096] = { 0 };
	int fd, r;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", made_directory, "tmpfs", 0, "size=200k") < 0)
		return 77;
	made_facts(&facts);
	if (series_open(made_path, &facts, &series, &err) < 0)
		return 1;
	made_ticks(series, 0, 1000);
	fd = chdir(made_directory) < 0 ? -1 : open("other", O_WRONLY | O_CREAT, 0644);
	while (write(fd, junk, sizeof(junk)) > 0)
		;
	usleep(1100000);
	made_ticks(series, 1000, 500);
	usleep(1100000);
	made_ticks(series, 1500, 500);
	if (ftruncate(fd, 4096) < 0)
		return 2;
	made_end(&facts);
	r = series_finish(series, &facts, &err);
	series_close(series);
	if (r < 0 || recording_read(made_path, EVERYTHING, &read, &err) < 0)
		return 3;
	same_facts(&read, &facts);
	same_run_lines(&read, 2000);
	return 0;
}

static void full_tmpfs(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0)
		_exit(fill_disk());
	assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skipped: only root may mount a tmpfs\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* The writer's thread meets the sampler's. For ThreadSanitizer, above all. */
static void with_thread(void **state)
{
	struct facts facts = { 0 }, read;
	struct series *series;

	(void)state;
	made_facts(&facts);
	assert_int_equal(series_open_within(made_path, &facts, &limits_tight, &series, NULL), 0);
	usleep(1000000);
	for (uint32_t t = 0; t < LONG_TICKS; t += 100) {
		made_ticks(series, t, 100);
		usleep(t % 1000 ? 1000 : 150000);
	}
	series_settle(series, 0);
	made_end(&facts);
	assert_int_equal(series_finish(series, &facts, NULL), 0);
	series_close(series);
	read = read_well(EVERYTHING);
	assert_true(facts_value(&read, "exit", "status").number == 3);
	assert_true(read.lines[0].n_points < 6000);
	facts_clear(&read);
	facts_clear(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole_run, made_setup),
		cmocka_unit_test_setup(process_rows, made_setup),
		cmocka_unit_test_setup(dead_run, made_setup),
		cmocka_unit_test_setup(told_while_it_ran, made_setup),
		cmocka_unit_test_setup(dead_in_read_only_directory, made_setup),
		cmocka_unit_test_setup(running, made_setup),
		cmocka_unit_test_setup(elsewhere, made_setup),
		cmocka_unit_test_setup(named_by_its_journal, made_setup),
		cmocka_unit_test_setup(cut_anywhere, made_setup),
		cmocka_unit_test_setup(wrong_anywhere, made_setup),
		cmocka_unit_test_setup(wrong_recording, made_setup),
		cmocka_unit_test_setup(what_is_no_recording, made_setup),
		cmocka_unit_test_setup(odd_names, made_setup),
		cmocka_unit_test_setup(there_already, made_setup),
		cmocka_unit_test_setup(both_there, made_setup),
		cmocka_unit_test_setup(dead_at_the_end, made_setup),
		cmocka_unit_test_setup(folded_run, made_setup),
		cmocka_unit_test_setup(folded_and_killed, made_setup),
		cmocka_unit_test_setup(folded_and_cut, made_setup),
		cmocka_unit_test_setup(full_disk, made_setup),
		cmocka_unit_test_setup(full_tmpfs, made_setup),
		cmocka_unit_test_setup(with_thread, made_setup),
	};

	return cmocka_run_group_tests(tests, NULL, made_teardown);
}
