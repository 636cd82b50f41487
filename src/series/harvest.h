/* Takes from chunks what people ask for: lines, totals, and what each process used. */
#ifndef SERIES_HARVEST_H
#define SERIES_HARVEST_H

#include "model/tally.h"
#include "series/replay.h"

struct harvest;

/* For `facts`, whose metric tables and marks must stand already. `what`: of READ_LINES,
 * READ_MARKED_LINES and READ_PROCESS_LINES. `totals`: also adds up what a run that did not end had
 * used. */
struct harvest *harvest_new(struct facts *facts, unsigned what, bool totals);
/* Metrics that were estimated at least once, by scope; borrowed. */
void harvest_estimated(struct harvest *harvest, bool *const *estimated);
bool harvest_wants(const struct harvest *harvest, enum stream stream);
/* The next chunk of its stream in time. -EBADMSG where it makes no sense, or is more than a sonde
 * ever writes. */
int harvest_add(struct harvest *harvest, const struct chunk *chunk, const void *data);
/* Gives the facts what was found. */
void harvest_finish(struct harvest *harvest);
uint64_t harvest_end_ns(const struct harvest *harvest); /* the last tick */
void harvest_free(struct harvest *harvest);

#endif
