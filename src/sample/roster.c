#include "sample/roster.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* So many of one parent and name are shown one by one; a make or a pipeline stays readable, a storm
 * of 10,000 becomes one row. */
#define SINGLES_OF_A_KIND 32
/* A tree with this many different kinds of short processes is folded by name alone. */
#define MOST_ROWS 50000
/* So many more are kept, whatever their kind, because a signal ended them: who asks why a build
 * failed wants the one compiler that crashed. */
#define MOST_KILLED 64

void roster_touch(struct roster *roster, struct row *row)
{
	if (row->changed)
		return;
	row->changed = true;
	roster->changed = mem_grow(roster->changed, roster->n_changed, &roster->room_changed,
				   sizeof(*roster->changed));
	roster->changed[roster->n_changed++] = row->process.id;
}

struct row *roster_add(struct roster *roster, uint32_t parent, int pid, uint64_t started_ns)
{
	struct row *row = mem_new(sizeof(*row));

	roster->items = mem_grow(roster->items, roster->count, &roster->room, sizeof(struct row *));
	roster->items[roster->count++] = row;
	row->process = (struct process){
		.id = (uint32_t)roster->count,
		.parent = parent,
		.pid = pid,
		.count = 1,
		.started_ns = started_ns,
		.ended_ns = PROCESS_ALIVE,
		.status = PROCESS_STATUS_UNKNOWN,
		.values = mem_new(roster->metrics->n_process * sizeof(struct value)),
	};
	roster_touch(roster, row);
	return row;
}

struct row *roster_find(const struct roster *roster, uint32_t id)
{
	return id > 0 && id <= roster->count ? roster->items[id - 1] : NULL;
}

static void replace(const char **place, const char *text)
{
	char *copy = mem_copy(text);

	free((char *)*place);
	*place = copy;
}

void roster_name(struct roster *roster, struct row *row, const char *name, const char *command)
{
	if (name)
		replace(&row->process.name, name);
	if (command)
		replace(&row->process.command, command);
	roster_touch(roster, row);
}

static const char *name_of(const struct row *row)
{
	return row->process.name ? row->process.name : "";
}

static uint64_t kind_hash(uint32_t parent, const char *name)
{
	return hash_bytes(parent, name, strlen(name));
}

static struct row *group_of(struct roster *roster, uint32_t parent, const char *name,
			    uint64_t started_ns)
{
	uint64_t hash = kind_hash(roster->count < MOST_ROWS ? parent : 0, name);
	struct row *group = map_find(&roster->groups, hash);

	if (group)
		return group;
	group = roster_add(roster, roster->count < MOST_ROWS ? parent : 0, 0, started_ns);
	group->folded = true;
	group->process.count = 0;
	group->process.ended_ns = 0;
	roster_name(roster, group, name, NULL);
	map_set(&roster->groups, hash, group);
	return group;
}

struct row *roster_fold(struct roster *roster, uint32_t parent, const char *name, uint64_t count,
			uint64_t started_ns, uint64_t ended_ns)
{
	struct row *group = group_of(roster, parent, name, started_ns);

	group->process.count += count;
	if (started_ns < group->process.started_ns)
		group->process.started_ns = started_ns;
	if (ended_ns > group->process.ended_ns)
		group->process.ended_ns = ended_ns;
	roster_touch(roster, group);
	return group;
}

static void add_values(const struct metrics *metrics, struct value *into,
		       const struct value *values)
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

void roster_drop(struct roster *roster, struct row *row)
{
	roster->items[row->process.id - 1] = NULL;
	row_free(row);
}

static void fold_row(struct roster *roster, struct row *row)
{
	const struct process *process = &row->process;
	struct row *group = roster_fold(roster, process->parent, name_of(row), 1,
					process->started_ns, process->ended_ns);

	add_values(roster->metrics, group->process.values, process->values);
	if (row->most_bytes > group->most_bytes)
		group->most_bytes = row->most_bytes;
	roster_drop(roster, row);
}

static bool is_news(struct roster *roster, int status)
{
	return status != PROCESS_STATUS_UNKNOWN && WIFSIGNALED(status) &&
	       roster->killed++ < MOST_KILLED;
}

void roster_end(struct roster *roster, struct row *row, uint64_t ended_ns, int status)
{
	uint64_t hash = kind_hash(row->process.parent, name_of(row));
	uintptr_t singles = (uintptr_t)map_find(&roster->singles, hash);

	row->process.ended_ns = ended_ns;
	row->process.status = status;
	roster_touch(roster, row);
	if (singles >= SINGLES_OF_A_KIND && !is_news(roster, status))
		fold_row(roster, row);
	else
		map_set(&roster->singles, hash, (void *)(singles + 1));
}

void roster_copy(const struct roster *roster, struct facts *facts)
{
	for (size_t i = 0; i < roster->count; i++) {
		const struct row *row = roster->items[i];
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
		memcpy(values, row->process.values, roster->metrics->n_process * sizeof(*values));
	}
}

void roster_clear(struct roster *roster)
{
	for (size_t i = 0; i < roster->count; i++)
		row_free(roster->items[i]);
	free(roster->items);
	free(roster->changed);
	map_clear(&roster->groups);
	map_clear(&roster->singles);
	*roster = (struct roster){ 0 };
}
