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

/* A clean text in bold on a line of its own, cut where it does not fit. */
void look_heading(const struct look *look, const char *text, FILE *out);

#endif
