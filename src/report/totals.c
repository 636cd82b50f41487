#include "report/totals.h"

#include <math.h>
#include <string.h>

#define NO_GPU "this version of sonde has no source for GPUs"
#define NO_METER "this version of sonde has no source for energy"

const struct total total_table[] = {
	{ "wall_s", "time", UNIT_SECONDS, NULL },
	{ "cpu_s", "CPU time", UNIT_SECONDS, NULL },
	{ "cpu_user_s", "CPU time in the program", UNIT_SECONDS, NULL },
	{ "cpu_system_s", "CPU time in the kernel", UNIT_SECONDS, NULL },
	{ "cores_mean", "cores busy on average", UNIT_RATIO, NULL },
	{ "cores_peak", "cores busy at most", UNIT_RATIO, NULL },
	{ "memory_process_peak_bytes", "memory of largest process", UNIT_BYTES, NULL },
	{ "memory_tree_peak_bytes", "memory of all together", UNIT_BYTES, NULL },
	{ "memory_cgroup_peak_bytes", "memory of its cgroup", UNIT_BYTES, NULL },
	{ "swap_peak_bytes", "most swapped out", UNIT_BYTES, NULL },
	{ "io_read_bytes", "read", UNIT_BYTES, NULL },
	{ "io_write_bytes", "written", UNIT_BYTES, NULL },
	{ "storage_read_bytes", "read from storage", UNIT_BYTES, NULL },
	{ "storage_write_bytes", "written to storage", UNIT_BYTES, NULL },
	{ "io_read_calls", "calls to read", UNIT_COUNT, NULL },
	{ "io_write_calls", "calls to write", UNIT_COUNT, NULL },
	{ "faults_major", "page faults from storage", UNIT_COUNT, NULL },
	{ "faults_minor", "page faults in memory", UNIT_COUNT, NULL },
	{ "switches_voluntary", "stopped to wait", UNIT_COUNT, NULL },
	{ "switches_involuntary", "lost its CPU to others", UNIT_COUNT, NULL },
	{ "wait_cpu_s", "waited for a CPU", UNIT_SECONDS, NULL },
	{ "wait_io_s", "waited for storage", UNIT_SECONDS, NULL },
	{ "processes", "processes", UNIT_COUNT, NULL },
	{ "processes_peak", "processes at once", UNIT_COUNT, NULL },
	{ "threads_peak", "threads at once", UNIT_COUNT, NULL },
	{ "gpu_s", "GPU time", UNIT_SECONDS, NO_GPU },
	{ "gpu_memory_peak_bytes", "GPU memory", UNIT_BYTES, NO_GPU },
	{ "energy_j", "energy", UNIT_JOULES, NO_METER },
	{ "co2e_g", "CO2e", UNIT_GRAMS, NO_METER },
	{ NULL, NULL, UNIT_COUNT, NULL },
};

const struct total *total_find(const char *name)
{
	for (const struct total *total = total_table; total->name; total++) {
		if (strcmp(total->name, name) == 0)
			return total;
	}
	return NULL;
}

struct fact total_fact(const struct facts *facts, const struct total *total)
{
	const struct fact *known = facts_find(facts, "totals", total->name);

	if (known && known->kind == FACT_FIGURE)
		return *known;
	return (struct fact){ .section = "totals",
			      .name = total->name,
			      .unit = total->unit,
			      .low = NAN,
			      .high = NAN,
			      .why = total->why ? total->why : "no source gave it in this run" };
}

size_t total_list(const struct facts *facts, struct fact **ret)
{
	struct fact *list = mem_new((COUNT(total_table) + facts->n_facts) * sizeof(*list));
	size_t count = 0;

	for (const struct total *total = total_table; total->name; total++)
		list[count++] = total_fact(facts, total);
	for (size_t i = 0; i < facts->n_facts; i++) {
		const struct fact *fact = &facts->facts[i];

		if (strcmp(fact->section, "totals") == 0 && fact->kind == FACT_FIGURE &&
		    !total_find(fact->name))
			list[count++] = *fact;
	}
	*ret = list;
	return count;
}
