#include "report/report.h"

#include <string.h>

const struct report *const report_table[] = { &report_json, &report_csv, &report_openmetrics,
					      NULL };

const struct report *report_find(const char *name)
{
	for (size_t i = 0; report_table[i]; i++) {
		if (strcmp(report_table[i]->name, name) == 0)
			return report_table[i];
	}
	return NULL;
}
