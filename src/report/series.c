/* One metric over time, as a plot:
 *	memory_tree_bytes: memory of all processes, shared pages counted once
 *	  least 1.2 MiB, most 513 MiB (at 2.4 s); 42 looks, 1 gap of 3 s; x: nobody looked
 *	  512 MiB ┤ ...
 * or as a list:
 *	    0.10 s     12 MiB  #
 *	    0.20 s    513 MiB  ##########################
 *	    0.30 s        gap
 * The value of a counter is what it did in a second since the point before; after a gap nobody
 * knows what it did meanwhile, so its next point only starts it anew. */
#include "report/report.h"

#include "report/plot.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

#define INDENT 2
#define TIME_COLUMNS 14
#define VALUE_COLUMNS 14
#define ROWS 13 /* so that four steps of the value axis are of three rows each */
#define SHORT_ROWS 5
#define CAPTION_LINES 4

static const struct {
	const char *metric, *limit;
} limits[] = {
	{ "cores", "cores" },
	{ "cpu_s", "cores" },
	{ "memory_tree_bytes", "memory_bytes" },
	{ "memory_process_bytes", "memory_bytes" },
	{ "memory_bytes", "memory_bytes" },
	{ "memory_cgroup_bytes", "memory_cgroup_bytes" },
	{ "processes", "processes" },
};

double series_limit(const struct facts *facts, const struct metric *metric)
{
	for (size_t i = 0; i < COUNT(limits); i++) {
		struct value limit;

		if (strcmp(limits[i].metric, metric->name) != 0)
			continue;
		limit = facts_value(facts, "limits", limits[i].limit);
		return value_is(limit) ? limit.number : NAN;
	}
	return NAN;
}

static void print_title(const struct line *line, const struct look *look, FILE *out)
{
	CLEANUP(text_clear) struct text title = { 0 };

	words_clean(&title, line->metric->name);
	if (line->metric->kind == KIND_COUNTER)
		text_add(&title, ", per second");
	if (line->metric->help) {
		text_add(&title, ": ");
		words_clean(&title, line->metric->help);
	}
	look_heading(look, text_string(&title), out);
}

/* What the whole line holds, in numbers. */
struct extent {
	struct told least, most;
	size_t looks, gaps;
	double gaps_s;
};

static struct extent extent_of(const struct line *line)
{
	struct extent all = { 0 };
	double known_s = 0;

	for (size_t i = 0; i < line->n_points; i++) {
		struct told told = plot_told(line, i);

		if (!told.is)
			continue;
		if (all.looks == 0 || told.low < all.least.low)
			all.least = told;
		if (all.looks == 0 || told.high > all.most.high)
			all.most = told;
		all.looks++;
		all.gaps += told.begin_s > known_s;
		all.gaps_s += told.begin_s > known_s ? told.begin_s - known_s : 0;
		known_s = told.end_s;
	}
	return all;
}

static void add_extent(struct text *text, const struct line *line, const struct extent *all)
{
	char low[HUMAN_BYTES], high[HUMAN_BYTES], time[HUMAN_BYTES];

	plot_words(line->metric, all->least.low, low);
	plot_words(line->metric, all->most.high, high);
	if (all->least.low == all->most.high)
		text_add_format(text, "always %s", high);
	else
		text_add_format(text, "least %s, most %s (at %s)", low, high,
				human_duration(all->most.end_s, time));
}

static void add_looks(struct text *text, const struct extent *all, const struct look *look)
{
	char words[HUMAN_BYTES], time[HUMAN_BYTES];

	text_add_format(text, "; %s look%s", human_count((double)all->looks, words),
			all->looks == 1 ? "" : "s");
	if (all->gaps > 0)
		text_add_format(text, ", %s gap%s of %s (%s)",
				human_count((double)all->gaps, words), all->gaps == 1 ? "" : "s",
				human_duration(all->gaps_s, time),
				look->unicode ? "× on the time axis" : "x on the time axis");
}

static void print_caption(const struct line *line, const struct extent *all, double limit,
			  const struct look *look, FILE *out)
{
	CLEANUP(text_clear) struct text text = { 0 };
	char words[HUMAN_BYTES];

	add_extent(&text, line, all);
	add_looks(&text, all, look);
	if (isfinite(limit))
		text_add_format(&text, "; limit %s", plot_words(line->metric, limit, words));
	words_wrap(text_string(&text), INDENT, CAPTION_LINES, look, out);
}

void report_series(const struct facts *facts, const struct line *line, bool in_short,
		   const struct look *look, FILE *out)
{
	struct extent all = extent_of(line);
	struct plot plot = { .line = line,
			     .end_s = plot_end_s(line),
			     .limit = series_limit(facts, line->metric),
			     .facts = facts,
			     .rows = in_short ? SHORT_ROWS : ROWS };

	print_title(line, look, out);
	if (all.looks == 0) {
		words_wrap("no values: it could not be read, or the run was too short", INDENT, 2,
			   look, out);
		return;
	}
	print_caption(line, &all, plot.limit, look, out);
	if (!in_short || all.least.low != all.most.high || all.gaps > 0)
		plot_print(&plot, look, out);
}

static double largest(const struct line *line)
{
	double most = 0;

	for (size_t i = 0; i < line->n_points; i++)
		most = fmax(most, plot_told(line, i).number); /* fmax leaves NAN out */
	return most;
}

static void print_bar(double share, const struct look *look, FILE *out)
{
	int room = look->columns - TIME_COLUMNS - VALUE_COLUMNS - 4;
	int length = (int)lround(share * room);

	fputs(length > 0 ? "  " : "", out);
	for (int i = 0; i < length && i < room; i++)
		fputs(look->unicode ? "▇" : "#", out);
}

static void print_point(const struct line *line, size_t i, double most, const struct look *look,
			FILE *out)
{
	struct told told = plot_told(line, i);
	char words[HUMAN_BYTES];

	fprintf(out, "%*.2f s", TIME_COLUMNS - 2, told.end_s);
	if (isnan(line->points[i].number)) {
		fprintf(out, "%*s\n", VALUE_COLUMNS, "gap");
		return;
	}
	fprintf(out, "%*s", VALUE_COLUMNS,
		told.is ? plot_words(line->metric, told.number, words) : "-");
	if (told.is && most > 0 && told.number > 0)
		print_bar(told.number / most, look, out);
	fputc('\n', out);
}

void report_list(const struct line *line, const struct look *look, FILE *out)
{
	double most = largest(line);

	print_title(line, look, out);
	for (size_t i = 0; i < line->n_points; i++)
		print_point(line, i, most, look, out);
}
