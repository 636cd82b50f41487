/* Between two ticks a gauge counts with the value at its end, a gap counts not at all: a mean is
 * over the time that somebody looked. */
#include "model/tally.h"

#include <math.h>
#include <stdlib.h>

struct sum {
	bool seen;
	double last, peak;
	double area, covered_s; /* integral over, and length of, the time that was watched */
	enum how how;
};

struct tally {
	const struct metric *metrics;
	size_t count;
	uint64_t time_ns;
	struct sum *sums;
};

struct tally *tally_new(const struct metric *metrics, size_t count)
{
	struct tally *tally = mem_new(sizeof(*tally));

	tally->metrics = metrics;
	tally->count = count;
	tally->sums = mem_new(count * sizeof(*tally->sums));
	return tally;
}

void tally_add(struct tally *tally, uint64_t time_ns, bool gap, const struct value *run)
{
	/* A damaged journal may step back in time; nobody watched then. */
	bool watched = !gap && time_ns > tally->time_ns;
	double passed_s = watched ? (double)(time_ns - tally->time_ns) / 1e9 : 0;

	for (size_t i = 0; i < tally->count; i++) {
		struct sum *sum = &tally->sums[i];

		if (!value_is(run[i]))
			continue;
		sum->peak = sum->seen ? fmax(sum->peak, run[i].number) : run[i].number;
		sum->last = run[i].number;
		sum->area += run[i].number * passed_s;
		sum->covered_s += passed_s;
		if (run[i].how == HOW_ESTIMATED || !sum->seen)
			sum->how = run[i].how;
		sum->seen = true;
	}
	tally->time_ns = time_ns;
}

static void add_total(struct facts *facts, const struct metric *metric, const char *name,
		      struct value value)
{
	struct fact fact = { .section = "totals",
			     .name = name,
			     .unit = metric->unit,
			     .value = value,
			     .low = NAN,
			     .high = NAN,
			     .source = metric->source };

	if (facts_find(facts, "totals", name))
		return;
	if (!value_is(value)) {
		fact.source = NULL;
		fact.why = metric->absent ? metric->absent : "never read in this run";
	}
	facts_add(facts, &fact);
}

static void add_gauge(struct facts *facts, const struct metric *metric, const struct sum *sum)
{
	struct value peak = { .number = sum->peak, .how = sum->how };
	struct value mean = { .number = sum->area / sum->covered_s, .how = sum->how };
	char name[96];

	metric_derived_name(metric, "peak", name, sizeof(name));
	add_total(facts, metric, name, peak);
	if (sum->covered_s > 0) {
		metric_derived_name(metric, "mean", name, sizeof(name));
		add_total(facts, metric, name, mean);
	}
}

void tally_totals(const struct tally *tally, struct facts *facts)
{
	for (size_t i = 0; i < tally->count; i++) {
		const struct metric *metric = &tally->metrics[i];
		const struct sum *sum = &tally->sums[i];

		if (metric->kind == KIND_GAUGE)
			add_gauge(facts, metric, sum);
		else
			add_total(facts, metric, metric->name,
				  (struct value){ .number = sum->last, .how = sum->how });
	}
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	free(tally->sums);
	free(tally);
}
