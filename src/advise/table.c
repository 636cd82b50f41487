#include "advise/table.h"

#include <string.h>

const struct rule *const rule_table[] = {
	&rule_killed_for_memory, &rule_elsewhere,      &rule_too_short,        &rule_swapping,
	&rule_memory_near,       &rule_cpu_wait_quota, &rule_too_many_threads, &rule_cpu_wait_cores,
	&rule_cpu_wait_others,   &rule_machine_busy,   &rule_storage_wait,     &rule_one_core,
	&rule_few_cores_used,    &rule_process_starts, &rule_system_time,      &rule_sleeping,
	&rule_ask_for,           &rule_memory_low,     &rule_time_low,         NULL,
};

const struct rule *rule_find(const char *id)
{
	for (size_t i = 0; rule_table[i]; i++) {
		if (strcmp(rule_table[i]->id, id) == 0)
			return rule_table[i];
	}
	return NULL;
}
