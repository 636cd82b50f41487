#include "report/look.h"

#include "base/parse.h"
#include "report/words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLAIN_COLUMNS 80
#define LEAST_COLUMNS 40
#define MOST_COLUMNS 1000

static int columns_of(int fd)
{
	const char *wish = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns = PLAIN_COLUMNS;

	if (!wish || parse_u64(wish, &columns) < 0 || columns == 0) {
		columns = PLAIN_COLUMNS;
		if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
			columns = size.ws_col;
	}
	if (columns < LEAST_COLUMNS)
		return LEAST_COLUMNS;
	return columns > MOST_COLUMNS ? MOST_COLUMNS : (int)columns;
}

static bool colour_of(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

/* The first that is set decides, as in locale(7). */
static bool unicode_here(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *locale = getenv(names[i]);

		if (locale && *locale)
			return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
	}
	return false;
}

struct look look_of(int fd)
{
	return (struct look){ .columns = columns_of(fd),
			      .colour = colour_of(fd),
			      .unicode = unicode_here() };
}

const char *look_begin(const struct look *look, enum tint tint)
{
	static const char *const codes[] = { [TINT_PLAIN] = "",
					     [TINT_STRONG] = "\033[1m",
					     [TINT_FAINT] = "\033[2m",
					     [TINT_WARN] = "\033[31m" };

	return look->colour ? codes[tint] : "";
}

const char *look_end(const struct look *look, enum tint tint)
{
	return look->colour && tint != TINT_PLAIN ? "\033[0m" : "";
}

void look_heading(const struct look *look, const char *text, FILE *out)
{
	CLEANUP(text_clear) struct text cut = { 0 };

	words_cut(&cut, text, (size_t)look->columns, look);
	fprintf(out, "%s%s%s\n", look_begin(look, TINT_STRONG), text_string(&cut),
		look_end(look, TINT_STRONG));
}
