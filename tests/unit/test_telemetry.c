/* Telemetry: which intervals say that others were there.
 * In: samples made here, the machine's own counters. Out: flags.
 * No load is made and none is assumed.
 * Never asserts a duration. */
#include "measure/telemetry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "run/sampler.h"
#include "run/trial.h"

#define MS INT64_C(1000000)

/* Two samples 200 ms apart on n CPUs; rates in hundredths of a CPU. */
static void make(struct sampler_sample s[2], uint32_t n_cpus, int64_t foreign, int64_t own, int64_t steal)
{
	memset(s, 0, 2 * sizeof(*s));
	s[0].t_ns = 1000 * MS;
	s[1].t_ns = 1200 * MS;
	s[0].load.n_cpus = s[1].load.n_cpus = n_cpus;
	s[0].foreign_sm_pct = s[1].foreign_sm_pct = -1;
	s[1].load.busy_ns = (foreign + own) * 2 * MS;
	s[1].load.own_ns = own * 2 * MS;
	s[1].load.steal_ns = steal * 2 * MS;
	s[1].load.idle_ns = ((int64_t)n_cpus * 100 - foreign - own - steal) * 2 * MS;
}

static unsigned cpu(uint32_t n_cpus, int64_t foreign, int64_t own, int64_t steal)
{
	struct sampler_sample s[2];
	make(s, n_cpus, foreign, own, steal);
	return telemetry_judge(s, 1, false, NULL);
}

static void test_cpu(void **state)
{
	(void)state;
	assert_int_equal(cpu(2, 0, 100, 0), 0);
	assert_int_equal(cpu(2, 40, 100, 0), 0);                       /* somebody, but a CPU is left */
	assert_int_equal(cpu(2, 90, 100, 0), TELEMETRY_CONTAMINATED);  /* nothing is left */
	assert_int_equal(cpu(8, 60, 100, 0), 0);                       /* six are left */
	assert_int_equal(cpu(8, 420, 100, 0), TELEMETRY_CONTAMINATED); /* half of all */
	assert_int_equal(cpu(8, 0, 100, 20), TELEMETRY_CONTAMINATED);  /* the hypervisor */
	assert_int_equal(cpu(8, 0, 100, 5), 0);
	assert_int_equal(cpu(2, 0, 200, 0), 0); /* all ours */
	struct sampler_sample s[2];
	double foreign = 0;
	make(s, 2, 90, 100, 0);
	telemetry_judge(s, 1, false, &foreign);
	assert_true(foreign > 0.89 && foreign < 0.91);
	s[1].load.throttled_ns = 50 * MS;
	s[1].load.busy_ns = s[1].load.own_ns;
	assert_int_equal(telemetry_judge(s, 1, false, NULL), TELEMETRY_CONTAMINATED);
	/* a child that was reaped between two readings: the window says nothing */
	make(s, 2, 90, 100, 0);
	s[0].load.own_ns = s[1].load.own_ns + 1;
	assert_int_equal(telemetry_judge(s, 1, false, NULL), 0);
	assert_int_equal(telemetry_judge(s, 0, false, NULL), 0);
}

/* Two samples 3 ms apart: the kernel's ticks of 10 ms say nothing there, so the rate is taken over more. */
static void test_window(void **state)
{
	(void)state;
	struct sampler_sample s[3];
	make(s, 2, 90, 100, 0);
	s[2] = s[1];
	s[2].t_ns += 3 * MS;
	s[2].load.busy_ns += 20 * MS;
	assert_int_equal(telemetry_judge(s, 2, false, NULL), TELEMETRY_CONTAMINATED);
	make(s, 2, 0, 100, 0);
	s[2] = s[1];
	s[2].t_ns += 3 * MS;
	s[2].load.busy_ns += 20 * MS; /* two ticks in 3 ms are not six CPUs */
	assert_int_equal(telemetry_judge(s, 2, false, NULL), 0);
	/* less than a window of samples: nothing is said */
	s[1].t_ns = s[0].t_ns + 40 * MS;
	s[1].load.busy_ns += 1000 * MS;
	assert_int_equal(telemetry_judge(s, 1, false, NULL), 0);
}

static void test_unobserved(void **state)
{
	(void)state;
	struct sampler_sample s[4];
	make(s, 2, 0, 100, 0);
	s[2] = s[3] = s[1];
	s[2].t_ns += 900 * MS;
	s[3].t_ns += 1100 * MS;
	s[2].by = s[3].by = SAMPLER_PARENT; /* the parent's own looks do not count */
	assert_int_equal(telemetry_judge(s, 2, false, NULL) & TELEMETRY_UNOBSERVED, 0);
	assert_int_equal(telemetry_judge(s, 3, false, NULL) & TELEMETRY_UNOBSERVED, TELEMETRY_UNOBSERVED);
	s[3].by = SAMPLER_HELPER;
	assert_int_equal(telemetry_judge(s, 3, false, NULL) & TELEMETRY_UNOBSERVED, TELEMETRY_UNOBSERVED);
	s[2].by = SAMPLER_HELPER;
	assert_int_equal(telemetry_judge(s, 3, false, NULL) & TELEMETRY_UNOBSERVED, 0);
}

static unsigned gpu(uint32_t before, uint32_t now, uint32_t ours, uint32_t n_children)
{
	struct sampler_sample s[2];
	make(s, 2, 90, 100, 0); /* CPU load is no matter there */
	s[0].gpu_has = s[1].gpu_has = GPU_SAMPLE_PROCESSES | GPU_SAMPLE_REASONS;
	s[0].n_processes = before;
	s[1].n_processes = now;
	s[1].n_ours = ours;
	s[1].load.n_children = n_children;
	return telemetry_judge(s, 1, true, NULL);
}

static void test_gpu(void **state)
{
	(void)state;
	/* NVML counts in another PID namespace: ours are known by number only */
	assert_int_equal(gpu(0, 3, 0, 4), 0);
	assert_int_equal(gpu(1, 5, 0, 4), 0);
	assert_int_equal(gpu(1, 6, 0, 4), TELEMETRY_CONTAMINATED);
	/* it counts as we do */
	assert_int_equal(gpu(1, 4, 3, 4), 0);
	assert_int_equal(gpu(1, 5, 3, 4), TELEMETRY_CONTAMINATED);
	struct sampler_sample s[2];
	double foreign = 0;
	make(s, 2, 0, 100, 0);
	s[1].foreign_sm_pct = 3;
	assert_int_equal(telemetry_judge(s, 1, true, NULL), 0);
	s[1].foreign_sm_pct = 80;
	assert_int_equal(telemetry_judge(s, 1, true, &foreign), TELEMETRY_CONTAMINATED);
	assert_true(foreign == 80);
	s[1].foreign_sm_pct = -1;
	s[1].gpu_has = GPU_SAMPLE_REASONS;
	s[1].reasons = 0x1 | 0x2; /* idle, application clocks */
	assert_int_equal(telemetry_judge(s, 1, true, NULL), 0);
	s[1].reasons = 0x40; /* hardware, thermal */
	assert_int_equal(telemetry_judge(s, 1, true, NULL), TELEMETRY_THROTTLED);
}

/* Where nobody watches, every row is unobserved, and that is a problem with a reason. */
static void test_nobody(void **state)
{
	(void)state;
	struct arena a;
	struct trial trial;
	struct wire_row rows[3] = {{0}};
	struct trial_batch b = {.mode = TRIAL_TIME, .begin_ns = 5, .wall_ns = 10};
	arena_init(&a);
	trial_init(&trial, &a);
	trial_add(&trial, rows, 3, &b);
	struct telemetry t = {.arena = &a, .is_idle = true, .reason = "no memory"};
	telemetry_wait_idle(&t, 0);
	telemetry_mark(&t, &trial, 1, 3);
	assert_int_equal(trial.rows[0].w.marks, 0);
	assert_int_equal(trial.rows[1].w.marks, WIRE_MARK_UNOBSERVED);
	assert_int_equal(trial.rows[2].w.marks, WIRE_MARK_UNOBSERVED);
	assert_int_equal(t.n_unobserved, 2);
	assert_string_equal(telemetry_problem(&t), "nobody watched: no memory");
	telemetry_mark(&t, &trial, 3, 3);
	assert_int_equal(t.n_rows, 2);
	arena_release(&a);
}

static void burn(clock_t ticks)
{
	clock_t until = clock() + ticks;
	while (clock() < until)
		continue;
}

/* Our own processor time is seen, and a child's after it ended. */
static void test_load(void **state)
{
	(void)state;
	struct load before, after;
	int children[LOAD_MAX_CHILDREN];
	assert_true(load_read(&before, getpid(), children));
	assert_true(before.n_cpus >= 1);
	assert_int_equal(before.n_children, 0);
	burn(CLOCKS_PER_SEC / 20);
	assert_true(load_read(&after, getpid(), NULL));
	assert_true(after.own_ns - before.own_ns >= 30 * MS);
	assert_true(after.busy_ns >= before.busy_ns && after.idle_ns >= before.idle_ns);
	assert_false(load_read(&after, 0, NULL) && after.own_ns > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu), cmocka_unit_test(test_window), cmocka_unit_test(test_unobserved),
		cmocka_unit_test(test_gpu), cmocka_unit_test(test_nobody), cmocka_unit_test(test_load),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
