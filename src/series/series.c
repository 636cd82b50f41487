/* Whoever samples must never wait for a disk: series_add() and series_process() only add bytes to
 * `pending`; a thread takes them once a second, writes and syncs. It is started when the first
 * second is over, so that short runs, which are most, have none: series_finish() does its work.
 *
 * A disk that fails, or is too slow, never stops the run. What cannot be written waits in memory,
 * up to BACKLOG_MOST; then ticks are dropped (and a gap is where they were), and series_finish()
 * tells. */
#include "series/series.h"

#include "base/mem.h"
#include "series/archive.h"
#include "series/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
#define CHUNK_TICKS 1024
#define CHUNK_BYTES ((size_t)512 << 10)
#define WAKE_BYTES ((size_t)256 << 10)
#define BACKLOG_MOST ((size_t)4 << 20)
#define ROWS_BACKLOG_MOST (2 * BACKLOG_MOST) /* process rows matter more than ticks */
#define THREAD_STACK_BYTES ((size_t)256 << 10)
#define SQUEEZE_MOST ((size_t)16 << 20)
#define LONG_RUN_NS (5 * SECOND_NS) /* worth an fsync at its end */

struct coder { /* one stream */
	struct frame_writer writer;
	uint32_t ticks; /* in the current chunk; 0: none was begun */
	size_t bytes;
	bool *estimated; /* by metric: was said already */
};

struct series {
	char *path, *journal_path;
	const struct facts *facts;
	struct journal *journal; /* the thread's, while there is one */
	struct coder coders[STREAM_COUNT];
	uint64_t opened_ns, flushed_ns;

	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool has_thread, no_thread;

	/* under the lock */
	bool stop, hurry;
	struct text pending;
	size_t backlog; /* of the journal */
	int failed;
	uint64_t dropped; /* ticks */
	bool gap;         /* the next tick comes behind dropped ones */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void coder_init(struct coder *coder, const struct metric *metrics, size_t count)
{
	frame_writer_init(&coder->writer, metrics, count);
	coder->estimated = mem_new(count * sizeof(bool));
}

static void series_free(struct series *series)
{
	for (int i = 0; i < STREAM_COUNT; i++) {
		frame_writer_clear(&series->coders[i].writer);
		free(series->coders[i].estimated);
	}
	pthread_cond_destroy(&series->wake);
	pthread_mutex_destroy(&series->lock);
	text_clear(&series->pending);
	journal_close(series->journal);
	free(series->journal_path);
	free(series->path);
	free(series);
}

static struct series *series_new(const char *path, const struct facts *facts)
{
	struct series *series = mem_new(sizeof(*series));
	pthread_condattr_t monotonic;

	series->path = mem_copy(path);
	series->journal_path = journal_path(path);
	series->facts = facts;
	series->opened_ns = series->flushed_ns = now_ns();
	coder_init(&series->coders[STREAM_RUN], facts->run_metrics, facts->n_run_metrics);
	coder_init(&series->coders[STREAM_PROCESS], facts->process_metrics,
		   facts->n_process_metrics);
	pthread_mutex_init(&series->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&series->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return series;
}

int series_open_within(const char *path, const struct facts *facts, const struct limits *limits,
		       struct series **ret, struct err *err)
{
	struct series *series;
	int r;

	if (facts->n_run_metrics > METRICS_MOST || facts->n_process_metrics > METRICS_MOST)
		return err_say(err, -E2BIG, "a recording holds at most %d metrics", METRICS_MOST);
	if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return err_set(err, -EEXIST, "'%s'", path);
	series = series_new(path, facts);
	r = journal_create(series->journal_path, facts, limits, &series->journal, err);
	if (r == -EEXIST)
		err_hint(err, "a run is writing it, or did not end; 'sonde show' repairs it");
	if (r < 0)
		series_free(series);
	else
		*ret = series;
	return r;
}

int series_open(const char *path, const struct facts *facts, struct series **ret, struct err *err)
{
	return series_open_within(path, facts, &limits_usual, ret, err);
}

/* Takes what is pending and writes it. Called with the lock held, gives it away meanwhile. */
static void series_flush(struct series *series)
{
	struct text batch = series->pending;
	int failed;

	series->pending = (struct text){ 0 };
	/* Bytes that are being written count, too: a disk that hangs must not take all memory. */
	series->backlog += batch.length;
	pthread_mutex_unlock(&series->lock);
	journal_take(series->journal, &batch);
	failed = journal_flush(series->journal, false);
	if (now_ns() - series->flushed_ns >= SECOND_NS) {
		failed = journal_sync(series->journal);
		series->flushed_ns = now_ns();
	}
	journal_upkeep(series->journal);
	pthread_mutex_lock(&series->lock);
	series->backlog = journal_backlog(series->journal);
	if (!series->failed)
		series->failed = failed;
	/* The empty buffer is used again, where the other has none yet. */
	if (series->pending.length == 0 && !series->pending.data) {
		batch.length = 0;
		series->pending = batch;
	} else {
		text_clear(&batch);
	}
}

static void *series_thread(void *arg)
{
	struct series *series = arg;
	struct timespec until;

	pthread_mutex_lock(&series->lock);
	while (!series->stop) {
		series->hurry = false;
		series_flush(series);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec++;
		while (!series->stop && !series->hurry &&
		       (series->pending.length < WAKE_BYTES || series->failed) &&
		       pthread_cond_timedwait(&series->wake, &series->lock, &until) == 0)
			;
	}
	pthread_mutex_unlock(&series->lock);
	return NULL;
}

/* Signals are for the thread that samples. */
static bool thread_start(struct series *series)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&series->thread, &attr, series_thread, series);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return r == 0;
}

static void series_start_writing(struct series *series)
{
	if (!series->no_thread)
		series->has_thread = thread_start(series);
	series->no_thread = !series->has_thread;
	if (series->no_thread) /* no more processes are allowed, for example */
		series_flush(series);
}

/* Sees to it that what is pending is written in time. */
static void series_wake(struct series *series)
{
	if (series->has_thread) {
		if (series->pending.length >= WAKE_BYTES)
			pthread_cond_signal(&series->wake);
		return;
	}
	if (now_ns() - series->flushed_ns >= SECOND_NS || series->pending.length >= WAKE_BYTES)
		series_start_writing(series);
}

static void thread_stop(struct series *series)
{
	if (!series->has_thread)
		return;
	pthread_mutex_lock(&series->lock);
	series->stop = true;
	pthread_cond_signal(&series->wake);
	pthread_mutex_unlock(&series->lock);
	pthread_join(series->thread, NULL);
	series->has_thread = false;
}

/* Says once of a metric that it was estimated; quanta do not. */
static void estimates_note(struct series *series, struct coder *coder, enum scope scope,
			   const struct value *values)
{
	for (size_t i = 0; i < coder->writer.n_metrics; i++) {
		if (values[i].how != HOW_ESTIMATED || coder->estimated[i])
			continue;
		coder->estimated[i] = true;
		record_estimated(&series->pending, scope, i);
	}
}

static size_t frame_add(struct series *series, enum stream stream, uint64_t time_ns, bool gap,
			const struct sample *samples, size_t count)
{
	struct coder *coder = &series->coders[stream];
	bool first = coder->ticks == 0 || coder->ticks >= CHUNK_TICKS ||
		     coder->bytes >= CHUNK_BYTES;
	size_t start = record_begin(&series->pending, first ? RECORD_FIRST : RECORD_TICK), taken;
	uint8_t which = (uint8_t)stream;

	if (first)
		coder->ticks = 0, coder->bytes = 0;
	text_add_bytes(&series->pending, &which, 1);
	if (first)
		frame_start(&coder->writer, &series->pending, time_ns);
	taken = frame_write(&coder->writer, &series->pending, time_ns, gap, samples, count);
	record_end(&series->pending, start);
	coder->ticks++;
	coder->bytes += series->pending.length - start;
	return taken;
}

static void tick_add(struct series *series, const struct tick *tick)
{
	struct sample run = { .id = 0, .values = tick->run };
	bool gap = tick->gap || series->gap;
	size_t done = 0;

	estimates_note(series, &series->coders[STREAM_RUN], SCOPE_RUN, tick->run);
	for (size_t i = 0; i < tick->n_samples; i++)
		estimates_note(series, &series->coders[STREAM_PROCESS], SCOPE_PROCESS,
			       tick->samples[i].values);
	frame_add(series, STREAM_RUN, tick->time_ns, gap, &run, 1);
	do {
		done += frame_add(series, STREAM_PROCESS, tick->time_ns, gap, tick->samples + done,
				  tick->n_samples - done);
	} while (done < tick->n_samples);
	series->gap = false;
}

int series_add(struct series *series, const struct tick *tick, struct err *err)
{
	(void)err;
	pthread_mutex_lock(&series->lock);
	if (series->pending.length + series->backlog < BACKLOG_MOST) {
		tick_add(series, tick);
	} else {
		series->dropped++;
		series->gap = true;
	}
	series_wake(series);
	pthread_mutex_unlock(&series->lock);
	return 0;
}

int series_process(struct series *series, const struct process *process, struct err *err)
{
	(void)err;
	pthread_mutex_lock(&series->lock);
	if (series->pending.length + series->backlog < ROWS_BACKLOG_MOST)
		record_process(&series->pending, process, series->facts->n_process_metrics);
	if (process->ended_ns != PROCESS_ALIVE)
		frame_forget(&series->coders[STREAM_PROCESS].writer, process->id);
	series_wake(series);
	pthread_mutex_unlock(&series->lock);
	return 0;
}

/* Who sends SIGTERM may send SIGKILL soon: it is written at once where that costs no waiting. */
void series_fact(struct series *series, const struct fact *fact)
{
	pthread_mutex_lock(&series->lock);
	if (series->pending.length + series->backlog < ROWS_BACKLOG_MOST)
		record_fact(&series->pending, fact);
	series->hurry = true;
	if (series->has_thread)
		pthread_cond_signal(&series->wake);
	else
		series_start_writing(series);
	pthread_mutex_unlock(&series->lock);
}

int series_mark(struct series *series, const struct mark *mark, struct err *err)
{
	(void)err;
	pthread_mutex_lock(&series->lock);
	if (series->pending.length + series->backlog < ROWS_BACKLOG_MOST)
		record_mark(&series->pending, mark);
	series_wake(series);
	pthread_mutex_unlock(&series->lock);
	return 0;
}

void series_settle(struct series *series, size_t most)
{
	pthread_mutex_lock(&series->lock);
	while (!series->failed && series->pending.length + series->backlog > most) {
		if (!series->has_thread) {
			series_flush(series);
			continue;
		}
		series->hurry = true;
		pthread_cond_signal(&series->wake);
		pthread_mutex_unlock(&series->lock);
		usleep(1000);
		pthread_mutex_lock(&series->lock);
	}
	pthread_mutex_unlock(&series->lock);
}

/* The end goes to the journal, too: whoever finds it there, should we die now, has all of it. */
static void ending_add(struct series *series, const struct facts *facts)
{
	struct text *out = &series->pending;

	for (size_t i = 0; i < facts->n_processes; i++)
		record_process(out, &facts->processes[i], series->facts->n_process_metrics);
	record_end(out, record_begin(out, RECORD_ANEW));
	for (size_t i = 0; i < facts->n_facts; i++)
		record_fact(out, &facts->facts[i]);
	record_end(out, record_begin(out, RECORD_END));
}

/* On a full disk: the facts first; then the journal makes room for all of it. */
static int archive_squeeze(struct series *series, struct replay *replay, bool sync, struct err *err)
{
	int fd = journal_fd(series->journal);
	enum portion portion = PORTION_RUN;
	bool loaded;

	while (portion <= PORTION_FACTS &&
	       archive_write(series->path, replay, fd, portion, sync, NULL) < 0)
		portion++;
	if (portion > PORTION_FACTS) {
		err_hint(err, "what was recorded before stays in '%s'; 'sonde show' reads it",
			 series->journal_path);
		return -ENOSPC;
	}
	loaded = replay_load(replay, fd, SQUEEZE_MOST);
	unlink(series->journal_path);
	if (loaded && ftruncate(fd, 0) == 0 &&
	    archive_write(series->path, replay, fd, PORTION_ALL, sync, NULL) == 0)
		return 0;
	err_in(err, "only %s kept",
	       portion == PORTION_RUN ? "the run as a whole, not each process, was"
				      : "the totals, not the series, were");
	return -ENOSPC;
}

static int archive_write_most(struct series *series, struct replay *replay, struct err *err)
{
	bool sync = now_ns() - series->opened_ns >= LONG_RUN_NS;
	int fd = journal_fd(series->journal);
	int r = archive_write(series->path, replay, fd, PORTION_ALL, sync, err);

	if (r == 0)
		unlink(series->journal_path);
	else if (archive_squeeze(series, replay, sync, err) == 0)
		r = 0;
	return r;
}

/* The journal is read back as anybody would who finds it, so there is one way to make a recording.
 */
static int archive_make(struct series *series, struct err *err)
{
	struct replay replay = { 0 };
	int r = 0;

	if (journal_written(series->journal) > 0)
		r = replay_file(&replay, journal_fd(series->journal), series->journal_path, err);
	if (r == 0) {
		replay_bytes(&replay, journal_rest(series->journal));
		replay_seal(&replay);
		r = archive_write_most(series, &replay, err);
	}
	replay_clear(&replay);
	return r;
}

int series_finish(struct series *series, const struct facts *facts, struct err *err)
{
	int r;

	thread_stop(series);
	ending_add(series, facts);
	journal_take(series->journal, &series->pending);
	text_clear(&series->pending);
	journal_flush(series->journal, true);
	r = archive_make(series, err);
	if (r == 0 && series->dropped > 0)
		return err_say(err, series->failed ? series->failed : -EIO,
			       "%llu ticks are missing in '%s': the disk %s",
			       (unsigned long long)series->dropped, series->path,
			       series->failed ? strerror(-series->failed) : "was too slow");
	return r;
}

void series_close(struct series *series)
{
	if (!series)
		return;
	thread_stop(series);
	journal_take(series->journal, &series->pending);
	journal_flush(series->journal, true);
	series_free(series);
}

void series_discard(struct series *series)
{
	if (!series)
		return;
	thread_stop(series);
	unlink(series->journal_path);
	series_free(series);
}
