/* Single and simple: read what is there, put in what belongs in, write all of it, and only then
 * look again. A slow reader so slows the program, as it would without us; a reader that goes away
 * makes us leave, and the program's next write fails as it would have.
 *
 * We live in the program's process group, because a terminal tells only its foreground group that
 * its size changed. No memory is taken and nothing but the outputs can fail, so we last as long as
 * somebody can write to us. */
#include "relay/pump.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "relay/live.h"
#include "relay/splitter.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES (256 * 1024)
#define WRITE_BYTES (256 * 1024)
#define TEXT_ROOM 4096 /* for a stamp, or the live line */
#define LIVE_NS 200000000ull
#define REDRAW_NS 50000000ull /* after the program wrote: soon, so that it does not flicker */
/* A pty and its buffers hold less than this, a pipe of ours not more than four times as much. */
#define DRAIN_BYTES (4 * READ_BYTES)

enum { FROM_PROGRAM, FROM_SONDE, FROM_TERMINAL, FROM_READER, FROM_COUNT };

struct state {
	struct pump *pump;
	struct splitter splitter;
	struct text stamp, line;
	int signals;
	bool ended;     /* nobody measures any more */
	size_t drained; /* bytes read since then */
	bool shown;     /* the live line stands there */
	uint64_t drawn_ns;
	uint64_t told_us; /* of our CPU time, to sonde */
	size_t n_written;
	char written[WRITE_BYTES], read[READ_BYTES];
};

static void tell_cost(struct state *state)
{
	uint64_t used_us = clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;

	atomic_fetch_add(&state->pump->shared->now.shown_us, used_us - state->told_us);
	state->told_us = used_us;
}

NORETURN static void leave(struct state *state)
{
	tell_cost(state);
	_exit(0);
}

static bool reader_left(const struct state *state, int error)
{
	return error == EPIPE || error == ECONNRESET ||
	       (error == EIO && state->pump->stream.terminal);
}

static void note_lost(struct state *state, size_t bytes, int error)
{
	struct pump_shared *shared = state->pump->shared;
	int none = 0;

	atomic_fetch_add(&shared->lost[state->pump->index].bytes, bytes);
	atomic_compare_exchange_strong(&shared->lost[state->pump->index].error, &none, error);
}

static void wait_for_room(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLOUT };

	poll(&polled, 1, -1);
}

/* A full disk is the program's own trouble, and few programs end when their log cannot be written:
 * the bytes are dropped and counted, and the next ones are tried again. */
static void write_out(struct state *state, const char *bytes, size_t count)
{
	int out = state->pump->stream.out;

	while (count > 0) {
		ssize_t done = write(out, bytes, count);

		if (done >= 0) {
			bytes += done;
			count -= (size_t)done;
		} else if (errno == EAGAIN) {
			wait_for_room(out);
		} else if (reader_left(state, errno)) {
			leave(state);
		} else if (errno != EINTR) {
			note_lost(state, count, errno);
			return;
		}
	}
}

static void flush(struct state *state)
{
	write_out(state, state->written, state->n_written);
	state->n_written = 0;
}

static void put(void *arg, const char *bytes, size_t count)
{
	struct state *state = arg;

	if (count > WRITE_BYTES - state->n_written)
		flush(state);
	if (count > WRITE_BYTES) {
		write_out(state, bytes, count);
		return;
	}
	memcpy(state->written + state->n_written, bytes, count);
	state->n_written += count;
}

static double time_s(const struct state *state)
{
	uint64_t start_ns = atomic_load(&state->pump->shared->now.start_ns);

	return (double)(boot_ns() - (start_ns ? start_ns : state->pump->born_ns)) / 1e9;
}

/* What was written before the program's end was measured; what others write later is not. */
static bool is_measured(const struct state *state)
{
	return state->pump->control >= 0;
}

static void make_stamp(struct state *state)
{
	const struct pump *pump = state->pump;
	const struct moment moment = { .time_s = time_s(state),
				       .clock_s = (uint64_t)time(NULL),
				       .now = is_measured(state) ? &pump->shared->now : NULL,
				       .stream = pump->stream.name };

	state->stamp.length = 0;
	format_write(pump->stamp, &moment, &state->stamp);
	state->splitter.prefix = text_string(&state->stamp);
	state->splitter.prefix_length = state->stamp.length;
}

static void erase(struct state *state)
{
	static const char away[] = "\r\033[K";

	if (state->shown && stream_in_foreground(&state->pump->stream))
		put(state, away, sizeof(away) - 1);
	state->shown = false;
}

/* How long what is there now may stay. */
static uint64_t live_ns(const struct state *state)
{
	return state->shown || !splitter_rests(&state->splitter) ? LIVE_NS : REDRAW_NS;
}

/* The terminal is ours to draw on only while our job has it, and does not draw itself. */
static void draw(struct state *state)
{
	const struct stream *stream = &state->pump->stream;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (!state->pump->live || state->ended || now_ns - state->drawn_ns < live_ns(state) ||
	    !splitter_rests(&state->splitter) || !stream_in_foreground(stream) ||
	    stream_is_raw(stream))
		return;
	state->line.length = 0;
	text_add(&state->line, "\r");
	live_write(&state->pump->shared->now, time_s(state),
		   stream->size.ws_col > 1 ? stream->size.ws_col - 1u : 79, &state->line);
	text_add(&state->line, "\033[K");
	put(state, state->line.data, state->line.length);
	flush(state);
	state->shown = true;
	state->drawn_ns = now_ns;
}

static void append_mark(void *arg, const char *name)
{
	const struct state *state = arg;
	char line[256];
	size_t length = strlen(name);

	memcpy(line, name, length);
	line[length++] = '\n';
	if (state->pump->marks >= 0)
		(void)!write(state->pump->marks, line, length);
}

static bool needs_splitter(const struct pump *pump)
{
	return pump->stamp || pump->live;
}

static void pass_on(struct state *state, const char *bytes, size_t count)
{
	if (state->pump->matcher)
		matcher_feed(state->pump->matcher, bytes, count, append_mark, state);
	erase(state);
	if (state->pump->stamp)
		make_stamp(state);
	if (needs_splitter(state->pump))
		splitter_feed(&state->splitter, bytes, count);
	else
		put(state, bytes, count);
	flush(state);
}

NORETURN static void end(struct state *state)
{
	if (state->pump->matcher)
		matcher_end(state->pump->matcher, append_mark, state);
	erase(state);
	splitter_end(&state->splitter);
	flush(state);
	leave(state);
}

/* A pty without a writer says EIO. */
static void read_in(struct state *state)
{
	ssize_t got = read(state->pump->stream.in, state->read, READ_BYTES);

	if (got > 0) {
		state->drained += (size_t)got;
		pass_on(state, state->read, (size_t)got);
	} else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
		end(state);
	}
}

/* The program may have asked for the size before we set it; so it is told once more. */
static void look_at_terminal(struct state *state)
{
	struct stream *stream = &state->pump->stream;

	stream_follow_modes(stream);
	if (stream_wants_keys(stream))
		stream_pass_keys(stream, clock_ns(CLOCK_MONOTONIC));
	if (stream_resize(stream))
		kill(0, SIGWINCH);
}

static void take_signals(struct state *state)
{
	struct signalfd_siginfo info;

	while (read(state->signals, &info, sizeof(info)) == sizeof(info))
		;
}

static void answer(struct state *state)
{
	erase(state);
	flush(state);
	tell_cost(state);
	closep(&state->pump->control);
}

static int patience_ms(const struct state *state)
{
	if (state->ended && state->pump->control >= 0)
		return 0;
	if (stream_wants_keys(&state->pump->stream))
		return KEYS_MS;
	if (state->pump->live && !state->ended)
		return (int)(live_ns(state) / 1000000u);
	return -1;
}

static void pump_once(struct state *state)
{
	struct pump *pump = state->pump;
	struct pollfd polled[FROM_COUNT] = {
		[FROM_PROGRAM] = { .fd = pump->stream.in, .events = POLLIN },
		[FROM_SONDE] = { .fd = state->ended ? -1 : pump->control, .events = POLLIN },
		[FROM_TERMINAL] = { .fd = state->signals, .events = POLLIN },
		[FROM_READER] = { .fd = pump->stream.fifo ? pump->stream.out : -1 },
	};

	poll(polled, FROM_COUNT, patience_ms(state));
	if (polled[FROM_TERMINAL].revents)
		take_signals(state);
	if (pump->stream.terminal)
		look_at_terminal(state);
	if (polled[FROM_READER].revents & POLLERR)
		leave(state);
	if (polled[FROM_SONDE].revents) {
		state->ended = true;
		state->drained = 0;
	} else if (state->ended && pump->control >= 0 &&
		   (!polled[FROM_PROGRAM].revents || state->drained >= DRAIN_BYTES)) {
		answer(state);
	}
	if (polled[FROM_PROGRAM].revents)
		read_in(state);
	draw(state);
	tell_cost(state);
}

static void keep_only_ours(struct pump *pump)
{
	const int keep[] = { pump->stream.in, pump->stream.out, pump->control, pump->marks };

	file_close_all_but(0, keep, COUNT(keep));
	if (chdir("/") < 0)
		return; /* then its file system stays in use for as long as we live */
}

void pump_run(struct pump *pump)
{
	struct state *state = mem_new(sizeof(*state));
	sigset_t size;

	keep_only_ours(pump);
	prctl(PR_SET_NAME, "relay");
	state->pump = pump;
	state->splitter.put = put;
	state->splitter.arg = state;
	text_add_format(&state->stamp, "%*s", TEXT_ROOM, ""); /* room for later */
	text_add_format(&state->line, "%*s", TEXT_ROOM, "");
	sigemptyset(&size);
	sigaddset(&size, SIGWINCH);
	state->signals = signalfd(-1, &size, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;)
		pump_once(state);
}
