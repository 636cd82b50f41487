/* Prints all that a process inherits, one "what value" a line: what must be the same under sonde as
 * without it. Bytes that are not printable come as \xHH. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;
static FILE *out;

static void say_bytes(const char *what, const char *bytes)
{
	fprintf(out, "%s ", what);
	for (; *bytes; bytes++)
		if (isprint((unsigned char)*bytes) && *bytes != '\\')
			fputc(*bytes, out);
		else
			fprintf(out, "\\x%02x", (unsigned char)*bytes);
	fputc('\n', out);
}

static void say(const char *what, long long number)
{
	fprintf(out, "%s %lld\n", what, number);
}

static void say_link(const char *what, const char *path)
{
	char target[4096];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return say_bytes(what, strerror(errno));
	target[length] = 0;
	say_bytes(what, target);
}

/* The directory's own descriptor and that of `out` are ours; all others came with us. */
static void say_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	char what[64], path[64];

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		int fd = atoi(entry->d_name);
		if (entry->d_name[0] == '.' || fd == dirfd(folder) || fd == fileno(out))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		snprintf(what, sizeof(what), "fd %d flags %#x %#x", fd,
			 (unsigned)fcntl(fd, F_GETFD), (unsigned)fcntl(fd, F_GETFL));
		say_link(what, path);
	}
	if (folder)
		closedir(folder);
}

static void say_limits(void)
{
	char what[32];
	struct rlimit limit;

	for (int i = 0; i < RLIM_NLIMITS; i++) {
		getrlimit((__rlimit_resource_t)i, &limit);
		snprintf(what, sizeof(what), "limit %d hard", i);
		say(what, (long long)limit.rlim_max);
		snprintf(what, sizeof(what), "limit %d soft", i);
		say(what, (long long)limit.rlim_cur);
	}
}

/* Of /proc/self/status: signals, identities, capabilities, cores. Lines that differ from run to run
 * are left out. */
static void say_status(void)
{
	static const char *const wanted[] = { "Sig",
					      "Shd",
					      "Uid",
					      "Gid",
					      "Groups",
					      "Cap",
					      "NoNew",
					      "Seccomp:",
					      "Cpus_allowed_list",
					      "Mems_allowed_list",
					      "Umask",
					      "SigQ_",
					      "THP_enabled",
					      "TracerPid" };
	char line[1024];
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (strncmp(line, wanted[i], strlen(wanted[i])) == 0 &&
			    strncmp(line, "SigQ", 4) != 0) {
				line[strcspn(line, "\n")] = 0;
				say_bytes("status", line);
			}
	if (file)
		fclose(file);
}

static void say_process(void)
{
	int death = 0, reaper = 0;
	struct itimerval timer;

	prctl(PR_GET_PDEATHSIG, &death);
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	getitimer(ITIMER_REAL, &timer);
	say("pgid", getpgrp());
	say("sid", getsid(0));
	for (int fd = 0; fd < 3; fd++)
		say("tcgetpgrp", tcgetpgrp(fd));
	errno = 0;
	say("nice", getpriority(PRIO_PROCESS, 0));
	say("policy", sched_getscheduler(0));
	say("ioprio", syscall(SYS_ioprio_get, 1, 0));
	say("personality", personality(0xffffffff));
	say("timerslack", prctl(PR_GET_TIMERSLACK));
	say("dumpable", prctl(PR_GET_DUMPABLE));
	say("keepcaps", prctl(PR_GET_KEEPCAPS));
	say("securebits", prctl(PR_GET_SECUREBITS));
	say("thp_disable", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
	say("pdeathsig", death);
	say("subreaper", reaper);
	say_link("cwd", "/proc/self/cwd");
	say_link("exe", "/proc/self/exe");
	say_link("root", "/proc/self/root");
}

static void say_file(const char *what, const char *path)
{
	char text[512] = "";
	FILE *file = fopen(path, "re");

	if (file && fgets(text, sizeof(text), file))
		say_bytes(what, text);
	if (file)
		fclose(file);
}

/* probe FILE ARGS: the answer goes to FILE, because stdout may be closed. */
int main(int argc, char **argv)
{
	mode_t mask = umask(0);

	umask(mask);
	out = argc > 1 ? fopen(argv[1], "we") : NULL;
	if (!out)
		return 3;
	say_descriptors();
	for (int i = 0; i < argc; i++)
		if (i != 1)
			say_bytes("argument", argv[i]);
	for (char **entry = environ; *entry; entry++)
		say_bytes("environment", *entry);
	say("umask", mask);
	say_limits();
	say_status();
	say_process();
	say_file("oom_score_adj", "/proc/self/oom_score_adj");
	say_file("comm", "/proc/self/comm");
	say_file("coredump_filter", "/proc/self/coredump_filter");
	fprintf(out, "end\n");
	return fclose(out) ? 3 : 0;
}
