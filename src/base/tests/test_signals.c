#include "base/signals.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names(void **state)
{
	(void)state;
	assert_string_equal(signal_name(SIGTERM), "SIGTERM");
	assert_string_equal(signal_name(SIGSYS), "SIGSYS");
	assert_string_equal(signal_name(SIGHUP), "SIGHUP");
	assert_null(signal_name(0));
	assert_null(signal_name(-1));
	assert_null(signal_name(SIGRTMIN));
	assert_null(signal_name(INT_MAX));
	assert_null(signal_name(INT_MIN));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
