/* What size of error is to be expected, and where errors lie. Errors are counted in units: the root mean square error over
 * the root mean square of the answer, divided by the unit roundoff u of the output's type. A result that is rounded once
 * has 0.3 to 0.6; a sum of K terms in that type, in order and of random sign, about 0.7 sqrt(K) (each partial sum of size
 * sqrt(k) is rounded: Higham, "Accuracy and stability of numerical algorithms", 2nd ed., section 4.2, and simulated in the
 * test); elementary functions of fast-math libraries 2 to 8. What a type explains is 8 (1 + sqrt(K)). An fp32 product of
 * K = 4096 whose factors are rounded to TF32 has 5,000 units, 520 are explained. */
#ifndef ASSAY_MEASURE_ERROR_MODEL_H
#define ASSAY_MEASURE_ERROR_MODEL_H

#include "operator/operator.h"

struct error_model {
	bool is_known;    /* a float output that is not all zero */
	double units;     /* as above */
	double explained; /* 8 (1 + sqrt(K)) */
	double terms;     /* K: flops / 2 / outputs where flops are declared, else inputs / outputs, at least 1 */
};
/* sum_sq, sum_ref_sq: of the errors and of the answer, over the elements of output i_param. */
void error_model(struct error_model *out, const struct operator* op, const struct op_case *c, size_t i_param,
		 double sum_sq, double sum_ref_sq);

#define ERROR_FIND_MOST 65536
struct keeper;
struct error_find { /* one tensor in two regions; offsets are the tensor's in each */
	struct keeper *keeper;
	size_t region, expected;
	uint64_t offset, expected_offset, bytes;
	enum dtype dtype;
	double atol, rtol;
};
/* Indexes of elements that differ beyond the tolerance, the first ERROR_FIND_MOST of them; of a tensor beyond 256 MiB those
 * in its first 256 MiB. */
MUST_USE bool error_find(const struct error_find *f, uint64_t *bad, size_t *n, struct err *e);
/* Where n elements differ: "the last element", "the last row", ..., "scattered". bad: their indexes, growing; at most the
 * first 65,536 are needed, n_bad counts all. shape: n_dims sizes. */
const char *error_where(struct arena *a, const uint64_t *bad, size_t n, uint64_t n_bad, const struct op_arg *shape);

#endif
