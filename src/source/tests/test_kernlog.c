#include "source/kernlog.h"
#include "source/tests/helper.h"

#define HEAD "6,376,949577720,-;"
#define SEGV(name, address, stack, error)                                                          \
	HEAD name "[77]: segfault at " address " ip 0000557d635f1701 sp " stack " error " error    \
		  " in libm.so.6[1701,557d635f1000+1000] likely on CPU 0 (core 0, socket 0)\n"
#define SP "00007ffd0a69f600"

static const struct {
	const char *record;
	enum kernlog_kind kind;
	const char *name, *fault;
} cases[] = {
	{ SEGV("fit", "0", SP, "4"), KERNLOG_FAULT, "fit", "null" },
	{ SEGV("fit", "18", SP, "6"), KERNLOG_FAULT, "fit", "null" },
	{ SEGV("fit", "00007ffd0a69f5f8", SP, "6"), KERNLOG_FAULT, "fit", "stack" },
	{ SEGV("fit", "00007ffd0a6af600", SP, "6"), KERNLOG_FAULT, "fit", "stack" },
	{ SEGV("fit", "7f0011112222", SP, "14"), KERNLOG_FAULT, "fit", "code" },
	{ SEGV("fit", "557d635f2000", SP, "7"), KERNLOG_FAULT, "fit", "readonly" },
	{ SEGV("fit", "557d635f2000", SP, "5"), KERNLOG_FAULT, "fit", "wild" },
	{ SEGV("fit", "4141414141414141", SP, "4"), KERNLOG_FAULT, "fit", "wild" },
	{ SEGV("a[1]: b", "0", SP, "4"), KERNLOG_FAULT, "a[1]: b", "null" },
	{ HEAD "Memory cgroup out of memory: Killed process 77 (python3) total-vm:2kB\n",
	  KERNLOG_OOM, "python3", NULL },
	{ HEAD "Out of memory: Killed process 77 (a) b (c)), UID 0, total-vm:2kB\n", KERNLOG_OOM,
	  "a) b (c)", NULL },
	{ HEAD "Killed process 77 (x) total-vm:2kB\n", KERNLOG_OOM, "x", NULL },
	{ HEAD "oom-kill:constraint=CONSTRAINT_MEMCG,task=python3,pid=77,uid=0\n", KERNLOG_OTHER,
	  "", NULL },
	{ HEAD "Killed process x (y) total-vm\n", KERNLOG_OTHER, "", NULL },
	{ HEAD "Killed process 77 total-vm\n", KERNLOG_OTHER, "", NULL },
	{ HEAD "Killed process 77 (\n", KERNLOG_OTHER, "", NULL },
	{ HEAD "]: segfault at 0\n", KERNLOG_OTHER, "", NULL },
	{ HEAD "[]: segfault at 0 ip 0 sp 0 error 4\n", KERNLOG_OTHER, "", NULL },
	{ HEAD "fit[77]: segfault at \n", KERNLOG_OTHER, "", NULL },
	{ "fit[77]: segfault at 0 ip 0 sp 0 error 4", KERNLOG_OTHER, "", NULL },
	{ "", KERNLOG_OTHER, "", NULL },
};

static void records(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kernlog_entry entry;

		kernlog_parse(cases[i].record, &entry);
		assert_int_equal(entry.kind, cases[i].kind);
		assert_string_equal(entry.name, cases[i].name);
		if (entry.kind != KERNLOG_OTHER)
			assert_int_equal(entry.pid, 77);
		if (cases[i].fault)
			assert_string_equal(kernlog_fault(&entry), cases[i].fault);
	}
}

static void add_process(struct facts *facts, int pid, const char *name)
{
	struct process *process = facts_add_process(facts);

	process->pid = pid;
	process->count = 1;
	process->name = name;
}

/* A regular file gives all at once, so one record is all that a test can hand over. */
static void end_with(const char *record, struct facts *facts)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	fputs(record, file);
	rewind(file);
	kernlog_end(fileno(file), facts);
	fclose(file);
}

static void only_of_ours(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	add_process(&facts, 77, "fit");
	end_with(SEGV("other", "0", SP, "4"), &facts);
	assert_int_equal(facts.n_facts, 0);
	end_with(SEGV("fit", "0", SP, "4"), &facts);
	assert_string_equal(facts_text(&facts, "exit", "fault"), "null");
	assert_string_equal(facts_text(&facts, "exit", "fault_in"), "libm.so.6");
	assert_true(facts_value(&facts, "exit", "fault_pid").number == 77);
	kernlog_end(-1, &facts);
}

static void a_pid_of_elsewhere_is_not_told(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	add_process(&facts, 5, "x");
	end_with(HEAD "Killed process 77 (x) total-vm:2kB\n", &facts);
	assert_string_equal(facts_text(&facts, "exit", "oom_name"), "x");
	assert_null(facts_find(&facts, "exit", "oom_pid"));
}

static void no_log(void **state)
{
	(void)state;
	assert_true(kernlog_begin(FIXTURES "linux-3.10") < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records),
		cmocka_unit_test(only_of_ours),
		cmocka_unit_test(a_pid_of_elsewhere_is_not_told),
		cmocka_unit_test(no_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
