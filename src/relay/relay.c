/* One socket pair joins us and all pumps: its end at our side tells them that nobody measures any
 * more, and when the last of them has let go of the other side, all has been passed on. */
#include "relay/relay.h"

#include "base/clock.h"
#include "base/human.h"
#include "base/mem.h"
#include "relay/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 100

struct relay_parts {
	struct format *stamp;
	struct matcher *matcher;
	bool live;
	struct pump_shared *shared;
	struct pump pumps[2];
	size_t n_pumps;
	int control;  /* the pumps' side */
	bool told;    /* the pumps know that the program has ended */
	bool hurried; /* a signal asked us to end */
};

int relay_init(struct relay *relay, const struct relay_wish *wish, struct err *err)
{
	struct relay_parts *parts = mem_new(sizeof(*parts));

	*relay = (struct relay){ .parts = parts };
	parts->live = wish->live;
	parts->control = -1;
	if (wish->stamp && format_parse(wish->stamp, &parts->stamp, err) < 0)
		return -EINVAL;
	if (wish->n_mark_on > 0 &&
	    matcher_new(wish->mark_on, wish->n_mark_on, &parts->matcher, err) < 0)
		return -EINVAL;
	return 0;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* A terminal that can erase a line; stderr first, as the summary. -1: none. */
static int live_place(const struct relay_parts *parts)
{
	const char *kind = getenv("TERM");

	if (!parts->live || !kind || !*kind || strcmp(kind, "dumb") == 0)
		return -1;
	return isatty(STDERR_FILENO) ? STDERR_FILENO : isatty(STDOUT_FILENO) ? STDOUT_FILENO : -1;
}

static int add_pump(struct relay_parts *parts, int out, int live, struct err *err)
{
	struct pump *pump = &parts->pumps[parts->n_pumps];
	int r;

	*pump = (struct pump){ .stamp = parts->stamp,
			       .matcher = parts->matcher,
			       .marks = -1,
			       .live = live >= 0 && stream_same(live, out),
			       .index = parts->n_pumps };
	r = stream_open(out, parts->stamp ? format_width(parts->stamp) : 0, &pump->stream, err);
	if (r < 0)
		return r;
	pump->stream.name = out == STDOUT_FILENO ? "out" : "err";
	parts->n_pumps++;
	return 0;
}

/* Only what must go through us does. */
static int open_streams(struct relay *relay, struct err *err)
{
	struct relay_parts *parts = relay->parts;
	int live = live_place(parts);
	bool all = parts->stamp || parts->matcher, same = stream_same(STDOUT_FILENO, STDERR_FILENO);
	const struct {
		int out, *into;
	} rows[] = { { STDOUT_FILENO, &relay->stdout_fd }, { STDERR_FILENO, &relay->stderr_fd } };
	int r;

	for (size_t i = 0; i < COUNT(rows); i++) {
		bool wanted = all || (live >= 0 && stream_same(live, rows[i].out));

		if (!wanted || !is_open(rows[i].out) || (same && i > 0))
			continue;
		r = add_pump(parts, rows[i].out, live, err);
		if (r < 0)
			return r;
		*rows[i].into = parts->pumps[parts->n_pumps - 1].stream.program_end;
	}
	if (same && parts->n_pumps > 0) {
		parts->pumps[0].stream.name = NULL;
		relay->stderr_fd = relay->stdout_fd;
	}
	return 0;
}

static int share(struct relay *relay, struct err *err)
{
	struct relay_parts *parts = relay->parts;
	int sockets[2];

	parts->shared = mmap(NULL, sizeof(*parts->shared), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (parts->shared == MAP_FAILED) {
		parts->shared = NULL;
		return err_set(err, -errno, "cannot share memory");
	}
	now_init(&parts->shared->now);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		return err_set(err, -errno, "cannot make a socket");
	for (size_t i = 0; i < COUNT(sockets); i++) {
		int above = fcntl(sockets[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

		close(sockets[i]);
		sockets[i] = above;
	}
	relay->control = sockets[0];
	parts->control = sockets[1];
	return 0;
}

/* In the child of our child: when that one ends, init is our parent, and nobody measures us. */
static int start_pump(struct pump *pump, struct err *err)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		pid_t grandchild = fork();

		if (grandchild == 0)
			pump_run(pump);
		_exit(grandchild < 0 ? errno : 0);
	}
	if (child < 0)
		return err_set(err, -errno, "cannot start a process");
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) > 0)
		return err_set(err, -WEXITSTATUS(status), "cannot start a process");
	return 0;
}

static int open_marks(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? err_set(err, -errno, "'%s'", path) : fd;
}

static int start_pumps(struct relay *relay, int marks, struct err *err)
{
	struct relay_parts *parts = relay->parts;
	int r = 0;

	for (size_t i = 0; i < parts->n_pumps && r == 0; i++) {
		struct pump *pump = &parts->pumps[i];

		pump->control = parts->control;
		pump->shared = parts->shared;
		pump->marks = marks;
		pump->born_ns = boot_ns();
		r = start_pump(pump, err);
	}
	closep(&parts->control);
	return r;
}

/* Signals that come while a pump is born must not end it. */
static int start_blocked(struct relay *relay, int marks, struct err *err)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	r = start_pumps(relay, marks, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

static int try_start(struct relay *relay, const char *marks_path, struct err *err)
{
	CLEANUP(closep) int marks = -1;
	int r = open_streams(relay, err);

	if (r < 0 || relay->parts->n_pumps == 0)
		return r;
	r = share(relay, err);
	if (r < 0)
		return r;
	if (relay->parts->matcher && marks_path) {
		marks = open_marks(marks_path, err);
		if (marks < 0)
			return marks;
	}
	return start_blocked(relay, marks, err);
}

/* Our copies of what the pumps have. The program's ends are for the caller from now on. */
static void let_go(struct relay_parts *parts, bool started)
{
	for (size_t i = 0; i < parts->n_pumps; i++) {
		if (started)
			parts->pumps[i].stream.program_end = -1;
		stream_close(&parts->pumps[i].stream);
	}
}

int relay_start(struct relay *relay, const char *marks_path, struct err *err)
{
	int r = try_start(relay, marks_path, err);

	let_go(relay->parts, r == 0);
	if (r < 0) { /* a pump that was started finds its stream at an end, and leaves */
		if (relay->control > 0)
			close(relay->control);
		relay->stdout_fd = relay->stderr_fd = relay->control = 0;
		return r;
	}
	relay->now = relay->parts->shared ? &relay->parts->shared->now : NULL;
	return 0;
}

/* The signals that a program would obey which waits for its reader; all are blocked here. Returns 0
 * where none came. */
static int next_signal(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	const struct timespec no_wait = { 0 };
	sigset_t set;
	int signal;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(signals); i++)
		sigaddset(&set, signals[i]);
	signal = sigtimedwait(&set, NULL, &no_wait);
	return signal > 0 ? signal : 0;
}

static void obey(struct relay_parts *parts, int signal)
{
	if (signal == SIGTSTP)
		kill(getpid(), SIGSTOP);
	else if (signal)
		parts->hurried = true;
}

bool relay_drain(struct relay *relay, int patience_ms)
{
	struct pollfd polled = { .fd = relay->control };
	int waited_ms = 0;

	if (relay->control <= 0)
		return true;
	if (!relay->parts->told) { /* what came to us while the program lived was for it */
		while (next_signal())
			;
		shutdown(relay->control, SHUT_WR);
		relay->parts->told = true;
	}
	while (!relay->parts->hurried && (patience_ms < 0 || waited_ms < patience_ms)) {
		if (poll(&polled, 1, POLL_MS) > 0 && polled.revents & (POLLHUP | POLLERR))
			return true;
		obey(relay->parts, next_signal());
		waited_ms += POLL_MS;
	}
	return false;
}

int relay_lost(const struct relay *relay, struct err *err)
{
	const struct relay_parts *parts = relay->parts;
	char bytes[HUMAN_BYTES];

	for (size_t i = 0; i < parts->n_pumps; i++) {
		uint64_t lost = atomic_load(&parts->shared->lost[i].bytes);
		const char *name = parts->pumps[i].stream.name;

		if (lost == 0)
			continue;
		return err_set(err, -atomic_load(&parts->shared->lost[i].error),
			       "%s of the program's output could not be written to std%s",
			       human_bytes((double)lost, bytes), name ? name : "out");
	}
	return 0;
}

void relay_close(struct relay *relay)
{
	struct relay_parts *parts = relay->parts;

	if (!parts)
		return;
	if (relay->control > 0)
		close(relay->control);
	if (parts->shared)
		munmap(parts->shared, sizeof(*parts->shared));
	matcher_free(parts->matcher);
	format_free(parts->stamp);
	free(parts);
	*relay = (struct relay){ 0 };
}
