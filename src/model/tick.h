/* What one look at the machine gave. */
#ifndef MODEL_TICK_H
#define MODEL_TICK_H

#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample { /* one process that moved since the last tick */
	uint32_t id;
	const struct value *values; /* by process_metrics; counters since the process's start */
};

struct tick {
	uint64_t time_ns;        /* since the run's start */
	bool gap;                /* nobody looked for much longer than planned before this tick */
	const struct value *run; /* by run_metrics; counters since the run's start */
	const struct sample *samples;
	size_t n_samples;
};

#endif
