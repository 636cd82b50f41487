/* With Unicode a character is a braille cell of 2 x 4 dots, without it a column of 2:
 *	2 ┤        ⣀⣀⠤⠤⠒⠉⠉⠉⠉⠉          2 |       ..::::'''''
 *	  │  ⢀⡠⠔⠒⠉                         |  .:::'
 *	0 ┼──────┬──────×××─┬───         0 +------+------xxx-+---
 *	  0      10 s       20 s           0      10 s       20 s
 * A x on the time axis: for some of that time nobody looked. */
#include "report/plot.h"

#include "base/mem.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

#define STEPS 4     /* of the value axis, at most */
#define FEW_STEPS 2 /* where there are few rows, so that each label has its own */
#define FEW_ROWS 9
#define LIMIT_NEAR 2     /* times the largest value: a limit that is further off is not drawn */
#define BETWEEN_LABELS 2 /* columns */
#define LEAST_MARK 3     /* columns: a sign, a letter, a blank */

const char *plot_words(const struct metric *metric, double number, char *ret)
{
	return metric->kind == KIND_COUNTER ? words_rate(metric, number, ret)
					    : words_number(metric->name, metric->unit, number, ret);
}

struct scale {
	double bottom, top, step;
};

/* 1, 2, 2.5, 4 or 5 times a power of ten. */
static double round_step(double least)
{
	static const double steps[] = { 1, 2, 2.5, 4, 5 };
	double power = pow(10, floor(log10(least)));

	for (size_t i = 0; i < COUNT(steps); i++) {
		if (steps[i] * power >= least * (1 - 1e-9))
			return steps[i] * power;
	}
	return 10 * power;
}

/* Memory counts in powers of two, calls and processes are whole. */
static double value_step(const struct metric *metric, double range, int steps)
{
	bool gauge = metric->kind == KIND_GAUGE;

	if (!(range > 0))
		return 1;
	if (gauge && metric->unit == UNIT_BYTES)
		return exp2(ceil(log2(range / steps) - 1e-9));
	range = round_step(range / steps);
	return gauge && metric->unit == UNIT_COUNT ? ceil(range) : range;
}

/* From 0, or from below it, to a round number above all; a limit is in it where it is near. */
static struct scale scale_of(const struct plot *plot, const struct span *spans, size_t count)
{
	struct scale scale = { 0, 0, 1 };

	for (size_t i = 0; i < count; i++) {
		scale.bottom = fmin(scale.bottom, spans[i].seen ? spans[i].low : 0);
		scale.top = fmax(scale.top, spans[i].seen ? spans[i].high : 0);
	}
	if (plot->limit > scale.top && plot->limit <= LIMIT_NEAR * scale.top)
		scale.top = plot->limit;
	scale.step = value_step(plot->line->metric, scale.top - scale.bottom,
				plot->rows < FEW_ROWS ? FEW_STEPS : STEPS);
	scale.bottom = floor(scale.bottom / scale.step + 1e-9) * scale.step;
	scale.top = ceil(scale.top / scale.step - 1e-9) * scale.step;
	if (!(scale.top > scale.bottom))
		scale.top = scale.bottom + scale.step;
	return scale;
}

/* The dots, row by row from the top. */
struct canvas {
	unsigned char *cells;
	size_t rows, columns;
	bool unicode;
};

static size_t dots_wide(bool unicode)
{
	return unicode ? 2 : 1;
}

static size_t dots_high(bool unicode)
{
	return unicode ? 4 : 2;
}

/* Counted from below, as values are. */
static size_t dot_of(const struct scale *scale, double value, size_t rows, bool unicode)
{
	double share = (value - scale->bottom) / (scale->top - scale->bottom);

	return (size_t)lround(fmin(fmax(share, 0), 1) * (double)(rows * dots_high(unicode) - 1));
}

static size_t row_of(const struct scale *scale, double value, size_t rows, bool unicode)
{
	return rows - 1 - dot_of(scale, value, rows, unicode) / dots_high(unicode);
}

/* Braille's dots 1 2 3 7 on the left and 4 5 6 8 on the right, as bits. */
static const unsigned char bits[2][4] = { { 0x01, 0x02, 0x04, 0x40 }, { 0x08, 0x10, 0x20, 0x80 } };

static void set_dot(struct canvas *canvas, size_t x, size_t y)
{
	size_t wide = dots_wide(canvas->unicode), high = dots_high(canvas->unicode);
	size_t from_top = canvas->rows * high - 1 - y;

	canvas->cells[from_top / high * canvas->columns + x / wide] |=
	    bits[x % wide][from_top % high];
}

static void draw(struct canvas *canvas, const struct scale *scale, const struct span *spans)
{
	for (size_t x = 0; x < canvas->columns * dots_wide(canvas->unicode); x++) {
		if (!spans[x].seen)
			continue;
		for (size_t y = dot_of(scale, spans[x].low, canvas->rows, canvas->unicode);
		     y <= dot_of(scale, spans[x].high, canvas->rows, canvas->unicode); y++)
			set_dot(canvas, x, y);
	}
}

static void add_cell(struct text *text, unsigned char dots, bool unicode)
{
	static const char ascii[] = { ' ', '\'', '.', ':' };
	const unsigned char braille[] = { 0xe2, (unsigned char)(0xa0 | dots >> 6),
					  (unsigned char)(0x80 | (dots & 0x3f)) };

	if (dots == 0)
		text_add(text, " ");
	else if (unicode)
		text_add_bytes(text, braille, sizeof(braille));
	else
		text_add_bytes(text, &ascii[dots & 3], 1);
}

/* A row of cells; where there is nothing, a limit's line shows through: `limit` are its dots, at
 * exactly its height and every other one, so that nobody takes it for the values. */
static void add_row(struct text *text, const struct canvas *canvas, size_t row, unsigned char limit,
		    const struct look *look)
{
	const unsigned char *cells = canvas->cells + row * canvas->columns;
	size_t last = canvas->columns;

	while (!limit && last > 0 && cells[last - 1] == 0)
		last--;
	for (size_t i = 0; i < last; i++) {
		if (cells[i] || !limit) {
			add_cell(text, cells[i], look->unicode);
			continue;
		}
		text_add(text, look_begin(look, TINT_WARN));
		if (look->unicode)
			add_cell(text, limit, true);
		else
			text_add(text, "-");
		text_add(text, look_end(look, TINT_WARN));
	}
}

/* The label that stands at a row, if any. */
static bool label_at(const struct plot *plot, const struct scale *scale, size_t row, bool unicode,
		     char *ret)
{
	long steps = lround((scale->top - scale->bottom) / scale->step);
	long zero = lround(-scale->bottom / scale->step); /* where rounding must not leave 1e-17 */

	for (long i = 0; i <= steps; i++) {
		double value = i == zero ? 0 : scale->bottom + (double)i * scale->step;

		if (row_of(scale, value, (size_t)plot->rows, unicode) == row) {
			plot_words(plot->line->metric, value, ret);
			return true;
		}
	}
	return false;
}

static size_t label_columns(const struct plot *plot, const struct scale *scale, bool unicode)
{
	size_t most = plot->label_columns > 0 ? (size_t)plot->label_columns : 0;
	char words[HUMAN_BYTES];

	for (size_t row = 0; row < (size_t)plot->rows; row++) {
		if (label_at(plot, scale, row, unicode, words) && words_columns(words) > most)
			most = words_columns(words);
	}
	return most;
}

static void print_rows(const struct plot *plot, const struct scale *scale,
		       const struct canvas *canvas, size_t labels, const struct look *look,
		       FILE *out)
{
	bool limit = plot->limit >= scale->bottom && plot->limit <= scale->top;
	size_t high = dots_high(look->unicode);
	size_t dot = limit ? dot_of(scale, plot->limit, canvas->rows, look->unicode) : 0;

	for (size_t row = 0; row < canvas->rows; row++) {
		CLEANUP(text_clear) struct text line = { 0 };
		char words[HUMAN_BYTES] = "";
		bool label = label_at(plot, scale, row, look->unicode, words);
		bool here = limit && row == canvas->rows - 1 - dot / high;

		text_add_format(&line, "%*s", (int)(labels - words_columns(words)), "");
		text_add_format(&line, "%s%s%s ", look_begin(look, TINT_FAINT), words,
				look_end(look, TINT_FAINT));
		text_add(&line, !look->unicode ? "|" : label ? "┤" : "│");
		add_row(&line, canvas, row, here ? bits[0][high - 1 - dot % high] : 0, look);
		fprintf(out, "%s\n", text_string(&line));
	}
}

/* The next number of seconds that people count in. */
static double time_step(double least_s)
{
	static const double steps[] = { 1,   2,   5,    10,   20,   30,    60,    120,   300,
					600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };

	if (least_s < steps[0])
		return fmin(round_step(least_s), 1);
	for (size_t i = 0; i < COUNT(steps); i++) {
		if (steps[i] >= least_s)
			return steps[i];
	}
	return 86400 * round_step(least_s / 86400);
}

static void drop_end(char *text, const char *end)
{
	size_t length = strlen(text), of_end = strlen(end);

	if (length > of_end && strcmp(text + length - of_end, end) == 0)
		text[length - of_end] = '\0';
}

/* "20 ms", "0.5 s", "30 s", "1 min 30 s", "2 h": all of one axis alike. */
static void write_time(double time_s, double step_s, double end_s, char *ret)
{
	double unit = end_s < 0.1 ? 1e-3 : 1;
	int decimals = step_s < unit ? (int)ceil(-log10(step_s / unit) - 1e-9) : 0;

	if (time_s < step_s / 2) {
		strcpy(ret, "0");
	} else if (end_s < 60) {
		snprintf(ret, HUMAN_BYTES, "%.*f %s", decimals, time_s / unit,
			 unit < 1 ? "ms" : "s");
	} else {
		human_duration(time_s, ret);
		drop_end(ret, " 00 s");
		drop_end(ret, " 00 min");
		drop_end(ret, " 0 h");
	}
}

static size_t tick_column(double time_s, double end_s, size_t columns)
{
	return plot_column(time_s / end_s * (double)columns, columns);
}

/* Each label begins below its tick and leaves room to the next; some get longer on the way. */
static bool labels_fit(double step_s, double end_s, size_t columns)
{
	size_t room = tick_column(step_s, end_s, columns);
	char words[HUMAN_BYTES];

	for (size_t i = 1; (double)i * step_s <= end_s; i++) {
		write_time((double)i * step_s, step_s, end_s, words);
		if (words_columns(words) + BETWEEN_LABELS > room)
			return false;
	}
	return true;
}

static double tick_step(double end_s, size_t columns)
{
	double step_s = time_step(end_s / (double)columns * (BETWEEN_LABELS + 4));

	while (step_s < end_s && !labels_fit(step_s, end_s, columns))
		step_s = time_step(step_s * 1.01);
	return step_s;
}

/* The i-th tick: false where it, or its label, is behind the end. */
static bool tick_at(size_t i, double step_s, double end_s, size_t columns, size_t *column,
		    char *words)
{
	double time_s = (double)i * step_s;

	*column = tick_column(time_s, end_s, columns);
	write_time(time_s, step_s, end_s, words);
	return time_s < end_s && *column + words_columns(words) <= columns;
}

static bool gap_at(const struct span *spans, size_t column, bool unicode)
{
	size_t wide = dots_wide(unicode);

	return spans[column * wide].gap || spans[column * wide + wide - 1].gap;
}

static void print_axis(const struct span *spans, double end_s, double step_s, size_t columns,
		       size_t labels, const struct look *look, FILE *out)
{
	CLEANUP(text_clear) struct text line = { 0 };
	CLEANUP(freep) bool *ticks = mem_new(columns * sizeof(*ticks));
	char words[HUMAN_BYTES];
	size_t at;

	for (size_t i = 0; tick_at(i, step_s, end_s, columns, &at, words); i++)
		ticks[at] = true;
	text_add_format(&line, "%*s %s", (int)labels, "", look->unicode ? "└" : "+");
	for (size_t i = 0; i < columns; i++) {
		if (gap_at(spans, i, look->unicode))
			text_add_format(&line, "%s%s%s", look_begin(look, TINT_WARN),
					look->unicode ? "×" : "x", look_end(look, TINT_WARN));
		else if (ticks[i])
			text_add(&line, look->unicode ? "┬" : "+");
		else
			text_add(&line, look->unicode ? "─" : "-");
	}
	fprintf(out, "%s\n", text_string(&line));
}

static void print_times(double end_s, double step_s, size_t columns, size_t labels,
			const struct look *look, FILE *out)
{
	CLEANUP(text_clear) struct text line = { 0 };
	char words[HUMAN_BYTES];
	size_t at;

	text_add_format(&line, "%*s", (int)labels + 2, "");
	for (size_t i = 0; tick_at(i, step_s, end_s, columns, &at, words); i++)
		text_add_format(&line, "%*s%s",
				(int)(labels + 2 + at - words_columns(text_string(&line))), "",
				words);
	fprintf(out, "%s%s%s\n", look_begin(look, TINT_FAINT), text_string(&line),
		look_end(look, TINT_FAINT));
}

/* The column of the next name behind a mark, or of the end. */
static size_t next_mark(const struct facts *facts, size_t i, double end_s, size_t columns)
{
	while (++i < facts->n_marks) {
		if (facts->marks[i].kind != MARK_END)
			return tick_column((double)facts->marks[i].time_ns / 1e9, end_s, columns);
	}
	return columns;
}

/* "^load  ^fit": each name from its column on, cut where the next begins. Those that would have no
 * room for a letter are left out. */
static void print_marks(const struct facts *facts, double end_s, size_t columns, size_t labels,
			const struct look *look, FILE *out)
{
	CLEANUP(text_clear) struct text line = { 0 };
	size_t used = 0;

	text_add_format(&line, "%*s", (int)labels + 2, "");
	for (size_t i = 0; i < facts->n_marks; i++) {
		CLEANUP(text_clear) struct text name = { 0 }, cut = { 0 };
		const struct mark *mark = &facts->marks[i];
		size_t at = tick_column((double)mark->time_ns / 1e9, end_s, columns), next;

		if (mark->kind == MARK_END)
			continue;
		next = next_mark(facts, i, end_s, columns);
		if (at < used || next < at + LEAST_MARK)
			continue;
		text_add(&name, "^");
		words_clean(&name, mark->name);
		words_cut(&cut, name.data, next - at - (next < columns), look);
		text_add_format(&line, "%*s%s", (int)(at - used), "", cut.data);
		used = at + words_columns(cut.data);
	}
	if (used > 0)
		fprintf(out, "%s\n", line.data);
}

static bool any_seen(const struct span *spans, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (spans[i].seen)
			return true;
	}
	return false;
}

/* How many columns are left depends on the labels, they on the values, these hardly on the
 * columns: so the values are cut twice. */
void plot_print(const struct plot *plot, const struct look *look, FILE *out)
{
	size_t wide = dots_wide(look->unicode), most = (size_t)look->columns * wide;
	CLEANUP(freep) struct span *spans = mem_new(most * sizeof(*spans));
	CLEANUP(freep) unsigned char *cells = NULL;
	struct canvas canvas = { .rows = (size_t)plot->rows, .unicode = look->unicode };
	double end_s = plot->end_s > 0 ? plot->end_s : 1e-9, step_s;
	struct scale scale;
	size_t labels;

	plot_spans(plot->line, end_s, spans, most);
	if (!any_seen(spans, most))
		return;
	scale = scale_of(plot, spans, most);
	labels = label_columns(plot, &scale, look->unicode);
	canvas.columns = (size_t)look->columns - labels - 3;
	canvas.cells = cells = mem_new(canvas.rows * canvas.columns);
	plot_spans(plot->line, end_s, spans, canvas.columns * wide);
	draw(&canvas, &scale, spans);
	print_rows(plot, &scale, &canvas, labels, look, out);
	step_s = tick_step(end_s, canvas.columns);
	print_axis(spans, end_s, step_s, canvas.columns, labels, look, out);
	print_times(end_s, step_s, canvas.columns, labels, look, out);
	if (plot->facts)
		print_marks(plot->facts, end_s, canvas.columns, labels, look, out);
}
