/* What the recording costs: time and bytes a value, a day of 1,000 processes, reading it back, and
 * the shortest run. A "value" is every metric of every living process at every tick.
 *
 *	cc -std=gnu17 -D_GNU_SOURCE -Isrc -O2 -o series_bench tests/bench/series_bench.c \
 *		src/base/[a-np-z]*.c src/model/[a-z]*.c src/series/[a-z]*.c -lsqlite3 -lzstd
 *-lpthread -lm series_bench [hours] [directory]
 */
#include "base/mem.h"
#include "series/journal.h"
#include "series/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES 1000
#define TICK_NS 333000000ull

/* The metrics of a process, and how much a busy one of them moves in a tick. */
static const struct {
	struct metric metric;
	double step, grain;
	double chance; /* that it moves */
} process_rows[] = {
	{ { .name = "cpu_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER }, 0.3, 1e-9, 1 },
	{ { .name = "cpu_user_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER }, 0.25, 0.01, 1 },
	{ { .name = "cpu_system_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER }, 0.05, 0.01, 0.6 },
	{ { .name = "faults_minor", .unit = UNIT_COUNT, .kind = KIND_COUNTER }, 300, 1, 0.7 },
	{ { .name = "faults_major", .unit = UNIT_COUNT, .kind = KIND_COUNTER }, 2, 1, 0.01 },
	{ { .name = "threads", .unit = UNIT_COUNT, .kind = KIND_GAUGE }, 2, 1, 0.01 },
	{ { .name = "wait_io_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER }, 0.02, 0.01, 0.05 },
	{ { .name = "memory_bytes", .unit = UNIT_BYTES, .kind = KIND_GAUGE }, 4e6, 4096, 0.5 },
	{ { .name = "io_read_bytes", .unit = UNIT_BYTES, .kind = KIND_COUNTER }, 1e6, 1, 0.3 },
	{ { .name = "io_write_bytes", .unit = UNIT_BYTES, .kind = KIND_COUNTER }, 1e5, 1, 0.2 },
	{ { .name = "io_read_calls", .unit = UNIT_COUNT, .kind = KIND_COUNTER }, 40, 1, 0.3 },
	{ { .name = "io_write_calls", .unit = UNIT_COUNT, .kind = KIND_COUNTER }, 10, 1, 0.2 },
};
#define METRICS COUNT(process_rows)
#define RUN_METRICS 40

static uint64_t random_state = 88172645463325252ull;

static double random_share(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) / 9007199254740992.0;
}

static double cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double wall_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void move(struct value *value, size_t metric)
{
	double step = process_rows[metric].step * random_share();
	double grain = process_rows[metric].grain;

	value->how = HOW_MEASURED;
	if (random_share() > process_rows[metric].chance)
		return;
	if (process_rows[metric].metric.kind == KIND_GAUGE && random_share() < 0.5)
		step = -step;
	value->number += grain * (double)(long long)(step / grain);
	if (value->number < 0)
		value->number = 0;
}

static void facts_make(struct facts *facts)
{
	struct metric process[METRICS], run[RUN_METRICS];
	char names[RUN_METRICS][32];

	for (size_t i = 0; i < METRICS; i++)
		process[i] = process_rows[i].metric;
	for (size_t i = 0; i < RUN_METRICS; i++) {
		run[i] = process_rows[i % METRICS].metric;
		snprintf(names[i], sizeof(names[i]), "%s_%zu", run[i].name, i / METRICS);
		run[i].name = names[i];
	}
	facts_set_metrics(facts, SCOPE_PROCESS, process, METRICS);
	facts_set_metrics(facts, SCOPE_RUN, run, RUN_METRICS);
	for (int i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "fact_%d", i);
		facts_add_measured(facts, "machine", name, UNIT_COUNT, i, "bench");
	}
}

static void fail(const struct err *err)
{
	fprintf(stderr, "series_bench: %s\n", err->text);
	exit(1);
}

/* `steady`: always the same fifth of the processes is busy; else each tick another. */
static void day(const char *directory, double hours, bool steady)
{
	static struct value values[PROCESSES][METRICS], run[RUN_METRICS];
	static struct sample samples[PROCESSES];
	uint64_t ticks = (uint64_t)(hours * 3600e9 / TICK_NS);
	struct facts facts = { 0 }, read = { 0 };
	struct series *series;
	struct err err = { 0 };
	double cpu, made = 0, wall;
	struct stat stat_of;
	struct rusage usage;
	char path[500];

	memset(values, 0, sizeof(values));
	memset(run, 0, sizeof(run));
	snprintf(path, sizeof(path), "%s/bench-%d.sonde", directory, (int)getpid());
	facts_make(&facts);
	if (series_open(path, &facts, &series, &err) < 0)
		fail(&err);
	for (uint32_t id = 1; id <= PROCESSES; id++)
		series_process(series,
			       &(struct process){ .id = id,
						  .pid = (int)id,
						  .count = 1,
						  .ended_ns = PROCESS_ALIVE,
						  .name = "worker",
						  .command = "python worker.py --part 17" },
			       &err);
	cpu = cpu_s();
	for (uint64_t i = 0; i < ticks; i++) {
		struct tick tick = { .time_ns = i * TICK_NS + (uint64_t)(random_share() * 1e5),
				     .run = run,
				     .samples = samples };
		double before = cpu_s();

		for (uint32_t p = 0; p < PROCESSES; p++) {
			if (steady ? p % 5 != 0 : random_share() > 0.2)
				continue;
			for (size_t m = 0; m < METRICS; m++)
				move(&values[p][m], m);
			samples[tick.n_samples++] = (struct sample){ .id = p + 1,
								     .values = values[p] };
		}
		for (size_t m = 0; m < RUN_METRICS; m++)
			move(&run[m], m % METRICS);
		made += cpu_s() - before;
		series_add(series, &tick, &err);
		series_settle(series, 1 << 20);
	}
	getrusage(RUSAGE_SELF, &usage);
	wall = wall_s();
	for (uint32_t id = 1; id <= PROCESSES; id++) {
		struct process *process = facts_add_process(&facts);

		process->id = id;
		process->name = "worker";
		memcpy(process->values, values[id - 1], sizeof(values[0]));
	}
	if (series_finish(series, &facts, &err) < 0)
		fail(&err);
	series_close(series);
	wall = wall_s() - wall;
	cpu = cpu_s() - cpu - made;
	stat(path, &stat_of);
	printf(
	    "%s, %.2f h: %.4f us and %.4f bytes a value; %.1f MB; %.1f MB resident; end %.3f s\n",
	    steady ? "same fifth busy" : "any fifth busy", hours,
	    cpu * 1e6 / ((double)ticks * PROCESSES * METRICS),
	    (double)stat_of.st_size / ((double)ticks * PROCESSES * METRICS),
	    (double)stat_of.st_size / 1e6, (double)usage.ru_maxrss / 1e3, wall);
	facts_clear(&facts);
	wall = wall_s();
	if (recording_read(path, READ_PROCESSES | READ_LINES, &read, &err) < 0)
		fail(&err);
	printf("	read with processes and lines: %.3f s, %zu points a line\n",
	       wall_s() - wall, read.lines[0].n_points);
	facts_clear(&read);
	wall = wall_s();
	if (recording_read(path, READ_PROCESSES | READ_PROCESS_LINES, &read, &err) < 0)
		fail(&err);
	printf("	read with the lines of all processes: %.3f s, %zu lines\n", wall_s() - wall,
	       read.n_lines);
	facts_clear(&read);
	unlink(path);
}

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static void short_run(const char *directory)
{
	struct value run[RUN_METRICS] = { 0 }, own[METRICS] = { 0 };
	struct sample sample = { .id = 1, .values = own };
	double times[21];
	char path[500];

	snprintf(path, sizeof(path), "%s/bench-%d.sonde", directory, (int)getpid());
	for (size_t i = 0; i < COUNT(times); i++) {
		struct facts facts = { 0 };
		struct series *series;
		struct err err = { 0 };

		facts_make(&facts);
		times[i] = wall_s();
		if (series_open(path, &facts, &series, &err) < 0)
			fail(&err);
		series_process(series, &(struct process){ .id = 1, .name = "true", .count = 1 },
			       &err);
		for (uint64_t t = 0; t < 3; t++)
			series_add(series,
				   &(struct tick){ .time_ns = t * 100000000,
						   .run = run,
						   .samples = &sample,
						   .n_samples = 1 },
				   &err);
		if (series_finish(series, &facts, &err) < 0)
			fail(&err);
		series_close(series);
		times[i] = wall_s() - times[i];
		facts_clear(&facts);
		unlink(path);
	}
	qsort(times, COUNT(times), sizeof(*times), by_size);
	printf("shortest run, open to end: %.2f ms (best %.2f, worst %.2f)\n",
	       times[COUNT(times) / 2] * 1e3, times[0] * 1e3, times[COUNT(times) - 1] * 1e3);
}

/* In a process of its own, so that its memory is its own. */
static void day_apart(const char *directory, double hours, bool steady)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		day(directory, hours, steady);
		exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	double hours = argc > 1 ? atof(argv[1]) : 24;
	const char *directory = argc > 2 ? argv[2] : "/tmp";

	short_run(directory);
	day_apart(directory, 0.05, true);
	day_apart(directory, hours, true);
	day_apart(directory, hours, false);
	return 0;
}
