/* A row of files is "proc/%d/io" or, with one star or more, "sys/.../cpu*\/cpufreq/...". The
 * cgroup's files are in directories that only the cgroup's reader knows. */
#include "source/capture.h"

#include "base/file.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "source/context.h"
#include "source/group.h"
#include "source/onefile.h"
#include "source/source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct capture {
	const char *root, *directory;
	int pid;
	char *host, *user; /* to be replaced; NULL: not known */
	char *uid_line;    /* of passwd */
	struct text list;  /* captured.txt */
};

/* What of a file may be written. */
typedef void clean(const struct capture *capture, const char *text, size_t length,
		   struct text *ret);

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool word_at(const char *start, const char *at, const char *end, const char *word)
{
	size_t length = word ? strlen(word) : 0;

	return length > 0 && (size_t)(end - at) >= length && memcmp(at, word, length) == 0 &&
	       (at == start || !is_word(at[-1])) && (at + length == end || !is_word(at[length]));
}

static void clean_names(const struct capture *capture, const char *text, size_t length,
			struct text *ret)
{
	const char *end = text + length;

	for (const char *c = text; c < end;) {
		if (word_at(text, c, end, capture->host)) {
			text_add(ret, "host");
			c += strlen(capture->host);
		} else if (word_at(text, c, end, capture->user)) {
			text_add(ret, "user");
			c += strlen(capture->user);
		} else {
			text_add_bytes(ret, c++, 1);
		}
	}
}

static void clean_nothing(const struct capture *capture, const char *text, size_t length,
			  struct text *ret)
{
	(void)capture;
	text_add_bytes(ret, text, length);
}

static void clean_arguments(const struct capture *capture, const char *text, size_t length,
			    struct text *ret)
{
	CLEANUP(freep) char *masked = mask_arguments(text, length);

	clean_names(capture, masked, strlen(masked), ret);
}

/* Other mounts tell of other people's projects. */
static void clean_mounts(const struct capture *capture, const char *text, size_t length,
			 struct text *ret)
{
	const char *stop = text + length;

	for (const char *line = text, *end; line < stop; line = end + 1) {
		end = memchr(line, '\n', (size_t)(stop - line));
		end = end ? end : stop - 1;
		if (memmem(line, (size_t)(end - line), " - cgroup", 9))
			clean_names(capture, line, (size_t)(end - line + 1), ret);
	}
}

static void clean_passwd(const struct capture *capture, const char *text, size_t length,
			 struct text *ret)
{
	(void)text;
	(void)length;
	text_add(ret, capture->uid_line ? capture->uid_line : "");
}

static void clean_boot(const struct capture *capture, const char *text, size_t length,
		       struct text *ret)
{
	(void)capture;
	(void)text;
	(void)length;
	text_add(ret, "00000000-0000-0000-0000-000000000000\n");
}

static const struct {
	const char *ending;
	clean *clean;
} cleaners[] = {
	{ "/cmdline", clean_arguments }, { "/mountinfo", clean_mounts }, { "/cgroup", clean_names },
	{ "etc/passwd", clean_passwd },  { "/hostname", clean_names },   { "/boot_id", clean_boot },
	{ "/namespace", clean_names },
};

static clean *cleaner_find(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < COUNT(cleaners); i++) {
		size_t ending = strlen(cleaners[i].ending);

		if (length >= ending && strcmp(path + length - ending, cleaners[i].ending) == 0)
			return cleaners[i].clean;
	}
	return clean_nothing;
}

static int directories_make(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int r;

		*slash = '\0';
		r = mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (r < 0)
			return r;
	}
	return 0;
}

static int write_below(const struct capture *capture, const char *path, const struct text *text)
{
	CLEANUP(freep) char *full = NULL;
	CLEANUP(closep) int fd = -1;
	int r;

	if (asprintf(&full, "%s/%s", capture->directory, path) < 0)
		return -ENOMEM;
	r = directories_make(full);
	if (r < 0)
		return r;
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	return file_write(fd, text_string(text), text->length);
}

/* Several readers use the same file. */
static bool is_listed(const struct capture *capture, const char *path)
{
	CLEANUP(text_clear) struct text line = { 0 };

	text_add_format(&line, "\n%s: ", path);
	return strstr(text_string(&capture->list), text_string(&line));
}

static int copy_file(struct capture *capture, const char *path)
{
	CLEANUP(freep) char *text = NULL;
	CLEANUP(text_clear) struct text out = { 0 };
	CLEANUP(text_clear) struct text to = { 0 };
	ssize_t length;
	int r;

	if (is_listed(capture, path))
		return 0;
	length = file_read(capture->root, path, &text, NULL);
	if (length < 0) {
		text_add_format(&capture->list, "%s: %s\n", path, strerror((int)-length));
		return 0;
	}
	clean_names(capture, path, strlen(path), &to);
	cleaner_find(path)(capture, text, (size_t)length, &out);
	r = write_below(capture, text_string(&to), &out);
	if (r < 0)
		return r;
	text_add_format(&capture->list, "%s: %zu bytes\n", text_string(&to), out.length);
	return 0;
}

static void add_pattern(struct text *pattern, const char *root)
{
	for (const char *c = root; *c; c++) {
		if (strchr("*?[\\", *c))
			text_add(pattern, "\\");
		text_add_bytes(pattern, c, 1);
	}
}

static int copy_all(struct capture *capture, const char *path)
{
	CLEANUP(text_clear) struct text pattern = { 0 };
	CLEANUP(globfree) glob_t found = { 0 };
	size_t root = root_is_live(capture->root) ? 0 : strlen(capture->root);
	int r = 0;

	add_pattern(&pattern, root ? capture->root : "");
	text_add_format(&pattern, "/%s", path);
	if (glob(text_string(&pattern), GLOB_NOSORT, NULL, &found) != 0) {
		text_add_format(&capture->list, "%s: none\n", path);
		return 0;
	}
	for (size_t i = 0; i < found.gl_pathc && r == 0; i++)
		r = copy_file(capture, found.gl_pathv[i] + root + 1);
	return r;
}

static int copy_row(struct capture *capture, const char *row)
{
	char path[PATH_MAX], number[16];
	const char *mark = strstr(row, "%d");

	if (mark) {
		snprintf(number, sizeof(number), "%d", capture->pid);
		snprintf(path, sizeof(path), "%.*s%s%s", (int)(mark - row), row, number, mark + 2);
		row = path;
	}
	return strchr(row, '*') ? copy_all(capture, row) : copy_file(capture, row);
}

static int copy_rows(struct capture *capture, const char *const *rows)
{
	int r = 0;

	for (; *rows && r == 0; rows++)
		r = copy_row(capture, *rows);
	return r;
}

/* Of one group, those files that are there: versions and kernels have different ones. */
static int copy_directory(struct capture *capture, const char *directory)
{
	int r = 0;

	for (const char *const *name = group_files; *name && r == 0; name++) {
		CLEANUP(text_clear) struct text path = { 0 };
		CLEANUP(closep) int fd = -1;

		text_add_format(&path, "%s/%s", directory, *name);
		fd = file_open(capture->root, text_string(&path), NULL);
		if (fd != -ENOENT)
			r = copy_file(capture, text_string(&path));
	}
	return r;
}

/* Limits of the groups above hold, too. */
static int copy_place(struct capture *capture, const struct group_place *place)
{
	CLEANUP(freep) char *path = place->path ? mem_copy(place->path) : NULL;
	int r = 0;

	while (path && r == 0) {
		char *slash = strrchr(path, '/');

		r = copy_directory(capture, path);
		if (!slash || (size_t)(slash - path) < strlen(place->mount))
			break;
		*slash = '\0';
	}
	return r;
}

static int copy_group(struct capture *capture)
{
	CLEANUP(group_clear) struct group group = { 0 };
	char who[16];
	int r = 0;

	snprintf(who, sizeof(who), "%d", capture->pid);
	if (group_find(capture->root, who, &group) < 0)
		return 0;
	for (size_t i = 0; i < GROUP_CONTROLLERS && r == 0; i++)
		r = copy_place(capture, &group.places[i]);
	return r;
}

/* Who we are, to be taken out. "root" tells nothing and is a word of many texts. */
static void names_find(struct capture *capture)
{
	struct facts facts = { 0 };
	const char *host, *user;

	context_read(capture->root, &facts);
	host = facts_text(&facts, "run", "host");
	user = facts_text(&facts, "run", "user");
	capture->host = host ? mem_copy(host) : NULL;
	capture->user = user && strcmp(user, "root") != 0 ? mem_copy(user) : NULL;
	facts_clear(&facts);
}

static void uid_find(struct capture *capture)
{
	CLEANUP(freep) char *text = NULL;
	char path[64];
	uint64_t uid;

	snprintf(path, sizeof(path), "proc/%d/status", capture->pid);
	if (file_read(capture->root, path, &text, NULL) < 0 ||
	    scan_key_u64(text, "Uid:", &uid) < 0 ||
	    asprintf(&capture->uid_line, "user:x:%llu:%llu::/home/user:/bin/sh\n",
		     (unsigned long long)uid, (unsigned long long)uid) < 0)
		capture->uid_line = NULL;
}

/* Readers of context ask for themselves: proc/self. */
static int link_self(const struct capture *capture)
{
	CLEANUP(freep) char *path = NULL;
	char target[16];

	snprintf(target, sizeof(target), "%d", capture->pid);
	if (asprintf(&path, "%s/proc/self", capture->directory) < 0)
		return -ENOMEM;
	return symlink(target, path) < 0 && errno != EEXIST ? -errno : 0;
}

static int copy_everything(struct capture *capture)
{
	static const char *const others[] = { "proc/%d/cmdline", NULL };
	int r = copy_rows(capture, others);

	for (const struct source *const *s = source_table; *s && r == 0; s++)
		r = copy_rows(capture, (*s)->files);
	if (r == 0)
		r = copy_rows(capture, context_files);
	if (r == 0)
		r = copy_group(capture);
	if (r == 0)
		r = link_self(capture);
	if (r == 0)
		r = write_below(capture, "captured.txt", &capture->list);
	return r;
}

static void capture_clear(struct capture *capture)
{
	free(capture->host);
	free(capture->user);
	free(capture->uid_line);
	text_clear(&capture->list);
}

int source_capture(const char *root, int pid, const char *directory, struct err *err)
{
	CLEANUP(capture_clear)
	struct capture capture = { .root = root, .directory = directory, .pid = pid };
	int r;

	text_add_format(&capture.list, "process %d\n", pid);
	names_find(&capture);
	uid_find(&capture);
	r = copy_everything(&capture);
	if (r < 0)
		return err_set(err, r, "cannot capture into '%s'", directory);
	return 0;
}
