/* Memory beside what may be used of it. A limit that stops a program is the cgroup's, which a batch
 * system or a container sets; `ulimit -v` is of addresses, of which a program may take far more
 * than memory, so it says nothing about near or far. The whole machine is no request, either. */
#include "advise/ask.h"
#include "advise/table.h"
#include "base/human.h"

#include <math.h>
#include <string.h>

/* A disk brings some 100 pages a second, so ten of them are a tenth of the time; a program's start
 * costs a few dozens in all. */
#define SWAP_FAULTS_A_SECOND 10
#define SWAP_FAULTS 100
/* Less is what any machine puts aside of a program that was not used for a while. */
#define SWAP_BYTES 67108864

enum { KILLED_CAUSE, KILLED_SURE, KILLED_LIMIT, KILLED_ULIMIT, KILLED_MACHINE, KILLED_PEAK };

static bool killed_fires(const struct rule_view *view)
{
	return strcmp(facts_text(view->facts, "exit", "cause"), "memory") == 0;
}

/* The limit of addresses is the one that stopped it where no other is as low. */
static bool hit_ulimit(const double *n)
{
	return !isnan(n[KILLED_ULIMIT]) && !(n[KILLED_LIMIT] <= n[KILLED_ULIMIT]);
}

static void add_what_it_had(const double *n, struct text *ret)
{
	char words[HUMAN_BYTES];

	if (hit_ulimit(n))
		text_add_format(ret, "the %s that 'ulimit' allows",
				human_memory(n[KILLED_ULIMIT], words));
	else if (!isnan(n[KILLED_LIMIT]))
		text_add_format(ret, "its limit of %s", human_memory(n[KILLED_LIMIT], words));
	else if (!isnan(n[KILLED_MACHINE]))
		text_add_format(ret, "was free of the machine's %s",
				human_memory(n[KILLED_MACHINE], words));
	else
		text_add(ret, "there was");
}

static void killed_say(const struct rule_view *view, struct text *ret)
{
	bool sure = view->numbers[KILLED_SURE] == 1;

	text_add_format(ret, "It %s more memory than ", sure ? "needs" : "probably needs");
	add_what_it_had(view->numbers, ret);
	text_add(ret, "; how much more is not known.");
}

static void killed_evidence(const struct rule_view *view, struct text *ret)
{
	const char *reason = facts_text(view->facts, "exit", "reason");
	char peak[HUMAN_BYTES];

	text_add(ret, reason ? reason : "it ended for lack of memory");
	if (!isnan(view->numbers[KILLED_PEAK]))
		text_add_format(ret, " The most that was seen in use: %s",
				human_memory(view->numbers[KILLED_PEAK], peak));
}

static void add_raise(const struct facts *facts, double limit_bytes, struct text *ret)
{
	struct ask ask = { .cores = NAN,
			   .memory_bytes = ask_round(limit_bytes * KILLED_MARGIN),
			   .time_s = NAN };

	ask_add(facts, &ask, ret);
	text_add(ret, " (half as much again, rounded up)");
}

static void killed_next(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;

	if (hit_ulimit(n))
		text_add(ret, "raise it: ulimit -v unlimited; ulimit -d unlimited");
	else if (!isnan(n[KILLED_LIMIT]))
		add_raise(view->facts, n[KILLED_LIMIT], ret);
	else
		text_add(ret,
			 "use a machine with more memory, or work on smaller pieces of the input");
}

const struct rule rule_killed_for_memory = {
	.id = "killed-for-memory",
	.title = "killed for lack of memory",
	.needs = { "exit.cause", "exit.sure?",
		   "limits.memory_cgroup_bytes|limits.memory_requested_bytes?",
		   "limits.memory_ulimit_bytes?", "machine.memory_bytes?",
		   "totals.memory_tree_peak_bytes?" },
	.fires = killed_fires,
	.say = killed_say,
	.evidence = killed_evidence,
	.next = killed_next,
	.silences = { "memory-near", "memory-low", "time-low", "ask-for", "too-short", "sleeping" },
	.means = "The program wanted more memory than its job, its container or the machine had "
		 "for it, and was stopped for that. What it had done until then is lost, unless it "
		 "had saved it.",
	.seen = "The end of the program says so: the kernel counted a kill for lack of memory, or "
		"it got the signal 9 near its limit (then it is only probable).",
	.remedy = "Ask for more: #SBATCH --mem=6G, #PBS -l mem=6gb, limits.memory: 6Gi. sonde says "
		  "one and a half times the limit that was hit, because the true need was never "
		  "seen; if that is too little again, the same once more. Or let the program need "
		  "less: read the input in pieces instead of at once, start fewer workers (each "
		  "has its own copy), use smaller types of numbers.",
	.ignore = "When you know why: another program on the same machine took the memory, or the "
		  "input was wrong.",
};

enum { SWAP_PEAK = 1, SWAP_MAJOR };

static bool swapping_fires(const struct rule_view *view)
{
	const double *n = view->numbers;

	return n[SWAP_PEAK] >= SWAP_BYTES && n[SWAP_MAJOR] >= SWAP_FAULTS &&
	       n[SWAP_MAJOR] >= SWAP_FAULTS_A_SECOND * n[WALL];
}

static void swapping_say(const struct rule_view *view, struct text *ret)
{
	char bytes[HUMAN_BYTES];

	text_add_format(ret,
			"Memory was short: %s of it lay on disk (swap) and had to be fetched back.",
			human_memory(view->numbers[SWAP_PEAK], bytes));
}

static void swapping_evidence(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char faults[HUMAN_BYTES], rate[HUMAN_BYTES];

	text_add_format(ret, "it waited %s times for a page of memory from disk, %s times a second",
			human_count(n[SWAP_MAJOR], faults),
			human_number(n[SWAP_MAJOR] / n[WALL], 2, rate));
}

static void swapping_next(const struct rule_view *view, struct text *ret)
{
	(void)view;
	text_add(
	    ret,
	    "ask for more memory, close other programs, or work on smaller pieces of the input");
}

const struct rule rule_swapping = {
	.id = "swapping",
	.title = "memory short, parts of it on disk",
	.needs = { "totals.wall_s", "totals.swap_peak_bytes", "totals.faults_major" },
	.fires = swapping_fires,
	.say = swapping_say,
	.evidence = swapping_evidence,
	.next = swapping_next,
	.silences = { "memory-low", "sleeping", "storage-wait" },
	.means = "There was not enough memory for all that ran, so parts of it were written to "
		 "disk (swap) and read back when they were needed. A disk is a thousand times "
		 "slower than memory, and so is the program while it waits.",
	.seen = "64 MiB or more of the run were in swap at some time, and it had to wait for pages "
		"from disk 10 times a second or more (major page faults).",
	.remedy = "Ask for more memory. On your own machine close other programs. Read the input "
		  "in pieces, start fewer workers. 'sonde show' tells when memory grew.",
	.ignore = "When the waiting came from reading large files as memory (mmap): those count as "
		  "page faults, too.",
};

enum { NEAR_PEAK, NEAR_LIMIT };

/* Less room than our own margin. */
static bool near_fires(const struct rule_view *view)
{
	return view->numbers[NEAR_PEAK] * MEMORY_MARGIN > view->numbers[NEAR_LIMIT];
}

static void add_of(struct text *text, const char *format, double part_bytes, double all_bytes)
{
	char part[HUMAN_BYTES], all[HUMAN_BYTES];

	human_memory(part_bytes, part);
	human_memory(all_bytes, all);
	text_add(text, format);
	text_add_format(text, "%s of %s", part, all);
}

static void near_say(const struct rule_view *view, struct text *ret)
{
	add_of(ret, "Memory was nearly used up: ", view->numbers[NEAR_PEAK],
	       view->numbers[NEAR_LIMIT]);
	text_add(ret, ".");
}

static void memory_evidence(const struct rule_view *view, struct text *ret)
{
	char share[HUMAN_BYTES];

	text_add_format(ret, "the peak was %s of what it may use",
			human_percent(view->numbers[NEAR_PEAK] / view->numbers[NEAR_LIMIT], share));
}

static void add_memory_request(const struct rule_view *view, struct text *ret)
{
	double high = view->highs[NEAR_PEAK];
	struct ask ask = { .cores = NAN, .time_s = NAN };

	ask.memory_bytes = ask_memory(isfinite(high) ? high : view->numbers[NEAR_PEAK]);
	ask_add(view->facts, &ask, ret);
}

static void near_next(const struct rule_view *view, struct text *ret)
{
	add_memory_request(view, ret);
	text_add(ret, ", a fifth more than it used, or a larger input is killed");
}

const struct rule rule_memory_near = {
	.id = "memory-near",
	.title = "memory near its limit",
	.needs = { "totals.memory_tree_peak_bytes",
		   "limits.memory_cgroup_bytes|limits.memory_requested_bytes" },
	.fires = near_fires,
	.say = near_say,
	.evidence = memory_evidence,
	.next = near_next,
	.silences = { "memory-low" },
	.means = "The program came close to the most memory that it may use. A slightly larger "
		 "input, or one more worker, and it is killed.",
	.seen = "With a fifth more than its peak it would have been above the limit of its cgroup, "
		"or what its job asked for. The peak is that of all its processes together, shared "
		"memory counted once, without cached files.",
	.remedy = "Ask for more: #SBATCH --mem=6G, #PBS -l mem=6gb, limits.memory: 6Gi. Or let it "
		  "need less: read in pieces, start fewer workers, use smaller types of numbers.",
	.ignore = "When the program fits itself to the limit, as Java, databases and caches do; or "
		  "when all inputs have the same size.",
};

/* Of a task among others the memory is not all that was asked for. */
static bool low_fires(const struct rule_view *view)
{
	return ask_is_alone(view->facts) &&
	       ask_memory_is_far(view->numbers[NEAR_PEAK], view->numbers[NEAR_LIMIT]);
}

static void low_say(const struct rule_view *view, struct text *ret)
{
	add_of(ret, "It used ", view->numbers[NEAR_PEAK], view->numbers[NEAR_LIMIT]);
	text_add(ret, " of memory that it may use.");
}

static void low_next(const struct rule_view *view, struct text *ret)
{
	add_memory_request(view, ret);
	text_add(ret, ", a fifth more than its peak");
}

const struct rule rule_memory_low = {
	.id = "memory-low",
	.title = "memory far below what was asked for",
	.needs = { "totals.memory_tree_peak_bytes",
		   "limits.memory_requested_bytes|limits.memory_cgroup_bytes" },
	.whole = true,
	.fires = low_fires,
	.say = low_say,
	.evidence = memory_evidence,
	.next = low_next,
	.means =
	    "The job asked for far more memory than the program used. Nobody else could use it "
	    "meanwhile, you wait longer for a place with so much, and many sites charge for it.",
	.seen = "Half of what was asked for would be enough, with a fifth to spare on top of the "
		"highest that the peak can have been, and at least 1 GiB would be saved.",
	.remedy = "Ask for less: #SBATCH --mem=6G (instead of --mem-per-cpu, not beside it), #PBS "
		  "-l mem=6gb, requests.memory: 6Gi. The margin is there because the next input is "
		  "not the same.",
	.ignore = "When this was a small test, and the real input is larger; or when the program "
		  "needs much memory only for some inputs; or when fast reading counts on the rest "
		  "as cache for files.",
};
