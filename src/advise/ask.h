/* What to ask for next time, and how that is written for the scheduler of the run. For rules only.
 */
#ifndef ADVISE_ASK_H
#define ADVISE_ASK_H

#include "base/text.h"
#include "model/facts.h"

/* More than was used, as the next input is not the same one, and a job that is killed at its limit
 * costs more than what lies idle. A fifth of memory is what other advisers add, too; time varies
 * more, with the node, its neighbours and the file system. */
#define MEMORY_MARGIN 1.2
#define TIME_MARGIN 1.5
/* After a death for memory the need is unknown but for being larger. One and a half times gets to
 * the true need in few steps: three of them are 3.4 times as much. */
#define KILLED_MARGIN 1.5

/* What a run needs, or is to ask for; NAN: not known, or not to be said. */
struct ask {
	double cores, memory_bytes, time_s;
	double had_cores; /* for words that name cores and memory together; 0: not known */
};

double ask_memory(double peak_bytes); /* with its margin, rounded up to what people write */
double ask_round(double bytes);       /* only rounded up */
double ask_time(double wall_s);       /* with its margin, in whole minutes and rounder ones */
double ask_cores(double peak, double mean);

/* Is what was asked for so much more that asking for less is worth it? */
bool ask_memory_is_far(double peak_bytes, double asked_bytes);
bool ask_time_is_far(double wall_s, double asked_s);

/* Adds what is to be written: "--cpus-per-task=1 --mem=6G --time=00:06:00" for Slurm. Adds nothing
 * where the run has no scheduler whose words we know. */
void ask_add_flags(const struct facts *facts, const struct ask *ask, struct text *ret);
bool ask_has_words(const struct facts *facts); /* would it add anything? */
/* Adds "ask for " and the same; where there are no such words, or the run is not all of its job,
 * "ask for 6 GiB" or "ask for 4 cores". */
void ask_add(const struct facts *facts, const struct ask *ask, struct text *ret);

/* Is this run all of its job? Not where several tasks or nodes share what was asked for, nor where
 * something like mpirun may have started more elsewhere. */
bool ask_is_alone(const struct facts *facts);

#endif
