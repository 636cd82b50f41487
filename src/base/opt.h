/* Options by table: one row feeds parser, --help, manual and completion. */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum opt_kind {
	OPT_BOOL,     /* bool: --quiet, --no-quiet */
	OPT_TEXT,     /* const char * */
	OPT_LIST,     /* struct opt_list: may be given many times */
	OPT_NUMBER,   /* uint64_t */
	OPT_DURATION, /* uint64_t, in ns: parse_duration */
	OPT_BYTES,    /* uint64_t: parse_bytes */
	OPT_SHARE,    /* double, 0.01: parse_percent */
};

struct opt_list {
	const char **items;
	size_t count, room;
};

struct opt {
	const char *name; /* long, without its dashes */
	char key;         /* short; 0: none */
	enum opt_kind kind;
	size_t into;          /* offsetof in the command's struct */
	const char *fallback; /* as the user would write it; NULL: zero */
	const char *value;    /* what stands for the value in --help: "FILE", "TIME" */
	const char *bare;     /* meant by "--name" alone; then a value can only stand behind "=".
				 NULL: a value must follow */
	const char *help;     /* one line */
};

/* Fills `into` with fallbacks, then with argv[1..]. Ends at "--" or, with stop_at_operand, at the
 * first word that is no option (a command to run has options of its own). Operands are moved to the
 * end of argv, in order; *ret is the index of the first. -EINVAL with a sentence and the nearest
 * known option as hint; OPT_HELP where --help or -h stood there and the table has no such row.
 * Values are borrowed from argv. opt_clear() ends it, after a failure too. */
enum { OPT_HELP = 1 };
int opt_parse(const struct opt *opts, void *into, bool stop_at_operand, int argc, char **argv,
	      int *ret, struct err *err);
void opt_clear(const struct opt *opts, void *into); /* frees lists */
void opt_print(const struct opt *opts,
	       FILE *out); /* the options part of --help; opts may be NULL */

const struct opt *opt_find(const struct opt *opts, const char *name, size_t length); /* or NULL */
const struct opt *opt_find_key(const struct opt *opts, char key);

/* The nearest of `names` (ends with NULL) to a mistyped word, or NULL where none is near. */
const char *nearest(const char *word, const char *const *names);

#endif
