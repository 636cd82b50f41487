/* Directories of their own, real files in them; names are read from recordings that series writes.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "series/series.h"

static char home[64];

static void touch(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fclose(file);
}

static void record(const char *path, const char *name)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct series *series = NULL;
	struct err err = { 0 };

	facts_add_text(&facts, "run", "name", name);
	facts_add_bool(&facts, "run", "complete", true);
	assert_int_equal(series_open(path, &facts, &series, &err), 0);
	assert_int_equal(series_finish(series, &facts, &err), 0);
	series_close(series);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(home, "/tmp/sonde-store-XXXXXX");
	assert_non_null(mkdtemp(home));
	assert_int_equal(chdir(home), 0);
	setenv("HOME", home, 1);
	unsetenv("XDG_DATA_HOME");
	return 0;
}

static int tear_down(void **state)
{
	CLEANUP(text_clear) struct text command = { 0 };

	(void)state;
	assert_int_equal(chdir("/"), 0);
	text_add_format(&command, "rm -r '%s'", home);
	return system(command.data);
}

static void make_directories(void)
{
	assert_int_equal(mkdir(".sonde", 0700), 0);
	assert_int_equal(mkdir(".local", 0700), 0);
	assert_int_equal(mkdir(".local/share", 0700), 0);
	assert_int_equal(mkdir(".local/share/sonde", 0700), 0);
}

static void test_directory(void **state)
{
	static const struct {
		const char *data, *home, *expected; /* NULL: not set; no place */
	} cases[] = {
		{ "/data", "/home/ann", "/data/sonde" },
		{ NULL, "/home/ann", "/home/ann/.local/share/sonde" },
		{ "", "/home/ann", "/home/ann/.local/share/sonde" },
		{ "not/absolute", "/home/ann", "/home/ann/.local/share/sonde" },
		{ NULL, NULL, NULL },
		{ NULL, "", NULL },
	};

	(void)state;
	for (int local = 0; local < 2; local++) {
		for (size_t i = 0; i < COUNT(cases); i++) {
			CLEANUP(freep) char *path = NULL;
			struct err err = { 0 };
			int r;

			unsetenv("XDG_DATA_HOME");
			unsetenv("HOME");
			if (cases[i].data)
				setenv("XDG_DATA_HOME", cases[i].data, 1);
			if (cases[i].home)
				setenv("HOME", cases[i].home, 1);
			r = store_directory(&path, &err);
			assert_int_equal(r, local || cases[i].expected ? 0 : -ENOENT);
			if (r == 0)
				assert_string_equal(path, local ? ".sonde" : cases[i].expected);
			else
				assert_non_null(strstr(err.hint, "mkdir .sonde"));
		}
		assert_int_equal(mkdir(".sonde", 0700), local ? -1 : 0);
	}
}

static void test_new_path(void **state)
{
	CLEANUP(freep) char *path = NULL, *again = NULL, *none = NULL;
	char first[STORE_ID_BYTES], second[STORE_ID_BYTES];
	struct err err = { 0 };
	struct stat info;

	(void)state;
	assert_int_equal(store_new_path("a/b/c", 1794803835, "3f9a2c71", &path, &err), 0);
	assert_string_equal(path, "a/b/c/20261116-043715-3f9a2c71.sonde");
	assert_int_equal(stat("a/b/c", &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	assert_int_equal(store_new_path("a/b/c", 0, "x", &again, &err), 0);
	touch("file");
	assert_int_equal(store_new_path("file", 0, "x", &none, &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "'file'"));
	assert_int_equal(store_new_path("file/below", 0, "x", &none, &err), -ENOTDIR);
	store_new_id(first);
	store_new_id(second);
	assert_int_equal(strspn(first, "0123456789abcdef"), 8);
	assert_string_not_equal(first, second);
}

static void test_list(void **state)
{
	static const char *const files[] = {
		".sonde/20261116-043715-aaaa0001.sonde",
		".sonde/20261116-043717-aaaa0003.sonde.journal",
		".sonde/20261116-043718-aaaa0004.sonde",
		".sonde/20261116-043718-aaaa0004.sonde.journal",
		".sonde/notes.txt",
		".sonde/.sonde",
		".local/share/sonde/20261116-043716-aaaa0002.sonde",
		".local/share/sonde/by hand.sonde", /* now: the newest or the oldest, by the clock
						     */
	};
	static const struct {
		const char *id;
		bool journal_only;
	} expected[] = {
		{ "aaaa0004", false },
		{ "aaaa0003", true },
		{ "aaaa0002", false },
		{ "aaaa0001", false },
	};
	CLEANUP(store_list_clear) struct store_list list = { 0 };
	struct err err = { 0 };
	size_t next = 0;

	(void)state;
	make_directories();
	for (size_t i = 0; i < COUNT(files); i++)
		touch(files[i]);
	assert_int_equal(store_list(&list, &err), 0);
	assert_int_equal(list.count, COUNT(expected) + 1);
	for (size_t i = 0; i < list.count; i++) {
		assert_int_equal(strlen(list.entries[i].stamp), 15);
		if (strcmp(list.entries[i].id, "by hand") == 0)
			continue;
		assert_string_equal(list.entries[i].id, expected[next].id);
		assert_int_equal(list.entries[i].journal_only, expected[next++].journal_only);
		assert_null(strstr(list.entries[i].path, ".journal"));
	}
}

/* The second of two short runs is the last one, whatever their ids are. */
static void test_same_second(void **state)
{
	static const char *const ids[] = { "55555555", "99999999", "00000000", "77777777" };
	CLEANUP(store_list_clear) struct store_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	make_directories();
	for (size_t i = 0; i < COUNT(ids); i++) {
		CLEANUP(text_clear) struct text path = { 0 };
		struct timespec times[2] = { { .tv_sec = 1794803835 }, { .tv_sec = 1794803835 } };

		times[1].tv_nsec = (long)i * 1000;
		text_add_format(&path, ".sonde/20261116-043715-%s.sonde%s", ids[i],
				i == 2 ? ".journal" : "");
		touch(path.data);
		assert_int_equal(utimensat(AT_FDCWD, path.data, times, 0), 0);
	}
	assert_int_equal(store_list(&list, &err), 0);
	assert_int_equal(list.count, COUNT(ids));
	for (size_t i = 0; i < COUNT(ids); i++)
		assert_string_equal(list.entries[i].id, ids[COUNT(ids) - 1 - i]);
}

static void test_list_of_nothing(void **state)
{
	CLEANUP(store_list_clear) struct store_list list = { 0 };
	CLEANUP(freep) char *path = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(store_list(&list, &err), 0);
	assert_int_equal(list.count, 0);
	assert_int_equal(store_find(NULL, &path, &err), -ENOENT);
	assert_string_equal(err.text, "there are no recordings yet");
	assert_non_null(strstr(err.hint, "sonde run"));
}

#define HERE ".sonde/20261116-04371"
#define THERE "/.local/share/sonde/20261116-04371"

static const struct {
	const char *what, *expected; /* the end of the path; or NULL and words of the error */
	int r;
	const char *text, *hint;
} finds[] = {
	{ NULL, HERE "9-c0ffee99.sonde", 0, NULL, NULL },
	{ "last", HERE "9-c0ffee99.sonde", 0, NULL, NULL },
	{ "@1", HERE "9-c0ffee99.sonde", 0, NULL, NULL },
	{ "@2", THERE "8-beef0002.sonde", 0, NULL, NULL },
	{ "@9", NULL, -ENOENT, "there is no run '@9': only 5", "sonde history" },
	{ "@0", NULL, -ENOENT, "'@0'", "sonde history" },
	{ "beef0002", THERE "8-beef0002.sonde", 0, NULL, NULL },
	{ "beef0002-", NULL, -ENOENT, "no run 'beef0002-'", "did you mean 'beef0002'" },
	{ "c0ff", HERE "9-c0ffee99.sonde", 0, NULL, NULL },
	{ "beef", NULL, -ENOTUNIQ, "could be 2 runs: beef0002, beef0001", "one more digit" },
	{ "be", NULL, -ENOTUNIQ, "could be 2 runs", "one more digit" },
	{ "c", HERE "5-a0000005.sonde", 0, NULL, NULL }, /* a name comes before a short start */
	{ "a", HERE "5-a0000005.sonde", 0, NULL, NULL },
	{ "fit", THERE "8-beef0002.sonde", 0, NULL, NULL }, /* the newest of two */
	{ "fot", NULL, -ENOENT, "no run 'fot'", "did you mean 'fit'" },
	{ "nothing like it", NULL, -ENOENT, "'nothing like it'", "sonde history" },
	{ "", NULL, -ENOENT, "no run ''", "sonde history" },
	{ HERE "5-a0000005.sonde", HERE "5-a0000005.sonde", 0, NULL, NULL },
	{ HERE "5-a0000005", HERE "5-a0000005.sonde", 0, NULL, NULL },
	{ HERE "9-c0ffee99.sonde.journal", HERE "9-c0ffee99.sonde", 0, NULL, NULL },
	{ "./missing.sonde", NULL, -ENOENT, "'./missing.sonde'", "sonde history" },
};

static void check_find(size_t i)
{
	CLEANUP(freep) char *path = NULL;
	struct err err = { 0 };
	size_t tail;

	assert_int_equal(store_find(finds[i].what, &path, &err), finds[i].r);
	if (finds[i].r < 0) {
		assert_non_null(strstr(err.text, finds[i].text));
		assert_non_null(strstr(err.hint, finds[i].hint));
		return;
	}
	tail = strlen(finds[i].expected);
	assert_true(strlen(path) >= tail);
	assert_string_equal(path + strlen(path) - tail, finds[i].expected);
}

static void test_find(void **state)
{
	(void)state;
	make_directories();
	record(HERE "5-a0000005.sonde", "c");
	record(".local/share/sonde/20261116-043716-beef0001.sonde", "fit");
	touch(HERE "7-dddddddd.sonde"); /* damaged: nobody's name, and no obstacle */
	record(".local/share/sonde/20261116-043718-beef0002.sonde", "fit");
	touch(HERE "9-c0ffee99.sonde.journal");
	for (size_t i = 0; i < COUNT(finds); i++)
		check_find(i);
}

static void test_find_all(void **state)
{
	static const struct {
		const char *what;
		int r;
		const char *expected[3];
	} cases[] = {
		{ "fit", 0, { "beef0002", "beef0001", NULL } },
		{ "other", 0, { "a0000005", NULL } },
		{ "a000", 0, { "a0000005", NULL } },
		{ "last", 0, { "beef0002", NULL } },
		{ "@3", 0, { "a0000005", NULL } },
		{ ".sonde/20261116-043716-beef0001", 0, { "beef0001", NULL } },
		{ "beef", -ENOTUNIQ, { NULL } },
		{ "none", -ENOENT, { NULL } },
	};

	(void)state;
	make_directories();
	record(HERE "5-a0000005.sonde", "other");
	record(HERE "6-beef0001.sonde", "fit");
	record(HERE "8-beef0002.sonde", "fit");
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(store_list_clear) struct store_list found = { 0 };
		struct err err = { 0 };
		size_t count = 0;

		assert_int_equal(store_find_all(cases[i].what, &found, &err), cases[i].r);
		while (cases[i].expected[count])
			count++;
		assert_int_equal(found.count, count);
		for (size_t j = 0; j < count; j++)
			assert_non_null(strstr(found.entries[j].path, cases[i].expected[j]));
	}
}

/* Only a recording goes, and only itself. */
static void test_remove(void **state)
{
	static const struct {
		const char *path;
		int r;
		const char *text;
	} cases[] = {
		{ "run.sonde", 0, NULL },
		{ "none.sonde", -ENOENT, "none.sonde" },
		{ "empty.sonde", -EINVAL, "not a sonde recording" },
		{ "text.sonde", -EINVAL, "not a sonde recording" },
		{ "link.sonde", -EINVAL, "is a link" },
		{ "directory.sonde", -EISDIR, "directory.sonde" },
		{ "lasts.sonde", -EBUSY, "has not ended yet" },
		{ "odd.sonde", -EBADMSG, "not the journal" },
	};
	CLEANUP(facts_clear) struct facts begun = { 0 };
	struct series *series = NULL;
	struct err err = { 0 };

	(void)state;
	record("run.sonde", "fit");
	touch("run.sonde.journal"); /* not known to be ours */
	touch("empty.sonde");
	assert_int_equal(system("echo 'not a recording' | tee text.sonde > odd.sonde.journal"), 0);
	assert_int_equal(symlink("run.sonde", "link.sonde"), 0);
	assert_int_equal(mkdir("directory.sonde", 0700), 0);
	facts_add_text(&begun, "run", "name", "lasts");
	assert_int_equal(series_open("lasts.sonde", &begun, &series, &err), 0);
	for (size_t i = COUNT(cases); i > 0; i--) {
		CLEANUP(facts_clear) struct facts facts = { 0 };

		err = (struct err){ 0 };
		assert_int_equal(store_may_remove(cases[i - 1].path, &facts, &err), cases[i - 1].r);
		if (cases[i - 1].text)
			assert_non_null(strstr(err.text, cases[i - 1].text));
	}
	series_discard(series);
	assert_true(store_bytes("run.sonde") > 1000);
	assert_int_equal(store_bytes("none.sonde"), 0);
	assert_int_equal(store_remove("run.sonde", &err), 0);
	assert_int_equal(access("run.sonde", F_OK), -1);
	assert_int_equal(access("run.sonde.journal", F_OK), 0);
	assert_int_equal(store_remove("none.sonde", &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot remove 'none.sonde"));
}

static void test_stamps(void **state)
{
	char stamp[STORE_STAMP_BYTES], before[STORE_STAMP_BYTES];

	(void)state;
	store_stamp(1794803835, stamp);
	assert_string_equal(stamp, "20261116-043715");
	store_stamp((time_t)1 << 60, stamp);
	assert_string_equal(stamp, "");
	store_stamp_ago(UINT64_MAX, stamp);
	assert_string_equal(stamp, "");
	store_stamp_ago(86400000000000u, before);
	store_stamp_ago(0, stamp);
	assert_true(strcmp(before, stamp) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_new_path, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_same_second, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_list_of_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_find, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_find_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_remove, set_up, tear_down),
		cmocka_unit_test(test_stamps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
