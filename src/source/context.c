#include "source/context.h"

#include "base/file.h"
#include "base/mask.h"
#include "base/parse.h"
#include "source/ask.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* Only what changes how a program runs; nobody's secrets are among them, and a value that looks
 * like one is masked all the same. */
static const char *const allowed[] = {
	"PATH",
	"LANG",
	"LC_ALL",
	"TMPDIR",
	"OMP_NUM_THREADS",
	"OMP_PROC_BIND",
	"OMP_PLACES",
	"MKL_NUM_THREADS",
	"OPENBLAS_NUM_THREADS",
	"NUMEXPR_NUM_THREADS",
	"VECLIB_MAXIMUM_THREADS",
	"JULIA_NUM_THREADS",
	"PYTHONPATH",
	"VIRTUAL_ENV",
	"CONDA_DEFAULT_ENV",
	"CONDA_PREFIX",
	"R_LIBS",
	"LD_LIBRARY_PATH",
	"LD_PRELOAD",
	"LOADEDMODULES",
	"MODULEPATH",
	"CUDA_VISIBLE_DEVICES",
	"MALLOC_ARENA_MAX",
};

/* The readers' files. Those of the working directory's git are nobody else's business. */
const char *const context_files[] = {
	"proc/%d/status",
	"proc/%d/cgroup",
	"proc/%d/mountinfo",
	"proc/%d/limits",
	"proc/cpuinfo",
	"proc/meminfo",
	"proc/stat",
	"proc/sys/kernel/hostname",
	"proc/sys/kernel/osrelease",
	"proc/sys/kernel/arch",
	"proc/sys/kernel/random/boot_id",
	"sys/devices/system/cpu/online",
	"sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
	"sys/devices/system/cpu/cpu0/topology/core_siblings_list",
	"sys/class/dmi/id/sys_vendor",
	"sys/class/dmi/id/product_name",
	"sys/hypervisor/type",
	"etc/os-release",
	"etc/passwd",
	".dockerenv",
	"run/.containerenv",
	"run/systemd/container",
	"var/run/secrets/kubernetes.io/serviceaccount/namespace",
	NULL,
};

const char *ask_env(const struct ask *ask, const char *name)
{
	size_t length = strlen(name);

	for (const char *const *entry = ask->environment; entry && *entry; entry++) {
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return (*entry)[length + 1] ? *entry + length + 1 : NULL;
	}
	return NULL;
}

int ask_env_number(const struct ask *ask, const char *name, double *ret)
{
	const char *text = ask_env(ask, name);
	uint64_t number;
	int r = text ? parse_u64(text, &number) : -ENOENT;

	if (r == 0)
		*ret = (double)number;
	return r;
}

char *ask_line(const struct ask *ask, const char *path)
{
	char *text = NULL;

	if (file_read(ask->root, path, &text, NULL) < 0)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

bool ask_exists(const struct ask *ask, const char *path)
{
	CLEANUP(closep) int fd = file_open(ask->root, path, NULL);

	return fd >= 0 || fd == -EACCES;
}

void ask_add_line(const struct ask *ask, struct facts *facts, const char *section, const char *name,
		  const char *path)
{
	CLEANUP(freep) char *line = ask_line(ask, path);

	if (line && *line)
		facts_add_text(facts, section, name, line);
}

/* "alice:x:1000:1000:Alice:/home/alice:/bin/bash". Not getpwuid(3): it may ask a server, and takes
 * as long as that takes. */
static char *user_find(const struct ask *ask, const char *passwd)
{
	for (const char *line = passwd, *end; *line; line = *end ? end + 1 : end) {
		const char *name_end, *cursor;
		uint64_t uid;

		end = strchrnul(line, '\n');
		name_end = memchr(line, ':', (size_t)(end - line));
		cursor = name_end ? memchr(name_end + 1, ':', (size_t)(end - name_end - 1)) : NULL;
		if (!cursor++ || scan_u64(&cursor, &uid) < 0 || *cursor != ':')
			continue;
		if (uid == ask->status.uid)
			return mem_copy_n(line, (size_t)(name_end - line));
	}
	return NULL;
}

static void add_user(const struct ask *ask, struct facts *facts)
{
	CLEANUP(freep) char *passwd = NULL;
	CLEANUP(freep) char *name = NULL;
	char number[24];
	const char *user;

	if (ask->has_status && file_read(ask->root, "etc/passwd", &passwd, NULL) > 0)
		name = user_find(ask, passwd);
	user = name ? name : ask_env(ask, "LOGNAME");
	if (!user)
		user = ask_env(ask, "USER");
	if (!user && !ask->has_status)
		return;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)ask->status.uid);
	facts_add_text(facts, "run", "user", user ? user : number);
}

static void about_run(const struct ask *ask, struct facts *facts)
{
	ask_add_line(ask, facts, "run", "host", "proc/sys/kernel/hostname");
	add_user(ask, facts);
	if (ask->directory)
		facts_add_text(facts, "run", "directory", ask->directory);
}

static void about_environment(const struct ask *ask, struct facts *facts)
{
	for (size_t i = 0; i < COUNT(allowed); i++) {
		const char *value = ask_env(ask, allowed[i]);
		CLEANUP(freep) char *masked = value ? mask_word(value) : NULL;

		if (masked)
			facts_add_text(facts, "environment", allowed[i], masked);
	}
}

static void (*const readers[])(const struct ask *ask, struct facts *facts) = {
	about_run, about_machine, about_limits, about_job, about_git, about_environment,
};

static bool status_read(const char *root, struct proc_status *ret)
{
	CLEANUP(freep) char *text = NULL;

	return file_read(root, "proc/self/status", &text, NULL) > 0 &&
	       proc_status_parse(text, ret) == 0;
}

int context_read_of(const char *root, const char *const *environment, const char *directory,
		    struct facts *facts)
{
	struct ask ask = { .root = root, .environment = environment, .directory = directory };

	if (group_find(root, "self", &ask.group) < 0)
		ask.group.version = "none";
	ask.has_status = status_read(root, &ask.status);
	for (size_t i = 0; i < COUNT(readers); i++)
		readers[i](&ask, facts);
	group_clear(&ask.group);
	return 0;
}

int context_read(const char *root, struct facts *facts)
{
	CLEANUP(freep) char *directory = getcwd(NULL, 0);

	return context_read_of(root, (const char *const *)environ, directory, facts);
}
