/* Real processes of known doings, on the machine that runs the test. */
#include "source/clock.h"
#include "source/stat.h"
#include "source/status.h"
#include "source/tests/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define MIB (1024. * 1024)

/* A child that waits for a byte, does its work, answers with a byte and so on. */
struct child {
	int pid, to, from;
};

static double own_cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void write_a_million(void)
{
	static char block[100000];
	int fd = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 10; i++)
		file_write(fd, block, sizeof(block));
	close(fd);
}

static void burn_200_ms(void)
{
	double start = own_cpu_s();

	while (own_cpu_s() - start < 0.2)
		continue;
}

/* Ten children of 20 ms that are waited for. */
static void burn_in_children(void)
{
	for (int i = 0; i < 10; i++) {
		int pid = fork();

		if (pid == 0) {
			while (own_cpu_s() < 0.02)
				continue;
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void touch_64_mib(void)
{
	char *memory = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	memset(memory, 1, 64 << 20);
}

static void free_what_is_touched(void)
{
	char *memory = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	memset(memory, 1, 64 << 20);
	munmap(memory, 64 << 20);
}

static void *sleep_long(void *nothing)
{
	pause();
	return nothing;
}

static void start_3_threads(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, sleep_long, NULL);
	}
}

static void open_100_files(void)
{
	const struct rlimit limit = { 200, 200 };

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 100; i++)
		(void)!open("/dev/null", O_RDONLY);
}

static void ignore_children(void)
{
	signal(SIGCHLD, SIG_IGN);
}

static void take_a_name(void)
{
	prctl(PR_SET_NAME, ") R 1 (");
}

static void become_another(void)
{
	execl("/bin/sh", "sh", "-c", "kill -STOP $$", (char *)NULL);
}

/* However busy the machine is: the child has done all that it does for now. */
static void child_await(const struct child *child, char wanted)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/stat", child->pid);
	for (int i = 0; i < 10000; i++) {
		CLEANUP(freep) char *text = NULL;
		struct proc_stat stat;
		ssize_t length = file_read("/", path, &text, NULL);

		assert_true(length > 0);
		assert_int_equal(proc_stat_parse(text, (size_t)length, &stat), 0);
		if (stat.state == wanted)
			return;
		usleep(1000);
	}
	fail_msg("the child is never in state %c", wanted);
}

static void child_loop(int from, int to, void (*work)(void))
{
	char byte;

	while (read(from, &byte, 1) == 1) {
		work();
		file_write(to, &byte, 1);
	}
	_exit(0);
}

static struct child child_new(void (*work)(void))
{
	int down[2], up[2];
	struct child child;

	assert_int_equal(pipe(down), 0);
	assert_int_equal(pipe(up), 0);
	child.pid = fork();
	if (child.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the test fails */
		close(down[1]);
		close(up[0]);
		child_loop(down[0], up[1], work);
	}
	close(down[0]);
	close(up[1]);
	child.to = down[1];
	child.from = up[0];
	child_await(&child, 'S');
	return child;
}

static void child_tell(const struct child *child)
{
	char byte = 0;

	assert_int_equal(write(child->to, &byte, 1), 1);
}

static void child_work(const struct child *child)
{
	char byte;

	child_tell(child);
	assert_int_equal(read(child->from, &byte, 1), 1);
	child_await(child, 'S');
}

static void child_end(struct child *child)
{
	close(child->to);
	close(child->from);
	if (child->pid <= 0)
		return;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}

static struct value now(const struct child *child, const char *source, const char *metric)
{
	return value_once("/", child->pid, source, metric);
}

static void open_files_are_counted(void **state)
{
	CLEANUP(child_end) struct child child = child_new(open_100_files);
	struct value before = now(&child, "files", "open_files"), after;

	(void)state;
	child_work(&child);
	after = now(&child, "files", "open_files");
	if (value_is(before)) /* of a few, old kernels tell nothing */
		assert_true(after.number == before.number + 100);
	assert_true(after.how == HOW_MEASURED && after.number >= 100 && after.number < 200);
	assert_true(now(&child, "files", "open_files_share").number == after.number / 200);
}

/* Exactly the million, and the byte of the answer; ten calls, and one. */
static void io_is_exact(void **state)
{
	CLEANUP(child_end) struct child child = child_new(write_a_million);
	double bytes = now(&child, "io", "io_write_bytes").number;
	double calls = now(&child, "io", "io_write_calls").number;

	(void)state;
	child_work(&child);
	assert_true(now(&child, "io", "io_write_bytes").number - bytes == 1000001);
	assert_true(now(&child, "io", "io_write_calls").number - calls == 11);
}

static void cpu_is_exact(void **state)
{
	CLEANUP(child_end) struct child child = child_new(burn_200_ms);
	double before = now(&child, "stat", "cpu_s").number, after;

	(void)state;
	child_work(&child);
	after = now(&child, "stat", "cpu_s").number;
	/* More than 0.2 s by what waking up and answering cost, which is far below 10 ms. */
	/* in whole ticks of 10 ms, each cut off */
	assert_true(after - before > 0.179 && after - before < 0.221);
}

/* What children used is told in ticks of 10 ms, the sum rounded down. */
static void children_are_counted(void **state)
{
	CLEANUP(child_end) struct child child = child_new(burn_in_children);
	double before = now(&child, "stat", "cpu_s").number, after;

	(void)state;
	child_work(&child);
	after = now(&child, "stat", "cpu_s").number;
	assert_true(after - before >= 0.19 && after - before < 0.4);
}

static void memory_is_seen(void **state)
{
	CLEANUP(child_end) struct child child = child_new(touch_64_mib);
	double rss = now(&child, "statm", "memory_bytes").number;
	double pss = now(&child, "smaps", "memory_pss_bytes").number;

	(void)state;
	child_work(&child);
	assert_true(fabs(now(&child, "statm", "memory_bytes").number - rss - 64 * MIB) < 2 * MIB);
	assert_true(fabs(now(&child, "smaps", "memory_pss_bytes").number - pss - 64 * MIB) <
		    2 * MIB);
	assert_true(now(&child, "status", "swap_bytes").how == HOW_MEASURED);
}

static void peaks_stay(void **state)
{
	CLEANUP(child_end) struct child child = child_new(free_what_is_touched);

	(void)state;
	child_work(&child);
	assert_true(now(&child, "statm", "memory_bytes").number < 40 * MIB);
	assert_true(now(&child, "status", "memory_high_bytes").number > 64 * MIB);
}

static void threads_are_counted(void **state)
{
	CLEANUP(child_end) struct child child = child_new(start_3_threads);

	(void)state;
	assert_true(now(&child, "stat", "threads").number == 1);
	child_work(&child);
	assert_true(now(&child, "stat", "threads").number == 4);
	assert_true(value_is(now(&child, "schedstat", "wait_cpu_s")));
}

static void ignored_signals_are_seen(void **state)
{
	CLEANUP(child_end) struct child child = child_new(ignore_children);
	struct proc_status status;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "proc/%d/status", child.pid);
	for (int i = 0; i < 2; i++) {
		CLEANUP(freep) char *text = NULL;

		assert_true(file_read("/", path, &text, NULL) > 0);
		assert_int_equal(proc_status_parse(text, &status), 0);
		assert_int_equal(proc_status_reaps_itself(&status), i);
		assert_int_equal(status.uid, geteuid());
		assert_int_equal(status.pids[0], child.pid);
		child_work(&child);
	}
}

static void names_are_seen(void **state)
{
	CLEANUP(child_end) struct child child = child_new(take_a_name);
	struct value values[VALUES_AT_MOST];
	void *at;

	(void)state;
	child_work(&child);
	assert_int_equal(source_stat.open("/", child.pid, &at, NULL), 0);
	assert_int_equal(source_stat.read(at, values, NULL), 0);
	assert_string_equal(source_stat_last(at)->name, ") R 1 (");
	assert_int_equal(source_stat_last(at)->ppid, getpid());
	source_stat.close(at);
}

/* Every kept descriptor goes on with the new program. */
static void exec_is_survived(void **state)
{
	CLEANUP(child_end) struct child child = child_new(become_another);
	void *at[16] = { 0 };
	int count = 0;

	(void)state;
	for (; source_table[count]->scope == SCOPE_PROCESS; count++)
		assert_int_equal(source_table[count]->open("/", child.pid, &at[count], NULL), 0);
	child_tell(&child);
	child_await(&child, 'T'); /* it stops itself */
	for (int i = 0; i < count; i++) {
		struct value values[VALUES_AT_MOST] = { 0 };

		assert_int_equal(source_table[i]->read(at[i], values, NULL), 0);
		assert_true(value_is(values[0]));
		if (i == 0)
			assert_string_equal(source_stat_last(at[0])->name, "sh");
	}
	for (int i = 0; i < count; i++)
		source_table[i]->close(at[i]);
}

/* A process that waits to be reaped still has its times; one that is gone has nothing, and whoever
 * gets its number next is not mistaken for it. */
static void ends_are_noticed(void **state)
{
	CLEANUP(child_end) struct child child = child_new(burn_200_ms);
	struct value values[VALUES_AT_MOST] = { 0 };
	double before;
	uint64_t ns;
	void *stat, *statm;

	(void)state;
	assert_int_equal(source_stat.open("/", child.pid, &stat, NULL), 0);
	assert_int_equal(source_named("statm")->open("/", child.pid, &statm, NULL), 0);
	child_work(&child);
	assert_int_equal(source_stat.read(stat, values, NULL), 0);
	before = values[0].number;
	kill(child.pid, SIGKILL);
	waitid(P_PID, (id_t)child.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	assert_int_equal(source_stat.read(stat, values, NULL), 0);
	assert_int_equal(source_stat_last(stat)->state, 'Z');
	assert_true(values[0].number >= before);
	waitpid(child.pid, NULL, 0);
	assert_int_equal(cpu_clock_read(child.pid, &ns), -ESRCH);
	assert_int_equal(source_stat.read(stat, values, NULL), -ESRCH);
	assert_int_equal(source_named("statm")->read(statm, values, NULL), -ESRCH);
	child.pid = 0; /* reaped already */
	source_stat.close(stat);
	source_named("statm")->close(statm);
}

static void clocks_are_read(void **state)
{
	double before = own_cpu_s();
	uint64_t ns, nothing = 7;

	(void)state;
	assert_int_equal(cpu_clock_read(getpid(), &ns), 0);
	assert_true((double)ns / 1e9 >= before && (double)ns / 1e9 <= own_cpu_s());
	assert_int_equal(cpu_clock_read(0, &nothing), -ESRCH);
	assert_int_equal(cpu_clock_read(-1, &nothing), -ESRCH);
	assert_int_equal(cpu_clock_read(0x3fffffff, &nothing), -ESRCH);
	assert_int_equal(nothing, 7);
}

/* With no descriptor to spare, all sources still read. */
static void descriptors_may_be_few(void **state)
{
	CLEANUP(child_end) struct child child = child_new(burn_200_ms);

	(void)state;
	kept_limit(0);
	assert_true(value_is(now(&child, "stat", "cpu_s")));
	assert_true(value_is(now(&child, "io", "io_read_bytes")));
	assert_true(value_is(now(&child, "machine", "machine_busy_s")));
	kept_limit(256);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_files_are_counted),
		cmocka_unit_test(io_is_exact),
		cmocka_unit_test(cpu_is_exact),
		cmocka_unit_test(children_are_counted),
		cmocka_unit_test(memory_is_seen),
		cmocka_unit_test(peaks_stay),
		cmocka_unit_test(threads_are_counted),
		cmocka_unit_test(ignored_signals_are_seen),
		cmocka_unit_test(names_are_seen),
		cmocka_unit_test(exec_is_survived),
		cmocka_unit_test(ends_are_noticed),
		cmocka_unit_test(clocks_are_read),
		cmocka_unit_test(descriptors_may_be_few),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
