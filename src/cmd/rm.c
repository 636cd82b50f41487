/* All that is named is looked at before anything goes: a mistyped second word must not leave half
 * of the work done. */
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/removal.h"
#include "store/store.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LISTED 4 /* runs of one name that an error shows */

struct rm_options {
	bool all, dry_run;
};

static const struct opt rm_opts[] = { { .name = "all",
					.key = 'a',
					.kind = OPT_BOOL,
					.into = offsetof(struct rm_options, all),
					.help = "where several runs have that name, all of them" },
				      { .name = "dry-run",
					.key = 'n',
					.kind = OPT_BOOL,
					.into = offsetof(struct rm_options, dry_run),
					.help = "only show what would be removed" },
				      { 0 } };

static void add_id(struct text *ids, const char *path)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	const char *id = NULL;

	if (store_may_remove(path, &facts, NULL) == 0)
		id = facts_text(&facts, "run", "id");
	text_add_format(ids, "%s%s", ids->length > 0 ? ", " : "", id ? id : path);
}

static int refuse_several(const struct store_list *found, const char *what, struct err *err)
{
	CLEANUP(text_clear) struct text ids = { 0 };

	for (size_t i = 0; i < found->count && i < LISTED; i++)
		add_id(&ids, found->entries[i].path);
	err_say(err, -ENOTUNIQ, "%zu runs have the name '%s': %s%s", found->count, what,
		text_string(&ids), found->count > LISTED ? ", ..." : "");
	return err_hint(err, "an id removes one of them, --all removes them all");
}

static int choose(const char *what, bool all, struct removal *removal, struct err *err)
{
	CLEANUP(store_list_clear) struct store_list found = { 0 };
	int r = store_find_all(what, &found, err);

	if (r == 0 && found.count > 1 && !all)
		r = refuse_several(&found, what, err);
	for (size_t i = 0; r == 0 && i < found.count; i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };

		r = store_may_remove(found.entries[i].path, &facts, err);
		if (r == 0)
			removal_add(removal, found.entries[i].path);
	}
	return r;
}

static int rm_run(void *into, int argc, char **argv)
{
	CLEANUP(removal_clear) struct removal removal = { 0 };
	const struct rm_options *options = into;
	int status = EXIT_FINE;

	if (argc == 0) {
		struct err err = { 0 };

		err_say(&err, -EINVAL, "rm needs the run to remove");
		err_hint(&err, "'sonde history' lists them; 'sonde rm last' removes the newest");
		return cmd_fail(&err, EXIT_USAGE);
	}
	for (int i = 0; i < argc; i++) {
		struct err err = { 0 };

		if (choose(argv[i], options->all, &removal, &err) < 0) {
			err_in(&err, "cannot remove '%s'", argv[i]);
			status = cmd_fail(&err, EXIT_PROBLEM);
		}
	}
	if (status != EXIT_FINE && argc > 1)
		fprintf(stderr, "sonde: nothing was removed\n");
	return status == EXIT_FINE ? removal_run(&removal, options->dry_run) : status;
}

const struct cmd cmd_rm = {
	.name = "rm",
	.arguments = "[options] RUN...",
	.help = "remove recordings of runs",
	.examples = "sonde rm 3f9a2c71\n"
		    "sonde rm last @2\n"
		    "sonde rm --all --dry-run fit",
	.details = "RUN is named as for 'sonde show'. A name that several runs have needs --all.\n"
		   "Nothing is removed unless all that was named can be: never a run that still\n"
		   "lasts, nor a file that is no recording.",
	.topic = "look",
	.opts = rm_opts,
	.options_bytes = sizeof(struct rm_options),
	.run = rm_run,
};
