#include "base/human.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"

struct example {
	double number;
	const char *expected;
};

static const struct example durations[] = {
	{ 0, "0 s" },
	{ -0.0, "0 s" },
	{ 1e-12, "<1 ns" },
	{ 4.9e-10, "<1 ns" },
	{ 1e-9, "1 ns" },
	{ 999e-9, "999 ns" },
	{ 999.6e-9, "1 us" },
	{ 1.234e-6, "1.23 us" },
	{ 38e-3, "38 ms" },
	{ 0.0384, "38.4 ms" },
	{ 0.9994, "999 ms" },
	{ 0.99951, "1 s" },
	{ 1, "1 s" },
	{ 1.2, "1.2 s" },
	{ 1.204, "1.2 s" },
	{ 1.206, "1.21 s" },
	{ 59.94, "59.9 s" },
	{ 59.96, "1 min 00 s" },
	{ 60, "1 min 00 s" },
	{ 65, "1 min 05 s" },
	{ 119.6, "2 min 00 s" },
	{ 252, "4 min 12 s" },
	{ 3599.4, "59 min 59 s" },
	{ 3599.6, "1 h 00 min" },
	{ 7500, "2 h 05 min" },
	{ 86369, "23 h 59 min" },
	{ 86371, "1 d 0 h" },
	{ 86400, "1 d 0 h" },
	{ 3 * 86400 + 4 * 3600, "3 d 4 h" },
	{ 3 * 86400 + 23.9 * 3600, "4 d 0 h" },
	{ 1000.0 * 86400, "1,000 d" },
	{ 1e15, "11,574,074,074 d" },
	{ 1e300, "1.16e+295 d" },
	{ -2, "-2 s" },
	{ -252, "-4 min 12 s" },
	{ NAN, "?" },
	{ INFINITY, "?" },
	{ -INFINITY, "?" },
};

static const struct example memories[] = {
	{ 0, "0 B" },
	{ 1, "1 B" },
	{ 1023, "1023 B" },
	{ 1024, "1 KiB" },
	{ 1536, "1.5 KiB" },
	{ 1010.0 * 1048576, "1010 MiB" },
	{ 1023.4 * 1048576, "1023 MiB" },
	{ 1023.6 * 1048576, "1 GiB" },
	{ 5.2 * 1073741824, "5.2 GiB" },
	{ 5.2374 * 1073741824, "5.24 GiB" },
	{ 99.96 * 1073741824, "100 GiB" },
	{ 2.0 * 1099511627776, "2 TiB" },
	{ 18446744073709551616.0, "16 EiB" },
	{ 1e24, "867362 EiB" },
	{ 1e30, "8.67e+11 EiB" },
	{ -1536, "-1.5 KiB" },
	{ NAN, "?" },
};

static const struct example sizes[] = {
	{ 0, "0 B" },
	{ 0.001, "<0.01 B" },
	{ 0.25, "0.25 B" },
	{ 999, "999 B" },
	{ 999.4, "999 B" },
	{ 999.6, "1 kB" },
	{ 1000, "1 kB" },
	{ 12345, "12.3 kB" },
	{ 1.9e9, "1.9 GB" },
	{ 999.4e6, "999 MB" },
	{ 999.9e6, "1 GB" },
	{ 1e18, "1 EB" },
	{ 1e25, "1.00e+07 EB" },
	{ -1e3, "-1 kB" },
};

static const struct example counts[] = {
	{ 0, "0" },
	{ 0.2, "<1" },
	{ 1, "1" },
	{ 999, "999" },
	{ 999.6, "1,000" },
	{ 1000, "1,000" },
	{ 12345, "12,345" },
	{ 123456, "123,456" },
	{ 1234567, "1,234,567" },
	{ -1234, "-1,234" },
	{ 8e15, "8,000,000,000,000,000" },
	{ 1e19, "1e+19" },
};

static const struct example percents[] = {
	{ 0, "0 %" },       { 1e-9, "<0.01 %" }, { 0.0001, "0.01 %" },  { 0.0012, "0.12 %" },
	{ 0.015, "1.5 %" }, { 0.0999, "10 %" },  { 0.71, "71 %" },      { 0.714, "71 %" },
	{ 0.989, "99 %" },  { 0.994, "99.4 %" }, { 0.9996, "99.9 %" },  { 1, "100 %" },
	{ 1.004, "100 %" }, { 1.6, "160 %" },    { 123.4, "12,340 %" }, { -0.5, "-50 %" },
};

static const struct example numbers[] = {
	{ 0, "0" },      { 0.0001, "<0.001" }, { 0.034, "0.034" }, { 1.13, "1.1" },  { 1.97, "2" },
	{ 15.99, "16" }, { 128, "128" },       { -1.13, "-1.1" },  { 2e9, "2e+09" },
};

static void check(const struct example *rows, size_t count,
		  const char *(*human)(double, char[HUMAN_BYTES]))
{
	char text[HUMAN_BYTES];

	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(human(rows[i].number, text), text);
		assert_string_equal(text, rows[i].expected);
	}
}

static const char *rate(double number, char ret[HUMAN_BYTES])
{
	return human_si(number, "B/s", ret);
}

static const char *two_digits(double number, char ret[HUMAN_BYTES])
{
	return human_number(number, 2, ret);
}

static void test_examples(void **state)
{
	static const struct example rates[] = { { 120e6, "120 MB/s" }, { 0.5, "0.5 B/s" } };

	(void)state;
	check(durations, COUNT(durations), human_duration);
	check(memories, COUNT(memories), human_memory);
	check(sizes, COUNT(sizes), human_bytes);
	check(counts, COUNT(counts), human_count);
	check(percents, COUNT(percents), human_percent);
	check(numbers, COUNT(numbers), two_digits);
	check(rates, COUNT(rates), rate);
}

/* Whatever the size, what is not zero does not read as zero, and the text fits. */
static void test_never_zero(void **state)
{
	static const char *(*const all[])(double, char[HUMAN_BYTES]) = {
		human_duration, human_memory, human_bytes, human_count, human_percent, two_digits
	};
	char text[HUMAN_BYTES];

	(void)state;
	for (int power = -300; power < 300; power++) {
		double number = 3.7 * pow(10, power);

		for (size_t i = 0; i < COUNT(all); i++) {
			all[i](number, text);
			assert_true(text[0] != '0' || text[1] == '.');
			assert_true(text[0] != '\0');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_never_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
