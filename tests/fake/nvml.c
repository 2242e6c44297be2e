/* The fake libnvidia-ml.so.1.
 * In: fake.conf. Out: the GPUs that the fake driver has, their state as a quiet H200 has it.
 * Handles are addresses in one table: GPUs first, then the instances of GPU 0.
 * Never: changes anything. */
#include "gpu/nvml.h"

#include <stdio.h>
#include <string.h>

#include "conf.h"

#define FAKE_API __attribute__((visibility("default")))
#define FAKE_NVML(field, symbol)                                                                                       \
	FAKE_API __typeof__(*((struct nvml *)0)->field) symbol;                                                        \
	FAKE_API int symbol

enum { MAX_GPUS = 8, MAX_MIG = 7, NVML_INVALID = 2, NVML_NOT_SUPPORTED = 3, NVML_NOT_FOUND = 6, NVML_TIMEOUT = 10 };
static char gpus[MAX_GPUS], instances[MAX_MIG];

static unsigned n_gpus(void)
{
	unsigned long long n = fake_conf()->gpus;
	return n > MAX_GPUS ? MAX_GPUS : (unsigned)n;
}

static unsigned n_mig(void)
{
	unsigned long long n = fake_conf()->mig;
	return n > MAX_MIG ? MAX_MIG : (unsigned)n;
}

/* Index of a GPU; -1: no handle of one. */
static int gpu_of(const void *device)
{
	for (unsigned i = 0; i < n_gpus(); i++) {
		if (device == &gpus[i])
			return (int)i;
	}
	return -1;
}

/* Number of an instance from 1; 0: none. */
static unsigned mig_of(const void *device)
{
	for (unsigned i = 0; i < n_mig(); i++) {
		if (device == &instances[i])
			return i + 1;
	}
	return FAKE_WHOLE;
}

static int put_text(char *out, unsigned bytes, const char *text)
{
	int n = snprintf(out, bytes, "%s", text);
	return n >= 0 && (unsigned)n < bytes ? 0 : 7; /* insufficient size */
}

static int check(const char *symbol, const void *device)
{
	int rc = fake_conf_fail(symbol);
	return rc ? rc : gpu_of(device) < 0 ? NVML_INVALID : 0;
}

static int give(const char *symbol, const void *device, unsigned *out, unsigned v)
{
	*out = v;
	return check(symbol, device);
}

FAKE_API const char *nvmlErrorString(int code);
FAKE_API const char *nvmlErrorString(int code)
{
	switch (code) {
	case 0:
		return "Success";
	case NVML_INVALID:
		return "Invalid Argument";
	case NVML_NOT_SUPPORTED:
		return "Not Supported";
	case 4:
		return "Insufficient Permissions";
	case NVML_NOT_FOUND:
		return "Not Found";
	case 9:
		return "Driver Not Loaded";
	case NVML_TIMEOUT:
		return "Timeout";
	case 15:
		return "GPU is lost";
	case 18:
		return "Driver/library version mismatch";
	default:
		return "Unknown Error";
	}
}

FAKE_NVML(init, nvmlInit_v2)(void)
{
	return (int)fake_conf()->nvml_refuses;
}

FAKE_NVML(shutdown, nvmlShutdown)(void)
{
	return 0;
}

FAKE_NVML(driver_version, nvmlSystemGetDriverVersion)(char *text, unsigned bytes)
{
	int rc = fake_conf_fail("nvmlSystemGetDriverVersion");
	return rc ? rc : put_text(text, bytes, "580.0.fake");
}

FAKE_NVML(cuda_version, nvmlSystemGetCudaDriverVersion_v2)(int *version)
{
	*version = 13000;
	return fake_conf_fail("nvmlSystemGetCudaDriverVersion_v2");
}

FAKE_NVML(count, nvmlDeviceGetCount_v2)(unsigned *n)
{
	*n = n_gpus();
	return fake_conf_fail("nvmlDeviceGetCount_v2");
}

FAKE_NVML(by_index, nvmlDeviceGetHandleByIndex_v2)(unsigned index, void **device)
{
	int rc = fake_conf_fail("nvmlDeviceGetHandleByIndex_v2");
	if (rc || index >= n_gpus())
		return rc ? rc : NVML_INVALID;
	*device = &gpus[index];
	return 0;
}

FAKE_NVML(by_uuid, nvmlDeviceGetHandleByUUID)(const char *uuid, void **device)
{
	char text[48];
	for (unsigned i = 0; i < n_gpus(); i++) {
		fake_uuid_text(text, i, FAKE_WHOLE);
		if (strcmp(text, uuid) == 0) {
			*device = &gpus[i];
			return 0;
		}
	}
	for (unsigned i = 0; i < n_mig(); i++) {
		fake_uuid_text(text, 0, i + 1);
		if (strcmp(text, uuid) == 0) {
			*device = &instances[i];
			return 0;
		}
	}
	return NVML_NOT_FOUND;
}

FAKE_NVML(name, nvmlDeviceGetName)(void *device, char *text, unsigned bytes)
{
	int rc = check("nvmlDeviceGetName", device);
	return rc ? rc : put_text(text, bytes, "Fake GPU");
}

FAKE_NVML(uuid, nvmlDeviceGetUUID)(void *device, char *text, unsigned bytes)
{
	char own[48];
	unsigned i_mig = mig_of(device);
	if (i_mig == FAKE_WHOLE && gpu_of(device) < 0)
		return NVML_INVALID;
	fake_uuid_text(own, i_mig == FAKE_WHOLE ? (unsigned)gpu_of(device) : 0, i_mig);
	int rc = fake_conf_fail("nvmlDeviceGetUUID");
	return rc ? rc : put_text(text, bytes, own);
}

FAKE_NVML(pci, nvmlDeviceGetPciInfo_v3)(void *device, struct nvml_pci *out)
{
	int rc = check("nvmlDeviceGetPciInfo_v3", device);
	if (rc)
		return rc;
	*out = (struct nvml_pci){.bus = 0x10 + (unsigned)gpu_of(device)};
	snprintf(out->id, sizeof(out->id), "00000000:%02X:00.0", out->bus);
	return 0;
}

FAKE_NVML(capability, nvmlDeviceGetCudaComputeCapability)(void *device, int *major, int *minor)
{
	*major = 9;
	*minor = 0;
	return check("nvmlDeviceGetCudaComputeCapability", device);
}

FAKE_NVML(memory, nvmlDeviceGetMemoryInfo)(void *device, struct nvml_memory *out)
{
	unsigned long long all = fake_conf()->memory_mb << 20;
	*out = (struct nvml_memory){all, all / 8 * 7, all / 8};
	return check("nvmlDeviceGetMemoryInfo", device);
}

FAKE_NVML(bus_width, nvmlDeviceGetMemoryBusWidth)(void *device, unsigned *bits)
{
	return give("nvmlDeviceGetMemoryBusWidth", device, bits, 6016);
}

FAKE_NVML(clock, nvmlDeviceGetClockInfo)(void *device, int type, unsigned *mhz)
{
	unsigned sm = fake_conf()->throttled ? 1980 * 60 / 100 : 1980;
	return give("nvmlDeviceGetClockInfo", device, mhz, type == NVML_CLOCK_MEM ? 3201 : sm);
}

FAKE_NVML(max_clock, nvmlDeviceGetMaxClockInfo)(void *device, int type, unsigned *mhz)
{
	return give("nvmlDeviceGetMaxClockInfo", device, mhz, type == NVML_CLOCK_MEM ? 3201 : 1980);
}

FAKE_NVML(temperature, nvmlDeviceGetTemperature)(void *device, int sensor, unsigned *celsius)
{
	(void)sensor;
	return give("nvmlDeviceGetTemperature", device, celsius, fake_conf()->throttled ? 91 : 34);
}

FAKE_NVML(power, nvmlDeviceGetPowerUsage)(void *device, unsigned *milliwatt)
{
	return give("nvmlDeviceGetPowerUsage", device, milliwatt, 76000);
}

FAKE_NVML(power_limit, nvmlDeviceGetEnforcedPowerLimit)(void *device, unsigned *milliwatt)
{
	return give("nvmlDeviceGetEnforcedPowerLimit", device, milliwatt, 700000);
}

FAKE_NVML(energy, nvmlDeviceGetTotalEnergyConsumption)(void *device, unsigned long long *millijoule)
{
	*millijoule = 1000000;
	return check("nvmlDeviceGetTotalEnergyConsumption", device);
}

FAKE_NVML(reasons, nvmlDeviceGetCurrentClocksEventReasons)(void *device, unsigned long long *mask)
{
	*mask = fake_conf()->throttled ? 0x40 : 0x1;
	return check("nvmlDeviceGetCurrentClocksEventReasons", device);
}

FAKE_NVML(utilization, nvmlDeviceGetUtilizationRates)(void *device, struct nvml_utilization *out)
{
	*out = (struct nvml_utilization){fake_conf()->foreign_pid ? 97 : 0, 0};
	return check("nvmlDeviceGetUtilizationRates", device);
}

FAKE_NVML(processes, nvmlDeviceGetComputeRunningProcesses_v3)
(void *device, unsigned *n, struct nvml_process *out)
{
	unsigned room = *n, pid = (unsigned)fake_conf()->foreign_pid;
	*n = pid != 0;
	if (pid && (room == 0 || !out))
		return 7;
	if (pid)
		*out = (struct nvml_process){pid, 500u << 20, ~0u, ~0u};
	return check("nvmlDeviceGetComputeRunningProcesses_v3", device);
}

FAKE_NVML(process_utilization, nvmlDeviceGetProcessUtilization)
(void *device, struct nvml_process_use *out, unsigned *n, unsigned long long since_us)
{
	unsigned room = *n, pid = (unsigned)fake_conf()->foreign_pid;
	int rc = check("nvmlDeviceGetProcessUtilization", device);
	*n = pid != 0;
	if (rc || !pid)
		return rc ? rc : NVML_NOT_FOUND;
	if (room == 0 || !out)
		return 7;
	*out = (struct nvml_process_use){.pid = pid, .time_us = since_us + 1, .sm_pct = 97, .memory_pct = 40};
	return 0;
}

FAKE_NVML(compute_mode, nvmlDeviceGetComputeMode)(void *device, int *mode)
{
	*mode = (int)fake_conf()->compute_mode;
	return check("nvmlDeviceGetComputeMode", device);
}

FAKE_NVML(persistence, nvmlDeviceGetPersistenceMode)(void *device, int *on)
{
	*on = 1;
	return check("nvmlDeviceGetPersistenceMode", device);
}

FAKE_NVML(ecc, nvmlDeviceGetEccMode)(void *device, int *current, int *pending)
{
	*current = *pending = 1;
	return check("nvmlDeviceGetEccMode", device);
}

FAKE_NVML(mig_mode, nvmlDeviceGetMigMode)(void *device, unsigned *current, unsigned *pending)
{
	*current = *pending = n_mig() && gpu_of(device) == 0;
	return check("nvmlDeviceGetMigMode", device);
}

FAKE_NVML(mig_max, nvmlDeviceGetMaxMigDeviceCount)(void *device, unsigned *n)
{
	return give("nvmlDeviceGetMaxMigDeviceCount", device, n, MAX_MIG);
}

FAKE_NVML(mig_by_index, nvmlDeviceGetMigDeviceHandleByIndex)(void *device, unsigned index, void **mig)
{
	int rc = check("nvmlDeviceGetMigDeviceHandleByIndex", device);
	if (rc || gpu_of(device) != 0 || index >= n_mig())
		return rc ? rc : NVML_NOT_FOUND;
	*mig = &instances[index];
	return 0;
}

FAKE_NVML(virtualization, nvmlDeviceGetVirtualizationMode)(void *device, int *mode)
{
	*mode = 0;
	return check("nvmlDeviceGetVirtualizationMode", device);
}

static char event_set;
static void *registered;

FAKE_NVML(event_set_create, nvmlEventSetCreate)(void **set)
{
	*set = &event_set;
	return fake_conf_fail("nvmlEventSetCreate");
}

FAKE_NVML(event_set_free, nvmlEventSetFree)(void *set)
{
	registered = NULL;
	return set == &event_set ? 0 : NVML_INVALID;
}

FAKE_NVML(event_register, nvmlDeviceRegisterEvents)(void *device, unsigned long long types, void *set)
{
	int rc = check("nvmlDeviceRegisterEvents", device);
	if (rc || set != &event_set)
		return rc ? rc : NVML_INVALID;
	registered = types & NVML_EVENT_XID ? device : NULL;
	return 0;
}

/* One event, once. */
FAKE_NVML(event_set_wait, nvmlEventSetWait_v2)(void *set, struct nvml_event *out, unsigned timeout_ms)
{
	(void)timeout_ms;
	if (set != &event_set)
		return NVML_INVALID;
	if (!registered || !fake_conf()->xid)
		return NVML_TIMEOUT;
	*out = (struct nvml_event){.device = registered, .type = NVML_EVENT_XID, .data = fake_conf()->xid};
	registered = NULL;
	return 0;
}
