/* some avg10=0.70 avg60=0.89 avg300=0.28 total=6818006
 * full avg10=0.00 avg60=0.00 avg300=0.00 total=0
 *
 * Microseconds in which at least one task of the machine waited. Linux 4.20 and later; where it is
 * switched off at boot (psi=0) the files are there, and opening or reading them is EOPNOTSUPP. */
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/procfiles.h"
#include "source/since.h"
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pressure_parse(const char *text, uint64_t *ret_us)
{
	const char *total, *end = strchrnul(text, '\n');

	if (strncmp(text, "some ", 5) != 0)
		return -EINVAL;
	total = memmem(text, (size_t)(end - text), " total=", 7);
	if (!total)
		return -EINVAL;
	total += 7;
	return scan_u64(&total, ret_us);
}

enum { RESOURCES = 3 };

#define NO_PRESSURE "the kernel tells no pressure: it is older than 4.20, or started without psi=1"

static const struct metric metrics[RESOURCES + 1] = {
	{ .name = "pressure_cpu_s",
	  .help = "time in which some task of the machine waited for a CPU",
	  .unit = UNIT_SECONDS,
	  .absent = NO_PRESSURE },
	{ .name = "pressure_io_s",
	  .help = "time in which some task of the machine waited for storage",
	  .unit = UNIT_SECONDS,
	  .absent = NO_PRESSURE },
	{ .name = "pressure_memory_s",
	  .help = "time in which some task of the machine waited for memory",
	  .unit = UNIT_SECONDS,
	  .absent = NO_PRESSURE },
	{ 0 },
};

static const char *const files[RESOURCES + 1] = { "proc/pressure/cpu", "proc/pressure/io",
						  "proc/pressure/memory", NULL };

struct state {
	struct kept kept[RESOURCES];
	struct since since[RESOURCES];
};

static struct value resource_read(struct state *state, int i)
{
	char text[256];
	uint64_t us;

	if (!state->kept[i].path || kept_read(&state->kept[i], text, sizeof(text)) < 0 ||
	    pressure_parse(text, &us) < 0)
		return value_absent();
	return since_read(&state->since[i], (double)us / 1e6);
}

static int resources_read(struct state *state, struct value *values)
{
	int got = 0;

	for (int i = 0; i < RESOURCES; i++) {
		values[i] = resource_read(state, i);
		got += value_is(values[i]);
	}
	return got ? 0 : -EOPNOTSUPP;
}

static int pressure_read(void *state, struct value *values, struct err *err)
{
	int r = resources_read(state, values);

	return r < 0 ? err_set(err, r, "pressure of the machine") : 0;
}

static void pressure_close(void *at)
{
	struct state *state = at;

	for (int i = 0; state && i < RESOURCES; i++)
		kept_close(&state->kept[i]);
	free(state);
}

static int pressure_open(const char *root, int pid, void **ret, struct err *err)
{
	struct state *state = mem_new(sizeof(*state));
	struct value first[RESOURCES];
	int r;

	(void)pid;
	for (int i = 0; i < RESOURCES; i++)
		kept_open(&state->kept[i], root, files[i], NULL);
	r = pressure_read(state, first, err);
	if (r < 0) {
		pressure_close(state);
		return r;
	}
	*ret = state;
	return 0;
}

const struct source source_pressure = {
	.name = "pressure",
	.area = "machine",
	.help = "how long tasks of the machine waited for CPUs, storage and memory",
	.scope = SCOPE_RUN,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = pressure_open,
	.read = pressure_read,
	.close = pressure_close,
};
