/* What a metric is: its name, its unit, how it adds up. A source declares its own; recordings carry
 * the declarations, so that reports and stores learn of new ones without being touched. */
#ifndef MODEL_METRIC_H
#define MODEL_METRIC_H

#include "model/value.h"

#include <stddef.h>
#include <stdint.h>

enum unit {
	UNIT_COUNT,   /* processes, calls, faults: whole numbers */
	UNIT_RATIO,   /* cores, shares, load: kept to a millionth */
	UNIT_SECONDS, /* kept to the nanosecond */
	UNIT_BYTES,
	UNIT_JOULES, /* kept to the microjoule */
	UNIT_HERTZ,
	UNIT_GRAMS, /* of CO2e */
	UNIT_COUNT_OF_UNITS
};

enum kind {
	KIND_COUNTER, /* only grows: its total is what it grew by, its rate is what it does now */
	KIND_GAUGE,   /* is what it is now: it has a peak and a mean, and no total */
};

enum scope {
	SCOPE_RUN, /* one series for the run: the tree as a whole, its cgroup, the machine around it
		    */
	SCOPE_PROCESS, /* one for each process; over processes it is added */
};

/* The name ends in its unit where the unit has a suffix: `io_read_bytes`, `wait_cpu_s`, `threads`.
 * A gauge's peak and mean are named by putting the word before the suffix: `swap_peak_bytes`. */
struct metric {
	const char *name;
	const char *help;   /* one line; what it says, and of whom */
	const char *source; /* the source that declares it; filled in for the run's tables */
	enum unit unit;
	enum kind kind;
	enum scope scope;
	/* Of process counters: what the kernel shows for a process holds its waited-for children
	 * too (CPU time and I/O do, so their sum over the living loses nothing when one ends). */
	bool with_children;
	bool no_sum;        /* of process metrics: a sum over processes says nothing */
	const char *absent; /* why there may be none, in words; NULL: not known */
};

const char *unit_name(enum unit unit);   /* "count", "ratio", "seconds", ...: for recordings */
const char *unit_suffix(enum unit unit); /* "", "", "s", "bytes", "j", "hz", "g" */
double unit_quanta(enum unit unit);      /* the smallest steps kept, in one unit: 1e9 for seconds */
int unit_find(const char *name, enum unit *ret);
const char *kind_name(enum kind kind);
int kind_find(const char *name, enum kind *ret);

/* Writes the name of a metric's peak or mean: ("swap_bytes", "peak") is "swap_peak_bytes". */
void metric_derived_name(const struct metric *metric, const char *word, char *ret, size_t size);

/* Recordings keep values as whole quanta. ABSENT_QUANTA stands for an absent one. */
#define ABSENT_QUANTA INT64_MIN
int64_t metric_quantise(const struct metric *metric, struct value value);
struct value metric_restore(const struct metric *metric, int64_t quanta); /* as measured */

#endif
