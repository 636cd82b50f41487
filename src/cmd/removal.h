/* What `rm` and `prune` have in common: recordings to be removed, all of them chosen first. */
#ifndef CMD_REMOVAL_H
#define CMD_REMOVAL_H

#include <stdbool.h>
#include <stddef.h>

struct removal {
	char **paths;
	size_t count, room;
};

void removal_add(struct removal *removal, const char *path); /* one that is there already, not */
/* Removes them, unless it is only to be shown, and prints which and how much room that gives.
 * Each is read once more before: one that was taken up again, or cannot be removed, is said and
 * stays. Returns the exit status. */
int removal_run(const struct removal *removal, bool dry_run);
void removal_clear(struct removal *removal);

#endif
