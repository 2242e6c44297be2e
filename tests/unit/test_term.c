/* Unit tests of base/term.
 * In: literals, a pseudo terminal.
 * Out: cmocka's report.
 * Never: looks at the terminal that the tests run in. */
#include "base/term.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/term_shorten.h"

struct fixture {
	struct arena a;
	struct buf b;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	arena_init(&f->a);
	buf_init(&f->b);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	arena_release(&f->a);
	buf_release(&f->b);
	free(f);
	return 0;
}

static const struct term plain = {.width = 80};

static void numbers(void **state)
{
	struct fixture *f = *state;
	static const struct {
		double ns;
		const char *want;
	} times[] = {
		{0, "0.00 ns"},       {1, "1.00 ns"},         {15.25, "15.2 ns"},      {999.4, "999 ns"},
		{999.6, "1.00 us"},   {15100, "15.1 us"},     {4.27e6, "4.27 ms"},     {9.996e6, "10.0 ms"},
		{99.96e6, "100 ms"},  {1.5e9, "1.50 s"},      {1e13, "10000 s"},       {-15100, "-15.1 us"},
		{HUGE_VAL, "inf ns"}, {-HUGE_VAL, "-inf ns"}, {(double)NAN, "nan ns"},
	};
	for (size_t i = 0; i < COUNT_OF(times); i++)
		assert_string_equal(term_time(&f->a, times[i].ns), times[i].want);
	assert_string_equal(term_bytes(&f->a, 0), "0 B");
	assert_string_equal(term_bytes(&f->a, 512), "512 B");
	assert_string_equal(term_bytes(&f->a, 1023), "1023 B");
	assert_string_equal(term_bytes(&f->a, 1024), "1.00 KiB");
	assert_string_equal(term_bytes(&f->a, 1.5 * 1024 * 1024 * 1024), "1.50 GiB");
	assert_string_equal(term_bytes(&f->a, 50 * 1024 * 1024), "50.0 MiB");
	assert_string_equal(term_rate(&f->a, 3.35e12, "B"), "3.35 TB/s");
	assert_string_equal(term_rate(&f->a, 67e12, "FLOP"), "67.0 TFLOP/s");
	assert_string_equal(term_rate(&f->a, 12, "B"), "12.0 B/s");
}

static void columns(void **state)
{
	(void)state;
	assert_int_equal(term_columns(STR("abc")), 3);
	assert_int_equal(term_columns(STR("caf\xc3\xa9")), 4);
	assert_int_equal(term_columns(STR("cafe\xcc\x81")), 4);     /* combining acute */
	assert_int_equal(term_columns(STR("\xe6\xbc\xa2x")), 3);    /* CJK */
	assert_int_equal(term_columns(STR("\xf0\x9f\x98\x80")), 2); /* emoji */
	assert_int_equal(term_columns(STR("\033[1;31mred\033[0m")), 3);
	assert_int_equal(term_columns(STR("\033[1")), 0); /* cut escape */
	assert_int_equal(term_columns(STR("a\xff")), 2);
	assert_int_equal(term_fit(STR("abc"), 2), 2);
	assert_int_equal(term_fit(STR("\xe6\xbc\xa2x"), 1), 0);
	assert_int_equal(term_fit(STR("\xe6\xbc\xa2x"), 2), 3);
	assert_int_equal(term_fit(STR("\033[1mab"), 1), 5);
}

static void wrapping(void **state)
{
	struct fixture *f = *state;
	term_wrap(&f->b, STR("one two  three four"), 0, 2, 9);
	assert_string_equal(f->b.p, "one two\n  three\n  four");
	buf_clear(&f->b);
	term_wrap(&f->b, STR("one two"), 4, 4, 10);
	assert_string_equal(f->b.p, "one\n    two");
	buf_clear(&f->b);
	term_wrap(&f->b, STR("a muchtoolongword b"), 0, 0, 6);
	assert_string_equal(f->b.p, "a\nmuchtoolongword\nb");
	buf_clear(&f->b);
	term_wrap(&f->b, STR(""), 0, 0, 6);
	assert_int_equal(f->b.n, 0);
}

static void tables(void **state)
{
	struct fixture *f = *state;
	struct term_table *t = term_table_new(&f->a, "name|>time us|>share|note");
	term_table_row(t, "%s|%.1f|%d %%|", "softmax", 15.1, 7);
	term_table_row(t, "mm|1234.5|93 %%|first");
	term_table_cell(t, STR("a|b"));
	term_table_end_row(t);
	term_table_row(t, "x|1|2|has | inside");
	term_table_write(t, &plain, &f->b);
	assert_string_equal(f->b.p, "name     time us  share  note\n"
				    "softmax     15.1    7 %\n"
				    "mm        1234.5   93 %  first\n"
				    "a|b\n"
				    "x              1      2  has | inside\n");
}

static void tables_shrink(void **state)
{
	struct fixture *f = *state;
	struct term narrow = {.width = 40, .colour = true};
	struct term_table *t = term_table_new(&f->a, "kernel|>time us|what");
	for (int i = 0; i < 40; i++) {
		term_table_cell(t, STR("void cutlass::kernel<very, long, name>(int)"));
		term_table_cell(t, STR("1"));
		term_table_styled(t, &narrow, TERM_GOOD, STR("good \033[8mtext in colour here"));
		term_table_end_row(t);
	}
	term_table_cell(t, STR("tab\there\nline \033]0;title\007\xc2\x9b \033[31mred\033[0m"));
	term_table_end_row(t);
	term_table_write(t, &narrow, &f->b);
	struct str rest = buf_view(&f->b), line;
	size_t n = 0;
	while (str_split(&rest, '\n', &line)) {
		assert_true(term_columns(line) <= 40);
		n += line.n > 0;
	}
	assert_int_equal(n, 42);
	assert_true(str_starts(buf_view(&f->b), "\033[1mkernel"));
	assert_non_null(strstr(f->b.p, "void cutlas...  "));
	assert_non_null(strstr(f->b.p, "\033[32mgood ?[8mtex...\033[0m\n"));
	assert_null(strstr(f->b.p, "\033]0"));
	assert_null(strstr(f->b.p, "\033[31m"));
	assert_null(strchr(f->b.p, '\t'));
	assert_null(strchr(f->b.p, '\a'));
	assert_null(strstr(f->b.p, "\xc2\x9b"));
	/* Only numbers: nothing is cut. */
	t = term_table_new(&f->a, ">a|>b|>c");
	term_table_row(t, "111111111111111111|222222222222222222|333333333333333333");
	buf_clear(&f->b);
	term_table_write(t, &narrow, &f->b);
	assert_non_null(strstr(f->b.p, "111111111111111111  222222222222222222  333333333333333333\n"));
}

/* What is the same in every row is said once, above, and only when the table is too wide. */
static void same_cells_are_said_once(void **state)
{
	struct fixture *f = *state;
	static const struct term narrow = {.width = 44};
	struct term_table *t = term_table_new(&f->a, "kernel|fact|>before");
	term_table_row(t, "gather(const float *)|occupancy.achieved|12");
	term_table_row(t, "gather(const float *)|sm.throughput|3.5");
	term_table_write(t, &narrow, &f->b);
	assert_string_equal(f->b.p, "kernel: gather(const float *)\n"
				    "fact                before\n"
				    "occupancy.achieved      12\n"
				    "sm.throughput          3.5\n");
	buf_clear(&f->b);
	term_table_write(t, &plain, &f->b);
	assert_string_equal(f->b.p, "kernel                 fact                before\n"
				    "gather(const float *)  occupancy.achieved      12\n"
				    "gather(const float *)  sm.throughput          3.5\n");
}

/* What differs is kept, wherever it stands; numbers where no part of that width differs; nothing is wider than its column. */
static void shortened_names_stay_apart(void **state)
{
	struct fixture *f = *state;
	static const struct {
		size_t width;
		const char *in[4], *out[4];
	} cases[] = {
		{24,
		 {"void at::native::elementwise_kernel<128, 2, direct_copy>(int)",
		  "void at::native::elementwise_kernel<128, 2, CUDAFunctor_add>(int)", "short", NULL},
		 {"void at:...direct_cop...", "void at:...CUDAFuncto...", "short", NULL}},
		{16,
		 {"reduce_kernel_over_rows_v1", "reduce_kernel_over_rows_v2", "reduce_kernel_over_rows_v1", NULL},
		 {"reduc..._rows_v1", "reduc..._rows_v2", "reduc..._rows_v1", NULL}},
		{20, /* three that differ at two places */
		 {"kernel_of_a_long_name_alpha_first_of_them", "kernel_of_a_long_name_alpha_other_of_them",
		  "kernel_of_a_long_name_beta_first_of_them", NULL},
		 {"kernel...alpha_fi...", "kernel...alpha_ot...", "kernel...beta_fir...", NULL}},
		{8,
		 {"aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaba", NULL},
		 {"aaa...aa", "aaa...ab", "aaa...ba", NULL}},
		{10,
		 {"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe5\xad\x97",
		  "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", NULL, NULL},
		 {"\xe6\xbc\xa2...\xe6\xbc\xa2\xe5\xad\x97", "\xe6\xbc\xa2...\xe6\xbc\xa2\xe6\xbc\xa2", NULL, NULL}},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct str text[4];
		size_t n = 0;
		for (; cases[i].in[n]; n++)
			text[n] = str_from(cases[i].in[n]);
		term_shorten(text, n, cases[i].width, &f->a);
		for (size_t k = 0; k < n; k++) {
			assert_true(term_columns(text[k]) <= cases[i].width);
			assert_string_equal(arena_printf(&f->a, "%.*s", STR_ARG(text[k])), cases[i].out[k]);
		}
	}
	/* 200 names that differ only where two halves are looked at together */
	struct str many[200];
	for (size_t i = 0; i < COUNT_OF(many); i++)
		many[i] = str_from(arena_printf(&f->a, "%zu_kernel_with_a_name_%zu_that_is_long_%zu_enough", 7 + i % 2,
						i / 2 % 10, i / 20));
	term_shorten(many, COUNT_OF(many), 12, &f->a);
	for (size_t i = 0; i < COUNT_OF(many); i++) {
		assert_true(term_columns(many[i]) <= 12);
		for (size_t k = 0; k < i; k++)
			assert_false(str_eq(many[i], many[k]));
	}
}

static void long_last_cells(void **state)
{
	struct fixture *f = *state;
	struct term narrow = {.width = 40};
	struct term_table *t = term_table_new(&f->a, "rule|because");
	term_table_row(t, "latency|sm.throughput 20.3 %% < 40; memory 14.8 %% < 40");
	term_table_write(t, &narrow, &f->b);
	assert_string_equal(f->b.p, "rule     because\nlatency  sm.throughput 20.3 % < 40; m...\n");
	buf_clear(&f->b);
	narrow.is_terminal = true;
	term_table_write(t, &narrow, &f->b);
	assert_string_equal(f->b.p,
			    "rule     because\nlatency  sm.throughput 20.3 % < 40;\n         memory 14.8 % < 40\n");
}

/* Half an id names nothing; a word of the wrapped column is not broken. */
static void ids_and_words_stay_whole(void **state)
{
	struct fixture *f = *state;
	struct term narrow = {.width = 60, .is_terminal = true};
	struct term_table *t = term_table_new(&f->a, "fingerprint|reason|tags");
	term_table_row(t, "4e7d0ece4b9624fd|slower_or_equal_to_previous|exp_once, instruction_level_parallel");
	term_table_row(t, "cfff0477eba5df1b|faster_than_previous|exp_once");
	term_table_write(t, &narrow, &f->b);
	assert_string_equal(f->b.p, "fingerprint       reason          tags\n"
				    "4e7d0ece4b9624fd  slower_or_e...  exp_once,\n"
				    "                                  instruction_level_parallel\n"
				    "cfff0477eba5df1b  faster_than...  exp_once\n");
}

/* A person reads broken lines, a program a fact a line; a command is copied whole. */
static void fact_lines(void **state)
{
	struct fixture *f = *state;
	struct term narrow = {.width = 40};
	static const char text[] = "note       a fact that is longer than the terminal\n\n"
				   "command    assay bench a_rather_long_name.c --with=options\n";
	term_lines(&f->b, &narrow, STR(text), 11);
	assert_string_equal(f->b.p, text);
	buf_clear(&f->b);
	narrow.is_terminal = true;
	term_lines(&f->b, &narrow, STR(text), 11);
	assert_string_equal(f->b.p, "note       a fact that is longer than\n           the terminal\n\n"
				    "command    assay bench a_rather_long_name.c --with=options\n");
	buf_clear(&f->b);
	term_lines(&f->b, &narrow, STR("v5 is 5.99 times as fast as v0, which was confirmed\n"), 2);
	assert_string_equal(f->b.p, "v5 is 5.99 times as fast as v0, which\n  was confirmed\n");
}

static void styles(void **state)
{
	struct fixture *f = *state;
	struct term coloured = {.width = 80, .colour = true};
	term_styled(&plain, &f->b, TERM_BAD, "x");
	assert_string_equal(f->b.p, "x");
	buf_clear(&f->b);
	term_styled(&coloured, &f->b, TERM_BAD, "x");
	assert_string_equal(f->b.p, "\033[31mx\033[0m");
	buf_clear(&f->b);
	term_styled(&coloured, &f->b, TERM_PLAIN, "x");
	assert_string_equal(f->b.p, "x");
}

/* A name from a file hides nothing, moves nothing, sets no title; our own colours stay. */
static void safe_text(void **state)
{
	struct fixture *f = *state;
	struct term coloured = {.width = 80, .colour = true};
	term_safe(&f->b, STR("a\tb\n\033[8mc\033[2Jd\033]0;t\ae\r\xc2\x9b"
			     "31mf\x7f\033[1A\033"));
	assert_string_equal(f->b.p, "a\tb\n?[8mc?[2Jd?]0;t?e??31mf??[1A?");
	buf_clear(&f->b);
	struct buf styled;
	buf_init(&styled);
	term_styled(&coloured, &styled, TERM_BAD, "x \xc3\xa9 \xe2\x96\x88");
	term_styled(&coloured, &styled, TERM_BOLD, "y");
	term_safe(&f->b, buf_view(&styled));
	assert_string_equal(f->b.p, styled.p);
	buf_release(&styled);
}

static void terminals(void **state)
{
	(void)state;
	struct term t;
	struct winsize size = {.ws_col = 132, .ws_row = 50};
	int file = open("/dev/null", O_RDWR | O_CLOEXEC), master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(file >= 0 && master >= 0);
	assert_true(grantpt(master) == 0 && unlockpt(master) == 0);
	int tty = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(tty >= 0 && ioctl(tty, TIOCSWINSZ, &size) == 0);
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	term_init(&t, file, TERM_AUTO);
	assert_true(t.width == 80 && !t.colour && !t.is_terminal);
	term_init(&t, file, TERM_ALWAYS);
	assert_true(t.colour);
	term_init(&t, tty, TERM_AUTO);
	assert_true(t.width == 132 && t.colour && t.is_terminal);
	term_init(&t, tty, TERM_NEVER);
	assert_false(t.colour);
	setenv("NO_COLOR", "1", 1);
	term_init(&t, tty, TERM_AUTO);
	assert_false(t.colour);
	setenv("NO_COLOR", "", 1);
	term_init(&t, tty, TERM_AUTO);
	assert_true(t.colour);
	setenv("TERM", "dumb", 1);
	term_init(&t, tty, TERM_AUTO);
	assert_false(t.colour);
	setenv("COLUMNS", "100", 1);
	term_init(&t, tty, TERM_AUTO);
	assert_int_equal(t.width, 100);
	setenv("COLUMNS", "nonsense", 1);
	term_init(&t, tty, TERM_AUTO);
	assert_int_equal(t.width, 132);
	setenv("COLUMNS", "3", 1);
	term_init(&t, file, TERM_AUTO);
	assert_int_equal(t.width, 40);
	close(tty);
	close(master);
	close(file);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(numbers),
		TEST(columns),
		TEST(wrapping),
		TEST(tables),
		TEST(tables_shrink),
		TEST(styles),
		TEST(same_cells_are_said_once),
		TEST(shortened_names_stay_apart),
		TEST(long_last_cells),
		TEST(fact_lines),
		TEST(ids_and_words_stay_whole),
		TEST(safe_text),
		TEST(terminals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
