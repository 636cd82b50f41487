#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"

#include <errno.h>
#include <string.h>

static void layers_add_what_they_tried(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, -EACCES, "'%s'", "/sys/x"), -EACCES);
	assert_int_equal(err_in(&err, "cannot read package %d", 0), -EACCES);
	assert_string_equal(err.text, "cannot read package 0: '/sys/x': Permission denied");
	assert_string_equal(err.hint, "");
	assert_int_equal(err_hint(&err, "ask %s", "root"), -EACCES);
	assert_string_equal(err.hint, "ask root");
}

static void a_new_error_forgets_the_old_hint(void **state)
{
	struct err err;

	(void)state;
	err_say(&err, -EINVAL, "first");
	err_hint(&err, "do this");
	assert_int_equal(err_say(&err, -ERANGE, "second"), -ERANGE);
	assert_int_equal(err.code, -ERANGE);
	assert_string_equal(err.text, "second");
	assert_string_equal(err.hint, "");
}

static void nobody_listens(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -ENOENT, "x"), -ENOENT);
	assert_int_equal(err_say(NULL, -ENOENT, "x"), -ENOENT);
	assert_true(err_in(NULL, "x") < 0);
	assert_true(err_hint(NULL, "x") < 0);
}

/* What is too long is cut; the reason of err_set() stays, and nothing is written behind the end. */
static void long_text_is_cut(void **state)
{
	struct {
		struct err err;
		char guard[8];
	} it = { .guard = "guard" };
	char name[2000];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	err_set(&it.err, -ENOENT, "'%s'", name);
	assert_non_null(strstr(it.err.text, ": No such file or directory"));
	err_in(&it.err, "%s", name);
	assert_int_equal(strlen(it.err.text), sizeof(it.err.text) - 1);
	err_hint(&it.err, "%s", name);
	assert_int_equal(strlen(it.err.hint), sizeof(it.err.hint) - 1);
	assert_string_equal(it.guard, "guard");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_add_what_they_tried),
		cmocka_unit_test(a_new_error_forgets_the_old_hint),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(long_text_is_cut),
	};

	return cmocka_run_group_tests_name("base/err", tests, NULL, NULL);
}
