/* The forms that facts take in every JSON of sonde. */
#ifndef REPORT_JSON_FACT_H
#define REPORT_JSON_FACT_H

#include "base/json.h"
#include "model/facts.h"

/* {"value": 6.02, "how": "measured", "low": 6, "high": 6.04, "source": "wait4"}, with only what is
 * known. */
void json_figure(struct json *json, const struct fact *fact);
void json_fact(struct json *json, const struct fact *fact); /* of any kind, by its name */
void json_section(struct json *json, const char *key, const struct facts *facts,
		  const char *section);
/* Object `totals`: every name that scripts may rely on, then what else the run has. */
void json_totals(struct json *json, const struct facts *facts);
/* The fields of the object `run`: id, name, command, ... exit. */
void json_run_fields(struct json *json, const struct facts *facts);

#endif
