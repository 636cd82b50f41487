#include "cmd/explain.h"
#include "advise/rule.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/fill.h"
#include "cmd/recorded.h"
#include "report/glossary.h"
#include "report/totals.h"
#include "report/words.h"
#include "sample/metrics.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INDENT 2
#define RULE_COLUMN 22
#define WIDEST 100 /* longer lines are hard to read */

struct page {
	struct look look;
	struct facts last;    /* of the last run; empty where there is none */
	struct facts metrics; /* only their tables: every metric that this sonde knows */
	FILE *out;
};

static void page_init(struct page *page, FILE *out)
{
	struct metrics metrics;

	*page = (struct page){ .look = look_of(fileno(out)), .out = out };
	metrics_init(&metrics, source_table, &page->metrics);
	metrics_clear(&metrics);
	recorded_last(&page->last);
}

static void page_clear(struct page *page)
{
	facts_clear(&page->last);
	facts_clear(&page->metrics);
}

static void print_sentences(const struct page *page, const char *text)
{
	int width = page->look.columns < WIDEST ? page->look.columns : WIDEST;

	fill(text, 0, INDENT, width, page->out);
}

static void print_heading_of_run(const struct page *page)
{
	CLEANUP(text_clear) struct text command = { 0 }, line = { 0 }, cut = { 0 };
	const char *id = facts_text(&page->last, "run", "id");

	words_command(&command, &page->last);
	text_add(&line, "In your last run (");
	words_clean(&line, id ? id : "?");
	text_add_format(&line, ", %s", text_string(&command));
	words_cut(&cut, line.data, (size_t)page->look.columns - INDENT - 2, &page->look);
	fprintf(page->out, "\n%*s%s):\n", INDENT, "", cut.data);
}

static void print_figures(const struct page *page, const char *figures)
{
	CLEANUP(freep) char *body = NULL;
	size_t bytes, count;
	FILE *out = open_memstream(&body, &bytes);

	if (!out)
		mem_fail();
	count = word_print_figures(figures, &page->last, &page->look, out);
	fclose(out);
	if (count == 0)
		return;
	print_heading_of_run(page);
	fputs(body, page->out);
}

static void print_see(const struct page *page, const char *what, const char *see)
{
	fprintf(page->out, "\n  %s: %s\n", what, see);
}

static void print_word(const struct page *page, const struct word *word)
{
	look_heading(&page->look, word->name, page->out);
	print_sentences(page, word->text);
	print_figures(page, word->figures);
	if (word->see)
		print_see(page, "See it", word->see);
}

/* What the rule says of the last run, where it says something. */
static void print_advice(const struct page *page, const char *rule)
{
	for (size_t i = 0; i < page->last.n_advice; i++) {
		const struct advice *advice = &page->last.advice[i];
		CLEANUP(text_clear) struct text text = { 0 };

		if (strcmp(advice->rule, rule) != 0)
			continue;
		words_clean(&text, advice->text);
		text_add_format(&text, " (");
		words_clean(&text, advice->evidence);
		text_add(&text, ")");
		print_heading_of_run(page);
		fill(text.data, 0, 2 * INDENT, page->look.columns, page->out);
	}
}

static void print_rule(const struct page *page, const struct rule *rule)
{
	const struct {
		const char *heading, *text;
	} parts[] = {
		{ NULL, rule->means },
		{ "How it is seen", rule->seen },
		{ "What to try", rule->remedy },
		{ "When to ignore it", rule->ignore },
	};
	CLEANUP(text_clear) struct text title = { 0 };

	text_add_format(&title, "%s: %s", rule->id, rule->title);
	look_heading(&page->look, title.data, page->out);
	for (size_t i = 0; i < COUNT(parts); i++) {
		if (!parts[i].text)
			continue;
		if (parts[i].heading)
			fprintf(page->out, "\n%s\n", parts[i].heading);
		print_sentences(page, parts[i].text);
	}
	print_advice(page, rule->id);
}

/* A metric, and what of it a total is: its peak, its mean, or (NULL) all of it. */
struct meant {
	const struct metric *metric;
	const char *word;
};

static bool metric_is(const struct metric *metric, const char *name, struct meant *ret)
{
	static const char *const parts[] = { "peak", "mean" };
	char derived[128];

	*ret = (struct meant){ .metric = metric };
	if (strcmp(metric->name, name) == 0)
		return true;
	for (size_t i = 0; metric->kind == KIND_GAUGE && i < COUNT(parts); i++) {
		metric_derived_name(metric, parts[i], derived, sizeof(derived));
		ret->word = parts[i];
		if (strcmp(derived, name) == 0)
			return true;
	}
	return false;
}

static bool metric_search(const struct page *page, const char *name, struct meant *ret)
{
	for (size_t i = 0; i < page->metrics.n_run_metrics; i++) {
		if (metric_is(&page->metrics.run_metrics[i], name, ret))
			return true;
	}
	for (size_t i = 0; i < page->metrics.n_process_metrics; i++) {
		if (metric_is(&page->metrics.process_metrics[i], name, ret))
			return true;
	}
	return false;
}

static void add_figures(struct text *figures, const char *name, const struct meant *meant)
{
	char derived[128];

	text_add_format(figures, "totals.%s", name);
	if (!meant->metric || meant->word || meant->metric->kind != KIND_GAUGE)
		return;
	metric_derived_name(meant->metric, "mean", derived, sizeof(derived));
	text_add_format(figures, " totals.%s", derived);
	metric_derived_name(meant->metric, "peak", derived, sizeof(derived));
	text_add_format(figures, " totals.%s", derived);
}

static void describe(const struct meant *meant, const struct total *total, struct text *ret)
{
	const struct metric *metric = meant->metric;

	if (total)
		text_add_format(ret, "'%s' in what sonde prints. ", total->label);
	if (meant->word)
		text_add_format(ret, "The %s of %s: ", meant->word, metric->name);
	if (!metric)
		return;
	text_add_format(ret, "%s. It is a %s, in %s, from the source '%s'.", metric->help,
			kind_name(metric->kind), unit_name(metric->unit), metric->source);
	if (metric->absent)
		text_add_format(ret, " Where it is absent: %s.", metric->absent);
}

static const struct word *word_of(const struct text *figures)
{
	CLEANUP(freep) char *first = mem_copy_n(figures->data, strcspn(figures->data, " "));
	const char *last = strrchr(figures->data, ' ');
	const struct word *word = word_of_figure(first);

	return word || !last ? word : word_of_figure(last + 1);
}

static void print_metric(const struct page *page, const char *name, const struct meant *meant)
{
	CLEANUP(text_clear) struct text text = { 0 }, figures = { 0 }, see = { 0 };
	const struct word *word;

	describe(meant, total_find(name), &text);
	add_figures(&figures, name, meant);
	word = word_of(&figures);
	look_heading(&page->look, name, page->out);
	print_sentences(page, text_string(&text));
	print_figures(page, figures.data);
	if (meant->metric && facts_metric(&page->metrics, SCOPE_RUN, meant->metric->name) >= 0) {
		text_add_format(&see, "sonde show --series %s", meant->metric->name);
		print_see(page, "See it", see.data);
	}
	if (word) {
		see.length = 0;
		text_add_format(&see, "sonde explain %s", word->name);
		print_see(page, "What it is about", see.data);
	}
}

static const struct rule *find_rule(const char *name)
{
	for (size_t i = 0; rule_table[i]; i++) {
		if (word_same(name, rule_table[i]->id))
			return rule_table[i];
	}
	return NULL;
}

/* A word and a rule may differ in a dash alone: then both are told, first the one that is spelled
 * so. */
static bool print_word_or_rule(const struct page *page, const char *name)
{
	const struct rule *rule = find_rule(name);
	const struct word *word = word_find(name);
	bool rule_first = rule && strcmp(rule->id, name) == 0;

	if (rule && rule_first)
		print_rule(page, rule);
	if (rule && word && rule_first)
		fputc('\n', page->out);
	if (word)
		print_word(page, word);
	if (rule && word && !rule_first)
		fputc('\n', page->out);
	if (rule && !rule_first)
		print_rule(page, rule);
	return rule || word;
}

static bool print_any(const struct page *page, const char *name)
{
	struct meant meant = { 0 };

	if (print_word_or_rule(page, name))
		return true;
	if (!metric_search(page, name, &meant)) {
		meant = (struct meant){ 0 };
		if (!total_find(name))
			return false;
	}
	print_metric(page, name, &meant);
	return true;
}

void explain_names(struct names *ret)
{
	for (const struct word *word = word_table; word->name; word++)
		names_add(ret, word->name);
	for (size_t i = 0; rule_table[i]; i++)
		names_add(ret, rule_table[i]->id);
}

static char *add_lower(struct names *names, struct arena *arena, const char *name, size_t length)
{
	char *lower = arena_copy_n(arena, name, length);

	for (char *c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	names_add(names, lower);
	return lower;
}

static void add_also(struct names *names, struct arena *arena, const char *also)
{
	while (also && *also) {
		size_t length = strcspn(also, "|");

		add_lower(names, arena, also, length);
		also += length;
		also += *also == '|';
	}
}

/* In small letters: words of the glossary are found in either. */
static const char *nearest_of(const char *name, struct arena *arena)
{
	CLEANUP(names_clear) struct names names = { 0 }, all = { 0 }, asked = { 0 };

	explain_names(&names);
	for (size_t i = 0; i < names.count; i++)
		add_lower(&all, arena, names.items[i], strlen(names.items[i]));
	for (const struct word *word = word_table; word->name; word++)
		add_also(&all, arena, word->also);
	for (const struct total *total = total_table; total->name; total++)
		names_add(&all, total->name);
	return names_nearest(&all, add_lower(&asked, arena, name, strlen(name)));
}

static int unknown(const char *name)
{
	CLEANUP(arena_clear) struct arena arena = { 0 };
	const char *near = *name ? nearest_of(name, &arena) : NULL;
	struct err err = { 0 };

	err_say(&err, -EINVAL, "'%s': not in the glossary", name);
	if (near)
		err_hint(&err, "did you mean 'sonde explain %s'?", near);
	else
		err_hint(&err, "'sonde explain' lists the words");
	return cmd_fail(&err, EXIT_USAGE);
}

static size_t longest_name(void)
{
	size_t longest = 0;

	for (const struct word *word = word_table; word->name; word++)
		longest = strlen(word->name) > longest ? strlen(word->name) : longest;
	return longest;
}

/* Words of one group in columns, and the first row of the next. */
static const struct word *print_group(const struct page *page, const struct word *word)
{
	int width = (int)longest_name() + 2, room = page->look.columns - INDENT, column = 0;
	const char *group = word->group;

	look_heading(&page->look, group, page->out);
	for (; word->name && strcmp(word->group, group) == 0; word++) {
		bool last = !word[1].name || strcmp(word[1].group, group) != 0;
		bool full = column + 2 * width > room;

		fprintf(page->out, "%*s%-*s", column == 0 ? INDENT : 0, "",
			last || full ? 0 : width, word->name);
		column = full ? 0 : column + width;
		if (last || full)
			fputc('\n', page->out);
	}
	return word;
}

static void print_list(const struct page *page)
{
	for (const struct word *word = word_table; word->name;) {
		word = print_group(page, word);
		fputc('\n', page->out);
	}
	if (rule_table[0]) {
		look_heading(&page->look, "advice that sonde gives", page->out);
		for (size_t i = 0; rule_table[i]; i++)
			fill(rule_table[i]->title,
			     fprintf(page->out, "  %-18s ", rule_table[i]->id), RULE_COLUMN,
			     page->look.columns, page->out);
		fputc('\n', page->out);
	}
	fputs("'sonde explain WORD' tells more, with the numbers of your last run;\n"
	      "it takes names of metrics (io_read_bytes), too.\n",
	      page->out);
}

static int explain_run(void *options, int argc, char **argv)
{
	CLEANUP(page_clear) struct page page;
	CLEANUP(text_clear) struct text name = { 0 };

	(void)options;
	page_init(&page, stdout);
	for (int i = 0; i < argc; i++)
		text_add_format(&name, "%s%s", i > 0 ? " " : "", argv[i]);
	if (argc == 0)
		print_list(&page);
	else if (!print_any(&page, text_string(&name)))
		return unknown(text_string(&name));
	return EXIT_FINE;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.arguments = "[WORD]",
	.help = "what a word means, with the numbers of your last run",
	.examples = "sonde explain\n"
		    "sonde explain RSS\n"
		    "sonde explain page cache\n"
		    "sonde explain 137\n"
		    "sonde explain memory_tree_peak_bytes",
	.details =
	    "WORD is a word of the glossary or another name for it, the name of a metric, or "
	    "that of a piece of advice.",
	.topic = "help",
	.front = 4,
	.run = explain_run,
};
