/* What words mean, for people who never met them: `sonde explain` prints it. A new word is a row of
 * glossary.c. */
#ifndef REPORT_GLOSSARY_H
#define REPORT_GLOSSARY_H

#include "model/facts.h"
#include "report/look.h"

#include <stdio.h>

struct word {
	const char *name;
	const char *group;   /* its heading in the list; rows of one group stand together */
	const char *also;    /* other names that people use, "max RSS|VmHWM"; NULL: none */
	const char *text;    /* a few plain sentences */
	const char *figures; /* of a run, "totals.cpu_s limits.cores"; NULL: none */
	const char *see;     /* a command that shows it; NULL: none yet */
};

extern const struct word word_table[]; /* ends with a row without a name */

/* By its name or another one; large and small letters, blanks, dashes and underscores are the same.
 * NULL where there is no such word. */
const struct word *word_find(const char *name);
const struct word *word_of_figure(const char *figure); /* the one it belongs to most; or NULL */
bool word_same(const char *a, const char *b);          /* as word_find compares */

/* The figures of a word in a run, a line each with their label, at most as wide as the look; what
 * is absent is left out. Returns how many there were. */
size_t word_print_figures(const char *figures, const struct facts *facts, const struct look *look,
			  FILE *out);

#endif
