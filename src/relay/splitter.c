/* ESC [ 2 K		erases the line; parameters are 0x20-0x3f, the final byte is 0x40-0x7e
 * ESC [ ? 1049 h	the alternate screen; l leaves it; older ones are 47 and 1047
 * ESC 7		any other letter behind ESC ends it at once */
#include "relay/splitter.h"

#include <string.h>

#define ESC '\033'

static bool wants_prefix(const struct splitter *splitter)
{
	return splitter->place != PLACE_INSIDE && !splitter->alternate;
}

static void put_prefix(const struct splitter *splitter)
{
	if (splitter->prefix && !splitter->alternate)
		splitter->put(splitter->arg, splitter->prefix, splitter->prefix_length);
}

static void take_text(struct splitter *splitter, const char *bytes, size_t count)
{
	if (count == 0)
		return;
	if (splitter->place != PLACE_INSIDE)
		put_prefix(splitter);
	splitter->put(splitter->arg, bytes, count);
	splitter->place = PLACE_INSIDE;
}

static void end_line(struct splitter *splitter)
{
	splitter->place = PLACE_START;
	splitter->moved = false;
}

static void take_newline(struct splitter *splitter)
{
	if (splitter->place == PLACE_START)
		put_prefix(splitter);
	splitter->put(splitter->arg, "\n", 1);
	end_line(splitter);
}

static void take_return(struct splitter *splitter)
{
	splitter->put(splitter->arg, "\r", 1);
	if (splitter->place == PLACE_INSIDE)
		splitter->place = PLACE_RETURNED;
}

static bool has_parameter(const struct splitter *splitter, const char *number)
{
	size_t length = strlen(number), at = 3;

	while (at + length < splitter->n_escape) {
		const char *found = splitter->escape + at;

		if (memcmp(found, number, length) == 0 &&
		    (found[length] == ';' || at + length == splitter->n_escape - 1))
			return true;
		while (at < splitter->n_escape && splitter->escape[at] != ';')
			at++;
		at++;
	}
	return false;
}

static void switch_screen(struct splitter *splitter, bool on)
{
	if (on == splitter->alternate)
		return;
	if (on)
		splitter->place_before = splitter->place;
	else
		splitter->place = splitter->place_before;
	splitter->alternate = on;
}

static bool is_csi(const struct splitter *splitter)
{
	return splitter->n_escape >= 3 && splitter->escape[1] == '[';
}

/* Colours are put behind the prefix, all else that prints nothing before it. ESC [ > 4 m is no
 * colour: it changes keys. */
static bool prints_nothing(const struct splitter *splitter)
{
	char last = splitter->escape[splitter->n_escape - 1];

	if (!is_csi(splitter) || last < 0x40 || last > 0x7e)
		return false;
	return last != 'm' || splitter->n_escape == 3 || strchr("<=>?", splitter->escape[2]) ||
	       (splitter->n_escape == 4 && splitter->escape[2] == '0');
}

static bool names_other_screen(const struct splitter *splitter)
{
	return splitter->escape[2] == '?' &&
	       (has_parameter(splitter, "1049") || has_parameter(splitter, "1047") ||
		has_parameter(splitter, "47"));
}

static void note_escape(struct splitter *splitter)
{
	char last = splitter->escape[splitter->n_escape - 1];

	if (is_csi(splitter) && (last == 'h' || last == 'l') && names_other_screen(splitter))
		switch_screen(splitter, last == 'h');
	if (!is_csi(splitter) || !strchr("hlmKJ", last))
		splitter->moved = true;
}

/* It is complete, or broken off, or too long. */
static void end_escape(struct splitter *splitter)
{
	if (splitter->held && prints_nothing(splitter))
		splitter->put(splitter->arg, splitter->escape, splitter->n_escape);
	else if (splitter->held)
		take_text(splitter, splitter->escape, splitter->n_escape);
	note_escape(splitter);
	splitter->n_escape = 0;
	splitter->held = false;
}

static void begin_escape(struct splitter *splitter)
{
	splitter->held = wants_prefix(splitter);
	splitter->escape[0] = ESC;
	splitter->n_escape = 1;
	if (!splitter->held)
		splitter->put(splitter->arg, splitter->escape, 1);
}

/* Returns false where the byte does not belong to it: then the escape has ended before. */
static bool take_escape(struct splitter *splitter, const char *byte)
{
	bool opens = splitter->n_escape == 1 && *byte == '[';

	if ((unsigned char)*byte < 0x20 || *byte == 0x7f) {
		end_escape(splitter);
		return false;
	}
	splitter->escape[splitter->n_escape++] = *byte;
	if (!splitter->held)
		splitter->put(splitter->arg, byte, 1);
	if (!opens && ((splitter->n_escape == 2 || (unsigned char)*byte >= 0x40) ||
		       splitter->n_escape == ESCAPE_MOST))
		end_escape(splitter);
	return true;
}

static const char *find(const char *from, const char *end, char byte)
{
	const char *found = memchr(from, byte, (size_t)(end - from));

	return found ? found : end;
}

static const char *least(const char *a, const char *b)
{
	return a < b ? a : b;
}

static void take_special(struct splitter *splitter, char byte)
{
	if (byte == '\n')
		take_newline(splitter);
	else if (byte == '\r')
		take_return(splitter);
	else
		begin_escape(splitter);
}

/* Lines are short and the other two are rare: they are looked for once, not in each line. */
void splitter_feed(struct splitter *splitter, const char *bytes, size_t count)
{
	const char *end = bytes + count, *next_return = bytes, *next_escape = bytes, *next;

	while (bytes < end) {
		if (splitter->n_escape > 0) {
			bytes += take_escape(splitter, bytes);
			continue;
		}
		if (next_return <= bytes)
			next_return = find(bytes, end, '\r');
		if (next_escape <= bytes)
			next_escape = find(bytes, end, ESC);
		next = find(bytes, least(next_return, next_escape), '\n');
		if (next > bytes && next < end && *next == '\n') {
			take_text(splitter, bytes, (size_t)(++next - bytes));
			end_line(splitter);
		} else {
			take_text(splitter, bytes, (size_t)(next - bytes));
			if (next < end)
				take_special(splitter, *next++);
		}
		bytes = next;
	}
}

void splitter_end(struct splitter *splitter)
{
	if (splitter->n_escape > 0)
		end_escape(splitter);
}

bool splitter_rests(const struct splitter *splitter)
{
	return splitter->place == PLACE_START && !splitter->moved && !splitter->alternate &&
	       splitter->n_escape == 0;
}

size_t escape_length(const char *text)
{
	size_t length = 2;

	if (text[0] != ESC || text[1] != '[')
		return 0;
	while (text[length] >= 0x20 && text[length] < 0x40)
		length++;
	return text[length] ? length + 1 : length;
}
