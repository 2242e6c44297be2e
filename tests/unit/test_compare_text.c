/* The text of a comparison, from the stored document of its format.
 * In: tests/data/formats/compare-v1.json.
 * Out: cmocka's report.
 * Never: measures. */
#include "report/compare_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static struct json *document(struct arena *a)
{
	struct err e;
	struct json *j = json_read_file(a, "tests/data/formats/compare-v1.json", JSON_STRICT, &e);
	assert_non_null(j);
	return j;
}

static struct str text_of(struct arena *a, const struct json *j, size_t width)
{
	struct buf out;
	struct term term = {width, false};
	buf_init(&out);
	compare_text(j, &term, a, &out);
	struct str text = arena_str(a, buf_view(&out));
	buf_release(&out);
	return text;
}

static void expect(struct str text, const char *line)
{
	if (!strstr(text.p, line))
		fail_msg("missing: %s in:\n%s", line, text.p);
}

static void test_text(void **state)
{
	(void)state;
	struct arena a;
	arena_init(&a);
	struct str text = text_of(&a, document(&a), 100);
	expect(text, "on Fake GPU, backend cuda, cold cache, time by event_pair\n");
	expect(text, "A     right.cu        4.00 us                  -                   -  passed\n");
	expect(text, "B     two_kernels.cu  7.04 us           -43.18 %  -43.18 .. -43.18 %  slower\n");
	expect(text, "C     wrong.cu              -                  -                   -  output_unwritten\n");
	expect(text, "C          output_unwritten: ");
	expect(text, "effect     least that counts: 0.5 %\n");
	expect(text, "placements 6 of 2 blocks, 144 timed calls; ");
	expect(text, "device     SM clock 1980 to 1980 MHz");
	assert_null(strstr(text.p, "same  "));
	arena_release(&a);
}

/* What the numbers rest on is said where it changes what they mean. */
static void test_notes(void **state)
{
	(void)state;
	struct arena a;
	arena_init(&a);
	struct json *j = document(&a);
	json_set_bool(j, "same_binary", true);
	json_set_cstr(json_get(j, "telemetry"), "problem", "others used up to 1.9 CPUs during 3 of 9 timed calls");
	struct str text = text_of(&a, j, 100);
	expect(text, "same       A and B are the same binary: what differs is the measurement\n");
	expect(text, "others     others used up to 1.9 CPUs during 3 of 9 timed calls\n");
	/* nothing was timed */
	json_set_null(j, "run");
	json_set_null(j, "resolution");
	text = text_of(&a, j, 100);
	assert_null(strstr(text.p, "placements "));
	arena_release(&a);
}

/* The names that readers rely on stay. */
static void test_format(void **state)
{
	static const char *const keys[] = {
		"verdict.word",
		"source",
		"min_effect_pct",
		"sides.1.effect.effect_log",
		"sides.1.effect.sd_log",
		"sides.1.effect.cases.0.name",
		"sides.1.cases.0.log_ratio",
		"sides.0.cases.0.time_ns",
		"sides.0.empty_pair_ns",
		"run.overhead_s_per_placement",
		"telemetry.samples",
		"telemetry.timed_calls.contaminated",
		"trial",
		"sides.2.correctness.verdict",
	};
	(void)state;
	struct arena a;
	arena_init(&a);
	struct json *j = document(&a);
	assert_true(str_is(json_str(j, "format", STR("")), "assay/compare-v1"));
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (!json_path(j, keys[i]))
			fail_msg("no %s", keys[i]);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_format),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
