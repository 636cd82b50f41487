#include "base/json.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "sample/events.h"
#include "source/capture.h"
#include "source/source.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct doctor_options {
	const char *capture;
	uint64_t pid;
	bool json;
};

static const struct opt doctor_opts[] = {
	{ .name = "capture",
	  .key = 'c',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct doctor_options, capture),
	  .value = "DIR",
	  .help = "write the /proc and /sys files that sonde reads to DIR, secrets masked" },
	{ .name = "pid",
	  .key = 'p',
	  .kind = OPT_NUMBER,
	  .into = offsetof(struct doctor_options, pid),
	  .value = "PID",
	  .help = "of this process instead of sonde's own" },
	{ .name = "json",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct doctor_options, json),
	  .help = "for scripts, in the format sonde.doctor/1" },
	{ 0 }
};

#define MOST_METRICS 64

struct finding {
	const char *name, *help;
	size_t metrics, present;
	struct err err; /* why nothing could be read */
};

static void examine(const struct source *source, int pid, struct finding *finding)
{
	struct value values[MOST_METRICS] = { 0 };
	void *state = NULL;
	int r = source->open("/", pid, &state, &finding->err);

	finding->name = source->name;
	finding->help = source->help;
	if (r == 0)
		r = source->read(state, values, &finding->err);
	for (size_t i = 0; source->metrics[i].name; i++) {
		finding->metrics++;
		finding->present += r == 0 && value_is(values[i]);
		if (r == 0 && !value_is(values[i]) && source->metrics[i].absent)
			err_say(&finding->err, -ENODATA, "%s", source->metrics[i].absent);
	}
	if (state)
		source->close(state);
}

static void examine_events(int pid, struct finding *finding)
{
	struct events *events = NULL;

	*finding = (struct finding){ .name = "events",
				     .metrics = 1,
				     .help = "every fork, exec and exit, by perf events" };
	finding->present = events_open(pid, &events, &finding->err) == 0;
	if (!finding->present && finding->err.code == -EACCES)
		err_say(&finding->err, -EACCES,
			"closed to you; root may open it: "
			"sysctl kernel.perf_event_paranoid=2");
	events_close(events);
}

static const char *verdict(const struct finding *finding)
{
	if (finding->present == finding->metrics)
		return "works";
	return finding->present ? "in part" : "not here";
}

static void print(const struct finding *finding)
{
	printf("%-10s %-9s %s\n", finding->name, verdict(finding), finding->help);
	if (finding->present < finding->metrics && finding->err.code)
		printf("%-10s %-9s %s\n", "", "", finding->err.text);
}

static void print_json(struct json *json, const struct finding *finding)
{
	json_object_line(json, NULL);
	json_string(json, "source", finding->name);
	json_string(json, "state", verdict(finding));
	json_string(json, "help", finding->help);
	if (finding->present < finding->metrics && finding->err.code)
		json_string(json, "why", finding->err.text);
	json_object_end(json);
}

static void examine_all(const struct doctor_options *options, int pid)
{
	struct json json;
	struct finding finding;
	const struct source *const *source = source_table;

	if (options->json) {
		json_init(&json, stdout);
		json_object(&json, NULL);
		json_string(&json, "format", "sonde.doctor/1");
		json_array(&json, "sources");
	}
	for (bool last = false; !last; source++) {
		last = !*source;
		finding = (struct finding){ 0 };
		if (last)
			examine_events(pid, &finding);
		else
			examine(*source, pid, &finding);
		if (options->json)
			print_json(&json, &finding);
		else
			print(&finding);
	}
	if (options->json) {
		json_array_end(&json);
		json_object_end(&json);
	}
}

static int doctor_run(void *arg, int argc, char **argv)
{
	const struct doctor_options *options = arg;
	int pid = options->pid ? (int)options->pid : getpid();
	struct err err = { 0 };

	if (argc > 0) {
		err_say(&err, -EINVAL, "doctor takes no arguments, and there is '%s'", argv[0]);
		return cmd_fail(&err, EXIT_USAGE);
	}
	if (!options->capture) {
		examine_all(options, pid);
		return EXIT_FINE;
	}
	if (source_capture("/", pid, options->capture, &err) < 0) {
		err_in(&err, "cannot capture to '%s'", options->capture);
		return cmd_fail(&err, EXIT_PROBLEM);
	}
	fprintf(
	    stderr,
	    "sonde: wrote '%s'; captured.txt in it lists every file: look before you share it\n",
	    options->capture);
	return EXIT_FINE;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.arguments = "[options]",
	.help = "what can be measured on this machine, and why not the rest",
	.examples = "sonde doctor\n"
		    "sonde doctor --capture for-a-bug-report",
	.details =
	    "A capture serves as a bug report, and as a fixture in sonde's own tests. Host and "
	    "user "
	    "names, and secrets in command lines, are masked; environments are never written.",
	.topic = "help",
	.opts = doctor_opts,
	.options_bytes = sizeof(struct doctor_options),
	.run = doctor_run,
};
