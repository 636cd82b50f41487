/* rchar: 52429397
 * wchar: 1024
 * syscr: 17
 * syscw: 4
 * read_bytes: 0
 * write_bytes: 4096
 * cancelled_write_bytes: 0
 *
 * All threads of the process, and its children from the moment that they are waited for. The first
 * four count calls on pipes, sockets and terminals too; what is read through mmap is only in
 * read_bytes. Only the process's own user may read it, and of a process that waits to be reaped
 * nobody. */
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *key;
	size_t into;
} keys[] = {
	{ "rchar:", offsetof(struct proc_io, read_bytes) },
	{ "wchar:", offsetof(struct proc_io, write_bytes) },
	{ "syscr:", offsetof(struct proc_io, read_calls) },
	{ "syscw:", offsetof(struct proc_io, write_calls) },
	{ "read_bytes:", offsetof(struct proc_io, storage_read_bytes) },
	{ "write_bytes:", offsetof(struct proc_io, storage_write_bytes) },
};

int proc_io_parse(const char *text, struct proc_io *ret)
{
	struct proc_io io;

	for (size_t i = 0; i < COUNT(keys); i++) {
		int r = scan_key_u64(text, keys[i].key, (uint64_t *)((char *)&io + keys[i].into));

		if (r < 0)
			return r;
	}
	*ret = io;
	return 0;
}

static const struct metric metrics[] = {
	{ .name = "io_read_bytes",
	  .help = "bytes through read calls: files, pipes, sockets, terminals",
	  .unit = UNIT_BYTES,
	  .with_children = true },
	{ .name = "io_write_bytes",
	  .help = "bytes through write calls: files, pipes, sockets, terminals",
	  .unit = UNIT_BYTES,
	  .with_children = true },
	{ .name = "io_read_calls",
	  .help = "calls of read and its kin",
	  .unit = UNIT_COUNT,
	  .with_children = true },
	{ .name = "io_write_calls",
	  .help = "calls of write and its kin",
	  .unit = UNIT_COUNT,
	  .with_children = true },
	{ .name = "storage_read_bytes",
	  .help = "bytes fetched from storage: what the cache did not have",
	  .unit = UNIT_BYTES,
	  .with_children = true },
	{ .name = "storage_write_bytes",
	  .help = "bytes sent, or to be sent, to storage",
	  .unit = UNIT_BYTES,
	  .with_children = true },
	{ 0 },
};

struct state {
	struct kept whole, own; /* own: of the main thread, opened when it is asked for */
	char *root;
	int pid;
};

static void io_close(void *at)
{
	struct state *state = at;

	if (!state)
		return;
	kept_close(&state->whole);
	kept_close(&state->own);
	free(state->root);
	free(state);
}

static int io_open(const char *root, int pid, void **ret, struct err *err)
{
	CLEANUP(freep) struct state *state = mem_new(sizeof(*state));
	char path[64];
	int r;

	snprintf(path, sizeof(path), "proc/%d/io", pid);
	r = kept_open(&state->whole, root, path, err);
	if (r < 0)
		return r;
	state->root = mem_copy(root);
	state->pid = pid;
	*ret = take(&state);
	return 0;
}

static int read_values(struct kept *kept, struct value *values, struct err *err)
{
	char text[512];
	ssize_t length = kept_read(kept, text, sizeof(text));
	struct proc_io io;
	int r = length < 0 ? (int)length : proc_io_parse(text, &io);

	if (r < 0)
		return err_set(err, r, "'%s'", kept->path);
	for (size_t i = 0; i < COUNT(keys); i++)
		values[i] = value_read((double)*(uint64_t *)((char *)&io + keys[i].into));
	return 0;
}

static int io_read(void *at, struct value *values, struct err *err)
{
	struct state *state = at;

	return read_values(&state->whole, values, err);
}

/* A thread's own file has what that thread did and nothing of children. */
static int io_read_own(void *at, struct value *values)
{
	struct state *state = at;
	char path[64];
	int r = 0;

	snprintf(path, sizeof(path), "proc/%d/task/%d/io", state->pid, state->pid);
	if (!state->own.path)
		r = kept_open(&state->own, state->root, path, NULL);
	return r < 0 ? r : read_values(&state->own, values, NULL);
}

static const char *const files[] = { "proc/%d/io", NULL };

const struct source source_io = {
	.name = "io",
	.area = "io",
	.help = "reads and writes of each process",
	.scope = SCOPE_PROCESS,
	.pace = PACE_TICK,
	.metrics = metrics,
	.files = files,
	.open = io_open,
	.read = io_read,
	.read_own = io_read_own,
	.close = io_close,
};
