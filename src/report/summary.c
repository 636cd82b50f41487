/* What stands on the terminal after a run:
 *	  time 4 min 12 s   CPU 1.1 of 16 cores   memory 5.2 GiB peak   read 1.9 GB
 *	  ended by SIGKILL, signal 9: killed from outside, often for lack of memory
 *	  The machine was busy: others used 15 of its 16 cores; alone it may be faster.
 *	  One core was busy at a time: 8 Python threads share one GIL.
 *	  12 processes, 4 at once; the largest took 2.1 GiB
 *	  recorded as 3f9a2c71   next: sonde show
 *	  next time ask for: --cpus-per-task=1 --mem=6G --time=00:06:00
 * Eight lines at most, the most important first. What is said is said in full, or, where there is
 * no room for it, left to `sonde show`. */
#include "report/report.h"

#include "report/totals.h"
#include "report/trust.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

#define LINES 8
#define INDENT 2
#define BETWEEN 3            /* blanks between two cells */
#define NEAR 0.8             /* of a limit: worth a word */
#define IO_BYTES 1e6         /* less is what any program reads when it starts */
#define APART 0.05           /* of a bracket, low to high: worth a word */
#define APART_BYTES 10485760 /* and less than that is no news */
#define CELL_LINES 2         /* of a cell that is wider than a line */
#define END_LINES 3
#define EXIT_LINES 3
#define DOUBTS 2
#define ADVICE 2
#define COMMAND_WORDS 4
#define CELLS 8

struct summary {
	const struct facts *facts;
	const struct look *look;
	FILE *out;
	int left; /* lines, the end's not counted */
};

/* Cells stand side by side while there is room. */
struct flow {
	struct text cells[CELLS];
	size_t count;
};

static void flow_clear(struct flow *flow)
{
	for (size_t i = 0; i < flow->count; i++)
		text_clear(&flow->cells[i]);
}

static struct text *flow_next(struct flow *flow)
{
	return &flow->cells[flow->count++];
}

/* Where the cell that begins in `column` ends, and whether it needs a new line. */
static size_t flow_place(const char *cell, size_t column, const struct look *look, bool *new_line)
{
	size_t columns = words_columns(cell);

	*new_line = column > 0 && column + BETWEEN + columns >= (size_t)look->columns;
	return columns + (column == 0 || *new_line ? INDENT : column + BETWEEN);
}

/* Prints them, or only counts the lines where `out` is NULL. A cell that is wider than a line has
 * lines of its own. */
static int flow_print(const struct flow *flow, enum tint tint, const struct look *look, FILE *out)
{
	size_t column = 0;
	int lines = 0;

	for (size_t i = 0; i < flow->count; i++) {
		const char *cell = text_string(&flow->cells[i]);
		bool new_line;
		size_t end = flow_place(cell, column, look, &new_line);

		if (!*cell)
			continue;
		if (out && new_line)
			fputc('\n', out);
		lines += new_line || column == 0;
		if (end >= (size_t)look->columns) {
			lines += words_lines(cell, INDENT, look) > 1;
			if (out)
				words_wrap_tinted(cell, INDENT, CELL_LINES, tint, look, out);
			column = 0;
			continue;
		}
		if (out)
			fprintf(out, "%*s%s%s%s", column == 0 || new_line ? INDENT : BETWEEN, "",
				look_begin(look, tint), cell, look_end(look, tint));
		column = end;
	}
	if (out && column > 0)
		fputc('\n', out);
	return lines;
}

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
		text_add_format(cell, "%s%s %s", cell->length > 0 ? ", " : "", word,
				words_fact(fact, words));
}

static void add_io(struct text *cell, const struct facts *facts)
{
	add_if(cell, facts, "read", "io_read_bytes", IO_BYTES);
	add_if(cell, facts, "wrote", "io_write_bytes", IO_BYTES);
}

static void add_energy(struct text *cell, const struct facts *facts)
{
	add_if(cell, facts, "energy", "energy_j", 0);
}

/* What there is no room for goes, the least important first. */
static void print_figures(struct summary *summary, int most)
{
	static void (*const cells[])(struct text *, const struct facts *) = { add_time, add_cpu,
									      add_memory, add_io,
									      add_energy };
	CLEANUP(flow_clear) struct flow flow = { 0 };

	for (size_t i = 0; i < COUNT(cells); i++)
		cells[i](flow_next(&flow), summary->facts);
	while (flow.count > 1 && flow_print(&flow, TINT_PLAIN, summary->look, NULL) > most)
		text_clear(&flow.cells[--flow.count]);
	summary->left -= flow_print(&flow, TINT_STRONG, summary->look, summary->out);
}

/* In full or not at all. */
static bool print_sentence(struct summary *summary, const char *sentence, enum tint tint)
{
	if (!*sentence || words_lines(sentence, INDENT, summary->look) > summary->left)
		return false;
	summary->left -= words_wrap_tinted(sentence, INDENT, LINES, tint, summary->look,
					   summary->out);
	return true;
}

static void print_exit(struct summary *summary, const char *sentence)
{
	int most = summary->left < EXIT_LINES ? summary->left : EXIT_LINES;

	summary->left -= words_wrap_tinted(sentence, INDENT, most, TINT_WARN, summary->look,
					   summary->out);
}

static void print_doubts(struct summary *summary)
{
	int said = 0;

	for (size_t i = 0; said < DOUBTS; i++) {
		CLEANUP(text_clear) struct text text = { 0 };

		if (!trust_add(&text, summary->facts, ADVICE, i))
			return;
		said += print_sentence(summary, text_string(&text), TINT_WARN);
	}
}

static void print_advice(struct summary *summary)
{
	const struct facts *facts = summary->facts;

	for (size_t i = 0; i < facts->n_advice && i < ADVICE; i++) {
		CLEANUP(text_clear) struct text text = { 0 };

		words_clean(&text, facts->advice[i].text);
		print_sentence(summary, text_string(&text), TINT_PLAIN);
	}
}

static void print_processes(struct summary *summary)
{
	CLEANUP(text_clear) struct text text = { 0 };
	const struct facts *facts = summary->facts;
	struct value count = facts_value(facts, "totals", "processes");
	struct value peak = facts_value(facts, "totals", "processes_peak");
	struct value largest = facts_value(facts, "totals", "memory_process_peak_bytes");
	char words[HUMAN_BYTES];

	if (!value_is(count) || count.number <= 1)
		return;
	text_add_format(&text, "%s processes", human_count(count.number, words));
	if (value_is(peak))
		text_add_format(&text, ", %s at once", human_count(peak.number, words));
	if (value_is(largest))
		text_add_format(&text, "; the largest took %s",
				human_memory(largest.number, words));
	print_sentence(summary, text_string(&text), TINT_PLAIN);
}

/* Memory of a tree is sampled: where the truth may be elsewhere, say between what. */
static void print_bracket(struct summary *summary)
{
	const struct fact *tree = facts_find(summary->facts, "totals", "memory_tree_peak_bytes");
	CLEANUP(text_clear) struct text text = { 0 };
	char low[HUMAN_BYTES], high[HUMAN_BYTES];

	if (!tree || !value_is(tree->value) || !isfinite(tree->low) || !isfinite(tree->high) ||
	    tree->high <= tree->low * (1 + APART) || tree->high - tree->low < APART_BYTES)
		return;
	text_add_format(&text, "the true peak of memory is between %s and %s",
			human_memory(tree->low, low), human_memory(tree->high, high));
	print_sentence(summary, text_string(&text), TINT_PLAIN);
}

/* Where there is no room for all, the last line says how many more there are. */
static void print_notes(struct summary *summary)
{
	CLEANUP(freep) struct fact *notes = NULL;
	size_t count = words_section(summary->facts, "note", &notes);

	for (size_t i = 0; i < count; i++) {
		CLEANUP(text_clear) struct text note = { 0 };
		bool more = i + 1 < count;

		text_add(&note, "note: ");
		words_clean(&note, notes[i].text);
		summary->left -= more;
		if (print_sentence(summary, text_string(&note), TINT_PLAIN)) {
			summary->left += more;
			continue;
		}
		summary->left += more;
		text_clear(&note);
		text_add_format(&note, "and %zu more note%s: sonde show", count - i,
				more ? "s" : "");
		print_sentence(summary, text_string(&note), TINT_PLAIN);
		return;
	}
}

static bool starts_with(const char *text, const char *start)
{
	return text && strncmp(text, start, strlen(start)) == 0;
}

/* "sonde explain one-core", and not a sentence that begins with the name of a command. */
static bool is_command(const char *next)
{
	int blanks = 0;

	if (!starts_with(next, "sonde "))
		return false;
	for (; *next; next++)
		blanks += *next == ' ';
	return blanks < COMMAND_WORDS;
}

/* What to ask for next time where that is known, else the first step that can be typed as it is:
 * "sonde lines", "--mem=6G". NULL where there is none. */
static const char *find_next(const struct facts *facts)
{
	static const char *const starts[] = { "ask for ", "-", "#" };

	for (size_t i = 0; i < facts->n_advice; i++) {
		if (strcmp(facts->advice[i].rule, "ask-for") == 0)
			return facts->advice[i].next;
	}
	for (size_t i = 0; i < facts->n_advice; i++) {
		if (is_command(facts->advice[i].next))
			return facts->advice[i].next;
		for (size_t j = 0; j < COUNT(starts); j++) {
			if (starts_with(facts->advice[i].next, starts[j]))
				return facts->advice[i].next;
		}
	}
	return NULL;
}

static void add_end(struct flow *flow, const struct facts *facts, const char *again)
{
	const char *id = facts_text(facts, "run", "id"), *next = find_next(facts);
	bool command = is_command(next);
	struct text *cell;

	if (again && id) {
		cell = flow_next(flow);
		text_add(cell, "recorded as ");
		words_clean(cell, id);
	}
	if (again || command) {
		cell = flow_next(flow);
		text_add(cell, "next: ");
		words_clean(cell, command ? next : "sonde show");
		text_add(cell, !command && *again ? " " : "");
		words_clean(cell, command ? "" : again);
	}
	if (!next || command)
		return;
	cell = flow_next(flow);
	text_add(cell, starts_with(next, "ask for ") ? "next time " : "next time ask for: ");
	words_clean(cell, next);
}

void report_summary(const struct facts *facts, const char *again, const struct look *look,
		    FILE *out)
{
	struct summary summary = { .facts = facts, .look = look, .out = out };
	CLEANUP(flow_clear) struct flow end = { 0 };
	CLEANUP(text_clear) struct text ended = { 0 };

	words_exit(&ended, facts);
	add_end(&end, facts, again);
	if (flow_print(&end, TINT_PLAIN, look, NULL) > END_LINES)
		text_clear(&end.cells[0]); /* its id */
	summary.left = LINES - flow_print(&end, TINT_PLAIN, look, NULL);
	print_figures(&summary, summary.left - (ended.length > 0));
	print_exit(&summary, text_string(&ended));
	print_doubts(&summary);
	print_advice(&summary);
	print_processes(&summary);
	print_bracket(&summary);
	print_notes(&summary);
	flow_print(&end, TINT_PLAIN, look, out);
}
