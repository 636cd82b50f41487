/* 0.57 0.17 0.05 1/88 5451
 * Means over 1, 5 and 15 minutes of tasks that run, want to run or wait for storage; then those
 * that want to run now (with the reader itself) of all. */
#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>

/* "12.34": the kernel always writes two digits. No strtod: it follows the locale. */
static int scan_hundredths(const char **cursor, double *ret)
{
	uint64_t whole, part;

	if (scan_u64(cursor, &whole) < 0 || **cursor != '.')
		return -EINVAL;
	(*cursor)++;
	if (scan_u64(cursor, &part) < 0 || part > 99)
		return -EINVAL;
	*ret = (double)whole + (double)part / 100;
	return 0;
}

int loadavg_parse(const char *text, struct loadavg *ret)
{
	struct loadavg load;

	if (scan_hundredths(&text, &load.one_minute) < 0 || scan_skip(&text, 2) < 0 ||
	    scan_u64(&text, &load.runnable) < 0 || *text != '/')
		return -EINVAL;
	*ret = load;
	return 0;
}

enum { LOAD, RUNNABLE };

static const struct metric metrics[] = {
	[LOAD] = { .name = "machine_load",
		   .help = "load of the machine: tasks that run, wait to run or wait for storage, "
			   "mean of a minute",
		   .unit = UNIT_RATIO,
		   .kind = KIND_GAUGE },
	[RUNNABLE] = { .name = "machine_runnable",
		       .help = "tasks of the machine that run or want to run now",
		       .unit = UNIT_COUNT,
		       .kind = KIND_GAUGE },
	{ 0 },
};

static int load_open(const char *root, int pid, void **ret, struct err *err)
{
	(void)pid;
	return onefile_open(root, "proc/loadavg", ret, err);
}

static int load_read(void *state, struct value *values, struct err *err)
{
	char text[128];
	ssize_t length = onefile_read(state, text, sizeof(text), err);
	struct loadavg load;
	int r;

	if (length < 0)
		return (int)length;
	r = loadavg_parse(text, &load);
	if (r < 0)
		return err_set(err, r, "loadavg '%s'", text);
	values[LOAD] = value_read(load.one_minute);
	values[RUNNABLE] = value_read((double)load.runnable);
	return 0;
}

static const char *const files[] = { "proc/loadavg", NULL };

const struct source source_load = {
	.name = "load",
	.area = "machine",
	.help = "how many tasks want the machine's CPUs",
	.scope = SCOPE_RUN,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = load_open,
	.read = load_read,
	.close = onefile_close,
};
