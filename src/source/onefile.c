#include "source/onefile.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool root_is_live(const char *root)
{
	return strcmp(root, "/") == 0;
}

int onefile_open(const char *root, const char *path, void **ret, struct err *err)
{
	CLEANUP(freep) struct kept *kept = mem_new(sizeof(*kept));
	int r = kept_open(kept, root, path, err);

	if (r < 0)
		return r;
	*ret = take(&kept);
	return 0;
}

int onefile_open_pid(const char *root, int pid, const char *name, void **ret, struct err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/%s", pid, name);
	return onefile_open(root, path, ret, err);
}

ssize_t onefile_read(void *state, char *buffer, size_t size, struct err *err)
{
	struct kept *kept = state;
	ssize_t length = kept_read(kept, buffer, size);

	return length < 0 ? err_set(err, (int)length, "'%s'", kept->path) : length;
}

void onefile_close(void *state)
{
	if (state)
		kept_close(state);
	free(state);
}
