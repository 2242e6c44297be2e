/* Softmax of each row of x[M][N]. Against v2: four elements an instruction in all three passes, and two vectors of
 * exponentials in flight. */
#include <string.h>

typedef float vec __attribute__((vector_size(16)));
typedef int veci __attribute__((vector_size(16)));

static inline vec load(const float *p)
{
	vec v;
	memcpy(&v, p, sizeof(v));
	return v;
}
static inline void store(float *p, vec v)
{
	memcpy(p, &v, sizeof(v));
}
static inline vec splat(float f)
{
	return (vec){f, f, f, f};
}
static inline vec larger(vec a, vec b)
{
	veci a_is = a > b;
	return (vec)(((veci)a & a_is) | ((veci)b & ~a_is));
}

/* exp(t) for t <= 0: 2^n by the exponent bits, 2^f for |f| <= 1/2 by its series, relative error below 3e-7. */
static inline vec exp_neg(vec t)
{
	t = larger(t, splat(-87));
	vec shifted = t * 1.44269504F + 12582912.0F; /* 1.5 * 2^23: the sum's low bits are n, rounded to nearest */
	vec n = shifted - 12582912.0F;
	vec f = (t - n * 0.693145752F) - n * 1.42860677e-6F; /* ln 2 in two parts */
	vec p = splat(1.0F / 720);
	p = p * f + 1.0F / 120;
	p = p * f + 1.0F / 24;
	p = p * f + 1.0F / 6;
	p = p * f + 0.5F;
	p = p * f + 1;
	p = p * f + 1;
	return p * (vec)(((veci)shifted + 127) << 23);
}
static inline float exp_neg_1(float t)
{
	return exp_neg(splat(t))[0];
}

static float row_max(const float *in, int n)
{
	float max = in[0];
	int j = 0;
	if (n >= 8) {
		vec a = load(in), b = load(in + 4);
		for (j = 8; j + 8 <= n; j += 8) {
			a = larger(a, load(in + j));
			b = larger(b, load(in + j + 4));
		}
		a = larger(a, b);
		for (int k = 0; k < 4; k++)
			max = a[k] > max ? a[k] : max;
	}
	for (; j < n; j++)
		max = in[j] > max ? in[j] : max;
	return max;
}

void solve(const float *x, float *y, int M, int N)
{
	for (int i = 0; i < M; i++) {
		const float *in = x + (long)i * N;
		float *out = y + (long)i * N;
		float max = row_max(in, N);
		vec sum0 = splat(0), sum1 = splat(0);
		int j = 0;
		for (; j + 8 <= N; j += 8) {
			vec a = exp_neg(load(in + j) - max), b = exp_neg(load(in + j + 4) - max);
			store(out + j, a);
			store(out + j + 4, b);
			sum0 += a;
			sum1 += b;
		}
		sum0 += sum1;
		float sum = sum0[0] + sum0[1] + (sum0[2] + sum0[3]);
		for (; j < N; j++) {
			out[j] = exp_neg_1(in[j] - max);
			sum += out[j];
		}
		float scale = 1 / sum;
		for (j = 0; j + 4 <= N; j += 4)
			store(out + j, load(out + j) * scale);
		for (; j < N; j++)
			out[j] *= scale;
	}
}
