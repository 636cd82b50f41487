/* "sonde.run/1", an interface: names change only with the number in `format`.
 *	"totals": {
 *	  "wall_s": {"value": 252.1, "how": "measured", "source": "clock"},
 *	  "gpu_s": {"value": null, "how": "absent", "why": "..."},
 *	"processes": [
 *	  {"id": 1, "parent_id": null, "pid": 4711, "parent": null, "name": "python", ...
 *	   "totals": {"cpu_s": {"value": 249.8, "how": "measured"}, ...}},
 * `id` tells processes apart where a pid was used twice. */
#include "report/report.h"

#include "base/json.h"
#include "base/mem.h"
#include "model/phase.h"
#include "report/json_fact.h"
#include "report/totals.h"
#include "report/words.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#define PHASES_IN_FULL 10000 /* of more, only name and time: 100,000 would be 200 MB */

static void number_if_known(struct json *json, const char *key, double number)
{
	if (isfinite(number))
		json_number(json, key, number);
}

static void string_if_known(struct json *json, const char *key, const char *string)
{
	if (string)
		json_string(json, key, string);
}

void json_figure(struct json *json, const struct fact *fact)
{
	bool known = value_is(fact->value);

	json_object_line(json, fact->name);
	json_number(json, "value", known ? fact->value.number : NAN);
	json_string(json, "how", how_name(fact->value.how));
	number_if_known(json, "low", fact->low);
	number_if_known(json, "high", fact->high);
	string_if_known(json, "source", fact->source);
	string_if_known(json, "why", !known && !fact->why ? "not measured" : fact->why);
	json_object_end(json);
}

void json_fact(struct json *json, const struct fact *fact)
{
	switch (fact->kind) {
	case FACT_FIGURE:
		json_figure(json, fact);
		break;
	case FACT_TEXT:
		json_string(json, fact->name, fact->text);
		break;
	case FACT_NUMBER:
		json_number(json, fact->name, value_is(fact->value) ? fact->value.number : NAN);
		break;
	case FACT_BOOL:
		json_bool(json, fact->name, fact->value.number != 0);
		break;
	}
}

static void section_fields(struct json *json, const struct facts *facts, const char *section)
{
	for (size_t i = 0; i < facts->n_facts; i++) {
		if (strcmp(facts->facts[i].section, section) == 0)
			json_fact(json, &facts->facts[i]);
	}
}

void json_section(struct json *json, const char *key, const struct facts *facts,
		  const char *section)
{
	json_object(json, key);
	section_fields(json, facts, section);
	json_object_end(json);
}

/* Those of DESIGN's names are always there, null where nobody knows them. */
static void text_field(struct json *json, const struct facts *facts, const char *section,
		       const char *name)
{
	json_string(json, name, facts_text(facts, section, name));
}

static void number_field(struct json *json, const struct facts *facts, const char *section,
			 const char *name)
{
	struct value value = facts_value(facts, section, name);

	json_number(json, name, value_is(value) ? value.number : NAN);
}

static void bool_field(struct json *json, const struct facts *facts, const char *section,
		       const char *name)
{
	struct value value = facts_value(facts, section, name);

	if (value_is(value))
		json_bool(json, name, value.number != 0);
	else
		json_null(json, name);
}

static void list_of_texts(struct json *json, const char *key, const struct facts *facts,
			  const char *section)
{
	CLEANUP(freep) struct fact *list = NULL;
	size_t count = words_section(facts, section, &list);

	json_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_string(json, NULL, list[i].text);
	json_array_end(json);
}

static bool is_complete(const struct facts *facts)
{
	struct value complete = facts_value(facts, "run", "complete");

	return !facts->running && !facts->repaired && value_is(complete) && complete.number != 0;
}

static void exit_object(struct json *json, const struct facts *facts)
{
	json_object_line(json, "exit");
	number_field(json, facts, "exit", "status");
	number_field(json, facts, "exit", "signal");
	text_field(json, facts, "exit", "reason");
	text_field(json, facts, "exit", "cause");
	bool_field(json, facts, "exit", "sure");
	json_object_end(json);
}

void json_run_fields(struct json *json, const struct facts *facts)
{
	static const char *const texts[] = { "started", "host", "user", "directory" };

	text_field(json, facts, "run", "id");
	text_field(json, facts, "run", "name");
	string_if_known(json, "phase", facts_text(facts, "run", "phase"));
	list_of_texts(json, "command", facts, "command");
	for (size_t i = 0; i < COUNT(texts); i++)
		text_field(json, facts, "run", texts[i]);
	json_section(json, "tags", facts, "tag");
	json_bool(json, "complete", is_complete(facts));
	json_bool(json, "running", facts->running);
	exit_object(json, facts);
}

void json_totals(struct json *json, const struct facts *facts)
{
	CLEANUP(freep) struct fact *list = NULL;
	size_t count = total_list(facts, &list);

	json_object(json, "totals");
	for (size_t i = 0; i < count; i++)
		json_figure(json, &list[i]);
	json_object_end(json);
}

static void write_context(struct json *json, const struct facts *facts)
{
	json_object(json, "context");
	section_fields(json, facts, "context");
	json_section(json, "environment", facts, "environment");
	json_object_end(json);
}

/* Counters by their name, gauges by that of their peak, as in the totals of the run. */
static void process_figure(struct json *json, const struct metric *metric, struct value value)
{
	struct fact fact = { .name = metric->name, .value = value, .low = NAN, .high = NAN };
	char peak[96];

	if (metric->kind == KIND_GAUGE) {
		metric_derived_name(metric, "peak", peak, sizeof(peak));
		fact.name = peak;
	}
	json_figure(json, &fact);
}

static void process_exit(struct json *json, int status)
{
	if (status == PROCESS_STATUS_UNKNOWN) {
		json_null(json, "exit");
		return;
	}
	json_object_line(json, "exit");
	json_number(json, "status", WIFEXITED(status) ? WEXITSTATUS(status) : NAN);
	json_number(json, "signal", WIFSIGNALED(status) ? WTERMSIG(status) : NAN);
	json_object_end(json);
}

static const struct process *find_process(const struct facts *facts, uint32_t id)
{
	/* Ids count from 1 in order, so the place is known unless rows are missing. */
	if (id >= 1 && id <= facts->n_processes && facts->processes[id - 1].id == id)
		return &facts->processes[id - 1];
	for (size_t i = 0; id >= 1 && i < facts->n_processes; i++) {
		if (facts->processes[i].id == id)
			return &facts->processes[i];
	}
	return NULL;
}

static void write_process(struct json *json, const struct facts *facts,
			  const struct process *process)
{
	const struct process *parent = find_process(facts, process->parent);
	bool alive = process->ended_ns == PROCESS_ALIVE;

	json_object(json, NULL);
	json_int(json, "id", process->id);
	json_number(json, "parent_id", parent ? parent->id : NAN);
	json_int(json, "pid", process->pid);
	json_number(json, "parent", parent ? parent->pid : NAN);
	json_string(json, "name", process->name);
	json_string(json, "command", process->command);
	json_number(json, "count", (double)process->count);
	json_number(json, "started_s", (double)process->started_ns / 1e9);
	json_number(json, "ended_s", alive ? NAN : (double)process->ended_ns / 1e9);
	process_exit(json, process->status);
	json_object(json, "totals");
	for (size_t i = 0; i < facts->n_process_metrics; i++)
		process_figure(json, &facts->process_metrics[i], process->values[i]);
	json_object_end(json);
	json_object_end(json);
}

static void write_processes(struct json *json, const struct facts *facts)
{
	json_array(json, "processes");
	for (size_t i = 0; i < facts->n_processes; i++)
		write_process(json, facts, &facts->processes[i]);
	json_array_end(json);
}

static void write_sonde(struct json *json, const struct facts *facts)
{
	json_object(json, "sonde");
	section_fields(json, facts, "sonde");
	json_section(json, "own", facts, "own");
	json_object_end(json);
}

static void write_line(struct json *json, const struct line *line)
{
	json_array_line(json, line->metric->name);
	for (size_t i = 0; i < line->n_points; i++) {
		json_array_line(json, NULL);
		json_number(json, NULL, (double)line->points[i].time_ns / 1e9);
		json_number(json, NULL, line->points[i].number);
		json_array_end(json);
	}
	json_array_end(json);
}

/* Gauges as they were, counters as they stood: cumulative since the run's start. */
static void write_series(struct json *json, const struct facts *facts)
{
	if (facts->n_lines == 0)
		return;
	json_object(json, "series");
	for (size_t i = 0; i < facts->n_lines; i++) {
		if (facts->lines[i].process == 0)
			write_line(json, &facts->lines[i]);
	}
	json_object_end(json);
}

static void write_phase_totals(struct json *json, const struct phase *phase)
{
	json_object(json, "totals");
	for (int i = 0; i < PHASE_FIGURES; i++)
		json_figure(json, &(struct fact){ .name = phase_name(i),
						  .value = phase->values[i],
						  .low = NAN,
						  .high = NAN,
						  .why = phase_why(i, phase->values[i]) });
	json_object_end(json);
}

/* `parent` is the place in this list; `repetition` is what `sonde show --phase NAME#2` takes. */
static void write_phases(struct json *json, const struct facts *facts)
{
	json_array(json, "phases");
	for (size_t i = 0; i < facts->n_phases; i++) {
		const struct phase *phase = &facts->phases[i];

		json_object(json, NULL);
		json_string(json, "name", phase->name);
		json_int(json, "depth", phase->depth);
		json_number(json, "parent", phase->parent >= 0 ? (double)phase->parent : NAN);
		json_number(json, "started_s", (double)phase->span.start_ns / 1e9);
		json_number(json, "ended_s", (double)phase->span.end_ns / 1e9);
		json_int(json, "repetition", phase->repetition);
		if (i < PHASES_IN_FULL)
			write_phase_totals(json, phase);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_advice(struct json *json, const struct facts *facts)
{
	json_array(json, "advice");
	for (size_t i = 0; i < facts->n_advice; i++) {
		json_object(json, NULL);
		json_string(json, "rule", facts->advice[i].rule);
		json_string(json, "text", facts->advice[i].text);
		json_string(json, "evidence", facts->advice[i].evidence);
		json_string(json, "next", facts->advice[i].next);
		json_object_end(json);
	}
	json_array_end(json);
}

static int write_run(const struct facts *facts, FILE *out, struct err *err)
{
	struct json json;

	json_init(&json, out);
	json_object(&json, NULL);
	json_string(&json, "format", "sonde.run/1");
	json_object(&json, "run");
	json_run_fields(&json, facts);
	json_object_end(&json);
	json_section(&json, "machine", facts, "machine");
	json_section(&json, "limits", facts, "limits");
	write_context(&json, facts);
	json_totals(&json, facts);
	write_processes(&json, facts);
	write_phases(&json, facts);
	write_advice(&json, facts);
	write_sonde(&json, facts);
	list_of_texts(&json, "notes", facts, "note");
	write_series(&json, facts);
	json_object_end(&json);
	if (fflush(out) != 0 || ferror(out))
		return err_set(err, errno ? -errno : -EIO, "cannot write JSON");
	return 0;
}

const struct report report_json = {
	.name = "json",
	.suffix = ".json",
	.help = "everything, for scripts: format sonde.run/1",
	.write = write_run,
};
