/* Adds up the run's own series into totals, tick by tick: counters to what they grew by, gauges to
 * peak and time-weighted mean. The sampler feeds it live, repair feeds it from a journal. */
#ifndef MODEL_TALLY_H
#define MODEL_TALLY_H

#include "model/facts.h"
#include "model/tick.h"

struct tally;

struct tally *tally_new(const struct metric *metrics, size_t count); /* borrowed while it lives */
void tally_add(struct tally *tally, uint64_t time_ns, bool gap, const struct value *run);
/* Adds to section "totals" a fact for every metric that was ever read, and one for every other
 * ("never read" is its why), unless a fact of that name is there already. */
void tally_totals(const struct tally *tally, struct facts *facts);
void tally_free(struct tally *tally);

#endif
