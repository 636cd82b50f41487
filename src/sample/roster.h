/* The rows of a recording's process table: one for each process that was seen, and one for each
 * storm of short ones, folded by parent and name with their sums. */
#ifndef SAMPLE_ROSTER_H
#define SAMPLE_ROSTER_H

#include "base/map.h"
#include "model/facts.h"
#include "sample/metrics.h"

struct row {
	struct process process; /* owns its name, command and values */
	uint64_t most_bytes;    /* it never held more memory than this; 0: not known */
	double high_bytes;      /* the kernel's mark of its largest, when that was last read */
	uint64_t high_clock_ns; /* and its CPU clock then */
	uint64_t last_cpu_ns;   /* its own CPU time at its end, as events tell it; 0: not told */
	bool folded;            /* stands for many */
	bool changed;           /* and not yet told to the recording */
};

struct roster {
	const struct metrics *metrics;
	struct row **items; /* by id - 1; NULL: folded into another */
	size_t count, room;
	uint32_t *changed; /* ids of rows that the recording should hear of */
	size_t n_changed, room_changed;
	size_t killed; /* rows kept because a signal ended them */
	struct map groups,
	    singles; /* by parent and name: the folded row; how many were kept as they are */
};

struct row *roster_add(struct roster *roster, uint32_t parent, int pid, uint64_t started_ns);
struct row *roster_find(const struct roster *roster, uint32_t id); /* NULL where folded */
/* Either may be NULL: unchanged. Both are copied. */
void roster_name(struct roster *roster, struct row *row, const char *name, const char *command);
/* Folds the row into its group if there were many of its kind before; then the row is gone. */
void roster_end(struct roster *roster, struct row *row, uint64_t ended_ns, int status);
void roster_drop(struct roster *roster, struct row *row); /* as if it had never been */
/* One more process that was never seen itself. count 0: an unknown number of them. */
struct row *roster_fold(struct roster *roster, uint32_t parent, const char *name, uint64_t count,
			uint64_t started_ns, uint64_t ended_ns);
void roster_touch(struct roster *roster, struct row *row); /* the recording should hear of it */
void roster_copy(const struct roster *roster, struct facts *facts);
void roster_clear(struct roster *roster);

#endif
