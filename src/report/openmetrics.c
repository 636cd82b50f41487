/* A run for Prometheus and what is like it:
 *	# HELP sonde_memory_tree_bytes memory of all processes, shared pages counted once
 *	# TYPE sonde_memory_tree_bytes gauge
 *	# UNIT sonde_memory_tree_bytes bytes
 *	sonde_memory_tree_bytes{run="3f9a2c71",name="fit",host="node7"} 5.2e9 1794803836
 *	# EOF
 *
 * There are three readers, and no form suits all of them:
 *	OpenMetrics (`promtool tsdb create-blocks-from openmetrics`) has times in seconds, with a
 *	  fraction, and calls a counter "x" whose samples are "x_total".
 *	`promtool check metrics` reads Prometheus's older text, in which a time is a whole number
 *	  and help and type stand under "x_total"; it wants help for every name.
 *	node_exporter's textfile collector reads the older text, too, and refuses times.
 * So whole seconds, and a counter whose type is not told - to OpenMetrics it is "unknown" - are
 * right for the first two. Nothing is lost: blocks of Prometheus keep no types, and a recording
 * knows its start to the second only. */
#include "report/report.h"

#include "report/totals.h"
#include "report/words.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "sonde_"
#define PREFIX_TOTAL "sonde_run_"
#define SECOND_NS 1000000000u
#define FINEST_NS 1000000u  /* Prometheus keeps milliseconds */
#define COMMAND_COLUMNS 200 /* of a label: some servers refuse long ones */

enum form {
	FORM_TEXTFILE, /* the older text, without times */
	FORM_BOTH,     /* read by OpenMetrics and by the older text */
	FORM_STRICT,   /* OpenMetrics as it is written down */
};

struct names {
	struct arena arena;
	const char **items;
	size_t count, room;
};

struct writer {
	FILE *out;
	enum form form;
	uint64_t start_ns, end_ns, step_ns; /* since 1970 */
	struct text labels;                 /* of every sample: run="3f9a2c71",name="fit" */
	struct names families;
};

/* Different names of a recording may become one here ("a-b", "a.b"): the second gets a number. */
static void names_claim(struct names *names, struct text *name)
{
	size_t length = name->length;

	for (size_t i = 0, number = 2; i < names->count; i++) {
		if (strcmp(names->items[i], name->data) != 0)
			continue;
		name->length = length;
		text_add_format(name, "_%zu", number++);
		i = (size_t)-1;
	}
	names->items = mem_grow(names->items, names->count, &names->room, sizeof(*names->items));
	names->items[names->count++] = arena_copy(&names->arena, name->data);
}

static void names_clear(struct names *names)
{
	free(names->items);
	arena_clear(&names->arena);
}

/* Lower case, digits and underscores: what every reader takes, and what promtool likes. */
static void add_name(struct text *text, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = (char)tolower((unsigned char)name[i]);

		text_add_bytes(text, (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? &c : "_",
			       1);
	}
}

/* "cpu_s" in seconds is "cpu_seconds". */
static void add_metric_name(struct text *text, const char *name, enum unit unit)
{
	const char *suffix = unit_suffix(unit);
	size_t length = strlen(name), tail = strlen(suffix);

	if (tail > 0 && length > tail + 1 && name[length - tail - 1] == '_' &&
	    strcmp(name + length - tail, suffix) == 0)
		length -= tail + 1;
	add_name(text, name, length);
	if (tail > 0)
		text_add_format(text, "_%s", unit_name(unit));
}

static void add_escaped(struct text *text, const char *clean, char quote)
{
	for (; *clean; clean++) {
		if (*clean == '\\')
			text_add(text, "\\\\");
		else if (*clean == '"' && quote == '"')
			text_add(text, "\\\"");
		else
			text_add_bytes(text, *clean == '"' ? &quote : clean, 1);
	}
}

/* A newline has an escape of its own in this format; for other bytes that a terminal would obey, or
 * that are no UTF-8, there is none, so they are written out as everywhere in sonde. */
static void add_label_value(struct text *text, const char *value)
{
	while (*value) {
		CLEANUP(text_clear) struct text clean = { 0 };
		size_t length = strcspn(value, "\n");

		text_add_clean(&clean, value, length);
		add_escaped(text, text_string(&clean), '"');
		value += length;
		if (*value == '\n')
			text_add(text, "\\n");
		value += *value == '\n';
	}
}

/* Without a value there is no label. */
static void add_label(struct text *labels, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	text_add_format(labels, "%s%s=\"", labels->length > 0 ? "," : "", name);
	add_label_value(labels, value);
	text_add(labels, "\"");
}

static void add_tags(struct text *labels, const struct facts *facts)
{
	CLEANUP(names_clear) struct names names = { 0 };
	CLEANUP(freep) struct fact *tags = NULL;
	size_t count = words_section(facts, "tag", &tags);

	for (size_t i = 0; i < count; i++) {
		CLEANUP(text_clear) struct text name = { 0 };

		text_add(&name, "tag_");
		add_name(&name, tags[i].name, strlen(tags[i].name));
		names_claim(&names, &name);
		add_label(labels, name.data, tags[i].text);
	}
}

static void add_labels(struct text *labels, const struct facts *facts)
{
	static const struct {
		const char *label, *section, *name;
	} rows[] = {
		{ "run", "run", "id" },
		{ "name", "run", "name" },
		{ "host", "run", "host" },
		{ "job_id", "context", "job_id" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		add_label(labels, rows[i].label, facts_text(facts, rows[i].section, rows[i].name));
	add_tags(labels, facts);
}

static void write_meta(const struct writer *writer, const char *word, const char *name,
		       const char *value)
{
	fprintf(writer->out, "# %s %s %s\n", word, name, value);
}

/* Help escapes a quote in one format and must not in the other, so it has none. */
static void write_help(const struct writer *writer, const char *name, const char *help)
{
	CLEANUP(text_clear) struct text clean = { 0 };
	CLEANUP(text_clear) struct text escaped = { 0 };

	text_add_clean(&clean, help, strlen(help));
	add_escaped(&escaped, text_string(&clean), '\'');
	write_meta(writer, "HELP", name, text_string(&escaped));
}

struct family {
	const char *prefix, *name, *help;
	enum unit unit;
	enum kind kind;
};

/* Writes what stands before the samples of a family and puts their name into `ret`. */
static void family_begin(struct writer *writer, const struct family *family, struct text *ret)
{
	CLEANUP(text_clear) struct text base = { 0 };
	bool counter = family->kind == KIND_COUNTER;
	const char *name;

	text_add(&base, family->prefix);
	add_metric_name(&base, family->name, family->unit);
	names_claim(&writer->families, &base);
	text_add_format(ret, "%s%s", base.data, counter ? "_total" : "");
	name = writer->form == FORM_STRICT ? base.data : ret->data;
	write_help(writer, name, family->help);
	if (!counter || writer->form != FORM_BOTH)
		write_meta(writer, "TYPE", name, kind_name(family->kind));
	if (writer->form != FORM_TEXTFILE && ends_in(name, unit_name(family->unit)))
		write_meta(writer, "UNIT", name, unit_name(family->unit));
}

/* The first moment that the step allows and that is not before `time_ns`. */
static uint64_t step_up(uint64_t time_ns, uint64_t step_ns)
{
	return (time_ns + step_ns - 1) / step_ns * step_ns;
}

/* `more`: labels of this sample alone, or "". */
static void write_sample(const struct writer *writer, const char *name, const char *more,
			 double number, uint64_t time_ns)
{
	CLEANUP(text_clear) struct text line = { 0 };
	const char *labels = text_string(&writer->labels);

	text_add(&line, name);
	if (*labels || *more)
		text_add_format(&line, "{%s%s%s}", labels, *labels && *more ? "," : "", more);
	text_add(&line, " ");
	text_add_number(&line, number);
	if (writer->form != FORM_TEXTFILE)
		text_add_format(&line, " %llu", (unsigned long long)(time_ns / SECOND_NS));
	if (writer->form == FORM_STRICT)
		text_add_format(&line, ".%03u", (unsigned)(time_ns % SECOND_NS / FINEST_NS));
	fprintf(writer->out, "%s\n", line.data);
}

/* Of the points of one step the last: what was so at that moment, as a scrape would have seen it.
 */
static void write_points(const struct writer *writer, const char *name, const struct line *line)
{
	uint64_t stamp_ns = 0, next_ns;
	double number = NAN;

	for (size_t i = 0; i < line->n_points; i++) {
		if (!isfinite(line->points[i].number))
			continue;
		next_ns = step_up(writer->start_ns + line->points[i].time_ns, writer->step_ns);
		if (!isnan(number) && next_ns != stamp_ns)
			write_sample(writer, name, "", number, stamp_ns);
		stamp_ns = next_ns;
		number = line->points[i].number;
	}
	write_sample(writer, name, "", number, stamp_ns);
}

static const struct point *last_point(const struct line *line)
{
	for (size_t i = line->n_points; i > 0; i--) {
		if (isfinite(line->points[i - 1].number))
			return &line->points[i - 1];
	}
	return NULL;
}

/* What a source says of one process is here the sum over all. */
static void add_line_help(struct text *help, const struct facts *facts, const struct metric *metric)
{
	text_add(help, metric->help && *metric->help ? metric->help : "not described");
	if (facts_metric(facts, SCOPE_PROCESS, metric->name) >= 0)
		text_add(help, "; all processes together");
}

static void write_line(struct writer *writer, const struct facts *facts, const struct line *line)
{
	CLEANUP(text_clear) struct text name = { 0 };
	CLEANUP(text_clear) struct text help = { 0 };
	const struct metric *metric = line->metric;
	const struct point *last = last_point(line);
	struct family family = {
		.prefix = PREFIX, .name = metric->name, .unit = metric->unit, .kind = metric->kind
	};

	if (!last)
		return;
	add_line_help(&help, facts, metric);
	family.help = help.data;
	family_begin(writer, &family, &name);
	if (writer->form == FORM_TEXTFILE)
		write_sample(writer, name.data, "", last->number, 0);
	else
		write_points(writer, name.data, line);
}

/* Those of processes are left out: each would be a series that lasts as long as the server. */
static void write_lines(struct writer *writer, const struct facts *facts)
{
	for (size_t i = 0; i < facts->n_lines; i++) {
		if (facts->lines[i].process == 0)
			write_line(writer, facts, &facts->lines[i]);
	}
}

/* Gauges, all of them: a total is what was so at the end, and grows no more. */
static void write_gauge(struct writer *writer, const char *metric, const char *help, enum unit unit,
			const char *more, double number)
{
	const struct family family = { .prefix = PREFIX_TOTAL,
				       .name = metric,
				       .help = help,
				       .unit = unit,
				       .kind = KIND_GAUGE };
	CLEANUP(text_clear) struct text name = { 0 };

	family_begin(writer, &family, &name);
	write_sample(writer, name.data, more, number, writer->end_ns);
}

/* Adds "memory of all processes: mean" for memory_tree_mean_bytes. */
static void add_help(struct text *help, const struct facts *facts, const struct fact *fact)
{
	static const char *const words[] = { "peak", "mean" };
	const struct total *total = total_find(fact->name);
	char derived[96];

	if (total) {
		text_add_format(help, "%s, of the whole run", total->label);
		return;
	}
	for (size_t i = 0; i < facts->n_run_metrics; i++) {
		const struct metric *metric = &facts->run_metrics[i];
		const char *text = metric->help ? metric->help : metric->name;

		if (strcmp(metric->name, fact->name) == 0)
			text_add_format(help, "%s: over the whole run", text);
		for (size_t j = 0; j < COUNT(words) && help->length == 0; j++) {
			metric_derived_name(metric, words[j], derived, sizeof(derived));
			if (strcmp(derived, fact->name) == 0)
				text_add_format(help, "%s: %s of the run", text, words[j]);
		}
		if (help->length > 0)
			return;
	}
	text_add_format(help, "%s of the whole run", fact->name);
}

static void write_totals(struct writer *writer, const struct facts *facts)
{
	CLEANUP(freep) struct fact *list = NULL;
	size_t count = total_list(facts, &list);

	for (size_t i = 0; i < count; i++) {
		CLEANUP(text_clear) struct text help = { 0 };
		CLEANUP(text_clear) struct text how = { 0 };

		if (!value_is(list[i].value) || !isfinite(list[i].value.number))
			continue;
		add_help(&help, facts, &list[i]);
		add_label(&how, "how", how_name(list[i].value.how));
		write_gauge(writer, list[i].name, help.data, list[i].unit, how.data,
			    list[i].value.number);
	}
}

static void write_info(struct writer *writer, const struct facts *facts)
{
	static const struct look look = { .unicode = true };
	CLEANUP(text_clear) struct text command = { 0 };
	CLEANUP(text_clear) struct text in_short = { 0 };
	CLEANUP(text_clear) struct text labels = { 0 };

	words_command(&command, facts);
	words_cut(&in_short, text_string(&command), COMMAND_COLUMNS, &look);
	add_label(&labels, "command", text_string(&in_short));
	add_label(&labels, "user", facts_text(facts, "run", "user"));
	add_label(&labels, "version", facts_text(facts, "sonde", "version"));
	write_gauge(writer, "info", "what was run, and by whom", UNIT_COUNT, text_string(&labels),
		    1);
}

static void write_exit(struct writer *writer, const struct facts *facts)
{
	struct value status = facts_value(facts, "exit", "status");
	struct value number = facts_value(facts, "exit", "signal");

	if (writer->start_ns > 0)
		write_gauge(writer, "start_time_s", "when the run started, in seconds since 1970",
			    UNIT_SECONDS, "", (double)writer->start_ns / SECOND_NS);
	if (value_is(status) && isfinite(status.number))
		write_gauge(writer, "exit_status", "the exit status of the program", UNIT_COUNT, "",
			    status.number);
	if (value_is(number) && isfinite(number.number) && number.number > 0)
		write_gauge(writer, "exit_signal", "the signal that ended the program", UNIT_COUNT,
			    "", number.number);
}

/* The last moment that is known of. */
static uint64_t duration_ns(const struct facts *facts)
{
	struct value wall = facts_value(facts, "totals", "wall_s");
	uint64_t last_ns = 0;

	if (value_is(wall) && wall.number > 0 && wall.number < 1e9)
		return (uint64_t)(wall.number * SECOND_NS);
	for (size_t i = 0; i < facts->n_lines; i++) {
		const struct line *line = &facts->lines[i];

		if (line->n_points > 0 && line->points[line->n_points - 1].time_ns > last_ns)
			last_ns = line->points[line->n_points - 1].time_ns;
	}
	return last_ns;
}

static int writer_start(struct writer *writer, const struct facts *facts, struct err *err)
{
	const bool whole = writer->form != FORM_STRICT;
	time_t start;

	if (words_start(facts, &start) && start > 0)
		writer->start_ns = (uint64_t)start * SECOND_NS;
	else if (writer->form != FORM_TEXTFILE)
		return err_say(err, -EINVAL,
			       "the recording does not tell when the run started, so its samples "
			       "have no times");
	writer->end_ns = step_up(writer->start_ns + duration_ns(facts),
				 whole ? SECOND_NS : FINEST_NS);
	return 0;
}

static enum form form_of(const struct openmetrics *how)
{
	if (how->textfile)
		return FORM_TEXTFILE;
	return how->step_ns % SECOND_NS == 0 ? FORM_BOTH : FORM_STRICT;
}

int openmetrics_write(const struct facts *facts, const struct openmetrics *how, FILE *out,
		      struct err *err)
{
	struct writer writer = { .out = out, .form = form_of(how), .step_ns = how->step_ns };
	int r = writer_start(&writer, facts, err);

	if (r < 0)
		return r;
	add_labels(&writer.labels, facts);
	if (!how->textfile || facts->running)
		write_lines(&writer, facts);
	write_info(&writer, facts);
	write_exit(&writer, facts);
	write_totals(&writer, facts);
	if (!how->textfile)
		fputs("# EOF\n", out);
	text_clear(&writer.labels);
	names_clear(&writer.families);
	if (fflush(out) != 0 || ferror(out))
		return err_set(err, errno ? -errno : -EIO, "cannot write OpenMetrics");
	return 0;
}

static int write_seconds(const struct facts *facts, FILE *out, struct err *err)
{
	return openmetrics_write(facts, &(struct openmetrics){ .step_ns = SECOND_NS }, out, err);
}

const struct report report_openmetrics = {
	.name = "openmetrics",
	.suffix = ".om",
	.help = "all metrics over time and the totals, for Prometheus",
	.needs_lines = true,
	.write = write_seconds,
};
