/* The CUDA driver, opened at run time (libcuda.so.1), by our own declarations: assay builds and starts without CUDA.
 * The functions are the pointers of struct gpu_driver, one a row of driver.def: `gpu->launch(...)`; a non-zero result
 * goes through gpu_check. */
#ifndef ASSAY_GPU_DRIVER_H
#define ASSAY_GPU_DRIVER_H

#include "base/err.h"

typedef uint64_t gpu_ptr; /* CUdeviceptr, and CUmemGenericAllocationHandle */

/* cuda.h, CUmemAllocationProp and CUmemAccessDesc: same layout since 10.2. */
struct gpu_vmm_prop {
	int type;         /* 1: pinned */
	int handle_types; /* 1: POSIX file descriptor */
	int location;     /* 1: device */
	int device;
	void *win32;
	unsigned char compression, rdma;
	unsigned short usage;
	unsigned char reserved[4];
};
struct gpu_vmm_access {
	int location, device;
	int flags; /* 1 read, 3 read and write */
};

/* Values of cuda.h that we pass or meet; they never change (the driver's ABI). */
enum {
	GPU_OK = 0,
	GPU_INVALID_VALUE = 1,
	GPU_OUT_OF_MEMORY = 2,
	GPU_DEINITIALIZED = 4,
	GPU_NO_DEVICE = 100,
	GPU_INVALID_CONTEXT = 201,
	GPU_NOT_FOUND = 500,
	GPU_NOT_READY = 600,
	GPU_ILLEGAL_ADDRESS = 700,
	GPU_LAUNCH_TIMEOUT = 702,
	GPU_LAUNCH_FAILED = 719,
	GPU_NOT_PERMITTED = 800,
	GPU_NOT_SUPPORTED = 801,
	GPU_HANDLE_POSIX_FD = 1,
	GPU_STREAM_NON_BLOCKING = 1,
	GPU_EVENT_DEFAULT = 0,
	GPU_EVENT_NO_TIMING = 2,
	GPU_HOST_PORTABLE = 1,
	GPU_HOST_MAPPED = 2,
	GPU_WAIT_GEQ = 0,
	GPU_WAIT_EQ = 1,
	GPU_FUNC_THREADS = 0, /* most threads a block */
	GPU_FUNC_SHARED = 1,  /* static shared memory, bytes */
	GPU_FUNC_CONST = 2,
	GPU_FUNC_LOCAL = 3, /* bytes a thread */
	GPU_FUNC_REGISTERS = 4,
	GPU_FUNC_MAX_DYNAMIC_SHARED = 8,
	GPU_PTR_MEMORY_TYPE = 2, /* 1 host, 2 device */
	GPU_PTR_RANGE_START = 11,
	GPU_PTR_RANGE_SIZE = 12
};
/* The streams that exist without being created. */
#define GPU_STREAM_LEGACY ((void *)1)
#define GPU_STREAM_PER_THREAD ((void *)2)

struct gpu_driver {
	void *lib;
	char path[512]; /* the file that was opened, as the loader resolved it */
	int version;    /* cuDriverGetVersion: 13000 = CUDA 13.0 */
#define DRV(field, symbol, older, least, optional, args) int(*field) args;
#include "gpu/driver.def"
#undef DRV
};

/* Opens the library and resolves every symbol; calls nothing but cuDriverGetVersion. ERR_ENVIRONMENT when the library
 * is absent or too old: the text names each place tried, or the missing symbol and the version that has it. */
MUST_USE bool gpu_driver_open(struct gpu_driver *out, struct err *e);
/* cuInit and at least one device (0.1 s on an H200; CUDA_VISIBLE_DEVICES is read here). The driver
 * names its threads: under Landlock it needs to write and truncate below /proc/self/task, else it fails with 304. */
MUST_USE bool gpu_driver_init(const struct gpu_driver *gpu, struct err *e);
/* Closes the library. The driver keeps threads running, so a process that made a context should not. */
void gpu_driver_release(struct gpu_driver *gpu);
/* rc == 0, else ERR_SYSTEM (ERR_ENVIRONMENT for no device, not permitted, not supported):
 * "cuMemCreate: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)". `what` names the call and what it was for. */
bool gpu_check(const struct gpu_driver *gpu, int rc, const char *what, struct err *e);
/* "CUDA_ERROR_OUT_OF_MEMORY", or "CUDA_ERROR_<n>" held in `text` when the driver does not know the code. */
const char *gpu_error_name(const struct gpu_driver *gpu, int rc, char text[32]);
/* True for errors after which the context can only be thrown away (illegal address, launch failure, timeout, ...). */
bool gpu_error_is_sticky(int rc);

#endif
