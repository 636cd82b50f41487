/* Against the real kernel: a process that starts 300 others, seen through its events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample/events.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 300

struct seen {
	int kinds[4];
	int named;
	uint64_t cpu_ns, last_ns;
};

static void note(void *arg, const struct event *event)
{
	struct seen *seen = arg;

	seen->kinds[event->kind]++;
	seen->named += event->kind == EVENT_NAME && strcmp(event->name, "true") == 0;
	seen->cpu_ns += event->cpu_ns;
	assert_true(event->time_ns >= seen->last_ns);
}

static pid_t start_parent(int ready[2])
{
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid > 0)
		return pid;
	if (read(ready[0], &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child == 0) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	_exit(0);
}

static void tells_every_fork_exec_and_exit(void **state)
{
	struct events *events = NULL;
	struct seen seen = { 0 };
	struct err err = { 0 };
	uint64_t cpu_ns = 0;
	int ready[2], r;
	pid_t parent = start_parent(ready);

	(void)state;
	r = events_open(parent, &events, &err);
	assert_int_equal(write(ready[1], "x", 1), 1);
	if (r < 0) { /* a fact of this machine, not of our code */
		waitpid(parent, NULL, 0);
		printf("skipped: %s\n", err.text);
		assert_true(strlen(err.text) > 10);
		skip();
	}
	while (waitpid(parent, NULL, WNOHANG) == 0) {
		events_drain(events, note, &seen);
		usleep(2000);
	}
	events_drain(events, note, &seen);
	assert_int_equal(seen.kinds[EVENT_FORK], CHILDREN);
	assert_int_equal(seen.kinds[EVENT_EXIT], CHILDREN + 1);
	assert_int_equal(seen.named, CHILDREN);
	assert_int_equal(events_cpu(events, &cpu_ns), 0);
	assert_true(cpu_ns > 0 && seen.cpu_ns <= cpu_ns);
	assert_false(events_lost(events));
	events_close(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_every_fork_exec_and_exit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
