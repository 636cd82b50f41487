#include "model/facts.h"

#include "base/compiler.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fact *find(const struct facts *facts, const char *section, const char *name)
{
	for (size_t i = 0; i < facts->n_facts; i++) {
		struct fact *fact = &facts->facts[i];

		if (strcmp(fact->name, name) == 0 && strcmp(fact->section, section) == 0)
			return fact;
	}
	return NULL;
}

static void put(struct facts *facts, struct fact *place, const struct fact *fact)
{
	*place = *fact;
	place->section = arena_copy(&facts->arena, fact->section);
	place->name = arena_copy(&facts->arena, fact->name);
	place->text = arena_copy(&facts->arena, fact->text);
	place->source = arena_copy(&facts->arena, fact->source);
	place->why = arena_copy(&facts->arena, fact->why);
}

void facts_append(struct facts *facts, const struct fact *fact)
{
	facts->facts = mem_grow(facts->facts, facts->n_facts, &facts->room_facts,
				sizeof(*facts->facts));
	put(facts, &facts->facts[facts->n_facts++], fact);
}

void facts_add(struct facts *facts, const struct fact *fact)
{
	struct fact *place = find(facts, fact->section, fact->name);

	if (place)
		put(facts, place, fact);
	else
		facts_append(facts, fact);
}

void facts_add_text(struct facts *facts, const char *section, const char *name, const char *text)
{
	facts_add(facts, &(struct fact){ .section = section,
					 .name = name,
					 .kind = FACT_TEXT,
					 .text = text,
					 .low = NAN,
					 .high = NAN });
}

static void add_number(struct facts *facts, const char *section, const char *name,
		       enum fact_kind kind, double number)
{
	facts_add(facts, &(struct fact){ .section = section,
					 .name = name,
					 .kind = kind,
					 .value = value_read(number),
					 .low = NAN,
					 .high = NAN });
}

void facts_add_number(struct facts *facts, const char *section, const char *name, double number)
{
	add_number(facts, section, name, FACT_NUMBER, number);
}

void facts_add_bool(struct facts *facts, const char *section, const char *name, bool is)
{
	add_number(facts, section, name, FACT_BOOL, is);
}

static void add_figure(struct facts *facts, const char *section, const char *name, enum unit unit,
		       struct value value, const char *source, const char *why)
{
	facts_add(facts, &(struct fact){ .section = section,
					 .name = name,
					 .kind = FACT_FIGURE,
					 .unit = unit,
					 .value = value,
					 .low = NAN,
					 .high = NAN,
					 .source = source,
					 .why = why });
}

void facts_add_measured(struct facts *facts, const char *section, const char *name, enum unit unit,
			double number, const char *source)
{
	add_figure(facts, section, name, unit, value_read(number), source, NULL);
}

void facts_add_estimated(struct facts *facts, const char *section, const char *name, enum unit unit,
			 double number, const char *source, const char *why)
{
	add_figure(facts, section, name, unit, value_estimated(number), source, why);
}

void facts_add_absent(struct facts *facts, const char *section, const char *name, enum unit unit,
		      const char *why)
{
	add_figure(facts, section, name, unit, value_absent(), NULL, why);
}

void facts_note(struct facts *facts, const char *format, ...)
{
	CLEANUP(freep) char *sentence = NULL;
	char name[24];
	size_t notes = 0;
	va_list args;

	va_start(args, format);
	if (vasprintf(&sentence, format, args) < 0)
		sentence = NULL;
	va_end(args);
	for (size_t i = 0; i < facts->n_facts; i++) {
		const struct fact *fact = &facts->facts[i];

		if (strcmp(fact->section, "note") != 0)
			continue;
		if (sentence && fact->text && strcmp(fact->text, sentence) == 0)
			return;
		notes++;
	}
	snprintf(name, sizeof(name), "%zu", notes);
	if (sentence)
		facts_add_text(facts, "note", name, sentence);
}

const struct fact *facts_find(const struct facts *facts, const char *section, const char *name)
{
	return find(facts, section, name);
}

const char *facts_text(const struct facts *facts, const char *section, const char *name)
{
	const struct fact *fact = find(facts, section, name);

	return fact && fact->kind == FACT_TEXT ? fact->text : NULL;
}

struct value facts_value(const struct facts *facts, const char *section, const char *name)
{
	const struct fact *fact = find(facts, section, name);

	return fact && fact->kind != FACT_TEXT ? fact->value : value_absent();
}

struct process *facts_add_process(struct facts *facts)
{
	struct process *process;

	facts->processes = mem_grow(facts->processes, facts->n_processes, &facts->room_processes,
				    sizeof(*facts->processes));
	process = &facts->processes[facts->n_processes++];
	*process = (struct process){ .count = 1,
				     .ended_ns = PROCESS_ALIVE,
				     .status = PROCESS_STATUS_UNKNOWN };
	process->values = arena_new(&facts->arena,
				    facts->n_process_metrics * sizeof(*process->values));
	return process;
}

struct line *facts_add_line(struct facts *facts)
{
	facts->lines = mem_grow(facts->lines, facts->n_lines, &facts->room_lines,
				sizeof(*facts->lines));
	facts->lines[facts->n_lines] = (struct line){ 0 };
	return &facts->lines[facts->n_lines++];
}

void facts_add_mark(struct facts *facts, const struct mark *mark)
{
	facts->marks = mem_grow(facts->marks, facts->n_marks, &facts->room_marks,
				sizeof(*facts->marks));
	facts->marks[facts->n_marks] = *mark;
	facts->marks[facts->n_marks++].name = arena_copy(&facts->arena, mark->name);
}

void facts_add_advice(struct facts *facts, const struct advice *advice)
{
	facts->advice = mem_grow(facts->advice, facts->n_advice, &facts->room_advice,
				 sizeof(*facts->advice));
	facts->advice[facts->n_advice++] = (struct advice){
		.rule = arena_copy(&facts->arena, advice->rule),
		.text = arena_copy(&facts->arena, advice->text),
		.evidence = arena_copy(&facts->arena, advice->evidence),
		.next = arena_copy(&facts->arena, advice->next),
	};
}

static const char *const mark_kinds[] = {
	[MARK_NEXT] = "next", [MARK_BEGIN] = "begin", [MARK_END] = "end"
};

const char *mark_kind_name(enum mark_kind kind)
{
	return mark_kinds[kind];
}

int mark_kind_find(const char *name, enum mark_kind *ret)
{
	for (size_t i = 0; i < COUNT(mark_kinds); i++) {
		if (strcmp(mark_kinds[i], name) == 0) {
			*ret = (enum mark_kind)i;
			return 0;
		}
	}
	return -ENOENT;
}

void facts_drop_lines(struct facts *facts)
{
	for (size_t i = 0; i < facts->n_lines; i++)
		free(facts->lines[i].points);
	free(facts->lines);
	facts->lines = NULL;
	facts->n_lines = facts->room_lines = 0;
}

void facts_clear(struct facts *facts)
{
	facts_drop_lines(facts);
	free(facts->marks);
	free(facts->advice);
	free(facts->processes);
	free(facts->facts);
	arena_clear(&facts->arena);
	*facts = (struct facts){ 0 };
}

void facts_set_metrics(struct facts *facts, enum scope scope, const struct metric *metrics,
		       size_t count)
{
	struct metric *copy = arena_new(&facts->arena, count * sizeof(*copy));

	for (size_t i = 0; i < count; i++) {
		copy[i] = metrics[i];
		copy[i].scope = scope;
		copy[i].name = arena_copy(&facts->arena, metrics[i].name);
		copy[i].help = arena_copy(&facts->arena, metrics[i].help);
		copy[i].source = arena_copy(&facts->arena, metrics[i].source);
		copy[i].absent = arena_copy(&facts->arena, metrics[i].absent);
	}
	if (scope == SCOPE_RUN) {
		facts->run_metrics = copy;
		facts->n_run_metrics = count;
	} else {
		facts->process_metrics = copy;
		facts->n_process_metrics = count;
	}
}

int facts_metric(const struct facts *facts, enum scope scope, const char *name)
{
	const struct metric *metrics = scope == SCOPE_RUN ? facts->run_metrics
							  : facts->process_metrics;
	size_t count = scope == SCOPE_RUN ? facts->n_run_metrics : facts->n_process_metrics;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(metrics[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}
