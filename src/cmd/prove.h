/* Runs programs of known cost under `sonde run`, so that a user can see whether it is right here.
 */
#ifndef CMD_PROVE_H
#define CMD_PROVE_H

#include "base/err.h"
#include "model/facts.h"

enum verdict {
	PROOF_RIGHT,
	PROOF_WRONG,
	PROOF_OPEN, /* it could not be told, or only estimated, on this machine */
};

struct proof {
	const char *what;   /* the work, or the part of it that the metric is of, in words */
	const char *metric; /* of the totals */
	enum unit unit;
	double done;           /* by the program's own account */
	struct fact told;      /* by sonde; its words are borrowed from `facts` */
	double low, high;      /* what may be told for it */
	const char *tolerance; /* low and high in words */
	enum verdict verdict;
};

/* Calls `tell` for each comparison. Takes about a second. Fails where nothing could be run at all.
 */
int prove(void (*tell)(void *arg, const struct proof *proof), void *arg, struct err *err);

/* What the hidden command does: the work named `name`, and what it did on stdout, a line "METRIC
 * NUMBER" each. -ENOENT where there is no such work. */
int prove_work(const char *name);

#endif
