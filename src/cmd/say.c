/* What we say to the user goes to stderr, as stdout is for data. File names, arguments and whatever
 * else came from outside are part of it, so nothing is printed raw: a terminal obeys escapes. */
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(const char *prefix, const char *sentence)
{
	CLEANUP(text_clear) struct text line = { 0 };

	text_add(&line, prefix);
	text_add_clean(&line, sentence, strlen(sentence));
	text_add(&line, "\n");
	fputs(line.data, stderr);
}

int cmd_fail(const struct err *err, int status)
{
	say("sonde: ", err->text);
	if (err->hint[0])
		say("hint: ", err->hint);
	return status;
}

void cmd_warn(const char *format, ...)
{
	CLEANUP(freep) char *sentence = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&sentence, format, args) < 0)
		sentence = NULL;
	va_end(args);
	say("sonde: warning: ", sentence ? sentence : format);
}
