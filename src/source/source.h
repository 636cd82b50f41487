/* A source asks the machine for values. A new one is a file with `const struct source source_NAME`,
 * a row in table.c and a test; sampler, recordings and reports learn of its metrics from here. */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "base/err.h"
#include "model/facts.h"
#include "model/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often a source is worth reading. */
enum pace {
	PACE_TICK,    /* at every tick (of processes: that moved since the last one) */
	PACE_THREADS, /* as PACE_TICK of a process with one thread, as PACE_SLOW of one with more */
	PACE_SLOW,    /* at most once a second, less often where its cost says so */
};

struct source {
	const char *name;
	const char *area; /* what it is about, for `sonde doctor AREA`: "cpu", "memory" */
	const char *help; /* one line: what it tells */
	enum scope scope;
	enum pace pace;
	const struct metric
	    *metrics; /* ends with a row without a name; .source and .scope are filled in */
	const char *const
	    *files; /* what it reads, below the root, "proc/%d/io"; ends with NULL. For capture */
	/* Opens for one process (SCOPE_PROCESS), or for the run (pid: sonde's own). */
	int (*open)(const char *root, int pid, void **ret, struct err *err);
	/* Fills one value per metric, in their order. -ESRCH when the process is gone. A value that
	 * cannot be read is left absent; an error means that none could. */
	int (*read)(void *state, struct value *values, struct err *err);
	/* Of metrics with_children: what the process used itself, of one that has one thread. NULL
	 * where it cannot be told apart. Called after `read`, for processes that have children. */
	int (*read_own)(void *state, struct value *values);
	void (*close)(void *state);
};

extern const struct source *const source_table[]; /* ends with NULL */

size_t source_count(const struct source *source); /* of its metrics */

#endif
