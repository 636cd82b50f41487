#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void arena_things_are_zeroed_aligned_and_apart(void **state)
{
	static const size_t sizes[] = { 0, 1, 7, 16, 17, 4000, 4096, 4097, 100000, 3 };
	struct arena arena = { 0 };
	unsigned char *things[COUNT(sizes)];

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		things[i] = arena_new(&arena, sizes[i]);
		assert_int_equal((uintptr_t)things[i] % alignof(max_align_t), 0);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(things[i][j], 0);
		memset(things[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(things[i][j], i + 1);
	}
	arena_clear(&arena);
	assert_null(arena.block);
	arena_clear(&arena);
}

static void arena_copies(void **state)
{
	struct arena arena = { 0 };
	char long_text[9000];

	(void)state;
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	assert_null(arena_copy(&arena, NULL));
	assert_string_equal(arena_copy(&arena, ""), "");
	assert_string_equal(arena_copy_n(&arena, "abcdef", 3), "abc");
	assert_string_equal(arena_copy_n(&arena, NULL, 0), "");
	assert_string_equal(arena_format(&arena, "%d %s", 7, "up"), "7 up");
	assert_string_equal(arena_format(&arena, "%s", long_text), long_text);
	arena_clear(&arena);
}

static void grow_keeps_what_was_there(void **state)
{
	size_t room = 0;
	int *numbers = NULL;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		numbers = mem_grow(numbers, i, &room, sizeof(*numbers));
		assert_true(room > i);
		numbers[i] = (int)i;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], i);
	free(numbers);
}

static void take_moves_out_of_cleanup(void **state)
{
	char *kept = NULL;

	(void)state;
	{
		CLEANUP(freep) char *text = mem_copy("kept");

		kept = take(&text);
		assert_null(text);
	}
	assert_string_equal(kept, "kept");
	free(kept);
}

static void leave_with_42(void)
{
	_exit(42);
}

static void ask_arena_for_too_much(void)
{
	struct arena arena = { 0 };

	arena_new(&arena, SIZE_MAX - 4);
}

static void grow_too_much(void)
{
	size_t room = SIZE_MAX / 8;

	free(mem_grow(NULL, room, &room, 8));
}

/* A size that came from a damaged file must not wrap to a small one. */
static void no_memory_calls_the_handler(void **state)
{
	static void (*const cases[])(void) = { ask_arena_for_too_much, grow_too_much };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			mem_on_failure(leave_with_42);
			cases[i]();
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 42);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_things_are_zeroed_aligned_and_apart),
		cmocka_unit_test(arena_copies),
		cmocka_unit_test(grow_keeps_what_was_there),
		cmocka_unit_test(take_moves_out_of_cleanup),
		cmocka_unit_test(no_memory_calls_the_handler),
	};

	return cmocka_run_group_tests_name("base/mem", tests, NULL, NULL);
}
