#include "relay/matcher.h"

#include "base/mem.h"
#include "relay/splitter.h"

#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MOST 16384 /* of a longer line only its beginning is looked at */
#define NAME_MOST 200

struct matcher {
	regex_t *expressions;
	size_t count;
	size_t length;
	char line[LINE_MOST + 1];
};

static int compile(struct matcher *matcher, const char *expression, struct err *err)
{
	regex_t *into = &matcher->expressions[matcher->count];
	int code = regcomp(into, expression, REG_EXTENDED);
	char why[128];

	if (code == 0) {
		matcher->count++;
		return 0;
	}
	regerror(code, into, why, sizeof(why));
	err_say(err, -EINVAL, "'--mark-on=%s': %s", expression, why);
	err_hint(err, "it is an extended regular expression, as of 'grep -E'");
	return -EINVAL;
}

static void freep_matcher(struct matcher **matcher)
{
	matcher_free(*matcher);
}

int matcher_new(const char *const *expressions, size_t count, struct matcher **ret, struct err *err)
{
	CLEANUP(freep_matcher) struct matcher *matcher = mem_new(sizeof(*matcher));
	int r;

	matcher->expressions = mem_new(count * sizeof(*matcher->expressions));
	for (size_t i = 0; i < count; i++) {
		r = compile(matcher, expressions[i], err);
		if (r < 0)
			return r;
	}
	*ret = take(&matcher);
	return 0;
}

/* Leaves what a person sees, in place. */
static void strip(struct matcher *matcher)
{
	char *to = matcher->line, *from = matcher->line, *last;

	while (matcher->length > 0 && matcher->line[matcher->length - 1] == '\r')
		matcher->length--;
	matcher->line[matcher->length] = '\0';
	last = strrchr(matcher->line, '\r');
	for (from = last ? last + 1 : from; *from;) {
		size_t skip = escape_length(from);

		if (skip == 0)
			*to++ = *from++;
		from += skip;
	}
	*to = '\0';
}

/* A leading sign would open or close a phase inside of another: this is only a name. */
static void hand_over(const char *from, const char *end, void (*mark)(void *arg, const char *name),
		      void *arg)
{
	char name[NAME_MOST + 1];
	size_t length = 0;

	for (; from < end && length < NAME_MOST; from++) {
		bool prints = (unsigned char)*from >= 0x20 && *from != 0x7f;

		if (prints && (length > 0 || !strchr("+- ", *from)))
			name[length++] = *from;
	}
	while (length > 0 && name[length - 1] == ' ')
		length--;
	name[length] = '\0';
	if (length > 0)
		mark(arg, name);
}

static void end_line(struct matcher *matcher, void (*mark)(void *arg, const char *name), void *arg)
{
	regmatch_t found[2];

	strip(matcher);
	matcher->length = 0;
	for (size_t i = 0; i < matcher->count; i++) {
		const regmatch_t *part = found;

		if (regexec(&matcher->expressions[i], matcher->line, COUNT(found), found, 0) != 0)
			continue;
		if (matcher->expressions[i].re_nsub > 0 && found[1].rm_so >= 0)
			part = &found[1];
		hand_over(matcher->line + part->rm_so, matcher->line + part->rm_eo, mark, arg);
		return;
	}
}

static void append(struct matcher *matcher, const char *bytes, size_t count)
{
	size_t room = LINE_MOST - matcher->length;

	memcpy(matcher->line + matcher->length, bytes, count < room ? count : room);
	matcher->length += count < room ? count : room;
}

void matcher_feed(struct matcher *matcher, const char *bytes, size_t count,
		  void (*mark)(void *arg, const char *name), void *arg)
{
	const char *end = bytes + count, *newline;

	while ((newline = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		append(matcher, bytes, (size_t)(newline - bytes));
		end_line(matcher, mark, arg);
		bytes = newline + 1;
	}
	append(matcher, bytes, (size_t)(end - bytes));
}

void matcher_end(struct matcher *matcher, void (*mark)(void *arg, const char *name), void *arg)
{
	if (matcher->length > 0)
		end_line(matcher, mark, arg);
}

void matcher_free(struct matcher *matcher)
{
	for (size_t i = 0; matcher && i < matcher->count; i++)
		regfree(&matcher->expressions[i]);
	if (matcher)
		free(matcher->expressions);
	free(matcher);
}
