#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "relay/live.h"

#include <math.h>
#include <string.h>

#define GIB (1024.0 * 1024 * 1024)

static void full(struct now *now)
{
	now_init(now);
	now->cores = 3.1;
	now->limit_cores = 16;
	now->memory_bytes = 5.2 * GIB;
	now->limit_memory_bytes = 64 * GIB;
	now->read_rate = 120e6;
	now->write_rate = 0;
}

static void says_what_is_known(void **state)
{
	CLEANUP(text_clear) struct text text = { 0 };
	struct now now;

	(void)state;
	full(&now);
	live_write(&now, 751, 79, &text);
	assert_string_equal(
	    text.data, "12:31   3.1 of 16 cores   5.2 GiB of 64 GiB   read 120 MB/s   write 0 B/s");
}

static void leaves_out_what_nobody_knows(void **state)
{
	CLEANUP(text_clear) struct text text = { 0 };
	struct now now;

	(void)state;
	now_init(&now);
	live_write(&now, 3661, 79, &text);
	assert_string_equal(text.data, "1:01:01");
	text.length = 0;
	now.cores = 0.5;
	now.limit_s = 7200;
	live_write(&now, 3661, 79, &text);
	assert_string_equal(text.data, "1:01:01 of 2:00:00   0.5 cores");
}

static void fits(void **state)
{
	struct now now;

	(void)state;
	full(&now);
	for (size_t columns = 0; columns < 100; columns++) {
		CLEANUP(text_clear) struct text text = { 0 };

		live_write(&now, 751, columns, &text);
		assert_true(strlen(text_string(&text)) <= columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_is_known),
		cmocka_unit_test(leaves_out_what_nobody_knows),
		cmocka_unit_test(fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
