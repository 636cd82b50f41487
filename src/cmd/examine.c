/* A row that is closed says what would open it: most of these are settings of the kernel that only
 * root may change, and in a container only root of the machine below. */
#include "cmd/examine.h"

#include "base/file.h"
#include "base/human.h"
#include "base/parse.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "report/look.h"
#include "sample/events.h"
#include "source/context.h"
#include "source/source.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define MOST_METRICS 64
#define SMALL_SPACE_BYTES 100e6 /* a long run of many processes takes some tens of MB */

static const char WORKS[] = "works", IN_PART[] = "in part", NOT_HERE[] = "not here";

/* The order in which areas are shown; one that is not here comes last. */
static const char *const areas[] = { "cpu",    "memory", "io",       "processes",  "machine",
				     "cgroup", "job",    "terminal", "recordings", NULL };

struct exam {
	struct examination *to;
	struct facts context;
	int pid;
};

/* Settings whose value closes a source: outside of [from, to] it is the reason. */
static const struct setting {
	const char *source, *file;
	int64_t from, to;
	const char *needs, *command;
} settings[] = {
	{ "stat", "proc/sys/kernel/task_delayacct", 1, 1, "delay accounting",
	  "sysctl kernel.task_delayacct=1" },
	{ "events", "proc/sys/kernel/perf_event_paranoid", -1, 2, "perf events open to users",
	  "sysctl kernel.perf_event_paranoid=2" },
	{ "kernel log", "proc/sys/kernel/dmesg_restrict", 0, 0, "a kernel log open to users",
	  "sysctl kernel.dmesg_restrict=0" },
};

/* What is missing where no setting is the reason. */
static const struct lack {
	const char *source, *file; /* only where this file is not there */
	const char *needs, *command;
} lacks[] = {
	{ "stat", "proc/sys/kernel/task_delayacct", "delay accounting",
	  "start the machine with 'delayacct' on the kernel's command line" },
	{ "pressure", "proc/pressure/cpu", "pressure accounting (Linux 4.20 or newer)",
	  "start the machine with 'psi=1' on the kernel's command line" },
	{ "cgroup", "sys/fs/cgroup/cgroup.controllers", "cgroup version 2",
	  "start the machine with 'systemd.unified_cgroup_hierarchy=1' on the kernel's command "
	  "line" },
};

static bool in_container(const struct exam *exam)
{
	const char *container = facts_text(&exam->context, "machine", "container");

	return container && strcmp(container, "none") != 0;
}

static const char *root_of(const struct exam *exam)
{
	return in_container(exam) ? "root of the machine below this container" : "root";
}

static bool closes(const struct setting *setting)
{
	CLEANUP(freep) char *text = NULL;
	int64_t value;

	return file_read("/", setting->file, &text, NULL) >= 0 && parse_i64(text, &value) == 0 &&
	       (value < setting->from || value > setting->to);
}

static bool is_missing(const char *file)
{
	CLEANUP(closep) int fd = file_open("/", file, NULL);

	return fd < 0;
}

static void set_need(const struct exam *exam, const char *needs, const char *command,
		     struct finding *finding)
{
	finding->needs = needs;
	finding->command = command;
	finding->who = root_of(exam);
}

static void add_need(const struct exam *exam, struct finding *finding)
{
	for (size_t i = 0; i < COUNT(settings) && !finding->needs; i++) {
		if (strcmp(settings[i].source, finding->name) == 0 && closes(&settings[i]))
			set_need(exam, settings[i].needs, settings[i].command, finding);
	}
	for (size_t i = 0; i < COUNT(lacks) && !finding->needs; i++) {
		if (strcmp(lacks[i].source, finding->name) == 0 && is_missing(lacks[i].file))
			set_need(exam, lacks[i].needs, lacks[i].command, finding);
	}
}

/* Another user's process is closed whatever the settings are. */
static void add_owner(const struct exam *exam, struct finding *finding)
{
	finding->needs = "the right to look at that process";
	finding->command = arena_format(&exam->to->arena, "sudo sonde doctor --pid %d", exam->pid);
	finding->who = "root, or the owner of the process";
}

static struct finding *add(struct exam *exam, const char *area, const char *name, const char *help)
{
	struct examination *to = exam->to;

	to->findings = mem_grow(to->findings, to->count, &to->room, sizeof(*to->findings));
	to->findings[to->count] =
	    (struct finding){ .area = area, .name = name, .help = help, .state = WORKS };
	return &to->findings[to->count++];
}

static void examine_source(struct exam *exam, const struct source *source)
{
	struct finding *finding = add(exam, source->area ? source->area : "other", source->name,
				      source->help);
	struct value values[MOST_METRICS] = { 0 };
	struct err err = { 0 };
	void *state = NULL;
	size_t present = 0, count = source_count(source);
	int r = source->open("/", exam->pid, &state, &err);

	if (r == 0)
		r = source->read(state, values, &err);
	for (size_t i = 0; i < count; i++) {
		present += r == 0 && value_is(values[i]);
		if (r == 0 && !value_is(values[i]) && source->metrics[i].absent)
			err_say(&err, -ENODATA, "%s", source->metrics[i].absent);
	}
	if (state)
		source->close(state);
	if (present == count)
		return;
	finding->state = present > 0 ? IN_PART : NOT_HERE;
	finding->detail = err.code ? arena_copy(&exam->to->arena, err.text) : NULL;
	if (err.code == -EACCES || err.code == -EPERM)
		add_owner(exam, finding);
	else if (source->scope == SCOPE_RUN || (err.code != -ESRCH && err.code != -ENOENT))
		add_need(exam, finding);
}

static void examine_events(struct exam *exam)
{
	struct finding *finding = add(exam, "processes", "events",
				      "every fork, exec and exit, by perf events");
	struct events *events = NULL;
	struct err err = { 0 };

	if (events_open(exam->pid, &events, &err) < 0) {
		finding->state = NOT_HERE;
		finding->detail = arena_copy(&exam->to->arena, err.text);
		add_need(exam, finding);
	}
	if (!finding->needs && (err.code == -EPERM || err.code == -EACCES) && in_container(exam)) {
		finding->needs = "a container that allows perf_event_open";
		finding->command = "docker run --security-opt seccomp=PROFILE";
		finding->who = "whoever starts the container";
	}
	events_close(events);
}

static void examine_clock(struct exam *exam)
{
	struct finding *finding = add(exam, "cpu", "clock", "the clock that times are read from");
	CLEANUP(freep) char *source = NULL;
	struct timespec step = { 0 };
	char words[HUMAN_BYTES];

	clock_getres(CLOCK_BOOTTIME, &step);
	human_duration((double)step.tv_sec + (double)step.tv_nsec / 1e9, words);
	if (step.tv_sec > 0 || step.tv_nsec > 1000000)
		finding->state = IN_PART;
	file_read("/", "sys/devices/system/clocksource/clocksource0/current_clocksource", &source,
		  NULL);
	finding->detail = source ? arena_format(&exam->to->arena, "%.*s, in steps of %s",
						(int)strcspn(source, "\n"), source, words)
				 : arena_format(&exam->to->arena, "in steps of %s", words);
}

/* Where the kernel says whom it killed for lack of memory. */
static void examine_kernel_log(struct exam *exam)
{
	struct finding *finding = add(exam, "memory", "kernel log",
				      "whom the kernel killed for lack of memory");
	CLEANUP(closep) int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct err err;

	if (fd >= 0)
		return;
	finding->state = NOT_HERE;
	err_set(&err, -errno, "'/dev/kmsg'");
	finding->detail = arena_copy(&exam->to->arena, err.text);
	add_need(exam, finding);
}

static void examine_cgroup_version(struct exam *exam)
{
	struct finding *finding = add(exam, "cgroup", "version", "which cgroups the machine has");
	const char *version = facts_text(&exam->context, "machine", "cgroup_version");

	if (!version || strcmp(version, "none") == 0) {
		finding->state = NOT_HERE;
		finding->detail = "no cgroups are to be seen from here";
	} else if (strcmp(version, "hybrid") == 0) {
		finding->detail = "both versions; limits are those of version 1";
	} else {
		finding->detail = arena_format(&exam->to->arena, "version %s", version);
	}
}

static void examine_machine(struct exam *exam)
{
	struct finding *finding = add(exam, "machine", "kind", "what sort of machine this is");
	const char *container = facts_text(&exam->context, "machine", "container");
	struct value virtual = facts_value(&exam->context, "machine", "virtual");
	struct value cores = facts_value(&exam->context, "machine", "cores");
	CLEANUP(text_clear) struct text text = { 0 };

	text_add(&text,
		 value_is(virtual) && virtual.number != 0 ? "a virtual machine" : "a machine");
	if (value_is(cores))
		text_add_format(&text, " with %.0f core%s", cores.number,
				cores.number == 1 ? "" : "s");
	if (in_container(exam))
		text_add_format(&text, ", seen from a container (%s)", container);
	finding->detail = arena_copy(&exam->to->arena, text.data);
}

static void examine_scheduler(struct exam *exam)
{
	struct finding *finding = add(exam, "job", "scheduler",
				      "the job that this runs in, and what it asked for");
	const char *name = facts_text(&exam->context, "context", "scheduler");
	const char *id = facts_text(&exam->context, "context", "job_id");

	if (name && strcmp(name, "none") != 0) {
		finding->detail = arena_format(&exam->to->arena, "%s, job %s", name,
					       id ? id : "of an unknown number");
		return;
	}
	finding->state = NOT_HERE;
	finding->detail = "not inside of a job of Slurm, PBS or Grid Engine";
}

static void examine_pod(struct exam *exam)
{
	struct finding *finding = add(exam, "job", "pod", "the Kubernetes pod that this runs in");
	const char *name = facts_text(&exam->context, "context", "kubernetes_pod");

	finding->state = name ? WORKS : NOT_HERE;
	finding->detail = name ? arena_copy(&exam->to->arena, name) : "not inside of a pod";
}

static void examine_terminal(struct exam *exam)
{
	struct finding *finding = add(exam, "terminal", "stderr", "where summaries are printed");
	struct look look = look_of(STDERR_FILENO);

	finding->detail = arena_format(&exam->to->arena, "%s, %d columns, %s, %s",
				       isatty(STDERR_FILENO) ? "a terminal" : "no terminal",
				       look.columns, look.colour ? "colours" : "no colours",
				       look.unicode ? "UTF-8" : "ASCII only");
}

/* The directory, or the nearest one above it that is there. */
static char *existing(const char *path)
{
	char *place = mem_copy(path);

	while (access(place, F_OK) < 0 && strrchr(place, '/') > place)
		*strrchr(place, '/') = '\0';
	return place;
}

static void judge_place(struct exam *exam, struct finding *finding, const char *directory)
{
	CLEANUP(freep) char *place = existing(directory);
	char words[HUMAN_BYTES];
	struct statvfs space;
	double bytes;

	if (access(place, W_OK | X_OK) < 0) {
		finding->state = NOT_HERE;
		finding->detail = arena_format(&exam->to->arena, "'%s': %s", place,
					       strerror(errno));
		return;
	}
	if (statvfs(place, &space) < 0)
		return;
	bytes = (double)space.f_bavail * (double)space.f_frsize;
	if (bytes < SMALL_SPACE_BYTES)
		finding->state = IN_PART;
	finding->detail = arena_format(&exam->to->arena, "'%s', %s free", directory,
				       human_bytes(bytes, words));
}

static void examine_place(struct exam *exam)
{
	struct finding *finding = add(exam, "recordings", "place", "where new recordings go");
	CLEANUP(freep) char *directory = NULL;
	struct err err = { 0 };

	if (store_directory(&directory, &err) == 0) {
		judge_place(exam, finding, directory);
	} else {
		finding->state = NOT_HERE;
		finding->detail = arena_copy(&exam->to->arena, err.text);
	}
	if (strcmp(finding->state, WORKS) == 0)
		return;
	finding->needs = "a directory with room that you may write";
	finding->command = "mkdir .sonde";
	finding->who = "you, in a directory of your own";
}

static void examine_earlier(struct exam *exam)
{
	struct finding *finding = add(exam, "recordings", "earlier", "runs that are recorded");
	CLEANUP(store_list_clear) struct store_list list = { 0 };
	struct err err = { 0 };

	if (store_list(&list, &err) < 0) {
		finding->state = NOT_HERE;
		finding->detail = arena_copy(&exam->to->arena, err.text);
		return;
	}
	finding->detail = arena_format(&exam->to->arena, "%zu", list.count);
}

static void (*const examiners[])(struct exam *exam) = {
	examine_clock,          examine_kernel_log, examine_events, examine_machine,
	examine_cgroup_version, examine_scheduler,  examine_pod,    examine_terminal,
	examine_place,          examine_earlier,
};

static size_t area_place(const char *area)
{
	size_t i = 0;

	while (areas[i] && strcmp(areas[i], area) != 0)
		i++;
	return i;
}

/* By area, and else as they were: each is older than the next by its place. */
static void sort(struct examination *examination)
{
	struct finding *f = examination->findings;

	for (size_t i = 1; i < examination->count; i++) {
		for (size_t j = i; j > 0 && area_place(f[j - 1].area) > area_place(f[j].area);
		     j--) {
			struct finding swap = f[j];

			f[j] = f[j - 1];
			f[j - 1] = swap;
		}
	}
}

void examine(int pid, struct examination *ret)
{
	struct exam exam = { .to = ret, .pid = pid };

	*ret = (struct examination){ 0 };
	context_read("/", &exam.context);
	for (const struct source *const *source = source_table; *source; source++)
		examine_source(&exam, *source);
	for (size_t i = 0; i < COUNT(examiners); i++)
		examiners[i](&exam);
	sort(ret);
	facts_clear(&exam.context);
}

void examination_clear(struct examination *examination)
{
	free(examination->findings);
	arena_clear(&examination->arena);
	*examination = (struct examination){ 0 };
}

void examine_areas(const struct examination *examination, struct names *ret)
{
	for (size_t i = 0; i < examination->count; i++) {
		const char *area = examination->findings[i].area;

		if (i == 0 || strcmp(examination->findings[i - 1].area, area) != 0)
			names_add(ret, area);
	}
}
