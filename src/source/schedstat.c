/* 173840124 2216094 318
 * ns on a CPU, ns runnable but waiting for one, times that it got one.
 *
 * /proc/PID/schedstat is the main thread's alone, so every thread's own is read. A thread that
 * ended takes its count along: what it had when last seen is kept, and the sum is an estimate from
 * then on. A kernel without CONFIG_SCHED_INFO shows "0 0 0" for everybody. */
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Threads of one process that are opened in one read: 1,000 take about 8 ms. Of a process with
 * more, each read takes the next so many, and the others count with what they had. */
#define THREADS_AT_ONCE 1000
#define ASK_EVERY 8

int proc_schedstat_parse(const char *text, struct proc_schedstat *ret)
{
	struct proc_schedstat s;

	if (scan_u64(&text, &s.run_ns) < 0 || scan_u64(&text, &s.wait_ns) < 0 ||
	    scan_u64(&text, &s.slices) < 0)
		return -EINVAL;
	*ret = s;
	return 0;
}

static const struct metric metrics[] = {
	{ .name = "wait_cpu_s",
	  .help = "time that threads were ready to run and had to wait for a CPU",
	  .unit = UNIT_SECONDS,
	  .absent = "the kernel does not count it (CONFIG_SCHED_INFO)" },
	{ 0 },
};

struct thread {
	uint64_t tid, wait_ns;
	bool counted; /* it was read once, at least */
};

struct threads {
	struct thread *items; /* by tid */
	size_t count, room;
};

struct state {
	struct kept kept; /* of the main thread */
	char *root;
	char *tasks; /* the directory of its threads */
	int pid;
	struct threads threads; /* empty while there was never a second one */
	size_t next;            /* to be read first */
	uint64_t ended_ns;      /* of those that are gone */
	bool ended;
	unsigned asked; /* for the number of threads */
};

static void threads_clear(struct threads *threads)
{
	free(threads->items);
	*threads = (struct threads){ 0 };
}

static int schedstat_open(const char *root, int pid, void **ret, struct err *err)
{
	CLEANUP(freep) struct state *state = mem_new(sizeof(*state));
	char path[64];
	int r;

	snprintf(path, sizeof(path), "proc/%d/schedstat", pid);
	r = kept_open(&state->kept, root, path, err);
	if (r < 0)
		return r;
	state->root = mem_copy(root);
	state->pid = pid;
	if (asprintf(&state->tasks, "%s/proc/%d/task", root_is_live(root) ? "" : root, pid) < 0)
		mem_fail();
	*ret = take(&state);
	return 0;
}

/* The kernel counts threads as links of the directory: 2 + threads. Other file systems, which hold
 * fixtures, count otherwise or not at all. */
static bool one_thread(struct state *state)
{
	struct stat about;

	if (state->threads.count || state->ended)
		return false;
	if (root_is_live(state->root) &&
	    state->asked++ % ASK_EVERY != 0) /* who reads so often knows of one thread only */
		return true;
	return stat(state->tasks, &about) == 0 && about.st_nlink == 3;
}

static int by_tid(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int threads_list(const char *tasks, struct threads *ret)
{
	DIR *directory = opendir(tasks);
	struct dirent *entry;
	uint64_t tid;

	if (!directory)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((entry = readdir(directory))) {
		if (parse_u64(entry->d_name, &tid) < 0)
			continue;
		ret->items = mem_grow(ret->items, ret->count, &ret->room, sizeof(*ret->items));
		ret->items[ret->count++] = (struct thread){ .tid = tid };
	}
	closedir(directory);
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), by_tid);
	return 0;
}

/* What was known of threads goes to those that still live; the rest has ended. */
static void threads_match(struct state *state, struct threads *now)
{
	size_t i = 0;

	for (size_t j = 0; j < state->threads.count; j++) {
		const struct thread *old = &state->threads.items[j];

		while (i < now->count && now->items[i].tid < old->tid)
			i++;
		if (i < now->count && now->items[i].tid == old->tid) {
			now->items[i] = *old;
			continue;
		}
		state->ended_ns += old->wait_ns;
		state->ended = true;
	}
}

static int thread_read(struct state *state, struct thread *thread)
{
	char path[96], text[128];
	CLEANUP(closep) int fd = -1;
	struct proc_schedstat s;

	snprintf(path, sizeof(path), "proc/%d/task/%llu/schedstat", state->pid,
		 (unsigned long long)thread->tid);
	fd = file_open(state->root, path, NULL);
	if (fd < 0 || file_reread(fd, text, sizeof(text)) < 0 || proc_schedstat_parse(text, &s) < 0)
		return -ENOENT;
	if (s.wait_ns < thread->wait_ns) { /* its id has been used anew */
		state->ended_ns += thread->wait_ns;
		state->ended = true;
	}
	thread->counted = s.slices > 0 || s.run_ns > 0;
	thread->wait_ns = s.wait_ns;
	return 0;
}

static struct value threads_sum(const struct state *state, bool partly)
{
	double ns = (double)state->ended_ns;
	size_t counted = 0;

	for (size_t i = 0; i < state->threads.count; i++) {
		ns += (double)state->threads.items[i].wait_ns;
		counted += state->threads.items[i].counted;
	}
	if (!counted && !state->ended)
		return value_absent();
	return state->ended || partly ? value_estimated(ns / 1e9) : value_read(ns / 1e9);
}

static int read_threads(struct state *state, struct value *values)
{
	struct threads now = { 0 };
	int r = threads_list(state->tasks, &now);
	size_t reads;

	if (r < 0)
		return r;
	threads_match(state, &now);
	threads_clear(&state->threads);
	state->threads = now;
	reads = now.count < THREADS_AT_ONCE ? now.count : THREADS_AT_ONCE;
	for (size_t i = 0; i < reads; i++)
		thread_read(state, &now.items[(state->next + i) % now.count]);
	state->next = now.count > reads ? (state->next + reads) % now.count : 0;
	values[0] = threads_sum(state, now.count > reads);
	return 0;
}

static int read_one(struct state *state, struct value *values)
{
	struct proc_schedstat s;
	char text[128];
	ssize_t length = kept_read(&state->kept, text, sizeof(text));
	int r;

	if (length < 0)
		return (int)length;
	r = proc_schedstat_parse(text, &s);
	if (r == 0 && (s.slices > 0 || s.run_ns > 0))
		values[0] = value_read((double)s.wait_ns / 1e9);
	return r;
}

static int schedstat_read(void *at, struct value *values, struct err *err)
{
	struct state *state = at;
	int r;

	values[0] = value_absent();
	r = one_thread(state) ? read_one(state, values) : read_threads(state, values);
	return r < 0 ? err_set(err, r, "'%s'", state->kept.path) : 0;
}

static void schedstat_close(void *at)
{
	struct state *state = at;

	if (!state)
		return;
	kept_close(&state->kept);
	threads_clear(&state->threads);
	free(state->root);
	free(state->tasks);
	free(state);
}

static const char *const files[] = { "proc/%d/schedstat", "proc/%d/task/*/schedstat", NULL };

const struct source source_schedstat = {
	.name = "schedstat",
	.area = "cpu",
	.help = "how long threads of each process waited for a CPU",
	.scope = SCOPE_PROCESS,
	.pace = PACE_THREADS,
	.metrics = metrics,
	.files = files,
	.open = schedstat_open,
	.read = schedstat_read,
	.close = schedstat_close,
};
