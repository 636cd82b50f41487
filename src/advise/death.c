/* A shell, make or mpirun that fails because something in it failed is not the one to blame: the
 * process that died first is looked for. How one ended is known of those that came to sonde's
 * launcher, and from Linux 6.15 on of all that were seen; elsewhere the convention of shells is all
 * there is: 128 + N. */
#include "advise/death.h"

#include "base/signals.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define FOLLOWED_S 10 /* who fails because a child crashed does so within this time */
#define PASSED_ON_S 1 /* and who only hands its status on */
#define WORDS_MOST 72 /* bytes of the last words that go into a sentence */
#define LATE_S 0.25   /* since the last look at a process */

const char *death_told(const struct death *death, const char *name)
{
	return facts_text(death->facts, "exit", name);
}

double death_number(const struct death *death, const char *section, const char *name)
{
	struct value value = facts_value(death->facts, section, name);

	return value_is(value) ? value.number : -1;
}

int death_whole(const struct death *death, const char *section, const char *name)
{
	double number = death_number(death, section, name);

	return number >= 0 && number <= INT32_MAX ? (int)number : -1;
}

bool death_failed(const struct death *death)
{
	return death->status > 0 || death->signal > 0;
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; word && *words; words++) {
		if (strcmp(word, *words) == 0)
			return true;
	}
	return false;
}

bool death_said(const struct death *death, const char *cause)
{
	const char *said = death_told(death, "words_cause");

	return said && strcmp(said, cause) == 0 && death_told(death, "words");
}

void death_add_signal(struct text *text, int signal)
{
	const char *name = signal_name(signal);

	if (name)
		text_add(text, name);
	else
		text_add_format(text, "signal %d", signal);
}

bool death_is_crash(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGABRT || signal == SIGSYS || signal == SIGTRAP || signal == SIGXCPU ||
	       signal == SIGXFSZ;
}

static int ended_by(const struct process *process)
{
	int status = process->status;

	return status != PROCESS_STATUS_UNKNOWN && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static int status_of(const struct process *process)
{
	int status = process->status;

	return status != PROCESS_STATUS_UNKNOWN && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double ended_s(const struct process *process)
{
	return (double)process->ended_ns / 1e9;
}

static const struct process *row_of_id(const struct facts *facts, uint32_t id)
{
	for (size_t i = 0; id > 0 && i < facts->n_processes; i++) {
		if (facts->processes[i].id == id)
			return &facts->processes[i];
	}
	return NULL;
}

static const struct process *row_of_pid(const struct facts *facts, int pid)
{
	for (size_t i = 0; pid > 0 && i < facts->n_processes; i++) {
		if (facts->processes[i].pid == pid && facts->processes[i].count == 1)
			return &facts->processes[i];
	}
	return NULL;
}

bool death_was_oom_killed(const struct death *death, const struct process *process)
{
	int pid = death_whole(death, "exit", "oom_pid");
	const char *name = death_told(death, "oom_name");

	if (ended_by(process) != SIGKILL)
		return false;
	if (pid > 0)
		return process->pid == pid;
	if (name)
		return process->name && strcmp(process->name, name) == 0;
	return death_number(death, "totals", "cgroup_oom_kills") > 0;
}

/* ulimit -t: SIGXCPU at the soft limit, SIGKILL at the hard one, which is the same one mostly. A
 * row may lack what the process did after the last look at it. */
enum doubt death_over_cpu(const struct death *death, const struct process *process)
{
	int cpu = facts_metric(death->facts, SCOPE_PROCESS, "cpu_s");
	double limit = death_number(death, "limits", "cpu_s"), used;

	if (cpu < 0 || !process || limit <= 0 || !value_is(process->values[cpu]))
		return NO;
	used = process->values[cpu].number;
	if (used >= NEAR_TIME * limit)
		return SURE;
	return used >= limit - LATE_S && used >= limit / 2 ? LIKELY : NO;
}

/* Children that a failing program ends on purpose are ended by SIGTERM or SIGKILL; so these count
 * only with more evidence. A crash long ago was no reason to fail now. */
static bool may_be_first(const struct death *death, const struct process *process)
{
	int by = ended_by(process);

	if (process == death->program || process->ended_ns == PROCESS_ALIVE || by == 0)
		return false;
	if (death_was_oom_killed(death, process) ||
	    (by == SIGKILL && death_over_cpu(death, process) != NO))
		return true;
	if (death->status == SHELL_SIGNAL + by)
		return ended_s(process) + FOLLOWED_S >= death->end_s;
	return death_is_crash(by) && death->status > 0 &&
	       ended_s(process) + FOLLOWED_S >= death->end_s;
}

static const struct process *death_find_first(const struct death *death)
{
	const struct process *first = NULL;

	for (size_t i = 0; death->signal == 0 && i < death->facts->n_processes; i++) {
		const struct process *process = &death->facts->processes[i];

		if (may_be_first(death, process) && (!first || process->ended_ns < first->ended_ns))
			first = process;
	}
	return first;
}

/* They run a command and end with its status. */
static const char *const passers[] = { "sh",   "bash", "dash", "zsh",  "ksh",    "busybox",
				       "env",  "nice", "time", "srun", "mpirun", "mpiexec",
				       "sudo", "su",   "tini", NULL };

/* The last child that ended with the same status just before. */
static const struct process *whose_status(const struct death *death, const struct process *parent)
{
	const struct process *last = NULL;

	for (size_t i = 0; i < death->facts->n_processes; i++) {
		const struct process *child = &death->facts->processes[i];

		if (child->parent == parent->id && child->count == 1 &&
		    child->ended_ns != PROCESS_ALIVE && (!last || child->ended_ns > last->ended_ns))
			last = child;
	}
	if (!last || status_of(last) != death->status || ended_s(last) + PASSED_ON_S < death->end_s)
		return NULL;
	return last;
}

/* Down through shells in shells. */
const struct process *death_find_failed(const struct death *death)
{
	const struct process *found = death->program;

	while (found && is_one_of(found->name, passers)) {
		const struct process *child = whose_status(death, found);

		if (!child)
			break;
		found = child;
	}
	return found == death->program ? NULL : found;
}

void death_add_process(struct text *text, const struct process *process)
{
	text_add_format(text, "'%s' (pid %d)", process->name ? process->name : "?", process->pid);
}

void death_add_subject(const struct death *death, struct text *text)
{
	if (death->first)
		death_add_process(text, death->first);
	else if (death->signal == 0)
		text_add(text, "a command in it");
	text_add(text, death->first || death->signal == 0 ? " " : "");
}

void death_add_followers(const struct death *death, struct text *text)
{
	const struct process *up = death->first ? row_of_id(death->facts, death->first->parent)
						: NULL;
	const char *names[3];
	size_t count = 0;

	for (int depth = 0; up && count < COUNT(names) && depth < 64; depth++) {
		bool again = count > 0 && up->name && strcmp(names[count - 1], up->name) == 0;

		if (up->name && !again)
			names[count++] = up->name;
		up = row_of_id(death->facts, up->parent);
	}
	for (size_t i = 0; i < count; i++)
		text_add_format(text, "%s'%s'",
				i == 0           ? "; "
				: i + 1 == count ? " and "
						 : ", ",
				names[i]);
	if (count > 0)
		text_add(text, " only followed");
}

bool death_is_killed(const struct death *death)
{
	return death->by == SIGKILL || death->status == SHELL_SIGNAL + SIGKILL;
}

void death_add_any_words(const struct death *death, struct text *text)
{
	if (!death_told(death, "words"))
		return;
	text_add(text, ": ");
	death_add_words(death, text);
}

void death_add_words(const struct death *death, struct text *text)
{
	const char *words = death_told(death, "words");
	size_t length = words ? strlen(words) : 0, cut = length;

	if (length > WORDS_MOST) {
		cut = WORDS_MOST;
		while (cut > 0 && ((unsigned char)words[cut] & 0xc0) == 0x80) /* amidst a letter */
			cut--;
	}
	text_add_format(text, "it said '%.*s%s'", (int)cut, words ? words : "",
			cut < length ? "..." : "");
}

struct death death_of(const struct facts *facts)
{
	struct death death = { .facts = facts };

	death.status = death_whole(&death, "exit", "status");
	death.signal = death_whole(&death, "exit", "signal");
	if (death.signal < 0)
		death.signal = 0;
	death.end_s = death_number(&death, "totals", "wall_s");
	death.program = row_of_pid(facts, death_whole(&death, "exit", "pid"));
	death.first = death_find_first(&death);
	death.by = death.first ? ended_by(death.first) : death.signal;
	if (death.by == 0 && death.status > SHELL_SIGNAL && death.status < SHELL_SIGNAL + 32)
		death.by = death.status - SHELL_SIGNAL;
	return death;
}
