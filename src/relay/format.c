/* Numbers have three characters and a letter: "3.1", " 12", "128"; "5.2G", " 52M", "1.0G" for 1000
 * MiB and more. */
#include "relay/format.h"

#include "base/mem.h"
#include "base/opt.h"
#include "relay/splitter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIELD_BYTES 32

static void write_three(double number, char *ret)
{
	snprintf(ret, FIELD_BYTES, number < 9.95 ? "%3.1f" : "%3.0f", number);
}

static void write_scaled(double number, double base, const char *letters, char *ret)
{
	size_t power = 0;

	while (number >= 999.5 && letters[power + 1]) {
		number /= base;
		power++;
	}
	if (power == 0)
		snprintf(ret, FIELD_BYTES, "%3.0f", number);
	else
		write_three(number, ret);
	snprintf(ret + strlen(ret), 2, "%c", letters[power]);
}

static void write_memory(double bytes, char *ret)
{
	write_scaled(bytes, 1024, "BKMGTPE", ret);
}

static void write_bytes(double bytes, char *ret)
{
	write_scaled(bytes, 1000, "BkMGTPE", ret);
}

static void write_count(double count, char *ret)
{
	snprintf(ret, FIELD_BYTES, "%3.0f", count);
}

static void write_time(double seconds, char *ret)
{
	unsigned long long whole = (unsigned long long)seconds;

	snprintf(ret, FIELD_BYTES, "%02llu:%02llu:%02llu", whole / 3600, whole / 60 % 60,
		 whole % 60);
}

static void write_clock(double since_1970, char *ret)
{
	time_t when = (time_t)since_1970;
	struct tm local;

	strftime(ret, FIELD_BYTES, "%H:%M:%S", localtime_r(&when, &local));
}

static double get_time(const struct moment *moment)
{
	return moment->time_s;
}

static double get_clock(const struct moment *moment)
{
	return (double)moment->clock_s;
}

#define GET(field)                                                                                 \
	static double get_##field(const struct moment *moment)                                     \
	{                                                                                          \
		return moment->now ? atomic_load(&moment->now->field) : NAN;                       \
	}

GET(cores)
GET(memory_bytes)
GET(memory_peak_bytes)
GET(processes)
GET(read_bytes)
GET(write_bytes)

static const struct field {
	const char *name;
	int width;
	double (*get)(const struct moment *moment); /* NULL: the stream's name */
	void (*write)(double number, char *ret);
} fields[] = {
	{ "time", 8, get_time, write_time },
	{ "clock", 8, get_clock, write_clock },
	{ "cores", 3, get_cores, write_three },
	{ "memory", 4, get_memory_bytes, write_memory },
	{ "peak", 4, get_memory_peak_bytes, write_memory },
	{ "processes", 3, get_processes, write_count },
	{ "read", 4, get_read_bytes, write_bytes },
	{ "written", 4, get_write_bytes, write_bytes },
	{ "stream", 3, NULL, NULL },
};

struct piece {
	const struct field *field; /* NULL: the text */
	char *text;
	size_t length;
};

struct format {
	struct piece *pieces;
	size_t count, room;
};

static struct piece *add_piece(struct format *format)
{
	format->pieces = mem_grow(format->pieces, format->count, &format->room,
				  sizeof(*format->pieces));
	format->pieces[format->count] = (struct piece){ 0 };
	return &format->pieces[format->count++];
}

static void add_text(struct format *format, const char *text, size_t length)
{
	struct piece *piece;

	if (length == 0)
		return;
	piece = add_piece(format);
	piece->text = mem_copy_n(text, length);
	piece->length = length;
}

static const struct field *find_field(const char *name)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	}
	return NULL;
}

static int unknown_field(const char *name, struct err *err)
{
	CLEANUP(text_clear) struct text list = { 0 };
	const char *names[COUNT(fields) + 1] = { 0 }, *near;

	for (size_t i = 0; i < COUNT(fields); i++) {
		names[i] = fields[i].name;
		text_add_format(&list, " {%s}", fields[i].name);
	}
	near = nearest(name, names);
	err_say(err, -EINVAL, "'--stamp': '{%s}': no such field", name);
	if (near)
		return err_hint(err, "did you mean '{%s}'? There are%s", near, list.data);
	return err_hint(err, "there are%s; write '{{' for a brace", list.data);
}

/* `text` stands behind the opening brace; *ret behind the closing one. */
static int add_field(struct format *format, const char *text, const char **ret, struct err *err)
{
	const char *end = strchr(text, '}');
	CLEANUP(freep) char *name = NULL;
	const struct field *field;

	if (!end) {
		err_say(err, -EINVAL, "'--stamp': '{%s': the closing brace is missing", text);
		return err_hint(err, "write '{{' for a brace");
	}
	name = mem_copy_n(text, (size_t)(end - text));
	field = find_field(name);
	if (!field) {
		unknown_field(name, err);
		return -EINVAL;
	}
	add_piece(format)->field = field;
	*ret = end + 1;
	return 0;
}

static void freep_format(struct format **format)
{
	format_free(*format);
}

int format_parse(const char *text, struct format **ret, struct err *err)
{
	CLEANUP(freep_format) struct format *format = mem_new(sizeof(*format));

	while (*text) {
		size_t plain = strcspn(text, "{");

		add_text(format, text, plain);
		text += plain;
		if (text[0] == '{' && text[1] == '{') {
			add_text(format, "{", 1);
			text += 2;
		} else if (text[0] == '{' && add_field(format, text + 1, &text, err) < 0) {
			return -EINVAL;
		}
	}
	*ret = take(&format);
	return 0;
}

static void write_field(const struct field *field, const struct moment *moment, struct text *ret)
{
	double number = field->get ? field->get(moment) : NAN;
	char text[FIELD_BYTES] = "-";

	if (!field->get && moment->stream)
		snprintf(text, sizeof(text), "%s", moment->stream);
	else if (number >= 0 && number < 1e18)
		field->write(number, text);
	text_add_format(ret, "%*s", field->width, text);
}

void format_write(const struct format *format, const struct moment *moment, struct text *ret)
{
	for (size_t i = 0; i < format->count; i++) {
		const struct piece *piece = &format->pieces[i];

		if (piece->field)
			write_field(piece->field, moment, ret);
		else
			text_add_bytes(ret, piece->text, piece->length);
	}
}

static size_t text_width(const char *text)
{
	size_t width = 0;

	while (*text) {
		size_t skip = escape_length(text), letter = utf8_length(text, strlen(text));

		width += skip == 0;
		text += skip ? skip : letter ? letter : 1;
	}
	return width;
}

size_t format_width(const struct format *format)
{
	size_t width = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct piece *piece = &format->pieces[i];

		width += piece->field ? (size_t)piece->field->width : text_width(piece->text);
	}
	return width;
}

void format_free(struct format *format)
{
	for (size_t i = 0; format && i < format->count; i++)
		free(format->pieces[i].text);
	if (format)
		free(format->pieces);
	free(format);
}
