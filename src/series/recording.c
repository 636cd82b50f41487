/* Which of PATH and PATH.journal are there tells what happened:
 *	PATH			the run ended, or was repaired
 *	PATH.journal		the run lasts, or its writer died
 *	both			the writer died between rename and unlink: PATH has all of it
 *	neither			there is no such recording, or the last change happened just now
 * PATH.journal.new is half a rewritten journal, PATH.PID.new half a recording: nobody reads them.
 */
#include "series/series.h"

#include "series/archive.h"
#include "series/harvest.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".journal"
#define QUIET_S                                                                                    \
	60 /* a living writer writes once a second; the rest is for other machines' clocks */
#define TRIES 3

/* The name of the recording, also where that of its journal is given. */
static char *recording_path(const char *path)
{
	size_t length = strlen(path), tail = strlen(SUFFIX);
	char *name = mem_copy(path);

	if (length > tail && strcmp(path + length - tail, SUFFIX) == 0)
		name[length - tail] = '\0';
	return name;
}

static char *path_with(const char *path, const char *suffix)
{
	char *name = mem_new(strlen(path) + strlen(suffix) + 1);

	return strcat(strcpy(name, path), suffix);
}

/* Reads the chunks. One that makes no sense is left out, with a note. */
static void chunks_harvest(struct replay *replay, int fd, struct harvest *harvest)
{
	struct text buffer = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < replay->n_chunks; i++) {
		struct chunk chunk = replay->chunks[i];
		const uint8_t *data;

		if (!harvest_wants(harvest, chunk.stream) ||
		    (chunk_data(&chunk, fd, &buffer, &data) == 0 &&
		     harvest_add(harvest, &chunk, data) == 0))
			replay->chunks[kept++] = chunk;
	}
	if (kept < replay->n_chunks)
		facts_note(&replay->facts, "%zu of %zu pieces of the series cannot be read",
			   replay->n_chunks - kept, replay->n_chunks);
	replay->n_chunks = kept;
	text_clear(&buffer);
}

/* What the sampler would have said at the end, as far as ticks tell. */
static void facts_so_far(struct facts *facts, uint64_t end_ns)
{
	const char *why = facts->running ? "the run has not ended yet" : "the run did not end";

	facts_add_bool(facts, "run", "complete", false);
	facts_add_measured(facts, "totals", "wall_s", UNIT_SECONDS, (double)end_ns / 1e9,
			   "last tick");
	if (!facts_find(facts, "exit", "reason"))
		facts_add_absent(facts, "exit", "reason", UNIT_COUNT, why);
}

static void replay_harvest(struct replay *replay, int fd, unsigned what)
{
	struct harvest *harvest;

	replay_seal(replay);
	harvest = harvest_new(&replay->facts, what, !replay->ended);
	harvest_estimated(harvest, replay->estimated);
	chunks_harvest(replay, fd, harvest);
	if (!replay->ended)
		facts_so_far(&replay->facts, harvest_end_ns(harvest));
	harvest_finish(harvest);
	harvest_free(harvest);
}

/* Does the writer live? Where that cannot be told, a journal that was just written to is left
 * alone. */
static bool writer_lives(struct replay *replay, int fd)
{
	enum life life = origin_life(&replay->origin);
	struct stat stat;
	double age_s;

	if (life != LIFE_UNKNOWN)
		return life == LIFE_ON;
	if (fstat(fd, &stat) < 0)
		return true;
	age_s = difftime(time(NULL), stat.st_mtime);
	if (fabs(age_s) >= QUIET_S)
		return false;
	facts_note(
	    &replay->facts,
	    "whether the run still lasts cannot be told from here: its recording on '%s' was "
	    "written to %.0f s ago",
	    replay->origin.host ? replay->origin.host : "?", fmax(age_s, 0));
	return true;
}

/* What a writer that died in the middle of something may have left. */
static void leavings_clean(const char *path, const char *journal, uint32_t pid)
{
	CLEANUP(freep) char *rewritten = path_with(journal, ".new");
	CLEANUP(freep) char *finished = archive_temporary(path, pid);

	unlink(rewritten);
	unlink(finished);
}

static void repair(struct replay *replay, const char *path, const char *journal, int fd)
{
	struct value wall = facts_value(&replay->facts, "totals", "wall_s");
	struct err err = { 0 };

	if (!replay->ended)
		facts_note(&replay->facts, "the run did not end: the recording stops at %.1f s",
			   wall.number);
	if (archive_write(path, replay, fd, PORTION_ALL, true, &err) < 0)
		return; /* in a directory of somebody else, the journal can be read as often */
	unlink(journal);
	leavings_clean(path, journal, replay->origin.pid);
	replay->facts.repaired = true;
}

static void facts_move(struct replay *replay, unsigned what, struct facts *ret)
{
	if (!(what & (READ_PROCESSES | READ_PROCESS_LINES))) {
		free(take(&replay->facts.processes));
		replay->facts.n_processes = replay->facts.room_processes = 0;
	}
	*ret = replay->facts;
	replay->facts = (struct facts){ 0 };
}

static int journal_read(const char *path, const char *journal, unsigned what, struct facts *ret,
			struct err *err)
{
	CLEANUP(closep) int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct replay replay = { 0 };
	int r;

	if (fd < 0)
		return err_set(err, -errno, "'%s'", journal);
	r = replay_file(&replay, fd, journal, err);
	if (r == 0) {
		replay.facts.running = writer_lives(&replay, fd);
		replay_harvest(&replay, fd, what);
		if (!replay.facts.running)
			repair(&replay, path, journal, fd);
		facts_move(&replay, what, ret);
	}
	replay_clear(&replay);
	return r;
}

/* Beside a complete recording only a dead writer leaves a journal; a living one removes it itself.
 */
static void journal_clean(const char *journal)
{
	CLEANUP(closep) int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct replay replay = { 0 };

	if (fd < 0)
		return;
	if (replay_file(&replay, fd, journal, NULL) == 0 && !writer_lives(&replay, fd))
		unlink(journal);
	replay_clear(&replay);
}

static bool is_gone(int r)
{
	return r == -ENOENT || r == -ENOTDIR;
}

int recording_read(const char *path, unsigned what, struct facts *ret, struct err *err)
{
	CLEANUP(freep) char *name = recording_path(path);
	CLEANUP(freep) char *journal = path_with(name, SUFFIX);
	struct err other = { 0 };
	int r = 0;

	/* Between two looks a run may end: its journal has gone, its recording is there. */
	for (int i = 0; i < TRIES; i++) {
		r = archive_read(name, what, ret, err);
		if (r == 0) {
			journal_clean(journal);
			return 0;
		}
		if (!is_gone(r) && r != -EBADMSG)
			return r;
		if (journal_read(name, journal, what, ret, is_gone(r) ? &other : NULL) == 0)
			return 0;
		if (!is_gone(r) || !is_gone(other.code))
			break;
	}
	if (is_gone(r) && !is_gone(other.code) && err)
		*err = other;
	return is_gone(r) ? other.code : r;
}
