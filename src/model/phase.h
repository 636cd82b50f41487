/* Phases: what the marks of a run cut it into. A pure function of the facts.
 *
 * A flat mark (MARK_NEXT) ends the flat phase before it and begins one, inside of the newest phase
 * that was begun and not yet ended. An end closes the newest phase of that name, flat or not, and
 * the flat ones inside of it; others that were begun stay open until their own end, as happens
 * where several processes mark, and are then inside of what is around both. The run's end closes
 * all. */
#ifndef MODEL_PHASE_H
#define MODEL_PHASE_H

#include "base/err.h"
#include "model/facts.h"
#include "model/span.h"

/* Time at the outermost level that no mark gave a name to. */
#define PHASE_BEFORE "(before the first mark)"
#define PHASE_BETWEEN "(between phases)"

/* What is known of each phase: wall_s, cpu_s, memory_tree_peak_bytes, ... */
enum phase_figure {
	PHASE_WALL,
	PHASE_CPU,
	PHASE_CPU_USER,
	PHASE_CPU_SYSTEM,
	PHASE_CORES_MEAN,
	PHASE_CORES_PEAK,
	PHASE_MEMORY_PROCESS,
	PHASE_MEMORY_TREE,
	PHASE_SWAP,
	PHASE_READ,
	PHASE_WRITE,
	PHASE_STORAGE_READ,
	PHASE_STORAGE_WRITE,
	PHASE_WAIT_CPU,
	PHASE_WAIT_IO,
	PHASE_PROCESSES,
	PHASE_THREADS,
	PHASE_FIGURES
};

const char *phase_name(enum phase_figure figure); /* as in the totals: "wall_s" */
enum unit phase_unit(enum phase_figure figure);
const char *phase_source(enum phase_figure figure); /* of one that has no line of its own; NULL */
/* Why it is absent, or only estimated; NULL where it is measured. */
const char *phase_why(enum phase_figure figure, struct value value);

struct phase {
	const char *name; /* of its mark, PHASE_BEFORE or PHASE_BETWEEN */
	ptrdiff_t parent; /* place in the list, always before this one; -1: none */
	unsigned depth;
	struct span span;
	unsigned repetition, repetitions; /* the 2nd of 3 of this name in the run */
	size_t began, ended;              /* places of the marks that did it; PHASE_NO_MARK: none */
	struct value values[PHASE_FIGURES];
};
#define PHASE_NO_MARK SIZE_MAX

/* Fills facts->phases, in order of time, from facts->marks, and their figures from the run's lines
 * in `series`, which may be the same facts; where there are no lines, only times are known. */
void phases_add(struct facts *facts, const struct facts *series);
uint64_t phases_end_ns(const struct facts *facts);  /* of the run, as far as phases go */
size_t phases_unmatched(const struct facts *facts); /* ends of what was never begun */

/* Reads the figures of any stretch of time from the run's lines in `series`. */
struct phase_meter {
	const struct facts *series;              /* borrowed */
	const struct line *lines[PHASE_FIGURES]; /* or NULL */
	bool alone;                              /* the run is one process */
	uint64_t end_ns;                         /* of the run */
};
void phase_meter_init(struct phase_meter *meter, const struct facts *series);
void phase_measure(const struct phase_meter *meter, struct span span, struct value *ret);
/* Adds up two stretches of one phase, or two repetitions. */
void phase_values_add(struct value *to, const struct value *more);

/* phase_cut.c: the facts of one phase alone, as if nothing else had been: totals, processes, lines
 * and what stands inside of it, with times since its start; section "run", "phase" says which.
 * `which` is a name, for all of its repetitions one behind the other, or NAME#2 for the second. The
 * run's lines and those of its processes must be there. -ENOENT where there is no such phase. The
 * caller ends *ret with facts_clear(). */
int phase_cut(const struct facts *facts, const char *which, struct facts *ret, struct err *err);

#endif
