/* Memory of the tree, shared pages counted once. Only PSS tells what is shared, and costs 16 ms a
 * GB; in between, RSS tells what each took since. What a fork shares comes apart without a trace in
 * RSS when it is written to, so while much is shared PSS must be read again. */
#include "sample/tree.h"

#include <math.h>

static double shared_of(const struct tree *tree, const struct proc *proc)
{
	return tree->metrics->shared < 0 ? 0 : proc->now[tree->metrics->shared].number;
}

static double anon_of(const struct tree *tree, const struct proc *proc)
{
	return proc->now[tree->metrics->memory].number - shared_of(tree, proc);
}

static void note_pss(const struct tree *tree, struct proc *proc)
{
	if (!value_is(proc->now[tree->metrics->pss]))
		return;
	proc->pss_bytes = proc->now[tree->metrics->pss].number;
	proc->pss_anon = anon_of(tree, proc);
	proc->pss_shared = shared_of(tree, proc);
}

bool tree_read_pss(struct tree *tree)
{
	int memory = tree->metrics->memory, pss = tree->metrics->pss;
	double before = 0, after = 0;

	if (memory < 0 || pss < 0)
		return false;
	for (size_t i = 0; i < tree->n_live; i++) {
		struct proc *proc = tree->live[i];

		before += proc->now[memory].number;
		for (size_t k = 0; k < tree->metrics->n_process_readers && !proc->zombie; k++) {
			const struct reader *reader = &tree->metrics->process_readers[k];

			if (reads_pss(tree, reader) || (size_t)memory == reader->first)
				proc_read_source(tree, proc, k);
		}
		after += proc->now[memory].number;
		note_pss(tree, proc);
		proc_to_row(tree, proc);
	}
	return fabs(after - before) <= 0.02 * before;
}

/* What each had by PSS, and what it took since: its own pages are new ones; of files and shared
 * memory, which the others most likely took too, the largest part counts once. */
double tree_shared_since(const struct tree *tree)
{
	double most = 0;

	for (size_t i = 0; i < tree->n_live; i++) {
		const struct proc *proc = tree->live[i];

		if (!proc->zombie)
			most = fmax(most, shared_of(tree, proc) -
					      (proc->pss_bytes >= 0 ? proc->pss_shared : 0));
	}
	return most;
}

struct value tree_memory(const struct tree *tree)
{
	struct value sum = { .number = tree_shared_since(tree), .how = HOW_ESTIMATED };

	if (tree->n_live == 1)
		return value_read(tree_largest(tree));
	for (size_t i = 0; i < tree->n_live; i++) {
		const struct proc *proc = tree->live[i];
		bool known = proc->pss_bytes >= 0;

		if (proc->zombie)
			continue;
		sum.number += fmax(known ? proc->pss_bytes + anon_of(tree, proc) - proc->pss_anon
					 : anon_of(tree, proc),
				   0);
	}
	/* PSS leaves others on the machine their part of what is shared with them, too. */
	sum.number = fmax(sum.number, tree_largest(tree));
	return sum;
}

bool tree_shares_known(const struct tree *tree)
{
	int memory = tree->metrics->memory;
	double sum = 0, unknown = 0;

	for (size_t i = 0; i < tree->n_live; i++) {
		const struct proc *proc = tree->live[i];
		double bytes = proc->zombie ? 0 : proc->now[memory].number;

		sum += bytes;
		unknown += proc->pss_bytes < 0 ? bytes : 0;
	}
	return tree->n_live <= 1 || unknown <= 0.02 * sum;
}

double tree_largest(const struct tree *tree)
{
	double largest = 0;

	for (size_t i = 0; i < tree->n_live; i++) {
		if (!tree->live[i]->zombie)
			largest = fmax(largest, tree->live[i]->now[tree->metrics->memory].number);
	}
	return largest;
}
