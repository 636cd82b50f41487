/* Finds words, and the figures of a run that belong to one. */
#include "report/glossary.h"

#include "report/grid.h"
#include "report/totals.h"
#include "report/words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define INDENT 4
#define APART 0.01 /* of a bracket, low to high: worth showing */

/* What people call figures that are no totals. */
static const struct {
	const char *name, *label;
} labels[] = {
	{ "limits.cores", "cores it may use" },
	{ "limits.cores_affinity", "cores it may run on" },
	{ "limits.cores_quota", "cores by quota" },
	{ "limits.cores_requested", "cores asked for" },
	{ "limits.memory_bytes", "memory it may use" },
	{ "limits.memory_cgroup_bytes", "memory limit of its cgroup" },
	{ "limits.memory_ulimit_bytes", "memory limit of the shell" },
	{ "limits.memory_requested_bytes", "memory asked for" },
	{ "limits.time_s", "time limit" },
	{ "limits.processes", "processes it may have" },
	{ "limits.open_files", "files it may have open" },
	{ "machine.cores", "cores of the machine" },
	{ "machine.memory_bytes", "memory of the machine" },
	{ "machine.swap_bytes", "swap of the machine" },
	{ "totals.machine_load_mean", "load of the machine, mean" },
	{ "totals.machine_load_peak", "load of the machine, peak" },
	{ "totals.machine_steal_s", "stolen by the host" },
	{ "totals.machine_iowait_s", "machine idle for storage" },
	{ "totals.memory_tree_mean_bytes", "memory, on average" },
	{ "totals.cgroup_throttled_s", "held back by its quota" },
	{ "totals.cgroup_oom_kills", "killed for memory" },
	{ "totals.frequency_mean_hz", "clock rate, mean" },
	{ "totals.frequency_peak_hz", "clock rate, peak" },
	{ "totals.pressure_cpu_s", "machine short of CPUs" },
	{ "totals.pressure_memory_s", "machine short of memory" },
	{ "totals.pressure_io_s", "machine waited for storage" },
	{ "sonde.ticks", "looks" },
	{ "sonde.interval_s", "time between two looks" },
	{ "sonde.interval_asked_s", "asked for" },
	{ "sonde.gaps", "gaps" },
	{ "sonde.gaps_s", "time in gaps" },
	{ "sonde.events", "events" },
	{ "own.cpu_s", "CPU time of sonde" },
	{ "own.share", "of one core" },
	{ "own.memory_peak_bytes", "memory of sonde" },
	{ "exit.status", "exit status" },
	{ "exit.signal", "ended by signal" },
	{ "context.scheduler", "scheduler" },
	{ "context.queue", "queue" },
	{ "derived.core_hours_used", "core-hours used" },
	{ "derived.core_hours_held", "core-hours held" },
	{ "derived.efficiency_share", "efficiency" },
};

static double number_of(const struct facts *facts, const char *section, const char *name)
{
	struct value value = facts_value(facts, section, name);

	return value_is(value) ? value.number : NAN;
}

static double core_hours_used(const struct facts *facts)
{
	return number_of(facts, "totals", "cpu_s") / 3600;
}

static double core_hours_held(const struct facts *facts)
{
	return number_of(facts, "totals", "wall_s") * number_of(facts, "limits", "cores") / 3600;
}

static double efficiency_share(const struct facts *facts)
{
	return core_hours_used(facts) / core_hours_held(facts);
}

/* Figures that nobody recorded, and that follow from two or three which are. */
static const struct {
	const char *name;
	double (*make)(const struct facts *facts); /* NAN where something is missing */
} derived[] = {
	{ "core_hours_used", core_hours_used },
	{ "core_hours_held", core_hours_held },
	{ "efficiency_share", efficiency_share },
};

static struct fact derive(const struct facts *facts, const char *name)
{
	struct fact fact = { .name = name, .unit = UNIT_RATIO, .low = NAN, .high = NAN };
	struct value cpu = facts_value(facts, "totals", "cpu_s");

	for (size_t i = 0; i < COUNT(derived); i++) {
		double number = strcmp(derived[i].name, name) == 0 ? derived[i].make(facts) : NAN;

		if (isfinite(number))
			fact.value = (struct value){ .number = number, .how = cpu.how };
	}
	return fact;
}

static const char *label_of(const char *figure, const char *name)
{
	const struct total *total = strncmp(figure, "totals.", 7) == 0 ? total_find(name) : NULL;

	for (size_t i = 0; i < COUNT(labels); i++) {
		if (strcmp(labels[i].name, figure) == 0)
			return labels[i].label;
	}
	return total ? total->label : name;
}

/* "5.2 GiB" or "5.2 GiB (5.1 GiB to 5.4 GiB)"; nothing where it is absent. */
static void add_number(struct text *text, const struct fact *fact)
{
	char number[HUMAN_BYTES + 8], low[HUMAN_BYTES], high[HUMAN_BYTES];

	if (!value_is(fact->value))
		return;
	text_add(text, words_fact(fact, number));
	if (fact->high - fact->low > APART * fabs(fact->value.number))
		text_add_format(text, " (%s to %s)",
				words_number(fact->name, fact->unit, fact->low, low),
				words_number(fact->name, fact->unit, fact->high, high));
}

static bool add_figure(struct grid *grid, const char *figure, const struct facts *facts)
{
	CLEANUP(text_clear) struct text text = { 0 };
	const char *name = strchr(figure, '.') + 1;
	CLEANUP(freep) char *section = mem_copy_n(figure, (size_t)(name - figure) - 1);
	const struct fact *fact = facts_find(facts, section, name);
	struct fact made;

	if (strcmp(section, "derived") == 0) {
		made = derive(facts, name);
		fact = &made;
	}
	if (fact && fact->kind == FACT_TEXT)
		text_add(&text, fact->text);
	else if (fact)
		add_number(&text, fact);
	if (text.length == 0)
		return false;
	grid_add(grid, label_of(figure, name));
	grid_add(grid, text.data);
	return true;
}

size_t word_print_figures(const char *figures, const struct facts *facts, const struct look *look,
			  FILE *out)
{
	static const struct grid_column columns[] = { { 0 }, { .gives_way = true } };
	CLEANUP(grid_clear) struct grid grid;
	CLEANUP(freep) char *list = mem_copy(figures ? figures : "");
	char *rest = NULL;
	size_t count = 0;

	grid_init(&grid, columns, COUNT(columns));
	for (char *figure = strtok_r(list, " ", &rest); figure; figure = strtok_r(NULL, " ", &rest))
		count += add_figure(&grid, figure, facts);
	grid_print(&grid, INDENT, look, out);
	return count;
}

static char plain(char letter)
{
	return strchr(" -_", letter) ? ' ' : (char)tolower((unsigned char)letter);
}

/* Compares `a` with the `count` bytes at `b`. */
static bool same(const char *a, const char *b, size_t count)
{
	size_t i;

	for (i = 0; a[i] && i < count; i++) {
		if (plain(a[i]) != plain(b[i]))
			return false;
	}
	return !a[i] && i == count;
}

bool word_same(const char *a, const char *b)
{
	return same(a, b, strlen(b));
}

static bool has_name(const struct word *word, const char *name)
{
	const char *also = word->also ? word->also : "";

	while (*also) {
		size_t length = strcspn(also, "|");

		if (same(name, also, length))
			return true;
		also += length;
		also += *also == '|';
	}
	return false;
}

const struct word *word_find(const char *name)
{
	for (const struct word *word = word_table; word->name; word++) {
		if (word_same(name, word->name))
			return word;
	}
	for (const struct word *word = word_table; word->name; word++) {
		if (has_name(word, name))
			return word;
	}
	return NULL;
}

/* Has the word this figure, and is it the first that it has? */
static bool has_figure(const struct word *word, const char *figure, bool first)
{
	size_t length = strlen(figure);

	for (const char *at = word->figures; at; at = first ? NULL : strchr(at, ' ')) {
		at += *at == ' ';
		if (strncmp(at, figure, length) == 0 && strchr(" ", at[length]))
			return true;
	}
	return false;
}

const struct word *word_of_figure(const char *figure)
{
	for (int first = 1; first >= 0; first--) {
		for (const struct word *word = word_table; word->name; word++) {
			if (has_figure(word, figure, first))
				return word;
		}
	}
	return NULL;
}
