/* Peak memory is three figures: the largest process, the tree as it was sampled, and a bracket that
 * holds the truth whatever happened between two looks. */
#include "sample/outcome.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

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

/* Clearing memory goes at 40 GB/s of CPU time at the very most. */
#define TOUCHED_BYTES_PER_NS 40

/* The size of a process was read when its CPU clock stood at high_clock_ns. What it can have
 * touched since is bounded by the CPU time that it had. Where nothing tells its own time at the end
 * (of a first child perf may not), it had at most all that is not accounted for. */
static double most_of(const struct sampler *sampler, const struct row *row, double largest)
{
	const struct tree *tree = &sampler->tree;
	double clock_ns = (double)row->high_clock_ns, end_ns = (double)row->last_cpu_ns,
	       most = largest;
	uint64_t all_ns = 0;

	if (row->most_bytes)
		most = fmin(most, (double)row->most_bytes + rough_bytes(sampler));
	if (!tree->events || row->high_bytes <= 0 || events_cpu(tree->events, &all_ns) < 0)
		return most;
	if (end_ns == 0)
		end_ns = row->process.values[sampler->metrics.cpu].number * 1e9 + (double)all_ns -
			 (double)tree->told_cpu_ns;
	return fmin(most, row->high_bytes + rough_bytes(sampler) +
			      fmax(end_ns - clock_ns, 0) * TOUCHED_BYTES_PER_NS);
}

/* Of a storm nobody knows more than how many of it lived at once and what CPU time all of them had.
 */
static double most_of_storm(const struct sampler *sampler, const struct row *row, double largest)
{
	const struct tree *tree = &sampler->tree;
	double many = fmin((double)row->process.count + !row->process.count,
			   fmax((double)tree->alive_peak, 1));
	double cpu_ns = row->process.values[sampler->metrics.cpu].number * 1e9;

	if (!tree_saw_all(tree))
		return many * largest;
	return fmin(many * largest, many * rough_bytes(sampler) + cpu_ns * TOUCHED_BYTES_PER_NS);
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
		double bytes;

		if (!row)
			continue;
		bytes = row->folded ? most_of_storm(sampler, row, largest)
				    : most_of(sampler, row, largest);
		changes[count++] = (struct change){ row->process.started_ns, bytes };
		if (row->process.ended_ns != PROCESS_ALIVE)
			changes[count++] = (struct change){ row->process.ended_ns, -bytes };
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

	if (sampler->tree.events && !tree_saw_all(&sampler->tree))
		high = INFINITY; /* as many as were lost may have been there */
	if (tree_saw_all(&sampler->tree) && sampler->tree.alive_peak > 0)
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

void outcome_memory(struct sampler *sampler, struct facts *facts)
{
	const struct tree *tree = &sampler->tree;
	double largest = largest_process(sampler), rough = rough_bytes(sampler), peak, low, high;
	bool alone = tree->events ? tree_saw_all(tree) && tree->alive_peak <= 1
				  : tree->roster.count <= 1 && !tree->unseen_most;

	outcome_total(facts, "memory_process_peak_bytes", UNIT_BYTES, value_read(largest), largest,
		      largest + rough, "wait4", NULL);
	if (alone) {
		outcome_total(facts, "memory_tree_peak_bytes", UNIT_BYTES, value_read(largest),
			      largest, largest + rough, "wait4", NULL);
		return;
	}
	/* Where nothing was known about what is shared when RSS was largest, the guess is all there
	 * is. */
	peak = sampler->sum_known >= 0.8 * sampler->sum_most ? sampler->memory_peak
							     : sampler->memory_guess;
	low = fmax(sampler->memory_low, largest);
	high = fmax(memory_high(sampler, facts, largest + rough), low);
	outcome_total(facts, "memory_tree_peak_bytes", UNIT_BYTES,
		      value_estimated(fmin(fmax(peak, low), high)), low, high, "sampled, PSS",
		      "sampled: processes may have peaked together between two looks");
}
