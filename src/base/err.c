#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *format, ...)
{
	char what[sizeof(err->text) - 80];
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	err->code = code;
	err->hint[0] = '\0';
	snprintf(err->text, sizeof(err->text), "%s: %s", what, strerror(-code));
	return code;
}

int err_say(struct err *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	err->code = code;
	err->hint[0] = '\0';
	return code;
}

int err_in(struct err *err, const char *format, ...)
{
	char inner[sizeof(err->text)];
	va_list args;
	size_t length;

	if (!err)
		return -EIO;
	memcpy(inner, err->text, sizeof(inner));
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	length = strlen(err->text);
	snprintf(err->text + length, sizeof(err->text) - length, ": %s", inner);
	return err->code;
}

int err_hint(struct err *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return -EIO;
	va_start(args, format);
	vsnprintf(err->hint, sizeof(err->hint), format, args);
	va_end(args);
	return err->code;
}
