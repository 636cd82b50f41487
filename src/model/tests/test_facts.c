#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/facts.h"

#include <math.h>

static void found_by_section_and_name(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	char name[] = "host";

	(void)state;
	facts_add_text(&facts, "run", name, "node7");
	name[0] = '?'; /* strings were copied */
	facts_add_number(&facts, "exit", "status", 3);
	facts_add_bool(&facts, "run", "complete", true);
	assert_string_equal(facts_text(&facts, "run", "host"), "node7");
	assert_null(facts_text(&facts, "machine", "host"));
	assert_null(facts_text(&facts, "exit", "status"));
	assert_true(facts_value(&facts, "exit", "status").number == 3);
	assert_true(facts_value(&facts, "run", "complete").number == 1);
	assert_false(value_is(facts_value(&facts, "run", "host")));
	assert_false(value_is(facts_value(&facts, "totals", "wall_s")));
}

static void figures_say_how(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	const struct fact *fact;

	(void)state;
	facts_add_measured(&facts, "totals", "cpu_s", UNIT_SECONDS, 6.02, "wait4");
	facts_add_estimated(&facts, "totals", "x_s", UNIT_SECONDS, 1, "model", "no counter");
	facts_add_absent(&facts, "totals", "energy_j", UNIT_JOULES, "no meter");
	fact = facts_find(&facts, "totals", "cpu_s");
	assert_int_equal(fact->value.how, HOW_MEASURED);
	assert_string_equal(fact->source, "wait4");
	assert_null(fact->why);
	assert_true(isnan(fact->low) && isnan(fact->high));
	fact = facts_find(&facts, "totals", "energy_j");
	assert_false(value_is(fact->value));
	assert_string_equal(fact->why, "no meter");
	assert_int_equal(facts_find(&facts, "totals", "x_s")->value.how, HOW_ESTIMATED);
}

static void adding_again_replaces(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	facts_add_absent(&facts, "totals", "cpu_s", UNIT_SECONDS, "not yet");
	facts_add_measured(&facts, "totals", "cpu_s", UNIT_SECONDS, 1, "wait4");
	assert_int_equal(facts.n_facts, 1);
	assert_null(facts_find(&facts, "totals", "cpu_s")->why);
	facts_add_text(&facts, "totals", "cpu_s", NULL);
	assert_int_equal(facts.n_facts, 1);
	assert_null(facts_text(&facts, "totals", "cpu_s"));
}

static void notes_are_said_once(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	facts_add_number(&facts, "note", "odd", 1); /* a damaged recording may hold such */
	facts_note(&facts, "%d processes lived on", 2);
	facts_note(&facts, "the disk is full");
	facts_note(&facts, "%d processes lived on", 2);
	assert_int_equal(facts.n_facts, 3);
	assert_string_equal(facts_text(&facts, "note", "1"), "2 processes lived on");
	assert_string_equal(facts_text(&facts, "note", "2"), "the disk is full");
}

static void metrics_and_processes(void **state)
{
	static const struct metric metrics[] = {
		{ .name = "cpu_s", .help = "CPU", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
		{ .name = "threads", .kind = KIND_GAUGE, .with_children = true },
	};
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct process *process = facts_add_process(&facts);

	(void)state;
	assert_non_null(process);
	facts_set_metrics(&facts, SCOPE_PROCESS, metrics, COUNT(metrics));
	assert_int_equal(facts_metric(&facts, SCOPE_PROCESS, "threads"), 1);
	assert_int_equal(facts_metric(&facts, SCOPE_PROCESS, "energy_j"), -1);
	assert_int_equal(facts_metric(&facts, SCOPE_RUN, "threads"), -1);
	assert_int_equal(facts.process_metrics[0].scope, SCOPE_PROCESS);
	assert_true(facts.process_metrics[1].with_children);
	for (int i = 0; i < 100; i++) {
		process = facts_add_process(&facts);
		assert_int_equal(process->count, 1);
		assert_true(process->ended_ns == PROCESS_ALIVE);
		assert_int_equal(process->status, PROCESS_STATUS_UNKNOWN);
		assert_false(value_is(process->values[0]) || value_is(process->values[1]));
		process->values[0] = value_read(i);
	}
	assert_true(facts.processes[50].values[0].number == 49);
	assert_int_equal(facts_add_line(&facts)->n_points, 0);
	facts_clear(&facts);
	assert_int_equal(facts.n_facts + facts.n_processes + facts.n_lines, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_by_section_and_name), cmocka_unit_test(figures_say_how),
		cmocka_unit_test(adding_again_replaces),     cmocka_unit_test(notes_are_said_once),
		cmocka_unit_test(metrics_and_processes),
	};

	return cmocka_run_group_tests_name("model/facts", tests, NULL, NULL);
}
