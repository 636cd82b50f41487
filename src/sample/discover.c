/* New processes: read from task/TID/children of those that ran (only who runs can fork), and of the
 *launcher, to which orphans come. Nothing at all is done while the kernel gave out no new pid: the
 *last one stands in
 *
 *	/proc/loadavg	0.20 0.18 0.12 1/80 11206
 *
 * A kernel without children files (CONFIG_PROC_CHILDREN) has all of /proc looked through instead.
 */
#include "sample/tree.h"

#include "base/parse.h"
#include "source/stat.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel hands out whole numbers only, "4194303 ", so a full page is a little less than one. */
#define PID_MOST_BYTES 12

static uint64_t pids_given_out(struct tree *tree)
{
	char text[128];
	const char *cursor = text;
	uint64_t last, given;

	if (!tree->loadavg.path || kept_read(&tree->loadavg, text, sizeof(text)) < 0 ||
	    scan_skip(&cursor, 4) < 0 || scan_u64(&cursor, &last) < 0)
		return 1; /* not known: there may be some */
	given = last >= tree->last_pid ? last - tree->last_pid : last; /* it wrapped */
	tree->last_pid = last;
	return given;
}

static bool add_listed(struct tree *tree, const char *pids)
{
	bool added = false;
	uint64_t pid;

	while (scan_u64(&pids, &pid) == 0) {
		if (!map_find(&tree->by_pid, pid) && (int)pid != tree->launcher->pid)
			added |= tree_add(tree, (int)pid) != NULL;
	}
	return added;
}

static int read_children_file(struct tree *tree, const char *path)
{
	CLEANUP(freep) char *pids = NULL;
	ssize_t length = file_read(tree->root, path, &pids, NULL);

	if (length > 0)
		add_listed(tree, pids);
	return length < 0 ? (int)length : 0;
}

/* Each thread has a list of its own. */
static void discover_of_threads(struct tree *tree, int pid)
{
	char path[320];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "%s/proc/%d/task",
		 strcmp(tree->root, "/") == 0 ? "" : tree->root, pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "proc/%d/task/%.32s/children", pid, entry->d_name);
		read_children_file(tree, path);
	}
	if (tasks)
		closedir(tasks);
}

static void discover_of(struct tree *tree, struct proc *proc)
{
	int threads = tree->metrics->threads;
	char path[64], pids[4096];
	ssize_t length;

	if (proc->zombie)
		return;
	if (threads >= 0 && proc->now[threads].number > 1) {
		discover_of_threads(tree, proc->pid);
		return;
	}
	snprintf(path, sizeof(path), "proc/%d/task/%d/children", proc->pid, proc->pid);
	if (!proc->children_file.path &&
	    kept_open(&proc->children_file, tree->root, path, NULL) < 0) {
		tree->no_children_file = proc == tree->launcher;
		return;
	}
	length = kept_read(&proc->children_file, pids, sizeof(pids));
	if (length + PID_MOST_BYTES >= (ssize_t)sizeof(pids))
		read_children_file(tree, path); /* there may be more */
	else if (length > 0)
		add_listed(tree, pids);
}

static bool is_ours(struct tree *tree, int pid)
{
	CLEANUP(freep) char *text = NULL;
	struct proc_stat stat;
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	length = file_read(tree->root, path, &text, NULL);
	if (length < 0 || proc_stat_parse(text, (size_t)length, &stat) < 0)
		return false;
	return stat.ppid == tree->launcher->pid || map_find(&tree->by_pid, (uint64_t)stat.ppid);
}

/* A child may stand before its parent in /proc when pids have wrapped: once more, then. */
static void discover_in_all(struct tree *tree)
{
	bool added = true;

	for (int round = 0; added && round < 8; round++) {
		DIR *all = opendir("/proc");
		struct dirent *entry;

		added = false;
		while (all && (entry = readdir(all))) {
			int pid = atoi(entry->d_name);

			if (pid > 0 && pid != tree->launcher->pid &&
			    !map_find(&tree->by_pid, (uint64_t)pid) && is_ours(tree, pid))
				added |= tree_add(tree, pid) != NULL;
		}
		if (all)
			closedir(all);
	}
}

void tree_discover(struct tree *tree)
{
	size_t before = tree->roster.count;
	uint64_t given = tree->events && tree->last_pid ? tree->forked : pids_given_out(tree);

	tree->forked = false;
	if (given == 0)
		return;
	if (!tree->no_children_file) {
		discover_of(tree, tree->launcher);
		for (size_t i = 0; i < tree->n_live; i++) {
			if (tree->live[i]->moved || tree->live[i]->fresh)
				discover_of(tree, tree->live[i]);
		}
	}
	if (tree->no_children_file)
		discover_in_all(tree);
	given -= given < tree->roster.count - before ? given : tree->roster.count - before;
	if (!tree->events && given > tree->unseen_most)
		tree->unseen_most = given;
}
