/* The file behind $SONDE_MARK: a program appends a line, and the run has a mark.
 *
 *	load		a phase `load` begins, and ends the one before it at this depth
 *	+train		a phase `train` begins inside of what is there
 *	-train		it ends, with what stands inside of it; "-" ends the newest
 *
 * It is a regular file, so that a writer never waits, gets no signal, and loses nothing when sonde
 * dies. docs/phases.md tells the rest. */
#ifndef SAMPLE_MARKS_H
#define SAMPLE_MARKS_H

#include "base/err.h"

#define MARKS_VARIABLE "SONDE_MARK"

/* Makes the file, empty, in $TMPDIR or /tmp, for this user only. The caller frees the path, gives
 * it to run_program() (struct run, mark_path), and may append lines to it at any time until then
 * and while the program runs. run_program() tells the program of it and removes it at the end. */
int marks_create(char **ret, struct err *err);

#endif
