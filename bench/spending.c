/* Computes the constants of src/stats/spending.def: nominal levels of a sequential Student t test.
 * In: nothing. Out: the file's text on stdout (`make spending` compares it with the committed one).
 * Under the null hypothesis u = sum(d) / sqrt(n sum(d^2)) is a Markov chain: it is ancillary, so by Basu's theorem its
 * past is independent of sum(d^2), and the next u needs u and that sum only. So the joint law of the looks is a chain
 * of one-dimensional integrals, done here on a grid of |u|; no random numbers. Never part of the program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/attr.h"
#include "stats/spending.h"
#include "stats/student.h"

#define N_BINS 1500
#define N_ANGLES 400
#define N_TABLE 20000

static double step_of[SPENDING_LOOKS][N_BINS][N_BINS]; /* [look][from][to] */

static double edge(size_t i)
{
	return (double)i / N_BINS;
}

/* Distribution function of y on [-1, 1], density (1 - y^2)^((m - 3) / 2): one coordinate of a direction in m space. */
static double direction_cdf(const double *table, double y)
{
	if (y <= -1)
		return 0;
	if (y >= 1)
		return 1;
	double at = (y + 1) / 2 * N_TABLE;
	size_t i = (size_t)at;
	return table[i] + (at - (double)i) * (table[i + 1] - table[i]);
}

static void fill_direction(double *table, double m)
{
	for (size_t i = 0; i <= N_TABLE; i++)
		table[i] = student_beta((double)i / N_TABLE, (m - 1) / 2, (m - 1) / 2);
	table[N_TABLE + 1] = 1;
}

/* From n placements to n + m: sum(d^2) keeps the share r = cos^2(angle) ~ Beta(n / 2, m / 2) of the new total. */
static void fill_step(double (*to)[N_BINS], double n, double m)
{
	static double table[N_TABLE + 2];
	double weight[N_ANGLES], total = 0;
	fill_direction(table, m);
	for (size_t k = 0; k < N_ANGLES; k++) {
		double angle = ((double)k + 0.5) * M_PI_2 / N_ANGLES;
		weight[k] = pow(cos(angle), n - 1) * pow(sin(angle), m - 1);
		total += weight[k];
	}
	for (size_t from = 0; from < N_BINS; from++) {
		double x = (edge(from) + edge(from + 1)) / 2;
		for (size_t i = 0; i < N_BINS; i++)
			to[from][i] = 0;
		for (size_t k = 0; k < N_ANGLES; k++) {
			double angle = ((double)k + 0.5) * M_PI_2 / N_ANGLES, w = weight[k] / total;
			double shift = x * sqrt(n) * cos(angle), scale = sqrt(m) * sin(angle), before = 0;
			for (size_t i = 1; i <= N_BINS; i++) {
				double e = edge(i) * sqrt(n + m);
				double inside = direction_cdf(table, (e - shift) / scale) -
						direction_cdf(table, (-e - shift) / scale);
				to[from][i - 1] += w * (inside - before);
				before = inside;
			}
		}
	}
}

/* Cuts the mass `goal` off the outer end of p; returns the nominal two-sided level of that bound after n placements. */
static double cut(double *p, double goal, double n)
{
	double tail = 0;
	size_t i = N_BINS;
	while (i > 0 && tail + p[i - 1] < goal)
		tail += p[--i];
	if (i == 0)
		abort();
	double share = (goal - tail) / p[i - 1]; /* of bin i - 1 that is cut */
	double x = edge(i) - share / N_BINS;
	for (size_t j = i; j < N_BINS; j++)
		p[j] = 0;
	p[i - 1] *= 1 - share;
	return student_tail2(sqrt(n - 1) * x / sqrt(1 - x * x), n - 1);
}

static void plan(double alpha, size_t n_looks, double *nominal)
{
	static double p[N_BINS], next[N_BINS];
	double last = (double)spending_look[n_looks - 1], spent = 0;
	for (size_t i = 0; i < N_BINS; i++) {
		double m = (double)spending_look[0] - 1;
		p[i] = 2 * (student_beta((1 + edge(i + 1)) / 2, m / 2, m / 2) -
			    student_beta((1 + edge(i)) / 2, m / 2, m / 2));
	}
	for (size_t k = 0; k < n_looks; k++) {
		double n = (double)spending_look[k];
		if (k > 0) {
			for (size_t i = 0; i < N_BINS; i++)
				next[i] = 0;
			for (size_t from = 0; from < N_BINS; from++)
				for (size_t i = 0; p[from] > 0 && i < N_BINS; i++)
					next[i] += p[from] * step_of[k][from][i];
			for (size_t i = 0; i < N_BINS; i++)
				p[i] = next[i];
		}
		double goal = alpha * n / last - spent;
		nominal[k] = cut(p, goal, n);
		spent += goal;
	}
}

int main(void)
{
	for (size_t k = 1; k < SPENDING_LOOKS; k++)
		fill_step(step_of[k], (double)spending_look[k - 1], (double)(spending_look[k] - spending_look[k - 1]));
	puts("/* Nominal two-sided levels, written by `make spending` (bench/spending.c); do not edit. */");
	puts("/* SPENDING(halvings of alpha, planned looks, level at look 1 .. 6) */");
	for (int h = 0; h < SPENDING_HALVINGS; h++) {
		for (size_t n_looks = 1; n_looks <= SPENDING_LOOKS; n_looks++) {
			double nominal[SPENDING_LOOKS] = {0};
			plan(ldexp(SPENDING_ALPHA, -h), n_looks, nominal);
			printf("SPENDING(%d, %zu", h, n_looks);
			for (size_t k = 0; k < SPENDING_LOOKS; k++)
				printf(", %.4e", nominal[k]);
			puts(")");
		}
	}
	return 0;
}
