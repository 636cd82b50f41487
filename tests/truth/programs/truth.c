#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char said[4096] = "{";
static double started_s;

void die(const char *what)
{
	fprintf(stderr, "truth: %s: %s\n", what, strerror(errno));
	exit(3);
}

double now_s(int clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) < 0)
		die("clock_gettime");
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void truth_say(const char *name, double number)
{
	size_t length = strlen(said);

	snprintf(said + length, sizeof(said) - length, "%s\"%s\": %.9f", length > 1 ? ", " : "",
		 name, number);
}

static double timeval_s(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

void truth_say_usage(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	double user = timeval_s(self.ru_utime) + timeval_s(children.ru_utime);
	double kernel = timeval_s(self.ru_stime) + timeval_s(children.ru_stime);
	long maxrss = self.ru_maxrss > children.ru_maxrss ? self.ru_maxrss : children.ru_maxrss;

	double ended_s = now_s(CLOCK_MONOTONIC);

	truth_say("started_s", started_s);
	truth_say("ended_s", ended_s);
	truth_say("wall_s", ended_s - started_s);
	truth_say("cpu_s", user + kernel);
	truth_say("cpu_user_s", user);
	truth_say("cpu_system_s", kernel);
	truth_say("maxrss_bytes", (double)maxrss * 1024);
	truth_say("faults_minor", (double)(self.ru_minflt + children.ru_minflt));
	truth_say("switches_voluntary", (double)(self.ru_nvcsw + children.ru_nvcsw));
	truth_say("switches_involuntary", (double)(self.ru_nivcsw + children.ru_nivcsw));
}

void truth_start(void)
{
	started_s = now_s(CLOCK_MONOTONIC);
}

void truth_print(void)
{
	const char *path = getenv("TRUTH_FILE");
	size_t length = strlen(said);
	int fd = STDOUT_FILENO;

	if (path && (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		die(path);
	memcpy(said + length, "}\n", 3);
	if (write(fd, said, length + 2) < 0)
		die("write");
}

void burn_user(double seconds)
{
	double end = now_s(CLOCK_THREAD_CPUTIME_ID) + seconds;
	/* Reading this clock is a system call: seldom, or the time would be the kernel's. */
	long block = seconds < 0.01 ? 5000 : 500000;

	do
		for (long i = 0; i < block; i++)
			__asm__ volatile("" : : "r"(i));
	while (now_s(CLOCK_THREAD_CPUTIME_ID) < end);
}

void burn_system(double seconds)
{
	static char buffer[256 * 1024];
	double end = now_s(CLOCK_THREAD_CPUTIME_ID) + seconds;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("/dev/zero");
	do
		if (read(fd, buffer, sizeof(buffer)) < 0)
			die("read");
	while (now_s(CLOCK_THREAD_CPUTIME_ID) < end);
	close(fd);
}

void sleep_s(double seconds)
{
	struct timespec left = { (time_t)seconds,
				 (long)((seconds - (double)(time_t)seconds) * 1e9) };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

void memory_touch(char *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4096)
		((volatile char *)memory)[i] = 1;
}

char *memory_touched(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	if (memory == MAP_FAILED)
		die("mmap");
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	memory_touch(memory, bytes);
	return memory;
}

int fork_or_die(void)
{
	int pid = fork();

	if (pid < 0)
		die("fork");
	return pid;
}

void wait_all(void)
{
	while (wait(NULL) > 0 || errno == EINTR)
		;
}
