/* Whole numbers in few bytes: seven bits a byte, lowest first, the high bit says "more follows"
 * (300 is ac 02). Signed ones are folded first, so that small ones of either sign stay short
 * (0, -1, 1, -2 are 0, 1, 2, 3). And a cursor, to take foreign bytes apart without trusting them.
 */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VARINT_MOST 10 /* bytes */

/* Writes to `to`, which has room for VARINT_MOST bytes; returns the place behind. */
static inline uint8_t *varint_put(uint8_t *to, uint64_t number)
{
	while (number >= 0x80) {
		*to++ = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	*to++ = (uint8_t)number;
	return to;
}

static inline uint64_t zigzag(int64_t number)
{
	return ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0);
}

static inline int64_t unzigzag(uint64_t code)
{
	return (int64_t)((code >> 1) ^ (0 - (code & 1)));
}

/* Reads foreign bytes from the front. Past the end, or at anything else that cannot be, it turns
 * bad, stays bad and gives zeros: look once, at the end. */
struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

uint64_t cursor_varint_long(struct cursor *cursor);
uint8_t cursor_byte(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);  /* fixed, low byte first */
double cursor_double(struct cursor *cursor); /* the eight bytes of IEEE 754, low byte first */
/* That many bytes as they are; NULL where there are fewer. */
const uint8_t *cursor_bytes(struct cursor *cursor, uint64_t count);

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline uint64_t cursor_varint(struct cursor *cursor)
{
	if (cursor->at < cursor->end && *cursor->at < 0x80)
		return *cursor->at++;
	return cursor_varint_long(cursor);
}

void put_u32(uint8_t *to, uint32_t number);
void put_double(uint8_t *to, double number);

#endif
