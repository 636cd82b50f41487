/* Plots must be right: every column holds the least and the largest of its time, a peak of one look
 * among a million stays, a gap is blank and marked. Dots are counted in what is printed. */
#include "report/plot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "report/tests/example.h"
#include "report/words.h"

#define MANY 1000000

static const struct metric gauge = { .name = "cores", .unit = UNIT_RATIO, .kind = KIND_GAUGE };
static const struct metric memory = { .name = "memory_bytes",
				      .unit = UNIT_BYTES,
				      .kind = KIND_GAUGE };
static const struct metric counter = { .name = "io_read_bytes",
				       .unit = UNIT_BYTES,
				       .kind = KIND_COUNTER };

/* A point each tenth of a second, from 0.1 s on. */
static struct line line_of(const struct metric *metric, const double *numbers, size_t count)
{
	struct line line = { .metric = metric,
			     .points = mem_new((count + 1) * sizeof(*line.points)),
			     .n_points = count };

	for (size_t i = 0; i < count; i++)
		line.points[i] = (struct point){ .time_ns = (i + 1) * 100000000u,
						 .number = numbers[i],
						 .low = NAN,
						 .high = NAN };
	return line;
}

static void line_clear(struct line *line)
{
	free(line->points);
}

static char *drawn(const struct line *line, double limit, int rows, const struct look *look)
{
	const struct plot plot = {
		.line = line, .end_s = plot_end_s(line), .limit = limit, .rows = rows
	};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	plot_print(&plot, look, out);
	fclose(out);
	return text;
}

/* The n-th character of a line as a code point; 0 behind its end. */
static unsigned at(const char *line, size_t n)
{
	const unsigned char *byte = (const unsigned char *)line;
	unsigned code = 0;

	for (; *byte && *byte != '\n'; byte++) {
		if ((*byte & 0xc0) == 0x80)
			code = code << 6 | (*byte & 0x3f);
		else if (n-- == (size_t)-1)
			break;
		else
			code = *byte < 0x80 ? *byte : *byte & 0x0f;
		if (n == (size_t)-1 && ((byte[1] & 0xc0) != 0x80))
			return code;
	}
	return 0;
}

static const char *row(const char *text, size_t n)
{
	while (n-- > 0)
		text = strchr(text, '\n') + 1;
	return text;
}

/* Where the drawing begins: behind the value axis. */
static size_t left_edge(const char *text)
{
	for (size_t i = 0;; i++) {
		unsigned code = at(text, i);

		assert_true(code != 0);
		if (code == 0x2524 || code == 0x2502 || code == '|')
			return i + 1;
	}
}

/* The dots of a column of dots, as bits from below. */
static uint64_t column_dots(const char *text, size_t rows, size_t x)
{
	static const unsigned char bits[2][4] = { { 0x40, 0x04, 0x02, 0x01 },
						  { 0x80, 0x20, 0x10, 0x08 } };
	size_t edge = left_edge(text);
	uint64_t dots = 0;

	for (size_t i = 0; i < rows; i++) {
		unsigned code = at(row(text, i), edge + x / 2);

		for (size_t j = 0; j < 4 && code >= 0x2800 && code <= 0x28ff; j++) {
			if (code & bits[x % 2][j])
				dots |= (uint64_t)1 << ((rows - 1 - i) * 4 + j);
		}
	}
	return dots;
}

/* All dots from the one of `low` to the one of `high`, of a scale from 0 to `top`. */
static uint64_t dots_between(double low, double high, double top, size_t rows)
{
	uint64_t dots = 0;

	for (long y = lround(low / top * (double)(rows * 4 - 1));
	     y <= lround(high / top * (double)(rows * 4 - 1)); y++)
		dots |= (uint64_t)1 << y;
	return dots;
}

/* What a plot of 80 columns draws is what its columns hold. */
static void check_drawing(const struct line *line, double top, size_t rows)
{
	static const struct look look = { .columns = 80, .unicode = true };
	CLEANUP(freep) char *text = drawn(line, NAN, (int)rows, &look);
	size_t count = 2 * (80 - left_edge(text) - 1);
	CLEANUP(freep) struct span *spans = mem_new(count * sizeof(*spans));

	plot_spans(line, plot_end_s(line), spans, count);
	for (size_t x = 0; x < count; x++) {
		uint64_t expected = spans[x].seen
					? dots_between(spans[x].low, spans[x].high, top, rows)
					: 0;

		assert_int_equal(column_dots(text, rows, x), expected);
	}
}

static void test_spike_among_many(void **state)
{
	static const size_t places[] = { 0, 1, 499999, 777777, MANY - 1 };
	CLEANUP(freep) double *numbers = mem_new(MANY * sizeof(*numbers));

	(void)state;
	for (size_t i = 0; i < COUNT(places); i++) {
		struct span spans[140];
		size_t with_peak = 0;
		struct line line;

		for (size_t j = 0; j < MANY; j++)
			numbers[j] = 1;
		numbers[places[i]] = 8;
		line = line_of(&gauge, numbers, MANY);
		plot_spans(&line, plot_end_s(&line), spans, COUNT(spans));
		for (size_t j = 0; j < COUNT(spans); j++) {
			assert_true(spans[j].seen && !spans[j].gap);
			assert_true(spans[j].low == 1);
			with_peak += spans[j].high == 8;
		}
		/* One column, or two where the look's time lies in both. */
		assert_true(with_peak == 1 || with_peak == 2);
		check_drawing(&line, 8, 12);
		line_clear(&line);
	}
}

/* A dip of one look is as visible as a peak. */
static void test_dip(void **state)
{
	double numbers[5000];
	struct span spans[100];
	size_t with_dip = 0;
	struct line line;

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++)
		numbers[i] = 16;
	numbers[1234] = 0;
	line = line_of(&gauge, numbers, COUNT(numbers));
	plot_spans(&line, plot_end_s(&line), spans, COUNT(spans));
	for (size_t i = 0; i < COUNT(spans); i++)
		with_dip += spans[i].low == 0;
	assert_true(with_dip == 1 || with_dip == 2);
	check_drawing(&line, 16, 12);
	check_drawing(&line, 20, 8);
	line_clear(&line);
}

static void test_shapes(void **state)
{
	static const struct {
		const struct metric *metric;
		double numbers[6];
		size_t count;
		double top, low_top; /* of a high plot with four steps, of a low one with two */
	} cases[] = {
		{ &gauge, { 3, 3, 3, 3, 3, 3 }, 6, 3, 4 },
		{ &gauge, { 0, 0, 0, 0, 0, 0 }, 6, 1, 1 },
		{ &gauge, { 5 }, 1, 6, 5 },
		{ &gauge, { 1, 0.5 }, 2, 1, 1 },
		{ &gauge, { 0, 1, 2, 3, 4, 16 }, 6, 16, 20 },
		{ &gauge, { 1e18, 0, 2e18 }, 3, 2e18, 2e18 },
		{ &gauge, { 1e-6, 2e-6 }, 2, 2e-6, 2e-6 },
		{ &memory,
		  { 100 * 1048576.0, 246 * 1048576.0 },
		  2,
		  256 * 1048576.0,
		  256 * 1048576.0 },
		{ &counter, { 1e6, 2e6, 12e6 }, 3, 1e8, 1e8 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct line line = line_of(cases[i].metric, cases[i].numbers, cases[i].count);

		check_drawing(&line, cases[i].low_top, 4);
		check_drawing(&line, cases[i].top, 12);
		line_clear(&line);
	}
}

/* A counter's columns hold its rate: 10 MB/s, 10, then 100. */
static void test_rates(void **state)
{
	static const double numbers[] = { 1e6, 2e6, 12e6 };
	struct line line = line_of(&counter, numbers, COUNT(numbers));
	struct span spans[3];

	(void)state;
	plot_spans(&line, plot_end_s(&line), spans, COUNT(spans));
	for (size_t i = 0; i < COUNT(spans); i++) {
		assert_true(fabs(spans[i].low - (i < 2 ? 1e7 : 1e8)) < 1);
		assert_true(fabs(spans[i].high - (i < 2 ? 1e7 : 1e8)) < 1);
	}
	line_clear(&line);
}

/* What went back is no counter any more: nothing is made up. */
static void test_counter_that_falls(void **state)
{
	static const double numbers[] = { 1e6, 5e5, 6e5 };
	struct line line = line_of(&counter, numbers, COUNT(numbers));
	struct span spans[3];

	(void)state;
	plot_spans(&line, plot_end_s(&line), spans, COUNT(spans));
	assert_true(spans[0].seen && !spans[0].gap);
	assert_true(!spans[1].seen && spans[1].gap);
	assert_true(spans[2].seen && !spans[2].gap);
	line_clear(&line);
}

/* Points into which older ones were folded keep their least and largest. */
static void test_folded(void **state)
{
	static const double numbers[] = { 2, 2, 2, 2 }, bytes[] = { 1e6, 2e6, 3e6, 4e6 };
	struct line line = line_of(&gauge, numbers, 4), rate = line_of(&counter, bytes, 4);
	struct span spans[4];

	(void)state;
	line.points[2].low = 1;
	line.points[2].high = 7;
	plot_spans(&line, plot_end_s(&line), spans, COUNT(spans));
	assert_true(spans[1].low == 2 && spans[1].high == 2);
	assert_true(spans[2].low == 1 && spans[2].high == 7);
	check_drawing(&line, 8, 12);
	rate.points[1].low = 0;
	rate.points[1].high = 9e9;
	plot_spans(&rate, plot_end_s(&rate), spans, COUNT(spans));
	assert_true(spans[1].low == 0 && spans[1].high == 9e9);
	assert_true(fabs(spans[2].high - (1e7)) < 1);
	line_clear(&line);
	line_clear(&rate);
}

static void test_gaps(void **state)
{
	/* The look at 0.4 s was the last before a gap; the next one came at 0.9 s. */
	struct point points[] = {
		{ 100000000, 1, NAN, NAN },   { 200000000, 1, NAN, NAN },
		{ 300000000, 1, NAN, NAN },   { 400000000, 1, NAN, NAN },
		{ 400000000, NAN, NAN, NAN }, { 900000000, 1, NAN, NAN },
		{ 1000000000, 1, NAN, NAN },
	};
	struct line line = { .metric = &gauge, .points = points, .n_points = COUNT(points) };
	struct span spans[10];

	(void)state;
	plot_spans(&line, 1, spans, COUNT(spans));
	for (size_t i = 0; i < COUNT(spans); i++) {
		assert_int_equal(spans[i].gap, i >= 4 && i <= 8);
		assert_int_equal(spans[i].seen, i < 4 || i >= 8);
	}
	check_drawing(&line, 1, 4);
}

/* A gap that is shorter than a column takes nothing away, and is marked all the same. */
static void test_short_gap(void **state)
{
	CLEANUP(freep) double *numbers = mem_new(10000 * sizeof(*numbers));
	struct span spans[50];
	struct line line;
	size_t gaps = 0;

	(void)state;
	for (size_t i = 0; i < 10000; i++)
		numbers[i] = i == 5000 ? NAN : 1;
	line = line_of(&gauge, numbers, 10000);
	plot_spans(&line, plot_end_s(&line), spans, COUNT(spans));
	for (size_t i = 0; i < COUNT(spans); i++) {
		assert_true(spans[i].seen);
		gaps += spans[i].gap;
	}
	assert_int_equal(gaps, 1);
	line_clear(&line);
}

/* It began late, or ended early: nobody knows what was before and after. */
static void test_late_and_early(void **state)
{
	struct point points[] = { { 5000000000, 1, NAN, NAN }, { 5100000000, 1, NAN, NAN } };
	struct line line = { .metric = &gauge, .points = points, .n_points = 2 };
	struct span spans[10];

	(void)state;
	plot_spans(&line, 10, spans, COUNT(spans));
	for (size_t i = 0; i < COUNT(spans); i++) {
		assert_int_equal(spans[i].seen, i == 4 || i == 5);
		assert_int_equal(spans[i].gap, 1);
	}
}

static void test_pictures(void **state)
{
	static const double ramp[] = { 0, 1, 2, 3, 4, NAN, 2, 2, 2, 2 };
	static const double below[] = { -1, 1 };
	static const struct {
		const double *numbers;
		size_t count;
		const char *expected;
	} cases[] = {
		{ ramp, COUNT(ramp),
		  "4 |              :'''\n"
		  "  |          :''''\n"
		  "2 |       :'''              '''''''''''\n"
		  "  |   ....:\n"
		  "0 |...:\n"
		  "  ++------+------+---xxxxxxxx--+-------\n"
		  "   0      0.2 s  0.4 s  0.6 s  0.8 s\n" },
		{ below, COUNT(below),
		  " 1 |                 :'''''''''''''''''\n"
		  "   |                 :\n"
		  " 0 |                 :\n"
		  "   |                 :\n"
		  "-1 |.................:\n"
		  "   ++-------+--------+--------+--------\n"
		  "    0       0.05 s   0.10 s   0.15 s\n" },
	};
	const struct look look = { .columns = 40 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct line line = line_of(&gauge, cases[i].numbers, cases[i].count);
		CLEANUP(freep) char *text = drawn(&line, NAN, 5, &look);

		assert_string_equal(text, cases[i].expected);
		line_clear(&line);
	}
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	while ((text = strstr(text, word)) != NULL) {
		text += strlen(word);
		count++;
	}
	return count;
}

/* A limit is drawn where it is near, and never squashes the values. */
static void test_limit(void **state)
{
	static const double numbers[] = { 4 * GIB, 5 * GIB };
	struct line line = line_of(&memory, numbers, COUNT(numbers));
	const struct look look = { .columns = 80 }, unicode = { .columns = 80, .unicode = true };
	CLEANUP(freep) char *near = drawn(&line, 6 * GIB, 12, &look);
	CLEANUP(freep) char *dots = drawn(&line, 6 * GIB, 12, &unicode);
	CLEANUP(freep) char *far = drawn(&line, 100 * GIB, 12, &look);

	(void)state;
	assert_non_null(strstr(near, "6 GiB |---"));
	assert_non_null(strstr(dots, "6 GiB ┤⠁⠁⠁"));
	assert_null(strstr(far, "|---"));
	assert_null(strstr(far, "100 GiB"));
	line_clear(&line);
}

static void check_width(const char *text, const struct look *look)
{
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		CLEANUP(text_clear) struct text one = { 0 };

		text_add_bytes(&one, line, strcspn(line, "\n"));
		assert_true(words_columns(one.data) <= (size_t)look->columns);
	}
}

/* Whatever there is, no line is wider than the terminal, and every tick has its place. */
static void test_widths(void **state)
{
	static const double times_s[] = { 1e-9, 0.004, 0.5,  1,     7.3,     59.9,     60,
					  119,  3599,  3601, 86400, 1000000, 31557600, 1.8e10 };
	static const int widths[] = { 40, 80, 200, 1000 };

	(void)state;
	for (size_t i = 0; i < COUNT(times_s); i++) {
		for (size_t j = 0; j < 2 * COUNT(widths); j++) {
			struct point points[] = { { 0, 1e12, NAN, NAN },
						  { (uint64_t)(times_s[i] * 1e9), 3e12, NAN,
						    NAN } };
			struct line line = { .metric = &memory, .points = points, .n_points = 2 };
			const struct look look = { .columns = widths[j / 2], .unicode = j % 2 };
			CLEANUP(freep) char *text = drawn(&line, NAN, 6, &look);

			assert_int_equal(count_of(text, "\n"), 8);
			check_width(text, &look);
			assert_true(times_s[i] < 1e-3 || count_of(row(text, 7), " s") +
								 count_of(row(text, 7), " m") +
								 count_of(row(text, 7), " h") +
								 count_of(row(text, 7), " d") >
							     0);
		}
	}
}

/* Names of phases stand where they begin; what has no room is cut or left out. */
static void test_marks(void **state)
{
	static const struct mark marks[] = {
		{ 0, MARK_NEXT, "load" },
		{ 20000000000, MARK_NEXT, "a long name of a phase" },
		{ 40000000000, MARK_BEGIN, "no room" },
		{ 41000000000, MARK_BEGIN, "in\033it" },
		{ 60000000000, MARK_END, "in" },
		{ 80000000000, MARK_NEXT, "write" },
	};
	struct point points[] = { { 50000000000, 1, NAN, NAN }, { 100000000000, 1, NAN, NAN } };
	struct line line = { .metric = &gauge, .points = points, .n_points = 2 };
	const struct look look = { .columns = 54 };
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct plot plot = {
		.line = &line, .end_s = 100, .limit = NAN, .rows = 3, .facts = &facts
	};
	CLEANUP(freep) char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	for (size_t i = 0; i < COUNT(marks); i++)
		facts_add_mark(&facts, &marks[i]);
	plot_print(&plot, &look, out);
	fclose(out);
	assert_int_equal(count_of(text, "\n"), 6);
	assert_string_equal(row(text, 5), "     ^load    ^a lon... ^in\\x1bit          ^write\n");
	check_width(text, &look);
}

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Times in any order and numbers of any size, as a damaged recording may have them. */
static struct line made_up(uint64_t *seed)
{
	static const double odd[] = {
		NAN, INFINITY, -INFINITY, 0, -1, 1e300, 1e308, -1e299, 5e-324
	};
	static const struct metric *const metrics[] = { &gauge, &memory, &counter };
	double numbers[20];
	struct line line;

	for (size_t i = 0; i < COUNT(numbers); i++)
		numbers[i] = random_next(seed) % 3 ? (double)(random_next(seed) % 1000)
						   : odd[random_next(seed) % COUNT(odd)];
	line = line_of(metrics[random_next(seed) % 3], numbers,
		       random_next(seed) % (COUNT(numbers) + 1));
	for (size_t i = 0; i < line.n_points; i++) {
		if (random_next(seed) % 4 == 0)
			line.points[i].time_ns = random_next(seed) >> random_next(seed) % 64;
		if (random_next(seed) % 4 == 0)
			line.points[i].low = odd[random_next(seed) % COUNT(odd)];
		if (random_next(seed) % 4 == 0)
			line.points[i].high = odd[random_next(seed) % COUNT(odd)];
	}
	return line;
}

static void test_anything(void **state)
{
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const struct look look = { .columns = 40 + i % 100, .unicode = i % 2 };
		struct line line = made_up(&seed);
		CLEANUP(freep) char *text = drawn(&line, i % 3 ? 500 : NAN, 1 + i % 14, &look);

		check_width(text, &look);
		assert_true(!*text || count_of(text, "\n") == (size_t)(1 + i % 14 + 2));
		line_clear(&line);
	}
}

static void test_nothing(void **state)
{
	static const double none[] = { NAN, NAN }, endless[] = { INFINITY, -INFINITY, 1e308 };
	const struct look look = { .columns = 80, .unicode = true };
	struct line lines[] = { { .metric = &gauge },
				line_of(&gauge, none, 2),
				line_of(&gauge, endless, 3) };

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		CLEANUP(freep) char *text = drawn(&lines[i], 5, 6, &look);

		assert_string_equal(text, "");
		line_clear(&lines[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spike_among_many),
		cmocka_unit_test(test_dip),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_counter_that_falls),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_short_gap),
		cmocka_unit_test(test_late_and_early),
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_anything),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
