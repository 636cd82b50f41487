/* What stands on the terminal after a run:
 *	  time 4 min 12 s   CPU 1.1 of 16 cores   memory 5.2 GiB peak   read 1.9 GB
 *	  12 processes, 4 at once; the largest took 2.1 GiB
 *	  ended by SIGKILL, signal 9: killed from outside, often for lack of memory
 *	  recorded as 3f9a2c71   next: sonde show
 * Eight lines at most: the figures may take two, notes share what the others leave. */
#include "report/report.h"

#include "report/totals.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

#define LINES 8
#define INDENT 2
#define NEAR 0.8             /* of a limit: worth a word */
#define APART 0.05           /* of a bracket, low to high: worth a word */
#define APART_BYTES 10485760 /* and less than that is no news */
#define IO_BYTES 1e6         /* less is what any program reads when it starts */

struct summary {
	const struct facts *facts;
	const struct look *look;
	FILE *out;
	int left; /* lines */
};

static void add_time(struct text *cell, const struct facts *facts)
{
	char words[HUMAN_BYTES + 8];

	text_add_format(cell, "time %s", words_fact(facts_find(facts, "totals", "wall_s"), words));
}

/* Cores busy on average, beside those that it might use. */
static void add_cpu(struct text *cell, const struct facts *facts)
{
	struct value may_use = facts_value(facts, "limits", "cores");
	const struct fact *mean = facts_find(facts, "totals", "cores_mean");
	char words[HUMAN_BYTES + 8];

	if (!mean || !value_is(mean->value)) {
		text_add_format(cell, "CPU time %s",
				words_fact(facts_find(facts, "totals", "cpu_s"), words));
		return;
	}
	text_add_format(cell, "CPU %s", words_fact(mean, words));
	if (value_is(may_use))
		text_add_format(cell, " of %s", human_number(may_use.number, 3, words));
	text_add(cell, " cores");
}

/* The tree where it was sampled, else its largest process. */
static const struct fact *memory_fact(const struct facts *facts)
{
	const struct fact *tree = facts_find(facts, "totals", "memory_tree_peak_bytes");

	if (tree && value_is(tree->value))
		return tree;
	return facts_find(facts, "totals", "memory_process_peak_bytes");
}

static void add_memory(struct text *cell, const struct facts *facts)
{
	const struct fact *peak = memory_fact(facts);
	struct value limit = facts_value(facts, "limits", "memory_bytes");
	char words[HUMAN_BYTES + 8];

	text_add_format(cell, "memory %s", words_fact(peak, words));
	if (!peak || !value_is(peak->value))
		return;
	text_add(cell, " peak");
	if (value_is(limit) && limit.number > 0 && peak->value.number >= NEAR * limit.number)
		text_add_format(cell, " of %s", human_memory(limit.number, words));
}

static void add_if(struct text *cell, const struct facts *facts, const char *word, const char *name,
		   double least)
{
	const struct fact *fact = facts_find(facts, "totals", name);
	char words[HUMAN_BYTES + 8];

	if (fact && value_is(fact->value) && fact->value.number >= least)
		text_add_format(cell, "%s %s", word, words_fact(fact, words));
}

static void add_read(struct text *cell, const struct facts *facts)
{
	add_if(cell, facts, "read", "io_read_bytes", IO_BYTES);
}

static void add_written(struct text *cell, const struct facts *facts)
{
	add_if(cell, facts, "wrote", "io_write_bytes", IO_BYTES);
}

static void add_energy(struct text *cell, const struct facts *facts)
{
	add_if(cell, facts, "energy", "energy_j", 0);
}

/* Cells stand side by side while there is room. */
static void print_figures(struct summary *summary)
{
	static void (*const cells[])(struct text *,
				     const struct facts *) = { add_time, add_cpu,     add_memory,
							       add_read, add_written, add_energy };
	size_t room = (size_t)(summary->look->columns - INDENT - 1), used = 0;

	for (size_t i = 0; i < COUNT(cells); i++) {
		CLEANUP(text_clear) struct text cell = { 0 };
		size_t columns;

		cells[i](&cell, summary->facts);
		columns = words_columns(text_string(&cell));
		if (columns == 0)
			continue;
		if (used > 0 && used + 3 + columns > room) {
			summary->left--;
			fprintf(summary->out, "\n");
			used = 0;
		}
		fprintf(summary->out, "%*s%s", used > 0 ? 3 : INDENT, "", text_string(&cell));
		used += (used > 0 ? 3 : 0) + columns;
	}
	summary->left--;
	fprintf(summary->out, "\n");
}

static void print_sentence(struct summary *summary, const char *sentence, int lines)
{
	if (!*sentence || lines < 1)
		return;
	summary->left -= words_wrap(sentence, INDENT, lines, summary->look, summary->out);
}

/* Memory of a tree is sampled: where the truth may be elsewhere, say between what. */
static void add_bracket(struct text *text, const struct fact *tree)
{
	char low[HUMAN_BYTES], high[HUMAN_BYTES];

	if (!tree || !value_is(tree->value) || !isfinite(tree->low) || !isfinite(tree->high) ||
	    tree->high <= tree->low * (1 + APART) || tree->high - tree->low < APART_BYTES)
		return;
	text_add_format(text, "%sthe true peak of memory is between %s and %s",
			text->length > 0 ? "; " : "", human_memory(tree->low, low),
			human_memory(tree->high, high));
}

static void print_processes(struct summary *summary)
{
	CLEANUP(text_clear) struct text text = { 0 };
	const struct facts *facts = summary->facts;
	struct value count = facts_value(facts, "totals", "processes");
	struct value peak = facts_value(facts, "totals", "processes_peak");
	struct value largest = facts_value(facts, "totals", "memory_process_peak_bytes");
	char words[HUMAN_BYTES];

	if (value_is(count) && count.number > 1) {
		text_add_format(&text, "%s processes", human_count(count.number, words));
		if (value_is(peak))
			text_add_format(&text, ", %s at once", human_count(peak.number, words));
		if (value_is(largest))
			text_add_format(&text, "; the largest took %s",
					human_memory(largest.number, words));
	}
	add_bracket(&text, facts_find(facts, "totals", "memory_tree_peak_bytes"));
	print_sentence(summary, text_string(&text), 2);
}

static void print_exit(struct summary *summary)
{
	CLEANUP(text_clear) struct text text = { 0 };

	words_exit(&text, summary->facts);
	print_sentence(summary, text_string(&text), 2);
}

/* Notes take what is left but the last line; where that is too little, the last says how many more
 * there are. */
static void print_notes(struct summary *summary, int keep)
{
	CLEANUP(freep) struct fact *notes = NULL;
	size_t count = words_section(summary->facts, "note", &notes);

	for (size_t i = 0; i < count; i++) {
		CLEANUP(text_clear) struct text note = { 0 };
		int room = summary->left - keep - (i + 1 < count);

		if (room < 1) {
			text_add_format(&note, "and %zu more notes: sonde show", count - i);
			print_sentence(summary, text_string(&note), 1);
			return;
		}
		text_add(&note, "note: ");
		words_clean(&note, notes[i].text);
		print_sentence(summary, text_string(&note), room < 2 ? room : 2);
	}
}

static void print_next(struct summary *summary, const char *again)
{
	CLEANUP(text_clear) struct text text = { 0 };
	const char *id = facts_text(summary->facts, "run", "id");

	if (!again)
		return;
	if (id) {
		text_add(&text, "recorded as ");
		words_clean(&text, id);
		text_add(&text, "   ");
	}
	text_add(&text, "next: sonde show");
	text_add(&text, *again ? " " : "");
	words_clean(&text, again);
	fprintf(summary->out, "%*s%s\n", INDENT, "", text_string(&text));
}

void report_summary(const struct facts *facts, const char *again, const struct look *look,
		    FILE *out)
{
	struct summary summary = { .facts = facts, .look = look, .out = out, .left = LINES };

	print_figures(&summary);
	print_exit(&summary);
	print_processes(&summary);
	print_notes(&summary, again ? 1 : 0);
	print_next(&summary, again);
}
