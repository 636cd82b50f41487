/* Memory. Running out of it ends the process (see mem_on_failure), so nobody checks for NULL. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/compiler.h"

#include <stddef.h>

void *mem_new(size_t bytes);                       /* zeroed; the caller frees it with free() */
void *mem_resize(void *old, size_t bytes);         /* as realloc, never NULL */
char *mem_copy(const char *text);                  /* as strdup, never NULL */
char *mem_copy_n(const char *bytes, size_t count); /* adds the final NUL */
void freep(void *pointer_to_pointer);              /* CLEANUP(freep) char *text = NULL; */
void closep(int *fd);                              /* CLEANUP(closep) int fd = -1; */

/* Makes room for one more item of a growing array: items = mem_grow(items, n, &room,
 * sizeof(*items)) */
void *mem_grow(void *items, size_t count, size_t *room, size_t item_bytes);

/* What to do instead of abort() when there is no memory left. `sonde run` sets it to "stop
 * measuring, wait for the program and end with its status". */
void mem_on_failure(void (*handler)(void));
/* For a library that ran out of memory and told us. */
NORETURN void mem_fail(void);

/* An arena owns many small things that go away together. Zero it before first use. */
struct arena {
	struct arena_block *block;
};
void *arena_new(struct arena *arena, size_t bytes);      /* zeroed, aligned for anything */
char *arena_copy(struct arena *arena, const char *text); /* NULL stays NULL */
char *arena_copy_n(struct arena *arena, const char *bytes, size_t count); /* adds the final NUL */
char *arena_format(struct arena *arena, const char *format, ...) PRINTF(2, 3);
void arena_clear(struct arena *arena);

#endif
