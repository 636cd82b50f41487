/* A child that has gone did more after the last look at it: up to a tick of I/O, faults and CPU
 * time. The kernel added all of it to the account of the parent that waited. When that has grown by
 * what the child was known to have, what else it grew by, and the parent did not do itself, was the
 * child's. Where it is not told what the parent did itself (it has threads), it stays with the
 * parent. */
#include "sample/tree.h"

void settle_owe(const struct tree *tree, struct proc *parent, const struct proc *child)
{
	if (parent->ignores_children || parent->n_owed == OWED_MOST)
		return;
	for (size_t i = 0; i < tree->metrics->n_process; i++)
		parent->owed[i] += tree->metrics->process[i].with_children ? child->now[i].number
									   : 0;
	parent->owed_to[parent->n_owed++] = child->id;
}

static double grown(const struct proc *proc, size_t metric)
{
	return proc->now[metric].number - proc->before[metric];
}

/* Has the kernel added the children yet? */
static bool is_added(const struct tree *tree, const struct proc *parent)
{
	for (size_t i = 0; i < tree->metrics->n_process; i++) {
		double slack = 0;

		if (tree->metrics->process[i].unit == UNIT_SECONDS)
			slack = 0.03; /* CPU time comes in whole ticks of 10 ms */
		if (tree->metrics->process[i].with_children &&
		    grown(parent, i) + slack < parent->owed[i])
			return false;
	}
	return true;
}

static void give(struct tree *tree, struct proc *parent, size_t metric, double excess)
{
	double share = excess / (double)parent->n_owed;

	for (size_t i = 0; i < parent->n_owed; i++) {
		struct row *row = roster_find(&tree->roster, parent->owed_to[i]);

		if (!row)
			continue;
		row->process.values[metric] =
		    value_estimated(row->process.values[metric].number + share);
		parent->children[metric] += share;
		roster_touch(&tree->roster, row);
	}
}

static void settle(struct tree *tree, struct proc *parent)
{
	size_t cpu = (size_t)tree->metrics->cpu;
	double own_s = (double)(parent->clock_ns - parent->before_clock_ns) / 1e9;

	for (size_t i = 0; i < tree->metrics->n_process; i++) {
		double own = i == cpu ? own_s : parent->own[i].number - parent->own_before[i];
		double excess = grown(parent, i) - parent->owed[i] - own;

		if (tree->metrics->process[i].with_children && excess > 0 &&
		    (i == cpu || value_is(parent->own[i])))
			give(tree, parent, i, excess);
		parent->owed[i] = 0;
	}
	parent->n_owed = 0;
	proc_to_row(tree, parent);
}

void settle_all(struct tree *tree)
{
	for (size_t i = 0; i < tree->n_live; i++) {
		struct proc *parent = tree->live[i];

		if (parent->n_owed > 0 && parent->moved && is_added(tree, parent))
			settle(tree, parent);
	}
}
