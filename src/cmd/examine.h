/* Asks every source once, and looks at all else that decides what sonde can do here. */
#ifndef CMD_EXAMINE_H
#define CMD_EXAMINE_H

#include "base/mem.h"
#include "cmd/names.h"

struct finding {
	const char *name, *area, *help;
	const char *state;  /* "works", "in part", "not here" */
	const char *detail; /* what it said, or why it says nothing; NULL: no word about it */
	/* What would open it, the command for that, and who may give it; NULL: nothing would. */
	const char *needs, *command, *who;
};

struct examination {
	struct arena arena; /* owns the words */
	struct finding *findings;
	size_t count, room;
};

/* Of process `pid`. Findings of one area stand together. */
void examine(int pid, struct examination *ret);
void examination_clear(struct examination *examination);
void examine_areas(const struct examination *examination, struct names *ret); /* each once */

#endif
