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

/* Short words for metrics of the sources that are no totals of the table. A metric without a row
 * here is called by its help. */
static const struct {
	const char *metric, *label;
} labels[] = {
	{ "memory_bytes", "memory of each, added up" },
	{ "memory_shared_bytes", "memory that may be shared" },
	{ "memory_pss_bytes", "memory, shared pages once" },
	{ "memory_high_bytes", "most memory of a process" },
	{ "memory_cgroup_high_bytes", "most of its cgroup, ever" },
	{ "cgroup_cpu_s", "CPU time of its cgroup" },
	{ "cgroup_throttled_s", "held back by a CPU quota" },
	{ "cgroup_oom_kills", "killed for lack of memory" },
	{ "cgroup_pressure_cpu_s", "its cgroup lacked CPUs" },
	{ "cgroup_pressure_memory_s", "its cgroup lacked memory" },
	{ "cgroup_pressure_io_s", "its cgroup lacked storage" },
	{ "machine_busy_s", "machine: CPU time of all" },
	{ "machine_steal_s", "machine: taken by its host" },
	{ "machine_iowait_s", "machine: idle for storage" },
	{ "machine_load", "machine: load" },
	{ "machine_runnable", "machine: tasks that want CPU" },
	{ "machine_memory_used_bytes", "machine: memory used" },
	{ "machine_swap_used_bytes", "machine: swap used" },
	{ "pressure_cpu_s", "machine: lacked CPUs" },
	{ "pressure_io_s", "machine: lacked storage" },
	{ "pressure_memory_s", "machine: lacked memory" },
	{ "frequency_hz", "clock rate of the CPUs" },
};

static bool is_of(const char *name, const struct metric *metric)
{
	static const char *const words[] = { "peak", "mean" };
	char derived[128];

	if (strcmp(metric->name, name) == 0)
		return true;
	for (size_t i = 0; i < COUNT(words); i++) {
		metric_derived_name(metric, words[i], derived, sizeof(derived));
		if (strcmp(derived, name) == 0)
			return true;
	}
	return false;
}

static const struct metric *metric_of(const struct metric *metrics, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (is_of(name, &metrics[i]))
			return &metrics[i];
	}
	return NULL;
}

const char *total_label(const struct facts *facts, const char *name)
{
	const struct total *total = total_find(name);
	const struct metric *metric;

	if (total)
		return total->label;
	metric = metric_of(facts->run_metrics, facts->n_run_metrics, name);
	if (!metric)
		metric = metric_of(facts->process_metrics, facts->n_process_metrics, name);
	for (size_t i = 0; metric && i < COUNT(labels); i++) {
		if (strcmp(labels[i].metric, metric->name) == 0)
			return labels[i].label;
	}
	return metric && metric->help && *metric->help ? metric->help : name;
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
