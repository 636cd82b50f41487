/* The summary: word for word where it matters, and whatever the facts are at most eight lines that
 * fit the terminal. */
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "report/tests/example.h"
#include "report/trust.h"
#include "report/words.h"

static const struct look plain = { .columns = 80 };

static void write_summary(const struct facts *facts, FILE *out, const void *look)
{
	report_summary(facts, "", look, out);
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* At most eight lines, none wider than the terminal nor ending in a blank. */
static void check_fits(const char *text, const struct look *look)
{
	assert_true(count_lines(text) <= 8);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		CLEANUP(text_clear) struct text one = { 0 };

		text_add_bytes(&one, line, strcspn(line, "\n"));
		assert_true(one.length > 2);
		assert_true(words_columns(one.data) <= (size_t)look->columns);
		assert_true(one.data[one.length - 1] != ' ');
	}
}

static void advise_one_core(struct facts *facts, const char *next)
{
	facts_add_advice(facts, &(struct advice){ .rule = "one-core",
						  .text = "One core was busy at a time of the 16 "
							  "that it might use.",
						  .evidence = "1.1 cores on average",
						  .next = next });
}

#define FIGURES                                                                                    \
	"  time 4 min 12 s   CPU 1.1 of 16 cores   memory about 5.2 GiB peak of 6 GiB\n"           \
	"  read 1.9 GB, wrote 12.3 MB\n"
#define PROCESSES                                                                                  \
	"  9,972 processes, 4 at once; the largest took 5.1 GiB\n"                                 \
	"  the true peak of memory is between 5.1 GiB and 5.9 GiB\n"
#define END "  recorded as 3f9a2c71   next: sonde show\n"

static void test_words(void **state)
{
	static const char one_core[] =
	    "  One core was busy at a time of the 16 that it might use.\n";
	static const char killed[] =
	    "  ended by SIGKILL, signal 9: killed from outside, often for lack of memory\n";
	static const struct {
		double status, signal;
		bool advice;
		const char *next;
		const char *said[6];
	} cases[] = {
		{ 0, 0, false, NULL, { FIGURES, PROCESSES, END } },
		{ 3, 0, false, NULL, { FIGURES, "  exit status 3\n", PROCESSES, END } },
		{ NAN, 9, false, NULL, { FIGURES, killed, PROCESSES, END } },
		{ 0, 0, true, NULL, { FIGURES, one_core, PROCESSES, END } },
		{ 0,
		  0,
		  true,
		  "sonde show tells when it was",
		  { FIGURES, one_core, PROCESSES, END } },
		{ 0, 0, true, "use fewer threads", { FIGURES, one_core, PROCESSES, END } },
		{ 0,
		  0,
		  true,
		  "sonde lines",
		  { FIGURES, one_core, PROCESSES,
		    "  recorded as 3f9a2c71   next: sonde lines\n" } },
		{ 0,
		  0,
		  true,
		  "--cpus-per-task=1 --mem=6G --time=00:06:00",
		  { FIGURES, one_core, PROCESSES, END,
		    "  next time ask for: --cpus-per-task=1 --mem=6G --time=00:06:00\n" } },
		{ 0,
		  0,
		  true,
		  "ask for --cpus-per-task=1",
		  { FIGURES, one_core, PROCESSES,
		    "  recorded as 3f9a2c71   next: sonde show   next time ask for "
		    "--cpus-per-task=1\n" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(text_clear) struct text expected = { 0 };
		CLEANUP(freep) char *text = NULL;

		example_run(&facts);
		if (isnan(cases[i].status))
			facts_add_absent(&facts, "exit", "status", UNIT_COUNT, "killed");
		else
			facts_add_number(&facts, "exit", "status", cases[i].status);
		if (cases[i].signal > 0)
			facts_add_number(&facts, "exit", "signal", cases[i].signal);
		if (cases[i].advice)
			advise_one_core(&facts, cases[i].next);
		for (size_t j = 0; j < COUNT(cases[i].said) && cases[i].said[j]; j++)
			text_add(&expected, cases[i].said[j]);
		text = example_written(write_summary, &facts, &plain);
		assert_string_equal(text, expected.data);
		check_fits(text, &plain);
	}
}

static void test_of_nothing(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = example_written(write_summary, &facts, &plain);

	(void)state;
	assert_string_equal(text, "  time not measured   CPU time not measured   "
				  "memory not measured\n  next: sonde show\n");
}

/* A path is for `sonde show`, and comes without an id where it is too long for a line. */
static void test_again(void **state)
{
	static const struct {
		const char *again, *expected;
	} cases[] = {
		{ NULL, NULL },
		{ "fit.sonde", "  recorded as 3f9a2c71   next: sonde show fit.sonde\n" },
		{ "\033[2J.sonde", "next: sonde show \\x1b[2J.sonde\n" },
		{ "a/path/that/is/so/long/that/it/needs/a/line/of/its/own/or/more/fit.sonde",
		  "  recorded as 3f9a2c71\n  next: sonde show\n    a/path/that/is/" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(freep) char *text = NULL;
		size_t length;
		FILE *out = open_memstream(&text, &length);

		example_run(&facts);
		report_summary(&facts, cases[i].again, &plain, out);
		fclose(out);
		check_fits(text, &plain);
		if (cases[i].expected)
			assert_non_null(strstr(text, cases[i].expected));
		else
			assert_null(strstr(text, "next:"));
	}
}

static void test_colour(void **state)
{
	const struct look colour = { .columns = 80, .colour = true };
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;

	(void)state;
	example_run(&facts);
	facts_add_number(&facts, "exit", "signal", 9);
	text = example_written(write_summary, &facts, &colour);
	assert_non_null(strstr(text, "  \033[1mtime 4 min 12 s\033[0m   \033[1mCPU 1.1"));
	assert_non_null(strstr(text, "  \033[31mended by SIGKILL"));
	assert_non_null(strstr(text, "\033[0m\n"));
}

/* Each doubt at the value where it begins, and just below it. */
static void test_trust(void **state)
{
	static const struct {
		const char *section, *name;
		double fires, does_not;
		const char *said;
	} cases[] = {
		{ "sonde", "gaps_s", 13, 12,
		  "Nobody looked for 13 s of it (2 gaps): totals are right, peaks may be "
		  "missing." },
		{ "totals", "machine_busy_s", 15.2 * 252, 14.3 * 252,
		  "The machine was busy: others used 14 of its 16 cores; alone it may be faster." },
		{ "totals", "machine_steal_s", 14, 13.8,
		  "Other virtual machines took 14 s of CPU time from this one; it may be faster." },
		{ "totals", "wall_s", 0.9, 1,
		  "It ran for 900 ms only: too short to say much about longer runs." },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (int fires = 0; fires < 3; fires++) {
			CLEANUP(facts_clear) struct facts facts = { 0 };
			CLEANUP(text_clear) struct text text = { 0 };

			example_run(&facts);
			facts_add_number(&facts, "sonde", "gaps", 2);
			facts_add_absent(&facts, "totals", "machine_busy_s", UNIT_SECONDS, "");
			facts_add_measured(&facts, cases[i].section, cases[i].name, UNIT_SECONDS,
					   fires ? cases[i].fires : cases[i].does_not, NULL);
			if (fires == 2)
				facts_add_absent(&facts, cases[i].section, cases[i].name,
						 UNIT_SECONDS, "not known");
			for (size_t j = 0; trust_add(&text, &facts, 2, j); j++)
				;
			assert_string_equal(text_string(&text), fires == 1 ? cases[i].said : "");
		}
	}
}

/* What advice says already is not said twice. */
static void test_trust_or_advice(void **state)
{
	static const struct {
		const char *rule;
		size_t before;
		bool said;
	} cases[] = {
		{ "machine-busy", 0, true },    { "machine-busy", 1, true },
		{ "machine-busy", 2, false },   { "too-short", 0, false },
		{ "cpu-wait-others", 0, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(text_clear) struct text text = { 0 };

		example_run(&facts);
		facts_add_measured(&facts, "totals", "machine_busy_s", UNIT_SECONDS, 16 * 252, "");
		for (size_t j = 0; j < cases[i].before; j++)
			advise_one_core(&facts, NULL);
		facts_add_advice(&facts,
				 &(struct advice){ .rule = cases[i].rule, .text = "Said." });
		for (size_t j = 0; trust_add(&text, &facts, 2, j); j++)
			;
		assert_int_equal(text.length == 0, cases[i].said);
	}
}

/* What to ask for is worth more than any other next step. */
static void test_ask_for(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(freep) char *text = NULL;

	(void)state;
	example_run(&facts);
	advise_one_core(&facts, "ask for --cpus-per-task=1");
	facts_add_advice(&facts, &(struct advice){ .rule = "ask-for",
						   .text = "Used of what was asked for: 1 of 16.",
						   .next = "ask for --cpus-per-task=1 --mem=6G" });
	text = example_written(write_summary, &facts, &plain);
	assert_non_null(strstr(text, "next time ask for --cpus-per-task=1 --mem=6G\n"));
}

/* Others may be busy on a machine that has room for all. */
static void test_trust_with_room(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	CLEANUP(text_clear) struct text text = { 0 };

	(void)state;
	example_run(&facts);
	facts_add_measured(&facts, "machine", "cores", UNIT_COUNT, 128, NULL);
	facts_add_measured(&facts, "totals", "machine_busy_s", UNIT_SECONDS, 100 * 252, NULL);
	for (size_t i = 0; trust_add(&text, &facts, 2, i); i++)
		;
	assert_string_equal(text_string(&text), "");
}

static const char *const sentences[] = {
	"Short.",
	"A sentence of advice that takes just about as much as one line of eighty columns.",
	"A sentence that somebody wrote without thinking of people whose terminal is small, so "
	"that it goes on and on, and when it seems to have come to its end it has a second half "
	"that says the same once more in other words.",
	"a_word_without_a_blank_that_is_longer_than_the_widest_of_the_terminals_that_we_try_and_so_"
	"must_be_cut_somewhere_in_its_middle_whether_one_likes_it_or_not_and_that_is_all_there_is_"
	"to_say_about_it_here",
};

static const char *const nexts[] = {
	NULL,
	"sonde lines",
	"sonde show tells when they were busy and when not",
	"--cpus-per-task=1 --mem=6G --time=00:06:00",
	("--nodes=1 --ntasks=4 --cpus-per-task=16 --mem=250G --time=2-12:00:00 "
	 "--partition=long-jobs "
	 "--account=a-project-with-a-long-name --constraint=\"[rack1|rack2|rack3|rack4]\""),
	"prose that is not to be typed",
	"ask for -l select=1:ncpus=1:mem=6gb -l walltime=00:06:00, half as much again as it took",
};

/* Any facts: `bits` chooses what is there. */
static void make_up(struct facts *facts, unsigned bits)
{
	example_run(facts);
	facts_add_number(facts, "sonde", "gaps", 1e6);
	if (bits & 1)
		facts_add_number(facts, "exit", "signal", 11);
	if (bits & 2)
		facts_add_text(facts, "exit", "reason", sentences[2]);
	if (bits & 4)
		facts_add_measured(facts, "sonde", "gaps_s", UNIT_SECONDS, 99999, NULL);
	if (bits & 8)
		facts_add_measured(facts, "totals", "machine_busy_s", UNIT_SECONDS, 1e7, NULL);
	if (bits & 16)
		facts_add_measured(facts, "totals", "energy_j", UNIT_JOULES, 21e3, NULL);
	if (bits & 32)
		facts_add_absent(facts, "totals", "memory_tree_peak_bytes", UNIT_BYTES, "no");
	if (bits & 64)
		facts_add_absent(facts, "totals", "cores_mean", UNIT_RATIO, "no");
	for (unsigned i = 0; i < (bits >> 7 & 3) * 2; i++)
		facts_note(facts, "%u: %s", i, sentences[(bits + i) % COUNT(sentences)]);
	for (unsigned i = 0; i < (bits >> 9 & 3); i++)
		facts_add_advice(facts,
				 &(struct advice){ .rule = "r",
						   .text = sentences[(bits + i) % COUNT(sentences)],
						   .evidence = "e",
						   .next = nexts[(bits + i) % COUNT(nexts)] });
}

static void test_always_fits(void **state)
{
	static const int widths[] = { 40, 80, 200 };
	static const char *const agains[] = { "", "fit.sonde", NULL, NULL };

	(void)state;
	for (unsigned bits = 0; bits < 1 << 11; bits++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };

		make_up(&facts, bits);
		for (size_t i = 0; i < COUNT(widths); i++) {
			const struct look look = { .columns = widths[i], .unicode = bits & 1 };
			const char *again = bits % 5 ? agains[bits % 4] : sentences[3];
			CLEANUP(freep) char *text = NULL;
			size_t length;
			FILE *out = open_memstream(&text, &length);

			report_summary(&facts, again, &look, out);
			fclose(out);
			check_fits(text, &look);
			assert_true(strncmp(text, "  time 4 min 12 s", 17) == 0);
			if (again)
				assert_non_null(strstr(text, "next: sonde "));
			if (bits & 3)
				assert_true(strstr(text, "SIGSEGV") || strstr(text, "A sentence"));
		}
	}
}

/* Sentences stand there in full or not at all. */
static void test_in_full(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(sentences) - 1; i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(freep) char *text = NULL;

		example_run(&facts);
		facts_add_advice(&facts, &(struct advice){ .rule = "r", .text = sentences[i] });
		text = example_written(write_summary, &facts, &plain);
		assert_null(strstr(text, "..."));
		assert_non_null(strstr(text, i == 0   ? "Short.\n"
					     : i == 1 ? "columns.\n"
						      : "other words.\n"));
	}
}

static void test_notes(void **state)
{
	static const int notes[] = { 0, 1, 2, 3, 5, 50 };

	(void)state;
	for (size_t i = 0; i < COUNT(notes); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		CLEANUP(freep) char *text = NULL;

		example_run(&facts);
		facts_add_number(&facts, "exit", "signal", 9);
		for (int j = 0; j < notes[i]; j++)
			facts_note(&facts,
				   "%d: something could not be measured, and to say why "
				   "takes more than the eighty columns of one line",
				   j);
		text = example_written(write_summary, &facts, &plain);
		check_fits(text, &plain);
		assert_non_null(strstr(text, "next: sonde show"));
		assert_int_equal(strstr(text, "more note") != NULL, notes[i] > 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),           cmocka_unit_test(test_of_nothing),
		cmocka_unit_test(test_again),           cmocka_unit_test(test_colour),
		cmocka_unit_test(test_trust),           cmocka_unit_test(test_trust_with_room),
		cmocka_unit_test(test_trust_or_advice), cmocka_unit_test(test_ask_for),
		cmocka_unit_test(test_always_fits),     cmocka_unit_test(test_in_full),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
