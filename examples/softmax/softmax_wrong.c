/* Softmax of each row of x[M][N]: WRONG, kept as an example of what a check has to find. The row is taken in steps of four
 * and what is left when N is no multiple of four is forgotten: a test with N = 1000 alone passes. */
#include <math.h>

void solve(const float *x, float *y, int M, int N)
{
	for (int i = 0; i < M; i++) {
		const float *in = x + (long)i * N;
		float *out = y + (long)i * N;
		float max[4] = {in[0], in[0], in[0], in[0]};
		for (int j = 0; j + 4 <= N; j += 4)
			for (int k = 0; k < 4; k++)
				max[k] = in[j + k] > max[k] ? in[j + k] : max[k];
		float m = fmaxf(fmaxf(max[0], max[1]), fmaxf(max[2], max[3]));
		float sum[4] = {0, 0, 0, 0};
		for (int j = 0; j + 4 <= N; j += 4)
			for (int k = 0; k < 4; k++) {
				out[j + k] = expf(in[j + k] - m);
				sum[k] += out[j + k];
			}
		float scale = 1 / (sum[0] + sum[1] + (sum[2] + sum[3]));
		for (int j = 0; j + 4 <= N; j += 4)
			for (int k = 0; k < 4; k++)
				out[j + k] *= scale;
	}
}
