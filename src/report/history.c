#include "report/report.h"

#include "base/json.h"
#include "base/mem.h"
#include "report/grid.h"
#include "report/json_fact.h"
#include "report/page.h"
#include "report/words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FOR_YEAR 100 /* columns */
#define HOUR_S 3600
#define LEAST_CORE_HOURS 0.01
#define TOTALS_LINES 4

static const struct grid_column columns[] = {
	{ .title = "id", .gives_way = true },
	{ .title = "when", .gives_way = true },
	{ .title = "name: command", .gives_way = true },
	{ .title = "time", .right = true },
	{ .title = "cores", .right = true },
	{ .title = "memory", .right = true },
	{ .title = "exit", .right = true },
};

const struct grid_column page_size_columns[PAGE_SIZE_COLUMNS] = {
	{ .title = "id", .gives_way = true },
	{ .title = "when", .gives_way = true },
	{ .title = "name: command", .gives_way = true },
	{ .title = "size", .right = true },
};

/* What all runs of the list used together. Whose number is absent is not counted as 0. */
enum { SUM_WALL, SUM_CPU, SUM_MEMORY, SUM_COUNT };

static const struct {
	const char *name, *label;
	enum unit unit;
	bool peak; /* the largest of all, else all added up */
} sums[SUM_COUNT] = {
	[SUM_WALL] = { "wall_s", "time", UNIT_SECONDS, false },
	[SUM_CPU] = { "cpu_s", "CPU time", UNIT_SECONDS, false },
	[SUM_MEMORY] = { "memory_tree_peak_bytes", "memory", UNIT_BYTES, true },
};

struct sum {
	struct value value;
	size_t runs; /* that told it */
};

struct history {
	bool as_json;
	struct look look;
	FILE *out;
	struct grid grid;
	struct json json;
	struct sum sums[SUM_COUNT];
	size_t runs, running, damaged;
};

struct history *history_new(bool as_json, const struct look *look, FILE *out)
{
	struct history *history = mem_new(sizeof(*history));

	*history = (struct history){ .as_json = as_json, .look = *look, .out = out };
	grid_init(&history->grid, columns, COUNT(columns));
	if (!as_json)
		return history;
	json_init(&history->json, out);
	json_object(&history->json, NULL);
	json_string(&history->json, "format", "sonde.history/1");
	json_array(&history->json, "runs");
	return history;
}

static void add_total(struct grid *grid, const struct facts *facts, const char *name,
		      enum unit unit)
{
	char words[HUMAN_BYTES];

	grid_add(grid, page_value(name, unit, facts_value(facts, "totals", name), words));
}

/* One word: "0", "3", "SIGKILL" would be too wide, so "sig 9". */
static void add_exit(struct grid *grid, const struct facts *facts)
{
	struct value status = facts_value(facts, "exit", "status");
	struct value number = facts_value(facts, "exit", "signal");
	char words[HUMAN_BYTES];

	if (facts->running)
		strcpy(words, "running");
	else if (value_is(number) && number.number > 0)
		snprintf(words, sizeof(words), "sig %.0f", number.number);
	else if (value_is(status))
		snprintf(words, sizeof(words), "%.0f", status.number);
	else
		strcpy(words, "?");
	grid_add(grid, words);
}

/* "11-16 04:37", with its year where there is room. */
static void add_when(struct grid *grid, const struct look *look, const struct facts *facts)
{
	CLEANUP(text_clear) struct text started = { 0 };
	bool is_time;

	words_started(&started, facts);
	is_time = started.length == strlen("2026-11-16 04:37:15");
	if (is_time)
		started.data[strlen("2026-11-16 04:37")] = '\0';
	grid_add(grid, is_time && look->columns < ROOM_FOR_YEAR ? started.data + strlen("2026-")
								: text_string(&started));
}

/* The first three columns: which run it is. */
static void add_run(struct grid *grid, const struct look *look, const char *id,
		    const struct facts *facts)
{
	CLEANUP(text_clear) struct text what = { 0 };
	const char *name = facts_text(facts, "run", "name");

	if (name && *name)
		text_add_format(&what, "%s: ", name);
	words_command(&what, facts);
	grid_add(grid, id);
	add_when(grid, look, facts);
	grid_add(grid, text_string(&what));
}

void page_size_row(struct grid *grid, const struct look *look, const char *id,
		   const struct facts *facts, uint64_t bytes)
{
	char words[HUMAN_BYTES];

	add_run(grid, look, id, facts);
	grid_add(grid, human_bytes((double)bytes, words));
}

static void add_cells(struct history *history, const char *id, const struct facts *facts)
{
	struct grid *grid = &history->grid;

	add_run(grid, &history->look, id, facts);
	add_total(grid, facts, "wall_s", UNIT_SECONDS);
	add_total(grid, facts, "cores_mean", UNIT_RATIO);
	add_total(grid, facts, "memory_tree_peak_bytes", UNIT_BYTES);
	add_exit(grid, facts);
}

static void sum_add(struct sum *sum, struct value value, bool peak)
{
	if (!value_is(value) || !isfinite(value.number))
		return;
	if (!peak)
		sum->value.number += value.number;
	else if (sum->runs == 0 || value.number > sum->value.number)
		sum->value.number = value.number;
	if (sum->runs++ == 0 || value.how == HOW_ESTIMATED)
		sum->value.how = value.how;
}

static void count_run(struct history *history, const struct facts *facts)
{
	history->runs++;
	history->running += facts->running;
	for (size_t i = 0; i < SUM_COUNT; i++)
		sum_add(&history->sums[i], facts_value(facts, "totals", sums[i].name),
			sums[i].peak);
}

void history_add(struct history *history, const char *path, const char *id,
		 const struct facts *facts)
{
	count_run(history, facts);
	if (!history->as_json) {
		add_cells(history, id, facts);
		return;
	}
	json_object(&history->json, NULL);
	json_string(&history->json, "path", path);
	json_null(&history->json, "damaged");
	json_run_fields(&history->json, facts);
	json_totals(&history->json, facts);
	json_object_end(&history->json);
}

void history_add_damaged(struct history *history, const char *path, const char *id,
			 const char *problem)
{
	CLEANUP(text_clear) struct text what = { 0 };

	history->damaged++;
	if (history->as_json) {
		json_object(&history->json, NULL);
		json_string(&history->json, "path", path);
		json_string(&history->json, "damaged", problem);
		json_string(&history->json, "id", id);
		json_object_end(&history->json);
		return;
	}
	text_add_format(&what, "damaged: %s", problem);
	grid_add(&history->grid, id);
	grid_add(&history->grid, "");
	grid_add(&history->grid, text_string(&what));
	for (size_t i = 3; i < COUNT(columns); i++)
		grid_add(&history->grid, "-");
}

/* "CPU time 4 h 30 min = 4.5 core-hours (of 41 of 43 runs)". */
static void add_sum(struct text *text, const struct history *history, size_t i)
{
	const struct sum *sum = &history->sums[i];
	char words[HUMAN_BYTES];

	if (sum->runs == 0) {
		text_add_format(text, "%s not measured", sums[i].label);
		return;
	}
	text_add_format(text, "%s%s %s%s", sums[i].label, sums[i].peak ? " at most" : "",
			sum->value.how == HOW_ESTIMATED ? "about " : "",
			words_number(sums[i].name, sums[i].unit, sum->value.number, words));
	if (i == SUM_CPU && sum->value.number >= LEAST_CORE_HOURS * HOUR_S)
		text_add_format(text, " = %s core-hours",
				human_number(sum->value.number / HOUR_S, 3, words));
	if (sum->runs < history->runs)
		text_add_format(text, " (of %zu of %zu runs)", sum->runs, history->runs);
}

static void print_totals(const struct history *history)
{
	CLEANUP(text_clear) struct text text = { 0 };

	text_add_format(&text, "%zu run%s", history->runs, history->runs == 1 ? "" : "s");
	for (size_t i = 0; i < SUM_COUNT && history->runs > 0; i++) {
		text_add(&text, i == 0 ? ": " : ", ");
		add_sum(&text, history, i);
	}
	if (history->running > 0)
		text_add_format(&text, "; %zu still running, as far as known", history->running);
	if (history->damaged > 0)
		text_add_format(&text, "; %zu more damaged", history->damaged);
	fputc('\n', history->out);
	words_wrap(text.data, 0, TOTALS_LINES, &history->look, history->out);
}

static void json_sum(struct json *json, const struct history *history, size_t i)
{
	const struct sum *sum = &history->sums[i];

	json_object_line(json, sums[i].name);
	json_number(json, "value", sum->runs > 0 ? sum->value.number : NAN);
	json_string(json, "how", how_name(sum->value.how));
	json_int(json, "runs", (int64_t)sum->runs);
	if (sum->runs < history->runs || sum->runs == 0)
		json_string(json, "why",
			    sum->runs > 0 ? "not all runs tell it" : "no run tells it");
	json_object_end(json);
}

static void json_sums(struct json *json, const struct history *history)
{
	json_object(json, "totals");
	json_int(json, "runs", (int64_t)history->runs);
	json_int(json, "running", (int64_t)history->running);
	json_int(json, "damaged", (int64_t)history->damaged);
	for (size_t i = 0; i < SUM_COUNT; i++)
		json_sum(json, history, i);
	json_object_end(json);
}

int history_finish(struct history *history, struct err *err)
{
	if (history->as_json) {
		json_array_end(&history->json);
		json_sums(&history->json, history);
		json_object_end(&history->json);
	} else if (history->grid.n_cells > 0) {
		grid_print(&history->grid, 0, &history->look, history->out);
		print_totals(history);
	}
	if (fflush(history->out) != 0 || ferror(history->out))
		return err_set(err, errno ? -errno : -EIO, "cannot write the list of runs");
	return 0;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	grid_clear(&history->grid);
	free(history);
}
