/* The process that passes on one output of the program, to its last byte. */
#ifndef RELAY_PUMP_H
#define RELAY_PUMP_H

#include "base/compiler.h"
#include "model/now.h"
#include "relay/format.h"
#include "relay/matcher.h"
#include "relay/stream.h"

/* Memory that sonde and the pumps share. */
struct pump_shared {
	struct now now;
	struct {
		_Atomic uint64_t bytes; /* so many could not be written */
		_Atomic int error;      /* the first reason */
	} lost[2];                      /* by stream */
};

struct pump {
	struct stream stream;
	const struct format *stamp; /* NULL: none */
	struct matcher *matcher;    /* NULL: none */
	int marks;                  /* where marks are appended; -1: nowhere */
	bool live;                  /* draws the live line */
	int control; /* at its end the program has ended, or sonde died; we answer by closing it */
	uint64_t born_ns; /* CLOCK_BOOTTIME, shortly before the program's start */
	struct pump_shared *shared;
	size_t index; /* in shared->lost */
};

/* All signals are blocked, and stay so. The caller has no other descriptors of interest: all but
 * the pump's are closed. */
NORETURN void pump_run(struct pump *pump);

#endif
