/* What stands before each line of the program's output: `--stamp=FORMAT`.
 *
 *	[{time} {cores}c {memory}] 	is	[00:12:31 3.1c 5.2G]
 *
 * A name in braces is a field, two opening braces are one, all else stands for itself. Fields have
 *a fixed width, so that lines stand below each other; one that nobody knows is a `-`, never a zero.
 */
#ifndef RELAY_FORMAT_H
#define RELAY_FORMAT_H

#include "base/err.h"
#include "base/text.h"
#include "model/now.h"

#define FORMAT_DEFAULT "[{time} {cores}c {memory}] "

struct format; /* its pieces are known to format.c only */

/* What is known at this moment; one that nobody knows is NAN. */
struct moment {
	double time_s;         /* since the program's start */
	uint64_t clock_s;      /* since 1970 */
	const struct now *now; /* NULL: nobody measures any more */
	const char *stream;    /* "out", "err"; NULL: both come together */
};

/* -EINVAL with a sentence and the nearest field as hint. format_free() ends it. */
int format_parse(const char *text, struct format **ret, struct err *err);
/* Adds the text of this moment. */
void format_write(const struct format *format, const struct moment *moment, struct text *ret);
/* How many columns of a terminal it takes; colours in it take none. */
size_t format_width(const struct format *format);
void format_free(struct format *format); /* NULL is fine */

#endif
