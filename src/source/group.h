/* The cgroup that a process is in: where its files are, and which limits hold for it. Versions 1
 * and 2, both at once, and inside of containers. */
#ifndef SOURCE_GROUP_H
#define SOURCE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

enum group_controller {
	GROUP_CPU,
	GROUP_CPUACCT,
	GROUP_MEMORY,
	GROUP_PIDS,
	GROUP_UNIFIED, /* version 2's own tree: pressure, and what is not in version 1 */
	GROUP_CONTROLLERS
};

struct group_place {
	char *mount; /* "sys/fs/cgroup/memory", below the root; NULL: not to be seen from here */
	char *path;  /* the group's directory: the mount, or below it */
	bool unified;
};

struct group {
	struct group_place places[GROUP_CONTROLLERS];
	const char *version; /* "1", "2", "hybrid", "none" */
	char *name;          /* as the kernel calls it: "/system.slice/x.scope"; NULL: not known */
};

/* From the texts of /proc/PID/cgroup and /proc/PID/mountinfo; opens nothing, never fails: what is
 * not there stays NULL. End it with group_clear(). */
void group_parse(const char *cgroup, const char *mountinfo, struct group *ret);
int group_find(const char *root, const char *pid, struct group *ret); /* pid: "self", "123" */
void group_clear(struct group *group);

/* Is this the group of the whole machine? Its figures tell nothing of a program. */
bool group_is_machine(const char *root, const struct group_place *place);

/* The least limit of the group and those that hold it. -ENOENT where there is none. */
int group_cores(const char *root, const struct group *group, double *ret);
int group_memory(const char *root, const struct group *group, uint64_t *ret_bytes);
int group_processes(const char *root, const struct group *group, uint64_t *ret);

/* The directory of the nearest group with a CPU quota (it is that one which counts how long it held
 * us back), or of the group itself where there is no quota. NULL as path is. To be freed. */
char *group_quota_path(const char *root, const struct group *group);

/* What of a group's directory is read, by anybody here; ends with NULL. For capture. */
extern const char *const group_files[];

#endif
