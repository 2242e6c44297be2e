/* Ceilings of a GPU.
 * In: its UUID. Out: rates by kernels of ours and by cuBLASLt, launch costs.
 * Every rate is the best of several runs between two events, each long enough that their own cost is no matter.
 * Never: runs code that is not ours or the vendor's. */
#include "measure/ceilings.h"

#include <math.h>

#include "base/clock.h"
#include "gpu/cublaslt.h"
#include "gpu/rates.h"
#include "gpu/space.h"

enum { REPEATS = 5, LAUNCHES = 1000, L2_REPEATS = 400, FMA_STEPS = 4000, MATRIX_N = 8192, WORKSPACE = 32 << 20 };
static const uint64_t COPY_BYTES = UINT64_C(1) << 30;

struct bench {
	struct ceilings *out;
	struct json *reasons;
	struct space *space;
	const struct gpu_driver *gpu;
	struct rates rates;
	void *start, *end;
	uint64_t memory, memory_bytes; /* one buffer for all */
	uint64_t sink;
};
typedef bool work_fn(struct bench *b, void *ctx, struct err *e);

/* Seconds of the quickest of several runs of `work`. */
static bool best_of(struct bench *b, work_fn *work, void *ctx, double *seconds, struct err *e)
{
	*seconds = INFINITY;
	for (int i = 0; i <= REPEATS; i++) { /* the first one warms up */
		float ms = 0;
		if (!gpu_check(b->gpu, b->gpu->event_record(b->start, GPU_STREAM_LEGACY), "cuEventRecord", e) ||
		    !work(b, ctx, e) ||
		    !gpu_check(b->gpu, b->gpu->event_record(b->end, GPU_STREAM_LEGACY), "cuEventRecord", e) ||
		    !space_sync(b->space, e) ||
		    !gpu_check(b->gpu, b->gpu->event_elapsed(&ms, b->start, b->end), "cuEventElapsedTime", e))
			return false;
		if (i > 0)
			*seconds = fmin(*seconds, (double)ms / 1e3);
	}
	return true;
}

static bool copy_once(struct bench *b, void *ctx, struct err *e)
{
	return rates_launch(&b->rates, RATES_COPY, ctx, e);
}

static bool read_once(struct bench *b, void *ctx, struct err *e)
{
	return rates_launch(&b->rates, RATES_READ, ctx, e);
}

static bool fma_once(struct bench *b, void *ctx, struct err *e)
{
	return rates_launch(&b->rates, RATES_FMA, ctx, e);
}

static bool measure_memory(struct bench *b, struct err *e)
{
	double s = 0;
	uint64_t half = b->memory_bytes / 2 / 65536 * 65536, l2 = b->out->l2_bytes / 4 / 65536 * 65536;
	struct rates_copy_args copy = {.from = b->memory, .to = b->memory + half, .bytes = half};
	struct rates_read_args read = {.p = b->memory, .bytes = 2 * half, .sink = b->sink, .repeat = 1};
	struct rates_read_args cached = {.p = b->memory, .bytes = l2, .sink = b->sink, .repeat = L2_REPEATS};
	if (!best_of(b, copy_once, &copy, &s, e))
		return false;
	b->out->measured[CEILINGS_COPY] = 2 * (double)half / s;
	if (!best_of(b, read_once, &read, &s, e))
		return false;
	b->out->measured[CEILINGS_READ] = 2 * (double)half / s;
	if (l2 == 0 || l2 > b->memory_bytes) {
		json_set_cstr(b->reasons, ceilings_name(CEILINGS_L2_READ), "the size of the L2 is unknown");
		return true;
	}
	if (!best_of(b, read_once, &cached, &s, e))
		return false;
	b->out->measured[CEILINGS_L2_READ] = (double)l2 * L2_REPEATS / s;
	return true;
}

static bool measure_fma(struct bench *b, struct err *e)
{
	double s = 0, threads = (double)b->rates.n_blocks[RATES_FMA] * RATES_THREADS;
	struct rates_fma_args fma = {.n = FMA_STEPS, .a = 0.999f, .b = 0.001f, .sink = b->sink};
	if (!best_of(b, fma_once, &fma, &s, e))
		return false;
	b->out->measured[CEILINGS_FP32] = threads * RATES_FLOPS * FMA_STEPS / s;
	return true;
}

static bool launch_many(struct bench *b, int n, bool waits, double *ns, struct err *e)
{
	double best = INFINITY;
	for (int r = 0; r <= REPEATS; r++) {
		int64_t begin = clock_ns();
		for (int i = 0; i < n; i++) {
			if (!gpu_empty(space_kernels(b->space), GPU_STREAM_LEGACY, e) ||
			    (waits && !space_sync(b->space, e)))
				return false;
		}
		int64_t end = clock_ns();
		if (!space_sync(b->space, e))
			return false;
		if (r > 0)
			best = fmin(best, (double)(end - begin) / n);
	}
	*ns = best;
	return true;
}

static bool measure_launch(struct bench *b, struct err *e)
{
	return launch_many(b, LAUNCHES, false, &b->out->measured[CEILINGS_LAUNCH], e) &&
	       launch_many(b, LAUNCHES / 10, true, &b->out->measured[CEILINGS_ROUND_TRIP], e);
}

struct product {
	const struct cublaslt *lt;
	const struct cublaslt_matmul *matmul;
	const struct cublaslt_memory *at;
};

static bool multiply(struct bench *b, void *ctx, struct err *e)
{
	const struct product *p = ctx;
	(void)b;
	for (int i = 0; i < 3; i++) {
		if (!cublaslt_run(p->matmul, p->lt, p->at, e))
			return false;
	}
	return true;
}

/* Values of chance: a product of zeros draws less power and runs at higher clocks than any real one. */
static bool fill_operands(struct bench *b, enum dtype t, uint64_t n, struct cublaslt_memory *at, struct err *e)
{
	struct value_source v = {.dtype = t, .fill = {FILL_NORMAL, 0, 1}, .seed = 1};
	uint64_t each = n * n * dtype_bytes(t);
	*at = (struct cublaslt_memory){.a = b->memory,
				       .b = b->memory + each,
				       .d = b->memory + 2 * each,
				       .workspace = b->memory + 2 * each + 2 * n * n,
				       .workspace_bytes = WORKSPACE};
	return space_fill(b->space, at->a, n * n, &v, e) && space_fill(b->space, at->b, n * n, &v, e);
}

static bool measure_type(struct bench *b, const struct cublaslt *lt, enum dtype t, enum ceilings_id id, struct err *e)
{
	struct cublaslt_matmul m;
	struct cublaslt_memory at;
	struct err why;
	double s = 0;
	uint64_t n = MATRIX_N;
	while (n > 512 && 6 * n * n + WORKSPACE > b->memory_bytes)
		n /= 2;
	if (!cublaslt_plan(&m, lt, t, n, WORKSPACE, &why)) {
		json_set_cstr(b->reasons, ceilings_name(id), why.text);
		return true;
	}
	struct product p = {lt, &m, &at};
	bool ok = fill_operands(b, t, n, &at, e) && best_of(b, multiply, &p, &s, e);
	cublaslt_release(&m, lt);
	if (ok)
		b->out->measured[id] = 3 * 2 * pow((double)n, 3) / s;
	return ok;
}

static bool measure_matrix(struct bench *b, const char *path, struct err *e)
{
	static const struct {
		enum dtype t;
		enum ceilings_id id;
	} types[] = {{DTYPE_F16, CEILINGS_FP16}, {DTYPE_BF16, CEILINGS_BF16}, {DTYPE_F8E4M3, CEILINGS_FP8}};
	struct cublaslt lt;
	struct err why;
	if (!cublaslt_open(&lt, path, &why)) {
		for (size_t i = 0; i < COUNT_OF(types); i++)
			json_set_cstr(b->reasons, ceilings_name(types[i].id), why.text);
		cublaslt_close(&lt);
		return true;
	}
	bool ok = true;
	for (size_t i = 0; ok && i < COUNT_OF(types); i++)
		ok = measure_type(b, &lt, types[i].t, types[i].id, e);
	cublaslt_close(&lt);
	return ok;
}

static bool prepare(struct bench *b, struct err *e)
{
	struct gpu_facts facts;
	size_t free_bytes = 0, total = 0;
	const struct gpu_context *c = space_context(b->space);
	b->gpu = c->gpu;
	if (!gpu_facts(&facts, b->gpu, c->ordinal, e) ||
	    !gpu_check(b->gpu, b->gpu->mem_info(&free_bytes, &total), "cuMemGetInfo", e) ||
	    !gpu_check(b->gpu, b->gpu->event_create(&b->start, GPU_EVENT_DEFAULT), "cuEventCreate", e) ||
	    !gpu_check(b->gpu, b->gpu->event_create(&b->end, GPU_EVENT_DEFAULT), "cuEventCreate", e) ||
	    !rates_load(&b->rates, c, e))
		return false;
	b->out->l2_bytes = facts.l2_bytes > 0 ? (uint64_t)facts.l2_bytes : 0;
	b->memory_bytes = (COPY_BYTES < free_bytes / 4 ? COPY_BYTES : free_bytes / 4) / 131072 * 131072;
	return gpu_check(b->gpu, b->gpu->mem_alloc(&b->memory, b->memory_bytes), "memory for the ceilings", e) &&
	       gpu_check(b->gpu, b->gpu->mem_alloc(&b->sink, 256), "memory for the ceilings", e) &&
	       space_poison(b->space, b->memory, b->memory_bytes, UINT64_C(0x3c003c003c003c00), e);
}

bool ceilings_gpu(struct ceilings *out, struct json *reasons, const struct lab_device *d,
		  const struct ceilings_options *o, struct err *e)
{
	struct bench b = {.out = out, .reasons = reasons};
	setenv("CUDA_VISIBLE_DEVICES", d->gpu, 1); /* this process uses that GPU and no other */
	b.space = space_open(SPACE_GPU, 0, e);
	if (!b.space)
		return false;
	bool ok = prepare(&b, e) && measure_memory(&b, e) && measure_fma(&b, e) && measure_launch(&b, e) &&
		  measure_matrix(&b, o->cublaslt, e);
	rates_release(&b.rates);
	if (b.memory)
		b.gpu->mem_free(b.memory);
	if (b.sink)
		b.gpu->mem_free(b.sink);
	space_free(b.space);
	return ok;
}
