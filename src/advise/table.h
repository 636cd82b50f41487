/* The rules, by the file that defines them. Each has a row in table.c. */
#ifndef ADVISE_TABLE_H
#define ADVISE_TABLE_H

#include "advise/rule.h"

/* What most rules need stands first in their needs, in this order. */
enum { WALL, CPU, WAIT };

static inline double mean_cores(const struct rule_view *view)
{
	return view->numbers[CPU] / view->numbers[WALL];
}

/* How many wanted to run at once, on average: those that did, and those that waited for a CPU. */
static inline double wanted_cores(const struct rule_view *view)
{
	return (view->numbers[CPU] + view->numbers[WAIT]) / view->numbers[WALL];
}

/* cores.c: how many cores were busy */
extern const struct rule rule_one_core, rule_few_cores_used, rule_too_many_threads;
/* waits.c: what it waited for */
extern const struct rule rule_cpu_wait_quota, rule_cpu_wait_cores, rule_cpu_wait_others,
    rule_storage_wait, rule_sleeping;
/* work.c: what its CPU time went to */
extern const struct rule rule_process_starts, rule_system_time;
/* memory.c */
extern const struct rule rule_killed_for_memory, rule_swapping, rule_memory_near, rule_memory_low;
/* trust.c: what can be said from this run at all */
extern const struct rule rule_elsewhere, rule_too_short, rule_machine_busy;
/* request.c: what to ask for next time */
extern const struct rule rule_ask_for, rule_time_low;

#endif
