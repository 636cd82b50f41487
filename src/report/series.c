/* One metric over time, as columns:
 *	memory_tree_bytes: what all processes together hold
 *	    0.10 s     12 MiB  #
 *	    0.20 s    513 MiB  ##########################
 *	    0.30 s        gap
 * The value of a counter is what it did in a second since the point before; after a gap nobody
 *knows what it did meanwhile, so its next point only starts it anew. */
#include "report/report.h"

#include "report/words.h"

#include <math.h>
#include <string.h>

#define TIME_COLUMNS 14
#define VALUE_COLUMNS 14

/* NAN where a counter has no point before it to be compared with. */
static double value_at(const struct line *line, size_t i)
{
	const struct point *now = &line->points[i], *before = now - 1;

	if (line->metric->kind == KIND_GAUGE)
		return now->number;
	if (i == 0)
		return now->time_ns > 0 ? now->number / ((double)now->time_ns / 1e9) : NAN;
	if (isnan(before->number) || now->time_ns <= before->time_ns)
		return NAN;
	return (now->number - before->number) / ((double)(now->time_ns - before->time_ns) / 1e9);
}

static double largest(const struct line *line)
{
	double most = 0;

	for (size_t i = 0; i < line->n_points; i++)
		most = fmax(most, value_at(line, i)); /* fmax leaves NAN out */
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
	double value = value_at(line, i);
	char words[HUMAN_BYTES];

	fprintf(out, "%*.2f s", TIME_COLUMNS - 2, (double)line->points[i].time_ns / 1e9);
	if (isnan(line->points[i].number)) {
		fprintf(out, "%*s\n", VALUE_COLUMNS, "gap");
		return;
	}
	if (isnan(value))
		strcpy(words, "-");
	else if (line->metric->kind == KIND_COUNTER)
		words_rate(line->metric, value, words);
	else
		words_number(line->metric->name, line->metric->unit, value, words);
	fprintf(out, "%*s", VALUE_COLUMNS, words);
	if (most > 0 && value > 0)
		print_bar(value / most, look, out);
	fputc('\n', out);
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

void report_series(const struct line *line, const struct look *look, FILE *out)
{
	double most = largest(line);

	print_title(line, look, out);
	for (size_t i = 0; i < line->n_points; i++)
		print_point(line, i, most, look, out);
}
