/* What may tell why a program died, and is gone or changed later: looked at when it has just ended,
 * against what was there when it started. */
#ifndef SOURCE_EVIDENCE_H
#define SOURCE_EVIDENCE_H

#include "model/facts.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define EVIDENCE_DISKS 6

struct evidence {
	int kernlog;      /* descriptor; negative: nobody may read it */
	int output;       /* the program's standard error */
	off_t output_was; /* its size at the start; -1: no file */
	struct {
		char *path;
		bool was_full;
	} disks[EVIDENCE_DISKS];
	size_t n_disks;
	double oom_kills; /* of the whole machine, by then; -1: not told */
};

/* Just before the program starts. output: its standard error, which must stay open. */
void evidence_begin(struct evidence *evidence, int output);
/* Just after; a disk that does not answer may hold us up, but not the program. */
void evidence_look(struct evidence *evidence);
/* To be called when the facts hold the processes. Of a program that failed (status as of wait(2))
 * it adds to section "exit":
 *	core, core_file				it left a core dump, and where
 *	oom_name oom_pid fault fault_...	as of kernlog.h
 *	oom_kills_machine			so many were killed for memory meanwhile
 *	words words_cause			as of lastwords.h
 *	full, full_of				a directory on a full disk; "space" or "files"
 *	full_since				true: it became full while the program ran
 *	missing_library				of a program that could not be loaded (status 127)
 * Of one that ended well only what the kernel killed. */
void evidence_end(struct evidence *evidence, int status, const char *program, struct facts *facts);
void evidence_clear(struct evidence *evidence);

/* For tests: core_pattern of core(5) for a process; false where it is no file, or cannot be told.
 */
bool core_path(const char *pattern, bool uses_pid, int pid, const char *name, char *ret,
	       size_t size);

#endif
