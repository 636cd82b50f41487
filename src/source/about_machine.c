/* /proc/cpuinfo is a block of lines for each core; the first is enough:
 *	model name	: AMD EPYC 7763 64-Core Processor
 *	flags		: fpu vme ... hypervisor ...
 * POWER says "cpu", RISC-V "uarch", MIPS "cpu model"; 64-bit ARM has numbers only:
 *	CPU implementer	: 0x41
 *	CPU part	: 0xd0c
 * On some kernels it costs 10 ms to make (it asks every core for its clock), none of it on a CPU.
 */
#include "source/ask.h"

#include "base/file.h"
#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *const model_keys[] = { "model name", "cpu model", "uarch", "cpu", "Processor" };

/* The value of "key<blanks>: value" in `text`, without its newline; to be freed. */
static char *field_find(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *colon;

		end = strchrnul(line, '\n');
		if (strncmp(line, key, length) != 0)
			continue;
		colon = line + length + strspn(line + length, " \t");
		if (colon >= end || *colon != ':')
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		return colon < end ? mem_copy_n(colon, (size_t)(end - colon)) : NULL;
	}
	return NULL;
}

static void add_arm(const char *text, struct facts *facts)
{
	CLEANUP(freep) char *maker = field_find(text, "CPU implementer");
	CLEANUP(freep) char *part = field_find(text, "CPU part");
	char model[96];

	if (!maker || !part)
		return;
	snprintf(model, sizeof(model), "ARM implementer %.20s part %.20s", maker, part);
	facts_add_text(facts, "machine", "cpu_model", model);
}

static void add_model(const char *text, struct facts *facts)
{
	for (size_t i = 0; i < COUNT(model_keys); i++) {
		CLEANUP(freep) char *model = field_find(text, model_keys[i]);

		if (!model)
			continue;
		facts_add_text(facts, "machine", "cpu_model", model);
		return;
	}
	add_arm(text, facts);
}

static char *first_line(const struct ask *ask, const char *const *paths)
{
	for (; *paths; paths++) {
		char *line = ask_line(ask, *paths);

		if (line && *line)
			return line;
		free(line);
	}
	return NULL;
}

static void add_virtual(const struct ask *ask, const char *cpuinfo, struct facts *facts)
{
	static const char *const paths[] = { "sys/hypervisor/type", "sys/class/dmi/id/product_name",
					     "sys/class/dmi/id/sys_vendor", NULL };
	CLEANUP(freep) char *flags = field_find(cpuinfo, "flags");
	CLEANUP(freep) char *name = NULL;
	bool is = flags && strstr(flags, " hypervisor");

	if (!flags)
		return; /* only x86 tells */
	facts_add_bool(facts, "machine", "virtual", is);
	name = is ? first_line(ask, paths) : NULL;
	if (name)
		facts_add_text(facts, "machine", "hypervisor", name);
}

static void add_cpuinfo(const struct ask *ask, struct facts *facts)
{
	CLEANUP(closep) int fd = file_open(ask->root, "proc/cpuinfo", NULL);
	char text[4096];

	if (fd < 0 || file_reread(fd, text, sizeof(text)) < 0)
		return;
	add_model(text, facts);
	add_virtual(ask, text, facts);
}

static int count_cpus(const struct ask *ask, const char *path, uint64_t *ret)
{
	CLEANUP(freep) char *line = ask_line(ask, path);

	return line ? cpulist_parse(line, ret) : -1;
}

static int cores_in_stat(const struct ask *ask, uint64_t *ret)
{
	CLEANUP(freep) char *text = NULL;
	struct machine_stat stat;

	if (file_read(ask->root, "proc/stat", &text, NULL) < 0 ||
	    machine_stat_parse(text, &stat) < 0 || !stat.cores)
		return -1;
	*ret = stat.cores;
	return 0;
}

static void add_cores(const struct ask *ask, struct facts *facts)
{
	static const char topology[] = "sys/devices/system/cpu/cpu0/topology";
	const char *from = "/sys/devices/system/cpu/online";
	uint64_t cores, count, sockets;
	char path[96];

	if (count_cpus(ask, from + 1, &cores) < 0) {
		from = "/proc/stat";
		if (cores_in_stat(ask, &cores) < 0) {
			facts_add_absent(facts, "machine", "cores", UNIT_COUNT, "not readable");
			return;
		}
	}
	facts_add_measured(facts, "machine", "cores", UNIT_COUNT, (double)cores, from);
	snprintf(path, sizeof(path), "%s/thread_siblings_list", topology);
	if (count_cpus(ask, path, &count) == 0)
		facts_add_number(facts, "machine", "threads_per_core", (double)count);
	snprintf(path, sizeof(path), "%s/core_siblings_list", topology);
	if (count_cpus(ask, path, &count) < 0 || cores % count != 0)
		return;
	sockets = cores / count;
	facts_add_number(facts, "machine", "sockets", (double)sockets);
}

static void add_memory(const struct ask *ask, struct facts *facts)
{
	CLEANUP(freep) char *text = NULL;
	static const char from[] = "/proc/meminfo";
	struct meminfo info;

	if (file_read(ask->root, from + 1, &text, NULL) < 0 || meminfo_parse(text, &info) < 0) {
		facts_add_absent(facts, "machine", "memory_bytes", UNIT_BYTES, "not readable");
		return;
	}
	facts_add_measured(facts, "machine", "memory_bytes", UNIT_BYTES, (double)info.total_bytes,
			   from);
	facts_add_measured(facts, "machine", "swap_bytes", UNIT_BYTES,
			   (double)info.swap_total_bytes, from);
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" */
static void add_os(const struct ask *ask, struct facts *facts)
{
	static const char key[] = "PRETTY_NAME=";
	CLEANUP(freep) char *text = NULL;
	char *name;

	if (file_read(ask->root, "etc/os-release", &text, NULL) < 0)
		return;
	name = strncmp(text, key, strlen(key)) == 0 ? text : strstr(text, "\nPRETTY_NAME=");
	if (!name)
		return;
	name = strchr(name, '=') + 1;
	name[strcspn(name, "\n")] = '\0';
	name += strspn(name, "\"'");
	name[strcspn(name, "\"'")] = '\0';
	facts_add_text(facts, "machine", "os", name);
}

/* The kernel tells its architecture in a file since Linux 6.1. */
static void add_architecture(const struct ask *ask, struct facts *facts)
{
	struct utsname names;

	ask_add_line(ask, facts, "machine", "architecture", "proc/sys/kernel/arch");
	if (root_is_live(ask->root) && uname(&names) == 0)
		facts_add_text(facts, "machine", "architecture", names.machine);
}

/* The first row that fits is it: Kubernetes runs its containers in one of those below. */
static const struct {
	const char *name;
	const char *file, *variable, *group;
} containers[] = {
	{ "kubernetes", "var/run/secrets/kubernetes.io/serviceaccount/namespace",
	  "KUBERNETES_SERVICE_HOST", "kubepods" },
	{ "apptainer", NULL, "APPTAINER_NAME", NULL },
	{ "apptainer", NULL, "APPTAINER_CONTAINER", NULL },
	{ "singularity", NULL, "SINGULARITY_NAME", NULL },
	{ "podman", "run/.containerenv", NULL, "libpod" },
	{ "docker", ".dockerenv", NULL, "/docker" },
	{ "lxc", NULL, NULL, "/lxc" },
};

static const char *container_find(const struct ask *ask)
{
	const char *group = ask->group.name ? ask->group.name : "";

	for (size_t i = 0; i < COUNT(containers); i++) {
		if ((containers[i].variable && ask_env(ask, containers[i].variable)) ||
		    (containers[i].group && strstr(group, containers[i].group)) ||
		    (containers[i].file && ask_exists(ask, containers[i].file)))
			return containers[i].name;
	}
	return NULL;
}

static void add_container(const struct ask *ask, struct facts *facts)
{
	const char *name = container_find(ask);

	facts_add_text(facts, "machine", "container", name ? name : "none");
	if (!name) /* systemd inside of a container writes down which */
		ask_add_line(ask, facts, "machine", "container", "run/systemd/container");
}

void about_machine(const struct ask *ask, struct facts *facts)
{
	add_cpuinfo(ask, facts);
	add_cores(ask, facts);
	add_memory(ask, facts);
	ask_add_line(ask, facts, "machine", "kernel", "proc/sys/kernel/osrelease");
	add_architecture(ask, facts);
	add_os(ask, facts);
	add_container(ask, facts);
	facts_add_text(facts, "machine", "cgroup_version", ask->group.version);
	facts_add_number(facts, "machine", "clock_ticks", (double)sysconf(_SC_CLK_TCK));
	ask_add_line(ask, facts, "machine", "boot_id", "proc/sys/kernel/random/boot_id");
}
