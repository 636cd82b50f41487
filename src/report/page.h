/* The parts of what `sonde show` prints. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "model/facts.h"
#include "report/grid.h"
#include "report/look.h"

#include <stdio.h>

/* A row for each program: how many processes, their CPU, memory, I/O. Rows add up to the run's
 * totals; what no process row accounts for has a row of its own. */
void page_commands(const struct facts *facts, const struct look *look, FILE *out);

/* Who started whom. In short: the costliest branches, processes of one name below one parent in one
 * line. Else every recorded row. */
void page_tree(const struct facts *facts, bool in_short, const struct look *look, FILE *out);

/* A row for each phase that the run's marks cut it into: how long, how often, CPU, memory, I/O,
 * with an empty line before it. Nothing where there are no marks. */
void page_phases(const struct facts *facts, const struct look *look, FILE *out);

/* What people want to know of one process: by process_metrics, whatever of them was read. */
struct cost {
	struct value cpu_s, memory_bytes, read_bytes, write_bytes;
};
struct cost page_cost(const struct facts *facts, const struct process *process);
/* CPU and I/O add up, of memory the larger stays. */
void page_cost_add(struct cost *sum, const struct cost *more);

/* Recordings with the room that they take: a row for each. */
#define PAGE_SIZE_COLUMNS 4
extern const struct grid_column page_size_columns[PAGE_SIZE_COLUMNS];
void page_size_row(struct grid *grid, const struct look *look, const char *id,
		   const struct facts *facts, uint64_t bytes);

/* The words for a value, "-" where it is absent. */
const char *page_value(const char *name, enum unit unit, struct value value, char *ret);

#endif
