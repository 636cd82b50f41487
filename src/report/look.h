/* What the reader's terminal can show. */
#ifndef REPORT_LOOK_H
#define REPORT_LOOK_H

#include <stdbool.h>
#include <stdio.h>

struct look {
	int columns;
	bool colour;
	bool unicode; /* lines of trees and bars may be drawn with more than ASCII */
};

/* Asks the terminal behind `fd`. What is no terminal has 80 columns and no colour; NO_COLOR and
 * TERM=dumb switch colour off, COLUMNS sets the width of either. */
struct look look_of(int fd);

/* Sparing, and readable on dark and on light: no colour that vanishes on either. */
enum tint {
	TINT_PLAIN,
	TINT_STRONG, /* headings, the figures of the summary */
	TINT_FAINT,  /* what only some readers want: how we know it */
	TINT_WARN,   /* it died; a number is not to be trusted; a limit */
};

/* What to print before a tinted text, and behind it; "" where there is no colour. */
const char *look_begin(const struct look *look, enum tint tint);
const char *look_end(const struct look *look, enum tint tint);

/* A clean text in bold on a line of its own, cut where it does not fit. */
void look_heading(const struct look *look, const char *text, FILE *out);

#endif
