/* Units, metric dictionary, tool versions, rules and the fact set.
 * In: tables of src/facts.
 * Out: cmocka's verdict.
 * Never: needs a file. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "facts/fact.h"
#include "facts/metric.h"
#include "facts/rule.h"
#include "facts/tool.h"
#include "facts/unit.h"

static void expect_unit(const char *text, const char *base, double factor)
{
	struct unit u;
	if (!unit_parse(&u, str_from(text)))
		fail_msg("%s is not known", text);
	assert_string_equal(u.base, base);
	if (fabs(u.factor - factor) > 1e-12 * factor)
		fail_msg("%s: factor %g, not %g", text, u.factor, factor);
}

static void test_unit_parse(void **state)
{
	struct unit u;
	(void)state;
	expect_unit("", "", 1);
	expect_unit("%", "%", 1);
	expect_unit("Tbyte/s", "byte/s", 1e12);
	expect_unit("byte/second", "byte/s", 1);
	expect_unit("nsecond", "ns", 1);
	expect_unit("ms", "ns", 1e6);
	expect_unit("cycle/second", "hz", 1);
	expect_unit("cycle/nsecond", "hz", 1e9);
	expect_unit("Ghz", "hz", 1e9);
	expect_unit("sector/us", "sector/s", 1e6);
	expect_unit("register/thread", "register/thread", 1);
	expect_unit("Kbyte/block", "byte/block", 1e3);
	expect_unit("%/", "%", 1);
	assert_false(unit_parse(&u, STR("furlong")));
	assert_false(unit_parse(&u, STR("byte/fortnight")));
	assert_false(unit_parse(&u, STR("kbyte")));
}

static void expect_scaled(const char *base, double v, double scaled, const char *unit)
{
	struct unit_scaled s;
	unit_scale(&s, base, v);
	assert_string_equal(s.unit, unit);
	if (fabs(s.value - scaled) > 1e-9 * fabs(scaled))
		fail_msg("%g %s: %g, not %g", v, base, s.value, scaled);
}

static void test_unit_scale(void **state)
{
	(void)state;
	expect_scaled("ns", 16800, 16.8, "us");
	expect_scaled("ns", 999, 999, "ns");
	expect_scaled("ns", 2.5e9, 2.5, "s");
	expect_scaled("byte", 146188512, 146.188512, "Mbyte");
	expect_scaled("byte/s", 1.0357e12, 1.0357, "Tbyte/s");
	expect_scaled("byte/block", 1024, 1.024, "Kbyte/block");
	expect_scaled("hz", 1.94e9, 1.94, "Ghz");
	expect_scaled("sector/s", 112234.092, 112.234092, "sector/ms");
	expect_scaled("cycle", 32918, 32918, "cycle");
	expect_scaled("%", 5000, 5000, "%");
	expect_scaled("", 1e9, 1e9, "");
}

static void test_metric_units(void **state)
{
	static const char *const pairs[][2] = {
		{"gpu__time_duration.sum", "ns"},
		{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
		{"dram__bytes.sum.per_second", "byte/s"},
		{"dram__bytes.sum.peak_sustained", "byte/cycle"},
		{"gpc__cycles_elapsed.avg.per_second", "hz"},
		{"lts__t_sectors.avg.per_cycle_elapsed", "sector/cycle"},
		{"sm__warps_active.avg.per_cycle_active", "warp"},
		{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "inst"},
		{"launch__registers_per_thread", "register/thread"},
		{"device__attribute_clock_rate", ""},
		{"FBPA.TriageA.dramc__read_throughput.avg.pct_of_peak_sustained_elapsed", "%"},
		{"sm__inst_executed.sum", "inst"},
		{"no_such_metric", ""},
		{"", ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		if (strcmp(metric_unit(str_from(pairs[i][0])), pairs[i][1]) != 0)
			fail_msg("%s: %s", pairs[i][0], metric_unit(str_from(pairs[i][0])));
	}
}

static void test_unit_table_is_sorted(void **state)
{
	static const char *const names[] = {
#define NCU_UNIT(name, unit) name,
#include "facts/ncu_unit.def"
#undef NCU_UNIT
	};
	static const char *const units[] = {
#define NCU_UNIT(name, unit) unit,
#include "facts/ncu_unit.def"
#undef NCU_UNIT
	};
	struct unit u;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_true(i == 0 || str_cmp(str_from(names[i - 1]), str_from(names[i])) < 0);
		if (!unit_parse(&u, str_from(units[i])))
			fail_msg("%s: unit.def lacks %s", names[i], units[i]);
		assert_string_equal(u.base, units[i]); /* base units only */
	}
}

static void test_semantic_ids(void **state)
{
	(void)state;
	for (int m = 0; m < METRIC_COUNT; m++) {
		enum metric_id back;
		struct unit u;
		const struct metric_row *row = metric_row((enum metric_id)m);
		assert_true(metric_from_id(str_from(row->id), &back));
		assert_int_equal(back, m); /* ids are unique */
		assert_true(unit_parse(&u, str_from(row->unit)) && strcmp(u.base, row->unit) == 0);
		for (size_t i = 0; metric_name((enum metric_id)m, i).n; i++) {
			struct str name = metric_name((enum metric_id)m, i);
			assert_true(metric_from_name(name, &back));
			assert_int_equal(back, m); /* a profiler name means one thing */
			if (strcmp(metric_unit(name), row->unit) != 0 && m != METRIC_THREADS_PER_WARP &&
			    m != METRIC_SM_COUNT)
				fail_msg("%.*s: %s, the row says %s", STR_ARG(name), metric_unit(name), row->unit);
		}
	}
}

static void test_tools(void **state)
{
	(void)state;
	assert_true(tool_is_tested("ncu", STR("2025.3.1.0 (build 36398880) (public-release)")));
	assert_true(tool_is_tested("ncu", STR("2025.3")));
	assert_false(tool_is_tested("ncu", STR("2025.30.1")));
	assert_false(tool_is_tested("ncu", STR("2031.1.0")));
	assert_false(tool_is_tested("nsys", STR("2025.3.1")));
	assert_false(tool_is_tested("ncu", (struct str){NULL, 0}));
}

struct given {
	double v[METRIC_COUNT];
	bool has[METRIC_COUNT];
};

static bool given_lookup(void *ctx, enum metric_id m, double *out)
{
	struct given *g = ctx;
	*out = g->v[m];
	return g->has[m];
}

static void give(struct given *g, enum metric_id m, double v)
{
	g->v[m] = v;
	g->has[m] = true;
}

static enum rule_state state_of(struct given *g, const char *rule)
{
	for (size_t i = 0; i < rule_count(); i++) {
		struct rule_finding f;
		rule_evaluate(&f, i, given_lookup, g);
		if (strcmp(f.rule, rule) == 0)
			return f.state;
	}
	fail_msg("no rule %s", rule);
	return RULE_NOT_EVALUATED;
}

static size_t n_satisfied(struct given *g)
{
	size_t n = 0;
	for (size_t i = 0; i < rule_count(); i++) {
		struct rule_finding f;
		rule_evaluate(&f, i, given_lookup, g);
		n += f.state == RULE_SATISFIED;
	}
	return n;
}

/* Per rule values that satisfy it and a twin that just does not. */
static void test_rules(void **state)
{
	struct given g = {0};
	(void)state;
	give(&g, METRIC_SM_THROUGHPUT, 85);
	give(&g, METRIC_MEMORY_THROUGHPUT, 40);
	assert_int_equal(state_of(&g, "roofline_compute"), RULE_SATISFIED);
	assert_int_equal(state_of(&g, "roofline_memory"), RULE_NOT_SATISFIED);
	assert_int_equal(state_of(&g, "COMPUTE_BOUND"), RULE_SATISFIED);
	assert_int_equal(state_of(&g, "DRAM_MEMORY_BOUND"), RULE_NOT_SATISFIED); /* SM decides, the rest is absent */
	assert_int_equal(state_of(&g, "OCCUPANCY_BOUND"), RULE_NOT_EVALUATED);
	give(&g, METRIC_MEMORY_THROUGHPUT, 76);
	assert_int_equal(state_of(&g, "roofline_compute"), RULE_NOT_SATISFIED);
	assert_int_equal(state_of(&g, "MIXED_BOUND"), RULE_SATISFIED);
	give(&g, METRIC_MEMORY_THROUGHPUT, 74);
	assert_int_equal(state_of(&g, "MIXED_BOUND"), RULE_NOT_SATISFIED);

	g = (struct given){0};
	give(&g, METRIC_SM_THROUGHPUT, 20);
	give(&g, METRIC_MEMORY_THROUGHPUT, 90);
	give(&g, METRIC_DRAM_THROUGHPUT, 90);
	give(&g, METRIC_LOAD_SECTORS_PER_REQUEST, 32);
	assert_int_equal(state_of(&g, "DRAM_MEMORY_BOUND"), RULE_SATISFIED);
	assert_int_equal(state_of(&g, "roofline_memory"), RULE_SATISFIED);
	give(&g, METRIC_LOAD_SECTORS_PER_REQUEST, 4);
	give(&g, METRIC_STORE_SECTORS_PER_REQUEST, 4);
	assert_int_equal(state_of(&g, "DRAM_MEMORY_BOUND"), RULE_NOT_EVALUATED);
	give(&g, METRIC_LOAD_BYTES_PER_SECTOR, 100);
	give(&g, METRIC_STORE_BYTES_PER_SECTOR, 100);
	assert_int_equal(state_of(&g, "DRAM_MEMORY_BOUND"), RULE_NOT_SATISFIED);

	g = (struct given){0};
	give(&g, METRIC_L1_THROUGHPUT, 88);
	give(&g, METRIC_SHARED_CONFLICTS, 500);
	give(&g, METRIC_SHARED_WAVEFRONTS, 1000);
	assert_int_equal(state_of(&g, "L1_PRESSURE_BOUND"), RULE_SATISFIED);
	give(&g, METRIC_SHARED_CONFLICTS, 50);
	assert_int_equal(state_of(&g, "L1_PRESSURE_BOUND"), RULE_NOT_SATISFIED);
}

static void test_rules_of_latency(void **state)
{
	struct given g = {0};
	(void)state;
	give(&g, METRIC_SM_THROUGHPUT, 20);
	give(&g, METRIC_MEMORY_THROUGHPUT, 25);
	give(&g, METRIC_OCCUPANCY, 70);
	give(&g, METRIC_ELIGIBLE_WARPS, 0.3);
	assert_int_equal(state_of(&g, "LATENCY_BOUND"), RULE_SATISFIED);
	assert_int_equal(state_of(&g, "roofline_latency"), RULE_SATISFIED);
	give(&g, METRIC_ELIGIBLE_WARPS, 1.3);
	assert_int_equal(state_of(&g, "LATENCY_BOUND"), RULE_NOT_SATISFIED);
	give(&g, METRIC_KERNEL_DURATION, 3000);
	give(&g, METRIC_WAVES, 0.1);
	assert_int_equal(state_of(&g, "HOST_OR_LAUNCH_BOUND"), RULE_SATISFIED);
	give(&g, METRIC_KERNEL_DURATION, 30000);
	assert_int_equal(state_of(&g, "HOST_OR_LAUNCH_BOUND"), RULE_NOT_SATISFIED);
	give(&g, METRIC_OCCUPANCY, 20);
	give(&g, METRIC_OCCUPANCY_THEORETICAL, 25);
	assert_int_equal(state_of(&g, "OCCUPANCY_BOUND"), RULE_SATISFIED);
	assert_int_equal(n_satisfied(&g), 2); /* several: no winner */

	g = (struct given){0};
	give(&g, METRIC_SM_THROUGHPUT, 50);
	give(&g, METRIC_MEMORY_THROUGHPUT, 50);
	assert_int_equal(n_satisfied(&g), 0); /* none */
}

static void test_limiter(void **state)
{
	struct given g = {0};
	struct arena a;
	double blocks;
	(void)state;
	arena_init(&a);
	assert_null(rule_occupancy_limiter(&a, given_lookup, &g, &blocks));
	give(&g, METRIC_LIMIT_REGISTERS, 4);
	give(&g, METRIC_LIMIT_SHARED, 4);
	give(&g, METRIC_LIMIT_WARPS, 8);
	give(&g, METRIC_LIMIT_BARRIERS, 0);
	assert_string_equal(rule_occupancy_limiter(&a, given_lookup, &g, &blocks), "registers and shared memory");
	assert_true(blocks == 4);
	arena_release(&a);
}

static void test_rule_output(void **state)
{
	struct given g = {0};
	struct arena a;
	struct buf b;
	struct rule_finding f;
	(void)state;
	arena_init(&a);
	buf_init(&b);
	give(&g, METRIC_SM_THROUGHPUT, 85.5);
	give(&g, METRIC_MEMORY_THROUGHPUT, 40);
	rule_evaluate(&f, 0, given_lookup, &g);
	rule_finding_text(&f, &b);
	assert_string_equal(b.p, "roofline_compute: sm.throughput 85.5 % > 60; sm.throughput 85.5 % > 50");
	struct json *j = rule_finding_json(&f, &a);
	assert_true(str_is(json_str(j, "state", STR("")), "satisfied"));
	assert_true(json_f64(json_at(json_get(j, "conditions"), 1), "threshold", 0) == 50);
	g = (struct given){0};
	buf_clear(&b);
	rule_evaluate(&f, 0, given_lookup, &g);
	rule_finding_text(&f, &b);
	assert_string_equal(b.p,
			    "roofline_compute: sm.throughput not collected (section SpeedOfLight); sm.throughput not "
			    "collected (section SpeedOfLight)");
	buf_release(&b);
	arena_release(&a);
}

static void test_fact_set(void **state)
{
	struct arena a;
	struct fact_set s;
	(void)state;
	arena_init(&a);
	fact_set_init(&s, &a, "ncu");
	s.origin.version = STR("2025.3");
	for (int i = 0; i < 100; i++)
		fact_add_count(&s, "n", "", (uint64_t)i);
	struct fact *f = fact_add(&s, STR("sm.throughput"), "%", FACT_KERNEL);
	f->type = FACT_REAL;
	f->real = 12.5;
	f->subject = STR("k");
	struct json *j = fact_set_json(&s, &a);
	assert_int_equal(json_get(j, "facts")->n, 101);
	assert_true(json_i64(json_at(json_get(j, "facts"), 99), "value", 0) == 99);
	assert_true(str_is(json_str(json_at(json_get(j, "facts"), 100), "subject", STR("")), "k"));
	assert_true(str_is(json_str(json_get(j, "binding"), "claim_layer", STR("")), "diagnostic"));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unit_parse),   cmocka_unit_test(test_unit_scale),
		cmocka_unit_test(test_metric_units), cmocka_unit_test(test_unit_table_is_sorted),
		cmocka_unit_test(test_semantic_ids), cmocka_unit_test(test_tools),
		cmocka_unit_test(test_rules),        cmocka_unit_test(test_rules_of_latency),
		cmocka_unit_test(test_limiter),      cmocka_unit_test(test_rule_output),
		cmocka_unit_test(test_fact_set),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
