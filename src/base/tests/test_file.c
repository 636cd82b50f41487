#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/sonde-test-file-XXXXXX";

static void put(const char *name, const char *bytes, size_t count)
{
	char path[64];
	CLEANUP(closep) int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(file_write(fd, bytes, count), 0);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	DIR *directory = opendir(root);
	struct dirent *entry;

	(void)state;
	while ((entry = readdir(directory)))
		unlinkat(dirfd(directory), entry->d_name, 0);
	closedir(directory);
	return rmdir(root);
}

static void reads_whole_files(void **state)
{
	static const size_t sizes[] = { 0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 1000000 };

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		CLEANUP(freep) char *bytes = mem_new(sizes[i]);
		CLEANUP(freep) char *read = NULL;

		memset(bytes, 'a' + (int)i, sizes[i]);
		put("file", bytes, sizes[i]);
		assert_int_equal(file_read(root, "file", &read, NULL), sizes[i]);
		assert_memory_equal(read, bytes, sizes[i]);
		assert_int_equal(read[sizes[i]], '\0');
	}
}

/* With or without an err, the code is the real one and the path is named; *ret stays untouched. */
static void says_what_is_wrong(void **state)
{
	static const struct {
		const char *root, *path, *text;
		int code;
	} cases[] = {
		{ "/nowhere/", "x", "'/nowhere/x': No such file or directory", -ENOENT },
		{ "/", "nowhere/x", "'/nowhere/x': No such file or directory", -ENOENT },
		{ "/", "proc", "'/proc': Is a directory", -EISDIR },
		{ "/dev/null", "x", "'/dev/null/x': Not a directory", -ENOTDIR },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = root;
		struct err err = { 0 };

		errno = 0;
		assert_int_equal(file_read(cases[i].root, cases[i].path, &text, &err),
				 cases[i].code);
		assert_string_equal(err.text, cases[i].text);
		assert_int_equal(file_read(cases[i].root, cases[i].path, &text, NULL),
				 cases[i].code);
		assert_ptr_equal(text, root);
	}
}

static void rereads_from_the_start_and_cuts(void **state)
{
	CLEANUP(closep) int fd = -1;
	char buffer[4];

	(void)state;
	put("file", "12", 2);
	fd = file_open(root, "file", NULL);
	assert_int_equal(file_reread(fd, buffer, sizeof(buffer)), 2);
	assert_string_equal(buffer, "12");
	put("file", "34567", 5);
	assert_int_equal(file_reread(fd, buffer, sizeof(buffer)), 3);
	assert_string_equal(buffer, "345");
	assert_int_equal(file_reread(fd, buffer, 1), 0);
	assert_string_equal(buffer, "");
	assert_int_equal(file_reread(-1, buffer, sizeof(buffer)), -EBADF);
}

static size_t descriptors_open(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

/* The limit counts what is held already, and a file that is not kept is read all the same. */
static void keeps_no_more_than_the_limit(void **state)
{
	struct kept kept[5] = { 0 };
	size_t before = descriptors_open();
	char buffer[8];

	(void)state;
	put("file", "42\n", 3);
	kept_limit(2);
	for (size_t i = 0; i < COUNT(kept); i++) {
		assert_int_equal(kept_open(&kept[i], root, "file", NULL), 0);
		assert_int_equal(kept_read(&kept[i], buffer, sizeof(buffer)), 3);
		assert_string_equal(buffer, "42\n");
	}
	assert_int_equal(descriptors_open(), before + 2);
	kept_limit(3);
	kept_close(&kept[4]);
	assert_int_equal(kept_open(&kept[4], root, "file", NULL), 0);
	assert_int_equal(descriptors_open(), before + 3);
	for (size_t i = 0; i < COUNT(kept); i++)
		kept_close(&kept[i]);
	kept_close(&kept[0]);
	kept_close(&(struct kept){ 0 });
	assert_int_equal(descriptors_open(), before);
}

static void a_gone_process_is_esrch(void **state)
{
	char path[32], buffer[512];
	struct kept kept[2];
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	for (size_t i = 0; i < COUNT(kept); i++) { /* one is kept, one is opened anew */
		kept_limit(1 - i);
		assert_int_equal(kept_open(&kept[i], "/", path, NULL), 0);
		assert_true(kept_read(&kept[i], buffer, sizeof(buffer)) > 0);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (size_t i = 0; i < COUNT(kept); i++) {
		assert_int_equal(kept_read(&kept[i], buffer, sizeof(buffer)), -ESRCH);
		kept_close(&kept[i]);
	}
	assert_int_equal(kept_open(&kept[0], "/", path, NULL), -ENOENT);
}

static void a_full_disk_is_said(void **state)
{
	CLEANUP(closep) int fd = open("/dev/full", O_WRONLY);

	(void)state;
	assert_int_equal(file_write(fd, "x", 1), -ENOSPC);
	assert_int_equal(file_write(fd, "", 0), 0);
}

static void all_but_one_are_closed(void **state)
{
	int keep = dup2(STDIN_FILENO, 17), status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		dup2(STDIN_FILENO, 9);
		dup2(STDIN_FILENO, 99);
		file_close_others(3, keep);
		_exit(fcntl(9, F_GETFD) >= 0 || fcntl(99, F_GETFD) >= 0 ||
		      fcntl(keep, F_GETFD) < 0 || fcntl(STDERR_FILENO, F_GETFD) < 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(keep);
}

static void all_but_some_are_closed(void **state)
{
	const int keep[] = { dup2(STDIN_FILENO, 17), -1, dup2(STDIN_FILENO, 3), 17 };
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		dup2(STDIN_FILENO, 4);
		dup2(STDIN_FILENO, 18);
		file_close_all_but(3, keep, COUNT(keep));
		_exit(fcntl(4, F_GETFD) >= 0 || fcntl(18, F_GETFD) >= 0 || fcntl(17, F_GETFD) < 0 ||
		      fcntl(3, F_GETFD) < 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(17);
	close(3);
}

static size_t count_files(void)
{
	DIR *directory = opendir(root);
	size_t count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void replaces_at_once(void **state)
{
	CLEANUP(freep) char *read = NULL;
	char path[64], below[80];
	struct err err = { 0 };
	struct stat info;
	size_t before;

	(void)state;
	snprintf(path, sizeof(path), "%s/replaced", root);
	snprintf(below, sizeof(below), "%s/replaced/below", root);
	before = count_files();
	assert_int_equal(file_replace(path, "old one", 7, 0644, &err), 0);
	assert_int_equal(file_replace(path, "new", 3, 0640, &err), 0);
	assert_int_equal(file_read(root, "replaced", &read, &err), 3);
	assert_string_equal(read, "new");
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0640);
	assert_int_equal(file_replace(below, "x", 1, 0644, &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "replaced/below': Not a directory"));
	assert_int_equal(file_replace(root, "x", 1, 0644, &err), -EISDIR);
	assert_int_equal(count_files(), before + 1); /* nothing lies about */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_whole_files),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(rereads_from_the_start_and_cuts),
		cmocka_unit_test(keeps_no_more_than_the_limit),
		cmocka_unit_test(a_gone_process_is_esrch),
		cmocka_unit_test(a_full_disk_is_said),
		cmocka_unit_test(replaces_at_once),
		cmocka_unit_test(all_but_one_are_closed),
		cmocka_unit_test(all_but_some_are_closed),
	};

	return cmocka_run_group_tests_name("base/file", tests, make_root, remove_root);
}
