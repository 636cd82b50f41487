/* Recordings of every version of the format, as they were written then (make_recordings.c), are
 * read today. Run from the project's directory, or with SONDE_TOP set to it. */
#include "base/file.h"
#include "series/tests/made.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>

#include <cmocka.h>

#define TICKS 250
#define EVERYTHING (READ_PROCESSES | READ_LINES | READ_PROCESS_LINES)

static void copy_in(const char *name, const char *to)
{
	const char *top = getenv("SONDE_TOP");
	CLEANUP(freep) char *bytes = NULL;
	CLEANUP(closep) int fd = -1;
	struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	struct err err = { 0 };
	char path[200];
	ssize_t size;

	snprintf(path, sizeof(path), "tests/recordings/%s", name);
	size = file_read(top ? top : ".", path, &bytes, &err);
	if (size < 0)
		fail_msg("%s", err.text);
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_int_equal(file_write(fd, bytes, (size_t)size), 0);
	assert_int_equal(futimens(fd, old), 0); /* its writer is long dead */
}

static void expect_series(const struct facts *facts)
{
	const struct line *cores = &facts->lines[0], *own;
	size_t i = 0;

	assert_int_equal(facts->n_run_metrics, MADE_RUN);
	assert_int_equal(facts->n_process_metrics, MADE_OWN);
	assert_string_equal(cores->metric->name, "cores");
	for (uint32_t tick = 0; tick < TICKS; tick++) {
		if (made_gap(tick))
			assert_true(isnan(cores->points[i++].number));
		assert_true(cores->points[i].time_ns == made_time_ns(tick));
		assert_float_equal(cores->points[i].number, made_run_value(tick, 0).number, 1e-9);
		i++;
	}
	assert_int_equal(cores->n_points, i);
	own = &facts->lines[MADE_RUN + 1];
	assert_int_equal(own->process, 1);
	assert_string_equal(own->metric->name, "memory_bytes");
	assert_true(own->points[0].number == made_own_value(11, 1, 1).number);
	assert_int_equal(facts->n_processes, 24);
	assert_string_equal(facts->processes[4].name, ") R 1 (\n\xff");
	assert_int_equal(facts->processes[0].status, 256);
	assert_true(facts->processes[0].values[0].number == 5);
	assert_int_equal(facts->processes[0].values[1].how, HOW_ESTIMATED);
}

static void expect_marks(const struct facts *facts)
{
	struct mark made;
	size_t count = 0;

	for (uint32_t tick = 0; tick < TICKS; tick++) {
		if (!made_mark(tick, &made))
			continue;
		assert_true(count < facts->n_marks);
		assert_true(facts->marks[count].time_ns == made.time_ns);
		assert_int_equal(facts->marks[count].kind, made.kind);
		assert_string_equal(facts->marks[count].name, made.name);
		count++;
	}
	assert_int_equal(facts->n_marks, count);
}

static void expect_end(const struct facts *facts)
{
	assert_false(facts->repaired || facts->running);
	expect_series(facts);
	assert_string_equal(facts_text(facts, "command", "1"), "a \x1b[31m\xff file");
	assert_true(facts_value(facts, "exit", "status").number == 3);
	assert_true(facts_find(facts, "totals", "memory_tree_peak_bytes")->high == 1.1e9);
	assert_string_equal(facts_find(facts, "totals", "energy_j")->why, "no meter");
}

static void expect_dead(const struct facts *facts)
{
	assert_true(facts->repaired);
	expect_series(facts);
	assert_true(facts_value(facts, "run", "complete").number == 0);
	assert_true(facts_value(facts, "totals", "memory_tree_peak_bytes").number == 9e12);
	assert_int_equal(facts_value(facts, "totals", "energy_j").how, HOW_ESTIMATED);
}

static void version_1(void **state)
{
	struct facts facts = { 0 };

	(void)state;
	copy_in("v1.sonde", made_path);
	assert_int_equal(recording_read(made_path, EVERYTHING, &facts, NULL), 0);
	expect_end(&facts);
	assert_int_equal(facts.n_marks, 0);
	facts_clear(&facts);
}

static void version_2(void **state)
{
	struct facts facts = { 0 };

	(void)state;
	copy_in("v2.sonde", made_path);
	assert_int_equal(recording_read(made_path, EVERYTHING, &facts, NULL), 0);
	expect_end(&facts);
	expect_marks(&facts);
	facts_clear(&facts);
}

static void version_1_dead(void **state)
{
	struct facts facts = { 0 };

	(void)state;
	copy_in("v1-dead.sonde.journal", made_journal);
	assert_int_equal(recording_read(made_path, EVERYTHING, &facts, NULL), 0);
	expect_dead(&facts);
	assert_int_equal(facts.n_marks, 0);
	facts_clear(&facts);
}

/* Marks outlive their writer, and the repair: the second reading is of the repaired file. */
static void version_2_dead(void **state)
{
	(void)state;
	copy_in("v2-dead.sonde.journal", made_journal);
	for (int i = 0; i < 2; i++) {
		struct facts facts = { 0 };

		assert_int_equal(recording_read(made_path, EVERYTHING, &facts, NULL), 0);
		if (i == 0)
			expect_dead(&facts);
		expect_marks(&facts);
		facts_clear(&facts);
	}
}

/* Lines for phases are read only where there are marks. */
static void lines_where_marked(void **state)
{
	static const struct {
		const char *name;
		size_t lines;
	} cases[] = { { "v1.sonde", 0 }, { "v2.sonde", MADE_RUN } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts facts = { 0 };

		copy_in(cases[i].name, made_path);
		assert_int_equal(recording_read(made_path, READ_MARKED_LINES, &facts, NULL), 0);
		assert_int_equal(facts.n_lines, cases[i].lines);
		facts_clear(&facts);
	}
}

static void change(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(made_path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void wrong_marks(void **state)
{
	static const char *const cases[] = {
		"UPDATE mark SET time_ns = -1 WHERE rowid = 1",
		"UPDATE mark SET time_ns = 1 WHERE rowid = 5", /* back in time */
		"UPDATE mark SET kind = 'odd' WHERE rowid = 2",
		"UPDATE mark SET kind = NULL WHERE rowid = 2",
		"UPDATE mark SET name = '' WHERE kind = 'next'",
		"UPDATE mark SET name = NULL WHERE kind = 'begin'",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts facts = { 0 };
		struct err err = { 0 };

		copy_in("v2.sonde", made_path);
		change(cases[i]);
		assert_int_equal(recording_read(made_path, 0, &facts, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "a mark makes no sense"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(version_1, made_setup),
		cmocka_unit_test_setup(version_1_dead, made_setup),
		cmocka_unit_test_setup(version_2, made_setup),
		cmocka_unit_test_setup(version_2_dead, made_setup),
		cmocka_unit_test_setup(lines_where_marked, made_setup),
		cmocka_unit_test_setup(wrong_marks, made_setup),
	};

	return cmocka_run_group_tests(tests, NULL, made_teardown);
}
