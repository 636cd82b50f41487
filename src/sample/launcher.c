/* Signals are the only input here. All are blocked and taken one by one by sigwaitinfo:
 *
 *	SIGCHLD		somebody ended, stopped or went on
 *	SIGRTMIN + 4	the sampler left an order (not in the signal: a user may be allowed none
 *queued) SIGRTMIN + 5	the sampler died (PR_SET_PDEATHSIG) anything else	came to the whole
 *process group, or to us by mistake: noted, not obeyed
 */
#include "sample/launcher.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "sample/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNAL_ORDER (SIGRTMIN + 4)
#define SIGNAL_ORPHANED (SIGRTMIN + 5)

/* A group signal reaches us and the sampler within microseconds of each other; the sampler's
 * order to forward it comes later by a wake-up, which may take long on a machine that is full. Each
 * answers for one order only, so a second signal is never taken for the first. */
#define SAME_SIGNAL_NS 1000000000

struct state {
	struct launcher *launcher;
	pid_t program;
	bool orphaned; /* no sampler any more */
	bool killing;  /* ordered to end them all */
	uint32_t orders_taken;
	uint64_t own_read_bytes, own_read_calls;
	struct {
		pid_t sender;
		uint64_t time_ns;
	} group[65]; /* by signal: the last that came to us, too */
};

void launcher_command(struct launcher_shared *shared, int launcher_pid, enum launcher_order order,
		      int signal, int sender_pid)
{
	uint32_t given = atomic_load(&shared->orders_given);

	shared->orders[given % ORDER_RING] = (uint64_t)(uint32_t)sender_pid << 32 |
					     (uint64_t)signal << 8 | order;
	atomic_store(&shared->orders_given, given + 1);
	kill(launcher_pid, SIGNAL_ORDER);
}

static void poke(const struct state *state)
{
	if (!state->orphaned)
		(void)send(state->launcher->socket, "!", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The environment with the one variable that we add, in place of one from a sonde around us. */
static char **environment_with(const char *mark_path)
{
	size_t count = 0, kept = 0, name = strlen(MARKS_VARIABLE "=");
	char *mark = mem_new(name + strlen(mark_path) + 1), **with;

	strcat(strcpy(mark, MARKS_VARIABLE "="), mark_path);
	while (environ && environ[count])
		count++;
	with = mem_new((count + 2) * sizeof(*with));
	for (size_t i = 0; i < count; i++) {
		if (strncmp(environ[i], mark, name) != 0)
			with[kept++] = environ[i];
	}
	with[kept] = mark;
	return with;
}

/* execvp would have a shell read the bytes of a program for another machine. */
static void execute_with(const struct launcher *launcher, char **environment)
{
	environ = environment;
	if (launcher->path)
		execv(launcher->path, launcher->argv);
	else
		execvp(launcher->argv[0], launcher->argv);
}

static int execute(const struct launcher *launcher)
{
	char **before = environ;

	if (launcher->mark_path)
		execute_with(launcher, environment_with(launcher->mark_path));
	if (!launcher->mark_path || errno == E2BIG) /* as much as fits without us: without us */
		execute_with(launcher, before);
	return errno;
}

NORETURN static void become_program(const struct launcher *launcher)
{
	const char *slash = strrchr(launcher->argv[0], '/');
	int error;

	/* As exec will call it: a look, or the kernel's log, may meet it before that. */
	prctl(PR_SET_NAME, slash ? slash + 1 : launcher->argv[0]);
	if (launcher->stdout_fd)
		dup2(launcher->stdout_fd, STDOUT_FILENO);
	if (launcher->stderr_fd)
		dup2(launcher->stderr_fd, STDERR_FILENO);
	sigaction(SIGCHLD, &launcher->child_action, NULL);
	sigprocmask(SIG_SETMASK, &launcher->mask, NULL);
	error = execute(launcher);
	atomic_store(&launcher->shared->exec_errno, error);
	_exit(error == ENOENT ? 127 : 126);
}

static void start_program(struct state *state)
{
	struct launcher *launcher = state->launcher;
	pid_t pid;

	atomic_store(&launcher->shared->started_ns, boot_ns());
	pid = fork();
	if (pid == 0)
		become_program(launcher);
	if (pid < 0) { /* the limit of processes: then without a launcher */
		prctl(PR_SET_PDEATHSIG, 0);
		prctl(PR_SET_CHILD_SUBREAPER, 0);
		atomic_store(&launcher->shared->program_pid, getpid());
		become_program(launcher);
	}
	state->program = pid;
	atomic_store(&launcher->shared->program_pid, pid);
	/* The program's pipes must end when the program lets go of them. */
	file_close_others(0, launcher->socket);
}

static uint64_t timeval_us(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

pid_t reap_one(int options, int *status, struct reaped *ret)
{
	struct rusage usage;
	pid_t pid = wait4(-1, status, options, &usage);

	if (pid <= 0 || WIFSTOPPED(*status) || WIFCONTINUED(*status))
		return pid;
	*ret = (struct reaped){
		.pid = pid,
		.status = *status,
		.time_ns = boot_ns(),
		.user_us = timeval_us(usage.ru_utime),
		.system_us = timeval_us(usage.ru_stime),
		.faults_minor = (uint64_t)usage.ru_minflt,
		.faults_major = (uint64_t)usage.ru_majflt,
		.switches_voluntary = (uint64_t)usage.ru_nvcsw,
		.switches_involuntary = (uint64_t)usage.ru_nivcsw,
		.high_bytes = (uint64_t)usage.ru_maxrss * 1024,
	};
	return pid;
}

void reaped_add(struct launcher_shared *shared, const struct reaped *reaped)
{
	struct reaped *total = &shared->total;
	uint64_t count = atomic_load(&shared->reaped_count);

	total->user_us += reaped->user_us;
	total->system_us += reaped->system_us;
	total->faults_minor += reaped->faults_minor;
	total->faults_major += reaped->faults_major;
	total->switches_voluntary += reaped->switches_voluntary;
	total->switches_involuntary += reaped->switches_involuntary;
	if (reaped->high_bytes > total->high_bytes)
		total->high_bytes = reaped->high_bytes;
	shared->ring[count % REAPED_RING] = *reaped;
	atomic_store(&shared->reaped_count, count + 1);
}

static void note_program(struct state *state, int status, const struct reaped *reaped)
{
	struct launcher_shared *shared = state->launcher->shared;

	if (WIFSTOPPED(status)) {
		atomic_store(&shared->stopped_signal, WSTOPSIG(status));
	} else if (WIFCONTINUED(status)) {
		atomic_store(&shared->stopped_signal, 0);
		if (!state->orphaned) /* it stopped with the program */
			kill(state->launcher->sampler_pid, SIGCONT);
	} else {
		shared->program_reaped = *reaped;
		atomic_store(&shared->program_ended, true);
	}
	poke(state);
}

/* Returns false when there are no children left. */
static bool reap_all(struct state *state)
{
	struct reaped reaped = { 0 };
	int status;
	pid_t pid;

	while ((pid = reap_one(WNOHANG | WUNTRACED | WCONTINUED, &status, &reaped)) > 0) {
		if (WIFEXITED(status) || WIFSIGNALED(status))
			reaped_add(state->launcher->shared, &reaped);
		if (pid == state->program)
			note_program(state, status, &reaped);
	}
	return !(pid < 0 && errno == ECHILD);
}

static bool came_to_us_too(struct state *state, int signal, pid_t sender)
{
	const struct timespec no_wait = { 0 };
	sigset_t one;
	siginfo_t info;
	bool same;

	sigemptyset(&one);
	sigaddset(&one, signal);
	while (sigtimedwait(&one, &info, &no_wait) > 0) {
		state->group[signal].sender = info.si_pid;
		state->group[signal].time_ns = boot_ns();
	}
	same = state->group[signal].sender == sender &&
	       boot_ns() - state->group[signal].time_ns < SAME_SIGNAL_NS;
	state->group[signal].sender = 0; /* it answers for one */
	return same;
}

/* Grandchildren come to us as their parents die, and are met at the next call. */
static void kill_children(struct state *state)
{
	char path[64], pids[4096];
	const char *cursor = pids;
	ssize_t length;
	uint64_t pid;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? 0 : pread(fd, pids, sizeof(pids) - 1, 0);
	if (fd >= 0)
		close(fd);
	pids[length > 0 ? length : 0] = '\0';
	state->own_read_bytes += length > 0 ? (uint64_t)length : 0;
	state->own_read_calls += fd >= 0;
	while (scan_u64(&cursor, &pid) == 0)
		kill((pid_t)pid, SIGKILL);
	if (!atomic_load(&state->launcher->shared->program_ended))
		kill(state->program, SIGKILL);
}

static void obey(struct state *state, uint64_t word)
{
	enum launcher_order order = word & 0xff;
	int signal = word >> 8 & 0xff;
	pid_t sender = (pid_t)(word >> 32);
	bool alive = state->program > 0 && !atomic_load(&state->launcher->shared->program_ended);

	if (order == LAUNCHER_GO && !state->program)
		start_program(state);
	else if (order == LAUNCHER_FORWARD && alive && !came_to_us_too(state, signal, sender))
		kill(state->program, signal);
	else if (order == LAUNCHER_KILL)
		state->killing = true;
}

static void obey_all(struct state *state)
{
	const struct launcher_shared *shared = state->launcher->shared;

	while (state->orders_taken != atomic_load(&shared->orders_given))
		obey(state, shared->orders[state->orders_taken++ % ORDER_RING]);
}

static void take_signal(struct state *state, const siginfo_t *info)
{
	if (info->si_signo == SIGNAL_ORDER) {
		obey_all(state);
	} else if (info->si_signo == SIGNAL_ORPHANED || getppid() != state->launcher->sampler_pid) {
		state->orphaned = true;
		if (!state->program)
			start_program(state);
	} else if (info->si_signo < (int)COUNT(state->group)) {
		state->group[info->si_signo].sender = info->si_pid;
		state->group[info->si_signo].time_ns = boot_ns();
	}
}

/* Our own reads are taken off again, so what stays is what the others did. */
static void read_io(const struct state *state, struct launcher_io *io)
{
	char text[512];
	int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || file_reread(fd, text, sizeof(text)) <= 0)
		return;
	io->read = scan_key_u64(text, "rchar:", &io->read_bytes) == 0 &&
		   scan_key_u64(text, "wchar:", &io->write_bytes) == 0 &&
		   scan_key_u64(text, "syscr:", &io->read_calls) == 0 &&
		   scan_key_u64(text, "syscw:", &io->write_calls) == 0 &&
		   scan_key_u64(text, "read_bytes:", &io->storage_read_bytes) == 0 &&
		   scan_key_u64(text, "write_bytes:", &io->storage_write_bytes) == 0;
	io->read_bytes -= state->own_read_bytes;
	io->read_calls -= state->own_read_calls;
}

static void leave(struct state *state)
{
	struct launcher_shared *shared = state->launcher->shared;
	struct rusage own;

	if (state->orphaned && state->launcher->mark_path)
		unlink(state->launcher->mark_path);
	read_io(state, &shared->io);
	getrusage(RUSAGE_SELF, &own);
	shared->own_cpu_us = timeval_us(own.ru_utime) + timeval_us(own.ru_stime);
	shared->own_high_bytes = (uint64_t)own.ru_maxrss * 1024;
	atomic_store(&shared->all_ended, true);
	poke(state);
}

static bool is_done(const struct state *state)
{
	return atomic_load(&state->launcher->shared->program_ended) && !state->killing &&
	       !state->launcher->wait_for_all;
}

NORETURN void launcher_run(struct launcher *launcher)
{
	struct state state = { .launcher = launcher };
	bool children = true;
	siginfo_t info;
	sigset_t all;
	int status;

	prctl(PR_SET_NAME, "launcher");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGNAL_ORPHANED);
	sigfillset(&all);
	if (getppid() != launcher->sampler_pid)
		take_signal(&state, &(siginfo_t){ .si_signo = SIGNAL_ORPHANED });
	while (children && !is_done(&state)) {
		if (sigwaitinfo(&all, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD)
			take_signal(&state, &info);
		children = !state.program || reap_all(&state);
		if (children && state.killing)
			kill_children(&state);
	}
	leave(&state);
	status = launcher->shared->program_reaped.status;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
