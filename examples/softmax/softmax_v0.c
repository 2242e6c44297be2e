/* Softmax of each row of x[M][N], the plain way: maximum, sum of exponentials, then each exponential again. */
#include <math.h>

void solve(const float *x, float *y, int M, int N)
{
	for (int i = 0; i < M; i++) {
		const float *in = x + (long)i * N;
		float *out = y + (long)i * N;
		float max = in[0];
		for (int j = 1; j < N; j++)
			max = fmaxf(max, in[j]);
		float sum = 0;
		for (int j = 0; j < N; j++)
			sum += expf(in[j] - max);
		for (int j = 0; j < N; j++)
			out[j] = expf(in[j] - max) / sum;
	}
}
