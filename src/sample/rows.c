#include "sample/rows.h"

#include <stdlib.h>
#include <string.h>

/* So many of one parent and name are shown one by one; a make or a pipeline stays readable, a storm
 * of 10,000 becomes one row. */
#define SINGLES_OF_A_KIND 32
/* A tree with this many different kinds of short processes is folded by name alone. */
#define MOST_ROWS 50000

void rows_touch(struct rows *rows, struct row *row)
{
	if (row->changed)
		return;
	row->changed = true;
	rows->changed = mem_grow(rows->changed, rows->n_changed, &rows->room_changed,
				 sizeof(*rows->changed));
	rows->changed[rows->n_changed++] = row->process.id;
}

struct row *rows_add(struct rows *rows, uint32_t parent, int pid, uint64_t started_ns)
{
	struct row *row = mem_new(sizeof(*row));

	rows->items = mem_grow(rows->items, rows->count, &rows->room, sizeof(struct row *));
	rows->items[rows->count++] = row;
	row->process = (struct process){
		.id = (uint32_t)rows->count,
		.parent = parent,
		.pid = pid,
		.count = 1,
		.started_ns = started_ns,
		.ended_ns = PROCESS_ALIVE,
		.status = PROCESS_STATUS_UNKNOWN,
		.values = mem_new(rows->metrics->n_process * sizeof(struct value)),
	};
	rows_touch(rows, row);
	return row;
}

struct row *rows_find(const struct rows *rows, uint32_t id)
{
	return id > 0 && id <= rows->count ? rows->items[id - 1] : NULL;
}

static void replace(const char **place, const char *text)
{
	char *copy = mem_copy(text);

	free((char *)*place);
	*place = copy;
}

void rows_name(struct rows *rows, struct row *row, const char *name, const char *command)
{
	if (name)
		replace(&row->process.name, name);
	if (command)
		replace(&row->process.command, command);
	rows_touch(rows, row);
}

static uint64_t kind_hash(uint32_t parent, const char *name)
{
	return hash_bytes(parent, name, strlen(name));
}

static struct row *group_of(struct rows *rows, uint32_t parent, const char *name, uint64_t started_ns)
{
	uint64_t hash = kind_hash(rows->count < MOST_ROWS ? parent : 0, name);
	struct row *group = map_find(&rows->groups, hash);

	if (group)
		return group;
	group = rows_add(rows, rows->count < MOST_ROWS ? parent : 0, 0, started_ns);
	group->folded = true;
	group->process.count = 0;
	group->process.ended_ns = 0;
	rows_name(rows, group, name, NULL);
	map_set(&rows->groups, hash, group);
	return group;
}

struct row *rows_fold(struct rows *rows, uint32_t parent, const char *name, uint64_t count,
		      uint64_t started_ns, uint64_t ended_ns)
{
	struct row *group = group_of(rows, parent, name, started_ns);

	group->process.count += count;
	if (started_ns < group->process.started_ns)
		group->process.started_ns = started_ns;
	if (ended_ns > group->process.ended_ns)
		group->process.ended_ns = ended_ns;
	rows_touch(rows, group);
	return group;
}

static void add_values(const struct metrics *metrics, struct value *into, const struct value *values)
{
	for (size_t i = 0; i < metrics->n_process; i++) {
		bool adds = metrics->process[i].kind == KIND_COUNTER;

		if (!value_is(values[i]))
			continue;
		if (adds)
			into[i].number += values[i].number;
		else if (!value_is(into[i]) || values[i].number > into[i].number)
			into[i].number = values[i].number;
		if (into[i].how != HOW_ESTIMATED)
			into[i].how = values[i].how;
	}
}

static void row_free(struct row *row)
{
	if (!row)
		return;
	free((char *)row->process.name);
	free((char *)row->process.command);
	free(row->process.values);
	free(row);
}

void rows_drop(struct rows *rows, struct row *row)
{
	rows->items[row->process.id - 1] = NULL;
	row_free(row);
}

static void fold_row(struct rows *rows, struct row *row)
{
	const struct process *process = &row->process;
	struct row *group = rows_fold(rows, process->parent, process->name, 1, process->started_ns,
				      process->ended_ns);

	add_values(rows->metrics, group->process.values, process->values);
	if (row->most_bytes > group->most_bytes)
		group->most_bytes = row->most_bytes;
	rows_drop(rows, row);
}

void rows_end(struct rows *rows, struct row *row, uint64_t ended_ns, int status)
{
	const char *name = row->process.name ? row->process.name : "";
	uint64_t hash = kind_hash(row->process.parent, name);
	uintptr_t singles = (uintptr_t)map_find(&rows->singles, hash);

	row->process.ended_ns = ended_ns;
	row->process.status = status;
	rows_touch(rows, row);
	if (singles >= SINGLES_OF_A_KIND)
		fold_row(rows, row);
	else
		map_set(&rows->singles, hash, (void *)(singles + 1));
}

void rows_copy(const struct rows *rows, struct facts *facts)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = rows->items[i];
		struct process *copy;
		struct value *values;

		if (!row)
			continue;
		copy = facts_add_process(facts);
		values = copy->values;
		*copy = row->process;
		copy->values = values;
		copy->name = arena_copy(&facts->arena, row->process.name);
		copy->command = arena_copy(&facts->arena, row->process.command);
		memcpy(values, row->process.values, rows->metrics->n_process * sizeof(*values));
	}
}

void rows_clear(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		row_free(rows->items[i]);
	free(rows->items);
	free(rows->changed);
	map_clear(&rows->groups);
	map_clear(&rows->singles);
	*rows = (struct rows){ 0 };
}
