/* MemTotal:       24682416 kB
 * MemFree:        21033936 kB
 * MemAvailable:   23419228 kB		since Linux 3.14
 * SwapTotal:             0 kB
 * SwapFree:              0 kB */
#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>

static int kb_find(const char *text, const char *key, uint64_t *ret_bytes)
{
	uint64_t kb;
	int r = scan_key_u64(text, key, &kb);

	if (r < 0)
		return r;
	return __builtin_mul_overflow(kb, 1024u, ret_bytes) ? -ERANGE : 0;
}

int meminfo_parse(const char *text, struct meminfo *ret)
{
	struct meminfo info = { 0 };
	int r = kb_find(text, "MemTotal:", &info.total_bytes);

	if (r == 0)
		r = kb_find(text, "SwapTotal:", &info.swap_total_bytes);
	if (r == 0)
		r = kb_find(text, "SwapFree:", &info.swap_free_bytes);
	if (r < 0)
		return r;
	info.has_available = kb_find(text, "MemAvailable:", &info.available_bytes) == 0;
	*ret = info;
	return 0;
}

enum { USED, SWAP_USED };

static const struct metric metrics[] = {
	[USED] = { .name = "machine_memory_used_bytes",
		   .help = "memory of the machine that programs could not take any more",
		   .unit = UNIT_BYTES,
		   .kind = KIND_GAUGE },
	[SWAP_USED] = { .name = "machine_swap_used_bytes",
			.help = "swap of the machine that is in use",
			.unit = UNIT_BYTES,
			.kind = KIND_GAUGE },
	{ 0 },
};

static int meminfo_open(const char *root, int pid, void **ret, struct err *err)
{
	(void)pid;
	return onefile_open(root, "proc/meminfo", ret, err);
}

static int meminfo_read(void *state, struct value *values, struct err *err)
{
	char text[4096];
	ssize_t length = onefile_read(state, text, sizeof(text), err);
	struct meminfo info;
	int r;

	if (length < 0)
		return (int)length;
	r = meminfo_parse(text, &info);
	if (r < 0)
		return err_set(err, r, "meminfo");
	if (info.has_available)
		values[USED] = value_read((double)info.total_bytes - (double)info.available_bytes);
	values[SWAP_USED] =
	    value_read((double)info.swap_total_bytes - (double)info.swap_free_bytes);
	return 0;
}

static const char *const files[] = { "proc/meminfo", NULL };

const struct source source_meminfo = {
	.name = "meminfo",
	.area = "memory",
	.help = "memory and swap of the machine",
	.scope = SCOPE_RUN,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = meminfo_open,
	.read = meminfo_read,
	.close = onefile_close,
};
