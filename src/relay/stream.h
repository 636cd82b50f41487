/* One output of the program on its way to where it belongs: the program writes into a pty where
 * that is a terminal, else into a pipe. */
#ifndef RELAY_STREAM_H
#define RELAY_STREAM_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <termios.h>

struct stream {
	int in;           /* we read here */
	int program_end;  /* the program writes here */
	int out;          /* where it belongs: our own stdout or stderr */
	const char *name; /* "out", "err"; NULL: both */
	bool terminal, fifo;
	size_t stamp_columns; /* the program's terminal is narrower by so much */
	struct winsize size;  /* of the real terminal, when it was last looked at */
	struct termios modes; /* of the program's, when they were last looked at */
};

/* Do both lead to the same terminal, pipe or file? Then their order must stay. */
bool stream_same(int one, int other);
/* Opens pty or pipe for what leads to `out`. All descriptors are above 2 and close-on-exec. */
int stream_open(int out, size_t stamp_columns, struct stream *ret, struct err *err);
/* Gives the program's terminal the size that the real one has now. Returns true where it changed.
 */
bool stream_resize(struct stream *stream);
/* A full-screen program that changes the modes of its output means those of the real terminal. */
void stream_follow_modes(struct stream *stream);
bool stream_in_foreground(const struct stream *stream);
void stream_close(struct stream *stream);

#endif
