/* Unit tests of base/arena and base/buf.
 * In: sizes. Out: cmocka's report.
 * Under ASan and valgrind they also prove that everything is freed.
 * Never: looks into blocks. */
#include "base/arena.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"

static void zeroed_and_aligned(void **state)
{
	(void)state;
	struct arena a;
	arena_init(&a);
	static const size_t sizes[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 1 << 20, 3 << 20, 1};
	unsigned char *all[COUNT_OF(sizes)];
	for (size_t round = 0; round < 3; round++) {
		for (size_t i = 0; i < COUNT_OF(sizes); i++) {
			unsigned char *p = all[i] = arena_alloc(&a, sizes[i]);
			assert_int_equal((uintptr_t)p % 16, 0);
			for (size_t k = 0; k < sizes[i]; k++)
				assert_int_equal(p[k], 0);
			memset(p, (int)(i + 1), sizes[i]);
		}
		for (size_t i = 0; i < COUNT_OF(sizes); i++) { /* nobody wrote into another one */
			for (size_t k = 0; k < sizes[i]; k++)
				assert_int_equal(all[i][k], i + 1);
		}
		assert_true(a.n_total >= (size_t)4 << 20);
		arena_clear(&a);
		assert_int_equal(a.n_total, 0);
	}
	arena_release(&a);
	arena_release(&a); /* twice is fine */
}

static void marks(void **state)
{
	(void)state;
	struct arena a;
	arena_init(&a);
	struct arena_mark empty = arena_mark(&a);
	char *keep = arena_strdup(&a, "keep");
	for (int round = 0; round < 100; round++) {
		struct arena_mark m = arena_mark(&a);
		char *first = arena_alloc(&a, 100);
		for (int i = 0; i < 50; i++) {
			unsigned char *p = arena_alloc(&a, 10000);
			for (size_t k = 0; k < 10000; k += 999)
				assert_int_equal(p[k], 0); /* memory that comes back is zeroed again */
			memset(p, 0xee, 10000);
		}
		arena_reset(&a, m);
		assert_ptr_equal(arena_alloc(&a, 100), first); /* the place is used again */
		arena_reset(&a, m);
	}
	assert_string_equal(keep, "keep");
	arena_reset(&a, empty);
	assert_non_null(arena_alloc(&a, 10));
	arena_release(&a);
}

static void strings(void **state)
{
	(void)state;
	struct arena a;
	arena_init(&a);
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(&a, NULL, 0), "");
	struct str s = arena_str(&a, (struct str){"a\0b!", 3});
	assert_int_equal(s.n, 3);
	assert_memory_equal(s.p, "a\0b", 4); /* and a NUL */
	char big[5000];
	memset(big, 'z', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	char *p = arena_printf(&a, "%s-%d", big, 42);
	assert_int_equal(strlen(p), sizeof big - 1 + 3);
	assert_true(str_ends(str_from(p), "z-42"));
	arena_release(&a);
}

/* An array whose size overflows must end the program, not come back small. */
static void overflow_aborts(void **state)
{
	(void)state;
	int status = 0;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct arena a;
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		arena_init(&a);
		_exit(arena_array(&a, SIZE_MAX / 2, 4) ? 2 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void buffers(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b);
	assert_int_equal(buf_view(&b).n, 0);
	buf_add(&b, NULL, 0);
	buf_puts(&b, "a");
	buf_char(&b, 'b');
	buf_repeat(&b, '-', 3);
	buf_str(&b, STR("cd"));
	buf_printf(&b, "%d%s", 12, "x");
	assert_string_equal(b.p, "ab---cd12x");
	assert_int_equal(b.n, 10);
	const char *before = b.p;
	buf_clear(&b);
	assert_int_equal(b.n, 0);
	assert_string_equal(b.p, "");
	buf_puts(&b, "again");
	assert_ptr_equal(b.p, before); /* memory is kept */
	for (size_t i = 0; i < 100000; i++)
		buf_char(&b, (char)('0' + i % 10));
	assert_int_equal(b.n, 100005);
	assert_int_equal(b.p[b.n], '\0');
	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(b.p[5 + i], '0' + i % 10);
	char big[5000];
	memset(big, 'q', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	buf_clear(&b);
	buf_printf(&b, "%s!", big);
	assert_int_equal(b.n, sizeof big);
	assert_int_equal(b.p[b.n - 1], '!');
	buf_release(&b);
	assert_null(b.p);
	struct buf fresh;
	buf_init(&fresh);
	buf_printf(&fresh, "%s", big); /* the first thing added may be large */
	assert_int_equal(fresh.n, sizeof big - 1);
	buf_release(&fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_and_aligned), cmocka_unit_test(marks),   cmocka_unit_test(strings),
		cmocka_unit_test(overflow_aborts),    cmocka_unit_test(buffers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
