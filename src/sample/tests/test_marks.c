#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "sample/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEN "xxxxxxxxxx"
#define FIFTY TEN TEN TEN TEN TEN
#define LONG_200 FIFTY FIFTY FIFTY FIFTY

static void lines(void **state)
{
	static const struct {
		const char *line;
		int r;
		enum mark_kind kind;
		const char *name;
	} cases[] = {
		{ "load", 0, MARK_NEXT, "load" },
		{ "  two words\t\r", 0, MARK_NEXT, "two words" },
		{ "+train", 0, MARK_BEGIN, "train" },
		{ " + train ", 0, MARK_BEGIN, "train" },
		{ "-train", 0, MARK_END, "train" },
		{ "-", 0, MARK_END, "" },
		{ " - ", 0, MARK_END, "" },
		{ "++x", 0, MARK_BEGIN, "+x" },
		{ "a+b", 0, MARK_NEXT, "a+b" },
		{ "\x1b[31m\xff", 0, MARK_NEXT, "\x1b[31m\xff" },
		{ LONG_200 "y", 0, MARK_NEXT, LONG_200 },
		{ LONG_200 "\xc3\xa9", 0, MARK_NEXT, LONG_200 },
		{ "", -ENODATA, MARK_NEXT, NULL },
		{ " \t\r", -ENODATA, MARK_NEXT, NULL },
		{ "+", -EINVAL, MARK_NEXT, NULL },
		{ " +  ", -EINVAL, MARK_NEXT, NULL },
	};
	char name[MARK_NAME_BYTES + 1];
	struct mark mark;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int r = mark_parse(cases[i].line, strlen(cases[i].line), name, &mark);

		assert_int_equal(r, cases[i].r);
		if (r < 0)
			continue;
		assert_int_equal(mark.kind, cases[i].kind);
		assert_string_equal(mark.name, cases[i].name);
	}
	assert_int_equal(mark_parse("a\0\0b", 4, name, &mark), 0);
	assert_string_equal(name, "ab");
}

/* A character is not cut in two. */
static void long_names(void **state)
{
	char line[400], name[MARK_NAME_BYTES + 1];
	struct mark mark;

	(void)state;
	for (size_t i = 0; i < sizeof(line); i++)
		line[i] = i % 2 ? '\xc3' : '\xa9'; /* from the second half of one on */
	*line = 'x';
	assert_int_equal(mark_parse(line, sizeof(line), name, &mark), 0);
	assert_int_equal(strlen(name), MARK_NAME_BYTES - 1);
	assert_int_equal(utf8_length(name + MARK_NAME_BYTES - 3, 2), 2);
}

struct bench {
	char *path;
	struct marks *marks;
	struct facts facts;
	uint64_t now_ns;
};

static int bench_open(void **state)
{
	struct bench *bench = mem_new(sizeof(*bench));

	*state = bench;
	return marks_create(&bench->path, NULL) < 0 ||
	       marks_open(bench->path, 0.01, &bench->marks, NULL) < 0;
}

static int bench_close(void **state)
{
	struct bench *bench = *state;

	marks_close(bench->marks);
	unlink(bench->path);
	facts_clear(&bench->facts);
	free(bench->path);
	free(bench);
	return 0;
}

static void put(const struct bench *bench, int flags, const char *bytes)
{
	CLEANUP(closep) int fd = open(bench->path, O_WRONLY | O_CREAT | flags, 0600);

	assert_int_equal(file_write(fd, bytes, strlen(bytes)), 0);
}

/* Looks a second later, and returns the names that are new, with blanks between. */
static const char *look(struct bench *bench)
{
	static char names[1000];
	size_t first = bench->facts.n_marks, count;

	bench->now_ns += 1000000000;
	count = marks_read(bench->marks, bench->now_ns, &bench->facts, NULL);
	assert_int_equal(bench->facts.n_marks, first + count);
	*names = '\0';
	for (size_t i = first; i < bench->facts.n_marks; i++) {
		strcat(strcat(names, i > first ? " " : ""), bench->facts.marks[i].name);
		assert_true(bench->facts.marks[i].time_ns <= bench->now_ns);
	}
	return names;
}

static void appended(void **state)
{
	struct bench *bench = *state;

	assert_string_equal(look(bench), "");
	put(bench, O_APPEND, "a\n");
	assert_string_equal(look(bench), "a");
	put(bench, O_APPEND, "b\n+c\nd");
	assert_string_equal(look(bench), "b c");
	put(bench, O_APPEND, "e\n\n");
	assert_string_equal(look(bench), "de");
	assert_string_equal(look(bench), "");
}

/* Each as long as the one before: only that it begins anew tells them apart. */
static void truncated(void **state)
{
	struct bench *bench = *state;

	for (int i = 0; i < 5; i++) {
		put(bench, O_TRUNC, i % 2 ? "b\n" : "a\n");
		assert_string_equal(look(bench), i % 2 ? "b" : "a");
		put(bench, O_TRUNC, "a\n");
		assert_string_equal(look(bench), "a");
	}
	put(bench, O_APPEND, "c\n");
	assert_string_equal(look(bench), "c");
	put(bench, O_TRUNC, "");
	assert_string_equal(look(bench), "");
	put(bench, O_APPEND, "d\n");
	assert_string_equal(look(bench), "d");
}

static void written_on(void **state)
{
	struct bench *bench = *state;
	CLEANUP(closep) int fd = open(bench->path, O_WRONLY | O_TRUNC);

	assert_int_equal(file_write(fd, "one\n", 4), 0);
	assert_string_equal(look(bench), "one");
	assert_int_equal(file_write(fd, "two\nthr", 7), 0);
	assert_string_equal(look(bench), "two");
	assert_int_equal(file_write(fd, "ee\n", 3), 0);
	assert_string_equal(look(bench), "three");
}

static void removed_and_replaced(void **state)
{
	struct bench *bench = *state;
	char other[200];

	put(bench, O_APPEND, "a\n");
	unlink(bench->path);
	assert_string_equal(look(bench), "a");
	assert_string_equal(look(bench), "");
	put(bench, O_APPEND, "b\n");
	assert_string_equal(look(bench), "b");
	snprintf(other, sizeof(other), "%s.x", bench->path);
	assert_int_equal(rename(bench->path, other), 0);
	unlink(other);
	put(bench, O_TRUNC, "c\n");
	assert_string_equal(look(bench), "c");
	unlink(bench->path);
	assert_int_equal(symlink("/etc/passwd", bench->path), 0); /* not ours to follow */
	assert_string_equal(look(bench), "");
}

static void told_at_once_but_not_too_often(void **state)
{
	struct bench *bench = *state;
	struct pollfd polled = { .events = POLLIN };

	assert_int_equal(marks_fd(bench->marks, 0), -1); /* not before it is worth it */
	put(bench, O_APPEND, "a\n");
	assert_string_equal(look(bench), "a");
	polled.fd = marks_fd(bench->marks, bench->now_ns + 100000000);
	if (polled.fd < 0) {
		print_message("skipped: there is no inotify here\n");
		skip();
	}
	assert_int_equal(marks_fd(bench->marks, bench->now_ns), -1);
	assert_in_range(marks_due(bench->marks, bench->now_ns), bench->now_ns + 1,
			bench->now_ns + 100000000);
	assert_true(marks_due(bench->marks, bench->now_ns + 100000000) == UINT64_MAX);
	look(bench); /* of the NULs that we appended ourselves it tells, too */
	assert_int_equal(poll(&polled, 1, 0), 0);
	put(bench, O_APPEND, "b\n");
	assert_int_equal(poll(&polled, 1, 10000), 1);
	assert_string_equal(look(bench), "b");
	marks_unwatch(bench->marks);
	put(bench, O_APPEND, "c\n");
	marks_finish(bench->marks, bench->now_ns, &bench->facts, NULL);
	assert_string_equal(bench->facts.marks[2].name, "c");
}

/* Nobody looked for long: the file knows when it was written, but not before the look before. */
static void met_late(void **state)
{
	static const struct {
		double looked_s, now_s, written_ago_s, least_s, most_s;
	} cases[] = {
		{ 5, 10, 2, 7, 8.1 },    /* between the looks */
		{ 5, 10, 60, 5, 5 },     /* the clock was set */
		{ 5, 10, -60, 10, 10 },  /* or is another machine's */
		{ 5, 10, 0.001, 9, 10 }, /* just now */
	};
	struct bench *bench = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t now_ns = (uint64_t)(cases[i].now_s * 1e9);
		struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
		double then_s, met_s;

		marks_read(bench->marks, (uint64_t)(cases[i].looked_s * 1e9), &bench->facts, NULL);
		bench->facts.n_marks = 0;
		put(bench, O_APPEND, "a\n");
		clock_gettime(CLOCK_REALTIME, &times[1]);
		then_s = (double)times[1].tv_sec + (double)times[1].tv_nsec / 1e9 -
			 cases[i].written_ago_s;
		times[1] = (struct timespec){ .tv_sec = (time_t)then_s,
					      .tv_nsec = (long)(fmod(then_s, 1) * 1e9) };
		assert_int_equal(utimensat(AT_FDCWD, bench->path, times, 0), 0);
		marks_read(bench->marks, now_ns, &bench->facts, NULL);
		assert_int_equal(bench->facts.n_marks, 1);
		met_s = (double)bench->facts.marks[0].time_ns / 1e9;
		assert_true(met_s >= cases[i].least_s && met_s <= cases[i].most_s);
	}
}

static void last_words(void **state)
{
	struct bench *bench = *state;

	put(bench, O_APPEND, "+\n");
	assert_string_equal(look(bench), "");
	put(bench, O_APPEND, "a\nwithout newline");
	marks_finish(bench->marks, bench->now_ns, &bench->facts, NULL);
	assert_int_equal(bench->facts.n_marks, 2);
	assert_string_equal(bench->facts.marks[1].name, "without newline");
	assert_string_equal(facts_text(&bench->facts, "note", "0"),
			    "lines in $SONDE_MARK that were no marks: 1 ('+' needs a name)");
}

/* More than are kept, with more bytes than are read at once. */
static void too_many(void **state)
{
	struct bench *bench = *state;
	CLEANUP(text_clear) struct text all = { 0 };

	for (int i = 0; i < MARKS_MOST + 50000; i++)
		text_add_format(&all, "mark %d\n", i);
	put(bench, O_APPEND, all.data);
	marks_read(bench->marks, bench->now_ns, &bench->facts, NULL);
	assert_true(marks_due(bench->marks, bench->now_ns + 1000000000) != UINT64_MAX);
	marks_finish(bench->marks, bench->now_ns, &bench->facts, NULL);
	assert_int_equal(bench->facts.n_marks, MARKS_MOST);
	for (int i = 0; i < MARKS_MOST; i++) {
		char name[32];

		snprintf(name, sizeof(name), "mark %d", i);
		assert_string_equal(bench->facts.marks[i].name, name);
	}
	assert_string_equal(facts_text(&bench->facts, "note", "0"),
			    "50000 marks were left out: the first 100000 are kept");
}

static void nothing_to_open(void **state)
{
	struct marks *marks;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(marks_open("/nowhere/at/all", 0.01, &marks, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
	assert_int_equal(marks_open("/dev/null", 0.01, &marks, &err), -EINVAL);
	assert_int_equal(marks_read(NULL, 0, NULL, NULL), 0);
	assert_int_equal(marks_fd(NULL, 0), -1);
	marks_finish(NULL, 0, NULL, NULL);
	marks_close(NULL);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, bench_open, bench_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(long_names),
		WITH_FILE(appended),
		WITH_FILE(truncated),
		WITH_FILE(written_on),
		WITH_FILE(removed_and_replaced),
		WITH_FILE(told_at_once_but_not_too_often),
		WITH_FILE(met_late),
		WITH_FILE(last_words),
		WITH_FILE(too_many),
		cmocka_unit_test(nothing_to_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
