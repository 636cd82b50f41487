/* 765 356 282 5 0 90 0
 * Pages: size, resident, shared, text, 0, data, 0. Resident is a sum of counters that each thread
 * folds in late, so it may lag by some pages a thread. */
#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <unistd.h>

int proc_statm_parse(const char *text, uint64_t *ret_pages)
{
	int r = scan_skip(&text, 1);

	return r < 0 ? r : scan_u64(&text, ret_pages);
}

static const struct metric metrics[] = {
	{ .name = "memory_bytes",
	  .help = "memory that the process has in RAM, with what it shares with others (RSS)",
	  .unit = UNIT_BYTES,
	  .kind = KIND_GAUGE },
	{ 0 },
};

static int statm_open(const char *root, int pid, void **ret, struct err *err)
{
	return onefile_open_pid(root, pid, "statm", ret, err);
}

static int statm_read(void *state, struct value *values, struct err *err)
{
	char text[256];
	ssize_t length = onefile_read(state, text, sizeof(text), err);
	uint64_t pages;
	int r;

	if (length < 0)
		return (int)length;
	r = proc_statm_parse(text, &pages);
	if (r < 0)
		return err_set(err, r, "statm '%s'", text);
	values[0] = value_read((double)pages * (double)sysconf(_SC_PAGESIZE));
	return 0;
}

static const char *const files[] = { "proc/%d/statm", NULL };

const struct source source_statm = {
	.name = "statm",
	.help = "memory of each process, at every tick",
	.scope = SCOPE_PROCESS,
	.pace = PACE_TICK,
	.metrics = metrics,
	.files = files,
	.open = statm_open,
	.read = statm_read,
	.close = onefile_close,
};
