#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/opt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct options {
	bool quiet, record;
	const char *name;
	struct opt_list tags;
	uint64_t runs, interval_ns, limit_bytes;
	double budget;
};

static const struct opt opts[] = {
	{ .name = "quiet",
	  .key = 'q',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct options, quiet),
	  .help = "say nothing" },
	{ .name = "record",
	  .key = 'r',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct options, record),
	  .fallback = "yes",
	  .help = "keep a recording" },
	{ .name = "name",
	  .key = 'n',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct options, name),
	  .value = "NAME",
	  .help = "call it so" },
	{ .name = "tag",
	  .key = 't',
	  .kind = OPT_LIST,
	  .into = offsetof(struct options, tags),
	  .value = "KEY=VALUE",
	  .help = "may be given many times" },
	{ .name = "runs",
	  .kind = OPT_NUMBER,
	  .into = offsetof(struct options, runs),
	  .fallback = "3",
	  .value = "N",
	  .help = "how often" },
	{ .name = "interval",
	  .key = 'i',
	  .kind = OPT_DURATION,
	  .into = offsetof(struct options, interval_ns),
	  .fallback = "100ms",
	  .value = "TIME",
	  .help =
	      "the time between two samples, which is a rather long explanation of what it is" },
	{ .name = "limit",
	  .kind = OPT_BYTES,
	  .into = offsetof(struct options, limit_bytes),
	  .value = "SIZE",
	  .bare = "1K",
	  .help = "at most this much" },
	{ .name = "budget",
	  .kind = OPT_SHARE,
	  .into = offsetof(struct options, budget),
	  .fallback = "1%",
	  .value = "SHARE",
	  .help = "of one core" },
	{ 0 }
};

static const struct options unset = {
	.record = true, .runs = 3, .interval_ns = 100000000, .budget = 0.01
};

#define MANY 12

struct line {
	const char *words[MANY]; /* behind the command's name */
};

static int parse(const struct line *line, bool stop, struct options *into, char **argv, int *first,
		 struct err *err)
{
	int argc = 1;

	argv[0] = (char *)"run";
	for (; line->words[argc - 1]; argc++)
		argv[argc] = (char *)line->words[argc - 1];
	argv[argc] = NULL;
	memset(into, 0xaa, sizeof(*into)); /* opt_parse fills all that has a row */
	return opt_parse(opts, into, stop, argc, argv, first, err);
}

static void assert_same(const struct options *a, const struct options *b)
{
	assert_int_equal(a->quiet, b->quiet);
	assert_int_equal(a->record, b->record);
	assert_int_equal(a->name != NULL, b->name != NULL);
	if (a->name)
		assert_string_equal(a->name, b->name);
	assert_int_equal(a->runs, b->runs);
	assert_int_equal(a->interval_ns, b->interval_ns);
	assert_int_equal(a->limit_bytes, b->limit_bytes);
	assert_true(a->budget == b->budget);
}

/* What differs from the fallbacks, behind the interval. */
#define AT(ns, ...)                                                                                \
	(struct options)                                                                           \
	{                                                                                          \
		.record = true, .runs = 3, .budget = 0.01, .interval_ns = (ns), __VA_ARGS__        \
	}
#define WITH(...) AT(100000000, __VA_ARGS__)

static void understands(void **state)
{
	const struct {
		struct line line;
		struct options expected;
		const char *operands; /* with blanks between */
	} cases[] = {
		{ { { NULL } }, unset, "" },
		{ { { "a", "b" } }, unset, "a b" },
		{ { { "-" } }, unset, "-" },
		{ { { "--quiet" } }, WITH(.quiet = true), "" },
		{ { { "a", "-q", "b" } }, WITH(.quiet = true), "a b" },
		{ { { "--quiet", "--no-quiet" } }, unset, "" },
		{ { { "--quiet=yes", "--record=off" } },
		  { .quiet = true, .runs = 3, .interval_ns = 100000000, .budget = 0.01 },
		  "" },
		{ { { "--limit", "x" } }, WITH(.limit_bytes = 1024), "x" },
		{ { { "--limit=2K", "x" } }, WITH(.limit_bytes = 2048), "x" },
		{ { { "--interval=2s" } }, AT(2000000000, .quiet = false), "" },
		{ { { "--interval", "2s", "x" } }, AT(2000000000, .quiet = false), "x" },
		{ { { "x", "-i2s", "y" } }, AT(2000000000, .quiet = false), "x y" },
		{ { { "-i", "2s" } }, AT(2000000000, .quiet = false), "" },
		{ { { "-qi2s" } }, AT(2000000000, .quiet = true), "" },
		{ { { "-qi", "2s", "x" } }, AT(2000000000, .quiet = true), "x" },
		{ { { "-i1s", "-i2s" } }, AT(2000000000, .quiet = false), "" },
		{ { { "--name=" } }, WITH(.name = ""), "" },
		{ { { "--name=a=b" } }, WITH(.name = "a=b"), "" },
		{ { { "--name", "--quiet" } }, WITH(.name = "--quiet"), "" },
		{ { { "--runs=10", "--limit=6G", "--budget", "0.5%" } },
		  { .record = true,
		    .runs = 10,
		    .interval_ns = 100000000,
		    .limit_bytes = 6442450944,
		    .budget = 0.005 },
		  "" },
		{ { { "a", "--", "-q", "--", "b" } }, unset, "a -q -- b" },
		{ { { "-q", "--" } }, WITH(.quiet = true), "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *argv[MANY + 2], operands[64] = "";
		struct options got;
		struct err err = { 0 };
		int first = 0;

		assert_int_equal(parse(&cases[i].line, false, &got, argv, &first, &err), 0);
		assert_same(&got, &cases[i].expected);
		for (char **word = argv + first; *word; word++) {
			strcat(operands, *operands ? " " : "");
			strcat(operands, *word);
		}
		assert_string_equal(operands, cases[i].operands);
		opt_clear(opts, &got);
	}
}

static void refuses(void **state)
{
	static const struct {
		struct line line;
		const char *text, *hint;
	} cases[] = {
		{ { { "--interval=5x" } },
		  "'--interval=5x': not a duration",
		  "write 100ms, 2s or 1m" },
		{ { { "-i", "" } }, "'--interval=': not a duration", "write 100ms, 2s or 1m" },
		{ { { "--interval=99999999999h" } },
		  "'--interval=99999999999h': out of range",
		  "write 100ms, 2s or 1m" },
		{ { { "--interval" } },
		  "'--interval': its value is missing",
		  "write --interval=TIME" },
		{ { { "-qi" } }, "'--interval': its value is missing", "write --interval=TIME" },
		{ { { "--runs=-1" } }, "'--runs=-1': not a whole number", "write 1, 2 or 10" },
		{ { { "--limit=6X" } }, "'--limit=6X': not a size", "write 512K, 6G or 2GB" },
		{ { { "--budget=lots" } }, "'--budget=lots': not a share", "write 1% or 0.01" },
		{ { { "--quiet=maybe" } },
		  "'--quiet=maybe': neither yes nor no",
		  "write yes or no" },
		{ { { "--no-quiet=yes" } }, "'--no-quiet=yes': takes no value", "" },
		{ { { "--inter=5s" } }, "'--inter': no such option", "did you mean '--interval'?" },
		{ { { "--qiuet" } }, "'--qiuet': no such option", "did you mean '--quiet'?" },
		{ { { "--no-qiuet" } },
		  "'--no-qiuet': no such option",
		  "did you mean '--no-quiet'?" },
		{ { { "--no-interval" } },
		  "'--no-interval': no such option",
		  "did you mean '--interval'?" },
		{ { { "--elephant" } }, "'--elephant': no such option", "" },
		{ { { "--=x" } }, "'--': no such option", "" },
		{ { { "-qz" } }, "'-z': no such option", "" },
		{ { { "--help=all" } }, "'--help': no such option", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *argv[MANY + 2];
		struct options got;
		struct err err = { 0 };
		int first = 4711;

		assert_int_equal(parse(&cases[i].line, false, &got, argv, &first, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].text);
		assert_string_equal(err.hint, cases[i].hint);
		assert_int_equal(first, 4711);
		opt_clear(opts, &got);
	}
}

static void a_command_to_run_has_options_of_its_own(void **state)
{
	static const struct {
		struct line line;
		int first;
		bool quiet;
	} cases[] = {
		{ { { "-q", "ls", "-q", "--help" } }, 2, true },
		{ { { "ls", "-q" } }, 1, false },
		{ { { "-q", "--", "-weird", "--" } }, 3, true },
		{ { { "-n", "x", "ls" } }, 3, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *argv[MANY + 2];
		struct options got;
		int first;

		assert_int_equal(parse(&cases[i].line, true, &got, argv, &first, NULL), 0);
		assert_int_equal(first, cases[i].first);
		assert_int_equal(got.quiet, cases[i].quiet);
		for (int j = 1; argv[j]; j++)
			assert_ptr_equal(argv[j], cases[i].line.words[j - 1]);
		opt_clear(opts, &got);
	}
}

static void lists_keep_their_order(void **state)
{
	static const struct line line = { { "-ta=1", "x", "--tag", "b=2", "--tag=c" } };
	static const char *const expected[] = { "a=1", "b=2", "c" };
	char *argv[MANY + 2];
	struct options got;
	int first;

	(void)state;
	assert_int_equal(parse(&line, false, &got, argv, &first, NULL), 0);
	assert_int_equal(got.tags.count, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_string_equal(got.tags.items[i], expected[i]);
	opt_clear(opts, &got);
	assert_int_equal(got.tags.count, 0);
	opt_clear(opts, &got);
}

static void help_is_asked_for(void **state)
{
	static const struct line lines[] = { { { "--help" } }, { { "-h" } }, { { "x", "-qh" } } };
	char *argv[MANY + 2];
	struct options got;
	int first;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		assert_int_equal(parse(&lines[i], false, &got, argv, &first, NULL), OPT_HELP);
		opt_clear(opts, &got);
	}
	assert_int_equal(opt_parse(NULL, NULL, false, 2, (char *[]){ argv[0], (char *)"-h", NULL },
				   &first, NULL),
			 OPT_HELP);
}

static void help_fits_a_terminal(void **state)
{
	static const char expected[] =
	    "  -q, --quiet              say nothing\n"
	    "  -r, --[no-]record        keep a recording [yes]\n"
	    "  -n, --name=NAME          call it so\n"
	    "  -t, --tag=KEY=VALUE      may be given many times\n"
	    "      --runs=N             how often [3]\n"
	    "  -i, --interval=TIME      the time between two samples, which is a rather long\n"
	    "                           explanation of what it is [100ms]\n"
	    "      --limit[=SIZE]       at most this much\n"
	    "      --budget=SHARE       of one core [1%]\n"
	    "  -h, --help               show this page\n";
	CLEANUP(freep) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	opt_print(opts, out);
	fclose(out);
	assert_string_equal(text, expected);
}

static void nearest_word(void **state)
{
	static const char *const names[] = { "run", "show", "history", "export", NULL };
	static const struct {
		const char *word, *found;
	} cases[] = {
		{ "rnu", "run" },
		{ "rn", "run" },
		{ "runn", "run" },
		{ "shwo", "show" },
		{ "hist", "history" },
		{ "hsitroy", "history" },
		{ "exprot", "export" },
		{ "ls", NULL },
		{ "python", NULL },
		{ "", NULL },
		{ "r", NULL },
		{ "a-word-that-is-longer-than-any-name-that-we-could-have", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *found = nearest(cases[i].word, names);

		assert_int_equal(found != NULL, cases[i].found != NULL);
		if (found)
			assert_string_equal(found, cases[i].found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(understands),
		cmocka_unit_test(refuses),
		cmocka_unit_test(a_command_to_run_has_options_of_its_own),
		cmocka_unit_test(lists_keep_their_order),
		cmocka_unit_test(help_is_asked_for),
		cmocka_unit_test(help_fits_a_terminal),
		cmocka_unit_test(nearest_word),
	};

	return cmocka_run_group_tests_name("base/opt", tests, NULL, NULL);
}
