/* The words of the live line: what is known of the run now, most important first.
 *
 *	12:31   3.1 of 16 cores   5.2 of 64 GiB   read 120 MB/s   write 3 MB/s */
#ifndef RELAY_LIVE_H
#define RELAY_LIVE_H

#include "base/text.h"
#include "model/now.h"

/* Adds what is known, as many words of it as fit into `columns`. */
void live_write(const struct now *now, double time_s, size_t columns, struct text *ret);

#endif
