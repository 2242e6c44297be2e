/* Unit tests of base/map.
 * In: keys. Out: cmocka's report.
 * Sizes around each growth, keys with NUL, absent keys.
 * Never: depends on the hash. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void empty(void **state)
{
	(void)state;
	struct arena a;
	struct map m;
	arena_init(&a);
	map_init(&m, &a);
	assert_null(map_get(&m, STR("x")));
	assert_null(map_find(&m, STR("")));
	assert_int_equal(m.n, 0);
	arena_release(&a);
}

static void grows(void **state)
{
	(void)state;
	enum { N = 20000 };
	static int values[N];
	struct arena a;
	struct map m;
	char key[32];
	arena_init(&a);
	map_init(&m, &a);
	for (int i = 0; i < N; i++) {
		snprintf(key, sizeof key, "key-%d", i);
		struct map_entry *at = map_set(&m, str_from(key), &values[i]);
		assert_true(str_is(at->key, key) && at->value == &values[i]);
		assert_int_equal(m.n, i + 1);
		if (i < 100) { /* all that came before is still found, at every size */
			for (int k = 0; k <= i; k++) {
				snprintf(key, sizeof key, "key-%d", k);
				assert_ptr_equal(map_get(&m, str_from(key)), &values[k]);
			}
		}
	}
	memset(key, 0, sizeof key); /* keys were copied */
	for (int i = 0; i < N; i++) {
		snprintf(key, sizeof key, "key-%d", i);
		assert_ptr_equal(map_get(&m, str_from(key)), &values[i]);
		assert_true(str_is(m.entries[i].key, key)); /* insertion order */
		key[0] = 'K';
		assert_null(map_find(&m, str_from(key)));
	}
	arena_release(&a);
}

static void replaces_and_interns(void **state)
{
	(void)state;
	struct arena a;
	struct map m;
	int one, two;
	bool is_new = false;
	arena_init(&a);
	map_init(&m, &a);
	struct map_entry *at = map_intern(&m, STR("a"), &is_new);
	assert_true(is_new && at->value == NULL);
	at->value = &one;
	at = map_intern(&m, STR("a"), &is_new);
	assert_false(is_new);
	assert_ptr_equal(at->value, &one);
	assert_ptr_equal(map_intern(&m, STR("a"), NULL), at);
	map_set(&m, STR("a"), &two);
	assert_ptr_equal(map_get(&m, STR("a")), &two);
	assert_int_equal(m.n, 1);
	map_set(&m, STR("a\0x"), &one); /* other keys: with a NUL, empty, longer */
	map_set(&m, STR(""), &one);
	map_set(&m, STR("ab"), NULL);
	assert_int_equal(m.n, 4);
	assert_ptr_equal(map_get(&m, STR("a")), &two);
	assert_ptr_equal(map_get(&m, STR("a\0x")), &one);
	assert_null(map_get(&m, STR("ab")));
	assert_non_null(map_find(&m, STR("ab"))); /* there, with value NULL */
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(grows),
		cmocka_unit_test(replaces_and_interns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
