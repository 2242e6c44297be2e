// Launches kernels of tests/data/sass/signatures.cu, which hold one mechanism each, so that ncu's counters can be set beside what
// the machine code shows. Built for sm_90a by tests/gpu/run.py (WHAT=mechanisms).
#ifndef __CUDA_ARCH__ // the host's pass needs the kernels of sm_90a declared
#define __CUDA_ARCH__ 900
#define SM90A 1
#endif
#include "../data/sass/signatures.cu"

#include <cstdio> // after the kernels, as they are compiled elsewhere without it

#define RUN(kernel, ...)                                                                                                           \
	do {                                                                                                                       \
		kernel<<<1, 128, 16384>>>(__VA_ARGS__);                                                                            \
		cudaError_t bad = cudaDeviceSynchronize();                                                                         \
		if (bad != cudaSuccess) {                                                                                          \
			printf("%s: %s\n", #kernel, cudaGetErrorString(bad));                                                      \
			return 1;                                                                                                  \
		}                                                                                                                  \
	} while (0)

int main()
{
	void *a, *b;
	if (cudaMalloc(&a, 1 << 20) != cudaSuccess || cudaMalloc(&b, 1 << 20) != cudaSuccess)
		return 1;
	cudaMemset(a, 0, 1 << 20);
	cudaMemset(b, 0, 1 << 20);
	RUN(plain_HGMMA_float4_LDG_E_128_UTMALDG, (const float *)a, (float *)b, 128);
	RUN(has_vectorized_access, (const float4 *)a, (float4 *)b);
	RUN(has_async_copy, (const float4 *)a, (float4 *)b);
	RUN(has_tiling_smem, (const float *)a, (float *)b);
	RUN(has_ldmatrix, (uint4 *)b);
	RUN(has_stmatrix, 1u);
	RUN(has_local_memory, (float *)b, 5);
	RUN(has_mma_sync, (float *)b, 1u, 2u);
	RUN(has_int8_tensor, (int *)b, 1u, 2u);
	RUN(has_fp64_tensor, (double *)b, 1.0, 2.0);
	RUN(has_wgmma, (float *)b, 0ull, 0ull);
	RUN(has_atomic_shared, (int *)a);
	RUN(has_mufu_ex2, (float *)b);
	RUN(has_fp64_math, (double *)b);
	RUN(has_bulk_store, (float *)b);
	return 0;
}
