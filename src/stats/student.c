/* Normal, beta, Student t and noncentral t: distribution functions and quantiles.
 * In: plain numbers in the stated range. Out: probabilities and quantiles to 1e-10.
 * The small tail is computed directly, never as 1 - (1 - tail).
 * Never reads or writes anything else; a range error is a bug of the caller. */
#include "stats/student.h"

#include <math.h>

#define LN_SQRT_2PI 0.91893853320467274178

double student_normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

double student_normal_quantile(double p)
{
	if (!(p > 0 && p < 1))
		BUG("normal quantile outside (0, 1)");
	double tail = p < 0.5 ? p : 1 - p;
	/* Start: Abramowitz and Stegun 26.2.23, error below 4.5e-4; then Halley, each step cubes the error. */
	double t = sqrt(-2 * log(tail));
	double z =
		t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
	for (int i = 0; i < 3; i++) {
		double u = (0.5 * erfc(z * M_SQRT1_2) - tail) * exp(z * z / 2 + LN_SQRT_2PI);
		z += u / (1 - z * u / 2);
	}
	return p < 0.5 ? -z : z;
}

/* ln Gamma(z) - [(z - 1/2) ln z - z + ln sqrt(2 pi)], z >= 10: Stirling's series (Abramowitz and Stegun 6.1.41). */
static double stirling_rest(double z)
{
	double q = 1 / (z * z);
	return (1.0 / 12 -
		q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188 - q * 691.0 / 360360))))) /
	       z;
}

static double ln_gamma(double z)
{
	int sign;
	return lgamma_r(z, &sign);
}

/* ln B(a, b). With b large, ln Gamma(b) - ln Gamma(a + b) is taken as a difference, or its digits would cancel. */
static double ln_beta(double a, double b)
{
	if (a > b) {
		double swap = a;
		a = b;
		b = swap;
	}
	if (b < 10)
		return ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
	double rest = stirling_rest(b) - stirling_rest(a + b);
	double difference = a - (a + b - 0.5) * log1p(a / b) - a * log(b) + rest;
	if (a < 10)
		return ln_gamma(a) + difference;
	return (a - 0.5) * log(a / (a + b)) - b * log1p(a / b) - 0.5 * log(b) + LN_SQRT_2PI + stirling_rest(a) + rest;
}

/* The continued fraction of I_x(a, b), Abramowitz and Stegun 26.5.8, by the modified Lentz method; x below its mean. */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double h = d;
	for (int m = 1; m < 100000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		double step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-16)
			break;
	}
	return h;
}

/* I_x(a, b) with y = 1 - x given apart, so that neither loses digits. */
static double beta_xy(double x, double y, double a, double b)
{
	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	double front = exp(a * log(x) + b * log(y) - ln_beta(a, b));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(y, b, a) / b;
}

double student_beta(double x, double a, double b)
{
	if (!(a > 0 && b > 0 && x >= 0 && x <= 1))
		BUG("incomplete beta outside its range");
	return beta_xy(x, 1 - x, a, b);
}

double student_beta_quantile(double p, double a, double b)
{
	if (!(p >= 0 && p <= 1))
		BUG("beta quantile outside [0, 1]");
	double lo = 0, hi = 1;
	for (int i = 0; i < 1100; i++) {
		double mid = lo + (hi - lo) / 2;
		if (mid <= lo || mid >= hi)
			break;
		if (student_beta(mid, a, b) < p) {
			lo = mid;
		} else {
			hi = mid;
		}
	}
	return hi;
}

double student_tail2(double t, double df)
{
	if (!(df >= 1) || isnan(t))
		BUG("t distribution outside its range");
	if (isinf(t))
		return 0;
	double y = t * t / (df + t * t), x = df / (df + t * t);
	/* ln x through log1p when t is small against df: x alone has lost the digits of t^2 / df. */
	if (y < 0.5) {
		double front = exp(0.5 * log(y) - df / 2 * log1p(t * t / df) - ln_beta(df / 2, 0.5));
		if (t == 0)
			return 1;
		if (x < (df / 2 + 1) / (df / 2 + 2.5))
			return front * beta_fraction(x, df / 2, 0.5) / (df / 2);
		return 1 - front * beta_fraction(y, 0.5, df / 2) / 0.5;
	}
	return beta_xy(x, y, df / 2, 0.5);
}

double student_cdf(double t, double df)
{
	double half = student_tail2(t, df) / 2;
	return t > 0 ? 1 - half : half;
}

static double ln_density(double t, double df)
{
	return -ln_beta(df / 2, 0.5) - 0.5 * log(df) - (df + 1) / 2 * log1p(t * t / df);
}

double student_quantile(double p, double df)
{
	if (!(p > 0 && p < 1) || !(df >= 1))
		BUG("t quantile outside its range");
	if (p == 0.5)
		return 0;
	double tail = p < 0.5 ? p : 1 - p;
	/* Bracket, then Newton on the logarithm of the tail, kept inside the bracket. */
	double lo = 0, hi = 1;
	while (student_tail2(hi, df) / 2 > tail && hi < 1e200) {
		lo = hi;
		hi *= 2;
	}
	double t = lo + (hi - lo) / 2;
	for (int i = 0; i < 200; i++) {
		double at = student_tail2(t, df) / 2;
		if (at > tail) {
			lo = t;
		} else {
			hi = t;
		}
		double next = t + (log(at) - log(tail)) * at / exp(ln_density(t, df));
		if (!(next > lo && next < hi))
			next = lo + (hi - lo) / 2;
		if (fabs(next - t) <= 1e-15 * t)
			break;
		t = next;
	}
	return p < 0.5 ? -t : t;
}

double student_noncentral_cdf(double t, double df, double delta)
{
	if (!(df >= 1) || !(fabs(delta) <= 100))
		BUG("noncentral t outside its range");
	/* s = sqrt(chi^2 / df) has mean near 1 and standard deviation near 1 / sqrt(2 df); the normal steps over 1 / |t|.
	 * Simpson's rule, 200 steps, or 40 to a step of the normal. */
	double wide = 10 / sqrt(2 * df), lo = wide < 1 ? 1 - wide : 0, hi = 1 + wide;
	const int n = 2 * (int)fmin(10000, fmax(100, 20 * (hi - lo) * fabs(t)));
	double step = (hi - lo) / n;
	double ln_norm = M_LN2 + df / 2 * log(df / 2) - ln_gamma(df / 2), sum = 0;
	for (int i = 0; i <= n; i++) {
		double s = lo + i * step;
		double ln_s = s > 0 ? (df - 1) * log(s) : (df > 1 ? -HUGE_VAL : 0);
		double f = exp(ln_norm + ln_s - df * s * s / 2) * student_normal_cdf(t * s - delta);
		sum += f * (i == 0 || i == n ? 1 : (i % 2 ? 4 : 2));
	}
	return fmin(1, sum * step / 3);
}

double student_rate_upper(size_t k, size_t n, double level)
{
	if (k > n)
		BUG("more events than trials");
	return k == n ? 1 : student_beta_quantile(level, (double)k + 1, (double)(n - k));
}

double student_rate_lower(size_t k, size_t n, double level)
{
	if (k > n)
		BUG("more events than trials");
	return k == 0 ? 0 : student_beta_quantile(1 - level, (double)k, (double)(n - k) + 1);
}
