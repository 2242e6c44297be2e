/* Sums of a trace by name, category, operator and step.
 * In: a trace that was read.
 * Out: rows with totals and percentiles.
 * Never counts an activity twice: what belongs to no row is in n_left. */
#include "read/kineto/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"

/* activities grouped by a key: durations of one group stand together */
struct groups {
	struct arena scratch;
	size_t *begin; /* per key, and one more */
	int64_t *dur;
	size_t n_keys;
};
typedef uint32_t key_of(const void *ctx, const struct kineto_activity *a); /* UINT32_MAX: no group */

static void groups_make(struct groups *g, const struct kineto_trace *t, size_t n_keys, key_of *key, const void *ctx)
{
	arena_init(&g->scratch);
	g->n_keys = n_keys;
	g->begin = ARENA_ARRAY(&g->scratch, n_keys + 2, size_t);
	g->dur = ARENA_ARRAY(&g->scratch, t->n_activities + 1, int64_t);
	uint32_t *keys = ARENA_ARRAY(&g->scratch, t->n_activities + 1, uint32_t);
	for (size_t i = 0; i < t->n_activities; i++) {
		keys[i] = key(ctx, &t->activities[i]);
		if (keys[i] < n_keys)
			g->begin[keys[i] + 2]++;
	}
	for (size_t i = 2; i < n_keys + 2; i++)
		g->begin[i] += g->begin[i - 1];
	for (size_t i = 0; i < t->n_activities; i++)
		if (keys[i] < n_keys)
			g->dur[g->begin[keys[i] + 1]++] = t->activities[i].dur_ns;
}

/* The k-th smallest of v[0, n), by partition; v is reordered. */
static int64_t select_kth(int64_t *v, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;
	while (low < high) {
		int64_t pivot = v[low + (high - low) / 2];
		size_t i = low, j = high;
		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i > j)
				break;
			int64_t swap = v[i];
			v[i++] = v[j];
			v[j] = swap;
			if (j == 0)
				break;
			j--;
		}
		if (k <= j)
			high = j;
		else if (k >= i)
			low = i;
		else
			break;
	}
	return v[k];
}

static size_t rank(size_t n, size_t per_mille)
{
	size_t r = (n * per_mille + 999) / 1000;
	return r ? r - 1 : 0;
}

static void fill_row(struct kineto_row *row, int64_t *dur, size_t n)
{
	row->n = n;
	if (!n)
		return;
	row->min_ns = row->max_ns = dur[0];
	for (size_t i = 0; i < n; i++) {
		sum_add(&row->total_ns, dur[i]);
		row->min_ns = dur[i] < row->min_ns ? dur[i] : row->min_ns;
		row->max_ns = dur[i] > row->max_ns ? dur[i] : row->max_ns;
	}
	row->p50_ns = select_kth(dur, n, rank(n, 500));
	row->p99_ns = select_kth(dur, n, rank(n, 990));
}

static int by_total(const void *x, const void *y)
{
	const struct kineto_row *a = x, *b = y;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return str_cmp(a->name, b->name);
}

static void finish(struct kineto_rows *out, const struct kineto_trace *t)
{
	int64_t in_rows = 0;
	uint64_t n = 0;
	for (size_t i = 0; i < t->n_activities; i++)
		sum_add(&out->total_ns, t->activities[i].dur_ns);
	for (size_t i = 0; i < out->n; i++) {
		sum_add(&in_rows, out->v[i].total_ns);
		n += out->v[i].n;
		out->v[i].share = out->total_ns ? (double)out->v[i].total_ns / (double)out->total_ns : 0;
	}
	out->n_left = t->n_activities - n;
	out->left_ns = out->total_ns - in_rows;
}

static uint32_t key_kernel(const void *ctx, const struct kineto_activity *a)
{
	(void)ctx;
	return a->name * KINETO_KINDS + a->kind;
}

void kineto_by_kernel(struct kineto_rows *out, struct arena *a, const struct kineto_trace *t)
{
	struct groups g;
	*out = (struct kineto_rows){0};
	if (t->n_names > UINT32_MAX / KINETO_KINDS - 1)
		BUG("more names than a key holds");
	groups_make(&g, t, t->n_names * KINETO_KINDS, key_kernel, NULL);
	for (size_t i = 0; i < g.n_keys; i++)
		out->n += g.begin[i + 1] > g.begin[i];
	out->v = ARENA_ARRAY(a, out->n ? out->n : 1, struct kineto_row);
	for (size_t i = 0, k = 0; i < g.n_keys; i++) {
		size_t n = g.begin[i + 1] - g.begin[i];
		if (!n)
			continue;
		struct kineto_row *row = &out->v[k++];
		row->name = t->names[i / KINETO_KINDS];
		row->kind = (enum kineto_kind)(i % KINETO_KINDS);
		fill_row(row, g.dur + g.begin[i], n);
	}
	for (size_t i = 0; i < out->n; i++)
		out->v[i].is_collective = kineto_is_collective(out->v[i].name) && out->v[i].kind == KINETO_KERNEL;
	qsort(out->v, out->n, sizeof *out->v, by_total);
	finish(out, t);
	arena_release(&g.scratch);
}

/* Categories: compute, communication, memset, then one per name of a copy. */
enum { CATEGORY_COMPUTE, CATEGORY_COMMUNICATION, CATEGORY_MEMSET, CATEGORY_COPIES };
static const char *const directions[] = {"HtoD", "DtoH", "DtoD", "PtoP", "HtoH", "other"};

static uint32_t key_category(const void *ctx, const struct kineto_activity *a)
{
	const struct kineto_trace *t = ctx;
	if (a->kind == KINETO_KERNEL)
		return a->flags & KINETO_COLLECTIVE ? CATEGORY_COMMUNICATION : CATEGORY_COMPUTE;
	if (a->kind == KINETO_MEMSET)
		return CATEGORY_MEMSET;
	uint32_t i = 0;
	while (i + 1 < COUNT_OF(directions) && str_find(t->names[a->name], str_from(directions[i])) == SIZE_MAX)
		i++;
	return CATEGORY_COPIES + i;
}

void kineto_by_category(struct kineto_rows *out, struct arena *a, const struct kineto_trace *t)
{
	struct groups g;
	*out = (struct kineto_rows){0};
	groups_make(&g, t, CATEGORY_COPIES + COUNT_OF(directions), key_category, t);
	out->v = ARENA_ARRAY(a, g.n_keys, struct kineto_row);
	for (size_t i = 0; i < g.n_keys; i++) {
		size_t n = g.begin[i + 1] - g.begin[i];
		if (!n)
			continue;
		struct kineto_row *row = &out->v[out->n++];
		row->name = i == CATEGORY_COMPUTE         ? STR("compute")
			    : i == CATEGORY_COMMUNICATION ? STR("communication")
			    : i == CATEGORY_MEMSET
				    ? STR("memset")
				    : str_from(arena_printf(a, "memcpy %s", directions[i - CATEGORY_COPIES]));
		row->is_collective = i == CATEGORY_COMMUNICATION;
		row->kind = i < CATEGORY_MEMSET ? KINETO_KERNEL : i == CATEGORY_MEMSET ? KINETO_MEMSET : KINETO_MEMCPY;
		fill_row(row, g.dur + g.begin[i], n);
	}
	qsort(out->v, out->n, sizeof *out->v, by_total);
	finish(out, t);
	arena_release(&g.scratch);
}

static uint32_t key_operator(const void *ctx, const struct kineto_activity *a)
{
	return kineto_operator(ctx, a);
}

void kineto_by_operator(struct kineto_rows *out, struct arena *a, const struct kineto_trace *t)
{
	struct groups g;
	*out = (struct kineto_rows){0};
	groups_make(&g, t, t->n_names, key_operator, t);
	uint32_t *row_of = ARENA_ARRAY(&g.scratch, t->n_names + 1, uint32_t); /* index + 1 */
	size_t most = t->n_calls;
	for (size_t i = 0; i < g.n_keys; i++)
		most += g.begin[i + 1] > g.begin[i];
	out->v = ARENA_ARRAY(a, most ? most : 1, struct kineto_row);
	for (size_t i = 0; i < g.n_keys; i++) {
		size_t n = g.begin[i + 1] - g.begin[i];
		if (!n)
			continue;
		out->v[out->n].name = t->names[i];
		fill_row(&out->v[out->n], g.dur + g.begin[i], n);
		row_of[i] = (uint32_t)++out->n;
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct kineto_calls *c = &t->calls[i];
		if (!c->is_operator)
			continue;
		if (!row_of[c->name]) {
			out->v[out->n].name = t->names[c->name];
			row_of[c->name] = (uint32_t)++out->n;
		}
		out->v[row_of[c->name] - 1].n_calls = c->n;
		out->v[row_of[c->name] - 1].calls_ns = c->total_ns;
	}
	qsort(out->v, out->n, sizeof *out->v, by_total);
	finish(out, t);
	arena_release(&g.scratch);
}

struct steps {
	const struct kineto_trace *t;
	const struct kineto_span **v;
	size_t n;
};

static uint32_t key_step(const void *ctx, const struct kineto_activity *a)
{
	const struct steps *s = ctx;
	const struct kineto_launch *l = kineto_launch_of(s->t, a->correlation);
	int64_t at = l ? l->start_ns : a->start_ns;
	size_t low = 0, high = s->n; /* the last step that starts at or before */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->v[middle]->start_ns <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || at - s->v[low - 1]->start_ns >= s->v[low - 1]->dur_ns)
		return UINT32_MAX;
	return (uint32_t)low - 1;
}

void kineto_by_step(struct kineto_rows *out, struct arena *a, const struct kineto_trace *t)
{
	struct groups g;
	struct steps s = {.t = t};
	*out = (struct kineto_rows){0};
	for (size_t i = 0; i < t->n_spans; i++)
		s.n += t->spans[i].is_step && !t->spans[i].on_device;
	s.v = ARENA_ARRAY(a, s.n ? s.n : 1, const struct kineto_span *);
	for (size_t i = 0, k = 0; i < t->n_spans; i++)
		if (t->spans[i].is_step && !t->spans[i].on_device)
			s.v[k++] = &t->spans[i];
	groups_make(&g, t, s.n, key_step, &s);
	out->v = ARENA_ARRAY(a, s.n ? s.n : 1, struct kineto_row);
	out->n = s.n;
	for (size_t i = 0; i < s.n; i++) {
		out->v[i].name = t->names[s.v[i]->name];
		out->v[i].start_ns = s.v[i]->start_ns;
		out->v[i].calls_ns = s.v[i]->dur_ns;
		fill_row(&out->v[i], g.dur + g.begin[i], g.begin[i + 1] - g.begin[i]);
	}
	finish(out, t);
	arena_release(&g.scratch);
}

void kineto_launch_delays(struct kineto_delays *out, const struct kineto_trace *t)
{
	struct arena scratch;
	arena_init(&scratch);
	*out = (struct kineto_delays){0};
	int64_t *v = ARENA_ARRAY(&scratch, t->n_activities + 1, int64_t);
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct kineto_activity *a = &t->activities[i];
		if (!(a->flags & KINETO_LINKED) || (a->flags & KINETO_GRAPH))
			continue;
		int64_t delay = a->start_ns - kineto_launch_of(t, a->correlation)->start_ns;
		out->n_negative += delay < 0;
		out->max_ns = !out->n || delay > out->max_ns ? delay : out->max_ns;
		v[out->n++] = delay;
	}
	if (out->n) {
		out->p50_ns = select_kth(v, out->n, rank(out->n, 500));
		out->p99_ns = select_kth(v, out->n, rank(out->n, 990));
	}
	arena_release(&scratch);
}
