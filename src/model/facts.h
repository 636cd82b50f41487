/* The facts of one run: the only thing that passes between the recording and all that people see.
 * `sonde run` makes them, a recording keeps them, reports and advice read them.
 *
 * Everything in here is owned by the arena and goes away with facts_clear(). */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include "base/mem.h"
#include "model/metric.h"
#include "model/value.h"

#include <stdbool.h>
#include <stdint.h>

enum fact_kind {
	FACT_FIGURE, /* a number with how it was got */
	FACT_TEXT,   /* a word: a host name, a path */
	FACT_NUMBER, /* a bare number that is no measurement: an exit status, a pid */
	FACT_BOOL,
};

/* One fact. Sections are the objects of the JSON: run, exit, tag, command (the arguments, in order,
 * named "0", "1", ...), machine, limits, context, environment, totals, sonde, own, note. `note`
 * holds sentences for the user: what could not be measured or kept. `exit` holds how the program
 * ended and what is known about why: status, signal; what advise/died.c makes of it is `reason` (a
 * sentence), `cause` (a word of its table: "memory", "time", "disk", ...) and `sure` (a bool). */
struct fact {
	const char *section, *name;
	enum fact_kind kind;
	const char *text;   /* of FACT_TEXT */
	struct value value; /* of the others */
	double low, high;   /* NAN where not known */
	const char *source; /* how it was got: "wait4", "/proc/meminfo"; NULL where not known */
	const char *why;    /* why it is absent, or only estimated; NULL */
	enum unit unit;
};

#define PROCESS_ALIVE UINT64_MAX
#define PROCESS_STATUS_UNKNOWN (-1)

struct process {
	uint32_t id;     /* 1, 2, ... in order of being seen; 0 is the run itself */
	uint32_t parent; /* id; 0: started by sonde, or adopted by it */
	int pid;
	uint64_t count; /* 1; more where a storm of short ones was folded into this row */
	uint64_t started_ns, ended_ns; /* since the run's start; PROCESS_ALIVE: outlived the run */
	int status;                    /* as of wait(2), or PROCESS_STATUS_UNKNOWN */
	const char *name;              /* the kernel's name for it, at most 15 bytes, any bytes */
	const char *command;  /* its arguments with blanks between, secrets masked; may be NULL */
	struct value *values; /* its own totals or peaks, by process_metrics; counters are totals,
				 gauges peaks */
};

struct point {
	uint64_t time_ns;
	double number; /* NAN: a gap begins here */
	/* Where older ticks were folded, else NAN: of a gauge the least and the largest number in
	 * between, of a counter its least and largest rate, a second. */
	double low, high;
};

struct line { /* one metric over time */
	const struct metric *metric;
	uint32_t process; /* 0: the run */
	struct point *points;
	size_t n_points;
};

/* A moment that the program, or somebody for it, gave a name to. */
enum mark_kind {
	MARK_NEXT,  /* what was there at this depth ends, and `name` begins */
	MARK_BEGIN, /* `name` begins inside of what is there */
	MARK_END,   /* the newest `name` that was begun ends; without a name the newest of all */
};

#define MARKS_MOST 100000 /* a run keeps so many, and counts the rest */

struct mark {
	uint64_t time_ns; /* since the run's start; marks are in order */
	enum mark_kind kind;
	const char *name; /* any bytes but NUL and newline; "" only at MARK_END */
};

const char *mark_kind_name(enum mark_kind kind); /* "next", "begin", "end": for recordings */
int mark_kind_find(const char *name, enum mark_kind *ret);

/* What to do next, and why: made from the facts by `advise`, most important first. */
struct advice {
	const char *rule;     /* its id, a word for `sonde explain` */
	const char *text;     /* one sentence */
	const char *evidence; /* the numbers that it stands on, in words */
	const char *next;     /* what to type or to change; NULL where we know nothing */
};

struct facts {
	struct arena arena;
	struct fact *facts;
	size_t n_facts, room_facts;
	const struct metric *run_metrics, *process_metrics;
	size_t n_run_metrics, n_process_metrics;
	struct process *processes; /* by id; parents need not stand before children */
	size_t n_processes, room_processes;
	struct line *lines; /* only where they were asked for */
	size_t n_lines, room_lines;
	struct mark *marks;
	size_t n_marks, room_marks;
	struct phase *phases; /* only after phases_add(), model/phase.h */
	size_t n_phases;
	struct advice *advice; /* only after advise() */
	size_t n_advice, room_advice;
	bool running;  /* the run has not ended yet; what is here is what is known so far */
	bool repaired; /* the run did not end properly and its recording was just repaired */
};

/* Adding replaces a fact of the same section and name. Strings are copied. */
void facts_add(struct facts *facts, const struct fact *fact);
/* The same for one that is known not to be there yet: a command may have 100,000 words. */
void facts_append(struct facts *facts, const struct fact *fact);
void facts_add_text(struct facts *facts, const char *section, const char *name, const char *text);
void facts_add_number(struct facts *facts, const char *section, const char *name, double number);
void facts_add_bool(struct facts *facts, const char *section, const char *name, bool is);
void facts_add_measured(struct facts *facts, const char *section, const char *name, enum unit unit,
			double number, const char *source);
void facts_add_estimated(struct facts *facts, const char *section, const char *name, enum unit unit,
			 double number, const char *source, const char *why);
void facts_add_absent(struct facts *facts, const char *section, const char *name, enum unit unit,
		      const char *why);
void facts_note(struct facts *facts, const char *format, ...) PRINTF(2, 3);

const struct fact *facts_find(const struct facts *facts, const char *section, const char *name);
const char *facts_text(const struct facts *facts, const char *section,
		       const char *name); /* or NULL */
struct value facts_value(const struct facts *facts, const char *section,
			 const char *name); /* or absent */

/* Adds a row with an array of absent values by process_metrics, and returns it. The pointer lasts
 * until the next call. */
struct process *facts_add_process(struct facts *facts);
struct line *facts_add_line(struct facts *facts);
void facts_add_mark(struct facts *facts, const struct mark *mark);       /* strings are copied */
void facts_add_advice(struct facts *facts, const struct advice *advice); /* strings are copied */
void facts_drop_lines(struct facts *facts);
void facts_clear(struct facts *facts);

/* A new set with room for the same metrics, copied. */
void facts_set_metrics(struct facts *facts, enum scope scope, const struct metric *metrics,
		       size_t count);
/* The place of a metric in its scope's table; -1 where there is none. */
int facts_metric(const struct facts *facts, enum scope scope, const char *name);

#endif
