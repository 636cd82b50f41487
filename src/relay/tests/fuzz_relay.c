/* Any format, any output of a program, any cuts: what comes out is the same as without cuts, and
 * with the stamps taken away it is what went in. */
#include "base/mem.h"
#include "relay/format.h"
#include "relay/matcher.h"
#include "relay/splitter.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "\001"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(void *arg, const char *bytes, size_t count)
{
	text_add_bytes(arg, bytes, count);
}

static void put_own(void *arg, const char *bytes, size_t count)
{
	if (bytes[0] != PREFIX[0] || count != 1)
		text_add_bytes(arg, bytes, count);
}

static void split(void (*to)(void *arg, const char *bytes, size_t count), const char *bytes,
		  size_t count, size_t piece, struct text *ret)
{
	struct splitter splitter = { .put = to, .arg = ret, .prefix = PREFIX, .prefix_length = 1 };

	for (size_t at = 0; at < count; at += piece)
		splitter_feed(&splitter, bytes + at, at + piece < count ? piece : count - at);
	splitter_end(&splitter);
}

static void check_splitter(char *bytes, size_t count, size_t piece)
{
	CLEANUP(text_clear) struct text whole = { 0 };
	CLEANUP(text_clear) struct text cut = { 0 };
	CLEANUP(text_clear) struct text bare = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (bytes[i] == PREFIX[0])
			bytes[i] = ' ';
	}
	split(put, bytes, count, count + 1, &whole);
	split(put, bytes, count, piece, &cut);
	split(put_own, bytes, count, piece, &bare);
	if (whole.length != cut.length || bare.length != count ||
	    (count && (memcmp(whole.data, cut.data, cut.length) != 0 ||
		       memcmp(bare.data, bytes, count) != 0)))
		abort();
}

static void check_format(const char *text)
{
	CLEANUP(text_clear) struct text out = { 0 };
	struct format *format = NULL;
	const struct moment moment = { .time_s = 1 };

	if (format_parse(text, &format, &(struct err){ 0 }) < 0)
		return;
	format_write(format, &moment, &out);
	if (format_width(format) > out.length)
		abort();
	format_free(format);
}

static void check_mark(void *arg, const char *name)
{
	(void)arg;
	if (!*name || strchr(name, '\n') || strchr("+-", *name))
		abort();
}

static void check_matcher(const char *bytes, size_t count)
{
	const char *expression = "a(.*)|^ ?[^b]";
	struct matcher *matcher;

	if (matcher_new(&expression, 1, &matcher, NULL) < 0)
		abort();
	matcher_feed(matcher, bytes, count, check_mark, NULL);
	matcher_end(matcher, check_mark, NULL);
	matcher_free(matcher);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(freep) char *text = mem_copy_n((const char *)data, size);

	check_format(text);
	check_matcher(text, size);
	check_splitter(text, size, size > 0 ? data[0] % 7 + 1u : 1);
	return 0;
}
