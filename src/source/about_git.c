/* The commit that the working directory is at, without starting git:
 *	.git/HEAD		"ref: refs/heads/main", or a commit
 *	.git/refs/heads/main	the commit, or in one file for many:
 *	.git/packed-refs	"3f2a... refs/heads/main"
 * In a worktree or a submodule .git is a file, "gitdir: /home/me/x/.git/worktrees/y", whose
 * `commondir` tells where the references are ("../.."). */
#include "source/ask.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_AT_MOST 64

static char *join(const char *directory, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", name[0] == '/' ? "" : directory, name) < 0)
		return NULL;
	return path;
}

static char *line_in(const struct ask *ask, const char *directory, const char *name)
{
	CLEANUP(freep) char *path = join(directory, name);

	return path ? ask_line(ask, path) : NULL;
}

/* What .git, the file, says; or the directory itself. NULL: there is none here. */
static char *git_directory(const struct ask *ask, const char *directory)
{
	static const char key[] = "gitdir: ";
	CLEANUP(freep) char *head = line_in(ask, directory, ".git/HEAD");
	CLEANUP(freep) char *file = NULL;

	if (head)
		return join(directory, ".git");
	file = line_in(ask, directory, ".git");
	if (!file || strncmp(file, key, strlen(key)) != 0)
		return NULL;
	return join(directory, file + strlen(key));
}

static char *git_find(const struct ask *ask)
{
	CLEANUP(freep) char *directory = mem_copy(ask->directory);

	for (int i = 0; i < LEVELS_AT_MOST; i++) {
		char *git = git_directory(ask, directory), *slash = strrchr(directory, '/');

		if (git)
			return git;
		if (!slash || !directory[0])
			return NULL;
		*slash = '\0';
	}
	return NULL;
}

static bool is_commit(const char *text)
{
	size_t digits = text ? strspn(text, "0123456789abcdef") : 0;

	return (digits == 40 || digits == 64) && !text[digits];
}

static char *packed_find(const struct ask *ask, const char *directory, const char *reference)
{
	CLEANUP(freep) char *path = join(directory, "packed-refs");
	CLEANUP(freep) char *text = NULL;
	size_t length = strlen(reference);

	if (!path || file_read(ask->root, path, &text, NULL) < 0)
		return NULL;
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *blank;

		end = strchrnul(line, '\n');
		blank = memchr(line, ' ', (size_t)(end - line));
		if (blank && (size_t)(end - blank - 1) == length &&
		    memcmp(blank + 1, reference, length) == 0)
			return mem_copy_n(line, (size_t)(blank - line));
	}
	return NULL;
}

/* A branch's commit is beside HEAD, or for worktrees in the common directory. */
static char *reference_find(const struct ask *ask, const char *git, const char *reference)
{
	CLEANUP(freep) char *common_line = line_in(ask, git, "commondir");
	CLEANUP(freep) char *common = join(git, common_line ? common_line : ".");
	char *commit = common ? line_in(ask, common, reference) : NULL;

	return commit || !common ? commit : packed_find(ask, common, reference);
}

static void add_commit(struct facts *facts, const char *commit)
{
	if (is_commit(commit))
		facts_add_text(facts, "context", "git_commit", commit);
}

void about_git(const struct ask *ask, struct facts *facts)
{
	static const char key[] = "ref: ", branch[] = "refs/heads/";
	CLEANUP(freep) char *git = ask->directory ? git_find(ask) : NULL;
	CLEANUP(freep) char *head = git ? line_in(ask, git, "HEAD") : NULL;
	CLEANUP(freep) char *commit = NULL;
	const char *reference;

	if (!head || strncmp(head, key, strlen(key)) != 0) {
		add_commit(facts, head);
		return;
	}
	reference = head + strlen(key);
	if (strstr(reference, ".."))
		return;
	commit = reference_find(ask, git, reference);
	add_commit(facts, commit);
	if (strncmp(reference, branch, strlen(branch)) == 0)
		facts_add_text(facts, "context", "git_branch", reference + strlen(branch));
}
