/* Any bytes as a record of /dev/kmsg. */
#include "base/mem.h"
#include "source/kernlog.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) char *text = mem_copy_n((const char *)data, size);
	struct kernlog_entry entry;

	kernlog_parse(text, &entry);
	if (strlen(entry.name) >= sizeof(entry.name) ||
	    strlen(entry.object) >= sizeof(entry.object) || !kernlog_fault(&entry))
		abort();
	return 0;
}
