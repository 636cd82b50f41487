/* How many cores were busy, of those that the run might use. Cores that were asked for are paid for
 * and kept from others; those of one's own machine are not, so less is said about them. */
#include "advise/ask.h"
#include "advise/table.h"
#include "base/human.h"

#include <math.h>

/* A program of one thread that now and then waits for a file is at 0.85 or more; what starts beside
 * it (a shell, a garbage collector) brings a mean to 1.05 and a tenth of a second to 1.3. */
#define ONE_LEAST 0.85
#define ONE_MOST 1.05
#define ONE_PEAK_MOST 1.3
/* Nobody makes a program of 5 s parallel; and the start of most is of one thread. */
#define OWN_MACHINE_S 5
/* Half of what was asked for lies idle. */
#define FEW_SHARE 0.5
/* So many more want to run, all the time, than can: the cost of changing between them, and of
 * waiting for the one that did not run, begins to show. */
#define MANY_WANT 1.5
/* Who starts twice as many as it may use wants more cores, perhaps. Four times as many were counted
 * by the machine's cores, most often, and not by those that it may use. */
#define MANY_TIMES 4

enum { ONE_PEAK = 2, ONE_CORES, ONE_ASKED, ONE_THREADS };

static bool one_core_fires(const struct rule_view *view)
{
	const double *n = view->numbers;
	double mean = mean_cores(view);

	return n[ONE_CORES] >= 2 && mean >= ONE_LEAST && mean <= ONE_MOST &&
	       n[ONE_PEAK] <= ONE_PEAK_MOST && (n[ONE_ASKED] >= 2 || n[WALL] >= OWN_MACHINE_S);
}

static void one_core_say(const struct rule_view *view, struct text *ret)
{
	char cores[HUMAN_BYTES];

	text_add_format(ret, "One core was busy at a time, of %s that it may use.",
			human_number(view->numbers[ONE_CORES], 3, cores));
}

static void one_core_evidence(const struct rule_view *view, struct text *ret)
{
	char cpu[HUMAN_BYTES], wall[HUMAN_BYTES], peak[HUMAN_BYTES], threads[HUMAN_BYTES];

	text_add_format(ret, "%s of CPU time in %s, at most %s busy at once",
			human_duration(view->numbers[CPU], cpu),
			human_duration(view->numbers[WALL], wall),
			human_number(view->numbers[ONE_PEAK], 2, peak));
	if (view->numbers[ONE_THREADS] >= 2)
		text_add_format(ret, "; it had %s threads, but they ran one at a time",
				human_count(view->numbers[ONE_THREADS], threads));
}

static void one_core_next(const struct rule_view *view, struct text *ret)
{
	struct ask ask = { .cores = 1, .memory_bytes = NAN, .time_s = NAN };

	if (view->numbers[ONE_ASKED] >= 2 && ask_is_alone(view->facts) &&
	    ask_has_words(view->facts)) {
		ask_add(view->facts, &ask, ret);
		text_add(ret, ", or let it use more cores: sonde explain one-core");
		return;
	}
	text_add(ret, "see whether it has an option for threads, processes or workers: sonde "
		      "explain one-core");
}

const struct rule rule_one_core = {
	.id = "one-core",
	.title = "one core busy of many",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.cores_peak", "limits.cores",
		   "limits.cores_requested|limits.cores_quota?", "totals.threads_peak?" },
	.fires = one_core_fires,
	.say = one_core_say,
	.evidence = one_core_evidence,
	.next = one_core_next,
	.silences = { "few-cores-used" },
	.means = "The program did one thing at a time. The other cores that it might have used lay "
		 "idle: it would have been as fast with one. In a batch system you wait longer for "
		 "them, and pay for them.",
	.seen =
	    "CPU time divided by time is the number of cores that were busy on average: it was "
	    "between 0.85 and 1.05, and never above 1.3 for a tenth of a second, while two or more "
	    "might be used. Where no cores were asked for, only runs of more than 5 seconds count.",
	.remedy = "Ask for one core: #SBATCH --cpus-per-task=1, #PBS -l select=1:ncpus=1, cpu: "
		  "\"1\". Or let the program use more: look for an option like --threads, --jobs "
		  "or --workers; set OMP_NUM_THREADS for programs with OpenMP, numpy or R's linear "
		  "algebra. Python threads run Python code one at a time (they share one lock, the "
		  "GIL): use processes, as with multiprocessing, joblib or Dask's processes. If "
		  "there are many independent inputs, start one run for each.",
	.ignore = "When the memory of many cores is what you need and your site only gives memory "
		  "with cores; when it is a short test of a longer run that uses more.",
};

enum { FEW_ASKED = 2, FEW_PEAK };

static bool few_cores_fires(const struct rule_view *view)
{
	double mean = mean_cores(view), asked = view->numbers[FEW_ASKED];

	return mean <= FEW_SHARE * asked && asked - mean >= 1;
}

static void few_cores_say(const struct rule_view *view, struct text *ret)
{
	char mean[HUMAN_BYTES], asked[HUMAN_BYTES];

	text_add_format(ret, "On average %s of %s cores were busy.",
			human_number(mean_cores(view), 2, mean),
			human_number(view->numbers[FEW_ASKED], 3, asked));
}

static void few_cores_evidence(const struct rule_view *view, struct text *ret)
{
	char cpu[HUMAN_BYTES], wall[HUMAN_BYTES], peak[HUMAN_BYTES];

	text_add_format(ret, "%s of CPU time in %s", human_duration(view->numbers[CPU], cpu),
			human_duration(view->numbers[WALL], wall));
	if (!isnan(view->numbers[FEW_PEAK]))
		text_add_format(ret, "; at most %s cores were busy at once",
				human_number(view->numbers[FEW_PEAK], 2, peak));
}

static void few_cores_next(const struct rule_view *view, struct text *ret)
{
	double cores = ask_cores(view->highs[FEW_PEAK], mean_cores(view));
	struct ask ask = { .cores = cores, .memory_bytes = NAN, .time_s = NAN };

	if (isnan(view->numbers[FEW_PEAK]) || cores >= view->numbers[FEW_ASKED]) {
		text_add(ret, "sonde show tells when they were busy and when not");
		return;
	}
	if (!ask_is_alone(view->facts) || !ask_has_words(view->facts))
		return;
	ask_add(view->facts, &ask, ret);
}

const struct rule rule_few_cores_used = {
	.id = "few-cores-used",
	.title = "far fewer cores busy than were asked for",
	.needs = { "totals.wall_s", "totals.cpu_s", "limits.cores_requested|limits.cores_quota",
		   "totals.cores_peak?" },
	.fires = few_cores_fires,
	.say = few_cores_say,
	.evidence = few_cores_evidence,
	.next = few_cores_next,
	.means = "Half of the cores that were asked for, or more, lay idle. That may be all the "
		 "time, or in phases: reading the input with one core, then working with all.",
	.seen = "CPU time divided by time is the number of cores that were busy on average. It was "
		"at most half of the cores that the job asked for, or that its quota allows.",
	.remedy = "If never more than a few were busy, ask for as many: #SBATCH --cpus-per-task=4, "
		  "#PBS -l select=1:ncpus=4. If all were busy at times, see in 'sonde show' when "
		  "they were not; phases of one core may go into a job of their own. Try half the "
		  "cores and compare the times: many programs are hardly slower.",
	.ignore = "When the memory that comes with the cores is what you need.",
};

enum { MANY_THREADS = 3, MANY_CORES, MANY_MACHINE };

static bool too_many_fires(const struct rule_view *view)
{
	const double *n = view->numbers;
	double times = n[MANY_CORES] < n[MANY_MACHINE] ? MANY_TIMES : MANY_WANT;

	return wanted_cores(view) >= MANY_WANT * n[MANY_CORES] &&
	       n[MANY_THREADS] >= times * n[MANY_CORES];
}

static void too_many_say(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char want[HUMAN_BYTES], cores[HUMAN_BYTES];

	text_add_format(ret, "%s threads or processes wanted to run at once, on %s core%s.",
			human_number(wanted_cores(view), 2, want),
			human_number(n[MANY_CORES], 3, cores), n[MANY_CORES] == 1 ? "" : "s");
}

static void too_many_evidence(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char threads[HUMAN_BYTES], wait[HUMAN_BYTES], cpu[HUMAN_BYTES];

	text_add_format(ret,
			"that is on average; there were %s at most; they waited for a CPU for %s "
			"in all, and had one for %s",
			human_count(n[MANY_THREADS], threads), human_duration(n[WAIT], wait),
			human_duration(n[CPU], cpu));
}

static void too_many_next(const struct rule_view *view, struct text *ret)
{
	char cores[HUMAN_BYTES];

	human_count(fmax(1, floor(view->numbers[MANY_CORES])), cores);
	text_add_format(ret, "start %s, often by OMP_NUM_THREADS=%s or an option like --threads=%s",
			cores, cores, cores);
}

const struct rule rule_too_many_threads = {
	.id = "too-many-threads",
	.title = "more threads than cores, and they wait for each other",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.wait_cpu_s", "totals.threads_peak",
		   "limits.cores", "machine.cores" },
	.fires = too_many_fires,
	.say = too_many_say,
	.evidence = too_many_evidence,
	.next = too_many_next,
	.silences = { "cpu-wait-cores", "cpu-wait-others", "one-core", "few-cores-used" },
	.means = "More threads or processes wanted to run at once than there were cores for them, "
		 "so they took turns. That gives no more speed than one thread a core, costs "
		 "memory, and can be much slower when threads wait for each other. Often a library "
		 "counted the cores of the whole machine, and not those that the job may use.",
	.seen =
	    "The kernel counts how long each thread was ready to run and had no CPU. With the CPU "
	    "time that gives how many wanted to run on average: at least one and a half times as "
	    "many as the cores that may be used. And there were so many threads: one and a half "
	    "times as many as the machine has cores, or four times as many as the cores allowed.",
	.remedy = "Start as many as you have cores: OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, "
		  "MKL_NUM_THREADS, --threads, --jobs, n_jobs. In Slurm: export "
		  "OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK; in PBS: $NCPUS. A pool of processes whose "
		  "workers use threads multiplies the two. Or ask for more cores, if the program "
		  "has work for them.",
	.ignore = "When the threads are independent and the total time is all that matters: then "
		  "taking turns costs little.",
};
