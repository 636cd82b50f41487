/* Any bytes as /proc/PID/stat: nothing is read out of bounds, and a name that was found stands in
 * the text. */
#include "base/mem.h"
#include "source/stat.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) char *text = mem_new(size + 1);
	struct proc_stat stat;

	memcpy(text, data, size);
	if (proc_stat_parse(text, strlen(text), &stat) < 0)
		return 0;
	if (!memmem(text, size, stat.name, strlen(stat.name)) ||
	    !memchr(stat.name, 0, sizeof(stat.name)))
		abort();
	return 0;
}
