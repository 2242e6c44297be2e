/* Unit tests of gpu/nvml: facts and states with what is missing left out.
 * In: an NVML made of functions in this file.
 * Out: cmocka's report.
 * Never: needs a GPU. */
#include "gpu/nvml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static struct {
	unsigned n, n_processes;
	int mig;
	int fail;
} fake;
static char devices[8];

static int fake_driver(char *text, unsigned bytes)
{
	snprintf(text, bytes, "580.1");
	return 0;
}
static int fake_cuda(int *version)
{
	*version = 13000;
	return 0;
}
static int fake_count(unsigned *n)
{
	*n = fake.n;
	return 0;
}
static int fake_by_index(unsigned index, void **device)
{
	*device = &devices[index];
	return fake.fail ? 15 : 0;
}
static int fake_name(void *device, char *text, unsigned bytes)
{
	snprintf(text, bytes, "Fake %ld", (long)((char *)device - devices));
	return 0;
}
static int fake_uuid(void *device, char *text, unsigned bytes)
{
	long i = (long)((char *)device - devices);
	snprintf(text, bytes, "%s-%ld", i >= 4 ? "MIG" : "GPU", i);
	return 0;
}
static int fake_memory(void *device, struct nvml_memory *out)
{
	*out = (struct nvml_memory){100, 60, 40};
	return device ? 0 : 2;
}
static int fake_capability(void *device, int *major, int *minor)
{
	*major = 9;
	*minor = 0;
	return device ? 0 : 2;
}
static int fake_unsupported(void *device, unsigned *v)
{
	*v = 12345; /* a driver may write before it fails */
	return device ? 3 : 2;
}
static int fake_mig_mode(void *device, unsigned *current, unsigned *pending)
{
	*current = *pending = (unsigned)fake.mig;
	return device ? 0 : 2;
}
static int fake_mig_max(void *device, unsigned *n)
{
	*n = 3;
	return device ? 0 : 2;
}
static int fake_mig_by_index(void *device, unsigned index, void **mig)
{
	*mig = &devices[4 + index];
	return device && index != 1 ? 0 : 6; /* the middle one does not exist */
}
static int fake_clock(void *device, int type, unsigned *mhz)
{
	*mhz = type == NVML_CLOCK_SM ? 1980 : 3201;
	return device ? 0 : 2;
}
static int fake_reasons(void *device, unsigned long long *mask)
{
	*mask = 0x5;
	return device ? 0 : 2;
}
static int fake_processes(void *device, unsigned *n, struct nvml_process *out)
{
	unsigned room = *n;
	*n = fake.n_processes;
	if (room < fake.n_processes)
		return 7;
	for (unsigned i = 0; i < fake.n_processes; i++)
		out[i] = (struct nvml_process){.pid = 100 + i, .used_bytes = 7};
	return device ? 0 : 2;
}
static const char *fake_text(int code)
{
	return code == 15 ? "GPU is lost" : NULL;
}

static const struct nvml nvml = {
	.driver_version = fake_driver,
	.cuda_version = fake_cuda,
	.count = fake_count,
	.by_index = fake_by_index,
	.name = fake_name,
	.uuid = fake_uuid,
	.memory = fake_memory,
	.capability = fake_capability,
	.power = fake_unsupported,
	.mig_mode = fake_mig_mode,
	.mig_max = fake_mig_max,
	.mig_by_index = fake_mig_by_index,
	.clock = fake_clock,
	.reasons = fake_reasons,
	.processes = fake_processes,
	.error_string = fake_text,
};

static void facts(void **state)
{
	(void)state;
	struct arena a;
	struct gpu_devices d;
	struct err e = {0};
	arena_init(&a);
	memset(&fake, 0, sizeof fake);
	fake.n = 2;
	assert_true(gpu_devices(&a, &d, &nvml, &e));
	assert_int_equal(d.n, 2);
	assert_string_equal(d.driver, "580.1");
	assert_int_equal(d.cuda_version, 13000);
	assert_string_equal(d.v[1].name, "Fake 1");
	assert_string_equal(d.v[1].uuid, "GPU-1");
	assert_int_equal(d.v[1].memory_used_bytes, 40);
	assert_int_equal(d.v[1].has, GPU_HAS_CAPABILITY | GPU_HAS_MIG);
	assert_int_equal(d.v[1].mig_enabled, 0);
	assert_int_equal(d.v[1].n_mig, 0);
	assert_null(d.v[1].pci);
	fake.mig = 1;
	assert_true(gpu_devices(&a, &d, &nvml, &e));
	assert_int_equal(d.v[0].n_mig, 2);
	assert_string_equal(d.v[0].mig_uuid[0], "MIG-4");
	assert_string_equal(d.v[0].mig_uuid[1], "MIG-6");
	fake.fail = 1;
	assert_false(gpu_devices(&a, &d, &nvml, &e));
	assert_int_equal(e.code, ERR_ENVIRONMENT);
	assert_string_equal(e.text, "GPU 0: nvmlDeviceGetHandleByIndex: GPU is lost (NVML 15)");
	fake.fail = 0;
	fake.n = 100000;
	assert_false(gpu_devices(&a, &d, &nvml, &e));
	arena_release(&a);
}

static void sample(void **state)
{
	(void)state;
	struct gpu_sample s;
	memset(&fake, 0, sizeof fake);
	fake.n_processes = 2;
	gpu_sample(&s, &nvml, devices);
	assert_int_equal(s.has, GPU_SAMPLE_SM_MHZ | GPU_SAMPLE_MEMORY_MHZ | GPU_SAMPLE_REASONS | GPU_SAMPLE_PROCESSES |
					GPU_SAMPLE_MEMORY);
	assert_int_equal(s.sm_mhz, 1980);
	assert_int_equal(s.memory_mhz, 3201);
	assert_int_equal(s.reasons, 5);
	assert_int_equal(s.n_processes, 2);
	assert_int_equal(s.pid[1], 101);
	assert_int_equal(s.pid_bytes[1], 7);
	fake.n_processes = 1000; /* more than the list: the number is still right */
	gpu_sample(&s, &nvml, devices);
	assert_int_equal(s.n_processes, 1000);
	assert_int_equal(s.pid[0], 0);
}

static void reasons(void **state)
{
	(void)state;
	bool throttles = false;
	assert_string_equal(gpu_reason_name(4, &throttles), "sw_power_cap");
	assert_true(throttles);
	assert_string_equal(gpu_reason_name(1, &throttles), "gpu_idle");
	assert_false(throttles);
	assert_null(gpu_reason_name(0x8000, &throttles));
	assert_null(gpu_reason_name(5, NULL)); /* two bits are no reason */
}

static void mps(void **state)
{
	(void)state;
	struct arena a;
	char dir[] = "/tmp/test_nvml.XXXXXX";
	arena_init(&a);
	assert_non_null(mkdtemp(dir));
	setenv("CUDA_MPS_PIPE_DIRECTORY", dir, 1);
	assert_null(gpu_mps_pipe(&a));
	char *control = arena_printf(&a, "%s/control", dir);
	assert_int_equal(mkfifo(control, 0600), 0);
	assert_string_equal(gpu_mps_pipe(&a), dir);
	unlink(control);
	rmdir(dir);
	arena_release(&a);
}

static void real_nvml(void **state)
{
	(void)state;
	struct nvml n;
	struct err e = {0};
	if (nvml_open(&n, &e)) {
		assert_true(n.path[0] != 0);
		nvml_release(&n);
	} else {
		assert_int_equal(e.code, ERR_ENVIRONMENT);
		assert_non_null(strstr(e.text, "libnvidia-ml.so.1"));
	}
	assert_null(n.lib);
	nvml_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts), cmocka_unit_test(sample),    cmocka_unit_test(reasons),
		cmocka_unit_test(mps),   cmocka_unit_test(real_nvml),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
