/* The texts of /proc, as structs. Nothing here opens anything, every text is NUL-terminated, and
 * all return 0, or -EINVAL (-ENOENT, -ERANGE) for a text that is cut off or is something else. */
#ifndef SOURCE_PROCFILES_H
#define SOURCE_PROCFILES_H

#include <stdbool.h>
#include <stdint.h>

/* /proc/PID/statm: pages in memory. */
struct proc_statm { /* /proc/PID/statm */
	uint64_t resident_pages, shared_pages;
};
int proc_statm_parse(const char *text, struct proc_statm *ret);

struct proc_io {                                          /* /proc/PID/io, in its order */
	uint64_t read_bytes, write_bytes;                 /* through calls: rchar, wchar */
	uint64_t read_calls, write_calls;                 /* syscr, syscw */
	uint64_t storage_read_bytes, storage_write_bytes; /* read_bytes, write_bytes */
};
int proc_io_parse(const char *text, struct proc_io *ret);

struct proc_schedstat { /* /proc/PID/schedstat, and of each task: one thread */
	uint64_t run_ns, wait_ns;
	uint64_t slices; /* how often it got a CPU; 0 with the others: the kernel does not count */
};
int proc_schedstat_parse(const char *text, struct proc_schedstat *ret);

struct proc_smaps { /* /proc/PID/smaps_rollup */
	uint64_t pss_bytes;
};
int proc_smaps_parse(const char *text, struct proc_smaps *ret);

struct machine_stat { /* /proc/stat, in clock ticks since boot */
	uint64_t busy, iowait, steal;
	uint64_t boot_s; /* "btime": since 1970; 0 where it was not in the text */
	uint64_t cores;  /* "cpu0", "cpu1", ... that are in the text */
};
int machine_stat_parse(const char *text, struct machine_stat *ret);

struct loadavg { /* /proc/loadavg */
	double one_minute;
	uint64_t runnable;
};
int loadavg_parse(const char *text, struct loadavg *ret);

/* /proc/pressure/cpu, and of a cgroup: how long some task waited, in all. */
int pressure_parse(const char *text, uint64_t *ret_us);

struct meminfo { /* /proc/meminfo */
	uint64_t total_bytes, available_bytes, swap_total_bytes, swap_free_bytes;
	bool has_available; /* not before Linux 3.14 */
};
int meminfo_parse(const char *text, struct meminfo *ret);

/* "0-3,8,10-11" is 6: lists of CPUs in /sys and /proc/PID/status. */
int cpulist_parse(const char *text, uint64_t *ret_count);

#endif
