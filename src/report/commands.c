#include "report/page.h"

#include "base/mem.h"
#include "report/grid.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 20
#define UNSEEN 0.001 /* of a total: too little to show in a table of three digits */

struct command {
	const char *name;
	double count;
	struct cost cost;
};

static const char *name_of(const struct command *command)
{
	return command->name ? command->name : "";
}

static int by_name(const void *left, const void *right)
{
	return strcmp(name_of(left), name_of(right));
}

static int by_cpu(const void *left, const void *right)
{
	const struct command *a = left, *b = right;

	if (a->cost.cpu_s.number != b->cost.cpu_s.number)
		return a->cost.cpu_s.number > b->cost.cpu_s.number ? -1 : 1;
	return by_name(left, right);
}

static void add(struct command *to, const struct command *more)
{
	to->count += more->count;
	page_cost_add(&to->cost, &more->cost);
}

/* One for each name, the costliest first. Returns how many. */
static size_t gather(const struct facts *facts, struct command **ret)
{
	struct command *list = mem_new(facts->n_processes * sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < facts->n_processes; i++) {
		const struct process *process = &facts->processes[i];

		list[i] = (struct command){ .name = process->name,
					    .count = (double)process->count,
					    .cost = page_cost(facts, process) };
	}
	qsort(list, facts->n_processes, sizeof(*list), by_name);
	for (size_t i = 0; i < facts->n_processes; i++) {
		if (count > 0 && by_name(&list[count - 1], &list[i]) == 0)
			add(&list[count - 1], &list[i]);
		else
			list[count++] = list[i];
	}
	qsort(list, count, sizeof(*list), by_cpu);
	*ret = list;
	return count;
}

static void add_row(struct grid *grid, const struct command *command, double total_cpu_s)
{
	const struct cost *cost = &command->cost;
	char words[HUMAN_BYTES];

	grid_add(grid, command->name ? command->name : "(no name)");
	grid_add(grid, isnan(command->count) ? "-" : human_count(command->count, words));
	grid_add(grid, page_value("cpu_s", UNIT_SECONDS, cost->cpu_s, words));
	grid_add(grid, value_is(cost->cpu_s) && total_cpu_s > 0
			   ? human_percent(cost->cpu_s.number / total_cpu_s, words)
			   : "-");
	grid_add(grid, page_value("memory_bytes", UNIT_BYTES, cost->memory_bytes, words));
	grid_add(grid, page_value("io_read_bytes", UNIT_BYTES, cost->read_bytes, words));
	grid_add(grid, page_value("io_write_bytes", UNIT_BYTES, cost->write_bytes, words));
}

/* What the run used and no row has (sign 1), or the rows have more of than the run used (-1).
 * Absent where that is too small to be seen in the table. */
static struct value rest(const struct facts *facts, const char *name, struct value seen, int sign,
			 double unseen)
{
	struct value total = facts_value(facts, "totals", name);
	double left = total.number - (value_is(seen) ? seen.number : 0);

	if (!value_is(total) || left * sign <= unseen * fabs(total.number))
		return value_absent();
	total.number = left;
	return total;
}

/* Rows add up to the totals of the run, so what is missing or was counted twice is a row as well.
 */
static bool find_rest(const struct facts *facts, const struct command *seen, int sign,
		      struct command *ret)
{
	struct value count = rest(facts, "processes", value_read(seen->count), sign, 0);
	struct cost cost = {
		.cpu_s = rest(facts, "cpu_s", seen->cost.cpu_s, sign, UNSEEN),
		.read_bytes = rest(facts, "io_read_bytes", seen->cost.read_bytes, sign, UNSEEN),
		.write_bytes = rest(facts, "io_write_bytes", seen->cost.write_bytes, sign, UNSEEN),
	};

	*ret = (struct command){ .name = sign > 0 ? "(not seen)" : "(counted twice)",
				 .count = value_is(count) ? count.number : NAN,
				 .cost = cost };
	return value_is(count) || value_is(cost.cpu_s) || value_is(cost.read_bytes) ||
	       value_is(cost.write_bytes);
}

static struct value total_or(const struct facts *facts, const char *name, struct value sum)
{
	struct value total = facts_value(facts, "totals", name);

	return value_is(total) ? total : sum;
}

static void add_total(struct grid *grid, const struct facts *facts, const struct command *seen,
		      double cpu_s)
{
	struct command total = {
		.name = "all together",
		.count = total_or(facts, "processes", value_read(seen->count)).number,
		.cost = { .cpu_s = total_or(facts, "cpu_s", seen->cost.cpu_s),
			  .memory_bytes = facts_value(facts, "totals", "memory_tree_peak_bytes"),
			  .read_bytes = total_or(facts, "io_read_bytes", seen->cost.read_bytes),
			  .write_bytes = total_or(facts, "io_write_bytes",
						  seen->cost.write_bytes) },
	};

	add_row(grid, &total, cpu_s);
}

/* The costliest, the others in one row, and what no row has. */
static void add_rows(struct grid *grid, const struct facts *facts, const struct command *list,
		     size_t count)
{
	struct command seen = { 0 }, others = { .name = "(all others)" }, left;
	double cpu_s;

	for (size_t i = 0; i < count; i++)
		add(&seen, &list[i]);
	cpu_s = total_or(facts, "cpu_s", seen.cost.cpu_s).number;
	for (size_t i = 0; i < count; i++) {
		if (i < ROWS)
			add_row(grid, &list[i], cpu_s);
		else
			add(&others, &list[i]);
	}
	if (count > ROWS)
		add_row(grid, &others, cpu_s);
	for (int sign = 1; sign >= -1; sign -= 2) {
		if (find_rest(facts, &seen, sign, &left))
			add_row(grid, &left, cpu_s);
	}
	add_total(grid, facts, &seen, cpu_s);
}

void page_commands(const struct facts *facts, const struct look *look, FILE *out)
{
	static const struct grid_column columns[] = {
		{ .title = "by command", .gives_way = true },
		{ .title = "processes", .right = true },
		{ .title = "CPU time", .right = true },
		{ .title = "share", .right = true },
		{ .title = "peak memory", .right = true },
		{ .title = "read", .right = true },
		{ .title = "written", .right = true },
	};
	CLEANUP(freep) struct command *list = NULL;
	CLEANUP(grid_clear) struct grid grid;
	size_t count = gather(facts, &list);

	grid_init(&grid, columns, COUNT(columns));
	add_rows(&grid, facts, list, count);
	grid_print(&grid, 0, look, out);
}
