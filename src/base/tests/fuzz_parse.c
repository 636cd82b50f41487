/* Whatever the text, the parsers end, read nothing behind it, and give finite numbers or none. */
#include "base/compiler.h"
#include "base/mem.h"
#include "base/parse.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void parse_all(const char *text)
{
	uint64_t number;
	int64_t negative;
	double fraction = 0;
	bool is;

	parse_u64(text, &number);
	parse_i64(text, &negative);
	parse_duration(text, &number);
	parse_bytes(text, &number);
	parse_bool(text, &is);
	if (parse_double(text, &fraction) == 0 && !isfinite(fraction))
		abort();
	if (parse_percent(text, &fraction) == 0 && !(isfinite(fraction) && fraction >= 0))
		abort();
}

static void scan_all(const char *text)
{
	const char *cursor = text, *end = text + strlen(text);
	uint64_t number;
	int64_t negative;

	scan_key_u64(text, "VmHWM:", &number);
	while (cursor < end) {
		const char *before = cursor;

		if (scan_u64(&cursor, &number) < 0 && scan_i64(&cursor, &negative) < 0 &&
		    scan_skip(&cursor, 1) < 0)
			cursor++;
		if (cursor <= before || cursor > end)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	CLEANUP(freep) char *text = mem_new(count + 1);

	if (count)
		memcpy(text, bytes, count);
	parse_all(text);
	scan_all(text);
	return 0;
}
