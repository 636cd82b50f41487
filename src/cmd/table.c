/* A command is one row. Help shows them in this order, under their topics. */
#include "cmd/cmd.h"

#include <string.h>

#define COMMANDS(ROW)                                                                              \
	ROW(run)                                                                                   \
	ROW(mark)                                                                                  \
	ROW(show)                                                                                  \
	ROW(history)                                                                               \
	ROW(export)                                                                                \
	ROW(rm)                                                                                    \
	ROW(prune)                                                                                 \
	ROW(explain)                                                                               \
	ROW(doctor)                                                                                \
	ROW(completion)                                                                            \
	ROW(help)                                                                                  \
	ROW(truth)

#define DECLARE(name) extern const struct cmd cmd_##name;
#define POINT(name) &cmd_##name,

COMMANDS(DECLARE)

const struct cmd *const cmd_table[] = { COMMANDS(POINT) NULL };

const struct cmd *cmd_find(const char *name)
{
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (strcmp((*cmd)->name, name) == 0)
			return *cmd;
	}
	return NULL;
}
