#include "base/varint.h"

#include "base/compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void round_trip(void **state)
{
	const struct {
		uint64_t number;
		size_t bytes;
	} cases[] = { { 0, 1 },         { 1, 1 },           { 127, 1 },        { 128, 2 },
		      { 300, 2 },       { 16383, 2 },       { 16384, 3 },      { 1u << 31, 5 },
		      { INT64_MAX, 9 }, { 1ull << 63, 10 }, { UINT64_MAX, 10 } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t bytes[VARINT_MOST];
		struct cursor cursor = { .at = bytes, .end = varint_put(bytes, cases[i].number) };

		assert_int_equal(cursor_left(&cursor), cases[i].bytes);
		assert_true(cursor_varint(&cursor) == cases[i].number);
		assert_false(cursor.bad);
		assert_int_equal(cursor_left(&cursor), 0);
	}
}

static void signs(void **state)
{
	const int64_t numbers[] = { 0, -1, 1, -2, 2, INT64_MAX, INT64_MIN, -1000000007 };

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++)
		assert_true(unzigzag(zigzag(numbers[i])) == numbers[i]);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(zigzag(numbers[i]), i);
}

static void bad_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
	} cases[] = {
		{ "", 0 },
		{ "\x80", 1 },                                          /* more should follow */
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10 },     /* 65 bits */
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 }, /* 70 bits */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint8_t *bytes = (const uint8_t *)cases[i].bytes;
		struct cursor cursor = { .at = bytes, .end = bytes + cases[i].count };

		assert_true(cursor_varint(&cursor) == 0);
		assert_true(cursor.bad);
		assert_int_equal(cursor_byte(&cursor), 0);
	}
}

static void fixed(void **state)
{
	uint8_t bytes[12];
	struct cursor cursor = { .at = bytes, .end = bytes + sizeof(bytes) };

	(void)state;
	put_u32(bytes, 0x04030201);
	put_double(bytes + 4, -0.5);
	assert_memory_equal(bytes, "\1\2\3\4\0\0\0\0\0\0\xe0\xbf", 12);
	assert_int_equal(cursor_u32(&cursor), 0x04030201);
	assert_true(cursor_double(&cursor) == -0.5);
	assert_null(cursor_bytes(&cursor, 1));
	assert_true(cursor.bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(signs),
		cmocka_unit_test(bad_bytes),
		cmocka_unit_test(fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
