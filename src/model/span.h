/* What a line says of a stretch of time: how much a counter grew, how high a gauge stood. Where no
 * tick stands at a cut, what lies between the two around it is taken to have grown evenly; the
 * figure is estimated, unless all that can be wrong with it is less than a hundredth of it. */
#ifndef MODEL_SPAN_H
#define MODEL_SPAN_H

#include "model/facts.h"

struct span {
	uint64_t start_ns, end_ns;
};

/* A line, and what is known besides of its metric. */
struct strand {
	const struct point *points; /* may be NULL where there are none */
	size_t n_points;
	/* Between the points: a process that does not move has none. Where NULL, each tick has one.
	 */
	const struct line *ticks;
	uint64_t born_ns;     /* a counter is 0 then */
	uint64_t died_ns;     /* and then has its total, where that is known */
	struct value total;   /* absent: its last point is the last that is known */
	struct value account; /* what the last point should have said, where that is more: of a
				 process that has ended, the last look sees not all */
	bool whole;           /* its numbers are: bytes, calls */
	bool lasting; /* a gauge holds its value until its next point, also before the span */
};

/* A counter's growth. Absent where there is no point at all. */
struct value span_growth(const struct strand *strand, struct span span);

/* A gauge: the largest that was seen, from the look at the start on (unless `after_start`: of what
 * says how the time before its point was), and the integral over, and the length of, the time that
 * somebody looked. */
struct stand {
	struct value peak; /* absent: nobody looked */
	double area, covered_s;
};
struct stand span_stand(const struct strand *strand, struct span span, bool after_start);

/* The last look comes just after the run's end, and belongs to it. */
struct span span_reach(struct span span, uint64_t run_end_ns);

/* A line of the run, or of a process in it. What the run used in all, where it was measured, is its
 * account. */
struct strand span_strand(const struct facts *facts, const struct line *line);

/* The run's line of a metric, or NULL. */
const struct line *span_line(const struct facts *facts, const char *metric);

/* A counter's number at a time, and by how much that may be wrong. False where nothing is known. */
bool span_at(const struct strand *strand, uint64_t time_ns, double *ret, double *ret_doubt);

/* Places: how many of the points are not after that time. */
size_t span_place(const struct point *points, size_t count, uint64_t time_ns);

#endif
