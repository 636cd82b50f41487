#include "base/text.h"

#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_reserve(struct text *text, size_t more)
{
	size_t need = text->length + more + 1;

	if (need <= text->room)
		return;
	text->room = need > text->room * 2 ? need : text->room * 2;
	text->data = mem_resize(text->data, text->room);
}

void text_add_bytes(struct text *text, const void *bytes, size_t count)
{
	text_reserve(text, count);
	if (count)
		memcpy(text->data + text->length, bytes, count);
	text->length += count;
	text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_add_bytes(text, string, strlen(string));
}

void text_add_format(struct text *text, const char *format, ...)
{
	va_list args, again;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length > 0) {
		text_reserve(text, (size_t)length);
		vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
		text->length += (size_t)length;
	}
	va_end(again);
}

void text_add_number(struct text *text, double number)
{
	char digits[40];

	if (fabs(number) < 1e15 && number == floor(number)) {
		text_add_format(text, "%.0f", number);
		return;
	}
	for (int precision = 6; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, number);
		if (strtod(digits, NULL) == number)
			break;
	}
	text_add(text, digits);
}

const char *text_string(const struct text *text)
{
	return text->data ? text->data : "";
}

void text_clear(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

bool ends_in(const char *string, const char *tail)
{
	size_t length = strlen(string), tail_length = strlen(tail);

	return length > tail_length && strcmp(string + length - tail_length, tail) == 0;
}

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t utf8_length(const char *bytes, size_t count)
{
	const unsigned char *b = (const unsigned char *)bytes;
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (count == 0 || (b[0] >= 0x80 && b[0] < 0xc2) || b[0] > 0xf4)
		return 0;
	length = b[0] < 0x80 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
	if (count < length)
		return 0;
	if (b[0] == 0xe0)
		low = 0xa0;
	if (b[0] == 0xed)
		high = 0x9f;
	if (b[0] == 0xf0)
		low = 0x90;
	if (b[0] == 0xf4)
		high = 0x8f;
	for (size_t i = 1; i < length; i++) {
		if (b[i] < low || b[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

/* C0, DEL, and the C1 controls U+0080 to U+009F, which some terminals obey too. */
static bool is_control(const char *bytes, size_t length)
{
	unsigned char first = (unsigned char)bytes[0];

	if (length == 1)
		return first < 0x20 || first == 0x7f;
	return length == 2 && first == 0xc2 && (unsigned char)bytes[1] < 0xa0;
}

static void add_escaped(struct text *text, unsigned char byte)
{
	if (byte == '\n')
		text_add(text, "\\n");
	else if (byte == '\t')
		text_add(text, "\\t");
	else
		text_add_format(text, "\\x%02x", byte);
}

void text_add_clean(struct text *text, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count;) {
		size_t length = utf8_length(bytes + i, count - i);

		if (length > 0 && !is_control(bytes + i, length)) {
			text_add_bytes(text, bytes + i, length);
			i += length;
		} else {
			add_escaped(text, (unsigned char)bytes[i++]);
		}
	}
}

void text_add_json(struct text *text, const char *string)
{
	size_t count = strlen(string), length;

	text_add(text, "\"");
	for (size_t i = 0; i < count; i += length ? length : 1) {
		length = utf8_length(string + i, count - i);
		if (length == 0)
			text_add(text, "\xef\xbf\xbd");
		else if (string[i] == '"' || string[i] == '\\')
			text_add_format(text, "\\%c", string[i]);
		else if (is_control(string + i, length)) /* C1: 0xc2, then the code itself */
			text_add_format(text, "\\u%04x", (unsigned char)string[i + length - 1]);
		else
			text_add_bytes(text, string + i, length);
	}
	text_add(text, "\"");
}
