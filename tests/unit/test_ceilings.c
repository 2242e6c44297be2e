/* Ceilings and limits: which peak is taken for which type, and what a time comes to against it.
 * In: made-up devices and times. Out: numbers worked out by hand.
 * Nothing is measured here.
 * Never asserts a rate of this machine. */
#include "measure/limits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static char cache[] = "/tmp/test_ceilings.XXXXXX";

static int set_up(void **state)
{
	struct arena *a = malloc(sizeof(*a));
	arena_init(a);
	*state = a;
	return mkdtemp(cache) && setenv("ASSAY_CACHE_DIR", cache, 1) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	arena_release(*state);
	free(*state);
	return 0;
}

static struct lab_device gpu(const char *name)
{
	return (struct lab_device){.backend = "cuda", .gpu = "GPU-1", .name = name};
}

static void test_vendor(void **state)
{
	struct ceilings c;
	struct lab_device h200 = gpu("NVIDIA H200"), l4 = gpu("NVIDIA L4"), l40s = gpu("NVIDIA L40S"),
			  other = gpu("Fake GPU");
	struct json *facts = json_object(*state);
	bool is_measured = true;
	ceilings_load(&c, *state, &h200, facts);
	assert_false(c.is_measured);
	assert_non_null(c.vendor_source);
	assert_true(ceilings_peak_bytes(&c, &is_measured) == 4.8e12);
	assert_false(is_measured);
	assert_true(ceilings_peak_flops(&c, DTYPE_F32, &is_measured) == 6.7e13);
	assert_true(ceilings_peak_flops(&c, DTYPE_F16, &is_measured) == 9.895e14);
	assert_true(ceilings_peak_flops(&c, DTYPE_F8E5M2, &is_measured) == 1.979e15);
	assert_true(ceilings_peak_flops(&c, DTYPE_I32, &is_measured) == 0);
	ceilings_load(&c, *state, &l4, facts);
	assert_true(ceilings_peak_bytes(&c, &is_measured) == 3e11); /* not L40S's */
	ceilings_load(&c, *state, &l40s, facts);
	assert_true(ceilings_peak_bytes(&c, &is_measured) == 8.64e11);
	ceilings_load(&c, *state, &other, facts);
	assert_null(c.vendor_source);
	assert_true(ceilings_peak_bytes(&c, &is_measured) == 0);
}

/* A measured rate goes before the vendor's, is kept per device and driver, and is replaced when it is measured again. */
static void test_kept(void **state)
{
	struct ceilings c, got;
	struct lab_device h200 = gpu("NVIDIA H200");
	struct json *facts = json_object(*state), *newer = json_object(*state);
	bool is_measured = false;
	json_set_cstr(facts, "driver", "1");
	json_set_cstr(newer, "driver", "2");
	ceilings_load(&c, *state, &h200, facts);
	for (double rate = 4e12; rate < 4.5e12; rate += 0.25e12) {
		c.record = json_object(*state);
		json_set_f64(json_set_object(c.record, "measured"), ceilings_name(CEILINGS_COPY), rate);
		json_set_u64(c.record, "l2_bytes", 1000);
		ceilings_keep(&c, &h200, facts);
		ceilings_load(&got, *state, &h200, facts);
		assert_true(got.is_measured && got.l2_bytes == 1000);
		assert_true(got.measured[CEILINGS_COPY] == rate);
	}
	assert_true(isnan(got.measured[CEILINGS_FP32]));
	assert_true(ceilings_peak_flops(&got, DTYPE_F32, &is_measured) == 6.7e13);
	assert_false(is_measured);
	ceilings_load(&got, *state, &h200, newer);
	assert_false(got.is_measured);
}

static struct json *limits(struct arena *a, struct op_case *c, double time_ns, uint64_t l2_bytes, bool *is_impossible)
{
	static struct param params[2] = {{.dtype = DTYPE_BF16, .role = PARAM_IN, .flags = PARAM_POINTER},
					 {.dtype = DTYPE_F32, .role = PARAM_OUT, .flags = PARAM_POINTER}};
	struct operator op = {.params = params, .n_params = 2, .cases = c, .n_cases = 1};
	struct lab_device h200 = gpu("NVIDIA H200");
	struct json *facts = json_object(a);
	struct ceilings ceilings;
	json_set_u64(facts, "memory_bus_bits", 6144);
	json_set_u64(facts, "max_memory_mhz", 3201);
	ceilings_load(&ceilings, a, &h200, json_object(a));
	struct limits_in in = {.op = &op,
			       .ceilings = &ceilings,
			       .device_facts = facts,
			       .time_ns = time_ns,
			       .l2_bytes = l2_bytes,
			       .is_cold = true};
	return limits_json(a, &in, is_impossible);
}

static void near(double got, double want)
{
	assert_true(fabs(got - want) <= 1e-9 * fabs(want));
}

static void test_limits(void **state)
{
	struct op_case c = {.bytes = 4.8e9, .flops = 9.895e11, .flags = OP_CASE_HAS_BYTES | OP_CASE_HAS_FLOPS};
	bool is_impossible = true;
	/* 4.8 GB take 1 ms at 4.8 TB/s, the operations 1 ms at the bfloat16 rate, which the input's type chooses */
	struct json *j = limits(*state, &c, 2e6, 0, &is_impossible);
	near(json_f64(json_get(j, "roofline"), "memory_pct", 0), 50);
	near(json_f64(json_get(j, "roofline"), "compute_pct", 0), 50);
	assert_true(str_is(json_str(json_get(j, "peaks"), "arithmetic_type", STR("")), "bfloat16"));
	assert_true(str_is(json_str(json_path(j, "peaks.bytes"), "from", STR("")), "vendor"));
	assert_false(is_impossible);
	c.flops *= 2;
	j = limits(*state, &c, 4e6, 0, &is_impossible);
	assert_true(str_is(json_str(json_get(j, "roofline"), "binding", STR("")), "compute"));
	near(json_f64(json_get(j, "roofline"), "binding_pct", 0), 50);
	/* without bytes and operations there is nothing to say */
	struct op_case nothing = {.flags = 0};
	assert_int_equal(limits(*state, &nothing, 1, 0, &is_impossible)->type, JSON_NULL);
}

/* The pins: 6144 bits at 3201 MHz, both edges, are 4.917 TB/s; 4.8 GB less 50 MB of cache take 0.966 ms. */
static void test_floor(void **state)
{
	struct op_case c = {.bytes = 4.8e9, .flags = OP_CASE_HAS_BYTES};
	bool is_impossible = true;
	struct json *j = limits(*state, &c, 1e6, 50000000, &is_impossible);
	near(json_f64(json_get(j, "floor"), "pin_bytes_per_s", 0), 6144 / 8 * 3201e6 * 2);
	near(json_f64(json_get(j, "floor"), "least_ns", 0), 4.75e9 / (6144 / 8 * 3201e6 * 2) * 1e9);
	assert_false(is_impossible);
	limits(*state, &c, 0.9e6, 50000000, &is_impossible);
	assert_true(is_impossible);
	/* sizes that were added up or guessed reject nobody, nor does a cache of unknown size */
	c.flags |= OP_CASE_BYTES_SUMMED;
	j = limits(*state, &c, 0.9e6, 50000000, &is_impossible);
	assert_false(is_impossible);
	assert_true(str_is(json_str(json_get(j, "floor"), "word", STR("")), "suspect"));
	c.flags = OP_CASE_HAS_BYTES;
	j = limits(*state, &c, 0.9e6, 0, &is_impossible);
	assert_false(is_impossible);
	assert_true(str_is(json_str(json_get(j, "floor"), "word", STR("")), "unknown"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vendor),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_floor),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
