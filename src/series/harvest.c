/* Lines are made of what was sampled, nothing is added in between: a process has points where it
 * moved. A gap is a point without a number at the time of the tick before it. */
#include "series/harvest.h"

#include "series/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The run's series of a year have 7 million points, those of 1,000 processes in a day 22 million. A
 * file that holds more was made to hurt. */
#define POINTS_MOST ((size_t)64 << 20)

struct build { /* a line in the making */
	struct point *points;
	size_t count, room;
};

struct stream_harvest {
	const struct metric *metrics;
	size_t n_metrics;
	bool lines;
	struct frame_reader reader;
	struct rows builds; /* of each process: a struct build a metric */
	struct rows lasts;  /* of each process: a struct value a metric, for process rows */
	uint64_t end_ns;
};

struct harvest {
	struct facts *facts;
	struct stream_harvest streams[STREAM_COUNT];
	struct tally *tally;
	struct value *values;
	bool *const *estimated;
	struct text raw;
	size_t points;
};

static void stream_init(struct stream_harvest *stream, const struct metric *metrics, size_t count,
			bool lines)
{
	stream->metrics = metrics;
	stream->n_metrics = count;
	stream->lines = lines;
	frame_reader_init(&stream->reader, metrics, count);
	rows_init(&stream->builds, count * sizeof(struct build));
	rows_init(&stream->lasts, count * sizeof(struct value));
}

struct harvest *harvest_new(struct facts *facts, unsigned what, bool totals)
{
	struct harvest *harvest = mem_new(sizeof(*harvest));

	harvest->facts = facts;
	stream_init(&harvest->streams[STREAM_RUN], facts->run_metrics, facts->n_run_metrics,
		    what & READ_LINES || (what & READ_MARKED_LINES && facts->n_marks > 0));
	stream_init(&harvest->streams[STREAM_PROCESS], facts->process_metrics,
		    facts->n_process_metrics, what & READ_PROCESS_LINES);
	if (totals)
		harvest->tally = tally_new(facts->run_metrics, facts->n_run_metrics);
	harvest->values = mem_new(facts->n_run_metrics * sizeof(*harvest->values));
	return harvest;
}

void harvest_estimated(struct harvest *harvest, bool *const *estimated)
{
	harvest->estimated = estimated;
}

bool harvest_wants(const struct harvest *harvest, enum stream stream)
{
	return harvest->tally || harvest->streams[stream].lines;
}

static void stream_clear(struct stream_harvest *stream)
{
	for (size_t i = 0; i < stream->builds.count; i++) {
		struct build *builds = rows_at(&stream->builds, i);

		for (size_t j = 0; j < stream->n_metrics; j++)
			free(builds[j].points);
	}
	rows_clear(&stream->builds);
	rows_clear(&stream->lasts);
	frame_reader_clear(&stream->reader);
}

void harvest_free(struct harvest *harvest)
{
	if (!harvest)
		return;
	for (int i = 0; i < STREAM_COUNT; i++)
		stream_clear(&harvest->streams[i]);
	tally_free(harvest->tally);
	free(harvest->values);
	text_clear(&harvest->raw);
	free(harvest);
}

static void point_add(struct build *build, uint64_t time_ns, double number, double low, double high)
{
	build->points = mem_grow(build->points, build->count, &build->room, sizeof(*build->points));
	build->points[build->count++] =
	    (struct point){ .time_ns = time_ns, .number = number, .low = low, .high = high };
}

static void gap_add(struct build *build, uint64_t time_ns)
{
	if (build->count > 0 && !isnan(build->points[build->count - 1].number))
		point_add(build, time_ns, NAN, NAN, NAN);
}

static void folded_add(struct build *build, uint64_t time_ns, const struct metric *metric,
		       const struct cell *cell, double quanta)
{
	bool counter = metric->kind == KIND_COUNTER;
	double low = counter ? cell->rate_low / quanta : (double)cell->low / quanta;
	double high = counter ? cell->rate_high / quanta : (double)cell->high / quanta;

	if (cell->last != ABSENT_QUANTA)
		point_add(build, time_ns, (double)cell->last / quanta, low, high);
	else if (cell->high != ABSENT_QUANTA) /* it went away, but its peak must not */
		point_add(build, time_ns, high, low, high);
	if (cell->last == ABSENT_QUANTA)
		gap_add(build, time_ns);
}

static void lines_add(struct harvest *harvest, struct stream_harvest *stream)
{
	struct frame_reader *reader = &stream->reader;
	struct build *builds = rows_at(&stream->builds, rows_get(&stream->builds, reader->id));

	for (size_t i = 0; i < stream->n_metrics; i++) {
		const struct cell *cell = &reader->cells[i];
		double quanta = unit_quanta(stream->metrics[i].unit);

		if (reader->gap)
			gap_add(&builds[i], reader->before_ns);
		if (reader->tier > 0)
			folded_add(&builds[i], reader->time_ns, &stream->metrics[i], cell, quanta);
		else if (cell->last != ABSENT_QUANTA)
			point_add(&builds[i], reader->time_ns, (double)cell->last / quanta, NAN,
				  NAN);
		else
			gap_add(&builds[i], reader->time_ns);
	}
	harvest->points += stream->n_metrics;
}

static struct value restore(const struct harvest *harvest, enum scope scope, size_t metric,
			    int64_t quanta)
{
	const struct metric *metrics = scope == SCOPE_RUN ? harvest->facts->run_metrics
							  : harvest->facts->process_metrics;
	struct value value = metric_restore(&metrics[metric], quanta);

	if (value_is(value) && harvest->estimated && harvest->estimated[scope][metric])
		value.how = HOW_ESTIMATED;
	return value;
}

/* Of a folded point the largest counts first, for no time, so that the peak is right; then the
 * last, for all of the time. */
static void tally_run(struct harvest *harvest, const struct frame_reader *reader)
{
	for (size_t i = 0; reader->tier > 0 && i < reader->n_metrics; i++) {
		bool gauge = reader->metrics[i].kind == KIND_GAUGE;

		harvest->values[i] = gauge ? restore(harvest, SCOPE_RUN, i, reader->cells[i].high)
					   : value_absent();
	}
	if (reader->tier > 0)
		tally_add(harvest->tally, reader->before_ns, true, harvest->values);
	for (size_t i = 0; i < reader->n_metrics; i++)
		harvest->values[i] = restore(harvest, SCOPE_RUN, i, reader->cells[i].last);
	tally_add(harvest->tally, reader->time_ns, reader->gap, harvest->values);
}

static void tally_process(struct harvest *harvest, struct stream_harvest *stream)
{
	struct frame_reader *reader = &stream->reader;
	struct value *lasts = rows_at(&stream->lasts, rows_get(&stream->lasts, reader->id));

	for (size_t i = 0; i < stream->n_metrics; i++) {
		bool gauge = stream->metrics[i].kind == KIND_GAUGE;
		const struct cell *cell = &reader->cells[i];
		struct value now = restore(harvest, SCOPE_PROCESS, i,
					   gauge ? cell->high : cell->last);

		if (!value_is(now))
			continue;
		if (!value_is(lasts[i]) || !gauge || now.number > lasts[i].number)
			lasts[i] = now;
	}
}

static int sample_add(struct harvest *harvest, enum stream which)
{
	struct stream_harvest *stream = &harvest->streams[which];

	if (which == STREAM_RUN && stream->reader.id != 0)
		return -EBADMSG;
	if (stream->lines)
		lines_add(harvest, stream);
	if (harvest->tally && which == STREAM_RUN)
		tally_run(harvest, &stream->reader);
	if (harvest->tally && which == STREAM_PROCESS)
		tally_process(harvest, stream);
	return harvest->points > POINTS_MOST ? -EBADMSG : 0;
}

static int frame_add(struct harvest *harvest, enum stream which)
{
	struct stream_harvest *stream = &harvest->streams[which];
	int r;

	if (stream->reader.time_ns < stream->end_ns)
		return -EBADMSG;
	stream->end_ns = stream->reader.time_ns;
	while ((r = sample_next(&stream->reader)) > 0) {
		r = sample_add(harvest, which);
		if (r < 0)
			return r;
	}
	return r;
}

int harvest_add(struct harvest *harvest, const struct chunk *chunk, const void *data)
{
	struct frame_reader *reader = &harvest->streams[chunk->stream].reader;
	uint32_t ticks = 0;
	int r;

	r = chunk_unseal(data, chunk->size, &harvest->raw);
	if (r < 0)
		return r;
	frame_reader_start(reader, chunk->tier, harvest->raw.data, harvest->raw.length);
	while ((r = frame_next(reader)) > 0) {
		r = ticks++ < chunk->ticks ? frame_add(harvest, chunk->stream) : -EBADMSG;
		if (r < 0)
			return r;
	}
	return r < 0 || ticks != chunk->ticks ? -EBADMSG : 0;
}

uint64_t harvest_end_ns(const struct harvest *harvest)
{
	uint64_t run = harvest->streams[STREAM_RUN].end_ns;
	uint64_t process = harvest->streams[STREAM_PROCESS].end_ns;

	return run > process ? run : process;
}

static void lines_give(struct harvest *harvest, struct stream_harvest *stream, uint32_t id)
{
	ptrdiff_t place = rows_find(&stream->builds, id);
	struct build *builds = place >= 0 ? rows_at(&stream->builds, (size_t)place) : NULL;

	for (size_t i = 0; i < stream->n_metrics; i++) {
		struct line *line;

		if (id != 0 && (!builds || builds[i].count == 0))
			continue;
		line = facts_add_line(harvest->facts);
		line->metric = &stream->metrics[i];
		line->process = id;
		line->n_points = builds ? builds[i].count : 0;
		line->points = builds ? take(&builds[i].points) : NULL;
	}
}

/* A row that was written at its process's end knows better; one of a living process is older than
 * the ticks. */
static void process_give(struct harvest *harvest, struct process *process)
{
	struct stream_harvest *stream = &harvest->streams[STREAM_PROCESS];
	ptrdiff_t place = rows_find(&stream->lasts, process->id);
	struct value *lasts = place >= 0 ? rows_at(&stream->lasts, (size_t)place) : NULL;

	for (size_t i = 0; lasts && i < stream->n_metrics; i++) {
		struct value *value = &process->values[i];
		bool older = process->ended_ns == PROCESS_ALIVE &&
			     !(value_is(*value) && value->number > lasts[i].number);

		if (value_is(lasts[i]) && (older || !value_is(*value)))
			*value = lasts[i];
	}
}

void harvest_finish(struct harvest *harvest)
{
	struct facts *facts = harvest->facts;

	if (harvest->streams[STREAM_RUN].lines)
		lines_give(harvest, &harvest->streams[STREAM_RUN], 0);
	for (size_t i = 0; i < facts->n_processes; i++) {
		if (harvest->streams[STREAM_PROCESS].lines && facts->processes[i].id != 0)
			lines_give(harvest, &harvest->streams[STREAM_PROCESS],
				   facts->processes[i].id);
		if (harvest->tally)
			process_give(harvest, &facts->processes[i]);
	}
	if (harvest->tally)
		tally_totals(harvest->tally, facts);
}
