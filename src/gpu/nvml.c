/* NVML: opens libnvidia-ml.so.1, resolves nvml.def, reads facts and states of GPUs.
 * In: nothing but the machine; a device handle.
 * Out: struct gpu_devices (static facts), struct gpu_sample (the state now).
 * Never: changes a setting, makes a context, reports a value that was not read (has-bits). */
#include "gpu/nvml.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gpu/library.h"

enum {
	NVML_OK = 0,
	NVML_NO_PERMISSION = 4,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_DRIVER_NOT_LOADED = 9,
	NVML_GPU_LOST = 15,
	/* NVML_DEVICE_UUID_V2_BUFFER_SIZE, NVML_DEVICE_NAME_V2_BUFFER_SIZE; more devices than any host has */
	TEXT_BYTES = 96,
	MAX_DEVICES = 256
};

static const char *const names[] = {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
				    "/usr/lib/wsl/lib/libnvidia-ml.so.1"};

static bool resolve(struct nvml *n, struct err *e)
{
#define NVML(field, symbol, older, optional, args)                                                                     \
	if (!library_symbol(n->lib, symbol, older, &n->field) && !(optional))                                          \
		return err_set(e, ERR_ENVIRONMENT, "%s: no symbol %s: install a newer driver", n->path, symbol);
#include "gpu/nvml.def"
#undef NVML
	library_symbol(n->lib, "nvmlErrorString", "", &n->error_string);
	return true;
}

bool nvml_open(struct nvml *out, struct err *e)
{
	struct library library;
	memset(out, 0, sizeof *out);
	if (!library_open(&library, names, COUNT_OF(names), "NVML", e))
		return false;
	out->lib = library.lib;
	memcpy(out->path, library.path, sizeof out->path);
	if (resolve(out, e) && nvml_check(out, out->init(), "nvmlInit", e))
		return true;
	dlclose(out->lib);
	memset(out, 0, sizeof *out);
	return false;
}

void nvml_release(struct nvml *n)
{
	if (n->lib) {
		n->shutdown();
		dlclose(n->lib);
	}
	memset(n, 0, sizeof *n);
}

bool nvml_check(const struct nvml *n, int rc, const char *what, struct err *e)
{
	if (rc == NVML_OK)
		return true;
	bool is_environment = rc == NVML_NO_PERMISSION || rc == NVML_DRIVER_NOT_LOADED || rc == NVML_GPU_LOST;
	const char *text = n->error_string ? n->error_string(rc) : NULL;
	return err_set(e, is_environment ? ERR_ENVIRONMENT : ERR_SYSTEM, "%s: %s (NVML %d)", what,
		       text ? text : "unknown error", rc);
}

const char *gpu_mps_pipe(struct arena *a)
{
	const char *dir = getenv("CUDA_MPS_PIPE_DIRECTORY");
	if (!dir || !dir[0])
		dir = "/tmp/nvidia-mps";
	return file_exists(path_join(a, dir, "control")) ? arena_strdup(a, dir) : NULL;
}

/* Sets the bit when the function exists and answered. */
static bool got(unsigned *has, unsigned bit, int rc)
{
	if (rc != NVML_OK)
		return false;
	*has |= bit;
	return true;
}
/* A function that the library lacks counts as one that failed. */
#define CALL(f, ...) ((f) ? (f)(__VA_ARGS__) : -1)

static bool read_mig(struct arena *a, struct gpu_device *d, const struct nvml *n, void *device, struct err *e)
{
	unsigned current = 0, pending = 0, most = 0;
	if (!got(&d->has, GPU_HAS_MIG, CALL(n->mig_mode, device, &current, &pending)))
		return true;
	d->mig_enabled = current == 1;
	if (!d->mig_enabled || CALL(n->mig_max, device, &most) != NVML_OK || !n->mig_by_index)
		return true;
	if (most > MAX_DEVICES)
		return err_set(e, ERR_SYSTEM, "NVML: %u MIG instances on one GPU", most);
	d->mig_uuid = ARENA_ARRAY(a, most, const char *);
	for (unsigned i = 0; i < most; i++) {
		void *mig = NULL;
		char text[TEXT_BYTES] = "";
		if (n->mig_by_index(device, i, &mig) == NVML_OK && n->uuid(mig, text, sizeof text) == NVML_OK)
			d->mig_uuid[d->n_mig++] = arena_strndup(a, text, strnlen(text, sizeof text));
	}
	return true;
}

static void read_limits(struct gpu_device *d, const struct nvml *n, void *device)
{
	int pending;
	got(&d->has, GPU_HAS_CAPABILITY, CALL(n->capability, device, &d->cc_major, &d->cc_minor));
	got(&d->has, GPU_HAS_BUS_WIDTH, CALL(n->bus_width, device, &d->memory_bus_bits));
	got(&d->has, GPU_HAS_MAX_SM, CALL(n->max_clock, device, NVML_CLOCK_SM, &d->max_sm_mhz));
	got(&d->has, GPU_HAS_MAX_MEM, CALL(n->max_clock, device, NVML_CLOCK_MEM, &d->max_memory_mhz));
	got(&d->has, GPU_HAS_POWER_LIMIT, CALL(n->power_limit, device, &d->power_limit_mw));
	got(&d->has, GPU_HAS_COMPUTE_MODE, CALL(n->compute_mode, device, &d->compute_mode));
	got(&d->has, GPU_HAS_PERSISTENCE, CALL(n->persistence, device, &d->persistence));
	got(&d->has, GPU_HAS_ECC, CALL(n->ecc, device, &d->ecc, &pending));
	got(&d->has, GPU_HAS_VIRTUALIZATION, CALL(n->virtualization, device, &d->virtualization));
}

static bool read_device(struct arena *a, struct gpu_device *d, const struct nvml *n, unsigned index, struct err *e)
{
	void *device = NULL;
	char name[TEXT_BYTES] = "", uuid[TEXT_BYTES] = "";
	struct nvml_memory memory = {0};
	struct nvml_pci pci = {0};
	d->index = index;
	if (!nvml_check(n, n->by_index(index, &device), "nvmlDeviceGetHandleByIndex", e) ||
	    !nvml_check(n, n->name(device, name, sizeof name), "nvmlDeviceGetName", e) ||
	    !nvml_check(n, n->uuid(device, uuid, sizeof uuid), "nvmlDeviceGetUUID", e) ||
	    !nvml_check(n, n->memory(device, &memory), "nvmlDeviceGetMemoryInfo", e))
		return err_prefix(e, "GPU %u", index);
	d->name = arena_strndup(a, name, strnlen(name, sizeof name));
	d->uuid = arena_strndup(a, uuid, strnlen(uuid, sizeof uuid));
	d->memory_total_bytes = memory.total;
	d->memory_free_bytes = memory.free;
	d->memory_used_bytes = memory.used;
	if (got(&d->has, GPU_HAS_PCI, CALL(n->pci, device, &pci)))
		d->pci = arena_strndup(a, pci.id, strnlen(pci.id, sizeof pci.id));
	read_limits(d, n, device);
	return read_mig(a, d, n, device, e);
}

bool gpu_devices(struct arena *a, struct gpu_devices *out, const struct nvml *n, struct err *e)
{
	char driver[TEXT_BYTES] = "";
	unsigned count = 0;
	memset(out, 0, sizeof *out);
	if (!nvml_check(n, n->driver_version(driver, sizeof driver), "nvmlSystemGetDriverVersion", e) ||
	    !nvml_check(n, n->count(&count), "nvmlDeviceGetCount", e))
		return false;
	if (count > MAX_DEVICES)
		return err_set(e, ERR_SYSTEM, "NVML: %u GPUs on one host", count);
	out->driver = arena_strndup(a, driver, strnlen(driver, sizeof driver));
	if (CALL(n->cuda_version, &out->cuda_version) != NVML_OK)
		out->cuda_version = 0;
	out->mps_pipe = gpu_mps_pipe(a);
	out->v = ARENA_ARRAY(a, count, struct gpu_device);
	for (; out->n < count; out->n++)
		if (!read_device(a, &out->v[out->n], n, (unsigned)out->n, e))
			return false;
	return true;
}

static void read_processes(struct gpu_sample *out, const struct nvml *n, void *device)
{
	struct nvml_process list[GPU_SAMPLE_MAX_PROCESSES];
	unsigned count = GPU_SAMPLE_MAX_PROCESSES;
	int rc = CALL(n->processes, device, &count, list);
	if (rc != NVML_OK && rc != NVML_INSUFFICIENT_SIZE)
		return;
	out->has |= GPU_SAMPLE_PROCESSES;
	out->n_processes = count;
	/* With too small a list NVML tells the number and fills nothing in. */
	for (size_t i = 0; rc == NVML_OK && i < count && i < GPU_SAMPLE_MAX_PROCESSES; i++) {
		out->pid[i] = list[i].pid;
		out->pid_bytes[i] = list[i].used_bytes;
	}
}

void gpu_sample(struct gpu_sample *out, const struct nvml *n, void *device)
{
	struct nvml_utilization utilization = {0};
	struct nvml_memory memory = {0};
	unsigned long long reasons = 0;
	memset(out, 0, sizeof *out);
	got(&out->has, GPU_SAMPLE_SM_MHZ, CALL(n->clock, device, NVML_CLOCK_SM, &out->sm_mhz));
	got(&out->has, GPU_SAMPLE_MEMORY_MHZ, CALL(n->clock, device, NVML_CLOCK_MEM, &out->memory_mhz));
	got(&out->has, GPU_SAMPLE_TEMPERATURE, CALL(n->temperature, device, 0, &out->temperature_c));
	got(&out->has, GPU_SAMPLE_POWER, CALL(n->power, device, &out->power_mw));
	if (got(&out->has, GPU_SAMPLE_REASONS, CALL(n->reasons, device, &reasons)))
		out->reasons = reasons;
	if (got(&out->has, GPU_SAMPLE_UTILIZATION, CALL(n->utilization, device, &utilization)))
		out->utilization_pct = utilization.gpu;
	if (got(&out->has, GPU_SAMPLE_MEMORY, n->memory(device, &memory)))
		out->memory_used_bytes = memory.used;
	read_processes(out, n, device);
}

const char *gpu_reason_name(uint64_t bit, bool *is_throttle)
{
	/* nvml.h, nvmlClocksEventReasons */
	static const struct {
		uint64_t bit;
		const char *name;
		bool is_throttle;
	} reasons[] = {
		{0x001, "gpu_idle", false},
		{0x002, "applications_clocks_setting", false},
		{0x004, "sw_power_cap", true},
		{0x008, "hw_slowdown", true},
		{0x010, "sync_boost", true},
		{0x020, "sw_thermal_slowdown", true},
		{0x040, "hw_thermal_slowdown", true},
		{0x080, "hw_power_brake_slowdown", true},
		{0x100, "display_clock_setting", false},
	};
	for (size_t i = 0; i < COUNT_OF(reasons); i++) {
		if (reasons[i].bit != bit)
			continue;
		if (is_throttle)
			*is_throttle = reasons[i].is_throttle;
		return reasons[i].name;
	}
	if (is_throttle)
		*is_throttle = false;
	return NULL;
}
