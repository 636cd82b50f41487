#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "relay/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void freep_format(struct format **format)
{
	format_free(*format);
}

static void writes_fields(void **state)
{
	static const struct {
		const char *format, *text;
		size_t width;
		double cores, bytes, time_s;
	} cases[] = {
		{ FORMAT_DEFAULT, "[00:12:31 3.1c 5.2G] ", 21, 3.1, 5.2 * 1024 * 1024 * 1024, 751 },
		{ FORMAT_DEFAULT, "[00:00:00   -c    -] ", 21, NAN, NAN, 0.99 },
		{ "{cores}", "0.0", 3, 0, 0, 0 },
		{ "{cores}", "9.9", 3, 9.94, 0, 0 },
		{ "{cores}", " 10", 3, 9.95, 0, 0 },
		{ "{cores}", "128", 3, 128, 0, 0 },
		{ "{cores}", "  -", 3, -1, 0, 0 },
		{ "{memory}", "  0B", 4, 0, 0, 0 },
		{ "{memory}", "999B", 4, 0, 999, 0 },
		{ "{memory}", "1.0K", 4, 0, 1000, 0 },
		{ "{memory}", " 10K", 4, 0, 10240, 0 },
		{ "{memory}", "1.0M", 4, 0, 1023 * 1024, 0 },
		{ "{memory}", "512M", 4, 0, 512 * 1024 * 1024, 0 },
		{ "{read}", "1.5M", 4, 0, 1.5e6, 0 },
		{ "{read}", "1.0k", 4, 0, 1000, 0 },
		{ "{written}", "   -", 4, 0, NAN, 0 },
		{ "{time}", "99:59:59", 8, 0, 0, 359999 },
		{ "{time}", "100:00:00", 8, 0, 0, 360000 },
		{ "{time}", "       -", 8, 0, 0, NAN },
		{ "{stream}:", "err:", 4, 0, 0, 0 },
		{ "{{{cores}}", "{0.0}", 5, 0, 0, 0 },
		{ "{{time}", "{time}", 6, 0, 0, 0 },
		{ "", "", 0, 0, 0, 0 },
		{ "plain } ", "plain } ", 8, 0, 0, 0 },
		{ "\033[2m{cores}\033[0m \xc3\xa9", "\033[2m0.0\033[0m \xc3\xa9", 5, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(freep_format) struct format *format = NULL;
		CLEANUP(text_clear) struct text text = { 0 };
		struct now now;
		const struct moment moment = { cases[i].time_s, 0, &now, "err" };

		now_init(&now);
		now.cores = cases[i].cores;
		now.memory_bytes = now.read_bytes = now.write_bytes = cases[i].bytes;
		assert_int_equal(format_parse(cases[i].format, &format, NULL), 0);
		format_write(format, &moment, &text);
		assert_string_equal(text_string(&text), cases[i].text);
		assert_int_equal(format_width(format), cases[i].width);
	}
}

static void nobody_measures(void **state)
{
	CLEANUP(freep_format) struct format *format = NULL;
	CLEANUP(text_clear) struct text text = { 0 };
	const struct moment moment = { .time_s = 61 };

	(void)state;
	assert_int_equal(
	    format_parse("{time}{cores}{memory}{peak}{processes}{read}{written}{stream}", &format,
			 NULL),
	    0);
	format_write(format, &moment, &text);
	assert_string_equal(text_string(&text), "00:01:01  -   -   -  -   -   -  -");
}

static void says_what_is_wrong(void **state)
{
	static const struct {
		const char *format, *text, *hint;
	} cases[] = {
		{ "{tme} ", "'--stamp': '{tme}': no such field", "did you mean '{time}'?" },
		{ "{}", "'--stamp': '{}': no such field", "there are {time} {clock} {cores}" },
		{ "{elephant}", "'--stamp': '{elephant}': no such field", "there are {time}" },
		{ "[{time", "'--stamp': '{time': the closing brace is missing", "write '{{'" },
		{ "{", "'--stamp': '{': the closing brace is missing", "write '{{'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct format *format = NULL;
		struct err err = { 0 };

		assert_int_equal(format_parse(cases[i].format, &format, &err), -EINVAL);
		assert_null(format);
		assert_string_equal(err.text, cases[i].text);
		assert_non_null(strstr(err.hint, cases[i].hint));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_fields),
		cmocka_unit_test(nobody_measures),
		cmocka_unit_test(says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
