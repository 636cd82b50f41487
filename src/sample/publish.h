/* What is known now, for those who show it while the program runs. */
#ifndef SAMPLE_PUBLISH_H
#define SAMPLE_PUBLISH_H

#include "sample/sampler.h"

/* After each tick. now_ns: since the program's start. */
void publish_tick(struct sampler *sampler, uint64_t now_ns, struct now *now);
/* Once, when the limits are among the facts. timeout_ns: 0 is none. */
void publish_limits(const struct facts *facts, uint64_t timeout_ns, struct now *now);

#endif
