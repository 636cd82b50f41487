/* CPU, faults and switches come from wait4, I/O from the launcher's own /proc/self/io: the kernel
 * adds up every child that somebody waited for. What still lives is added as last read. The hole is
 * a parent that ignores SIGCHLD: then the inherited perf events are the better account, but for
 * each task's exit itself. */
#include "sample/outcome.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A task's exit after its perf event was closed: 50-70 us were measured on a small machine. */
#define EXIT_TAIL_S 60e-6
#define EXIT_TAIL_MOST_S 250e-6

static void add_total(struct facts *facts, const char *name, enum unit unit, struct value value,
		      double low, double high, const char *source, const char *why)
{
	facts_add(facts, &(struct fact){ .section = "totals",
					 .name = name,
					 .unit = unit,
					 .value = value,
					 .low = low,
					 .high = high,
					 .source = source,
					 .why = why });
}

static void add_measured(struct facts *facts, const char *name, enum unit unit, double number,
			 const char *source)
{
	add_total(facts, name, unit, value_read(number), NAN, NAN, source, NULL);
}

/* What those that live on used up to now, of a metric that the dead ones left to the launcher. */
static double living(const struct tree *tree, int metric)
{
	double sum = 0;

	for (size_t i = 0; metric >= 0 && i < tree->n_live; i++)
		sum += tree->live[i]->now[metric].number;
	return sum;
}

/* Events told of every process. */
static bool saw_all(const struct tree *tree)
{
	return tree->events && !events_lost(tree->events);
}

static double own_cpu_s(const struct sampler *sampler)
{
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	return (double)own.ru_utime.tv_sec + (double)own.ru_utime.tv_usec / 1e6 +
	       (double)own.ru_stime.tv_sec + (double)own.ru_stime.tv_usec / 1e6 +
	       (double)sampler->tree.shared->own_cpu_us / 1e6;
}

static double cgroup_cpu(const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->metrics.n_run; i++) {
		if (strcmp(sampler->metrics.run[i].name, "cgroup_cpu_s") == 0 &&
		    value_is(sampler->run[i]))
			return sampler->run[i].number;
	}
	return NAN;
}

static const char missed_why[] =
    "a process ignores SIGCHLD, so the kernel drops what its children used";

/* Somebody's children were dropped by the kernel: the best account of what is left. */
static void add_cpu_with_holes(struct sampler *sampler, struct facts *facts, double waited_s)
{
	const struct tree *tree = &sampler->tree;
	double seen_s = waited_s + tree->lost[sampler->metrics.cpu];
	double group_s = cgroup_cpu(sampler) - own_cpu_s(sampler);
	double tasks = (double)tree->started_count;
	uint64_t perf_ns = 0;

	if (tree->events && events_cpu(tree->events, &perf_ns) == 0) {
		double perf_s = (double)perf_ns / 1e9, low_s = seen_s;

		add_total(facts, "cpu_s", UNIT_SECONDS,
			  value_estimated(fmax(low_s, perf_s + tasks * EXIT_TAIL_S)), low_s,
			  fmax(low_s, perf_s + tasks * EXIT_TAIL_MOST_S), "perf task-clock",
			  missed_why);
		return;
	}
	if (group_s >= seen_s) { /* it may hold others, too: so at most */
		add_total(facts, "cpu_s", UNIT_SECONDS, value_estimated(group_s), seen_s, group_s,
			  "cgroup", missed_why);
		return;
	}
	add_total(facts, "cpu_s", UNIT_SECONDS, value_estimated(seen_s), seen_s, NAN,
		  "wait4 and sampling", missed_why);
	facts_note(
	    facts,
	    "CPU time is a lower bound: a process ignores SIGCHLD, and neither perf events nor "
	    "a cgroup tell what its children used");
}

/* On a guest perf's clock runs on while the host has taken the CPU away, so it may be a percent
 * ahead. */
static bool has_holes(const struct sampler *sampler, double waited_s)
{
	const struct tree *tree = &sampler->tree;
	uint64_t perf_ns = 0;

	if (tree->ignored_children)
		return true;
	return tree->events && events_cpu(tree->events, &perf_ns) == 0 &&
	       (double)perf_ns / 1e9 > waited_s * 1.1 + 0.05;
}

static void add_cpu(struct sampler *sampler, struct facts *facts, double wall_s)
{
	const struct reaped *total = &sampler->tree.shared->total;
	const struct metrics *metrics = &sampler->metrics;
	double user_s = (double)total->user_us / 1e6 + living(&sampler->tree, metrics->cpu_user);
	double system_s = (double)total->system_us / 1e6 +
			  living(&sampler->tree, metrics->cpu_system);
	double waited_s = (double)(total->user_us + total->system_us) / 1e6 +
			  living(&sampler->tree, metrics->cpu);
	bool holes = has_holes(sampler, waited_s);
	struct value cpu;

	if (holes)
		add_cpu_with_holes(sampler, facts, waited_s);
	else
		add_measured(facts, "cpu_s", UNIT_SECONDS, waited_s, "wait4");
	cpu = facts_value(facts, "totals", "cpu_s");
	if (holes && waited_s > 0) { /* split as the known part is */
		add_total(facts, "cpu_user_s", UNIT_SECONDS,
			  value_estimated(cpu.number * user_s / waited_s), user_s, NAN, "wait4",
			  missed_why);
		add_total(facts, "cpu_system_s", UNIT_SECONDS,
			  value_estimated(cpu.number * system_s / waited_s), system_s, NAN, "wait4",
			  missed_why);
	} else {
		add_measured(facts, "cpu_user_s", UNIT_SECONDS, user_s, "wait4");
		add_measured(facts, "cpu_system_s", UNIT_SECONDS, system_s, "wait4");
	}
	add_total(facts, "cores_mean", UNIT_RATIO,
		  (struct value){ .number = cpu.number / wall_s, .how = cpu.how }, NAN, NAN,
		  "cpu_s / wall_s", NULL);
}

static void add_counts(struct sampler *sampler, struct facts *facts)
{
	const struct tree *tree = &sampler->tree;
	const struct reaped *total = &tree->shared->total;
	bool all = !tree->ignored_children;
	struct value (*as)(double) = all ? value_read : value_estimated;
	const char *why = all ? NULL : missed_why;
	int minor = facts_metric(facts, SCOPE_PROCESS, "faults_minor");
	int major = facts_metric(facts, SCOPE_PROCESS, "faults_major");

	add_total(facts, "faults_minor", UNIT_COUNT,
		  as((double)total->faults_minor + living(tree, minor)), NAN, NAN, "wait4", why);
	add_total(facts, "faults_major", UNIT_COUNT,
		  as((double)total->faults_major + living(tree, major)), NAN, NAN, "wait4", why);
	if (tree->n_live > 0) { /* those of whole processes are told at their end only */
		as = value_estimated;
		why = "without those of processes that live on";
	}
	add_total(facts, "switches_voluntary", UNIT_COUNT, as((double)total->switches_voluntary),
		  NAN, NAN, "wait4", why);
	add_total(facts, "switches_involuntary", UNIT_COUNT,
		  as((double)total->switches_involuntary), NAN, NAN, "wait4", why);
}

static void add_io(struct sampler *sampler, struct facts *facts)
{
	const struct tree *tree = &sampler->tree;
	const struct launcher_io *io = &tree->shared->io;
	const struct {
		const char *name;
		enum unit unit;
		uint64_t number;
	} rows[] = {
		{ "io_read_bytes", UNIT_BYTES, io->read_bytes },
		{ "io_write_bytes", UNIT_BYTES, io->write_bytes },
		{ "io_read_calls", UNIT_COUNT, io->read_calls },
		{ "io_write_calls", UNIT_COUNT, io->write_calls },
		{ "storage_read_bytes", UNIT_BYTES, io->storage_read_bytes },
		{ "storage_write_bytes", UNIT_BYTES, io->storage_write_bytes },
	};

	for (size_t i = 0; io->read && i < COUNT(rows); i++) {
		int metric = facts_metric(facts, SCOPE_PROCESS, rows[i].name);
		double sum = (double)rows[i].number + living(tree, metric);

		if (tree->ignored_children)
			add_total(facts, rows[i].name, rows[i].unit,
				  value_estimated(sum + tree->lost[metric]), sum, NAN,
				  "/proc/PID/io", missed_why);
		else
			add_measured(facts, rows[i].name, rows[i].unit, sum, "/proc/PID/io");
	}
}

struct change {
	uint64_t time_ns;
	double bytes;
};

/* At the same time, who ends is taken off last: an upper bound may be too high, never too low. */
static int by_time(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->bytes > b->bytes ? -1 : a->bytes < b->bytes;
}

/* Linux counts resident pages per CPU and adds up when a CPU has collected a batch, max(32, 2 x
 * CPUs) pages, of each of three kinds (lib/percpu_counter.c, since 6.2; before, 64 pages a thread,
 * which is less). ru_maxrss may be too low by all that is not yet added up. */
static double rough_bytes(const struct sampler *sampler)
{
	double cores = sampler->cores;

	return 3 * cores * fmax(32, 2 * cores) * (double)sysconf(_SC_PAGESIZE);
}

/* The size of a process was read when its CPU clock stood at high_clock_ns. What it can have
 * touched since is bounded by the CPU time that it had: clearing memory goes at 40 GB/s at the very
 * most. Where nothing tells its own time at the end (of a first child perf may not), it had at most
 * all that is not accounted for. */
static double most_of(const struct sampler *sampler, const struct row *row, double largest)
{
	const struct tree *tree = &sampler->tree;
	double clock_ns = (double)row->high_clock_ns, end_ns = (double)row->last_cpu_ns,
	       most = largest;
	uint64_t all_ns = 0;

	if (row->most_bytes)
		most = fmin(most, (double)row->most_bytes + rough_bytes(sampler));
	if (!tree->events || row->folded || row->high_bytes <= 0 ||
	    events_cpu(tree->events, &all_ns) < 0)
		return most;
	if (end_ns == 0)
		end_ns = row->process.values[sampler->metrics.cpu].number * 1e9 + (double)all_ns -
			 (double)tree->told_cpu_ns;
	return fmin(most, row->high_bytes + rough_bytes(sampler) + fmax(end_ns - clock_ns, 0) * 40);
}

/* The most that all processes alive at one moment can have held: the sum of each one's own most.
 * One that its parent waited for is known only not to have been larger than the largest. */
static double sum_of_highs(const struct sampler *sampler, double largest)
{
	const struct roster *roster = &sampler->tree.roster;
	CLEANUP(freep) struct change *changes = mem_new((roster->count * 2 + 1) * sizeof(*changes));
	double sum = 0, most = 0;
	size_t count = 0;

	for (size_t i = 0; i < roster->count; i++) {
		const struct row *row = roster->items[i];
		double each, many;

		if (!row)
			continue;
		each = most_of(sampler, row, largest);
		many = row->folded ? fmin((double)row->process.count + !row->process.count,
					  fmax((double)sampler->tree.alive_peak, 1))
				   : 1;
		changes[count++] = (struct change){ row->process.started_ns, each * many };
		if (row->process.ended_ns != PROCESS_ALIVE)
			changes[count++] = (struct change){ row->process.ended_ns, -each * many };
	}
	qsort(changes, count, sizeof(*changes), by_time);
	for (size_t i = 0; i < count; i++) {
		sum += changes[i].bytes;
		most = fmax(most, sum);
	}
	return most + (double)sampler->tree.unseen_most * largest;
}

static double memory_high(const struct sampler *sampler, const struct facts *facts, double largest)
{
	double high = sum_of_highs(sampler, largest);
	struct value machine = facts_value(facts, "machine", "memory_bytes");
	struct value swap = facts_value(facts, "machine", "swap_bytes");

	if (sampler->tree.events && !saw_all(&sampler->tree))
		high = INFINITY; /* as many as were lost may have been there */
	if (saw_all(&sampler->tree) && sampler->tree.alive_peak > 0)
		high = fmin(high, (double)sampler->tree.alive_peak * largest);
	if (value_is(machine))
		high = fmin(high, machine.number + swap.number);
	return high;
}

/* wait4 tells a process's maximum as the kernel's rough counters have it (see rough_bytes), so a
 * look may have met more. */
static double largest_process(const struct sampler *sampler)
{
	const struct tree *tree = &sampler->tree;
	double largest = (double)tree->shared->total.high_bytes;

	for (size_t i = 0; i < tree->roster.count; i++) {
		const struct row *row = tree->roster.items[i];

		if (row && sampler->metrics.memory >= 0)
			largest = fmax(largest,
				       row->process.values[sampler->metrics.memory].number);
		if (row && sampler->metrics.high >= 0)
			largest = fmax(largest, row->process.values[sampler->metrics.high].number);
	}
	return largest;
}

static void add_memory(struct sampler *sampler, struct facts *facts)
{
	const struct tree *tree = &sampler->tree;
	double largest = largest_process(sampler), rough = rough_bytes(sampler), peak, low, high;
	bool alone = tree->events ? saw_all(tree) && tree->alive_peak <= 1
				  : tree->roster.count <= 1 && !tree->unseen_most;

	add_total(facts, "memory_process_peak_bytes", UNIT_BYTES, value_read(largest), largest,
		  largest + rough, "wait4", NULL);
	if (alone) {
		add_total(facts, "memory_tree_peak_bytes", UNIT_BYTES, value_read(largest), largest,
			  largest + rough, "wait4", NULL);
		return;
	}
	/* Where nothing was known about what is shared when RSS was largest, the guess is all there
	 * is. */
	peak = sampler->sum_known >= 0.8 * sampler->sum_most ? sampler->memory_peak
							     : sampler->memory_guess;
	low = fmax(sampler->memory_low, largest);
	high = fmax(memory_high(sampler, facts, largest + rough), low);
	add_total(facts, "memory_tree_peak_bytes", UNIT_BYTES,
		  value_estimated(fmin(fmax(peak, low), high)), low, high, "sampled, PSS",
		  "sampled: processes may have peaked together between two looks");
}

static int run_metric(const struct sampler *sampler, const char *name)
{
	for (size_t i = 0; i < sampler->metrics.n_run; i++) {
		if (strcmp(sampler->metrics.run[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

/* The kernel keeps the group's highest since it was made. If it rose while we ran, the peak is this
 * run's (or of others in the group); if not, it was less than that. */
static void add_cgroup_memory(struct sampler *sampler, struct facts *facts)
{
	int high = run_metric(sampler, "memory_cgroup_high_bytes");
	struct value now, first;

	if (high < 0 || !value_is(sampler->run[high]))
		return;
	now = sampler->run[high];
	first = sampler->first_run[high];
	if (now.number > first.number)
		add_measured(facts, "memory_cgroup_peak_bytes", UNIT_BYTES, now.number,
			     "memory.peak");
}

static void add_processes(struct sampler *sampler, struct facts *facts)
{
	const struct tree *tree = &sampler->tree;
	double started = (double)tree->started_count;

	if (saw_all(tree)) {
		add_measured(facts, "processes", UNIT_COUNT, started, "perf");
		add_measured(facts, "processes_peak", UNIT_COUNT, (double)tree->alive_peak, "perf");
		return;
	}
	if (!tree->events && tree->unseen_most == 0)
		add_measured(facts, "processes", UNIT_COUNT, started, "sampled");
	else
		add_total(facts, "processes", UNIT_COUNT, value_estimated(started), started, NAN,
			  tree->events ? "perf" : "sampled",
			  tree->events
			      ? "the machine was so busy that events were lost"
			      : "processes that live shorter than the sampling interval may be "
				"missing");
}

static bool is_exact(const char *source)
{
	return source && (strcmp(source, "perf") == 0 || strcmp(source, "memory.peak") == 0);
}

/* Sampled figures are what was seen at ticks. */
static void mark_sampled(struct facts *facts)
{
	static const struct {
		const char *name, *why;
	} rows[] = {
		{ "processes_peak", "sampled: a shorter peak is missed" },
		{ "threads_peak", "sampled: a shorter peak is missed" },
		{ "wait_cpu_s", "sampled: what a process waited after the last look is missing" },
		{ "wait_io_s", "sampled: what a process waited after the last look is missing" },
		{ "swap_peak_bytes", "sampled: a shorter peak is missed" },
		{ "memory_cgroup_peak_bytes", "sampled: a shorter peak is missed" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct fact *found = facts_find(facts, "totals", rows[i].name);
		struct fact fact;

		if (!found || found->value.how != HOW_MEASURED || is_exact(found->source))
			continue;
		fact = *found;
		fact.value.how = HOW_ESTIMATED;
		fact.low = fact.value.number;
		fact.why = rows[i].why;
		facts_add(facts, &fact);
	}
}

static void add_own(const struct sampler *sampler, struct facts *facts, double wall_s)
{
	double cpu_s = own_cpu_s(sampler);
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	facts_add_measured(facts, "own", "cpu_s", UNIT_SECONDS, cpu_s, "getrusage");
	facts_add_measured(facts, "own", "share", UNIT_RATIO, cpu_s / wall_s, "getrusage");
	facts_add_measured(facts, "own", "memory_peak_bytes", UNIT_BYTES,
			   (double)own.ru_maxrss * 1024, "getrusage");
	facts_add_measured(facts, "own", "launcher_memory_peak_bytes", UNIT_BYTES,
			   (double)sampler->tree.shared->own_high_bytes, "getrusage");
	facts_add_measured(facts, "sonde", "interval_asked_s", UNIT_SECONDS,
			   (double)sampler->asked_ns / 1e9, NULL);
	facts_add_measured(facts, "sonde", "interval_s", UNIT_SECONDS,
			   sampler->ticks > 1 ? wall_s / (double)(sampler->ticks - 1) : wall_s,
			   NULL);
	facts_add_number(facts, "sonde", "ticks", (double)sampler->ticks);
	facts_add_number(facts, "sonde", "gaps", (double)sampler->gaps);
	facts_add_measured(facts, "sonde", "gaps_s", UNIT_SECONDS, (double)sampler->gap_ns / 1e9,
			   NULL);
	facts_add_text(facts, "sonde", "events", sampler->tree.events ? "perf" : "none");
}

static bool told_by_events(const struct row *row)
{
	return row && (row->folded || row->last_cpu_ns > 0);
}

/* perf's clock differs from the kernel's account: exits are not in it, and on a guest it runs a
 * little ahead. So that the rows add up to the whole, what is missing goes to the storms, which
 * have nearly all of the exits, and what is too much is taken from all that perf told. */
static void share_out_rest(struct sampler *sampler, const struct facts *facts)
{
	struct roster *roster = &sampler->tree.roster;
	int cpu = sampler->metrics.cpu;
	double rest = facts_value(facts, "totals", "cpu_s").number, folded = 0, told = 0;

	for (size_t i = 0; i < roster->count; i++) {
		const struct row *row = roster->items[i];
		double own = row ? row->process.values[cpu].number : 0;

		rest -= own;
		told += told_by_events(row) ? own : 0;
		folded += row && row->folded ? (double)row->process.count : 0;
	}
	for (size_t i = 0; i < roster->count; i++) {
		struct row *row = roster->items[i];
		struct value *own = row ? &row->process.values[cpu] : NULL;

		if (rest > 0 && folded > 0 && row && row->folded)
			*own = value_estimated(own->number +
					       rest * (double)row->process.count / folded);
		if (rest < 0 && told > -rest && told_by_events(row))
			own->number *= 1 + rest / told;
	}
}

static void note_survivors(const struct sampler *sampler, struct facts *facts)
{
	const struct tree *tree = &sampler->tree;
	size_t count = 0;
	const char *name = "";

	for (size_t i = 0; i < tree->n_live; i++) {
		const struct row *row = roster_find(&tree->roster, tree->live[i]->id);

		if (tree->live[i]->zombie)
			continue;
		if (count++ == 0 && row && row->process.name)
			name = row->process.name;
	}
	if (count == 1)
		facts_note(facts, "'%s' lives on; what it used until the program's end is included",
			   name);
	else if (count > 1)
		facts_note(facts,
			   "'%s' and %zu more live on; what they used until the program's end is "
			   "included",
			   name, count - 1);
}

void outcome_add(struct sampler *sampler, uint64_t wall_ns, bool survivors_matter,
		 struct facts *facts)
{
	double wall_s = (double)wall_ns / 1e9;

	briefs_settle(&sampler->tree);
	tally_totals(sampler->tally, facts); /* and what is known better replaces it */
	add_measured(facts, "wall_s", UNIT_SECONDS, wall_s, "clock");
	add_cpu(sampler, facts, wall_s);
	add_counts(sampler, facts);
	add_io(sampler, facts);
	add_memory(sampler, facts);
	add_cgroup_memory(sampler, facts);
	add_processes(sampler, facts);
	mark_sampled(facts);
	add_own(sampler, facts, wall_s);
	share_out_rest(sampler, facts);
	roster_copy(&sampler->tree.roster, facts);
	if (survivors_matter)
		note_survivors(sampler, facts);
}
