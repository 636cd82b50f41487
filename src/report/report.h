/* Shows the facts of a run: to other tools by a row of report_table, to people by the functions
 * below. A new format is a file with `const struct report report_NAME`, a row in table.c and a
 * test. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/err.h"
#include "model/facts.h"
#include "report/look.h"

#include <stdio.h>

struct report {
	const char *name;
	const char *suffix; /* of files: ".json" */
	const char *help;   /* one line */
	bool needs_lines;   /* says little where they are not loaded */
	/* Where lines are loaded they are written too. Fails where `out` does, or where the facts
	 * lack what the format must have. */
	int (*write)(const struct facts *facts, FILE *out, struct err *err);
};

extern const struct report *const report_table[]; /* ends with NULL */
extern const struct report report_json, report_csv, report_openmetrics;

const struct report *report_find(const char *name); /* or NULL */

/* What `report_openmetrics` writes, by the second, with other steps or for another reader. */
struct openmetrics {
	/* One sample a step, the last in it. In whole seconds it is a form that both OpenMetrics
	 * and Prometheus's older text read, else (not below a millisecond) OpenMetrics alone. */
	uint64_t step_ns;
	/* For node_exporter's collector of text files: no times, the totals alone; while the run
	 * lasts, also the newest point of each line. The step does not matter. */
	bool textfile;
};
int openmetrics_write(const struct facts *facts, const struct openmetrics *how, FILE *out,
		      struct err *err);

/* After a run: at most eight lines that fit the look's columns, most important first. `again` is
 * what `sonde show` needs to find the run: "" for the last one, a path or a name; NULL where it was
 * not recorded. */
void report_summary(const struct facts *facts, const char *again, const struct look *look,
		    FILE *out);

enum show {
	SHOW_PAGE, /* all of it, the tree in short */
	SHOW_TREE, /* the tree alone, every process that was recorded */
};
void report_show(const struct facts *facts, enum show what, const struct look *look, FILE *out);

/* One metric over time, as a plot: gauges as they are, counters as what they do in a second. A gap
 * stays visible, so does the shortest peak. In short, one of many: not so high, and one line where
 * nothing ever changed. */
void report_series(const struct facts *facts, const struct line *line, bool in_short,
		   const struct look *look, FILE *out);
/* The same as a list, a line for each point. */
void report_list(const struct line *line, const struct look *look, FILE *out);

/* A list of runs, as a table or as JSON ("sonde.history/1"), with what they used together. Runs are
 * added one by one, each as it was read or with why it could not be; nothing of them is kept but
 * what is shown. */
struct history;
struct history *history_new(bool as_json, const struct look *look, FILE *out);
void history_add(struct history *history, const char *path, const char *id,
		 const struct facts *facts);
void history_add_damaged(struct history *history, const char *path, const char *id,
			 const char *problem);
int history_finish(struct history *history, struct err *err); /* did all of it reach `out`? */
void history_free(struct history *history);

#endif
