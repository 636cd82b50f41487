/* Every fork, exec and exit below a process, and the CPU time of each task at its end, by inherited
 * perf events: also of children that live 100 us, and of those that nobody waits for. Open to
 * ordinary users where kernel.perf_event_paranoid <= 2; closed on stock Debian and Ubuntu and in
 * most containers, so nothing may depend on it. */
#ifndef SAMPLE_EVENTS_H
#define SAMPLE_EVENTS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct events;

enum event_kind {
	EVENT_FORK, /* of a process; threads are not told */
	EVENT_NAME, /* by exec or prctl */
	EVENT_CPU,  /* a task of the process ended with this CPU time; its exit itself is not in it
		     */
	EVENT_EXIT, /* of a process's first thread */
};

struct event {
	enum event_kind kind;
	int pid, parent_pid;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;
	char name[16];
};

/* Events of all that `pid` will start. Call it before it starts anything. */
int events_open(int pid, struct events **ret, struct err *err);
/* Hands over what happened since the last call, in order of time. */
void events_drain(struct events *events, void (*handle)(void *arg, const struct event *event),
		  void *arg);
/* CPU time of all tasks below `pid`, and of itself, so far: dead ones and living ones. */
int events_cpu(struct events *events, uint64_t *ret_ns);
/* How long the rings may be left alone, as full as they were at the last drain. (Polling them is no
 * way: the kernel wakes us at every exit.) */
uint64_t events_patience_ns(const struct events *events);
bool events_lost(struct events *events); /* was a record ever lost? Then counts are too low */
void events_close(struct events *events);

#endif
