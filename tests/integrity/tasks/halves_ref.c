/* Rows of halves, scaled to length 1. The numbers come as their bits, so that any compiler will do. */
#include <math.h>
#include <stdint.h>

static double from_half(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h >> 15 ? -v : v;
}

static uint16_t to_half(double v)
{
	uint16_t sign = v < 0 ? 0x8000 : 0;
	double a = fabs(v);
	int e;
	if (a == 0)
		return sign;
	frexp(a, &e);
	e = e < -13 ? -13 : e;
	int m = (int)nearbyint(ldexp(a, 11 - e));
	return (uint16_t)(sign | (m + (e + 13 << 10)));
}

void solve(const uint16_t *x, uint16_t *y, int M, int N)
{
	for (int r = 0; r < M; r++) {
		double s = 1e-6;
		for (int c = 0; c < N; c++)
			s += from_half(x[r * N + c]) * from_half(x[r * N + c]);
		for (int c = 0; c < N; c++)
			y[r * N + c] = to_half(from_half(x[r * N + c]) / sqrt(s));
	}
}
