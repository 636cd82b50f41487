#include "store/store.h"

#include "base/mem.h"
#include "base/opt.h"
#include "base/parse.h"
#include "base/text.h"
#include "series/series.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".sonde"
#define JOURNAL ".journal"
#define SURE_PREFIX 4 /* digits of an id that are hardly somebody's name for a run */
#define LISTED 6      /* candidates that an error names */

static bool is_path(const char *what)
{
	return strchr(what, '/') || ends_in(what, SUFFIX) || ends_in(what, JOURNAL);
}

/* A path names the recording, its journal, or the recording without its suffix. */
static int find_path(const char *what, char **ret, struct err *err)
{
	static const char *const tails[] = { "", SUFFIX, JOURNAL, SUFFIX JOURNAL };
	CLEANUP(text_clear) struct text path = { 0 };

	for (size_t i = 0; i < COUNT(tails); i++) {
		path.length = 0;
		text_add_format(&path, "%s%s", what, tails[i]);
		if (access(path.data, F_OK) < 0)
			continue;
		if (ends_in(path.data, JOURNAL))
			path.data[path.length - strlen(JOURNAL)] = '\0';
		*ret = take(&path.data);
		return 0;
	}
	err_set(err, -ENOENT, "'%s'", what);
	err_hint(err, "'sonde history' lists the runs that are recorded");
	return -ENOENT;
}

static int find_place(const struct store_list *list, uint64_t place, char **ret, struct err *err)
{
	if (place >= 1 && place <= list->count) {
		*ret = mem_copy(list->entries[place - 1].path);
		return 0;
	}
	if (list->count == 0) {
		err_say(err, -ENOENT, "there are no recordings yet");
		err_hint(err, "'sonde run CMD' makes one");
	} else {
		err_say(err, -ENOENT, "there is no run '@%llu': only %zu recorded",
			(unsigned long long)place, list->count);
		err_hint(err, "'sonde history' lists them");
	}
	return -ENOENT;
}

static bool has_prefix(const struct store_entry *entry, const char *what)
{
	return strncmp(entry->id, what, strlen(what)) == 0;
}

static int ambiguous(const struct store_list *list, const char *what, size_t count, struct err *err)
{
	CLEANUP(text_clear) struct text ids = { 0 };
	size_t named = 0;

	for (size_t i = 0; i < list->count && named < LISTED; i++) {
		if (has_prefix(&list->entries[i], what))
			text_add_format(&ids, "%s%s", named++ ? ", " : "", list->entries[i].id);
	}
	err_say(err, -ENOTUNIQ, "'%s' could be %zu runs: %s%s", what, count, text_string(&ids),
		count > named ? ", ..." : "");
	err_hint(err, "one more digit decides; 'sonde history' shows what they were");
	return -ENOTUNIQ;
}

/* 1 where found, 0 where no id begins so. */
static int find_id(const struct store_list *list, const char *what, char **ret, struct err *err)
{
	const struct store_entry *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!has_prefix(&list->entries[i], what))
			continue;
		if (strcmp(list->entries[i].id, what) == 0) {
			*ret = mem_copy(list->entries[i].path);
			return 1;
		}
		if (found && strcmp(found->id, list->entries[i].id) == 0)
			continue; /* a copy of it */
		found = &list->entries[i];
		count++;
	}
	if (count > 1)
		return ambiguous(list, what, count, err);
	if (found)
		*ret = mem_copy(found->path);
	return found != NULL;
}

/* Names and ids met on the way: one of them may be what was meant. */
struct known {
	struct arena arena;
	const char **names;
	size_t count, room;
};

static void known_add(struct known *known, const char *name)
{
	known->names = mem_grow(known->names, known->count, &known->room, sizeof(*known->names));
	known->names[known->count++] = arena_copy(&known->arena, name);
}

static void known_clear(struct known *known)
{
	freep(&known->names);
	arena_clear(&known->arena);
}

static void add_path(struct store_list *list, const char *path)
{
	list->entries = mem_grow(list->entries, list->count, &list->room, sizeof(*list->entries));
	list->entries[list->count++] = (struct store_entry){ .path = mem_copy(path) };
}

/* Opens one recording after the other, newest first, until one has that name, or all of them; those
 * that cannot be read have no name. */
static void find_name(const struct store_list *list, const char *what, bool all,
		      struct known *known, struct store_list *ret)
{
	for (size_t i = 0; i < list->count && (all || ret->count == 0); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		const char *name;

		known_add(known, list->entries[i].id);
		if (recording_read(list->entries[i].path, 0, &facts, NULL) < 0)
			continue;
		name = facts_text(&facts, "run", "name");
		if (!name || !*name)
			continue;
		if (strcmp(name, what) == 0)
			add_path(ret, list->entries[i].path);
		known_add(known, name);
	}
}

static int unknown(const char *what, struct known *known, struct err *err)
{
	const char *near;

	known_add(known, NULL);
	near = nearest(what, known->names);
	err_say(err, -ENOENT, "there is no run '%s': it is neither an id nor the name of one",
		what);
	if (near)
		err_hint(err, "did you mean '%s'? 'sonde history' lists all", near);
	else
		err_hint(err, "'sonde history' lists the runs that are recorded");
	return -ENOENT;
}

static int find_run(const struct store_list *list, const char *what, bool all,
		    struct store_list *ret, struct err *err)
{
	CLEANUP(known_clear) struct known known = { 0 };
	CLEANUP(freep) char *path = NULL;
	bool sure = strlen(what) >= SURE_PREFIX;
	int r = sure ? find_id(list, what, &path, err) : 0;

	if (r == 0)
		find_name(list, what, all, &known, ret);
	if (r == 0 && ret->count > 0)
		return 0;
	if (r == 0 && !sure && *what)
		r = find_id(list, what, &path, err);
	if (r > 0)
		add_path(ret, path);
	else if (r == 0)
		r = unknown(what, &known, err);
	return r < 0 ? r : 0;
}

static int find(const char *what, bool all, struct store_list *ret, struct err *err)
{
	CLEANUP(store_list_clear) struct store_list list = { 0 };
	CLEANUP(freep) char *path = NULL;
	uint64_t place = 1;
	int r;

	if (what && is_path(what)) {
		r = find_path(what, &path, err);
	} else {
		r = store_list(&list, err);
		if (r < 0)
			return r;
		if (what && strcmp(what, "last") != 0 &&
		    (what[0] != '@' || parse_u64(what + 1, &place) < 0))
			return find_run(&list, what, all, ret, err);
		r = find_place(&list, place, &path, err);
	}
	if (r == 0)
		add_path(ret, path);
	return r;
}

int store_find(const char *what, char **ret, struct err *err)
{
	CLEANUP(store_list_clear) struct store_list found = { 0 };
	int r = find(what, false, &found, err);

	if (r == 0)
		*ret = take(&found.entries[0].path);
	return r;
}

int store_find_all(const char *what, struct store_list *ret, struct err *err)
{
	CLEANUP(store_list_clear) struct store_list found = { 0 };
	int r = find(what, true, &found, err);

	for (size_t i = 0; r == 0 && i < found.count; i++)
		add_path(ret, found.entries[i].path);
	return r;
}
