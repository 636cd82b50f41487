/* Ids are handed out one after the other, so the lowest bits of an id are the best hash there is.
 */
#include "series/rows.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void rows_init(struct rows *rows, size_t row_bytes)
{
	*rows = (struct rows){ .row_bytes = row_bytes };
}

/* The slot that holds `id`, or the free one where it belongs. */
static size_t slot_of(const struct rows *rows, uint32_t id)
{
	size_t slot = id & (rows->n_slots - 1);

	while (rows->slots[slot] && rows->heads[rows->slots[slot] - 1].id != id)
		slot = (slot + 1) & (rows->n_slots - 1);
	return slot;
}

ptrdiff_t rows_find(const struct rows *rows, uint32_t id)
{
	return rows->n_slots ? (ptrdiff_t)rows->slots[slot_of(rows, id)] - 1 : -1;
}

static void slots_fill(struct rows *rows)
{
	memset(rows->slots, 0, rows->n_slots * sizeof(*rows->slots));
	for (size_t i = 0; i < rows->count; i++)
		rows->slots[slot_of(rows, rows->heads[i].id)] = (uint32_t)i + 1;
}

static void rows_widen(struct rows *rows)
{
	rows->room = rows->room ? rows->room * 2 : 8;
	rows->heads = mem_resize(rows->heads, rows->room * sizeof(*rows->heads));
	rows->bytes = mem_resize(rows->bytes, rows->room * rows->row_bytes);
	rows->n_slots = rows->room * 2;
	rows->slots = mem_resize(rows->slots, rows->n_slots * sizeof(*rows->slots));
	slots_fill(rows);
}

size_t rows_get(struct rows *rows, uint32_t id)
{
	ptrdiff_t place = rows_find(rows, id);

	if (place >= 0)
		return (size_t)place;
	if (rows->count == rows->room)
		rows_widen(rows);
	rows->slots[slot_of(rows, id)] = (uint32_t)rows->count + 1;
	rows->heads[rows->count] = (struct row_head){ .id = id };
	memset(rows_at(rows, rows->count), 0, rows->row_bytes);
	return rows->count++;
}

void rows_sweep(struct rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (rows->heads[i].gone)
			continue;
		if (kept != i) {
			rows->heads[kept] = rows->heads[i];
			memcpy(rows_at(rows, kept), rows_at(rows, i), rows->row_bytes);
		}
		kept++;
	}
	if (kept == rows->count)
		return;
	rows->count = kept;
	slots_fill(rows);
}

void rows_empty(struct rows *rows)
{
	rows->count = 0;
	if (rows->n_slots)
		slots_fill(rows);
}

void rows_clear(struct rows *rows)
{
	free(rows->heads);
	free(rows->bytes);
	free(rows->slots);
	rows_init(rows, rows->row_bytes);
}
