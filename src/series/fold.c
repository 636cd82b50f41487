/* A point holds the ticks of (t, t + width]: a tick tells of the time before it. It bears the time
 * of the last of them. A gap ends a point early, so that it is seen in the folded series, too. */
#include "series/fold.h"

#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CHUNK_POINTS 128
#define CHUNK_BYTES ((size_t)256 << 10)

struct process_fold {
	uint32_t ticks; /* at which it moved */
	struct cell cells[];
};

struct fold {
	const struct metric *metrics;
	size_t n_metrics;
	uint64_t width_ns;
	int (*sink)(void *arg, const struct raw *raw);
	void *arg;
	struct frame_reader reader;
	struct rows processes; /* struct process_fold */
	uint32_t ticks;        /* in the point that is being filled; 0: none is */
	uint64_t begun_ns;     /* it began with a tick of that time */
	uint64_t time_ns;
	bool gap;
	struct raw out;
	struct rows lasts;
	uint64_t out_ns;    /* time of the last frame of `out` */
	uint64_t before_ns; /* time of the point before this one */
};

struct fold *fold_new(const struct metric *metrics, size_t count, unsigned tier,
		      int (*sink)(void *arg, const struct raw *raw), void *arg)
{
	struct fold *fold = mem_new(sizeof(*fold));

	fold->metrics = metrics;
	fold->n_metrics = count;
	fold->width_ns = tier_seconds[tier] * 1000000000ull;
	fold->sink = sink;
	fold->arg = arg;
	frame_reader_init(&fold->reader, metrics, count);
	fold->reader.rates = true;
	rows_init(&fold->processes, sizeof(struct process_fold) + count * sizeof(struct cell));
	rows_init(&fold->lasts, count * sizeof(int64_t));
	return fold;
}

void fold_free(struct fold *fold)
{
	if (!fold)
		return;
	frame_reader_clear(&fold->reader);
	rows_clear(&fold->processes);
	rows_clear(&fold->lasts);
	text_clear(&fold->out.bytes);
	free(fold);
}

static int out_seal(struct fold *fold)
{
	int r = fold->out.ticks ? fold->sink(fold->arg, &fold->out) : 0;

	fold->out.bytes.length = 0;
	fold->out.ticks = 0;
	rows_empty(&fold->lasts);
	return r;
}

/* It did not move at some of the ticks: then its least rate is none. */
static void rests_count(struct fold *fold, struct process_fold *process)
{
	if (process->ticks >= fold->ticks)
		return;
	for (size_t i = 0; i < fold->n_metrics; i++) {
		if (!isnan(process->cells[i].rate_low))
			process->cells[i].rate_low = 0;
	}
}

static void samples_write(struct fold *fold, size_t first, size_t count)
{
	uint32_t previous_id = UINT32_MAX;

	for (size_t i = first; i < first + count; i++) {
		struct process_fold *process = rows_at(&fold->processes, i);

		rests_count(fold, process);
		folded_sample(&fold->out.bytes, &fold->lasts, fold->metrics, fold->n_metrics,
			      &previous_id, fold->processes.heads[i].id, process->cells);
	}
}

/* Of one point, as many processes as fit a frame. */
static int part_write(struct fold *fold, size_t first, size_t count)
{
	struct raw *out = &fold->out;

	if (out->ticks == 0) {
		text_add_varint(&out->bytes, fold->before_ns);
		fold->out_ns = fold->before_ns;
		out->start_ns = fold->time_ns;
	}
	folded_frame(&out->bytes, fold->time_ns - fold->out_ns, fold->gap, count);
	samples_write(fold, first, count);
	out->ticks++;
	out->end_ns = fold->out_ns = fold->time_ns;
	if (out->ticks >= CHUNK_POINTS || out->bytes.length >= CHUNK_BYTES)
		return out_seal(fold);
	return 0;
}

static int point_end(struct fold *fold)
{
	size_t most = frame_samples_most(fold->n_metrics), count = fold->processes.count, first = 0;
	int r;

	if (fold->ticks == 0)
		return 0;
	do {
		size_t part = count - first < most ? count - first : most;

		r = part_write(fold, first, part);
		first += part;
	} while (r == 0 && first < count);
	fold->before_ns = fold->time_ns;
	fold->ticks = 0;
	fold->gap = false;
	rows_empty(&fold->processes);
	return r;
}

static void gauge_merge(struct cell *sum, const struct cell *cell)
{
	sum->last = cell->last;
	if (cell->low == ABSENT_QUANTA) /* which is the least of all numbers, too */
		return;
	if (sum->low == ABSENT_QUANTA || cell->low < sum->low)
		sum->low = cell->low;
	if (cell->high > sum->high)
		sum->high = cell->high;
}

static void counter_merge(struct cell *sum, const struct cell *cell)
{
	sum->last = sum->low = sum->high = cell->last;
	sum->rate_low = fmin(sum->rate_low, cell->rate_low); /* NAN gives way to the other */
	sum->rate_high = fmax(sum->rate_high, cell->rate_high);
}

static void sample_merge(struct fold *fold)
{
	struct frame_reader *reader = &fold->reader;
	struct process_fold *process = rows_at(&fold->processes,
					       rows_get(&fold->processes, reader->id));
	bool new = process->ticks++ == 0;

	for (size_t i = 0; i < fold->n_metrics; i++) {
		if (new)
			process->cells[i] = reader->cells[i];
		else if (fold->metrics[i].kind == KIND_COUNTER)
			counter_merge(&process->cells[i], &reader->cells[i]);
		else
			gauge_merge(&process->cells[i], &reader->cells[i]);
	}
}

static uint64_t point_of(const struct fold *fold, uint64_t time_ns)
{
	return time_ns ? (time_ns - 1) / fold->width_ns : 0;
}

static bool point_is_full(const struct fold *fold)
{
	const struct frame_reader *reader = &fold->reader;

	return fold->ticks > 0 && reader->time_ns != fold->time_ns &&
	       (reader->gap || point_of(fold, reader->time_ns) != point_of(fold, fold->begun_ns));
}

static int frame_merge(struct fold *fold)
{
	struct frame_reader *reader = &fold->reader;
	int r = point_is_full(fold) ? point_end(fold) : 0;

	if (r < 0)
		return r;
	if (fold->ticks == 0)
		fold->begun_ns = reader->time_ns;
	if (fold->ticks == 0 || reader->time_ns != fold->time_ns)
		fold->ticks++;
	fold->gap |= reader->gap;
	fold->time_ns = reader->time_ns;
	while ((r = sample_next(reader)) > 0)
		sample_merge(fold);
	return r;
}

int fold_add(struct fold *fold, unsigned tier, const void *raw, size_t size)
{
	int r;

	frame_reader_start(&fold->reader, tier, raw, size);
	if (fold->before_ns == 0)
		fold->before_ns = fold->reader.time_ns;
	while ((r = frame_next(&fold->reader)) > 0) {
		/* Chunks follow each other in time; an earlier one would have no place. */
		r = fold->reader.time_ns < fold->time_ns ? -EBADMSG : frame_merge(fold);
		if (r < 0)
			return r;
	}
	return r;
}

int fold_finish(struct fold *fold)
{
	int r = point_end(fold);

	return r < 0 ? r : out_seal(fold);
}
