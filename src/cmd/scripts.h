/* What makes a shell ask sonde which words may come next. */
#ifndef CMD_SCRIPTS_H
#define CMD_SCRIPTS_H

struct script {
	const char *shell;
	const char *text;
};

extern const struct script script_table[]; /* ends with a row without a shell */

#endif
