/* What may come next on a command line, from the tables of commands and options: the completion
 * scripts of all shells ask it. */
#ifndef CMD_CANDIDATES_H
#define CMD_CANDIDATES_H

#include <stdio.h>

/* `words` are those behind "sonde"; the last one is being typed, and may be empty. Prints a line
 * "WORD<tab>HELP" for each that fits, and where others know more, one of
 *	:files		any file
 *	:directories	any directory
 *	:command N	word N (from 0) begins the command line of another program
 * Only words that no shell would have to quote are offered. */
void candidates_print(int count, char **words, FILE *out);

#endif
