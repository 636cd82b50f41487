/* What is captured can be replayed, and holds no names and no secrets. */
#include "source/capture.h"
#include "source/context.h"
#include "source/tests/helper.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Stands still, with a secret in its arguments. */
static int child_new(void)
{
	int pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the test fails */
		execl("/bin/sh", "sh", "-c", "kill -STOP $$", "x", "--token", "hunter2",
		      (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

static void child_end(int *pid)
{
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
}

static bool is_found(const char *directory, const char *word)
{
	char command[512];

	snprintf(command, sizeof(command), "grep -rqwF -- '%s' '%s'", word, directory);
	return system(command) == 0;
}

/* CPU time is in ticks in a replay. PSS falls and rises with whoever else uses the same libraries.
 */
static double room_of(const char *metric)
{
	if (strcmp(metric, "memory_pss_bytes") == 0)
		return 4 << 20;
	return strcmp(metric, "cpu_s") == 0 ? 0.02 : 0;
}

/* Gauges and what a stopped process has used are the same in both; the machine's counters begin at
 * 0 and other gauges of the machine move on. */
static void process_is_replayed(void **state)
{
	CLEANUP(remove_all) char *directory = directory_new();
	CLEANUP(child_end) int pid = child_new();
	struct err err = { 0 };

	(void)state;
	assert_int_equal(source_capture("/", pid, directory, &err), 0);
	for (const struct source *const *s = source_table; *s; s++) {
		for (size_t i = 0; (*s)->scope == SCOPE_PROCESS && i < source_count(*s); i++) {
			const char *metric = (*s)->metrics[i].name;
			struct value live = value_once("/", pid, (*s)->name, metric);
			struct value replayed = value_once(directory, pid, (*s)->name, metric);

			if (strcmp((*s)->name, "files") == 0) /* is in no file */
				continue;
			assert_int_equal(live.how, replayed.how);
			assert_true(fabs(live.number - replayed.number) <= room_of(metric));
		}
	}
}

static void machine_is_replayed(void **state)
{
	CLEANUP(remove_all) char *directory = directory_new();
	CLEANUP(child_end) int pid = child_new();

	(void)state;
	assert_int_equal(source_capture("/", pid, directory, NULL), 0);
	for (const struct source *const *s = source_table; *s; s++) {
		for (size_t i = 0; i < source_count(*s); i++) {
			const char *metric = (*s)->metrics[i].name;

			if (strcmp((*s)->name, "files") == 0) /* is in no file */
				continue;
			assert_int_equal(value_once("/", pid, (*s)->name, metric).how,
					 value_once(directory, pid, (*s)->name, metric).how);
		}
	}
}

static void context_is_replayed(void **state)
{
	static const char *const same[][2] = {
		{ "machine", "cores" },       { "machine", "memory_bytes" },
		{ "limits", "cores" },        { "limits", "cores_quota" },
		{ "limits", "memory_bytes" }, { "limits", "memory_cgroup_bytes" },
		{ "limits", "processes" },    { "limits", "open_files" },
	};
	static const char *const nothing[] = { NULL };
	CLEANUP(remove_all) char *directory = directory_new();
	CLEANUP(child_end) int pid = child_new();
	CLEANUP(facts_clear) struct facts live = { 0 };
	CLEANUP(facts_clear) struct facts replayed = { 0 };

	(void)state;
	assert_int_equal(source_capture("/", pid, directory, NULL), 0);
	context_read_of("/", nothing, NULL, &live);
	context_read_of(directory, nothing, NULL, &replayed);
	for (size_t i = 0; i < COUNT(same); i++) {
		struct value a = facts_value(&live, same[i][0], same[i][1]);
		struct value b = facts_value(&replayed, same[i][0], same[i][1]);

		assert_int_equal(a.how, b.how);
		assert_true(a.number == b.number);
	}
	assert_string_equal(facts_text(&live, "machine", "cgroup_version"),
			    facts_text(&replayed, "machine", "cgroup_version"));
	assert_string_equal(facts_text(&replayed, "run", "host"), "host");
	assert_string_equal(facts_text(&replayed, "run", "user"), "user");
}

static void nothing_private_is_kept(void **state)
{
	CLEANUP(remove_all) char *directory = directory_new();
	CLEANUP(child_end) int pid = child_new();
	char path[256];

	(void)state;
	assert_int_equal(source_capture("/", pid, directory, NULL), 0);
	assert_false(is_found(directory, "hunter2"));
	assert_true(is_found(directory, "--token ***"));
	snprintf(path, sizeof(path), "%s/proc/%d/environ", directory, pid);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "%s/captured.txt", directory);
	assert_int_equal(access(path, R_OK), 0);
}

/* Host and user names go, in paths too; words that only hold them stay. */
static void names_are_replaced(void **state)
{
	CLEANUP(remove_all) char *root = directory_new();
	CLEANUP(remove_all) char *directory = directory_new();

	(void)state;
	write_file(root, "proc/self/status", "Uid:\t7\t7\t7\t7\nThreads:\t1\nSigIgn:\t0\n");
	write_file(root, "proc/9/status", "Uid:\t7\t7\t7\t7\nThreads:\t1\nSigIgn:\t0\n");
	write_file(root, "proc/sys/kernel/hostname", "zeus\n");
	write_file(root, "etc/passwd", "eve:x:8:8::/:/bin/sh\nalice:x:7:7:Alice:/home/alice:\n");
	write_file(root, "proc/9/cgroup", "0::/jobs/alice/malice.scope\n");
	write_file(root, "proc/9/mountinfo",
		   "30 1 8:1 / /home/alice rw - nfs zeus:/home rw\n"
		   "32 24 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	write_file(root, "proc/9/cmdline", "run /home/alice/x zeus");
	write_file(root, "sys/fs/cgroup/jobs/alice/malice.scope/memory.current", "5\n");
	assert_int_equal(source_capture(root, 9, directory, NULL), 0);
	assert_false(is_found(directory, "alice"));
	assert_false(is_found(directory, "zeus"));
	assert_false(is_found(directory, "eve"));
	assert_false(is_found(directory, "nfs"));
	assert_true(is_found(directory, "run /home/user/x host"));
	assert_true(value_once(directory, 9, "cgroup", "memory_cgroup_bytes").number == 5);
}

static void full_places_are_told(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_true(source_capture("/", getpid(), "/proc/nowhere", &err) < 0);
	assert_non_null(strstr(err.text, "cannot capture into '/proc/nowhere'"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_is_replayed), cmocka_unit_test(machine_is_replayed),
		cmocka_unit_test(context_is_replayed), cmocka_unit_test(nothing_private_is_kept),
		cmocka_unit_test(names_are_replaced),  cmocka_unit_test(full_places_are_told),
	};

	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
