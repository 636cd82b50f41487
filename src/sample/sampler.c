#include "sample/sampler.h"

#include "base/clock.h"
#include "sample/publish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
#define PURSE_NS 60e6             /* CPU time that PSS may take at once: enough for 4 GB */
#define CORES_WINDOW_S 0.09       /* a tick of the usual interval, and a little patience */
#define HIDDEN_BYTES 64e6         /* less may be shared without our looking again */
#define EXTRA_LEAST_NS 5000000ull /* between a tick and one that somebody asks for */
#define EXTRA_PURSE_NS 30e6       /* CPU time that these may take at the start */
#define FIRST_NS 5000000ull /* young programs are looked at more often: many end within a tick */

static uint64_t own_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static void open_run_sources(struct sampler *sampler)
{
	const struct metrics *metrics = &sampler->metrics;

	sampler->run_states = mem_new(metrics->n_run_readers * sizeof(*sampler->run_states));
	for (size_t i = 0; i < metrics->n_run_readers; i++) {
		if (metrics->run_readers[i].source->open("/", getpid(), &sampler->run_states[i],
							 NULL) < 0)
			sampler->run_states[i] = NULL;
	}
}

void sampler_init(struct sampler *sampler, struct facts *facts, int launcher_pid,
		  const struct launcher_shared *shared, struct events *events, uint64_t interval_ns,
		  double budget)
{
	*sampler = (struct sampler){ .asked_ns = interval_ns,
				     .interval_ns = interval_ns,
				     .budget = budget };
	metrics_init(&sampler->metrics, source_table, facts);
	tree_init(&sampler->tree, "/", &sampler->metrics, launcher_pid, shared, events);
	sampler->tally = tally_new(facts->run_metrics, facts->n_run_metrics);
	sampler->run = mem_new(facts->n_run_metrics * sizeof(*sampler->run));
	sampler->first_run = mem_new(facts->n_run_metrics * sizeof(*sampler->run));
	sampler->nothing = mem_new(facts->n_process_metrics * sizeof(*sampler->nothing));
	sampler->sums = mem_new(facts->n_process_metrics * sizeof(*sampler->sums));
	sampler->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
	open_run_sources(sampler);
	sampler->own_ns = sampler->first_own_ns = own_cpu_ns();
	sampler->pss_purse_ns = PURSE_NS;
	sampler->pss_pause_ns = SECOND_NS;
}

static void read_run_sources(struct sampler *sampler, bool slow)
{
	const struct metrics *metrics = &sampler->metrics;

	for (size_t i = 0; i < metrics->n_run_readers; i++) {
		const struct reader *reader = &metrics->run_readers[i];

		if (sampler->run_states[i] && (slow || reader->source->pace == PACE_TICK))
			reader->source->read(sampler->run_states[i], sampler->run + reader->first,
					     NULL);
	}
}

/* What a counter of the tree lost for a moment, between a child's end and its parent's next look,
 * is not taken back. */
static void sum_tree(struct sampler *sampler)
{
	const struct metrics *metrics = &sampler->metrics;
	struct value *now = sampler->sums;

	tree_sum(&sampler->tree, now);
	for (size_t i = 0; i < metrics->n_process; i++) {
		struct value *sum = metrics->run_of[i] < 0 ? NULL
							   : &sampler->run[metrics->run_of[i]];

		if (sum &&
		    (metrics->process[i].kind != KIND_COUNTER || now[i].number >= sum->number))
			*sum = now[i];
	}
}

/* PSS has a purse, which fills with half of our budget. It can only find a new peak of the tree
 * while the sum of RSS, which is never less, is above what the tree is known to have held; it is
 * needed where RSS does not tell (see memory.c); and it is best read when the sum has stopped
 * growing, for what is read one by one must not move. */
static bool worth_reading_pss(const struct sampler *sampler, double sum)
{
	const struct tree *tree = &sampler->tree;
	uint64_t since_ns = sampler->last_ns - sampler->pss_ns;
	bool still = fabs(sum - sampler->last_sum) <= 0.02 * sum || since_ns > SECOND_NS / 2;
	double hidden = sum - tree_memory(tree).number;

	if (tree->n_live <= 1 || sampler->pss_purse_ns <= 0 || !still ||
	    sum <= sampler->memory_low * 1.02)
		return false;
	if (!sampler->shares_good || !tree_shares_known(tree) ||
	    tree_shared_since(tree) > 0.05 * sum)
		return true;
	return hidden > HIDDEN_BYTES && hidden > 0.1 * sum && since_ns > sampler->pss_pause_ns;
}

/* What a fork shares may stay shared for ever: the longer nothing came of looking, the longer the
 * pause. */
static bool read_pss(struct sampler *sampler, double sum)
{
	uint64_t before_ns = own_cpu_ns();
	bool stable = tree_read_pss(&sampler->tree);
	bool news = tree_memory(&sampler->tree).number > sampler->memory_low * 1.02;

	sampler->pss_purse_ns -= (double)(own_cpu_ns() - before_ns);
	sampler->pss_ns = sampler->last_ns;
	sampler->pss_pause_ns = news ? SECOND_NS : sampler->pss_pause_ns * 2;
	if (stable)
		sampler->sum_peak = sum;
	sampler->shares_good = stable;
	return stable;
}

static void look_at_memory(struct sampler *sampler, uint64_t passed_ns)
{
	const struct tree *tree = &sampler->tree;
	double sum = sampler->sums[sampler->metrics.memory].number, memory;
	bool stable = tree->n_live <= 1;

	sampler->pss_purse_ns =
	    fmin(sampler->pss_purse_ns + (double)passed_ns * sampler->budget / 2, PURSE_NS);
	if (worth_reading_pss(sampler, sum))
		stable = read_pss(sampler, sum);
	sampler->last_sum = sum;
	sampler->run[RUN_MEMORY_TREE] = tree_memory(tree);
	sampler->run[RUN_MEMORY_PROCESS] = value_read(tree_largest(tree));
	memory = sampler->run[RUN_MEMORY_TREE].number;
	sampler->memory_guess = fmax(sampler->memory_guess, memory);
	sampler->sum_most = fmax(sampler->sum_most, sum);
	if (tree->n_live <= 1 || (sampler->shares_good && tree_shares_known(tree))) {
		sampler->memory_peak = fmax(sampler->memory_peak, memory);
		sampler->sum_known = fmax(sampler->sum_known, sum);
	}
	sampler->memory_low = fmax(sampler->memory_low, stable ? memory : tree_largest(tree));
}

/* Children's CPU time comes to their parent in whole ticks of 10 ms, and when it waits: over less
 * than a tenth of a second that would look like cores that were never busy. */
static void look_at_cores(struct sampler *sampler, uint64_t now_ns, bool gap)
{
	double cpu_s = sampler->run[sampler->metrics.run_of[sampler->metrics.cpu]].number;
	double passed_s = (double)(now_ns - sampler->cores_ns) / 1e9;
	double cores = fmin((cpu_s - sampler->cores_cpu_s) / passed_s, sampler->cores);

	if (!gap && passed_s < CORES_WINDOW_S)
		return;
	if (gap)
		sampler->run[RUN_CORES] = value_absent();
	else
		sampler->run[RUN_CORES] = tree_inherits(&sampler->tree) ? value_estimated(cores)
									: value_read(cores);
	sampler->cores_ns = now_ns;
	sampler->cores_cpu_s = cpu_s;
}

/* It was folded into another row after the recording had heard of it. */
static void forget_row(struct sampler *sampler, uint32_t id)
{
	const struct process none = { .id = id,
				      .pid = 1,
				      .count = 0,
				      .ended_ns = 0,
				      .status = PROCESS_STATUS_UNKNOWN,
				      .name = "",
				      .values = sampler->nothing };

	series_process(sampler->series, &none, NULL);
}

static void keep_rows(struct sampler *sampler)
{
	struct roster *roster = &sampler->tree.roster;

	for (size_t i = 0; i < roster->n_changed; i++) {
		struct row *row = roster_find(roster, roster->changed[i]);

		if (!row && sampler->series)
			forget_row(sampler, roster->changed[i]);
		if (!row)
			continue;
		row->changed = false;
		if (sampler->series)
			series_process(sampler->series, &row->process, NULL);
	}
	roster->n_changed = 0;
}

static void make_room(struct sampler *sampler)
{
	size_t width = sampler->metrics.n_process * sizeof(struct value);

	if (sampler->tree.n_live <= sampler->room_samples)
		return;
	sampler->room_samples = sampler->tree.n_live * 2;
	sampler->samples = mem_resize(sampler->samples,
				      sampler->room_samples * sizeof(struct sample));
	sampler->values = mem_resize(sampler->values, sampler->room_samples * width);
}

static void keep_tick(struct sampler *sampler, uint64_t now_ns, bool gap)
{
	const struct tree *tree = &sampler->tree;
	struct tick tick = { .time_ns = now_ns, .gap = gap, .run = sampler->run };

	make_room(sampler);
	for (size_t i = 0; i < tree->n_live; i++) {
		struct value *values = sampler->values +
				       tick.n_samples * sampler->metrics.n_process;

		if (!tree->live[i]->moved && !tree->live[i]->fresh)
			continue;
		proc_own(tree, tree->live[i], values);
		sampler->samples[tick.n_samples++] = (struct sample){ .id = tree->live[i]->id,
								      .values = values };
	}
	tick.samples = sampler->samples;
	if (!sampler->series_err.code)
		series_add(sampler->series, &tick, &sampler->series_err);
}

/* We may use `budget` of one core. A tick that costs more than its share makes the next come later.
 */
static void keep_budget(struct sampler *sampler, uint64_t now_ns, bool slow)
{
	uint64_t own_ns = own_cpu_ns();
	double cost_ns = (double)(own_ns - sampler->own_ns);

	sampler->own_ns = own_ns;
	if (slow)
		sampler->slow_due_ns = now_ns +
				       (uint64_t)fmax(SECOND_NS, cost_ns / (sampler->budget / 4));
	/* One costly tick at the start, of a machine that was busy just then, is no rule. */
	if (sampler->ticks > 8)
		sampler->tick_cost_ns = 0.9 * sampler->tick_cost_ns + 0.1 * cost_ns;
	else if (sampler->ticks == 1 || cost_ns < sampler->tick_cost_ns)
		sampler->tick_cost_ns = cost_ns;
	sampler->interval_ns = sampler->asked_ns;
	if (sampler->ticks > 8 &&
	    sampler->tick_cost_ns / sampler->budget > (double)sampler->asked_ns)
		sampler->interval_ns = (uint64_t)(sampler->tick_cost_ns / sampler->budget);
}

void sampler_tick(struct sampler *sampler, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - sampler->last_ns;
	bool gap = sampler->ticks > 0 && passed_ns > 3 * sampler->interval_ns;
	bool slow = now_ns >= sampler->slow_due_ns;

	sampler->last_ns = now_ns;
	sampler->soon = false;
	tree_look(&sampler->tree, now_ns, slow);
	sum_tree(sampler);
	look_at_memory(sampler, passed_ns);
	look_at_cores(sampler, now_ns, gap);
	sampler->run[RUN_PROCESSES] = value_read((double)sampler->tree.n_live);
	read_run_sources(sampler, slow);
	tally_add(sampler->tally, now_ns, gap, sampler->run);
	if (sampler->now)
		publish_tick(sampler, now_ns, sampler->now);
	keep_rows(sampler);
	if (sampler->series)
		keep_tick(sampler, now_ns, gap);
	if (sampler->ticks++ == 0)
		memcpy(sampler->first_run, sampler->run,
		       sampler->metrics.n_run * sizeof(*sampler->run));
	sampler->gaps += gap;
	sampler->gap_ns += gap ? passed_ns : 0;
	keep_budget(sampler, now_ns, slow);
}

bool sampler_may(const struct sampler *sampler, uint64_t now_ns)
{
	double used_ns = (double)(own_cpu_ns() - sampler->first_own_ns);

	return used_ns + sampler->tick_cost_ns < (double)now_ns * sampler->budget + EXTRA_PURSE_NS;
}

void sampler_tick_extra(struct sampler *sampler, uint64_t now_ns)
{
	if (!sampler_may(sampler, now_ns))
		return;
	sampler->slow_due_ns = 0;
	if (now_ns < sampler->last_ns + EXTRA_LEAST_NS)
		sampler->soon = true;
	else
		sampler_tick(sampler, now_ns);
}

uint64_t sampler_due(const struct sampler *sampler)
{
	uint64_t young_ns = sampler->last_ns / 2 + FIRST_NS;
	uint64_t wait_ns = young_ns < sampler->interval_ns ? young_ns : sampler->interval_ns;

	if (sampler->soon && wait_ns > EXTRA_LEAST_NS)
		wait_ns = EXTRA_LEAST_NS;
	return sampler->last_ns + wait_ns;
}

void sampler_clear(struct sampler *sampler)
{
	for (size_t i = 0; sampler->run_states && i < sampler->metrics.n_run_readers; i++) {
		if (sampler->run_states[i])
			sampler->metrics.run_readers[i].source->close(sampler->run_states[i]);
	}
	tree_clear(&sampler->tree);
	tally_free(sampler->tally);
	free(sampler->run_states);
	free(sampler->run);
	free(sampler->first_run);
	free(sampler->nothing);
	free(sampler->sums);
	free(sampler->samples);
	free(sampler->values);
	metrics_clear(&sampler->metrics);
	*sampler = (struct sampler){ 0 };
}
