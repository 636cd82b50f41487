/* A growing string, or a growing run of bytes. Zero it before first use, end it with text_clear().
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>

struct text {
	char *data; /* always NUL-terminated once anything was added; NULL before */
	size_t length, room;
};

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const void *bytes, size_t count);
void text_add_format(struct text *text, const char *format, ...) PRINTF(2, 3);
/* The fewest digits that read back as the same number: 0.1 stays 0.1. It must be finite. */
void text_add_number(struct text *text, double number);
const char *text_string(const struct text *text); /* "" where nothing was added */
void text_clear(struct text *text);

/* Does it end in `tail`, and does something stand before that? */
bool ends_in(const char *string, const char *tail);

/* Adds foreign bytes so that a terminal shows them and obeys none of them: control characters,
 * escapes and invalid UTF-8 become \n, \x1b, \xff; everything printable stays. */
void text_add_clean(struct text *text, const char *bytes, size_t count);

/* Adds a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, as JSON has no bytes. */
void text_add_json(struct text *text, const char *string);

/* The length of the valid UTF-8 sequence at `bytes`, 0 where there is none. */
size_t utf8_length(const char *bytes, size_t count);

#endif
