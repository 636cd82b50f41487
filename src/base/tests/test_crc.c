#include "base/crc.h"

#include "base/compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* From RFC 3720, B.4, and the check value of the catalogue of CRCs. */
static void known_values(void **state)
{
	uint8_t zeros[32] = { 0 }, ones[32], rising[32];
	struct {
		const void *bytes;
		size_t count;
		uint32_t crc;
	} cases[] = {
		{ "", 0, 0 },
		{ "123456789", 9, 0xe3069283 },
		{ zeros, 32, 0x8a9136aa },
		{ ones, 32, 0x62a8ab43 },
		{ rising, 32, 0x46dd794e },
	};

	(void)state;
	memset(ones, 0xff, sizeof(ones));
	for (int i = 0; i < 32; i++)
		rising[i] = (uint8_t)i;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(crc32c(0, cases[i].bytes, cases[i].count), cases[i].crc);
		assert_int_equal(crc32c_plain(0, cases[i].bytes, cases[i].count), cases[i].crc);
	}
}

static void in_pieces(void **state)
{
	uint8_t bytes[100];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37);
	for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
		uint32_t first = crc32c(0, bytes, cut);

		assert_int_equal(crc32c(first, bytes + cut, sizeof(bytes) - cut),
				 crc32c_plain(0, bytes, sizeof(bytes)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
