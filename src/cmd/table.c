/* A command is one row. The overview shows them in this order, under their topics. */
#include "cmd/cmd.h"

#define COMMANDS(ROW)                                                                              \
	ROW(run)                                                                                   \
	ROW(show)                                                                                  \
	ROW(history)                                                                               \
	ROW(export)                                                                                \
	ROW(rm)                                                                                    \
	ROW(prune)                                                                                 \
	ROW(doctor)

#define DECLARE(name) extern const struct cmd cmd_##name;
#define POINT(name) &cmd_##name,

COMMANDS(DECLARE)

const struct cmd *const cmd_table[] = { COMMANDS(POINT) NULL };
