/* The pty is not the program's controlling terminal: its session, its process group, its stdin and
 * the keys stay with the real one. It only makes isatty(3), the size and the colours right. Its
 * modes are the real ones' without OPOST, so that bytes pass as they are and become \r\n once, at
 * the real terminal. Nobody ever writes to its other end, so nothing is echoed. */
#include "relay/stream.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_BYTES (1024 * 1024)
#define KEYS_GRACE_NS 200000000u /* nobody who reads his keys leaves them alone for so long */
#define LEAST_COLUMNS 20         /* a terminal is never made narrower than this */

bool stream_same(int one, int other)
{
	struct stat a, b;

	if (fstat(one, &a) < 0 || fstat(other, &b) < 0)
		return false;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_rdev == b.st_rdev;
}

/* Descriptors 0 to 2 that the user closed stay closed for the program. */
static int move_up(int fd)
{
	int above;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return above;
}

static int open_pipe(struct stream *stream, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, -errno, "cannot make a pipe");
	stream->in = move_up(ends[0]);
	stream->program_end = move_up(ends[1]);
	if (stream->in < 0 || stream->program_end < 0)
		return err_set(err, -EMFILE, "cannot make a pipe");
	fcntl(stream->program_end, F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

static int open_slave(int master)
{
	char path[64];

#ifdef TIOCGPTPEER
	int fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
#endif
	if (ptsname_r(master, path, sizeof(path)) != 0)
		return -1;
	return open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static int open_pty(struct stream *stream, struct err *err)
{
	stream->in = move_up(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
	if (stream->in < 0)
		return err_set(err, -errno, "cannot open '/dev/ptmx'");
	fcntl(stream->in, F_SETFD, FD_CLOEXEC);
	if (grantpt(stream->in) < 0 || unlockpt(stream->in) < 0)
		return err_set(err, -errno, "cannot use a pty");
	stream->program_end = move_up(open_slave(stream->in));
	if (stream->program_end < 0)
		return err_set(err, -errno, "cannot open a pty");
	if (tcgetattr(stream->out, &stream->modes) < 0)
		return err_set(err, -errno, "cannot read the terminal's modes");
	stream->modes.c_oflag &= ~(tcflag_t)OPOST;
	if (tcsetattr(stream->program_end, TCSANOW, &stream->modes) < 0)
		return err_set(err, -errno, "cannot set the modes of a pty");
	tcgetattr(stream->program_end, &stream->modes);
	stream_resize(stream);
	return 0;
}

int stream_open(int out, size_t stamp_columns, struct stream *ret, struct err *err)
{
	struct stream stream = { .in = -1, .program_end = -1, .stamp_columns = stamp_columns };
	struct stat about;
	int r;

	stream.out = fcntl(out, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (stream.out < 0)
		return err_set(err, -errno, "cannot use descriptor %d", out);
	stream.terminal = isatty(out);
	stream.fifo = fstat(out, &about) == 0 && S_ISFIFO(about.st_mode);
	r = stream.terminal ? open_pty(&stream, err) : open_pipe(&stream, err);
	if (r < 0) {
		stream_close(&stream);
		return r;
	}
	*ret = stream;
	return 0;
}

bool stream_resize(struct stream *stream)
{
	struct winsize size;

	if (!stream->terminal || ioctl(stream->out, TIOCGWINSZ, &size) < 0 ||
	    memcmp(&size, &stream->size, sizeof(size)) == 0)
		return false;
	stream->size = size;
	if (size.ws_col >= stream->stamp_columns + LEAST_COLUMNS)
		size.ws_col -= (unsigned short)stream->stamp_columns;
	return ioctl(stream->in, TIOCSWINSZ, &size) == 0;
}

bool stream_in_foreground(const struct stream *stream)
{
	return tcgetpgrp(stream->out) == getpgrp();
}

static bool same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
	       a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}

/* OPOST is the one mode in which the two differ. */
void stream_follow_modes(struct stream *stream)
{
	struct termios now, real;

	if (!stream->terminal || tcgetattr(stream->in, &now) < 0 ||
	    same_modes(&now, &stream->modes))
		return;
	stream->keys = KEYS_NOT_KNOWN;
	stream->keys_ns = 0;
	if (stream_in_foreground(stream) && tcgetattr(stream->out, &real) == 0) {
		struct termios wanted = now;

		wanted.c_oflag |= real.c_oflag & OPOST;
		tcsetattr(stream->out, TCSANOW, &wanted);
	}
	stream->modes = now;
	stream->modes.c_oflag &= ~(tcflag_t)OPOST;
	if (now.c_oflag & OPOST) /* a pager is sure to want it; ours stays without */
		tcsetattr(stream->in, TCSANOW, &stream->modes);
}

bool stream_is_raw(const struct stream *stream)
{
	struct termios real;

	return tcgetattr(stream->out, &real) == 0 && !(real.c_lflag & ICANON);
}

bool stream_wants_keys(const struct stream *stream)
{
	return stream->terminal && !(stream->modes.c_lflag & ICANON) &&
	       stream->keys != KEYS_BY_STDIN;
}

static void hand_over_keys(struct stream *stream)
{
	char keys[256];
	ssize_t got = read(stream->out, keys, sizeof(keys));

	if (got > 0 && write(stream->in, keys, (size_t)got) == got)
		stream->keys = KEYS_BY_PTY;
	else
		stream->keys = KEYS_BY_STDIN; /* we may not read there: so be it */
	stream->keys_ns = 0;
}

void stream_pass_keys(struct stream *stream, uint64_t now_ns)
{
	int waiting = 0;

	if (!stream_in_foreground(stream) || ioctl(stream->out, FIONREAD, &waiting) < 0)
		return;
	if (waiting <= 0 && stream->keys_ns)
		stream->keys = KEYS_BY_STDIN;
	else if (waiting > 0 && (stream->keys == KEYS_BY_PTY ||
				 (stream->keys_ns && now_ns - stream->keys_ns > KEYS_GRACE_NS)))
		hand_over_keys(stream);
	else if (waiting > 0 && !stream->keys_ns)
		stream->keys_ns = now_ns;
}

void stream_close(struct stream *stream)
{
	closep(&stream->in);
	closep(&stream->program_end);
	closep(&stream->out);
}
