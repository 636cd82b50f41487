/* worker FILE SECONDS STATUS: appends a dot to FILE every 10 ms, "done" at the end, exits with
 * STATUS. It is what must go on when sonde is killed. */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec pause = { 0, 10 * 1000 * 1000 };

	if (argc < 4)
		return 2;
	int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	for (int i = 0; i < atof(argv[2]) * 100; i++) {
		if (write(fd, ".", 1) < 0)
			return 3;
		nanosleep(&pause, NULL);
	}
	if (write(fd, "done", 4) < 0)
		return 3;
	return atoi(argv[3]);
}
