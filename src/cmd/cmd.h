/* A subcommand is a file with `const struct cmd cmd_NAME`, a row in table.c and a test. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "base/err.h"
#include "base/opt.h"

struct cmd {
	const char *name;
	const char *arguments; /* "[options] [--] CMD [ARGS...]" */
	const char *help;      /* one line */
	const char *examples;  /* lines of "sonde ..." that work, first on its help page */
	const char *details;   /* paragraphs, after the options; may be NULL */
	const char *topic;     /* of `sonde help TOPIC`; a new one gets its words in help.c */
	int front;   /* its place on the first help page, 1 to 4; 0: only under its topic */
	bool hidden; /* works, but no list shows it: sonde calls it itself */
	const struct opt *opts;
	size_t options_bytes; /* of the struct that opts fill */
	bool runs_command;    /* the first operand ends the options */
	int (*run)(void *options, int argc,
		   char **argv); /* argv: the operands. Returns the exit status */
};

extern const struct cmd *const cmd_table[]; /* ends with NULL */

extern const struct cmd cmd_help; /* `sonde --help` is `sonde help` */

const struct cmd *cmd_find(const char *name); /* or NULL */

enum { EXIT_FINE = 0, EXIT_PROBLEM = 1, EXIT_USAGE = 2, EXIT_SONDE_FAILED = 125 };

/* Prints "sonde: <text>" and its hint to stderr and returns `status`. Only `cmd` prints errors. */
int cmd_fail(const struct err *err, int status);
void cmd_warn(const char *format, ...) PRINTF(1, 2); /* "sonde: warning: ..." */

#endif
