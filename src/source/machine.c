/* cpu  2775 0 2729 250311 1439 0 50 170 0 0
 * cpu0 646 0 1023 126899 63 0 6 93 0 0
 * ...
 * btime 1794777000
 *
 * Clock ticks: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice. Guests are
 * inside user and nice already. Steal is what the host gave to others while we wanted it: nobody
 * here was busy then. Before Linux 2.6.33 there are fewer columns. */
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"
#include "source/since.h"
#include "source/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TICKS_USER,
	TICKS_NICE,
	TICKS_SYSTEM,
	TICKS_IDLE,
	TICKS_IOWAIT,
	TICKS_IRQ,
	TICKS_SOFTIRQ,
	TICKS_STEAL,
	TICKS_COUNT
};

static void count_cores(const char *text, struct machine_stat *stat)
{
	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		if (strncmp(line + 1, "cpu", 3) != 0 || !isdigit((unsigned char)line[4]))
			return;
		stat->cores++;
	}
}

int machine_stat_parse(const char *text, struct machine_stat *ret)
{
	struct machine_stat stat = { 0 };
	uint64_t ticks[TICKS_COUNT] = { 0 };
	const char *cursor = text;
	int columns = 0;

	if (strncmp(text, "cpu ", 4) != 0)
		return -EINVAL;
	cursor += 4;
	while (columns < TICKS_COUNT && scan_u64(&cursor, &ticks[columns]) == 0)
		columns++;
	if (columns <= TICKS_IDLE)
		return -EINVAL;
	stat.busy = ticks[TICKS_USER] + ticks[TICKS_NICE] + ticks[TICKS_SYSTEM] + ticks[TICKS_IRQ] +
		    ticks[TICKS_SOFTIRQ];
	stat.iowait = ticks[TICKS_IOWAIT];
	stat.steal = ticks[TICKS_STEAL];
	scan_key_u64(text, "btime ", &stat.boot_s);
	count_cores(text, &stat);
	*ret = stat;
	return 0;
}

enum { BUSY, STEAL, IOWAIT, METRICS };

static const struct metric metrics[] = {
	[BUSY] = { .name = "machine_busy_s",
		   .help = "CPU time of all that ran on the machine, this run and others",
		   .unit = UNIT_SECONDS },
	[STEAL] = { .name = "machine_steal_s",
		    .help = "CPU time that the machine wanted and its host gave to others",
		    .unit = UNIT_SECONDS },
	[IOWAIT] = { .name = "machine_iowait_s",
		     .help = "time that CPUs of the machine were idle while storage was awaited",
		     .unit = UNIT_SECONDS },
	{ 0 },
};

struct state {
	struct kept kept;
	struct since since[METRICS];
};

static int machine_read(void *at, struct value *values, struct err *err)
{
	struct state *state = at;
	double ticks = (double)sysconf(_SC_CLK_TCK);
	struct machine_stat stat;
	char text[256]; /* the first line only; the kernel makes all the others all the same */
	ssize_t length = kept_read(&state->kept, text, sizeof(text));
	int r = length < 0 ? (int)length : machine_stat_parse(text, &stat);

	if (r < 0)
		return err_set(err, r, "'%s'", state->kept.path);
	values[BUSY] = since_read(&state->since[BUSY], (double)stat.busy / ticks);
	values[STEAL] = since_read(&state->since[STEAL], (double)stat.steal / ticks);
	values[IOWAIT] = since_read(&state->since[IOWAIT], (double)stat.iowait / ticks);
	return 0;
}

static void machine_close(void *at)
{
	struct state *state = at;

	if (state)
		kept_close(&state->kept);
	free(state);
}

static int machine_open(const char *root, int pid, void **ret, struct err *err)
{
	CLEANUP(freep) struct state *state = mem_new(sizeof(*state));
	struct value first[METRICS];
	int r = kept_open(&state->kept, root, "proc/stat", err);

	(void)pid;
	if (r < 0)
		return r;
	r = machine_read(state, first, err);
	if (r < 0) {
		kept_close(&state->kept);
		return r;
	}
	*ret = take(&state);
	return 0;
}

static const char *const files[] = { "proc/stat", NULL };

const struct source source_machine = {
	.name = "machine",
	.area = "machine",
	.help = "what all programs on the machine used together, and what its host took",
	.scope = SCOPE_RUN,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = machine_open,
	.read = machine_read,
	.close = machine_close,
};
