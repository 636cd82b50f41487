#include "sample/publish.h"

#include <math.h>
#include <string.h>

#define RATE_WINDOW_NS 500000000u /* over less than this a rate only jumps */

static double known(struct value value)
{
	return value_is(value) ? value.number : NAN;
}

/* The tree's sum of a metric of processes. */
static double sum_of(const struct sampler *sampler, const char *name)
{
	const struct metrics *metrics = &sampler->metrics;

	for (size_t i = 0; i < metrics->n_process; i++) {
		if (strcmp(metrics->process[i].name, name) == 0 && metrics->run_of[i] >= 0)
			return known(sampler->run[metrics->run_of[i]]);
	}
	return NAN;
}

static void publish_rates(struct sampler *sampler, uint64_t now_ns, struct now *now)
{
	struct shown *shown = &sampler->shown;
	double read = atomic_load(&now->read_bytes), write = atomic_load(&now->write_bytes);
	double passed_s = (double)(now_ns - shown->time_ns) / 1e9;

	if (shown->time_ns && now_ns - shown->time_ns < RATE_WINDOW_NS)
		return;
	if (shown->time_ns) {
		atomic_store(&now->read_rate, fmax(0, read - shown->read_bytes) / passed_s);
		atomic_store(&now->write_rate, fmax(0, write - shown->write_bytes) / passed_s);
	}
	*shown = (struct shown){ now_ns, read, write };
}

void publish_tick(struct sampler *sampler, uint64_t now_ns, struct now *now)
{
	double memory = known(sampler->run[RUN_MEMORY_TREE]);

	atomic_store(&now->start_ns, sampler->tree.start_ns);
	atomic_store(&now->cores, known(sampler->run[RUN_CORES]));
	atomic_store(&now->memory_bytes, memory);
	atomic_store(&now->memory_peak_bytes, fmax(memory, sampler->memory_guess));
	atomic_store(&now->processes, known(sampler->run[RUN_PROCESSES]));
	atomic_store(&now->read_bytes, sum_of(sampler, "io_read_bytes"));
	atomic_store(&now->write_bytes, sum_of(sampler, "io_write_bytes"));
	publish_rates(sampler, now_ns, now);
}

void publish_limits(const struct facts *facts, uint64_t timeout_ns, struct now *now)
{
	double limit_s = known(facts_value(facts, "limits", "time_s"));

	if (timeout_ns)
		limit_s = fmin(limit_s, (double)timeout_ns / 1e9); /* fmin passes over NAN */
	atomic_store(&now->limit_s, limit_s);
	atomic_store(&now->limit_cores, known(facts_value(facts, "limits", "cores")));
	atomic_store(&now->limit_memory_bytes, known(facts_value(facts, "limits", "memory_bytes")));
}
