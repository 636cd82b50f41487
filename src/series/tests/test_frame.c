/* Ticks to bytes and back, folded or not. */
#include "series/frame.h"

#include "base/mem.h"
#include "series/fold.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N 11

static const struct metric metrics[N] = {
	{ .name = "cpu_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
	{ .name = "memory_bytes", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
	{ .name = "c", .unit = UNIT_COUNT, .kind = KIND_COUNTER },
	{ .name = "d", .unit = UNIT_COUNT, .kind = KIND_GAUGE },
	{ .name = "e", .unit = UNIT_RATIO, .kind = KIND_GAUGE },
	{ .name = "f", .unit = UNIT_COUNT, .kind = KIND_GAUGE },
	{ .name = "g", .unit = UNIT_COUNT, .kind = KIND_GAUGE },
	{ .name = "h", .unit = UNIT_COUNT, .kind = KIND_GAUGE },
	{ .name = "i", .unit = UNIT_BYTES, .kind = KIND_COUNTER },
	{ .name = "j", .unit = UNIT_HERTZ, .kind = KIND_GAUGE },
	{ .name = "k", .unit = UNIT_JOULES, .kind = KIND_COUNTER },
};

static uint64_t state_of_random = 1;

static uint64_t random_u64(void)
{
	state_of_random ^= state_of_random << 13;
	state_of_random ^= state_of_random >> 7;
	state_of_random ^= state_of_random << 17;
	return state_of_random;
}

static struct value random_value(void)
{
	static const double extremes[] = {
		0, 9.199e18, -9.199e18, 1, -1, 1e300, 4503599627370496.0
	};

	switch (random_u64() % 6) {
	case 0:
		return value_absent();
	case 1:
		return value_read(extremes[random_u64() % COUNT(extremes)]);
	case 2:
		return value_read(0);
	}
	return value_read((double)(random_u64() >> (random_u64() % 60 + 4)));
}

struct kept { /* what went in */
	uint64_t time_ns;
	bool gap;
	size_t n_samples;
	struct sample samples[40];
	struct value values[40][N];
};

static void random_tick(struct kept *tick, uint64_t time_ns)
{
	tick->time_ns = time_ns;
	tick->gap = random_u64() % 10 == 0;
	tick->n_samples = random_u64() % COUNT(tick->samples);
	for (size_t i = 0; i < tick->n_samples; i++) {
		uint32_t spread = random_u64() % 8 == 0 ? UINT32_MAX : 100000;

		tick->samples[i].id = i * 2500 + (uint32_t)(random_u64() % (i % 3 ? 2500 : spread));
		tick->samples[i].values = tick->values[i];
		for (size_t m = 0; m < N; m++)
			tick->values[i][m] = random_value();
	}
}

/* Reads the next frame, which must be this one. */
static void expect_tick(struct frame_reader *reader, const struct kept *tick)
{
	assert_int_equal(frame_next(reader), 1);
	assert_true(reader->time_ns == tick->time_ns);
	assert_int_equal(reader->gap, tick->gap);
	for (size_t i = 0; i < tick->n_samples; i++) {
		assert_int_equal(sample_next(reader), 1);
		assert_int_equal(reader->id, tick->samples[i].id);
		for (size_t m = 0; m < N; m++)
			assert_true(reader->cells[m].last ==
				    metric_quantise(&metrics[m], tick->values[i][m]));
	}
	assert_int_equal(sample_next(reader), 0);
}

static void any_ticks(void **state)
{
	static struct kept ticks[300];
	struct frame_writer writer;
	struct frame_reader reader;
	uint64_t time_ns = 0;
	struct text out = { 0 };
	size_t chunk_starts[10];

	(void)state;
	frame_writer_init(&writer, metrics, N);
	frame_reader_init(&reader, metrics, N);
	for (size_t i = 0; i < COUNT(ticks); i++) {
		time_ns += random_u64() % 3 == 0 ? random_u64() >> 20
						 : 1 + random_u64() % 100000000;
		random_tick(&ticks[i], time_ns);
		if (i % 30 == 0) {
			chunk_starts[i / 30] = out.length;
			frame_start(&writer, &out, time_ns);
		}
		assert_int_equal(frame_write(&writer, &out, time_ns, ticks[i].gap, ticks[i].samples,
					     ticks[i].n_samples),
				 ticks[i].n_samples);
	}
	for (size_t c = COUNT(chunk_starts); c-- > 0;) { /* each stands alone */
		size_t end = c + 1 < COUNT(chunk_starts) ? chunk_starts[c + 1] : out.length;

		frame_reader_start(&reader, 0, out.data + chunk_starts[c], end - chunk_starts[c]);
		for (size_t i = c * 30; i < c * 30 + 30; i++)
			expect_tick(&reader, &ticks[i]);
		assert_int_equal(frame_next(&reader), 0);
	}
	frame_writer_clear(&writer);
	frame_reader_clear(&reader);
	text_clear(&out);
}

/* The example of frame.c and docs/recording.md. */
static void the_example(void **state)
{
	static const uint8_t bytes[] = { 0x00, 0x80, 0xc2, 0xd7, 0x2f, 0x02, 0x02,
					 0x00, 0x03, 0xc0, 0x84, 0x3d, 0x80, 0x40 };
	struct value values[2] = { value_read(0.0005), value_read(4096) };
	struct sample sample = { .id = 1, .values = values };
	struct frame_writer writer;
	struct text out = { 0 };

	(void)state;
	frame_writer_init(&writer, metrics, 2);
	frame_start(&writer, &out, 100000000);
	frame_write(&writer, &out, 100000000, false, &sample, 1);
	assert_int_equal(out.length, sizeof(bytes));
	assert_memory_equal(out.data, bytes, sizeof(bytes));
	frame_writer_clear(&writer);
	text_clear(&out);
}

/* What grew at a chunk's first frame is known from the chunk alone. */
static void rates_over_chunks(void **state)
{
	struct value values[N] = { value_read(1) };
	struct sample sample = { .id = 7, .values = values };
	struct frame_writer writer;
	struct frame_reader reader;
	struct text out = { 0 };

	(void)state;
	frame_writer_init(&writer, metrics, N);
	frame_reader_init(&reader, metrics, N);
	frame_start(&writer, &out, 1);
	frame_write(&writer, &out, 1000000000, false, &sample, 1);
	out.length = 0;
	values[0] = value_read(1.5);
	frame_start(&writer, &out, 1250000000);
	frame_write(&writer, &out, 1250000000, false, &sample, 1);
	reader.rates = true;
	frame_reader_start(&reader, 0, out.data, out.length);
	assert_int_equal(frame_next(&reader), 1);
	assert_int_equal(sample_next(&reader), 1);
	assert_true(reader.cells[0].rate_low == 2e9 && reader.cells[0].rate_high == 2e9);
	assert_true(isnan(reader.cells[2].rate_low));
	frame_writer_clear(&writer);
	frame_reader_clear(&reader);
	text_clear(&out);
}

static void too_many_samples(void **state)
{
	size_t most = frame_samples_most(N), count = 2 * most + 5, done = 0, seen = 0;
	CLEANUP(freep) struct sample *samples = mem_new(count * sizeof(*samples));
	struct value values[N] = { value_read(3) };
	struct frame_writer writer;
	struct frame_reader reader;
	struct text out = { 0 };

	(void)state;
	frame_writer_init(&writer, metrics, N);
	frame_reader_init(&reader, metrics, N);
	for (size_t i = 0; i < count; i++)
		samples[i] = (struct sample){ .id = (uint32_t)i + 1, .values = values };
	frame_start(&writer, &out, 5);
	while (done < count)
		done += frame_write(&writer, &out, 5, false, samples + done, count - done);
	frame_reader_start(&reader, 0, out.data, out.length);
	while (frame_next(&reader) > 0) {
		assert_true(reader.time_ns == 5 && reader.before_ns == 0);
		while (sample_next(&reader) > 0)
			assert_int_equal(reader.id, ++seen);
	}
	assert_int_equal(seen, count);
	frame_writer_clear(&writer);
	frame_reader_clear(&reader);
	text_clear(&out);
}

/* Whatever byte is wrong or missing, reading ends, and within the bytes. */
static void any_damage(void **state)
{
	struct frame_writer writer;
	struct frame_reader reader;
	struct text out = { 0 };
	struct kept tick;

	(void)state;
	frame_writer_init(&writer, metrics, N);
	frame_reader_init(&reader, metrics, N);
	frame_start(&writer, &out, 1);
	for (uint64_t i = 1; i < 6; i++) {
		random_tick(&tick, i);
		frame_write(&writer, &out, i, false, tick.samples, tick.n_samples);
	}
	for (size_t i = 0; i < out.length; i++) {
		size_t size = i % 2 ? i : out.length;
		CLEANUP(freep) char *copy = mem_new(size);

		memcpy(copy, out.data, size);
		if (size > i)
			copy[i] ^= (char)(1 + random_u64() % 255);
		for (unsigned tier = 0; tier < 2; tier++) {
			frame_reader_start(&reader, tier, copy, size);
			while (frame_next(&reader) > 0)
				;
		}
	}
	frame_writer_clear(&writer);
	frame_reader_clear(&reader);
	text_clear(&out);
}

/* Folding. */

static struct text folded;

static int collect(void *arg, const struct raw *raw)
{
	(void)arg;
	folded.length = 0;
	text_add_bytes(&folded, raw->bytes.data, raw->bytes.length);
	return 0;
}

/* One process, ten ticks a second for 25 s: memory rises to a spike in the middle, CPU is used at
 * one core except for a quarter of a second at four. A gap at 20 s. */
static void make_spikes(struct text *out)
{
	struct frame_writer writer;
	double cpu = 0;

	frame_writer_init(&writer, metrics, N);
	frame_start(&writer, out, 0);
	for (uint64_t i = 0; i <= 250; i++) {
		uint64_t time_ns = i * 100000000 + (i >= 200 ? 60000000000 : 0);
		struct value values[N] = { 0 };
		struct sample sample = { .id = 3, .values = values };

		cpu += i == 0 || i == 120 ? 0 : i == 57 ? 0.4 : 0.1;
		values[0] = value_read(cpu);
		values[1] = value_read(i == 55 ? 1e9 : i == 56 ? 5 : 1000.0 + (double)i);
		values[3] = i < 50 ? value_read(7) : value_absent();
		frame_write(&writer, out, time_ns, i == 200, &sample, i == 120 ? 0 : 1);
	}
	frame_writer_clear(&writer);
}

struct expected_point {
	double time_s, memory, memory_low, memory_high, rate_low, rate_high;
	bool gap;
};

static void expect_points(unsigned tier, const struct expected_point *points, size_t count)
{
	struct frame_reader reader;

	frame_reader_init(&reader, metrics, N);
	frame_reader_start(&reader, tier, folded.data, folded.length);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(frame_next(&reader), 1);
		assert_int_equal(sample_next(&reader), 1);
		assert_int_equal(reader.id, 3);
		assert_float_equal((double)reader.time_ns / 1e9, points[i].time_s, 1e-9);
		assert_int_equal(reader.gap, points[i].gap);
		assert_float_equal((double)reader.cells[1].last, points[i].memory, 0);
		assert_float_equal((double)reader.cells[1].low, points[i].memory_low, 0);
		assert_float_equal((double)reader.cells[1].high, points[i].memory_high, 0);
		assert_int_equal(isnan(reader.cells[0].rate_low), isnan(points[i].rate_low));
		if (isnan(points[i].rate_low))
			continue;
		/* Rounded outwards, by at most 1 in 256. */
		assert_true(reader.cells[0].rate_low <= points[i].rate_low * 1.000001);
		assert_true(reader.cells[0].rate_low >= points[i].rate_low * 255 / 256);
		assert_true(reader.cells[0].rate_high >= points[i].rate_high * 0.999999);
		assert_true(reader.cells[0].rate_high <= points[i].rate_high * 257 / 256);
	}
	assert_int_equal(frame_next(&reader), 0);
	frame_reader_clear(&reader);
}

static void spikes_stay(void **state)
{
	static const struct expected_point ten[] = {
		{ 10, 1100, 5, 1e9, 1e9, 4e9, false },
		{ 19.9, 1199, 1101, 1199, 0, 1e9, false }, /* at 12 s it did not move */
		{ 80, 1200, 1200, 1200, NAN, NAN, true },
		{ 85, 1250, 1201, 1250, 1e9, 1e9, false },
	};
	static const struct expected_point minute[] = {
		{ 19.9, 1199, 5, 1e9, 0, 4e9, false },
		{ 85, 1250, 1200, 1250, 1e9, 1e9, true },
	};
	struct text raw = { 0 }, first = { 0 };
	struct fold *fold;

	(void)state;
	make_spikes(&raw);
	fold = fold_new(metrics, N, 1, collect, NULL);
	assert_int_equal(fold_add(fold, 0, raw.data, raw.length), 0);
	assert_int_equal(fold_finish(fold), 0);
	fold_free(fold);
	expect_points(1, ten, COUNT(ten));
	text_add_bytes(&first, folded.data, folded.length);
	fold = fold_new(metrics, N, 2, collect, NULL);
	assert_int_equal(fold_add(fold, 1, first.data, first.length), 0);
	assert_int_equal(fold_finish(fold), 0);
	fold_free(fold);
	expect_points(2, minute, COUNT(minute));
	text_clear(&raw);
	text_clear(&first);
	text_clear(&folded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_ticks),         cmocka_unit_test(the_example),
		cmocka_unit_test(rates_over_chunks), cmocka_unit_test(too_many_samples),
		cmocka_unit_test(any_damage),        cmocka_unit_test(spikes_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
