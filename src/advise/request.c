/* What to ask for next time, where a scheduler was asked: from a run that went to its end, was all
 * of its job, and used up none of what it had. */
#include "advise/ask.h"
#include "advise/table.h"
#include "base/human.h"

#include <math.h>

/* A run that took so much of its time limit is to have more. */
#define TIME_NEAR 0.9

enum { ASK_PEAK = 3, ASK_MEMORY, ASK_SWAP, ASK_CORES, ASK_BYTES, ASK_TIME };

/* Cores that it kept busy, or would have: who waited for a CPU wanted one more. The wait is a lower
 * bound. */
static double cores_asked(const struct rule_view *view)
{
	double wait_s = isfinite(view->lows[WAIT]) ? view->lows[WAIT] : 0;
	double wanted = (view->highs[CPU] + wait_s) / view->highs[WALL];
	double cores = ask_cores(view->highs[ASK_PEAK], wanted);

	return !isnan(view->highs[ASK_PEAK]) && cores < view->lows[ASK_CORES] ? cores : NAN;
}

/* What was swapped out is not in the peak, so nothing can be said then. */
static double memory_asked(const struct rule_view *view)
{
	double high = view->highs[ASK_MEMORY], asked = view->lows[ASK_BYTES];
	bool near = view->lows[ASK_MEMORY] * MEMORY_MARGIN > asked;

	if (!isfinite(high) || view->lows[ASK_SWAP] > 0)
		return NAN;
	return near || ask_memory_is_far(high, asked) ? ask_memory(high) : NAN;
}

static double time_asked(const struct rule_view *view)
{
	double wall_s = view->highs[WALL], asked_s = view->lows[ASK_TIME];

	return wall_s >= TIME_NEAR * asked_s || ask_time_is_far(wall_s, asked_s) ? ask_time(wall_s)
										 : NAN;
}

static struct ask ask_of(const struct rule_view *view)
{
	return (struct ask){ .cores = cores_asked(view),
			     .memory_bytes = memory_asked(view),
			     .time_s = time_asked(view),
			     .had_cores = fmax(0, view->numbers[ASK_CORES]) };
}

static bool ask_fires(const struct rule_view *view)
{
	CLEANUP(text_clear) struct text flags = { 0 };
	struct ask ask = ask_of(view);

	if (!ask_is_alone(view->facts))
		return false;
	ask_add_flags(view->facts, &ask, &flags);
	return flags.length > 0;
}

static void add_part(struct text *text, const char *used, const char *asked)
{
	text_add_format(text, "%s%s of %s", text->length ? ", " : "", used, asked);
}

static void ask_say(const struct rule_view *view, struct text *ret)
{
	CLEANUP(text_clear) struct text parts = { 0 };
	const double *n = view->numbers;
	struct ask ask = ask_of(view);
	char used[HUMAN_BYTES], asked[HUMAN_BYTES];

	if (isfinite(ask.cores)) {
		add_part(&parts, human_number(mean_cores(view), 2, used),
			 human_number(n[ASK_CORES], 3, asked));
		text_add(&parts, " cores");
	}
	if (isfinite(ask.memory_bytes))
		add_part(&parts, human_memory(n[ASK_MEMORY], used),
			 human_memory(n[ASK_BYTES], asked));
	if (isfinite(ask.time_s))
		add_part(&parts, human_duration(n[WALL], used), human_duration(n[ASK_TIME], asked));
	text_add_format(ret, "Used of what was asked for: %s.", text_string(&parts));
}

static void ask_evidence(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	struct ask ask = ask_of(view);
	char words[HUMAN_BYTES];

	text_add(ret, "for this command alone");
	if (isfinite(ask.cores))
		text_add_format(ret, "; cores: at most %s were busy at once",
				human_number(n[ASK_PEAK], 2, words));
	if (isfinite(ask.memory_bytes))
		text_add_format(
		    ret, "; memory: a fifth more than the peak of at most %s, as inputs differ",
		    human_memory(view->highs[ASK_MEMORY], words));
	if (isfinite(ask.time_s))
		text_add(ret, "; time: half as much again, as machines and file systems differ");
}

static void ask_next(const struct rule_view *view, struct text *ret)
{
	struct ask ask = ask_of(view);

	ask_add(view->facts, &ask, ret);
}

const struct rule rule_ask_for = {
	.id = "ask-for",
	.title = "what to ask for next time",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.wait_cpu_s?", "totals.cores_peak?",
		   "totals.memory_tree_peak_bytes?", "totals.swap_peak_bytes?",
		   "limits.cores_requested|limits.cores_quota?",
		   "limits.memory_requested_bytes|limits.memory_cgroup_bytes?", "limits.time_s?" },
	.whole = true,
	.fires = ask_fires,
	.say = ask_say,
	.evidence = ask_evidence,
	.next = ask_next,
	.means = "The job asked for more than this run used, or had hardly enough. These are the "
		 "words for the next one.",
	.seen =
	    "Cores: the most that were busy in a tenth of a second, or would have been if they had "
	    "got a CPU; a third of a core does not count. Memory: a fifth more than the highest "
	    "that the peak can have been, because inputs differ. Time: half as much again, because "
	    "machines and file systems do. Only what differs usefully is named: a core or more, "
	    "half of the memory and 1 GiB or more, half of the time and 10 minutes or more.",
	.remedy = "Write them into the job script: #SBATCH --cpus-per-task=1 --mem=6G "
		  "--time=00:06:00, or #PBS -l select=1:ncpus=1:mem=6gb and #PBS -l "
		  "walltime=00:06:00, or the container's resources: in Kubernetes. They are for "
		  "this command alone: add what else the job does. Smaller jobs start sooner.",
	.ignore = "When this was a small test, or the next input is much larger. sonde says "
		  "nothing of jobs with several tasks or nodes, of runs that failed or were "
		  "killed, and of those shorter than a second.",
};

enum { LOW_LIMIT = 1 };

static bool time_low_fires(const struct rule_view *view)
{
	return ask_time_is_far(view->numbers[WALL], view->numbers[LOW_LIMIT]);
}

static void time_low_say(const struct rule_view *view, struct text *ret)
{
	char wall[HUMAN_BYTES], limit[HUMAN_BYTES];

	text_add_format(ret, "It took %s, and the job may take %s.",
			human_duration(view->numbers[WALL], wall),
			human_duration(view->numbers[LOW_LIMIT], limit));
}

static void time_low_evidence(const struct rule_view *view, struct text *ret)
{
	char share[HUMAN_BYTES];

	text_add_format(ret, "%s of the time limit",
			human_percent(view->numbers[WALL] / view->numbers[LOW_LIMIT], share));
}

static void time_low_next(const struct rule_view *view, struct text *ret)
{
	struct ask ask = { .cores = NAN,
			   .memory_bytes = NAN,
			   .time_s = ask_time(view->numbers[WALL]) };

	if (!ask_has_words(view->facts))
		return;
	text_add(ret, "ask for ");
	ask_add_flags(view->facts, &ask, ret);
	text_add(ret, ", half as much again as it took");
}

const struct rule rule_time_low = {
	.id = "time-low",
	.title = "time far below the limit",
	.needs = { "totals.wall_s", "limits.time_s" },
	.whole = true,
	.fires = time_low_fires,
	.say = time_low_say,
	.evidence = time_low_evidence,
	.next = time_low_next,
	.means = "The job asked for far more time than the run took. Schedulers fill gaps with "
		 "jobs that say they are short, so a job that asks for less starts sooner.",
	.seen = "Half of the time limit would be enough, with half as much again as it took, and "
		"at least 10 minutes would be saved.",
	.remedy = "Ask for less: #SBATCH --time=00:06:00, #PBS -l walltime=00:06:00. Leave room: a "
		  "job that reaches its limit is killed and its work is lost.",
	.ignore = "When the job does more than this command, or the next input is larger.",
};
