#include "model/value.h"

#include <string.h>

static const char *const how_names[] = {
	[HOW_ABSENT] = "absent",
	[HOW_MEASURED] = "measured",
	[HOW_ESTIMATED] = "estimated",
};

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
