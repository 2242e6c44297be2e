/* Unit tests of off-grid sizes: primes beside the asked ones, inside of what is declared, the same for the same seed.
 * In: operator files in a temporary folder. Out: cmocka's report.
 * Never: runs a kernel. */
#include "measure/off_grid.h"

#include "measure/hidden.h"
#include "operator/sizes.h"
#include "unit/operator_kit.h"

#define KERNEL "void solve(const float *x, float *y, int M, int N, int H, int W) { }\n"
#define HEAD                                                                                                           \
	"{\"format\": \"assay/operator-v1\", \"params\": ["                                                            \
	"{\"name\": \"x\", \"role\": \"in\", \"shape\": [\"M\", \"N\"], "                                              \
	"\"fill\": {\"kind\": \"normal\", \"mean\": 0, \"std\": 1}},"                                                  \
	"{\"name\": \"y\", \"role\": \"out\", \"shape\": [\"W\", \"H\"]},"                                             \
	"{\"name\": \"W\", \"role\": \"dim\", \"value\": \"M * N\"},"
#define CASES                                                                                                          \
	"], \"cases\": [{\"name\": \"a\", \"dims\": {\"M\": 256, \"N\": 256, \"H\": 8}},"                              \
	"{\"name\": \"b\", \"dims\": {\"M\": 251, \"N\": 257, \"H\": 8}}]}"
#define DIM(name, more) "{\"name\": \"" name "\", \"role\": \"dim\"" more "}"

struct chosen {
	struct hidden_round rounds[OFF_GRID_MOST];
	size_t n;
	const char *reason;
};

static void choose(struct kit *k, const char *json, struct chosen *out)
{
	k->in.path = kit_file(k, "s.c", KERNEL);
	kit_file(k, "s.op.json", json);
	kit_reads(k);
	out->n = off_grid_choose(out->rounds, &k->a, &k->op, &out->reason);
}

static int64_t dim(const struct hidden_round *r, const char *name)
{
	for (size_t i = 0; i < r->c.n_dims; i++) {
		if (str_is(r->c.dims[i].name, name))
			return r->c.dims[i].value;
	}
	fail_msg("no %s", name);
	return 0;
}

static bool is_prime(int64_t n)
{
	for (int64_t d = 2; d < n; d++) {
		if (n % d == 0)
			return false;
	}
	return n > 1;
}

/* Nothing is declared: one case that only flags. Small dims stay, worked out ones follow, sizes of cases do not occur. */
static void nothing_declared(void **state)
{
	struct kit *k = *state;
	struct chosen c;
	for (uint64_t seed = 0; seed < 20; seed++) {
		k->in.seed = seed;
		choose(k, HEAD DIM("M", "") "," DIM("N", "") "," DIM("H", "") CASES, &c);
		assert_int_equal(c.n, 1);
		for (size_t i = 0; i < c.n; i++) {
			const struct hidden_round *r = &c.rounds[i];
			int64_t m = dim(r, "M"), n = dim(r, "N");
			assert_false(r->is_declared);
			assert_true(is_prime(m) && is_prime(n) && m != n && m != 251 && n != 257);
			assert_true(m < 256 && m > 190 && n < 256 && n > 190);
			assert_int_equal(dim(r, "H"), 8);
			assert_int_equal(r->c.args[1].shape[0], m * n);
			assert_int_equal(r->c.seed, seed + 2 + i);
		}
	}
}

/* Declared ranges hold, whatever the seed; what is outside of them is not tried, nor is what cannot be another one. */
static void declared_ranges(void **state)
{
	struct kit *k = *state;
	struct chosen c;
	for (uint64_t seed = 0; seed < 20; seed++) {
		k->in.seed = seed;
		choose(k,
		       HEAD DIM("M", ", \"range\": {\"min\": 240, \"max\": 256}") "," DIM(
			       "N", ", \"range\": {\"multiple_of\": 16}") "," DIM("H", ", \"range\": {\"max\": 64}")
			       CASES,
		       &c);
		assert_int_equal(c.n, 2); /* all that may change is declared */
		for (size_t i = 0; i < c.n; i++) {
			const struct hidden_round *r = &c.rounds[i];
			assert_true(r->is_declared);
			assert_true(dim(r, "M") >= 240 && dim(r, "M") <= 256);
			assert_int_equal(dim(r, "N") % 16, 0);
			assert_true(is_prime(dim(r, "N") / 16));
			assert_true(is_prime(dim(r, "H")) && dim(r, "H") <= 64 && dim(r, "H") != 8);
		}
		assert_int_equal(dim(&c.rounds[0], "M"), 241); /* 251 is a case's */
		assert_int_equal(dim(&c.rounds[1], "M"), 256); /* no prime above it */
	}
}

/* A part is declared: those cases reject, one more with the rest flags. */
static void partly_declared(void **state)
{
	struct kit *k = *state;
	struct chosen c;
	choose(k, HEAD DIM("M", ", \"range\": {}") "," DIM("N", "") "," DIM("H", "") CASES, &c);
	assert_int_equal(c.n, 3);
	assert_true(c.rounds[0].is_declared && c.rounds[1].is_declared && !c.rounds[2].is_declared);
	assert_int_equal(dim(&c.rounds[0], "N"), 256);
	assert_int_not_equal(dim(&c.rounds[2], "N"), 256);
	choose(k,
	       HEAD DIM("M", ", \"range\": {\"min\": 256, \"max\": 256}") "," DIM(
		       "N", ", \"range\": {\"min\": 256, \"max\": 256}") "," DIM("H", "") CASES,
	       &c);
	assert_int_equal(c.n, 0);
	assert_string_equal(c.reason, "no size may be another one");
}

/* The same seed, the same sizes; another seed, now and then others. */
static void by_seed(void **state)
{
	struct kit *k = *state;
	struct chosen c;
	size_t n_same = 0;
	int64_t first = 0;
	for (uint64_t seed = 0; seed < 12; seed++) {
		k->in.seed = seed / 2;
		choose(k, HEAD DIM("M", "") "," DIM("N", "") "," DIM("H", "") CASES, &c);
		if (seed % 2)
			assert_int_equal(dim(&c.rounds[0], "M"), first);
		n_same += seed > 1 && seed % 2 == 0 && dim(&c.rounds[0], "M") == first;
		first = dim(&c.rounds[0], "M");
	}
	assert_true(n_same < 5);
}

/* Without an operator file sizes are guessed from the command line's dims; with --ptr-size nothing follows from them. */
static void guessed(void **state)
{
	struct kit *k = *state;
	struct chosen c;
	k->in.path = kit_file(k, "g.c", "void solve(const float *x, float *y, int n) { }\n");
	kit_dim(k, "n", 1024);
	kit_reads(k);
	c.n = off_grid_choose(c.rounds, &k->a, &k->op, &c.reason);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.rounds[0].c.args[1].n_elements, dim(&c.rounds[0], "n"));
	k->in.ptr_size = 2048;
	kit_reads(k);
	c.n = off_grid_choose(c.rounds, &k->a, &k->op, &c.reason);
	assert_int_equal(c.n, 0);
	assert_non_null(strstr(c.reason, "--ptr-size"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_declared, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(declared_ranges, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(partly_declared, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(by_seed, kit_setup, kit_teardown),
		cmocka_unit_test_setup_teardown(guessed, kit_setup, kit_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
