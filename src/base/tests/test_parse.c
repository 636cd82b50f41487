#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/parse.h"

#include <errno.h>

#define S 1000000000ull

static const struct {
	const char *text;
	int r;
	uint64_t number;
} whole[] = {
	{ "0", 0, 0 },
	{ "007\n", 0, 7 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "99999999999999999999999999", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "\n", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },
	{ "1\n\n", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "1e3", -EINVAL, 0 },
	{ "max", -EINVAL, 0 },
}, durations[] = {
	{ "0", 0, 0 },
	{ "90", 0, 90 * S },
	{ "1.5", 0, 3 * S / 2 },
	{ "100ms", 0, S / 10 },
	{ "250us", 0, 250000 },
	{ "7ns", 0, 7 },
	{ "2m", 0, 120 * S },
	{ "2min", 0, 120 * S },
	{ "1.5h", 0, 5400 * S },
	{ "1d", 0, 86400 * S },
	{ "8w", 0, 56 * 86400 * S },
	{ "99999999w", -ERANGE, 0 },
	{ "2 s", 0, 2 * S },
	{ "02:03", 0, 123 * S },
	{ "02:03:04", 0, 7384 * S },
	{ "36:00:00", 0, 129600 * S },
	{ "90:00", 0, 5400 * S },
	{ "1-02:03:04", 0, 93784 * S },
	{ "0-00:00:00", 0, 0 },
	{ "", -EINVAL, 0 },
	{ ".", -EINVAL, 0 },
	{ "s", -EINVAL, 0 },
	{ "5x", -EINVAL, 0 },
	{ "5 minutes", -EINVAL, 0 },
	{ "1.2.3s", -EINVAL, 0 },
	{ "-1s", -EINVAL, 0 },
	{ "1e3s", -EINVAL, 0 },
	{ "0x10s", -EINVAL, 0 },
	{ "inf", -EINVAL, 0 },
	{ "nan", -EINVAL, 0 },
	{ "1:75", -EINVAL, 0 },
	{ "1:00:60", -EINVAL, 0 },
	{ "1-24:00:00", -EINVAL, 0 },
	{ "1-02:03", -EINVAL, 0 },
	{ "1:2-3:4", -EINVAL, 0 },
	{ "-1:02:03", -EINVAL, 0 },
	{ "1-1-1:1", -EINVAL, 0 },
	{ "1:2:3:4", -EINVAL, 0 },
	{ ":", -EINVAL, 0 },
	{ "1:", -EINVAL, 0 },
	{ ":1", -EINVAL, 0 },
	{ "1: 2", -EINVAL, 0 },
	{ "9999999-00:00:00", -ERANGE, 0 },
	{ "99999999999999999999:00", -ERANGE, 0 },
	{ "99999999999h", -ERANGE, 0 },
}, sizes[] = {
	{ "0", 0, 0 },
	{ "512", 0, 512 },
	{ "512B", 0, 512 },
	{ "64K", 0, 65536 },
	{ "6G", 0, 6442450944 },
	{ "1.5GiB", 0, 1610612736 },
	{ "1kB", 0, 1000 },
	{ "6MB", 0, 6000000 },
	{ "2 GB", 0, 2000000000 },
	{ "1T", 0, 1099511627776 },
	{ "", -EINVAL, 0 },
	{ "G", -EINVAL, 0 },
	{ "1X", -EINVAL, 0 },
	{ "1GiBs", -EINVAL, 0 },
	{ "-1G", -EINVAL, 0 },
	{ "1,5G", -EINVAL, 0 },
	{ "99999999T", -ERANGE, 0 },
};

static void check(int (*parse)(const char *, uint64_t *), const char *text, int r, uint64_t number)
{
	uint64_t got = 4711;

	assert_int_equal(parse(text, &got), r);
	assert_int_equal(got, r < 0 ? 4711 : number);
}

static void whole_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(whole); i++)
		check(parse_u64, whole[i].text, whole[i].r, whole[i].number);
}

static void durations_in_every_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(durations); i++)
		check(parse_duration, durations[i].text, durations[i].r, durations[i].number);
}

static void sizes_in_both_systems(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++)
		check(parse_bytes, sizes[i].text, sizes[i].r, sizes[i].number);
}

static void signed_numbers(void **state)
{
	static const struct {
		const char *text;
		int r;
		int64_t number;
	} cases[] = {
		{ "-5\n", 0, -5 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "9223372036854775808", -ERANGE, 0 },
		{ "-9223372036854775809", -ERANGE, 0 },
		{ "-", -EINVAL, 0 },
		{ "--1", -EINVAL, 0 },
		{ "- 1", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t got = 4711;

		assert_int_equal(parse_i64(cases[i].text, &got), cases[i].r);
		assert_int_equal(got, cases[i].r < 0 ? 4711 : cases[i].number);
	}
}

static const struct {
	const char *text;
	int r;
	double number;
} doubles[] = {
	{ "0.25", 0, 0.25 },   { ".5\n", 0, 0.5 },    { "-2e3", 0, -2000 },  { "", -EINVAL, 0 },
	{ "inf", -EINVAL, 0 }, { "-inf", -EINVAL, 0 }, { "nan", -EINVAL, 0 }, { "0x1p3", -EINVAL, 0 },
	{ "1,5", -EINVAL, 0 }, { "-", -EINVAL, 0 },    { "+1", -EINVAL, 0 },  { "1e", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },  { "1e999", -ERANGE, 0 },
}, shares[] = {
	{ "1%", 0, 0.01 },      { "0.01", 0, 0.01 },   { "150%", 0, 1.5 },   { "0", 0, 0 },
	{ "%", -EINVAL, 0 },    { "", -EINVAL, 0 },    { "1 %", -EINVAL, 0 }, { "-1%", -EINVAL, 0 },
	{ "1%%", -EINVAL, 0 },  { "0x10%", -EINVAL, 0 }, { "1e400", -EINVAL, 0 }, { ".", -EINVAL, 0 },
	{ "1.2.3", -EINVAL, 0 }, { "nan", -EINVAL, 0 },
};

static void fractions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(doubles); i++) {
		double got = 4711;

		assert_int_equal(parse_double(doubles[i].text, &got), doubles[i].r);
		assert_true(got == (doubles[i].r < 0 ? 4711 : doubles[i].number));
	}
	for (size_t i = 0; i < COUNT(shares); i++) {
		double got = 4711;

		assert_int_equal(parse_percent(shares[i].text, &got), shares[i].r);
		assert_true(got == (shares[i].r < 0 ? 4711 : shares[i].number));
	}
}

static void bools(void **state)
{
	bool is = false;

	(void)state;
	assert_int_equal(parse_bool("Yes", &is), 0);
	assert_true(is);
	assert_int_equal(parse_bool("off", &is), 0);
	assert_false(is);
	assert_int_equal(parse_bool("maybe", &is), -EINVAL);
	assert_int_equal(parse_bool("", &is), -EINVAL);
}

static void columns(void **state)
{
	const char *line = "cpu  12 -7\t9 x";
	const char *cursor = line;
	uint64_t number;
	int64_t negative;

	(void)state;
	assert_int_equal(scan_u64(&cursor, &number), -EINVAL);
	assert_ptr_equal(cursor, line);
	assert_int_equal(scan_skip(&cursor, 1), 0);
	assert_int_equal(scan_u64(&cursor, &number), 0);
	assert_int_equal(number, 12);
	assert_int_equal(scan_i64(&cursor, &negative), 0);
	assert_int_equal(negative, -7);
	assert_int_equal(scan_i64(&cursor, &negative), 0);
	assert_int_equal(negative, 9);
	assert_int_equal(scan_skip(&cursor, 2), -EINVAL);
	assert_string_equal(cursor, " x");
	cursor = "1\n2";
	assert_int_equal(scan_skip(&cursor, 2), -EINVAL); /* a line's end ends the words */
}

static void keys(void **state)
{
	static const char text[] = "Name:\tVmHWM: 5\n\nVmHWM:\t  1234 kB\nVmRSS: x\nlast 7";
	uint64_t number = 0;

	(void)state;
	assert_int_equal(scan_key_u64(text, "VmHWM:", &number), 0);
	assert_int_equal(number, 1234);
	assert_int_equal(scan_key_u64(text, "last", &number), 0);
	assert_int_equal(number, 7);
	assert_int_equal(scan_key_u64(text, "VmRSS:", &number), -EINVAL);
	assert_int_equal(scan_key_u64(text, "VmSwap:", &number), -ENOENT);
	assert_int_equal(scan_key_u64("", "a", &number), -ENOENT);
	assert_int_equal(scan_key_u64("\n", "a", &number), -ENOENT);
	assert_int_equal(number, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(signed_numbers),
		cmocka_unit_test(durations_in_every_form),
		cmocka_unit_test(sizes_in_both_systems),
		cmocka_unit_test(fractions),
		cmocka_unit_test(bools),
		cmocka_unit_test(columns),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests_name("base/parse", tests, NULL, NULL);
}
