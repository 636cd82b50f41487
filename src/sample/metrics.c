#include "sample/metrics.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct metric own_metrics[RUN_OWN_COUNT] = {
	[RUN_CORES] = { .name = "cores",
			.unit = UNIT_RATIO,
			.kind = KIND_GAUGE,
			.source = "tree",
			.help = "cores busy, all processes together",
			.absent = "the program ended before a tenth of a second had passed" },
	[RUN_MEMORY_TREE] = { .name = "memory_tree_bytes",
			      .unit = UNIT_BYTES,
			      .kind = KIND_GAUGE,
			      .source = "tree",
			      .help = "memory of all processes, shared pages counted once" },
	[RUN_MEMORY_PROCESS] = { .name = "memory_process_bytes",
				 .unit = UNIT_BYTES,
				 .kind = KIND_GAUGE,
				 .source = "tree",
				 .help = "memory of the largest process" },
	[RUN_PROCESSES] = { .name = "processes",
			    .unit = UNIT_COUNT,
			    .kind = KIND_GAUGE,
			    .source = "tree",
			    .help = "processes alive" },
};

struct list {
	struct metric *items;
	size_t count, room;
};

static void list_add(struct list *list, const struct metric *metric, const char *source)
{
	list->items = mem_grow(list->items, list->count, &list->room, sizeof(*list->items));
	list->items[list->count] = *metric;
	if (source)
		list->items[list->count].source = source;
	list->count++;
}

static struct reader *add_readers(struct list *list, const struct source *const *sources,
				  enum scope scope, size_t *ret_count)
{
	struct reader *readers = NULL;
	size_t count = 0, room = 0;

	for (; *sources; sources++) {
		struct reader reader = { .source = *sources, .first = list->count };

		if ((*sources)->scope != scope)
			continue;
		for (const struct metric *m = (*sources)->metrics; m->name; m++)
			list_add(list, m, (*sources)->name);
		reader.count = list->count - reader.first;
		readers = mem_grow(readers, count, &room, sizeof(*readers));
		readers[count++] = reader;
	}
	*ret_count = count;
	return readers;
}

void metrics_init(struct metrics *metrics, const struct source *const *sources, struct facts *facts)
{
	struct list process = { 0 }, run = { 0 };

	*metrics = (struct metrics){ 0 };
	metrics->process_readers = add_readers(&process, sources, SCOPE_PROCESS,
					       &metrics->n_process_readers);
	for (size_t i = 0; i < RUN_OWN_COUNT; i++)
		list_add(&run, &own_metrics[i], NULL);
	metrics->run_of = mem_new(process.count * sizeof(*metrics->run_of));
	for (size_t i = 0; i < process.count; i++) {
		metrics->run_of[i] = process.items[i].no_sum ? -1 : (int)run.count;
		if (!process.items[i].no_sum)
			list_add(&run, &process.items[i], NULL);
	}
	metrics->run_readers = add_readers(&run, sources, SCOPE_RUN, &metrics->n_run_readers);
	facts_set_metrics(facts, SCOPE_PROCESS, process.items, process.count);
	facts_set_metrics(facts, SCOPE_RUN, run.items, run.count);
	free(process.items);
	free(run.items);
	metrics->process = facts->process_metrics;
	metrics->n_process = facts->n_process_metrics;
	metrics->run = facts->run_metrics;
	metrics->n_run = facts->n_run_metrics;
	metrics->cpu = facts_metric(facts, SCOPE_PROCESS, "cpu_s");
	metrics->cpu_user = facts_metric(facts, SCOPE_PROCESS, "cpu_user_s");
	metrics->cpu_system = facts_metric(facts, SCOPE_PROCESS, "cpu_system_s");
	metrics->memory = facts_metric(facts, SCOPE_PROCESS, "memory_bytes");
	metrics->shared = facts_metric(facts, SCOPE_PROCESS, "memory_shared_bytes");
	metrics->pss = facts_metric(facts, SCOPE_PROCESS, "memory_pss_bytes");
	metrics->high = facts_metric(facts, SCOPE_PROCESS, "memory_high_bytes");
	metrics->threads = facts_metric(facts, SCOPE_PROCESS, "threads");
}

void metrics_clear(struct metrics *metrics)
{
	free(metrics->process_readers);
	free(metrics->run_readers);
	free(metrics->run_of);
	*metrics = (struct metrics){ 0 };
}
