#include "sample/run.h"
#include "advise/advise.h"
#include "base/mask.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/version.h"
#include "model/phase.h"
#include "relay/format.h"
#include "relay/relay.h"
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
	const char *stamp;
	struct opt_list tags, mark_on;
	bool quiet, json, no_record, wait, live;
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
	{ .name = "stamp",
	  .kind = OPT_TEXT,
	  .value = "FORMAT",
	  .bare = FORMAT_DEFAULT,
	  .into = offsetof(struct run_options, stamp),
	  .help = "put time, busy cores and memory before each line of its output" },
	{ .name = "mark-on",
	  .kind = OPT_LIST,
	  .value = "REGEX",
	  .into = offsetof(struct run_options, mark_on),
	  .help = "a line of its output that matches begins a phase; may be given often" },
	{ .name = "live",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct run_options, live),
	  .help = "a line on the terminal with what it uses now, while it runs" },
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

#define DRAIN_MS 1000

/* For marks in the last lines. Who reads the output slowly is waited for later. */
static void drain_shortly(void *relay)
{
	relay_drain(relay, DRAIN_MS);
}

static int make_relay(const struct run_options *options, struct relay *ret, struct err *err)
{
	const struct relay_wish wish = { .stamp = options->stamp,
					 .mark_on = options->mark_on.items,
					 .n_mark_on = options->mark_on.count,
					 .live = options->live };

	return relay_init(ret, &wish, err);
}

static void start_relay(struct relay *relay, struct run *run)
{
	struct err err = { 0 };

	if (relay_start(relay, run->mark_path, &err) < 0)
		cmd_warn("the program's output is left as it is: %s", err.text);
	run->stdout_fd = relay->stdout_fd;
	run->stderr_fd = relay->stderr_fd;
	run->keep_fd = relay->control;
	run->now = relay->now;
	run->drain = drain_shortly;
	run->drain_arg = relay;
}

/* What we say comes after the program's last byte. */
static void finish_relay(struct relay *relay)
{
	struct err err = { 0 };

	relay_drain(relay, -1);
	if (relay_lost(relay, &err) < 0)
		cmd_warn("%s", err.text);
}

static int run_run(void *arg, int argc, char **argv)
{
	const struct run_options *options = arg;
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(relay_close) struct relay relay = { 0 };
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

	if (check(options, argc, &err) < 0 || add_tags(&options->tags, &facts, &err) < 0 ||
	    make_relay(options, &relay, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	store_new_id(id);
	run.path = path = recording_path(options, started, id);
	add_start(options, argv, started, id, &facts);
	run.mark_path = mark_path = marks_path(&facts);
	start_relay(&relay, &run);
	if (run_program(&run, &facts, &end, &err) < 0)
		return run_unmeasured(&err, argv, mark_path);
	finish_relay(&relay);
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
		    "sonde run --stamp --live -- make -j4",
	.details =
	    "The program runs as it would without sonde: its output, exit status, signals and "
	    "terminal are its own. Everything that it starts is measured with it. The summary "
	    "comes on stderr at its end; 'sonde show' tells more.\n"
	    "\n"
	    "sonde ends with the program's status (by the same signal where a signal ended it), "
	    "126 where it cannot be executed, 127 where it is not found, 125 where sonde itself "
	    "failed.\n"
	    "\n"
	    "--stamp alone writes '[00:12:31 3.1c 5.2G] '. A FORMAT has fields in braces: {time} "
	    "{clock} {cores} {memory} {peak} {processes} {read} {written} {stream}; '{{' is a "
	    "brace.",
	.topic = "first",
	.front = 1,
	.opts = run_opts,
	.options_bytes = sizeof(struct run_options),
	.runs_command = true,
	.run = run_run,
};
