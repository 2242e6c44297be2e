/* CUPTI's activity records, the library opened at run time, by our own declarations of the prefix of each record that
 * is the same from CUDA 10 to 13. Decoding is pure: bytes -> struct gpu_activity. */
#ifndef ASSAY_GPU_CUPTI_H
#define ASSAY_GPU_CUPTI_H

/* Measured on an H200 (CUPTI 13.0.1): opening 1 ms, registering 4 to 13 ms, enabling 0.1 ms. Time stamps are
 * CLOCK_REALTIME. After flush_all(CUPTI_FLUSH_FORCED) the next launch takes 250 us on the host, after flush_all(0) 35;
 * after a synchronisation flush_all(0) already hands out every record. */

#include "base/err.h"

/* CUPTI wants a buffer (8-byte aligned; *max_records 0 = as many as fit) / hands a filled one back. */
typedef void (*cupti_request_fn)(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void (*cupti_complete_fn)(void *ctx, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes);

struct cupti {
	void *lib;
	char path[512];
	uint32_t cupti_version; /* 12 = CUDA 10, 13 = 11.0, 18 = 11.8, 28 = 12.9.1, 130001 = 13.0.1 */
#define CUPTI(field, symbol, optional, args) int(*field) args;
#include "gpu/cupti.def"
#undef CUPTI
};
/* cupti_activity.h, CUpti_ActivityKind */
enum cupti_kind {
	CUPTI_MEMCPY = 1,
	CUPTI_MEMSET = 2,
	CUPTI_KERNEL = 3,
	CUPTI_DRIVER = 4,
	CUPTI_RUNTIME = 5,
	CUPTI_CONCURRENT_KERNEL = 10,
	CUPTI_MEMCPY2 = 22, /* between devices */
	CUPTI_SYNCHRONIZATION = 38
};
enum {
	CUPTI_OK = 0,
	CUPTI_MAX_LIMIT_REACHED = 12, /* next_record: end of the buffer */
	CUPTI_FLUSH_DONE = 0,         /* complete buffers: after a wait for the device that is all of them */
	CUPTI_FLUSH_FORCED =
		1, /* also incomplete ones; the next launch then takes 250 us on the host (measured on an H200) */
	CUPTI_DOMAIN_DRIVER = 1, /* callback_name */
	CUPTI_DOMAIN_RUNTIME = 2
};

/* Opens `path` if given (a file, or a folder that holds it), else, in this order: a libcupti that the process has loaded
 * already (torch's), libcupti.so.13, .12, .11.x by the loader's rules, then the toolkit's folders ($CUDA_HOME,
 * /usr/local/cuda: extras/CUPTI/lib64, lib64, targets/x86_64-linux/lib). ERR_ENVIRONMENT when there is none. */
MUST_USE bool cupti_open(struct cupti *out, const char *path, struct err *e);
bool cupti_check(const struct cupti *c, int rc, const char *what, struct err *e); /* as gpu_check */

enum gpu_activity_kind {
	GPU_ACTIVITY_OTHER, /* a record we do not model: only `raw_kind` holds */
	GPU_ACTIVITY_KERNEL,
	GPU_ACTIVITY_MEMCPY,
	GPU_ACTIVITY_MEMSET,
	GPU_ACTIVITY_SYNC,
	GPU_ACTIVITY_RUNTIME,
	GPU_ACTIVITY_DRIVER
};
/* What CUPTI says is missing or unknown is 0, with these bits for what is there. */
enum gpu_activity_has { GPU_ACTIVITY_HAS_TIME = 1, GPU_ACTIVITY_HAS_GRAPH_NODE = 2, GPU_ACTIVITY_HAS_GRAPH = 4 };
struct gpu_activity {
	enum gpu_activity_kind kind;
	uint32_t raw_kind; /* CUpti_ActivityKind */
	unsigned has;      /* gpu_activity_has; no time: CUPTI could not stamp it (start or end 0, or end < start) */
	const char *name;  /* kernels: mangled, owned by CUPTI until it is finalized; else NULL */
	uint64_t start_ns, end_ns; /* CUPTI's clock, see cupti.timestamp */
	uint32_t device, context, stream, correlation;
	uint32_t grid[3], block[3], smem_static_bytes, smem_dynamic_bytes, registers; /* kernels */
	uint32_t local_bytes;                                                         /* kernels: a thread */
	uint64_t bytes;                                                               /* memcpy, memset */
	uint32_t detail; /* memcpy: kind (1 HtoD, 2 DtoH, 8 DtoD); memset: value; sync: 1 event, 2 stream wait event,
	                  * 3 stream, 4 context; runtime, driver: callback id */
	uint32_t thread, result; /* runtime, driver: low half of pthread_self(), returned code */
	uint64_t graph_node;     /* when by-node graph tracing is on */
	uint32_t graph;
};
/* The shortest record of that kind that holds the prefix we read; 0 for kinds we do not model. */
size_t gpu_activity_bytes(uint32_t raw_kind);
/* One record as next_record returned it. `bytes` = what lies between it and the end of the valid part of its buffer.
 * False when that is too short for its kind: the buffer is not what CUPTI wrote. */
MUST_USE bool gpu_activity_decode(struct gpu_activity *out, const void *record, size_t bytes, uint32_t cupti_version);

#endif
