/* Any bytes as the beginning of a program's file. */
#include "base/mem.h"
#include "source/program.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) char *bytes = mem_new(size); /* not a byte behind the end may be touched */
	struct program program;

	memcpy(bytes, data, size);
	program_parse(bytes, size, &program);
	if (strlen(program.interpreter) >= sizeof(program.interpreter))
		abort();
	return 0;
}
