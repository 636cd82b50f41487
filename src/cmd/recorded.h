/* What the commands that read a recording have in common. */
#ifndef CMD_RECORDED_H
#define CMD_RECORDED_H

#include "base/err.h"
#include "model/facts.h"

#include <stdbool.h>

/* Finds the run that the user means (NULL: the last one), reads it, and says on stderr where it did
 * not end properly or is still running. Its phases are there, too. `what` is of READ_*; the caller
 * ends *ret with facts_clear(). */
int recorded_read(const char *run, unsigned what, struct facts *ret, struct err *err);
/* The facts of the last run, with advice, where there is one; says nothing. */
bool recorded_last(struct facts *ret);
void recorded_tell(const struct facts *facts); /* the saying alone */

/* Keeps of the loaded series the one named; all where `metric` is "all". -ENOENT where there is no
 * such series. */
int recorded_keep_series(struct facts *facts, const char *metric, struct err *err);

#endif
