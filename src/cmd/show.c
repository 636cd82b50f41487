#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/recorded.h"
#include "model/phase.h"
#include "report/report.h"
#include "series/series.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

struct show_options {
	bool tree, json, list;
	const char *series, *phase;
};

static const struct opt show_opts[] = {
	{ .name = "tree",
	  .key = 't',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct show_options, tree),
	  .help = "only the processes: who started whom, every one that was recorded" },
	{ .name = "series",
	  .key = 's',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct show_options, series),
	  .value = "METRIC",
	  .help = "only that metric over time, as a plot; 'all' for every one" },
	{ .name = "list",
	  .key = 'l',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct show_options, list),
	  .help = "with --series: every point as a line, instead of a plot" },
	{ .name = "phase",
	  .key = 'p',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct show_options, phase),
	  .value = "NAME",
	  .help = "only what happened in that phase; NAME#2 is its second repetition" },
	{ .name = "json",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct show_options, json),
	  .help = "everything for scripts, in the format sonde.run/1" },
	{ 0 }
};

static unsigned what_to_read(const struct show_options *options)
{
	if (options->phase)
		return READ_PROCESSES | READ_LINES | READ_PROCESS_LINES;
	if (options->json)
		return READ_PROCESSES | (options->series ? READ_LINES : 0);
	if (options->series)
		return READ_LINES;
	return READ_PROCESSES | (options->tree ? 0 : READ_LINES);
}

/* Puts the facts of one phase in the place of those of the run. */
static int keep_phase(struct facts *facts, const struct show_options *options, struct err *err)
{
	struct facts cut;
	int r = phase_cut(facts, options->phase, &cut, err);

	if (r < 0)
		return r;
	facts_clear(facts);
	*facts = cut;
	if (options->json && !options->series)
		facts_drop_lines(facts);
	return 0;
}

static void show_series(const struct facts *facts, bool list, const struct look *look)
{
	for (size_t i = 0; i < facts->n_lines; i++) {
		if (i > 0)
			printf("\n");
		if (list)
			report_list(&facts->lines[i], look, stdout);
		else
			report_series(facts, &facts->lines[i], facts->n_lines > 1, look, stdout);
	}
}

static int show(const struct show_options *options, const char *run, struct err *err)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct look look = look_of(STDOUT_FILENO);
	int r = recorded_read(run, what_to_read(options), &facts, err);

	if (r == 0 && options->phase)
		r = keep_phase(&facts, options, err);
	if (r == 0 && options->series)
		r = recorded_keep_series(&facts, options->series, err);
	if (r < 0)
		return r;
	if (options->json)
		report_json.write(&facts, stdout, NULL); /* main() tells where stdout fails */
	else if (options->series)
		show_series(&facts, options->list, &look);
	else
		report_show(&facts, options->tree ? SHOW_TREE : SHOW_PAGE, &look, stdout);
	return 0;
}

static int show_run(void *options, int argc, char **argv)
{
	const struct show_options *chosen = options;
	struct err err = { 0 };

	if (argc > 1) {
		err_say(&err, -EINVAL, "show takes one run, and '%s' is one too many", argv[1]);
		return cmd_fail(&err, EXIT_USAGE);
	}
	if (chosen->list && !chosen->series) {
		err_say(&err, -EINVAL, "'--list' is of a series, and none is named");
		err_hint(&err, "write for example: sonde show --series cores --list");
		return cmd_fail(&err, EXIT_USAGE);
	}
	if (show(options, argc > 0 ? argv[0] : NULL, &err) < 0)
		return cmd_fail(&err, EXIT_PROBLEM);
	return EXIT_FINE;
}

const struct cmd cmd_show = {
	.name = "show",
	.arguments = "[options] [RUN]",
	.help = "what a run cost, in full",
	.examples = "sonde show\n"
		    "sonde show @2\n"
		    "sonde show 3f9a --tree\n"
		    "sonde show fit --series memory_tree_bytes\n"
		    "sonde show fit --phase train\n"
		    "sonde show --json | jq .totals.cpu_s.value",
	.details =
	    "RUN is 'last' (meant where none is given), '@2' for the one before it, an id or its "
	    "start, a name given by 'sonde run --name', or the path of a recording.",
	.topic = "look",
	.front = 2,
	.opts = show_opts,
	.options_bytes = sizeof(struct show_options),
	.run = show_run,
};
