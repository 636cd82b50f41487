/* Removing is for good, so that only what reads as the recording of a run that is over may go: a
 * directory of recordings may hold other people's files, links, and runs that still last.
 *
 * Reading a recording turns a journal that was left behind into the recording, or removes it where
 * that is there already. So there is one file to remove: the recording, or the journal where it
 * could not be turned into one. A journal that is still beside a recording is not known to be ours.
 */
#include "store/store.h"

#include "base/mem.h"
#include "base/text.h"
#include "series/series.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that the recording is in; `ret` is zero where there is none. The caller frees the name.
 */
static char *file_of(const char *path, struct stat *ret)
{
	struct text name = { 0 };

	text_add(&name, path);
	if (lstat(path, ret) == 0)
		return name.data;
	text_add(&name, ".journal");
	if (lstat(name.data, ret) < 0)
		*ret = (struct stat){ 0 };
	return name.data;
}

int store_may_remove(const char *path, struct facts *ret, struct err *err)
{
	struct stat info;
	CLEANUP(freep) char *file = file_of(path, &info);
	int r;

	if (S_ISLNK(info.st_mode)) {
		err_say(err, -EINVAL, "'%s' is a link", file);
		return err_hint(err, "name the recording itself, or remove the link with 'rm'");
	}
	r = recording_read(path, 0, ret, err);
	if (r < 0 || !ret->running)
		return r;
	err_say(err, -EBUSY, "'%s': the run has not ended yet", path);
	return err_hint(err, "wait for its end, or stop the program");
}

int store_remove(const char *path, struct err *err)
{
	struct stat info;
	CLEANUP(freep) char *file = file_of(path, &info);

	return unlink(file) == 0 ? 0 : err_set(err, -errno, "cannot remove '%s'", file);
}

uint64_t store_bytes(const char *path)
{
	struct stat info;

	free(file_of(path, &info));
	return (uint64_t)info.st_size;
}
