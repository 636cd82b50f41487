#include "source/source.h"

#include "base/mem.h"

extern const struct source source_stat, source_statm, source_io, source_schedstat, source_smaps,
    source_status, source_machine, source_load, source_pressure, source_meminfo, source_frequency,
    source_cgroup;

/* The order is that of the metrics in recordings, and of reading: `stat` tells whether the process
 * still lives. */
const struct source *const source_table[] = {
	&source_stat,      &source_statm,   &source_io,   &source_schedstat, &source_smaps,
	&source_status,    &source_machine, &source_load, &source_pressure,  &source_meminfo,
	&source_frequency, &source_cgroup,  NULL,
};

size_t source_count(const struct source *source)
{
	size_t count = 0;

	while (source->metrics[count].name)
		count++;
	return count;
}

size_t source_metrics(enum scope scope, struct metric **ret)
{
	struct metric *metrics = NULL;
	size_t count = 0, room = 0;

	for (const struct source *const *s = source_table; *s; s++) {
		for (size_t i = 0; (*s)->scope == scope && i < source_count(*s); i++) {
			metrics = mem_grow(metrics, count, &room, sizeof(*metrics));
			metrics[count] = (*s)->metrics[i];
			metrics[count].source = (*s)->name;
			metrics[count++].scope = scope;
		}
	}
	*ret = metrics;
	return count;
}
