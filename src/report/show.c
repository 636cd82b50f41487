/* The page of one run:
 *	run 3f9a2c71 "fit", 2026-11-16 04:37:15 on node7 by ann
 *	  python fit.py --n 8
 *	  in /home/ann/fit
 *
 *	what it used                                                     how we know
 *	  time                     4 min 12 s                            clock
 *	  CPU time                 4 min 38 s                            wait4
 *	  ... */
#include "report/report.h"

#include "report/grid.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/totals.h"
#include "report/trust.h"
#include "report/words.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define INDENT 2
#define APART 0.01 /* of a bracket, low to high: worth showing */
#define NO_LIMIT 1000
#define PLOT_ROWS 5
#define PLOT_COLUMNS 120 /* wider says no more */
#define PLOT_LABEL 8     /* "1.5 GiB": so that plots stand below each other */
#define PLOT_LOOKS 4     /* fewer are no curve */

struct page {
	const struct facts *facts;
	const struct look *look;
	FILE *out;
};

static void print_line(const struct page *page, const char *clean)
{
	if (*clean)
		words_wrap(clean, INDENT, NO_LIMIT, page->look, page->out);
}

static void add_named(struct text *line, const struct facts *facts, const char *before,
		      const char *section, const char *name, const char *after)
{
	const char *text = facts_text(facts, section, name);

	if (!text || !*text)
		return;
	text_add(line, before);
	words_clean(line, text);
	text_add(line, after);
}

static void print_title(const struct page *page)
{
	CLEANUP(text_clear) struct text title = { 0 }, started = { 0 };

	add_named(&title, page->facts, "run ", "run", "id", "");
	add_named(&title, page->facts, " \"", "run", "name", "\"");
	add_named(&title, page->facts, ", phase \"", "run", "phase", "\"");
	words_started(&started, page->facts);
	text_add_format(&title, "%s%s", started.length > 0 ? ", " : "", text_string(&started));
	add_named(&title, page->facts, " on ", "run", "host", "");
	add_named(&title, page->facts, " by ", "run", "user", "");
	look_heading(page->look, text_string(&title), page->out);
}

static void print_tags(const struct page *page)
{
	CLEANUP(freep) struct fact *tags = NULL;
	CLEANUP(text_clear) struct text line = { 0 };
	size_t count = words_section(page->facts, "tag", &tags);

	for (size_t i = 0; i < count; i++) {
		text_add(&line, i > 0 ? ", " : "tags: ");
		words_clean(&line, tags[i].name);
		text_add(&line, "=");
		words_clean(&line, tags[i].text);
	}
	print_line(page, text_string(&line));
}

static void print_state(const struct page *page)
{
	struct value complete = facts_value(page->facts, "run", "complete");
	struct value status = facts_value(page->facts, "exit", "status");
	CLEANUP(text_clear) struct text end = { 0 };

	words_exit(&end, page->facts);
	if (end.length > 0)
		words_wrap_tinted(end.data, INDENT, NO_LIMIT, TINT_WARN, page->look, page->out);
	else if (value_is(status))
		print_line(page, "exit status 0");
	if (page->facts->running)
		print_line(page, "It is still running: this is what is known so far.");
	else if (page->facts->repaired || (value_is(complete) && complete.number == 0))
		print_line(page, "sonde did not see the end of this run: all that follows is what "
				 "was known until its last second.");
}

static void print_head(const struct page *page)
{
	CLEANUP(text_clear) struct text command = { 0 }, place = { 0 };

	print_title(page);
	words_command(&command, page->facts);
	print_line(page, text_string(&command));
	add_named(&place, page->facts, "in ", "run", "directory", "");
	print_line(page, text_string(&place));
	print_tags(page);
	print_state(page);
}

static void print_doubts(const struct page *page)
{
	CLEANUP(text_clear) struct text text = { 0 };
	bool first = true;

	for (size_t i = 0; trust_add(&text, page->facts, SIZE_MAX, i); i++) {
		if (text.length == 0)
			continue;
		if (first)
			fputc('\n', page->out);
		first = false;
		words_wrap_tinted(text.data, INDENT, NO_LIMIT, TINT_WARN, page->look, page->out);
		text_clear(&text);
	}
}

static void print_labelled(const struct page *page, const char *label, const char *foreign)
{
	CLEANUP(text_clear) struct text text = { 0 };

	if (!foreign || !*foreign)
		return;
	text_add(&text, label);
	words_clean(&text, foreign);
	words_wrap(text.data, 2 * INDENT, NO_LIMIT, page->look, page->out);
}

static void print_advice(const struct page *page)
{
	for (size_t i = 0; i < page->facts->n_advice; i++) {
		const struct advice *advice = &page->facts->advice[i];
		CLEANUP(text_clear) struct text text = { 0 };

		if (i == 0) {
			fputc('\n', page->out);
			look_heading(page->look, "what to do", page->out);
		}
		words_clean(&text, advice->text);
		print_line(page, text_string(&text));
		print_labelled(page, "because: ", advice->evidence);
		print_labelled(page, "next: ", advice->next);
		print_labelled(page, "more: sonde explain ", advice->rule);
	}
}

/* What helps to read a number: between what the truth is, or how much of it a second. */
static void add_beside(struct text *cell, const struct facts *facts, const struct fact *fact)
{
	double wall_s = facts_value(facts, "totals", "wall_s").number;
	char low[HUMAN_BYTES], high[HUMAN_BYTES];

	if (!value_is(fact->value))
		return;
	if (isfinite(fact->low) && isfinite(fact->high) &&
	    fact->high - fact->low > APART * fabs(fact->value.number))
		text_add_format(cell, "%s to %s",
				words_number(fact->name, fact->unit, fact->low, low),
				words_number(fact->name, fact->unit, fact->high, high));
	else if (strstr(fact->name, "_bytes") && !strstr(fact->name, "_peak") &&
		 !strstr(fact->name, "_mean") && fact->value.number > 0 && wall_s > 0)
		text_add(cell, human_si(fact->value.number / wall_s, "B/s", low));
}

static void add_figure(struct grid *grid, const struct facts *facts, const char *label,
		       const struct fact *fact)
{
	CLEANUP(text_clear) struct text beside = { 0 };
	char words[HUMAN_BYTES + 8];

	add_beside(&beside, facts, fact);
	grid_add(grid, label);
	grid_add(grid, words_fact(fact, words));
	grid_add(grid, text_string(&beside));
	grid_add(grid, fact->source);
}

/* ("swap_peak_bytes", "_peak", "_mean") is "swap_mean_bytes", where the run has such a total. */
static const struct fact *find_other(const struct facts *facts, const char *name, const char *word,
				     const char *other)
{
	CLEANUP(text_clear) struct text wanted = { 0 };
	const char *at = strstr(name, word);

	if (!at)
		return NULL;
	text_add_bytes(&wanted, name, (size_t)(at - name));
	text_add(&wanted, other);
	text_add(&wanted, at + strlen(word));
	return facts_find(facts, "totals", wanted.data);
}

/* A peak, and the mean below it. A mean that has no label of its own stands there only. */
static void add_total(struct grid *grid, const struct facts *facts, const struct fact *total)
{
	const struct fact *mean = find_other(facts, total->name, "_peak", "_mean");

	if (!total_find(total->name) && find_other(facts, total->name, "_mean", "_peak"))
		return;
	add_figure(grid, facts, total_label(facts, total->name), total);
	if (mean && value_is(mean->value) && total->value.number != 0 && !total_find(mean->name))
		add_figure(grid, facts, "  on average", mean);
}

/* The totals that scripts may rely on, or what else was measured. */
static void print_totals(const struct page *page, const char *title, bool known)
{
	const struct grid_column columns[] = {
		{ .title = title, .gives_way = true },
		{ .title = "" },
		{ .title = "", .gives_way = true, .goes = true },
		{ .title = "how we know", .gives_way = true, .goes = true, .tint = TINT_FAINT },
	};
	CLEANUP(freep) struct fact *list = NULL;
	CLEANUP(grid_clear) struct grid grid;
	size_t count = total_list(page->facts, &list);

	grid_init(&grid, columns, COUNT(columns));
	for (size_t i = 0; i < count; i++) {
		if (value_is(list[i].value) && !total_find(list[i].name) == !known)
			add_total(&grid, page->facts, &list[i]);
	}
	if (grid.n_cells == 0)
		return;
	fprintf(page->out, "\n");
	grid_print(&grid, 0, page->look, page->out);
}

/* "not measured: GPU time, GPU memory (this version of sonde has no source for GPUs)": those with
 * one reason share a sentence. */
static void print_reason(const struct page *page, struct fact *list, size_t count, size_t first,
			 const char *word)
{
	CLEANUP(text_clear) struct text line = { 0 };
	const char *why = list[first].why;
	enum how how = list[first].value.how;

	text_add_format(&line, "%s: ", word);
	for (size_t i = first; i < count; i++) {
		if (list[i].value.how != how || !list[i].why || strcmp(list[i].why, why) != 0)
			continue;
		text_add(&line, i > first ? ", " : "");
		words_clean(&line, total_label(page->facts, list[i].name));
		if (i > first)
			list[i].why = NULL;
	}
	text_add(&line, " (");
	words_clean(&line, why);
	text_add(&line, ")");
	list[first].why = NULL;
	print_line(page, text_string(&line));
}

static void print_reasons(const struct page *page)
{
	static const char *const words[] = {
		[HOW_ABSENT] = "not measured", [HOW_ESTIMATED] = "estimated"
	};
	CLEANUP(freep) struct fact *list = NULL;
	size_t count = total_list(page->facts, &list);
	bool first = true;

	for (size_t i = 0; i < count; i++) {
		if (list[i].value.how == HOW_MEASURED || !list[i].why)
			continue;
		if (first) {
			fputc('\n', page->out);
			look_heading(page->look, "what is not sure, or not known", page->out);
		}
		first = false;
		print_reason(page, list, count, i, words[list[i].value.how]);
	}
}

static void print_notes(const struct page *page)
{
	CLEANUP(freep) struct fact *notes = NULL;
	size_t count = words_section(page->facts, "note", &notes);

	for (size_t i = 0; i < count; i++) {
		CLEANUP(text_clear) struct text line = { 0 };

		text_add(&line, "note: ");
		words_clean(&line, notes[i].text);
		print_line(page, text_string(&line));
	}
}

/* A limit, and the total that runs into it; NULL: most_open_files(). What was asked for, and a
 * limit of one kind, stand there only where they differ from the limit that holds. */
static const struct {
	const char *limit, *total, *label, *unless;
} limit_rows[] = {
	{ "cores", "cores_mean", "cores, on average", NULL },
	{ "cores", "cores_peak", "cores, at most", NULL },
	{ "cores_requested", "cores_mean", "cores, asked for", "cores" },
	{ "memory_bytes", "memory_tree_peak_bytes", "memory", NULL },
	{ "memory_requested_bytes", "memory_tree_peak_bytes", "memory, asked for", "memory_bytes" },
	{ "memory_cgroup_bytes", "memory_cgroup_peak_bytes", "memory of its cgroup", NULL },
	{ "time_s", "wall_s", "time", NULL },
	{ "processes", "processes_peak", "processes at once", NULL },
	{ "open_files", NULL, "open files, of one process", NULL },
};

/* This limit is one of each process, so what counts is the one with the most, as far as looks saw
 * it. */
static const struct fact *most_open_files(const struct facts *facts, struct fact *room)
{
	int metric = facts_metric(facts, SCOPE_PROCESS, "open_files");

	*room = (struct fact){ .name = "open_files", .unit = UNIT_COUNT };
	for (size_t i = 0; metric >= 0 && i < facts->n_processes; i++) {
		struct value value = facts->processes[i].values[metric];

		if (value_is(value) && value.number >= room->value.number)
			room->value = value_estimated(value.number);
	}
	return room;
}

static void add_limit(struct grid *grid, const char *label, const struct fact *limit,
		      const struct fact *used)
{
	double share = used->value.number / limit->value.number;
	char words[HUMAN_BYTES + 8];

	grid_add(grid, label);
	grid_add(grid, words_fact(used, words));
	grid_add(grid, "of");
	grid_add(grid, words_number(limit->name, limit->unit, limit->value.number, words));
	grid_add(grid, isfinite(share) ? human_percent(share, words) : "-");
	grid_add(grid, limit->source);
}

static void add_limits(struct grid *grid, const struct facts *facts)
{
	struct fact most;

	for (size_t i = 0; i < COUNT(limit_rows); i++) {
		const char *total = limit_rows[i].total, *unless = limit_rows[i].unless;
		const struct fact *limit = facts_find(facts, "limits", limit_rows[i].limit);
		const struct fact *used = total ? facts_find(facts, "totals", total)
						: most_open_files(facts, &most);
		struct value other = unless ? facts_value(facts, "limits", unless) : value_absent();

		if (!limit || !value_is(limit->value) || !used || !value_is(used->value) ||
		    (value_is(other) && other.number == limit->value.number))
			continue;
		add_limit(grid, limit_rows[i].label, limit, used);
	}
}

static void print_limits(const struct page *page)
{
	static const struct grid_column columns[] = {
		{ .title = "how near its limits", .gives_way = true },
		{ .title = "", .right = true },
		{ .title = "" },
		{ .title = "", .right = true },
		{ .title = "", .right = true },
		{ .title = "set by", .gives_way = true, .goes = true, .tint = TINT_FAINT },
	};
	CLEANUP(grid_clear) struct grid grid;

	grid_init(&grid, columns, COUNT(columns));
	add_limits(&grid, page->facts);
	if (grid.n_cells == 0)
		return;
	fprintf(page->out, "\n");
	grid_print(&grid, 0, page->look, page->out);
}

static const struct {
	const char *metric, *title;
} plots[] = {
	{ "cores", "cores busy, over time" },
	{ "memory_tree_bytes", "memory of all together, over time" },
};

static const struct line *find_line(const struct facts *facts, const char *metric)
{
	for (size_t i = 0; i < facts->n_lines; i++) {
		const struct line *line = &facts->lines[i];

		if (line->process == 0 && strcmp(line->metric->name, metric) == 0)
			return line;
	}
	return NULL;
}

static void print_plots(const struct page *page)
{
	struct look look = *page->look;

	look.columns = look.columns < PLOT_COLUMNS ? look.columns : PLOT_COLUMNS;
	for (size_t i = 0; i < COUNT(plots); i++) {
		const struct line *line = find_line(page->facts, plots[i].metric);

		if (!line || line->n_points < PLOT_LOOKS)
			continue;
		fputc('\n', page->out);
		look_heading(&look, plots[i].title, page->out);
		plot_print(&(struct plot){ .line = line,
					   .end_s = plot_end_s(line),
					   .limit = series_limit(page->facts, line->metric),
					   .facts = page->facts,
					   .rows = PLOT_ROWS,
					   .label_columns = PLOT_LABEL },
			   &look, page->out);
	}
}

/* CPU time of everybody on the machine, less that of the run and of sonde. */
static void add_others(struct text *line, const struct facts *facts)
{
	struct value others = trust_others_s(facts), wall = facts_value(facts, "totals", "wall_s");
	struct value cores = facts_value(facts, "machine", "cores");
	char words[HUMAN_BYTES];

	if (!value_is(others) || !value_is(wall) || wall.number <= 0)
		return;
	if (others.number < 0.01 * wall.number) {
		text_add(line, "hardly anything: others kept less than 0.01 cores busy");
		return;
	}
	text_add_format(line, "others kept %.2f", others.number / wall.number);
	if (value_is(cores))
		text_add_format(line, " of %s", human_count(cores.number, words));
	text_add_format(line, " cores busy on average, %s of CPU time",
			human_duration(others.number, words));
}

static void add_steal(struct text *line, const struct facts *facts)
{
	struct value steal = facts_value(facts, "totals", "machine_steal_s");
	char words[HUMAN_BYTES];

	if (value_is(steal) && steal.number > 0)
		text_add_format(line, "%sother virtual machines took %s",
				line->length > 0 ? "; " : "", human_duration(steal.number, words));
}

static void print_others(const struct page *page)
{
	CLEANUP(text_clear) struct text line = { 0 };

	add_others(&line, page->facts);
	add_steal(&line, page->facts);
	if (line.length == 0)
		return;
	fprintf(page->out, "\n");
	look_heading(page->look, "what else ran on the machine", page->out);
	print_line(page, text_string(&line));
}

static const struct {
	const char *section, *name, *before, *after;
	enum unit unit;
} own_rows[] = {
	{ "own", "cpu_s", "", " of CPU time", UNIT_SECONDS },
	{ "own", "share", "", " of one core", UNIT_RATIO },
	{ "own", "memory_peak_bytes", "", " of memory", UNIT_BYTES },
	{ "sonde", "interval_s", "looking every ", "", UNIT_SECONDS },
};

static void print_own(const struct page *page)
{
	CLEANUP(text_clear) struct text line = { 0 };
	char words[HUMAN_BYTES];

	for (size_t i = 0; i < COUNT(own_rows); i++) {
		const char *name = own_rows[i].name;
		struct value value = facts_value(page->facts, own_rows[i].section, name);

		if (value_is(value))
			text_add_format(&line, "%s%s%s%s", line.length > 0 ? ", " : "",
					own_rows[i].before,
					words_number(name, own_rows[i].unit, value.number, words),
					own_rows[i].after);
	}
	if (line.length == 0)
		return;
	fprintf(page->out, "\n");
	look_heading(page->look, "what sonde itself cost", page->out);
	print_line(page, text_string(&line));
}

static void print_processes(const struct page *page)
{
	if (page->facts->n_processes == 0)
		return;
	fprintf(page->out, "\n");
	page_commands(page->facts, page->look, page->out);
	fprintf(page->out, "\n");
	page_tree(page->facts, true, page->look, page->out);
}

static void print_page(const struct page *page)
{
	print_head(page);
	print_doubts(page);
	print_advice(page);
	print_totals(page, "what it used", true);
	print_notes(page);
	print_limits(page);
	print_plots(page);
	page_phases(page->facts, page->look, page->out);
	print_processes(page);
	print_others(page);
	print_totals(page, "also measured", false);
	print_reasons(page);
	print_own(page);
}

void report_show(const struct facts *facts, enum show what, const struct look *look, FILE *out)
{
	const struct page page = { .facts = facts, .look = look, .out = out };

	switch (what) {
	case SHOW_PAGE:
		print_page(&page);
		break;
	case SHOW_TREE:
		page_tree(facts, false, look, out);
		break;
	}
}
