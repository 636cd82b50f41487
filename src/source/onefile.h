/* The state of a source that reads one file again and again. */
#ifndef SOURCE_ONEFILE_H
#define SOURCE_ONEFILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Is this root the machine itself? A fixture's processes have no clocks and no system calls. */
bool root_is_live(const char *root);

/* Opens root/proc/PID/name, or root/path. End the state with onefile_close(), which is a source's
 * `close` as it stands. */
int onefile_open_pid(const char *root, int pid, const char *name, void **ret, struct err *err);
int onefile_open(const char *root, const char *path, void **ret, struct err *err);
/* The whole file, NUL-terminated; its length or a negative errno. */
ssize_t onefile_read(void *state, char *buffer, size_t size, struct err *err);
void onefile_close(void *state);

#endif
