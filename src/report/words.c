#include "report/words.h"

#include "base/parse.h"
#include "base/signals.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HANG 2 /* blanks before the second line of a sentence */

/* What a signal says to somebody who has never met one. */
static const struct {
	int number;
	const char *meaning;
} signals[] = {
	{ SIGHUP, "its terminal or session went away" },
	{ SIGINT, "interrupted, as by Ctrl-C" },
	{ SIGQUIT, "interrupted, as by Ctrl-\\" },
	{ SIGILL, "an instruction that this CPU does not have" },
	{ SIGTRAP, "a trap for debuggers" },
	{ SIGABRT, "it gave up by itself" },
	{ SIGBUS, "memory behind which there was nothing" },
	{ SIGFPE, "arithmetic that has no result, as 1 / 0" },
	{ SIGKILL, "killed from outside, often for lack of memory" },
	{ SIGSEGV, "it touched memory that is not its own" },
	{ SIGPIPE, "nobody read its output any more" },
	{ SIGALRM, "its own alarm clock" },
	{ SIGTERM, "it was asked to end" },
	{ SIGXCPU, "over its limit of CPU time" },
	{ SIGXFSZ, "over its limit of file size" },
	{ SIGSYS, "a system call that is forbidden here" },
};

static bool is_memory(const char *name)
{
	return strstr(name, "memory") || strstr(name, "swap");
}

const char *words_number(const char *name, enum unit unit, double number, char ret[HUMAN_BYTES])
{
	switch (unit) {
	case UNIT_COUNT:
		return human_count(number, ret);
	case UNIT_RATIO:
		return strstr(name, "share") ? human_percent(number, ret)
					     : human_number(number, 2, ret);
	case UNIT_SECONDS:
		return human_duration(number, ret);
	case UNIT_BYTES:
		return is_memory(name) ? human_memory(number, ret) : human_bytes(number, ret);
	case UNIT_JOULES:
		return human_si(number, "J", ret);
	case UNIT_HERTZ:
		return human_si(number, "Hz", ret);
	case UNIT_GRAMS:
		return human_si(number, "g", ret);
	case UNIT_COUNT_OF_UNITS:
		break;
	}
	return human_number(number, 3, ret);
}

const char *words_rate(const struct metric *metric, double per_second, char ret[HUMAN_BYTES])
{
	switch (metric->unit) {
	case UNIT_BYTES:
		return human_si(per_second, "B/s", ret);
	case UNIT_JOULES:
		return human_si(per_second, "W", ret);
	case UNIT_SECONDS: /* seconds a second: how many at a time */
		return human_number(per_second, 3, ret);
	case UNIT_COUNT:
	case UNIT_RATIO:
	case UNIT_HERTZ:
	case UNIT_GRAMS:
	case UNIT_COUNT_OF_UNITS:
		break;
	}
	return human_si(per_second, "/s", ret);
}

const char *words_fact(const struct fact *fact, char ret[HUMAN_BYTES + 8])
{
	char number[HUMAN_BYTES];
	bool estimated;

	if (!fact || fact->kind == FACT_TEXT || !value_is(fact->value)) {
		strcpy(ret, "not measured");
		return ret;
	}
	words_number(fact->name, fact->unit, fact->value.number, number);
	estimated = fact->value.how == HOW_ESTIMATED && fact->value.number != 0;
	snprintf(ret, HUMAN_BYTES + 8, "%s%s", estimated ? "about " : "", number);
	return ret;
}

static const char *signal_meaning(int number)
{
	for (size_t i = 0; i < COUNT(signals); i++) {
		if (signals[i].number == number)
			return signals[i].meaning;
	}
	return NULL;
}

/* "SIGKILL, signal 9" */
static void add_signal(struct text *text, int number)
{
	const char *name = signal_name(number);

	text_add_format(text, "%s%ssignal %d", name ? name : "", name ? ", " : "", number);
}

/* "exit status 3", "SIGKILL, signal 9"; nothing where it ended with 0 or where nobody knows. */
static void add_status(struct text *text, const struct facts *facts, const char **ret_meaning)
{
	struct value status = facts_value(facts, "exit", "status");
	struct value number = facts_value(facts, "exit", "signal");

	if (value_is(number) && number.number > 0 && number.number < 1000) {
		add_signal(text, (int)number.number);
		*ret_meaning = signal_meaning((int)number.number);
	} else if (value_is(status) && status.number != 0)
		text_add_format(text, "exit status %.0f", status.number);
}

/* The reason, with the status before its full stop. */
static void add_reason(struct text *text, const char *reason, const char *status)
{
	size_t length = strlen(reason);
	bool stop = length > 0 && reason[length - 1] == '.';

	text_add_clean(text, reason, length - stop);
	if (*status)
		text_add_format(text, " (%s)", status);
	text_add(text, stop ? "." : "");
}

void words_exit(struct text *text, const struct facts *facts)
{
	const char *reason = facts_text(facts, "exit", "reason"), *meaning = NULL;
	CLEANUP(text_clear) struct text status = { 0 };

	add_status(&status, facts, &meaning);
	if (reason && *reason)
		add_reason(text, reason, text_string(&status));
	else if (status.length > 0)
		text_add_format(text, "%s%s%s%s",
				facts_find(facts, "exit", "signal") ? "ended by " : "",
				text_string(&status), meaning ? ": " : "", meaning ? meaning : "");
}

static uint64_t place_of(const struct fact *fact)
{
	uint64_t place;

	return parse_u64(fact->name, &place) < 0 ? UINT64_MAX : place;
}

static int by_place(const void *left, const void *right)
{
	const struct fact *a = left, *b = right;
	uint64_t x = place_of(a), y = place_of(b);

	return x < y ? -1 : x > y ? 1 : strcmp(a->name, b->name);
}

size_t words_section(const struct facts *facts, const char *section, struct fact **ret)
{
	struct fact *list = mem_new(facts->n_facts * sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < facts->n_facts; i++) {
		if (strcmp(facts->facts[i].section, section) == 0)
			list[count++] = facts->facts[i];
	}
	qsort(list, count, sizeof(*list), by_place);
	*ret = list;
	return count;
}

void words_clean(struct text *text, const char *bytes)
{
	if (bytes)
		text_add_clean(text, bytes, strlen(bytes));
}

void words_command(struct text *text, const struct facts *facts)
{
	CLEANUP(freep) struct fact *words = NULL;
	size_t count = words_section(facts, "command", &words);

	for (size_t i = 0; i < count; i++) {
		const char *word = words[i].text ? words[i].text : "";
		const char *quote = !*word || strpbrk(word, " \t\n*?$;&|<>()\"\\") ? "'" : "";

		text_add(text, i > 0 ? " " : "");
		text_add(text, quote);
		words_clean(text, word);
		text_add(text, quote);
	}
}

bool words_start(const struct facts *facts, time_t *ret)
{
	const char *started = facts_text(facts, "run", "started");
	struct tm parts = { 0 };

	if (!started || !strptime(started, "%Y-%m-%dT%H:%M:%S", &parts))
		return false;
	*ret = timegm(&parts);
	return true;
}

void words_started(struct text *text, const struct facts *facts)
{
	struct tm here;
	char local[64];
	time_t time;

	if (!words_start(facts, &time)) {
		words_clean(text, facts_text(facts, "run", "started"));
		return;
	}
	if (localtime_r(&time, &here) && strftime(local, sizeof(local), "%F %T", &here) > 0)
		text_add(text, local);
}

/* What takes two columns of a terminal (East Asian scripts, emoji), and what takes none (accents
 * that stand on the letter before): as terminals have it, which is Unicode's EastAsianWidth in
 * broad strokes. */
static const struct {
	unsigned first, last;
	size_t columns;
} widths[] = {
	{ 0x0300, 0x036f, 0 },   { 0x1100, 0x115f, 2 },   { 0x200b, 0x200f, 0 },
	{ 0x20d0, 0x20ff, 0 },   { 0x2e80, 0x303e, 2 },   { 0x3041, 0xa4cf, 2 },
	{ 0xac00, 0xd7a3, 2 },   { 0xf900, 0xfaff, 2 },   { 0xfe00, 0xfe0f, 0 },
	{ 0xfe30, 0xfe6f, 2 },   { 0xff00, 0xff60, 2 },   { 0xffe0, 0xffe6, 2 },
	{ 0x1f300, 0x1f64f, 2 }, { 0x1f680, 0x1f6ff, 2 }, { 0x1f900, 0x1f9ff, 2 },
	{ 0x20000, 0x3fffd, 2 },
};

static size_t columns_of(unsigned code)
{
	for (size_t i = 0; i < COUNT(widths) && code >= widths[i].first; i++) {
		if (code <= widths[i].last)
			return widths[i].columns;
	}
	return 1;
}

/* The bytes of the character at the start of a clean string, and its columns. */
static size_t character(const char *string, size_t *columns)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t bytes = utf8_length(string, strnlen(string, 4));
	unsigned code = (unsigned char)string[0];

	if (bytes == 0)
		bytes = 1;
	code &= masks[bytes];
	for (size_t i = 1; i < bytes; i++)
		code = code << 6 | ((unsigned char)string[i] & 0x3f);
	*columns = columns_of(code);
	return bytes;
}

size_t words_columns(const char *string)
{
	size_t columns = 0, more;

	for (; *string; columns += more)
		string += character(string, &more);
	return columns;
}

/* The bytes that fit. */
static size_t bytes_within(const char *string, size_t columns)
{
	size_t i = 0, bytes, more;

	for (; string[i]; i += bytes, columns -= more) {
		bytes = character(string + i, &more);
		if (more > columns)
			break;
	}
	return i;
}

static void add_columns(struct text *text, const char *string, size_t columns)
{
	text_add_bytes(text, string, bytes_within(string, columns));
}

void words_cut(struct text *text, const char *string, size_t columns, const struct look *look)
{
	const char *mark = look->unicode ? "\u2026" : "...";
	size_t room = columns > words_columns(mark) ? columns - words_columns(mark) : 0;

	if (words_columns(string) <= columns) {
		text_add(text, string);
		return;
	}
	add_columns(text, string, room);
	add_columns(text, mark, columns);
}

/* The bytes of `string` that go on a line of that many columns: up to the last blank that fits and
 * does not part a number from its unit, or as many as fit where a word is longer than the line. */
static size_t line_bytes(const char *string, size_t columns)
{
	size_t fits = bytes_within(string, columns), blank = 0, unused;

	if (!string[fits])
		return fits;
	if (fits == 0)
		return character(string, &unused); /* or nobody would ever get on */
	for (size_t i = 0; i <= fits; i++) {
		if (string[i] == ' ' && !(i > 0 && isdigit((unsigned char)string[i - 1])))
			blank = i;
	}
	return blank ? blank : fits;
}

/* Where a line of the sentence begins, and how many columns it has. */
static size_t line_room(int line, int indent, const struct look *look, int *blanks)
{
	*blanks = line > 0 ? indent + HANG : indent;
	return (size_t)(look->columns - *blanks - 1);
}

int words_wrap_tinted(const char *sentence, int indent, int lines, enum tint tint,
		      const struct look *look, FILE *out)
{
	int line = 0, blanks;

	for (; *sentence && line < lines; line++) {
		size_t room = line_room(line, indent, look, &blanks);
		CLEANUP(text_clear) struct text cut = { 0 };
		size_t bytes = line_bytes(sentence, room);

		if (line + 1 == lines) {
			words_cut(&cut, sentence, room, look);
			bytes = strlen(sentence);
		} else {
			text_add_bytes(&cut, sentence, bytes);
		}
		fprintf(out, "%*s%s%s%s\n", blanks, "", look_begin(look, tint), text_string(&cut),
			look_end(look, tint));
		sentence += bytes;
		sentence += strspn(sentence, " ");
	}
	return line;
}

int words_wrap(const char *sentence, int indent, int lines, const struct look *look, FILE *out)
{
	return words_wrap_tinted(sentence, indent, lines, TINT_PLAIN, look, out);
}

int words_lines(const char *sentence, int indent, const struct look *look)
{
	int line = 0, blanks;

	for (; *sentence; line++) {
		sentence += line_bytes(sentence, line_room(line, indent, look, &blanks));
		sentence += strspn(sentence, " ");
	}
	return line;
}
