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
#define MISSING_MOST 4 /* that may have ended between two reads */
#define EXIT_TAIL_MOST_S 250e-6

void outcome_total(struct facts *facts, const char *name, enum unit unit, struct value value,
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
	outcome_total(facts, name, unit, value_read(number), NAN, NAN, source, NULL);
}

/* What those that live on used up to now, of a metric that the dead ones left to the launcher. */
static double living(const struct tree *tree, int metric)
{
	double sum = 0;

	for (size_t i = 0; metric >= 0 && i < tree->n_live; i++)
		sum += tree->live[i]->now[metric].number;
	return sum;
}

static double own_cpu_s(const struct sampler *sampler)
{
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	return (double)own.ru_utime.tv_sec + (double)own.ru_utime.tv_usec / 1e6 +
	       (double)own.ru_stime.tv_sec + (double)own.ru_stime.tv_usec / 1e6 +
	       (double)sampler->tree.shared->own_cpu_us / 1e6 +
	       (sampler->now ? (double)atomic_load(&sampler->now->shown_us) / 1e6 : 0);
}

static int run_metric(const struct sampler *sampler, const char *name)
{
	for (size_t i = 0; i < sampler->metrics.n_run; i++) {
		if (strcmp(sampler->metrics.run[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static double run_number(const struct sampler *sampler, const char *name)
{
	int metric = run_metric(sampler, name);

	return metric >= 0 && value_is(sampler->run[metric]) ? sampler->run[metric].number : NAN;
}

static const char missed_why[] =
    "a process ignores SIGCHLD, so the kernel drops what its children used";

/* Somebody's children were dropped by the kernel: the best account of what is left. */
static void add_cpu_with_holes(struct sampler *sampler, struct facts *facts, double waited_s)
{
	const struct tree *tree = &sampler->tree;
	double seen_s = waited_s + tree->lost[sampler->metrics.cpu];
	double group_s = run_number(sampler, "cgroup_cpu_s") - own_cpu_s(sampler);
	double tasks = (double)tree->started_count;
	uint64_t perf_ns = 0;

	if (tree->events && events_cpu(tree->events, &perf_ns) == 0) {
		double perf_s = (double)perf_ns / 1e9, low_s = seen_s;

		outcome_total(facts, "cpu_s", UNIT_SECONDS,
			      value_estimated(fmax(low_s, perf_s + tasks * EXIT_TAIL_S)), low_s,
			      fmax(low_s, perf_s + tasks * EXIT_TAIL_MOST_S), "perf task-clock",
			      missed_why);
		return;
	}
	if (group_s >= seen_s) { /* it may hold others, too: so at most */
		outcome_total(facts, "cpu_s", UNIT_SECONDS, value_estimated(group_s), seen_s,
			      group_s, "cgroup", missed_why);
		return;
	}
	outcome_total(facts, "cpu_s", UNIT_SECONDS, value_estimated(seen_s), seen_s, NAN,
		      "wait4 and sampling", missed_why);
	facts_note(
	    facts,
	    "CPU time is a lower bound: a process ignores SIGCHLD, and neither perf events nor "
	    "a cgroup tell what its children used");
}

/* On a guest perf's clock runs on while the host has taken the CPU away, so it may be ahead by all
 * that was stolen, and was seen to be by a percent beside that. */
static bool has_holes(const struct sampler *sampler, double waited_s)
{
	const struct tree *tree = &sampler->tree;
	double steal_s = run_number(sampler, "machine_steal_s");
	uint64_t perf_ns = 0;

	if (tree->ignored_children)
		return true;
	return tree->events && events_cpu(tree->events, &perf_ns) == 0 &&
	       (double)perf_ns / 1e9 - fmax(steal_s, 0) > waited_s * 1.1 + 0.05;
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
		outcome_total(facts, "cpu_user_s", UNIT_SECONDS,
			      value_estimated(cpu.number * user_s / waited_s), user_s, NAN, "wait4",
			      missed_why);
		outcome_total(facts, "cpu_system_s", UNIT_SECONDS,
			      value_estimated(cpu.number * system_s / waited_s), system_s, NAN,
			      "wait4", missed_why);
	} else {
		add_measured(facts, "cpu_user_s", UNIT_SECONDS, user_s, "wait4");
		add_measured(facts, "cpu_system_s", UNIT_SECONDS, system_s, "wait4");
	}
	outcome_total(facts, "cores_mean", UNIT_RATIO,
		      (struct value){ .number = cpu.number / wall_s, .how = cpu.how }, NAN, NAN,
		      "cpu_s / wall_s", NULL);
}

/* What a child used comes to its parent in ticks of 10 ms, user and system time each: of the tenth
 * of a second that a look covers, 20 ms may belong to the one before or after. */
#define PEAK_ERROR_CORES 0.2

/* A look sees less than the whole; the peak is never below the mean. */
static void bound_cores_peak(struct facts *facts, double cores)
{
	struct value mean = facts_value(facts, "totals", "cores_mean");
	struct value peak = facts_value(facts, "totals", "cores_peak");

	if (!value_is(peak) || !value_is(mean))
		return;
	if (peak.number < mean.number)
		outcome_total(facts, "cores_peak", UNIT_RATIO, mean, NAN, NAN, "cpu_s / wall_s",
			      NULL);
	else if (peak.how == HOW_ESTIMATED)
		outcome_total(facts, "cores_peak", UNIT_RATIO, peak,
			      fmax(mean.number, peak.number - PEAK_ERROR_CORES),
			      fmax(peak.number, fmin(cores, peak.number + PEAK_ERROR_CORES)),
			      "tree", "sampled: what children used comes in ticks of 10 ms");
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

	outcome_total(facts, "faults_minor", UNIT_COUNT,
		      as((double)total->faults_minor + living(tree, minor)), NAN, NAN, "wait4",
		      why);
	outcome_total(facts, "faults_major", UNIT_COUNT,
		      as((double)total->faults_major + living(tree, major)), NAN, NAN, "wait4",
		      why);
	if (tree->n_live > 0) { /* those of whole processes are told at their end only */
		as = value_estimated;
		why = "without those of processes that live on";
	}
	outcome_total(facts, "switches_voluntary", UNIT_COUNT,
		      as((double)total->switches_voluntary), NAN, NAN, "wait4", why);
	outcome_total(facts, "switches_involuntary", UNIT_COUNT,
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
			outcome_total(facts, rows[i].name, rows[i].unit,
				      value_estimated(sum + tree->lost[metric]), sum, NAN,
				      "/proc/PID/io", missed_why);
		else
			add_measured(facts, rows[i].name, rows[i].unit, sum, "/proc/PID/io");
	}
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

	if (tree_saw_all(tree)) {
		add_measured(facts, "processes", UNIT_COUNT, started, "perf");
		add_measured(facts, "processes_peak", UNIT_COUNT, (double)tree->alive_peak, "perf");
		return;
	}
	if (!tree->events && tree->unseen_most == 0)
		add_measured(facts, "processes", UNIT_COUNT, started, "sampled");
	else
		outcome_total(facts, "processes", UNIT_COUNT, value_estimated(started), started,
			      NAN, tree->events ? "perf" : "sampled",
			      tree->events
				  ? "the machine was so busy that events were lost"
				  : "processes that live shorter than the sampling interval may be "
				    "missing");
}

static bool is_exact(const char *source)
{
	return source && (strcmp(source, "perf") == 0 || strcmp(source, "memory.peak") == 0);
}

/* Sampled figures are what was seen at ticks: the truth is not less. Nor where one is estimated
 * already, as what could not be read of somebody is missing in the sum. */
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

		if (!found || !value_is(found->value) || isfinite(found->low) ||
		    is_exact(found->source))
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
 * have nearly all of the exits, but no more of it than their exits can have cost; without storms,
 * to those that perf did not tell of. What is too much is taken from all that it told. The rest is
 * nobody's. */
struct rest {
	double missing_s;          /* of the rows' sum; below 0: too much */
	double told_s;             /* what perf told of rows */
	double storms_s, untold_s; /* what is to be added to each kind */
	double n_storms, n_untold; /* processes in storms; rows that perf did not tell of */
};

static struct rest rest_of(const struct sampler *sampler, double total_s)
{
	const struct roster *roster = &sampler->tree.roster;
	bool events = sampler->tree.events != NULL;
	struct rest rest = { .missing_s = total_s };

	for (size_t i = 0; i < roster->count; i++) {
		const struct row *row = roster->items[i];
		double own = row ? row->process.values[sampler->metrics.cpu].number : 0;

		rest.missing_s -= own;
		rest.told_s += told_by_events(row) ? own : 0;
		rest.n_untold += row && !told_by_events(row);
		rest.n_storms += row && row->folded ? (double)row->process.count : 0;
	}
	if (rest.missing_s > 0 && rest.n_storms > 0)
		rest.storms_s = events ? fmin(rest.missing_s, rest.n_storms * EXIT_TAIL_MOST_S)
				       : rest.missing_s;
	if (rest.missing_s > 0 && events && rest.n_untold > 0 && rest.n_storms == 0)
		rest.untold_s = rest.missing_s;
	return rest;
}

static void row_share(const struct rest *rest, struct row *row, struct value *own)
{
	if (row->folded && rest->storms_s > 0)
		*own = value_estimated(own->number + rest->storms_s * (double)row->process.count /
							 rest->n_storms);
	else if (!told_by_events(row) && rest->untold_s > 0)
		*own = value_estimated(own->number + rest->untold_s / rest->n_untold);
	if (rest->missing_s < 0 && rest->told_s > -rest->missing_s && told_by_events(row))
		own->number *= 1 + rest->missing_s / rest->told_s;
}

static void share_out_rest(struct sampler *sampler, const struct facts *facts)
{
	struct roster *roster = &sampler->tree.roster;
	struct rest rest = rest_of(sampler, facts_value(facts, "totals", "cpu_s").number);

	for (size_t i = 0; i < roster->count; i++) {
		struct row *row = roster->items[i];

		if (row)
			row_share(&rest, row, &row->process.values[sampler->metrics.cpu]);
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

/* At the end as many must be alive by the events as there are. Where more began than ended, records
 * were lost on a machine that was too busy, though the kernel did not say so; and so many of the
 * beginnings may be, too. */
static void check_events(struct tree *tree)
{
	tree->events_missing = tree->events && tree->alive_count > tree->n_live + MISSING_MOST;
}

void outcome_add(struct sampler *sampler, uint64_t wall_ns, bool survivors_matter,
		 struct facts *facts)
{
	double wall_s = (double)wall_ns / 1e9;

	briefs_settle(&sampler->tree);
	check_events(&sampler->tree);
	tally_totals(sampler->tally, facts); /* and what is known better replaces it */
	add_measured(facts, "wall_s", UNIT_SECONDS, wall_s, "clock");
	add_cpu(sampler, facts, wall_s);
	bound_cores_peak(facts, sampler->cores);
	add_counts(sampler, facts);
	add_io(sampler, facts);
	outcome_memory(sampler, facts);
	add_cgroup_memory(sampler, facts);
	add_processes(sampler, facts);
	mark_sampled(facts);
	add_own(sampler, facts, wall_s);
	share_out_rest(sampler, facts);
	roster_copy(&sampler->tree.roster, facts);
	if (survivors_matter)
		note_survivors(sampler, facts);
}
