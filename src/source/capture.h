/* Writes down what this machine shows, as a fixture: a directory that serves as the root of all
 * readers here, for a bug report or a test. */
#ifndef SOURCE_CAPTURE_H
#define SOURCE_CAPTURE_H

#include "base/err.h"

/* Copies every file that the sources and the context read, of process `pid` and of the machine,
 * below `directory` (made where it is missing), which may then be their root. Unreadable ones are
 * left out; captured.txt lists each and how it went. Masked: secrets on the command line; the names
 * of host and user become "host" and "user"; of mounts only cgroups, of passwd only one line. The
 * environment is never written. Fails only where nothing can be written. */
int source_capture(const char *root, int pid, const char *directory, struct err *err);

#endif
