#include "cmd/candidates.h"

#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/explain.h"
#include "cmd/help.h"
#include "cmd/scripts.h"
#include "report/report.h"
#include "report/words.h"
#include "sample/metrics.h"
#include "series/series.h"
#include "store/store.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define MOST_RUNS 20
#define HELP_COLUMNS 50

struct asked {
	const char *typed;  /* the word, or the part of it behind its "=" */
	const char *before; /* what stands before that part: "--format=" */
	size_t before_length;
	const struct opt *opt; /* whose value is asked for; NULL: an operand */
	FILE *out;
};

static bool is_plain(const char *word)
{
	for (; *word; word++) {
		if (!isalnum((unsigned char)*word) && !strchr("-_.,/=@+", *word))
			return false;
	}
	return true;
}

static void offer(const struct asked *asked, const char *word, const char *help)
{
	if (!is_plain(word) || strncmp(word, asked->typed, strlen(asked->typed)) != 0)
		return;
	fprintf(asked->out, "%.*s%s", (int)asked->before_length, asked->before, word);
	if (help && *help)
		fprintf(asked->out, "\t%.*s", (int)strcspn(help, "\n"), help);
	fputc('\n', asked->out);
}

static void offer_names(const struct asked *asked, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		offer(asked, names->items[i], NULL);
}

static void offer_files(const struct asked *asked)
{
	fputs(":files\n", asked->out);
}

static void offer_directories(const struct asked *asked)
{
	fputs(":directories\n", asked->out);
}

static void offer_commands(const struct asked *asked)
{
	for (const struct cmd *const *cmd = cmd_table; *cmd; cmd++) {
		if (!(*cmd)->hidden)
			offer(asked, (*cmd)->name, (*cmd)->help);
	}
}

static void offer_topics(const struct asked *asked)
{
	CLEANUP(names_clear) struct names topics = { 0 };

	help_topics(&topics);
	for (size_t i = 0; i < topics.count; i++) {
		if (!cmd_find(topics.items[i]))
			offer(asked, topics.items[i], help_topic_text(topics.items[i]));
	}
}

static void offer_formats(const struct asked *asked)
{
	for (size_t i = 0; report_table[i]; i++)
		offer(asked, report_table[i]->name, report_table[i]->help);
}

static void offer_metrics(const struct asked *asked)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct metrics metrics;

	metrics_init(&metrics, source_table, &facts);
	offer(asked, "all", "every one");
	for (size_t i = 0; i < facts.n_run_metrics; i++)
		offer(asked, facts.run_metrics[i].name, facts.run_metrics[i].help);
	metrics_clear(&metrics);
}

static void offer_areas(const struct asked *asked)
{
	CLEANUP(examination_clear) struct examination examination;
	CLEANUP(names_clear) struct names areas = { 0 };

	examine(getpid(), &examination);
	examine_areas(&examination, &areas);
	offer_names(asked, &areas);
}

/* `sonde explain` takes a dash for a blank, which no shell has to quote. */
static void offer_words(const struct asked *asked)
{
	CLEANUP(names_clear) struct names names = { 0 };

	explain_names(&names);
	for (size_t i = 0; i < names.count; i++) {
		CLEANUP(freep) char *name = mem_copy(names.items[i]);

		for (char *blank = name; (blank = strchr(blank, ' '));)
			*blank = '-';
		offer(asked, name, NULL);
	}
}

static void offer_shells(const struct asked *asked)
{
	for (const struct script *script = script_table; script->shell; script++)
		offer(asked, script->shell, NULL);
}

/* Names and commands stand inside of the recordings; one that still runs is left alone. */
static void offer_run(const struct asked *asked, const struct store_entry *entry,
		      struct names *names, struct arena *arena)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(text_clear) struct text command = { 0 }, help = { 0 };
	const struct look look = { .columns = HELP_COLUMNS };
	const char *name = NULL;

	if (!entry->journal_only && recording_read(entry->path, 0, &facts, NULL) == 0) {
		name = facts_text(&facts, "run", "name");
		words_command(&command, &facts);
		words_cut(&help, text_string(&command), HELP_COLUMNS, &look);
	}
	offer(asked, entry->id, text_string(&help));
	for (size_t i = 0; name && i < names->count; i++) {
		if (strcmp(names->items[i], name) == 0)
			name = NULL;
	}
	if (name)
		names_add(names, arena_copy(arena, name));
}

static void offer_runs_and_names(const struct asked *ids, const struct asked *names_of)
{
	CLEANUP(store_list_clear) struct store_list list = { 0 };
	CLEANUP(names_clear) struct names names = { 0 };
	CLEANUP(arena_clear) struct arena arena = { 0 };

	if (store_list(&list, NULL) < 0)
		return;
	for (size_t i = 0; i < list.count && i < MOST_RUNS; i++)
		offer_run(ids, &list.entries[i], &names, &arena);
	offer_names(names_of, &names);
}

static void offer_runs(const struct asked *asked)
{
	offer(asked, "last", "the newest run");
	offer_runs_and_names(asked, asked);
	if (strpbrk(asked->typed, "./"))
		offer_files(asked);
}

static void offer_run_names(const struct asked *asked)
{
	struct asked none = *asked;

	none.typed = "/"; /* no id begins so */
	offer_runs_and_names(&none, asked);
}

/* What stands for a value or an operand in help says what it may be. */
static const struct {
	const char *word;
	const char *option; /* only as the value of this option; NULL: anywhere */
	void (*offer)(const struct asked *asked);
} kinds[] = {
	{ "FILE", NULL, offer_files },     { "DIR", NULL, offer_directories },
	{ "RUN", NULL, offer_runs },       { "NAME", "name", offer_run_names },
	{ "METRIC", NULL, offer_metrics }, { "FORMAT", "format", offer_formats },
	{ "AREA", NULL, offer_areas },     { "WORD", NULL, offer_words },
	{ "SHELL", NULL, offer_shells },   { "COMMAND", NULL, offer_commands },
	{ "TOPIC", NULL, offer_topics },
};

static void offer_kind(const struct asked *asked, const char *word, size_t length)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strlen(kinds[i].word) != length || strncmp(kinds[i].word, word, length) != 0)
			continue;
		if (kinds[i].option &&
		    !(asked->opt && strcmp(asked->opt->name, kinds[i].option) == 0))
			continue;
		kinds[i].offer(asked);
	}
}

static size_t upper_length(const char *word)
{
	size_t length = 0;

	while (isupper((unsigned char)word[length]))
		length++;
	return length;
}

static void offer_value(struct asked *asked, const struct opt *opt)
{
	asked->opt = opt;
	if (opt->kind == OPT_BOOL) {
		offer(asked, "yes", NULL);
		offer(asked, "no", NULL);
	} else if (opt->value) { /* of "FILE.prom" the FILE */
		offer_kind(asked, opt->value, upper_length(opt->value));
	}
}

static void offer_option(const struct asked *asked, const struct opt *opt)
{
	char name[128];

	if (opt->kind == OPT_BOOL || opt->bare) {
		snprintf(name, sizeof(name), "--%s", opt->name);
		offer(asked, name, opt->help);
	}
	if (opt->kind == OPT_BOOL && opt->fallback) {
		snprintf(name, sizeof(name), "--no-%s", opt->name);
		offer(asked, name, NULL);
	}
	if (opt->kind != OPT_BOOL) {
		snprintf(name, sizeof(name), "--%s=", opt->name);
		offer(asked, name, opt->help);
	}
}

static void offer_options(struct asked *asked, const struct opt *opts)
{
	const char *equals = strchr(asked->typed, '=');
	const struct opt *opt;

	if (!equals) {
		for (opt = opts; opt && opt->name; opt++)
			offer_option(asked, opt);
		offer(asked, "--help", "show examples and options");
		return;
	}
	if (strncmp(asked->typed, "--", 2) != 0)
		return;
	opt = opt_find(opts, asked->typed + 2, (size_t)(equals - asked->typed) - 2);
	asked->before = asked->typed;
	asked->before_length = (size_t)(equals - asked->typed) + 1;
	asked->typed = equals + 1;
	if (opt)
		offer_value(asked, opt);
}

/* "[COMMAND | TOPIC]" is one operand that may be either, "RUN RUN" are two, "RUN..." many. */
static void offer_operand(const struct asked *asked, const char *arguments, size_t place)
{
	size_t words = 0;
	bool many = strstr(arguments, "...");

	for (const char *at = arguments; *at; at++)
		words += *at == '|' ? (size_t)-1
				    : isupper((unsigned char)*at) && !isupper((unsigned char)at[1]);
	if (place >= words && !many)
		return;
	while (*arguments) {
		size_t length = upper_length(arguments);

		if (length > 0)
			offer_kind(asked, arguments, length);
		arguments += length > 0 ? length : 1;
	}
}

/* Where the word that is typed stands. */
struct place {
	const struct opt *pending; /* it is the value of this one */
	bool ended;                /* by "--" */
	size_t operands;           /* before it */
	int command; /* the word that begins another program's command line; 0: none */
};

static const struct opt *option_that_waits(const struct opt *opts, const char *word)
{
	const struct opt *opt = NULL;

	if (word[1] == '-') {
		opt = strchr(word, '=') ? NULL : opt_find(opts, word + 2, strlen(word) - 2);
		return opt && opt->kind != OPT_BOOL && !opt->bare ? opt : NULL;
	}
	for (word++; *word; word++) {
		opt = opt_find_key(opts, *word);
		if (opt && opt->kind != OPT_BOOL)
			return word[1] || opt->bare ? NULL : opt;
	}
	return NULL;
}

static struct place find_place(const struct cmd *cmd, int count, char **words)
{
	struct place place = { 0 };

	for (int i = 1; i < count - 1 && !place.command; i++) {
		const char *word = words[i];

		if (place.pending) {
			place.pending = NULL;
		} else if (!place.ended && strcmp(word, "--") == 0) {
			place.ended = true;
		} else if (!place.ended && word[0] == '-' && word[1]) {
			place.pending = option_that_waits(cmd->opts, word);
		} else {
			place.operands++;
			place.command = cmd->runs_command ? i : 0;
		}
	}
	return place;
}

static void offer_next(const struct cmd *cmd, int count, char **words, struct asked *asked)
{
	struct place place = find_place(cmd, count, words);
	bool is_option = !place.ended && asked->typed[0] == '-';

	if (place.command)
		fprintf(asked->out, ":command %d\n", place.command);
	else if (place.pending)
		offer_value(asked, place.pending);
	else if (is_option)
		offer_options(asked, cmd->opts);
	else if (cmd->runs_command)
		fprintf(asked->out, ":command %d\n", count - 1);
	else
		offer_operand(asked, cmd->arguments, place.operands);
}

void candidates_print(int count, char **words, FILE *out)
{
	struct asked asked = { .typed = count > 0 ? words[count - 1] : "",
			       .before = "",
			       .out = out };
	const struct cmd *cmd;

	if (count < 2) {
		offer_commands(&asked);
		if (asked.typed[0] == '-') {
			offer(&asked, "--help", "what sonde can do");
			offer(&asked, "--version", "which sonde this is");
		}
		return;
	}
	cmd = strcmp(words[0], "--help") == 0 ? &cmd_help : cmd_find(words[0]);
	if (cmd)
		offer_next(cmd, count, words, &asked);
}
