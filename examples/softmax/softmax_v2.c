/* Softmax of each row of x[M][N]. Against v1: the exponential is a polynomial in this file, without a call and without a
 * branch, and four maxima and four sums run side by side so that they do not wait for each other. */
#include <string.h>

/* exp(t) for t <= 0: 2^n by the exponent bits, 2^f for |f| <= 1/2 by its series, relative error below 3e-7. */
static inline float exp_neg(float t)
{
	t = t < -87 ? -87 : t;
	float shifted = t * 1.44269504F + 12582912.0F; /* 1.5 * 2^23: the sum's low bits are n, rounded to nearest */
	float n = shifted - 12582912.0F;
	float f = (t - n * 0.693145752F) - n * 1.42860677e-6F; /* ln 2 in two parts */
	float p = 1.0F / 720;
	p = p * f + 1.0F / 120;
	p = p * f + 1.0F / 24;
	p = p * f + 1.0F / 6;
	p = p * f + 0.5F;
	p = p * f + 1;
	p = p * f + 1;
	unsigned bits;
	memcpy(&bits, &shifted, sizeof(bits));
	bits = (bits + 127) << 23;
	float power;
	memcpy(&power, &bits, sizeof(power));
	return p * power;
}

static float row_max(const float *in, int n)
{
	float max[4] = {in[0], in[0], in[0], in[0]};
	int j = 0;
	for (; j + 4 <= n; j += 4)
		for (int k = 0; k < 4; k++)
			max[k] = in[j + k] > max[k] ? in[j + k] : max[k];
	for (; j < n; j++)
		max[0] = in[j] > max[0] ? in[j] : max[0];
	float a = max[0] > max[1] ? max[0] : max[1], b = max[2] > max[3] ? max[2] : max[3];
	return a > b ? a : b;
}

void solve(const float *x, float *y, int M, int N)
{
	for (int i = 0; i < M; i++) {
		const float *in = x + (long)i * N;
		float *out = y + (long)i * N;
		float max = row_max(in, N);
		float sum[4] = {0, 0, 0, 0};
		int j = 0;
		for (; j + 4 <= N; j += 4)
			for (int k = 0; k < 4; k++) {
				out[j + k] = exp_neg(in[j + k] - max);
				sum[k] += out[j + k];
			}
		for (; j < N; j++) {
			out[j] = exp_neg(in[j] - max);
			sum[0] += out[j];
		}
		float scale = 1 / (sum[0] + sum[1] + (sum[2] + sum[3]));
		for (j = 0; j < N; j++)
			out[j] *= scale;
	}
}
