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
#include "report/svg.h"

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
	assert_int_equal(count(f->out.p, "<circle"), 1); /* the best one is a diamond */
	assert_non_null(strstr(f->out.p, "<title>v1: wrong_result</title>"));
	assert_non_null(strstr(f->out.p, "data-word=\"wrong_result\""));
	assert_non_null(
		strstr(f->out.p, "data-label=\"v2\" data-y=\"20\" data-low=\"19\" data-high=\"40\" data-half=\"0.5\""));
	assert_int_equal(count(f->out.p, "nan"), 0);
}

static void samples_outside_are_counted(void **state)
{
	struct fixture *f = *state;
	double x[200];
	for (size_t i = 0; i < COUNT_OF(x); i++)
		x[i] = 100 + (double)(i % 7);
	x[50] = 390;
	struct chart_sample s = {"v0", x, COUNT_OF(x), false};
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
	struct chart_sample s = {"v0", x, COUNT_OF(x), false};
	chart_strips(&f->out, &f->a, &s, 1);
	chart_series(&f->out, &f->a, &(struct chart_series){.sample = s});
	assert_int_equal(count(f->out.p, "nan"), 0);
	assert_int_equal(count(f->out.p, "inf"), 0);
}

/* Ticks of every range: three to nine of them, round, inside, ascending. */
static void ticks_are_few_and_round(void **state)
{
	static const double ranges[][2] = {{1, 1.01},   {0, 1},   {3, 8},      {950, 1050}, {1, 40},
					   {1e-3, 5e9}, {64, 64}, {1e3, 1e18}, {2e-9, 3e-9}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(ranges); i++) {
		for (int k = 0; k < (ranges[i][0] > 0 ? 2 : 1); k++) {
			struct svg_axis x = (k ? svg_log : svg_linear)(ranges[i][0], ranges[i][1], 0, 100);
			double t[SVG_TICKS];
			size_t n = svg_ticks(&x, t);
			assert_in_range(n, 3, SVG_TICKS);
			for (size_t m = 0; m < n; m++) {
				assert_true(svg_place(&x, t[m]) >= -1e-9 && svg_place(&x, t[m]) <= 100 + 1e-9);
				assert_true(m == 0 || t[m] > t[m - 1]);
			}
		}
	}
}

/* What a damaged record can hold draws something finite, at once. */
static void damaged_ranges_end(void **state)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e308, -1e308, 1e-320};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(odd) * COUNT_OF(odd); i++) {
		double low = odd[i / COUNT_OF(odd)], high = odd[i % COUNT_OF(odd)], t[SVG_TICKS];
		for (int k = 0; k < 2; k++) {
			struct svg_axis x = (k ? svg_log : svg_linear)(low, high, 0, 100);
			size_t n = svg_ticks(&x, t);
			assert_true(n <= SVG_TICKS);
			for (size_t m = 0; m < n; m++)
				assert_true(isfinite(t[m]));
			assert_true(isfinite(svg_place(&x, low)) && isfinite(svg_place(&x, high)));
		}
	}
}

static void words_of_records_are_escaped(void **state)
{
	struct fixture *f = *state;
	struct chart_step s[] = {
		{"<i>", 1.5, 1.4, 1.6, "<b>"}, {"<i>", NAN, NAN, NAN, "<b>"}, {"<i>", -1, 0, 1, "<b>"}};
	struct chart_point p = {"v0", 2, 1e12, false};
	struct chart_roof r = {&p, 1, 4e12, 6e13, "<b>", "<b>"};
	struct chart_activity x = {"<b>", "<b>", 0, 10, 7};
	struct chart_version v[] = {{"v0", 100, 90, 300, 2, "passed", false}, {"v1", NAN, NAN, NAN, 0, "<b>", false}};
	chart_speedups(&f->out, &f->a, s, COUNT_OF(s));
	chart_roofline(&f->out, &f->a, &r);
	chart_timeline(&f->out, &f->a, &x, 1, "activities");
	chart_versions(&f->out, &f->a, v, COUNT_OF(v));
	assert_int_equal(count(f->out.p, "<b>"), 0);
	assert_int_equal(count(f->out.p, "<i>"), 0);
	assert_true(count(f->out.p, "&lt;b&gt;") > 8);
}

static void numbers_of_ticks_are_short(void **state)
{
	struct fixture *f = *state;
	struct svg_axis x = {.unit = SVG_TIME};
	assert_string_equal(svg_number(&f->a, &x, 0), "0");
	assert_string_equal(svg_number(&f->a, &x, 5e6), "5 ms");
	assert_string_equal(svg_number(&f->a, &x, 12500), "12.5 us");
	x.unit = SVG_RATIO;
	assert_string_equal(svg_number(&f->a, &x, 1.2), "1.2\xc3\x97");
	x.unit = SVG_SI, x.suffix = "FLOP/s";
	assert_string_equal(svg_number(&f->a, &x, 2e12), "2 TFLOP/s");
}

/* Numbers that are missing sort behind all others, so they carry no number. */
static void missing_numbers_sort_last(void **state)
{
	struct fixture *f = *state;
	html_number(&f->out, "-", NAN);
	html_number(&f->out, "1.5 us", 1500);
	assert_string_equal(f->out.p,
			    "<td class=\"n\" data-sort=\"\">-</td><td class=\"n\" data-sort=\"1500\">1.5 us</td>");
}

static void a_roof_needs_a_ceiling(void **state)
{
	struct fixture *f = *state;
	struct chart_point p[] = {{"v0", 2, 1e12, false}, {"v1", 2, 3e12, true}};
	struct chart_roof r = {p, COUNT_OF(p), NAN, NAN, NULL, NULL};
	chart_roofline(&f->out, &f->a, &r);
	assert_int_equal(count(f->out.p, "class=\"roof\""), 0);
	assert_non_null(strstr(f->out.p, "No ceiling of this device is recorded"));
	buf_clear(&f->out);
	r.bytes_per_s = 4e12, r.bytes_from = "measured", r.flop_per_s = 6e13, r.flop_from = "vendor";
	chart_roofline(&f->out, &f->a, &r);
	assert_int_equal(count(f->out.p, "class=\"roof\""), 2);
	assert_non_null(strstr(f->out.p, "<title>arithmetic, vendor: 6e+04 GFLOP/s</title>"));
	assert_int_equal(count(f->out.p, "nan"), 0);
}

static void steps_say_what_was_not_compared(void **state)
{
	struct fixture *f = *state;
	struct chart_step s[] = {{"v1 against v0", 1.5, 1.4, 1.6, "faster"}, {"v2", NAN, NAN, NAN, "build_failed"}};
	chart_speedups(&f->out, &f->a, s, COUNT_OF(s));
	assert_non_null(strstr(f->out.p, "data-x=\"1.5\" data-low=\"1.4\" data-high=\"1.6\" data-at=\""));
	assert_non_null(strstr(f->out.p, "data-word=\"faster\"><title>v1 against v0: 1.5"));
	assert_non_null(strstr(f->out.p, "data-label=\"v2\" data-word=\"build_failed\""));
	assert_int_equal(count(f->out.p, "nan"), 0);
}

static void sparks_leave_gaps(void **state)
{
	struct fixture *f = *state;
	const double v[] = {1, NAN, 3, 2}, none[] = {NAN, NAN};
	chart_spark(&f->out, v, COUNT_OF(v));
	assert_non_null(strstr(f->out.p, "data-values=\"1  3 2\""));
	assert_int_equal(count(f->out.p, "M"), 2);
	buf_clear(&f->out);
	chart_spark(&f->out, none, COUNT_OF(none));
	assert_int_equal(f->out.n, 0);
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
		TEST(ticks_are_few_and_round),
		TEST(damaged_ranges_end),
		TEST(words_of_records_are_escaped),
		TEST(numbers_of_ticks_are_short),
		TEST(missing_numbers_sort_last),
		TEST(a_roof_needs_a_ceiling),
		TEST(steps_say_what_was_not_compared),
		TEST(sparks_leave_gaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
