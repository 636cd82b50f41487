#include "base/err.h"
#include "base/mem.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/recorded.h"
#include "report/report.h"
#include "series/series.h"
#include "store/store.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct history_options {
	const char *name, *host;
	struct opt_list tags;
	uint64_t since_ns, limit;
	bool json;
};

static const struct opt history_opts[] = {
	{ .name = "name",
	  .key = 'n',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct history_options, name),
	  .value = "NAME",
	  .help = "only runs of that name" },
	{ .name = "tag",
	  .key = 't',
	  .kind = OPT_LIST,
	  .into = offsetof(struct history_options, tags),
	  .value = "KEY=VALUE",
	  .help = "only runs with that tag; several must all be there" },
	{ .name = "host",
	  .kind = OPT_TEXT,
	  .into = offsetof(struct history_options, host),
	  .value = "HOST",
	  .help = "only runs on that machine" },
	{ .name = "since",
	  .kind = OPT_DURATION,
	  .into = offsetof(struct history_options, since_ns),
	  .value = "TIME",
	  .help = "only runs that started in the last 2d, 12h, 30min" },
	{ .name = "limit",
	  .key = 'l',
	  .kind = OPT_NUMBER,
	  .into = offsetof(struct history_options, limit),
	  .fallback = "20",
	  .value = "COUNT",
	  .help = "at most so many, the newest; 0 for all" },
	{ .name = "json",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct history_options, json),
	  .help = "for scripts, in the format sonde.history/1" },
	{ 0 }
};

static bool is_text(const struct facts *facts, const char *section, const char *name,
		    const char *wanted)
{
	const char *text = facts_text(facts, section, name);

	return !wanted || (text && strcmp(text, wanted) == 0);
}

static bool has_tag(const struct facts *facts, const char *tag)
{
	const char *equals = strchr(tag, '=');
	CLEANUP(freep) char *key = mem_copy(tag);

	key[equals - tag] = '\0';
	return is_text(facts, "tag", key, equals + 1);
}

static bool is_wanted(const struct history_options *options, const struct facts *facts)
{
	for (size_t i = 0; i < options->tags.count; i++) {
		if (!has_tag(facts, options->tags.items[i]))
			return false;
	}
	return is_text(facts, "run", "name", options->name) &&
	       is_text(facts, "run", "host", options->host);
}

/* A filter that asks for what a damaged recording cannot tell leaves it out. */
static bool has_filter(const struct history_options *options)
{
	return options->name || options->host || options->tags.count > 0;
}

/* 1 where it was wanted and is in the list now. */
static size_t add_entry(const struct history_options *options, const struct store_entry *entry,
			struct history *history)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct err err = { 0 };

	if (recording_read(entry->path, 0, &facts, &err) < 0) {
		if (has_filter(options))
			return 0;
		history_add_damaged(history, entry->path, entry->id, err.text);
		return 1;
	}
	if (!is_wanted(options, &facts))
		return 0;
	if (facts.repaired)
		recorded_tell(&facts);
	history_add(history, entry->path, entry->id, &facts);
	return 1;
}

static int list_runs(const struct history_options *options, struct err *err)
{
	CLEANUP(store_list_clear) struct store_list list = { 0 };
	struct look look = look_of(STDOUT_FILENO);
	struct history *history;
	size_t i, added = 0;
	char oldest[STORE_STAMP_BYTES];
	int r = store_list(&list, err);

	if (r < 0)
		return r;
	store_stamp_ago(options->since_ns > 0 ? options->since_ns : UINT64_MAX, oldest);
	history = history_new(options->json, &look, stdout);
	for (i = 0; i < list.count && strcmp(list.entries[i].stamp, oldest) >= 0; i++) {
		if (options->limit > 0 && added >= options->limit)
			break;
		added += add_entry(options, &list.entries[i], history);
	}
	history_finish(history, NULL); /* main() tells where stdout fails */
	history_free(history);
	if (added == 0 && !options->json)
		fprintf(stderr,
			list.count > 0 ? "sonde: none of %zu recorded runs is like that\n"
				       : "sonde: no runs are recorded yet; 'sonde run CMD' "
					 "makes one\n",
			list.count);
	else if (options->limit > 0 && added >= options->limit && i < list.count)
		fprintf(stderr, "sonde: these are the newest; --limit 0 lists all\n");
	return 0;
}

static int check_tags(const struct history_options *options, struct err *err)
{
	for (size_t i = 0; i < options->tags.count; i++) {
		const char *tag = options->tags.items[i];

		if (strchr(tag, '=') && tag[0] != '=')
			continue;
		err_say(err, -EINVAL, "'%s' is no tag", tag);
		err_hint(err, "a tag is KEY=VALUE, as it was given to 'sonde run --tag'");
		return -EINVAL;
	}
	return 0;
}

static int history_run(void *into, int argc, char **argv)
{
	const struct history_options *options = into;
	struct err err = { 0 };

	if (argc > 0) {
		err_say(&err, -EINVAL, "history takes options only, and '%s' is none", argv[0]);
		err_hint(&err, "'sonde show %.100s' shows one run", argv[0]);
		return cmd_fail(&err, EXIT_USAGE);
	}
	if (check_tags(options, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	if (list_runs(options, &err) < 0)
		return cmd_fail(&err, EXIT_PROBLEM);
	return EXIT_FINE;
}

const struct cmd cmd_history = {
	.name = "history",
	.arguments = "[options]",
	.help = "the runs that are recorded, newest first",
	.examples = "sonde history\n"
		    "sonde history --since 2d --name fit\n"
		    "sonde history --tag size=large --limit 0\n"
		    "sonde history --json",
	.details = "Recordings of ./.sonde (where that directory exists) and of\n"
		   "$XDG_DATA_HOME/sonde (~/.local/share/sonde) are one list. Its last line says\n"
		   "what the runs in it cost together.",
	.topic = "look",
	.front = 3,
	.opts = history_opts,
	.options_bytes = sizeof(struct history_options),
	.run = history_run,
};
