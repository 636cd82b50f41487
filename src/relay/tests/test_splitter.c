#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "relay/splitter.h"

#include <string.h>

static void put(void *arg, const char *bytes, size_t count)
{
	text_add_bytes(arg, bytes, count);
}

static struct splitter new_splitter(struct text *into, const char *prefix)
{
	return (struct splitter){ .put = put,
				  .arg = into,
				  .prefix = prefix,
				  .prefix_length = prefix ? strlen(prefix) : 0 };
}

static const struct {
	const char *in, *out;
} cases[] = {
	{ "", "" },
	{ "a", "#a" },
	{ "a\n", "#a\n" },
	{ "a\nb\n", "#a\n#b\n" },
	{ "\n\n", "#\n#\n" },
	{ "name? ", "#name? " },
	{ "a\r\nb\r\n", "#a\r\n#b\r\n" },
	{ "\r\n", "\r#\n" },
	/* progress bars */
	{ "1%\r2%\r3%\n", "#1%\r#2%\r#3%\n" },
	{ "\r 1%\r 2%", "\r# 1%\r# 2%" },
	{ "a\r\r\nb", "#a\r\r\n#b" },
	{ "a\r", "#a\r" },
	{ "a\r\033[Kb", "#a\r\033[K#b" },
	{ "a\r\033[2Kb\n", "#a\r\033[2K#b\n" },
	{ "a\n\033[1A\033[2Kb", "#a\n\033[1A\033[2K#b" },
	{ "a\033[Kb", "#a\033[Kb" },
	/* colours stand behind, a reset before */
	{ "\033[31mred\033[0m\nb", "#\033[31mred\033[0m\n#b" },
	{ "\033[31mred\n\033[0m", "#\033[31mred\n\033[0m" },
	{ "\033[31mred\n\033[mb", "#\033[31mred\n\033[m#b" },
	{ "\033[>4;mb", "\033[>4;m#b" },
	{ "\033]0;title\007a\n", "#\033]0;title\007a\n" },
	/* broken ones */
	{ "\033", "#\033" },
	{ "\033[12", "#\033[12" },
	{ "\033\na", "#\033\n#a" },
	{ "\033[1\na", "#\033[1\n#a" },
	{ "\033\033[Ka", "#\033\033[Ka" },
	{ "\033[1234567890123456789012345678901234567890Ka",
	  "#\033[1234567890123456789012345678901234567890Ka" },
	/* the alternate screen */
	{ "a\n\033[?1049hx\ny\n\033[?1049lb\n", "#a\n\033[?1049hx\ny\n\033[?1049l#b\n" },
	{ "a\033[?47hx\n\033[?47lb\n", "#a\033[?47hx\n\033[?47lb\n" },
	{ "\033[?25;1047hx\n", "\033[?25;1047hx\n" },
	{ "\033[?10471hx\n", "\033[?10471h#x\n" },
	{ "\033[?25hx\n", "\033[?25h#x\n" },
};

static void puts_prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(text_clear) struct text text = { 0 };
		struct splitter splitter = new_splitter(&text, "#");

		splitter_feed(&splitter, cases[i].in, strlen(cases[i].in));
		splitter_end(&splitter);
		assert_string_equal(text_string(&text), cases[i].out);
	}
}

static void without_a_prefix_nothing_changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(text_clear) struct text text = { 0 };
		struct splitter splitter = new_splitter(&text, NULL);

		splitter_feed(&splitter, cases[i].in, strlen(cases[i].in));
		splitter_end(&splitter);
		assert_string_equal(text_string(&text), cases[i].in);
	}
}

/* All in one, cut at each byte into two pieces, and into pieces of each size. */
static void cuts_do_not_matter(void **state)
{
	CLEANUP(text_clear) struct text all = { 0 };
	CLEANUP(text_clear) struct text whole = { 0 };
	struct splitter splitter = new_splitter(&whole, "[stamp] ");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		text_add(&all, cases[i].in);
	splitter_feed(&splitter, all.data, all.length);
	splitter_end(&splitter);
	for (size_t cut = 0; cut <= all.length; cut++) {
		CLEANUP(text_clear) struct text text = { 0 };

		splitter = new_splitter(&text, "[stamp] ");
		splitter_feed(&splitter, all.data, cut);
		splitter_feed(&splitter, all.data + cut, all.length - cut);
		splitter_end(&splitter);
		assert_string_equal(text_string(&text), whole.data);
	}
	for (size_t size = 1; size <= all.length; size++) {
		CLEANUP(text_clear) struct text text = { 0 };

		splitter = new_splitter(&text, "[stamp] ");
		for (size_t at = 0; at < all.length; at += size)
			splitter_feed(&splitter, all.data + at,
				      at + size < all.length ? size : all.length - at);
		splitter_end(&splitter);
		assert_string_equal(text_string(&text), whole.data);
	}
}

/* Nothing is held but an escape at the start of a line: a prompt is there at once. */
static void bytes_come_at_once(void **state)
{
	CLEANUP(text_clear) struct text text = { 0 };
	struct splitter splitter = new_splitter(&text, "#");

	(void)state;
	splitter_feed(&splitter, "continue? ", 10);
	assert_string_equal(text_string(&text), "#continue? ");
	splitter_feed(&splitter, "\033[3", 3);
	assert_string_equal(text_string(&text), "#continue? \033[3");
	splitter_feed(&splitter, "1mx\r", 4);
	assert_string_equal(text_string(&text), "#continue? \033[31mx\r");
	splitter_feed(&splitter, "\033[", 2);
	assert_string_equal(text_string(&text), "#continue? \033[31mx\r");
}

static void knows_where_the_cursor_rests(void **state)
{
	static const struct {
		const char *in;
		bool rests;
	} rests[] = {
		{ "", true },
		{ "a", false },
		{ "a\n", true },
		{ "a\r", false },
		{ "a\r\n", true },
		{ "a\n\033[0m", true },
		{ "a\n\033[2A", false },
		{ "a\n\033[2A\n", true },
		{ "a\n\033", false },
		{ "\033[?1049h\n", false },
		{ "\033[?25l", true },
		{ "\033[?1049h\033[?1049l", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rests); i++) {
		CLEANUP(text_clear) struct text text = { 0 };
		struct splitter splitter = new_splitter(&text, NULL);

		splitter_feed(&splitter, rests[i].in, strlen(rests[i].in));
		assert_int_equal(splitter_rests(&splitter), rests[i].rests);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_prefixes),
		cmocka_unit_test(without_a_prefix_nothing_changes),
		cmocka_unit_test(cuts_do_not_matter),
		cmocka_unit_test(bytes_come_at_once),
		cmocka_unit_test(knows_where_the_cursor_rests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
