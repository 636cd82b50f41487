/* Each rule on facts that fire it, on facts beside them that must not, and on the same with each
 * fact that it needs absent or doubtful.
 *
 * Facts are words: "totals.cpu_s=9.5" is measured, "totals.cpu_s=9.5~9:12" estimated with its
 * bracket,
 * "~9:" without an upper end, "~:" without any; "exit.cause=@memory" is a text, "process=@ssh" a
 * process that was there all the time, "brief=@ssh" one that soon ended. A later one replaces an
 * earlier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/advise.h"
#include "advise/rule.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINE "exit.status=0 "
#define SLURM "context.scheduler=@slurm "

static const struct {
	const char *rule;
	const char *fires;
	const char *beside[8]; /* each, added to them, must keep it silent */
} cases[] = {
	{ "one-core",
	  FINE "totals.wall_s=100 totals.cpu_s=99 totals.cores_peak=1.1 limits.cores=16",
	  { "totals.cpu_s=70", "totals.cpu_s=120", "totals.cores_peak=2", "limits.cores=1",
	    "totals.wall_s=4 totals.cpu_s=4", "totals.cores_peak=1.2~1:1.4",
	    "totals.cpu_s=99~99:150",
	    "totals.wait_cpu_s=90~90: totals.machine_busy_s=1500" /* cpu-wait-others */ } },
	{ "one-core", /* asked for: also of a short run */
	  FINE "totals.wall_s=4 totals.cpu_s=4 totals.cores_peak=1 limits.cores=16 "
	       "limits.cores_requested=16",
	  { "limits.cores_requested=1", "totals.wall_s=0.9 totals.cpu_s=0.9" } },
	{ "few-cores-used",
	  FINE "totals.wall_s=100 totals.cpu_s=310 limits.cores_requested=16",
	  { "totals.cpu_s=900", "limits.cores_requested=4", "totals.cpu_s=310~310:900",
	    "totals.cpu_s=310~310:", "totals.cpu_s=1" /* sleeping */ } },
	{ "too-many-threads",
	  "totals.wall_s=10 totals.cpu_s=19 totals.wait_cpu_s=50~50: totals.threads_peak=8~8: "
	  "limits.cores=2 machine.cores=2",
	  { "totals.wait_cpu_s=1~1:", "totals.threads_peak=2~2:", "machine.cores=16 limits.cores=4",
	    "totals.wait_cpu_s=50~1:60", "totals.wall_s=0.5" } },
	{ "cpu-wait-cores",
	  "totals.wall_s=10 totals.cpu_s=20 totals.wait_cpu_s=20~20: limits.cores=2 "
	  "machine.cores=16",
	  { "machine.cores=2", "totals.wait_cpu_s=1~1:", "totals.wait_cpu_s=20~1:20",
	    "totals.threads_peak=8~8:" /* too-many-threads says it */ } },
	{ "cpu-wait-quota",
	  "totals.wall_s=10 totals.cpu_s=5 totals.cgroup_throttled_s=4.9 limits.cores_quota=0.5",
	  { "totals.cgroup_throttled_s=0.5", "totals.cgroup_throttled_s=4.9~0:6" } },
	{ "cpu-wait-others",
	  "totals.wall_s=10 totals.cpu_s=5 totals.wait_cpu_s=4~4: totals.machine_busy_s=19",
	  { "totals.wait_cpu_s=0.5~0.5:", "totals.machine_busy_s=5.1",
	    "totals.cpu_s=0.01 totals.wait_cpu_s=0.02~0.02:",
	    "totals.cgroup_throttled_s=4 limits.cores_quota=0.5" /* the quota, then */ } },
	{ "storage-wait",
	  "totals.wall_s=10 totals.cpu_s=2 totals.pressure_io_s=6 totals.storage_read_bytes=0 "
	  "totals.storage_write_bytes=1e8",
	  { "totals.pressure_io_s=1", "totals.cpu_s=9", "totals.storage_write_bytes=1e5",
	    "totals.wait_io_s=1", "totals.cgroup_pressure_io_s=1" /* better accounts */ } },
	{ "storage-wait",
	  "totals.wall_s=10 totals.cpu_s=2 totals.wait_io_s=6~6: totals.storage_read_bytes=1e8 "
	  "totals.storage_write_bytes=0",
	  { "totals.wait_io_s=6~1:7" } },
	{ "sleeping",
	  "totals.wall_s=10 totals.cpu_s=0.1",
	  { "totals.cpu_s=1", "totals.cpu_s=0.1~0.1:1", "totals.cpu_s=0.1~0.1:",
	    "totals.pressure_io_s=6 totals.storage_read_bytes=1e8 totals.storage_write_bytes=0",
	    "totals.wait_cpu_s=5~5: totals.machine_busy_s=18", "process=@ssh" } },
	{ "sleeping", "totals.wall_s=10 totals.cpu_s=0.1 brief=@ssh", { "process=@ssh" } },
	{ "process-starts",
	  "totals.wall_s=10 totals.cpu_s=9 totals.processes=5000",
	  { "totals.processes=99", "totals.processes=300", "totals.cpu_s=1",
	    "totals.processes=5000~50:" } },
	{ "system-time",
	  "totals.wall_s=10 totals.cpu_s=9 totals.cpu_system_s=7",
	  { "totals.cpu_system_s=3", "totals.cpu_s=1 totals.cpu_system_s=0.9",
	    "totals.cpu_system_s=7~3:", "totals.processes=5000" /* process-starts says it */ } },
	{ "killed-for-memory",
	  "exit.signal=9 exit.cause=@memory exit.sure=1 limits.memory_cgroup_bytes=1e9",
	  { "exit.cause=@time" } },
	{ "swapping",
	  "totals.wall_s=10 totals.swap_peak_bytes=1e9~1e9: totals.faults_major=5000",
	  { "totals.swap_peak_bytes=1e6~1e6:", "totals.faults_major=90",
	    "totals.wall_s=2 totals.faults_major=90", "totals.wall_s=1000",
	    "totals.swap_peak_bytes=1e9~0:1e9" } },
	{ "memory-near",
	  "totals.memory_tree_peak_bytes=95e8 limits.memory_cgroup_bytes=1e10",
	  { "totals.memory_tree_peak_bytes=7e9", "totals.memory_tree_peak_bytes=95e8~7e9:99e8",
	    "limits.memory_cgroup_bytes=2e10" } },
	{ "memory-low",
	  FINE "totals.memory_tree_peak_bytes=5e9 limits.memory_requested_bytes=128e9",
	  { "totals.memory_tree_peak_bytes=8e10", "totals.memory_tree_peak_bytes=5e9~5e9:9e10",
	    "totals.memory_tree_peak_bytes=5e9~5e9:", "exit.status=1", "context.tasks=@8",
	    "process=@mpirun", "exit.cause=@disk",
	    "totals.memory_tree_peak_bytes=1e8 limits.memory_requested_bytes=1e9" } },
	{ "too-short", "totals.wall_s=0.3", { "totals.wall_s=3", "exit.cause=@memory" } },
	{ "elsewhere",
	  "totals.wall_s=10 totals.cpu_s=0.1 process=@srun",
	  { "totals.cpu_s=9", "totals.wall_s=0.5" } },
	{ "machine-busy",
	  "totals.wall_s=10 totals.cpu_s=10 totals.machine_busy_s=19.5 machine.cores=2",
	  { "totals.machine_busy_s=12", "totals.cpu_s=19", "machine.cores=16",
	    "totals.wait_cpu_s=9~9:" /* cpu-wait-others says more */ } },
	{ "machine-busy",
	  "totals.wall_s=10 totals.cpu_s=10 totals.machine_busy_s=11 machine.cores=2 "
	  "totals.machine_steal_s=4",
	  { "totals.machine_steal_s=0.1", "totals.machine_steal_s=4~:" } },
	{ "ask-for",
	  FINE SLURM
	  "totals.wall_s=252 totals.cpu_s=250 totals.cores_peak=1 limits.cores_requested=16",
	  { "context.scheduler=@none", "context.scheduler=@sge", "limits.cores_requested=1",
	    "totals.cores_peak=16", "totals.wait_cpu_s=9999~9999:", "exit.status=1",
	    "context.nodes=@2", "process=@ssh totals.cpu_s=1" } },
	{ "ask-for", /* time alone */
	  FINE SLURM "totals.wall_s=252 totals.cpu_s=250 limits.time_s=86400",
	  { "limits.time_s=600", "exit.cause=@memory" } },
	{ "ask-for", /* memory alone: less, and more */
	  FINE SLURM "totals.wall_s=252 totals.cpu_s=250 totals.memory_tree_peak_bytes=1e9 "
		     "limits.memory_requested_bytes=64e9",
	  { "limits.memory_requested_bytes=2e9",
	    "totals.memory_tree_peak_bytes=1e9~1e9:", "totals.swap_peak_bytes=1e9~1e9:" } },
	{ "ask-for",
	  FINE SLURM "totals.wall_s=252 totals.cpu_s=250 totals.memory_tree_peak_bytes=63e9 "
		     "limits.memory_requested_bytes=64e9",
	  { "totals.memory_tree_peak_bytes=63e9~40e9:63e9" } },
	{ "time-low",
	  FINE "totals.wall_s=252 totals.cpu_s=250 limits.time_s=86400",
	  { "limits.time_s=600", "exit.status=1", "totals.wall_s=40000" } },
};

static void add_process(struct facts *facts, const char *name, uint64_t ended_ns)
{
	struct process *process = facts_add_process(facts);

	process->id = (uint32_t)facts->n_processes;
	process->name = arena_copy(&facts->arena, name);
	process->ended_ns = ended_ns;
}

static double bound(const char **cursor, double fallback)
{
	char *end;
	double number = strtod(*cursor, &end);

	if (end == *cursor)
		return fallback;
	*cursor = end;
	return number;
}

static void add_figure(struct facts *facts, const char *section, const char *name, const char *text)
{
	struct fact fact = { .section = section, .name = name, .low = NAN, .high = NAN };

	fact.value = value_read(bound(&text, 0));
	if (*text == '~') {
		fact.value.how = HOW_ESTIMATED;
		text++;
		fact.low = bound(&text, NAN);
		assert_int_equal(*text, ':');
		text++;
		fact.high = bound(&text, NAN);
	}
	assert_int_equal(*text, '\0');
	facts_add(facts, &fact);
}

static void add_word(struct facts *facts, char *word)
{
	char *value = strchr(word, '='), *dot = strchr(word, '.');

	assert_non_null(value);
	*value++ = '\0';
	if (strcmp(word, "process") == 0 || strcmp(word, "brief") == 0) {
		add_process(facts, value + 1, *word == 'p' ? PROCESS_ALIVE : 1000);
		return;
	}
	assert_non_null(dot);
	*dot = '\0';
	if (*value == '@')
		facts_add_text(facts, word, dot + 1, value + 1);
	else
		add_figure(facts, word, dot + 1, value);
}

static void add_words(struct facts *facts, const char *words)
{
	CLEANUP(freep) char *copy = mem_copy(words);
	char *rest;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		add_word(facts, word);
}

static const struct advice *spoken(struct facts *facts, const char *rule)
{
	rules_add(facts);
	for (size_t i = 0; i < facts->n_advice; i++) {
		if (strcmp(facts->advice[i].rule, rule) == 0)
			return &facts->advice[i];
	}
	return NULL;
}

static void fire_and_do_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };

		print_message("%s: %s\n", cases[i].rule, cases[i].fires);
		add_words(&facts, cases[i].fires);
		assert_non_null(spoken(&facts, cases[i].rule));
		for (const char *const *beside = cases[i].beside;
		     beside < cases[i].beside + COUNT(cases[i].beside) && *beside; beside++) {
			CLEANUP(facts_clear) struct facts other = { 0 };

			print_message("  not with %s\n", *beside);
			add_words(&other, cases[i].fires);
			add_words(&other, *beside);
			assert_null(spoken(&other, cases[i].rule));
		}
	}
}

/* Every alternative of a need becomes absent, or an estimate without a bracket. */
static void spoil(struct facts *facts, const char *need, bool absent)
{
	CLEANUP(freep) char *copy = mem_copy(need);
	char *rest;

	for (char *one = strtok_r(copy, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
		char *name = strchr(one, '.');
		const struct fact *found;
		struct fact fact;

		*name++ = '\0';
		found = facts_find(facts, one, name);
		if (!found)
			continue;
		fact = *found;
		fact.kind = FACT_FIGURE;
		fact.value.how = absent ? HOW_ABSENT : HOW_ESTIMATED;
		fact.low = fact.high = NAN;
		facts_add(facts, &fact);
	}
}

static void absent_and_doubtful_are_silent(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct rule *rule = rule_find(cases[i].rule);

		for (size_t k = 0; rule->needs[k]; k++) {
			for (int absent = 0; absent < 2; absent++) {
				CLEANUP(facts_clear) struct facts facts = { 0 };

				if (rule->needs[k][strlen(rule->needs[k]) - 1] == '?')
					continue;
				print_message("%s without %s\n", rule->id, rule->needs[k]);
				add_words(&facts, cases[i].fires);
				spoil(&facts, rule->needs[k], absent);
				assert_null(spoken(&facts, rule->id));
			}
		}
	}
}

static void running_and_repaired_are_silent(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts running = { .running = true };
		CLEANUP(facts_clear) struct facts repaired = { .repaired = true };

		add_words(&running, cases[i].fires);
		assert_null(spoken(&running, cases[i].rule));
		add_words(&repaired, cases[i].fires);
		if (rule_find(cases[i].rule)->whole)
			assert_null(spoken(&repaired, cases[i].rule));
	}
}

static bool is_tested(const char *id)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (strcmp(cases[i].rule, id) == 0)
			return true;
	}
	return false;
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; rule_table[i]; i++) {
		const struct rule *rule = rule_table[i];

		print_message("%s\n", rule->id);
		assert_true(is_tested(rule->id));
		assert_ptr_equal(rule_find(rule->id), rule);
		assert_true(rule->title && rule->fires && rule->say && rule->evidence);
		assert_true(rule->means && rule->seen && rule->remedy && rule->ignore);
		for (const char *const *other = rule->silences; *other; other++) {
			assert_non_null(rule_find(*other));
			assert_string_not_equal(*other, rule->id);
		}
	}
	assert_null(rule_find("one"));
}

/* What is said, word for word. */
static void sentences(void **state)
{
	static const struct {
		const char *rule, *facts, *text, *next;
	} rows[] = {
		{ "one-core",
		  FINE "totals.wall_s=100 totals.cpu_s=99 totals.cores_peak=1.1 limits.cores=16",
		  "One core was busy at a time, of 16 that it may use.",
		  "see whether it has an option for threads, processes or workers: sonde explain "
		  "one-core" },
		{ "ask-for",
		  FINE SLURM "totals.wall_s=252 totals.cpu_s=260 totals.cores_peak=1.1 "
			     "limits.cores_requested=16 totals.memory_tree_peak_bytes=5e9~5e9:52e8 "
			     "limits.memory_requested_bytes=137438953472 limits.time_s=86400",
		  "Used of what was asked for: 1 of 16 cores, 4.66 GiB of 128 GiB, 4 min 12 s of 1 "
		  "d 0 h.",
		  "ask for --cpus-per-task=1 --mem=6G --time=00:07:00" },
		{ "ask-for",
		  FINE "context.scheduler=@pbs totals.wall_s=90000 totals.cpu_s=90000 "
		       "totals.cores_peak=3.9 limits.cores_requested=16 "
		       "totals.memory_tree_peak_bytes=2e8 "
		       "limits.memory_requested_bytes=137438953472 limits.time_s=864000",
		  NULL, "ask for -l select=1:ncpus=4:mem=256mb -l walltime=37:30:00" },
		{ "ask-for", /* PBS names cores with memory */
		  FINE
		  "context.scheduler=@pbs totals.wall_s=100 totals.cpu_s=100 "
		  "limits.cores_requested=4 totals.cores_peak=4 totals.memory_tree_peak_bytes=2e8 "
		  "limits.memory_requested_bytes=137438953472",
		  NULL, "ask for -l select=1:ncpus=4:mem=256mb" },
		{ "ask-for",
		  FINE "context.scheduler=@none context.kubernetes_pod=@p totals.wall_s=90000 "
		       "totals.cpu_s=90000 totals.cores_peak=1 limits.cores_quota=4 "
		       "totals.memory_tree_peak_bytes=5e9 limits.memory_cgroup_bytes=137438953472",
		  NULL,
		  "ask for resources: {requests: {cpu: \"1\", memory: 6Gi}, limits: {cpu: \"1\", "
		  "memory: 6Gi}}" },
		{ "ask-for", /* days */
		  FINE SLURM "totals.wall_s=90000 totals.cpu_s=90000 limits.time_s=864000", NULL,
		  "ask for --time=1-13:30:00" },
		{ "killed-for-memory",
		  SLURM "exit.cause=@memory exit.sure=1 limits.memory_cgroup_bytes=4294967296",
		  "It needs more memory than its limit of 4 GiB; how much more is not known.",
		  "ask for --mem=6G (half as much again, rounded up)" },
		{ "killed-for-memory",
		  SLURM "context.tasks=@8 exit.cause=@memory exit.sure=1 "
			"limits.memory_cgroup_bytes=4294967296",
		  NULL, "ask for 6 GiB (half as much again, rounded up)" },
		{ "killed-for-memory",
		  "exit.cause=@memory exit.sure=0 machine.memory_bytes=4294967296",
		  "It probably needs more memory than was free of the machine's 4 GiB; how much "
		  "more is not known.",
		  "use a machine with more memory, or work on smaller pieces of the input" },
		{ "killed-for-memory",
		  "exit.cause=@memory limits.memory_ulimit_bytes=4294967296 "
		  "limits.memory_cgroup_bytes=9e9",
		  "It probably needs more memory than the 4 GiB that 'ulimit' allows; how much "
		  "more is not known.",
		  "raise it: ulimit -v unlimited; ulimit -d unlimited" },
		{ "too-many-threads",
		  "totals.wall_s=10 totals.cpu_s=19 totals.wait_cpu_s=50~50: "
		  "totals.threads_peak=8~8: limits.cores=2 machine.cores=2",
		  "6.9 threads or processes wanted to run at once, on 2 cores.",
		  "start 2, often by OMP_NUM_THREADS=2 or an option like --threads=2" },
		{ "time-low", FINE SLURM "context.tasks=@8 totals.wall_s=252 limits.time_s=86400",
		  "It took 4 min 12 s, and the job may take 1 d 0 h.",
		  "ask for --time=00:07:00, half as much again as it took" },
		{ "cpu-wait-cores",
		  SLURM "totals.wall_s=10 totals.cpu_s=20 totals.wait_cpu_s=20~20: limits.cores=2 "
			"machine.cores=16",
		  "It may use 2 of the machine's 16 cores, and had work for 4.",
		  "ask for --cpus-per-task=4, or start only 2 at once" },
		{ "cpu-wait-quota",
		  "totals.wall_s=10 totals.cpu_s=5 totals.cgroup_throttled_s=4.9 "
		  "limits.cores_quota=0.5",
		  "Its CPU quota of 0.5 cores held it back.",
		  "ask for 1 core, or start fewer threads" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		const struct advice *advice;

		add_words(&facts, rows[i].facts);
		advice = spoken(&facts, rows[i].rule);
		assert_non_null(advice);
		if (rows[i].text)
			assert_string_equal(advice->text, rows[i].text);
		assert_string_equal(advice->next, rows[i].next);
		assert_true(advice->evidence[0] != '\0');
	}
}

static void most_important_first(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	add_words(&facts,
		  FINE SLURM "totals.wall_s=252 totals.cpu_s=250 totals.cores_peak=1 "
			     "limits.cores=16 limits.cores_requested=16 limits.time_s=86400");
	advise(&facts);
	assert_int_equal(facts.n_advice, 3);
	assert_string_equal(facts.advice[0].rule, "one-core");
	assert_string_equal(facts.advice[1].rule, "ask-for");
	assert_string_equal(facts.advice[2].rule, "time-low");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fire_and_do_not),
		cmocka_unit_test(absent_and_doubtful_are_silent),
		cmocka_unit_test(running_and_repaired_are_silent),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(sentences),
		cmocka_unit_test(most_important_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
