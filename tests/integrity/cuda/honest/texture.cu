// The input through a texture object.
#include "../task.cuh"

__global__ void through_texture(cudaTextureObject_t x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = value(tex1Dfetch<float>(x, i));
}

extern "C" void solve(const float *x, float *y, int N)
{
	cudaTextureObject_t texture;
	cudaResourceDesc r;
	cudaTextureDesc t;
	memset(&r, 0, sizeof(r));
	memset(&t, 0, sizeof(t));
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = (void *)x;
	r.res.linear.desc = cudaCreateChannelDesc<float>();
	r.res.linear.sizeInBytes = (size_t)N * 4;
	cudaCreateTextureObject(&texture, &r, &t, nullptr);
	through_texture<<<(N + 255) / 256, 256>>>(texture, y, N);
	cudaDeviceSynchronize();
	cudaDestroyTextureObject(texture);
}
