/* Any bytes in $SONDE_MARK: each line is a mark with a name that fits, or none. */
#include "sample/marks.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t count = (size_t)((newline ? newline : end) - at);
		char name[MARK_NAME_BYTES + 1];
		struct mark mark;

		if (mark_parse(at, count, name, &mark) == 0 &&
		    (!memchr(name, 0, sizeof(name)) || mark.name != name || strchr(name, '\n') ||
		     (mark.kind != MARK_END && !*name)))
			abort();
		at += count + 1;
	}
	return 0;
}
