/* A disk is full where an ordinary user finds no block, or no inode, in it. Read-only file systems
 * are always full, and tell nothing. */
#include "source/evidence.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/kernlog.h"
#include "source/lastwords.h"
#include "source/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAST_FREE_BYTES 65536 /* some file systems never give away their last blocks */

static const char *full_of(const struct statvfs *disk)
{
	if (disk->f_blocks == 0 || (disk->f_flag & ST_RDONLY))
		return NULL;
	if ((uint64_t)disk->f_bavail * disk->f_frsize < LEAST_FREE_BYTES)
		return "space";
	return disk->f_files > 0 && disk->f_favail == 0 ? "files" : NULL;
}

static const char *path_full(const char *path)
{
	struct statvfs disk;

	return statvfs(path, &disk) == 0 ? full_of(&disk) : NULL;
}

static void add_disk(struct evidence *evidence, const char *path)
{
	if (!path || path[0] != '/' || evidence->n_disks == EVIDENCE_DISKS)
		return;
	for (size_t i = 0; i < evidence->n_disks; i++) {
		if (strcmp(evidence->disks[i].path, path) == 0)
			return;
	}
	evidence->disks[evidence->n_disks].path = mem_copy(path);
	evidence->disks[evidence->n_disks++].was_full = path_full(path) != NULL;
}

/* How often the machine ran out of memory, since boot: /proc/vmstat "oom_kill 3" (Linux 4.13). */
static double machine_oom_kills(void)
{
	CLEANUP(freep) char *text = NULL;
	uint64_t count;

	if (file_read("/", "proc/vmstat", &text, NULL) < 0 ||
	    scan_key_u64(text, "oom_kill ", &count) < 0)
		return -1;
	return (double)count;
}

void evidence_begin(struct evidence *evidence, int output)
{
	*evidence = (struct evidence){ .kernlog = kernlog_begin("/"),
				       .output = output,
				       .output_was = lastwords_begin(output),
				       .oom_kills = -1 };
}

void evidence_look(struct evidence *evidence)
{
	CLEANUP(freep) char *directory = getcwd(NULL, 0);

	evidence->oom_kills = machine_oom_kills();
	add_disk(evidence, directory);
	add_disk(evidence, getenv("TMPDIR"));
	add_disk(evidence, "/tmp");
	add_disk(evidence, "/var/tmp");
	add_disk(evidence, "/dev/shm");
}

/* One that filled up meanwhile tells more than one that was full before; and then the working
 * directory comes first. A full /tmp of somebody else's is no evidence. */
static void add_full_disk(const struct evidence *evidence, struct facts *facts)
{
	for (size_t i = 0; i < evidence->n_disks; i++) {
		const char *of = path_full(evidence->disks[i].path);
		bool since = !evidence->disks[i].was_full;

		if (!of || (!since && (i > 0 || facts_find(facts, "exit", "full"))))
			continue;
		facts_add_text(facts, "exit", "full", evidence->disks[i].path);
		facts_add_text(facts, "exit", "full_of", of);
		facts_add_bool(facts, "exit", "full_since", since);
		if (since)
			return;
	}
}

bool core_path(const char *pattern, bool uses_pid, int pid, const char *name, char *ret,
	       size_t size)
{
	size_t length = 0;
	bool has_pid = false;

	if (pattern[0] == '|' || pattern[0] == '@' || pattern[0] == '\0')
		return false;
	for (; *pattern && *pattern != '\n'; pattern++) {
		char number[16] = { *pattern, '\0' };
		const char *piece = number;

		if (*pattern == '%') {
			pattern++;
			if (*pattern == 'p')
				snprintf(number, sizeof(number), "%d", pid);
			else if (*pattern == 'e')
				piece = name;
			else if (*pattern != '%')
				return false; /* a time, a host: not worth guessing */
			has_pid |= *pattern == 'p';
		}
		if (length + strlen(piece) + 16 > size)
			return false;
		length += (size_t)snprintf(ret + length, size - length, "%s", piece);
	}
	if (uses_pid && !has_pid)
		snprintf(ret + length, size - length, ".%d", pid);
	return true;
}

static void add_absolute(struct facts *facts, const char *name, const char *path)
{
	CLEANUP(freep) char *whole = realpath(path, NULL);

	facts_add_text(facts, "exit", name, whole ? whole : path);
}

static void add_core_file(const struct process *process, struct facts *facts)
{
	CLEANUP(freep) char *pattern = NULL;
	CLEANUP(freep) char *uses_pid = NULL;
	char path[512];

	facts_add_bool(facts, "exit", "core", true);
	if (file_read("/", "proc/sys/kernel/core_pattern", &pattern, NULL) <= 0 ||
	    file_read("/", "proc/sys/kernel/core_uses_pid", &uses_pid, NULL) <= 0)
		return;
	if (core_path(pattern, uses_pid[0] != '0', process->pid, process->name, path,
		      sizeof(path)) &&
	    access(path, F_OK) == 0)
		add_absolute(facts, "core_file", path);
}

static void add_core(struct facts *facts)
{
	for (size_t i = 0; i < facts->n_processes; i++) {
		const struct process *process = &facts->processes[i];

		if (process->status != PROCESS_STATUS_UNKNOWN && WIFSIGNALED(process->status) &&
		    WCOREDUMP(process->status) && process->name) {
			add_core_file(process, facts);
			return;
		}
	}
}

static void add_oom_kills(const struct evidence *evidence, struct facts *facts)
{
	double now = evidence->oom_kills < 0 ? -1 : machine_oom_kills();

	if (now > evidence->oom_kills)
		facts_add_number(facts, "exit", "oom_kills_machine", now - evidence->oom_kills);
}

static void add_missing_library(const char *program, struct facts *facts)
{
	CLEANUP(freep) char *library = program_missing_library(program);

	if (library)
		facts_add_text(facts, "exit", "missing_library", library);
}

void evidence_end(struct evidence *evidence, int status, const char *program, struct facts *facts)
{
	kernlog_end(evidence->kernlog, facts);
	if (status == 0)
		return;
	add_oom_kills(evidence, facts);
	add_core(facts);
	lastwords_end(evidence->output, evidence->output_was, facts);
	add_full_disk(evidence, facts);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		add_missing_library(program, facts);
}

void evidence_clear(struct evidence *evidence)
{
	if (evidence->kernlog >= 0)
		close(evidence->kernlog);
	for (size_t i = 0; i < evidence->n_disks; i++)
		free(evidence->disks[i].path);
	*evidence = (struct evidence){ .kernlog = -1 };
}
