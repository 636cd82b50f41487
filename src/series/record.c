/* A record is its type, the length of its payload (32 bits, low byte first), the payload, and the
 * CRC-32C of all of it (32 bits). The fact that a run is called "fit" is
 *
 *	46  2a 00 00 00  04 72 75 6e  05 6e 61 6d 65  01  00  00  04 66 69 74  ...  e9 12 34 99
 *	F   42 bytes     "run"        "name"          (1) (2) (3) "fit"             CRC
 *
 * with (1) the kind, FACT_TEXT, (2) the unit and (3) how it was got, which a text has not.
 *
 * In payloads a text is a varint of its length + 1 and its bytes; 0 is no text at all. */
#include "series/record.h"

#include "base/crc.h"
#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define CRC_BYTES 4
#define PAYLOAD_MOST ((size_t)16 << 20)
#define SCAN_BYTES ((size_t)64 << 10)

size_t record_begin(struct text *out, enum record_type type)
{
	size_t start = out->length;
	uint8_t head[RECORD_HEAD_BYTES] = { (uint8_t)type };

	text_add_bytes(out, head, sizeof(head));
	return start;
}

void record_end(struct text *out, size_t start)
{
	uint8_t *record = (uint8_t *)out->data + start, crc[CRC_BYTES];
	size_t size = out->length - start;

	if (size - RECORD_HEAD_BYTES > PAYLOAD_MOST) { /* no reader would take it */
		out->length = start;
		return;
	}
	put_u32(record + 1, (uint32_t)(size - RECORD_HEAD_BYTES));
	put_u32(crc, crc32c(0, record, size));
	text_add_bytes(out, crc, sizeof(crc));
}

static void pack_byte(struct text *out, unsigned byte)
{
	uint8_t one = (uint8_t)byte;

	text_add_bytes(out, &one, 1);
}

static void pack_double(struct text *out, double number)
{
	uint8_t bytes[8];

	put_double(bytes, number);
	text_add_bytes(out, bytes, sizeof(bytes));
}

static void pack_text(struct text *out, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	text_add_varint(out, text ? length + 1 : 0);
	if (length)
		text_add_bytes(out, text, length);
}

static const char *unpack_text(struct cursor *payload, struct arena *arena)
{
	uint64_t length = cursor_varint(payload);
	const uint8_t *bytes = length ? cursor_bytes(payload, length - 1) : NULL;

	return bytes ? arena_copy_n(arena, (const char *)bytes, length - 1) : NULL;
}

static const char *unpack_name(struct cursor *payload, struct arena *arena)
{
	const char *text = unpack_text(payload, arena);

	if (!text)
		payload->bad = true;
	return text ? text : "";
}

/* One of an enum's values. */
static unsigned unpack_choice(struct cursor *payload, unsigned count)
{
	unsigned choice = cursor_byte(payload);

	if (choice >= count)
		payload->bad = true;
	return choice < count ? choice : 0;
}

static uint64_t unpack_number(struct cursor *payload, uint64_t most)
{
	uint64_t number = cursor_varint(payload);

	if (number > most)
		payload->bad = true;
	return number > most ? 0 : number;
}

void record_writer(struct text *out, const struct origin *origin)
{
	size_t start = record_begin(out, RECORD_WRITER);

	text_add_varint(out, origin->pid);
	text_add_varint(out, origin->pid_started);
	text_add_varint(out, origin->pid_namespace);
	pack_text(out, origin->boot);
	pack_text(out, origin->host);
	record_end(out, start);
}

void origin_unpack(struct cursor *payload, struct arena *arena, struct origin *ret)
{
	ret->pid = (uint32_t)unpack_number(payload, INT_MAX);
	ret->pid_started = cursor_varint(payload);
	ret->pid_namespace = cursor_varint(payload);
	ret->boot = unpack_name(payload, arena);
	ret->host = unpack_name(payload, arena);
}

void record_metric(struct text *out, const struct metric *metric)
{
	size_t start = record_begin(out, RECORD_METRIC);

	pack_byte(out, metric->scope);
	pack_byte(out, metric->unit);
	pack_byte(out, metric->kind);
	pack_byte(out, metric->with_children);
	pack_text(out, metric->name);
	pack_text(out, metric->source);
	pack_text(out, metric->help);
	record_end(out, start);
}

void metric_unpack(struct cursor *payload, struct arena *arena, struct metric *ret)
{
	ret->scope = unpack_choice(payload, SCOPE_PROCESS + 1);
	ret->unit = unpack_choice(payload, UNIT_COUNT_OF_UNITS);
	ret->kind = unpack_choice(payload, KIND_GAUGE + 1);
	ret->with_children = unpack_choice(payload, 2);
	ret->name = unpack_name(payload, arena);
	ret->source = unpack_text(payload, arena);
	ret->help = unpack_text(payload, arena);
}

void record_fact(struct text *out, const struct fact *fact)
{
	size_t start = record_begin(out, RECORD_FACT);

	pack_text(out, fact->section);
	pack_text(out, fact->name);
	pack_byte(out, fact->kind);
	pack_byte(out, fact->unit);
	pack_byte(out, fact->value.how);
	pack_text(out, fact->text);
	pack_text(out, fact->source);
	pack_text(out, fact->why);
	pack_double(out, fact->value.number);
	pack_double(out, fact->low);
	pack_double(out, fact->high);
	record_end(out, start);
}

void fact_unpack(struct cursor *payload, struct arena *arena, struct fact *ret)
{
	ret->section = unpack_name(payload, arena);
	ret->name = unpack_name(payload, arena);
	ret->kind = unpack_choice(payload, FACT_BOOL + 1);
	ret->unit = unpack_choice(payload, UNIT_COUNT_OF_UNITS);
	ret->value.how = unpack_choice(payload, HOW_ESTIMATED + 1);
	ret->text = unpack_text(payload, arena);
	ret->source = unpack_text(payload, arena);
	ret->why = unpack_text(payload, arena);
	ret->value.number = cursor_double(payload);
	ret->low = cursor_double(payload);
	ret->high = cursor_double(payload);
	if (ret->kind == FACT_TEXT && !ret->text)
		ret->text = "";
}

void values_pack(struct text *out, const struct value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		enum how how = values ? values[i].how : HOW_ABSENT;

		pack_byte(out, how);
		if (how != HOW_ABSENT)
			pack_double(out, values[i].number);
	}
}

void values_unpack(struct cursor *cursor, struct value *ret, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct value value = { .how = unpack_choice(cursor, HOW_ESTIMATED + 1) };

		if (value_is(value))
			value.number = cursor_double(cursor);
		ret[i] = cursor->bad ? value_absent() : value;
	}
}

void record_process(struct text *out, const struct process *process, size_t n_metrics)
{
	size_t start = record_begin(out, RECORD_PROCESS);

	text_add_varint(out, process->id);
	text_add_varint(out, process->parent);
	text_add_varint(out, (uint32_t)process->pid);
	text_add_varint(out, process->count);
	text_add_varint(out, process->started_ns);
	text_add_varint(out, process->ended_ns + 1); /* 0: alive */
	text_add_varint(out, zigzag(process->status));
	pack_text(out, process->name ? process->name : "");
	pack_text(out, process->command);
	values_pack(out, process->values, n_metrics);
	record_end(out, start);
}

void process_unpack(struct cursor *payload, struct arena *arena, size_t n_metrics,
		    struct process *ret)
{
	ret->id = (uint32_t)unpack_number(payload, UINT32_MAX);
	ret->parent = (uint32_t)unpack_number(payload, UINT32_MAX);
	ret->pid = (int)unpack_number(payload, INT_MAX);
	ret->count = cursor_varint(payload);
	ret->started_ns = cursor_varint(payload);
	ret->ended_ns = cursor_varint(payload) - 1;
	ret->status = (int)unzigzag(unpack_number(payload, UINT32_MAX));
	ret->name = unpack_name(payload, arena);
	ret->command = unpack_text(payload, arena);
	if (ret->values)
		values_unpack(payload, ret->values, n_metrics);
}

void record_mark(struct text *out, const struct mark *mark)
{
	size_t start = record_begin(out, RECORD_MARK);

	text_add_varint(out, mark->time_ns);
	pack_byte(out, mark->kind);
	pack_text(out, mark->name);
	record_end(out, start);
}

void mark_unpack(struct cursor *payload, struct arena *arena, struct mark *ret)
{
	ret->time_ns = cursor_varint(payload);
	ret->kind = unpack_choice(payload, MARK_END + 1);
	ret->name = unpack_name(payload, arena);
	if (ret->kind != MARK_END && !*ret->name)
		payload->bad = true;
}

void record_estimated(struct text *out, enum scope scope, size_t metric)
{
	size_t start = record_begin(out, RECORD_ESTIMATED);

	pack_byte(out, scope);
	text_add_varint(out, metric);
	record_end(out, start);
}

void record_folded(struct text *out, enum stream stream, unsigned tier, uint32_t last_seq)
{
	size_t start = record_begin(out, RECORD_FOLDED);

	pack_byte(out, stream);
	pack_byte(out, tier);
	text_add_varint(out, last_seq);
	record_end(out, start);
}

size_t record_chunk(struct text *out, struct chunk *chunk, const void *data, size_t size)
{
	size_t start = record_begin(out, chunk->pending ? RECORD_PENDING : RECORD_CHUNK), data_at;

	pack_byte(out, chunk->stream);
	pack_byte(out, chunk->tier);
	text_add_varint(out, chunk->seq);
	text_add_varint(out, chunk->ticks);
	text_add_varint(out, chunk->start_ns);
	text_add_varint(out, chunk->end_ns);
	data_at = out->length - start;
	text_add_bytes(out, data, size);
	chunk->size = size;
	record_end(out, start);
	return data_at;
}

void chunk_unpack(struct cursor *payload, struct chunk *ret)
{
	ret->stream = unpack_choice(payload, STREAM_COUNT);
	ret->tier = unpack_choice(payload, TIER_COUNT);
	ret->seq = (uint32_t)unpack_number(payload, UINT32_MAX);
	ret->ticks = (uint32_t)unpack_number(payload, CHUNK_TICKS_MOST);
	ret->start_ns = cursor_varint(payload);
	ret->end_ns = cursor_varint(payload);
	ret->size = cursor_left(payload);
}

int record_parse(const void *bytes, size_t count, struct record *ret)
{
	const uint8_t *at = bytes;
	struct cursor head = { .at = at + 1, .end = at + count };
	size_t length;

	ret->size = RECORD_HEAD_BYTES + CRC_BYTES;
	if (count < ret->size)
		return 0;
	length = cursor_u32(&head);
	if (length > PAYLOAD_MOST)
		return -EBADMSG;
	ret->size += length;
	if (count < ret->size)
		return 0;
	ret->type = at[0];
	ret->payload = (struct cursor){ .at = head.at, .end = head.at + length };
	head.at += length;
	return cursor_u32(&head) == crc32c(0, at, RECORD_HEAD_BYTES + length) ? 1 : -EBADMSG;
}

void scan_init(struct scan *scan, int fd, uint64_t offset)
{
	*scan = (struct scan){ .fd = fd, .offset = offset, .buffer_offset = offset };
}

void scan_clear(struct scan *scan)
{
	text_clear(&scan->buffer);
}

/* Drops what was read and reads on. The file's length bounds the memory: a length that points past
 * the end is never made room for at once. */
static ssize_t scan_fill(struct scan *scan)
{
	size_t done = (size_t)(scan->offset - scan->buffer_offset);
	struct text *buffer = &scan->buffer;
	ssize_t got;

	if (done > 0)
		memmove(buffer->data, buffer->data + done, buffer->length - done);
	buffer->length -= done;
	scan->buffer_offset = scan->offset;
	text_room(buffer, SCAN_BYTES);
	do {
		got = pread(scan->fd, buffer->data + buffer->length,
			    buffer->room - 1 - buffer->length,
			    (off_t)(scan->buffer_offset + buffer->length));
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		buffer->length += (size_t)got;
	return got < 0 ? -errno : got;
}

int scan_next(struct scan *scan, struct record *ret)
{
	ssize_t got = 1;
	int r;

	scan->offset += scan->record_size;
	scan->record_size = 0;
	while (got > 0) {
		size_t done = (size_t)(scan->offset - scan->buffer_offset);
		size_t left = scan->buffer.length - done;

		r = left ? record_parse(scan->buffer.data + done, left, ret) : 0;
		if (r < 0)
			break;
		if (r > 0) {
			scan->record_size = ret->size;
			return 1;
		}
		got = scan_fill(scan);
	}
	scan->damaged = got == 0 ? scan->buffer.length > 0 : true;
	return got < 0 ? (int)got : 0;
}
