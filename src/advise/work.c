/* What the CPU time went to: the program's own code, the kernel in its name, or the starting of
 * ever more programs. */
#include "advise/table.h"
#include "base/human.h"

#include <math.h>

/* Starting a program takes 1 to 5 ms; who used less than 10 in all did little else. */
#define START_CPU_S 0.01
#define STARTS 100
#define STARTS_CORES 0.3 /* and that was what took the time */
/* Half of the CPU time, where it matters at all. */
#define SYSTEM_SHARE 0.5
#define SYSTEM_CORES 0.5
/* A call costs 0.1 to 1 us, so 50,000 a second begin to show; and 4096 bytes are one page. */
#define CALLS_A_SECOND 5e4
#define SMALL_BYTES 4096
/* To get a fresh page costs 0.25 us at least, 0.5 to 1 us most often. */
#define FAULTS_A_SECOND 1e5

enum { STARTS_COUNT = 2 };

static bool starts_fires(const struct rule_view *view)
{
	const double *n = view->numbers;

	return n[STARTS_COUNT] >= STARTS && n[CPU] <= START_CPU_S * n[STARTS_COUNT] &&
	       n[CPU] >= STARTS_CORES * n[WALL];
}

static void starts_say(const struct rule_view *view, struct text *ret)
{
	char count[HUMAN_BYTES];

	text_add_format(ret, "Most of its time went to starting %s processes.",
			human_count(view->numbers[STARTS_COUNT], count));
}

static void starts_evidence(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	char each[HUMAN_BYTES], rate[HUMAN_BYTES];

	text_add_format(ret, "%s processes a second, %s of CPU time each",
			human_number(n[STARTS_COUNT] / n[WALL], 2, rate),
			human_duration(n[CPU] / n[STARTS_COUNT], each));
}

static void starts_next(const struct rule_view *view, struct text *ret)
{
	(void)view;
	text_add(ret, "do more in each process: one call for many files instead of one for each");
}

const struct rule rule_process_starts = {
	.id = "process-starts",
	.title = "mostly starting processes",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.processes" },
	.fires = starts_fires,
	.say = starts_say,
	.evidence = starts_evidence,
	.next = starts_next,
	.silences = { "system-time" },
	.means = "The run started very many programs that each did very little. To start one costs "
		 "more than what it then does.",
	.seen = "100 processes or more, with at most 10 ms of CPU time each on average; starting a "
		"program takes 1 to 5 ms. At least 0.3 cores were busy with it.",
	.remedy = "Do more in each process. In a shell: one 'sed' over all files instead of one "
		  "for each; what the shell can do by itself (${name%.txt}) instead of basename, "
		  "cut, expr; xargs -n 100. In Python or R: a library instead of a command. 'sonde "
		  "show' tells which commands they were.",
	.ignore = "When the commands are what you want to test, or it happens once.",
};

enum { SYSTEM = 2, SYSTEM_READS, SYSTEM_WRITES, SYSTEM_READ, SYSTEM_WRITTEN, SYSTEM_FAULTS };

static bool system_fires(const struct rule_view *view)
{
	const double *n = view->numbers;

	return n[SYSTEM] >= SYSTEM_SHARE * n[CPU] && n[CPU] >= SYSTEM_CORES * n[WALL];
}

static void system_say(const struct rule_view *view, struct text *ret)
{
	char share[HUMAN_BYTES];

	text_add_format(ret, "%s of its CPU time were in the kernel, not in its own code.",
			human_percent(fmin(1, view->numbers[SYSTEM] / view->numbers[CPU]), share));
}

/* Unknown counts are NAN, and no comparison holds for them. */
static bool is_small_io(const double *n)
{
	double calls = n[SYSTEM_READS] + n[SYSTEM_WRITES];

	return calls >= CALLS_A_SECOND * n[WALL] &&
	       n[SYSTEM_READ] + n[SYSTEM_WRITTEN] <= SMALL_BYTES * calls;
}

static void system_evidence(const struct rule_view *view, struct text *ret)
{
	const double *n = view->numbers;
	double calls = n[SYSTEM_READS] + n[SYSTEM_WRITES];
	char system[HUMAN_BYTES], cpu[HUMAN_BYTES], rate[HUMAN_BYTES], each[HUMAN_BYTES];

	text_add_format(ret, "%s of %s of CPU time", human_duration(n[SYSTEM], system),
			human_duration(n[CPU], cpu));
	if (is_small_io(n))
		text_add_format(ret, "; %s reads and writes a second, of %s each",
				human_count(calls / n[WALL], rate),
				human_bytes((n[SYSTEM_READ] + n[SYSTEM_WRITTEN]) / calls, each));
	if (n[SYSTEM_FAULTS] >= FAULTS_A_SECOND * n[WALL])
		text_add_format(ret, "; %s new pages of memory a second",
				human_count(n[SYSTEM_FAULTS] / n[WALL], rate));
}

static void system_next(const struct rule_view *view, struct text *ret)
{
	if (is_small_io(view->numbers))
		text_add(ret, "read and write in larger pieces, through a buffer");
	else if (view->numbers[SYSTEM_FAULTS] >= FAULTS_A_SECOND * view->numbers[WALL])
		text_add(ret, "use memory again instead of giving it back and taking new");
	else
		text_add(ret, "'strace -f -c CMD' tells which calls they are");
}

const struct rule rule_system_time = {
	.id = "system-time",
	.title = "mostly in the kernel",
	.needs = { "totals.wall_s", "totals.cpu_s", "totals.cpu_system_s", "totals.io_read_calls?",
		   "totals.io_write_calls?", "totals.io_read_bytes?", "totals.io_write_bytes?",
		   "totals.faults_minor?" },
	.fires = system_fires,
	.say = system_say,
	.evidence = system_evidence,
	.next = system_next,
	.means = "The program did not compute much: the kernel worked for it. It read or wrote in "
		 "very small pieces, took and gave back memory, copied files, asked for the time "
		 "or locked things over and over.",
	.seen = "System time was half of the CPU time or more, and at least half a core was busy.",
	.remedy =
	    "Many small reads and writes: use a buffer (in C setvbuf or stdio, in Python do not "
	    "open with buffering=0, write whole lines). Much fresh memory: keep arrays and fill "
	    "them anew. Else 'strace -f -c CMD' counts the calls, and 'perf top' names the places.",
	.ignore = "When copying, sending or packing files is the work: cp, rsync, dd, tar are "
		  "nothing but kernel time.",
};
