#include "report/grid.h"

#include "base/mem.h"
#include "base/text.h"
#include "report/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN 2         /* blanks between two columns */
#define LEAST_GIVEN_WAY 8 /* columns that the one that gives way keeps */

void grid_init(struct grid *grid, const struct grid_column *columns, size_t count)
{
	*grid = (struct grid){ .columns = columns, .n_columns = count };
}

void grid_add(struct grid *grid, const char *cell)
{
	struct text clean = { 0 };

	text_add(&clean, "");
	words_clean(&clean, cell);
	grid->cells = mem_grow(grid->cells, grid->n_cells, &grid->room, sizeof(*grid->cells));
	grid->cells[grid->n_cells++] = clean.data;
}

static bool has_titles(const struct grid *grid)
{
	for (size_t i = 0; i < grid->n_columns; i++) {
		if (grid->columns[i].title)
			return true;
	}
	return false;
}

static void measure(const struct grid *grid, size_t *ret)
{
	assert(grid->n_columns > 0);
	for (size_t i = 0; i < grid->n_columns; i++)
		ret[i] = grid->columns[i].title ? words_columns(grid->columns[i].title) : 0;
	for (size_t i = 0; i < grid->n_cells; i++) {
		size_t columns = words_columns(grid->cells[i]);

		if (columns > ret[i % grid->n_columns])
			ret[i % grid->n_columns] = columns;
	}
}

static size_t total_width(const struct grid *grid, const size_t *widths)
{
	size_t total = 0;

	for (size_t i = 0; i < grid->n_columns; i++)
		total += widths[i] + (i > 0 && widths[i] > 0 ? BETWEEN : 0);
	return total;
}

/* A column of no width is not printed. */
static void fit(const struct grid *grid, size_t room, size_t *widths)
{
	for (size_t i = grid->n_columns; i-- > 0 && total_width(grid, widths) > room;) {
		size_t over = total_width(grid, widths) - room, least = LEAST_GIVEN_WAY;

		if (grid->columns[i].gives_way && widths[i] > least)
			widths[i] = widths[i] > over + least ? widths[i] - over : least;
		if (grid->columns[i].goes && total_width(grid, widths) > room)
			widths[i] = 0;
	}
	for (size_t i = grid->n_columns; i-- > 1 && total_width(grid, widths) > room;)
		widths[i] = 0;
}

static void add_cell(struct text *line, const struct grid_column *column, const char *cell,
		     size_t width, enum tint tint, const struct look *look)
{
	CLEANUP(text_clear) struct text cut = { 0 };
	size_t blanks;

	words_cut(&cut, cell, width, look);
	blanks = width - words_columns(text_string(&cut));
	tint = cut.length > 0 ? tint : TINT_PLAIN;
	text_add_format(line, "%*s%s%s%s%*s", column->right ? (int)blanks : 0, "",
			look_begin(look, tint), text_string(&cut), look_end(look, tint),
			column->right ? 0 : (int)blanks, "");
}

static void print_row(const struct grid *grid, const char *const *cells, const size_t *widths,
		      int indent, bool title, const struct look *look, FILE *out)
{
	CLEANUP(text_clear) struct text line = { 0 };

	text_add_format(&line, "%*s", indent, "");
	for (size_t i = 0; i < grid->n_columns; i++) {
		if (widths[i] == 0)
			continue;
		if (i > 0)
			text_add_format(&line, "%*s", BETWEEN, "");
		add_cell(&line, &grid->columns[i], cells[i] ? cells[i] : "", widths[i],
			 title ? TINT_STRONG : grid->columns[i].tint, look);
	}
	while (line.length > 0 && line.data[line.length - 1] == ' ')
		line.data[--line.length] = '\0';
	fprintf(out, "%s\n", text_string(&line));
}

static void print_titles(const struct grid *grid, const size_t *widths, int indent,
			 const struct look *look, FILE *out)
{
	CLEANUP(freep) const char **titles = mem_new(grid->n_columns * sizeof(*titles));

	for (size_t i = 0; i < grid->n_columns; i++)
		titles[i] = grid->columns[i].title;
	print_row(grid, titles, widths, indent, true, look, out);
}

void grid_print(const struct grid *grid, int indent, const struct look *look, FILE *out)
{
	CLEANUP(freep) size_t *widths = mem_new(grid->n_columns * sizeof(*widths));

	measure(grid, widths);
	fit(grid, (size_t)(look->columns - indent), widths);
	if (has_titles(grid))
		print_titles(grid, widths, indent, look, out);
	for (size_t i = 0; i + grid->n_columns <= grid->n_cells; i += grid->n_columns)
		print_row(grid, (const char *const *)grid->cells + i, widths, indent, false, look,
			  out);
}

void grid_clear(struct grid *grid)
{
	for (size_t i = 0; i < grid->n_cells; i++)
		free(grid->cells[i]);
	free(grid->cells);
	grid->cells = NULL;
	grid->n_cells = grid->room = 0;
}
