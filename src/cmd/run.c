#include "sample/run.h"
#include "advise/advise.h"
#include "base/mask.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/version.h"
#include "model/phase.h"
#include "report/report.h"
#include "sample/marks.h"
#include "series/series.h"
#include "source/program.h"
#include "store/store.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct run_options {
	const char *output, *name;
	struct opt_list tags;
	bool quiet, json, no_record, wait;
	uint64_t interval_ns, timeout_ns;
	double budget;
};

#define LEAST_INTERVAL_NS 1000000u

static const struct opt run_opts[] = {
	{ .name = "output",
	  .key = 'o',
	  .kind = OPT_TEXT,
	  .value = "FILE",
	  .into = offsetof(struct run_options, output),
	  .help = "where to keep the recording" },
	{ .name = "name",
	  .key = 'n',
	  .kind = OPT_TEXT,
	  .value = "NAME",
	  .into = offsetof(struct run_options, name),
	  .help = "a name to find this run by" },
	{ .name = "tag",
	  .key = 't',
	  .kind = OPT_LIST,
	  .value = "KEY=VALUE",
	  .into = offsetof(struct run_options, tags),
	  .help = "a note for later; may be given often" },
	{ .name = "interval",
	  .key = 'i',
	  .kind = OPT_DURATION,
	  .value = "TIME",
	  .fallback = "100ms",
	  .into = offsetof(struct run_options, interval_ns),
	  .help = "time between two looks" },
	{ .name = "budget",
	  .kind = OPT_SHARE,
	  .value = "SHARE",
	  .fallback = "1%",
	  .into = offsetof(struct run_options, budget),
	  .help = "how much of one core sonde may use; it looks less often to keep it" },
	{ .name = "wait",
	  .key = 'w',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct run_options, wait),
	  .help = "stay until the last process that it started has gone" },
	{ .name = "timeout",
	  .kind = OPT_DURATION,
	  .value = "TIME",
	  .into = offsetof(struct run_options, timeout_ns),
	  .help = "end the program after this time (SIGTERM, 5 s later SIGKILL)" },
	{ .name = "json",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct run_options, json),
	  .help = "everything for scripts on stdout, after the program's end" },
	{ .name = "quiet",
	  .key = 'q',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct run_options, quiet),
	  .help = "no summary" },
	{ .name = "no-record",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct run_options, no_record),
	  .help = "keep no recording" },
	{ 0 }
};

static int add_tags(const struct opt_list *tags, struct facts *facts, struct err *err)
{
	for (size_t i = 0; i < tags->count; i++) {
		CLEANUP(freep) char *key = mem_copy(tags->items[i]);
		char *equals = strchr(key, '=');

		if (!equals || equals == key) {
			err_say(err, -EINVAL, "'--tag=%s': no KEY=VALUE", tags->items[i]);
			return err_hint(err, "write it as in --tag case=small");
		}
		*equals = '\0';
		facts_add_text(facts, "tag", key, equals + 1);
	}
	return 0;
}

static int check(const struct run_options *options, int argc, struct err *err)
{
	if (argc == 0) {
		err_say(err, -EINVAL, "no program to run");
		return err_hint(err, "write it behind: sonde run python fit.py");
	}
	if (options->interval_ns < LEAST_INTERVAL_NS)
		return err_say(err, -EINVAL, "'--interval' is too short: 1ms is the least");
	if (!(options->budget > 0 && options->budget <= 1))
		return err_say(err, -EINVAL, "'--budget' must be above 0 and at most 100%%");
	if (options->output && options->no_record)
		return err_say(err, -EINVAL, "'--output' and '--no-record' exclude each other");
	return 0;
}

/* Where to keep it, or why nowhere: then the program runs all the same. */
static char *recording_path(const struct run_options *options, time_t started, const char *id)
{
	CLEANUP(freep) char *directory = NULL;
	struct err err = { 0 };
	char *path = NULL;

	if (options->no_record)
		return NULL;
	if (options->output)
		return mem_copy(options->output);
	if (store_directory(&directory, &err) < 0 ||
	    store_new_path(directory, started, id, &path, &err) < 0) {
		cmd_warn("this run will not be kept: %s", err.text);
		return NULL;
	}
	return path;
}

/* Where the program may leave marks, or NULL: most programs leave none, so it is not said aloud. */
static char *marks_path(struct facts *facts)
{
	struct err err = { 0 };
	char *path = NULL;

	if (marks_create(&path, &err) < 0)
		facts_note(facts, "no marks could be taken: %s", err.text);
	return path;
}

static void add_start(const struct run_options *options, char **argv, time_t started,
		      const char *id, struct facts *facts)
{
	char when[32], index[16];
	struct tm utc;

	gmtime_r(&started, &utc);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
	facts_add_text(facts, "run", "id", id);
	if (options->name)
		facts_add_text(facts, "run", "name", options->name);
	facts_add_text(facts, "run", "started", when);
	facts_add_text(facts, "sonde", "version", SONDE_VERSION);
	for (int i = 0; argv[i]; i++) {
		CLEANUP(freep) char *masked = mask_after(i > 0 ? argv[i - 1] : NULL, argv[i]);

		snprintf(index, sizeof(index), "%d", i);
		facts_add_text(facts, "command", index, masked);
	}
}

/* sonde could not even start its launcher: the program runs without it. */
static int run_unmeasured(const struct err *err, char **argv, const char *mark_path)
{
	if (mark_path)
		unlink(mark_path);
	cmd_warn("nothing is measured: %s", err->text);
	execvp(argv[0], argv);
	return errno == ENOENT ? 127 : 126;
}

static int not_started(int error, const char *program)
{
	struct err err = { 0 };

	program_trouble(program, error, &err);
	return cmd_fail(&err, error == ENOENT ? 127 : 126);
}

/* The figures of phases come from the series, which the recording has. */
static void add_phases(struct facts *facts, const char *path)
{
	CLEANUP(facts_clear) struct facts series = { 0 };

	if (facts->n_marks == 0)
		return;
	if (path && recording_read(path, READ_LINES, &series, NULL) < 0)
		series = (struct facts){ 0 };
	phases_add(facts, &series);
}

static void tell(const struct run_options *options, struct facts *facts, const char *path,
		 const struct run_end *end)
{
	struct look look = look_of(STDERR_FILENO);

	if (end->measured.code)
		cmd_warn("%s", end->measured.text);
	if (end->kept.code)
		cmd_warn("this run was not kept in full: %s", end->kept.text);
	if (!options->quiet)
		report_summary(facts,
			       options->output ? options->output
			       : path          ? ""
					       : NULL,
			       &look, stderr);
	if (options->json) {
		add_phases(facts, path);
		report_json.write(facts, stdout, NULL);
	}
}

static int run_run(void *arg, int argc, char **argv)
{
	const struct run_options *options = arg;
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *path = NULL, *mark_path = NULL;
	time_t started = time(NULL);
	char id[STORE_ID_BYTES];
	struct run_end end;
	struct err err = { 0 };
	struct run run = { .argv = argv,
			   .interval_ns = options->interval_ns,
			   .budget = options->budget,
			   .timeout_ns = options->timeout_ns,
			   .wait = options->wait,
			   .keep_stdout = options->json };

	if (check(options, argc, &err) < 0 || add_tags(&options->tags, &facts, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	store_new_id(id);
	run.path = path = recording_path(options, started, id);
	add_start(options, argv, started, id, &facts);
	run.mark_path = mark_path = marks_path(&facts);
	if (run_program(&run, &facts, &end, &err) < 0)
		return run_unmeasured(&err, argv, mark_path);
	if (end.exec_errno)
		return not_started(end.exec_errno, argv[0]);
	advise(&facts);
	tell(options, &facts, path, &end);
	fflush(NULL);
	run_end_like(end.status);
}

const struct cmd cmd_run = {
	.name = "run",
	.arguments = "[options] [--] CMD [ARGS...]",
	.help = "run a program and measure what it costs",
	.examples = "sonde run python fit.py\n"
		    "sonde run --name fit --tag size=small ./fit input.dat\n"
		    "sonde run -- make -j4",
	.details =
	    "The program runs as it would without sonde: its output, exit status, signals and "
	    "terminal are its own. Everything that it starts is measured with it. The summary "
	    "comes on stderr at its end; 'sonde show' tells more.\n"
	    "\n"
	    "sonde ends with the program's status (by the same signal where a signal ended it), "
	    "126 where it cannot be executed, 127 where it is not found, 125 where sonde itself "
	    "failed.",
	.topic = "first",
	.front = 1,
	.opts = run_opts,
	.options_bytes = sizeof(struct run_options),
	.runs_command = true,
	.run = run_run,
};
