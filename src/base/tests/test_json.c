#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/json.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *number_text(double number)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct json json;

	json_init(&json, out);
	json_number(&json, NULL, number);
	fclose(out);
	return text;
}

/* Read back, a number is the same number, in the fewest digits. */
static void numbers_come_back(void **state)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 0.1, "0.1" },
		{ 0.30000000000000004, "0.30000000000000004" },
		{ 1e15 - 1, "999999999999999" },
		{ 2251799813685248.5, "2251799813685248.5" },
		{ -12.5, "-12.5" },
		{ 1e300, "1e+300" },
		{ 5e-324, NULL },
		{ 1.0 / 3, NULL },
		{ 9007199254740993.0, NULL },
		{ NAN, "null" },
		{ INFINITY, "null" },
		{ -INFINITY, "null" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(freep) char *text = number_text(cases[i].number);

		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
		else
			assert_true(strtod(text, NULL) == cases[i].number);
	}
}

static void write_all(struct json *json)
{
	json_object(json, NULL);
	json_string(json, "a \"key\"", "line\nend");
	json_string(json, "none", NULL);
	json_array(json, "empty");
	json_array_end(json);
	json_array_line(json, "points");
	json_array(json, NULL);
	json_number(json, NULL, 0.5);
	json_null(json, NULL);
	json_array_end(json);
	json_object(json, NULL);
	json_bool(json, "x", true);
	json_object_end(json);
	json_array_end(json);
	json_object_line(json, "figure");
	json_int(json, "least", INT64_MIN);
	json_bool(json, "is", false);
	json_object_end(json);
	json_int(json, "last", 1);
	json_object_end(json);
}

static void nests_and_indents(void **state)
{
	static const char expected[] =
	    "{\n"
	    "  \"a \\\"key\\\"\": \"line\\u000aend\",\n"
	    "  \"none\": null,\n"
	    "  \"empty\": [],\n"
	    "  \"points\": [[0.5, null], {\"x\": true}],\n"
	    "  \"figure\": {\"least\": -9223372036854775808, \"is\": false},\n"
	    "  \"last\": 1\n"
	    "}\n";
	CLEANUP(freep) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct json json;

	(void)state;
	json_init(&json, out);
	write_all(&json);
	fclose(out);
	assert_string_equal(text, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_come_back),
		cmocka_unit_test(nests_and_indents),
	};

	return cmocka_run_group_tests_name("base/json", tests, NULL, NULL);
}
