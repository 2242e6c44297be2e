/* What a device can do at best: measured here once per device and driver and kept in a cache, beside what the vendor says.
 * Rates are bytes or operations a second, latencies ns. */
#ifndef ASSAY_MEASURE_CEILINGS_H
#define ASSAY_MEASURE_CEILINGS_H

#include "base/dtype.h"
#include "base/json.h"
#include "measure/device.h"

/* id, name in records, unit, what it is */
#define CEILINGS_TABLE(X)                                                                                              \
	X(COPY, "copy_bytes_per_s", "B", "memory: each byte read once and written once, both counted")                 \
	X(READ, "read_bytes_per_s", "B", "memory: read alone")                                                         \
	X(L2_READ, "l2_read_bytes_per_s", "B", "read from a quarter of the L2")                                        \
	X(FP32, "fp32_flop_per_s", "FLOP", "float32 multiply-adds, two operations each")                               \
	X(FP16, "fp16_matrix_flop_per_s", "FLOP", "matrix product in float16 by cuBLASLt")                             \
	X(BF16, "bf16_matrix_flop_per_s", "FLOP", "matrix product in bfloat16 by cuBLASLt")                            \
	X(FP8, "fp8_matrix_flop_per_s", "FLOP", "matrix product in float8_e4m3fn by cuBLASLt")                         \
	X(COPY_1, "copy_one_thread_bytes_per_s", "B", "as copy, one thread (CPU)")                                     \
	X(FP32_1, "fp32_one_thread_flop_per_s", "FLOP", "as float32, one thread (CPU)")                                \
	X(LAUNCH, "launch_ns", "ns", "host time of one launch of an empty kernel, many in a row")                      \
	X(ROUND_TRIP, "launch_and_wait_ns", "ns", "one launch of an empty kernel and the wait for it")
enum ceilings_id {
#define CEILINGS_X(id, name, unit, what) CEILINGS_##id,
	CEILINGS_TABLE(CEILINGS_X)
#undef CEILINGS_X
		CEILINGS_COUNT
};
const char *ceilings_name(enum ceilings_id i);
const char *ceilings_unit(enum ceilings_id i); /* "B", "FLOP": a second; "ns" */
const char *ceilings_what(enum ceilings_id i);

struct ceilings {
	double measured[CEILINGS_COUNT]; /* NaN: unknown */
	double vendor[CEILINGS_COUNT];   /* NaN: no row, or not in it */
	const char *vendor_source;       /* NULL: no row */
	bool is_measured;
	uint64_t l2_bytes;   /* 0: unknown */
	struct json *record; /* assay/ceiling-v1 when measured, else NULL */
};
struct ceilings_options {
	const char *cublaslt; /* path; NULL: found */
	double seconds;       /* at most about so long; 0: 5 */
};

/* Measures in this process, which makes a context of its own: nothing may be forked afterwards. `facts` as device_choose
 * gives them. The lease is the caller's. What cannot be measured is NaN, its reason in the record. */
MUST_USE bool ceilings_measure(struct ceilings *out, struct arena *a, const struct lab_device *d,
			       const struct json *facts, const struct ceilings_options *o, struct err *e);
/* From the cache, if it is there; the vendor's row in any case. */
void ceilings_load(struct ceilings *out, struct arena *a, const struct lab_device *d, const struct json *facts);
/* Into the cache; one that cannot be written is no error. */
void ceilings_keep(const struct ceilings *c, const struct lab_device *d, const struct json *facts);
/* The roof of arithmetic on that type: matrix units for floats of 2 and 1 bytes, else float32's; 0: unknown. *is_measured
 * says whether it was, or comes from the vendor. */
double ceilings_peak_flops(const struct ceilings *c, enum dtype t, bool *is_measured);
double ceilings_peak_bytes(const struct ceilings *c, bool *is_measured);

/* ceilings_gpu.c, ceilings_cpu.c: fill `measured` and add to `reasons`. */
MUST_USE bool ceilings_gpu(struct ceilings *out, struct json *reasons, const struct lab_device *d,
			   const struct ceilings_options *o, struct err *e);
void ceilings_cpu(struct ceilings *out, struct json *reasons, const struct ceilings_options *o);

#endif
