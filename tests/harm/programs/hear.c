/* Catches every signal that can be caught and writes one line "got N" for each that comes. Says
 * "ready" first, ends with status 0 when its stdin ends. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void hear(int number)
{
	char line[] = "got 00\n";
	int before = errno;

	line[4] = (char)('0' + number / 10);
	line[5] = (char)('0' + number % 10);
	if (write(STDOUT_FILENO, line, sizeof(line) - 1) < 0)
		_exit(3);
	errno = before;
}

int main(void)
{
	struct sigaction action = { .sa_handler = hear, .sa_flags = SA_RESTART };
	sigset_t none;
	char byte;

	for (int i = 1; i <= 64; i++)
		sigaction(i, &action, NULL); /* some say no: KILL, STOP, those of the C library */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (write(STDOUT_FILENO, "ready\n", 6) < 0)
		return 3;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
