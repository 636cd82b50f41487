/* Files, below a root directory where a reader takes one ("/" on a real machine, a fixture in a
 * test). */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens root/path for reading, close-on-exec. Returns the descriptor. */
int file_open(const char *root, const char *path, struct err *err);

/* Reads the whole of root/path, however long, and NUL-terminates it. Returns its length. */
ssize_t file_read(const char *root, const char *path, char **ret, struct err *err);

/* Reads a /proc file again from its start with one call, up to size - 1 bytes, and NUL-terminates
 * it. (The kernel hands out a file about one process whole, and lists by the page.) Returns the
 * length or a negative errno (-ESRCH when the process of a kept /proc descriptor is gone). */
ssize_t file_reread(int fd, char *buffer, size_t size);

/* Writes all of it, through short writes and EINTR. */
int file_write(int fd, const void *bytes, size_t count);

/* Puts a file of these bytes and this mode in the place of `path` at once: who reads it meanwhile
 * sees the old one or the new one, and where it fails the old one stays. */
int file_replace(const char *path, const void *bytes, size_t count, mode_t mode, struct err *err);

/* Closes every descriptor from `first` on but `keep`; also on kernels before 5.9, which have no
 * call for it. */
void file_close_others(int first, int keep);
void file_close_all_but(int first, const int *keep, size_t count); /* -1 is none */

/* A /proc file that is read again and again: its descriptor is kept while the process may have that
 * many open, and opened anew at every read otherwise. */
struct kept {
	int fd;     /* -1: not kept */
	char *path; /* root/path */
};
int kept_open(struct kept *kept, const char *root, const char *path, struct err *err);
ssize_t kept_read(struct kept *kept, char *buffer, size_t size); /* as file_reread */
void kept_close(struct kept *kept);                              /* a zeroed one is fine */
/* One more descriptor that is kept for as long as a process lives, if we may; kept_give() when it
 * is closed. */
bool kept_take(void);
void kept_give(void);
/* How many descriptors all kept files together may hold; those that are open already stay open. */
void kept_limit(size_t descriptors);

#endif
