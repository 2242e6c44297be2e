/* Theoretical occupancy against Nsight Compute's own limits.
 * In: launches as reports of seven GPUs give them. Out: pass or fail.
 * Each row: compute capability, threads, registers, shared memory (static, dynamic, configured), ncu's limits.
 * Never: needs a report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "facts/occupancy.h"

static const struct {
	struct occupancy_in in;
	uint64_t registers, shared, warps, blocks; /* launch__occupancy_limit_* */
	double pct;                                /* sm__maximum_warps_per_active_cycle_pct */
} rows[] = {
	{{86, 128, 107, 0, 0, 0}, 4, 100, 12, 16, 33.33},   {{86, 128, 35, 0, 512, 0}, 12, 66, 12, 16, 100},
	{{80, 10, 16, 0, 0, 0}, 128, 164, 64, 32, 50},      {{75, 64, 16, 0, 0, 32768}, 64, 16, 16, 16, 100},
	{{89, 512, 16, 2048, 0, 32768}, 8, 10, 3, 24, 100}, {{89, 512, 16, 2176, 0, 32768}, 8, 10, 3, 24, 100},
	{{89, 512, 16, 0, 2112, 32768}, 8, 10, 3, 24, 100}, {{89, 256, 16, 0, 0, 16384}, 16, 16, 6, 24, 100},
	{{75, 256, 16, 0, 0, 32768}, 16, 16, 4, 16, 100},   {{90, 256, 56, 0, 0, 32768}, 4, 32, 8, 32, 50},
	{{120, 1024, 16, 0, 0, 8192}, 4, 8, 1, 24, 66.67},  {{120, 1024, 16, 4224, 0, 8192}, 4, 1, 1, 24, 66.67},
	{{90, 256, 31, 1024, 0, 32768}, 8, 16, 8, 32, 100}, {{90, 256, 110, 0, 98304, 233472}, 2, 2, 8, 32, 25},
	{{90, 128, 29, 0, 16, 32768}, 16, 28, 16, 32, 100}, {{90, 128, 16, 0, 0, 32768}, 32, 32, 16, 32, 100},
	{{90, 256, 16, 0, 0, 32768}, 16, 32, 8, 32, 100},
};

static void test_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct occupancy o;
		assert_true(occupancy_of(&o, &rows[i].in));
		assert_int_equal(o.by_registers, rows[i].registers);
		assert_int_equal(o.by_shared, rows[i].shared);
		assert_int_equal(o.by_warps, rows[i].warps);
		assert_int_equal(o.by_blocks, rows[i].blocks);
		assert_true(o.pct > rows[i].pct - 0.01 && o.pct < rows[i].pct + 0.01);
	}
}

static void test_limiter(void **state)
{
	struct occupancy o;
	char text[64];
	(void)state;
	assert_true(occupancy_of(&o, &(struct occupancy_in){90, 256, 110, 0, 98304, 0}));
	assert_int_equal(o.limits, OCCUPANCY_REGISTERS | OCCUPANCY_SHARED);
	assert_string_equal(occupancy_limits(text, o.limits), "registers and shared memory");
	assert_string_equal(occupancy_limits(text, 15), "registers and shared memory and warps and blocks");
	assert_string_equal(occupancy_limits(text, 0), "");
	assert_false(occupancy_of(&o, &(struct occupancy_in){31, 256, 32, 0, 0, 0}));  /* not in the table */
	assert_false(occupancy_of(&o, &(struct occupancy_in){90, 2048, 32, 0, 0, 0})); /* no such block */
	assert_false(occupancy_of(&o, &(struct occupancy_in){90, 0, 32, 0, 0, 0}));
	assert_false(occupancy_of(&o, &(struct occupancy_in){90, 1024, 255, 0, 0, 0})); /* registers of one block */
	assert_false(occupancy_of(&o, &(struct occupancy_in){90, 32, 32, 0, 300000, 0}));
	assert_false(occupancy_of(&o, &(struct occupancy_in){90, 32, 32, UINT64_MAX, 1, 0}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_limiter)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
