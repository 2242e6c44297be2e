/* Opportunity claims: a table of claims, each with its ceiling or the contradiction that is found in it. */
#include "protocol/claim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

struct part {
	double f, r, c;
	char relation; /* s same boundary, u upper bound, d diagnostic */
	bool counted;
};
struct row {
	const char *name;
	struct part parts[3];
	double expected, minimum, resolution;
	const char *aggregation, *contradiction; /* NULL: none */
	double ceiling;
	bool has_tail;
};

static const struct row rows[] = {
	{"amdahl, half of a half", {{0.5, 0.5, 0, 's', true}}, 20, 1, 0, "median", NULL, 100.0 / 3, false},
	{"all of a tenth", {{0.1, 1, 0, 's', true}}, 5, 1, 0, "mean", NULL, 100.0 / 9, false},
	{"an upper bound counts", {{0.2, 0.5, 0, 'u', true}}, 5, 1, 0, "median", NULL, 100.0 / 9, false},
	{"two parts", {{0.2, 0.5, 0, 's', true}, {0.1, 1, 0, 'u', true}}, 5, 1, 0, "median", NULL, 25, false},
	{"added cost", {{0.3, 1, 0.1, 's', true}}, 5, 1, 0, "median", NULL, 25, false},
	{"a diagnostic beside it",
	 {{0.5, 0.5, 0, 's', true}, {0.9, 1, 0, 'd', false}},
	 5,
	 1,
	 0,
	 "median",
	 NULL,
	 100.0 / 3,
	 false},
	{"throughput", {{0.5, 0.5, 0, 's', true}}, 5, 1, 0, "throughput", NULL, 100.0 / 3, false},
	{"a tail with its facts", {{0.5, 0.5, 0, 's', true}}, 5, 1, 0, "p99", NULL, 100.0 / 3, true},
	{"exactly the minimum", {{0.5, 0.5, 0, 's', true}}, 33.3, 33.3, 0, "median", NULL, 100.0 / 3, false},
	{"above the resolution", {{0.5, 0.5, 0, 's', true}}, 5, 1, 4, "median", NULL, 100.0 / 3, false},
	{"shares above one",
	 {{0.6, 0.1, 0, 's', true}, {0.6, 0.1, 0, 's', true}},
	 5,
	 1,
	 0,
	 "median",
	 "shares_above_one",
	 0,
	 false},
	{"a diagnostic counted",
	 {{0.5, 0.5, 0, 'd', true}, {0.5, 0.5, 0, 's', true}},
	 5,
	 1,
	 0,
	 "median",
	 "diagnostic_input_counted",
	 0,
	 false},
	{"ceiling below the minimum",
	 {{0.01, 0.5, 0, 's', true}},
	 0.4,
	 1,
	 0,
	 "median",
	 "ceiling_below_minimum",
	 0,
	 false},
	{"expected below resolution", {{0.5, 0.5, 0, 's', true}}, 2, 1, 3, "median", "below_resolution", 0, false},
	{"a mean share for p95", {{0.5, 0.5, 0, 's', true}}, 5, 1, 0, "p95", "mean_share_for_tail", 0, false},
	{"a mean share for p99", {{0.5, 0.5, 0, 's', true}}, 5, 1, 0, "p99", "mean_share_for_tail", 0, false},
	{"expected above the ceiling",
	 {{0.1, 0.5, 0, 's', true}},
	 50,
	 1,
	 0,
	 "median",
	 "expected_above_ceiling",
	 0,
	 false},
	{"a share above one", {{1.2, 0.1, 0, 's', true}}, 5, 1, 0, "median", "share_out_of_range", 0, false},
	{"a reduction above one", {{0.2, 1.5, 0, 's', true}}, 5, 1, 0, "median", "reduction_above_one", 0, false},
	{"cost eats the gain", {{0.1, 0.5, 0.06, 's', true}}, 1, 1, 0, "median", "ceiling_below_minimum", 0, false},
	{"a negative cost", {{0.1, 0.5, -0.5, 's', true}}, 5, 1, 0, "median", "negative_cost", 0, false},
	{"saves everything", {{1, 1, 0, 's', true}}, 5, 1, 0, "median", "saves_everything", 0, false},
};

static struct json *claim_of(struct arena *a, const struct row *r)
{
	static const char *const texts[] = {"shape", "phase", "lowering", "graph", "dispatch", "fallback", "overlap"};
	struct json *j = json_object(a), *b = json_set_object(j, "boundary"), *list = json_set_array(j, "components");
	json_push_str(json_set_array(b, "regions"), STR("decode"));
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		json_set_cstr(b, texts[i], "as run");
	json_set_f64(j, "expected_effect_pct", r->expected);
	for (size_t i = 0; i < COUNT_OF(r->parts) && r->parts[i].relation; i++) {
		const struct part *p = &r->parts[i];
		struct json *x = json_object(a);
		json_set_cstr(x, "name", "part");
		json_set_i64(x, "occurrence", 1);
		json_set_f64(x, "exposed_share", p->f);
		json_set_f64(x, "local_reduction", p->r);
		json_set_f64(x, "added_cost", p->c);
		json_set_bool(x, "counted", p->counted);
		json_set_cstr(x, "relation",
			      p->relation == 's'   ? "same_boundary"
			      : p->relation == 'u' ? "conservative_upper_bound"
						   : "diagnostic_only");
		json_push(list, x);
	}
	if (r->has_tail) {
		struct json *t = json_set_object(j, "tail");
		json_set_f64(t, "affected_requests_share", 0.02);
		json_set_f64(t, "critical_path_share", 0.5);
	}
	return j;
}

static bool has(const struct json *facts, const char *code)
{
	const struct json *list = json_get(facts, "contradictions");
	for (size_t i = 0; i < list->n; i++) {
		if (str_is(json_str(list->items[i], "code", STR("")), code))
			return true;
	}
	return false;
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena a;
		struct json *facts;
		struct err e = {ERR_NONE, ""};
		const struct row *r = &rows[i];
		arena_init(&a);
		struct claim_context about = {r->minimum, r->resolution, str_from(r->aggregation)};
		assert_true(claim_check(&facts, &a, claim_of(&a, r), &about, &e));
		if (r->contradiction ? !has(facts, r->contradiction) : json_get(facts, "contradictions")->n != 0)
			fail_msg("%s: %zu contradictions, %s wanted", r->name, json_get(facts, "contradictions")->n,
				 r->contradiction ? r->contradiction : "none");
		if (!r->contradiction && fabs(json_f64(facts, "ceiling_pct", 0) - r->ceiling) > 1e-9)
			fail_msg("%s: ceiling %g, %g wanted", r->name, json_f64(facts, "ceiling_pct", 0), r->ceiling);
		arena_release(&a);
	}
}

/* What the counted part must save for the minimum effect gives exactly the minimum effect. */
static void test_saving(void **state)
{
	(void)state;
	struct arena a;
	struct json *facts;
	struct err e = {ERR_NONE, ""};
	struct row r = rows[0];
	arena_init(&a);
	struct claim_context about = {10, 0, STR("median")};
	assert_true(claim_check(&facts, &a, claim_of(&a, &r), &about, &e));
	double saving = json_f64(facts, "local_saving_needed", 0);
	assert_true(fabs(1 / (1 - 0.5 * saving) - 1.1) < 1e-12);
	struct json *open = claim_of(&a, &r);
	json_set_i64(open, "more", 1);
	assert_false(claim_check(&facts, &a, open, &about, &e));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_saving)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
