#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/phase.h"
#include "report/page.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S 1000000000ull

static void mark(struct facts *facts, uint64_t time_s, enum mark_kind kind, const char *name)
{
	facts_add_mark(facts, &(struct mark){ .time_ns = time_s * S, .kind = kind, .name = name });
}

/* Ten seconds: each second 0.5 s of CPU and 1 MB written; memory grows by 100 MiB a second. */
static void make(struct facts *facts)
{
	static const struct metric metrics[] = {
		{ .name = "cpu_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
		{ .name = "io_write_bytes", .unit = UNIT_BYTES, .kind = KIND_COUNTER },
		{ .name = "memory_tree_bytes", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
	};
	static const double each[] = { 0.5, 1e6, 100 << 20 };

	facts_set_metrics(facts, SCOPE_RUN, metrics, COUNT(metrics));
	facts_add_measured(facts, "totals", "wall_s", UNIT_SECONDS, 10, "clock");
	facts_add_measured(facts, "totals", "processes", UNIT_COUNT, 1, "perf");
	for (size_t i = 0; i < COUNT(metrics); i++) {
		struct line *line = facts_add_line(facts);

		line->metric = &facts->run_metrics[i];
		line->n_points = 10;
		line->points = mem_new(10 * sizeof(*line->points));
		for (unsigned j = 0; j < 10; j++)
			line->points[j] = (struct point){ (j + 1) * S, (j + 1) * each[i], NAN,
							  NAN };
	}
}

static char *page(struct facts *facts, int columns)
{
	const struct look look = { .columns = columns };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	phases_add(facts, facts);
	page_phases(facts, &look, out);
	fclose(out);
	return text;
}

static void nested(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *narrow = NULL, *wide = NULL;

	(void)state;
	make(&facts);
	mark(&facts, 1, MARK_BEGIN, "train");
	mark(&facts, 1, MARK_NEXT, "epoch");
	mark(&facts, 4, MARK_NEXT, "epoch");
	mark(&facts, 6, MARK_END, "train");
	mark(&facts, 8, MARK_NEXT, "save");
	narrow = page(&facts, 80);
	assert_string_equal(
	    narrow, "\n"
		    "phases                     time  share  cores    memory  read  written\n"
		    "  (before the first mark)   1 s   10 %    0.5   100 MiB     -     1 MB\n"
		    "  train                     5 s   50 %    0.5   600 MiB     -     5 MB\n"
		    "    epoch x 2               5 s   50 %    0.5   600 MiB     -     5 MB\n"
		    "  (between phases)          2 s   20 %    0.5   800 MiB     -     2 MB\n"
		    "  save                      2 s   20 %    0.5  1000 MiB     -     2 MB\n");
	wide = page(&facts, 120);
	assert_non_null(strstr(wide, "phases                     time  longest  share"));
	assert_non_null(strstr(wide, "    epoch x 2               5 s      3 s   50 %"));
}

static void rough(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;

	(void)state;
	make(&facts);
	facts_add_mark(&facts, &(struct mark){ .time_ns = 2 * S + S / 2, .name = "half" });
	text = page(&facts, 80);
	assert_non_null(strstr(text, "half                     7.5 s   75 %   ~0.5  1000 MiB"));
	assert_non_null(strstr(text, "\n  ~ about: it began or ended between two looks"));
}

static void many(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;
	size_t lines = 0;

	(void)state;
	make(&facts);
	for (unsigned i = 0; i < 1000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "phase %u", i);
		facts_add_mark(&facts, &(struct mark){ .time_ns = i * 1000000, .name = name });
	}
	text = page(&facts, 80);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_in_range(lines, 40, 45);
	assert_non_null(strstr(text, "  phase 999 ")); /* the longest is among them */
	assert_non_null(strstr(text, "  and 960 shorter ones; sonde show --json has all\n"));
}

static void hostile(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;
	char name[201];

	(void)state;
	make(&facts);
	memset(name, '\x1b', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	mark(&facts, 0, MARK_NEXT, name);
	mark(&facts, 1, MARK_NEXT, "\xff\r\a");
	for (unsigned i = 0; i < 50; i++)
		mark(&facts, 2, MARK_BEGIN, "deep");
	text = page(&facts, 80);
	for (const char *at = text; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at != '\x7f'));
	for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1)
		assert_in_range(end - at, 0, 80);
	assert_non_null(strstr(text, "\\xff\\x0d\\x07"));
}

static void none(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL, *unmatched = NULL;

	(void)state;
	make(&facts);
	text = page(&facts, 80);
	assert_string_equal(text, "");
	mark(&facts, 1, MARK_END, "never");
	unmatched = page(&facts, 80);
	assert_string_equal(unmatched, "");
}

static void json(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	make(&facts);
	mark(&facts, 0, MARK_BEGIN, "a");
	mark(&facts, 1, MARK_NEXT, "b\"");
	phases_add(&facts, &facts);
	assert_int_equal(report_json.write(&facts, out, NULL), 0);
	fclose(out);
	assert_non_null(strstr(text,
			       "\"name\": \"b\\\"\",\n      \"depth\": 1,\n      \"parent\": 0,\n"
			       "      \"started_s\": 1,\n      \"ended_s\": 10,\n"
			       "      \"repetition\": 1,\n      \"totals\": {\n"
			       "        \"wall_s\": {\"value\": 9, \"how\": \"measured\"},\n"
			       "        \"cpu_s\": {\"value\": 4.5, \"how\": \"measured\"},\n"));
	assert_non_null(strstr(text,
			       "\"swap_peak_bytes\": {\"value\": null, \"how\": \"absent\", "
			       "\"why\": \"there is no series of it, or no look fell into it\"}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),  cmocka_unit_test(rough), cmocka_unit_test(many),
		cmocka_unit_test(hostile), cmocka_unit_test(none),  cmocka_unit_test(json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
