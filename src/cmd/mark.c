/* One line to the file in $SONDE_MARK. A script has this in its middle, so it must never stop the
 * script: where there is no sonde, or it has gone, nothing happens and nothing is said. */
#include "base/text.h"
#include "cmd/cmd.h"
#include "sample/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mark_options {
	bool begin, end;
};

static const struct opt mark_opts[] = {
	{ .name = "begin",
	  .key = 'b',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct mark_options, begin),
	  .help = "begin it inside of the phase that is there, until its --end" },
	{ .name = "end",
	  .key = 'e',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct mark_options, end),
	  .help = "end it and all phases inside of it; without a name the newest" },
	{ 0 }
};

/* The words, with blanks between, are the name. */
static void add_name(struct text *line, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		text_add(line, i > 0 ? " " : "");
		text_add(line, argv[i]);
	}
}

static int check(const struct mark_options *options, const char *line, struct err *err)
{
	char name[MARK_NAME_BYTES + 1];
	struct mark mark;

	if (options->begin && options->end)
		return err_say(err, -EINVAL, "'--begin' and '--end' exclude each other");
	if (strchr(line, '\n'))
		return err_say(err, -EINVAL, "a name is one line");
	if (mark_parse(line, strlen(line), name, &mark) == 0)
		return 0;
	err_say(err, -EINVAL, "a phase needs a name");
	return err_hint(err, "write it as in: sonde mark load");
}

/* One write, at the end of the file and shorter than PIPE_BUF, so that marks of many processes
 * never mix. */
static void write_line(const char *path, const struct text *line)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	signal(SIGPIPE, SIG_IGN);
	if (write(fd, line->data, line->length) < 0)
		errno = 0; /* the script matters more */
	close(fd);
}

static int mark_run(void *arg, int argc, char **argv)
{
	const struct mark_options *options = arg;
	const char *path = getenv(MARKS_VARIABLE);
	CLEANUP(text_clear) struct text line = { 0 };
	struct err err = { 0 };

	text_add(&line, options->begin ? "+" : options->end ? "-" : "");
	add_name(&line, argc, argv);
	if (check(options, text_string(&line), &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	if (line.length > MARK_LINE_BYTES)
		line.length = MARK_LINE_BYTES;
	text_add(&line, "\n");
	if (path && *path)
		write_line(path, &line);
	return EXIT_FINE;
}

const struct cmd cmd_mark = {
	.name = "mark",
	.arguments = "[options] [NAME]",
	.help = "name what the program does next, from inside it",
	.examples = "sonde mark load\n"
		    "sonde mark --begin train\n"
		    "sonde mark --end train",
	.details =
	    "For scripts that run under 'sonde run'. Each mark begins a phase and ends the one "
	    "before "
	    "it; with --begin and --end phases stand inside each other. 'sonde show' then has a "
	    "table "
	    "of phases, and 'sonde show --phase NAME' tells of one alone.\n"
	    "\n"
	    "Without sonde around it, it does nothing and ends with 0. A program can do the same "
	    "without this command: it appends the name and a newline to the file in $SONDE_MARK.",
	.topic = "look",
	.opts = mark_opts,
	.options_bytes = sizeof(struct mark_options),
	.run = mark_run,
};
