#include "cmd/help.h"

#include <string.h>

#define PAGE_WIDTH 80

/* Prints each line of `lines`, indented. */
static void print_lines(const char *lines, FILE *out)
{
	while (*lines) {
		int length = (int)strcspn(lines, "\n");

		fprintf(out, "%s%.*s\n", length ? "  " : "", length, lines);
		lines += length;
		lines += *lines == '\n';
	}
}

/* Prints text as it stands, and breaks the lines that would not fit a terminal. */
static void print_paragraphs(const char *text, FILE *out)
{
	int column = 0;

	while (*text) {
		int length = (int)strcspn(text, " \n");

		if (column > 0 && column + 1 + length > PAGE_WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		column += fprintf(out, "%s%.*s", column > 0 ? " " : "", length, text);
		text += length;
		if (*text == '\n') {
			fputc('\n', out);
			column = 0;
		}
		text += *text != '\0';
	}
	if (column > 0)
		fputc('\n', out);
}

static void print_topic(const char *topic, FILE *out)
{
	fprintf(out, "\n%s:\n", topic);
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (strcmp((*cmd)->topic, topic) == 0)
			fprintf(out, "  %-10s %s\n", (*cmd)->name, (*cmd)->help);
	}
}

static bool is_first_of_topic(const struct cmd *const *cmd)
{
	for (const struct cmd *const *before = cmd_table; before < cmd; before++) {
		if (strcmp((*before)->topic, (*cmd)->topic) == 0)
			return false;
	}
	return true;
}

void help_overview(FILE *out)
{
	fputs("sonde measures what a program costs: time, CPU, memory, I/O.\n", out);
	if (cmd_table[0])
		fprintf(out, "\n  %.*s\n", (int)strcspn(cmd_table[0]->examples, "\n"),
			cmd_table[0]->examples);
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (is_first_of_topic(cmd))
			print_topic((*cmd)->topic, out);
	}
	fputs("\n'sonde help COMMAND' shows examples and options; 'sonde --version' the version.\n",
	      out);
}

void help_page(const struct cmd *cmd, FILE *out)
{
	fprintf(out, "sonde %s %s\n", cmd->name, cmd->arguments);
	fprintf(out, "  %s\n\nexamples:\n", cmd->help);
	print_lines(cmd->examples, out);
	fputs("\noptions:\n", out);
	opt_print(cmd->opts, out);
	if (cmd->details) {
		fputc('\n', out);
		print_paragraphs(cmd->details, out);
	}
}
