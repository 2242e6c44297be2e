// One kernel per mechanism: has_X has it, and `plain` has none of them although its name, strings and comments say so.
// Built for sm_80, 86, 89, 90a, 100a and 120a by the test of src/read/sass; the listings beside it are recorded from nvcc 13.0
// and cuobjdump 13.2 for machines without them.
#include <stdint.h>
#define K(name, ...) extern "C" __global__ void __launch_bounds__(128) has_##name(__VA_ARGS__)
#define A __CUDA_ARCH__
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define SM90A 1
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
#define SM100A 1
#endif
#if defined(__CUDA_ARCH_FEAT_SM120_ALL)
#define SM120A 1
#endif
__device__ uint32_t s32(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
extern __shared__ float4 smem[];
__device__ char claim[] = "HGMMA LDG.E.128 UTMALDG LDGSTS fused float4 wgmma tcgen05 REDUX";

extern "C" __global__ void plain_HGMMA_float4_LDG_E_128_UTMALDG(const float *a, float *b, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	asm volatile("// HGMMA.64x64x16 LDG.E.128 UTMALDG.2D LDGSTS.E.BYPASS.128 SYNCS.ARRIVE REDUX FFMA2");
	if (i < n)
		b[i] = a[i] * 2.0f + (float)claim[i & 31];
}
// memory
K(vectorized_access, const float4 *a, float4 *b) { b[threadIdx.x] = a[threadIdx.x]; }
#if A >= 1000
K(vector_256, const float *a, float *b)
{
	float v0, v1, v2, v3, v4, v5, v6, v7;
	asm volatile("ld.global.v8.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];" : "=f"(v0), "=f"(v1), "=f"(v2), "=f"(v3), "=f"(v4), "=f"(v5), "=f"(v6), "=f"(v7) : "l"(a + 8 * threadIdx.x));
	asm volatile("st.global.v8.f32 [%8], {%0,%1,%2,%3,%4,%5,%6,%7};" ::"f"(v0), "f"(v1), "f"(v2), "f"(v3), "f"(v4), "f"(v5), "f"(v6), "f"(v7), "l"(b + 8 * threadIdx.x));
}
#endif
K(read_only_path, const float *__restrict__ a, float *__restrict__ b) { b[threadIdx.x] = __ldg(a + threadIdx.x); }
K(cache_hint, const float *a, float *b)
{
	float v;
	asm volatile("ld.global.L1::no_allocate.L2::128B.f32 %0, [%1];" : "=f"(v) : "l"(a + threadIdx.x));
	asm volatile("st.global.L1::no_allocate.f32 [%0], %1;" ::"l"(b + threadIdx.x), "f"(v));
}
K(streaming_store, const float *a, float *b) { __stcs(b + threadIdx.x, __ldcs(a + threadIdx.x)); }
K(l2_prefetch, const float *a) { asm volatile("prefetch.global.L2 [%0];" ::"l"(a + threadIdx.x)); }
K(async_copy, const float4 *a, float4 *b)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s32(&smem[threadIdx.x])), "l"(a + threadIdx.x));
	asm volatile("cp.async.wait_all;");
	b[threadIdx.x].x = smem[threadIdx.x].x;
}
K(multi_stage_pipeline, const float4 *a, float *b, int n)
{
	float sum = 0;
	for (int i = 0; i < n; i++) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s32(&smem[(i % 3) * 128 + threadIdx.x])), "l"(a + i * 128 + threadIdx.x));
		asm volatile("cp.async.commit_group;");
		asm volatile("cp.async.wait_group 2;");
		__syncthreads();
		sum += smem[((i + 1) % 3) * 128 + 127 - threadIdx.x].x;
	}
	b[threadIdx.x] = sum;
}
K(tiling_smem, const float *a, float *b)
{
	__shared__ float t[128];
	t[threadIdx.x] = a[threadIdx.x];
	__syncthreads();
	b[threadIdx.x] = t[127 - threadIdx.x];
}
K(wide_shared, float4 *b) { float4 v = smem[127 - threadIdx.x]; v.x += 1; smem[threadIdx.x] = v; __syncthreads(); b[threadIdx.x] = smem[threadIdx.x ^ 1]; }
K(ldmatrix, uint4 *b)
{
	uint4 v;
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(s32(&smem[threadIdx.x])));
	b[threadIdx.x].x = v.x + v.y + v.z + v.w;
}
K(ldmatrix_trans, uint4 *b)
{
	uint4 v;
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(s32(&smem[threadIdx.x])));
	b[threadIdx.x].x = v.x + v.y + v.z + v.w;
}
#if A >= 900
K(stmatrix, uint32_t a) { asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(s32(&smem[threadIdx.x])), "r"(a)); }
#endif
K(local_memory, float *a, int n)
{
	float v[32];
	for (int i = 0; i < 32; i++)
		v[i] = a[i];
	for (int k = 0; k < n; k++)
		v[(k * 7 + n) & 31] += v[k & 31];
	a[threadIdx.x] = v[n & 31];
}
K(l2_policy, float *a)
{
	uint64_t p;
	float v;
	asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p));
	asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(a), "l"(p));
	a[threadIdx.x + 1] = v;
}
// tensor cores
__device__ void mma_f16(float *d, uint32_t a, uint32_t b)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a), "r"(b));
}
K(mma_sync, float *d, uint32_t a, uint32_t b) { float v[4] = {0, 0, 0, 0}; mma_f16(v, a, b); d[threadIdx.x] = v[0] + v[1] + v[2] + v[3]; }
K(mma_bf16, float *d, uint32_t a, uint32_t b)
{
	float v[4] = {0, 0, 0, 0};
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
K(tf32, float *d, uint32_t a, uint32_t b)
{
	float v[4] = {0, 0, 0, 0};
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
K(half_accumulate, uint32_t *d, uint32_t a, uint32_t b)
{
	uint32_t v[2] = {0, 0};
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%2,%2,%2},{%3,%3},{%0,%1};" : "+r"(v[0]), "+r"(v[1]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1];
}
K(sparse_mma, float *d, uint32_t a, uint32_t b)
{
	float v[4] = {0, 0, 0, 0};
	asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5,%5,%5},{%0,%1,%2,%3}, %4, 0x0;" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
K(int8_tensor, int *d, uint32_t a, uint32_t b)
{
	int v[4] = {0, 0, 0, 0};
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};" : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
K(binary_tensor, int *d, uint32_t a, uint32_t b)
{
	int v[4] = {0, 0, 0, 0};
	asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};" : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
K(fp64_tensor, double *d, double a, double b)
{
	double v[2] = {0, 0};
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(v[0]), "+d"(v[1]) : "d"(a), "d"(b));
	d[threadIdx.x] = v[0] + v[1];
}
#if A >= 890
K(fp8, float *d, uint32_t a, uint32_t b)
{
#if defined(SM100A)
	asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %1, %2, p;}" ::"r"(a), "l"((uint64_t)b), "r"(b));
#else
	float v[4] = {0, 0, 0, 0};
	asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
#endif
}
#endif
#if defined(SM90A)
K(wgmma, float *d, uint64_t a, uint64_t b)
{
	float v[4] = {0, 0, 0, 0};
	asm volatile("wgmma.fence.sync.aligned;");
	asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;}" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "l"(a), "l"(b));
	asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
K(wgmma_fp8, float *d, uint64_t a, uint64_t b)
{
	float v[4] = {0, 0, 0, 0};
	asm volatile("wgmma.fence.sync.aligned;");
	asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0,%1,%2,%3}, %4, %5, p, 1, 1;}" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "l"(a), "l"(b));
	asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
#endif
#if defined(SM90A) || defined(SM100A)|| defined(SM120A)
extern "C" __global__ void __maxnreg__(128) has_setmaxnreg(float *d, int n)
{
	if (threadIdx.x < 32 * n)
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
	else
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
	d[threadIdx.x] = n;
}
#endif
#if defined(SM100A)
K(tcgen05, uint32_t *d, uint64_t a, uint64_t b, uint32_t i)
{
	__shared__ uint32_t t;
	asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(s32(&t)));
	__syncthreads();
	uint32_t tmem = t, v;
	if (threadIdx.x == 0) {
		asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;}" ::"r"(tmem), "l"(a), "l"(b), "r"(i));
		asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%0];" ::"l"((uint64_t)s32(&smem[0])));
	}
	asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(v) : "r"(tmem));
	asm volatile("tcgen05.wait::ld.sync.aligned;");
	asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(tmem), "r"(v + 1));
	d[threadIdx.x] = v;
	asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(tmem));
}
K(two_cta_mma, uint64_t a, uint64_t b, uint32_t i) { asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;}" ::"r"(i), "l"(a), "l"(b), "r"(i)); }
K(block_scaled, uint64_t a, uint64_t b, uint32_t i) { asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%4], [%4], p;}" ::"r"(i), "l"(a), "l"(b), "r"(i), "r"(i)); }
K(block_scaled_mxf8, uint64_t a, uint64_t b, uint32_t i) { asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%0], %1, %2, %3, [%4], [%4], p;}" ::"r"(i), "l"(a), "l"(b), "r"(i), "r"(i)); }
K(tcgen05_int8, uint64_t a, uint64_t b, uint32_t i) { asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::i8 [%0], %1, %2, %3, p;}" ::"r"(i), "l"(a), "l"(b), "r"(i)); }
K(tcgen05_cp, uint64_t a, uint32_t i) { asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(i), "l"(a)); }
#endif
#if defined(SM120A)
K(block_scaled, float *d, uint32_t a, uint32_t b)
{
	float v[4] = {0, 0, 0, 0};
	asm volatile("mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3},%4,{0,0},%5,{0,0};" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
K(block_scaled_mxf8, float *d, uint32_t a, uint32_t b)
{
	float v[4] = {0, 0, 0, 0};
	asm volatile("mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 {%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3},%4,{0,0},%5,{0,0};" : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]) : "r"(a), "r"(b));
	d[threadIdx.x] = v[0] + v[1] + v[2] + v[3];
}
#endif
// asynchronous copies, clusters, barriers
#if A >= 900
K(tma_load, const __grid_constant__ uint64_t map[16])
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(s32(smem)), "l"(map), "r"(0), "r"(s32(&smem[100])));
}
K(tma_multicast, const uint64_t *map) { asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %2}], [%3], %4;" ::"r"(s32(smem)), "l"(map), "r"(0), "r"(s32(&smem[100])), "h"((short)3)); }
K(tma_im2col, const uint64_t *map) { asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2}], [%3], {%4};" ::"r"(s32(smem)), "l"(map), "r"(0), "r"(s32(&smem[100])), "h"((short)3)); }
K(tma_store, const uint64_t *map) { asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %1}], [%2];" ::"l"(map), "r"(0), "r"(s32(smem))); asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"); }
K(tma_reduce, const uint64_t *map) { asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %1}], [%2];" ::"l"(map), "r"(0), "r"(s32(smem))); }
K(tma_prefetch, const uint64_t *map) { asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" ::"l"(map), "r"(0)); }
K(tensormap_prefetch, const uint64_t *map) { asm volatile("prefetch.tensormap [%0];" ::"l"(map)); }
K(bulk_copy, const float *a) { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(s32(smem)), "l"(a), "r"(s32(&smem[100]))); }
K(bulk_store, float *a) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(a), "r"(s32(smem))); }
K(bulk_reduce, float *a) { asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 1024;" ::"l"(a), "r"(s32(smem))); }
K(bulk_prefetch, const float *a) { asm volatile("cp.async.bulk.prefetch.L2.global [%0], 1024;" ::"l"(a)); }
K(mbarrier, float *a)
{
	uint32_t bar = s32(&smem[0]);
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(bar));
	asm volatile("fence.mbarrier_init.release.cluster;");
	__syncthreads();
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(bar));
	asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(bar));
	a[threadIdx.x] = 1;
}
K(proxy_fence, float *a) { smem[threadIdx.x].x = a[0]; asm volatile("fence.proxy.async.shared::cta;"); }
K(cluster_barrier, float *a) { a[0] = 1; asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"); a[threadIdx.x] = 2; }
K(distributed_smem, float *a)
{
	uint32_t remote;
	float v;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(s32(&smem[threadIdx.x])), "r"(1));
	asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(remote));
	a[threadIdx.x] = v;
}
K(async_store_dsmem, float *a)
{
	uint32_t remote, bar;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(s32(&smem[threadIdx.x])), "r"(1));
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(s32(&smem[500])), "r"(1));
	asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(remote), "r"(7), "r"(bar));
}
K(async_reduce_dsmem, float *a)
{
	uint32_t remote, bar;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(s32(&smem[threadIdx.x])), "r"(1));
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(s32(&smem[500])), "r"(1));
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(remote), "r"(7), "r"(bar));
}
K(bulk_dsmem, float *a)
{
	uint32_t remote, bar;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(s32(&smem[threadIdx.x])), "r"(1));
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(s32(&smem[500])), "r"(1));
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(remote), "r"(s32(&smem[1])), "r"(bar));
}
K(pdl_wait, float *a) { asm volatile("griddepcontrol.wait;"); a[threadIdx.x] = 1; }
K(pdl_launch, float *a) { asm volatile("griddepcontrol.launch_dependents;"); a[threadIdx.x] = 1; }
K(elect, float *a)
{
	asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; @p st.global.u32 [%0], 1;}" ::"l"(a));
}
K(multimem, float *a)
{
	float v;
	asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(v) : "l"(a));
	asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(a + 4), "f"(v));
}
#endif
#if A >= 1000
K(cluster_launch_control, float *a)
{
	asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(s32(smem)), "r"(s32(&smem[100])));
}
K(packed_fp32, float2 *a)
{
	uint64_t v, w = *(uint64_t *)&a[0];
	v = *(uint64_t *)&a[threadIdx.x];
	asm volatile("fma.rn.f32x2 %0, %0, %1, %0;" : "+l"(v) : "l"(w));
	*(uint64_t *)&a[threadIdx.x] = v;
}
#endif
#if defined(SM100A)
K(tma_gather, const uint64_t *map) { asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2, %2, %2}], [%3];" ::"r"(s32(smem)), "l"(map), "r"(0), "r"(s32(&smem[100]))); }
K(redux_float, float *a) { float v = a[threadIdx.x], r; asm volatile("redux.sync.max.f32 %0, %1, 0xffffffff;" : "=f"(r) : "f"(v)); a[threadIdx.x] = r; }
#endif
// warps, atomics, arithmetic
K(redux, int *a) { a[threadIdx.x] = __reduce_add_sync(~0u, a[threadIdx.x]); }
K(warp_shuffle, float *a) { a[threadIdx.x] += __shfl_xor_sync(~0u, a[threadIdx.x], 1); }
K(warp_vote, int *a) { a[threadIdx.x] = __ballot_sync(~0u, a[threadIdx.x] > 3); }
K(warp_match, int *a) { a[threadIdx.x] = __match_any_sync(~0u, a[threadIdx.x]); }
K(atomic_global, int *a, float *b) { a[4] = atomicAdd(a + threadIdx.x, 3); atomicAdd(b, 1.0f); }
K(atomic_shared, int *a) { __shared__ int s[4]; s[threadIdx.x & 3] = 0; __syncthreads(); atomicAdd(&s[a[threadIdx.x] & 3], 1); __syncthreads(); a[threadIdx.x] = s[threadIdx.x & 3]; }
K(atomic_vector, float4 *a)
{
#if A >= 900
	asm volatile("red.global.add.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(a + threadIdx.x), "f"(1.0f));
#endif
}
K(named_barrier, float *a) { if (threadIdx.x < 64) asm volatile("bar.arrive 1, 128;"); else asm volatile("bar.sync 1, 128;"); a[threadIdx.x] = 1; }
K(memory_fence, float *a) { a[threadIdx.x] = 1; __threadfence(); a[threadIdx.x + 128] = 2; }
K(half2_math, uint32_t *a) { uint32_t v = a[threadIdx.x]; asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(v)); a[threadIdx.x] = v; }
K(bf16x2_math, uint32_t *a) { uint32_t v = a[threadIdx.x]; asm volatile("fma.rn.bf16x2 %0, %0, %0, %0;" : "+r"(v)); a[threadIdx.x] = v; }
K(packed_convert, uint32_t *d, const float *a) { uint32_t v; asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(a[threadIdx.x]), "f"(a[1])); d[threadIdx.x] = v; }
K(backoff, float *a) { __nanosleep(100); a[0] = 1; }
K(dp4a, int *a) { a[threadIdx.x] = __dp4a(a[0], a[1], a[2]); }
K(mufu_ex2, float *a) { float v = a[threadIdx.x]; asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v)); a[threadIdx.x] = v; }
K(mufu_rsqrt, float *a) { a[threadIdx.x] = rsqrtf(a[threadIdx.x]); }
K(mufu_tanh, float *a) { float v = a[threadIdx.x]; asm volatile("tanh.approx.f32 %0, %0;" : "+f"(v)); a[threadIdx.x] = v; }
K(fp64_math, double *a) { a[threadIdx.x] = a[threadIdx.x] * a[0] + a[1]; }
K(byte_permute, uint32_t *a) { a[threadIdx.x] = __byte_perm(a[0], a[1], a[2]); }
K(loop, float *a, int n) { float v = 0; for (int i = 0; i < n; i++) v = v * a[i] + 1; a[threadIdx.x] = v; }
K(divergence, float *a, int n) { float v = a[threadIdx.x]; if (v > 0) { for (int i = 0; i < n + (int)threadIdx.x; i++) v = sqrtf(v) + a[i]; } else v = a[(int)v & 7]; __syncwarp(); a[threadIdx.x] = v + __shfl_sync(~0u, v, 3); }
K(atomic_aggregated, int *a, int n)
{
	uint32_t m = __ballot_sync(~0u, a[threadIdx.x] > n);
	if ((threadIdx.x & 31) == 0)
		asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a + blockIdx.x), "r"(__popc(m)));
}
