/* Who writes a journal, and whether that is still alive. */
#ifndef SERIES_ORIGIN_H
#define SERIES_ORIGIN_H

#include "base/mem.h"

#include <stdint.h>

struct origin {
	uint32_t pid;
	uint64_t pid_started; /* field 22 of /proc/PID/stat: clock ticks since boot */
	uint64_t pid_namespace;
	const char *boot; /* /proc/sys/kernel/random/boot_id, "" where it could not be read */
	const char *host;
};

void origin_read(struct arena *arena, struct origin *ret); /* of this process */

enum life {
	LIFE_OVER,
	LIFE_ON,
	LIFE_UNKNOWN, /* it is of another machine, or of another container */
};
enum life origin_life(const struct origin *origin);

#endif
