#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/tally.h"

#include <math.h>

#define S 1000000000ull

static const struct metric metrics[] = {
	{ .name = "cpu_s", .source = "stat", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
	{ .name = "memory_bytes", .source = "statm", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
};

struct look {
	uint64_t time_ns;
	bool gap;
	struct value cpu, memory;
};

#define READ(n)                                                                                    \
	{                                                                                          \
		.number = (n), .how = HOW_MEASURED                                                 \
	}
#define GUESS(n)                                                                                   \
	{                                                                                          \
		.number = (n), .how = HOW_ESTIMATED                                                \
	}
#define NONE                                                                                       \
	{                                                                                          \
		.number = 0, .how = HOW_ABSENT                                                     \
	}

static void add_up(const struct look *looks, size_t count, struct facts *facts)
{
	struct tally *tally = tally_new(metrics, COUNT(metrics));

	for (size_t i = 0; i < count; i++)
		tally_add(tally, looks[i].time_ns, looks[i].gap,
			  (struct value[]){ looks[i].cpu, looks[i].memory });
	tally_totals(tally, facts);
	tally_free(tally);
}

static const struct {
	const char *what;
	struct look looks[4];
	size_t count;
	double cpu, peak, mean; /* NAN: absent */
} cases[] = {
	{ "nothing was seen", { { 0 } }, 0, NAN, NAN, NAN },
	{ "one look", { { 1 * S, false, READ(0.5), READ(100) } }, 1, 0.5, 100, 100 },
	{ "weighed by time",
	  { { 1 * S, false, READ(1), READ(100) }, { 4 * S, false, READ(2), READ(20) } },
	  2,
	  2,
	  100,
	  40 },
	{ "a gap is not weighed, its peak counts",
	  { { 1 * S, false, READ(1), READ(100) },
	    { 1000 * S, true, READ(2), READ(500) },
	    { 1001 * S, false, READ(3), READ(200) } },
	  3,
	  3,
	  500,
	  150 },
	{ "absent in between is not zero",
	  { { 1 * S, false, READ(1), READ(100) },
	    { 2 * S, false, NONE, NONE },
	    { 3 * S, false, READ(2), READ(200) } },
	  3,
	  2,
	  200,
	  150 },
	{ "never read", { { 1 * S, false, READ(1), NONE } }, 1, 1, NAN, NAN },
	{ "negative gauges have a peak too",
	  { { 1 * S, false, READ(0), READ(-5) }, { 2 * S, false, READ(0), READ(-7) } },
	  2,
	  0,
	  -5,
	  -6 },
	{ "time steps back in a damaged journal",
	  { { 2 * S, false, READ(1), READ(100) },
	    { 1 * S, false, READ(1), READ(300) },
	    { 2 * S, false, READ(2), READ(300) } },
	  3,
	  2,
	  300,
	  500.0 / 3 },
	{ "only a gap", { { 5 * S, true, READ(1), READ(100) } }, 1, 1, 100, NAN },
};

static void assert_total(const struct facts *facts, const char *name, double expected)
{
	struct value value = facts_value(facts, "totals", name);

	assert_int_equal(value_is(value), !isnan(expected));
	if (value_is(value))
		assert_true(fabs(value.number - expected) < 1e-9);
}

static void totals(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };

		add_up(cases[i].looks, cases[i].count, &facts);
		assert_total(&facts, "cpu_s", cases[i].cpu);
		assert_total(&facts, "memory_peak_bytes", cases[i].peak);
		assert_total(&facts, "memory_mean_bytes", cases[i].mean);
		assert_non_null(facts_find(&facts, "totals", "cpu_s"));
		assert_non_null(facts_find(&facts, "totals", "memory_peak_bytes"));
	}
}

static void says_how_and_why(void **state)
{
	static const struct look looks[] = {
		{ 1 * S, false, READ(1), NONE },
		{ 2 * S, false, GUESS(2), NONE },
		{ 3 * S, false, READ(3), NONE },
	};
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	add_up(looks, COUNT(looks), &facts);
	assert_int_equal(facts_value(&facts, "totals", "cpu_s").how, HOW_ESTIMATED);
	assert_string_equal(facts_find(&facts, "totals", "cpu_s")->source, "stat");
	assert_string_equal(facts_find(&facts, "totals", "memory_peak_bytes")->why,
			    "never read in this run");
}

static void a_better_total_stays(void **state)
{
	static const struct look look = { 1 * S, false, READ(1), READ(1) };
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	facts_add_measured(&facts, "totals", "cpu_s", UNIT_SECONDS, 1.25, "wait4");
	add_up(&look, 1, &facts);
	assert_total(&facts, "cpu_s", 1.25);
	tally_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals),
		cmocka_unit_test(says_how_and_why),
		cmocka_unit_test(a_better_total_stays),
	};

	return cmocka_run_group_tests_name("model/tally", tests, NULL, NULL);
}
