#include "base/varint.h"

#include <string.h>

static void cursor_fail(struct cursor *cursor)
{
	cursor->bad = true;
	cursor->at = cursor->end;
}

uint64_t cursor_varint_long(struct cursor *cursor)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
		uint8_t byte = *cursor->at++;

		if (shift == 63 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	cursor_fail(cursor);
	return 0;
}

const uint8_t *cursor_bytes(struct cursor *cursor, uint64_t count)
{
	const uint8_t *bytes = cursor->at;

	if (count > cursor_left(cursor)) {
		cursor_fail(cursor);
		return NULL;
	}
	cursor->at += count;
	return bytes;
}

uint8_t cursor_byte(struct cursor *cursor)
{
	const uint8_t *byte = cursor_bytes(cursor, 1);

	return byte ? *byte : 0;
}

uint32_t cursor_u32(struct cursor *cursor)
{
	const uint8_t *b = cursor_bytes(cursor, 4);

	return b ? (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
		       (uint32_t)b[3] << 24
		 : 0;
}

double cursor_double(struct cursor *cursor)
{
	uint64_t low = cursor_u32(cursor), bits = low | (uint64_t)cursor_u32(cursor) << 32;
	double number;

	if (cursor->bad)
		return 0;
	memcpy(&number, &bits, sizeof(number));
	return number;
}

void put_u32(uint8_t *to, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(number >> (8 * i));
}

void put_double(uint8_t *to, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	put_u32(to, (uint32_t)bits);
	put_u32(to + 4, (uint32_t)(bits >> 32));
}
