/* A number, and how it was got. A value that we could not read is absent, never zero. */
#ifndef MODEL_VALUE_H
#define MODEL_VALUE_H

#include <stdbool.h>

enum how {
	HOW_ABSENT = 0, /* so that zeroed memory is absent */
	HOW_MEASURED,
	HOW_ESTIMATED,
};

struct value {
	double number; /* in base units: seconds, bytes, joules; exact up to 2^53 */
	enum how how;
};

static inline struct value value_absent(void)
{
	return (struct value){ 0 };
}

static inline struct value value_read(double number)
{
	return (struct value){ .number = number, .how = HOW_MEASURED };
}

static inline struct value value_estimated(double number)
{
	return (struct value){ .number = number, .how = HOW_ESTIMATED };
}

static inline bool value_is(struct value value)
{
	return value.how != HOW_ABSENT;
}

/* Of two, one that is absent counts not at all; a sum with an estimated one is estimated. */
struct value value_sum(struct value a, struct value b);
struct value value_larger(struct value a, struct value b);

const char *how_name(enum how how);  /* "absent", "measured", "estimated" */
enum how how_find(const char *name); /* HOW_ABSENT for anything unknown */

#endif
