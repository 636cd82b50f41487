#include "base/mem.h"
#include "base/opt.h"
#include "cmd/candidates.h"
#include "cmd/cmd.h"
#include "cmd/names.h"
#include "cmd/scripts.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

struct completion_options {
	bool candidates;
};

static const struct opt completion_opts[] = {
	{ .name = "candidates",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct completion_options, candidates),
	  .help = "what may come next on the command line that follows (for the scripts)" },
	{ 0 }
};

static int unknown_shell(const char *name)
{
	CLEANUP(names_clear) struct names names = { 0 };
	struct err err = { 0 };
	const char *near;

	for (const struct script *script = script_table; script->shell; script++)
		names_add(&names, script->shell);
	near = names_nearest(&names, name);
	err_say(&err, -EINVAL, "'%s': no script for this shell", name);
	if (near)
		err_hint(&err, "did you mean 'sonde completion %s'?", near);
	else
		err_hint(&err, "there are scripts for bash, zsh and fish");
	return cmd_fail(&err, EXIT_USAGE);
}

static int completion_run(void *into, int argc, char **argv)
{
	const struct completion_options *options = into;
	struct err err = { 0 };

	if (options->candidates) {
		candidates_print(argc, argv, stdout);
		return EXIT_FINE;
	}
	if (argc != 1) {
		err_say(&err, -EINVAL, "completion takes the name of one shell");
		err_hint(&err, "write 'sonde completion bash', zsh or fish");
		return cmd_fail(&err, EXIT_USAGE);
	}
	for (const struct script *script = script_table; script->shell; script++) {
		if (strcmp(script->shell, argv[0]) != 0)
			continue;
		fputs(script->text, stdout);
		return EXIT_FINE;
	}
	return unknown_shell(argv[0]);
}

const struct cmd cmd_completion = {
	.name = "completion",
	.arguments = "SHELL",
	.help = "a script that lets bash, zsh or fish complete sonde's words",
	.examples = "sonde completion bash\n"
		    "eval \"$(sonde completion bash)\"\n"
		    "sonde completion fish >~/.config/fish/completions/sonde.fish",
	.details = "For bash put the second line into ~/.bashrc; for zsh the same with 'zsh' into "
		   "~/.zshrc, "
		   "behind compinit. 'make install' puts all three where the shells look for them.",
	.topic = "help",
	.opts = completion_opts,
	.options_bytes = sizeof(struct completion_options),
	.run = completion_run,
};
