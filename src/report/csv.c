/* RFC 4180: lines end in CR LF, a field with a comma, a quote or a line's end stands in quotes, a
 * quote inside is doubled.
 *	name,unit,value,how,low,high,source,why
 *	wall_s,seconds,252.1,measured,,,clock,
 * With lines loaded it is the time series instead, a column for each metric, empty in a gap:
 *	t_s,cores,memory_tree_bytes
 *	0.1,1.02,1048576 */
#include "report/report.h"

#include "base/mem.h"
#include "base/text.h"
#include "report/totals.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static void write_field(FILE *out, const char *field)
{
	if (!field)
		return;
	if (!strpbrk(field, ",\"\r\n")) {
		fputs(field, out);
		return;
	}
	fputc('"', out);
	for (; *field; field++) {
		if (*field == '"')
			fputc('"', out);
		fputc(*field, out);
	}
	fputc('"', out);
}

/* Nothing for what is no number. */
static void write_number(FILE *out, double number)
{
	CLEANUP(text_clear) struct text digits = { 0 };

	if (isfinite(number))
		text_add_number(&digits, number);
	fputs(text_string(&digits), out);
}

static void write_total(const struct fact *fact, FILE *out)
{
	write_field(out, fact->name);
	fprintf(out, ",%s,", unit_name(fact->unit));
	write_number(out, value_is(fact->value) ? fact->value.number : NAN);
	fprintf(out, ",%s,", how_name(fact->value.how));
	write_number(out, fact->low);
	fputc(',', out);
	write_number(out, fact->high);
	fputc(',', out);
	write_field(out, fact->source);
	fputc(',', out);
	write_field(out, fact->why);
	fputs("\r\n", out);
}

static void write_totals(const struct facts *facts, FILE *out)
{
	CLEANUP(freep) struct fact *list = NULL;
	size_t count = total_list(facts, &list);

	fputs("name,unit,value,how,low,high,source,why\r\n", out);
	for (size_t i = 0; i < count; i++)
		write_total(&list[i], out);
}

/* Lines are walked side by side, and the next row is the earliest time at which any of them has a
 * point. */
struct walk {
	const struct line *line;
	size_t next;
};

static const struct point *walk_point(const struct walk *walk)
{
	return walk->next < walk->line->n_points ? &walk->line->points[walk->next] : NULL;
}

static const struct point *earliest(const struct walk *walks, size_t count)
{
	const struct point *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct point *point = walk_point(&walks[i]);

		if (point && (!first || point->time_ns < first->time_ns))
			first = point;
	}
	return first;
}

static void write_row(struct walk *walks, size_t count, uint64_t time_ns, FILE *out)
{
	write_number(out, (double)time_ns / 1e9);
	for (size_t i = 0; i < count; i++) {
		const struct point *point = walk_point(&walks[i]);

		fputc(',', out);
		if (!point || point->time_ns != time_ns)
			continue;
		write_number(out, point->number);
		walks[i].next++;
	}
	fputs("\r\n", out);
}

static void write_lines(const struct facts *facts, FILE *out)
{
	CLEANUP(freep) struct walk *walks = mem_new(facts->n_lines * sizeof(*walks));
	const struct point *point;
	size_t count = 0;

	fputs("t_s", out);
	for (size_t i = 0; i < facts->n_lines; i++) {
		if (facts->lines[i].process != 0)
			continue;
		walks[count++].line = &facts->lines[i];
		fputc(',', out);
		write_field(out, facts->lines[i].metric->name);
	}
	fputs("\r\n", out);
	while ((point = earliest(walks, count)))
		write_row(walks, count, point->time_ns, out);
}

static int write_csv(const struct facts *facts, FILE *out, struct err *err)
{
	if (facts->n_lines > 0)
		write_lines(facts, out);
	else
		write_totals(facts, out);
	if (fflush(out) != 0 || ferror(out))
		return err_set(err, errno ? -errno : -EIO, "cannot write CSV");
	return 0;
}

const struct report report_csv = {
	.name = "csv",
	.suffix = ".csv",
	.help = "a row for each total; with the series, a row for each tick",
	.write = write_csv,
};
