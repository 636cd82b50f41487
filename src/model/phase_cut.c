/* The stretches of a phase are laid one behind the other: the facts that come out start at 0 and
 * last as long as all of them together, so that whoever reads facts needs to know nothing of
 * phases. */
#include "model/phase.h"

#include "base/map.h"
#include "base/opt.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOREBEARS_MOST 1000

struct cut {
	const struct facts *from;
	struct facts *to;
	struct span *spans; /* in order, apart from each other */
	uint64_t *passed;   /* time in the phase before each */
	size_t n_spans;
	uint64_t end_ns;          /* of the run */
	const struct line *ticks; /* the run's line with the most points */
	struct map lines;         /* by process: its first line; the others follow it */
	struct map processes;     /* by id */
};

/* Which. */

static bool is_picked(const struct phase *phase, const char *name, unsigned repetition)
{
	return strcmp(phase->name, name) == 0 &&
	       (repetition == 0 || phase->repetition == repetition);
}

/* "train" is the name, "train#2" its second, unless that is a name itself. */
static bool pick(const struct facts *facts, const char *which, char **ret_name, unsigned *ret)
{
	const char *sign = strrchr(which, '#');
	unsigned long number;
	char *rest = NULL;

	*ret = 0;
	for (size_t i = 0; i < facts->n_phases; i++) {
		if (strcmp(facts->phases[i].name, which) == 0) {
			*ret_name = mem_copy(which);
			return true;
		}
	}
	if (!sign || sign[1] < '1' || sign[1] > '9')
		return false;
	number = strtoul(sign + 1, &rest, 10);
	*ret = (unsigned)number;
	*ret_name = mem_copy_n(which, (size_t)(sign - which));
	for (size_t i = 0; !*rest && number <= facts->n_phases && i < facts->n_phases; i++) {
		if (is_picked(&facts->phases[i], *ret_name, *ret))
			return true;
	}
	return false;
}

/* One phase may lie inside of another of the same name: time counts once. */
static void add_spans(struct cut *cut, const char *name, unsigned repetition)
{
	cut->spans = mem_new(cut->from->n_phases * sizeof(*cut->spans));
	for (size_t i = 0; i < cut->from->n_phases; i++) {
		struct span span = cut->from->phases[i].span;
		struct span *before = cut->n_spans > 0 ? &cut->spans[cut->n_spans - 1] : NULL;

		if (!is_picked(&cut->from->phases[i], name, repetition))
			continue;
		if (!before || span.start_ns > before->end_ns)
			cut->spans[cut->n_spans++] = span;
		else if (span.end_ns > before->end_ns)
			before->end_ns = span.end_ns;
	}
	cut->passed = mem_new(cut->n_spans * sizeof(*cut->passed));
	for (size_t i = 1; i < cut->n_spans; i++)
		cut->passed[i] = cut->passed[i - 1] + cut->spans[i - 1].end_ns -
				 cut->spans[i - 1].start_ns;
}

/* How many stretches begin before that time. */
static size_t spans_before(const struct cut *cut, uint64_t time_ns)
{
	size_t low = 0, high = cut->n_spans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cut->spans[middle].start_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first that may have seen what was born then. */
static size_t first_span(const struct cut *cut, uint64_t born_ns)
{
	size_t before = spans_before(cut, born_ns);

	return before > 0 ? before - 1 : 0;
}

/* When that was, in the time of the phase: outside of it, its next moment. */
static uint64_t time_in(const struct cut *cut, uint64_t time_ns)
{
	size_t before = spans_before(cut, time_ns);
	struct span span;

	if (before == 0)
		return 0;
	span = cut->spans[before - 1];
	return cut->passed[before - 1] + (time_ns < span.end_ns ? time_ns : span.end_ns) -
	       span.start_ns;
}

/* Values. */

/* A stretch, with the last look where it ends with the run. */
static struct span reach(const struct cut *cut, size_t i)
{
	return span_reach(cut->spans[i], cut->end_ns);
}

static struct value growth_of(const struct cut *cut, const struct strand *strand)
{
	size_t last = spans_before(cut, strand->died_ns);
	struct value sum = value_absent();

	for (size_t i = first_span(cut, strand->born_ns); i < last; i++)
		sum = value_sum(sum, span_growth(strand, reach(cut, i)));
	return sum;
}

static struct stand stand_of(const struct cut *cut, const struct strand *strand, bool after_start)
{
	size_t last = spans_before(cut, strand->died_ns);
	struct stand all = { 0 };

	for (size_t i = first_span(cut, strand->born_ns); i < last; i++) {
		struct stand one = span_stand(strand, reach(cut, i), after_start);

		all.area += one.area;
		all.covered_s += one.covered_s;
		all.peak = value_larger(all.peak, one.peak);
	}
	return all;
}

/* Totals. */

/* What the whole run only estimates is not known better of a part. */
static void add_total(struct cut *cut, const char *name, const struct metric *metric,
		      struct value value, const char *why)
{
	const struct fact *whole = facts_find(cut->from, "totals", name);
	struct fact fact = { .section = "totals",
			     .name = name,
			     .unit = metric->unit,
			     .value = value,
			     .low = NAN,
			     .high = NAN,
			     .source = metric->source };

	if (value_is(value) && whole && whole->value.how == HOW_ESTIMATED)
		fact.value.how = HOW_ESTIMATED;
	if (fact.value.how == HOW_ESTIMATED)
		fact.why = why;
	if (!value_is(value)) {
		fact.source = NULL;
		fact.why = whole && !value_is(whole->value) ? whole->why : "no look fell into it";
	}
	facts_add(cut->to, &fact);
}

/* The kernel's own mark of the highest ever. Where it rose in the phase, that was the peak of the
 * phase, too; where not, it tells nothing of it. */
static bool is_high_mark(const struct metric *metric)
{
	return metric->kind == KIND_GAUGE && strstr(metric->name, "_high_");
}

static struct value high_of(const struct cut *cut, const struct strand *strand)
{
	size_t last = spans_before(cut, strand->died_ns);
	struct value highest = value_absent();

	for (size_t i = first_span(cut, strand->born_ns); i < last; i++) {
		size_t start = span_place(strand->points, strand->n_points, cut->spans[i].start_ns);
		size_t end = span_place(strand->points, strand->n_points, reach(cut, i).end_ns);
		double before = start > 0 ? strand->points[start - 1].number : 0;

		if (end > 0 && strand->points[end - 1].number > before)
			highest = value_read(strand->points[end - 1].number);
	}
	return highest;
}

/* Cores, shares and loads say at their point how the time before it was. */
static bool of_before(const struct metric *metric)
{
	return metric->unit == UNIT_RATIO;
}

static void add_gauge(struct cut *cut, const struct metric *metric, const struct strand *strand)
{
	struct stand stand = stand_of(cut, strand, of_before(metric));
	struct value mean = stand.covered_s > 0 ? value_read(stand.area / stand.covered_s)
						: value_absent();
	char name[96];

	metric_derived_name(metric, "peak", name, sizeof(name));
	add_total(cut, name, metric, stand.peak, "sampled: a shorter peak is missed");
	metric_derived_name(metric, "mean", name, sizeof(name));
	if (value_is(mean))
		add_total(cut, name, metric, mean, NULL);
}

static void add_totals_of_lines(struct cut *cut)
{
	for (size_t i = 0; i < cut->from->n_lines; i++) {
		const struct line *line = &cut->from->lines[i];
		struct strand strand = span_strand(cut->from, line);

		if (line->process != 0)
			continue;
		if (is_high_mark(line->metric))
			continue;
		if (line->metric->kind == KIND_GAUGE)
			add_gauge(cut, line->metric, &strand);
		else
			add_total(cut, line->metric->name, line->metric, growth_of(cut, &strand),
				  "what was counted between two looks is shared out evenly");
	}
}

/* The figures of the table of phases are the same here. */
static void add_totals_of_phase(struct cut *cut)
{
	struct value values[PHASE_FIGURES], more[PHASE_FIGURES];
	struct phase_meter meter;

	phase_meter_init(&meter, cut->from);
	phase_measure(&meter, cut->spans[0], values);
	for (size_t i = 1; i < cut->n_spans; i++) {
		phase_measure(&meter, cut->spans[i], more);
		phase_values_add(values, more);
	}
	for (int i = 0; i < PHASE_FIGURES; i++) {
		const struct metric metric = { .unit = phase_unit(i),
					       .source = meter.lines[i]
							     ? meter.lines[i]->metric->source
							     : phase_source(i) };

		add_total(cut, phase_name(i), &metric, values[i], phase_why(i, values[i]));
	}
}

static void add_totals_unknown(struct cut *cut)
{
	for (size_t i = 0; i < cut->from->n_facts; i++) {
		const struct fact *fact = &cut->from->facts[i];

		if (strcmp(fact->section, "totals") == 0 &&
		    !facts_find(cut->to, "totals", fact->name))
			facts_add_absent(cut->to, "totals", fact->name, fact->unit,
					 value_is(fact->value) ? "known of the whole run only"
							       : fact->why);
	}
}

/* Lines. */

static void point_add(struct line *line, size_t *room, uint64_t time_ns, struct point point)
{
	line->points = mem_grow(line->points, line->n_points, room, sizeof(*line->points));
	point.time_ns = time_ns;
	line->points[line->n_points++] = point;
}

/* A counter goes on from where the stretch before left it. */
static void counter_cut(const struct cut *cut, const struct strand *strand, struct line *to)
{
	uint64_t passed_ns = 0;
	double grown = 0;
	size_t room = 0;

	for (size_t i = 0; i < cut->n_spans; i++) {
		struct span span = cut->spans[i];
		size_t at = span_place(strand->points, strand->n_points, span.start_ns);
		double base, end, doubt;

		if (!span_at(strand, span.start_ns, &base, &doubt) ||
		    !span_at(strand, reach(cut, i).end_ns, &end, &doubt))
			return;
		for (; at < strand->n_points && strand->points[at].time_ns < span.end_ns; at++) {
			struct point point = strand->points[at];

			point.number += grown - base;
			point_add(to, &room, passed_ns + point.time_ns - span.start_ns, point);
		}
		passed_ns += span.end_ns - span.start_ns;
		grown += end - base;
		point_add(to, &room, passed_ns,
			  (struct point){ .number = grown, .low = NAN, .high = NAN });
	}
}

static void gauge_cut(const struct cut *cut, const struct strand *strand, struct line *to)
{
	uint64_t passed_ns = 0;
	size_t room = 0;

	for (size_t i = 0; i < cut->n_spans; i++) {
		struct span span = cut->spans[i];
		size_t at = span_place(strand->points, strand->n_points, span.start_ns);

		if (at > 0 && strand->points[at - 1].time_ns == span.start_ns &&
		    !of_before(to->metric))
			at--;
		for (; at < strand->n_points && strand->points[at].time_ns <= span.end_ns; at++)
			point_add(to, &room, passed_ns + strand->points[at].time_ns - span.start_ns,
				  strand->points[at]);
		passed_ns += span.end_ns - span.start_ns;
	}
}

static void cut_lines(struct cut *cut)
{
	const struct facts *from = cut->from;

	for (size_t i = 0; i < from->n_lines; i++) {
		const struct line *line = &from->lines[i];
		struct strand strand = span_strand(cut->from, line);
		struct line *to;

		if (line->process != 0)
			continue;
		to = facts_add_line(cut->to);
		to->metric = &cut->to->run_metrics[line->metric - from->run_metrics];
		if (line->metric->kind == KIND_COUNTER)
			counter_cut(cut, &strand, to);
		else
			gauge_cut(cut, &strand, to);
	}
}

/* Processes. */

static bool is_alive_in(const struct cut *cut, const struct process *process)
{
	for (size_t i = first_span(cut, process->started_ns);
	     i < cut->n_spans && cut->spans[i].start_ns < process->ended_ns; i++) {
		if (process->started_ns < cut->spans[i].end_ns)
			return true;
	}
	return false;
}

/* From its start to its end in one stretch. */
static bool is_within(const struct cut *cut, const struct process *process)
{
	size_t before = spans_before(cut, process->started_ns + 1);

	return before > 0 && process->ended_ns <= reach(cut, before - 1).end_ns &&
	       process->ended_ns != PROCESS_ALIVE;
}

static const struct line *find_line(const struct cut *cut, uint32_t id, const struct metric *metric)
{
	const struct line *line = map_find(&cut->lines, id);
	const struct line *end = cut->from->lines + cut->from->n_lines;

	for (; line && line < end && line->process == id; line++) {
		if (line->metric == metric)
			return line;
	}
	return NULL;
}

static struct value cut_value(const struct cut *cut, const struct process *process, size_t place)
{
	const struct metric *metric = &cut->from->process_metrics[place];
	const struct line *line = find_line(cut, process->id, metric);
	struct strand strand = line ? span_strand(cut->from, line) : (struct strand){ 0 };
	struct value value;

	strand.ticks = cut->ticks;
	strand.born_ns = process->started_ns;
	strand.died_ns = process->ended_ns;
	strand.lasting = true;
	if (process->ended_ns != PROCESS_ALIVE && process->ended_ns > process->started_ns)
		strand.total = process->values[place];
	if (is_high_mark(metric))
		return line ? high_of(cut, &strand) : value_absent();
	value = metric->kind == KIND_COUNTER ? growth_of(cut, &strand)
					     : stand_of(cut, &strand, false).peak;
	if (value_is(value) &&
	    (metric->kind == KIND_GAUGE || process->values[place].how == HOW_ESTIMATED))
		value.how = HOW_ESTIMATED;
	return value;
}

/* The nearest of its forebears that lived in the phase, too. A damaged recording may have rings. */
static uint32_t parent_in(const struct cut *cut, const struct process *process)
{
	const struct process *parent = map_find(&cut->processes, process->parent);

	for (size_t steps = 0; parent && !is_alive_in(cut, parent); steps++)
		parent = steps < FOREBEARS_MOST ? map_find(&cut->processes, parent->parent) : NULL;
	return parent ? parent->id : 0;
}

static void cut_process(struct cut *cut, const struct process *process)
{
	struct process *to = facts_add_process(cut->to);
	struct value *values = to->values;
	uint64_t end_ns = reach(cut, cut->n_spans - 1).end_ns;
	bool whole = is_within(cut, process);
	bool ended = process->ended_ns <= end_ns && process->ended_ns != PROCESS_ALIVE;

	*to = *process;
	to->values = values;
	to->name = arena_copy(&cut->to->arena, process->name);
	to->command = arena_copy(&cut->to->arena, process->command);
	to->parent = parent_in(cut, process);
	to->started_ns = time_in(cut, process->started_ns);
	to->ended_ns = ended ? time_in(cut, process->ended_ns) : PROCESS_ALIVE;
	to->status = ended ? process->status : PROCESS_STATUS_UNKNOWN;
	for (size_t i = 0; i < cut->from->n_process_metrics; i++)
		values[i] = whole ? process->values[i] : cut_value(cut, process, i);
}

static void cut_processes(struct cut *cut)
{
	double count = 0;

	for (size_t i = 0; i < cut->from->n_processes; i++) {
		const struct process *process = &cut->from->processes[i];

		if (!is_alive_in(cut, process))
			continue;
		cut_process(cut, process);
		count += (double)process->count;
	}
	facts_add_estimated(cut->to, "totals", "processes", UNIT_COUNT, count, "processes",
			    "those that were seen in it");
}

/* What stands inside: each phase below one that was picked is begun and ended again. */

struct event {
	size_t mark; /* ends come first at each */
	bool begin;
	size_t phase;
	uint64_t time_ns;
};

static int by_order(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->mark != b->mark)
		return a->mark < b->mark ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin ? 1 : -1;
	return a->phase > b->phase ? -1 : a->phase < b->phase;
}

static bool is_inside(const struct facts *facts, size_t phase, const char *name,
		      unsigned repetition)
{
	ptrdiff_t up = facts->phases[phase].parent;

	while (up >= 0 && !is_picked(&facts->phases[up], name, repetition))
		up = facts->phases[up].parent;
	return up >= 0 && facts->phases[phase].began != PHASE_NO_MARK;
}

static void cut_marks(struct cut *cut, const char *name, unsigned repetition)
{
	const struct facts *from = cut->from;
	CLEANUP(freep) struct event *events = mem_new(2 * from->n_phases * sizeof(*events));
	size_t count = 0;

	for (size_t i = 0; i < from->n_phases; i++) {
		const struct phase *phase = &from->phases[i];

		if (!is_inside(from, i, name, repetition) || is_picked(phase, name, repetition))
			continue;
		events[count++] = (struct event){ phase->began, true, i, phase->span.start_ns };
		events[count++] = (struct event){ phase->ended, false, i, phase->span.end_ns };
	}
	qsort(events, count, sizeof(*events), by_order);
	for (size_t i = 0; i < count; i++)
		facts_add_mark(cut->to,
			       &(struct mark){ .time_ns = time_in(cut, events[i].time_ns),
					       .kind = events[i].begin ? MARK_BEGIN : MARK_END,
					       .name = from->phases[events[i].phase].name });
}

/* All the rest. */

static void copy_facts(struct cut *cut)
{
	static const char *const left_out[] = { "totals", "own" };

	for (size_t i = 0; i < cut->from->n_facts; i++) {
		bool out = false;

		for (size_t j = 0; j < COUNT(left_out); j++)
			out = out || strcmp(cut->from->facts[i].section, left_out[j]) == 0;
		if (!out)
			facts_append(cut->to, &cut->from->facts[i]);
	}
	cut->to->running = cut->from->running;
	cut->to->repaired = cut->from->repaired;
}

static void find_all(struct cut *cut)
{
	for (size_t i = 0; i < cut->from->n_processes; i++)
		map_set(&cut->processes, cut->from->processes[i].id, &cut->from->processes[i]);
	for (size_t i = 0; i < cut->from->n_lines; i++) {
		struct line *line = &cut->from->lines[i];

		if (line->process == 0 && (!cut->ticks || line->n_points > cut->ticks->n_points))
			cut->ticks = line;
		if (line->process != 0 && !map_find(&cut->lines, line->process))
			map_set(&cut->lines, line->process, line);
	}
}

static void note(struct cut *cut, const char *which)
{
	facts_add_text(cut->to, "run", "phase", which);
	if (cut->n_spans > 1)
		facts_note(
		    cut->to,
		    "all of this is phase '%s' alone, its %zu stretches one behind the other; "
		    "limits, machine and exit are the run's",
		    which, cut->n_spans);
	else
		facts_note(
		    cut->to,
		    "all of this is phase '%s' alone, which began at %.3f s; limits, machine "
		    "and exit are the run's",
		    which, (double)cut->spans[0].start_ns / 1e9);
}

static int no_such(const struct facts *facts, const char *which, struct err *err)
{
	CLEANUP(freep) const char **names = mem_new((facts->n_phases + 1) * sizeof(*names));
	const char *near;

	if (facts->n_phases == 0) {
		err_say(err, -ENOENT, "this run has no phases: its program left no marks");
		return err_hint(err, "'sonde help mark' tells how a program makes them");
	}
	for (size_t i = 0; i < facts->n_phases; i++)
		names[i] = facts->phases[i].name;
	near = nearest(which, names);
	err_say(err, -ENOENT, "this run has no phase '%s'", which);
	if (near)
		return err_hint(err, "did you mean '%s'?", near);
	return err_hint(err, "'sonde show' lists them");
}

static void cut_all(struct cut *cut, const char *name, unsigned repetition)
{
	const struct facts *from = cut->from;

	facts_set_metrics(cut->to, SCOPE_RUN, from->run_metrics, from->n_run_metrics);
	facts_set_metrics(cut->to, SCOPE_PROCESS, from->process_metrics, from->n_process_metrics);
	find_all(cut);
	copy_facts(cut);
	add_totals_of_lines(cut);
	add_totals_of_phase(cut);
	cut_processes(cut);
	add_totals_unknown(cut);
	cut_lines(cut);
	cut_marks(cut, name, repetition);
	phases_add(cut->to, cut->to);
}

int phase_cut(const struct facts *facts, const char *which, struct facts *ret, struct err *err)
{
	struct cut cut = { .from = facts, .to = ret, .end_ns = phases_end_ns(facts) };
	CLEANUP(freep) char *name = NULL;
	unsigned repetition;

	if (!pick(facts, which, &name, &repetition))
		return no_such(facts, which, err);
	*ret = (struct facts){ 0 };
	add_spans(&cut, name, repetition);
	cut_all(&cut, name, repetition);
	note(&cut, which);
	map_clear(&cut.lines);
	map_clear(&cut.processes);
	free(cut.spans);
	free(cut.passed);
	return 0;
}
