/* NVML, opened at run time (libnvidia-ml.so.1), by our own declarations. Facts about GPUs without making a context. */
#ifndef ASSAY_GPU_NVML_H
#define ASSAY_GPU_NVML_H

#include "base/arena.h"
#include "base/err.h"

/* nvml.h: same layout since the versions of the symbols in nvml.def. */
struct nvml_pci {
	char legacy[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char id[32];
};
struct nvml_memory {
	unsigned long long total, free, used;
};
struct nvml_utilization {
	unsigned gpu, memory;
};
struct nvml_process {
	unsigned pid;
	unsigned long long used_bytes; /* all ones: not available */
	unsigned gpu_instance, compute_instance;
};
struct nvml_process_use { /* nvmlProcessUtilizationSample_t: newer than since_us, at most 1/6 to 1 s a sample */
	unsigned pid;
	unsigned long long time_us;
	unsigned sm_pct, memory_pct, encoder_pct, decoder_pct;
};
struct nvml_event {
	void *device;
	unsigned long long type, data; /* type 8: Xid, data = its number */
	unsigned gpu_instance, compute_instance;
};
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_EVENT_XID = 8 };

struct nvml {
	void *lib;
	char path[512];
#define NVML(field, symbol, older, optional, args) int(*field) args;
#include "gpu/nvml.def"
#undef NVML
	const char *(*error_string)(int code); /* nvmlErrorString; NULL where absent */
};

/* Opens the library and nvmlInit. ERR_ENVIRONMENT when absent or when the kernel module is not loaded. */
MUST_USE bool nvml_open(struct nvml *out, struct err *e);
void nvml_release(struct nvml *n); /* nvmlShutdown and dlclose; all zero is allowed */
bool nvml_check(const struct nvml *n, int rc, const char *what, struct err *e); /* as gpu_check */

/* What was read; a field without its bit means nothing. */
enum gpu_device_has {
	GPU_HAS_PCI = 1 << 0,
	GPU_HAS_CAPABILITY = 1 << 1,
	GPU_HAS_BUS_WIDTH = 1 << 2,
	GPU_HAS_MAX_SM = 1 << 3,
	GPU_HAS_MAX_MEM = 1 << 4,
	GPU_HAS_POWER_LIMIT = 1 << 5,
	GPU_HAS_COMPUTE_MODE = 1 << 6,
	GPU_HAS_PERSISTENCE = 1 << 7,
	GPU_HAS_ECC = 1 << 8,
	GPU_HAS_MIG = 1 << 9, /* mig_enabled was read; absent on cards without MIG */
	GPU_HAS_VIRTUALIZATION = 1 << 10
};
struct gpu_device {
	unsigned index;   /* NVML's: PCI order, not CUDA's ordinal */
	unsigned has;     /* gpu_device_has */
	const char *uuid; /* "GPU-..." */
	const char *name;
	const char *pci; /* "00000000:00:05.0" */
	int cc_major, cc_minor;
	uint64_t memory_total_bytes, memory_free_bytes, memory_used_bytes;
	unsigned memory_bus_bits, max_sm_mhz, max_memory_mhz, power_limit_mw;
	int compute_mode; /* 0 default, 1 exclusive thread, 2 prohibited, 3 exclusive process */
	int persistence, ecc, mig_enabled;
	int virtualization;    /* 0 none, 1 passthrough, 2 vGPU, 3 host vGPU, 4 host vSGA */
	const char **mig_uuid; /* the instances ("MIG-..."): each is a lease key of its own */
	size_t n_mig;
};
struct gpu_devices {
	struct gpu_device *v;
	size_t n;
	const char *driver;   /* "580.159.04" */
	int cuda_version;     /* 13000; 0 unknown */
	const char *mps_pipe; /* the MPS control daemon's pipe folder if one is there, else NULL */
};
/* Static facts of every GPU (one H200: 11 ms to open NVML, 13 to 18 ms for this; no context is made). Strings live in the arena. */
MUST_USE bool gpu_devices(struct arena *a, struct gpu_devices *out, const struct nvml *n, struct err *e);
/* The folder of a running MPS control daemon: $CUDA_MPS_PIPE_DIRECTORY or /tmp/nvidia-mps with a `control` in it. */
const char *gpu_mps_pipe(struct arena *a);

enum gpu_sample_has {
	GPU_SAMPLE_SM_MHZ = 1 << 0,
	GPU_SAMPLE_MEMORY_MHZ = 1 << 1,
	GPU_SAMPLE_TEMPERATURE = 1 << 2,
	GPU_SAMPLE_POWER = 1 << 3,
	GPU_SAMPLE_REASONS = 1 << 4,
	GPU_SAMPLE_UTILIZATION = 1 << 5,
	GPU_SAMPLE_PROCESSES = 1 << 6,
	GPU_SAMPLE_MEMORY = 1 << 7
};
enum { GPU_SAMPLE_MAX_PROCESSES = 64 };
/* The state of a GPU at one moment, for between blocks (one H200: 2 ms the first time, then 0.02 ms). */
struct gpu_sample {
	unsigned has; /* gpu_sample_has */
	unsigned sm_mhz, memory_mhz, temperature_c, power_mw, utilization_pct;
	uint64_t reasons; /* mask, see gpu_reason_name */
	uint64_t memory_used_bytes;
	size_t n_processes; /* may exceed the list: then only the first are listed */
	unsigned pid[GPU_SAMPLE_MAX_PROCESSES];
	uint64_t pid_bytes[GPU_SAMPLE_MAX_PROCESSES]; /* UINT64_MAX: not available */
};
void gpu_sample(struct gpu_sample *out, const struct nvml *n, void *device);
/* One bit of `reasons`: "sw_power_cap", "hw_thermal_slowdown", ...; NULL for an unknown bit. `is_throttle` (may be NULL):
 * whether it slows the GPU against its requested clocks (idle and application clock settings do not). */
const char *gpu_reason_name(uint64_t bit, bool *is_throttle);

#endif
