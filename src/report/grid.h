/* A table for people: columns as wide as their widest cell; those that give way, the last first,
 * are cut where the terminal is too narrow; where that is not enough, columns go, the last first.
 * Cells are cleaned when they are added, so that foreign bytes may go straight in. */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include "report/look.h"

#include <stddef.h>

struct grid_column {
	const char *title; /* NULL in all of them: no line of titles */
	bool right;        /* numbers stand to the right */
	bool gives_way;    /* cut where there is no room for all */
	bool goes;         /* with gives_way: away altogether, before those left of it are cut */
	enum tint tint;    /* of its cells */
};

struct grid {
	const struct grid_column *columns; /* borrowed */
	char **cells;                      /* row by row */
	size_t n_columns, n_cells, room;
};

void grid_init(struct grid *grid, const struct grid_column *columns, size_t count);
void grid_add(struct grid *grid, const char *cell); /* the next cell; NULL: an empty one */
/* Every line starts with `indent` blanks; none ends in one. */
void grid_print(const struct grid *grid, int indent, const struct look *look, FILE *out);
void grid_clear(struct grid *grid);

#endif
