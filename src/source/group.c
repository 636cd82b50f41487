/* /proc/PID/cgroup, a line for each hierarchy; version 2 has number 0 and no name:
 *	4:memory:/slurm/uid_1000/job_7
 *	2:cpu,cpuacct:/slurm/uid_1000/job_7
 *	0::/user.slice/user-1000.slice/session-2.scope
 * /proc/PID/mountinfo, where a part of a hierarchy (its root) is seen at some directory:
 *	35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
 *	41 31 0:38 /docker/af01 /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw
 *
 * A container may see its own group as "/" (a cgroup namespace, the mount's root is "/" too), or
 * its whole name while the mount shows only that part (the root is its name as well): the name
 * without the root, behind the mount's directory, is right for both. What lies outside of a
 * namespace begins with "/..", and cannot be reached when the root does not. */
#include "source/group.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const controller_names[] = {
	[GROUP_CPU] = "cpu",
	[GROUP_CPUACCT] = "cpuacct",
	[GROUP_MEMORY] = "memory",
	[GROUP_PIDS] = "pids",
};

const char *const group_files[] = {
	"cgroup.events",
	"cgroup.sane_behavior",
	"cpu.stat",
	"cpu.max",
	"cpu.cfs_quota_us",
	"cpu.cfs_period_us",
	"cpuacct.usage",
	"memory.current",
	"memory.peak",
	"memory.max",
	"memory.events",
	"memory.usage_in_bytes",
	"memory.max_usage_in_bytes",
	"memory.limit_in_bytes",
	"memory.oom_control",
	"pids.max",
	"cpu.pressure",
	"memory.pressure",
	"io.pressure",
	NULL,
};

static bool list_has(const char *list, size_t length, const char *name)
{
	size_t name_length = strlen(name);

	for (const char *item = list, *end = list + length; item < end;) {
		const char *comma = memchr(item, ',', (size_t)(end - item));
		const char *stop = comma ? comma : end;

		if ((size_t)(stop - item) == name_length && memcmp(item, name, name_length) == 0)
			return true;
		item = stop + 1;
	}
	return false;
}

/* The group's name in the hierarchy of a controller; NULL for "controller" is version 2's. */
static char *name_find(const char *text, const char *controller)
{
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *first, *second;

		end = strchrnul(line, '\n');
		first = memchr(line, ':', (size_t)(end - line));
		second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
		if (!second || second[1] != '/')
			continue;
		if (controller ? list_has(first + 1, (size_t)(second - first - 1), controller)
			       : strncmp(line, "0::", 3) == 0)
			return mem_copy_n(second + 1, (size_t)(end - second - 1));
	}
	return NULL;
}

/* One word of mountinfo, where blanks and the like are "\040". */
static char *word_take(const char **cursor, const char *end)
{
	const char *c = *cursor;
	char *word = mem_new((size_t)(end - c) + 1), *to = word;

	for (; c < end && *c != ' '; c++) {
		if (*c == '\\' && end - c > 3 && strspn(c + 1, "01234567") >= 3) {
			*to++ = (char)((c[1] - '0') * 64 + (c[2] - '0') * 8 + c[3] - '0');
			c += 3;
		} else {
			*to++ = *c;
		}
	}
	*cursor = c < end ? c + 1 : c;
	return word;
}

struct mount {
	char *root, *point;
	const char *options; /* of the hierarchy: "rw,cpu,cpuacct"; inside of the text */
	size_t options_length;
	bool unified;
};

static void mount_clear(struct mount *mount)
{
	free(mount->root);
	free(mount->point);
	*mount = (struct mount){ 0 };
}

/* Fills in a cgroup's mount, and says whether the line is one. */
static bool mount_parse(const char *line, const char *end, struct mount *mount)
{
	const char *type = memmem(line, (size_t)(end - line), " - cgroup", 9);
	const char *cursor = line;

	if (!type)
		return false;
	for (int i = 0; i < 3; i++) {
		const char *blank = memchr(cursor, ' ', (size_t)(type - cursor));

		if (!blank)
			return false;
		cursor = blank + 1;
	}
	type += strlen(" - cgroup");
	mount->unified = type < end && *type == '2';
	mount->options = memrchr(type, ' ', (size_t)(end - type));
	if (!mount->options || type[mount->unified] != ' ')
		return false;
	mount->options++;
	mount->options_length = (size_t)(end - mount->options);
	mount->root = word_take(&cursor, end);
	mount->point = word_take(&cursor, end);
	return true;
}

static char *path_below(const struct mount *mount, const char *name)
{
	size_t root = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
	const char *rest = name + root;
	char *path = NULL;

	if (strncmp(name, mount->root, root) != 0 || (*rest && *rest != '/') ||
	    strncmp(rest, "/..", 3) == 0 || mount->point[0] != '/')
		return NULL;
	if (asprintf(&path, "%s%s", mount->point + 1, strcmp(rest, "/") == 0 ? "" : rest) < 0)
		return NULL;
	return path;
}

static void place_set(struct group_place *place, const struct mount *mount, const char *name)
{
	if (place->path || !name)
		return;
	place->path = path_below(mount, name);
	if (!place->path)
		return;
	place->mount = mem_copy(mount->point + 1);
	place->unified = mount->unified;
}

static void mount_use(const struct mount *mount, char *const *names, struct group *group)
{
	if (mount->unified) {
		place_set(&group->places[GROUP_UNIFIED], mount, names[GROUP_UNIFIED]);
		return;
	}
	for (size_t i = 0; i < COUNT(controller_names); i++) {
		if (list_has(mount->options, mount->options_length, controller_names[i]))
			place_set(&group->places[i], mount, names[i]);
	}
}

/* Controllers that version 1 does not have are version 2's. */
static void unify(struct group *group, char *const *names)
{
	const struct group_place *unified = &group->places[GROUP_UNIFIED];

	for (size_t i = 0; i < COUNT(controller_names) && unified->path; i++) {
		if (group->places[i].path || names[i])
			continue;
		group->places[i] = (struct group_place){ .mount = mem_copy(unified->mount),
							 .path = mem_copy(unified->path),
							 .unified = true };
	}
}

static void names_find(const char *cgroup, char **names)
{
	for (size_t i = 0; i < COUNT(controller_names); i++)
		names[i] = name_find(cgroup, controller_names[i]);
	names[GROUP_UNIFIED] = name_find(cgroup, NULL);
}

static const char *version_of(bool v1, bool v2)
{
	if (v1 && v2)
		return "hybrid";
	return v1 ? "1" : v2 ? "2" : "none";
}

void group_parse(const char *cgroup, const char *mountinfo, struct group *ret)
{
	char *names[GROUP_CONTROLLERS];
	bool v1 = false, v2 = false;

	*ret = (struct group){ 0 };
	names_find(cgroup, names);
	for (const char *line = mountinfo, *end; *line; line = *end ? end + 1 : end) {
		CLEANUP(mount_clear) struct mount mount = { 0 };

		end = strchrnul(line, '\n');
		if (!mount_parse(line, end, &mount))
			continue;
		v1 = v1 || !mount.unified;
		v2 = v2 || mount.unified;
		mount_use(&mount, names, ret);
	}
	unify(ret, names);
	ret->version = version_of(v1, v2);
	ret->name = names[GROUP_MEMORY] ? take(&names[GROUP_MEMORY]) : take(&names[GROUP_UNIFIED]);
	for (size_t i = 0; i < COUNT(names); i++)
		free(names[i]);
}

int group_find(const char *root, const char *pid, struct group *ret)
{
	CLEANUP(freep) char *cgroup = NULL;
	CLEANUP(freep) char *mounts = NULL;
	char path[64];
	ssize_t r;

	snprintf(path, sizeof(path), "proc/%s/cgroup", pid);
	r = file_read(root, path, &cgroup, NULL);
	if (r < 0)
		return (int)r;
	snprintf(path, sizeof(path), "proc/%s/mountinfo", pid);
	r = file_read(root, path, &mounts, NULL);
	if (r < 0)
		return (int)r;
	group_parse(cgroup, mounts, ret);
	return 0;
}

void group_clear(struct group *group)
{
	for (size_t i = 0; i < GROUP_CONTROLLERS; i++) {
		free(group->places[i].mount);
		free(group->places[i].path);
	}
	free(group->name);
	*group = (struct group){ 0 };
}

static ssize_t file_of(const char *root, const char *path, const char *name, char *ret, size_t size)
{
	CLEANUP(freep) char *full = NULL;
	CLEANUP(closep) int fd = -1;

	if (asprintf(&full, "%s/%s", path, name) < 0)
		return -ENOMEM;
	fd = file_open(root, full, NULL);
	return fd < 0 ? fd : file_reread(fd, ret, size);
}

/* Some files are in every group but the first one, or in that one only. */
bool group_is_machine(const char *root, const struct group_place *place)
{
	char text[256];

	if (!place->path || strcmp(place->path, place->mount) != 0)
		return false;
	if (place->unified)
		return file_of(root, place->path, "cgroup.events", text, sizeof(text)) < 0;
	return file_of(root, place->path, "cgroup.sane_behavior", text, sizeof(text)) >= 0;
}

/* Reads the limit of the group at `path`; negative where it has none. */
typedef int limit_read(const char *root, const char *path, bool unified, double *ret);

/* Cuts the last directory off; false at the top of what is mounted. */
static bool path_up(char *path, const char *mount)
{
	char *slash = strrchr(path, '/');

	if (!slash || (size_t)(slash - path) < strlen(mount))
		return false;
	*slash = '\0';
	return true;
}

static int limit_least(const char *root, const struct group_place *place, limit_read *read,
		       double *ret)
{
	CLEANUP(freep) char *path = NULL;
	double least = 0, limit;
	bool found = false;

	if (!place->path)
		return -ENOENT;
	path = mem_copy(place->path);
	do {
		if (read(root, path, place->unified, &limit) == 0 && (!found || limit < least)) {
			least = limit;
			found = true;
		}
	} while (path_up(path, place->mount));
	if (!found)
		return -ENOENT;
	*ret = least;
	return 0;
}

static int number_read(const char *root, const char *path, const char *name, double *ret)
{
	char text[64];
	uint64_t number;
	ssize_t r = file_of(root, path, name, text, sizeof(text));

	if (r < 0)
		return (int)r;
	r = parse_u64(text, &number); /* "max" and -1 are no limit */
	if (r == 0)
		*ret = (double)number;
	return (int)r;
}

static int cores_read_1(const char *root, const char *path, double *ret)
{
	double quota = 0, period = 0;

	if (number_read(root, path, "cpu.cfs_quota_us", &quota) < 0 ||
	    number_read(root, path, "cpu.cfs_period_us", &period) < 0 || period == 0)
		return -ENOENT;
	*ret = quota / period;
	return 0;
}

static int cores_read(const char *root, const char *path, bool unified, double *ret)
{
	uint64_t quota_us, period_us;
	char text[64];
	const char *cursor = text;

	if (!unified)
		return cores_read_1(root, path, ret);
	if (file_of(root, path, "cpu.max", text, sizeof(text)) < 0 ||
	    scan_u64(&cursor, &quota_us) < 0 || scan_u64(&cursor, &period_us) < 0 || period_us == 0)
		return -ENOENT;
	*ret = (double)quota_us / (double)period_us;
	return 0;
}

/* Version 1 has the largest whole number of pages for "none": 9223372036854771712. */
#define NO_LIMIT_BYTES 4.6e18

static int memory_read(const char *root, const char *path, bool unified, double *ret)
{
	int r = number_read(root, path, unified ? "memory.max" : "memory.limit_in_bytes", ret);

	return r < 0 || *ret >= NO_LIMIT_BYTES ? -ENOENT : 0;
}

static int processes_read(const char *root, const char *path, bool unified, double *ret)
{
	(void)unified;
	return number_read(root, path, "pids.max", ret);
}

int group_cores(const char *root, const struct group *group, double *ret)
{
	return limit_least(root, &group->places[GROUP_CPU], cores_read, ret);
}

int group_memory(const char *root, const struct group *group, uint64_t *ret_bytes)
{
	double bytes;
	int r = limit_least(root, &group->places[GROUP_MEMORY], memory_read, &bytes);

	if (r == 0)
		*ret_bytes = (uint64_t)bytes;
	return r;
}

int group_processes(const char *root, const struct group *group, uint64_t *ret)
{
	double count;
	int r = limit_least(root, &group->places[GROUP_PIDS], processes_read, &count);

	if (r < 0 || count > 1e18)
		return -ENOENT;
	*ret = (uint64_t)count;
	return 0;
}

char *group_quota_path(const char *root, const struct group *group)
{
	const struct group_place *place = &group->places[GROUP_CPU];
	CLEANUP(freep) char *path = NULL;
	double cores;

	if (!place->path)
		return NULL;
	path = mem_copy(place->path);
	do {
		if (cores_read(root, path, place->unified, &cores) == 0)
			return take(&path);
	} while (path_up(path, place->mount));
	return mem_copy(place->path);
}
