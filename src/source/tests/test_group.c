/* Where a process's cgroup is, by all the ways that a machine may show it. */
#include "source/group.h"
#include "source/tests/helper.h"

#include <errno.h>

#define V2 "32 24 0:28 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define OTHERS                                                                                     \
	"30 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"                                           \
	"31 30 0:9 / /mnt/x rw - cifs //host/cgroup rw,memory\n"
#define MEMORY(root, point) "35 31 0:32 " root " " point " rw shared:3 - cgroup cgroup rw,memory\n"

static const struct {
	const char *cgroup, *mountinfo;
	const char *version, *path; /* of memory; NULL: cannot be seen */
} cases[] = {
	{ "0::/a/b\n", V2, "2", "sys/fs/cgroup/a/b" },
	{ "0::/\n", V2, "2", "sys/fs/cgroup" },
	{ "0::/a b\n", V2, "2", "sys/fs/cgroup/a b" },
	{ "0::/a:b\n", V2, "2", "sys/fs/cgroup/a:b" },
	{ "0::/a", V2, "2", "sys/fs/cgroup/a" },
	{ "0::/a/b\n", OTHERS V2, "2", "sys/fs/cgroup/a/b" },
	{ "4:memory:/x\n0::/a\n", MEMORY("/", "/c/memory") V2, "hybrid", "c/memory/x" },
	{ "4:cpu,memory:/x\n", MEMORY("/", "/c/memory"), "1", "c/memory/x" },
	/* a container without a namespace of its own: the mount shows its part */
	{ "4:memory:/docker/af01\n", MEMORY("/docker/af01", "/c"), "1", "c" },
	{ "4:memory:/docker/af01/x\n", MEMORY("/docker/af01", "/c"), "1", "c/x" },
	{ "4:memory:/docker/af012\n", MEMORY("/docker/af01", "/c"), "1", NULL },
	{ "4:memory:/other\n", MEMORY("/docker/af01", "/c"), "1", NULL },
	/* with one: outside of it there is nothing to be seen */
	{ "4:memory:/..\n", MEMORY("/", "/c"), "1", NULL },
	{ "4:memory:/../../x\n", MEMORY("/", "/c"), "1", NULL },
	{ "4:memory:/\n", MEMORY("/../..", "/c"), "1", NULL },
	{ "4:memory:/../x\n", MEMORY("/..", "/c"), "1", "c/x" },
	{ "4:memory:/../../x\n", MEMORY("/..", "/c"), "1", NULL },
	/* the second mount fits */
	{ "4:memory:/x\n", MEMORY("/y", "/a") MEMORY("/x", "/b"), "1", "b" },
	{ "4:memory:/x\n", MEMORY("/", "/with\\040blank"), "1", "with blank/x" },
	{ "4:memory:/x\n", MEMORY("/", "/with\\04"), "1", "with\\04/x" },
	/* version 1's memory is not mounted here, and version 2 does not have it */
	{ "4:memory:/x\n0::/a\n", V2, "2", NULL },
	{ "4:memory:/x\n0::/a\n", OTHERS, "none", NULL },
	{ "", V2, "2", NULL },
	{ "", "", "none", NULL },
	{ "\n\n::\n0:\n0::\nmemory", V2, "2", NULL },
	{ "0::/a\n", "32 24 0:28 - cgroup2 x rw\n", "none", NULL },
	{ "0::/a\n", "32 24 0:28 / /c rw - cgroup2", "none", NULL },
	{ "0::/a\n", "32 24 0:28 / c rw - cgroup2 x rw\n", "2", NULL },
	{ "0::/a\n", " - cgroup2 x rw\n - cgroup\n - cgroup ", "none", NULL },
};

static void groups_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(group_clear) struct group group;
		const char *path;

		group_parse(cases[i].cgroup, cases[i].mountinfo, &group);
		path = group.places[GROUP_MEMORY].path;
		assert_string_equal(group.version, cases[i].version);
		if (!path != !cases[i].path || (path && strcmp(path, cases[i].path) != 0))
			fail_msg("case %zu: '%s'", i, path ? path : "none");
	}
}

static const struct {
	const char *root;
	double cores; /* 0: no limit */
	uint64_t memory, processes;
} limits[] = {
	{ FIXTURES "guest-cgroup1", 1.5, 512 << 20, 400 },
	{ FIXTURES "desktop-cgroup2", 0, 0, 42000 },
	{ FIXTURES "slurm-cgroup2", 4, 8ull << 30, 0 },
	{ FIXTURES "slurm-cgroup1", 0, 8ull << 30, 0 },
	{ FIXTURES "kubernetes-cgroup2", 1.5, 2ull << 30, 1024 },
	{ FIXTURES "docker-cgroup1", 0.5, 256 << 20, 64 },
	{ FIXTURES "linux-3.10", 0, 0, 0 },
};

static void limits_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(limits); i++) {
		CLEANUP(group_clear) struct group group = { 0 };
		uint64_t memory = 0, processes = 0;
		double cores = 0;
		int r;

		assert_int_equal(group_find(limits[i].root, "self", &group), 0);
		r = group_cores(limits[i].root, &group, &cores);
		assert_int_equal(r, limits[i].cores > 0 ? 0 : -ENOENT);
		assert_true(cores == limits[i].cores);
		r = group_memory(limits[i].root, &group, &memory);
		assert_int_equal(r, limits[i].memory ? 0 : -ENOENT);
		assert_int_equal(memory, limits[i].memory);
		r = group_processes(limits[i].root, &group, &processes);
		assert_int_equal(r, limits[i].processes ? 0 : -ENOENT);
		assert_int_equal(processes, limits[i].processes);
	}
}

static void quota_is_where_it_was_set(void **state)
{
	CLEANUP(group_clear) struct group group = { 0 };
	CLEANUP(freep) char *path = NULL;

	(void)state;
	assert_int_equal(group_find(FIXTURES "slurm-cgroup2", "self", &group), 0);
	path = group_quota_path(FIXTURES "slurm-cgroup2", &group);
	assert_string_equal(path, "sys/fs/cgroup/system.slice/slurmstepd.scope/job_4711");
}

static void missing_files_are_an_error(void **state)
{
	CLEANUP(group_clear) struct group group = { 0 };

	(void)state;
	assert_int_equal(group_find("/nowhere", "self", &group), -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_found),
		cmocka_unit_test(limits_are_found),
		cmocka_unit_test(quota_is_where_it_was_set),
		cmocka_unit_test(missing_files_are_an_error),
	};

	return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
