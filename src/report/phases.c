/* The table of phases:
 *	phases                       time  share  cores   memory    read  written
 *	  (before the first mark)  120 ms    1 %   0.98   12 MiB    3 MB      0 B
 *	  load                     12.1 s   24 %      1  5.2 GiB  1.9 GB      0 B
 *	  train                    37.4 s   75 %   ~3.9    6 GiB     0 B    12 kB
 *	    epoch x 12             37.1 s   74 %   ~3.9    6 GiB     0 B   ~12 kB
 * Repetitions of one name below one parent are one row; a wide terminal has the longest of them. */
#include "report/page.h"

#include "base/map.h"
#include "model/phase.h"
#include "report/grid.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 40
#define WIDE 100     /* columns */
#define DEPTH_MOST 8 /* deeper ones are not indented further */

struct row {
	const struct phase *first;
	ptrdiff_t parent; /* row */
	ptrdiff_t child, last_child, next;
	size_t count;
	double longest_s;
	struct value values[PHASE_FIGURES];
};

struct rows {
	struct row *list;
	size_t count;
	ptrdiff_t first, last; /* at the outermost level */
	struct map by_name;    /* of parent and name: place + 1 of the row */
};

/* Two names of one hash would share a row; of 2^64 hashes, no run meets that. */
static uint64_t key_of(ptrdiff_t parent, const char *name)
{
	return hash_bytes((uint64_t)(parent + 2) * 0x9e3779b97f4a7c15u, name, strlen(name));
}

static size_t row_add(struct rows *rows, const struct phase *phase, ptrdiff_t parent)
{
	size_t place = rows->count++;
	ptrdiff_t *last = parent < 0 ? &rows->last : &rows->list[parent].last_child;
	ptrdiff_t *first = parent < 0 ? &rows->first : &rows->list[parent].child;

	rows->list[place] = (struct row){
		.first = phase, .parent = parent, .child = -1, .last_child = -1, .next = -1
	};
	if (*last >= 0)
		rows->list[*last].next = (ptrdiff_t)place;
	else
		*first = (ptrdiff_t)place;
	*last = (ptrdiff_t)place;
	return place;
}

static void row_take(struct row *row, const struct phase *phase)
{
	double wall_s = phase->values[PHASE_WALL].number;

	if (row->count++ == 0)
		memcpy(row->values, phase->values, sizeof(row->values));
	else
		phase_values_add(row->values, phase->values);
	row->longest_s = wall_s > row->longest_s ? wall_s : row->longest_s;
}

static void gather(struct rows *rows, const struct facts *facts)
{
	CLEANUP(freep) size_t *row_of = mem_new(facts->n_phases * sizeof(*row_of));

	*rows = (struct rows){ .first = -1, .last = -1 };
	rows->list = mem_new(facts->n_phases * sizeof(*rows->list));
	for (size_t i = 0; i < facts->n_phases; i++) {
		const struct phase *phase = &facts->phases[i];
		ptrdiff_t parent = phase->parent < 0 ? -1 : (ptrdiff_t)row_of[phase->parent];
		uint64_t key = key_of(parent, phase->name);
		struct row *row = map_find(&rows->by_name, key);

		if (!row) {
			row = &rows->list[row_add(rows, phase, parent)];
			map_set(&rows->by_name, key, row);
		}
		row_of[i] = (size_t)(row - rows->list);
		row_take(row, phase);
	}
	map_clear(&rows->by_name);
}

/* Who is shown of too many: the longest, and whoever they are inside of. */
struct ranked {
	const struct row *row;
};

static int by_time(const void *left, const void *right)
{
	const struct row *a = ((const struct ranked *)left)->row;
	const struct row *b = ((const struct ranked *)right)->row;
	double difference = a->values[PHASE_WALL].number - b->values[PHASE_WALL].number;

	if (difference != 0)
		return difference > 0 ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool *choose(const struct rows *rows)
{
	CLEANUP(freep) struct ranked *order = mem_new(rows->count * sizeof(*order));
	bool *shown = mem_new(rows->count * sizeof(*shown));

	for (size_t i = 0; i < rows->count; i++)
		order[i].row = &rows->list[i];
	qsort(order, rows->count, sizeof(*order), by_time);
	for (size_t i = 0; i < rows->count && i < ROWS; i++) {
		ptrdiff_t place = order[i].row - rows->list;

		for (; place >= 0 && !shown[place]; place = rows->list[place].parent)
			shown[place] = true;
	}
	return shown;
}

/* Memory is what was seen at looks, and needs no sign: every table of it is. */
static void add_figure(struct grid *grid, const struct row *row, enum phase_figure figure)
{
	struct value value = row->values[figure];
	char words[HUMAN_BYTES] = "~", *number = words;

	if (value.how == HOW_ESTIMATED && figure != PHASE_MEMORY_TREE)
		number++;
	page_value(phase_name(figure), phase_unit(figure), value, number);
	grid_add(grid, words);
}

static void add_name(struct grid *grid, const struct row *row)
{
	CLEANUP(text_clear) struct text name = { 0 };
	unsigned depth = row->first->depth < DEPTH_MOST ? row->first->depth : DEPTH_MOST;
	char count[HUMAN_BYTES];

	text_add_format(&name, "%*s%s", (int)(2 + 2 * depth), "", row->first->name);
	if (row->count > 1)
		text_add_format(&name, " x %s", human_count((double)row->count, count));
	grid_add(grid, text_string(&name));
}

static void add_row(struct grid *grid, const struct row *row, double run_s, bool wide)
{
	char words[HUMAN_BYTES];

	add_name(grid, row);
	add_figure(grid, row, PHASE_WALL);
	if (wide)
		grid_add(grid, row->count > 1 ? human_duration(row->longest_s, words) : "");
	grid_add(grid,
		 run_s > 0 ? human_percent(row->values[PHASE_WALL].number / run_s, words) : "-");
	add_figure(grid, row, PHASE_CORES_MEAN);
	add_figure(grid, row, PHASE_MEMORY_TREE);
	add_figure(grid, row, PHASE_READ);
	add_figure(grid, row, PHASE_WRITE);
}

static bool is_rough(const struct row *row)
{
	return row->values[PHASE_CORES_MEAN].how == HOW_ESTIMATED ||
	       row->values[PHASE_READ].how == HOW_ESTIMATED ||
	       row->values[PHASE_WRITE].how == HOW_ESTIMATED;
}

/* Depth first: the next row is the first child, or the next one of whoever has one. */
static ptrdiff_t next_row(const struct rows *rows, ptrdiff_t place)
{
	if (rows->list[place].child >= 0)
		return rows->list[place].child;
	while (place >= 0 && rows->list[place].next < 0)
		place = rows->list[place].parent;
	return place < 0 ? -1 : rows->list[place].next;
}

static void print_rows(const struct rows *rows, double run_s, const struct look *look, FILE *out)
{
	static const struct grid_column narrow[] = {
		{ .title = "phases", .gives_way = true }, { .title = "time", .right = true },
		{ .title = "share", .right = true },      { .title = "cores", .right = true },
		{ .title = "memory", .right = true },     { .title = "read", .right = true },
		{ .title = "written", .right = true },
	};
	struct grid_column columns[COUNT(narrow) + 1];
	CLEANUP(freep) bool *shown = choose(rows);
	CLEANUP(grid_clear) struct grid grid;
	bool wide = look->columns >= WIDE, rough = false;
	size_t left_out = 0;

	memcpy(columns, narrow, sizeof(narrow));
	if (wide) {
		columns[2] = (struct grid_column){ .title = "longest", .right = true };
		memcpy(columns + 3, narrow + 2, sizeof(narrow) - 2 * sizeof(*narrow));
	}
	grid_init(&grid, columns, COUNT(narrow) + wide);
	for (ptrdiff_t i = rows->first; i >= 0; i = next_row(rows, i)) {
		if (shown[i])
			add_row(&grid, &rows->list[i], run_s, wide);
		rough = rough || (shown[i] && is_rough(&rows->list[i]));
		left_out += !shown[i];
	}
	grid_print(&grid, 0, look, out);
	if (left_out > 0)
		fprintf(out, "  and %zu shorter ones; sonde show --json has all\n", left_out);
	if (rough)
		fprintf(out, "  ~ about: it began or ended between two looks, or was too short\n");
}

void page_phases(const struct facts *facts, const struct look *look, FILE *out)
{
	struct rows rows;

	if (facts->n_phases == 0)
		return;
	gather(&rows, facts);
	fprintf(out, "\n");
	print_rows(&rows, facts_value(facts, "totals", "wall_s").number, look, out);
	free(rows.list);
}
