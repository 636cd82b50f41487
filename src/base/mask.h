/* Takes secrets out of command lines before they are written anywhere: what stands behind a name
 * such as --password, API_KEY= or "Authorization:", in a URL (scheme://user:here@host), and what
 * looks like a key of a known service (ghp_..., AKIA...) becomes "***". Names alone stay, and so do
 * paths, numbers of tokens and words that only sound alike (--tokenize, author=, keyboard).
 *
 * It is a net, not a wall: a secret that stands alone and looks like nothing (-phunter2) passes. */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include <stddef.h>

/* The arguments of /proc/PID/cmdline, each ended by a NUL, as one line with blanks between them;
 * those that hold blanks or quotes stand in single quotes. Any bytes; time grows with length. The
 * caller frees the result. */
char *mask_arguments(const char *joined_by_nul, size_t length);

/* One argument, which may be the value of the one before it (NULL: it is the first). The caller
 * frees the result. */
char *mask_after(const char *before, const char *argument);

/* One text by itself: a variable's value, a message. The caller frees the result. */
char *mask_word(const char *word);

#endif
