/* /proc/PID/status: what the other files do not tell of a process. */
#ifndef SOURCE_STATUS_H
#define SOURCE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#define STATUS_SPACES 8

struct proc_status {
	uint64_t high_bytes; /* VmHWM: the most it ever had in memory, of this program */
	bool has_high;       /* kernel threads and those that wait to be reaped have no memory */
	uint64_t uid;        /* effective */
	uint64_t threads;
	uint64_t ignored;                                  /* signals, bit n - 1 for signal n */
	uint64_t switches_voluntary, switches_involuntary; /* of the main thread */
	uint64_t pids[STATUS_SPACES]; /* its pid in each nested namespace, ours first */
	int n_pids;                   /* 0: not told (before Linux 4.1) */
	uint64_t cores;               /* CPUs that it may run on; 0: not told */
};

/* -EINVAL where Uid, Threads or SigIgn are missing. */
int proc_status_parse(const char *text, struct proc_status *ret);

/* A parent that ignores SIGCHLD: its children vanish and nobody can wait for them. */
bool proc_status_reaps_itself(const struct proc_status *status);

#endif
