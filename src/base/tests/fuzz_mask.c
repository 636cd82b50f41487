/* Any bytes as a command line: nothing is read or written out of bounds, and what was masked once
 * has no secret left that masking would find. */
#include "base/mask.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) char *line = mask_arguments((const char *)data, size);
	CLEANUP(freep) char *again = mask_word(line);

	if (strlen(line) > 4 * size + 3 * 4 + 2)
		abort();
	return again == NULL;
}
