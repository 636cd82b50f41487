#include "source/source.h"

extern const struct source source_stat, source_statm, source_io, source_schedstat, source_smaps,
    source_status, source_files, source_machine, source_load, source_pressure, source_meminfo,
    source_frequency, source_cgroup;

/* The order is that of the metrics in recordings, and of reading: `stat` tells whether the process
 * still lives. */
const struct source *const source_table[] = {
	&source_stat,    &source_statm,
	&source_io,      &source_schedstat,
	&source_smaps,   &source_status,
	&source_files,   &source_machine,
	&source_load,    &source_pressure,
	&source_meminfo, &source_frequency,
	&source_cgroup,  NULL,
};

size_t source_count(const struct source *source)
{
	size_t count = 0;

	while (source->metrics[count].name)
		count++;
	return count;
}
