#include "cmd/help.h"

#include "base/mem.h"
#include "cmd/man.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define FRONT_ROWS 4

/* The order in which topics are listed. One that is missing here comes last, without words. */
static const struct {
	const char *name, *text;
} topics[] = {
	{ "first", "measure a program" },
	{ "look", "a running program, earlier runs, other formats" },
	{ "decide", "is it better now, what to ask for" },
	{ "cluster", "finished jobs, queues, pods" },
	{ "energy", "joules and CO2e" },
	{ "help", "what can be measured here, and what words mean" },
};

struct help_options {
	const char *man;
};

static const struct opt help_opts[] = { { .name = "man",
					  .kind = OPT_TEXT,
					  .into = offsetof(struct help_options, man),
					  .value = "DIR",
					  .help = "write the manual pages of all commands to DIR" },
					{ 0 } };

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

		if (column > 0 && column + 1 + length > HELP_WIDTH) {
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

static void print_first_line(const char *lines, FILE *out)
{
	fprintf(out, "  %.*s\n", (int)strcspn(lines, "\n"), lines);
}

static void print_row(const struct cmd *cmd, FILE *out)
{
	fprintf(out, "  %-10s %s\n", cmd->name, cmd->help);
}

static bool is_listed(const char *name, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->items[i], name) == 0)
			return true;
	}
	return false;
}

static bool has_topic(const struct cmd *cmd, const char *topic)
{
	return !cmd->hidden && strcmp(cmd->topic, topic) == 0;
}

static bool has_commands(const char *topic)
{
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (has_topic(*cmd, topic))
			return true;
	}
	return false;
}

void help_topics(struct names *ret)
{
	for (size_t i = 0; i < COUNT(topics); i++) {
		if (has_commands(topics[i].name))
			names_add(ret, topics[i].name);
	}
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (!(*cmd)->hidden && !is_listed((*cmd)->topic, ret))
			names_add(ret, (*cmd)->topic);
	}
}

const char *help_topic_text(const char *topic)
{
	for (size_t i = 0; i < COUNT(topics); i++) {
		if (strcmp(topics[i].name, topic) == 0)
			return topics[i].text;
	}
	return "";
}

static const struct cmd *front_command(int place)
{
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if ((*cmd)->front == place)
			return *cmd;
	}
	return NULL;
}

/* Does the first page show all that the topic has? */
static bool is_on_front(const char *topic)
{
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (has_topic(*cmd, topic) && !(*cmd)->front)
			return false;
	}
	return true;
}

static void print_topics(FILE *out)
{
	CLEANUP(names_clear) struct names list = { 0 };
	const char *before = "";

	help_topics(&list);
	fputs("More under the topics ", out);
	for (size_t i = 0; i < list.count; i++) {
		if (is_on_front(list.items[i]))
			continue;
		fprintf(out, "%s%s", before, list.items[i]);
		before = ", ";
	}
	fputs(": 'sonde help TOPIC'.\n", out);
}

void help_overview(FILE *out)
{
	const struct cmd *cmd = front_command(1);

	fputs("sonde measures what a program costs: time, CPU, memory, I/O.\n\n", out);
	if (cmd)
		print_first_line(cmd->examples, out);
	fputc('\n', out);
	for (int place = 1; place <= FRONT_ROWS; place++) {
		cmd = front_command(place);
		if (cmd)
			print_row(cmd, out);
	}
	fputc('\n', out);
	print_topics(out);
	fputs("'sonde help COMMAND' shows examples and options; 'sonde --version' the version.\n",
	      out);
}

static void print_topic(const char *topic, FILE *out)
{
	fprintf(out, "%s: %s\n\nexamples:\n", topic, help_topic_text(topic));
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (has_topic(*cmd, topic))
			print_first_line((*cmd)->examples, out);
	}
	fputs("\ncommands:\n", out);
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (has_topic(*cmd, topic))
			print_row(*cmd, out);
	}
	fputs("\n'sonde help COMMAND' shows more of each.\n", out);
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

static void hint(const char *word, const char *near, struct err *err)
{
	if (near && !cmd_find(near) && *near != '-')
		err_hint(err, "did you mean the topic, 'sonde help %s'?", near);
	else if (near)
		err_hint(err, "did you mean 'sonde %s'?", near);
	else if (*word == '-')
		err_hint(err, "'sonde --help' shows what there is");
	else
		err_hint(err,
			 "to measure a program write 'sonde run %s ...'; "
			 "'sonde --help' lists the commands",
			 word);
}

int help_unknown(const char *word)
{
	CLEANUP(names_clear) struct names names = { 0 };
	struct err err = { 0 };

	names_add_commands(&names);
	help_topics(&names);
	names_add(&names, "--help");
	names_add(&names, "--version");
	err_say(&err, -EINVAL, "'%s': no such %s", word, *word == '-' ? "option" : "command");
	hint(word, names_nearest(&names, word), &err);
	return cmd_fail(&err, EXIT_USAGE);
}

static int print_page(const char *word)
{
	CLEANUP(names_clear) struct names list = { 0 };
	const struct cmd *cmd = cmd_find(word);

	help_topics(&list);
	if (is_listed(word, &list))
		print_topic(word, stdout);
	else if (cmd)
		help_page(cmd, stdout);
	else
		return help_unknown(word);
	return EXIT_FINE;
}

static int help_run(void *into, int argc, char **argv)
{
	const struct help_options *options = into;
	struct err err = { 0 };

	if (argc > 1 || (argc > 0 && options->man)) {
		err_say(&err, -EINVAL, "help takes one command or topic, and '%s' is too many",
			argv[argc - 1]);
		return cmd_fail(&err, EXIT_USAGE);
	}
	if (options->man) {
		if (man_write_all(options->man, &err) < 0)
			return cmd_fail(&err, EXIT_PROBLEM);
		return EXIT_FINE;
	}
	if (argc > 0)
		return print_page(argv[0]);
	help_overview(stdout);
	return EXIT_FINE;
}

const struct cmd cmd_help = {
	.name = "help",
	.arguments = "[options] [COMMAND | TOPIC]",
	.help = "examples and options of a command, or the commands of a topic",
	.examples = "sonde help\n"
		    "sonde help run\n"
		    "sonde help look\n"
		    "sonde help --man pages",
	.details = "'sonde COMMAND --help' shows the same page as 'sonde help COMMAND'.",
	.topic = "help",
	.opts = help_opts,
	.options_bytes = sizeof(struct help_options),
	.run = help_run,
};
