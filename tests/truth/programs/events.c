/* events threads N HOLD_S: N threads besides the first, all at once.
 * events processes N HOLD_S: N children, all at once.
 * events faults N 0: touches N pages of new memory.
 * events sleeps N 0: N short sleeps: N times given up the CPU of its own will. */
#include "truth.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count;
static double hold_s;
static pthread_barrier_t all_there;

static void *thread_hold(void *argument)
{
	(void)argument;
	pthread_barrier_wait(&all_there);
	sleep_s(hold_s);
	return NULL;
}

static void mode_threads(void)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	pthread_barrier_init(&all_there, NULL, (unsigned)count + 1);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &small, thread_hold, NULL))
			die("pthread_create");
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void mode_processes(void)
{
	for (int i = 0; i < count; i++)
		if (fork_or_die() == 0) {
			sleep_s(hold_s);
			_exit(0);
		}
	wait_all();
}

static void mode_faults(void)
{
	memory_touched((size_t)count * 4096);
}

static void mode_sleeps(void)
{
	for (int i = 0; i < count; i++)
		sleep_s(50e-6);
}

static const struct mode {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "threads", mode_threads },
	{ "processes", mode_processes },
	{ "faults", mode_faults },
	{ "sleeps", mode_sleeps },
};

int main(int argc, char **argv)
{
	truth_start();
	if (argc < 4)
		return 2;
	count = atoi(argv[2]);
	hold_s = atof(argv[3]);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, argv[1]) == 0) {
			modes[i].run();
			truth_say("count", count);
			truth_say_usage();
			truth_print();
			return 0;
		}
	return 2;
}
