/* A rule of advice is one row: the facts that it needs, when it fires, what it then says, and the
 * long form of it for `sonde explain`.
 *
 * What makes a number good enough is decided once, in rules.c: a rule is only asked where all that
 * it needs is there, and only heard where it fires at both ends of the bracket of every estimate.
 */
#ifndef ADVISE_RULE_H
#define ADVISE_RULE_H

#include "base/text.h"
#include "model/facts.h"

#define RULE_NEEDS 9
#define RULE_SILENCES 16

/* What a rule is shown: the figures of what it needs, in that order. NAN: one that may be absent,
 * and is; or a text. */
struct rule_view {
	const struct facts *facts; /* for words and processes, not for figures */
	double numbers[RULE_NEEDS];
	/* The bracket. Of what is measured all three are the same; an end that nobody knows is
	 * infinite. fires() is called with `numbers` at all corners of it. */
	double lows[RULE_NEEDS], highs[RULE_NEEDS];
};

struct rule {
	const char *id;    /* a word for people: "one-core" */
	const char *title; /* a few words, for lists: "one core busy of many" */
	/* "totals.cpu_s"; "limits.a|limits.b" is the first of them that is there; a "?" at the end:
	 * it may be absent. */
	const char *needs[RULE_NEEDS + 1];
	bool whole; /* only of a run that went to its end: not killed, not failed */
	bool (*fires)(const struct rule_view *view);
	void (*say)(const struct rule_view *view, struct text *ret);      /* one sentence */
	void (*evidence)(const struct rule_view *view, struct text *ret); /* the figures, in words
									   */
	void (*next)(const struct rule_view *view, struct text *ret);     /* may add nothing */
	const char *silences[RULE_SILENCES + 1]; /* ids of rules that make no sense beside it */

	/* For `sonde explain`: a few plain sentences each, without line breaks. */
	const char *means;  /* what it means */
	const char *seen;   /* how it was seen: which figures, which thresholds */
	const char *remedy; /* what to try */
	const char *ignore; /* when to ignore it */
};

extern const struct rule *const rule_table[]; /* most important first; ends with NULL */

const struct rule *rule_find(const char *id); /* or NULL */

#endif
