/* Open addressing with linear steps; a removed place keeps its key, with no item, until the next
 * growth. */
#include "base/map.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

struct map_entry {
	uint64_t key;
	void *item;
	bool used;
};

/* The finaliser of splitmix64: pids that follow each other spread over the table. */
static uint64_t mix(uint64_t key)
{
	key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
	key = (key ^ key >> 27) * 0x94d049bb133111ebu;
	return key ^ key >> 31;
}

static struct map_entry *place(const struct map *map, uint64_t key)
{
	size_t i = mix(key) & (map->room - 1);

	while (map->entries[i].used && map->entries[i].key != key)
		i = (i + 1) & (map->room - 1);
	return &map->entries[i];
}

void *map_find(const struct map *map, uint64_t key)
{
	return map->room ? place(map, key)->item : NULL;
}

static void map_rebuild(struct map *map)
{
	struct map old = *map;

	map->room = 16;
	while (map->room < map->count * 4)
		map->room *= 2;
	map->entries = mem_new(map->room * sizeof(*map->entries));
	map->used = map->count;
	for (size_t i = 0; i < old.room; i++) {
		if (old.entries[i].item)
			*place(map, old.entries[i].key) = old.entries[i];
	}
	free(old.entries);
}

void map_set(struct map *map, uint64_t key, void *item)
{
	struct map_entry *entry;

	if (map->used * 2 >= map->room)
		map_rebuild(map);
	entry = place(map, key);
	map->used += !entry->used;
	map->count += !entry->item;
	*entry = (struct map_entry){ .key = key, .item = item, .used = true };
}

void *map_remove(struct map *map, uint64_t key)
{
	struct map_entry *entry = map->room ? place(map, key) : NULL;
	void *item = entry ? entry->item : NULL;

	if (item) {
		entry->item = NULL;
		map->count--;
	}
	return item;
}

void map_each(struct map *map, void (*call)(void *arg, uint64_t key, void *item), void *arg)
{
	for (size_t i = 0; i < map->room; i++) {
		if (map->entries[i].item)
			call(arg, map->entries[i].key, map->entries[i].item);
	}
}

void map_clear(struct map *map)
{
	free(map->entries);
	*map = (struct map){ 0 };
}

/* FNV-1a */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;
	uint64_t hash = seed ^ 0xcbf29ce484222325u;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3u;
	return hash;
}
