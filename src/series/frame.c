/* A chunk before compression is
 *
 *	base	varint	time of the tick before its first one, in ns since the run's start
 *	frames, each
 *	  passed varint	ns since the frame before (since `base` for the first); 0: it continues
 *			the one before, which would have been too long
 *	  head	varint	2 x number of samples + (1 where a gap lies before this frame)
 *	  samples, each
 *	    id	varint	zigzag(id - id of the sample before - 1); -1 stands before the first
 *	    values before	only where the id is new to this chunk, and only in tier 0
 *	    values
 *
 * and values are a bit mask of the metrics that changed (lowest bit of the first byte: metric
 * 0) and a varint for each of those: zigzag(new - old) in quanta, or 0: it is absent now. An id
 * that is new to the chunk has only absent values, and from absent the varint is zigzag(new).
 *
 *	00  80 c2 d7 2f  02  02  00  03  c0 84 3d  80 40
 *	|   |            |   |   |   |   |         4096 bytes (zigzag: 8192)
 *	|   |            |   |   |   |   0.5 ms of CPU in ns (zigzag: 1000000)
 *	|   |            |   |   |   metrics 0 and 1 changed
 *	|   |            |   |   values before: all absent, this is its first sample ever
 *	|   |            |   id 1: 1 - -1 - 1 (zigzag: 2)
 *	|   |            one sample, no gap
 *	|   100 ms have passed
 *	base 0
 *
 * The values before a process's first sample in a chunk make the chunk stand alone: what grew in
 * between is known without any other chunk, so folding one cannot lose a spike at its edge.
 * A process that is not in a frame did not move; one that is not in a chunk neither.
 *
 * Folded samples (tiers above 0) have no values before. Behind their values stands a second mask,
 * of the metrics whose range is not the plain one, and two varints for each of those:
 *
 *	gauge	zigzag(last - low), zigzag(high - last), from 0 where the last is absent;
 *		plain: both are the last
 *	counter	its least and its largest rate between two ticks; plain: it did not move
 *
 * Rates are in quanta a second and rounded outwards to 9 bits: 0 is "not known", 1 is none, else
 * 2 + 256 x (exponent + 16) + the 8 bits behind the leading one. */
#include "series/frame.h"

#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define FRAME_BYTES_MOST ((size_t)2 << 20) /* a longer one is continued by another at its time */
#define RATE_UNKNOWN 0
#define RATE_NONE 1
#define RATE_FIRST 2
#define RATE_BIAS 16
#define RATE_MOST (RATE_FIRST + 256 * 112) /* 2^96: 2^64 quanta within a nanosecond */

const uint32_t tier_seconds[TIER_COUNT] = { 0, 10, 60, 600, 3600, 6 * 3600, 24 * 3600 };

uint8_t *text_room(struct text *text, size_t bytes)
{
	size_t need = text->length + bytes + 1;

	if (need > text->room) {
		text->room = need > 2 * text->room ? need : 2 * text->room;
		text->data = mem_resize(text->data, text->room);
	}
	return (uint8_t *)text->data + text->length;
}

static void text_ends_at(struct text *text, const uint8_t *end)
{
	text->length = (size_t)(end - (uint8_t *)text->data);
	text->data[text->length] = '\0';
}

void text_add_varint(struct text *text, uint64_t number)
{
	text_ends_at(text, varint_put(text_room(text, VARINT_MOST), number));
}

void raw_add(struct raw *raw, struct cursor *frame)
{
	text_add_bytes(&raw->bytes, frame->at, cursor_left(frame));
	if (raw->ticks == 0)
		raw->end_ns = cursor_varint(frame);
	raw->end_ns += cursor_varint(frame);
	if (raw->ticks++ == 0)
		raw->start_ns = raw->end_ns;
}

void raw_empty(struct raw *raw)
{
	raw->bytes.length = 0;
	raw->ticks = 0;
}

static size_t mask_bytes(size_t n_metrics)
{
	return (n_metrics + 7) / 8;
}

static uint64_t change_code(int64_t old, int64_t new)
{
	if (old == ABSENT_QUANTA)
		return zigzag(new);
	if (new == ABSENT_QUANTA)
		return 0;
	return zigzag((int64_t)((uint64_t) new - (uint64_t)old));
}

static int64_t change_apply(int64_t old, uint64_t code)
{
	if (old == ABSENT_QUANTA)
		return unzigzag(code);
	if (code == 0)
		return ABSENT_QUANTA;
	return (int64_t)((uint64_t)old + (uint64_t)unzigzag(code));
}

static void all_absent(int64_t *quanta, size_t count)
{
	for (size_t i = 0; i < count; i++)
		quanta[i] = ABSENT_QUANTA;
}

void frame_writer_init(struct frame_writer *writer, const struct metric *metrics, size_t count)
{
	*writer = (struct frame_writer){ .metrics = metrics, .n_metrics = count };
	rows_init(&writer->rows, count * sizeof(int64_t));
}

void frame_writer_clear(struct frame_writer *writer)
{
	rows_clear(&writer->rows);
}

void frame_forget(struct frame_writer *writer, uint32_t id)
{
	ptrdiff_t place = rows_find(&writer->rows, id);

	if (place >= 0)
		writer->rows.heads[place].gone = true;
}

void frame_start(struct frame_writer *writer, struct text *out, uint64_t time_ns)
{
	rows_sweep(&writer->rows);
	writer->chunk++;
	if (time_ns <=
	    writer->time_ns) /* continued: as if the first part were in this chunk, too */
		writer->time_ns = writer->before_ns;
	text_add_varint(out, writer->time_ns);
}

static size_t sample_bytes_most(size_t n_metrics)
{
	return VARINT_MOST + 3 * (mask_bytes(n_metrics) + n_metrics * VARINT_MOST);
}

size_t frame_samples_most(size_t n_metrics)
{
	return FRAME_BYTES_MOST / sample_bytes_most(n_metrics);
}

/* The values as they were before this chunk. */
static uint8_t *before_write(uint8_t *at, const int64_t *quanta, size_t count)
{
	uint8_t *mask = at;

	memset(mask, 0, mask_bytes(count));
	at += mask_bytes(count);
	for (size_t i = 0; i < count; i++) {
		if (quanta[i] == ABSENT_QUANTA)
			continue;
		mask[i / 8] |= (uint8_t)(1u << i % 8);
		at = varint_put(at, zigzag(quanta[i]));
	}
	return at;
}

static uint8_t *values_write(uint8_t *at, int64_t *last, const struct metric *metrics,
			     const struct value *values, size_t count)
{
	uint8_t *mask = at;

	memset(mask, 0, mask_bytes(count));
	at += mask_bytes(count);
	for (size_t i = 0; i < count; i++) {
		int64_t now = metric_quantise(&metrics[i], values[i]);

		if (now == last[i])
			continue;
		mask[i / 8] |= (uint8_t)(1u << i % 8);
		at = varint_put(at, change_code(last[i], now));
		last[i] = now;
	}
	return at;
}

static uint8_t *sample_write(struct frame_writer *writer, uint8_t *at, const struct sample *sample)
{
	size_t known = writer->rows.count;
	size_t place = rows_get(&writer->rows, sample->id);
	struct row_head *head = &writer->rows.heads[place];
	int64_t *last = rows_at(&writer->rows, place);

	if (writer->rows.count > known)
		all_absent(last, writer->n_metrics);
	if (head->mark != writer->chunk)
		at = before_write(at, last, writer->n_metrics);
	head->mark = writer->chunk;
	return values_write(at, last, writer->metrics, sample->values, writer->n_metrics);
}

static uint8_t *times_write(struct frame_writer *writer, uint8_t *at, uint64_t time_ns)
{
	uint64_t passed_ns = time_ns > writer->time_ns ? time_ns - writer->time_ns : 0;

	if (passed_ns > 0)
		writer->before_ns = writer->time_ns;
	writer->time_ns += passed_ns;
	return varint_put(at, passed_ns);
}

size_t frame_write(struct frame_writer *writer, struct text *out, uint64_t time_ns, bool gap,
		   const struct sample *samples, size_t count)
{
	size_t room = sample_bytes_most(writer->n_metrics);
	size_t most = frame_samples_most(writer->n_metrics), taken = count < most ? count : most;
	uint8_t *at = times_write(writer, text_room(out, 2 * VARINT_MOST), time_ns);
	uint32_t previous_id = UINT32_MAX;

	text_ends_at(out, varint_put(at, 2 * (uint64_t)taken + gap));
	for (size_t i = 0; i < taken; i++) {
		at = text_room(out, room);
		at = varint_put(at, zigzag((int32_t)(samples[i].id - previous_id - 1)));
		at = sample_write(writer, at, &samples[i]);
		text_ends_at(out, at);
		previous_id = samples[i].id;
	}
	return taken;
}

/* Outwards: the least rate down, the largest up, so that the truth stays in between. */
static uint64_t rate_code(double rate, bool up)
{
	int exponent;
	double fraction;

	if (isnan(rate))
		return RATE_UNKNOWN;
	if (rate <= 0 || (!up && rate < ldexp(1, -RATE_BIAS)))
		return RATE_NONE;
	if (rate < ldexp(1, -RATE_BIAS))
		rate = ldexp(1, -RATE_BIAS);
	fraction = frexp(rate, &exponent) * 512 - 256; /* 0 to 256 of 2^(exponent - 1) */
	fraction = up ? ceil(fraction) : floor(fraction);
	return RATE_FIRST + 256 * (uint64_t)(exponent - 1 + RATE_BIAS) + (uint64_t)fraction;
}

static double rate_restore(uint64_t code)
{
	if (code == RATE_NONE)
		return 0;
	if (code == RATE_UNKNOWN || code > RATE_MOST)
		return NAN;
	code -= RATE_FIRST;
	return ldexp(256 + (double)(code % 256), (int)(code / 256) - RATE_BIAS - 8);
}

void folded_frame(struct text *out, uint64_t passed_ns, bool gap, size_t samples)
{
	text_add_varint(out, passed_ns);
	text_add_varint(out, 2 * (uint64_t)samples + gap);
}

static bool range_is_plain(const struct metric *metric, const struct cell *cell)
{
	if (metric->kind == KIND_COUNTER)
		return cell->rate_low == 0 && cell->rate_high == 0;
	return cell->low == cell->last && cell->high == cell->last;
}

static uint8_t *range_write(uint8_t *at, const struct metric *metric, const struct cell *cell)
{
	uint64_t last = cell->last == ABSENT_QUANTA ? 0 : (uint64_t)cell->last;

	if (metric->kind == KIND_COUNTER) {
		at = varint_put(at, rate_code(cell->rate_low, false));
		return varint_put(at, rate_code(cell->rate_high, true));
	}
	at = varint_put(at, zigzag((int64_t)(last - (uint64_t)cell->low)));
	return varint_put(at, zigzag((int64_t)((uint64_t)cell->high - last)));
}

static void range_read(struct cursor *cursor, const struct metric *metric, struct cell *cell)
{
	uint64_t last = cell->last == ABSENT_QUANTA ? 0 : (uint64_t)cell->last;

	if (metric->kind == KIND_COUNTER) {
		cell->rate_low = rate_restore(cursor_varint(cursor));
		cell->rate_high = rate_restore(cursor_varint(cursor));
		return;
	}
	cell->low = (int64_t)(last - (uint64_t)unzigzag(cursor_varint(cursor)));
	cell->high = (int64_t)(last + (uint64_t)unzigzag(cursor_varint(cursor)));
}

void folded_sample(struct text *out, struct rows *lasts, const struct metric *metrics, size_t count,
		   uint32_t *previous_id, uint32_t id, const struct cell *cells)
{
	uint8_t *at = text_room(out, sample_bytes_most(count));
	size_t known = lasts->count, place = rows_get(lasts, id);
	int64_t *last = rows_at(lasts, place);
	uint8_t *mask;

	if (lasts->count > known)
		all_absent(last, count);
	at = varint_put(at, zigzag((int32_t)(id - *previous_id - 1)));
	*previous_id = id;
	mask = memset(at, 0, mask_bytes(count));
	at += mask_bytes(count);
	for (size_t i = 0; i < count; i++) {
		if (cells[i].last == last[i])
			continue;
		mask[i / 8] |= (uint8_t)(1u << i % 8);
		at = varint_put(at, change_code(last[i], cells[i].last));
		last[i] = cells[i].last;
	}
	mask = memset(at, 0, mask_bytes(count));
	at += mask_bytes(count);
	for (size_t i = 0; i < count; i++) {
		if (range_is_plain(&metrics[i], &cells[i]))
			continue;
		mask[i / 8] |= (uint8_t)(1u << i % 8);
		at = range_write(at, &metrics[i], &cells[i]);
	}
	text_ends_at(out, at);
}

void frame_reader_init(struct frame_reader *reader, const struct metric *metrics, size_t count)
{
	*reader = (struct frame_reader){ .metrics = metrics, .n_metrics = count };
	rows_init(&reader->rows, count * sizeof(int64_t));
	reader->before = mem_new(count * sizeof(*reader->before));
	reader->cells = mem_new(count * sizeof(*reader->cells));
}

void frame_reader_clear(struct frame_reader *reader)
{
	rows_clear(&reader->rows);
	free(reader->before);
	free(reader->cells);
	*reader = (struct frame_reader){ 0 };
}

void frame_reader_start(struct frame_reader *reader, unsigned tier, const void *raw, size_t size)
{
	reader->tier = tier;
	reader->cursor = (struct cursor){ .at = raw, .end = (const uint8_t *)raw + size };
	rows_empty(&reader->rows);
	reader->samples_left = 0;
	reader->time_ns = reader->before_ns = cursor_varint(&reader->cursor);
}

static bool frame_times(struct frame_reader *reader, uint64_t passed_ns)
{
	if (passed_ns > UINT64_MAX - 1 - reader->time_ns)
		return false;
	if (passed_ns > 0)
		reader->before_ns = reader->time_ns;
	reader->time_ns += passed_ns;
	return true;
}

int frame_next(struct frame_reader *reader)
{
	struct cursor *cursor = &reader->cursor;
	uint64_t passed_ns, head;
	int r;

	while (reader->samples_left > 0) {
		r = sample_next(reader);
		if (r < 0)
			return r;
	}
	if (cursor->bad)
		return -EBADMSG;
	if (cursor_left(cursor) == 0)
		return 0;
	passed_ns = cursor_varint(cursor);
	head = cursor_varint(cursor);
	if (cursor->bad || !frame_times(reader, passed_ns) || head / 2 > cursor_left(cursor))
		return -EBADMSG;
	reader->gap = head & 1;
	reader->samples_left = head / 2;
	reader->previous_id = UINT32_MAX;
	return 1;
}

static void values_read(struct cursor *cursor, int64_t *last, size_t count)
{
	const uint8_t *mask = cursor_bytes(cursor, mask_bytes(count));

	for (size_t i = 0; mask && i < count; i++) {
		if (mask[i / 8] == 0)
			i |= 7;
		else if (mask[i / 8] >> i % 8 & 1)
			last[i] = change_apply(last[i], cursor_varint(cursor));
	}
}

static double rate_between(int64_t old, int64_t new, uint64_t passed_ns)
{
	double grown = (double)new - (double)old;

	if (old == ABSENT_QUANTA || new == ABSENT_QUANTA || passed_ns == 0 || grown < 0)
		return NAN;
	return grown * 1e9 / (double)passed_ns;
}

static void rates_read(struct frame_reader *reader)
{
	/* What grew while nobody looked has no rate that anybody knows. */
	uint64_t passed_ns = reader->gap ? 0 : reader->time_ns - reader->before_ns;

	for (size_t i = 0; i < reader->n_metrics; i++) {
		struct cell *cell = &reader->cells[i];

		if (reader->metrics[i].kind != KIND_COUNTER)
			continue;
		cell->rate_low = rate_between(reader->before[i], cell->last, passed_ns);
		cell->rate_high = cell->rate_low;
	}
}

static void ranges_read(struct frame_reader *reader)
{
	const uint8_t *mask = cursor_bytes(&reader->cursor, mask_bytes(reader->n_metrics));

	for (size_t i = 0; mask && i < reader->n_metrics; i++) {
		reader->cells[i].rate_low = reader->cells[i].rate_high = 0;
		if (mask[i / 8] >> i % 8 & 1)
			range_read(&reader->cursor, &reader->metrics[i], &reader->cells[i]);
	}
}

static void id_read(struct frame_reader *reader)
{
	uint64_t code = cursor_varint(&reader->cursor);

	if (code > UINT32_MAX)
		reader->cursor.bad = true;
	reader->id = reader->previous_id + 1 + (uint32_t)unzigzag(code);
	reader->previous_id = reader->id;
}

int sample_next(struct frame_reader *reader)
{
	size_t known = reader->rows.count, count = reader->n_metrics, place;
	struct cursor *cursor = &reader->cursor;
	int64_t *last;

	if (reader->samples_left == 0)
		return 0;
	id_read(reader);
	/* The mask at least must follow: so many rows fit into so many bytes, and no more. */
	if (cursor->bad || cursor_left(cursor) < mask_bytes(count))
		return -EBADMSG;
	place = rows_get(&reader->rows, reader->id);
	last = rows_at(&reader->rows, place);
	if (reader->rows.count > known) {
		all_absent(last, count);
		if (reader->tier == 0)
			values_read(cursor, last, count);
	}
	if (reader->rates && reader->tier == 0)
		memcpy(reader->before, last, count * sizeof(*last));
	values_read(cursor, last, count);
	for (size_t i = 0; i < count; i++)
		reader->cells[i].last = reader->cells[i].low = reader->cells[i].high = last[i];
	if (reader->tier > 0)
		ranges_read(reader);
	else if (reader->rates)
		rates_read(reader);
	reader->samples_left--;
	return cursor->bad ? -EBADMSG : 1;
}

void chunk_seal(const void *raw, size_t size, struct text *ret)
{
	size_t room = ZSTD_compressBound(size);
	/* Level 1: level 9 needs three times as long for 4 % less. */
	size_t used = ZSTD_compress(text_room(ret, room), room, raw, size, 1);

	if (ZSTD_isError(used)) /* with enough room, only memory can be missing */
		mem_fail();
	text_ends_at(ret, (uint8_t *)ret->data + ret->length + used);
}

int chunk_unseal(const void *data, size_t size, struct text *ret)
{
	unsigned long long raw = ZSTD_getFrameContentSize(data, size);
	size_t used;

	/* An unknown size and an error are huge numbers too. */
	if (raw > CHUNK_RAW_MOST)
		return -EBADMSG;
	ret->length = 0;
	used = ZSTD_decompress(text_room(ret, raw), raw, data, size);
	if (ZSTD_isError(used) || used != raw)
		return -EBADMSG;
	ret->length = used;
	ret->data[used] = '\0';
	return 0;
}
