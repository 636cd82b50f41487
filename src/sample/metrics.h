/* Which metrics a run has, and where each stands: those of all process sources one behind the
 * other, and for the run what the sampler computes, then the sums of the former, then those of run
 * sources. */
#ifndef SAMPLE_METRICS_H
#define SAMPLE_METRICS_H

#include "model/facts.h"
#include "source/source.h"

struct reader { /* a source and where its values go */
	const struct source *source;
	size_t first, count;
};

/* Places of what the sampler computes itself, in the run's values. */
enum own_metric { RUN_CORES, RUN_MEMORY_TREE, RUN_MEMORY_PROCESS, RUN_PROCESSES, RUN_OWN_COUNT };

struct metrics {
	const struct metric *process, *run; /* live in the facts they were made for */
	size_t n_process, n_run;
	struct reader *process_readers, *run_readers;
	size_t n_process_readers, n_run_readers;
	int *run_of; /* by process metric: where its sum stands among the run's; -1: nowhere */
	/* places of the process metrics that the sampler needs by name; -1 where no source has it
	 */
	int cpu, cpu_user, cpu_system, memory, shared, pss, high, threads;
};

/* Fills the tables of `facts` from the sources. */
void metrics_init(struct metrics *metrics, const struct source *const *sources,
		  struct facts *facts);
void metrics_clear(struct metrics *metrics);

#endif
