/* Limit                     Soft Limit           Hard Limit           Units
 * Max address space         unlimited            unlimited            bytes
 * Max open files            1024                 1048576              files
 *
 * /proc/PID/limits; the soft limit is the one that holds. "Max resident set" (ulimit -m) is there,
 * too, but Linux does not enforce it. */
#include "source/ask.h"

#include "base/file.h"
#include "base/parse.h"

#include <stdlib.h>

static struct limit least(struct limit a, struct limit b)
{
	if (!a.is || (b.is && b.number < a.number))
		return b;
	return a;
}

static void add(struct facts *facts, const char *name, enum unit unit, struct limit limit,
		const char *why)
{
	if (limit.is)
		facts_add_measured(facts, "limits", name, unit, limit.number, limit.source);
	else
		facts_add_absent(facts, "limits", name, unit, why);
}

static struct limit ulimit(const char *text, const char *row, const char *source)
{
	uint64_t number;

	if (!text || scan_key_u64(text, row, &number) < 0)
		return (struct limit){ 0 };
	return (struct limit){ true, (double)number, source };
}

static struct limit of_machine(const struct facts *facts, const char *name)
{
	struct value value = facts_value(facts, "machine", name);

	return (struct limit){ value_is(value), value.number, "machine" };
}

static void add_cores(const struct ask *ask, struct facts *facts)
{
	struct limit affinity = { ask->has_status && ask->status.cores > 0,
				  (double)ask->status.cores, "affinity" };
	struct limit quota = { .source = "cgroup quota" };
	struct limit requested = job_cores(ask), cores;

	quota.is = group_cores(ask->root, &ask->group, &quota.number) == 0;
	cores = least(least(affinity, quota), requested);
	add(facts, "cores", UNIT_RATIO, cores.is ? cores : of_machine(facts, "cores"),
	    "not readable");
	add(facts, "cores_affinity", UNIT_COUNT, affinity, "not readable");
	add(facts, "cores_quota", UNIT_RATIO, quota, "no limit");
	add(facts, "cores_requested", UNIT_COUNT, requested, "no request");
}

static struct limit group_memory_limit(const struct ask *ask)
{
	uint64_t bytes;

	if (group_memory(ask->root, &ask->group, &bytes) < 0)
		return (struct limit){ 0 };
	return (struct limit){ true, (double)bytes, "cgroup" };
}

static void add_memory(const struct ask *ask, const char *text, struct facts *facts)
{
	struct limit group = group_memory_limit(ask);
	struct limit own = least(ulimit(text, "Max address space", "ulimit -v"),
				 ulimit(text, "Max data size", "ulimit -d"));
	struct limit requested = job_memory(ask);
	struct limit memory = least(least(of_machine(facts, "memory_bytes"), group),
				    least(own, requested));

	add(facts, "memory_bytes", UNIT_BYTES, memory, "not readable");
	add(facts, "memory_cgroup_bytes", UNIT_BYTES, group, "no limit");
	add(facts, "memory_ulimit_bytes", UNIT_BYTES, own, "no limit");
	add(facts, "memory_requested_bytes", UNIT_BYTES, requested, "no request");
}

static struct limit processes(const struct ask *ask, const char *text)
{
	struct limit own = ulimit(text, "Max processes", "ulimit -u");
	uint64_t count;

	if (group_processes(ask->root, &ask->group, &count) < 0)
		return own;
	return least(own, (struct limit){ true, (double)count, "cgroup" });
}

void about_limits(const struct ask *ask, struct facts *facts)
{
	CLEANUP(freep) char *text = NULL;

	if (file_read(ask->root, "proc/self/limits", &text, NULL) < 0)
		text = NULL;
	add_cores(ask, facts);
	add_memory(ask, text, facts);
	add(facts, "time_s", UNIT_SECONDS, job_time(ask), "no limit known");
	add(facts, "time_left_s", UNIT_SECONDS, job_time_left(ask), "not known");
	add(facts, "processes", UNIT_COUNT, processes(ask, text), "no limit");
	add(facts, "open_files", UNIT_COUNT, ulimit(text, "Max open files", "ulimit -n"),
	    "no limit");
	add(facts, "cpu_s", UNIT_SECONDS, ulimit(text, "Max cpu time", "ulimit -t"), "no limit");
	add(facts, "file_bytes", UNIT_BYTES, ulimit(text, "Max file size", "ulimit -f"),
	    "no limit");
}
