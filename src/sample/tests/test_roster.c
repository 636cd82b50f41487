#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample/roster.h"

#include <signal.h>

static const struct metric two_metrics[] = {
	{ .name = "cpu_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
	{ .name = "memory_bytes", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
};
static const struct metrics metrics = { .process = two_metrics, .n_process = 2 };

static void end_one_by(struct roster *roster, uint32_t parent, const char *name, int i, int status)
{
	struct row *row = roster_add(roster, parent, 1000 + i, (uint64_t)i);

	roster_name(roster, row, name, NULL);
	row->process.values[0] = value_read(0.5);
	row->process.values[1] = value_read(i);
	roster_end(roster, row, (uint64_t)i + 10, status);
}

static void end_one(struct roster *roster, uint32_t parent, const char *name, int i)
{
	end_one_by(roster, parent, name, i, 0);
}

static void a_storm_is_folded_with_exact_sums(void **state)
{
	CLEANUP(roster_clear) struct roster roster = { .metrics = &metrics };
	CLEANUP(facts_clear) struct facts facts = { 0 };
	double cpu = 0, most = 0;
	uint64_t count = 0;

	(void)state;
	for (int i = 0; i < 10000; i++)
		end_one(&roster, 1, "sh", i);
	end_one(&roster, 1, "other", 1);
	facts_set_metrics(&facts, SCOPE_PROCESS, two_metrics, 2);
	roster_copy(&roster, &facts);
	assert_in_range(facts.n_processes, 3, 100);
	for (size_t i = 0; i < facts.n_processes; i++) {
		const struct process *process = &facts.processes[i];

		count += process->count;
		cpu += process->values[0].number;
		if (process->values[1].number > most)
			most = process->values[1].number;
		if (process->count > 1)
			assert_int_equal(process->ended_ns, 10009);
	}
	assert_int_equal(count, 10001);
	assert_true(cpu == 5000.5);
	assert_true(most == 9999);
}

static size_t rows_of_status(const struct roster *roster, int status)
{
	size_t count = 0;

	for (size_t i = 0; i < roster->count; i++)
		count += roster->items[i] && roster->items[i]->process.status == status;
	return count;
}

static void who_crashed_in_a_storm_is_kept(void **state)
{
	CLEANUP(roster_clear) struct roster roster = { .metrics = &metrics };

	(void)state;
	for (int i = 0; i < 1000; i++)
		end_one_by(&roster, 1, "cc1", i, i == 700 ? SIGSEGV : 1 << 8);
	assert_int_equal(rows_of_status(&roster, SIGSEGV), 1);
	assert_in_range(rows_of_status(&roster, 1 << 8), 1, 100);
	for (int i = 0; i < 1000; i++)
		end_one_by(&roster, 1, "cc1", i, SIGKILL);
	assert_in_range(rows_of_status(&roster, SIGKILL), 1, 100);
}

static void kinds_are_told_apart_by_parent_and_name(void **state)
{
	CLEANUP(roster_clear) struct roster roster = { .metrics = &metrics };
	struct row *a = roster_fold(&roster, 1, "a", 2, 5, 9),
		   *b = roster_fold(&roster, 2, "a", 1, 5, 9);

	(void)state;
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(roster_fold(&roster, 1, "a", 3, 4, 20), a);
	assert_int_equal(a->process.count, 5);
	assert_int_equal(a->process.started_ns, 4);
	assert_int_equal(a->process.ended_ns, 20);
	assert_ptr_not_equal(roster_fold(&roster, 1, "b", 1, 0, 0), a);
}

static void the_recording_hears_of_each_change_once(void **state)
{
	CLEANUP(roster_clear) struct roster roster = { .metrics = &metrics };
	struct row *row = roster_add(&roster, 0, 7, 0);

	(void)state;
	roster_name(&roster, row, "x", "x y");
	roster_name(&roster, row, "z", NULL);
	assert_int_equal(roster.n_changed, 1);
	assert_string_equal(row->process.name, "z");
	assert_string_equal(row->process.command, "x y");
	roster_drop(&roster, row);
	assert_null(roster_find(&roster, 1));
	assert_null(roster_find(&roster, 0));
	assert_null(roster_find(&roster, 99));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_storm_is_folded_with_exact_sums),
		cmocka_unit_test(who_crashed_in_a_storm_is_kept),
		cmocka_unit_test(kinds_are_told_apart_by_parent_and_name),
		cmocka_unit_test(the_recording_hears_of_each_change_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
