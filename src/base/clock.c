#include "base/clock.h"

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}
