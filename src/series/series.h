/* Writes the recording of one run. While the run lasts, all goes to a journal beside it
 * (PATH.journal: CRC'd records, appended by a thread of its own so that a slow disk never delays a
 * tick, at most a second behind); series_finish() makes the one file PATH, an SQLite database, of
 * it. docs/recording.md describes both. */
#ifndef SERIES_SERIES_H
#define SERIES_SERIES_H

#include "base/err.h"
#include "model/facts.h"
#include "model/tick.h"

struct series; /* its fields are known to series.c only */

/* Starts the recording at `path` (it should end in ".sonde") with what is known at the start; the
 * metrics tables of `facts` are used, and must live, until the end. -EEXIST where the file is there
 * already. */
int series_open(const char *path, const struct facts *facts, struct series **ret, struct err *err);
/* A process was seen, changed its name, or ended. The last row of an id wins; one with a pid and a
 * count of 0 says that it was folded into another row, and is forgotten. */
int series_process(struct series *series, const struct process *process, struct err *err);
/* The program left a mark; in order of time. */
int series_mark(struct series *series, const struct mark *mark, struct err *err);
/* Neither this nor the two above ever waits for a disk, nor fails because of one:
 * series_finish() tells. */
int series_add(struct series *series, const struct tick *tick, struct err *err);
/* A fact that must not be lost should nobody see the end: who told us to end. It replaces one of
 * the same section and name. A few in a run, not one a tick. */
void series_fact(struct series *series, const struct fact *fact);
/* Writes all that is known at the end and removes the journal: `facts` holds all facts, its
 * processes replace or complete those of series_process(). Did all of it reach the disk? Where not,
 * as much as possible is kept, facts first, and `err` says what. */
int series_finish(struct series *series, const struct facts *facts, struct err *err);
/* Only lets go; without finish the journal stays. NULL is fine. */
void series_close(struct series *series);
/* There was nothing to record after all: lets go, and the journal goes too. NULL is fine. */
void series_discard(struct series *series);

/* Reading, by anybody, at any time, also while the run lasts. */
enum {
	READ_PROCESSES = 1,     /* process rows */
	READ_LINES = 2,         /* the run's own series, all run_metrics */
	READ_PROCESS_LINES = 4, /* those of every process, with the rows */
	READ_MARKED_LINES = 8,  /* as READ_LINES, where the run has marks */
};

/* Facts and marks are always read. Reads the recording at `path` (with or without its ".journal").
 * A journal that was left behind is turned into the recording where it is safe to do so
 * (facts->repaired; section "run", "complete" is false); a running one is read as far as it has
 * come (facts->running). The caller ends it with facts_clear(). -ENOENT: there is none; -EINVAL: it
 * is something else; -EBADMSG: it is damaged; -EPROTONOSUPPORT: it is of a newer sonde. */
int recording_read(const char *path, unsigned what, struct facts *ret, struct err *err);

#endif
