/* Parts of the trace reader: the structure of a piece by AVX2 and by its scalar twin, times, ends of values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "read/kineto/internal.h"

static void piece_make(struct piece *p, size_t cap)
{
	*p = (struct piece){.cap = cap};
	p->p = malloc(cap + PIECE_PAD);
	p->quotes = calloc(cap / 64 + 3, sizeof *p->quotes);
	p->events = malloc(PIECE_EVENTS * sizeof *p->events);
}

static void piece_free(struct piece *p)
{
	free(p->p);
	free(p->quotes);
	free(p->events);
}

/* The AVX2 reader and its scalar twin on random texts of structural bytes. */
static void twins(void **state)
{
	(void)state;
	static const char alphabet[] = "\"\"\\\\{}[]{}[],: ab\n\"}{";
	struct piece a, b;
	uint64_t seed = 1;
	piece_make(&a, 1024);
	piece_make(&b, 1024);
	for (int round = 0; round < 20000; round++) {
		size_t at_a = 0, at_b = 0, from = (size_t)(round % 70);
		a.n = b.n = 100 + (size_t)(round % 900);
		for (size_t i = 0; i < a.n + PIECE_PAD; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			a.p[i] = b.p[i] =
				i < a.n ? alphabet[(seed >> 33) % (round % 3 ? sizeof alphabet - 1 : 17)] : ' ';
		}
		a.n_events = b.n_events = 0;
		assert_int_equal(structure_scan(&a, from, &at_a), structure_scan_scalar(&b, from, &at_b));
		assert_int_equal(at_a, at_b);
		assert_int_equal(a.n_events, b.n_events);
		if (a.n_events)
			assert_memory_equal(a.events, b.events, a.n_events * sizeof *a.events);
		for (size_t w = from / 64; w < at_a / 64; w++)
			assert_int_equal(a.quotes[w], b.quotes[w]);
	}
	piece_free(&a);
	piece_free(&b);
}

static void times(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool ok;
		int64_t ns;
	} rows[] = {
		{"0", true, 0},
		{"1", true, 1000},
		{"-1.5", true, -1500},
		{"1712195495521130.028", true, 1712195495521130028},
		{"0.001", true, 1},
		{"7.0000000", true, 7000},
		{"\"3.25\"", true, 3250},
		{"nan", false, 0},
		{"-", false, 0},
		{"", false, 0},
		{"1e3", true, 1000000},
		{"12345678901234567890", false, 0},
		{"2999999999999999.999", true, 2999999999999999999},
		{"9199999999999999.999", false, 0},
		{"inf", false, 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct kineto_trust trust = {0};
		int64_t ns = 0;
		bool ok = kineto_time(&trust, rows[i].text, rows[i].text + strlen(rows[i].text), &ns);
		if (ok != rows[i].ok || (ok && ns != rows[i].ns))
			fail_msg("%s: %d %lld", rows[i].text, ok, (long long)ns);
	}
}

static void value_ends(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t end;
	} rows[] = {
		{"12,", 2},
		{"12", 0},
		{"\"a\",", 3},
		{"\"a", 0},
		{"\"a\\\"b\":", 6},
		{"\"say \"hi\" now\",", 14},
		{"[1,[2],\"]\"] ", 11},
		{"{\"a\":{}}}", 8},
		{"{\"a\":", 0},
		{"true}", 4},
		{",", 0},
		{"", 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (scan_value_end(rows[i].text, 0, strlen(rows[i].text)) != rows[i].end)
			fail_msg("%s: %zu", rows[i].text, scan_value_end(rows[i].text, 0, strlen(rows[i].text)));
	assert_int_equal(scan_event_head("x {\"a\":1}, { \"ph\":", 0, 20), 11);
	assert_int_equal(scan_event_head("no head {", 0, 9), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twins),
		cmocka_unit_test(times),
		cmocka_unit_test(value_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
