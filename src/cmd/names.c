#include "cmd/names.h"

#include "base/mem.h"
#include "cmd/cmd.h"

#include <stdlib.h>

void names_add(struct names *names, const char *name)
{
	/* The NULL behind the last one is an item, too. */
	names->items = mem_grow(names->items, names->count + 1, &names->room,
				sizeof(*names->items));
	names->items[names->count++] = name;
	names->items[names->count] = NULL;
}

void names_add_commands(struct names *names)
{
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (!(*cmd)->hidden)
			names_add(names, (*cmd)->name);
	}
}

const char *names_nearest(const struct names *names, const char *word)
{
	return names->count > 0 ? nearest(word, names->items) : NULL;
}

void names_clear(struct names *names)
{
	free(names->items);
	*names = (struct names){ 0 };
}
