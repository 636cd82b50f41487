/* Name:	cat
 * Uid:	0	0	0	0			real, effective, saved, of files
 * NSpid:	5450	12
 * VmHWM:	    1720 kB
 * VmSwap:	       0 kB			since Linux 2.6.34
 * Threads:	1
 * SigIgn:	0000000000000000
 * Cpus_allowed_list:	0-1
 * voluntary_ctxt_switches:	0
 *
 * Its 1.4 kB of text cost 11 to 17 us, so it is read slowly. VmHWM begins anew at exec, unlike
 * ru_maxrss. The kernel escapes newlines in Name, so that a line is always its own. */
#include "source/status.h"

#include "base/parse.h"
#include "source/onefile.h"
#include "source/procfiles.h"
#include "source/source.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *line_find(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0)
			return line + length;
	}
	return NULL;
}

static int ignored_parse(const char *text, uint64_t *ret)
{
	const char *mask = line_find(text, "SigIgn:\t");
	size_t digits = mask ? strspn(mask, "0123456789abcdef") : 0;

	if (digits == 0 || digits > 16)
		return -EINVAL;
	*ret = strtoull(mask, NULL, 16);
	return 0;
}

static void pids_parse(const char *text, struct proc_status *status)
{
	const char *cursor = line_find(text, "NSpid:");

	while (cursor && status->n_pids < STATUS_SPACES &&
	       scan_u64(&cursor, &status->pids[status->n_pids]) == 0)
		status->n_pids++;
}

int proc_status_parse(const char *text, struct proc_status *ret)
{
	struct proc_status status = { 0 };
	const char *uid = line_find(text, "Uid:"), *cores = line_find(text, "Cpus_allowed_list:");
	uint64_t kb;

	if (!uid || scan_skip(&uid, 1) < 0 || scan_u64(&uid, &status.uid) < 0 ||
	    scan_key_u64(text, "Threads:", &status.threads) < 0 ||
	    ignored_parse(text, &status.ignored) < 0)
		return -EINVAL;
	status.has_high = scan_key_u64(text, "VmHWM:", &kb) == 0 &&
			  !__builtin_mul_overflow(kb, 1024u, &status.high_bytes);
	if (cores)
		cpulist_parse(cores + strspn(cores, " \t"), &status.cores);
	scan_key_u64(text, "voluntary_ctxt_switches:", &status.switches_voluntary);
	scan_key_u64(text, "nonvoluntary_ctxt_switches:", &status.switches_involuntary);
	pids_parse(text, &status);
	*ret = status;
	return 0;
}

bool proc_status_reaps_itself(const struct proc_status *status)
{
	return status->ignored >> (SIGCHLD - 1) & 1;
}

enum { HIGH, SWAP };

static const struct metric metrics[] = {
	[HIGH] = { .name = "memory_high_bytes",
		   .help = "the most memory that the process ever had in RAM, from the kernel's "
			   "own mark",
		   .unit = UNIT_BYTES,
		   .kind = KIND_GAUGE,
		   .no_sum = true },
	[SWAP] = { .name = "swap_bytes",
		   .help = "memory of the process that was moved out to swap",
		   .unit = UNIT_BYTES,
		   .kind = KIND_GAUGE },
	{ 0 },
};

static int status_open(const char *root, int pid, void **ret, struct err *err)
{
	return onefile_open_pid(root, pid, "status", ret, err);
}

static int status_read(void *state, struct value *values, struct err *err)
{
	char text[8192];
	ssize_t length = onefile_read(state, text, sizeof(text), err);
	uint64_t kb;

	if (length < 0)
		return (int)length;
	values[HIGH] = scan_key_u64(text, "VmHWM:", &kb) == 0 ? value_read((double)kb * 1024)
							      : value_absent();
	values[SWAP] = scan_key_u64(text, "VmSwap:", &kb) == 0 ? value_read((double)kb * 1024)
							       : value_absent();
	return 0;
}

static const char *const files[] = { "proc/%d/status", NULL };

const struct source source_status = {
	.name = "status",
	.area = "memory",
	.help = "the most memory that each process ever had, and its swap",
	.scope = SCOPE_PROCESS,
	.pace = PACE_SLOW,
	.metrics = metrics,
	.files = files,
	.open = status_open,
	.read = status_read,
	.close = onefile_close,
};
