/* /proc/PID/fd has an entry for each open file; from Linux 6.2 on its size, by stat(2), is how
 * many. Before, the size is 0, and they are counted, but only where FDSize of /proc/PID/status -
 * for so many there is room, a power of two - says that there may be many: most programs have a
 * handful. The limit is each process's own (ulimit -n); some raise theirs. None of it is in a file,
 * so it cannot be replayed from captured ones. */
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/onefile.h"
#include "source/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define COUNT_MOST 65536 /* entries that are counted one by one */
#define FEW 64           /* room for so many is what every process has */

enum { OPEN, SHARE };

static const struct metric metrics[] = {
	[OPEN] = { .name = "open_files",
		   .help = "files, pipes and sockets that the process has open",
		   .unit = UNIT_COUNT,
		   .kind = KIND_GAUGE,
		   .no_sum = true },
	[SHARE] = { .name = "open_files_share",
		    .help = "the same as a part of how many it may have open (ulimit -n)",
		    .unit = UNIT_RATIO,
		    .kind = KIND_GAUGE,
		    .no_sum = true },
	{ 0 },
};

struct state {
	int pid;
	char path[32];
};

static int files_open(const char *root, int pid, void **ret, struct err *err)
{
	struct state *state;

	if (!root_is_live(root))
		return err_set(err, -EOPNOTSUPP, "open files of process %d", pid);
	state = mem_new(sizeof(*state));
	state->pid = pid;
	snprintf(state->path, sizeof(state->path), "/proc/%d/fd", pid);
	*ret = state;
	return 0;
}

static void files_close(void *state)
{
	free(state);
}

static bool may_be_many(const struct state *state)
{
	CLEANUP(freep) char *text = NULL;
	char path[32];
	uint64_t room;

	snprintf(path, sizeof(path), "proc/%d/status", state->pid);
	return file_read("/", path, &text, NULL) > 0 && scan_key_u64(text, "FDSize:", &room) == 0 &&
	       room > FEW && room <= COUNT_MOST;
}

static struct value entries_count(const struct state *state)
{
	DIR *entries = may_be_many(state) ? opendir(state->path) : NULL;
	struct dirent *entry;
	double count = 0;

	if (!entries)
		return value_absent();
	while ((entry = readdir(entries)))
		count += entry->d_name[0] != '.';
	closedir(entries);
	return value_read(count);
}

static int files_read(void *at, struct value *values, struct err *err)
{
	const struct state *state = at;
	struct rlimit limit;
	struct stat stat_;

	if (stat(state->path, &stat_) < 0)
		return err_set(err, -errno, "'%s'", state->path);
	values[OPEN] = stat_.st_size > 0 ? value_read((double)stat_.st_size) : entries_count(state);
	if (value_is(values[OPEN]) && prlimit(state->pid, RLIMIT_NOFILE, NULL, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur > 0)
		values[SHARE] = value_read(values[OPEN].number / (double)limit.rlim_cur);
	return 0;
}

static const char *const files[] = { "proc/%d/status", NULL };

const struct source source_files = {
	.name = "files",
	.area = "io",
	.help = "how many files each process has open",
	.scope = SCOPE_PROCESS,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = files_open,
	.read = files_read,
	.close = files_close,
};
