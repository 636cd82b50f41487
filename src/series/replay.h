/* Reads a journal: what a run has left so far, or for good. */
#ifndef SERIES_REPLAY_H
#define SERIES_REPLAY_H

#include "base/err.h"
#include "series/record.h"

struct replay {
	struct origin origin;
	struct facts facts; /* facts, metrics and processes as they are in the journal */
	bool ended;         /* the run's end is there, with all facts */
	bool *estimated[SCOPE_PROCESS + 1]; /* by metric: was it estimated at least once? */
	struct chunk *chunks;               /* that count, in the order of sealing */
	size_t n_chunks, room_chunks;
	struct raw open[STREAM_COUNT]; /* frames that are in no chunk yet */
	uint64_t bytes;                /* up to here all is whole */
	bool damaged;                  /* something follows that is not */

	/* its own */
	struct facts last; /* what stands behind "anew" */
	bool anew;
	struct rows places; /* of process ids */
	struct metric *metrics[SCOPE_PROCESS + 1];
	size_t n_metrics[SCOPE_PROCESS + 1];
	bool settled;  /* the metric tables are complete */
	size_t n_late; /* facts since then */
};

/* Zero it first, end it with replay_clear(), also after an error. `path` is for the error's words.
 * -EBADMSG where it is no journal at all, -EPROTONOSUPPORT where it is of a newer sonde. */
int replay_file(struct replay *replay, int fd, const char *path, struct err *err);
/* More records, from memory; they must live as long as `replay`. */
void replay_bytes(struct replay *replay, const struct text *records);
/* Makes chunks of the open frames, too, and sorts all by time. Then the chunks are all there is. */
void replay_seal(struct replay *replay);
/* Takes all chunks into memory, unless they are more than `most` bytes. Did it? */
bool replay_load(struct replay *replay, int fd, size_t most);
void replay_clear(struct replay *replay);

/* The compressed bytes of a chunk; `buffer` is used where they are in the file. */
int chunk_data(const struct chunk *chunk, int fd, struct text *buffer, const uint8_t **ret);

#endif
