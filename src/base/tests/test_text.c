#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

#include <string.h>

/* Foreign bytes, what a terminal may see of them, and how JSON has them. */
static const struct {
	const char *bytes, *clean, *json;
} cases[] = {
	{ "", "", "\"\"" },
	{ "plain", "plain", "\"plain\"" },
	{ "a\"b\\c", "a\"b\\c", "\"a\\\"b\\\\c\"" },
	{ "a\nb\tc", "a\\nb\\tc", "\"a\\u000ab\\u0009c\"" },
	{ "\x1b[31mred\x07", "\\x1b[31mred\\x07", "\"\\u001b[31mred\\u0007\"" },
	{ "\x7f", "\\x7f", "\"\\u007f\"" },
	{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"" },
	{ "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80",
	  "\"\xe2\x82\xac \xf0\x9f\x98\x80\"" },
	/* C1 controls: U+009B is "escape [" for some terminals. U+00A0 is a blank. */
	{ "\xc2\x9b"
	  "31m",
	  "\\xc2\\x9b31m", "\"\\u009b31m\"" },
	{ "\xc2\xa0", "\xc2\xa0", "\"\xc2\xa0\"" },
	/* Not UTF-8: alone, cut off, overlong, surrogate, above U+10FFFF. */
	{ "\xff", "\\xff", "\"\xef\xbf\xbd\"" },
	{ "\x80"
	  "a",
	  "\\x80a",
	  "\"\xef\xbf\xbd"
	  "a\"" },
	{ "\xe2\x82", "\\xe2\\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xc0\xaf", "\\xc0\\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
	  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xc3(", "\\xc3(", "\"\xef\xbf\xbd(\"" },
};

static void foreign_bytes_are_tamed(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(text_clear) struct text clean = { 0 };
		CLEANUP(text_clear) struct text json = { 0 };

		text_add_clean(&clean, cases[i].bytes, strlen(cases[i].bytes));
		assert_string_equal(text_string(&clean), cases[i].clean);
		text_add_json(&json, cases[i].bytes);
		assert_string_equal(text_string(&json), cases[i].json);
	}
}

/* Whatever the bytes, what is cleaned is valid UTF-8 without controls. */
static void any_three_bytes_become_printable(void **state)
{
	(void)state;
	for (unsigned number = 0; number < 1u << 24; number += 251) {
		const char bytes[3] = { (char)number, (char)(number >> 8), (char)(number >> 16) };
		CLEANUP(text_clear) struct text clean = { 0 };

		text_add_clean(&clean, bytes, sizeof(bytes));
		for (size_t i = 0; i < clean.length;) {
			size_t length = utf8_length(clean.data + i, clean.length - i);

			assert_true(length > 0);
			assert_true(length > 1 || clean.data[i] >= ' ');
			i += length;
		}
	}
}

static void grows(void **state)
{
	CLEANUP(text_clear) struct text text = { 0 };

	(void)state;
	assert_string_equal(text_string(&text), "");
	text_add_format(&text, "%s", "");
	assert_string_equal(text_string(&text), "");
	for (int i = 0; i < 1000; i++)
		text_add_format(&text, "%d,", i);
	assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4);
	assert_int_equal(strlen(text.data), text.length);
	text_add_bytes(&text, "a\0b", 3);
	assert_int_equal(text.data[text.length - 1], 'b');
	text_clear(&text);
	assert_string_equal(text_string(&text), "");
}

static void endings(void **state)
{
	static const struct {
		const char *string, *tail;
		bool is;
	} ends[] = {
		{ "fit.prom", ".prom", true },
		{ "fit.prom", ".om", false },
		{ ".prom", ".prom", false },
		{ "", ".prom", false },
		{ "x", "", true },
		{ "", "", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++)
		assert_int_equal(ends_in(ends[i].string, ends[i].tail), ends[i].is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_bytes_are_tamed),
		cmocka_unit_test(any_three_bytes_become_printable),
		cmocka_unit_test(grows),
		cmocka_unit_test(endings),
	};

	return cmocka_run_group_tests_name("base/text", tests, NULL, NULL);
}
