/* 5443 (cat) R 5435 5435 3138 0 -1 4194304 98 0 0 0 7 2 0 0 20 0 1 0 128980 3133440 356 ...
 *
 * The name may hold anything but NUL, blanks and brackets too: "1 () R 1 () S 2 ..." is a process
 * named ") R 1 (". No column behind it can hold a bracket, so it ends at the last one. Columns are
 * numbered from 1, as in proc(5).
 *
 * CPU time: columns 14 and 15 are cut to clock ticks of 10 ms, so the total comes from the CPU
 * clock. On some kernels a process that waits to be reaped has no such clock any more; then the
 * ticks must do, and the total never goes back for it.
 *
 * Column 42, the wait for I/O, is of the main thread only. It needs delay accounting, which is off
 * since Linux 5.14 unless somebody asked for it (kernel.task_delayacct); before, there is no such
 * switch to read and a kernel without it shows 0. */
#include "source/stat.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/clock.h"
#include "source/onefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COLUMN(number, field)                                                                      \
	{                                                                                          \
		number, offsetof(struct proc_stat, field)                                          \
	}
#define COLUMNS_NEEDED 22
#define COLUMN_BLKIO 42

static const struct {
	int number;
	size_t into;
} columns[] = {
	COLUMN(4, ppid),       COLUMN(5, pgrp),
	COLUMN(6, session),    COLUMN(10, minflt),
	COLUMN(11, cminflt),   COLUMN(12, majflt),
	COLUMN(13, cmajflt),   COLUMN(14, utime),
	COLUMN(15, stime),     COLUMN(16, cutime),
	COLUMN(17, cstime),    COLUMN(20, threads),
	COLUMN(22, starttime), COLUMN(COLUMN_BLKIO, blkio),
};

static int parse_columns(const char *cursor, struct proc_stat *stat)
{
	int next = 4;

	for (size_t i = 0; i < COUNT(columns); i++) {
		int64_t *into = (int64_t *)((char *)stat + columns[i].into);
		int r = scan_skip(&cursor, columns[i].number - next);

		if (r == 0)
			r = scan_i64(&cursor, into);
		if (r < 0)
			return columns[i].number > COLUMNS_NEEDED ? 0 : -EINVAL;
		next = columns[i].number + 1;
	}
	return 0;
}

int proc_stat_parse(const char *text, size_t length, struct proc_stat *ret)
{
	struct proc_stat stat = { .blkio = -1 };
	const char *cursor = text, *open, *close = memrchr(text, ')', length);
	size_t name;

	if (scan_i64(&cursor, &stat.pid) < 0 || strncmp(cursor, " (", 2) != 0)
		return -EINVAL;
	open = cursor + 1;
	if (!close || close < open || close[1] != ' ' || !close[2] || close[3] != ' ')
		return -EINVAL;
	name = (size_t)(close - open - 1);
	if (name >= sizeof(stat.name))
		name = sizeof(stat.name) - 1;
	memcpy(stat.name, open + 1, name);
	stat.state = close[2];
	if (parse_columns(close + 3, &stat) < 0)
		return -EINVAL;
	*ret = stat;
	return 0;
}

enum { CPU, CPU_USER, CPU_SYSTEM, FAULTS_MINOR, FAULTS_MAJOR, THREADS, WAIT_IO };

static const struct metric metrics[] = {
	[CPU] = { .name = "cpu_s",
		  .help = "CPU time of a process and of its children that have ended",
		  .unit = UNIT_SECONDS,
		  .with_children = true },
	[CPU_USER] = { .name = "cpu_user_s",
		       .help = "CPU time in the program's own code and its libraries",
		       .unit = UNIT_SECONDS,
		       .with_children = true },
	[CPU_SYSTEM] = { .name = "cpu_system_s",
			 .help = "CPU time in the kernel, on behalf of the process",
			 .unit = UNIT_SECONDS,
			 .with_children = true },
	[FAULTS_MINOR] = { .name = "faults_minor",
			   .help = "pages that were mapped without reading from storage",
			   .unit = UNIT_COUNT,
			   .with_children = true },
	[FAULTS_MAJOR] = { .name = "faults_major",
			   .help = "pages that had to be read from storage first",
			   .unit = UNIT_COUNT,
			   .with_children = true },
	[THREADS] = { .name = "threads",
		      .help = "threads of the process now",
		      .unit = UNIT_COUNT,
		      .kind = KIND_GAUGE },
	[WAIT_IO] = { .name = "wait_io_s",
		      .help = "time that the main thread was blocked on storage",
		      .unit = UNIT_SECONDS,
		      .absent = "the kernel's delay accounting is off (or what it counts cannot "
				"be); root opens it: "
				"sysctl kernel.task_delayacct=1" },
	{ 0 },
};

enum accounting { ACCOUNTING_OFF, ACCOUNTING_ON, ACCOUNTING_UNKNOWN };

struct state {
	struct kept kept;
	int pid;
	bool live, known;
	enum accounting accounting;
	double ticks; /* in a second */
	double cpu_s; /* own, the most seen */
	struct proc_stat last;
};

static enum accounting accounting_read(const char *root)
{
	CLEANUP(freep) char *text = NULL;

	if (file_read(root, "proc/sys/kernel/task_delayacct", &text, NULL) < 0)
		return ACCOUNTING_UNKNOWN;
	return text[0] == '1' ? ACCOUNTING_ON : ACCOUNTING_OFF;
}

/* It is the same for all processes of a root, and thousands of them come and go. */
static enum accounting accounting_known(const char *root, bool live)
{
	static int known = -1;

	if (!live)
		return accounting_read(root);
	if (known < 0)
		known = (int)accounting_read(root);
	return (enum accounting)known;
}

static int stat_open(const char *root, int pid, void **ret, struct err *err)
{
	CLEANUP(freep) struct state *state = mem_new(sizeof(*state));
	char path[64];
	int r;

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	r = kept_open(&state->kept, root, path, err);
	if (r < 0)
		return r;
	state->pid = pid;
	state->live = root_is_live(root);
	state->accounting = accounting_known(root, state->live);
	state->ticks = (double)sysconf(_SC_CLK_TCK);
	*ret = take(&state);
	return 0;
}

/* The kernel scales user and system time so that their sum is exact, but each is cut to whole
 * ticks: what was shown once is not taken back. */
static double own_cpu(struct state *state)
{
	double s = ((double)state->last.utime + (double)state->last.stime) / state->ticks;

	if (s > state->cpu_s)
		state->cpu_s = s;
	return state->cpu_s;
}

/* Some kernels add the time since boot for a wait whose start they did not note (seen on 6.18:
 * 14028 s in a program that ran for 0.4 s). Nobody waits for longer than he lives. */
static bool is_plausible(const struct state *state, double wait_s)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return !state->live ||
	       wait_s <= (double)now.tv_sec + 1 - (double)state->last.starttime / state->ticks;
}

static struct value wait_io(const struct state *state)
{
	double s = (double)state->last.blkio / state->ticks;

	if (state->last.blkio < 0 || state->accounting == ACCOUNTING_OFF || !is_plausible(state, s))
		return value_absent();
	if (state->accounting == ACCOUNTING_UNKNOWN && state->last.blkio == 0)
		return value_absent();
	return state->last.threads > 1 ? value_estimated(s) : value_read(s);
}

static struct value sum(int64_t own, int64_t children, double unit)
{
	return value_read(((double)own + (double)children) * unit);
}

static void fill(struct state *state, struct value *values)
{
	const struct proc_stat *s = &state->last;
	double tick_s = 1 / state->ticks;

	values[CPU] = sum(s->cutime, s->cstime, tick_s);
	values[CPU].number += own_cpu(state);
	values[CPU_USER] = sum(s->utime, s->cutime, tick_s);
	values[CPU_SYSTEM] = sum(s->stime, s->cstime, tick_s);
	values[FAULTS_MINOR] = sum(s->minflt, s->cminflt, 1);
	values[FAULTS_MAJOR] = sum(s->majflt, s->cmajflt, 1);
	values[THREADS] = value_read((double)s->threads);
	values[WAIT_IO] = wait_io(state);
}

static int stat_read(void *at, struct value *values, struct err *err)
{
	struct state *state = at;
	char text[1024];
	ssize_t length = kept_read(&state->kept, text, sizeof(text));
	int r;

	if (length < 0)
		return err_set(err, (int)length, "'%s'", state->kept.path);
	r = proc_stat_parse(text, (size_t)length, &state->last);
	if (r < 0)
		return err_set(err, r, "'%s'", state->kept.path);
	state->known = true;
	fill(state, values);
	return 0;
}

static int stat_read_own(void *at, struct value *values)
{
	struct state *state = at;
	const struct proc_stat *s = &state->last;

	values[CPU] = value_read(own_cpu(state));
	values[CPU_USER] = value_read((double)s->utime / state->ticks);
	values[CPU_SYSTEM] = value_read((double)s->stime / state->ticks);
	values[FAULTS_MINOR] = value_read((double)s->minflt);
	values[FAULTS_MAJOR] = value_read((double)s->majflt);
	return 0;
}

static void stat_close(void *at)
{
	struct state *state = at;

	if (state)
		kept_close(&state->kept);
	free(state);
}

const struct proc_stat *source_stat_last(void *at)
{
	struct state *state = at;

	return state->known ? &state->last : NULL;
}

static const char *const files[] = { "proc/%d/stat", "proc/sys/kernel/task_delayacct", NULL };

const struct source source_stat = {
	.name = "stat",
	.area = "cpu",
	.help = "CPU time, page faults and threads of each process",
	.scope = SCOPE_PROCESS,
	.pace = PACE_TICK,
	.metrics = metrics,
	.files = files,
	.open = stat_open,
	.read = stat_read,
	.read_own = stat_read_own,
	.close = stat_close,
};
