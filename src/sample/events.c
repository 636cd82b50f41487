/* One task-clock event for each CPU, because a ring of inherited events may only be per CPU. A
 *record begins with {u32 type, u16 misc, u16 size}; ours end with {u32 pid, tid; u64 time}
 *(sample_id_all):
 *
 *	COMM  3	u32 pid, tid; char name[], NUL-padded to 8
 *	EXIT  4	u32 pid, ppid, tid, ptid; u64 time
 *	FORK  7	the same; of a new thread pid == ppid
 *	READ  8	u32 pid, tid; u64 value: at a task's end, one from each CPU's event (inherit_stat)
 *
 * Each event costs a fork and exit about 3 us, so with many CPUs they are not worth it. */
#include "sample/events.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_CPUS 16
#define RING_MOST (512u << 10) /* 516 KiB per CPU and user may be locked without privilege */
#define RING_LEAST (64u << 10)
#define FULL_BYTES                                                                                 \
	512u /* a ring with less room than the longest record has lost some; the kernel tells that \
	      * only in a later record, of which there may be none */
#define CALM_NS 200000000u
#define BUSY_NS 20000000u
#define TRAILER_BYTES 16

struct ring {
	struct perf_event_mmap_page *page;
	const char *data;
	size_t bytes; /* a power of two */
};

struct events {
	int count;
	int fds[MAX_CPUS];
	struct ring rings[MAX_CPUS];
	struct event *batch;
	size_t n_batch, room_batch;
	bool busy; /* an eighth of a ring was full at the last drain */
	bool lost;
};

static int open_on_cpu(int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.inherit = 1,
		.inherit_stat = 1,
		.exclude_kernel =
		    1, /* as a user may; task-clock counts the kernel's time all the same */
		.exclude_hv = 1,
		.task = 1,
		.comm = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* As large as the user may lock: others' rings count, too. */
static int map_ring(struct ring *ring, int fd)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *map = MAP_FAILED;

	for (ring->bytes = RING_MOST * 2; map == MAP_FAILED && ring->bytes > RING_LEAST;) {
		ring->bytes /= 2;
		map = mmap(NULL, page_bytes + ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0);
	}
	if (map == MAP_FAILED)
		return -errno;
	ring->page = map;
	ring->data = (char *)map + page_bytes;
	return 0;
}

static int open_ring(struct events *events, int pid, int cpu)
{
	int fd = open_on_cpu(pid, cpu), r;

	if (fd < 0)
		return -errno;
	r = map_ring(&events->rings[events->count], fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	events->fds[events->count++] = fd;
	return 0;
}

static void events_freep(struct events **events)
{
	events_close(*events);
}

int events_open(int pid, struct events **ret, struct err *err)
{
	CLEANUP(events_freep) struct events *events = mem_new(sizeof(*events));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int r;

	if (cpus > MAX_CPUS)
		return err_say(err, -E2BIG, "perf events for %ld CPUs would slow down every fork",
			       cpus);
	for (int cpu = 0; cpu < cpus; cpu++) {
		r = open_ring(events, pid, cpu);
		if (r < 0 && r != -ENODEV) /* a CPU that is offline */
			return err_set(err, r, "cannot open perf events");
	}
	*ret = take(&events);
	return 0;
}

static struct event *add_event(struct events *events, enum event_kind kind, int pid,
			       uint64_t time_ns)
{
	struct event *event;

	events->batch = mem_grow(events->batch, events->n_batch, &events->room_batch,
				 sizeof(*events->batch));
	event = &events->batch[events->n_batch++];
	*event = (struct event){ .kind = kind, .pid = pid, .time_ns = time_ns };
	return event;
}

static void parse_record(struct events *events, const struct perf_event_header *header,
			 const char *body, size_t length)
{
	uint32_t word[4] = { 0 };
	uint64_t time_ns, number;

	if (length < TRAILER_BYTES + 16) /* the shortest, and room for a name of 15 bytes */
		return;
	memcpy(word, body, sizeof(word));
	memcpy(&time_ns, body + length - 8, sizeof(time_ns));
	memcpy(&number, body + 8, sizeof(number));
	if (header->type == PERF_RECORD_FORK && word[0] != word[1])
		add_event(events, EVENT_FORK, (int)word[0], time_ns)->parent_pid = (int)word[1];
	else if (header->type == PERF_RECORD_EXIT && word[0] == word[2])
		add_event(events, EVENT_EXIT, (int)word[0], time_ns)->parent_pid = (int)word[1];
	else if (header->type == PERF_RECORD_READ)
		add_event(events, EVENT_CPU, (int)word[0], time_ns)->cpu_ns = number;
	else if (header->type == PERF_RECORD_COMM && word[0] == word[1])
		memcpy(add_event(events, EVENT_NAME, (int)word[0], time_ns)->name, body + 8, 15);
	else if (header->type == PERF_RECORD_LOST)
		events->lost = true;
}

/* A record may wrap around the ring's end, so it is copied out. */
static void copy_out(const struct ring *ring, uint64_t from, void *to, size_t count)
{
	size_t at = from % ring->bytes, first = ring->bytes - at < count ? ring->bytes - at : count;

	memcpy(to, ring->data + at, first);
	memcpy((char *)to + first, ring->data, count - first);
}

static void drain_ring(struct events *events, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;
	char body[512];

	events->busy |= head - tail > ring->bytes / 8;
	events->lost |= head - tail > ring->bytes - FULL_BYTES;
	while (tail + sizeof(header) <= head) {
		copy_out(ring, tail, &header, sizeof(header));
		if (header.size < sizeof(header) || tail + header.size > head)
			break;
		if (header.size - sizeof(header) <= sizeof(body)) {
			copy_out(ring, tail + sizeof(header), body, header.size - sizeof(header));
			parse_record(events, &header, body, header.size - sizeof(header));
		}
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* At the same time: a task's CPU is told before its exit, its fork before all. */
static int by_time(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (int)a->kind - (int)b->kind;
}

void events_drain(struct events *events, void (*handle)(void *arg, const struct event *event),
		  void *arg)
{
	events->n_batch = 0;
	events->busy = false;
	for (int i = 0; i < events->count; i++)
		drain_ring(events, &events->rings[i]);
	if (events->n_batch == 0)
		return;
	qsort(events->batch, events->n_batch, sizeof(*events->batch), by_time);
	for (size_t i = 0; i < events->n_batch; i++)
		handle(arg, &events->batch[i]);
}

int events_cpu(struct events *events, uint64_t *ret_ns)
{
	uint64_t sum = 0, one;

	for (int i = 0; i < events->count; i++) {
		if (read(events->fds[i], &one, sizeof(one)) != sizeof(one))
			return -EIO;
		sum += one;
	}
	*ret_ns = sum;
	return 0;
}

uint64_t events_patience_ns(const struct events *events)
{
	return events->busy ? BUSY_NS : CALM_NS;
}

bool events_lost(struct events *events)
{
	return events->lost;
}

void events_close(struct events *events)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (!events)
		return;
	for (int i = 0; i < events->count; i++) {
		munmap(events->rings[i].page, page_bytes + events->rings[i].bytes);
		close(events->fds[i]);
	}
	free(events->batch);
	free(events);
}
