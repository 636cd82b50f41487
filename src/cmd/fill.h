/* Sentences in lines that fit. */
#ifndef CMD_FILL_H
#define CMD_FILL_H

#include <stdio.h>

/* Prints a clean text word by word. The cursor stands at `column`; further lines begin at `indent`,
 * and none is longer than `width` unless a single word is. Ends with a newline. */
void fill(const char *text, int column, int indent, int width, FILE *out);

#endif
