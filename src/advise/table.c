#include "advise/rule.h"

#include <string.h>

const struct rule *const rule_table[] = { NULL };

const struct rule *rule_find(const char *id)
{
	for (size_t i = 0; rule_table[i]; i++) {
		if (strcmp(rule_table[i]->id, id) == 0)
			return rule_table[i];
	}
	return NULL;
}
