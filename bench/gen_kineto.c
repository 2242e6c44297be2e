/* Writes a PyTorch trace of any size in Kineto's layout, with answers in closed form: build/release/bench/gen_kineto.
 * In: bytes to write at least, seed, and "answers" for the totals by kernel instead of the trace.
 * Out: the trace, or lines "count total_ns name", on standard output.
 * Never the clock: the same arguments give the same bytes. The mix is that of public traces: of 15 events 6 operators,
 * 3 Python functions, 2 runtime calls, 3 flows, 1 kernel. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"

#define N_KERNELS 24

static const char *const templates[] = {
	"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> "
	">(int, "
	"at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
	"sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_"
	"cublas",
	"void at::native::(anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>(float*, "
	"float "
	"const*, int, int, int, bool const*, int, bool)",
	"triton_poi_fused_add_mul_relu",
	"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
	"void (anonymous namespace)::elementwise_kernel_with_index<int, "
	"at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, "
	"at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(long)#1}>(int, "
	"at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, "
	"at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(long)#1}, "
	"function_traits<at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, "
	"at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() "
	"const::{lambda(long)#1}>::result_type*)",
};
static const char *const ops[] = {"aten::linear",    "aten::addmm",      "aten::t",
				  "aten::transpose", "aten::as_strided", "aten::empty_strided"};

struct generator {
	uint64_t state, bytes, wanted, external, correlation, ns;
	uint64_t n[N_KERNELS], total_ns[N_KERNELS];
	bool quiet;
};

static uint64_t next(struct generator *g) /* splitmix64 */
{
	uint64_t z = (g->state += 0x9e3779b97f4a7c15u);
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void put(struct generator *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void put(struct generator *g, const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	g->bytes += (uint64_t)n;
	if (!g->quiet)
		fwrite(text, 1, (size_t)n, stdout);
}

#define US(ns) (ns) / 1000, (ns) % 1000
#define US_FMT "%" PRIu64 ".%03" PRIu64

static void operators(struct generator *g)
{
	for (size_t i = 0; i < COUNT_OF(ops); i++) {
		uint64_t start = g->ns + 700 * i, dur = 9000 - 1200 * i + next(g) % 900;
		put(g,
		    "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 6583, \"tid\": 6583,\n    "
		    "\"ts\": " US_FMT ", \"dur\": " US_FMT ",\n    \"args\": {\n      \"External id\": %" PRIu64
		    ",\"Record function id\": 0",
		    ops[i], US(start), US(dur), ++g->external);
		if (i % 3 == 0)
			put(g,
			    ", \"Concrete Inputs\": [\"\", \"0\", \"1\"], \"Input type\": [\"c10::Half\", \"Scalar\"], "
			    "\"Input Strides\": [[131072, 512, 1], []], \"Input Dims\": [[8, 256, 512], []]");
		put(g, ", \"Ev Idx\": %" PRIu64 "\n    }\n  },\n", g->external);
	}
	for (unsigned i = 0; i < 3; i++)
		put(g,
		    "  {\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"torch/nn/modules/module.py(%u): "
		    "_call_impl\", "
		    "\"pid\": 6583, \"tid\": 6583,\n    \"ts\": " US_FMT ", \"dur\": " US_FMT
		    ",\n    \"args\": {\n      \"Python "
		    "parent id\": %" PRIu64 ", \"Python id\": %" PRIu64 ", \"Ev Idx\": %" PRIu64 "\n    }\n  },\n",
		    1500 + i, US(g->ns + i), US((uint64_t)9900), g->external, g->external + 1, g->external);
}

static void runtime(struct generator *g, const char *name, uint64_t start, uint64_t dur)
{
	put(g,
	    "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"%s\", \"pid\": 6583, \"tid\": 6583,\n    "
	    "\"ts\": " US_FMT ", \"dur\": " US_FMT ",\n    \"args\": {\n      \"External id\": %" PRIu64
	    ", \"cbid\": 211, \"correlation\": %" PRIu64 "\n    }\n  },\n",
	    name, US(start), US(dur), g->external, g->correlation);
}

static void flow(struct generator *g, const char *kind, uint64_t start)
{
	put(g,
	    "  {\n    \"ph\": \"%s\", \"id\": %" PRIu64 ", \"pid\": 6583, \"tid\": 6583, \"ts\": " US_FMT
	    ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  },\n",
	    kind, g->correlation, US(start), kind[0] == 'f' ? ", \"bp\": \"e\"" : "");
}

static void kernel(struct generator *g)
{
	size_t i = next(g) % N_KERNELS;
	uint64_t dur = 1000 + 500 * i + next(g) % 400;
	g->n[i]++;
	g->total_ns[i] += dur;
	put(g,
	    "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s_%zu\", \"pid\": 0, \"tid\": 7,\n    "
	    "\"ts\": " US_FMT ", \"dur\": " US_FMT ",\n    \"args\": {\n      \"External id\": %" PRIu64
	    ", \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": 7, \"correlation\": %" PRIu64
	    ",\n      \"registers per thread\": 32, \"shared memory\": 16384, \"blocks per SM\": 1.5, \"warps per "
	    "SM\": 12.0,\n"
	    "      \"grid\": [%zu, 1, 1],\n      \"block\": [256, 1, 1],\n      \"est. achieved occupancy %%\": 40\n   "
	    " }\n  },\n",
	    templates[i % COUNT_OF(templates)], i, US(g->ns + 12000), US(dur), g->external, g->correlation, 64 + i);
}

static void body(struct generator *g)
{
	while (g->bytes < g->wanted) {
		operators(g);
		g->correlation++;
		runtime(g, "cudaStreamIsCapturing", g->ns + 4500, 400);
		flow(g, "f", g->ns + 4500);
		g->correlation++;
		runtime(g, "cudaLaunchKernel", g->ns + 5000, 3000 + next(g) % 500);
		flow(g, "s", g->ns + 5000);
		kernel(g);
		flow(g, "f", g->ns + 12000);
		g->ns += 15000;
	}
}

int main(int argc, char **argv)
{
	struct generator g = {.ns = 1365627862757064, .wanted = 1000000};
	if (argc > 1)
		g.wanted = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		g.state = strtoull(argv[2], NULL, 10);
	g.quiet = argc > 3 && strcmp(argv[3], "answers") == 0;
	put(&g, "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA "
		"H200\", "
		"\"totalGlobalMem\": 150000000000,\n      \"computeMajor\": 9, \"computeMinor\": 0, \"warpSize\": 32, "
		"\"numSms\": "
		"132\n    }\n  ],\n  \"cupti_version\": 130001,\n  \"displayTimeUnit\": \"ms\",\n  "
		"\"baseTimeNanoseconds\": "
		"1767189312000000000,\n  \"traceEvents\": [\n");
	body(&g);
	put(&g,
	    "  {\n    \"ph\": \"i\", \"s\": \"g\", \"name\": \"Record Window End\",\n    \"pid\": \"\", \"tid\": \"\", "
	    "\"ts\": " US_FMT "\n  }\n  ],\n  \"traceName\": \"generated.json\"\n}\n",
	    US(g.ns));
	for (size_t i = 0; g.quiet && i < N_KERNELS; i++)
		printf("%" PRIu64 " %" PRIu64 " %s_%zu\n", g.n[i], g.total_ns[i], templates[i % COUNT_OF(templates)],
		       i);
	return 0;
}
