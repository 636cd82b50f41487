/* incgroup FILE CMD ARGS: joins the cgroup whose cgroup.procs is FILE and becomes CMD, so that the
 * group holds CMD and all that comes of it, and not who started it. */
#include "truth.h"

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	int fd = open(argv[1], O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		die(argv[1]);
	execvp(argv[2], argv + 2);
	die(argv[2]);
	return 127;
}
