/* Trivial outputs against the tolerance.
 * In: the answers of two data sets, their inputs. Out: which trivial outputs pass.
 * A part of each output is scored first: nearly always it decides. Only what passes there is scored whole.
 * Never: involves the candidate. */
#include "measure/trivial.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "gpu/twins.h"
#include "measure/correct_region.h"
#include "run/keeper.h"

enum { TRIVIAL_PART = 4096, TRIVIAL_WHOLE = 1 << 22, TRIVIAL_MEAN_OF = 16 };
/* "nan" and "one_percent_off" are never exact: the first must fail anywhere, the second says how loose the tolerance is. */
enum trivial {
	TRIVIAL_ZEROS,
	TRIVIAL_ONES,
	TRIVIAL_MEAN,
	TRIVIAL_INPUT,
	TRIVIAL_LAST,
	TRIVIAL_NAN,
	TRIVIAL_OFF,
	TRIVIALS
};
static const struct {
	const char *name, *text;
} rows[TRIVIALS] = {
	{"zeros", "all zeros"},
	{"ones", "all ones"},
	{"mean", "the answer's mean in every element"},
	{"input", "a copy of an input"},
	{"last", "the answer to other data"},
	{"nan", "NaN everywhere"},
	{"one_percent_off", "the answer times 1.01"},
};

struct outputs { /* of one kind, over all output tensors */
	bool is_possible, has_passed, is_exact;
	double worst; /* largest absolute difference from the answer */
};
struct look {
	const struct correct_bench *b;
	const struct layout *layout;
	const struct param *params;
	char *answer[LAB_SEEDS]; /* regions as memory: inputs and answers */
	size_t limit;            /* elements of a tensor that are scored */
	char *made;              /* one tensor's trivial output */
};

static bool is_answer(const struct look *k, size_t i)
{
	return layout_is_output(k->layout, i);
}

static const char *at(const struct look *k, size_t set, size_t i)
{
	return k->answer[set] + k->layout->tensors[i].offset;
}

static size_t n_scored(const struct look *k, size_t i)
{
	const struct wire_tensor *t = &k->layout->tensors[i];
	size_t n = (size_t)t->bytes / dtype_bytes((enum dtype)t->dtype);
	return n < k->limit ? n : k->limit;
}

static void make_same(char *out, enum dtype d, size_t n, double v)
{
	for (size_t i = 0; i < n; i++)
		dtype_store(d, out + i * dtype_bytes(d), v);
}

static double mean_of(const char *p, enum dtype d, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += dtype_load(d, p + i * dtype_bytes(d));
	return sum / (double)n;
}

/* An input tensor of the same type that is as long; SIZE_MAX: there is none. */
static size_t input_like(const struct look *k, size_t i)
{
	const struct wire_tensor *t = k->layout->tensors;
	for (size_t x = 0; x < k->layout->n_tensors; x++) {
		if (layout_is_input(k->layout, x) && x != i && t[x].dtype == t[i].dtype && t[x].bytes >= t[i].bytes)
			return x;
	}
	return SIZE_MAX;
}

/* Makes the trivial output for tensor i of data set 0. False: there is none of this kind. */
static bool make(struct look *k, enum trivial kind, size_t i, size_t n)
{
	enum dtype d = (enum dtype)k->layout->tensors[i].dtype;
	size_t size = dtype_bytes(d), x;
	switch (kind) {
	case TRIVIAL_ZEROS:
	case TRIVIAL_ONES:
		make_same(k->made, d, n, kind == TRIVIAL_ONES);
		return true;
	case TRIVIAL_MEAN:
		make_same(k->made, d, n, mean_of(at(k, 0, i), d, n));
		return n >= TRIVIAL_MEAN_OF;
	case TRIVIAL_INPUT:
		x = input_like(k, i);
		if (x != SIZE_MAX)
			memcpy(k->made, at(k, 0, x), n * size);
		return x != SIZE_MAX;
	case TRIVIAL_LAST:
		memcpy(k->made, at(k, 1, i), n * size);
		return true;
	case TRIVIAL_NAN:
		make_same(k->made, d, n, NAN);
		return dtype_is_float(d);
	case TRIVIAL_OFF:
		for (size_t m = 0; m < n; m++)
			dtype_store(d, k->made + m * size, 1.01 * dtype_load(d, at(k, 0, i) + m * size));
		return dtype_is_float(d);
	case TRIVIALS:
		break;
	}
	return false;
}

static void score(struct look *k, enum trivial kind, struct outputs *o)
{
	*o = (struct outputs){.is_possible = true, .has_passed = true, .is_exact = true};
	for (size_t i = 0; i < k->layout->n_tensors && o->is_possible && o->has_passed; i++) {
		const struct wire_tensor *t = &k->layout->tensors[i];
		struct twin_compare got;
		struct twin_compare_args args = {.actual = (uintptr_t)k->made,
						 .expected = (uintptr_t)at(k, 0, i),
						 .n = n_scored(k, i),
						 .dtype = t->dtype,
						 .dtype_expected = t->dtype};
		if (!is_answer(k, i))
			continue;
		correct_tolerance(k->b->reference, &k->params[k->layout->i_param[i]], &args.atol, &args.rtol);
		o->is_possible = make(k, kind, i, args.n);
		if (!o->is_possible)
			break;
		twin_compare(&got, &args);
		o->has_passed = got.n_bad == 0;
		o->is_exact = o->is_exact && got.n_bad == 0 && got.max_abs == 0;
		o->worst = fmax(o->worst, got.max_abs);
	}
	o->has_passed = o->has_passed && o->is_possible;
}

static struct json *evidence(struct arena *a, const struct outputs *o, const struct look *k)
{
	struct json *j = json_object(a), *list = json_set_array(j, "outputs");
	for (size_t i = 0; i < TRIVIALS; i++) {
		struct json *x = json_object(a);
		json_set_cstr(x, "kind", rows[i].name);
		json_set_cstr(x, "result", !o[i].is_possible ? "none" : o[i].has_passed ? "passes" : "fails");
		json_set_bool(x, "exact", o[i].has_passed && o[i].is_exact);
		json_set_f64(x, "largest_difference", o[i].is_possible ? o[i].worst : NAN);
		json_push(list, x);
	}
	json_set_u64(j, "n_elements_scored_at_least", k->limit);
	return j;
}

static void judge(struct integrity *g, const struct look *k, const struct outputs *o)
{
	struct integrity_check c = {.name = "task_is_checkable",
				    .state = INTEGRITY_PASSED,
				    .witness = "keeper",
				    .text = "no output that needs no computing is within tolerance",
				    .evidence = evidence(g->arena, o, k)};
	const char *constant = NULL;
	for (size_t i = 0; i <= TRIVIAL_NAN; i++) {
		if (!o[i].has_passed)
			continue;
		if (!o[i].is_exact && c.state == INTEGRITY_PASSED) {
			c.state = INTEGRITY_FAILED;
			c.text = arena_printf(
				g->arena,
				"%s would pass: the largest difference from the answer is %.3g, within tolerance",
				rows[i].text, o[i].worst);
		} else if (o[i].is_exact && i != TRIVIAL_INPUT) {
			constant = arena_printf(g->arena, "the exact answer is %s", rows[i].text);
		} else if (o[i].is_exact && c.state == INTEGRITY_PASSED) {
			c.text = "the exact answer is a copy of an input";
		}
	}
	integrity_add(g, &c);
	if (c.state == INTEGRITY_FAILED)
		integrity_reject(g, VERDICT_UNCHECKABLE, c.text);
	if (constant)
		integrity_flag(g, VERDICT_FLAG_CONSTANT, "keeper", constant);
}

/* The first `limit` elements of each tensor of the answers, as memory. */
static bool fetch(struct look *k, struct err *e)
{
	for (size_t s = 0; s < LAB_SEEDS; s++) {
		int fd = file_memfd("answers", k->layout->bytes, e);
		bool ok = fd >= 0;
		for (size_t i = 0; ok && i < k->layout->n_tensors; i++) {
			const struct wire_tensor *t = &k->layout->tensors[i];
			ok = keeper_read(lab_keeper(k->b->lab), lab_expected_region(k->b->lab, s), t->offset,
					 n_scored(k, i) * dtype_bytes((enum dtype)t->dtype), fd, e);
		}
		void *p = ok ? mmap(NULL, (size_t)k->layout->bytes, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
		if (ok && p == MAP_FAILED)
			ok = err_errno(e, ERR_SYSTEM, errno, "mapping answers");
		if (fd >= 0)
			close(fd);
		if (!ok)
			return false;
		k->answer[s] = p;
	}
	return true;
}

static void drop(struct look *k)
{
	for (size_t s = 0; s < LAB_SEEDS; s++) {
		if (k->answer[s])
			munmap(k->answer[s], (size_t)k->layout->bytes);
		k->answer[s] = NULL;
	}
	free(k->made);
	k->made = NULL;
}

static bool look(struct look *k, size_t limit, struct outputs *o, const bool *wanted, struct err *e)
{
	size_t most = 0;
	k->limit = limit;
	for (size_t i = 0; i < k->layout->n_tensors; i++) {
		size_t bytes = n_scored(k, i) * dtype_bytes((enum dtype)k->layout->tensors[i].dtype);
		most = bytes > most ? bytes : most;
	}
	k->made = malloc(most + 16);
	if (!k->made)
		BUG("out of memory");
	bool ok = fetch(k, e);
	for (size_t i = 0; ok && i < TRIVIALS; i++) {
		if (!wanted || wanted[i])
			score(k, (enum trivial)i, &o[i]);
	}
	drop(k);
	return ok;
}

bool trivial_look(struct integrity *g, const struct correct_bench *b, struct err *e)
{
	struct outputs o[TRIVIALS];
	bool again[TRIVIALS], any = false;
	struct look k = {.b = b, .layout = lab_layout(b->lab), .params = b->reference->op->params};
	if (!lab_is_filled(b->lab)) {
		struct integrity_check c = {"task_is_checkable", INTEGRITY_UNAVAILABLE, "keeper",
					    "there is no reference", NULL};
		integrity_add(g, &c);
		return true;
	}
	if (!look(&k, TRIVIAL_PART, o, NULL, e))
		return false;
	for (size_t i = 0; i < TRIVIALS; i++) {
		again[i] = o[i].has_passed;
		any = any || again[i];
	}
	if (any && !look(&k, TRIVIAL_WHOLE, o, again, e))
		return false;
	judge(g, &k, o);
	return true;
}
