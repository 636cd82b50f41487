/* Any bytes as /proc/PID/cgroup and, behind the first NUL, /proc/PID/mountinfo: a group's directory
 * is always below its mount, and never leaves it. */
#include "base/mem.h"
#include "source/group.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct group_place *place)
{
	size_t mount = place->mount ? strlen(place->mount) : 0;

	if (!place->mount != !place->path)
		abort();
	if (place->path && strncmp(place->path, place->mount, mount) != 0)
		abort();
	if (place->path && strncmp(place->path + mount, "/..", 3) == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) char *cgroup = mem_new(size + 2);
	CLEANUP(group_clear) struct group group;
	size_t length;

	memcpy(cgroup, data, size);
	length = strlen(cgroup);
	group_parse(cgroup, length < size ? cgroup + length + 1 : "", &group);
	for (size_t i = 0; i < GROUP_CONTROLLERS; i++)
		check(&group.places[i]);
	if (!group.version)
		abort();
	return 0;
}
