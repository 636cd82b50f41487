/* Makes few points of many ticks, and keeps what a spike would be missed by: of gauges the least,
 * the largest and the last, of counters the last and the least and largest rate. */
#ifndef SERIES_FOLD_H
#define SERIES_FOLD_H

#include "series/frame.h"

struct fold;

/* Folds into points of `tier`. `sink` gets each chunk of them as it is full; what it returns below
 * 0 ends the folding. */
struct fold *fold_new(const struct metric *metrics, size_t count, unsigned tier,
		      int (*sink)(void *arg, const struct raw *raw), void *arg);
/* The next chunk in time, of the tier below or any finer one. -EBADMSG where it makes no sense. */
int fold_add(struct fold *fold, unsigned tier, const void *raw, size_t size);
int fold_finish(struct fold *fold); /* hands over what is left */
void fold_free(struct fold *fold);

#endif
