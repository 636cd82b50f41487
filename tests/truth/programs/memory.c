/* memory MODE MIB [HOLD_S [FILE]]: takes MIB in one of these ways, holds it, and says memory_bytes,
 *what the tree held at its peak apart from the images of the programs themselves.
 *
 *	touch	private pages, until the end		free	given back, then as long without
 *	reserve	mapped, never touched: 0		shared	one shared mapping, touched by 5
 *	cow	5 processes share it by fork: MIB	parallel	4 children of MIB: 4 x MIB
 *	sequence	4 children one after another	spike	in a moment, HOLD_S, gone in a
 *moment ramp	as spike, but private pages, which take their time to come
 *
 * The spike fills a file in memory first, through its descriptor, and only then maps it: pages of a
 * file that nobody maps are in no process's resident size, and mapping ready ones takes
 *milliseconds where getting a GiB of new ones takes a guest up to 3 s. */
#include "truth.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static size_t bytes;
static double hold_s = 0.7;
static const char *spike_path;

static void hold_private(void)
{
	char *memory = memory_touched(bytes);

	sleep_s(hold_s);
	munmap(memory, bytes);
}

static double mode_touch(void)
{
	memory_touched(bytes);
	sleep_s(hold_s);
	return (double)bytes;
}

static double mode_free(void)
{
	hold_private();
	sleep_s(hold_s);
	return (double)bytes;
}

static double mode_reserve(void)
{
	if (mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0) == MAP_FAILED)
		die("mmap");
	sleep_s(hold_s);
	return 0;
}

static void in_children(int count, void (*work)(void))
{
	for (int i = 0; i < count; i++)
		if (fork_or_die() == 0) {
			work();
			_exit(0);
		}
	wait_all();
}

static char *shared;

static void hold_shared(void)
{
	memory_touch(shared, bytes);
	sleep_s(hold_s);
}

static double mode_shared(void)
{
	shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	memory_touch(shared, bytes);
	in_children(4, hold_shared);
	return (double)bytes;
}

static void hold_nothing(void)
{
	sleep_s(hold_s);
}

static double mode_cow(void)
{
	memory_touched(bytes);
	in_children(4, hold_nothing);
	return (double)bytes;
}

static double mode_parallel(void)
{
	in_children(4, hold_private);
	return 4 * (double)bytes;
}

static double mode_sequence(void)
{
	for (int i = 0; i < 4; i++)
		in_children(1, hold_private);
	return (double)bytes;
}

static double mode_ramp(void)
{
	hold_private();
	sleep_s(0.2);
	return (double)bytes;
}

static int file_filled(void)
{
	static char zeros[MIB];
	int fd = spike_path ? open(spike_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
			    : memfd_create("spike", MFD_CLOEXEC);

	for (size_t i = 0; i < bytes; i += sizeof(zeros))
		if (write(fd, zeros, sizeof(zeros)) != sizeof(zeros))
			die("write");
	return fd;
}

static double mode_spike(void)
{
	int fd = file_filled();

	sleep_s(0.4);
	double start = now_s(CLOCK_MONOTONIC);
	char *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	double mapped = now_s(CLOCK_MONOTONIC);

	if (memory == MAP_FAILED)
		die("mmap");
	sleep_s(hold_s);
	munmap(memory, bytes);
	truth_say("ramp_s", mapped - start);
	truth_say("spike_s", now_s(CLOCK_MONOTONIC) - start);
	close(fd);
	sleep_s(0.4);
	return (double)bytes;
}

static const struct mode {
	const char *name;
	double (*run)(void);
} modes[] = {
	{ "touch", mode_touch },       { "free", mode_free },   { "reserve", mode_reserve },
	{ "shared", mode_shared },     { "cow", mode_cow },     { "parallel", mode_parallel },
	{ "sequence", mode_sequence }, { "spike", mode_spike }, { "ramp", mode_ramp },
};

int main(int argc, char **argv)
{
	truth_start();
	if (argc < 3)
		return 2;
	bytes = strtoul(argv[2], NULL, 10) * MIB;
	if (argc > 3)
		hold_s = atof(argv[3]);
	if (argc > 4)
		spike_path = argv[4];
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, argv[1]) == 0) {
			truth_say("memory_bytes", modes[i].run());
			truth_say_usage();
			truth_print();
			return 0;
		}
	return 2;
}
