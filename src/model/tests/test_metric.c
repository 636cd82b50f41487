#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "model/metric.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static void names_of_peaks(void **state)
{
	static const struct {
		struct metric metric;
		const char *word, *name;
	} cases[] = {
		{ { .name = "swap_bytes", .unit = UNIT_BYTES }, "peak", "swap_peak_bytes" },
		{ { .name = "wait_cpu_s", .unit = UNIT_SECONDS }, "mean", "wait_cpu_mean_s" },
		{ { .name = "threads", .unit = UNIT_COUNT }, "peak", "threads_peak" },
		{ { .name = "cores", .unit = UNIT_RATIO }, "mean", "cores_mean" },
		{ { .name = "threads", .unit = UNIT_SECONDS }, "peak", "threads_peak" },
		{ { .name = "bytes", .unit = UNIT_BYTES }, "peak", "bytes_peak" },
	};
	char name[64], tiny[8];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		metric_derived_name(&cases[i].metric, cases[i].word, name, sizeof(name));
		assert_string_equal(name, cases[i].name);
	}
	metric_derived_name(&cases[0].metric, "peak", tiny, sizeof(tiny));
	assert_string_equal(tiny, "swap_pe");
}

static void values_come_back_from_quanta(void **state)
{
	static const struct {
		enum unit unit;
		double number;
		int64_t quanta;
	} cases[] = {
		{ UNIT_COUNT, 0, 0 },
		{ UNIT_COUNT, 9007199254740992.0, 9007199254740992 },
		{ UNIT_BYTES, -1, -1 },
		{ UNIT_RATIO, 0.25, 250000 },
		{ UNIT_SECONDS, 0.3, 300000000 },
		{ UNIT_SECONDS, 1e-9, 1 },
		{ UNIT_SECONDS, 86400.123456789, 86400123456789 },
		{ UNIT_JOULES, 262143.328850, 262143328850 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct metric metric = { .name = "x", .unit = cases[i].unit };
		int64_t quanta = metric_quantise(&metric, value_read(cases[i].number));
		struct value back = metric_restore(&metric, quanta);

		assert_int_equal(quanta, cases[i].quanta);
		assert_int_equal(back.how, HOW_MEASURED);
		assert_true(back.number == cases[i].number);
	}
}

static void what_cannot_be_kept_is_absent(void **state)
{
	static const struct metric metric = { .name = "x_s", .unit = UNIT_SECONDS };
	const struct value cases[] = { value_absent(),       value_read(NAN),
				       value_read(INFINITY), value_read(-INFINITY),
				       value_read(1e10),     value_read(-1e10) };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_true(metric_quantise(&metric, cases[i]) == ABSENT_QUANTA);
	assert_false(value_is(metric_restore(&metric, ABSENT_QUANTA)));
	assert_true(value_is(metric_restore(&metric, INT64_MAX)));
	assert_true(metric_quantise(&metric, value_read(4e-10)) == 0);
	assert_true(metric_quantise(&metric, value_read(6e-10)) == 1);
}

static void words_of_units_and_kinds(void **state)
{
	enum unit unit;
	enum kind kind;

	(void)state;
	for (int i = 0; i < UNIT_COUNT_OF_UNITS; i++) {
		assert_int_equal(unit_find(unit_name((enum unit)i), &unit), 0);
		assert_int_equal(unit, i);
		assert_true(unit_quanta(unit) >= 1);
	}
	assert_int_equal(unit_find("miles", &unit), -ENOENT);
	assert_int_equal(kind_find(kind_name(KIND_GAUGE), &kind), 0);
	assert_int_equal(kind, KIND_GAUGE);
	assert_int_equal(kind_find("", &kind), -ENOENT);
	assert_int_equal(how_find(how_name(HOW_ESTIMATED)), HOW_ESTIMATED);
	assert_int_equal(how_find(how_name(HOW_MEASURED)), HOW_MEASURED);
	assert_int_equal(how_find("guessed"), HOW_ABSENT);
	assert_int_equal(how_find(NULL), HOW_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_peaks),
		cmocka_unit_test(values_come_back_from_quanta),
		cmocka_unit_test(what_cannot_be_kept_is_absent),
		cmocka_unit_test(words_of_units_and_kinds),
	};

	return cmocka_run_group_tests_name("model/metric", tests, NULL, NULL);
}
