/* Clocks in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t clock_ns(clockid_t clock);
uint64_t boot_ns(void); /* since boot, suspended time included: what all processes of ours share */

#endif
