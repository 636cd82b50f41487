/* How far the numbers of a run are to be trusted: a sentence for each reason to doubt them. */
#ifndef REPORT_TRUST_H
#define REPORT_TRUST_H

#include "base/text.h"
#include "model/facts.h"

/* Adds the i-th sentence, the most important first; nothing where that one is no worry here, or
 * where one of the first `n_said` pieces of advice says it already. Returns false behind the last.
 * Nothing is said from an absent number. */
bool trust_add(struct text *text, const struct facts *facts, size_t n_said, size_t i);

/* CPU time of everybody else on the machine while it ran; absent where that is not known. */
struct value trust_others_s(const struct facts *facts);

#endif
