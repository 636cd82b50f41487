/* clock_getcpuclockid(3) makes the clock's id from the pid and then asks the kernel whether there
 * is such a process; clock_gettime(2) asks that again, so we make the id ourselves and save a call:
 * the inverted pid above 3 bits, of which 2 means "the scheduler's exact count, of a whole
 * process". */
#include "source/clock.h"

#include <errno.h>
#include <time.h>

#define CLOCK_OF_SCHEDULER 2
#define PID_BITS 28 /* a larger one would be shifted into another clock; the kernel's have 22 */

int cpu_clock_read(int pid, uint64_t *ret_ns)
{
	clockid_t clock = (clockid_t)((~(unsigned)pid << 3) | CLOCK_OF_SCHEDULER);
	struct timespec now;

	if (pid <= 0 || pid >> PID_BITS)
		return -ESRCH;
	if (clock_gettime(clock, &now) < 0)
		return errno == EINVAL ? -ESRCH : -errno;
	*ret_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return 0;
}
