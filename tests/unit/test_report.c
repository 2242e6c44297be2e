/* The HTML report's pieces: escaping, line difference, charts.
 * In: small texts and numbers. Out: markup looked at as text.
 * The whole page is looked at by tests/cli/report.t.
 * Never: depends on a browser. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/chart.h"
#include "report/diff.h"
#include "report/html.h"

struct fixture {
	struct arena a;
	struct buf out;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	arena_init(&f->a);
	buf_init(&f->out);
	buf_add(&f->out, "", 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	arena_release(&f->a);
	buf_release(&f->out);
	free(f);
	return 0;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void text_is_escaped(void **state)
{
	struct fixture *f = *state;
	html_cstr(&f->out, "<script>alert(\"a\" & 'b')</script>");
	assert_string_equal(f->out.p, "&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;");
}

static void differences_keep_every_line(void **state)
{
	struct fixture *f = *state;
	diff_html(&f->out, &f->a, STR("a\nb\nc\nd\n"), STR("a\nx\nc\nd\ne\n"));
	assert_string_equal(f->out.p, "<pre class=\"diff\"><span> a</span><span class=\"del\">-b</span>"
				      "<span class=\"add\">+x</span><span> c</span><span> d</span>"
				      "<span class=\"add\">+e</span></pre>\n");
}

static void far_lines_are_left_out(void **state)
{
	struct fixture *f = *state;
	diff_html(&f->out, &f->a, STR("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), STR("1\n2\n3\n4\n5\n6\n7\n8\nx\n"));
	assert_int_equal(count(f->out.p, "..."), 1);
	assert_null(strstr(f->out.p, "> 5<"));
	assert_non_null(strstr(f->out.p, "> 6<"));
	assert_non_null(strstr(f->out.p, "-9"));
}

static void equal_texts_have_no_marks(void **state)
{
	struct fixture *f = *state;
	diff_html(&f->out, &f->a, STR("a\nb\n"), STR("a\nb\n"));
	assert_null(strstr(f->out.p, "add"));
	assert_null(strstr(f->out.p, "del"));
}

static void long_texts_are_refused(void **state)
{
	struct fixture *f = *state;
	struct buf big;
	buf_init(&big);
	for (int i = 0; i < 5000; i++)
		buf_puts(&big, "x\n");
	diff_html(&f->out, &f->a, buf_view(&big), STR("y\n"));
	assert_non_null(strstr(f->out.p, "Not compared"));
	buf_release(&big);
}

static void every_version_is_on_the_chart(void **state)
{
	struct fixture *f = *state;
	struct chart_version v[] = {{"v0", 100, 90, 300, 2, "passed", false},
				    {"v1", NAN, NAN, NAN, 0, "wrong_result", false},
				    {"v2", 20, 19, 40, 0.5, "passed", true}};
	chart_versions(&f->out, &f->a, v, COUNT_OF(v));
	assert_int_equal(count(f->out.p, "<circle"), 2);
	assert_non_null(strstr(f->out.p, "<title>v1: wrong_result</title>"));
	assert_int_equal(count(f->out.p, "nan"), 0);
}

static void samples_outside_are_counted(void **state)
{
	struct fixture *f = *state;
	double x[200];
	for (size_t i = 0; i < COUNT_OF(x); i++)
		x[i] = 100 + (double)(i % 7);
	x[50] = 390;
	struct chart_sample s = {"v0", x, COUNT_OF(x)};
	chart_strips(&f->out, &f->a, &s, 1);
	assert_non_null(strstr(f->out.p, "1 of 200 samples lie outside"));
	assert_int_equal(count(f->out.p, "<circle"), 199);
}

static void constant_samples_draw_nothing_wrong(void **state)
{
	struct fixture *f = *state;
	double x[20];
	for (size_t i = 0; i < COUNT_OF(x); i++)
		x[i] = 64;
	struct chart_sample s = {"v0", x, COUNT_OF(x)};
	chart_strips(&f->out, &f->a, &s, 1);
	chart_series(&f->out, &f->a, &s);
	assert_int_equal(count(f->out.p, "nan"), 0);
	assert_int_equal(count(f->out.p, "inf"), 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_is_escaped),
		TEST(differences_keep_every_line),
		TEST(far_lines_are_left_out),
		TEST(equal_texts_have_no_marks),
		TEST(long_texts_are_refused),
		TEST(every_version_is_on_the_chart),
		TEST(samples_outside_are_counted),
		TEST(constant_samples_draw_nothing_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
