/* The names of the totals that scripts may rely on, in the order in which they are shown. */
#ifndef REPORT_TOTALS_H
#define REPORT_TOTALS_H

#include "model/facts.h"

struct total {
	const char *name;
	const char *label; /* for people */
	enum unit unit;
	const char *why; /* why it is absent where no source of this version measures it; or NULL */
};

extern const struct total total_table[]; /* ends with a row without a name */

const struct total *total_find(const char *name); /* or NULL */

/* What people call a total, whether of the table or of a metric that only its source knows: then
 * what its declaration says, or, where even that is missing, its name. Any bytes. */
const char *total_label(const struct facts *facts, const char *name);

/* The fact of section "totals" for a row: what the run says, or an absent one with its why. */
struct fact total_fact(const struct facts *facts, const struct total *total);

/* All totals: those of the table first, each of them present even where nobody measured it, then
 * what else the run has. The caller frees *ret. */
size_t total_list(const struct facts *facts, struct fact **ret);

#endif
