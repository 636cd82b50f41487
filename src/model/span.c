#include "model/span.h"

#include <math.h>
#include <string.h>

#define TRIFLE 0.01 /* of a figure: an error that does not matter */

size_t span_place(const struct point *points, size_t count, uint64_t time_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points[middle].time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct span span_reach(struct span span, uint64_t run_end_ns)
{
	if (span.end_ns >= run_end_ns)
		span.end_ns = UINT64_MAX;
	return span;
}

struct strand span_strand(const struct facts *facts, const struct line *line)
{
	enum unit unit = line->metric->unit;
	struct strand strand = { .points = line->points,
				 .n_points = line->n_points,
				 .died_ns = UINT64_MAX,
				 .whole = unit == UNIT_BYTES || unit == UNIT_COUNT };

	if (line->process == 0 && line->metric->kind == KIND_COUNTER)
		strand.account = facts_value(facts, "totals", line->metric->name);
	if (strand.account.how != HOW_MEASURED)
		strand.account = value_absent();
	return strand;
}

const struct line *span_line(const struct facts *facts, const char *metric)
{
	for (size_t i = 0; i < facts->n_lines; i++) {
		if (facts->lines[i].process == 0 &&
		    strcmp(facts->lines[i].metric->name, metric) == 0)
			return &facts->lines[i];
	}
	return NULL;
}

static struct point point_at(const struct strand *strand, size_t i)
{
	struct point point = strand->points[i];

	if (i + 1 == strand->n_points && value_is(strand->account))
		point.number = fmax(point.number, strand->account.number);
	return point;
}

/* The point with a number before place `i`, or how it all began. */
static struct point known_before(const struct strand *strand, size_t i)
{
	while (i > 0) {
		if (!isnan(strand->points[--i].number))
			return point_at(strand, i);
	}
	return (struct point){ .time_ns = strand->born_ns };
}

/* The first from place `i` on, or how it all ended, or `before` once more. */
static struct point known_after(const struct strand *strand, size_t i, struct point before)
{
	for (; i < strand->n_points; i++) {
		if (!isnan(strand->points[i].number))
			return point_at(strand, i);
	}
	if (value_is(strand->total))
		return (struct point){ .time_ns = strand->died_ns, .number = strand->total.number };
	return before;
}

/* Until when it certainly did not move: the last tick before its next point. */
static uint64_t still_until(const struct strand *strand, struct point before, struct point after)
{
	const struct line *ticks = strand->ticks;
	size_t place;

	if (!ticks || after.time_ns == 0)
		return before.time_ns;
	place = span_place(ticks->points, ticks->n_points, after.time_ns - 1);
	if (place == 0 || ticks->points[place - 1].time_ns < before.time_ns)
		return before.time_ns;
	return ticks->points[place - 1].time_ns;
}

bool span_at(const struct strand *strand, uint64_t time_ns, double *ret, double *ret_doubt)
{
	size_t place = span_place(strand->points, strand->n_points, time_ns);
	struct point before = known_before(strand, place);
	struct point after = known_after(strand, place, before);
	uint64_t still_ns = still_until(strand, before, after);
	double share;

	if (strand->n_points == 0 && !value_is(strand->total))
		return false;
	*ret = before.number;
	*ret_doubt = 0;
	if (time_ns <= still_ns || after.number == before.number)
		return true;
	if (time_ns >= after.time_ns) { /* there is nothing behind it */
		*ret = after.number;
		return true;
	}
	share = (double)(time_ns - still_ns) / (double)(after.time_ns - still_ns);
	*ret = before.number + share * (after.number - before.number);
	*ret_doubt = fabs(after.number - before.number);
	return true;
}

struct value span_growth(const struct strand *strand, struct span span)
{
	double start, end, doubt_start, doubt_end, growth;

	if (!span_at(strand, span.start_ns, &start, &doubt_start) ||
	    !span_at(strand, span.end_ns, &end, &doubt_end))
		return value_absent();
	growth = fmax(end - start, 0);
	if (strand->whole)
		growth = round(growth);
	return doubt_start + doubt_end <= TRIFLE * growth ? value_read(growth)
							  : value_estimated(growth);
}

static void stand_raise(struct stand *stand, const struct point *point)
{
	double number = isnan(point->high) ? point->number : fmax(point->high, point->number);

	if (!isnan(number) && (!value_is(stand->peak) || number > stand->peak.number))
		stand->peak = value_read(number);
}

/* What a point says counts for the time since the one before it, unless a gap lies between. */
static void stand_cover(struct stand *stand, const struct strand *strand, size_t i,
			struct span span)
{
	const struct point *point = &strand->points[i];
	uint64_t from = i > 0 ? strand->points[i - 1].time_ns : strand->born_ns;
	uint64_t to = point->time_ns < span.end_ns ? point->time_ns : span.end_ns;
	bool gap = i > 0 && isnan(strand->points[i - 1].number);

	from = from > span.start_ns ? from : span.start_ns;
	if (isnan(point->number) || gap || to <= from)
		return;
	stand->area += point->number * (double)(to - from) / 1e9;
	stand->covered_s += (double)(to - from) / 1e9;
}

struct stand span_stand(const struct strand *strand, struct span span, bool after_start)
{
	size_t first = span_place(strand->points, strand->n_points, span.start_ns), i;
	struct stand stand = { 0 };

	for (i = first; i < strand->n_points && strand->points[i].time_ns <= span.end_ns; i++) {
		stand_raise(&stand, &strand->points[i]);
		stand_cover(&stand, strand, i, span);
	}
	if (i < strand->n_points)
		stand_cover(&stand, strand, i, span);
	if (first > 0 && !after_start &&
	    (strand->lasting || strand->points[first - 1].time_ns == span.start_ns))
		stand_raise(&stand, &strand->points[first - 1]);
	return stand;
}
