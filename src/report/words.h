/* Facts in words. All that comes out of a recording goes through here or through a grid before it
 * meets a terminal, so that no escape of it is obeyed. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "base/human.h"
#include "base/text.h"
#include "model/facts.h"
#include "report/look.h"

#include <stdio.h>
#include <time.h>

/* "5.2 GiB" for memory, "1.9 GB" for I/O, "1.1" for cores, "71 %" for shares: by name and unit. */
const char *words_number(const char *name, enum unit unit, double number, char ret[HUMAN_BYTES]);
/* A counter's growth per second: "120 MB/s", "1.1" (CPU seconds a second), "35 /s". */
const char *words_rate(const struct metric *metric, double per_second, char ret[HUMAN_BYTES]);
/* The same for a fact: "about 5.2 GiB" where it is estimated, "not measured" where absent or NULL.
 */
const char *words_fact(const struct fact *fact, char ret[HUMAN_BYTES + 8]);

/* "exit status 3", "ended by SIGKILL, signal 9: ...", or why, where that is known: "Killed for lack
 * of memory: ... (SIGKILL, signal 9)."; nothing where it ended well or where nobody knows. */
void words_exit(struct text *text, const struct facts *facts);

/* Copies of the facts of a section, in order: by number where they are named "0", "1", ..., else by
 * name. The caller frees *ret. */
size_t words_section(const struct facts *facts, const char *section, struct fact **ret);

void words_clean(struct text *text, const char *bytes); /* text_add_clean of a string, NULL: none */
/* The command line, clean, with quotes where a word has blanks. */
void words_command(struct text *text, const struct facts *facts);
bool words_start(const struct facts *facts, time_t *ret); /* false where it is no time */
/* When the run started, in the reader's time zone: "2026-11-16 04:37:15"; as it stands in the
 * recording where it is no time. */
void words_started(struct text *text, const struct facts *facts);

/* How many columns of a terminal a clean string takes: "漢字" takes four. */
size_t words_columns(const char *string);
/* Adds as much of a clean string as fits, with an ellipsis where it was cut. */
void words_cut(struct text *text, const char *string, size_t columns, const struct look *look);
/* Prints a clean sentence from column `indent` on, further lines two blanks further in; at most
 * `lines` of them. Returns how many it took. */
int words_wrap(const char *sentence, int indent, int lines, const struct look *look, FILE *out);
int words_wrap_tinted(const char *sentence, int indent, int lines, enum tint tint,
		      const struct look *look, FILE *out);
/* How many lines words_wrap() would take. */
int words_lines(const char *sentence, int indent, const struct look *look);

#endif
