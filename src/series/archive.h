/* The one file of a finished run: an SQLite database. docs/recording.md has the tables. */
#ifndef SERIES_ARCHIVE_H
#define SERIES_ARCHIVE_H

#include "base/err.h"
#include "series/replay.h"

#define ARCHIVE_ID 0x736e6465 /* "snde" */
#define ARCHIVE_VERSION 1

/* How much of it to write, where the disk is full. */
enum portion {
	PORTION_ALL,
	PORTION_RUN,   /* without the series of processes */
	PORTION_FACTS, /* without any series */
};

/* Writes it beside `path` and renames it. `sync`: not before it is on the disk. Chunks that are in
 * the journal are read from `fd`. */
int archive_write(const char *path, const struct replay *replay, int fd, enum portion portion,
		  bool sync, struct err *err);

/* The name that the process `pid` gives to it before it is complete; the caller frees it. */
char *archive_temporary(const char *path, uint32_t pid);

/* Reads facts, metrics and, where `what` says so (READ_*), processes and series. -ENOENT where
 * there is none, -EBADMSG where it is damaged, -EINVAL where it is something else,
 * -EPROTONOSUPPORT where it is of a newer sonde. */
int archive_read(const char *path, unsigned what, struct facts *ret, struct err *err);

#endif
