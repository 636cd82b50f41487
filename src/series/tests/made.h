/* A run that is made up: every value is a function of the tick, so that a test knows it again.
 * Process p lives from tick 10 p to tick 10 p + 200 and moves at every third tick. */
#ifndef SERIES_TESTS_MADE_H
#define SERIES_TESTS_MADE_H

#include "base/mem.h"
#include "series/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MADE_RUN 4
#define MADE_OWN 3
#define MADE_ALIVE 20
#define MADE_TICK_NS 100000000ull

static const struct metric made_run[MADE_RUN] = {
	{ .name = "cores", .unit = UNIT_RATIO, .kind = KIND_GAUGE, .source = "tree", .help = "h" },
	{ .name = "memory_tree_bytes", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
	{ .name = "cpu_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER, .with_children = true },
	{ .name = "energy_j", .unit = UNIT_JOULES, .kind = KIND_COUNTER },
};

static const struct metric made_own[MADE_OWN] = {
	{ .name = "cpu_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER, .with_children = true },
	{ .name = "memory_bytes", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
	{ .name = "swap_bytes", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
};

static inline uint32_t made_noise(uint32_t a, uint32_t b)
{
	uint32_t x = a * 2654435761u ^ (b + 1) * 2246822519u;

	x ^= x >> 15;
	x *= 2246822519u;
	return x ^ x >> 13;
}

static inline bool made_gap(uint32_t tick)
{
	return tick % 97 == 50;
}

static inline uint64_t made_time_ns(uint32_t tick)
{
	return (tick + 1) * MADE_TICK_NS + made_noise(tick, 99) % 1000000 +
	       (uint64_t)((tick + 47) / 97) * 3000000000; /* gaps last 3 s */
}

static inline struct value made_run_value(uint32_t tick, unsigned metric)
{
	switch (metric) {
	case 0:
		return value_read((made_noise(tick, 0) % 16000) / 1e3);
	case 1:
		return tick == 77 ? value_read(9e12) : value_read(4096.0 * (tick % 300));
	case 2:
		return value_read(tick * 0.125);
	}
	/* Cannot be read for a while; and is only estimated. */
	return tick % 40 < 10 ? value_absent() : value_estimated(tick * 0.5);
}

static inline struct value made_own_value(uint32_t tick, uint32_t process, unsigned metric)
{
	switch (metric) {
	case 0:
		return value_read((tick - process * 10) * 0.001 * process);
	case 1:
		return value_read(4096.0 * (made_noise(tick, process) % 1000));
	}
	return process % 2 ? value_absent() : value_read(0);
}

static inline bool made_moves(uint32_t tick, uint32_t process)
{
	return tick >= 10 * process && tick < 10 * process + 10 * MADE_ALIVE &&
	       (tick + process) % 3 == 0;
}

static inline void made_facts(struct facts *facts)
{
	facts_set_metrics(facts, SCOPE_RUN, made_run, MADE_RUN);
	facts_set_metrics(facts, SCOPE_PROCESS, made_own, MADE_OWN);
	facts_add_text(facts, "run", "name", "fit");
	facts_add_text(facts, "command", "0", "python");
	facts_add_text(facts, "command", "1", "a \x1b[31m\xff file");
	facts_add_number(facts, "machine", "cores", 16);
	facts_add_bool(facts, "run", "complete", false);
}

/* What is known at the end, besides. */
static inline void made_end(struct facts *facts)
{
	facts_add_bool(facts, "run", "complete", true);
	facts_add_number(facts, "exit", "status", 3);
	facts_add(facts, &(struct fact){ .section = "totals",
					 .name = "memory_tree_peak_bytes",
					 .unit = UNIT_BYTES,
					 .value = value_estimated(1e9),
					 .low = 0.9e9,
					 .high = 1.1e9,
					 .source = "statm",
					 .why = "sampled" });
	facts_add_absent(facts, "totals", "energy_j", UNIT_JOULES, "no meter");
}

static inline struct process made_process(uint32_t id, bool ended)
{
	return (struct process){ .id = id,
				 .parent = id / 2,
				 .pid = (int)(1000 + id),
				 .count = id % 7 ? 1 : 500,
				 .started_ns = id * 10 * MADE_TICK_NS,
				 .ended_ns = ended ? (id * 10 + 200) * MADE_TICK_NS : PROCESS_ALIVE,
				 .status = ended ? 256 : PROCESS_STATUS_UNKNOWN,
				 .name = id % 5 ? "worker" : ") R 1 (\n\xff",
				 .command = id % 3 ? "python w.py" : NULL };
}

/* At some ticks there is a mark: "train" from tick 10 to tick 151, an epoch at every 25th. */
static inline bool made_mark(uint32_t tick, struct mark *ret)
{
	*ret = (struct mark){ .time_ns = made_time_ns(tick), .kind = MARK_NEXT, .name = "epoch" };
	if (tick % 25 == 0)
		return true;
	*ret = (struct mark){ .time_ns = made_time_ns(tick),
			      .kind = tick == 10 ? MARK_BEGIN : MARK_END,
			      .name = tick == 10 ? "train" : "" };
	return tick == 10 || tick == 151;
}

/* Adds ticks first to first + count - 1, with the processes that come and go. */
static inline void made_ticks(struct series *series, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		struct value run[MADE_RUN], own[MADE_ALIVE][MADE_OWN];
		struct sample samples[MADE_ALIVE];
		struct mark mark;
		struct tick tick = { .time_ns = made_time_ns(i),
				     .gap = made_gap(i),
				     .run = run,
				     .samples = samples };
		uint32_t oldest = i >= 10 * MADE_ALIVE ? i / 10 - MADE_ALIVE + 1 : 1;

		if (i % 10 == 0 && i > 0) {
			struct process born = made_process(i / 10, false);

			series_process(series, &born, NULL);
		}
		for (unsigned m = 0; m < MADE_RUN; m++)
			run[m] = made_run_value(i, m);
		for (uint32_t p = oldest; p <= i / 10; p++) {
			if (!made_moves(i, p))
				continue;
			for (unsigned m = 0; m < MADE_OWN; m++)
				own[tick.n_samples][m] = made_own_value(i, p, m);
			samples[tick.n_samples] = (struct sample){ .id = p,
								   .values = own[tick.n_samples] };
			tick.n_samples++;
		}
		series_add(series, &tick, NULL);
		if (made_mark(i, &mark))
			series_mark(series, &mark, NULL);
		if (i % 10 == 9 && i / 10 > MADE_ALIVE) {
			struct process gone = made_process(i / 10 - MADE_ALIVE, true);
			struct value total[MADE_OWN] = { value_read(5), value_estimated(6) };

			gone.values = total;
			series_process(series, &gone, NULL);
		}
	}
}

/* A directory for this test, and the path of a recording in it. In memory where that can be: repair
 * waits for the disk each time. */
static char made_directory[] = "/dev/shm/sonde-series-XXXXXX";
static char made_path[sizeof(made_directory) + 20], made_journal[sizeof(made_path) + 10];

static inline int made_setup(void **state)
{
	(void)state;
	if (!*made_path && access("/dev/shm", W_OK) < 0)
		strcpy(made_directory, "/tmp/sonde-series-XXXXXX");
	if (!*made_path && !mkdtemp(made_directory))
		return -1;
	snprintf(made_path, sizeof(made_path), "%s/x.sonde", made_directory);
	snprintf(made_journal, sizeof(made_journal), "%s.journal", made_path);
	unlink(made_path);
	unlink(made_journal);
	return 0;
}

static inline int made_teardown(void **state)
{
	made_setup(state);
	return rmdir(made_directory);
}

#endif
