/* `sonde truth WORK` does work of known cost: `sonde doctor` runs it under `sonde run`. */
#include "cmd/cmd.h"
#include "cmd/prove.h"

#include <errno.h>

static int truth_run(void *options, int argc, char **argv)
{
	struct err err = { 0 };

	(void)options;
	if (argc == 1 && prove_work(argv[0]) == 0)
		return EXIT_FINE;
	err_say(&err, -EINVAL, "truth takes the name of one work");
	err_hint(&err, "'sonde doctor' does all of them");
	return cmd_fail(&err, EXIT_USAGE);
}

const struct cmd cmd_truth = {
	.name = "truth",
	.arguments = "WORK",
	.help = "do work of known cost, for 'sonde doctor'",
	.examples = "sonde truth cpu",
	.topic = "help",
	.hidden = true,
	.run = truth_run,
};
