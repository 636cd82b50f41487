/* Counters of the machine began long before the run: what counts is what they grew by since it was
 * opened. */
#ifndef SOURCE_SINCE_H
#define SOURCE_SINCE_H

#include "model/value.h"

#include <stdbool.h>

struct since {
	bool began;
	double first;
};

/* Never below 0: some kernels let iowait and steal step back a little. */
static inline struct value since_read(struct since *since, double now)
{
	if (!since->began)
		*since = (struct since){ .began = true, .first = now };
	return value_read(now > since->first ? now - since->first : 0);
}

#endif
