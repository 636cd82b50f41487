#include "model/phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_NS 10000000ull /* shorter pauses between phases are not worth a name */
#define OPEN_MOST                                                                                  \
	100 /* at once; beyond, somebody forgets to end them, and each ends the one before */
#define JIFFY_S 0.01 /* the kernel's account of children, and of user and system time */
#define TRIFLE 0.01  /* of a figure: an error that does not matter */

enum figure_kind { FIGURE_WALL, FIGURE_GROWTH, FIGURE_PEAK, FIGURE_CORES };

static const struct {
	const char *name, *metric;
	enum unit unit;
	enum figure_kind kind;
	bool in_jiffies;
} figures[PHASE_FIGURES] = {
	[PHASE_WALL] = { "wall_s", NULL, UNIT_SECONDS, FIGURE_WALL, false },
	[PHASE_CPU] = { "cpu_s", "cpu_s", UNIT_SECONDS, FIGURE_GROWTH, false },
	[PHASE_CPU_USER] = { "cpu_user_s", "cpu_user_s", UNIT_SECONDS, FIGURE_GROWTH, true },
	[PHASE_CPU_SYSTEM] = { "cpu_system_s", "cpu_system_s", UNIT_SECONDS, FIGURE_GROWTH, true },
	[PHASE_CORES_MEAN] = { "cores_mean", NULL, UNIT_RATIO, FIGURE_CORES, false },
	[PHASE_CORES_PEAK] = { "cores_peak", "cores", UNIT_RATIO, FIGURE_PEAK, false },
	[PHASE_MEMORY_PROCESS] = { "memory_process_peak_bytes", "memory_process_bytes", UNIT_BYTES,
				   FIGURE_PEAK, false },
	[PHASE_MEMORY_TREE] = { "memory_tree_peak_bytes", "memory_tree_bytes", UNIT_BYTES,
				FIGURE_PEAK, false },
	[PHASE_SWAP] = { "swap_peak_bytes", "swap_bytes", UNIT_BYTES, FIGURE_PEAK, false },
	[PHASE_READ] = { "io_read_bytes", "io_read_bytes", UNIT_BYTES, FIGURE_GROWTH, false },
	[PHASE_WRITE] = { "io_write_bytes", "io_write_bytes", UNIT_BYTES, FIGURE_GROWTH, false },
	[PHASE_STORAGE_READ] = { "storage_read_bytes", "storage_read_bytes", UNIT_BYTES,
				 FIGURE_GROWTH, false },
	[PHASE_STORAGE_WRITE] = { "storage_write_bytes", "storage_write_bytes", UNIT_BYTES,
				  FIGURE_GROWTH, false },
	[PHASE_WAIT_CPU] = { "wait_cpu_s", "wait_cpu_s", UNIT_SECONDS, FIGURE_GROWTH, false },
	[PHASE_WAIT_IO] = { "wait_io_s", "wait_io_s", UNIT_SECONDS, FIGURE_GROWTH, false },
	[PHASE_PROCESSES] = { "processes_peak", "processes", UNIT_COUNT, FIGURE_PEAK, false },
	[PHASE_THREADS] = { "threads_peak", "threads", UNIT_COUNT, FIGURE_PEAK, false },
};

const char *phase_name(enum phase_figure figure)
{
	return figures[figure].name;
}

enum unit phase_unit(enum phase_figure figure)
{
	return figures[figure].unit;
}

const char *phase_source(enum phase_figure figure)
{
	static const char *const by_kind[] = {
		[FIGURE_WALL] = "marks", [FIGURE_CORES] = "cpu_s / wall_s", [FIGURE_PEAK] = NULL
	};

	return by_kind[figures[figure].kind];
}

const char *phase_why(enum phase_figure figure, struct value value)
{
	bool peak = figures[figure].kind == FIGURE_PEAK;

	switch (value.how) {
	case HOW_MEASURED:
		return NULL;
	case HOW_ESTIMATED:
		return peak ? "sampled: a shorter peak is missed"
			    : "what was counted between two looks is shared out evenly";
	case HOW_ABSENT:
		break;
	}
	return "there is no series of it, or no look fell into it";
}

/* Building. */

struct building {
	struct phase *list;
	size_t count, room;
	struct {
		size_t place;
		bool flat;
	} open[OPEN_MOST]; /* the newest last */
	size_t n_open;
	size_t mark;
	size_t unmatched;
};

/* What goes on without it was not inside of it, but inside of what it was inside of. */
static void open_remove(struct building *building, size_t i, uint64_t time_ns)
{
	size_t place = building->open[i].place;
	struct phase *phase = &building->list[place];

	phase->span.end_ns = time_ns > phase->span.start_ns ? time_ns : phase->span.start_ns;
	phase->ended = building->mark;
	building->n_open--;
	memmove(&building->open[i], &building->open[i + 1],
		(building->n_open - i) * sizeof(*building->open));
	for (; i < building->n_open; i++) {
		struct phase *later = &building->list[building->open[i].place];

		if (later->parent == (ptrdiff_t)place)
			later->parent = phase->parent;
	}
}

static void open_add(struct building *building, const struct mark *mark)
{
	struct phase phase = { .name = mark->name,
			       .parent = -1,
			       .span.start_ns = mark->time_ns,
			       .began = building->mark,
			       .ended = PHASE_NO_MARK };

	if (building->n_open == OPEN_MOST)
		open_remove(building, OPEN_MOST - 1, mark->time_ns);
	if (building->n_open > 0)
		phase.parent = (ptrdiff_t)building->open[building->n_open - 1].place;
	building->list = mem_grow(building->list, building->count, &building->room,
				  sizeof(*building->list));
	building->open[building->n_open].place = building->count;
	building->open[building->n_open++].flat = mark->kind == MARK_NEXT;
	building->list[building->count++] = phase;
}

static void next(struct building *building, const struct mark *mark)
{
	if (building->n_open > 0 && building->open[building->n_open - 1].flat)
		open_remove(building, building->n_open - 1, mark->time_ns);
	open_add(building, mark);
}

/* The newest open one of that name; where it is "", the newest that was begun. */
static ptrdiff_t open_find(const struct building *building, const char *name)
{
	for (size_t i = building->n_open; i-- > 0;) {
		const char *its = building->list[building->open[i].place].name;

		if (*name ? strcmp(its, name) == 0 : !building->open[i].flat)
			return (ptrdiff_t)i;
	}
	return -1;
}

static void end(struct building *building, const struct mark *mark)
{
	ptrdiff_t place = open_find(building, mark->name);
	size_t ended;

	if (place < 0) {
		building->unmatched++;
		return;
	}
	ended = building->open[place].place;
	for (size_t i = building->n_open; i-- > (size_t)place + 1;) {
		if (building->open[i].flat &&
		    building->list[building->open[i].place].parent == (ptrdiff_t)ended)
			open_remove(building, i, mark->time_ns);
	}
	open_remove(building, (size_t)place, mark->time_ns);
}

static void build(struct building *building, const struct facts *facts, uint64_t end_ns)
{
	static void (*const by_kind[])(struct building *, const struct mark *) = {
		[MARK_NEXT] = next, [MARK_BEGIN] = open_add, [MARK_END] = end
	};

	for (size_t i = 0; i < facts->n_marks; i++) {
		building->mark = i;
		by_kind[facts->marks[i].kind](building, &facts->marks[i]);
	}
	building->mark = PHASE_NO_MARK;
	while (building->n_open > 0)
		open_remove(building, building->n_open - 1, end_ns);
}

/* Of a run that was killed, a mark may come after the last tick. */
uint64_t phases_end_ns(const struct facts *facts)
{
	struct value wall = facts_value(facts, "totals", "wall_s");
	uint64_t end_ns = value_is(wall) && wall.number > 0 ? (uint64_t)llround(wall.number * 1e9)
							    : 0;
	uint64_t last_ns = facts->n_marks > 0 ? facts->marks[facts->n_marks - 1].time_ns : 0;

	return last_ns > end_ns ? last_ns : end_ns;
}

size_t phases_unmatched(const struct facts *facts)
{
	struct building building = { 0 };

	build(&building, facts, 0);
	free(building.list);
	return building.unmatched;
}

/* The list with time that has no name in between. */
struct filling {
	struct facts *facts;
	uint64_t covered_ns; /* up to here */
};

static void gap_add(struct filling *filling, uint64_t until_ns)
{
	struct facts *facts = filling->facts;
	bool first = filling->covered_ns == 0 && facts->n_phases == 0;

	if (until_ns < filling->covered_ns + LEAST_NS)
		return;
	facts->phases[facts->n_phases++] =
	    (struct phase){ .name = first ? PHASE_BEFORE : PHASE_BETWEEN,
			    .parent = -1,
			    .span = { filling->covered_ns, until_ns },
			    .began = PHASE_NO_MARK,
			    .ended = PHASE_NO_MARK };
}

static void fill(struct facts *facts, const struct phase *list, size_t count, uint64_t end_ns)
{
	CLEANUP(freep) size_t *places = mem_new(count * sizeof(*places));
	struct filling filling = { .facts = facts };

	facts->phases = arena_new(&facts->arena, (2 * count + 1) * sizeof(*facts->phases));
	for (size_t i = 0; i < count; i++) {
		struct phase phase = list[i];

		gap_add(&filling, phase.span.start_ns);
		if (phase.parent >= 0) {
			phase.parent = (ptrdiff_t)places[phase.parent];
			phase.depth = facts->phases[phase.parent].depth + 1;
		}
		places[i] = facts->n_phases;
		facts->phases[facts->n_phases++] = phase;
		if (phase.span.end_ns > filling.covered_ns)
			filling.covered_ns = phase.span.end_ns;
	}
	gap_add(&filling, end_ns);
}

/* Repetitions. */

struct named {
	struct phase *phase;
};

static int by_name(const void *left, const void *right)
{
	const struct phase *a = ((const struct named *)left)->phase;
	const struct phase *b = ((const struct named *)right)->phase;
	int order = strcmp(a->name, b->name);

	return order ? order : a < b ? -1 : a > b;
}

static void count_repetitions(struct facts *facts)
{
	CLEANUP(freep) struct named *list = mem_new(facts->n_phases * sizeof(*list));
	size_t first = 0;

	for (size_t i = 0; i < facts->n_phases; i++)
		list[i].phase = &facts->phases[i];
	qsort(list, facts->n_phases, sizeof(*list), by_name);
	for (size_t i = 0; i < facts->n_phases; i++) {
		if (i + 1 < facts->n_phases &&
		    strcmp(list[i].phase->name, list[i + 1].phase->name) == 0)
			continue;
		for (size_t j = first; j <= i; j++) {
			list[j].phase->repetition = (unsigned)(j - first + 1);
			list[j].phase->repetitions = (unsigned)(i - first + 1);
		}
		first = i + 1;
	}
}

/* Figures. */

static struct value mean_cores(const struct value *values)
{
	struct value cpu = values[PHASE_CPU], wall = values[PHASE_WALL];

	if (!value_is(cpu) || wall.number <= 0)
		return value_absent();
	return (struct value){ .number = cpu.number / wall.number, .how = cpu.how };
}

/* A look sees less than the whole; the peak is never below the mean. */
static void finish_cores(struct value *values)
{
	struct value *peak = &values[PHASE_CORES_PEAK];

	values[PHASE_CORES_MEAN] = mean_cores(values);
	if (value_is(values[PHASE_CORES_MEAN]) &&
	    (!value_is(*peak) || peak->number < values[PHASE_CORES_MEAN].number))
		*peak = value_estimated(values[PHASE_CORES_MEAN].number);
}

/* At some looks more was guessed than is known at the end: no part is above the whole. */
static struct value peak_of(const struct phase_meter *meter, enum phase_figure figure,
			    struct value peak)
{
	struct value whole = facts_value(meter->series, "totals", figures[figure].name);

	if (!value_is(peak))
		return peak;
	return value_estimated(value_is(whole) && whole.number < peak.number ? whole.number
									     : peak.number);
}

static struct value figure_of(const struct phase_meter *meter, enum phase_figure figure,
			      struct span span)
{
	struct strand strand = span_strand(meter->series, meter->lines[figure]);
	bool rough = figures[figure].in_jiffies || (figure == PHASE_CPU && !meter->alone);
	struct value value;

	if (figures[figure].kind == FIGURE_PEAK) {
		value = span_stand(&strand, span, figures[figure].unit == UNIT_RATIO).peak;
		return peak_of(meter, figure, value);
	}
	value = span_growth(&strand, span);
	if (value_is(value) && rough && 2 * JIFFY_S > TRIFLE * value.number)
		value.how = HOW_ESTIMATED;
	return value;
}

void phase_meter_init(struct phase_meter *meter, const struct facts *series)
{
	meter->series = series;
	meter->alone = facts_value(series, "totals", "processes").number == 1;
	meter->end_ns = phases_end_ns(series);
	for (int i = 0; i < PHASE_FIGURES; i++)
		meter->lines[i] = figures[i].metric ? span_line(series, figures[i].metric) : NULL;
}

void phase_measure(const struct phase_meter *meter, struct span span, struct value *ret)
{
	struct span reach = span_reach(span, meter->end_ns);

	for (int i = 0; i < PHASE_FIGURES; i++)
		ret[i] = meter->lines[i] ? figure_of(meter, i, reach) : value_absent();
	ret[PHASE_WALL] = value_read((double)(span.end_ns - span.start_ns) / 1e9);
	finish_cores(ret);
}

void phases_add(struct facts *facts, const struct facts *series)
{
	uint64_t end_ns = phases_end_ns(facts);
	struct building building = { 0 };
	struct phase_meter meter;

	facts->n_phases = 0;
	build(&building, facts, end_ns);
	if (building.count > 0)
		fill(facts, building.list, building.count, end_ns);
	free(building.list);
	if (facts->n_phases == 0)
		return;
	count_repetitions(facts);
	phase_meter_init(&meter, series);
	for (size_t i = 0; i < facts->n_phases; i++)
		phase_measure(&meter, facts->phases[i].span, facts->phases[i].values);
}

void phase_values_add(struct value *to, const struct value *more)
{
	for (int i = 0; i < PHASE_FIGURES; i++) {
		bool peak = figures[i].kind == FIGURE_PEAK;

		to[i] = peak ? value_larger(to[i], more[i]) : value_sum(to[i], more[i]);
	}
	to[PHASE_CORES_MEAN] = mean_cores(to);
}
