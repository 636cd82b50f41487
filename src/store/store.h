/* Where recordings live, and which one the user means.
 *
 * Two directories are searched: ./.sonde, where that directory exists, and $XDG_DATA_HOME/sonde
 * (~/.local/share/sonde by default). New recordings go to the first of the two that is there. All
 * runs of both are one list, newest first by the time in their file names (UTC:
 * 20261116-043715-3f9a2c71.sonde), and by the file's own time where it has another name or several
 * started in one second; so `last` is the last run wherever it was kept. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/err.h"
#include "model/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define STORE_ID_BYTES 9 /* eight hexadecimal digits */

/* A time as file names have it, in UTC: "20261116-043715"; "" where it has no such form. */
#define STORE_STAMP_BYTES 16
void store_stamp(time_t time, char ret[STORE_STAMP_BYTES]);
void store_stamp_ago(uint64_t age_ns, char ret[STORE_STAMP_BYTES]); /* "": before 1970 */

/* Where the next recording goes. It need not exist yet. */
int store_directory(char **ret, struct err *err);
void store_new_id(char ret[STORE_ID_BYTES]); /* random */
/* The path of a new recording in `directory`, which is made (0700) where it is missing. */
int store_new_path(const char *directory, time_t started, const char *id, char **ret,
		   struct err *err);

struct store_entry {
	char *path;                    /* of the recording, without ".journal" */
	char stamp[STORE_STAMP_BYTES]; /* "20261116-043715" */
	char id[24];        /* from its file name; the start of that where it has another form */
	bool journal_only;  /* running, or it did not end properly */
	int64_t changed_ns; /* of those that started in one second: when they were last written */
};

struct store_list {
	struct store_entry *entries; /* newest first */
	size_t count, room;
};

/* All runs of both directories; a directory that is not there has none. */
int store_list(struct store_list *ret, struct err *err);
void store_list_clear(struct store_list *list);

/* Finds the recording that the user means by `what` (NULL: the last):
 *	last, @1		the newest; @2 the one before
 *	fit.sonde, ./fit	a path: what has a slash or ends in ".sonde", or ".journal"
 *	3f9a2c71, 3f9a		an id, or its start in four digits or more
 *	fit			a name given by --name: the newest run of that name
 *	3f			a shorter start of an id
 * -ENOENT with the nearest name as hint, -ENOTUNIQ with the runs that it could be. */
int store_find(const char *what, char **ret, struct err *err);

/* As store_find(), but a name means every run of that name. Their paths, and nothing else of them,
 * are added to the list, newest first. */
int store_find_all(const char *what, struct store_list *ret, struct err *err);

/* Reads what is known of a recording that somebody wants to remove, for the caller to end with
 * facts_clear(). -EBUSY while the run lasts, -EINVAL for what is a link or no recording at all,
 * else as recording_read(): what cannot be read is not ours to remove. */
int store_may_remove(const char *path, struct facts *ret, struct err *err);
int store_remove(const char *path, struct err *err); /* only after store_may_remove() */
uint64_t store_bytes(const char *path);              /* how long its file is; 0: there is none */

#endif
