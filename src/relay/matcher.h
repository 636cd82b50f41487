/* Lines of the program's output that name a phase: `--mark-on REGEX`.
 *
 * A line is what a person sees when it is complete: without colours, and of a progress bar only
 * what stands behind its last carriage return. The first expression that matches makes the mark:
 * its first group where it has one that took part, else all that it matched. */
#ifndef RELAY_MATCHER_H
#define RELAY_MATCHER_H

#include "base/err.h"

#include <stddef.h>

struct matcher;

/* POSIX extended expressions. -EINVAL with regerror's words. matcher_free() ends it. */
int matcher_new(const char *const *expressions, size_t count, struct matcher **ret,
		struct err *err);
/* Calls mark() for each line that matches; the name has no newline and is never empty. Takes no
 * memory: it runs where nothing may fail. */
void matcher_feed(struct matcher *matcher, const char *bytes, size_t count,
		  void (*mark)(void *arg, const char *name), void *arg);
/* No more will come: a last line without its newline counts, too. */
void matcher_end(struct matcher *matcher, void (*mark)(void *arg, const char *name), void *arg);
void matcher_free(struct matcher *matcher); /* NULL is fine */

#endif
