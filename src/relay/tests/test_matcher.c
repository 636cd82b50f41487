#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "relay/matcher.h"

#include <errno.h>
#include <string.h>

static void freep_matcher(struct matcher **matcher)
{
	matcher_free(*matcher);
}

static void mark(void *arg, const char *name)
{
	text_add(arg, name);
	text_add(arg, ";");
}

static void finds_marks(void **state)
{
	static const struct {
		const char *expression, *in, *marks;
	} cases[] = {
		{ "Epoch [0-9]+", "x\nEpoch 1\nmore\n  Epoch 2 of 3\n", "Epoch 1;Epoch 2;" },
		{ "^phase: (.*)$", "phase: load\nno phase: x\nphase: fit\n", "load;fit;" },
		{ "a(b)?", "a\nab\n", "a;b;" },
		{ "^Epoch", "\033[1;32mEpoch\033[0m 1\n", "Epoch;" },
		{ "^step ([0-9]+)$", "step 1\rstep 2\rstep 3\n", "3;" },
		{ "^done$", "done\r\n", "done;" },
		{ "last", "last", "last;" },
		{ "x*", "abc\n", "" },
		{ "^(.*)$", "--- load ---\n", "load ---;" },
		{ "^(.*)$", "+nested\n", "nested;" },
		{ "^(.*)$", "a\tb\001c\n", "abc;" },
		{ "^(.*)$", " \b-\b+a+\n", "a+;" },
		{ "two|one", "one two\n", "one;" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t length = strlen(cases[i].in);

		for (size_t cut = 0; cut <= length; cut++) {
			CLEANUP(freep_matcher) struct matcher *matcher = NULL;
			CLEANUP(text_clear) struct text marks = { 0 };

			assert_int_equal(matcher_new(&cases[i].expression, 1, &matcher, NULL), 0);
			matcher_feed(matcher, cases[i].in, cut, mark, &marks);
			matcher_feed(matcher, cases[i].in + cut, length - cut, mark, &marks);
			matcher_end(matcher, mark, &marks);
			assert_string_equal(text_string(&marks), cases[i].marks);
		}
	}
}

static void the_first_expression_wins(void **state)
{
	const char *expressions[] = { "fit (.*)", "load|fit" };
	CLEANUP(freep_matcher) struct matcher *matcher = NULL;
	CLEANUP(text_clear) struct text marks = { 0 };

	(void)state;
	assert_int_equal(matcher_new(expressions, 2, &matcher, NULL), 0);
	matcher_feed(matcher, "load it\nfit it\n", 15, mark, &marks);
	assert_string_equal(text_string(&marks), "load;it;");
}

/* Of a line without end only the beginning is looked at, and the next one is whole again. */
static void long_lines_are_cut(void **state)
{
	const char *expression = "mark.*";
	CLEANUP(freep_matcher) struct matcher *matcher = NULL;
	CLEANUP(text_clear) struct text marks = { 0 };
	char block[1000];

	(void)state;
	memset(block, 'a', sizeof(block));
	assert_int_equal(matcher_new(&expression, 1, &matcher, NULL), 0);
	for (int i = 0; i < 1000; i++)
		matcher_feed(matcher, block, sizeof(block), mark, &marks);
	matcher_feed(matcher, "mark not seen\nmark\n", 19, mark, &marks);
	assert_string_equal(text_string(&marks), "mark;");
}

static void says_what_is_wrong(void **state)
{
	const char *expressions[] = { "fine", "(" };
	struct matcher *matcher = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(matcher_new(expressions, 2, &matcher, &err), -EINVAL);
	assert_null(matcher);
	assert_non_null(strstr(err.text, "'--mark-on=(': Unmatched ("));
	assert_string_not_equal(err.hint, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_marks),
		cmocka_unit_test(the_first_expression_wins),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
