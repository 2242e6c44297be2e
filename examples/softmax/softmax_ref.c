/* Reference: softmax of each row of x[M][N], accumulated in double. */
#include <math.h>

void solve(const float *x, float *y, int M, int N)
{
	for (int i = 0; i < M; i++) {
		const float *in = x + (long)i * N;
		float *out = y + (long)i * N;
		double max = in[0], sum = 0;
		for (int j = 1; j < N; j++)
			max = fmax(max, in[j]);
		for (int j = 0; j < N; j++)
			sum += exp(in[j] - max);
		for (int j = 0; j < N; j++)
			out[j] = (float)(exp(in[j] - max) / sum);
	}
}
