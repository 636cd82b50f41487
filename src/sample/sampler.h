/* Decides when to ask the machine, and whom, within a budget; and hands what it got to the
 * recording. */
#ifndef SAMPLE_SAMPLER_H
#define SAMPLE_SAMPLER_H

#include "model/now.h"
#include "model/tally.h"
#include "sample/tree.h"
#include "series/series.h"

struct shown { /* when rates were last made known, and the bytes then */
	uint64_t time_ns;
	double read_bytes, write_bytes;
};

struct sampler {
	struct metrics metrics;
	struct tree tree;
	struct tally *tally;
	struct series *series;   /* NULL: nothing is kept */
	struct err series_err;   /* the first trouble with it */
	void **run_states;       /* by run reader */
	struct value *run;       /* by run metric, now */
	struct value *first_run; /* at the first tick */
	struct value *nothing;   /* one absent value a process metric */
	struct value *sums;      /* room for one value a process metric */
	struct sample *samples;  /* room for one tick's samples, and their values */
	struct value *values;
	size_t room_samples;
	uint64_t asked_ns;    /* between two ticks, as the user asked */
	uint64_t interval_ns; /* as the budget allows */
	double budget;        /* share of one core */
	uint64_t ticks, gaps;
	uint64_t last_ns, own_ns; /* of the last tick: when, and our CPU clock */
	uint64_t first_own_ns;    /* our CPU clock at the start */
	uint64_t slow_due_ns;
	bool soon;                     /* somebody needs the next tick before its time */
	double pss_purse_ns;           /* CPU time left for reading PSS */
	double tick_cost_ns;           /* smoothed */
	uint64_t cores_ns;             /* since when busy cores are counted */
	double cores_cpu_s;            /* and the CPU time then */
	double memory_low;             /* the tree certainly held this much at some time */
	uint64_t pss_ns;               /* when PSS was last read */
	bool shares_good;              /* nothing moved while PSS was last read */
	double sum_peak;               /* largest sum of RSS that PSS was read at */
	double last_sum;               /* of RSS, at the last tick */
	double memory_peak;            /* of the tree, at ticks when it was known what is shared */
	double sum_known;              /* the largest sum of RSS at such ticks */
	double memory_guess, sum_most; /* the same of all ticks */
	uint64_t pss_pause_ns;         /* before looking again for what came apart */
	uint64_t gap_ns;               /* nobody looked for so long, in all */
	int cores;                     /* online */
	struct now *now;               /* for those who show it; NULL: nobody does */
	struct shown shown;
};

/* The tables of `facts` are filled from the sources and used until the end. */
void sampler_init(struct sampler *sampler, struct facts *facts, int launcher_pid,
		  const struct launcher_shared *shared, struct events *events, uint64_t interval_ns,
		  double budget);
/* One look. now_ns: since the program's start. */
void sampler_tick(struct sampler *sampler, uint64_t now_ns);
/* One in full because somebody needs to know how all stands just now; where the last one was just
 * before, as soon as may be; none where the budget does not allow it. */
void sampler_tick_extra(struct sampler *sampler, uint64_t now_ns);
/* Does the budget allow anything beyond the usual ticks? */
bool sampler_may(const struct sampler *sampler, uint64_t now_ns);
/* When the next look is due, in the same clock. */
uint64_t sampler_due(const struct sampler *sampler);
void sampler_clear(struct sampler *sampler);

#endif
