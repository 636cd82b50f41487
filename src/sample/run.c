/* Three processes: we (sampler), the launcher, the program. All three are in the process group that
 *the user's shell made, so a terminal's signals reach the program without us. We block every signal
 *and look at each:
 *
 *	from the terminal (SI_KERNEL)	the program has it already
 *	from a process			the launcher passes it on, unless it went to the whole group
 *	SIGCHLD				the launcher died: we, a subreaper too, inherit the program
 *
 * When the program stops, we stop the same way, so that the shell sees its job stop. */
#include "sample/run.h"

#include "base/clock.h"
#include "model/phase.h"
#include "sample/launcher.h"
#include "sample/marks.h"
#include "sample/outcome.h"
#include "sample/publish.h"
#include "sample/sampler.h"
#include "sample/sender.h"
#include "source/context.h"
#include "source/evidence.h"
#include "source/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARKS_PAUSE_NS 50000000ull /* where more marks come than the budget allows to look at */
#define GRACE_NS 5000000000ull     /* between the time limit's SIGTERM and its SIGKILL */

struct session {
	const struct run *run;
	struct launcher_shared *shared;
	struct sampler sampler;
	struct facts *facts;
	struct events *events;
	struct marks *marks; /* NULL: none are taken */
	struct sigaction child_action;
	sigset_t mask;
	pid_t launcher; /* 0: it died, and we are in its place */
	int socket, signals;
	uint64_t kill_ns; /* when the time limit's next signal is due; 0: none */
	bool terminated;  /* SIGTERM was sent for it */
	struct evidence evidence;
	char *path; /* of the program, where it is no script */
};

static struct launcher_shared *watched; /* for the one who runs out of memory */

void run_end_like(int status)
{
	struct rlimit no_core = { 0 };
	sigset_t one;

	if (WIFSIGNALED(status)) {
		/* The program left its core; ours would tell nothing. */
		setrlimit(RLIMIT_CORE, &no_core);
		signal(WTERMSIG(status), SIG_DFL);
		sigemptyset(&one);
		sigaddset(&one, WTERMSIG(status));
		kill(getpid(), WTERMSIG(status));
		sigprocmask(SIG_UNBLOCK, &one, NULL);
		_exit(128 + WTERMSIG(status));
	}
	exit(WEXITSTATUS(status));
}

/* No memory for measuring: the program runs on, and we end as it does. */
static void only_wait(void)
{
	static const char sentence[] =
	    "sonde: out of memory: the program runs on, but nothing more is measured\n";

	if (write(STDERR_FILENO, sentence, sizeof(sentence) - 1) < 0 || !watched)
		_exit(125);
	while (!atomic_load(&watched->program_ended))
		usleep(10000);
	run_end_like(watched->program_reaped.status);
}

/* Descriptors 0 to 2 that the user closed stay closed for the program, and are never given to a
 * file of ours, into which a message could go. */
static void fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Pipes and locks that the program inherited must end with the program, not with us. */
static void let_go_of_inherited(const struct session *session)
{
	const int keep[] = { session->socket, session->run->keep_fd };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		if (!session->run->keep_stdout)
			dup2(null, STDOUT_FILENO);
	}
	file_close_all_but(STDERR_FILENO + 1, keep, COUNT(keep));
}

static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	kept_limit(limit.rlim_cur > 64 ? (size_t)limit.rlim_cur - 48 : 16);
}

NORETURN static void be_launcher(const struct session *session, int socket, pid_t sampler)
{
	struct launcher launcher = {
		.argv = session->run->argv,
		.path = session->path,
		.mask = session->mask,
		.child_action = session->child_action,
		.socket = socket,
		.stdout_fd = session->run->stdout_fd,
		.stderr_fd = session->run->stderr_fd,
		.sampler_pid = sampler,
		.wait_for_all = session->run->wait,
		.mark_path = session->run->mark_path,
		.shared = session->shared,
	};

	launcher_run(&launcher);
}

static void restore_signals(const struct session *session)
{
	sigaction(SIGCHLD, &session->child_action, NULL);
	sigprocmask(SIG_SETMASK, &session->mask, NULL);
}

static int start_launcher(struct session *session, struct err *err)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	pid_t sampler = getpid();
	sigset_t all;
	int sockets[2];

	session->shared = mmap(NULL, sizeof(*session->shared), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (session->shared == MAP_FAILED)
		return err_set(err, -errno, "cannot share memory with the launcher");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return err_set(err, -errno, "cannot make a socket to the launcher");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &session->mask);
	sigaction(SIGCHLD, &by_default, &session->child_action);
	session->launcher = fork();
	if (session->launcher == 0)
		be_launcher(session, sockets[1], sampler);
	if (session->launcher < 0) {
		restore_signals(session);
		return err_set(err, -errno, "cannot start the launcher");
	}
	close(sockets[1]);
	session->socket = sockets[0];
	return 0;
}

static bool launcher_left(const struct session *session)
{
	siginfo_t info = { 0 };

	waitid(P_PID, (id_t)session->launcher, &info, WEXITED | WNOHANG | WNOWAIT);
	return info.si_pid != 0;
}

/* The program's own start is a few hundred microseconds after the order to start it. */
static bool wait_for_start(const struct session *session)
{
	const struct timespec nap = { .tv_nsec = 50000 };

	while (!atomic_load(&session->shared->program_pid)) {
		if (launcher_left(session)) /* and what it did before is visible by now */
			return atomic_load(&session->shared->program_pid) != 0;
		nanosleep(&nap, NULL);
	}
	return true;
}

#define EXEC_NAPS 40 /* 2 ms: then it is looked at as it is */

/* A look before exec would meet our own open files and arguments, and call them the program's. */
static void wait_for_exec(const struct session *session)
{
	const struct timespec nap = { .tv_nsec = 50000 };
	struct stat ours, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", atomic_load(&session->shared->program_pid));
	if (stat("/proc/self/exe", &ours) < 0)
		return;
	for (int i = 0; i < EXEC_NAPS && stat(path, &its) == 0; i++) {
		if (its.st_ino != ours.st_ino || its.st_dev != ours.st_dev)
			return;
		nanosleep(&nap, NULL);
	}
}

/* The launcher has left, or could not fork and became the program itself: now we are the
 * reaper. */
static void be_parent(struct session *session)
{
	session->launcher = 0;
	tree_adopt(&session->sampler.tree, getpid());
}

static uint64_t run_ns(const struct session *session)
{
	return boot_ns() - session->sampler.tree.start_ns;
}

/* In the launcher's place: it was killed. */
static void reap_ourselves(struct session *session)
{
	struct launcher_shared *shared = session->shared;
	struct reaped reaped = { 0 };
	int status;
	pid_t pid;

	while ((pid = reap_one(WNOHANG | WUNTRACED | WCONTINUED, &status, &reaped)) > 0) {
		if (pid == session->launcher) {
			be_parent(session);
			continue;
		}
		if (WIFEXITED(status) || WIFSIGNALED(status))
			reaped_add(shared, &reaped);
		if (pid != shared->program_pid)
			continue;
		atomic_store(&shared->stopped_signal, WIFSTOPPED(status) ? WSTOPSIG(status) : 0);
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			shared->program_reaped = reaped;
			atomic_store(&shared->program_ended, true);
		}
	}
	if (session->launcher == 0 && atomic_load(&shared->program_ended) &&
	    (!session->run->wait || (pid < 0 && errno == ECHILD)))
		atomic_store(&shared->all_ended, true);
}

static void pass_on(struct session *session, const struct signalfd_siginfo *info)
{
	pid_t sender = (pid_t)info->ssi_pid;

	/* Our own: a closed pipe, a file at its size limit. The launcher's: to wake us. The
	 * kernel's come from the terminal; but for the alarm that somebody set before sonde was
	 * executed, which would be the program's. */
	if (sender == session->launcher || sender == getpid())
		return;
	sender_note(info, "/", (double)run_ns(session) / 1e9, session->facts,
		    session->sampler.series);
	if (info->ssi_code == SI_KERNEL && info->ssi_signo != SIGALRM)
		return;
	if (session->launcher)
		launcher_command(session->shared, session->launcher, LAUNCHER_FORWARD,
				 (int)info->ssi_signo, sender);
	else if (!atomic_load(&session->shared->program_ended))
		kill(session->shared->program_pid, (int)info->ssi_signo);
}

static void take_signals(struct session *session)
{
	struct signalfd_siginfo info;

	while (read(session->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD && info.ssi_code != SI_USER)
			reap_ourselves(session);
		else
			pass_on(session, &info);
	}
}

/* Stops us as the program was stopped; returns when we go on. */
static void stop_too(struct session *session)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL }, before;
	sigset_t one;
	int signal;

	if (!atomic_load(&session->shared->stopped_signal))
		return;
	sampler_tick(&session->sampler, run_ns(session));
	signal = atomic_load(&session->shared->stopped_signal); /* it may go on already */
	if (!signal)
		return;
	sigaction(signal, &by_default, &before);
	sigemptyset(&one);
	sigaddset(&one, signal);
	kill(getpid(), signal);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	if (signal != SIGSTOP)
		sigaction(signal, &before, NULL);
	/* Told once; if it still is stopped when we are woken alone, so be it. */
	atomic_compare_exchange_strong(&session->shared->stopped_signal, &signal, 0);
}

static void keep_time_limit(struct session *session)
{
	if (!session->kill_ns || run_ns(session) < session->kill_ns)
		return;
	if (!session->terminated && !atomic_load(&session->shared->program_ended))
		kill(session->shared->program_pid, SIGTERM);
	else if (session->launcher)
		launcher_command(session->shared, session->launcher, LAUNCHER_KILL, 0, 0);
	else
		kill(session->shared->program_pid, SIGKILL);
	session->kill_ns = session->terminated ? 0 : session->kill_ns + GRACE_NS;
	session->terminated = true;
}

/* What the program marked; and how all stood then. */
static void take_marks(struct session *session)
{
	uint64_t now_ns = run_ns(session);

	if (marks_read(session->marks, now_ns, session->facts, session->sampler.series) == 0)
		return;
	if (sampler_may(&session->sampler, now_ns))
		sampler_tick_extra(&session->sampler, now_ns);
	else
		marks_pause(session->marks, now_ns + MARKS_PAUSE_NS);
}

/* Waits until a tick is due or something happened. */
static void wait_for_news(struct session *session)
{
	struct pollfd polled[] = {
		{ .fd = session->signals, .events = POLLIN },
		{ .fd = session->launcher ? session->socket : -1, .events = POLLIN },
		{ .fd = marks_fd(session->marks, run_ns(session)), .events = POLLIN },
	};
	uint64_t now_ns = run_ns(session), due_ns = sampler_due(&session->sampler);
	struct timespec patience = { 0 };
	char byte[8];

	if (session->kill_ns && session->kill_ns < due_ns)
		due_ns = session->kill_ns;
	if (session->events && now_ns + events_patience_ns(session->events) < due_ns)
		due_ns = now_ns + events_patience_ns(session->events);
	if (marks_due(session->marks, now_ns) < due_ns)
		due_ns = marks_due(session->marks, now_ns);
	if (due_ns > now_ns) {
		patience.tv_sec = (time_t)((due_ns - now_ns) / 1000000000u);
		patience.tv_nsec = (long)((due_ns - now_ns) % 1000000000u);
	}
	if (ppoll(polled, COUNT(polled), &patience, NULL) > 0 && polled[1].revents)
		recv(session->socket, byte, sizeof(byte), MSG_DONTWAIT);
	if (polled[0].revents)
		take_signals(session);
	if (polled[2].revents)
		take_marks(session);
	briefs_drain(&session->sampler.tree);
}

static void watch(struct session *session)
{
	while (!atomic_load(&session->shared->all_ended)) {
		wait_for_news(session);
		stop_too(session);
		keep_time_limit(session);
		if (atomic_load(&session->shared->all_ended) ||
		    run_ns(session) < sampler_due(&session->sampler))
			continue;
		take_marks(session); /* where nothing tells of them */
		if (run_ns(session) >= sampler_due(&session->sampler))
			sampler_tick(&session->sampler, run_ns(session));
	}
}

static void add_exit(struct facts *facts, int status, const struct session *session)
{
	facts_add_number(facts, "exit", "pid", session->shared->program_pid);
	if (WIFEXITED(status))
		facts_add_number(facts, "exit", "status", WEXITSTATUS(status));
	if (WIFSIGNALED(status))
		facts_add_number(facts, "exit", "signal", WTERMSIG(status));
	if (session->terminated)
		facts_add_measured(facts, "exit", "timeout_s", UNIT_SECONDS,
				   (double)session->run->timeout_ns / 1e9, "--timeout");
}

static void start_measuring(struct session *session)
{
	struct err err = { 0 };

	if (events_open(session->launcher, &session->events, &err) < 0)
		facts_add_text(session->facts, "sonde", "events_why", err.text);
	evidence_begin(&session->evidence, STDERR_FILENO);
	launcher_command(session->shared, session->launcher, LAUNCHER_GO, 0, 0);
	session->signals = signalfd(-1, &(sigset_t){ 0 }, SFD_CLOEXEC | SFD_NONBLOCK);
	if (session->signals >= 0) {
		sigset_t all;

		sigfillset(&all);
		signalfd(session->signals, &all, 0);
	}
	sampler_init(&session->sampler, session->facts, session->launcher, session->shared,
		     session->events, session->run->interval_ns, session->run->budget);
	session->sampler.now = session->run->now;
}

static void start_recording(struct session *session)
{
	evidence_look(&session->evidence);
	context_read("/", session->facts);
	if (session->run->now)
		publish_limits(session->facts, session->run->timeout_ns, session->run->now);
	if (session->run->path &&
	    series_open(session->run->path, session->facts, &session->sampler.series,
			&session->sampler.series_err) < 0)
		session->sampler.series = NULL;
}

static void start_marks(struct session *session)
{
	struct err err = { 0 };

	if (session->run->mark_path &&
	    marks_open(session->run->mark_path, session->run->budget, &session->marks, &err) < 0)
		facts_note(session->facts, "no marks could be taken: %s", err.text);
}

static void note_marks(struct facts *facts)
{
	size_t unmatched = phases_unmatched(facts);

	if (unmatched > 0)
		facts_note(facts, "ends of phases that had not begun: %zu", unmatched);
}

static void finish(struct session *session, struct run_end *ret)
{
	struct sampler *sampler = &session->sampler;
	uint64_t ended_ns = session->shared->program_reaped.time_ns;
	struct err err = { 0 };

	take_signals(session); /* that which ended the program may be among them */
	marks_unwatch(session->marks);
	if (session->launcher) { /* it is about to leave, and who lives on comes to us */
		waitpid(session->launcher, NULL, 0);
		be_parent(session);
	}
	sampler->slow_due_ns = 0; /* what lives on is read in full */
	sampler->tree.ask_all = true;
	sampler_tick(sampler, run_ns(session));
	if (session->run->wait)
		ended_ns = boot_ns();
	marks_finish(session->marks, ended_ns - sampler->tree.start_ns, session->facts,
		     sampler->series);
	note_marks(session->facts);
	outcome_add(sampler, ended_ns - sampler->tree.start_ns, !session->run->wait,
		    session->facts);
	add_exit(session->facts, session->shared->program_reaped.status, session);
	evidence_end(&session->evidence, session->shared->program_reaped.status,
		     session->run->argv[0], session->facts);
	facts_add_bool(session->facts, "run", "complete", true);
	if (sampler->series && series_finish(sampler->series, session->facts, &err) < 0 &&
	    !sampler->series_err.code)
		sampler->series_err = err;
	if (access("/proc/self/stat", R_OK) < 0)
		err_set(&ret->measured, -errno,
			"memory and each process could not be measured: '/proc/self/stat'");
	ret->kept = sampler->series_err;
	ret->status = session->shared->program_reaped.status;
}

static void session_close(struct session *session)
{
	series_close(session->sampler.series);
	sampler_clear(&session->sampler);
	marks_close(session->marks);
	events_close(session->events);
	evidence_clear(&session->evidence);
	free(session->path);
	if (session->signals >= 0)
		close(session->signals);
	close(session->socket);
	if (session->launcher)
		waitpid(session->launcher, NULL, 0);
	if (session->run->mark_path)
		unlink(session->run->mark_path);
	watched = NULL;
	munmap(session->shared, sizeof(*session->shared));
}

int run_program(const struct run *run, struct facts *facts, struct run_end *ret, struct err *err)
{
	struct session session = {
		.run = run, .facts = facts, .signals = -1, .evidence = { .kernlog = -1 }
	};
	int r;

	*ret = (struct run_end){ 0 };
	fill_standard_descriptors();
	session.path = program_elf(run->argv[0]);
	r = start_launcher(&session, err);
	if (r < 0)
		return r;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	watched = session.shared;
	mem_on_failure(only_wait);
	let_go_of_inherited(&session);
	raise_descriptor_limit();
	session.kill_ns = run->timeout_ns;
	start_measuring(&session);
	if (!wait_for_start(&session)) {
		session_close(&session);
		restore_signals(&session);
		return err_say(err, -ECHILD,
			       "the launcher was killed before it started the program");
	}
	if (atomic_load(&session.shared->program_pid) == session.launcher)
		be_parent(&session);
	session.sampler.tree.start_ns = atomic_load(&session.shared->started_ns);
	wait_for_exec(&session);
	sampler_tick(&session.sampler, run_ns(&session));
	start_recording(&session);
	start_marks(&session);
	watch(&session);
	if (run->drain)
		run->drain(run->drain_arg);
	ret->exec_errno = atomic_load(&session.shared->exec_errno);
	if (!ret->exec_errno) {
		finish(&session, ret);
	} else {
		series_discard(session.sampler.series);
		session.sampler.series = NULL;
	}
	session_close(&session);
	return 0;
}
