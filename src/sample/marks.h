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
#include "model/facts.h"
#include "series/series.h"

#define MARKS_VARIABLE "SONDE_MARK"
#define MARK_NAME_BYTES 200 /* longer names are cut */
#define MARK_LINE_BYTES 500 /* and of a line more is not looked at */

/* Makes the file, empty, in $TMPDIR or /tmp, for this user only. The caller frees the path, gives
 * it to run_program() (struct run, mark_path), and may append lines to it at any time until then
 * and while the program runs. run_program() tells the program of it and removes it at the end. */
int marks_create(char **ret, struct err *err);

/* Reads a line without its newline. Blanks around the name and NULs are left out; ret->name is
 * `name`. -EINVAL where it is no mark: "+" without a name. -ENODATA where nothing is there. */
int mark_parse(const char *line, size_t count, char name[MARK_NAME_BYTES + 1], struct mark *ret);

struct marks; /* for the sampler */

/* `budget` is the share of one core that reading may take: then it comes later. */
int marks_open(const char *path, double budget, struct marks **ret, struct err *err);
/* To be polled for POLLIN; -1 where it is too early to look again, or nothing tells of changes. */
int marks_fd(const struct marks *marks, uint64_t now_ns);
/* When marks_fd() is worth asking again; UINT64_MAX: whenever. */
uint64_t marks_due(const struct marks *marks, uint64_t now_ns);
/* Adds what was written since the last time to the facts and to the recording (which may be NULL),
 * with the time `now_ns`, or that of the file where it was written long before. Returns how many
 * marks there were. NULL for `marks` is fine. */
size_t marks_read(struct marks *marks, uint64_t now_ns, struct facts *facts, struct series *series);
/* Nothing is to be read before that time: there is no budget for it. */
void marks_pause(struct marks *marks, uint64_t until_ns);
/* It will be read only once more: from now on the kernel may forget of it, which takes it a while.
 */
void marks_unwatch(struct marks *marks);
/* The same for the last time: takes a name without its newline, too, and notes what was left out.
 */
void marks_finish(struct marks *marks, uint64_t now_ns, struct facts *facts, struct series *series);
void marks_close(struct marks *marks); /* NULL is fine */

#endif
