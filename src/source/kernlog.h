/* The kernel's log, where we may read it: whom it killed for lack of memory, and which address a
 * program touched that was not its own. */
#ifndef SOURCE_KERNLOG_H
#define SOURCE_KERNLOG_H

#include "model/facts.h"

#include <stdint.h>

enum kernlog_kind { KERNLOG_OTHER, KERNLOG_OOM, KERNLOG_FAULT };

struct kernlog_entry {
	enum kernlog_kind kind;
	uint64_t pid; /* as the machine sees it; of a fault: the thread's */
	char name[16];
	/* of a fault */
	uint64_t address, stack; /* that was touched; the stack pointer then */
	uint64_t error;          /* of x86: 1 it was there, 2 write, 16 code */
	char object[64];         /* the program or library that did it; "" where not told */
};

/* One record of /dev/kmsg, NUL-terminated. Opens nothing; any bytes. */
void kernlog_parse(const char *record, struct kernlog_entry *ret);

/* What kind of address that was: "null", "stack", "code", "readonly", "wild". */
const char *kernlog_fault(const struct kernlog_entry *entry);

int kernlog_begin(const char *root); /* a descriptor, to be closed; or a negative errno */
/* Adds what was logged since then about processes of `facts`: exit.oom_name and oom_pid,
 * exit.fault, fault_name, fault_pid and fault_in. The first of each counts. The pids stay out where
 * they are not those that we know: of a thread, or seen from a container. */
void kernlog_end(int fd, struct facts *facts);

#endif
