/* What stays the same for a run and explains its figures: the machine, the limits, the job, the
 * working directory. Read once, in less than a millisecond, while the program already runs. */
#ifndef SOURCE_CONTEXT_H
#define SOURCE_CONTEXT_H

#include "model/facts.h"

/* Adds the sections:
 *	run		host, user, directory
 *	machine		cpu_model cores threads_per_core sockets memory_bytes swap_bytes kernel
 *			architecture os virtual hypervisor container cgroup_version clock_ticks
 *			boot_id
 *	limits		cores and memory_bytes: the least of those below, and `source` says which;
 *			cores_affinity cores_quota cores_requested memory_cgroup_bytes
 *			memory_ulimit_bytes memory_requested_bytes time_s time_left_s (at the
 *			start) processes open_files cpu_s (of each process) file_bytes
 *	context		scheduler job_id job_name queue node_list nodes tasks step rank array_job
 *			array_task account cluster, cgroup, kubernetes_namespace kubernetes_pod,
 *			git_commit git_branch
 *	environment	by allow-list, secrets masked
 * Words that are not known are left out, limits and sizes that are not known are absent with their
 * why. Always returns 0: whatever is missing, the rest stands. */
int context_read(const char *root, struct facts *facts);

/* The same with another environment ("NAME=VALUE", ends with NULL) and working directory. */
int context_read_of(const char *root, const char *const *environment, const char *directory,
		    struct facts *facts);

extern const char *const context_files[]; /* what it reads, as source.files */

#endif
