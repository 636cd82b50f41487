/* Turns the facts of a run into sentences: why it died, and what to do next. It asks nobody, so a
 * recording of last year gets today's advice. */
#ifndef ADVISE_ADVISE_H
#define ADVISE_ADVISE_H

#include "model/facts.h"

/* Adds to section "exit" why the program ended as it did, and to facts->advice what follows from
 * all that is known, most important first. Nothing is ever said from an absent number, nor from one
 * that is too uncertain for it. */
void advise(struct facts *facts);

/* For advise(): the first half of it, in died.c, and the second, in rules.c. */
void died_add(struct facts *facts);
void rules_add(struct facts *facts);

#endif
