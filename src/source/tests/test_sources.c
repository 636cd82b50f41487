/* Every source on every machine, and what all sources have in common. */
#include "source/stat.h"
#include "source/tests/helper.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define GUEST FIXTURES "guest-cgroup1"
#define DESKTOP FIXTURES "desktop-cgroup2"
#define SLURM2 FIXTURES "slurm-cgroup2"
#define SLURM1 FIXTURES "slurm-cgroup1"
#define KUBERNETES FIXTURES "kubernetes-cgroup2"
#define DOCKER FIXTURES "docker-cgroup1"
#define OLD FIXTURES "linux-3.10"
#define PAGES(count) ((count) * (double)sysconf(_SC_PAGESIZE))

static int pid_of(const char *root)
{
	return strcmp(root, GUEST) == 0 ? 21926 : 1000;
}

static const struct {
	const char *root, *source, *metric;
	enum how how;
	double number;
} cases[] = {
	{ GUEST, "stat", "cpu_s", HOW_MEASURED, 1.46 },
	{ GUEST, "stat", "cpu_user_s", HOW_MEASURED, 1.33 },
	{ GUEST, "stat", "cpu_system_s", HOW_MEASURED, 0.13 },
	{ GUEST, "stat", "faults_minor", HOW_MEASURED, 14742 + 14237 },
	{ GUEST, "stat", "faults_major", HOW_MEASURED, 4 },
	{ GUEST, "stat", "threads", HOW_MEASURED, 4 },
	{ GUEST, "stat", "wait_io_s", HOW_ABSENT, 0 }, /* task_delayacct is 0 */
	{ GUEST, "io", "io_read_bytes", HOW_MEASURED, 10285074 },
	{ GUEST, "io", "io_write_bytes", HOW_MEASURED, 3001725 },
	{ GUEST, "io", "io_read_calls", HOW_MEASURED, 1230 },
	{ GUEST, "io", "io_write_calls", HOW_MEASURED, 35 },
	{ GUEST, "io", "storage_read_bytes", HOW_MEASURED, 102400 },
	{ GUEST, "io", "storage_write_bytes", HOW_MEASURED, 3006464 },
	{ GUEST, "schedstat", "wait_cpu_s", HOW_MEASURED,
	  (90132312. + 352694733 + 379896588 + 418810022) / 1e9 },
	{ GUEST, "cgroup", "memory_cgroup_bytes", HOW_MEASURED, 56184832 },
	{ GUEST, "cgroup", "memory_cgroup_high_bytes", HOW_MEASURED, 57434112 },
	{ GUEST, "cgroup", "cgroup_cpu_s", HOW_MEASURED, 0 },
	{ GUEST, "cgroup", "cgroup_pressure_cpu_s", HOW_ABSENT, 0 }, /* the whole machine's */
	{ GUEST, "frequency", "frequency_hz", HOW_ABSENT, 0 },
	{ DESKTOP, "stat", "cpu_s", HOW_MEASURED, 131.73 },
	{ DESKTOP, "stat", "faults_minor", HOW_MEASURED, 5700 },
	{ DESKTOP, "stat", "faults_major", HOW_MEASURED, 15 },
	{ DESKTOP, "stat", "wait_io_s", HOW_ESTIMATED, 0.42 }, /* of 4 threads, one is seen */
	{ DESKTOP, "statm", "memory_bytes", HOW_MEASURED, -51200 /* pages */ },
	{ DESKTOP, "schedstat", "wait_cpu_s", HOW_MEASURED, 0.026 },
	{ DESKTOP, "smaps", "memory_pss_bytes", HOW_MEASURED, 150000 * 1024. },
	{ DESKTOP, "status", "swap_bytes", HOW_MEASURED, 2048 * 1024. },
	{ DESKTOP, "status", "memory_high_bytes", HOW_MEASURED, 262144 * 1024. },
	{ DESKTOP, "machine", "machine_busy_s", HOW_MEASURED, 0 },
	{ DESKTOP, "load", "machine_load", HOW_MEASURED, 2.57 },
	{ DESKTOP, "load", "machine_runnable", HOW_MEASURED, 3 },
	{ DESKTOP, "pressure", "pressure_cpu_s", HOW_MEASURED, 0 },
	{ DESKTOP, "meminfo", "machine_memory_used_bytes", HOW_MEASURED, 7000000 * 1024. },
	{ DESKTOP, "meminfo", "machine_swap_used_bytes", HOW_MEASURED, 500000 * 1024. },
	{ DESKTOP, "frequency", "frequency_hz", HOW_MEASURED, 2.75e9 },
	{ DESKTOP, "cgroup", "memory_cgroup_bytes", HOW_MEASURED, 700000000 },
	{ DESKTOP, "cgroup", "cgroup_pressure_io_s", HOW_MEASURED, 0 },
	{ SLURM2, "stat", "wait_io_s", HOW_ABSENT, 0 },
	{ SLURM2, "cgroup", "memory_cgroup_bytes", HOW_MEASURED, 3000000000 },
	{ SLURM2, "cgroup", "memory_cgroup_high_bytes", HOW_MEASURED, 4000000000 },
	{ SLURM2, "cgroup", "cgroup_oom_kills", HOW_MEASURED, 0 },
	{ SLURM1, "stat", "wait_io_s", HOW_ESTIMATED, 0.42 }, /* no switch, and not 0 */
	{ SLURM1, "pressure", "pressure_io_s", HOW_ABSENT, 0 },
	{ SLURM1, "cgroup", "cgroup_cpu_s", HOW_MEASURED, 0 },
	{ SLURM1, "cgroup", "memory_cgroup_bytes", HOW_MEASURED, 2147483648 },
	{ SLURM1, "cgroup", "cgroup_pressure_cpu_s", HOW_ABSENT, 0 },
	{ KUBERNETES, "stat", "threads", HOW_MEASURED, 1 },
	{ KUBERNETES, "stat", "wait_io_s", HOW_MEASURED, 0.42 },
	{ KUBERNETES, "schedstat", "wait_cpu_s", HOW_MEASURED, 0.005 },
	{ KUBERNETES, "cgroup", "memory_cgroup_bytes", HOW_MEASURED, 1500000000 },
	{ KUBERNETES, "cgroup", "cgroup_throttled_s", HOW_MEASURED, 0 },
	{ DOCKER, "stat", "cpu_user_s", HOW_MEASURED, 124.45 },
	{ DOCKER, "cgroup", "memory_cgroup_bytes", HOW_MEASURED, 104857600 },
	{ DOCKER, "cgroup", "cgroup_cpu_s", HOW_MEASURED, 0 },
	{ OLD, "stat", "cpu_s", HOW_MEASURED, 131.73 },
	{ OLD, "io", "io_read_bytes", HOW_MEASURED, 52429397 },
	{ OLD, "smaps", "memory_pss_bytes", HOW_ABSENT, 0 },
	{ OLD, "pressure", "pressure_cpu_s", HOW_ABSENT, 0 },
	{ OLD, "meminfo", "machine_memory_used_bytes", HOW_ABSENT, 0 },
	{ OLD, "meminfo", "machine_swap_used_bytes", HOW_MEASURED, 0 },
	{ OLD, "cgroup", "memory_cgroup_bytes", HOW_ABSENT, 0 }, /* the whole machine's */
};

static void machines_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct value got = value_once(cases[i].root, pid_of(cases[i].root), cases[i].source,
					      cases[i].metric);
		double expected = cases[i].number;

		if (expected < 0)
			expected = PAGES(-expected);
		if (got.how != cases[i].how || fabs(got.number - expected) > 1e-9)
			fail_msg("%s %s: %s %.9f", cases[i].root, cases[i].metric,
				 how_name(got.how), got.number);
	}
}

static const char *const roots[] = { GUEST, DESKTOP, SLURM2, SLURM1, KUBERNETES, DOCKER, OLD };

/* A source that opens can be read twice, and says the same when nothing changed. */
static void readings_repeat(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(roots); i++) {
		for (const struct source *const *s = source_table; *s; s++) {
			struct value first[VALUES_AT_MOST] = { 0 }, second[VALUES_AT_MOST] = { 0 };
			void *at;

			if ((*s)->open(roots[i], pid_of(roots[i]), &at, NULL) < 0)
				continue;
			assert_int_equal((*s)->read(at, first, NULL), 0);
			assert_int_equal((*s)->read(at, second, NULL), 0);
			assert_memory_equal(first, second, sizeof(first));
			(*s)->close(at);
		}
	}
}

static void names_are_kept_whole(void **state)
{
	static const struct {
		const char *root, *name;
	} names[] = { { KUBERNETES, ") R 1 (" }, { DOCKER, "evil\n\x1b[2J\xff" } };
	struct value values[VALUES_AT_MOST];
	void *at;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_int_equal(source_stat.open(names[i].root, 1000, &at, NULL), 0);
		assert_null(source_stat_last(at));
		assert_int_equal(source_stat.read(at, values, NULL), 0);
		assert_string_equal(source_stat_last(at)->name, names[i].name);
		assert_int_equal(source_stat_last(at)->starttime, 99999);
		source_stat.close(at);
	}
}

static bool ends_with_unit(const struct metric *metric)
{
	const char *suffix = unit_suffix(metric->unit);
	size_t name = strlen(metric->name), length = strlen(suffix);

	return !*suffix || (name > length && metric->name[name - length - 1] == '_' &&
			    strcmp(metric->name + name - length, suffix) == 0);
}

static void rows_are_complete(void **state)
{
	(void)state;
	for (const struct source *const *s = source_table; *s; s++) {
		assert_true((*s)->name && (*s)->help && (*s)->files && (*s)->files[0]);
		assert_true((*s)->open && (*s)->read && (*s)->close);
		assert_in_range(source_count(*s), 1, VALUES_AT_MOST);
		assert_true(strlen((*s)->help) < 100);
		for (const char *const *file = (*s)->files; *file; file++)
			assert_true((*file)[0] != '/');
		(*s)->close(NULL);
	}
}

static bool is_named(const struct source *const *s, enum scope scope, const char *name)
{
	for (; *s; s++) {
		for (const struct metric *m = (*s)->metrics; (*s)->scope == scope && m->name; m++) {
			if (strcmp(m->name, name) == 0)
				return true;
		}
	}
	return false;
}

static void metrics_are_named_once(void **state)
{
	(void)state;
	for (const struct source *const *s = source_table; *s; s++) {
		for (const struct metric *m = (*s)->metrics; m->name; m++) {
			assert_non_null(m->help);
			assert_true(ends_with_unit(m));
			assert_false(is_named(s + 1, (*s)->scope, m->name));
		}
	}
}

static void order_is_that_of_recordings(void **state)
{
	static const char *const names[] = { "stat",  "statm",    "io",      "schedstat",
					     "smaps", "status",   "files",   "machine",
					     "load",  "pressure", "meminfo", "frequency",
					     "cgroup" };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_string_equal(source_table[i]->name, names[i]);
	assert_null(source_table[COUNT(names)]);
}

/* Empty and cut files: an error that names them, or an absent value, never a number. */
static void broken_files_give_nothing(void **state)
{
	static const char *const texts[] = {
		"", "\n", "x", "-1", "99999999999999999999 99999999999999999999", "("
	};
	CLEANUP(remove_all) char *root = directory_new();

	(void)state;
	for (size_t k = 0; k < COUNT(texts); k++) {
		for (const struct source *const *s = source_table; *s; s++) {
			struct value values[VALUES_AT_MOST] = { 0 };
			void *at;

			for (const char *const *file = (*s)->files; *file; file++) {
				char path[128];
				int pid = 1000;

				if (strchr(*file, '*'))
					continue;
				snprintf(path, sizeof(path), *file, pid);
				write_file(root, path, texts[k]);
			}
			if ((*s)->open(root, 1000, &at, NULL) < 0)
				continue;
			(*s)->read(at, values, NULL);
			for (size_t i = 0; i < source_count(*s); i++)
				assert_false(value_is(values[i]));
			(*s)->close(at);
		}
	}
}

static const struct {
	const char *source, *metric;
	const char *path, *before, *after;
	double grew_by;
} counters[] = {
	{ "machine", "machine_busy_s", "proc/stat", "cpu  100 0 0 900 0 0 0 0 0 0\n",
	  "cpu  150 20 30 900 9 10 5 7 50 20\n", 1.15 },
	{ "machine", "machine_steal_s", "proc/stat", "cpu  100 0 0 900 0 0 0 10 0 0\n",
	  "cpu  100 0 0 900 0 0 0 35 0 0\n", 0.25 },
	{ "machine", "machine_iowait_s", "proc/stat", "cpu  100 0 0 900 50 0 0 10 0 0\n",
	  "cpu  100 0 0 900 40 0 0 35 0 0\n", 0 }, /* iowait may step back */
	{ "pressure", "pressure_memory_s", "proc/pressure/memory", "some avg10=0 total=1000000\n",
	  "some avg10=0 total=3500000\n", 2.5 },
	{ "cgroup", "cgroup_cpu_s", "sys/fs/cgroup/a/b/cpu.stat",
	  "usage_usec 5000000\nthrottled_usec 1\n", "usage_usec 7250000\nthrottled_usec 1\n",
	  2.25 },
	{ "cgroup", "cgroup_throttled_s", "sys/fs/cgroup/a/cpu.stat",
	  "usage_usec 1\nthrottled_usec 100\n", "usage_usec 1\nthrottled_usec 500100\n", 0.5 },
	{ "cgroup", "cgroup_oom_kills", "sys/fs/cgroup/a/b/memory.events", "oom 9\noom_kill 2\n",
	  "oom 9\noom_kill 5\n", 3 },
	{ "cgroup", "cgroup_pressure_cpu_s", "sys/fs/cgroup/a/b/cpu.pressure",
	  "some avg10=0 total=5\n", "some avg10=0 total=1000005\n", 1 },
};

/* Own group a/b; the quota, and so the count of being held back, is a's. */
static void group_write(const char *root)
{
	write_file(root, "proc/1000/cgroup", "0::/a/b\n");
	write_file(root, "proc/1000/mountinfo",
		   "32 24 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	write_file(root, "sys/fs/cgroup/a/b/cpu.stat", "usage_usec 1\nthrottled_usec 999\n");
	write_file(root, "sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	write_file(root, "sys/fs/cgroup/a/cpu.max", "50000 100000\n");
	write_file(root, "sys/fs/cgroup/a/cpu.stat", "usage_usec 1\nthrottled_usec 1\n");
}

static void counters_begin_at_the_run(void **state)
{
	CLEANUP(remove_all) char *root = directory_new();

	(void)state;
	group_write(root);
	for (size_t i = 0; i < COUNT(counters); i++) {
		const struct source *source = source_named(counters[i].source);
		struct value values[VALUES_AT_MOST] = { 0 };
		void *at;

		write_file(root, counters[i].path, counters[i].before);
		assert_int_equal(source->open(root, 1000, &at, NULL), 0);
		assert_int_equal(source->read(at, values, NULL), 0);
		assert_true(value_named(source, values, counters[i].metric).number == 0);
		write_file(root, counters[i].path, counters[i].after);
		assert_int_equal(source->read(at, values, NULL), 0);
		assert_true(fabs(value_named(source, values, counters[i].metric).number -
				 counters[i].grew_by) < 1e-9);
		source->close(at);
	}
}

static void thread_write(const char *root, int tid, int wait_ms)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "proc/1000/task/%d/schedstat", tid);
	snprintf(text, sizeof(text), "5 %d000000 7\n", wait_ms);
	write_file(root, path, text);
}

static void thread_remove(const char *root, int tid)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/proc/1000/task/%d/schedstat", root, tid);
	assert_int_equal(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
}

static void assert_wait(void *at, enum how how, double wait_s)
{
	struct value got = { 0 };

	assert_int_equal(source_named("schedstat")->read(at, &got, NULL), 0);
	assert_int_equal(got.how, how);
	assert_true(fabs(got.number - wait_s) < 1e-9);
}

/* Threads come, wait, and go; what they waited stays, and one with the same number is new. */
static void waits_of_ended_threads_stay(void **state)
{
	CLEANUP(remove_all) char *root = directory_new();
	void *at;

	(void)state;
	write_file(root, "proc/1000/schedstat", "5 100000000 7\n");
	thread_write(root, 1000, 100);
	assert_int_equal(source_named("schedstat")->open(root, 1000, &at, NULL), 0);
	assert_wait(at, HOW_MEASURED, 0.1);
	thread_write(root, 1001, 20);
	thread_write(root, 1002, 3);
	assert_wait(at, HOW_MEASURED, 0.123);
	thread_write(root, 1001, 30);
	thread_remove(root, 1002);
	assert_wait(at, HOW_ESTIMATED, 0.133);
	thread_write(root, 1001, 10);
	assert_wait(at, HOW_ESTIMATED, 0.143);
	thread_remove(root, 1001);
	assert_wait(at, HOW_ESTIMATED, 0.143);
	source_named("schedstat")->close(at);
}

static void uncounted_waits_are_absent(void **state)
{
	CLEANUP(remove_all) char *root = directory_new();

	(void)state;
	write_file(root, "proc/1000/schedstat", "0 0 0\n");
	write_file(root, "proc/1000/task/1000/schedstat", "0 0 0\n");
	assert_false(value_is(value_once(root, 1000, "schedstat", "wait_cpu_s")));
	write_file(root, "proc/1000/task/1001/schedstat", "0 0 0\n");
	assert_false(value_is(value_once(root, 1000, "schedstat", "wait_cpu_s")));
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 5,000 threads of 1 ms each: a read takes some of them, and five reads have all. */
static void many_threads_are_read_in_turns(void **state)
{
	CLEANUP(remove_all) char *root = directory_new();
	struct value got = { 0 };
	double start;
	void *at;

	(void)state;
	write_file(root, "proc/1000/schedstat", "5 1000000 7\n");
	for (int i = 0; i < 5000; i++)
		thread_write(root, 1000 + i, 1);
	assert_int_equal(source_named("schedstat")->open(root, 1000, &at, NULL), 0);
	start = cpu_s();
	assert_wait(at, HOW_ESTIMATED, 1.0);
	assert_true(cpu_s() - start < 0.2);
	for (int i = 0; i < 4; i++)
		assert_int_equal(source_named("schedstat")->read(at, &got, NULL), 0);
	assert_true(fabs(got.number - 5.0) < 1e-9);
	source_named("schedstat")->close(at);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_are_read),
		cmocka_unit_test(readings_repeat),
		cmocka_unit_test(names_are_kept_whole),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(metrics_are_named_once),
		cmocka_unit_test(order_is_that_of_recordings),
		cmocka_unit_test(broken_files_give_nothing),
		cmocka_unit_test(counters_begin_at_the_run),
		cmocka_unit_test(waits_of_ended_threads_stay),
		cmocka_unit_test(uncounted_waits_are_absent),
		cmocka_unit_test(many_threads_are_read_in_turns),
	};

	return cmocka_run_group_tests_name("sources", tests, NULL, NULL);
}
