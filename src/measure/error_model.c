/* Sizes and places of errors.
 * In: what a comparison counted, indexes of elements that differ. Out: units, a sentence.
 * Pure arithmetic.
 * Never: decides whether a result is right: the tolerance does. */
#include "measure/error_model.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "run/keeper.h"

static const uint64_t FIND_MOST_BYTES = UINT64_C(256) << 20;

static double terms_of(const struct operator* op, const struct op_case *c)
{
	double inputs = 0, outputs = 0;
	for (size_t i = 0; i < op->n_params; i++) {
		if (!param_is_tensor(&op->params[i]))
			continue;
		if (param_is_output(&op->params[i]))
			outputs += (double)c->args[i].n_elements;
		else
			inputs += (double)c->args[i].n_elements;
	}
	double terms = outputs > 0 ? inputs / outputs : 1;
	if ((c->flags & OP_CASE_HAS_FLOPS) && outputs > 0)
		terms = c->flops / 2 / outputs;
	return fmax(1, terms);
}

void error_model(struct error_model *out, const struct operator* op, const struct op_case *c, size_t i_param,
		 double sum_sq, double sum_ref_sq)
{
	double u = dtype_roundoff(op->params[i_param].dtype);
	*out = (struct error_model){.terms = terms_of(op, c)};
	out->explained = 8 * (1 + sqrt(out->terms));
	out->is_known = u > 0 && sum_ref_sq > 0 && isfinite(sum_sq);
	out->units = out->is_known ? sqrt(sum_sq / sum_ref_sq) / u : NAN;
}

/* Bytes offset .. offset + n of a region, mapped; *map is what to unmap, `end` bytes. */
static const char *fetch(const struct error_find *f, size_t region, uint64_t offset, void **map, struct err *e)
{
	uint64_t n = f->bytes < FIND_MOST_BYTES ? f->bytes : FIND_MOST_BYTES;
	int fd = file_memfd("compared", offset + n, e);
	bool ok = fd >= 0 && keeper_read(f->keeper, region, offset, n, fd, e);
	*map = ok ? mmap(NULL, (size_t)(offset + n), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
	if (ok && *map == MAP_FAILED)
		ok = err_errno(e, ERR_SYSTEM, errno, "mapping outputs");
	if (fd >= 0)
		close(fd);
	return ok ? (const char *)*map + offset : NULL;
}

static bool is_bad(const struct error_find *f, const char *a, const char *b)
{
	double x = dtype_load(f->dtype, a), y = dtype_load(f->dtype, b);
	if (isnan(y))
		return !isnan(x);
	if (isinf(y) || !isfinite(x))
		return x != y;
	return fabs(x - y) > fma(f->rtol, fabs(y), f->atol);
}

bool error_find(const struct error_find *f, uint64_t *bad, size_t *n, struct err *e)
{
	void *map_a = MAP_FAILED, *map_b = MAP_FAILED;
	size_t size = dtype_bytes(f->dtype);
	uint64_t bytes = f->bytes < FIND_MOST_BYTES ? f->bytes : FIND_MOST_BYTES;
	const char *a = fetch(f, f->region, f->offset, &map_a, e);
	const char *b = a ? fetch(f, f->expected, f->expected_offset, &map_b, e) : NULL;
	*n = 0;
	for (uint64_t i = 0; b && i < bytes / size && *n < ERROR_FIND_MOST; i++) {
		if (is_bad(f, a + i * size, b + i * size))
			bad[(*n)++] = i;
	}
	if (map_a != MAP_FAILED)
		munmap(map_a, (size_t)(f->offset + bytes));
	if (map_b != MAP_FAILED)
		munmap(map_b, (size_t)(f->expected_offset + bytes));
	return b != NULL;
}

struct box { /* of the indexes, seen as rows and columns of the last dim */
	uint64_t rows, columns, row[2], column[2], n;
};

static struct box box_of(const uint64_t *bad, size_t n, const struct op_arg *shape)
{
	struct box b = {.columns = 1, .row = {UINT64_MAX, 0}, .column = {UINT64_MAX, 0}, .n = n};
	uint64_t total = shape->n_elements > 0 ? (uint64_t)shape->n_elements : 1;
	if (shape->n_dims > 1 && shape->shape[shape->n_dims - 1] > 0)
		b.columns = (uint64_t)shape->shape[shape->n_dims - 1];
	b.rows = (total + b.columns - 1) / b.columns;
	for (size_t i = 0; i < n; i++) {
		uint64_t r = bad[i] / b.columns, c = bad[i] % b.columns;
		b.row[0] = r < b.row[0] ? r : b.row[0];
		b.row[1] = r > b.row[1] ? r : b.row[1];
		b.column[0] = c < b.column[0] ? c : b.column[0];
		b.column[1] = c > b.column[1] ? c : b.column[1];
	}
	return b;
}

static const char *range(struct arena *a, const char *what, const uint64_t at[2], uint64_t n)
{
	uint64_t wide = at[1] - at[0] + 1;
	if (wide == n)
		return "";
	if (wide == 1 && (at[0] == 0 || at[1] == n - 1))
		return arena_printf(a, "the %s %s", at[0] == 0 ? "first" : "last", what);
	if (wide == 1)
		return arena_printf(a, "%s %llu of %llu", what, (unsigned long long)at[0], (unsigned long long)n);
	if (at[1] == n - 1)
		return arena_printf(a, "the last %llu %ss", (unsigned long long)wide, what);
	if (at[0] == 0)
		return arena_printf(a, "the first %llu %ss", (unsigned long long)wide, what);
	return arena_printf(a, "%ss %llu to %llu of %llu", what, (unsigned long long)at[0], (unsigned long long)at[1],
			    (unsigned long long)n);
}

const char *error_where(struct arena *a, const uint64_t *bad, size_t n, uint64_t n_bad, const struct op_arg *shape)
{
	uint64_t total = shape->n_elements > 0 ? (uint64_t)shape->n_elements : 1;
	if (n == 0)
		return "";
	if (n_bad == 1 || n_bad == total)
		return n_bad == total ? "everywhere" : "one element";
	struct box b = box_of(bad, n, shape);
	double filled = (double)n / ((double)(b.row[1] - b.row[0] + 1) * (double)(b.column[1] - b.column[0] + 1));
	if (b.columns == 1) { /* flat */
		const char *r = range(a, "element", b.row, b.rows);
		if (filled > 0.99)
			return *r ? r : "almost everywhere";
		return arena_printf(a, "scattered%s%s", *r ? " over " : "", r);
	}
	const char *r = range(a, "row", b.row, b.rows), *c = range(a, "column", b.column, b.columns);
	const char *block = arena_printf(a, "%s%s%s", r, *r && *c ? ", " : "", c);
	if (filled > 0.99)
		return *block ? block : "almost everywhere";
	return arena_printf(a, "%.0f %% of the elements, scattered%s%s", 100 * filled, *block ? ", in " : "", block);
}
