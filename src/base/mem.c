#include "base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARENA_BLOCK_BYTES 4096

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

static void (*on_failure)(void) = abort;

void mem_on_failure(void (*handler)(void))
{
	on_failure = handler;
}

void mem_fail(void)
{
	on_failure();
	abort();
}

void *mem_new(size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);

	if (!memory)
		mem_fail();
	return memory;
}

void *mem_resize(void *old, size_t bytes)
{
	void *memory = realloc(old, bytes ? bytes : 1);

	if (!memory)
		mem_fail();
	return memory;
}

char *mem_copy(const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(mem_new(bytes), text, bytes);
}

char *mem_copy_n(const char *bytes, size_t count)
{
	char *copy = mem_new(count + 1);

	if (count)
		memcpy(copy, bytes, count);
	return copy;
}

void freep(void *pointer_to_pointer)
{
	void **pointer = pointer_to_pointer;

	free(*pointer);
	*pointer = NULL;
}

void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void *mem_grow(void *items, size_t count, size_t *room, size_t item_bytes)
{
	if (count < *room)
		return items;
	*room = *room ? *room * 2 : 8;
	if (*room > PTRDIFF_MAX / item_bytes)
		mem_fail();
	return mem_resize(items, *room * item_bytes);
}

void *arena_new(struct arena *arena, size_t bytes)
{
	struct arena_block *block = arena->block;
	size_t need = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);

	if (bytes > PTRDIFF_MAX - ARENA_BLOCK_BYTES)
		mem_fail();
	if (!block || block->size - block->used < need) {
		size_t size = need > ARENA_BLOCK_BYTES ? need : ARENA_BLOCK_BYTES;

		block = mem_new(sizeof(*block) + size);
		block->size = size;
		block->next = arena->block;
		arena->block = block;
	}
	block->used += need;
	return block->bytes + block->used - need;
}

char *arena_copy_n(struct arena *arena, const char *bytes, size_t count)
{
	char *copy = arena_new(arena, count + 1);

	if (count)
		memcpy(copy, bytes, count);
	return copy;
}

char *arena_copy(struct arena *arena, const char *text)
{
	return text ? arena_copy_n(arena, text, strlen(text)) : NULL;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	CLEANUP(freep) char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		text = NULL;
		mem_fail();
	}
	return arena_copy_n(arena, text, (size_t)length);
}

void arena_clear(struct arena *arena)
{
	struct arena_block *next;

	for (struct arena_block *block = arena->block; block; block = next) {
		next = block->next;
		free(block);
	}
	arena->block = NULL;
}
