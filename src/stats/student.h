/* Distributions that intervals and tests need: normal, Student t, beta, noncentral t, and the bound of a counted rate.
 * Accuracy: relative error below 1e-10 wherever a test uses them (probability 1e-12 .. 1 - 1e-12, 1 .. 1e6 degrees of
 * freedom); tests/unit/test_student.c holds the table it is compared with. Arguments outside the stated range are a BUG. */
#ifndef ASSAY_STATS_STUDENT_H
#define ASSAY_STATS_STUDENT_H

#include "base/attr.h"

double student_normal_cdf(double z);
double student_normal_quantile(double p); /* 0 < p < 1 */
/* Regularised incomplete beta function I_x(a, b), a and b > 0, 0 <= x <= 1. Continued fraction by modified Lentz
 * (Thompson and Barnett 1986). */
double student_beta(double x, double a, double b);
double student_beta_quantile(double p, double a, double b);
double student_cdf(double t, double df);      /* df >= 1, need not be whole */
double student_tail2(double t, double df);    /* P(|T| > |t|), accurate when small */
double student_quantile(double p, double df); /* 0 < p < 1 */
/* P(T <= t) of the noncentral t with noncentrality delta, |delta| <= 100: integral of the normal over the chi density;
 * absolute error below 1e-9. */
double student_noncentral_cdf(double t, double df, double delta);
/* Upper bound of a rate after k events in n trials, one-sided, at the given level (Clopper and Pearson 1934). */
double student_rate_upper(size_t k, size_t n, double level);
double student_rate_lower(size_t k, size_t n, double level);

#endif
