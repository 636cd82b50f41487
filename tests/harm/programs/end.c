/* end status N: exits with N. end signal N: dies of signal N, whatever was done about it before.
 * end stop: stops. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int number = argc > 2 ? atoi(argv[2]) : 0;
	sigset_t all;

	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "status") == 0)
		_exit(number);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(number, SIG_DFL);
	kill(getpid(), number);
	return 99; /* a signal that does not kill by default */
}
