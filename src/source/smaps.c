/* 564d2d3e2000-7fff9c849000 ---p 00000000 00:00 0                          [rollup]
 * Rss:                1636 kB
 * Pss:                 418 kB
 * ...
 *
 * The kernel walks every page for it: 16 ms for a GB of small pages. An open descriptor stays with
 * the program of its time and is empty after an exec, so each read opens anew. Before Linux 4.14
 * there is no rollup, and the full smaps costs twice as much: then PSS is absent. */
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int proc_smaps_parse(const char *text, struct proc_smaps *ret)
{
	uint64_t pss_kb;
	int r = scan_key_u64(text, "Pss:", &pss_kb);

	if (r < 0)
		return r;
	return __builtin_mul_overflow(pss_kb, 1024u, &ret->pss_bytes) ? -ERANGE : 0;
}

static const struct metric metrics[] = {
	{ .name = "memory_pss_bytes",
	  .help = "memory in RAM, where n processes share a page each has 1/n of it (PSS)",
	  .unit = UNIT_BYTES,
	  .kind = KIND_GAUGE,
	  .absent = "the kernel is older than 4.14, or the process is somebody else's",
	  .no_sum = true }, /* not all are read at the same time */
	{ 0 },
};

struct state {
	char *root;
	char path[64];
};

static void smaps_close(void *at)
{
	struct state *state = at;

	if (state)
		free(state->root);
	free(state);
}

static int smaps_open(const char *root, int pid, void **ret, struct err *err)
{
	struct state *state = mem_new(sizeof(*state));
	CLEANUP(closep) int fd = -1;

	state->root = mem_copy(root);
	snprintf(state->path, sizeof(state->path), "proc/%d/smaps_rollup", pid);
	fd = file_open(root, state->path, err);
	if (fd < 0) {
		smaps_close(state);
		return fd;
	}
	*ret = state;
	return 0;
}

static int smaps_read(void *at, struct value *values, struct err *err)
{
	struct state *state = at;
	CLEANUP(closep) int fd = file_open(state->root, state->path, err);
	struct proc_smaps smaps = { 0 };
	char text[2048];
	ssize_t length;
	int r;

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	length = file_reread(fd, text, sizeof(text));
	r = length < 0 ? (int)length : proc_smaps_parse(text, &smaps);
	if (r < 0)
		return err_set(err, r, "'%s'", state->path);
	values[0] = value_read((double)smaps.pss_bytes);
	return 0;
}

static const char *const files[] = { "proc/%d/smaps_rollup", NULL };

const struct source source_smaps = {
	.name = "smaps",
	.area = "memory",
	.help = "each process's share of memory that several use",
	.scope = SCOPE_PROCESS,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = smaps_open,
	.read = smaps_read,
	.close = smaps_close,
};
