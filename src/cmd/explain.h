/* What `sonde explain` knows. */
#ifndef CMD_EXPLAIN_H
#define CMD_EXPLAIN_H

#include "cmd/names.h"

void explain_names(struct names *ret); /* the words of the glossary, and the rules of advice */

#endif
