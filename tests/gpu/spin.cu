// usage: spin SECONDS: one small kernel after another, for the telemetry part of tests/gpu/run.sh
#include <cstdio>
#include <cstdlib>
#include <ctime>

__global__ void spin(long long cycles)
{
	long long begin = clock64();
	while (clock64() - begin < cycles)
		;
}

static double now()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1.0);
	spin<<<1, 32>>>(1);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 1;
	puts("spinning");
	fflush(stdout);
	do {
		spin<<<132, 128>>>(10000000);
		cudaDeviceSynchronize();
	} while (now() < end);
	return 0;
}
