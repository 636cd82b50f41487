/* The program tells what it did by its own clocks and counts, which are not those that sonde reads.
 * What comes before and after - the loader, the exit - is in sonde's figure and not in the
 * program's, and each tolerance below says how much that may be. */
#include "cmd/prove.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "series/series.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BURN_S 0.2
#define SLEEP_S 0.2
#define MEMORY_BYTES (64u << 20)
#define IO_BYTES 8000000u
#define IO_PIECE 8000u
#define CHILDREN 20
#define CHILD_S 0.002

#define SELF "/proc/self/exe"

extern char **environ;

static double clock_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void burn(double seconds)
{
	while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < seconds)
		continue;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int do_cpu(void)
{
	burn(BURN_S);
	return printf("cpu_s %.9f\n", clock_s(CLOCK_PROCESS_CPUTIME_ID));
}

static int do_memory(void)
{
	struct rusage before;
	char *memory;

	getrusage(RUSAGE_SELF, &before);
	memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		return -1;
	memset(memory, 1, MEMORY_BYTES);
	return printf("memory_process_peak_bytes %.0f\n",
		      (double)MEMORY_BYTES + (double)before.ru_maxrss * 1024);
}

/* In memory: what is counted are the calls, and no disk need be there. */
static int do_io(void)
{
	CLEANUP(closep) int fd = memfd_create("sonde", MFD_CLOEXEC);
	static char piece[IO_PIECE];
	size_t written = 0, read_back = 0;

	for (ssize_t n = 1; written < IO_BYTES && n > 0; written += n > 0 ? (size_t)n : 0)
		n = write(fd, piece, sizeof(piece));
	lseek(fd, 0, SEEK_SET);
	for (ssize_t n = 1; n > 0; read_back += n > 0 ? (size_t)n : 0)
		n = read(fd, piece, sizeof(piece));
	printf("io_write_bytes %zu\n", written);
	return printf("io_read_bytes %zu\n", read_back);
}

static int do_children(void)
{
	struct rusage children;
	int started = 1; /* we are one, too */

	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child == 0) {
			burn(CHILD_S);
			_exit(0);
		}
		started += child > 0 && waitpid(child, NULL, 0) == child;
	}
	getrusage(RUSAGE_CHILDREN, &children);
	printf("processes %d\n", started);
	return printf("cpu_s %.9f\n", clock_s(CLOCK_PROCESS_CPUTIME_ID) +
					  seconds_of(children.ru_utime) +
					  seconds_of(children.ru_stime));
}

static int do_sleep(void)
{
	double before = clock_s(CLOCK_MONOTONIC);
	struct timespec time = { .tv_nsec = (long)(SLEEP_S * 1e9) };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		continue;
	return printf("wall_s %.9f\n", clock_s(CLOCK_MONOTONIC) - before);
}

static const struct work {
	const char *name;
	int (*act)(void);
} works[] = {
	{ "cpu", do_cpu },           { "memory", do_memory }, { "io", do_io },
	{ "children", do_children }, { "sleep", do_sleep },
};

int prove_work(const char *name)
{
	for (size_t i = 0; i < COUNT(works); i++) {
		if (strcmp(works[i].name, name) != 0)
			continue;
		works[i].act();
		fflush(stdout);
		_exit(0); /* what exit() does is not in the account any more */
	}
	return -ENOENT;
}

/* What may be told for what was done. Starting and ending is in sonde's account alone; the kernel
 * counts pages in heaps of some hundred; the loader reads the libraries' first pages. */
static const struct expected {
	const char *work, *metric, *what;
	enum unit unit;
	double share, less, more;
	const char *tolerance;
} expectations[] = {
	{ "cpu", "cpu_s", "CPU time of a loop", UNIT_SECONDS, 0.02, 0.002, 0.02, "2 % and 20 ms" },
	{ "memory", "memory_process_peak_bytes", "memory, 64 MiB touched", UNIT_BYTES, 0, 4 << 20,
	  4 << 20, "4 MiB" },
	{ "io", "io_write_bytes", "bytes written", UNIT_BYTES, 0, 0, 1e3, "1 kB" },
	{ "io", "io_read_bytes", "bytes read", UNIT_BYTES, 0, 0, 256e3, "256 kB" },
	{ "children", "processes", "20 short children and itself", UNIT_COUNT, 0, 0, 0, "nothing" },
	{ "children", "cpu_s", "CPU time of all of them", UNIT_SECONDS, 0.02, 0.002, 0.02,
	  "2 % and 20 ms" },
	{ "sleep", "wall_s", "time of a sleep", UNIT_SECONDS, 0, 0.001, 0, "start and end" },
};

static const struct expected *expected_find(const char *work, const char *metric)
{
	for (size_t i = 0; i < COUNT(expectations); i++) {
		if (strcmp(expectations[i].work, work) == 0 &&
		    strcmp(expectations[i].metric, metric) == 0)
			return &expectations[i];
	}
	return NULL;
}

struct run_of_work {
	const struct work *work;
	struct facts facts; /* what sonde told */
	double around_s;    /* from before the start of `sonde run` to after its end */
	void (*tell)(void *arg, const struct proof *proof);
	void *arg;
};

static enum verdict judge(const struct proof *proof)
{
	double told = proof->told.value.number;

	if (!value_is(proof->told.value))
		return PROOF_OPEN;
	if (told >= proof->low && told <= proof->high)
		return PROOF_RIGHT;
	return proof->told.value.how == HOW_ESTIMATED ? PROOF_OPEN : PROOF_WRONG;
}

static void compare(const struct run_of_work *run, const char *metric, double done)
{
	const struct expected *expected = expected_find(run->work->name, metric);
	const struct fact *told = facts_find(&run->facts, "totals", metric);
	struct proof proof = { .done = done };

	if (!expected)
		return;
	proof.what = expected->what;
	proof.metric = expected->metric;
	proof.unit = expected->unit;
	proof.tolerance = expected->tolerance;
	proof.told = told ? *told : (struct fact){ .name = expected->metric };
	proof.low = done * (1 - expected->share) - expected->less;
	proof.high = done * (1 + expected->share) + expected->more;
	if (strcmp(metric, "wall_s") == 0)
		proof.high = run->around_s;
	proof.verdict = judge(&proof);
	run->tell(run->arg, &proof);
}

static void compare_all(const struct run_of_work *run, char *account)
{
	char *rest = NULL, metric[64];
	double done;

	for (char *line = strtok_r(account, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%63s %lf", metric, &done) == 2)
			compare(run, metric, done);
	}
}

/* Starts `sonde run` with its stdout in a pipe. */
static int start(const char *path, const char *work, int out, pid_t *ret, struct err *err)
{
	char *argv[] = { "sonde", "run", "--quiet", "--output",   (char *)path,
			 "--",    SELF,  "truth",   (char *)work, NULL };
	posix_spawn_file_actions_t actions;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	r = -posix_spawn(ret, SELF, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return r < 0 ? err_set(err, r, "cannot start 'sonde run'") : 0;
}

static void read_all(int fd, struct text *ret)
{
	char bytes[512];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0)
			text_add_bytes(ret, bytes, (size_t)n);
	}
}

/* What it printed is its account; -ECHILD where it ended badly. */
static int run_to_end(const char *path, const char *work, struct text *account, struct err *err)
{
	CLEANUP(closep) int in = -1;
	int ends[2], status = -1, r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, -errno, "cannot make a pipe");
	in = ends[0];
	r = start(path, work, ends[1], &pid, err);
	close(ends[1]);
	if (r < 0)
		return r;
	read_all(in, account);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (status != 0 || account->length == 0)
		return err_say(err, -ECHILD, "'sonde run' of the program '%s' failed", work);
	return 0;
}

static int prove_one(struct run_of_work *run, const char *directory, struct err *err)
{
	CLEANUP(text_clear) struct text account = { 0 }, path = { 0 }, journal = { 0 };
	double before = clock_s(CLOCK_MONOTONIC);
	int r;

	text_add_format(&path, "%s/%s.sonde", directory, run->work->name);
	text_add_format(&journal, "%s.journal", path.data);
	r = run_to_end(path.data, run->work->name, &account, err);
	run->around_s = clock_s(CLOCK_MONOTONIC) - before;
	if (r == 0)
		r = recording_read(path.data, 0, &run->facts, err);
	if (r == 0)
		compare_all(run, account.data);
	facts_clear(&run->facts);
	unlink(path.data);
	unlink(journal.data);
	return r;
}

static int prove_all(void (*tell)(void *arg, const struct proof *proof), void *arg, struct err *err)
{
	const char *above = getenv("TMPDIR");
	CLEANUP(text_clear) struct text directory = { 0 };
	int r = 0;

	text_add_format(&directory, "%s/sonde-doctor-XXXXXX", above && *above ? above : "/tmp");
	if (!mkdtemp(directory.data))
		return err_set(err, -errno, "cannot make the directory '%s'", directory.data);
	for (size_t i = 0; i < COUNT(works) && r == 0; i++) {
		struct run_of_work run = { .work = &works[i], .tell = tell, .arg = arg };

		r = prove_one(&run, directory.data, err);
	}
	rmdir(directory.data);
	return r;
}

int prove(void (*tell)(void *arg, const struct proof *proof), void *arg, struct err *err)
{
	int r = prove_all(tell, arg, err);

	return r < 0 ? err_in(err, "cannot check sonde itself") : 0;
}
