/* What a user may type, and what it means:
 *	--interval=2s   --interval 2s   -i2s   -i 2s    a value, four ways
 *	--quiet   -q   --quiet=yes   --no-quiet         a bool
 *	-vq   -vqi2s                                    short ones together, a value ends them
 *	--                                              ends the options
 * A beginning ("--inter") is refused with a hint: a script that relies on it would break with the
 * next option we add. */
#include "base/opt.h"

#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 26
#define HELP_WIDTH 80

static int store_bool(const char *text, void *into)
{
	return parse_bool(text, into);
}

static int store_text(const char *text, void *into)
{
	*(const char **)into = text;
	return 0;
}

static int store_list(const char *text, void *into)
{
	struct opt_list *list = into;

	list->items = mem_grow(list->items, list->count, &list->room, sizeof(*list->items));
	list->items[list->count++] = text;
	return 0;
}

static int store_number(const char *text, void *into)
{
	return parse_u64(text, into);
}

static int store_duration(const char *text, void *into)
{
	return parse_duration(text, into);
}

static int store_bytes(const char *text, void *into)
{
	return parse_bytes(text, into);
}

static int store_share(const char *text, void *into)
{
	return parse_percent(text, into);
}

static const struct {
	int (*store)(const char *text, void *into);
	size_t bytes;
	const char *wrong, *hint;
} kinds[] = {
	[OPT_BOOL] = { store_bool, sizeof(bool), "neither yes nor no", "write yes or no" },
	[OPT_TEXT] = { store_text, sizeof(char *), "", "" },
	[OPT_LIST] = { store_list, sizeof(struct opt_list), "", "" },
	[OPT_NUMBER] = { store_number, sizeof(uint64_t), "not a whole number", "write 1, 2 or 10" },
	[OPT_DURATION] = { store_duration, sizeof(uint64_t), "not a duration",
			   "write 100ms, 2s or 1m" },
	[OPT_BYTES] = { store_bytes, sizeof(uint64_t), "not a size", "write 512K, 6G or 2GB" },
	[OPT_SHARE] = { store_share, sizeof(double), "not a share", "write 1% or 0.01" },
};

struct parser {
	const struct opt *opts;
	char *into;
	int argc, next; /* argv[next] is the word to look at */
	char **argv;
};

const struct opt *opt_find(const struct opt *opts, const char *name, size_t length)
{
	for (; opts && opts->name; opts++) {
		if (strncmp(opts->name, name, length) == 0 && !opts->name[length])
			return opts;
	}
	return NULL;
}

const struct opt *opt_find_key(const struct opt *opts, char key)
{
	for (; opts && opts->name; opts++) {
		if (opts->key && opts->key == key)
			return opts;
	}
	return NULL;
}

static int store(const struct opt *opt, char *into, const char *text, struct err *err)
{
	int r = kinds[opt->kind].store(text, into + opt->into);

	if (r == 0)
		return 0;
	err_say(err, -EINVAL, "'--%s=%s': %s", opt->name, text,
		r == -ERANGE ? "out of range" : kinds[opt->kind].wrong);
	err_hint(err, "%s", kinds[opt->kind].hint);
	return -EINVAL;
}

static void store_fallbacks(const struct opt *opts, char *into)
{
	for (; opts && opts->name; opts++) {
		memset(into + opts->into, 0, kinds[opts->kind].bytes);
		if (opts->fallback && store(opts, into, opts->fallback, NULL) < 0)
			assert(!"a fallback that its own kind refuses");
	}
}

static const char *nearest_name(const struct opt *opts, const char *word, bool only_bools)
{
	CLEANUP(freep) const char **names = NULL;
	size_t count = 0, room = 0;

	for (; opts && opts->name; opts++) {
		if (only_bools && opts->kind != OPT_BOOL)
			continue;
		names = mem_grow(names, count, &room, sizeof(*names));
		names[count++] = opts->name;
	}
	names = mem_grow(names, count, &room, sizeof(*names));
	names[count] = NULL;
	return nearest(word, names);
}

static int unknown_name(const struct opt *opts, const char *name, size_t length, struct err *err)
{
	CLEANUP(text_clear) struct text word = { 0 };
	const char *near = NULL;

	text_add_bytes(&word, name, length);
	err_say(err, -EINVAL, "'--%s': no such option", word.data);
	if (strncmp(word.data, "no-", 3) == 0)
		near = nearest_name(opts, word.data + 3, true);
	if (near) {
		err_hint(err, "did you mean '--no-%s'?", near);
		return -EINVAL;
	}
	near = nearest_name(opts, word.data, false);
	if (near)
		err_hint(err, "did you mean '--%s'?", near);
	return -EINVAL;
}

/* The value of an option: behind its "=" or key where something stands there, else the next word.
 */
static int take_value(struct parser *parser, const struct opt *opt, const char *attached,
		      struct err *err)
{
	if (attached || opt->bare)
		return store(opt, parser->into, attached ? attached : opt->bare, err);
	if (parser->next < parser->argc)
		return store(opt, parser->into, parser->argv[parser->next++], err);
	err_say(err, -EINVAL, "'--%s': its value is missing", opt->name);
	err_hint(err, "write --%s=%s", opt->name, opt->value ? opt->value : "VALUE");
	return -EINVAL;
}

static int take_no(struct parser *parser, const struct opt *opt, const char *equals,
		   struct err *err)
{
	if (equals)
		return err_say(err, -EINVAL, "'--no-%s%s': takes no value", opt->name, equals);
	return store(opt, parser->into, "no", err);
}

static int take_name(struct parser *parser, const char *name, struct err *err)
{
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct opt *opt = opt_find(parser->opts, name, length);

	if (opt && opt->kind == OPT_BOOL)
		return store(opt, parser->into, equals ? equals + 1 : "yes", err);
	if (opt)
		return take_value(parser, opt, equals ? equals + 1 : NULL, err);
	if (length > 3 && strncmp(name, "no-", 3) == 0) {
		opt = opt_find(parser->opts, name + 3, length - 3);
		if (opt && opt->kind == OPT_BOOL)
			return take_no(parser, opt, equals, err);
	}
	if (strcmp(name, "help") == 0)
		return OPT_HELP;
	return unknown_name(parser->opts, name, length, err);
}

static int take_keys(struct parser *parser, const char *keys, struct err *err)
{
	for (; *keys; keys++) {
		const struct opt *opt = opt_find_key(parser->opts, *keys);
		int r;

		if (!opt && *keys == 'h')
			return OPT_HELP;
		if (!opt)
			return err_say(err, -EINVAL, "'-%c': no such option", *keys);
		if (opt->kind != OPT_BOOL)
			return take_value(parser, opt, keys[1] ? keys + 1 : NULL, err);
		r = store(opt, parser->into, "yes", err);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

int opt_parse(const struct opt *opts, void *into, bool stop_at_operand, int argc, char **argv,
	      int *ret, struct err *err)
{
	struct parser parser = { opts, into, argc, 1, argv };
	CLEANUP(freep) char **operands = mem_new((size_t)argc * sizeof(*operands));
	int n_operands = 0, n_options = 1, r = 0;

	store_fallbacks(opts, into);
	while (parser.next < argc && (is_option(argv[parser.next]) || !stop_at_operand)) {
		int first = parser.next++;
		const char *word = argv[first];

		if (!is_option(word)) {
			operands[n_operands++] = argv[first];
			continue;
		}
		if (strcmp(word, "--") != 0)
			r = word[1] == '-' ? take_name(&parser, word + 2, err)
					   : take_keys(&parser, word + 1, err);
		if (r != 0)
			return r;
		while (first < parser.next) /* options move to the front */
			argv[n_options++] = argv[first++];
		if (strcmp(word, "--") == 0)
			break;
	}
	memcpy(argv + n_options, operands, (size_t)n_operands * sizeof(*operands));
	*ret = n_options;
	return 0;
}

void opt_clear(const struct opt *opts, void *into)
{
	for (; opts && opts->name; opts++) {
		struct opt_list *list = (void *)((char *)into + opts->into);

		if (opts->kind != OPT_LIST)
			continue;
		free(list->items);
		*list = (struct opt_list){ 0 };
	}
}

static void add_left(struct text *left, const struct opt *opt)
{
	if (opt->key)
		text_add_format(left, "  -%c, ", opt->key);
	else
		text_add(left, "      ");
	if (opt->kind != OPT_BOOL)
		text_add_format(left, opt->bare ? "--%s[=%s]" : "--%s=%s", opt->name,
				opt->value ? opt->value : "VALUE");
	else
		text_add_format(left, "--%s%s", opt->fallback ? "[no-]" : "", opt->name);
}

/* Words in lines of HELP_WIDTH, each line at HELP_COLUMN; the cursor stands at `column`. */
static void print_words(const char *words, int column, FILE *out)
{
	while (*words) {
		int length = (int)strcspn(words, " ");

		if (column + 1 + length > HELP_WIDTH && column > HELP_COLUMN) {
			fputc('\n', out);
			column = 0;
		}
		if (column < HELP_COLUMN)
			column += fprintf(out, "%*s", HELP_COLUMN - column, "");
		column += fprintf(out, " %.*s", length, words);
		words += length;
		words += strspn(words, " ");
	}
	fputc('\n', out);
}

static void print_row(const struct opt *opt, FILE *out)
{
	CLEANUP(text_clear) struct text left = { 0 };
	CLEANUP(text_clear) struct text right = { 0 };
	int column;

	add_left(&left, opt);
	text_add(&right, opt->help);
	if (opt->fallback)
		text_add_format(&right, " [%s]", opt->fallback);
	column = fprintf(out, "%s", left.data);
	if (column > HELP_COLUMN) {
		fputc('\n', out);
		column = 0;
	}
	print_words(right.data, column, out);
}

void opt_print(const struct opt *opts, FILE *out)
{
	static const struct opt help = { .name = "help", .key = 'h', .help = "show this page" };

	for (const struct opt *opt = opts; opt && opt->name; opt++)
		print_row(opt, out);
	if (!opt_find(opts, "help", 4))
		print_row(&help, out);
}

#define LONGEST_WORD 40

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to add, to drop, to change, or neighbours to swap, until one word is the other. */
static size_t edits(const char *a, const char *b)
{
	size_t cost[LONGEST_WORD + 1][LONGEST_WORD + 1];
	size_t rows = strlen(a), columns = strlen(b);

	if (rows > LONGEST_WORD || columns > LONGEST_WORD)
		return SIZE_MAX;
	for (size_t i = 0; i <= rows; i++) {
		for (size_t j = 0; j <= columns; j++) {
			if (i == 0 || j == 0) {
				cost[i][j] = i + j;
				continue;
			}
			cost[i][j] = least(least(cost[i - 1][j], cost[i][j - 1]) + 1,
					   cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
		}
	}
	return cost[rows][columns];
}

/* A beginning of the name is as near as one typing mistake. */
static size_t distance(const char *word, const char *name)
{
	size_t length = strlen(word);

	return length > 1 && strncmp(word, name, length) == 0 ? 1 : edits(word, name);
}

const char *nearest(const char *word, const char *const *names)
{
	size_t best = 2 + strlen(word) / 5; /* one mistake, and one more for each five letters */
	const char *found = NULL;

	for (; *names; names++) {
		size_t away = distance(word, *names);

		if (away < best) {
			best = away;
			found = *names;
		}
	}
	return found;
}
