/* What a journal holds is valid up to the first record that is not whole, whenever its writer dies:
 * - frames are written as they come ('T', 't'); the chunk that holds them ('C') comes after them
 * and makes them void;
 * - a folded chunk ('c') counts only once 'D' follows, which makes the chunks that it was made of
 *   void;
 * - void bytes go away when the journal is written anew under another name and renamed over the old
 *   one. Who has the old one open reads it to its end.
 * All writes go to a known place (pwrite), so that half a record of a full disk is written over. */
#include "series/journal.h"

#include "base/mem.h"
#include "series/fold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)1 << 20)
#define MB 1000000ull

/* A day of 1,000 processes ends at about 75 MB this way. The run's own series are bounded by ticks,
 * not bytes: `show` draws all of them, and 40 metrics of 36,000 ticks (an hour at ten a second) are
 * read in 30 ms. */
const struct limits limits_usual = {
	.keep = { [STREAM_RUN] = { { 8 * MB, 36000 },
				   { 8 * MB, 36000 },
				   { 8 * MB, 36000 },
				   { 4 * MB, 36000 },
				   { 4 * MB, 36000 },
				   { 4 * MB, 36000 } },
		  [STREAM_PROCESS] = { { .bytes = 24 * MB },
				       { .bytes = 24 * MB },
				       { .bytes = 20 * MB },
				       { .bytes = 8 * MB },
				       { .bytes = 4 * MB },
				       { .bytes = 4 * MB } } },
	.void_bytes = 1 * MB,
};

struct journal {
	int fd;
	char *path;
	const struct facts *facts;
	const struct limits *limits;
	uint64_t written; /* whole records, up to here */
	uint64_t empty;   /* of them, void bytes */
	struct text out;
	int failed;
	bool upkept; /* upkeep has not failed so far */

	struct raw open[STREAM_COUNT];
	uint64_t open_bytes[STREAM_COUNT]; /* of the records of these frames */
	uint32_t next_seq[STREAM_COUNT][TIER_COUNT];
	struct chunk *chunks; /* that count */
	size_t n_chunks, room_chunks;
};

char *journal_path(const char *path)
{
	char *name = mem_new(strlen(path) + sizeof(".journal"));

	return strcat(strcpy(name, path), ".journal");
}

static void metrics_of(const struct journal *journal, enum stream stream, const struct metric **ret,
		       size_t *ret_count)
{
	bool run = stream == STREAM_RUN;

	*ret = run ? journal->facts->run_metrics : journal->facts->process_metrics;
	*ret_count = run ? journal->facts->n_run_metrics : journal->facts->n_process_metrics;
}

static void opening_add(struct text *out, const struct facts *facts)
{
	struct arena arena = { 0 };
	struct origin origin;
	uint8_t version[4];

	put_u32(version, JOURNAL_VERSION);
	text_add(out, JOURNAL_MAGIC);
	text_add_bytes(out, version, sizeof(version));
	origin_read(&arena, &origin);
	record_writer(out, &origin);
	arena_clear(&arena);
	for (size_t i = 0; i < facts->n_run_metrics; i++)
		record_metric(out, &facts->run_metrics[i]);
	for (size_t i = 0; i < facts->n_process_metrics; i++)
		record_metric(out, &facts->process_metrics[i]);
	for (size_t i = 0; i < facts->n_facts; i++)
		record_fact(out, &facts->facts[i]);
}

int journal_create(const char *path, const struct facts *facts, const struct limits *limits,
		   struct journal **ret, struct err *err)
{
	CLEANUP(closep) int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0644);
	struct journal *journal;

	if (fd < 0)
		return err_set(err, -errno, "'%s'", path);
	journal = mem_new(sizeof(*journal));
	journal->fd = fd;
	fd = -1;
	journal->path = mem_copy(path);
	journal->facts = facts;
	journal->limits = limits;
	journal->upkept = true;
	opening_add(&journal->out, facts);
	journal_flush(journal, false);
	*ret = journal;
	return 0;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	close(journal->fd);
	free(journal->path);
	free(journal->chunks);
	text_clear(&journal->out);
	for (int i = 0; i < STREAM_COUNT; i++)
		text_clear(&journal->open[i].bytes);
	free(journal);
}

int journal_fd(const struct journal *journal)
{
	return journal->fd;
}

uint64_t journal_written(const struct journal *journal)
{
	return journal->written;
}

const struct text *journal_rest(const struct journal *journal)
{
	return &journal->out;
}

size_t journal_backlog(const struct journal *journal)
{
	return journal->out.length;
}

/* Adds a chunk to what is to be written, and to the list of those that count. */
static void chunk_add(struct journal *journal, struct chunk *chunk, const struct raw *raw)
{
	uint64_t start = journal->written + journal->out.length;
	struct text sealed = { 0 };

	chunk_seal(raw->bytes.data, raw->bytes.length, &sealed);
	chunk->seq = journal->next_seq[chunk->stream][chunk->tier]++;
	chunk->ticks = raw->ticks;
	chunk->start_ns = raw->start_ns;
	chunk->end_ns = raw->end_ns;
	chunk->offset = start + record_chunk(&journal->out, chunk, sealed.data, sealed.length);
	journal->chunks = mem_grow(journal->chunks, journal->n_chunks, &journal->room_chunks,
				   sizeof(*chunk));
	journal->chunks[journal->n_chunks++] = *chunk;
	text_clear(&sealed);
}

static void open_seal(struct journal *journal, enum stream stream)
{
	struct raw *raw = &journal->open[stream];
	struct chunk chunk = { .stream = stream };

	if (raw->ticks == 0)
		return;
	chunk_add(journal, &chunk, raw);
	journal->empty += journal->open_bytes[stream];
	journal->open_bytes[stream] = 0;
	raw_empty(raw);
}

static void frame_take(struct journal *journal, struct record *record)
{
	struct cursor payload = record->payload;
	enum stream stream = cursor_byte(&payload);

	if (record->type == RECORD_FIRST)
		open_seal(journal, stream);
	raw_add(&journal->open[stream], &payload);
	journal->open_bytes[stream] += record->size;
}

void journal_take(struct journal *journal, const struct text *records)
{
	size_t at = 0;
	struct record record;

	while (at < records->length &&
	       record_parse(records->data + at, records->length - at, &record) > 0) {
		if (record.type == RECORD_FIRST || record.type == RECORD_TICK)
			frame_take(journal, &record);
		if (record.type == RECORD_PROCESS) /* most are written twice: begin and end */
			journal->empty += record.size / 2;
		text_add_bytes(&journal->out, records->data + at, record.size);
		at += record.size;
	}
}

static int write_at(int fd, const struct text *out, uint64_t offset)
{
	size_t done = 0;

	while (done < out->length) {
		ssize_t wrote = pwrite(fd, out->data + done, out->length - done,
				       (off_t)(offset + done));

		if (wrote < 0 && errno != EINTR)
			return -errno;
		if (wrote > 0)
			done += (size_t)wrote;
	}
	return 0;
}

int journal_flush(struct journal *journal, bool again)
{
	if (journal->failed && !again)
		return journal->failed;
	journal->failed = write_at(journal->fd, &journal->out, journal->written);
	if (journal->failed) {
		/* What a reader finds behind `written` would be there twice, once it can be
		 * written. */
		if (ftruncate(journal->fd, (off_t)journal->written) < 0)
			return journal->failed;
		return journal->failed;
	}
	journal->written += journal->out.length;
	journal->out.length = 0;
	return 0;
}

int journal_sync(struct journal *journal)
{
	if (journal->failed)
		return journal->failed;
	if (fdatasync(journal->fd) < 0 && errno != EINVAL && errno != ENOSYS && errno != EROFS)
		journal->failed = -errno;
	return journal->failed;
}

/* Folding. */

struct folding {
	struct journal *journal;
	enum stream stream;
	unsigned tier; /* of the folded ones */
};

static int folded_sink(void *arg, const struct raw *raw)
{
	struct folding *folding = arg;
	struct chunk chunk = { .stream = folding->stream, .tier = folding->tier, .pending = true };

	chunk_add(folding->journal, &chunk, raw);
	return 0;
}

static int chunk_fold(struct journal *journal, struct fold *fold, const struct chunk *chunk)
{
	struct text sealed = { 0 }, raw = { 0 };
	int r = -EIO;

	text_room(&sealed, chunk->size);
	if (pread(journal->fd, sealed.data, chunk->size, (off_t)chunk->offset) ==
	    (ssize_t)chunk->size)
		r = chunk_unseal(sealed.data, chunk->size, &raw);
	if (r == 0)
		r = fold_add(fold, chunk->tier, raw.data, raw.length);
	text_clear(&sealed);
	text_clear(&raw);
	return r;
}

/* How many of the oldest chunks have to go, so that the tier is three quarters full: folding in
 * large pieces makes few points that end early. 0 while there is room. */
static size_t chunks_over(const struct journal *journal, enum stream stream, unsigned tier,
			  uint32_t *ret_last_seq)
{
	const struct keep *keep = &journal->limits->keep[stream][tier];
	uint64_t bytes = 0, ticks = 0;
	size_t over = 0;

	for (size_t i = 0; i < journal->n_chunks; i++) {
		const struct chunk *chunk = &journal->chunks[i];

		bytes += chunk->stream == stream && chunk->tier == tier ? chunk->size : 0;
		ticks += chunk->stream == stream && chunk->tier == tier ? chunk->ticks : 0;
	}
	if (!(keep->bytes && bytes > keep->bytes) && !(keep->ticks && ticks > keep->ticks))
		return 0;
	for (size_t i = 0; i < journal->n_chunks; i++) {
		const struct chunk *chunk = &journal->chunks[i];

		if (chunk->stream != stream || chunk->tier != tier)
			continue;
		if (!(keep->bytes && bytes > keep->bytes / 4 * 3) &&
		    !(keep->ticks && ticks > keep->ticks / 4 * 3))
			break;
		bytes -= chunk->size;
		ticks -= chunk->ticks;
		*ret_last_seq = chunk->seq;
		over++;
	}
	return over;
}

static bool chunk_is_folded(const struct chunk *chunk, const struct folding *folding,
			    uint32_t last_seq)
{
	return chunk->stream == folding->stream && chunk->tier == folding->tier - 1 &&
	       chunk->seq <= last_seq;
}

/* The folded ones count from now on, those that they were made of do not. */
static void folding_settle(struct journal *journal, const struct folding *folding,
			   uint32_t last_seq)
{
	size_t kept = 0;

	for (size_t i = 0; i < journal->n_chunks; i++) {
		struct chunk *chunk = &journal->chunks[i];

		if (chunk_is_folded(chunk, folding, last_seq)) {
			journal->empty += chunk->size;
			continue;
		}
		chunk->pending = false;
		journal->chunks[kept++] = *chunk;
	}
	journal->n_chunks = kept;
}

static int tier_fold(struct journal *journal, struct fold *fold, const struct folding *folding,
		     uint32_t last_seq)
{
	size_t n_chunks = journal->n_chunks;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_chunks; i++) {
		struct chunk chunk = journal->chunks[i];

		if (!chunk_is_folded(&chunk, folding, last_seq))
			continue;
		r = chunk_fold(journal, fold, &chunk);
		if (r == 0 && journal->out.length > COPY_BYTES)
			r = journal_flush(journal, false);
	}
	return r < 0 ? r : fold_finish(fold);
}

static int tier_upkeep(struct journal *journal, enum stream stream, unsigned tier)
{
	struct folding folding = { .journal = journal, .stream = stream, .tier = tier + 1 };
	size_t n_chunks = journal->n_chunks, n_metrics;
	const struct metric *metrics;
	struct fold *fold;
	uint32_t last_seq = 0;
	int r;

	if (chunks_over(journal, stream, tier, &last_seq) == 0)
		return 0;
	metrics_of(journal, stream, &metrics, &n_metrics);
	fold = fold_new(metrics, n_metrics, tier + 1, folded_sink, &folding);
	r = tier_fold(journal, fold, &folding, last_seq);
	fold_free(fold);
	if (r < 0) { /* what was folded so far never counts, since no 'D' follows */
		journal->n_chunks = n_chunks;
		return r;
	}
	record_folded(&journal->out, stream, tier, last_seq);
	r = journal_flush(journal, false);
	if (r == 0)
		folding_settle(journal, &folding, last_seq);
	else
		journal->n_chunks = n_chunks;
	return r;
}

/* Rewriting. */

struct rewrite {
	struct journal *journal;
	int fd;
	uint64_t written;
	struct text out;
	struct rows processes;             /* offset of the last record of each */
	uint64_t last_chunk[STREAM_COUNT]; /* frames before it are void */
	uint64_t *offsets;                 /* of chunks in the new file */
};

static struct chunk *chunk_at(struct journal *journal, uint64_t offset)
{
	for (size_t i = 0; i < journal->n_chunks; i++) {
		if (journal->chunks[i].offset == offset)
			return &journal->chunks[i];
	}
	return NULL;
}

static void rewrite_note(struct rewrite *rewrite, struct record record, uint64_t offset)
{
	struct process process = { 0 };
	struct arena arena = { 0 };
	struct chunk chunk = { 0 };

	if (record.type == RECORD_PROCESS) {
		process_unpack(&record.payload, &arena, 0, &process);
		*(uint64_t *)rows_at(&rewrite->processes,
				     rows_get(&rewrite->processes, process.id)) = offset;
	} else if (record.type == RECORD_CHUNK) { /* pending ones are of other tiers */
		chunk_unpack(&record.payload, &chunk);
		if (chunk.tier == 0)
			rewrite->last_chunk[chunk.stream] = offset;
	}
	arena_clear(&arena);
}

static bool process_is_last(const struct rewrite *rewrite, struct record record, uint64_t offset)
{
	uint32_t id = (uint32_t)cursor_varint(&record.payload);

	return *(uint64_t *)rows_at(&rewrite->processes,
				    (size_t)rows_find(&rewrite->processes, id)) == offset;
}

/* A folded chunk counts at once in the new journal. */
static void rewrite_chunk(struct rewrite *rewrite, struct record record, uint64_t offset)
{
	const uint8_t *start = record.payload.at;
	struct text *out = &rewrite->out;
	struct chunk chunk = { 0 }, *kept;
	uint64_t place = rewrite->written + out->length;

	chunk_unpack(&record.payload, &chunk);
	offset += RECORD_HEAD_BYTES + (uint64_t)(record.payload.at - start);
	kept = chunk_at(rewrite->journal, offset);
	if (!kept)
		return;
	place += record_chunk(out, &chunk, record.payload.at, chunk.size);
	rewrite->offsets[kept - rewrite->journal->chunks] = place;
}

static bool rewrite_keeps(const struct rewrite *rewrite, struct record record, uint64_t offset)
{
	switch (record.type) {
	case RECORD_PROCESS:
		return process_is_last(rewrite, record, offset);
	case RECORD_FIRST:
	case RECORD_TICK:
		return offset > rewrite->last_chunk[cursor_byte(&record.payload)];
	case RECORD_CHUNK:
	case RECORD_PENDING:
	case RECORD_FOLDED:
		return false;
	case RECORD_WRITER:
	case RECORD_METRIC:
	case RECORD_FACT:
	case RECORD_MARK:
	case RECORD_ESTIMATED:
	case RECORD_ANEW:
	case RECORD_END:
		break;
	}
	return true;
}

static void rewrite_record(struct rewrite *rewrite, const struct record *record, uint64_t offset)
{
	if (record->type == RECORD_CHUNK || record->type == RECORD_PENDING)
		rewrite_chunk(rewrite, *record, offset);
	else if (rewrite_keeps(rewrite, *record, offset))
		text_add_bytes(&rewrite->out, record->payload.at - RECORD_HEAD_BYTES, record->size);
}

static int rewrite_flush(struct rewrite *rewrite)
{
	int r = write_at(rewrite->fd, &rewrite->out, rewrite->written);

	if (r == 0) {
		rewrite->written += rewrite->out.length;
		rewrite->out.length = 0;
	}
	return r;
}

/* Goes through the old journal; first only to know what lasts, then to copy it. */
static int rewrite_pass(struct rewrite *rewrite, bool copy)
{
	struct record record;
	struct scan scan;
	int r;

	scan_init(&scan, rewrite->journal->fd, JOURNAL_HEAD_BYTES);
	while ((r = scan_next(&scan, &record)) > 0) {
		if (copy)
			rewrite_record(rewrite, &record, scan.offset);
		else
			rewrite_note(rewrite, record, scan.offset);
		if (rewrite->out.length > COPY_BYTES && (r = rewrite_flush(rewrite)) < 0)
			break;
	}
	if (r == 0 && scan.offset != rewrite->journal->written)
		r = -EIO; /* it does not read back as it was written */
	scan_clear(&scan);
	return r;
}

static int rewrite_do(struct rewrite *rewrite, const char *name)
{
	uint8_t version[4];
	int r;

	rewrite->fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW,
			   0644);
	if (rewrite->fd < 0)
		return -errno;
	put_u32(version, JOURNAL_VERSION);
	text_add(&rewrite->out, JOURNAL_MAGIC);
	text_add_bytes(&rewrite->out, version, sizeof(version));
	r = rewrite_pass(rewrite, false);
	if (r == 0)
		r = rewrite_pass(rewrite, true);
	if (r == 0)
		r = rewrite_flush(rewrite);
	/* It must be on the disk before its name is: the old one has all of it, too. */
	if (r == 0 && fdatasync(rewrite->fd) < 0)
		r = -errno;
	if (r == 0 && rename(name, rewrite->journal->path) < 0)
		r = -errno;
	return r;
}

static void rewrite_settle(struct rewrite *rewrite)
{
	struct journal *journal = rewrite->journal;
	int old = journal->fd;

	journal->fd = rewrite->fd;
	rewrite->fd = old;
	journal->written = rewrite->written;
	journal->empty = 0;
	for (size_t i = 0; i < journal->n_chunks; i++)
		journal->chunks[i].offset = rewrite->offsets[i];
}

static int journal_rewrite(struct journal *journal)
{
	struct rewrite rewrite = { .journal = journal, .fd = -1 };
	CLEANUP(freep) char *name = mem_new(strlen(journal->path) + sizeof(".new"));
	int r;

	strcat(strcpy(name, journal->path), ".new");
	rows_init(&rewrite.processes, sizeof(uint64_t));
	rewrite.offsets = mem_new(journal->n_chunks * sizeof(*rewrite.offsets));
	r = rewrite_do(&rewrite, name);
	if (r == 0)
		rewrite_settle(&rewrite);
	else if (rewrite.fd >= 0)
		unlink(name);
	closep(&rewrite.fd);
	rows_clear(&rewrite.processes);
	text_clear(&rewrite.out);
	free(rewrite.offsets);
	return r;
}

static bool journal_is_loose(const struct journal *journal)
{
	uint64_t full = journal->written > journal->empty ? journal->written - journal->empty : 0;

	return journal->empty > full + journal->limits->void_bytes;
}

void journal_upkeep(struct journal *journal)
{
	int r = 0;

	if (journal->failed || !journal->upkept || journal->out.length > 0)
		return;
	for (int stream = 0; stream < STREAM_COUNT; stream++) {
		for (unsigned tier = 0; r == 0 && tier + 1 < TIER_COUNT; tier++)
			r = tier_upkeep(journal, stream, tier);
	}
	if (r == 0 && journal_is_loose(journal))
		r = journal_rewrite(journal);
	/* Without it the journal only gets longer than it need be. */
	journal->upkept = r == 0;
}
