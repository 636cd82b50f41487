/* Three limits, and what is beyond any of them goes, the oldest first. A run that somebody gave a
 * name or a tag is one that somebody wants to find again, so that it stays unless --named says
 * otherwise; it does not count for --keep, but takes room as any other. */
#include "base/human.h"
#include "base/mem.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/removal.h"
#include "store/store.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_LIMIT UINT64_MAX

struct prune_options {
	const char *older_than, *keep, *max_size;
	bool named, dry_run;
};

/* As text, since 0 is a limit, too, and none is not 0. */
static const struct opt prune_opts[] = {
	{ .name = "older-than",
	  .kind = OPT_TEXT,
	  .into = offsetof(struct prune_options, older_than),
	  .value = "TIME",
	  .help = "remove runs that started longer ago: 12h, 30d, 8w" },
	{ .name = "keep",
	  .kind = OPT_TEXT,
	  .into = offsetof(struct prune_options, keep),
	  .value = "COUNT",
	  .help = "remove all but so many, the newest" },
	{ .name = "max-size",
	  .kind = OPT_TEXT,
	  .into = offsetof(struct prune_options, max_size),
	  .value = "SIZE",
	  .help = "remove the oldest until all take no more than 500M, 10G" },
	{ .name = "named",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct prune_options, named),
	  .help = "also runs that have a name or a tag" },
	{ .name = "dry-run",
	  .key = 'n',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct prune_options, dry_run),
	  .help = "only show what would be removed" },
	{ 0 }
};

struct limits {
	uint64_t age_ns, count, bytes;
};

static int parse_limit(const char *option, const char *text,
		       int (*parse)(const char *text, uint64_t *ret), const char *example,
		       uint64_t *ret, struct err *err)
{
	*ret = NO_LIMIT;
	if (!text || parse(text, ret) == 0)
		return 0;
	err_say(err, -EINVAL, "'--%s=%s': not understood", option, text);
	return err_hint(err, "write --%s %s", option, example);
}

static int parse_limits(const struct prune_options *options, struct limits *ret, struct err *err)
{
	int r = parse_limit("older-than", options->older_than, parse_duration, "30d", &ret->age_ns,
			    err);

	if (r == 0)
		r = parse_limit("keep", options->keep, parse_u64, "100", &ret->count, err);
	if (r == 0)
		r = parse_limit("max-size", options->max_size, parse_bytes, "10G", &ret->bytes,
				err);
	if (r < 0 || options->older_than || options->keep || options->max_size)
		return r;
	err_say(err, -EINVAL, "prune needs a limit");
	return err_hint(err, "write --older-than 30d, --keep 100 or --max-size 10G; with --dry-run "
			     "it only shows what would go");
}

struct run {
	uint64_t bytes;
	bool may_go, goes;
};

struct left {
	size_t running, unreadable, named;
	uint64_t bytes; /* of those that stay */
};

static bool has_name(const struct facts *facts)
{
	const char *name = facts_text(facts, "run", "name");
	bool has = name && *name;

	for (size_t i = 0; i < facts->n_facts; i++)
		has = has || strcmp(facts->facts[i].section, "tag") == 0;
	return has;
}

static bool may_go(const char *path, bool named, struct left *left)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	int r = store_may_remove(path, &facts, &(struct err){ 0 });
	bool kept = r == 0 && !named && has_name(&facts);

	left->running += r == -EBUSY;
	left->unreadable += r < 0 && r != -EBUSY;
	left->named += kept;
	return r == 0 && !kept;
}

/* By age and number, newest first. */
static void mark_old(const struct store_list *list, const struct limits *limits, struct run *runs,
		     struct left *left)
{
	char oldest[STORE_STAMP_BYTES];
	uint64_t seen = 0;

	store_stamp_ago(limits->age_ns, oldest);
	for (size_t i = 0; i < list->count; i++) {
		runs[i].goes = runs[i].may_go && (strcmp(list->entries[i].stamp, oldest) < 0 ||
						  seen >= limits->count);
		seen += runs[i].may_go;
		left->bytes += runs[i].goes ? 0 : runs[i].bytes;
	}
}

static void mark_large(size_t count, uint64_t most, struct run *runs, struct left *left)
{
	for (size_t i = count; i > 0 && left->bytes > most; i--) {
		if (!runs[i - 1].may_go || runs[i - 1].goes)
			continue;
		runs[i - 1].goes = true;
		left->bytes -= runs[i - 1].bytes;
	}
}

static void tell(const struct left *left, const struct limits *limits)
{
	const struct {
		size_t count;
		const char *why;
	} rows[] = {
		{ left->named, "with a name or tags; --named removes such, too" },
		{ left->running, "not ended yet" },
		{ left->unreadable, "not readable; 'sonde history' says why" },
	};
	char is[HUMAN_BYTES], most[HUMAN_BYTES];

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].count > 0)
			fprintf(stderr, "sonde: left alone: %zu %s\n", rows[i].count, rows[i].why);
	}
	if (left->bytes > limits->bytes)
		cmd_warn("what is left takes %s, more than %s",
			 human_bytes((double)left->bytes, is),
			 human_bytes((double)limits->bytes, most));
}

static int prune(const struct prune_options *options, const struct limits *limits, int *ret_status,
		 struct err *err)
{
	CLEANUP(store_list_clear) struct store_list list = { 0 };
	CLEANUP(removal_clear) struct removal removal = { 0 };
	CLEANUP(freep) struct run *runs = NULL;
	struct left left = { 0 };
	int r = store_list(&list, err);

	if (r < 0)
		return r;
	runs = mem_new(list.count * sizeof(*runs));
	for (size_t i = 0; i < list.count; i++) {
		runs[i].may_go = may_go(list.entries[i].path, options->named, &left);
		runs[i].bytes = store_bytes(list.entries[i].path);
	}
	mark_old(&list, limits, runs, &left);
	mark_large(list.count, limits->bytes, runs, &left);
	for (size_t i = list.count; i > 0; i--) {
		if (runs[i - 1].goes)
			removal_add(&removal, list.entries[i - 1].path);
	}
	*ret_status = removal_run(&removal, options->dry_run);
	tell(&left, limits);
	return 0;
}

static int prune_run(void *into, int argc, char **argv)
{
	const struct prune_options *options = into;
	struct limits limits;
	struct err err = { 0 };
	int status;

	if (argc > 0) {
		err_say(&err, -EINVAL, "prune takes options only, and '%s' is none", argv[0]);
		err_hint(&err, "'sonde rm %.100s' removes one run", argv[0]);
		return cmd_fail(&err, EXIT_USAGE);
	}
	if (parse_limits(options, &limits, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	if (prune(options, &limits, &status, &err) < 0)
		return cmd_fail(&err, EXIT_PROBLEM);
	return status;
}

const struct cmd cmd_prune = {
	.name = "prune",
	.arguments = "[options]",
	.help = "remove old recordings, by age, number or size",
	.examples = "sonde prune --older-than 30d --dry-run\n"
		    "sonde prune --keep 100\n"
		    "sonde prune --older-than 8w --max-size 10G --named",
	.details =
	    "What is beyond any of the limits goes, the oldest first. Runs with a name or a\n"
	    "tag stay without --named; they do not count for --keep. Runs that still last,\n"
	    "and what cannot be read as a recording, always stay.",
	.topic = "look",
	.opts = prune_opts,
	.options_bytes = sizeof(struct prune_options),
	.run = prune_run,
};
