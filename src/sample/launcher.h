/* The launcher: a tiny process that starts the program, reaps every descendant and knows nothing
 * else.
 *
 * It is a child subreaper, so double forks and daemons come back to it, and wait4 hands it what
 * each of them used, waited-for children included. It shares one page range with the sampler and
 * reads or writes no file until the end, so that its own /proc/self/io then holds the I/O of all
 * that it reaped and nothing of its own. It must stay small: ru_maxrss survives exec, and a fat
 * launcher would fake the program's peak.
 *
 * The sampler leaves orders in the shared pages and wakes it by a signal, it answers by one byte on
 * a socket. When the sampler dies it goes on reaping; when the launcher dies, the sampler, a
 * subreaper too, inherits the program. */
#ifndef SAMPLE_LAUNCHER_H
#define SAMPLE_LAUNCHER_H

#include "base/compiler.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What wait4 said of one reaped child, its waited-for children included. */
struct reaped {
	int pid, status;
	uint64_t time_ns; /* CLOCK_BOOTTIME */
	uint64_t user_us, system_us;
	uint64_t faults_minor, faults_major, switches_voluntary, switches_involuntary;
	uint64_t high_bytes; /* ru_maxrss */
};

struct launcher_io {
	uint64_t read_bytes, write_bytes, read_calls, write_calls, storage_read_bytes,
	    storage_write_bytes;
	bool read; /* false: /proc/self/io could not be read */
};

#define REAPED_RING 256
#define ORDER_RING 64

/* Written by the launcher, read by the sampler; but for the orders. */
struct launcher_shared {
	_Atomic uint32_t
	    orders_given; /* by the sampler; the newest at orders[(n - 1) % ORDER_RING] */
	uint64_t orders[ORDER_RING];
	_Atomic int program_pid;    /* 0 until it was started */
	_Atomic int exec_errno;     /* why it could not be; 0: it could */
	_Atomic int stopped_signal; /* the program is stopped by it; 0: it runs */
	_Atomic bool program_ended; /* program_reaped is filled in */
	_Atomic bool all_ended;     /* the rest is, too, and the launcher is about to leave */
	_Atomic uint64_t
	    started_ns; /* CLOCK_BOOTTIME, just before fork: its CPU time counts from there */
	_Atomic uint64_t reaped_count; /* ever; newest at ring[(reaped_count - 1) % REAPED_RING] */
	struct reaped program_reaped;
	struct reaped total; /* of all reaped: sums; high_bytes is the largest */
	struct launcher_io io;
	uint64_t own_cpu_us, own_high_bytes;
	struct reaped ring[REAPED_RING];
};

struct launcher {
	char **argv;
	const char *path; /* of the program; NULL: to be looked for in $PATH, and maybe a script */
	sigset_t mask;    /* the program's signal mask */
	struct sigaction child_action; /* and its disposition of SIGCHLD */
	int socket;                    /* to the sampler */
	int stdout_fd, stderr_fd;      /* for the program, in place of ours; 0: ours */
	int sampler_pid;
	bool wait_for_all; /* stay until the last descendant has gone */
	/* Goes into the program's environment; removed at the end, should the sampler have died.
	 * NULL: none. */
	const char *mark_path;
	struct launcher_shared *shared;
};

/* Runs in the launcher's process and never returns. All signals are blocked. */
NORETURN void launcher_run(struct launcher *launcher);

/* What the sampler may ask. A signal is passed on to the program unless the launcher got it too:
 * then it was sent to the whole group, and the program has it already. */
enum launcher_order { LAUNCHER_GO, LAUNCHER_FORWARD, LAUNCHER_KILL };
void launcher_command(struct launcher_shared *shared, int launcher_pid, enum launcher_order order,
		      int signal, int sender_pid);

/* Adds what was just reaped; also for a sampler that had to take over. */
void reaped_add(struct launcher_shared *shared, const struct reaped *reaped);
/* Reaps one child without waiting (options as of wait4). As wait4; *ret is filled in on an exit. */
pid_t reap_one(int options, int *status, struct reaped *ret);

#endif
