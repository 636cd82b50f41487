#include "cmd/fill.h"

#include <string.h>

void fill(const char *text, int column, int indent, int width, FILE *out)
{
	for (int words = 0; *text; words++) {
		int length = (int)strcspn(text, " ");

		if (words > 0 && column + 1 + length > width) {
			fputc('\n', out);
			column = words = 0;
		}
		if (column < indent)
			column += fprintf(out, "%*s", indent - column, "");
		column += fprintf(out, "%s%.*s", words > 0 ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}
