#include "store/store.h"

#include "base/mem.h"
#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCAL ".sonde"
#define SUFFIX ".sonde"
#define JOURNAL ".journal"
#define STAMP_BYTES 15 /* 20261116-043715 */

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static char *format(const char *first, const char *second)
{
	struct text text = { 0 };

	text_add(&text, first);
	text_add(&text, second);
	return text.data;
}

/* XDG: a variable that does not hold an absolute path counts as not set. */
static int home_directory(char **ret, struct err *err)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && data[0] == '/') {
		*ret = format(data, "/sonde");
		return 0;
	}
	if (home && home[0] == '/') {
		*ret = format(home, "/.local/share/sonde");
		return 0;
	}
	err_say(err, -ENOENT,
		"no place for recordings: neither HOME nor XDG_DATA_HOME is set to a path");
	err_hint(err, "'mkdir .sonde' makes one here");
	return -ENOENT;
}

int store_directory(char **ret, struct err *err)
{
	if (!is_directory(LOCAL))
		return home_directory(ret, err);
	*ret = mem_copy(LOCAL);
	return 0;
}

/* Two runs that start in the same second of one directory must differ, no more; so where the kernel
 * has no random bytes yet, the clock and the pid do. */
void store_new_id(char ret[STORE_ID_BYTES])
{
	struct timespec now;
	unsigned int bits;

	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits)) {
		clock_gettime(CLOCK_REALTIME, &now);
		bits = (unsigned int)now.tv_nsec * 2654435761u ^ (unsigned int)getpid();
	}
	snprintf(ret, STORE_ID_BYTES, "%08x", bits);
}

static int make_directory(const char *path, struct err *err)
{
	CLEANUP(freep) char *part = mem_copy(path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST && !is_directory(part))
			return err_set(err, -errno, "cannot make directory '%s'", part);
		*slash = '/';
	}
	if (mkdir(part, 0700) < 0 && errno != EEXIST)
		return err_set(err, -errno, "cannot make directory '%s'", part);
	return is_directory(path) ? 0 : err_set(err, -ENOTDIR, "'%s'", path);
}

void store_stamp(time_t time, char ret[STORE_STAMP_BYTES])
{
	struct tm parts;

	if (!gmtime_r(&time, &parts) ||
	    strftime(ret, STORE_STAMP_BYTES, "%Y%m%d-%H%M%S", &parts) != STAMP_BYTES)
		ret[0] = '\0';
}

void store_stamp_ago(uint64_t age_ns, char ret[STORE_STAMP_BYTES])
{
	time_t now = time(NULL), age_s = (time_t)(age_ns / 1000000000u);

	ret[0] = '\0';
	if (age_s < now)
		store_stamp(now - age_s, ret);
}

int store_new_path(const char *directory, time_t started, const char *id, char **ret,
		   struct err *err)
{
	struct text path = { 0 };
	char stamp[STORE_STAMP_BYTES];
	int r = make_directory(directory, err);

	if (r < 0)
		return r;
	store_stamp(started, stamp);
	if (!*stamp)
		return err_set(err, -ERANGE, "cannot name a recording after its start");
	text_add_format(&path, "%s/%s-%s%s", directory, stamp, id, SUFFIX);
	*ret = path.data;
	return 0;
}

static bool is_stamp(const char *name)
{
	for (size_t i = 0; i < STAMP_BYTES; i++) {
		if (i == 8 ? name[i] != '-' : !isdigit((unsigned char)name[i]))
			return false;
	}
	return name[STAMP_BYTES] == '-';
}

/* Fills stamp and id from "20261116-043715-3f9a2c71.sonde", or from the file itself. */
static void entry_read_name(struct store_entry *entry, const char *file, const char *name)
{
	size_t length = strlen(name) - strlen(SUFFIX), skip = 0;
	struct stat info;

	if (is_stamp(name)) {
		memcpy(entry->stamp, name, STAMP_BYTES);
		skip = STAMP_BYTES + 1;
	} else if (stat(file, &info) == 0) {
		store_stamp(info.st_mtime, entry->stamp);
	}
	snprintf(entry->id, sizeof(entry->id), "%.*s", (int)(length - skip), name + skip);
}

static void list_add(struct store_list *list, const char *directory, const char *name)
{
	CLEANUP(freep) char *base = mem_copy(name);
	struct store_entry entry = { .journal_only = ends_in(name, SUFFIX JOURNAL) };
	struct text path = { 0 }, file = { 0 };

	if (entry.journal_only)
		base[strlen(base) - strlen(JOURNAL)] = '\0';
	text_add_format(&path, "%s/%s", directory, base);
	text_add_format(&file, "%s/%s", directory, name);
	entry.path = path.data;
	entry_read_name(&entry, file.data, base);
	text_clear(&file);
	list->entries = mem_grow(list->entries, list->count, &list->room, sizeof(*list->entries));
	list->entries[list->count++] = entry;
}

static int list_directory(struct store_list *list, const char *directory, struct err *err)
{
	DIR *names = opendir(directory);

	if (!names)
		return errno == ENOENT ? 0 : err_set(err, -errno, "'%s'", directory);
	for (struct dirent *name; (name = readdir(names));) {
		if (ends_in(name->d_name, SUFFIX) || ends_in(name->d_name, SUFFIX JOURNAL))
			list_add(list, directory, name->d_name);
	}
	closedir(names);
	return 0;
}

static int newest_first(const void *left, const void *right)
{
	const struct store_entry *a = left, *b = right;
	int order = strcmp(b->stamp, a->stamp);

	if (order == 0)
		order = a->changed_ns < b->changed_ns ? 1 : a->changed_ns > b->changed_ns ? -1 : 0;
	if (order == 0)
		order = strcmp(b->path, a->path);
	return order ? order : a->journal_only - b->journal_only;
}

static void list_sort(struct store_list *list)
{
	if (list->count > 0)
		qsort(list->entries, list->count, sizeof(*list->entries), newest_first);
}

/* A recording whose journal is still there stands twice, side by side: the file itself first. */
static void list_unify(struct store_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (kept > 0 && strcmp(list->entries[kept - 1].path, list->entries[i].path) == 0)
			free(list->entries[i].path);
		else
			list->entries[kept++] = list->entries[i];
	}
	list->count = kept;
}

static void entry_read_time(struct store_entry *entry)
{
	CLEANUP(freep) char *journal = format(entry->path, JOURNAL);
	struct stat info;

	if (stat(entry->journal_only ? journal : entry->path, &info) == 0)
		entry->changed_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 +
				    info.st_mtim.tv_nsec;
}

/* Short programs in a loop: several in one second. Only those are asked for their time, as a
 * directory may hold many thousands and be far away. */
static void list_break_ties(struct store_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *stamp = list->entries[i].stamp;

		if ((i > 0 && strcmp(stamp, list->entries[i - 1].stamp) == 0) ||
		    (i + 1 < list->count && strcmp(stamp, list->entries[i + 1].stamp) == 0))
			entry_read_time(&list->entries[i]);
	}
	list_sort(list);
}

int store_list(struct store_list *ret, struct err *err)
{
	CLEANUP(freep) char *home = NULL;
	struct store_list list = { 0 };
	bool local = is_directory(LOCAL);
	int r = home_directory(&home, err);

	if (r == 0)
		r = list_directory(&list, home, err);
	if (local) /* enough by itself, whatever is wrong with the other */
		r = list_directory(&list, LOCAL, err);
	if (r < 0) {
		store_list_clear(&list);
		return err_in(err, "cannot list recordings");
	}
	list_sort(&list);
	list_unify(&list);
	list_break_ties(&list);
	*ret = list;
	return 0;
}

void store_list_clear(struct store_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->entries[i].path);
	free(list->entries);
	*list = (struct store_list){ 0 };
}
