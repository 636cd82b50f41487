/* A metric over time, drawn with characters: a value axis with units, a time axis with ticks that
 * people know, and in each column all that was seen in its time, from the least to the largest, so
 * that a peak of a single look cannot vanish in a run of a week. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "model/facts.h"
#include "report/look.h"

#include <stdio.h>

/* What a point says of the time since the point before it: a gauge its number, a counter what it
 * did in a second; the least and the largest where older points were folded into it. */
struct told {
	double begin_s, end_s; /* the same where only this moment is known */
	double number, low, high;
	bool is; /* false where a gap begins, and where a counter starts anew after one */
};
struct told plot_told(const struct line *line, size_t i);

/* One column of time. */
struct span {
	double low, high; /* of all that was seen in it */
	bool seen;
	bool gap; /* for some of its time, be it ever so short, nobody knows */
};
/* Cuts the time from the run's start to `end_s` into `count` columns. */
void plot_spans(const struct line *line, double end_s, struct span *ret, size_t count);

size_t plot_column(double place, size_t count); /* of a column: 0 ... count - 1, whatever it is */
double plot_end_s(const struct line *line); /* the time of its last point; 0 where there is none */

struct plot {
	const struct line *line;
	double end_s;              /* of the time axis */
	double limit;              /* drawn where it is near enough; NAN: there is none */
	const struct facts *facts; /* its marks stand below the time axis; NULL: none */
	int rows;
	int label_columns; /* the least for the value axis, so that plots stand below each other */
};
/* Nothing where no point has a number. The rows, two more for the time axis, and one where there
 * are marks. */
void plot_print(const struct plot *plot, const struct look *look, FILE *out);

/* The limit that a metric runs into, NAN where none is known. In series.c. */
double series_limit(const struct facts *facts, const struct metric *metric);

/* The words for a number of this metric: of a counter, for its rate. */
const char *plot_words(const struct metric *metric, double number, char *ret);

#endif
