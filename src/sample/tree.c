/* A look goes through the living in order, parents before their children, and each is asked only
 * after its parent: so what a child used is never counted twice, in the child and in the parent
 * that has just waited for it. It may be missing for one tick; sums over the tree are kept from
 * falling. */
#include "sample/tree.h"

#include "base/mask.h"
#include "sample/exits.h"
#include "source/clock.h"
#include "source/stat.h"
#include "source/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_VALUES 64 /* of one process */
#define CROWD 8        /* so many may run at once and still be read in full */
#define SLEEPER_TICKS 20
#define YOUNG_LOOKS 20
#define MOST_COMMAND 4096 /* bytes of a command line; some hold megabytes */

static int64_t clock_offset_ns(void)
{
	struct timespec boot, monotonic;

	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (boot.tv_sec - monotonic.tv_sec) * 1000000000LL + boot.tv_nsec - monotonic.tv_nsec;
}

static struct proc *proc_new(const struct tree *tree, int pid)
{
	struct proc *proc = mem_new(sizeof(*proc));

	proc->pid = pid;
	proc->fresh = proc->moved = proc->moved_slow = true;
	proc->pss_bytes = -1;
	proc->pidfd = -1;
	proc->states = mem_new(tree->metrics->n_process_readers * sizeof(*proc->states));
	proc->closed = mem_new(tree->metrics->n_process_readers * sizeof(*proc->closed));
	proc->now = mem_new(tree->metrics->n_process * sizeof(*proc->now));
	proc->children = mem_new(tree->metrics->n_process * sizeof(*proc->children));
	proc->own = mem_new(tree->metrics->n_process * sizeof(*proc->own));
	proc->own_before = mem_new(tree->metrics->n_process * sizeof(*proc->own_before));
	proc->before = mem_new(tree->metrics->n_process * sizeof(*proc->before));
	proc->owed = mem_new(tree->metrics->n_process * sizeof(*proc->owed));
	return proc;
}

static void proc_free(const struct tree *tree, struct proc *proc)
{
	if (!proc)
		return;
	for (size_t i = 0; i < tree->metrics->n_process_readers; i++) {
		if (proc->states[i])
			tree->metrics->process_readers[i].source->close(proc->states[i]);
	}
	kept_close(&proc->children_file);
	exit_forget(proc->pidfd);
	free(proc->states);
	free(proc->closed);
	free(proc->now);
	free(proc->children);
	free(proc->own);
	free(proc->own_before);
	free(proc->before);
	free(proc->owed);
	free(proc);
}

void tree_init(struct tree *tree, const char *root, const struct metrics *metrics, int launcher_pid,
	       const struct launcher_shared *shared, struct events *events)
{
	*tree =
	    (struct tree){ .metrics = metrics, .root = root, .shared = shared, .events = events };
	tree->roster.metrics = metrics;
	tree->events_offset_ns = clock_offset_ns();
	tree->lost = mem_new(metrics->n_process * sizeof(*tree->lost));
	tree->dead = mem_new(metrics->n_process * sizeof(*tree->dead));
	tree->launcher = proc_new(tree, launcher_pid);
	kept_open(&tree->loadavg, root, "proc/loadavg", NULL);
}

void tree_adopt(struct tree *tree, int pid)
{
	kept_close(&tree->launcher->children_file);
	tree->launcher->pid = pid;
	tree->forked = true;
	tree->last_pid = 0;
}

/* -ESRCH when the process has gone; a source that is closed to us is left alone from then on. */
int proc_read_source(const struct tree *tree, struct proc *proc, size_t reader)
{
	const struct reader *r = &tree->metrics->process_readers[reader];
	struct value values[MOST_VALUES] = { 0 };
	int result = 0;

	if (proc->closed[reader])
		return 0;
	if (!proc->states[reader])
		result = r->source->open(tree->root, proc->pid, &proc->states[reader], NULL);
	if (result == 0)
		result = r->source->read(proc->states[reader], values, NULL);
	if (result == -ESRCH || result == -ENOENT)
		return -ESRCH;
	if (result == -EACCES || result == -EPERM)
		proc->closed[reader] = true;
	for (size_t i = 0; result == 0 && i < r->count; i++) {
		if (value_is(values[i]))
			proc->now[r->first + i] = values[i];
	}
	return 0;
}

bool reads_pss(const struct tree *tree, const struct reader *reader)
{
	return tree->metrics->pss >= 0 && (size_t)tree->metrics->pss >= reader->first &&
	       (size_t)tree->metrics->pss < reader->first + reader->count;
}

static void read_command(struct tree *tree, struct proc *proc, struct row *row, const char *name)
{
	CLEANUP(freep) char *arguments = NULL, *command = NULL;
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "proc/%d/cmdline", proc->pid);
	length = file_read(tree->root, path, &arguments, NULL);
	if (length > 0)
		command = mask_arguments(arguments,
					 length < MOST_COMMAND ? (size_t)length : MOST_COMMAND);
	roster_name(&tree->roster, row, name, command);
}

/* Who it is now: it may have called exec, been adopted, or be waiting to be reaped. A look just
 * after fork meets the parent's arguments, and one amidst exec none, so they are read again. */
static void proc_identify(struct tree *tree, struct proc *proc, const struct proc_stat *stat)
{
	struct row *row = roster_find(&tree->roster, proc->id);
	struct proc *parent = map_find(&tree->by_pid, (uint64_t)stat->ppid);

	proc->starttime = (uint64_t)stat->starttime;
	proc->stray = false;
	proc->zombie = stat->state == 'Z' || stat->state == 'X';
	proc->parent = parent;
	if (row && proc->zombie && !row->process.name)
		roster_name(&tree->roster, row, stat->name, NULL);
	if (!row || proc->zombie)
		return;
	if (!row->process.name || strcmp(row->process.name, stat->name) != 0 ||
	    (proc->looks < 4 && proc->looks > 0))
		read_command(tree, proc, row, stat->name);
}

void proc_own(const struct tree *tree, const struct proc *proc, struct value *ret)
{
	for (size_t i = 0; i < tree->metrics->n_process; i++) {
		ret[i] = proc->now[i];
		if (!tree->metrics->process[i].with_children)
			continue;
		if (value_is(proc->own[i])) {
			ret[i] = proc->own[i];
			continue;
		}
		ret[i].number -= proc->children[i];
		if (ret[i].number < 0) /* a child has gone, and its parent was read before that */
			ret[i] = value_absent();
	}
	ret[tree->metrics->cpu] = value_read((double)proc->clock_ns / 1e9);
}

/* A row has what the process used itself, of a gauge its peak. */
void proc_to_row(struct tree *tree, struct proc *proc)
{
	struct row *row = roster_find(&tree->roster, proc->id);
	struct value own[MOST_VALUES];

	if (!row)
		return;
	proc_own(tree, proc, own);
	for (size_t i = 0; i < tree->metrics->n_process; i++) {
		struct value *place = &row->process.values[i];

		if (value_is(own[i]) && (tree->metrics->process[i].kind == KIND_COUNTER ||
					 !value_is(*place) || own[i].number > place->number))
			*place = own[i];
	}
}

static void take_stat(struct tree *tree, struct proc *proc, const struct proc_stat *stat)
{
	double children_s = (double)(stat->cutime + stat->cstime) / (double)sysconf(_SC_CLK_TCK);

	/* Its own time is known to the nanosecond from the gate. */
	proc->now[tree->metrics->cpu] = value_read((double)proc->clock_ns / 1e9 + children_s);
	proc_identify(tree, proc, stat);
}

/* How much of a process is read. */
enum depth { DEPTH_MEMORY, DEPTH_TICK, DEPTH_SLOW };

static bool is_due(const struct tree *tree, const struct proc *proc, const struct reader *reader,
		   enum depth depth)
{
	int threads = tree->metrics->threads, memory = tree->metrics->memory;

	if (depth == DEPTH_MEMORY)
		return memory >= 0 && reader->first == (size_t)memory;
	if (reader->source->pace == PACE_TICK || (depth == DEPTH_SLOW && !reads_pss(tree, reader)))
		return true;
	return reader->source->pace == PACE_THREADS && threads >= 0 &&
	       proc->now[threads].number <= 1;
}

/* Only with one thread: what dead threads did is not told apart from what children did. */
static void proc_read_own(const struct tree *tree, struct proc *proc, size_t reader)
{
	const struct reader *r = &tree->metrics->process_readers[reader];
	struct value values[MOST_VALUES] = { 0 };
	int threads = tree->metrics->threads;

	if (threads >= 0 && proc->now[threads].number > 1)
		proc->many_threads = true;
	if (proc->many_threads || !proc->states[reader] ||
	    r->source->read_own(proc->states[reader], values) < 0)
		return;
	for (size_t i = 0; i < r->count; i++) {
		if (value_is(values[i]) && tree->metrics->process[r->first + i].with_children)
			proc->own[r->first + i] = values[i];
	}
}

static int proc_read(struct tree *tree, struct proc *proc, enum depth depth)
{
	for (size_t i = 0; i < tree->metrics->n_process_readers; i++) {
		const struct reader *reader = &tree->metrics->process_readers[i];

		if (!is_due(tree, proc, reader, depth) ||
		    (proc->zombie && reader->source != &source_stat))
			continue;
		if (proc_read_source(tree, proc, i) < 0)
			return -ESRCH;
		if (proc->has_children && reader->source->read_own)
			proc_read_own(tree, proc, i);
		if (tree->metrics->high >= 0 && (size_t)tree->metrics->high == reader->first)
			proc->high_clock_ns = proc->clock_ns;
		if (reader->source == &source_stat && proc->states[i])
			take_stat(tree, proc, source_stat_last(proc->states[i]));
	}
	proc->looks++;
	return 0;
}

/* What becomes of its children's accounts. */
static void read_signals(struct tree *tree, struct proc *proc)
{
	CLEANUP(freep) char *text = NULL;
	struct proc_status status;
	char path[64];

	proc->has_children = true;
	snprintf(path, sizeof(path), "proc/%d/status", proc->pid);
	if (file_read(tree->root, path, &text, NULL) < 0 || proc_status_parse(text, &status) < 0)
		return;
	proc->ignores_children = proc_status_reaps_itself(&status);
	tree->ignored_children |= proc->ignores_children;
}

/* The kernel tells it in clock ticks since boot, 10 ms; a look may be much later. */
static uint64_t started(const struct tree *tree, const struct proc *proc)
{
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t time_ns = proc->starttime * tick_ns;

	if (time_ns <= tree->start_ns)
		return 0;
	return time_ns - tree->start_ns < tree->now_ns ? time_ns - tree->start_ns : tree->now_ns;
}

struct proc *tree_add(struct tree *tree, int pid)
{
	struct proc *proc = proc_new(tree, pid);
	struct row *row;

	if (cpu_clock_read(pid, &proc->clock_ns) < 0)
		proc->clock_ns = 0;
	proc->pidfd = exit_watch(pid);
	row = roster_add(&tree->roster, 0, pid, tree->now_ns);
	proc->id = row->process.id;
	if (proc_read(tree, proc, DEPTH_SLOW) < 0) {
		roster_drop(&tree->roster, row);
		proc_free(tree, proc);
		return NULL;
	}
	row->process.parent = proc->parent ? proc->parent->id : 0;
	row->process.started_ns = started(tree, proc);
	if (proc->parent && !proc->parent->has_children)
		read_signals(tree, proc->parent);
	proc_to_row(tree, proc);
	brief_seen(tree, pid, proc->id);
	map_set(&tree->by_pid, (uint64_t)pid, proc);
	tree->live = mem_grow(tree->live, tree->n_live, &tree->room_live, sizeof(struct proc *));
	tree->live[tree->n_live++] = proc;
	tree->started_count += !tree->events;
	return proc;
}

/* Hands on what it had to whom the kernel handed it. */
static void pass_on(struct tree *tree, const struct proc *proc)
{
	for (size_t i = 0; i < tree->metrics->n_process; i++) {
		const struct metric *metric = &tree->metrics->process[i];

		if (metric->kind != KIND_COUNTER || !value_is(proc->now[i]))
			continue;
		if (!metric->with_children)
			tree->dead[i] += proc->now[i].number;
		else if (proc->parent && proc->parent->ignores_children)
			tree->lost[i] += proc->now[i].number;
		else if (proc->parent)
			proc->parent->children[i] += proc->now[i].number;
	}
}

/* CPU time of children that were never seen: it is in the process's account, and nobody's own. */
static void fold_unseen(struct tree *tree, const struct proc *proc)
{
	int cpu = tree->metrics->cpu;
	double unseen_s = proc->now[cpu].number - (double)proc->clock_ns / 1e9 -
			  proc->children[cpu];
	struct row *row;

	if (tree->events || !value_is(proc->now[cpu]) || unseen_s < 0.02)
		return;
	row = roster_fold(&tree->roster, proc->id, "(short-lived)", 0, tree->now_ns, tree->now_ns);
	row->process.values[cpu] = value_estimated(row->process.values[cpu].number + unseen_s);
}

/* Then all that wait4 tells of it was its own: it never had children, as far as anybody knows. */
static bool was_alone(const struct tree *tree, const struct proc *proc)
{
	if (tree->events)
		return tree_saw_all(tree) && tree->started_count <= 1;
	return !proc->has_children && value_is(proc->now[tree->metrics->cpu]) &&
	       proc->now[tree->metrics->cpu].number - (double)proc->clock_ns / 1e9 < 0.01;
}

/* Takes the process out of the tree. `reaped` is what the launcher got for it, or NULL. */
static void proc_gone(struct tree *tree, struct proc *proc, const struct reaped *reaped)
{
	struct row *row = roster_find(&tree->roster, proc->id);
	int cpu = tree->metrics->cpu;

	if (reaped && was_alone(tree, proc))
		proc->clock_ns = (reaped->user_us + reaped->system_us) * 1000;
	if (reaped)
		proc->now[cpu] = value_read((double)(reaped->user_us + reaped->system_us) / 1e6);
	proc_to_row(tree, proc);
	fold_unseen(tree, proc);
	pass_on(tree, proc);
	if (proc->parent) {
		proc_to_row(tree, proc->parent);
		settle_owe(tree, proc->parent, proc);
	}
	for (size_t i = 0; i < tree->n_live; i++) {
		if (tree->live[i]->parent != proc)
			continue;
		tree->live[i]->parent = reaped ? NULL : proc->parent;
		tree->live[i]->stray = true;
	}
	if (row && reaped)
		row->most_bytes = reaped->high_bytes;
	if (row && tree->metrics->high >= 0) {
		row->high_bytes = proc->now[tree->metrics->high].number;
		row->high_clock_ns = proc->high_clock_ns;
	}
	if (row)
		roster_end(&tree->roster, row,
			   reaped ? reaped->time_ns - tree->start_ns : tree->now_ns,
			   reaped ? reaped->status : exit_status(proc->pidfd));
	map_remove(&tree->by_pid, (uint64_t)proc->pid);
	proc_free(tree, proc);
}

/* The launcher reaped one that no look saw. */
static void reaped_unseen(struct tree *tree, const struct reaped *reaped)
{
	uint64_t time_ns = reaped->time_ns - tree->start_ns;
	struct row *row;
	struct value *cpu;

	if (tree->events)
		return;
	row = roster_fold(&tree->roster, 0, "(short-lived)", 1, time_ns, time_ns);
	cpu = &row->process.values[tree->metrics->cpu];
	*cpu = value_read(cpu->number + (double)(reaped->user_us + reaped->system_us) / 1e6);
	tree->started_count++;
}

static void take_out(struct tree *tree, const struct proc *proc)
{
	for (size_t i = 0; i < tree->n_live; i++) {
		if (tree->live[i] != proc)
			continue;
		memmove(&tree->live[i], &tree->live[i + 1],
			(--tree->n_live - i) * sizeof(struct proc *));
		return;
	}
}

static void take_reaped(struct tree *tree)
{
	uint64_t count = atomic_load(&tree->shared->reaped_count);

	tree->launcher->moved = count != tree->reaped_seen;
	if (count - tree->reaped_seen > REAPED_RING)
		tree->reaped_seen = count - REAPED_RING;
	for (; tree->reaped_seen < count; tree->reaped_seen++) {
		struct reaped reaped = tree->shared->ring[tree->reaped_seen % REAPED_RING];
		struct proc *proc;

		if (atomic_load(&tree->shared->reaped_count) - tree->reaped_seen >= REAPED_RING)
			continue; /* overwritten while we read it */
		proc = map_find(&tree->by_pid, (uint64_t)reaped.pid);
		if (proc) {
			take_out(tree, proc);
			proc_gone(tree, proc, &reaped);
		} else {
			reaped_unseen(tree, &reaped);
		}
	}
}

/* A sleeper is asked less often: it may be missed for four ticks when it wakes. Not so a parent: it
 * has the account of a child that has gone, and must be asked before the child is missed. */
static bool is_asleep(const struct tree *tree, const struct proc *proc)
{
	return !tree->ask_all && !proc->has_children && proc->idle > SLEEPER_TICKS &&
	       (tree->looks + proc->id) % 4 != 0;
}

static void proc_ran(const struct tree *tree, struct proc *proc, uint64_t clock_ns)
{
	for (size_t i = 0; i < tree->metrics->n_process; i++) {
		proc->before[i] = proc->now[i].number;
		proc->own_before[i] = value_is(proc->own[i])
					  ? proc->own[i].number
					  : proc->now[i].number - proc->children[i];
	}
	proc->before_clock_ns = proc->clock_ns;
	proc->moved = clock_ns != proc->clock_ns;
	proc->moved_slow |= proc->moved;
	proc->idle = proc->moved ? 0 : proc->idle + 1;
	if (value_is(proc->now[tree->metrics->cpu]))
		proc->now[tree->metrics->cpu].number += (double)(clock_ns - proc->clock_ns) / 1e9;
	proc->clock_ns = clock_ns;
}

/* Did it run since the last look? -ESRCH when it has gone. */
static int proc_gate(struct tree *tree, struct proc *proc)
{
	uint64_t clock_ns;

	proc->moved = false;
	if (is_asleep(tree, proc)) {
		proc->idle++;
		return 0;
	}
	if (proc->zombie) { /* until its parent, which must run for it, has waited */
		proc->moved = proc->parent ? proc->parent->moved : tree->launcher->moved;
		return 0;
	}
	proc->stopped_clock = cpu_clock_read(proc->pid, &clock_ns) < 0; /* gone, or a zombie */
	if (proc->stopped_clock) {
		proc->moved = true;
		return 0;
	}
	if (clock_ns < proc->clock_ns) /* another process with its pid */
		return -ESRCH;
	proc_ran(tree, proc, clock_ns);
	return 0;
}

/* Memory may peak at any tick and is read at each. The rest only grows, so after its first two
 * seconds, and where many run at once, it is read at every third tick, of a third of them at a
 * time; but of parents, who inherit from their children, always. */
static enum depth depth_of(const struct tree *tree, const struct proc *proc, bool slow)
{
	bool young = proc->looks < 3 || (proc->looks < YOUNG_LOOKS && tree->moved <= CROWD);

	if (slow)
		return DEPTH_SLOW;
	if (young || proc->has_children || proc->zombie || proc->stopped_clock)
		return DEPTH_TICK;
	return (tree->looks + proc->id) % 3 == 0 ? DEPTH_TICK : DEPTH_MEMORY;
}

static bool proc_look(struct tree *tree, struct proc *proc, bool slow)
{
	proc->fresh = false;
	if (proc_gate(tree, proc) < 0)
		return false;
	if (!proc->moved && !(slow && proc->moved_slow))
		return true;
	if (proc_read(tree, proc, depth_of(tree, proc, slow)) < 0)
		return false;
	if (slow && proc->has_children)
		read_signals(tree, proc);
	if (slow)
		proc->moved_slow = false;
	proc_to_row(tree, proc);
	return true;
}

/* The launcher got it since it was asked in this look. */
static bool is_just_reaped(const struct tree *tree, int pid)
{
	uint64_t count = atomic_load(&tree->shared->reaped_count);

	for (uint64_t i = tree->reaped_seen; i < count && i < tree->reaped_seen + REAPED_RING;
	     i++) {
		if (tree->shared->ring[i % REAPED_RING].pid == pid)
			return true;
	}
	return false;
}

/* A process that was not reaped by the launcher has gone. If its parent went in the same look, that
 * had waited for it first, and the account of both is now with the parent's own parent. */
static void proc_lost(struct tree *tree, struct proc *proc)
{
	if (proc->stray && is_just_reaped(tree, proc->pid))
		proc->parent = NULL;
	proc_gone(tree, proc, NULL);
}

/* Those that live on without their parent are the launcher's. */
static void strays_home(struct tree *tree)
{
	for (size_t i = 0; i < tree->n_live; i++) {
		struct proc *proc = tree->live[i];

		if (proc->stray)
			proc->parent = NULL;
		proc->stray = false;
	}
}

void tree_look(struct tree *tree, uint64_t now_ns, bool slow)
{
	size_t kept = 0, moved = 0;

	tree->now_ns = now_ns;
	tree->looks++;
	briefs_drain(tree);
	take_reaped(tree);
	if (tree->launcher->looks == 0 || tree->launcher->moved)
		proc_read(tree, tree->launcher, DEPTH_TICK);
	for (size_t i = 0; i < tree->n_live; i++) {
		struct proc *proc = tree->live[i];

		if (proc_look(tree, proc, slow)) {
			tree->live[kept++] = proc;
			moved += proc->moved;
			continue;
		}
		tree->live[i] = tree->launcher; /* nobody's child */
		proc_lost(tree, proc);
	}
	tree->n_live = kept;
	strays_home(tree);
	tree->moved = moved;
	settle_all(tree);
	tree_discover(tree);
}

static struct value sum_one(const struct tree *tree, size_t i)
{
	const struct metric *metric = &tree->metrics->process[i];
	struct value sum = { .how = HOW_MEASURED };
	bool any = false;

	for (size_t k = 0; k < tree->n_live; k++) {
		struct value now = tree->live[k]->now[i];

		any |= value_is(now);
		sum.number += now.number;
		if (now.how != HOW_MEASURED && !tree->live[k]->zombie)
			sum.how = HOW_ESTIMATED;
	}
	if (metric->kind == KIND_GAUGE)
		return any ? sum : value_absent();
	sum.number += tree->lost[i] + tree->dead[i];
	if (metric->with_children)
		sum.number += tree->launcher->now[i].number;
	any |= tree->dead[i] > 0 || value_is(tree->launcher->now[i]);
	if (tree->lost[i] > 0)
		sum.how = HOW_ESTIMATED;
	return any ? sum : value_absent();
}

void tree_sum(const struct tree *tree, struct value *sums)
{
	const struct reaped *total = &tree->shared->total;
	const struct metrics *metrics = tree->metrics;
	const struct value *launcher = tree->launcher->now;

	for (size_t i = 0; i < metrics->n_process; i++)
		sums[i] = sum_one(tree, i);
	/* wait4 is exact where the launcher's /proc/PID/stat counts whole ticks of 10 ms. */
	sums[metrics->cpu].number += (double)(total->user_us + total->system_us) / 1e6 -
				     launcher[metrics->cpu].number;
	sums[metrics->cpu_user].number += (double)total->user_us / 1e6 -
					  launcher[metrics->cpu_user].number;
	sums[metrics->cpu_system].number += (double)total->system_us / 1e6 -
					    launcher[metrics->cpu_system].number;
}

bool tree_inherits(const struct tree *tree)
{
	for (size_t i = 0; i < tree->n_live; i++) {
		if (tree->live[i]->has_children)
			return true;
	}
	return false;
}

bool tree_saw_all(const struct tree *tree)
{
	return tree->events && !events_lost(tree->events) && !tree->events_missing;
}

void tree_clear(struct tree *tree)
{
	for (size_t i = 0; i < tree->n_live; i++)
		proc_free(tree, tree->live[i]);
	proc_free(tree, tree->launcher);
	briefs_clear(tree);
	roster_clear(&tree->roster);
	map_clear(&tree->by_pid);
	kept_close(&tree->loadavg);
	free(tree->live);
	free(tree->lost);
	free(tree->dead);
	*tree = (struct tree){ 0 };
}
