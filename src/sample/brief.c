/* Processes as the events tell them. One that a look also saw has a row of its own, which gets its
 * exact end and CPU time; the others are folded by parent and name. A task's CPU time is told just
 * after its exit, maybe in the next batch, so an ended one is settled one batch later. */
#include "sample/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct brief {
	int pid, parent_pid;
	uint32_t id;     /* of its row; 0: never seen */
	uint32_t parent; /* id of the nearest ancestor with a row */
	uint64_t started_ns, ended_ns, cpu_ns;
	bool ended;
	int batches; /* since it ended */
	char name[16];
};

static uint64_t run_time(const struct tree *tree, uint64_t event_ns)
{
	int64_t time_ns = (int64_t)event_ns + tree->events_offset_ns - (int64_t)tree->start_ns;

	return time_ns > 0 ? (uint64_t)time_ns : 0;
}

static struct brief *brief_find(const struct tree *tree, int pid)
{
	return map_find(&tree->briefs, (uint64_t)pid);
}

static void brief_end(struct tree *tree, struct brief *brief)
{
	struct row *row = roster_find(&tree->roster, brief->id);
	struct value *cpu;

	if (!brief->id)
		row = roster_fold(&tree->roster, brief->parent, brief->name, 1, brief->started_ns,
				  brief->ended_ns);
	if (row) {
		cpu = &row->process.values[tree->metrics->cpu];
		if (brief->id)
			*cpu = value_read(fmax(cpu->number, (double)brief->cpu_ns / 1e9));
		else
			*cpu = value_read(cpu->number + (double)brief->cpu_ns / 1e9);
		if (brief->id && row->process.ended_ns != PROCESS_ALIVE)
			row->process.ended_ns = brief->ended_ns;
		row->last_cpu_ns = brief->cpu_ns;
		roster_touch(&tree->roster, row);
	}
	map_remove(&tree->briefs, (uint64_t)brief->pid);
	free(brief);
}

/* Events carry the machine's clock even in a time namespace, where ours is another. The first is
 * the program's own start, whose time we know. */
static void set_clock(struct tree *tree, const struct event *first)
{
	int64_t offset_ns = (int64_t)tree->start_ns - (int64_t)first->time_ns;

	if (llabs(offset_ns - tree->events_offset_ns) > 1000000000)
		tree->events_offset_ns = offset_ns;
}

static void brief_fork(struct tree *tree, const struct event *event)
{
	struct brief *brief, *parent = brief_find(tree, event->parent_pid);
	struct proc *proc = map_find(&tree->by_pid, (uint64_t)event->parent_pid), *seen;
	uint32_t id = 0;
	struct row *row = proc ? roster_find(&tree->roster, proc->id) : NULL;

	if (tree->started_count == 0)
		set_clock(tree, event);
	brief = brief_find(tree, event->pid);
	if (brief) /* a pid that came round again */
		brief_end(tree, brief);
	else if ((seen = map_find(&tree->by_pid, (uint64_t)event->pid)))
		id = seen->id; /* a look was faster than this event */
	brief = mem_new(sizeof(*brief));
	brief->id = id;
	brief->pid = event->pid;
	brief->parent_pid = event->parent_pid;
	brief->started_ns = run_time(tree, event->time_ns);
	if (parent) {
		brief->parent = parent->id ? parent->id : parent->parent;
		memcpy(brief->name, parent->name, sizeof(brief->name));
	} else if (proc) {
		brief->parent = proc->id;
	}
	if (!brief->name[0] && row && row->process.name)
		strncpy(brief->name, row->process.name, sizeof(brief->name) - 1);
	map_set(&tree->briefs, (uint64_t)event->pid, brief);
	tree->forked = true;
	tree->started_count++;
	if (++tree->alive_count > tree->alive_peak)
		tree->alive_peak = tree->alive_count;
}

static void brief_take(void *arg, const struct event *event)
{
	struct tree *tree = arg;
	struct brief *brief = brief_find(tree, event->pid);

	if (event->kind == EVENT_FORK)
		brief_fork(tree, event);
	if (event->kind == EVENT_CPU)
		tree->told_cpu_ns += event->cpu_ns;
	if (!brief)
		return;
	if (event->kind == EVENT_NAME)
		memcpy(brief->name, event->name, sizeof(brief->name));
	if (event->kind == EVENT_CPU)
		brief->cpu_ns += event->cpu_ns;
	if (event->kind == EVENT_EXIT && !brief->ended) {
		brief->ended = true;
		brief->ended_ns = run_time(tree, event->time_ns);
		tree->alive_count -= tree->alive_count > 0;
	}
}

static void settle_old(void *arg, uint64_t pid, void *item)
{
	struct brief *brief = item;

	(void)pid;
	if (brief->ended && brief->batches++ > 0)
		brief_end(arg, brief);
}

void briefs_drain(struct tree *tree)
{
	if (!tree->events)
		return;
	map_each(&tree->briefs, settle_old, tree);
	events_drain(tree->events, brief_take, tree);
}

static void settle_ended(void *arg, uint64_t pid, void *item)
{
	struct brief *brief = item;

	(void)pid;
	if (brief->ended)
		brief_end(arg, brief);
}

void briefs_settle(struct tree *tree)
{
	if (!tree->events)
		return;
	events_drain(tree->events, brief_take, tree);
	map_each(&tree->briefs, settle_ended, tree);
}

void brief_seen(struct tree *tree, int pid, uint32_t id)
{
	struct brief *brief = brief_find(tree, pid);

	if (brief)
		brief->id = id;
}

static void brief_free(void *arg, uint64_t pid, void *item)
{
	(void)arg;
	(void)pid;
	free(item);
}

void briefs_clear(struct tree *tree)
{
	map_each(&tree->briefs, brief_free, NULL);
	map_clear(&tree->briefs);
}
