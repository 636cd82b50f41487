/* A table by process id that stays as small as the ids in use: a chunk, or the living. */
#ifndef SERIES_ROWS_H
#define SERIES_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rows {
	size_t row_bytes;
	size_t count, room;
	struct row_head *heads; /* one of each row, in order of coming */
	char *bytes;
	uint32_t *slots; /* place + 1 of a row, found by id; 0: free */
	size_t n_slots;  /* a power of two, at least twice the rows */
};

struct row_head {
	uint32_t id;
	uint32_t mark; /* the owner's; 0 at first */
	bool gone;     /* rows_sweep() takes it away */
};

void rows_init(struct rows *rows, size_t row_bytes);
/* The place of the row of `id`, or -1. */
ptrdiff_t rows_find(const struct rows *rows, uint32_t id);
/* The same, after adding a zeroed row where there was none. Moves rows: pointers go stale. */
size_t rows_get(struct rows *rows, uint32_t id);
void rows_sweep(struct rows *rows);
void rows_empty(struct rows *rows); /* keeps the memory */
void rows_clear(struct rows *rows);

static inline void *rows_at(const struct rows *rows, size_t place)
{
	return rows->bytes + place * rows->row_bytes;
}

#endif
