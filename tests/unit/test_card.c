/* Unit tests of knowledge/card: every card against its tables, ranges, evaluation.
 * In: the card table; made-up values.
 * Out: cmocka's report.
 * Never: reads a report. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "facts/metric.h"
#include "knowledge/card.h"

static void every_card(void **state)
{
	struct arena a;
	struct err e = {ERR_NONE, ""};
	size_t n = 0, n_conditions = 0;
	(void)state;
	arena_init(&a);
	for (const struct card *c; (c = card_at(n)); n++) {
		if (!card_check(c, &a, &e))
			fail_msg("%s", e.text);
		n_conditions += *c->when != 0;
		assert_ptr_equal(card_find(str_from(c->id)), c);
	}
	assert_true(n >= 115);
	assert_true(n_conditions >= 70);
	arena_release(&a);
}

static void bad_cards(void **state)
{
	struct arena a;
	struct err e;
	struct card good = *card_find(STR("coalesced_access"));
	(void)state;
	arena_init(&a);
	struct card bad[6] = {good, good, good, good, good, good};
	bad[0].key = "no_such_mechanism";
	bad[1].when = "no.such_metric > 1";
	bad[2].unless = "l2.hit_rate >";
	bad[3].sm = "new";
	bad[4].moves = "l2.hit_rate sideways";
	bad[5].toolkit = "12";
	assert_true(card_check(&good, &a, &e));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(card_check(&bad[i], &a, &e));
	arena_release(&a);
}

/* Names of signals stay off the ids of metrics, or a card could mean either. */
static void names_apart(void **state)
{
	enum metric_id m;
	(void)state;
	static const char *const ids[] = {"stall.membar", "atomic.requests", "pipe.xu", "cluster.size"};
	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		assert_non_null(signal_find(str_from(ids[i])));
		assert_false(metric_from_id(str_from(ids[i]), &m));
	}
}

static void identity(void **state)
{
	struct arena a;
	struct card_identity old = {.sm = 80, .toolkit = "11.8"},
			     new = {.sm = 90, .toolkit = "12.4", .framework = "cuda"};
	(void)state;
	arena_init(&a);
	const struct card *tma = card_find(STR("tma_load")), *wgmma = card_find(STR("wgmma"));
	const struct card *warps = card_find(STR("num_warps"));
	assert_string_equal(card_differs(tma, &old, &a), "architecture: 80, the card holds for >=90");
	assert_null(card_differs(tma, &new, &a));
	old.sm = 90;
	assert_string_equal(card_differs(tma, &old, &a), "toolkit: 11.8, the card holds for >=12.0");
	new.sm = 100;
	assert_string_equal(card_differs(wgmma, &new, &a), "architecture: 100, the card holds for 90");
	assert_string_equal(card_differs(warps, &new, &a), "framework: cuda, the card is about triton");
	assert_null(card_differs(warps, &(struct card_identity){0}, &a));
	arena_release(&a);
}

struct pair {
	const char *id;
	double value;
};

static bool pairs(void *ctx, struct str id, double *out)
{
	for (const struct pair *p = ctx; p->id; p++) {
		*out = p->value;
		if (str_is(id, p->id))
			return true;
	}
	return false;
}

static void evaluation(void **state)
{
	struct arena a;
	struct card_finding f;
	const struct card *c = card_find(STR("bank_conflict"));
	struct pair values[] = {
		{"shared.bank_conflicts", 50}, {"shared.wavefronts", 100}, {"shared.wavefronts_pct", 40}, {NULL, 0}};
	(void)state;
	arena_init(&a);
	card_evaluate(&f, c, &a, pairs, values);
	assert_int_equal(f.state, CARD_HOLDS);
	assert_int_equal(f.n_values, 3);
	values[0].value = 5;
	card_evaluate(&f, c, &a, pairs, values);
	assert_int_equal(f.state, CARD_NOT_MET);
	values[0].value = 50;
	values[2].value = 3;
	card_evaluate(&f, c, &a, pairs, values);
	assert_int_equal(f.state, CARD_NOT_MET);
	values[1].id = "other";
	card_evaluate(&f, c, &a, pairs, values);
	assert_int_equal(f.state, CARD_NOT_EVALUATED);
	assert_true(str_is(f.missing, "shared.wavefronts"));
	struct pair spill[] = {
		{"local.spill_requests", 9}, {"spill.instructions", 1}, {"sm.instructions", 100000}, {NULL, 0}};
	card_evaluate(&f, card_find(STR("register_spill")), &a, pairs, spill);
	assert_int_equal(f.state, CARD_COUNTERED);
	card_evaluate(&f, card_find(STR("stable_variance")), &a, pairs, spill);
	assert_int_equal(f.state, CARD_NO_CONDITION);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_card), cmocka_unit_test(bad_cards),  cmocka_unit_test(names_apart),
		cmocka_unit_test(identity),   cmocka_unit_test(evaluation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
