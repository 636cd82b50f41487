/* One output of the program on its way to where it belongs: the program writes into a pty where
 * that is a terminal, else into a pipe. */
#ifndef RELAY_STREAM_H
#define RELAY_STREAM_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <termios.h>

enum keys {
	KEYS_NOT_KNOWN,
	KEYS_BY_STDIN, /* the program reads them at the real terminal */
	KEYS_BY_PTY,   /* it reads them where it writes: we pass them on */
};

struct stream {
	int in;           /* we read here */
	int program_end;  /* the program writes here */
	int out;          /* where it belongs: our own stdout or stderr */
	const char *name; /* "out", "err"; NULL: both */
	bool terminal, fifo;
	size_t stamp_columns; /* the program's terminal is narrower by so much */
	struct winsize size;  /* of the real terminal, when it was last looked at */
	struct termios modes; /* of the program's, when they were last looked at */
	enum keys keys;
	uint64_t keys_ns; /* since when some wait at the real terminal; 0: none did */
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
/* A pager reads its keys where it writes, which is our pty; a game reads them from stdin, which is
 * the real terminal. Keys that nobody takes there are for the former. To be called every KEYS_MS
 * while stream_wants_keys(). */
#define KEYS_MS 30
bool stream_wants_keys(const struct stream *stream);
void stream_pass_keys(struct stream *stream, uint64_t now_ns);
bool stream_is_raw(const struct stream *stream); /* somebody takes single keys at the terminal */
bool stream_in_foreground(const struct stream *stream);
void stream_close(struct stream *stream);

#endif
