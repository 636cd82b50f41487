/* man(7) rather than mdoc(7), which wants examples near the end: here they come first, as on every
 * page of ours. A line that begins with a dot or a quote, and any backslash, would be a request:
 *
 *	.TH SONDE\-RUN 1 2026-11-16 "sonde 0.1.0" "sonde"
 *	.SH NAME
 *	sonde\-run \- run a program and measure what it costs
 */
#include "cmd/man.h"

#include "base/mem.h"
#include "base/text.h"
#include "cmd/help.h"
#include "cmd/version.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_WIDTH 60 /* escapes make it longer, and 80 is the most */

static const struct {
	char letter;
	const char *escape;
} escapes[] = {
	{ '\\', "\\e" },  { '-', "\\-" },   { '\'', "\\(aq" },
	{ '`', "\\(ga" }, { '^', "\\(ha" }, { '~', "\\(ti" },
};

static const char *escape_of(char letter)
{
	for (size_t i = 0; i < COUNT(escapes); i++) {
		if (escapes[i].letter == letter)
			return escapes[i].escape;
	}
	return NULL;
}

static void put(const char *text, size_t count, FILE *out)
{
	if (count > 0 && *text == '.')
		fputs("\\&", out);
	for (size_t i = 0; i < count; i++) {
		const char *escape = escape_of(text[i]);

		if (escape)
			fputs(escape, out);
		else
			fputc(text[i], out);
	}
}

/* Words, in lines that are pleasant to read in the page's source, too. */
static void put_words(const char *text, size_t count, FILE *out)
{
	size_t column = 0;

	for (const char *end = text + count; text < end;) {
		size_t length = strcspn(text, " \n");

		length = length < (size_t)(end - text) ? length : (size_t)(end - text);
		if (column > 0)
			fputc(column + length > SOURCE_WIDTH ? '\n' : ' ', out);
		column = column + length > SOURCE_WIDTH ? length : column + length + 1;
		put(text, length, out);
		text += length;
		text += text < end;
	}
	fputc('\n', out);
}

static void put_line(const char *text, FILE *out)
{
	put(text, strlen(text), out);
	fputc('\n', out);
}

static void put_font(char font, const char *text, FILE *out)
{
	fprintf(out, "\\f%c", font);
	put(text, strlen(text), out);
	fputs("\\fR", out);
}

/* Lines that stand as they are. */
static void put_literal(const char *lines, FILE *out)
{
	fputs(".nf\n.RS 4\n", out);
	while (*lines) {
		size_t length = strcspn(lines, "\n");

		put(lines, length, out);
		fputc('\n', out);
		lines += length;
		lines += *lines == '\n';
	}
	fputs(".RE\n.fi\n", out);
}

/* An empty line parts paragraphs; a line that begins with a blank stands as it is. */
static void put_paragraphs(const char *text, FILE *out)
{
	bool fresh = true;

	while (*text) {
		size_t length = strcspn(text, "\n"), blanks = strspn(text, " ");

		if (length == 0 && !fresh)
			fputs(".PP\n", out);
		else if (blanks > 0 && !fresh)
			fputs(".br\n", out);
		if (length > 0)
			put_words(text + blanks, length - blanks, out);
		fresh = length == 0;
		text += length;
		text += *text == '\n';
	}
}

static void put_title(const char *name, FILE *out)
{
	fputs(".TH ", out);
	for (; *name; name++)
		put(&(char){ (char)toupper((unsigned char)*name) }, 1, out);
	fprintf(out, " 1 %s \"sonde %s\" \"sonde\"\n", SONDE_DATE, SONDE_VERSION);
}

static void put_name(const char *name, const char *help, FILE *out)
{
	CLEANUP(text_clear) struct text line = { 0 };

	text_add_format(&line, "%s - %s", name, help);
	fputs(".SH NAME\n", out);
	put_words(line.data, line.length, out);
}

static void put_option(const struct opt *opt, FILE *out)
{
	CLEANUP(text_clear) struct text help = { 0 };
	char key[] = { '-', opt->key, '\0' };

	fputs(".TP\n", out);
	if (opt->key) {
		put_font('B', key, out);
		fputs(", ", out);
	}
	fputs("\\fB\\-\\-", out);
	if (opt->kind == OPT_BOOL && opt->fallback)
		fputs("[no\\-]", out);
	put(opt->name, strlen(opt->name), out);
	fputs("\\fR", out);
	if (opt->kind != OPT_BOOL) {
		fputs(opt->bare ? "[=" : "=", out);
		put_font('I', opt->value ? opt->value : "VALUE", out);
		fputs(opt->bare ? "]" : "", out);
	}
	fputc('\n', out);
	text_add(&help, opt->help);
	if (opt->fallback)
		text_add_format(&help, " [%s]", opt->fallback);
	put_words(help.data, help.length, out);
}

static void put_options(const struct opt *opts, FILE *out)
{
	static const struct opt help = { .name = "help", .key = 'h', .help = "show a short page" };

	fputs(".SH OPTIONS\n", out);
	for (; opts && opts->name; opts++)
		put_option(opts, out);
	put_option(&help, out);
}

/* References to all pages but the command's own. */
static void put_see_also(const struct cmd *own, FILE *out)
{
	fputs(".SH SEE ALSO\n", out);
	if (own)
		fputs(".BR sonde (1)", out);
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (*cmd == own || (*cmd)->hidden)
			continue;
		fprintf(out, "%s.BR sonde\\-%s (1)", own || cmd > cmd_table ? ",\n" : "",
			(*cmd)->name);
	}
	fputc('\n', out);
}

static void command_page(const struct cmd *cmd, FILE *out)
{
	char name[64];

	snprintf(name, sizeof(name), "sonde-%s", cmd->name);
	put_title(name, out);
	put_name(name, cmd->help, out);
	fputs(".SH SYNOPSIS\n\\fBsonde ", out);
	put(cmd->name, strlen(cmd->name), out);
	fputs("\\fR ", out);
	put_line(cmd->arguments, out);
	fputs(".SH EXAMPLES\n", out);
	put_literal(cmd->examples, out);
	put_options(cmd->opts, out);
	if (cmd->details) {
		fputs(".SH DESCRIPTION\n", out);
		put_paragraphs(cmd->details, out);
	}
	put_see_also(cmd, out);
}

static void put_command(const struct cmd *cmd, FILE *out)
{
	fputs(".TP\n", out);
	put_font('B', cmd->name, out);
	fputc(' ', out);
	put_line(cmd->arguments, out);
	put_words(cmd->help, strlen(cmd->help), out);
}

static void put_topics(FILE *out)
{
	CLEANUP(names_clear) struct names topics = { 0 };

	help_topics(&topics);
	fputs(".SH COMMANDS\n", out);
	for (size_t i = 0; i < topics.count; i++) {
		const char *text = help_topic_text(topics.items[i]);

		fputs(".SS ", out);
		put_line(*text ? text : topics.items[i], out);
		for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
			if (!(*cmd)->hidden && strcmp((*cmd)->topic, topics.items[i]) == 0)
				put_command(*cmd, out);
		}
	}
}

/* What stands on the page of sonde itself and in no command's row. */
static const struct {
	const char *heading, *text;
} sections[] = {
	{ "DESCRIPTION",
	  "The program runs as it would without sonde, and everything that it starts is measured\n"
	  "with it. Each number says how it was got: measured, estimated, or absent and why." },
	{ "FILES", "Recordings are kept in ./.sonde where that directory exists, else in\n"
		   "$XDG_DATA_HOME/sonde (~/.local/share/sonde)." },
	{ "EXIT STATUS",
	  "0, 1 where something went wrong, 2 where the command line was not understood.\n"
	  "'sonde run' ends as the program did." },
};

static void sonde_page(FILE *out)
{
	put_title("sonde", out);
	put_name("sonde", "measure what a program costs: time, CPU, memory, I/O", out);
	fputs(".SH SYNOPSIS\n\\fBsonde\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] ...\n"
	      ".SH EXAMPLES\n",
	      out);
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		CLEANUP(freep) char *line = NULL;

		if (!(*cmd)->front)
			continue;
		line = mem_copy_n((*cmd)->examples, strcspn((*cmd)->examples, "\n"));
		put_literal(line, out);
	}
	put_topics(out);
	for (size_t i = 0; i < COUNT(sections); i++) {
		fprintf(out, ".SH %s\n", sections[i].heading);
		put_paragraphs(sections[i].text, out);
	}
	put_see_also(NULL, out);
}

void man_page(const struct cmd *cmd, FILE *out)
{
	if (cmd)
		command_page(cmd, out);
	else
		sonde_page(out);
}

static int man_write(const char *directory, const struct cmd *cmd, struct err *err)
{
	CLEANUP(freep) char *path = NULL;
	FILE *out;

	if (asprintf(&path, "%s/sonde%s%s.1", directory, cmd ? "-" : "", cmd ? cmd->name : "") < 0)
		mem_fail();
	out = fopen(path, "we");
	if (!out)
		return err_set(err, -errno, "cannot write '%s'", path);
	man_page(cmd, out);
	if (ferror(out) | fclose(out))
		return err_set(err, -errno, "cannot write '%s'", path);
	return 0;
}

int man_write_all(const char *directory, struct err *err)
{
	int r;

	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return err_set(err, -errno, "cannot make the directory '%s'", directory);
	r = man_write(directory, NULL, err);
	for (const struct cmd *const *cmd = cmd_table; *cmd && r == 0; cmd++) {
		if (!(*cmd)->hidden)
			r = man_write(directory, *cmd, err);
	}
	return r;
}
