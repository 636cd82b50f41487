/* Where lines begin in a stream of bytes that a terminal might show: puts a prefix there, and
 * passes every byte on as it was, at once.
 *
 * A line begins behind a newline, and again behind a carriage return that is not followed by one (a
 * progress bar). Escapes that only move, erase or reset are passed before the prefix, so that "\r
 * ESC[K text" keeps it; for that, and for nothing else, the bytes of one escape at the start of a
 * line are held until it is complete. While the program uses the alternate screen (an editor, a
 * pager), nothing is put in.
 *
 * However the bytes are cut into pieces, what comes out is the same. */
#ifndef RELAY_SPLITTER_H
#define RELAY_SPLITTER_H

#include <stdbool.h>
#include <stddef.h>

#define ESCAPE_MOST 32 /* a longer one is taken for text */

enum place {
	PLACE_START,    /* nothing was printed on this line */
	PLACE_RETURNED, /* back at the start of one */
	PLACE_INSIDE,
};

/* Zero it, but for `put` and `arg`. */
struct splitter {
	void (*put)(void *arg, const char *bytes, size_t count);
	void *arg;
	const char *prefix; /* may change between two calls; NULL: none */
	size_t prefix_length;
	enum place place, place_before; /* before the alternate screen */
	bool alternate;                 /* the program uses it */
	bool moved; /* the cursor, since the line began: it may stand anywhere */
	bool held;  /* the escape was not passed on yet */
	char escape[ESCAPE_MOST];
	size_t n_escape; /* so much of it has come; 0: we are in none */
};

void splitter_feed(struct splitter *splitter, const char *bytes, size_t count);
/* No more will come: passes on what is held. */
void splitter_end(struct splitter *splitter);
/* Is the cursor at the start of an empty line, as far as one can know? */
bool splitter_rests(const struct splitter *splitter);
/* Of a string: the length of the colour, or of another ESC [ sequence, that begins there; 0: none.
 */
size_t escape_length(const char *text);

#endif
