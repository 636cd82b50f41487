#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/map.h"

static int items[5000];

static void finds_what_was_set_and_not_what_was_removed(void **state)
{
	struct map map = { 0 };

	(void)state;
	assert_null(map_find(&map, 1));
	assert_null(map_remove(&map, 1));
	for (uint64_t i = 0; i < 5000; i++)
		map_set(&map, i * 7919, &items[i]);
	assert_int_equal(map.count, 5000);
	for (uint64_t i = 0; i < 5000; i += 2)
		assert_ptr_equal(map_remove(&map, i * 7919), &items[i]);
	for (uint64_t i = 0; i < 5000; i++)
		assert_ptr_equal(map_find(&map, i * 7919), i % 2 ? &items[i] : NULL);
	assert_int_equal(map.count, 2500);
	map_set(&map, 7919, &items[0]);
	assert_ptr_equal(map_find(&map, 7919), &items[0]);
	assert_int_equal(map.count, 2500);
	map_clear(&map);
}

/* As pids do in a storm: each comes once, and goes. */
static void does_not_grow_while_keys_come_and_go(void **state)
{
	struct map map = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		map_set(&map, i, &items[0]);
		if (i >= 4)
			assert_non_null(map_remove(&map, i - 4));
	}
	assert_int_equal(map.count, 4);
	assert_true(map.room <= 64);
	map_clear(&map);
}

static void remove_odd(void *arg, uint64_t key, void *item)
{
	(void)item;
	if (key % 2)
		map_remove(arg, key);
}

static void each_may_remove(void **state)
{
	struct map map = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		map_set(&map, i, &items[i]);
	map_each(&map, remove_odd, &map);
	assert_int_equal(map.count, 50);
	map_clear(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_set_and_not_what_was_removed),
		cmocka_unit_test(does_not_grow_while_keys_come_and_go),
		cmocka_unit_test(each_may_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
