/* In a pid namespace of its own: two children, one after the other, with the same pid. The first
 * burns 0.5 s under the name "first", the second 0.3 s as "second". Status 4 where the pid did not
 * come back. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void burn(double seconds)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < seconds);
}

static int child(const char *name, double seconds)
{
	int pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, name);
		burn(seconds);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return pid;
}

int main(void)
{
	char number[32];
	int first = child("first", 0.5);
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);

	snprintf(number, sizeof(number), "%d", first - 1);
	if (fd < 0 || write(fd, number, strlen(number)) < 0)
		return 3;
	return child("second", 0.3) == first ? 0 : 4;
}
