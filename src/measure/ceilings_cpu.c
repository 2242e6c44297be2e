/* Ceilings of the CPU.
 * In: nothing. Out: copy bandwidth and float32 multiply-adds, by one thread and by all.
 * The widest vectors that the CPU has are used; the best of several runs counts.
 * Never: looks at a result. */
#include "measure/ceilings.h"

#include <math.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/pool.h"

enum { COPY_BYTES = 256 << 20, REPEATS = 5, CHAINS = 12 };
static const uint64_t FMA_STEPS = 2000000;

struct job {
	char *from, *to;
	size_t bytes;
	double sink[64]; /* one a thread: keeps the work */
	double flops;    /* of one thread */
};

static void copy_part(void *ctx, size_t i)
{
	struct job *j = ctx;
	size_t n = j->bytes;
	memcpy(j->to + i * n, j->from + i * n, n);
}

static volatile float one = 1, zero = 0; /* values that the compiler does not know */

/* Chains enough to hide the latency of the unit; values stay at 1. */
#define FMA_BODY(type, set1, fma)                                                                                      \
	type r[CHAINS], a = set1(one), b = set1(zero);                                                                 \
	_Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) r[k] = set1(one);                                    \
	for (uint64_t n = 0; n < FMA_STEPS; n++) {                                                                     \
		_Pragma("GCC unroll 12") for (int k = 0; k < CHAINS; k++) r[k] = fma(r[k], a, b);                      \
	}                                                                                                              \
	_Pragma("GCC unroll 12") for (int k = 1; k < CHAINS; k++) r[0] = fma(r[k], a, r[0]);

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static double fma_512(void)
{
	FMA_BODY(__m512, _mm512_set1_ps, _mm512_fmadd_ps)
	return (double)_mm512_reduce_add_ps(r[0]);
}

__attribute__((target("avx2,fma"))) static double fma_256(void)
{
	float out[8];
	FMA_BODY(__m256, _mm256_set1_ps, _mm256_fmadd_ps)
	_mm256_storeu_ps(out, r[0]);
	return (double)out[0];
}
#endif

/* What every CPU has, in the vectors that the compiler makes of it. */
static double fma_plain(void)
{
	float r[64], a = one, b = zero;
	double sum = 0;
	for (size_t k = 0; k < COUNT_OF(r); k++)
		r[k] = 1;
	for (uint64_t n = 0; n < FMA_STEPS; n++) {
		for (size_t k = 0; k < COUNT_OF(r); k++)
			r[k] = r[k] * a + b;
	}
	for (size_t k = 0; k < COUNT_OF(r); k++)
		sum += (double)r[k];
	return sum;
}

struct unit {
	double (*run)(void);
	double flops; /* of one run */
	const char *name;
};

static struct unit best_unit(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return (struct unit){fma_512, 2.0 * 16 * CHAINS * (double)FMA_STEPS, "avx512f"};
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return (struct unit){fma_256, 2.0 * 8 * CHAINS * (double)FMA_STEPS, "avx2 fma"};
#endif
	return (struct unit){fma_plain, 2.0 * 64 * (double)FMA_STEPS, "compiler's vectors"};
}

static void fma_part(void *ctx, size_t i)
{
	struct job *j = ctx;
	j->sink[i % COUNT_OF(j->sink)] = best_unit().run();
}

static double best_of(size_t n_threads, void (*fn)(void *ctx, size_t i), struct job *j)
{
	double best = INFINITY;
	for (int i = 0; i < REPEATS; i++) {
		int64_t begin = clock_ns();
		pool_for(n_threads, n_threads, fn, j);
		best = fmin(best, (double)(clock_ns() - begin));
	}
	return best / 1e9;
}

static void measure_copy(struct ceilings *out, struct json *reasons, size_t n_threads)
{
	void *p = mmap(NULL, (size_t)COPY_BYTES * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		json_set_cstr(reasons, ceilings_name(CEILINGS_COPY), "no memory for two buffers of 256 MiB");
		return;
	}
	madvise(p, (size_t)COPY_BYTES * 2, MADV_HUGEPAGE);
	memset(p, 1, (size_t)COPY_BYTES * 2);
	struct job j = {.from = p, .to = (char *)p + COPY_BYTES, .bytes = COPY_BYTES};
	out->measured[CEILINGS_COPY_1] = 2.0 * COPY_BYTES / best_of(1, copy_part, &j);
	j.bytes = COPY_BYTES / n_threads;
	out->measured[CEILINGS_COPY] = fmax(out->measured[CEILINGS_COPY_1],
					    2.0 * (double)(j.bytes * n_threads) / best_of(n_threads, copy_part, &j));
	munmap(p, (size_t)COPY_BYTES * 2);
}

void ceilings_cpu(struct ceilings *out, struct json *reasons, const struct ceilings_options *o)
{
	size_t n = pool_n_cpus() < 64 ? pool_n_cpus() : 64;
	struct job j = {.flops = best_unit().flops};
	(void)o;
	measure_copy(out, reasons, n);
	out->measured[CEILINGS_FP32_1] = j.flops / best_of(1, fma_part, &j);
	out->measured[CEILINGS_FP32] =
		fmax(out->measured[CEILINGS_FP32_1], j.flops * (double)n / best_of(n, fma_part, &j));
}
