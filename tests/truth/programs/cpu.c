/* cpu USER_S SYSTEM_S: burns that much in user mode and in the kernel.
 * cpu cores threads|processes N SECONDS: N at once, each burning that much.
 * cpu contend SECONDS: two processes on one core, each burning that much, so each waits for the
 *	CPU about as long as it runs; says its own run_delay of /proc/self/schedstat.
 * cpu crowd N BUSY SECONDS: N children, of which BUSY run 1 ms in every 50, the others sleep.
 * cpu work N: N million turns of an empty loop: the same work, whatever it takes.
 * cpu sleep SECONDS: nothing. */
#include "truth.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *thread_burn(void *argument)
{
	burn_user(*(double *)argument);
	return NULL;
}

static void burn_in_threads(int count, double seconds)
{
	pthread_t threads[64];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, thread_burn, &seconds))
			die("pthread_create");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void burn_in_processes(int count, double seconds)
{
	for (int i = 0; i < count; i++)
		if (fork_or_die() == 0) {
			burn_user(seconds);
			_exit(0);
		}
	wait_all();
}

/* "run_ns wait_ns times": of this, the only, thread. */
static double wait_cpu_s(void)
{
	unsigned long long run = 0, wait = 0;
	FILE *file = fopen("/proc/self/schedstat", "re");

	if (!file || fscanf(file, "%llu %llu", &run, &wait) != 2)
		die("/proc/self/schedstat");
	fclose(file);
	return (double)wait / 1e9;
}

static void contend_in_child(double seconds, int report)
{
	burn_user(seconds);
	double waited = wait_cpu_s();

	if (write(report, &waited, sizeof(waited)) != sizeof(waited))
		die("write");
	_exit(0);
}

static void contend(double seconds)
{
	double waited, sum = wait_cpu_s();
	int ends[2];
	cpu_set_t one;

	sched_getaffinity(0, sizeof(one), &one);
	int core = 0;
	while (!CPU_ISSET(core, &one))
		core++;
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0 || pipe(ends) < 0)
		die("sched_setaffinity");
	for (int i = 0; i < 2; i++)
		if (fork_or_die() == 0)
			contend_in_child(seconds, ends[1]);
	for (int i = 0; i < 2; i++) {
		if (read(ends[0], &waited, sizeof(waited)) != sizeof(waited))
			die("read");
		sum += waited;
	}
	wait_all();
	truth_say("wait_cpu_s", sum);
}

static void live_in_crowd(bool busy, double seconds)
{
	double end = now_s(CLOCK_MONOTONIC) + seconds;

	while (busy && now_s(CLOCK_MONOTONIC) < end) {
		burn_user(0.001);
		sleep_s(0.049);
	}
	if (!busy)
		sleep_s(seconds);
	_exit(0);
}

static void crowd(int count, int busy, double seconds)
{
	for (int i = 0; i < count; i++)
		if (fork_or_die() == 0)
			live_in_crowd(i < busy, seconds);
	wait_all();
}

static void work(long millions)
{
	for (long i = 0; i < millions * 1000000; i++)
		__asm__ volatile("" : : "r"(i));
}

static void cores(char **argv)
{
	int count = atoi(argv[3]);

	if (strcmp(argv[2], "threads") == 0)
		burn_in_threads(count, atof(argv[4]));
	else
		burn_in_processes(count, atof(argv[4]));
}

int main(int argc, char **argv)
{
	truth_start();
	if (argc == 5 && strcmp(argv[1], "cores") == 0)
		cores(argv);
	else if (argc == 3 && strcmp(argv[1], "contend") == 0)
		contend(atof(argv[2]));
	else if (argc == 5 && strcmp(argv[1], "crowd") == 0)
		crowd(atoi(argv[2]), atoi(argv[3]), atof(argv[4]));
	else if (argc == 3 && strcmp(argv[1], "work") == 0)
		work(atol(argv[2]));
	else if (argc == 3 && strcmp(argv[1], "sleep") == 0)
		sleep_s(atof(argv[2]));
	else if (argc == 3) {
		burn_user(atof(argv[1]));
		burn_system(atof(argv[2]));
	} else
		return 2;
	truth_say_usage();
	truth_print();
	return 0;
}
