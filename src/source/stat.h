/* /proc/PID/stat: who a process is, and most of what it has used. */
#ifndef SOURCE_STAT_H
#define SOURCE_STAT_H

#include "source/source.h"

#include <stddef.h>
#include <stdint.h>

struct proc_stat {
	int64_t pid;
	char name[64]; /* any bytes; 15 of them, but for kernel threads */
	char state;    /* R, S, D, Z, T, ... */
	int64_t ppid, pgrp, session;
	int64_t minflt, cminflt, majflt, cmajflt; /* c: of children that were waited for */
	int64_t utime, stime, cutime, cstime;     /* clock ticks */
	int64_t threads;
	int64_t starttime; /* clock ticks since boot: with the pid, it names a process for good */
	int64_t blkio;     /* clock ticks that the main thread waited for I/O; -1: not told */
};

/* -EINVAL where it is cut off or no such text. */
int proc_stat_parse(const char *text, size_t length, struct proc_stat *ret);

extern const struct source source_stat;

/* What the last read of this state of source_stat found; NULL before the first. */
const struct proc_stat *source_stat_last(void *state);

#endif
