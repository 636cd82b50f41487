/* Writers come in three kinds, and each is to be understood:
 *
 *	>> "$SONDE_MARK"	appends. Lines of many processes never mix.
 *	> "$SONDE_MARK"		begins anew: the file gets shorter, and is read from its start.
 *	exec 3> "$SONDE_MARK"	writes on where it stands
 *
 * A second `echo b >` may leave the file as long as the first `echo a >` did, and nobody would see
 * the difference. So once something was read, PAD_BYTES NULs are appended: whatever begins anew is
 * shorter than that. They are no part of any line, and who writes on where he stands writes over
 * them.
 *
 * inotify tells of a mark within 100 us, but to be rid of it takes the kernel up to 15 ms (it waits
 * for all CPUs to have let go of it), and whoever waits for us waits for that, too. So it is asked
 * for only when there was a mark, or when the run has lasted so long that this does not matter;
 * before that each tick looks, and the file's own time tells when it was written. */
#include "sample/marks.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MARKS_NAME "/sonde-mark-XXXXXX"
#define READ_BYTES ((size_t)16 << 10)
#define READ_MOST ((size_t)1 << 20)   /* at once */
#define FINAL_MOST ((size_t)64 << 20) /* at the end */
#define PAD_BYTES 4096
#define WAKE_NS 15000          /* about what it costs to be woken, besides the reading */
#define QUIET_MOST_NS 100e6    /* between two looks */
#define WATCH_NS 1000000000ull /* a run this long may end 10 ms later */
#define LATE_NS 10000000ull    /* then the file's own time, which has steps of 4 ms, is better */
#define QUIET_LEAST_NS 0.5e6   /* so that marks that come together are read together */

struct marks {
	int fd, notify; /* -1: not to be had */
	char *path;
	double budget;
	uint64_t size;   /* of the file, when last seen */
	uint64_t offset; /* all before was read */
	uint64_t quiet_ns;
	uint64_t looked_ns; /* when, last */
	int watch;          /* of inotify */
	bool padded;
	bool more; /* there was more to read than we may at once */
	char line[MARK_LINE_BYTES];
	size_t length;
	uint64_t dropped, wrong;
};

static int create_in(const char *directory, char **ret, struct err *err)
{
	CLEANUP(freep) char *path = mem_new(strlen(directory) + sizeof(MARKS_NAME));
	CLEANUP(closep) int fd = -1;

	strcat(strcpy(path, directory), MARKS_NAME);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "'%s'", path);
	*ret = take(&path);
	return 0;
}

int marks_create(char **ret, struct err *err)
{
	const char *directory = getenv("TMPDIR");

	/* A relative one would be another for a program that goes elsewhere. */
	if (directory && *directory == '/' && create_in(directory, ret, err) == 0)
		return 0;
	return create_in("/tmp", ret, err);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static size_t trim(char *text, size_t count)
{
	size_t first = 0;

	while (count > 0 && is_blank(text[count - 1]))
		count--;
	while (first < count && is_blank(text[first]))
		first++;
	memmove(text, text + first, count - first);
	return count - first;
}

/* Not in the middle of a character. */
static size_t cut(const char *text, size_t count)
{
	if (count <= MARK_NAME_BYTES)
		return count;
	count = MARK_NAME_BYTES;
	while (count > MARK_NAME_BYTES - 4 && ((unsigned char)text[count] & 0xc0) == 0x80)
		count--;
	return count;
}

int mark_parse(const char *line, size_t count, char name[MARK_NAME_BYTES + 1], struct mark *ret)
{
	char text[MARK_LINE_BYTES];
	size_t length = 0;

	*ret = (struct mark){ .kind = MARK_NEXT, .name = name };
	for (size_t i = 0; i < count && length < sizeof(text); i++) {
		if (line[i])
			text[length++] = line[i];
	}
	length = trim(text, length);
	if (length == 0)
		return -ENODATA;
	if (*text == '+' || *text == '-') {
		ret->kind = *text == '+' ? MARK_BEGIN : MARK_END;
		*text = ' ';
		length = trim(text, length);
	}
	if (length == 0 && ret->kind == MARK_BEGIN)
		return -EINVAL;
	length = trim(text, cut(text, length));
	memcpy(name, text, length);
	name[length] = '\0';
	return 0;
}

static void watch(struct marks *marks)
{
	if (marks->notify < 0)
		marks->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (marks->notify >= 0)
		marks->watch = inotify_add_watch(marks->notify, marks->path,
						 IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF);
}

/* Opens what has the name now. It may be new: somebody removed or replaced it. */
static int file_take(struct marks *marks)
{
	int fd = open(marks->path,
		      O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat stat;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) || stat.st_uid != geteuid()) {
		close(fd);
		return -EINVAL;
	}
	if (marks->fd >= 0)
		close(marks->fd);
	marks->fd = fd;
	marks->size = marks->offset = 0;
	marks->padded = false;
	if (marks->notify >= 0)
		watch(marks);
	return 0;
}

int marks_open(const char *path, double budget, struct marks **ret, struct err *err)
{
	struct marks *marks = mem_new(sizeof(*marks));
	int r;

	marks->path = mem_copy(path);
	marks->budget = budget;
	marks->fd = marks->notify = -1;
	r = file_take(marks);
	if (r < 0) {
		marks_close(marks);
		return err_set(err, r, "'%s'", path);
	}
	*ret = marks;
	return 0;
}

void marks_close(struct marks *marks)
{
	if (!marks)
		return;
	closep(&marks->fd);
	closep(&marks->notify);
	free(marks->path);
	free(marks);
}

int marks_fd(const struct marks *marks, uint64_t now_ns)
{
	return marks && now_ns >= marks->quiet_ns ? marks->notify : -1;
}

uint64_t marks_due(const struct marks *marks, uint64_t now_ns)
{
	if (!marks || (now_ns >= marks->quiet_ns && !marks->more))
		return UINT64_MAX;
	return marks->quiet_ns;
}

struct taking {
	struct marks *marks;
	uint64_t now_ns;
	struct facts *facts;
	struct series *series;
	size_t count;
};

static void line_take(struct taking *taking)
{
	struct marks *marks = taking->marks;
	char name[MARK_NAME_BYTES + 1];
	struct mark mark;
	int r = mark_parse(marks->line, marks->length, name, &mark);

	marks->length = 0;
	marks->wrong += r == -EINVAL;
	if (r < 0)
		return;
	taking->count++;
	if (taking->facts->n_marks >= MARKS_MOST) {
		marks->dropped++;
		return;
	}
	mark.time_ns = taking->now_ns;
	facts_add_mark(taking->facts, &mark);
	if (taking->series)
		series_mark(taking->series, &mark, NULL);
}

static void bytes_take(struct taking *taking, const char *bytes, size_t count)
{
	struct marks *marks = taking->marks;

	for (size_t i = 0; i < count; i++) {
		if (bytes[i] == '\n')
			line_take(taking);
		else if (bytes[i] && marks->length < sizeof(marks->line))
			marks->line[marks->length++] = bytes[i];
	}
}

/* NULs at the end may yet be written over; more of them than ours are somebody's odd idea. */
static size_t without_pad(const char *bytes, size_t count)
{
	if (count == READ_BYTES)
		return count;
	while (count > 0 && !bytes[count - 1])
		count--;
	return count;
}

static void file_read_on(struct taking *taking, size_t most)
{
	struct marks *marks = taking->marks;
	uint64_t at = marks->offset, end = marks->offset + most;
	char bytes[READ_BYTES];
	ssize_t got;

	while (at < end && (got = pread(marks->fd, bytes, sizeof(bytes), (off_t)at)) > 0) {
		size_t useful = without_pad(bytes, (size_t)got);

		bytes_take(taking, bytes, useful);
		if (useful > 0)
			marks->offset = at + useful;
		at += (uint64_t)got;
	}
	marks->more = at >= end;
}

static void pad(struct marks *marks)
{
	static const char nothing[PAD_BYTES];

	if (marks->padded || marks->offset == 0 || marks->more)
		return;
	if (write(marks->fd, nothing, sizeof(nothing)) > 0)
		marks->size += sizeof(nothing);
	marks->padded = true;
}

static void file_look(struct taking *taking, size_t most)
{
	struct marks *marks = taking->marks;
	struct stat stat;

	if (fstat(marks->fd, &stat) < 0)
		return;
	if ((uint64_t)stat.st_size < marks->size) { /* begun anew */
		marks->offset = 0;
		marks->padded = false;
		marks->length = 0;
	}
	marks->size = (uint64_t)stat.st_size;
	if (marks->size > marks->offset)
		file_read_on(taking, most);
	pad(marks);
	if (stat.st_nlink == 0 && file_take(marks) == 0)
		file_look(taking, most);
}

static void events_drop(const struct marks *marks)
{
	char events[4096];

	while (marks->notify >= 0 && read(marks->notify, events, sizeof(events)) > 0)
		;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* When it was written, where that was long ago; never before the last look. */
static uint64_t written_ns(const struct marks *marks, uint64_t now_ns)
{
	uint64_t clock = clock_ns(CLOCK_REALTIME), then, ago_ns;
	struct stat stat;

	if (fstat(marks->fd, &stat) < 0 || stat.st_mtim.tv_sec < 0)
		return now_ns;
	then = (uint64_t)stat.st_mtim.tv_sec * 1000000000u + (uint64_t)stat.st_mtim.tv_nsec;
	ago_ns = clock > then ? clock - then : 0;
	if (ago_ns < LATE_NS)
		return now_ns;
	return now_ns - marks->looked_ns > ago_ns ? now_ns - ago_ns : marks->looked_ns;
}

/* Looking comes later the more it cost. */
static void rest(struct marks *marks, uint64_t now_ns, uint64_t cost_ns)
{
	double quiet_ns = (double)(cost_ns + WAKE_NS) / marks->budget;

	quiet_ns = quiet_ns > QUIET_MOST_NS ? QUIET_MOST_NS : quiet_ns;
	marks->quiet_ns = now_ns +
			  (uint64_t)(quiet_ns < QUIET_LEAST_NS ? QUIET_LEAST_NS : quiet_ns);
}

size_t marks_read(struct marks *marks, uint64_t now_ns, struct facts *facts, struct series *series)
{
	struct taking taking = { .marks = marks, .facts = facts, .series = series };
	uint64_t before_ns;

	if (!marks)
		return 0;
	before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	events_drop(marks); /* first: what is written from now on tells again */
	taking.now_ns = written_ns(marks, now_ns);
	file_look(&taking, READ_MOST);
	if (marks->notify < 0 && (taking.count > 0 || now_ns >= WATCH_NS)) {
		watch(marks);
		if (!marks->more)
			file_look(&taking, READ_MOST); /* what was written before we watched */
	}
	if (taking.count > 0 || marks->more)
		rest(marks, now_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
	marks->looked_ns = now_ns;
	return taking.count;
}

void marks_pause(struct marks *marks, uint64_t until_ns)
{
	if (marks && until_ns > marks->quiet_ns)
		marks->quiet_ns = until_ns;
}

void marks_unwatch(struct marks *marks)
{
	if (marks && marks->notify >= 0)
		inotify_rm_watch(marks->notify, marks->watch);
}

void marks_finish(struct marks *marks, uint64_t now_ns, struct facts *facts, struct series *series)
{
	struct taking taking = {
		.marks = marks, .now_ns = now_ns, .facts = facts, .series = series
	};

	if (!marks)
		return;
	if (facts->n_marks > 0 && facts->marks[facts->n_marks - 1].time_ns > now_ns)
		taking.now_ns = facts->marks[facts->n_marks - 1].time_ns;
	file_look(&taking, FINAL_MOST);
	line_take(&taking);
	if (marks->dropped)
		facts_note(facts, "%llu marks were left out: the first %d are kept",
			   (unsigned long long)marks->dropped, MARKS_MOST);
	if (marks->wrong)
		facts_note(facts,
			   "lines in $" MARKS_VARIABLE
			   " that were no marks: %llu ('+' needs a name)",
			   (unsigned long long)marks->wrong);
}
