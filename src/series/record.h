/* The records of a journal. docs/recording.md has the format. */
#ifndef SERIES_RECORD_H
#define SERIES_RECORD_H

#include "base/text.h"
#include "base/varint.h"
#include "model/facts.h"
#include "series/frame.h"
#include "series/origin.h"

#define JOURNAL_MAGIC "sonde.j\n"
#define JOURNAL_VERSION 2     /* 2: marks */
#define JOURNAL_HEAD_BYTES 12 /* the magic, and the version as 32 bits */

#define RECORD_HEAD_BYTES 5 /* type and length */

enum record_type {
	RECORD_WRITER = 'W', /* who writes */
	RECORD_METRIC = 'M', /* a row of a metric table */
	RECORD_FACT = 'F',
	RECORD_PROCESS = 'P', /* the last one of an id wins */
	RECORD_MARK = 'K',
	RECORD_FIRST = 'T', /* the first frame of a chunk */
	RECORD_TICK = 't',  /* a further one */
	RECORD_CHUNK = 'C', /* frames, compressed; those of its stream that stand before are void */
	RECORD_PENDING = 'c',   /* a folded chunk, which counts only once the next one follows */
	RECORD_FOLDED = 'D',    /* the pending ones count, the chunks they were made of are void */
	RECORD_ESTIMATED = 'E', /* a metric was estimated at least once */
	RECORD_ANEW = 'R',      /* the facts that follow, up to the end, replace those before */
	RECORD_END = 'Z',
};

struct chunk {
	enum stream stream;
	unsigned tier;
	uint32_t seq; /* counts in its stream and tier */
	uint32_t ticks;
	uint64_t start_ns, end_ns;
	size_t size;         /* of the compressed bytes */
	uint64_t offset;     /* where they are in the journal */
	const uint8_t *data; /* or in memory; NULL: in the journal */
	bool pending;        /* folded, but what it replaces is still valid */
};

/* Adds a record: begin, add the payload, end with what begin returned. */
size_t record_begin(struct text *out, enum record_type type);
void record_end(struct text *out, size_t start);

void record_writer(struct text *out, const struct origin *origin);
void record_metric(struct text *out, const struct metric *metric);
void record_fact(struct text *out, const struct fact *fact);
void record_process(struct text *out, const struct process *process, size_t n_metrics);
void record_mark(struct text *out, const struct mark *mark);
void record_estimated(struct text *out, enum scope scope, size_t metric);
void record_folded(struct text *out, enum stream stream, unsigned tier, uint32_t last_seq);
/* Sets chunk->size, and returns at how many bytes from the record's start the data begin. */
size_t record_chunk(struct text *out, struct chunk *chunk, const void *data, size_t size);

struct record {
	enum record_type type;
	struct cursor payload;
	size_t size; /* with head and CRC */
};
/* 1: there is one at `bytes`; 0: it is not all there, ret->size is what it needs at least;
 * -EBADMSG: it is none, or damaged. */
int record_parse(const void *bytes, size_t count, struct record *ret);

/* Reads the payload. Strings go to `arena`. Look at payload->bad afterwards. */
void origin_unpack(struct cursor *payload, struct arena *arena, struct origin *ret);
void metric_unpack(struct cursor *payload, struct arena *arena, struct metric *ret);
void fact_unpack(struct cursor *payload, struct arena *arena, struct fact *ret);
/* ret->values has room for n_metrics; NULL: they are skipped. */
void process_unpack(struct cursor *payload, struct arena *arena, size_t n_metrics,
		    struct process *ret);
void mark_unpack(struct cursor *payload, struct arena *arena, struct mark *ret);
/* Leaves the payload at its data. */
void chunk_unpack(struct cursor *payload, struct chunk *ret);

/* The values of a process, as one piece: for each metric how it was got, and the number. */
void values_pack(struct text *out, const struct value *values, size_t count);
void values_unpack(struct cursor *cursor, struct value *ret, size_t count);

/* Reads a journal from its start, one record after the other. */
struct scan {
	int fd;
	uint64_t offset; /* of the record that was read last; at the end: of what is no record */
	bool damaged;    /* bytes are left that are no record: a torn tail, or worse */
	struct text buffer;
	uint64_t buffer_offset;
	size_t record_size;
};
void scan_init(struct scan *scan, int fd, uint64_t offset);
int scan_next(struct scan *scan, struct record *ret); /* 1, 0 at the end, or an errno of reading */
void scan_clear(struct scan *scan);

#endif
