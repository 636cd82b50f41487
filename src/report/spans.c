/* What each column of a plot holds. A point tells of the time since the point before it; behind a
 * gap, and where it is a gauge that came late, of its moment alone. */
#include "report/plot.h"

#include <math.h>
#include <string.h>

#define MOST 1e300   /* what is larger is no measurement, and would overflow */
#define FIRST_LOOK 3 /* intervals until the first look: it stands for the time before it */

static double seconds(const struct point *point)
{
	return (double)point->time_ns / 1e9;
}

/* The first look tells of the time before it, too, unless it came late. */
static double first_begin_s(const struct line *line)
{
	double first = seconds(&line->points[0]);
	bool soon = line->n_points == 1 ||
		    first <= FIRST_LOOK * (seconds(&line->points[1]) - first);

	return soon || line->metric->kind == KIND_COUNTER ? 0 : first;
}

static double rate(const struct line *line, size_t i, double begin_s)
{
	const struct point *now = &line->points[i];
	double before = i > 0 ? line->points[i - 1].number : 0, passed_s = seconds(now) - begin_s;

	return passed_s > 0 && now->number >= before ? (now->number - before) / passed_s : NAN;
}

static bool usable(double number)
{
	return fabs(number) < MOST; /* false for NAN, too */
}

struct told plot_told(const struct line *line, size_t i)
{
	const struct point *point = &line->points[i];
	bool after_gap = i > 0 && isnan(point[-1].number);
	struct told told = { .end_s = seconds(point), .number = point->number };

	told.begin_s = i == 0 ? first_begin_s(line) : after_gap ? told.end_s : seconds(&point[-1]);
	if (told.begin_s > told.end_s)
		told.begin_s = told.end_s;
	if (line->metric->kind == KIND_COUNTER)
		told.number = isnan(point->number) ? NAN : rate(line, i, told.begin_s);
	told.low = fmin(point->low, told.number); /* NAN where both are */
	told.high = fmax(point->high, told.number);
	told.is = !isnan(point->number) && usable(told.low) && usable(told.high);
	if (isnan(told.number))
		told.number = told.high;
	return told;
}

double plot_end_s(const struct line *line)
{
	return line->n_points > 0 ? seconds(&line->points[line->n_points - 1]) : 0;
}

size_t plot_column(double place, size_t count)
{
	return place < 1 ? 0 : place < (double)count ? (size_t)place : count - 1;
}

/* The columns that a time reaches into: one that it only touches with its end is none of them. */
static void columns_of(double begin_s, double end_s, double whole_s, size_t count, size_t *first,
		       size_t *last)
{
	double scale = whole_s > 0 ? (double)count / whole_s : 0;

	*last = plot_column(ceil(end_s * scale) - 1, count);
	*first = begin_s < end_s ? plot_column(floor(begin_s * scale), count) : *last;
	if (*first > *last)
		*first = *last;
}

static void span_add(struct span *span, const struct told *told)
{
	span->low = span->seen ? fmin(span->low, told->low) : told->low;
	span->high = span->seen ? fmax(span->high, told->high) : told->high;
	span->seen = true;
}

static void gap_add(struct span *spans, size_t count, double begin_s, double end_s, double whole_s)
{
	size_t first, last;

	columns_of(begin_s, end_s, whole_s, count, &first, &last);
	for (size_t i = first; i <= last; i++)
		spans[i].gap = true;
}

void plot_spans(const struct line *line, double end_s, struct span *ret, size_t count)
{
	double known_s = 0, column_s = end_s / (double)count;
	size_t first, last;

	memset(ret, 0, count * sizeof(*ret));
	for (size_t i = 0; i < line->n_points; i++) {
		struct told told = plot_told(line, i);

		if (!told.is)
			continue;
		columns_of(told.begin_s, told.end_s, end_s, count, &first, &last);
		for (size_t j = first; j <= last; j++)
			span_add(&ret[j], &told);
		if (told.begin_s > known_s)
			gap_add(ret, count, known_s, told.begin_s, end_s);
		known_s = told.end_s;
	}
	if (end_s > known_s + column_s)
		gap_add(ret, count, known_s, end_s, end_s);
}
