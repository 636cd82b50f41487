/* io MODE FILE N BYTES: N calls of BYTES each, and the truth of it out of /proc/self/io.
 *
 *	write	write(2), left in the cache	sync	write(2), then fsync(2)
 *	direct	O_DIRECT, past the cache	read	read(2) of what was just written
 *	storage	read(2) after the cache was dropped	children	4 children write N calls
 *each
 *
 * Of the file the kernel gives (real bytes):
 *	rchar: 1948
 *	wchar: 0
 *	syscr: 7
 *	syscw: 0
 *	read_bytes: 0
 *	write_bytes: 0
 *	cancelled_write_bytes: 0
 * Two surprises. Starting a program reads its headers, and these count (rchar 832, syscr 2). A read
 * of /proc/self/io is counted after the answer was made, so we add it; and so is the write of the
 * truth. read_bytes and write_bytes count what was asked of the block layer: a page in the cache
 * counts when it gets dirty, not when it reaches the disk. */
#include "truth.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path;
static int calls;
static size_t size;
static char *buffer;

static int file_open(int flags)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0644);

	if (fd < 0)
		die(path);
	return fd;
}

static void write_calls(int fd)
{
	for (int i = 0; i < calls; i++)
		if (write(fd, buffer, size) != (ssize_t)size)
			die("write");
}

static void read_calls(int fd)
{
	for (int i = 0; i < calls; i++)
		if (pread(fd, buffer, size, (off_t)(size * (size_t)i)) != (ssize_t)size)
			die("read");
}

static void mode_write(void)
{
	write_calls(file_open(O_CREAT | O_TRUNC));
}

static void mode_sync(void)
{
	int fd = file_open(O_CREAT | O_TRUNC);

	write_calls(fd);
	if (fsync(fd) < 0)
		die("fsync");
}

static void mode_direct(void)
{
	write_calls(file_open(O_CREAT | O_TRUNC | O_DIRECT));
}

static void mode_read(void)
{
	mode_write();
	read_calls(file_open(0));
}

static void mode_storage(void)
{
	mode_sync();
	int fd = file_open(0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	read_calls(fd);
}

static void mode_children(void)
{
	for (int i = 0; i < 4; i++)
		if (fork_or_die() == 0) {
			write_calls(file_open(O_CREAT | O_APPEND));
			_exit(0);
		}
	wait_all();
}

static const struct mode {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "write", mode_write }, { "sync", mode_sync },       { "direct", mode_direct },
	{ "read", mode_read },   { "storage", mode_storage }, { "children", mode_children },
};

static double io_field(const char *text, const char *name)
{
	const char *found = strstr(text, name);

	return found ? strtod(found + strlen(name), NULL) : -1;
}

/* What the process did so far, and what the rest of this function and truth_print() will do. The
 * numbers are padded, so that the length of what is said does not depend on them. */
static void io_say(void)
{
	static char text[1024], said[512];
	int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	ssize_t length = read(fd, text, sizeof(text) - 1);

	if (length < 0)
		die("/proc/self/io");
	for (int written = 0, again = 0; again < 2; again++)
		written = snprintf(
		    said, sizeof(said),
		    "{\"io_read_bytes\": %12.0f, \"io_write_bytes\": %12.0f, "
		    "\"io_read_calls\": %12.0f, \"io_write_calls\": %12.0f, "
		    "\"storage_read_bytes\": %12.0f, \"storage_write_bytes\": %12.0f}\n",
		    io_field(text, "rchar: ") + (double)length, io_field(text, "wchar: ") + written,
		    io_field(text, "syscr: ") + 1, io_field(text, "syscw: ") + 1,
		    io_field(text, "\nread_bytes: "), io_field(text, "\nwrite_bytes: "));
	if (write(STDOUT_FILENO, said, strlen(said)) < 0)
		die("write");
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	path = argv[2];
	calls = atoi(argv[3]);
	size = strtoul(argv[4], NULL, 10);
	if (posix_memalign((void **)&buffer, 4096, size))
		die("posix_memalign");
	memset(buffer, 'x', size);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, argv[1]) == 0) {
			modes[i].run();
			io_say();
			return 0;
		}
	return 2;
}
