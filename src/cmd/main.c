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
	const struct cmd *cmd = word ? cmd_find(word) : NULL;

	if (cmd)
		return close_stdout(call(cmd, argc - 1, argv + 1),
				    cmd->runs_command ? EXIT_SONDE_FAILED : EXIT_PROBLEM);
	if (!word) {
		help_overview(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(word, "--version") == 0)
		return close_stdout(version(), EXIT_PROBLEM);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return close_stdout(call(&cmd_help, argc - 1, argv + 1), EXIT_PROBLEM);
	return help_unknown(word);
}
