/* Ticks as bytes: frames, and chunks of frames. docs/recording.md has the format. */
#ifndef SERIES_FRAME_H
#define SERIES_FRAME_H

#include "base/err.h"
#include "base/text.h"
#include "base/varint.h"
#include "model/metric.h"
#include "model/tick.h"
#include "series/rows.h"

/* The run's own values stand apart from those of its processes: they are small, and mostly all
 * that is asked for. Both are coded alike; the run is "process" 0. */
enum stream {
	STREAM_RUN,
	STREAM_PROCESS,
	STREAM_COUNT,
};

/* Tier 0 holds ticks as they were; each further one holds points of so many seconds. */
#define TIER_COUNT 7
extern const uint32_t tier_seconds[TIER_COUNT];

#define METRICS_MOST 512                     /* of one scope */
#define CHUNK_RAW_MOST ((size_t)4 << 20)     /* bytes of a chunk before compression */
#define CHUNK_TICKS_MOST ((uint32_t)1 << 16) /* frames in a chunk */

/* A chunk in the making: the bytes that are compressed, once it is full. */
struct raw {
	struct text bytes;
	uint32_t ticks;
	uint64_t start_ns, end_ns; /* times of its first and its last frame */
};

void raw_add(struct raw *raw, struct cursor *frame); /* the first one with its base before it */
void raw_empty(struct raw *raw);                     /* keeps the memory */

/* Turns the ticks of one stream into frames. */
struct frame_writer {
	const struct metric *metrics;
	size_t n_metrics;
	struct rows
	    rows;       /* the last quanta of every living process; mark: the last chunk it is in */
	uint32_t chunk; /* counts them */
	uint64_t time_ns;   /* of the last frame */
	uint64_t before_ns; /* of the last one that had another time */
};

void frame_writer_init(struct frame_writer *writer, const struct metric *metrics, size_t count);
void frame_writer_clear(struct frame_writer *writer);
/* The next frame begins a chunk: it can be read without those before. Adds what stands before the
 * first frame, which has that time. */
void frame_start(struct frame_writer *writer, struct text *out, uint64_t time_ns);
/* Adds a frame with the samples, or as many of them as one frame may hold. Returns how many. */
size_t frame_write(struct frame_writer *writer, struct text *out, uint64_t time_ns, bool gap,
		   const struct sample *samples, size_t count);
/* The process will not be seen again, after the current chunk. */
void frame_forget(struct frame_writer *writer, uint32_t id);

/* One metric of one process in one frame, in quanta; ABSENT_QUANTA where it could not be read. */
struct cell {
	int64_t last;
	int64_t low, high;          /* of gauges: the least and largest since the frame before */
	double rate_low, rate_high; /* of counters: quanta a second, likewise; NAN: not known */
};

/* Adds the head of a frame of folded samples, then each sample. `lasts` holds the last quanta of
 * this chunk, the caller empties it at a chunk's start. */
void folded_frame(struct text *out, uint64_t passed_ns, bool gap, size_t samples);
void folded_sample(struct text *out, struct rows *lasts, const struct metric *metrics, size_t count,
		   uint32_t *previous_id, uint32_t id, const struct cell *cells);

/* Reads the frames of a chunk, and the samples of each frame, one after the other. */
struct frame_reader {
	const struct metric *metrics;
	size_t n_metrics;
	unsigned tier;
	bool rates; /* are they wanted? */
	struct cursor cursor;
	struct rows rows;
	int64_t *before;
	uint64_t samples_left;
	uint32_t previous_id;
	uint64_t before_ns; /* of the last frame that had another time */

	/* The current frame, and the current sample. */
	uint64_t time_ns;
	bool gap;
	uint32_t id;
	struct cell *cells;
};

void frame_reader_init(struct frame_reader *reader, const struct metric *metrics, size_t count);
void frame_reader_clear(struct frame_reader *reader);
void frame_reader_start(struct frame_reader *reader, unsigned tier, const void *raw, size_t size);
/* 1 when there was one more, 0 at the end, -EBADMSG where the bytes make no sense. What is left of
 * the frame before is skipped. */
int frame_next(struct frame_reader *reader);
int sample_next(struct frame_reader *reader);

/* Between raw and compressed. */
void chunk_seal(const void *raw, size_t size, struct text *ret);   /* adds to it */
int chunk_unseal(const void *data, size_t size, struct text *ret); /* -EBADMSG */

size_t frame_samples_most(size_t n_metrics); /* how many one frame may hold */

/* Makes sure that so many more bytes fit, and returns where they go; then text->length is moved. */
uint8_t *text_room(struct text *text, size_t bytes);
void text_add_varint(struct text *text, uint64_t number);

#endif
