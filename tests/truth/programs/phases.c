/* phases: marks a few phases of known cost through $SONDE_MARK and says what each cost by its own
 * clocks. After each mark it rests, so that what comes then is in the phase for certain, however
 * late the mark is seen; what a program does in the first moment may else be counted to the phase
 * before.
 *
 *	burn	0.5 s of CPU			sleep	0.4 s of nothing
 *	touch	100 MiB, held and given back	write	2,000 writes of 8 KiB	fork 0.3 s of a
 *child's CPU */
#include "truth.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define REST_S 0.15

static void mark(const char *name)
{
	const char *path = getenv("SONDE_MARK");
	int fd = path ? open(path, O_WRONLY | O_APPEND) : -1;
	char line[64];

	snprintf(line, sizeof(line), "%s\n", name);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		die("SONDE_MARK");
	close(fd);
	sleep_s(REST_S);
}

static void burn(void)
{
	burn_user(0.5);
}

static void nothing(void)
{
	sleep_s(0.4);
}

static void touch(void)
{
	char *memory = memory_touched(100 * MIB);

	sleep_s(0.4);
	munmap(memory, 100 * MIB);
}

static void put(void)
{
	static char bytes[8192];
	int fd = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 2000; i++) {
		if (write(fd, bytes, sizeof(bytes)) < 0)
			die("/dev/null");
	}
	close(fd);
}

static void child(void)
{
	if (fork_or_die() == 0) {
		burn_user(0.3);
		_exit(0);
	}
	wait_all();
}

int main(void)
{
	static const struct {
		const char *name;
		void (*work)(void);
	} phases[] = { { "burn", burn },
		       { "sleep", nothing },
		       { "touch", touch },
		       { "write", put },
		       { "fork", child } };

	truth_start();
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		double cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID), wall_s = now_s(CLOCK_MONOTONIC);
		char name[64];

		mark(phases[i].name);
		phases[i].work();
		snprintf(name, sizeof(name), "%s_cpu_s", phases[i].name);
		truth_say(name, now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s);
		snprintf(name, sizeof(name), "%s_wall_s", phases[i].name);
		truth_say(name, now_s(CLOCK_MONOTONIC) - wall_s);
	}
	truth_print();
	return 0;
}
