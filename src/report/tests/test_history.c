/* What all runs of a list used together, to people and to scripts: what a run does not tell is not
 * added as 0. */
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/tests/example.h"

struct run {
	double wall_s, cpu_s, memory_bytes; /* NAN: absent */
	bool estimated, running, damaged;
};

static void add_total(struct facts *facts, const char *name, enum unit unit, double number,
		      bool estimated)
{
	if (isnan(number))
		facts_add_absent(facts, "totals", name, unit, "nobody looked");
	else if (estimated)
		facts_add_estimated(facts, "totals", name, unit, number, "", "");
	else
		facts_add_measured(facts, "totals", name, unit, number, "");
}

static void add_run(struct history *history, const struct run *run)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };

	if (run->damaged) {
		history_add_damaged(history, "x.sonde", "3f9a2c71", "it is empty");
		return;
	}
	add_total(&facts, "wall_s", UNIT_SECONDS, run->wall_s, false);
	add_total(&facts, "cpu_s", UNIT_SECONDS, run->cpu_s, false);
	add_total(&facts, "memory_tree_peak_bytes", UNIT_BYTES, run->memory_bytes, run->estimated);
	facts.running = run->running;
	history_add(history, "x.sonde", "3f9a2c71", &facts);
}

static char *written(const struct run *runs, bool as_json)
{
	static const struct look wide = { .columns = 200 };
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	struct history *history = history_new(as_json, &wide, out);

	for (; runs->wall_s != 0 || runs->damaged; runs++)
		add_run(history, runs);
	assert_int_equal(history_finish(history, NULL), 0);
	history_free(history);
	fclose(out);
	return text;
}

static void assert_has(const char *text, const char *expected)
{
	if (!strstr(text, expected))
		fail_msg("no '%s' in:\n%s", expected, text);
}

static void test_totals(void **state)
{
	static const struct {
		struct run runs[4];
		const char *words, *json[4];
	} cases[] = {
		{ { { 60, 30, 2 * GIB, false, false, false } },
		  "\n\n1 run: time 1 min 00 s, CPU time 30 s, memory at most 2 GiB\n",
		  { "\"runs\": 1,\n    \"running\": 0,\n    \"damaged\": 0,",
		    "\"cpu_s\": {\"value\": 30, \"how\": \"measured\", \"runs\": 1}" } },
		{ { { 3600, 7200, GIB, false, false, false },
		    { 1800, 1800, 3 * GIB, true, false, false },
		    { 1800, 0, 0, false, false, false } },
		  "\n\n3 runs: time 2 h 00 min, CPU time 2 h 30 min = 2.5 core-hours, memory at "
		  "most about 3 GiB\n",
		  { "\"wall_s\": {\"value\": 7200, \"how\": \"measured\", \"runs\": 3}",
		    "\"memory_tree_peak_bytes\": {\"value\": 3221225472, \"how\": "
		    "\"estimated\"" } },
		{ { { 60, NAN, NAN, false, false, false },
		    { 60, 45, NAN, false, true, false },
		    { .damaged = true } },
		  "\n\n2 runs: time 2 min 00 s, CPU time 45 s = 0.0125 core-hours (of 1 of 2 "
		  "runs), "
		  "memory not measured; 1 still running, as far as known; 1 more damaged\n",
		  { "\"runs\": 2,\n    \"running\": 1,\n    \"damaged\": 1,",
		    "\"cpu_s\": {\"value\": 45, \"how\": \"measured\", \"runs\": 1, \"why\": "
		    "\"not all runs tell it\"}",
		    "\"memory_tree_peak_bytes\": {\"value\": null, \"how\": \"absent\", "
		    "\"runs\": 0, \"why\": \"no run tells it\"}" } },
		{ { { .damaged = true } },
		  "\n\n0 runs; 1 more damaged\n",
		  { "\"wall_s\": {\"value\": null, \"how\": \"absent\", \"runs\": 0" } },
		{ { { .wall_s = 0 } }, "", { "\"runs\": [],\n  \"totals\": {\n    \"runs\": 0," } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(freep) char *words = written(cases[i].runs, false);
		CLEANUP(freep) char *json = written(cases[i].runs, true);

		assert_has(words, cases[i].words);
		if (!*cases[i].words)
			assert_string_equal(words, "");
		for (size_t j = 0; j < COUNT(cases[i].json) && cases[i].json[j]; j++)
			assert_has(json, cases[i].json[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_totals),
	};

	return cmocka_run_group_tests_name("report/history", tests, NULL, NULL);
}
