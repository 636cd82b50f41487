/* Whatever a journal holds, each record stands alone behind its CRC: one that makes no sense ends
 * the reading as a torn one does. What follows it could not be trusted. */
#include "series/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FACTS_MOST ((size_t)1 << 20)
#define LATE_FACTS_MOST 64 /* that are compared with all the others */

static int metric_take(struct replay *replay, struct cursor *payload)
{
	struct metric metric = { 0 };
	struct metric **table;
	size_t *count;

	metric_unpack(payload, &replay->facts.arena, &metric);
	table = &replay->metrics[metric.scope];
	count = &replay->n_metrics[metric.scope];
	if (payload->bad || replay->settled || *count >= METRICS_MOST)
		return -EBADMSG;
	*table = mem_resize(*table, (*count + 1) * sizeof(**table));
	(*table)[(*count)++] = metric;
	return 0;
}

/* Everything but metrics and facts needs to know how many metrics there are. */
static void settle(struct replay *replay)
{
	if (replay->settled)
		return;
	replay->settled = true;
	for (int scope = SCOPE_RUN; scope <= SCOPE_PROCESS; scope++) {
		facts_set_metrics(&replay->facts, scope, replay->metrics[scope],
				  replay->n_metrics[scope]);
		replay->estimated[scope] = mem_new(replay->n_metrics[scope] * sizeof(bool));
	}
	rows_init(&replay->places, sizeof(size_t));
}

/* As facts_add(), without looking for one of the same name: a command may have 100,000 words. Those
 * that came while the run lasted are few, and may say anew what was said before. */
static int fact_take(struct replay *replay, struct cursor *payload)
{
	struct facts *facts = replay->anew ? &replay->last : &replay->facts;
	struct fact fact = { 0 };

	fact_unpack(payload, &replay->facts.arena, &fact);
	if (payload->bad || facts->n_facts >= FACTS_MOST)
		return -EBADMSG;
	if (replay->settled && !replay->anew && replay->n_late++ < LATE_FACTS_MOST) {
		facts_add(facts, &fact);
		return 0;
	}
	facts->facts = mem_grow(facts->facts, facts->n_facts, &facts->room_facts,
				sizeof(*facts->facts));
	facts->facts[facts->n_facts++] = fact;
	return 0;
}

static int process_take(struct replay *replay, struct cursor *payload)
{
	struct process row = { 0 };
	struct facts *facts = &replay->facts;
	size_t known, *place;

	settle(replay);
	row.values = arena_new(&facts->arena, facts->n_process_metrics * sizeof(*row.values));
	process_unpack(payload, &facts->arena, facts->n_process_metrics, &row);
	if (payload->bad)
		return -EBADMSG;
	known = replay->places.count;
	place = rows_at(&replay->places, rows_get(&replay->places, row.id));
	if (replay->places.count > known) {
		*place = facts->n_processes;
		facts->processes = mem_grow(facts->processes, facts->n_processes,
					    &facts->room_processes, sizeof(*facts->processes));
		facts->n_processes++;
	}
	facts->processes[*place] = row;
	return 0;
}

static int mark_take(struct replay *replay, struct cursor *payload)
{
	struct facts *facts = &replay->facts;
	struct mark mark = { 0 };

	mark_unpack(payload, &facts->arena, &mark);
	if (payload->bad || facts->n_marks >= MARKS_MOST ||
	    (facts->n_marks > 0 && mark.time_ns < facts->marks[facts->n_marks - 1].time_ns))
		return -EBADMSG;
	facts_add_mark(facts, &mark);
	return 0;
}

static int frame_take(struct replay *replay, enum record_type type, struct cursor *payload)
{
	unsigned stream = cursor_byte(payload);
	struct raw *raw = stream < STREAM_COUNT ? &replay->open[stream] : NULL;

	settle(replay);
	if (!raw || (type == RECORD_TICK) != (raw->ticks > 0))
		return -EBADMSG;
	if (raw->bytes.length + cursor_left(payload) > CHUNK_RAW_MOST ||
	    raw->ticks >= CHUNK_TICKS_MOST)
		return -EBADMSG;
	raw_add(raw, payload);
	return payload->bad ? -EBADMSG : 0;
}

static void chunk_keep(struct replay *replay, const struct chunk *chunk)
{
	replay->chunks = mem_grow(replay->chunks, replay->n_chunks, &replay->room_chunks,
				  sizeof(*replay->chunks));
	replay->chunks[replay->n_chunks++] = *chunk;
}

static int chunk_take(struct replay *replay, struct record *record, uint64_t offset, bool in_memory)
{
	struct cursor *payload = &record->payload;
	struct chunk chunk = { .pending = record->type == RECORD_PENDING };
	const uint8_t *start = payload->at;

	settle(replay);
	chunk_unpack(payload, &chunk);
	if (payload->bad)
		return -EBADMSG;
	chunk.offset = offset + RECORD_HEAD_BYTES + (uint64_t)(payload->at - start);
	chunk.data = in_memory ? payload->at : NULL;
	if (chunk.tier == 0)
		raw_empty(&replay->open[chunk.stream]);
	chunk_keep(replay, &chunk);
	return 0;
}

static int folded_take(struct replay *replay, struct cursor *payload)
{
	unsigned stream = cursor_byte(payload), tier = cursor_byte(payload);
	uint64_t last_seq = cursor_varint(payload);
	size_t kept = 0;

	if (payload->bad)
		return -EBADMSG;
	for (size_t i = 0; i < replay->n_chunks; i++) {
		struct chunk chunk = replay->chunks[i];

		if (chunk.stream == stream && chunk.tier == tier && chunk.seq <= last_seq)
			continue;
		if (chunk.stream == stream && chunk.tier == tier + 1)
			chunk.pending = false;
		replay->chunks[kept++] = chunk;
	}
	replay->n_chunks = kept;
	return 0;
}

static int estimated_take(struct replay *replay, struct cursor *payload)
{
	unsigned scope = cursor_byte(payload);
	uint64_t metric = cursor_varint(payload);

	settle(replay);
	if (payload->bad || scope > SCOPE_PROCESS || metric >= replay->n_metrics[scope])
		return -EBADMSG;
	replay->estimated[scope][metric] = true;
	return 0;
}

static int end_take(struct replay *replay)
{
	settle(replay);
	if (!replay->anew)
		return -EBADMSG;
	free(replay->facts.facts);
	replay->facts.facts = take(&replay->last.facts);
	replay->facts.n_facts = replay->last.n_facts;
	replay->facts.room_facts = replay->last.room_facts;
	replay->last = (struct facts){ 0 };
	replay->anew = false;
	replay->ended = true;
	return 0;
}

static int record_take(struct replay *replay, struct record *record, uint64_t offset,
		       bool in_memory)
{
	struct cursor *payload = &record->payload;

	if (replay->ended) /* nothing comes behind the end */
		return -EBADMSG;
	switch (record->type) {
	case RECORD_WRITER:
		origin_unpack(payload, &replay->facts.arena, &replay->origin);
		return payload->bad ? -EBADMSG : 0;
	case RECORD_METRIC:
		return metric_take(replay, payload);
	case RECORD_FACT:
		return fact_take(replay, payload);
	case RECORD_PROCESS:
		return process_take(replay, payload);
	case RECORD_MARK:
		return mark_take(replay, payload);
	case RECORD_FIRST:
	case RECORD_TICK:
		return frame_take(replay, record->type, payload);
	case RECORD_CHUNK:
	case RECORD_PENDING:
		return chunk_take(replay, record, offset, in_memory);
	case RECORD_FOLDED:
		return folded_take(replay, payload);
	case RECORD_ESTIMATED:
		return estimated_take(replay, payload);
	case RECORD_ANEW:
		replay->anew = true;
		return 0;
	case RECORD_END:
		return end_take(replay);
	}
	return -EBADMSG;
}

static int head_check(int fd, const char *path, struct err *err)
{
	uint8_t head[JOURNAL_HEAD_BYTES];
	ssize_t got = pread(fd, head, sizeof(head), 0);
	struct cursor cursor = { .at = head + 8, .end = head + sizeof(head) };
	uint32_t version;

	if (got < 0)
		return err_set(err, -errno, "'%s'", path);
	if ((size_t)got < sizeof(head) &&
	    memcmp(head, JOURNAL_MAGIC, got < 8 ? (size_t)got : 8) == 0)
		return err_say(err, -EBADMSG, "'%s' ends before anything was recorded", path);
	if (memcmp(head, JOURNAL_MAGIC, 8) != 0)
		return err_say(err, -EBADMSG, "'%s' is not the journal of a sonde recording", path);
	version = cursor_u32(&cursor);
	if (version > JOURNAL_VERSION)
		return err_say(
		    err, -EPROTONOSUPPORT,
		    "'%s' was written by a newer sonde (format %u; this one reads up to %u)", path,
		    version, JOURNAL_VERSION);
	if (version == 0)
		return err_say(err, -EBADMSG, "'%s' is damaged: it has no format version", path);
	return 0;
}

int replay_file(struct replay *replay, int fd, const char *path, struct err *err)
{
	struct record record;
	struct scan scan;
	int r = head_check(fd, path, err);

	if (r < 0)
		return r;
	scan_init(&scan, fd, JOURNAL_HEAD_BYTES);
	while ((r = scan_next(&scan, &record)) > 0) {
		if (record_take(replay, &record, scan.offset, false) < 0) {
			scan.damaged = true;
			break;
		}
	}
	replay->bytes = scan.offset;
	replay->damaged = scan.damaged;
	scan_clear(&scan);
	settle(replay);
	return r < 0 ? err_set(err, r, "'%s'", path) : 0;
}

void replay_bytes(struct replay *replay, const struct text *records)
{
	struct record record;
	size_t at = 0;

	if (records->length >= JOURNAL_HEAD_BYTES && memcmp(records->data, JOURNAL_MAGIC, 8) == 0)
		at = JOURNAL_HEAD_BYTES; /* not even the head could be written */
	for (; at < records->length; at += record.size) {
		if (record_parse(records->data + at, records->length - at, &record) <= 0 ||
		    record_take(replay, &record, 0, true) < 0)
			break;
	}
	settle(replay);
}

static void open_seal(struct replay *replay, enum stream stream)
{
	struct raw *raw = &replay->open[stream];
	struct chunk chunk = { .stream = stream, .ticks = raw->ticks };
	struct text sealed = { 0 };

	if (raw->ticks == 0)
		return;
	for (size_t i = 0; i < replay->n_chunks; i++) {
		if (replay->chunks[i].stream == stream && replay->chunks[i].tier == 0)
			chunk.seq = replay->chunks[i].seq + 1;
	}
	chunk_seal(raw->bytes.data, raw->bytes.length, &sealed);
	chunk.start_ns = raw->start_ns;
	chunk.end_ns = raw->end_ns;
	chunk.size = sealed.length;
	chunk.data = (const uint8_t *)arena_copy_n(&replay->facts.arena, sealed.data,
						   sealed.length);
	chunk_keep(replay, &chunk);
	raw_empty(raw);
	text_clear(&sealed);
}

static int chunk_order(const void *left, const void *right)
{
	const struct chunk *a = left, *b = right;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->tier != b->tier)
		return a->tier > b->tier ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* A row with a pid that stands for no process was folded into another. */
static void drop_folded(struct facts *facts)
{
	size_t kept = 0;

	for (size_t i = 0; i < facts->n_processes; i++) {
		if (facts->processes[i].count > 0 || facts->processes[i].pid == 0)
			facts->processes[kept++] = facts->processes[i];
	}
	facts->n_processes = kept;
}

void replay_seal(struct replay *replay)
{
	size_t kept = 0;

	drop_folded(&replay->facts);

	for (int i = 0; i < STREAM_COUNT; i++)
		open_seal(replay, i);
	for (size_t i = 0; i < replay->n_chunks; i++) {
		if (!replay->chunks[i].pending)
			replay->chunks[kept++] = replay->chunks[i];
	}
	replay->n_chunks = kept;
	if (kept > 0)
		qsort(replay->chunks, kept, sizeof(*replay->chunks), chunk_order);
}

bool replay_load(struct replay *replay, int fd, size_t most)
{
	struct text buffer = { 0 };
	size_t size = 0;
	int r = 0;

	for (size_t i = 0; i < replay->n_chunks; i++)
		size += replay->chunks[i].size;
	for (size_t i = 0; size <= most && r == 0 && i < replay->n_chunks; i++) {
		struct chunk *chunk = &replay->chunks[i];
		const uint8_t *data;

		r = chunk_data(chunk, fd, &buffer, &data);
		if (r == 0)
			chunk->data = (const uint8_t *)arena_copy_n(
			    &replay->facts.arena, (const char *)data, chunk->size);
	}
	text_clear(&buffer);
	return size <= most && r == 0;
}

void replay_clear(struct replay *replay)
{
	for (int scope = SCOPE_RUN; scope <= SCOPE_PROCESS; scope++) {
		free(replay->metrics[scope]);
		free(replay->estimated[scope]);
	}
	for (int i = 0; i < STREAM_COUNT; i++)
		text_clear(&replay->open[i].bytes);
	free(replay->chunks);
	free(replay->last.facts);
	rows_clear(&replay->places);
	facts_clear(&replay->facts);
	*replay = (struct replay){ 0 };
}

int chunk_data(const struct chunk *chunk, int fd, struct text *buffer, const uint8_t **ret)
{
	if (chunk->data) {
		*ret = chunk->data;
		return 0;
	}
	buffer->length = 0;
	*ret = text_room(buffer, chunk->size);
	return pread(fd, buffer->data, chunk->size, (off_t)chunk->offset) == (ssize_t)chunk->size
		   ? 0
		   : -EIO;
}
