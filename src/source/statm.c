/* 765 356 282 5 0 90 0
 * Pages: size, resident, shared (of resident: files and shared memory, shared or not; pages that a
 * fork shares are not in it), text, 0, data, 0. Resident is a sum of counters that each thread
 * folds in late, so it may lag by some pages a thread. */
#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <unistd.h>

int proc_statm_parse(const char *text, struct proc_statm *ret)
{
	struct proc_statm statm;
	int r = scan_skip(&text, 1);

	if (r < 0)
		return r;
	r = scan_u64(&text, &statm.resident_pages);
	if (r < 0)
		return r;
	r = scan_u64(&text, &statm.shared_pages);
	if (r < 0)
		return r;
	*ret = statm;
	return 0;
}

enum { RESIDENT, SHARED };

static const struct metric metrics[] = {
	[RESIDENT] = { .name = "memory_bytes",
		       .help = "memory that the process has in RAM, with what it shares with "
			       "others (RSS)",
		       .unit = UNIT_BYTES,
		       .kind = KIND_GAUGE },
	[SHARED] = { .name = "memory_shared_bytes",
		     .help = "the part of it that is files and shared memory, which others may "
			     "have too",
		     .unit = UNIT_BYTES,
		     .kind = KIND_GAUGE,
		     .no_sum = true },
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
	double page_bytes = (double)sysconf(_SC_PAGESIZE);
	struct proc_statm statm;
	int r;

	if (length < 0)
		return (int)length;
	r = proc_statm_parse(text, &statm);
	if (r < 0)
		return err_set(err, r, "statm '%s'", text);
	values[RESIDENT] = value_read((double)statm.resident_pages * page_bytes);
	values[SHARED] = value_read((double)statm.shared_pages * page_bytes);
	return 0;
}

static const char *const files[] = { "proc/%d/statm", NULL };

const struct source source_statm = {
	.name = "statm",
	.area = "memory",
	.help = "memory of each process, at every tick",
	.scope = SCOPE_PROCESS,
	.pace = PACE_TICK,
	.metrics = metrics,
	.files = files,
	.open = statm_open,
	.read = statm_read,
	.close = onefile_close,
};
