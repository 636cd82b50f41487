/* Between the program's output and where it belongs: `--stamp`, `--live` and `--mark-on`.
 *
 * Each output goes through a process of ours, which is nobody's measured child and takes no signal,
 * and so survives sonde, Ctrl-C and Ctrl-Z: the program never notices that somebody died. Where
 * stdout and stderr lead to the same place they share one, so that their order stays. */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include "base/err.h"
#include "model/now.h"

#include <stdbool.h>
#include <stddef.h>

struct relay_wish {
	const char *stamp;          /* a format, see format.h; NULL: none */
	const char *const *mark_on; /* regular expressions */
	size_t n_mark_on;
	bool live;
};

struct relay {
	/* For the program, in place of ours; 0: ours is as it should be. The caller closes them. */
	int stdout_fd, stderr_fd;
	int control;     /* must stay open in this process; 0: nothing was started */
	struct now *now; /* to be kept up to date; NULL: nobody looks */
	struct relay_parts *parts;
};

/* Understands the wishes and starts nothing. -EINVAL: the user made a mistake. relay_close() ends
 * it.
 */
int relay_init(struct relay *relay, const struct relay_wish *wish, struct err *err);
/* Starts what is needed, perhaps nothing. Before this process becomes a subreaper. marks_path:
 * where marks are appended; NULL: nowhere. On an error the program can run as it is, without
 * stamps. */
int relay_start(struct relay *relay, const char *marks_path, struct err *err);
/* The program has ended: waits until all that it wrote has been passed on, but not for what others
 * that live on may write. patience_ms: -1 waits for a slow reader as the program would have, or
 * until a signal asks us to end. Returns false where it is still on its way. */
bool relay_drain(struct relay *relay, int patience_ms);
/* What could not be written: `err` says so, and -EIO is returned. */
int relay_lost(const struct relay *relay, struct err *err);
void relay_close(struct relay *relay);

#endif
