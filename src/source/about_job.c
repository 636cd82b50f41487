/* Schedulers tell a job about itself by variables. Slurm's are in its manual of sbatch, PBS's in
 * qsub's, Grid Engine's in submit(1).
 *
 * Cores: SLURM_CPUS_PER_TASK is one task's, and is only set when it was asked for. In a step each
 * task has so many; in a batch script, which is not in a step, all tasks of the node may be started
 * from the one script and together they have the node's part of the job. */
#include "source/ask.h"

#include "base/parse.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { SLURM, PBS, SGE, SCHEDULERS };

static const struct {
	const char *name;
	const char *marks[3]; /* one that only this scheduler sets; all but NULL must be there */
} schedulers[SCHEDULERS] = {
	[SLURM] = { "slurm", { "SLURM_JOB_ID" } },
	[PBS] = { "pbs", { "PBS_JOBID" } },
	[SGE] = { "sge", { "JOB_ID", "SGE_TASK_ID" } },
};

static const struct {
	const char *fact;
	const char *variables[SCHEDULERS];
} rows[] = {
	{ "job_id", { "SLURM_JOB_ID", "PBS_JOBID", "JOB_ID" } },
	{ "job_name", { "SLURM_JOB_NAME", "PBS_JOBNAME", "JOB_NAME" } },
	{ "queue", { "SLURM_JOB_PARTITION", "PBS_QUEUE", "QUEUE" } },
	{ "node_list", { "SLURM_JOB_NODELIST" } },
	{ "nodes", { "SLURM_JOB_NUM_NODES", "PBS_NUM_NODES", "NHOSTS" } },
	{ "tasks", { "SLURM_NTASKS" } },
	{ "step", { "SLURM_STEP_ID" } },
	{ "rank", { "SLURM_PROCID" } },
	{ "array_job", { "SLURM_ARRAY_JOB_ID", "PBS_ARRAY_ID" } },
	{ "array_task", { "SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "SGE_TASK_ID" } },
	{ "account", { "SLURM_JOB_ACCOUNT", "PBS_ACCOUNT", "SGE_ACCOUNT" } },
	{ "cluster", { "SLURM_CLUSTER_NAME" } },
};

static int scheduler_find(const struct ask *ask)
{
	for (int i = 0; i < SCHEDULERS; i++) {
		bool all = true;

		for (const char *const *mark = schedulers[i].marks; *mark; mark++)
			all = all && ask_env(ask, *mark);
		if (all)
			return i;
	}
	return -1;
}

static void add_scheduler(const struct ask *ask, struct facts *facts)
{
	int scheduler = scheduler_find(ask);

	facts_add_text(facts, "context", "scheduler",
		       scheduler < 0 ? "none" : schedulers[scheduler].name);
	for (size_t i = 0; scheduler >= 0 && i < COUNT(rows); i++) {
		const char *variable = rows[i].variables[scheduler];
		const char *value = variable ? ask_env(ask, variable) : NULL;

		/* Grid Engine sets SGE_TASK_ID=undefined outside of arrays. */
		if (value && strcmp(value, "undefined") != 0)
			facts_add_text(facts, "context", rows[i].fact, value);
	}
}

static void add_kubernetes(const struct ask *ask, struct facts *facts)
{
	const char *pod = ask_env(ask, "POD_NAME");

	if (!ask_env(ask, "KUBERNETES_SERVICE_HOST"))
		return;
	ask_add_line(ask, facts, "context", "kubernetes_namespace",
		     "var/run/secrets/kubernetes.io/serviceaccount/namespace");
	if (!pod)
		pod = ask_env(ask, "HOSTNAME"); /* the pod's, unless it uses the node's network */
	if (pod)
		facts_add_text(facts, "context", "kubernetes_pod", pod);
}

void about_job(const struct ask *ask, struct facts *facts)
{
	add_scheduler(ask, facts);
	add_kubernetes(ask, facts);
	if (ask->group.name)
		facts_add_text(facts, "context", "cgroup", ask->group.name);
}

static struct limit variable(const struct ask *ask, const char *name, double unit)
{
	struct limit limit = { .source = name };

	/* 0 means "all there is" for memory, and nothing for anything else. */
	limit.is = ask_env_number(ask, name, &limit.number) == 0 && limit.number > 0;
	limit.number *= unit;
	return limit;
}

static struct limit first_of(const struct ask *ask, const char *const *names, double unit)
{
	struct limit limit = { 0 };

	for (; *names && !limit.is; names++)
		limit = variable(ask, *names, unit);
	return limit;
}

/* "4(x2),3" has nodes of two kinds, and which is ours is not said; "4(x2)" and "4" have not. */
static struct limit per_node(const struct ask *ask, const char *name)
{
	const char *text = ask_env(ask, name);
	struct limit limit = { .source = name };
	uint64_t number;

	if (!text || strchr(text, ',') || scan_u64(&text, &number) < 0)
		return limit;
	limit.is = number > 0;
	limit.number = (double)number;
	return limit;
}

static struct limit slurm_cores(const struct ask *ask)
{
	struct limit each = variable(ask, "SLURM_CPUS_PER_TASK", 1);
	struct limit node = variable(ask, "SLURM_CPUS_ON_NODE", 1), tasks;

	if (each.is && !ask_env(ask, "SLURM_STEP_ID")) {
		tasks = per_node(ask, "SLURM_TASKS_PER_NODE");
		each.number *= tasks.is ? tasks.number : 1;
	}
	if (each.is || node.is)
		return each.is ? each : node;
	return per_node(ask, "SLURM_JOB_CPUS_PER_NODE");
}

struct limit job_cores(const struct ask *ask)
{
	static const char *const of_pbs[] = { "NCPUS", "PBS_NCPUS", "PBS_NUM_PPN", NULL };
	static const char *const of_sge[] = { "NSLOTS", NULL };

	switch (scheduler_find(ask)) {
	case SLURM:
		return slurm_cores(ask);
	case PBS:
		return first_of(ask, of_pbs, 1);
	case SGE:
		return first_of(ask, of_sge, 1);
	}
	return (struct limit){ 0 };
}

static struct limit slurm_memory(const struct ask *ask)
{
	struct limit node = variable(ask, "SLURM_MEM_PER_NODE", 1048576);
	struct limit core = variable(ask, "SLURM_MEM_PER_CPU", 1048576);
	struct limit cores = variable(ask, "SLURM_CPUS_ON_NODE", 1);

	if (node.is)
		return node;
	if (!cores.is)
		cores = slurm_cores(ask);
	core.is = core.is && cores.is;
	core.number *= cores.number;
	return core;
}

/* PBS writes "64gb" and means 2^30 (its manual, "size"). */
static double pbs_unit(const char *suffix)
{
	static const struct {
		const char *suffix;
		double bytes;
	} units[] = { { "", 1 },        { "b", 1 },       { "kb", 0x1p10 },
		      { "mb", 0x1p20 }, { "gb", 0x1p30 }, { "tb", 0x1p40 } };

	for (size_t i = 0; i < COUNT(units); i++) {
		if (strcasecmp(suffix, units[i].suffix) == 0)
			return units[i].bytes;
	}
	return 0;
}

static struct limit pbs_memory(const struct ask *ask)
{
	struct limit limit = { .source = "PBS_RESC_MEM" };
	const char *text = ask_env(ask, limit.source);
	uint64_t number;

	if (!text || scan_u64(&text, &number) < 0)
		return limit;
	limit.number = (double)number * pbs_unit(text);
	limit.is = limit.number > 0;
	return limit;
}

struct limit job_memory(const struct ask *ask)
{
	switch (scheduler_find(ask)) {
	case SLURM:
		return slurm_memory(ask);
	case PBS:
		return pbs_memory(ask);
	}
	return (struct limit){ 0 };
}

static struct limit slurm_time(const struct ask *ask)
{
	struct limit start = variable(ask, "SLURM_JOB_START_TIME", 1);
	struct limit end = variable(ask, "SLURM_JOB_END_TIME", 1);

	end.is = end.is && start.is && end.number > start.number;
	end.number -= start.number;
	return end;
}

static struct limit pbs_time(const struct ask *ask)
{
	static const char name[] = "PBS_WALLTIME";
	const char *text = ask_env(ask, name);
	uint64_t ns;

	if (!text || parse_duration(text, &ns) < 0)
		return (struct limit){ 0 };
	return (struct limit){ ns > 0, (double)ns / 1e9, name };
}

struct limit job_time(const struct ask *ask)
{
	switch (scheduler_find(ask)) {
	case SLURM:
		return slurm_time(ask);
	case PBS:
		return pbs_time(ask);
	}
	return (struct limit){ 0 };
}

/* Of PBS it is not known when the job began. */
struct limit job_time_left(const struct ask *ask)
{
	struct limit end = { 0 };
	double now = (double)time(NULL);

	if (scheduler_find(ask) == SLURM)
		end = variable(ask, "SLURM_JOB_END_TIME", 1);
	end.is = end.is && end.number > now;
	end.number -= now;
	return end;
}
