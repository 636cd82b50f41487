/* A library to preload into sonde: 300 ms after the first look at it, the time of day goes back by
 * an hour. Setting the machine's clock would disturb everybody else on it; time namespaces do not
 * have the time of day. */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	static time_t jump_s;
	static long jump_ns;
	long r = syscall(SYS_clock_gettime, clock, ret);

	if (r < 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
		return (int)r;
	if (!jump_s) {
		jump_s = ret->tv_sec;
		jump_ns = ret->tv_nsec + 300 * 1000 * 1000;
	}
	if ((ret->tv_sec - jump_s) * 1000000000L + ret->tv_nsec > jump_ns)
		ret->tv_sec -= 3600;
	return 0;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	ret->tv_sec = now.tv_sec;
	ret->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *ret)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
