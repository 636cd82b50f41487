/* Finds the command and hands over. Nothing else happens before it does: what main() costs is added
 * to every program that `sonde run` starts. */
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/version.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

static const struct cmd *find(const char *name)
{
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (strcmp((*cmd)->name, name) == 0)
			return *cmd;
	}
	return NULL;
}

static const char *nearest_command(const char *word)
{
	CLEANUP(freep) const char **names = NULL;
	size_t count = 0, room = 0;

	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		names = mem_grow(names, count, &room, sizeof(*names));
		names[count++] = (*cmd)->name;
	}
	names = mem_grow(names, count, &room, sizeof(*names));
	names[count] = NULL;
	return nearest(word, names);
}

static int unknown(const char *word)
{
	const char *near = nearest_command(word);
	struct err err;

	err_say(&err, -EINVAL, "'%s': no such %s", word, *word == '-' ? "option" : "command");
	if (near)
		err_hint(&err, "did you mean 'sonde %s'?", near);
	else if (*word == '-')
		err_hint(&err, "'sonde --help' shows what there is");
	else
		err_hint(&err,
			 "to measure a program write 'sonde run %s ...'; "
			 "'sonde --help' lists the commands",
			 word);
	return cmd_fail(&err, EXIT_USAGE);
}

static int help(int argc, char **argv)
{
	const struct cmd *cmd = argc > 1 ? find(argv[1]) : NULL;

	if (argc > 1 && !cmd)
		return unknown(argv[1]);
	if (cmd)
		help_page(cmd, stdout);
	else
		help_overview(stdout);
	return EXIT_FINE;
}

static int version(void)
{
	puts("sonde " SONDE_VERSION);
	return EXIT_FINE;
}

static int call(const struct cmd *cmd, int argc, char **argv)
{
	CLEANUP(freep) void *options = mem_new(cmd->options_bytes);
	struct err err;
	int first, status;
	int r = opt_parse(cmd->opts, options, cmd->runs_command, argc, argv, &first, &err);

	if (r < 0) {
		if (!err.hint[0])
			err_hint(&err, "'sonde help %s' shows its options", cmd->name);
		status = cmd_fail(&err, EXIT_USAGE);
	} else if (r == OPT_HELP) {
		help_page(cmd, stdout);
		status = EXIT_FINE;
	} else {
		status = cmd->run(options, argc - first, argv + first);
	}
	opt_clear(cmd->opts, options);
	return status;
}

/* Data that did not arrive is a failure, though the last byte may leave only here: a full disk, a
 * reader that has gone. A stdout that was closed from the start matters only to those who used it.
 */
static int close_stdout(int status, int failed)
{
	struct err err;
	bool pending = __fpending(stdout) > 0;
	bool broken = ferror(stdout);
	int r = fclose(stdout);

	if (!broken && (r == 0 || (errno == EBADF && !pending)))
		return status;
	if (r < 0)
		err_set(&err, -errno, "cannot write to standard output");
	else
		err_say(&err, -EIO, "cannot write all of it to standard output");
	cmd_fail(&err, failed);
	return status ? status : failed;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct cmd *cmd = word ? find(word) : NULL;

	if (cmd)
		return close_stdout(call(cmd, argc - 1, argv + 1),
				    cmd->runs_command ? EXIT_SONDE_FAILED : EXIT_PROBLEM);
	if (!word) {
		help_overview(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(word, "--version") == 0)
		return close_stdout(version(), EXIT_PROBLEM);
	if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return close_stdout(help(argc - 1, argv + 1), EXIT_PROBLEM);
	return unknown(word);
}
