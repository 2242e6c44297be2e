// Source of the binaries beside it (nvcc 13.0): tiny_sm80.cubin, tiny_sm90a.cubin (-lineinfo), tiny_rdc_sm120a.cubin (-rdc=true),
// tiny_zstd.fatbin (--compress-mode=size, sm_90a and compute_90a), tiny_lz4.fatbin (--compress-mode=speed).
__constant__ float table[4];
__device__ float state[3];
__noinline__ __device__ float twist(float x, int n)
{
	float v[8];
	for (int i = 0; i < 8; i++)
		v[i] = x * i;
	return v[n & 7];
}
extern "C" __global__ void __launch_bounds__(256, 2) scale(float *a, int n)
{
	__shared__ float t[12];
	t[threadIdx.x % 12] = a[n];
	__syncthreads();
	a[threadIdx.x] = twist(t[n], n) + table[n & 3] + state[0];
}
__global__ void plain(double *a)
{
	a[threadIdx.x] *= 2;
}
