/* What a run cost in the end: exact accounts where there are any, sums over ticks where not. */
#ifndef SAMPLE_OUTCOME_H
#define SAMPLE_OUTCOME_H

#include "sample/sampler.h"

/* Adds sections totals, sonde and own, the process rows, and notes on what is missing. The last
 * tick was made after the program's end. */
void outcome_add(struct sampler *sampler, uint64_t wall_ns, bool survivors_matter,
		 struct facts *facts);

/* For the files of this part: one total, and bracket.c's. */
void outcome_total(struct facts *facts, const char *name, enum unit unit, struct value value,
		   double low, double high, const char *source, const char *why);
void outcome_memory(struct sampler *sampler, struct facts *facts);

#endif
