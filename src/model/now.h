/* What is known of a run at this moment, in memory that processes of ours share: the sampler writes
 * it at each tick, who shows it reads it whenever he likes. Each number stands for itself; one that
 * nobody knows is NAN. */
#ifndef MODEL_NOW_H
#define MODEL_NOW_H

#include <stdatomic.h>
#include <stdint.h>

struct now {
	_Atomic uint64_t start_ns; /* CLOCK_BOOTTIME of the program's start; 0: not yet */
	_Atomic double cores;      /* busy, over the last tick or a little longer */
	_Atomic double memory_bytes, memory_peak_bytes; /* of the tree */
	_Atomic double read_bytes, write_bytes;         /* since the start */
	_Atomic double read_rate, write_rate;           /* bytes a second, as `cores` */
	_Atomic double processes;
	_Atomic double limit_cores, limit_memory_bytes; /* what it may use */
	_Atomic double limit_s;                         /* when it will be ended */
	_Atomic uint64_t shown_us; /* CPU time of those who show it: it is sonde's own, too */
};

void now_init(struct now *now); /* nothing is known yet */

#endif
