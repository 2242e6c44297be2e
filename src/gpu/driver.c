/* The CUDA driver: opens libcuda.so.1, resolves driver.def, turns its result codes into errors.
 * In: nothing but the machine; result codes.
 * Out: struct gpu_driver; struct err with the driver's own words.
 * Never: makes a context, keeps state outside the caller's struct. */
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpu/library.h"

/* The loader's rules first. The rest: where containers (NVIDIA's device plugins mount /usr/local/nvidia) and WSL put
 * the driver without telling the loader. */
static const char *const names[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
				    "/usr/lib/wsl/lib/libcuda.so.1"};

static bool resolve(struct gpu_driver *gpu, struct err *e)
{
#define DRV(field, symbol, older, least, optional, args)                                                               \
	if (!library_symbol(gpu->lib, symbol, older, &gpu->field) && !(optional))                                      \
		return err_set(e, ERR_ENVIRONMENT,                                                                     \
			       "%s: no symbol %s (in drivers for CUDA %d.%d and later): install a newer driver",       \
			       gpu->path, symbol, (least) / 1000, (least) % 1000 / 10);
#include "gpu/driver.def"
#undef DRV
	return true;
}

bool gpu_driver_open(struct gpu_driver *out, struct err *e)
{
	struct library library;
	memset(out, 0, sizeof *out);
	if (!library_open(&library, names, COUNT_OF(names), "CUDA driver", e))
		return false;
	out->lib = library.lib;
	memcpy(out->path, library.path, sizeof out->path);
	if (!resolve(out, e) || !gpu_check(out, out->driver_version(&out->version), "cuDriverGetVersion", e)) {
		gpu_driver_release(out);
		return false;
	}
	return true;
}

bool gpu_driver_init(const struct gpu_driver *gpu, struct err *e)
{
	int n = 0;
	if (!gpu_check(gpu, gpu->init(0), "cuInit", e) || !gpu_check(gpu, gpu->device_count(&n), "cuDeviceGetCount", e))
		return false;
	if (n < 1)
		return err_set(e, ERR_ENVIRONMENT,
			       "CUDA driver: no visible GPU: see CUDA_VISIBLE_DEVICES and /dev/nvidia*");
	return true;
}

void gpu_driver_release(struct gpu_driver *gpu)
{
	if (gpu->lib)
		dlclose(gpu->lib);
	memset(gpu, 0, sizeof *gpu);
}

const char *gpu_error_name(const struct gpu_driver *gpu, int rc, char text[32])
{
	const char *name = NULL;
	if (gpu->error_name(rc, &name) == GPU_OK && name)
		return name;
	snprintf(text, 32, "CUDA_ERROR_%d", rc);
	return text;
}

/* Codes that say something about the machine, not about what we did. cuda.h, enum cudaError_enum. */
static bool is_environment(int rc)
{
	static const int codes[] = {
		34, /* the toolkit's stub in place of the driver */
		46, /* device busy or unavailable: exclusive mode, prohibited */
		GPU_NO_DEVICE,
		101, /* 101: no such device */
		GPU_NOT_PERMITTED,
		GPU_NOT_SUPPORTED,
		802,
		803,
		804,
		805, /* fabric manager not ready, driver mismatch, no forward compatibility, MPS */
	};
	for (size_t i = 0; i < COUNT_OF(codes); i++)
		if (rc == codes[i])
			return true;
	return false;
}

bool gpu_check(const struct gpu_driver *gpu, int rc, const char *what, struct err *e)
{
	if (rc == GPU_OK)
		return true;
	char unknown[32];
	const char *text = NULL;
	if (gpu->error_string(rc, &text) != GPU_OK || !text)
		text = "unknown error";
	return err_set(e, is_environment(rc) ? ERR_ENVIRONMENT : ERR_SYSTEM, "%s: %s (%s, %d)", what, text,
		       gpu_error_name(gpu, rc, unknown), rc);
}

bool gpu_error_is_sticky(int rc)
{
	switch (rc) {
	case GPU_DEINITIALIZED:
	case 214: /* uncorrectable ECC error */
	case 220: /* uncorrectable NVLink error */
	case GPU_ILLEGAL_ADDRESS:
	case GPU_LAUNCH_TIMEOUT:
	case 709: /* context is destroyed */
	case 710: /* device assertion */
	case 714: /* hardware stack error */
	case 715: /* illegal instruction */
	case 716: /* misaligned address */
	case 717: /* invalid address space */
	case 718: /* invalid program counter */
	case GPU_LAUNCH_FAILED:
	case 999: /* unknown */
		return true;
	default:
		return false;
	}
}
