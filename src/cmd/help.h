/* What --help and `sonde help` print, all of it from the table of commands. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "cmd/cmd.h"
#include "cmd/names.h"

#include <stdio.h>

#define HELP_WIDTH 80

void help_overview(FILE *out); /* the first page: four commands, and where the rest is */
void help_page(const struct cmd *cmd, FILE *out);

/* The topics that have a command now, in their order. */
void help_topics(struct names *ret);
const char *help_topic_text(const char *topic); /* one line; "" where nobody wrote one */

/* Says that `word` is no command, no topic or no option, with the nearest as hint: exit status 2.
 */
int help_unknown(const char *word);

#endif
