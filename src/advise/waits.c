/* What the run waited for. The kernel counts the time that a thread was ready and had no CPU
 * (wait_cpu_s, a lower bound, as it is sampled); why there was none, others tell: the quota's
 * throttling, the cores that are allowed, the CPU time of all others on the machine. */
#include "advise/ask.h"
#include "advise/table.h"
#include "base/human.h"

#include <math.h>

/* Below a tenth of the time a quota costs less than two runs of the same program differ. */
#define THROTTLED_SHARE 0.1
/* More wanted to run than might: on average a quarter of a thread for each core. */
#define CORES_WANT 1.25
/* It would have been a fifth faster, at least, had there been a CPU at once. */
#define WAIT_OF_CPU 0.25
#define WAIT_OF_WALL 0.1
/* Who else runs must have used a noteworthy part of a core to be the reason. */
#define OTHERS_CORES 0.25
/* Storage is worth a word when a quarter of the time went there. */
#define STORAGE_SHARE 0.25
#define STORAGE_CORES_MOST 0.7
/* What a disk reads in a second of random pieces of 4 KiB, at 10 ms each, is 0.4 MB. Who moves less
 * than half of that in a second of somebody's waiting was not the one who waited. */
#define STORAGE_BYTES_A_SECOND 2e5
/* A program that waits for a network or a person still uses 1 to 3 % of a core for looking. */
#define SLEEP_CORES_MOST 0.05

static void add_share(struct text *text, double part_s, double wall_s)
{
	char part[HUMAN_BYTES], wall[HUMAN_BYTES];

	text_add_format(text, "%s of %s", human_duration(part_s, part),
			human_duration(wall_s, wall));
}

enum { QUOTA_THROTTLED = 2, QUOTA_CORES };

static bool quota_fires(const struct rule_view *view)
{
	return view->numbers[QUOTA_THROTTLED] >= THROTTLED_SHARE * view->numbers[WALL];
}

static void quota_say(const struct rule_view *view, struct text *ret)
{
	char cores[HUMAN_BYTES];

	text_add_format(ret, "Its CPU quota of %s core%s held it back.",
			human_number(view->numbers[QUOTA_CORES], 3, cores),
			view->numbers[QUOTA_CORES] == 1 ? "" : "s");
}

static void quota_evidence(const struct rule_view *view, struct text *ret)
{
	char held[HUMAN_BYTES], wall[HUMAN_BYTES], mean[HUMAN_BYTES];

	text_add_format(
	    ret, "stopped by the quota for %s in all, in a run of %s; %s cores were busy",
	    human_duration(view->numbers[QUOTA_THROTTLED], held),
	    human_duration(view->numbers[WALL], wall), human_number(mean_cores(view), 2, mean));
}

static void add_more_cores(const struct facts *facts, double cores, struct text *ret)
{
	struct ask ask = { .cores = cores, .memory_bytes = NAN, .time_s = NAN };

	ask_add(facts, &ask, ret);
}

static void quota_next(const struct rule_view *view, struct text *ret)
{
	double cores = view->numbers[QUOTA_CORES];

	add_more_cores(view->facts, ceil(2 * cores), ret);
	text_add(ret, ", or start fewer threads");
}

const struct rule rule_cpu_wait_quota = {
	.id = "cpu-wait-quota",
	.title = "held back by a CPU quota",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.cgroup_throttled_s",
		   "limits.cores_quota" },
	.fires = quota_fires,
	.say = quota_say,
	.evidence = quota_evidence,
	.next = quota_next,
	.silences = { "cpu-wait-cores", "cpu-wait-others", "sleeping", "one-core",
		      "few-cores-used" },
	.means = "The container, pod or job may use so much CPU time in each tenth of a second. "
		 "When it was used up, all threads had to stop until the next. The more threads "
		 "run at once, the sooner it is used up, so the program stutters.",
	.seen = "The cgroup counts the time that its quota stopped it, over all CPUs: a tenth of "
		"the run's time or more. Others in the same cgroup may have used the quota, too.",
	.remedy = "Ask for more CPU (in Kubernetes a higher limits.cpu, or none; with docker "
		  "--cpus), or start no more threads than the quota has cores: OMP_NUM_THREADS, "
		  "--threads. Programs that count the machine's cores do not see a quota.",
	.ignore = "When the quota is what you meant to have, and the time does not matter.",
};

enum { CORES_MAY = 3, CORES_MACHINE };

static bool cores_fires(const struct rule_view *view)
{
	const double *n = view->numbers;

	return n[CORES_MAY] < n[CORES_MACHINE] && wanted_cores(view) >= CORES_WANT * n[CORES_MAY];
}

static void cores_say(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char may[HUMAN_BYTES], machine[HUMAN_BYTES], want[HUMAN_BYTES];

	text_add_format(ret, "It may use %s of the machine's %s cores, and had work for %s.",
			human_number(n[CORES_MAY], 3, may), human_count(n[CORES_MACHINE], machine),
			human_number(wanted_cores(view), 2, want));
}

static void wait_evidence(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char wait[HUMAN_BYTES], cpu[HUMAN_BYTES];

	text_add_format(ret, "it waited for a CPU for at least %s, and had one for %s",
			human_duration(n[WAIT], wait), human_duration(n[CPU], cpu));
}

static void cores_next(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char may[HUMAN_BYTES];

	add_more_cores(view->facts, fmin(ceil(wanted_cores(view)), n[CORES_MACHINE]), ret);
	text_add_format(ret, ", or start only %s at once",
			human_count(fmax(1, floor(n[CORES_MAY])), may));
}

const struct rule rule_cpu_wait_cores = {
	.id = "cpu-wait-cores",
	.title = "waiting for a CPU: too few cores allowed",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.wait_cpu_s", "limits.cores",
		   "machine.cores" },
	.fires = cores_fires,
	.say = cores_say,
	.evidence = wait_evidence,
	.next = cores_next,
	.silences = { "cpu-wait-others", "one-core", "few-cores-used" },
	.means = "The run may use only some of the machine's cores, and more of its threads or "
		 "processes wanted to run than that. They took turns.",
	.seen = "The kernel counts how long each thread was ready to run and had no CPU. With the "
		"CPU time that gives how many wanted to run on average: at least a quarter more "
		"than the cores that it may use, and the machine has more.",
	.remedy = "Ask for more cores: #SBATCH --cpus-per-task=8, #PBS -l select=1:ncpus=8. Under "
		  "'srun' say it again: srun --cpus-per-task=$SLURM_CPUS_PER_TASK. If the cores "
		  "were limited by taskset, numactl or a container, give it more there. Or start "
		  "fewer threads or processes.",
	.ignore =
	    "When the extra threads do little: then the times tell, with more cores and without.",
};

enum { OTHERS_BUSY = 3 };

static double others_cores(const double *n)
{
	return (n[OTHERS_BUSY] - n[CPU]) / n[WALL];
}

static bool others_fires(const struct rule_view *view)
{
	const double *n = view->numbers;

	return n[WAIT] >= WAIT_OF_CPU * n[CPU] && n[WAIT] >= WAIT_OF_WALL * n[WALL] &&
	       others_cores(n) >= OTHERS_CORES;
}

static void others_say(const struct rule_view *view, struct text *ret)
{
	char wait[HUMAN_BYTES];

	text_add_format(ret, "It waited %s for a CPU that other programs had.",
			human_duration(view->numbers[WAIT], wait));
}

static void others_evidence(const struct rule_view *view, struct text *ret)
{
	char others[HUMAN_BYTES];

	wait_evidence(view, ret);
	text_add_format(ret, "; other programs kept %s cores of the machine busy",
			human_number(others_cores(view->numbers), 2, others));
}

static void others_next(const struct rule_view *view, struct text *ret)
{
	(void)view;
	text_add(ret, "measure again when the machine is quiet, or in a job with cores of its own");
}

const struct rule rule_cpu_wait_others = {
	.id = "cpu-wait-others",
	.title = "waiting for a CPU: others had it",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.wait_cpu_s", "totals.machine_busy_s" },
	.fires = others_fires,
	.say = others_say,
	.evidence = others_evidence,
	.next = others_next,
	.silences = { "machine-busy", "sleeping", "one-core", "few-cores-used" },
	.means = "The program was ready to run, and the CPU was with other programs of the same "
		 "machine. Alone it would have been faster: its time says more about the "
		 "neighbours than about itself. CPU time and memory are right all the same.",
	.seen = "The kernel counts how long each thread was ready to run and had no CPU: that was "
		"a quarter of its CPU time or more, and a tenth of the run's time. Other programs "
		"used a quarter of a core or more meanwhile.",
	.remedy = "Measure again when the machine is quiet. On a login node: do it in a job. In a "
		  "job: ask for cores of your own (Slurm: --exclusive, or --cpus-per-task instead "
		  "of a shared node). On your own machine: 'sonde show' and 'top' tell who else "
		  "runs; 'nice' lets a long one wait.",
	.ignore = "When only CPU time and memory matter, or the machine is always that busy.",
};

enum { STORAGE_WAIT = 2, STORAGE_READ, STORAGE_WRITTEN };

static bool storage_fires(const struct rule_view *view)
{
	const double *n = view->numbers;

	return n[STORAGE_WAIT] >= STORAGE_SHARE * n[WALL] &&
	       n[CPU] <= STORAGE_CORES_MOST * n[WALL] &&
	       n[STORAGE_READ] + n[STORAGE_WRITTEN] >=
		   STORAGE_BYTES_A_SECOND * fmin(n[STORAGE_WAIT], n[WALL]);
}

/* Only the first of them is about this run alone. */
static const char *storage_account(const struct facts *facts)
{
	if (value_is(facts_value(facts, "totals", "wait_io_s")))
		return "its own account";
	return value_is(facts_value(facts, "totals", "cgroup_pressure_io_s"))
		   ? "the account of its cgroup"
		   : "the account of the whole machine";
}

static void storage_say(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char share[HUMAN_BYTES], moved[HUMAN_BYTES];

	text_add_format(ret, "Storage was waited for during %s of the time, and it moved %s.",
			human_percent(fmin(1, n[STORAGE_WAIT] / n[WALL]), share),
			human_bytes(n[STORAGE_READ] + n[STORAGE_WRITTEN], moved));
}

static void storage_evidence(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char read[HUMAN_BYTES], written[HUMAN_BYTES], mean[HUMAN_BYTES];

	text_add_format(ret, "by %s ", storage_account(view->facts));
	add_share(ret, n[STORAGE_WAIT], n[WALL]);
	text_add_format(ret, "; %s came from storage and %s went to it; %s cores were busy",
			human_bytes(n[STORAGE_READ], read),
			human_bytes(n[STORAGE_WRITTEN], written),
			human_number(mean_cores(view), 2, mean));
}

static void storage_next(const struct rule_view *view, struct text *ret)
{
	text_add(ret, ask_has_words(view->facts)
			  ? "work on the node's own disk ($TMPDIR) and copy the result at the end"
			  : "read and write in larger pieces, or work on a faster disk");
}

const struct rule rule_storage_wait = {
	.id = "storage-wait",
	.title = "waiting for storage",
	.needs = { "totals.wall_s", "totals.cpu_s",
		   "totals.wait_io_s|totals.cgroup_pressure_io_s|totals.pressure_io_s",
		   "totals.storage_read_bytes", "totals.storage_write_bytes" },
	.fires = storage_fires,
	.say = storage_say,
	.evidence = storage_evidence,
	.next = storage_next,
	.silences = { "sleeping", "few-cores-used" },
	.means = "For a good part of the time the program could not go on, because a disk or a "
		 "file server had not yet answered. More cores will not help.",
	.seen =
	    "The best that is there of three: the kernel's account of the program's own waiting "
	    "(where kernel.task_delayacct is on), that of its cgroup, or that of the machine. It "
	    "was a quarter of the time or more, less than 0.7 cores were busy, and the run itself "
	    "moved data to or from storage: 0.2 MB or more for each second of waiting.",
	.remedy =
	    "Read and write in larger pieces; many small files are the slowest way, one large file "
	    "or an archive is faster. On a cluster copy the input to the node's own disk ($TMPDIR, "
	    "$SCRATCH) first. Do not flush (fsync) after every line. Compressed input may be "
	    "faster than plain. If it can work on one part while it reads the next, let it.",
	.ignore = "When the data must be read once anyway and the storage is as fast as it gets; "
		  "or when another program on the machine was the one that waited (the account of "
		  "the machine cannot tell them apart).",
};

static bool sleeping_fires(const struct rule_view *view)
{
	return view->numbers[CPU] <= SLEEP_CORES_MOST * view->numbers[WALL];
}

static void sleeping_say(const struct rule_view *view, struct text *ret)
{
	char share[HUMAN_BYTES];

	text_add_format(ret, "It slept or waited nearly all the time: a CPU was busy for %s of it.",
			human_percent(mean_cores(view), share));
}

static void sleeping_evidence(const struct rule_view *view, struct text *ret)
{
	text_add(ret, "CPU time: ");
	add_share(ret, view->numbers[CPU], view->numbers[WALL]);
}

static void sleeping_next(const struct rule_view *view, struct text *ret)
{
	(void)view;
	text_add(ret, "find out what it waits for: a network, a lock, input, another program");
}

const struct rule rule_sleeping = {
	.id = "sleeping",
	.title = "nothing but sleeping or waiting",
	.needs = { "totals.wall_s", "totals.cpu_s" },
	.fires = sleeping_fires,
	.say = sleeping_say,
	.evidence = sleeping_evidence,
	.next = sleeping_next,
	.silences = { "one-core", "few-cores-used" },
	.means = "The program did next to nothing by itself. It waited: for a server or a "
		 "download, for a lock, for input, for another program, or it simply slept. A "
		 "faster machine will not help.",
	.seen = "CPU time was at most a twentieth of the time, and neither waiting for a CPU nor "
		"for storage was seen to explain it.",
	.remedy = "Find out what it waits for. 'sonde show' tells whether it was so all the time "
		  "or in phases; 'strace -f -c' which calls it waits in. If it asks a server many "
		  "times, ask for more at once, or several at the same time. If it waits for "
		  "another program, measure that one.",
	.ignore = "When waiting is its work: servers, schedulers, a shell that somebody sits at.",
};
