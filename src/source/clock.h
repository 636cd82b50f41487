/* The CPU clock of a process, all its threads together, to the nanosecond. One system call of about
 * a microsecond, of anybody's process and without a right: it tells the sampler who moved. */
#ifndef SOURCE_CLOCK_H
#define SOURCE_CLOCK_H

#include <stdint.h>

/* -ESRCH when the process is gone; on some kernels also when it only waits to be reaped. */
int cpu_clock_read(int pid, uint64_t *ret_ns);

#endif
