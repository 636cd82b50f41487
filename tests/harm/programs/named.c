/* named NAME ARGV0 SECONDS: takes NAME as the kernel's name for it, runs itself again as ARGV0,
 * burns CPU. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static void burn(double seconds)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < seconds);
}

int main(int argc, char **argv)
{
	if (argc == 4) {
		char *again[] = { argv[2], argv[1], argv[3], NULL };
		execv("/proc/self/exe", again);
		return 3;
	}
	if (argc != 3)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	burn(atof(argv[2]));
	return 0;
}
