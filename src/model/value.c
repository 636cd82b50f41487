#include "model/value.h"

#include <string.h>

static const char *const how_names[] = {
	[HOW_ABSENT] = "absent",
	[HOW_MEASURED] = "measured",
	[HOW_ESTIMATED] = "estimated",
};

struct value value_sum(struct value a, struct value b)
{
	if (!value_is(a) || !value_is(b))
		return value_is(a) ? a : b;
	a.number += b.number;
	if (b.how == HOW_ESTIMATED)
		a.how = HOW_ESTIMATED;
	return a;
}

struct value value_larger(struct value a, struct value b)
{
	if (!value_is(a) || !value_is(b))
		return value_is(a) ? a : b;
	return a.number >= b.number ? a : b;
}

const char *how_name(enum how how)
{
	return how_names[how];
}

enum how how_find(const char *name)
{
	if (name && strcmp(name, how_names[HOW_MEASURED]) == 0)
		return HOW_MEASURED;
	if (name && strcmp(name, how_names[HOW_ESTIMATED]) == 0)
		return HOW_ESTIMATED;
	return HOW_ABSENT;
}
