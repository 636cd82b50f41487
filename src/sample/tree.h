/* The living processes below the launcher: who they are, what they used up to now. */
#ifndef SAMPLE_TREE_H
#define SAMPLE_TREE_H

#include "base/file.h"
#include "sample/events.h"
#include "sample/launcher.h"
#include "sample/roster.h"

#define OWED_MOST 8

struct proc { /* one that lives */
	int pid;
	struct proc *parent; /* who will wait for it; NULL: the launcher */
	uint32_t id;
	uint64_t clock_ns;  /* its CPU clock at the last tick: its own time, exact */
	uint64_t starttime; /* in clock ticks since boot: with the pid, its identity */
	bool fresh;         /* added since the last tick began */
	bool moved;         /* ran since the last tick */
	bool moved_slow;    /* ran since its slow sources were read */
	bool has_children;
	bool ignores_children; /* SIGCHLD is ignored: nobody gets its children's accounts */
	bool many_threads;     /* it has, or had, more than one */
	bool zombie;
	bool stray;             /* its parent has gone in this look */
	bool stopped_clock;     /* its CPU clock cannot be read any more */
	uint64_t high_clock_ns; /* its CPU clock when its largest size was read */
	uint32_t idle;          /* looks that found it asleep, in a row */
	int looks;              /* how often it was read */
	void **states;          /* by process reader; NULL: not open */
	bool *closed;           /* by process reader: cannot be read, do not try again */
	struct value
	    *now; /* by process metric, as the kernel shows it: with_children where it says so */
	double *children; /* what the children that were seen to go had, of metrics with_children */
	double pss_bytes; /* its share of memory when PSS was last read; -1: never */
	double pss_anon,
	    pss_shared; /* and what else it had then: its own pages, and files and shared memory */
	struct kept children_file;
	int pidfd;          /* tells how it ended; -1: nothing will */
	struct value *own;  /* by metric with_children: what it used itself, where that is told */
	double *own_before; /* at the look before */
	double *before;     /* `now` at the look before */
	uint64_t before_clock_ns;
	double *owed;                /* of children that have gone, and are not yet seen in `now` */
	uint32_t owed_to[OWED_MOST]; /* their rows */
	size_t n_owed;
};

struct tree {
	const struct metrics *metrics;
	const char *root;
	struct roster roster;
	struct proc **live; /* parents before their children */
	size_t n_live, room_live;
	uint64_t looks;
	size_t moved; /* so many ran before the last look */
	struct map by_pid;
	struct proc *launcher; /* not in live; its children's accounts come to it */
	const struct launcher_shared *shared;
	uint64_t reaped_seen;
	uint64_t start_ns; /* CLOCK_BOOTTIME of the program's start; times are since then */
	uint64_t now_ns;
	double *lost; /* by metric: of children of those that ignore SIGCHLD; the kernel drops it */
	double *dead; /* by metric: of counters that a parent does not get */
	struct events *events;    /* NULL: not open */
	int64_t events_offset_ns; /* from their clock to ours */
	struct map briefs;    /* by pid: what events told of processes that have not been settled */
	uint64_t told_cpu_ns; /* by events, of tasks that ended */
	bool forked;          /* an event said so since the last look for new ones */
	struct kept loadavg;
	uint64_t last_pid;
	bool no_children_file; /* the kernel lacks task/TID/children: all of /proc is looked through
				*/
	uint64_t started_count;           /* processes ever known: seen, or told by events */
	uint64_t alive_count, alive_peak; /* by events: exact */
	bool events_missing;              /* starts and ends do not match: some were lost */
	uint64_t unseen_most;  /* without events: as many may have come and gone between two looks,
				  at most */
	bool ignored_children; /* somebody ignores SIGCHLD */
	bool ask_all;          /* sleepers too: the last look */
};

void tree_init(struct tree *tree, const char *root, const struct metrics *metrics, int launcher_pid,
	       const struct launcher_shared *shared, struct events *events);
/* From now on orphans come to this process. */
void tree_adopt(struct tree *tree, int pid);
/* Looks at all: who has gone, who has come, and what the ones that moved used. `slow` reads the
 * slow sources, too (except PSS). now_ns: since the program's start. */
void tree_look(struct tree *tree, uint64_t now_ns, bool slow);
/* By process metric: what it used itself, without its children. */
void proc_own(const struct tree *tree, const struct proc *proc, struct value *ret);
/* By process metric: the sum over the tree, dead ones included for counters. */
void tree_sum(const struct tree *tree, struct value *sums);
bool tree_inherits(const struct tree *tree); /* somebody alive has, or had, children */
bool tree_saw_all(const struct tree *tree);  /* events told of every process */
void tree_clear(struct tree *tree);

/* discover.c: adds new processes to the tree. */
void tree_discover(struct tree *tree);
struct proc *tree_add(struct tree *tree, int pid); /* NULL where it has gone already */

/* memory.c */
/* Reads PSS of all living. False where they changed meanwhile and the sum is not to be trusted. */
bool tree_read_pss(struct tree *tree);
/* Memory of the tree with shared pages counted once, as well as it is known. */
struct value tree_memory(const struct tree *tree);
/* Is it known of all that matter how much they share? */
bool tree_shares_known(const struct tree *tree);
double tree_largest(const struct tree *tree); /* RSS of the largest process */
/* What all took of files and shared memory since PSS was read, counted once. */
double tree_shared_since(const struct tree *tree);

/* settle.c: what children did after the last look at them. */
void settle_owe(const struct tree *tree, struct proc *parent, const struct proc *child);
void settle_all(struct tree *tree);

/* For the files of this part. */
int proc_read_source(const struct tree *tree, struct proc *proc, size_t reader);
bool reads_pss(const struct tree *tree, const struct reader *reader);
void proc_to_row(struct tree *tree, struct proc *proc);

/* brief.c: what the events say. */
void briefs_drain(struct tree *tree);
void briefs_settle(struct tree *tree); /* at the end: all that have ended */
void briefs_clear(struct tree *tree);
void brief_seen(struct tree *tree, int pid,
		uint32_t id); /* it is in the tree, with a row of its own */

#endif
