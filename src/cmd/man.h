/* Manual pages, from the table of commands. */
#ifndef CMD_MAN_H
#define CMD_MAN_H

#include "cmd/cmd.h"

#include <stdio.h>

void man_page(const struct cmd *cmd, FILE *out); /* sonde-NAME(1); of NULL sonde(1) */

/* Writes sonde.1 and a sonde-NAME.1 for each command into `directory`, which is made where it is
 * missing. */
int man_write_all(const char *directory, struct err *err);

#endif
