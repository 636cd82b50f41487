/* The journal of a run that is being written: takes records, seals ticks into chunks, folds old
 * chunks, and rewrites itself when most of it is void. Used by one thread at a time. */
#ifndef SERIES_JOURNAL_H
#define SERIES_JOURNAL_H

#include "base/err.h"
#include "series/record.h"

/* How much of a stream each tier may hold before its oldest quarter is folded; 0: no bound. */
struct keep {
	uint64_t bytes; /* compressed */
	uint64_t ticks;
};
struct limits {
	struct keep keep[STREAM_COUNT][TIER_COUNT];
	uint64_t void_bytes; /* rewritten when more than this, and more than half, is void */
};
extern const struct limits limits_usual;

struct journal;

/* Creates `path` with what is known at the start, by one write. `facts`, whose metric tables are
 * used until the end, and `limits` are borrowed. */
int journal_create(const char *path, const struct facts *facts, const struct limits *limits,
		   struct journal **ret, struct err *err);
/* Takes whole records, as of record_*(). They are in memory until journal_flush(). */
void journal_take(struct journal *journal, const struct text *records);
/* Writes what was taken. After the first error nothing is written any more, until `again`. Returns
 * that error, or 0. */
int journal_flush(struct journal *journal, bool again);
int journal_sync(struct journal *journal);             /* to the disk itself */
void journal_upkeep(struct journal *journal);          /* folds and rewrites where it is time to */
size_t journal_backlog(const struct journal *journal); /* bytes in memory */

/* For the end: the file up to `written`, and what could not be written. */
int journal_fd(const struct journal *journal);
uint64_t journal_written(const struct journal *journal);
const struct text *journal_rest(const struct journal *journal);

/* What could not be written is lost; the file stays. */
void journal_close(struct journal *journal);

/* As series_open(), but folding sooner or later than usual: for tests. */
struct series;
int series_open_within(const char *path, const struct facts *facts, const struct limits *limits,
		       struct series **ret, struct err *err);

/* Waits until at most so many bytes are left to be written: for tests that run faster than time. */
void series_settle(struct series *series, size_t most);

char *journal_path(const char *path); /* of a recording; the caller frees it */

#endif
