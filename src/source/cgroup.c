/* What the whole group of the run used, in one read: also the children that nobody waited for. Not
 * only the run is in it, though: a Slurm step or a container is a group, a login session too.
 *
 *	version 2				version 1
 *	cpu.stat "usage_usec 1234"		cpuacct.usage "1234000", ns
 *	cpu.stat "throttled_usec 0"		cpu.stat "throttled_time 0", ns
 *	memory.current, memory.peak		memory.usage_in_bytes, memory.max_usage_in_bytes
 *	memory.events "oom_kill 0"		memory.oom_control "oom_kill 0" (Linux 4.13)
 *	cpu.pressure				-
 *
 * Memory holds the page cache too, and the peak is that since the group was made, not the run's. */
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/group.h"
#include "source/procfiles.h"
#include "source/since.h"
#include "source/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
	enum group_controller controller;
	const char *file;
	const char *key; /* the line's beginning; NULL: the file is the number; "some": pressure */
	double unit;
};

enum {
	CPU,
	THROTTLED,
	MEMORY,
	MEMORY_HIGH,
	OOM_KILLS,
	PRESSURE_CPU,
	PRESSURE_MEMORY,
	PRESSURE_IO,
	METRICS
};

#define NO_FILE "its cgroup is the root, has no such controller, or is not readable"
#define NO_PRESSURE "its cgroup tells no pressure: that needs cgroup 2, and psi=1 on some kernels"

static const struct metric metrics[] = {
	[CPU] = { .name = "cgroup_cpu_s",
		  .help = "CPU time of all that is in the run's cgroup",
		  .unit = UNIT_SECONDS,
		  .absent = NO_FILE },
	[THROTTLED] = { .name = "cgroup_throttled_s",
			.help = "time that the cgroup's CPU quota held it back",
			.unit = UNIT_SECONDS,
			.absent = NO_FILE },
	[MEMORY] = { .name = "memory_cgroup_bytes",
		     .help = "memory of all that is in the run's cgroup, with cached files",
		     .unit = UNIT_BYTES,
		     .kind = KIND_GAUGE,
		     .absent = NO_FILE },
	[MEMORY_HIGH] = { .name = "memory_cgroup_high_bytes",
			  .help = "the most memory of the run's cgroup since it was made",
			  .unit = UNIT_BYTES,
			  .kind = KIND_GAUGE,
			  .absent = NO_FILE },
	[OOM_KILLS] = { .name = "cgroup_oom_kills",
			.help = "processes of the cgroup that were killed for lack of memory",
			.unit = UNIT_COUNT,
			.absent = NO_FILE },
	[PRESSURE_CPU] = { .name = "cgroup_pressure_cpu_s",
			   .help = "time in which some task of the cgroup waited for a CPU",
			   .unit = UNIT_SECONDS,
			   .absent = NO_PRESSURE },
	[PRESSURE_MEMORY] = { .name = "cgroup_pressure_memory_s",
			      .help = "time in which some task of the cgroup waited for memory",
			      .unit = UNIT_SECONDS,
			      .absent = NO_PRESSURE },
	[PRESSURE_IO] = { .name = "cgroup_pressure_io_s",
			  .help = "time in which some task of the cgroup waited for storage",
			  .unit = UNIT_SECONDS,
			  .absent = NO_PRESSURE },
	{ 0 },
};

static const struct place version_2[METRICS] = {
	[CPU] = { GROUP_CPUACCT, "cpu.stat", "usage_usec ", 1e-6 },
	[THROTTLED] = { GROUP_CPU, "cpu.stat", "throttled_usec ", 1e-6 },
	[MEMORY] = { GROUP_MEMORY, "memory.current", NULL, 1 },
	[MEMORY_HIGH] = { GROUP_MEMORY, "memory.peak", NULL, 1 },
	[OOM_KILLS] = { GROUP_MEMORY, "memory.events", "oom_kill ", 1 },
	[PRESSURE_CPU] = { GROUP_UNIFIED, "cpu.pressure", "some", 1e-6 },
	[PRESSURE_MEMORY] = { GROUP_UNIFIED, "memory.pressure", "some", 1e-6 },
	[PRESSURE_IO] = { GROUP_UNIFIED, "io.pressure", "some", 1e-6 },
};

static const struct place version_1[METRICS] = {
	[CPU] = { GROUP_CPUACCT, "cpuacct.usage", NULL, 1e-9 },
	[THROTTLED] = { GROUP_CPU, "cpu.stat", "throttled_time ", 1e-9 },
	[MEMORY] = { GROUP_MEMORY, "memory.usage_in_bytes", NULL, 1 },
	[MEMORY_HIGH] = { GROUP_MEMORY, "memory.max_usage_in_bytes", NULL, 1 },
	[OOM_KILLS] = { GROUP_MEMORY, "memory.oom_control", "oom_kill ", 1 },
};

struct reading {
	const struct place *place;
	struct kept kept;
	struct since since;
	bool same; /* as the file before: its text is still there */
};

struct state {
	struct reading readings[METRICS];
};

static int number_find(const char *text, const struct place *place, uint64_t *ret)
{
	if (!place->key)
		return parse_u64(text, ret);
	if (strcmp(place->key, "some") == 0)
		return pressure_parse(text, ret);
	return scan_key_u64(text, place->key, ret);
}

static struct value reading_value(struct reading *reading, int metric, const char *text)
{
	uint64_t number;

	if (number_find(text, reading->place, &number) < 0)
		return value_absent();
	if (metrics[metric].kind == KIND_GAUGE)
		return value_read((double)number * reading->place->unit);
	return since_read(&reading->since, (double)number * reading->place->unit);
}

static int readings_read(struct state *state, struct value *values)
{
	char text[2048] = "";
	ssize_t length = -1;
	int got = 0;

	for (int i = 0; i < METRICS; i++) {
		struct reading *reading = &state->readings[i];

		values[i] = value_absent();
		if (!reading->kept.path && !reading->same)
			continue;
		if (!reading->same)
			length = kept_read(&reading->kept, text, sizeof(text));
		if (length >= 0)
			values[i] = reading_value(reading, i, text);
		got += value_is(values[i]);
	}
	return got ? 0 : -ENODATA;
}

static int cgroup_read(void *state, struct value *values, struct err *err)
{
	int r = readings_read(state, values);

	return r < 0 ? err_set(err, r, "the run's cgroup") : 0;
}

static void cgroup_close(void *at)
{
	struct state *state = at;

	for (int i = 0; state && i < METRICS; i++)
		kept_close(&state->readings[i].kept);
	free(state);
}

static void reading_open(struct reading *reading, const char *root, const char *directory,
			 const struct place *place)
{
	CLEANUP(freep) char *path = NULL;

	if (asprintf(&path, "%s/%s", directory, place->file) < 0)
		return;
	reading->place = place;
	kept_open(&reading->kept, root, path, NULL);
}

static void readings_open(struct state *state, const char *root, const struct group *group)
{
	CLEANUP(freep) char *quota = group_quota_path(root, group);

	for (int i = 0; i < METRICS; i++) {
		bool unified = group->places[version_2[i].controller].unified;
		const struct place *place = unified ? &version_2[i] : &version_1[i];
		const struct group_place *at = &group->places[place->controller];

		if (!place->file || !at->path || group_is_machine(root, at))
			continue;
		reading_open(&state->readings[i], root, i == THROTTLED ? quota : at->path, place);
	}
}

/* Version 2 tells CPU and throttling in one file, unless the quota is further up. */
static void readings_join(struct state *state)
{
	struct reading *cpu = &state->readings[CPU], *throttled = &state->readings[THROTTLED];

	if (!cpu->kept.path || !throttled->kept.path ||
	    strcmp(cpu->kept.path, throttled->kept.path) != 0)
		return;
	throttled->same = true;
	kept_close(&throttled->kept);
}

static int cgroup_open(const char *root, int pid, void **ret, struct err *err)
{
	CLEANUP(group_clear) struct group group = { 0 };
	struct value first[METRICS];
	struct state *state;
	char who[16];
	int r;

	snprintf(who, sizeof(who), "%d", pid);
	r = group_find(root, who, &group);
	if (r < 0)
		return err_set(err, r, "cgroup of process %d", pid);
	state = mem_new(sizeof(*state));
	readings_open(state, root, &group);
	readings_join(state);
	r = cgroup_read(state, first, err);
	if (r < 0) {
		cgroup_close(state);
		return r;
	}
	*ret = state;
	return 0;
}

static const char *const files[] = { "proc/%d/cgroup", "proc/%d/mountinfo", NULL };

const struct source source_cgroup = {
	.name = "cgroup",
	.area = "cgroup",
	.help = "what the run's cgroup used, and how its limits held it back",
	.scope = SCOPE_RUN,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = cgroup_open,
	.read = cgroup_read,
	.close = cgroup_close,
};
