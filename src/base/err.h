/* What went wrong, in words for the user.
 *
 * The lowest layer names the object and the reason, each layer above adds what it was trying to do,
 * and only `cmd` prints:
 *	cannot read energy of package 0: '/sys/class/powercap/...': Permission denied
 * Quotes stand around everything that came from outside. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/compiler.h"

struct err {
	int code; /* negative errno; 0: nothing happened */
	char text[512];
	char hint[256]; /* what the user may do next; empty where we know nothing */
};

/* All of them return the code, so that `return err_set(...)` reads well. `err` may be NULL for a
 * caller who does not want to know. */

/* "<formatted>: <strerror of code>". */
int err_set(struct err *err, int code, const char *format, ...) PRINTF(3, 4);
/* The formatted sentence alone, where errno's words would not help. */
int err_say(struct err *err, int code, const char *format, ...) PRINTF(3, 4);
/* Puts "<formatted>: " before what is there: what this layer was trying to do. Without an `err` the
 * code is not known any more, so this and err_hint() return -EIO: who needs the code passes one. */
int err_in(struct err *err, const char *format, ...) PRINTF(2, 3);
int err_hint(struct err *err, const char *format, ...) PRINTF(2, 3);

#endif
