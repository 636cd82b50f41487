/* What can be said from this run at all: it must be long enough, the work must have been here, and
 * the machine must not have been busy with others. */
#include "advise/table.h"
#include "base/human.h"

#include <math.h>
#include <string.h>

/* Ten looks at the default interval; less, and most of a run is the program's start. */
#define SHORT_S 1
/* The one that started the work elsewhere was there for most of the time, and here was little to
 * do.
 */
#define ELSEWHERE_SHARE 0.5
#define ELSEWHERE_CORES_MOST 0.5
/* Nearly no CPU was free, and a fifth of all went to others: times may be off by as much. */
#define BUSY_SHARE 0.9
#define BUSY_OTHERS 0.2
/* The host took one CPU second of twenty: more than two runs on a quiet machine differ by. */
#define STEAL_SHARE 0.05

static bool short_fires(const struct rule_view *view)
{
	return view->numbers[WALL] < SHORT_S;
}

static void short_say(const struct rule_view *view, struct text *ret)
{
	(void)view;
	text_add(ret, "The run was too short to judge.");
}

static void short_evidence(const struct rule_view *view, struct text *ret)
{
	char wall[HUMAN_BYTES];

	text_add_format(ret, "it took %s; averages and peaks need a second or more",
			human_duration(view->numbers[WALL], wall));
}

static void short_next(const struct rule_view *view, struct text *ret)
{
	(void)view;
	text_add(ret, "measure a longer run, or the same many times in a loop");
}

const struct rule rule_too_short = {
	.id = "too-short",
	.title = "too short to judge",
	.needs = { "totals.wall_s" },
	.fires = short_fires,
	.say = short_say,
	.evidence = short_evidence,
	.next = short_next,
	.silences = { "elsewhere", "swapping", "cpu-wait-quota", "too-many-threads",
		      "cpu-wait-cores", "cpu-wait-others", "machine-busy", "storage-wait",
		      "one-core", "few-cores-used", "process-starts", "system-time", "sleeping",
		      "ask-for", "memory-low", "time-low" },
	.means = "A run this short is mostly the start of a program: loading libraries, reading "
		 "its settings. What it used in total is right, but it says little about where a "
		 "longer run spends its time, so there is no other advice.",
	.seen = "It took less than a second. sonde looks ten times a second.",
	.remedy = "Measure with a larger input. To know the cost of something short, repeat it: "
		  "sonde run sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do CMD; done'.",
	.ignore = "When you only wanted its total CPU time, its memory or its exit status.",
};

/* Programs that start work elsewhere: in another node, machine or container. What they start is no
 * child of theirs. */
static const char *const starters[] = { "srun", "salloc", "sbatch", "qsub",   "qrsh",
					"ssh",  "docker", "podman", "kubectl" };

static bool is_starter(const char *name)
{
	for (size_t i = 0; name && i < COUNT(starters); i++) {
		if (strcmp(name, starters[i]) == 0)
			return true;
	}
	return false;
}

/* The first of them that was there for most of the time, or NULL. */
static const struct process *starter_find(const struct facts *facts, double wall_s)
{
	for (size_t i = 0; i < facts->n_processes; i++) {
		const struct process *process = &facts->processes[i];
		double ended_s = process->ended_ns == PROCESS_ALIVE
				     ? wall_s
				     : (double)process->ended_ns / 1e9;

		if (is_starter(process->name) &&
		    ended_s - (double)process->started_ns / 1e9 >= ELSEWHERE_SHARE * wall_s)
			return process;
	}
	return NULL;
}

static bool elsewhere_fires(const struct rule_view *view)
{
	const double *n = view->numbers;

	return n[CPU] <= ELSEWHERE_CORES_MOST * n[WALL] && starter_find(view->facts, n[WALL]);
}

static const char *starter_name(const struct rule_view *view)
{
	return starter_find(view->facts, view->numbers[WALL])->name;
}

static void elsewhere_say(const struct rule_view *view, struct text *ret)
{
	text_add_format(ret, "The work was done elsewhere: sonde saw '%s', not what it started.",
			starter_name(view));
}

static void elsewhere_evidence(const struct rule_view *view, struct text *ret)
{
	char cpu[HUMAN_BYTES], wall[HUMAN_BYTES];

	text_add_format(ret, "'%s' was there for most of %s, and all here used %s of CPU time",
			starter_name(view), human_duration(view->numbers[WALL], wall),
			human_duration(view->numbers[CPU], cpu));
}

static void elsewhere_next(const struct rule_view *view, struct text *ret)
{
	text_add_format(ret, "let '%s' start sonde: %s ... sonde run CMD", starter_name(view),
			starter_name(view));
}

const struct rule rule_elsewhere = {
	.id = "elsewhere",
	.title = "the work was done elsewhere",
	.needs = { "totals.wall_s", "totals.cpu_s" },
	.fires = elsewhere_fires,
	.say = elsewhere_say,
	.evidence = elsewhere_evidence,
	.next = elsewhere_next,
	.silences = { "sleeping", "one-core", "few-cores-used", "memory-low", "ask-for",
		      "storage-wait", "system-time" },
	.means =
	    "srun, ssh, docker and others ask somebody else to start the program: another machine, "
	    "or a service of this one. It is no child of theirs, so sonde measured only the "
	    "messenger. The time is right, CPU time and memory are not those of the work.",
	.seen = "One of srun, salloc, sbatch, qsub, qrsh, ssh, docker, podman or kubectl was there "
		"for half of the time or more, and less than half a core was busy here.",
	.remedy = "Put sonde behind it, where the work is: srun sonde run ./model; ssh host sonde "
		  "run ./model; docker run IMAGE sonde run ./model (with sonde in the image).",
	.ignore = "When the messenger itself is what you measure.",
};

enum { BUSY_ALL = 2, BUSY_CORES, BUSY_STEAL };

static double capacity_s(const double *n)
{
	return n[WALL] * n[BUSY_CORES];
}

static bool is_stolen(const double *n)
{
	return n[BUSY_STEAL] >= STEAL_SHARE * capacity_s(n);
}

static bool busy_fires(const struct rule_view *view)
{
	const double *n = view->numbers;

	return is_stolen(n) || (n[BUSY_ALL] >= BUSY_SHARE * capacity_s(n) &&
				n[BUSY_ALL] - n[CPU] >= BUSY_OTHERS * capacity_s(n));
}

static void busy_say(const struct rule_view *view, struct text *ret)
{
	text_add_format(ret, "The machine was busy with others%s: do not trust the time.",
			is_stolen(view->numbers) ? " (its host gave CPU time away)" : "");
}

static void busy_evidence(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char others[HUMAN_BYTES], all[HUMAN_BYTES], steal[HUMAN_BYTES];

	text_add_format(ret, "others used %s of the machine's CPU time, %s were in use in all",
			human_percent((n[BUSY_ALL] - n[CPU]) / capacity_s(n), others),
			human_percent(n[BUSY_ALL] / capacity_s(n), all));
	if (n[BUSY_STEAL] > 0)
		text_add_format(ret, "; the host took %s",
				human_percent(n[BUSY_STEAL] / capacity_s(n), steal));
}

static void busy_next(const struct rule_view *view, struct text *ret)
{
	(void)view;
	text_add(ret, "measure again when the machine is quiet");
}

const struct rule rule_machine_busy = {
	.id = "machine-busy",
	.title = "the machine was busy with others",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.machine_busy_s", "machine.cores",
		   "totals.machine_steal_s?" },
	.fires = busy_fires,
	.say = busy_say,
	.evidence = busy_evidence,
	.next = busy_next,
	.means = "Other programs used the machine at the same time, or, on a virtual machine, the "
		 "host gave its CPUs to other guests (steal). The program took longer than it "
		 "would have alone. CPU time, memory and I/O are right; the time, and all that is "
		 "per second, are not to be compared.",
	.seen = "Nine tenths of the machine's CPU time were in use and others had a fifth of it or "
		"more; or the host took a twentieth or more.",
	.remedy = "Measure again when the machine is quiet, or in a job with a node of its own "
		  "(Slurm: --exclusive). Compare CPU time instead of time. Repeat: the shortest of "
		  "several runs is nearest to the truth.",
	.ignore = "When you do not compare times.",
};
