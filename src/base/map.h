/* A hash map from a number (a pid, a hash) to a pointer. Zero it before first use. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_entry *entries;
	size_t count, used, room; /* used: filled places, removed ones included */
};

void *map_find(const struct map *map, uint64_t key);     /* NULL where there is none */
void map_set(struct map *map, uint64_t key, void *item); /* item is not NULL */
void *map_remove(struct map *map, uint64_t key);         /* what was there, or NULL */
/* Calls for every item, in no order. The callback may remove the item it was called with. */
void map_each(struct map *map, void (*call)(void *arg, uint64_t key, void *item), void *arg);
void map_clear(struct map *map); /* the items are the caller's */

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t count);

#endif
