/* The last words of a program that failed: a line of its output that says why, in one of the
 * sentences that are known. */
#ifndef SOURCE_LASTWORDS_H
#define SOURCE_LASTWORDS_H

#include "model/facts.h"

#include <stddef.h>
#include <sys/types.h>

#define LASTWORDS_BYTES 8192 /* of the end of the output are looked at */

struct lastwords {
	const char
	    *cause; /* a word as advise/died.c has them: "disk", "memory"; NULL: none found */
	const char *words; /* the sentence that was found */
	const char *line;  /* of the text; not NUL-terminated */
	size_t length;
};

/* The last line that tells most: one that names a lack (no space, no memory) before one that only
 * names what came of it ("Killed"), which counts among the last few lines alone. Any bytes; opens
 * nothing. */
void lastwords_parse(const char *text, size_t length, struct lastwords *ret);

/* The end of the output, from whoever has it: adds exit.words, the line (secrets masked, cut), and
 * exit.words_cause. Nothing where no sentence is known. */
void lastwords_add(const char *text, size_t length, struct facts *facts);

/* How much a regular file that `fd` writes to holds by now; -1: it is something else, or nobody may
 * read it. To be asked at the start. */
off_t lastwords_begin(int fd);
/* The same with what was written to it since then. */
void lastwords_end(int fd, off_t begin, struct facts *facts);

#endif
