// The least that a kernel can do: what a tool reads here belongs to the launch, not to the work.
__global__ void least(const float *x, float *y)
{
	y[threadIdx.x] = x[threadIdx.x];
}

extern "C" void solve(const float *x, float *y, int N)
{
	least<<<1, N>>>(x, y);
}
