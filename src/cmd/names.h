/* A list of names that a user may have meant: for hints after a typing mistake, and for the words
 * that a shell offers. */
#ifndef CMD_NAMES_H
#define CMD_NAMES_H

#include <stddef.h>

/* Zero it before first use, end it with names_clear(). The names are borrowed. */
struct names {
	const char **items; /* ends with NULL once anything was added */
	size_t count, room;
};

void names_add(struct names *names, const char *name);
void names_add_commands(struct names *names);                           /* all that lists show */
const char *names_nearest(const struct names *names, const char *word); /* or NULL */
void names_clear(struct names *names);

#endif
