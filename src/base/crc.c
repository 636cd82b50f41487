/* x86 has an instruction for this polynomial since SSE4.2 (8 bytes in 3 cycles); everywhere else
 * eight tables take eight bytes at a step. */
#include "base/crc.h"

#include <pthread.h>
#include <string.h>

/* 1edc6f41 with its bits reversed, as the CRC runs low bit first. */
#define POLYNOMIAL 0x82f63b78u

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void tables_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][i] = crc;
	}
	for (int t = 1; t < 8; t++) {
		for (int i = 0; i < 256; i++)
			tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xff];
	}
}

static uint32_t eight(uint32_t crc, const uint8_t *at)
{
	uint32_t a = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			    (uint32_t)at[3] << 24);

	return tables[7][a & 0xff] ^ tables[6][a >> 8 & 0xff] ^ tables[5][a >> 16 & 0xff] ^
	       tables[4][a >> 24] ^ tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^
	       tables[0][at[7]];
}

uint32_t crc32c_plain(uint32_t before, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;
	uint32_t crc = ~before;

	pthread_once(&tables_once, tables_fill);
	for (; count >= 8; count -= 8, at += 8)
		crc = eight(crc, at);
	while (count-- > 0)
		crc = crc >> 8 ^ tables[0][(crc ^ *at++) & 0xff];
	return ~crc;
}

#ifdef __x86_64__
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_sse(uint32_t before, const void *bytes,
							     size_t count)
{
	const uint8_t *at = bytes;
	uint64_t crc = ~before, word;

	for (; count >= 8; count -= 8, at += 8) {
		memcpy(&word, at, 8);
		crc = _mm_crc32_u64(crc, word);
	}
	while (count-- > 0)
		crc = _mm_crc32_u8((uint32_t)crc, *at++);
	return ~(uint32_t)crc;
}

uint32_t crc32c(uint32_t before, const void *bytes, size_t count)
{
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse(before, bytes, count);
	return crc32c_plain(before, bytes, count);
}
#else
uint32_t crc32c(uint32_t before, const void *bytes, size_t count)
{
	return crc32c_plain(before, bytes, count);
}
#endif
