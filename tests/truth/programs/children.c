/* children MODE N BURN_US: N children, each burning that much, and what becomes of them. Says
 * `processes`, all that there ever were, and its own usage, which lacks those it did not wait for.
 *
 *	fork	forked, waited for	exec	forked, another program, waited for
 *	double	forked twice: the one in between ends at once, so the other is an orphan
 *	setsid	as double, in a session of its own
 *	ignore	SIGCHLD ignored: the kernel reaps, nobody is told	zombies	never waited for
 *	chain	one process that executes itself N times
 *	daemon	a daemon that burns N x BURN_US and ends while the program still sleeps
 *	beyond	a daemon that burns that much and lives on for 2 s after the program's end
 *	orphan	a daemon that burns only after the program has gone
 *	burn	(what `exec` executes) */
#include "truth.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;
static double burn_s;
static char *self;
static char burn_text[32];

static void wait_one(int pid)
{
	if (waitpid(pid, NULL, 0) < 0)
		die("waitpid");
}

static void burn_and_exit(void)
{
	burn_user(burn_s);
	_exit(0);
}

static void mode_fork(void)
{
	for (int i = 0; i < count; i++) {
		int pid = fork_or_die();
		if (pid == 0)
			burn_and_exit();
		wait_one(pid);
	}
}

static void mode_exec(void)
{
	for (int i = 0; i < count; i++) {
		int pid = fork_or_die();
		if (pid == 0) {
			execl(self, self, "burn", "1", burn_text, (char *)NULL);
			die(self);
		}
		wait_one(pid);
	}
}

/* A daemon as in the books. `life` runs in it. */
static void daemon_start(void (*life)(void), bool session)
{
	int pid = fork_or_die();

	if (pid > 0) {
		wait_one(pid);
		return;
	}
	if (session)
		setsid();
	if (fork_or_die() > 0)
		_exit(0);
	/* Whoever reads our output must not wait for the daemon. */
	int null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	life();
	_exit(0);
}

static void mode_double(void)
{
	for (int i = 0; i < count; i++)
		daemon_start(burn_and_exit, false);
}

static void mode_setsid(void)
{
	for (int i = 0; i < count; i++)
		daemon_start(burn_and_exit, true);
}

static void mode_ignore(void)
{
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < count; i++) {
		int pid = fork_or_die();
		if (pid == 0)
			burn_and_exit();
		waitpid(pid, NULL, 0); /* blocks until it has gone, then says ECHILD */
	}
}

static void mode_zombies(void)
{
	int pid = 0;

	for (int i = 0; i < count; i++) {
		pid = fork_or_die();
		if (pid == 0)
			burn_and_exit();
	}
	siginfo_t info;
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	sleep_s(0.3); /* the last one started has ended, the others had the time to */
}

static void mode_chain(void)
{
	char left[32];

	burn_user(burn_s);
	if (count <= 1)
		return;
	snprintf(left, sizeof(left), "%d", count - 1);
	execl(self, self, "chain", left, burn_text, (char *)NULL);
	die(self);
}

static int to_parent[2];

static void burn_and_tell(void)
{
	burn_user(burn_s * count);
	if (write(to_parent[1], "x", 1) < 0)
		die("write");
}

static void burn_and_stay(void)
{
	burn_and_tell();
	sleep_s(2);
}

static void sleep_and_burn(void)
{
	sleep_s(0.3);
	burn_user(burn_s * count);
}

static void daemon_hear(void (*life)(void))
{
	char byte;

	if (pipe(to_parent) < 0)
		die("pipe");
	daemon_start(life, true);
	if (read(to_parent[0], &byte, 1) != 1)
		die("read");
	sleep_s(0.2);
}

static void mode_daemon(void)
{
	daemon_hear(burn_and_tell);
}

static void mode_beyond(void)
{
	daemon_hear(burn_and_stay);
}

static void mode_orphan(void)
{
	daemon_start(sleep_and_burn, true);
}

static void mode_burn(void)
{
	burn_user(burn_s);
	_exit(0);
}

static const struct mode {
	const char *name;
	void (*run)(void);
	int per_child, more; /* processes = N x per_child + more, the program itself is in `more` */
} modes[] = {
	{ "fork", mode_fork, 1, 1 },     { "exec", mode_exec, 1, 1 },
	{ "double", mode_double, 2, 1 }, { "setsid", mode_setsid, 2, 1 },
	{ "ignore", mode_ignore, 1, 1 }, { "zombies", mode_zombies, 1, 1 },
	{ "chain", mode_chain, 0, 1 },   { "daemon", mode_daemon, 0, 3 },
	{ "beyond", mode_beyond, 0, 3 }, { "orphan", mode_orphan, 0, 3 },
	{ "burn", mode_burn, 0, 1 },
};

int main(int argc, char **argv)
{
	truth_start();
	if (argc < 4)
		return 2;
	self = argv[0];
	count = atoi(argv[2]);
	burn_s = atof(argv[3]) / 1e6;
	snprintf(burn_text, sizeof(burn_text), "%s", argv[3]);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, argv[1]) == 0) {
			modes[i].run();
			truth_say("processes", count * modes[i].per_child + modes[i].more);
			truth_say_usage();
			truth_print();
			return 0;
		}
	return 2;
}
