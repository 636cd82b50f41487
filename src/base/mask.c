/* A text is walked once, run by run, where a run is a name or a number: letters, digits, _ - and
 * dots. What follows a run tells what it is:
 *
 *	--db-password=hunter2			a name, =, its value: to the argument's end
 *	sh -c 'make TOKEN=abc; ls'		the same inside of a text: to the next blank or
 *quote
 *	--token abc				a name with dashes, a blank (or the next argument)
 *	{"apiKey": "abc"}			a name in quotes, a colon
 *	Authorization: Bearer abc		a header: to the end of its quotes
 *	https://me:hunter2@host/		a scheme
 *	ghp_0123456789abcdef0123		a key that shows whose it is
 *
 * A name is secret by one of its parts between - _ and dots: "db-password" and "PGPASSWORD" end in
 * a secret word, "tokenize" and "author" do not. What tells where a secret is, or how many
 * (--password-file, --token-limit), is none. */
#include "base/mask.h"

#include "base/mem.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct word {
	const char *text;
	size_t length;
};
#define WORD(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

/* A part of a name that ends in one of these is secret, "key" words also in two parts: api-key. */
static const struct word endings[] = {
	WORD("password"),    WORD("passwords"),  WORD("passwd"),    WORD("passphrase"),
	WORD("secret"),      WORD("secrets"),    WORD("token"),     WORD("apikey"),
	WORD("accesskey"),   WORD("privatekey"), WORD("secretkey"), WORD("credential"),
	WORD("credentials"),
};
/* And these, where they are a part by themselves. */
static const struct word parts[] = {
	WORD("auth"),
	WORD("oauth"),
	WORD("authorization"),
};
static const struct word key_parts[] = { WORD("api"), WORD("access"), WORD("private"),
					 WORD("secret"), WORD("auth") };
/* With one of these as its last part, a name tells about a secret and has none. */
static const struct word harmless_last[] = {
	WORD("file"),   WORD("files"),  WORD("path"),    WORD("dir"),    WORD("stdin"),
	WORD("type"),   WORD("limit"),  WORD("count"),   WORD("length"), WORD("size"),
	WORD("name"),   WORD("url"),    WORD("uri"),     WORD("mode"),   WORD("method"),
	WORD("ttl"),    WORD("expiry"), WORD("timeout"), WORD("prompt"), WORD("helper"),
	WORD("server"), WORD("host"),   WORD("sock"),    WORD("plugin"), WORD("provider"),
};
static const struct word harmless_first[] = { WORD("no"),     WORD("without"), WORD("skip"),
					      WORD("ask"),    WORD("prompt"),  WORD("disable"),
					      WORD("enable"), WORD("use"),     WORD("max"),
					      WORD("num"),    WORD("min") };
/* Headers have blanks in their values. */
static const struct word headers[] = { WORD("authorization"), WORD("proxy-authorization"),
				       WORD("cookie"), WORD("set-cookie") };

enum need { NEED_NOTHING, NEED_MIXED, NEED_UPPER, NEED_DOT };

/* Keys of services: the beginning, and how long the whole is at least. */
static const struct {
	struct word start;
	size_t least;
	enum need need;
} keys[] = {
	{ WORD("AKIA"), 20, NEED_UPPER },       { WORD("ASIA"), 20, NEED_UPPER },
	{ WORD("ghp_"), 24, NEED_NOTHING },     { WORD("gho_"), 24, NEED_NOTHING },
	{ WORD("ghu_"), 24, NEED_NOTHING },     { WORD("ghs_"), 24, NEED_NOTHING },
	{ WORD("ghr_"), 24, NEED_NOTHING },     { WORD("github_pat_"), 31, NEED_NOTHING },
	{ WORD("glpat-"), 20, NEED_NOTHING },   { WORD("sk-"), 20, NEED_MIXED },
	{ WORD("sk_live_"), 20, NEED_NOTHING }, { WORD("hf_"), 30, NEED_MIXED },
	{ WORD("npm_"), 36, NEED_MIXED },       { WORD("pypi-"), 40, NEED_MIXED },
	{ WORD("xoxb-"), 20, NEED_NOTHING },    { WORD("xoxp-"), 20, NEED_NOTHING },
	{ WORD("AIza"), 35, NEED_MIXED },       { WORD("eyJ"), 40, NEED_DOT },
};

#define MASK "***"

/* A name of more than this is none. */
#define NAME_MAX_LENGTH 128

static bool is_run(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool is_part_end(char c)
{
	return c == '-' || c == '_' || c == '.';
}

static bool word_is(struct word a, struct word b)
{
	return a.length == b.length && strncasecmp(a.text, b.text, a.length) == 0;
}

static bool word_in(struct word word, const struct word *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (word_is(word, list[i]))
			return true;
	}
	return false;
}

static bool word_ends(struct word word)
{
	for (size_t i = 0; i < COUNT(endings); i++) {
		struct word ending = endings[i];

		if (word.length >= ending.length &&
		    word_is((struct word){ word.text + word.length - ending.length, ending.length },
			    ending))
			return true;
	}
	return false;
}

/* The next part of a name; its length is 0 at the end. */
static struct word part_next(const char **cursor, const char *end)
{
	struct word part = { 0 };

	while (*cursor < end && is_part_end(**cursor))
		(*cursor)++;
	part.text = *cursor;
	while (*cursor < end && !is_part_end(**cursor))
		(*cursor)++;
	part.length = (size_t)(*cursor - part.text);
	return part;
}

static bool part_is_secret(struct word part, struct word before)
{
	static const struct word key = WORD("key"), pwd = WORD("pwd");

	/* MYSQL_PWD is a password, PWD a directory. */
	return word_ends(part) || word_in(part, parts, COUNT(parts)) ||
	       (word_is(part, pwd) && before.length > 0) ||
	       (word_is(part, key) && word_in(before, key_parts, COUNT(key_parts)));
}

static bool name_is_secret(struct word name)
{
	const char *cursor = name.text, *end = name.text + name.length;
	struct word before = { 0 }, part;
	bool secret = false;

	if (name.length > NAME_MAX_LENGTH)
		return false;
	while ((part = part_next(&cursor, end)).length) {
		if (!before.length && word_in(part, harmless_first, COUNT(harmless_first)))
			return false;
		secret = secret || part_is_secret(part, before);
		before = part;
	}
	return secret && !word_in(before, harmless_last, COUNT(harmless_last));
}

static bool key_has(struct word run, enum need need)
{
	bool digit = false, upper = false, lower = false, dot = false;

	for (size_t i = 0; i < run.length; i++) {
		digit = digit || isdigit((unsigned char)run.text[i]);
		upper = upper || isupper((unsigned char)run.text[i]);
		lower = lower || islower((unsigned char)run.text[i]);
		dot = dot || run.text[i] == '.';
	}
	switch (need) {
	case NEED_NOTHING:
		return true;
	case NEED_MIXED:
		return digit && upper;
	case NEED_UPPER:
		return !lower;
	case NEED_DOT:
		return dot;
	}
	return true;
}

static bool run_is_key(struct word run)
{
	for (size_t i = 0; i < COUNT(keys); i++) {
		if (run.length >= keys[i].least &&
		    memcmp(run.text, keys[i].start.text, keys[i].start.length) == 0 &&
		    key_has(run, keys[i].need))
			return true;
	}
	return false;
}

/* One argument, or one text, on its way. */
struct mask {
	const char *start, *at, *end;
	struct text *out;
};

static void copy_to(struct mask *mask, const char *to)
{
	text_add_bytes(mask->out, mask->at, (size_t)(to - mask->at));
	mask->at = to;
}

static void hide_to(struct mask *mask, const char *to)
{
	if (to > mask->at)
		text_add(mask->out, MASK);
	mask->at = to;
}

static const char *find_any(const struct mask *mask, const char *from, const char *stops)
{
	while (from < mask->end && (*from == '\0' || !strchr(stops, *from)))
		from++;
	return from;
}

static const char *skip_blanks(const struct mask *mask, const char *from)
{
	while (from < mask->end && (*from == ' ' || *from == '\t'))
		from++;
	return from;
}

static bool at_quote(const struct mask *mask, const char *at)
{
	return at < mask->end && (*at == '"' || *at == '\'');
}

/* A value in quotes ends with them, any other at whatever a shell or a URL would end it. */
static void hide_value(struct mask *mask, const char *stops)
{
	char quote[2] = "";

	if (at_quote(mask, mask->at)) {
		quote[0] = *mask->at;
		copy_to(mask, mask->at + 1);
		hide_to(mask, find_any(mask, mask->at, quote));
		return;
	}
	hide_to(mask, find_any(mask, mask->at, stops));
}

static void hide_assigned(struct mask *mask, struct word name)
{
	copy_to(mask, mask->at + 1);
	if (name.text == mask->start)
		hide_to(mask, mask->end);
	else
		hide_value(mask, " \t\n\"'&;|)},");
}

/* "token: abc" is a secret, "token: fix the parser" is a sentence. */
static void hide_after_colon(struct mask *mask, const char *value)
{
	const char *end = find_any(mask, value, " \t\n\"'},");

	copy_to(mask, value);
	if (at_quote(mask, value) || end == mask->end || *end != ' ')
		hide_value(mask, " \t\n\"'},");
}

static void hide_header(struct mask *mask)
{
	const char *value = skip_blanks(mask, mask->at + 1);

	copy_to(mask, at_quote(mask, value) ? value + 1 : value);
	hide_to(mask, find_any(mask, mask->at, "\"'\n"));
}

/* Behind "scheme:": //user:password@host */
static void mask_url(struct mask *mask)
{
	const char *from = mask->at + 3, *end = find_any(mask, from, "/?#\"' \t\n");
	const char *host = memrchr(from, '@', (size_t)(end - from));
	const char *colon = host ? memchr(from, ':', (size_t)(host - from)) : NULL;

	if (!colon) {
		copy_to(mask, from);
		return;
	}
	copy_to(mask, colon + 1);
	hide_to(mask, host);
	copy_to(mask, end);
}

/* Behind a secret name. */
static void mask_named(struct mask *mask, struct word name)
{
	const char *next = mask->at;
	bool quoted = at_quote(mask, next);

	next += quoted;
	if (next < mask->end && *next == ':') {
		const char *value = skip_blanks(mask, next + 1);

		if (value > next + 1 || quoted)
			hide_after_colon(mask, value);
	} else if (mask->at < mask->end && *mask->at == '=') {
		hide_assigned(mask, name);
	} else if (name.text[0] == '-' && mask->at < mask->end && *mask->at == ' ') {
		next = skip_blanks(mask, mask->at);
		copy_to(mask, next);
		if (next < mask->end && *next != '-')
			hide_value(mask, " \t\n\"'&;|)");
	}
}

static void mask_run(struct mask *mask)
{
	struct word run = { .text = mask->at };
	const char *end = mask->at;

	while (end < mask->end && is_run(*end))
		end++;
	run.length = (size_t)(end - run.text);
	if (run_is_key(run)) {
		hide_to(mask, end);
		return;
	}
	copy_to(mask, end);
	if (mask->end - end >= 3 && memcmp(end, "://", 3) == 0)
		mask_url(mask);
	else if (end < mask->end && *end == ':' && word_in(run, headers, COUNT(headers)))
		hide_header(mask);
	else if (name_is_secret(run))
		mask_named(mask, run);
}

static void mask_text(struct text *out, const char *bytes, size_t length)
{
	struct mask mask = { .start = bytes, .at = bytes, .end = bytes + length, .out = out };

	while (mask.at < mask.end) {
		if (is_run(*mask.at))
			mask_run(&mask);
		else
			copy_to(&mask, mask.at + 1);
	}
}

static char *text_take(struct text *text)
{
	return text->data ? take(&text->data) : mem_copy("");
}

char *mask_word(const char *word)
{
	CLEANUP(text_clear) struct text out = { 0 };

	mask_text(&out, word, strlen(word));
	return text_take(&out);
}

/* As a shell would take it, and no more than needed. */
static void add_argument(struct text *out, const struct text *argument, bool alone)
{
	const char *string = text_string(argument);

	if (alone || (*string && !strpbrk(string, " \t\n'\"\\"))) {
		text_add(out, string);
		return;
	}
	text_add(out, "'");
	for (const char *c = string; *c; c++) {
		if (*c == '\'')
			text_add(out, "'\\''");
		else
			text_add_bytes(out, c, 1);
	}
	text_add(out, "'");
}

/* Does the next argument belong to this one, as the value of a secret option? */
static bool takes_next(struct word argument)
{
	for (size_t i = 0; i < argument.length; i++) {
		if (!is_run(argument.text[i]))
			return false;
	}
	return argument.length > 2 && argument.text[0] == '-' && name_is_secret(argument);
}

/* "--verbose", "-v" and "-" are no values; a secret may begin with a dash all the same. */
static bool is_option(struct word argument)
{
	return argument.length > 0 && argument.text[0] == '-' &&
	       (argument.length <= 2 || argument.text[1] == '-');
}

static void mask_argument(struct text *out, struct word argument, bool secret, bool alone)
{
	CLEANUP(text_clear) struct text masked = { 0 };

	if (secret && argument.length > 0 && !is_option(argument))
		text_add(&masked, MASK);
	else
		mask_text(&masked, argument.text, argument.length);
	add_argument(out, &masked, alone);
}

char *mask_after(const char *before, const char *argument)
{
	struct word name = { before, before ? strlen(before) : 0 };
	struct word value = { argument, strlen(argument) };

	if (before && takes_next(name) && value.length > 0 && !is_option(value))
		return mem_copy(MASK);
	return mask_word(argument);
}

char *mask_arguments(const char *joined_by_nul, size_t length)
{
	CLEANUP(text_clear) struct text out = { 0 };
	const char *at = joined_by_nul, *end = joined_by_nul + length;
	bool secret = false;

	/* A program that writes its own title leaves NULs behind it. */
	while (end > at && end[-1] == '\0')
		end--;
	while (at < end) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));
		struct word argument = { at, (size_t)((stop ? stop : end) - at) };

		if (at > joined_by_nul)
			text_add(&out, " ");
		mask_argument(&out, argument, secret, at == joined_by_nul && !stop);
		secret = takes_next(argument);
		at += argument.length + 1;
	}
	return text_take(&out);
}
