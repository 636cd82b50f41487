#include "report/glossary.h"

#include "report/totals.h"
#include "report/words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct look plain = { .columns = 80 };

static void check_sentences(const struct word *word)
{
	size_t sentences = 0;

	for (const char *at = word->text; (at = strpbrk(at, ".?!")); at++)
		sentences += at[1] == ' ' || at[1] == '\0';
	if (sentences < 2 || sentences > 6)
		fail_msg("%s has %zu sentences", word->name, sentences);
	if (strlen(word->text) > 500)
		fail_msg("%s is too long", word->name);
}

static void check_names(const struct word *word)
{
	const char *also = word->also ? word->also : "";

	assert_ptr_equal(word_find(word->name), word);
	while (*also) {
		CLEANUP(freep) char *name = mem_copy_n(also, strcspn(also, "|"));
		const struct word *found = word_find(name);

		if (found != word)
			fail_msg("'%s' means both %s and %s", name, word->name, found->name);
		also += strlen(name);
		also += *also == '|';
	}
}

static void every_word_is_whole(void **state)
{
	(void)state;
	for (const struct word *word = word_table; word->name; word++) {
		check_sentences(word);
		check_names(word);
		assert_non_null(word->group);
		assert_true(!word->see || strncmp(word->see, "sonde ", 6) == 0);
	}
}

static void groups_stand_together(void **state)
{
	(void)state;
	for (const struct word *word = word_table; word->name; word++) {
		for (const struct word *later = word + 1; later->name; later++) {
			if (strcmp(word->group, later->group) == 0 &&
			    strcmp(word->group, later[-1].group) != 0)
				fail_msg("%s stands apart from its group", later->name);
		}
	}
}

/* Whatever a word names has a label for people. */
static void every_figure_has_a_label(void **state)
{
	(void)state;
	for (const struct word *word = word_table; word->name; word++) {
		CLEANUP(freep) char *list = mem_copy(word->figures ? word->figures : "");
		char *rest = NULL;

		for (char *figure = strtok_r(list, " ", &rest); figure;
		     figure = strtok_r(NULL, " ", &rest)) {
			CLEANUP(facts_clear) struct facts facts = { 0 };
			CLEANUP(freep) char *printed = NULL;
			char *name = strchr(figure, '.');
			size_t bytes;
			FILE *out = open_memstream(&printed, &bytes);

			assert_non_null(name);
			*name++ = '\0';
			facts_add_measured(&facts, figure, name, UNIT_COUNT, 7, "test");
			facts_add_measured(&facts, "totals", "cpu_s", UNIT_SECONDS, 7, "test");
			facts_add_measured(&facts, "totals", "wall_s", UNIT_SECONDS, 7, "test");
			facts_add_measured(&facts, "limits", "cores", UNIT_COUNT, 1, "test");
			name[-1] = '.';
			assert_int_equal(word_print_figures(figure, &facts, &plain, out), 1);
			fclose(out);
			if (strchr(printed, '_'))
				fail_msg("%s of %s has no label", figure, word->name);
		}
	}
}

static void names_are_found_however_they_are_written(void **state)
{
	static const struct {
		const char *asked, *found;
	} cases[] = {
		{ "rss", "RSS" },
		{ "Page-Cache", "page cache" },
		{ "page_cache", "page cache" },
		{ "Core Hour", "core-hour" },
		{ "137", "SIGKILL" },
		{ "max rss", "peak memory" },
		{ "kSU", "SU" },
		{ "pag", NULL },
		{ "page cache ", NULL },
		{ "", NULL },
		{ "|", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct word *word = word_find(cases[i].asked);

		assert_string_equal(word ? word->name : "", cases[i].found ? cases[i].found : "");
	}
}

static void print(const char *figures, const struct facts *facts, char *ret, size_t size)
{
	FILE *out = fmemopen(ret, size, "w");

	ret[0] = '\0';
	word_print_figures(figures, facts, &plain, out);
	fclose(out);
}

static void absent_figures_are_left_out(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	char printed[1000];

	(void)state;
	print("totals.cpu_s derived.core_hours_used context.queue", &facts, printed,
	      sizeof(printed));
	assert_string_equal(printed, "");
	facts_add_absent(&facts, "totals", "swap_peak_bytes", UNIT_BYTES, "nobody looked");
	facts_add_measured(&facts, "totals", "cpu_s", UNIT_SECONDS, 7200, "test");
	facts_add_text(&facts, "context", "queue", "short\x1b[31m");
	print("totals.swap_peak_bytes derived.core_hours_used derived.core_hours_held "
	      "context.queue",
	      &facts, printed, sizeof(printed));
	assert_string_equal(printed, "    core-hours used  2\n"
				     "    queue            short\\x1b[31m\n");
}

static void estimates_and_brackets_are_told(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	char printed[1000];

	(void)state;
	facts_add(&facts, &(struct fact){ .section = "totals",
					  .name = "memory_tree_peak_bytes",
					  .value = value_estimated(5.0 * (1 << 30)),
					  .low = 4.0 * (1 << 30),
					  .high = 6.0 * (1 << 30),
					  .unit = UNIT_BYTES });
	print("totals.memory_tree_peak_bytes", &facts, printed, sizeof(printed));
	assert_string_equal(printed, "    memory of all together  about 5 GiB (4 GiB to 6 GiB)\n");
}

static void a_figure_leads_to_its_word(void **state)
{
	(void)state;
	assert_string_equal(word_of_figure("totals.wall_s")->name, "wall time");
	assert_string_equal(word_of_figure("totals.faults_minor")->name, "page fault");
	assert_null(word_of_figure("totals.elephants"));
	assert_null(word_of_figure("totals.wall"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_whole),
		cmocka_unit_test(groups_stand_together),
		cmocka_unit_test(every_figure_has_a_label),
		cmocka_unit_test(names_are_found_however_they_are_written),
		cmocka_unit_test(absent_figures_are_left_out),
		cmocka_unit_test(estimates_and_brackets_are_told),
		cmocka_unit_test(a_figure_leads_to_its_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
