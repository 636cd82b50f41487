/* What --help prints, all of it from the table of commands. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "cmd/cmd.h"

#include <stdio.h>

void help_overview(FILE *out);
void help_page(const struct cmd *cmd, FILE *out);

#endif
