/* Facts built by hand, as a run would leave them. */
#ifndef REPORT_TESTS_EXAMPLE_H
#define REPORT_TESTS_EXAMPLE_H

#include "model/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB 1073741824.0

enum { CPU, MEMORY, READ, WRITE };

static const struct metric example_process_metrics[] = {
	[CPU] = { .name = "cpu_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
	[MEMORY] = { .name = "memory_bytes", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
	[READ] = { .name = "io_read_bytes", .unit = UNIT_BYTES, .kind = KIND_COUNTER },
	[WRITE] = { .name = "io_write_bytes", .unit = UNIT_BYTES, .kind = KIND_COUNTER },
};

static const struct metric example_run_metrics[] = {
	{ .name = "cores", .help = "cores busy", .unit = UNIT_RATIO, .kind = KIND_GAUGE },
	{ .name = "io_read_bytes",
	  .help = "bytes through read",
	  .unit = UNIT_BYTES,
	  .kind = KIND_COUNTER },
};

static inline void example_metrics(struct facts *facts)
{
	facts_set_metrics(facts, SCOPE_PROCESS, example_process_metrics,
			  COUNT(example_process_metrics));
	facts_set_metrics(facts, SCOPE_RUN, example_run_metrics, COUNT(example_run_metrics));
}

static inline struct process *example_process(struct facts *facts, uint32_t parent,
					      const char *name, const char *command, double cpu_s)
{
	struct process *process = facts_add_process(facts);

	process->id = (uint32_t)facts->n_processes;
	process->parent = parent;
	process->pid = 4000 + (int)process->id;
	process->name = arena_copy(&facts->arena, name);
	process->command = arena_copy(&facts->arena, command);
	process->started_ns = process->id * 1000000u;
	process->ended_ns = 252000000000u;
	process->status = 0;
	process->values[CPU] = value_read(cpu_s);
	process->values[MEMORY] = value_read(1e6 * process->id);
	process->values[READ] = value_read(1000);
	return process;
}

static inline void example_line(struct facts *facts, size_t metric, const double *numbers,
				size_t count)
{
	struct line *line = facts_add_line(facts);

	line->metric = &facts->run_metrics[metric];
	line->points = mem_new(count * sizeof(*line->points));
	line->n_points = count;
	for (size_t i = 0; i < count; i++)
		line->points[i] = (struct point){ .time_ns = (i + 1) * 100000000u,
						  .number = numbers[i],
						  .low = NAN,
						  .high = NAN };
}

static inline void example_totals(struct facts *facts)
{
	facts_add_measured(facts, "totals", "wall_s", UNIT_SECONDS, 252, "clock");
	facts_add_measured(facts, "totals", "cpu_s", UNIT_SECONDS, 278, "wait4");
	facts_add_measured(facts, "totals", "cpu_user_s", UNIT_SECONDS, 270, "wait4");
	facts_add_measured(facts, "totals", "cpu_system_s", UNIT_SECONDS, 8, "wait4");
	facts_add_measured(facts, "totals", "cores_mean", UNIT_RATIO, 1.103, "wait4");
	facts_add_measured(facts, "totals", "cores_peak", UNIT_RATIO, 3.96, "sampled");
	facts_add_measured(facts, "totals", "memory_process_peak_bytes", UNIT_BYTES, 5.1 * GIB,
			   "wait4");
	facts_add(facts, &(struct fact){ .section = "totals",
					 .name = "memory_tree_peak_bytes",
					 .unit = UNIT_BYTES,
					 .value = value_estimated(5.2 * GIB),
					 .low = 5.1 * GIB,
					 .high = 5.9 * GIB,
					 .source = "statm, smaps",
					 .why = "looked at every 100 ms" });
	facts_add_measured(facts, "totals", "io_read_bytes", UNIT_BYTES, 1.9e9, "launcher's io");
	facts_add_measured(facts, "totals", "io_write_bytes", UNIT_BYTES, 12345678,
			   "launcher's io");
	facts_add_measured(facts, "totals", "processes", UNIT_COUNT, 9972, "wait4");
	facts_add_measured(facts, "totals", "processes_peak", UNIT_COUNT, 4, "sampled");
	facts_add_measured(facts, "totals", "machine_busy_s", UNIT_SECONDS, 300, "/proc/stat");
	facts_add_absent(facts, "totals", "swap_peak_bytes", UNIT_BYTES,
			 "/proc/PID/smaps_rollup: Permission denied");
}

/* A run as people have them: a shell, a Python program, a storm of short children. */
static inline void example_run(struct facts *facts)
{
	example_metrics(facts);
	facts_add_text(facts, "run", "id", "3f9a2c71");
	facts_add_text(facts, "run", "name", "fit");
	facts_add_text(facts, "run", "started", "2026-11-16T04:37:15Z");
	facts_add_text(facts, "run", "host", "node7");
	facts_add_text(facts, "run", "user", "ann");
	facts_add_text(facts, "run", "directory", "/home/ann/fit");
	facts_add_bool(facts, "run", "complete", true);
	facts_add_text(facts, "command", "0", "python");
	facts_add_text(facts, "command", "1", "fit.py");
	facts_add_text(facts, "command", "2", "--title");
	facts_add_text(facts, "command", "3", "two words");
	facts_add_text(facts, "tag", "size", "large");
	facts_add_number(facts, "exit", "status", 0);
	facts_add_text(facts, "machine", "cpu_model", "AMD EPYC");
	facts_add_measured(facts, "machine", "cores", UNIT_COUNT, 16, "sysconf");
	facts_add_measured(facts, "limits", "cores", UNIT_RATIO, 16, "affinity");
	facts_add_measured(facts, "limits", "memory_bytes", UNIT_BYTES, 6 * GIB,
			   "cgroup memory.max");
	facts_add_text(facts, "context", "git_commit", "1a2b3c4d");
	facts_add_text(facts, "environment", "OMP_NUM_THREADS", "8");
	facts_add_text(facts, "sonde", "version", "0.1.0");
	facts_add_measured(facts, "sonde", "interval_s", UNIT_SECONDS, 0.1, "clock");
	facts_add_measured(facts, "own", "cpu_s", UNIT_SECONDS, 0.3, "getrusage");
	facts_add_measured(facts, "own", "share", UNIT_RATIO, 0.0012, "getrusage");
	example_totals(facts);
	example_process(facts, 0, "bash", "bash run.sh", 0.01);
	example_process(facts, 1, "python", "python fit.py --title 'two words'", 266);
	example_process(facts, 2, "sh", NULL, 8)->count = 9968;
	example_process(facts, 1, "gzip", "gzip -9 out", 3);
}

typedef void example_writer(const struct facts *facts, FILE *out, const void *context);

/* All that the writer writes; the caller frees it. */
static inline char *example_written(example_writer *write, const struct facts *facts,
				    const void *context)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	write(facts, out, context);
	fclose(out);
	return text;
}

#endif
