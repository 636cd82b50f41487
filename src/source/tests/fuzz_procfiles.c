/* Any bytes as one of the texts of /proc; the first byte says which. */
#include "base/mem.h"
#include "source/procfiles.h"
#include "source/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(int which, const char *text)
{
	struct proc_io io;
	struct proc_schedstat schedstat;
	struct proc_smaps smaps;
	struct proc_statm statm;
	struct proc_status status;
	struct machine_stat machine;
	struct loadavg load;
	struct meminfo meminfo;
	uint64_t number;

	switch (which) {
	case 'a':
		proc_statm_parse(text, &statm);
		return;
	case 'b':
		proc_io_parse(text, &io);
		return;
	case 'c':
		proc_schedstat_parse(text, &schedstat);
		return;
	case 'd':
		proc_smaps_parse(text, &smaps);
		return;
	case 'e':
		if (proc_status_parse(text, &status) == 0 && status.n_pids > STATUS_SPACES)
			abort();
		return;
	case 'f':
		machine_stat_parse(text, &machine);
		return;
	case 'g':
		loadavg_parse(text, &load);
		return;
	case 'h':
		pressure_parse(text, &number);
		return;
	case 'i':
		meminfo_parse(text, &meminfo);
		return;
	case 'j':
		if (cpulist_parse(text, &number) == 0 && number == 0)
			abort();
		return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) char *text = NULL;

	if (size == 0)
		return 0;
	text = mem_new(size);
	memcpy(text, data + 1, size - 1);
	parse(data[0], text);
	return 0;
}
