/* /sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq: "2400000", in kHz.
 *
 * Virtual machines have none. A read may wake its core, so no more than 16 are asked, spread over
 * all of them. */
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES_AT_MOST 16

int cpulist_parse(const char *text, uint64_t *ret_count)
{
	uint64_t count = 0, first, last;

	do {
		if (scan_u64(&text, &first) < 0)
			return -EINVAL;
		last = first;
		if (*text == '-') {
			text++;
			if (scan_u64(&text, &last) < 0)
				return -EINVAL;
		}
		if (last < first || last > UINT32_MAX || count > UINT32_MAX)
			return -ERANGE;
		count += last - first + 1;
	} while (*text++ == ',');
	*ret_count = count;
	return 0;
}

static const struct metric metrics[] = {
	{ .name = "frequency_hz",
	  .absent = "the machine does not tell its clock rate (no cpufreq), as most virtual ones",
	  .help = "clock rate of the CPUs, their mean",
	  .unit = UNIT_HERTZ,
	  .kind = KIND_GAUGE },
	{ 0 },
};

struct state {
	struct kept kept[CORES_AT_MOST];
	int count;
};

static uint64_t cores_online(const char *root)
{
	CLEANUP(freep) char *text = NULL;
	uint64_t count = 1;

	if (file_read(root, "sys/devices/system/cpu/online", &text, NULL) > 0)
		cpulist_parse(text, &count);
	return count;
}

static int frequency_read(void *at, struct value *values, struct err *err)
{
	struct state *state = at;
	double sum = 0;
	int got = 0;

	for (int i = 0; i < state->count; i++) {
		char text[64];
		uint64_t khz;

		if (kept_read(&state->kept[i], text, sizeof(text)) < 0 || parse_u64(text, &khz) < 0)
			continue;
		sum += (double)khz * 1000;
		got++;
	}
	if (!got)
		return err_set(err, -ENODATA, "frequency of the CPUs");
	values[0] = value_read(sum / got);
	return 0;
}

static void frequency_close(void *at)
{
	struct state *state = at;

	for (int i = 0; state && i < state->count; i++)
		kept_close(&state->kept[i]);
	free(state);
}

static int frequency_open(const char *root, int pid, void **ret, struct err *err)
{
	struct state *state = mem_new(sizeof(*state));
	uint64_t cores = cores_online(root);
	uint64_t step = (cores + CORES_AT_MOST - 1) / CORES_AT_MOST;

	(void)pid;
	for (uint64_t core = 0; core < cores; core += step) {
		char path[96];

		snprintf(path, sizeof(path),
			 "sys/devices/system/cpu/cpu%llu/cpufreq/scaling_cur_freq",
			 (unsigned long long)core);
		if (kept_open(&state->kept[state->count], root, path, NULL) == 0)
			state->count++;
	}
	if (state->count == 0) {
		frequency_close(state);
		return err_set(err, -ENOENT, "cpufreq of the CPUs");
	}
	*ret = state;
	return 0;
}

static const char *const files[] = { "sys/devices/system/cpu/online",
				     "sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq", NULL };

const struct source source_frequency = {
	.name = "frequency",
	.area = "cpu",
	.help = "clock rate of the machine's CPUs",
	.scope = SCOPE_RUN,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = frequency_open,
	.read = frequency_read,
	.close = frequency_close,
};
