#include "base/file.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_TRIED 65536 /* descriptors that are closed one by one */

static size_t kept_most = 256, kept_now; /* descriptors that kept files may hold, and hold */

static char *path_join(const char *root, const char *path)
{
	size_t length = strlen(root);
	char *joined = mem_new(length + strlen(path) + 2);

	while (length > 0 && root[length - 1] == '/')
		length--;
	memcpy(joined, root, length);
	joined[length] = '/';
	strcpy(joined + length + 1, path);
	return joined;
}

static int file_fail(const char *root, const char *path, struct err *err)
{
	int code = -errno;
	CLEANUP(freep) char *full = path_join(root, path);

	return err_set(err, code, "'%s'", full);
}

int file_open(const char *root, const char *path, struct err *err)
{
	CLEANUP(freep) char *full = path_join(root, path);
	/* Not waiting for anybody: a FIFO in the place of a file must not hold us up. */
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? err_set(err, -errno, "'%s'", full) : fd;
}

ssize_t file_read(const char *root, const char *path, char **ret, struct err *err)
{
	CLEANUP(closep) int fd = file_open(root, path, err);
	CLEANUP(freep) char *data = NULL;
	size_t length = 0, room = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	do {
		if (room - length < 2)
			data = mem_resize(data, room = room ? room * 2 : 4096);
		got = read(fd, data + length, room - length - 1);
		if (got > 0)
			length += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0)
		return file_fail(root, path, err);
	data[length] = '\0';
	*ret = take(&data);
	return (ssize_t)length;
}

ssize_t file_reread(int fd, char *buffer, size_t size)
{
	ssize_t got;

	assert(size > 0);
	do {
		got = pread(fd, buffer, size - 1, 0);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	buffer[got] = '\0';
	return got;
}

int file_write(int fd, const void *bytes, size_t count)
{
	const char *from = bytes;

	while (count > 0) {
		ssize_t done = write(fd, from, count);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		from += done;
		count -= (size_t)done;
	}
	return 0;
}

/* Writes, and reports what close() or the disk say, too. */
static int fill(int fd, const void *bytes, size_t count, mode_t mode)
{
	int r = file_write(fd, bytes, count);

	if (r == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

int file_replace(const char *path, const void *bytes, size_t count, mode_t mode, struct err *err)
{
	CLEANUP(freep) char *beside = mem_new(strlen(path) + sizeof(".XXXXXX"));
	int fd, r;

	strcat(strcpy(beside, path), ".XXXXXX");
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "cannot write '%s'", path);
	r = fill(fd, bytes, count, mode);
	if (r == 0 && rename(beside, path) < 0)
		r = -errno;
	if (r == 0)
		return 0;
	unlink(beside);
	return err_set(err, r, "cannot write '%s'", path);
}

static bool close_between(unsigned first, unsigned last)
{
#ifdef SYS_close_range
	return first > last || syscall(SYS_close_range, first, last, 0) == 0;
#else
	return first > last;
#endif
}

static bool is_among(int fd, const int *keep, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (keep[i] == fd)
			return true;
	}
	return false;
}

/* The least of them that is not below `first`; INT_MAX: none. */
static int next_kept(int first, const int *keep, size_t count)
{
	int next = INT_MAX;

	for (size_t i = 0; i < count; i++) {
		if (keep[i] >= first && keep[i] < next)
			next = keep[i];
	}
	return next;
}

static bool close_ranges(int first, const int *keep, size_t count)
{
	int kept;

	while ((kept = next_kept(first, keep, count)) < INT_MAX) {
		if (kept > first && !close_between((unsigned)first, (unsigned)kept - 1))
			return false;
		first = kept + 1;
	}
	return close_between((unsigned)first, ~0u);
}

void file_close_all_but(int first, const int *keep, size_t count)
{
	struct rlimit limit = { .rlim_cur = 1024 };

	if (close_ranges(first, keep, count))
		return;
	getrlimit(RLIMIT_NOFILE, &limit);
	for (int fd = first; fd < (int)(limit.rlim_cur < MOST_TRIED ? limit.rlim_cur : MOST_TRIED);
	     fd++) {
		if (!is_among(fd, keep, count))
			close(fd);
	}
}

void file_close_others(int first, int keep)
{
	file_close_all_but(first, &keep, 1);
}

void kept_limit(size_t descriptors)
{
	kept_most = descriptors;
}

bool kept_take(void)
{
	if (kept_now >= kept_most)
		return false;
	kept_now++;
	return true;
}

void kept_give(void)
{
	kept_now--;
}

int kept_open(struct kept *kept, const char *root, const char *path, struct err *err)
{
	CLEANUP(freep) char *full = path_join(root, path);
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return err_set(err, -errno, "'%s'", full);
	if (!kept_take()) {
		close(fd);
		fd = -1;
	}
	*kept = (struct kept){ .fd = fd, .path = take(&full) };
	return 0;
}

ssize_t kept_read(struct kept *kept, char *buffer, size_t size)
{
	CLEANUP(closep) int fd = -1;

	if (kept->fd >= 0)
		return file_reread(kept->fd, buffer, size);
	fd = open(kept->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	return file_reread(fd, buffer, size);
}

void kept_close(struct kept *kept)
{
	if (kept->path && kept->fd >= 0) {
		close(kept->fd);
		kept_give();
	}
	free(kept->path);
	*kept = (struct kept){ .fd = -1 };
}
