/* A pid means something only in its pid namespace, between two boots: all three, and the time at
 * which the process started, must be the same. A process that is not shown (hidepid) answers kill()
 * with EPERM. */
#include "series/origin.h"

#include "base/file.h"
#include "base/parse.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Field 3, the state, and field 22, the start, stand behind the name, which may hold anything. */
static int process_stat(uint32_t pid, char *ret_state, uint64_t *ret_started)
{
	CLEANUP(freep) char *text = NULL;
	const char *cursor;
	char path[32];
	int r;

	snprintf(path, sizeof(path), "proc/%u/stat", pid);
	r = (int)file_read("/", path, &text, NULL);
	if (r < 0)
		return r;
	cursor = strrchr(text, ')');
	if (!cursor || cursor[1] != ' ' || cursor[2] == '\0')
		return -EBADMSG;
	*ret_state = cursor[2];
	cursor += 2;
	r = scan_skip(&cursor, 19);
	return r < 0 ? r : scan_u64(&cursor, ret_started);
}

static uint64_t pid_namespace(void)
{
	struct stat ns;

	return stat("/proc/self/ns/pid", &ns) == 0 ? ns.st_ino : 0;
}

void origin_read(struct arena *arena, struct origin *ret)
{
	CLEANUP(freep) char *boot = NULL;
	char host[256] = "", state;

	*ret = (struct origin){ .pid = (uint32_t)getpid(), .pid_namespace = pid_namespace() };
	if (process_stat(ret->pid, &state, &ret->pid_started) < 0)
		ret->pid_started = 0;
	if (file_read("/", "proc/sys/kernel/random/boot_id", &boot, NULL) >= 0)
		boot[strcspn(boot, "\n")] = '\0';
	gethostname(host, sizeof(host) - 1);
	ret->boot = arena_copy(arena, boot ? boot : "");
	ret->host = arena_copy(arena, host);
}

enum life origin_life(const struct origin *origin)
{
	struct arena arena = { 0 };
	struct origin here;
	uint64_t started;
	bool same;
	char state;

	origin_read(&arena, &here);
	same = origin->boot && *here.boot && strcmp(here.boot, origin->boot) == 0 &&
	       here.pid_namespace == origin->pid_namespace && origin->pid_started != 0;
	arena_clear(&arena);
	if (!same)
		return LIFE_UNKNOWN;
	if (process_stat(origin->pid, &state, &started) == 0)
		return started == origin->pid_started && !strchr("ZXx", state) ? LIFE_ON
									       : LIFE_OVER;
	return kill((pid_t)origin->pid, 0) == 0 || errno == EPERM ? LIFE_ON : LIFE_OVER;
}
