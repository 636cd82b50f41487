#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "model/phase.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S 1000000000ull

/* Marks are written as "2 +train": at second 2, as a program would write them, with ";" between. */
static void add_marks(struct facts *facts, const char *text)
{
	CLEANUP(freep) char *copy = mem_copy(text);
	char *rest = copy;

	for (char *each; (each = strsep(&rest, ";"));) {
		char *name;
		uint64_t time_ns = (uint64_t)(strtod(each, &name) * 1e9);
		struct mark mark = { .time_ns = time_ns, .kind = MARK_NEXT };

		if (!*each)
			continue;
		name++;
		if (*name == '+' || *name == '-')
			mark.kind = *name++ == '+' ? MARK_BEGIN : MARK_END;
		mark.name = name;
		facts_add_mark(facts, &mark);
	}
}

/* "train 1-4, .epoch#1/2 1-2, ...": a dot for each level. */
static void tell(const struct facts *facts, struct text *ret)
{
	for (size_t i = 0; i < facts->n_phases; i++) {
		const struct phase *phase = &facts->phases[i];

		text_add(ret, i > 0 ? ", " : "");
		for (unsigned depth = 0; depth < phase->depth; depth++)
			text_add(ret, ".");
		text_add(ret, phase->name);
		if (phase->repetitions > 1)
			text_add_format(ret, "#%u/%u", phase->repetition, phase->repetitions);
		text_add_format(ret, " %g-%g", (double)phase->span.start_ns / 1e9,
				(double)phase->span.end_ns / 1e9);
	}
}

static void phases(void **state)
{
	static const struct {
		const char *marks, *phases;
		size_t unmatched;
	} cases[] = {
		{ "", "", 0 },
		{ "0 load;4 fit", "load 0-4, fit 4-10", 0 },
		{ "1 load", "(before the first mark) 0-1, load 1-10", 0 },
		/* nested: flat marks cut what they stand in */
		{ "0 +train;0 epoch;2 epoch;4 -train;4 save",
		  "train 0-4, .epoch#1/2 0-2, .epoch#2/2 2-4, save 4-10", 0 },
		{ "0 a;1 +b;2 c;3 -b;4 d", "a 0-4, .b 1-3, ..c 2-3, d 4-10", 0 },
		{ "0 +a;1 +b;2 +c;3 -;4 -;5 -", "a 0-5, .b 1-4, ..c 2-3, (between phases) 5-10",
		  0 },
		{ "0 +a;1 -a;3 +b;4 -b",
		  "a 0-1, (between phases)#1/2 1-3, b 3-4, (between phases)#2/2 4-10", 0 },
		/* a flat one ends by name, too; "-" ends what was begun */
		{ "0 load;2 -load;2 +train", "load 0-2, train 2-10", 0 },
		{ "0 +train;1 epoch;2 -", "train 0-2, .epoch 1-2, (between phases) 2-10", 0 },
		/* repeated */
		{ "0 x;1 x;2 y;3 x", "x#1/3 0-1, x#2/3 1-2, y 2-3, x#3/3 3-10", 0 },
		/* overlapping, as of two processes: what goes on was not inside */
		{ "0 +a;1 +b;2 -a;3 -b", "a 0-2, b 1-3, (between phases) 3-10", 0 },
		{ "0 +o;1 +a;2 f;3 +b;4 -a;5 -b;6 -o",
		  "o 0-6, .a 1-4, ..f 2-4, .b 3-5, (between phases) 6-10", 0 },
		{ "0 +x;1 +x;2 -x;3 -x", "x#1/2 0-3, .x#2/2 1-2, (between phases) 3-10", 0 },
		/* ends that fit nothing */
		{ "0 -a", "", 1 },
		{ "0 a;1 -b;2 -;3 c", "a 0-3, c 3-10", 2 },
		{ "0 +a;1 -a;1 -a;1 b", "a 0-1, b 1-10", 1 },
		/* never ended; at one moment; after the end of what was recorded */
		{ "0 +a;0 +b;0 c", "a 0-10, .b 0-10, ..c 0-10", 0 },
		{ "0 a;0 b;0 c", "a 0-0, b 0-0, c 0-10", 0 },
		{ "0 a;12 b", "a 0-12, b 12-12", 0 },
		/* pauses too short for a name */
		{ "0.005 +a;1 -a;1.005 +b", "a 0.005-1, b 1.005-10", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(text_clear) struct text told = { 0 };

		facts_add_measured(&facts, "totals", "wall_s", UNIT_SECONDS, 10, "clock");
		add_marks(&facts, cases[i].marks);
		phases_add(&facts, &facts);
		tell(&facts, &told);
		assert_string_equal(text_string(&told), cases[i].phases);
		assert_int_equal(phases_unmatched(&facts), cases[i].unmatched);
		for (size_t j = 0; j < facts.n_phases; j++) {
			assert_true(facts.phases[j].parent < (ptrdiff_t)j);
			assert_false(value_is(facts.phases[j].values[PHASE_CPU]));
		}
	}
}

/* Somebody begins again and again and never ends: no deeper than a hundred, and no slower. */
static void never_ended(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	unsigned deepest = 0;

	(void)state;
	for (uint64_t i = 0; i < MARKS_MOST; i++)
		facts_add_mark(&facts, &(struct mark){ .time_ns = i * S,
						       .kind = i % 3 ? MARK_BEGIN : MARK_END,
						       .name = i % 3 ? "again" : "other" });
	phases_add(&facts, &facts);
	for (size_t i = 0; i < facts.n_phases; i++)
		deepest = facts.phases[i].depth > deepest ? facts.phases[i].depth : deepest;
	assert_int_equal(deepest, 99);
}

static const struct metric run_metrics[] = {
	{ .name = "cpu_s", .source = "stat", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
	{ .name = "memory_tree_bytes", .source = "tree", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
	{ .name = "io_write_bytes", .source = "io", .unit = UNIT_BYTES, .kind = KIND_COUNTER },
};
static const struct metric process_metrics[] = {
	{ .name = "cpu_s", .source = "stat", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
	{ .name = "memory_bytes", .source = "statm", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
	{ .name = "memory_high_bytes", .source = "status", .unit = UNIT_BYTES, .kind = KIND_GAUGE },
};

struct at {
	double time_s, number;
};

static void add_line(struct facts *facts, uint32_t process, const struct metric *metric,
		     const struct at *points, size_t count)
{
	struct line *line = facts_add_line(facts);

	line->metric = metric;
	line->process = process;
	line->points = mem_new(count * sizeof(*line->points));
	line->n_points = count;
	for (size_t i = 0; i < count; i++)
		line->points[i] = (struct point){ .time_ns = (uint64_t)(points[i].time_s * 1e9),
						  .number = points[i].number,
						  .low = NAN,
						  .high = NAN };
}

#define ADD_LINE(facts, process, metric, ...)                                                      \
	add_line(facts, process, metric, (const struct at[]){ __VA_ARGS__ },                       \
		 sizeof((const struct at[]){ __VA_ARGS__ }) / sizeof(struct at))

/* 10 s, a tick each second and a last one just after the end. CPU: none up to 2 s, one core up to
 * 6 s, none. Process 1 lives all the time and works from 2 s to 4 s, process 2 lives from 4 s to 6
 * s, process 3 from 7 s on, and sleeps. */
static void make(struct facts *facts, const char *marks)
{
	struct process *process;

	facts_set_metrics(facts, SCOPE_RUN, run_metrics, COUNT(run_metrics));
	facts_set_metrics(facts, SCOPE_PROCESS, process_metrics, COUNT(process_metrics));
	facts_add_text(facts, "run", "name", "made");
	facts_add_number(facts, "machine", "cores", 16);
	facts_add_measured(facts, "totals", "wall_s", UNIT_SECONDS, 10, "clock");
	facts_add_measured(facts, "totals", "processes", UNIT_COUNT, 1, "perf");
	facts_add_measured(facts, "totals", "switches_voluntary", UNIT_COUNT, 7, "wait4");
	facts_add_measured(facts, "own", "cpu_s", UNIT_SECONDS, 0.1, "getrusage");
	for (uint32_t id = 1; id <= 3; id++) {
		process = facts_add_process(facts);
		process->id = id;
		process->parent = id == 3 ? 2 : id - 1;
		process->pid = (int)(100 + id);
		process->name = process->command = id == 2 ? "child" : "other";
	}
	facts->processes[0].ended_ns = 10 * S;
	facts->processes[0].values[0] = value_read(2);
	facts->processes[0].values[1] = value_read(300);
	facts->processes[0].values[2] = value_read(350);
	facts->processes[1].started_ns = 4 * S;
	facts->processes[1].ended_ns = 6 * S;
	facts->processes[1].status = 256;
	facts->processes[1].values[0] = value_read(2);
	facts->processes[2].started_ns = 7 * S;
	ADD_LINE(facts, 0, &facts->run_metrics[0], { 1, 0 }, { 2, 0 }, { 3, 1 }, { 4, 2 }, { 5, 3 },
		 { 6, 4 }, { 7, 4 }, { 8, 4 }, { 9, 4 }, { 10.001, 4 });
	ADD_LINE(facts, 0, &facts->run_metrics[1], { 1, 100 }, { 2, 100 }, { 3, 300 }, { 4, 200 },
		 { 5, 200 }, { 6, 500 }, { 7, 50 }, { 8, 50 }, { 9, 50 }, { 10.001, 0 });
	ADD_LINE(facts, 0, &facts->run_metrics[2], { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 1000 },
		 { 5, 1000 }, { 6, NAN }, { 8, 4000 }, { 9, 4000 }, { 10.001, 4000 });
	ADD_LINE(facts, 1, &facts->process_metrics[0], { 1, 0 }, { 3, 1 }, { 4, 2 });
	ADD_LINE(facts, 1, &facts->process_metrics[1], { 1, 100 }, { 3, 300 }, { 4, 200 });
	ADD_LINE(facts, 1, &facts->process_metrics[2], { 1, 100 }, { 3, 350 }, { 4, 350 });
	ADD_LINE(facts, 2, &facts->process_metrics[0], { 5, 1 });
	ADD_LINE(facts, 3, &facts->process_metrics[1], { 7, 10 });
	add_marks(facts, marks);
	phases_add(facts, facts);
}

static void figures(void **state)
{
	enum { YES = HOW_MEASURED, MAYBE = HOW_ESTIMATED, NO = HOW_ABSENT };
	static const struct {
		const char *marks;
		int phase;
		enum phase_figure figure;
		double number;
		int how;
	} cases[] = {
		{ "2 a;6 b", 1, PHASE_WALL, 4, YES },
		{ "2 a;6 b", 1, PHASE_CPU, 4, YES },
		{ "2 a;6 b", 1, PHASE_CORES_MEAN, 1, YES },
		{ "2 a;6 b", 1, PHASE_MEMORY_TREE, 500, MAYBE },
		{ "2 a;6 b", 1, PHASE_WRITE, 2000, MAYBE }, /* a gap begins at 6 s: a third of it */
		{ "2 a;6 b", 2, PHASE_CPU, 0, YES },
		{ "2 a;6 b", 2, PHASE_MEMORY_TREE, 500, MAYBE }, /* it held that when it began */
		{ "2 a;5 b", 1, PHASE_WRITE, 1000, YES },
		{ "2 a;5 b", 2, PHASE_WRITE, 3000, YES }, /* up to the look after the end */
		{ "2 a;6 b", 0, PHASE_CPU, 0, YES },      /* before the first mark */
		{ "2 a;6 b", 0, PHASE_SWAP, 0, NO },
		{ "2.5 a;6 b", 1, PHASE_CPU, 3.5, MAYBE }, /* between two looks */
		{ "1.5 a;6.5 b", 1, PHASE_CPU, 4, YES },   /* nothing was done around the cuts */
		{ "3.2 a;3.6 b", 1, PHASE_CPU, 0.4, MAYBE },
		{ "3.2 a;3.6 b", 1, PHASE_MEMORY_TREE, 0, NO }, /* nobody looked */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		struct value value;

		make(&facts, cases[i].marks);
		value = facts.phases[cases[i].phase].values[cases[i].figure];
		assert_int_equal(value.how, cases[i].how);
		assert_float_equal(value.number, cases[i].number, 1e-6);
	}
}

static double total(const struct facts *facts, const char *name)
{
	struct value value = facts_value(facts, "totals", name);

	return value_is(value) ? value.number : NAN;
}

/* What a process did between the last look and its end is in the account of the run only. */
static void after_the_last_look(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 }, alone = { 0 };

	(void)state;
	make(&facts, "2 a;9 b");
	facts_add_measured(&facts, "totals", "io_write_bytes", UNIT_BYTES, 9000, "/proc/PID/io");
	facts_add_measured(&facts, "totals", "cpu_s", UNIT_SECONDS, 3.9,
			   "wait4"); /* less: no matter */
	phases_add(&facts, &facts);
	assert_float_equal(facts.phases[1].values[PHASE_WRITE].number, 4000, 0);
	assert_float_equal(facts.phases[2].values[PHASE_WRITE].number, 5000, 0);
	assert_float_equal(facts.phases[2].values[PHASE_CPU].number, 0, 0);
	assert_int_equal(phase_cut(&facts, "b", &alone, NULL), 0);
	assert_float_equal(total(&alone, "io_write_bytes"), 5000, 0);
	assert_float_equal(alone.lines[2].points[alone.lines[2].n_points - 1].number, 5000, 0);
}

static void sums(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct value sum[PHASE_FIGURES];

	(void)state;
	make(&facts, "2 a;4 b;5 a;6 b");
	memcpy(sum, facts.phases[1].values, sizeof(sum));
	phase_values_add(sum, facts.phases[3].values);
	assert_float_equal(sum[PHASE_WALL].number, 3, 1e-9);
	assert_float_equal(sum[PHASE_CPU].number, 3, 1e-9);
	assert_float_equal(sum[PHASE_CORES_MEAN].number, 1, 1e-9);
	assert_float_equal(sum[PHASE_MEMORY_TREE].number, 500, 0);
	assert_false(value_is(sum[PHASE_SWAP]));
}

static struct facts cut(struct facts *facts, const char *marks, const char *which)
{
	struct facts ret;
	struct err err = { 0 };

	make(facts, marks);
	if (phase_cut(facts, which, &ret, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

static void one_phase(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(facts_clear) struct facts alone = cut(&facts, "2 +a;3 b;4 c;5 -a;6 +d", "a");
	CLEANUP(text_clear) struct text told = { 0 };
	const struct process *first = &alone.processes[0], *child = &alone.processes[1];

	(void)state;
	assert_float_equal(total(&alone, "wall_s"), 3, 1e-9);
	assert_float_equal(total(&alone, "cpu_s"), 3, 1e-9);
	assert_float_equal(total(&alone, "io_write_bytes"), 1000, 0);
	assert_float_equal(total(&alone, "memory_tree_peak_bytes"), 300, 0);
	assert_float_equal(total(&alone, "memory_tree_mean_bytes"), (300 + 200 + 200) / 3.0, 1e-9);
	assert_true(isnan(total(&alone, "switches_voluntary")));
	assert_string_equal(facts_find(&alone, "totals", "switches_voluntary")->why,
			    "known of the whole run only");
	/* what is not of the phase stays, but for what sonde itself cost */
	assert_string_equal(facts_text(&alone, "run", "name"), "made");
	assert_float_equal(facts_value(&alone, "machine", "cores").number, 16, 0);
	assert_null(facts_find(&alone, "own", "cpu_s"));
	/* processes: the third had not yet begun, the second has not yet ended */
	assert_int_equal(alone.n_processes, 2);
	assert_true(first->started_ns == 0 && first->ended_ns == PROCESS_ALIVE);
	assert_float_equal(first->values[0].number, 2, 1e-9);
	assert_int_equal(first->values[0].how, HOW_MEASURED);
	assert_float_equal(first->values[1].number, 300, 0);
	assert_float_equal(first->values[2].number, 350, 0); /* its high mark rose in it */
	assert_true(child->started_ns == 2 * S && child->ended_ns == PROCESS_ALIVE);
	assert_int_equal(child->status, PROCESS_STATUS_UNKNOWN);
	assert_float_equal(child->values[0].number, 1, 1e-9);
	/* what stands inside of it */
	tell(&alone, &told);
	assert_string_equal(told.data, "(before the first mark) 0-1, b 1-2, c 2-3");
	/* lines start at its start */
	assert_int_equal(alone.lines[0].n_points, 3);
	assert_true(alone.lines[0].points[0].time_ns == 1 * S);
	assert_float_equal(alone.lines[0].points[0].number, 1, 1e-9);
	assert_true(alone.lines[0].points[2].time_ns == 3 * S);
	assert_ptr_equal(alone.lines[0].metric, &alone.run_metrics[0]);
	assert_int_equal(alone.lines[1].n_points, 4);
	assert_non_null(strstr(facts_text(&alone, "note", "0"), "phase 'a' alone"));
	assert_string_equal(facts_text(&alone, "run", "phase"), "a");
}

/* Of a process that slept in the phase, its memory is known all the same, but not its high mark. */
static void sleepers(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(facts_clear) struct facts alone = cut(&facts, "7 a;9 b", "a");

	(void)state;
	assert_int_equal(alone.n_processes, 2);
	assert_float_equal(alone.processes[0].values[0].number, 0, 0);
	assert_int_equal(alone.processes[0].values[0].how, HOW_MEASURED);
	assert_float_equal(alone.processes[0].values[1].number, 200, 0);
	assert_false(value_is(alone.processes[0].values[2]));
	/* its parent has gone, but the parent's parent lives */
	assert_int_equal(alone.processes[1].id, 3);
	assert_int_equal(alone.processes[1].parent, 1);
	assert_false(value_is(alone.processes[1].values[0])); /* nobody ever read it */
}

/* What is known of the whole in the end is better than what was guessed at a look. */
static void no_part_is_above_the_whole(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	struct facts alone;

	(void)state;
	alone = cut(&facts, "2 a;6 b", "a");
	assert_float_equal(facts_value(&alone, "totals", "memory_tree_peak_bytes").number, 500, 0);
	facts_clear(&alone);
	facts_add_measured(&facts, "totals", "memory_tree_peak_bytes", UNIT_BYTES, 450, NULL);
	assert_int_equal(phase_cut(&facts, "a", &alone, NULL), 0);
	assert_float_equal(facts_value(&alone, "totals", "memory_tree_peak_bytes").number, 450, 0);
	facts_clear(&alone);
}

static void repetitions(void **state)
{
	static const char marks[] = "2 a;3 b;4 a;5 b;8 a#2";
	CLEANUP(facts_clear) struct facts facts = { 0 }, others = { 0 }, third = { 0 };
	CLEANUP(facts_clear) struct facts all = cut(&facts, marks, "a");
	CLEANUP(facts_clear) struct facts second = cut(&others, marks, "b#2");
	CLEANUP(facts_clear) struct facts named = cut(&third, marks, "a#2");
	const struct line *cpu = &all.lines[0];

	(void)state;
	assert_float_equal(total(&all, "wall_s"), 2, 1e-9);
	assert_float_equal(total(&all, "cpu_s"), 2, 1e-9);
	assert_int_equal(cpu->n_points, 2); /* one behind the other */
	assert_true(cpu->points[1].time_ns == 2 * S);
	assert_float_equal(cpu->points[1].number, 2, 1e-9);
	assert_float_equal(total(&second, "wall_s"), 3, 1e-9);
	assert_float_equal(total(&second, "cpu_s"), 1, 1e-9);
	assert_float_equal(total(&named, "wall_s"), 2,
			   1e-9); /* a name, though it looks like a count */
	assert_int_equal(named.processes[0].ended_ns, 2 * S);
}

static void no_such_phase(void **state)
{
	static const struct {
		const char *marks, *which, *text, *hint;
	} cases[] = {
		{ "", "a", "no phases: its program left no marks", "sonde help mark" },
		{ "0 load;1 fit", "laod", "no phase 'laod'", "did you mean 'load'?" },
		{ "0 load;1 fit", "elephant", "no phase 'elephant'", "'sonde show' lists them" },
		{ "0 load;1 fit", "load#2", "no phase 'load#2'", "" },
		{ "0 load;1 fit", "load#0", "no phase 'load#0'", "" },
		{ "0 load;1 fit", "load#1x", "no phase 'load#1x'", "" },
		{ "0 load;1 fit", "load#99999999999999999999", "no phase", "" },
		{ "0 load;1 fit", "load#4294967297", "no phase", "" },
		{ "0 load;1 fit", "", "no phase ''", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		struct facts ret;
		struct err err = { 0 };

		make(&facts, cases[i].marks);
		assert_int_equal(phase_cut(&facts, cases[i].which, &ret, &err), -ENOENT);
		assert_non_null(strstr(err.text, cases[i].text));
		assert_non_null(strstr(err.hint, cases[i].hint));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases),
		cmocka_unit_test(never_ended),
		cmocka_unit_test(figures),
		cmocka_unit_test(sums),
		cmocka_unit_test(after_the_last_look),
		cmocka_unit_test(one_phase),
		cmocka_unit_test(sleepers),
		cmocka_unit_test(no_part_is_above_the_whole),
		cmocka_unit_test(repetitions),
		cmocka_unit_test(no_such_phase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
