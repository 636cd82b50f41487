#include "report/report.h"

#include "base/json.h"
#include "base/mem.h"
#include "report/grid.h"
#include "report/json_fact.h"
#include "report/page.h"
#include "report/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FOR_YEAR 100 /* columns */

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

struct history {
	bool as_json;
	struct look look;
	FILE *out;
	struct grid grid;
	struct json json;
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

void history_add(struct history *history, const char *path, const char *id,
		 const struct facts *facts)
{
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

int history_finish(struct history *history, struct err *err)
{
	if (history->as_json) {
		json_array_end(&history->json);
		json_object_end(&history->json);
	} else if (history->grid.n_cells > 0) {
		grid_print(&history->grid, 0, &history->look, history->out);
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
