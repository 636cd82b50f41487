/* Any bytes as the end of a program's output. */
#include "source/lastwords.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct lastwords words;

	lastwords_parse(text, size, &words);
	if (words.cause && (words.line < text || words.line + words.length > text + size))
		abort();
	lastwords_add(text, size, &facts);
	if (!words.cause != !facts_text(&facts, "exit", "words"))
		abort();
	return 0;
}
