/* GPU work by the scopes that its launch calls are nested in.
 * In: a trace with its scopes.
 * Out: one row a kind and name.
 * Never: gives a launch to a scope of another thread, but for the forward operator that a backward node names. */
#include "read/kineto/scope.h"

#include <stdlib.h>

#include "base/sum.h"
#include "read/kineto/internal.h"

#define MOST_LEVELS 4096 /* a deeper stack is no program's */

struct work { /* what one launch call started */
	int64_t sum_ns;
	uint64_t n;
};
struct job {
	const struct kineto_trace *t;
	struct kineto_scope *v; /* by thread, then start, the enclosing one first */
	size_t n;
	size_t *begin;  /* per thread, and one more */
	uint32_t *rows; /* per kind and name: index + 1 into out->v */
	struct work *work;
	uint32_t *forward; /* scopes with a sequence number that are no backward nodes: by number, then start */
	size_t n_forward;
	uint64_t *stamps, stamp; /* per row: the last look that counted it */
	struct kineto_scopes *out;
};

const char *kineto_scope_name(enum kineto_scope_kind k)
{
	static const char *const names[] = {"operator", "module", "annotation"};
	return names[k];
}

static int64_t end_of(const struct kineto_scope *s)
{
	return s->start_ns + s->dur_ns;
}

/* Of equal intervals the annotation is outside, then the module; of a kind the one that the file names first. */
static int by_place(const void *x, const void *y)
{
	const struct kineto_scope *a = x, *b = y;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->dur_ns != b->dur_ns)
		return a->dur_ns > b->dur_ns ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind > b->kind ? -1 : 1;
	return a->parent < b->parent ? -1 : 1; /* its number in the file until it is linked */
}

static struct kineto_scope *parent_of(const struct job *j, const struct kineto_scope *s)
{
	return s->parent ? &j->v[s->parent - 1] : NULL;
}

static struct kineto_scope_row *row_of(const struct job *j, const struct kineto_scope *s)
{
	return &j->out->v[j->rows[s->kind * j->t->n_names + s->name] - 1];
}

static void link_scopes(struct job *j)
{
	if (j->n) /* else v may be NULL */
		qsort(j->v, j->n, sizeof *j->v, by_place);
	for (size_t i = 0; i < j->n; i++) {
		struct kineto_scope *s = &j->v[i];
		size_t open = i && j->v[i - 1].thread == s->thread ? i : 0; /* index + 1 */
		while (open && end_of(&j->v[open - 1]) <= s->start_ns)
			open = j->v[open - 1].parent;
		s->parent = (uint32_t)open;
		j->begin[s->thread + 1] = i + 1;
	}
	for (size_t i = 1; i <= j->t->n_threads; i++) /* threads without scopes */
		j->begin[i] = j->begin[i] ? j->begin[i] : j->begin[i - 1];
}

static void make_rows(struct job *j, struct arena *a)
{
	struct kineto_scopes *out = j->out;
	for (size_t i = 0; i < j->n; i++) {
		uint32_t *row = &j->rows[j->v[i].kind * j->t->n_names + j->v[i].name];
		if (!*row)
			*row = (uint32_t)++out->n;
	}
	out->v = ARENA_ARRAY(a, out->n + 1, struct kineto_scope_row);
	for (size_t i = 0; i < j->n; i++) {
		struct kineto_scope_row *row = row_of(j, &j->v[i]);
		row->name = j->t->names[j->v[i].name];
		row->kind = (enum kineto_scope_kind)j->v[i].kind;
	}
}

/* Time on the CPU: to the row, away from the scope of the same kind around it. */
static void host_time(struct job *j, const struct kineto_scope *s)
{
	struct kineto_scope_row *row = row_of(j, s);
	const struct kineto_scope *around = NULL;
	bool is_recursive = false;
	size_t levels = 0;
	for (const struct kineto_scope *p = parent_of(j, s); p && levels < MOST_LEVELS; p = parent_of(j, p), levels++) {
		if (p->kind != s->kind || end_of(p) <= s->start_ns)
			continue;
		around = around ? around : p;
		is_recursive |= p->name == s->name;
	}
	row->n_calls++;
	sum_add(&row->host_self_ns, s->dur_ns);
	if (!is_recursive)
		sum_add(&row->host_ns, s->dur_ns);
	if (around) {
		int64_t end = end_of(s) < end_of(around) ? end_of(s) : end_of(around);
		sum_add(&row_of(j, around)->host_self_ns, s->start_ns - end);
	}
}

static int by_sequence(const void *x, const void *y, void *ctx)
{
	const struct job *j = ctx;
	const uint32_t *a = x, *b = y;
	const struct kineto_scope *s = &j->v[*a], *t = &j->v[*b];
	if (s->sequence != t->sequence)
		return s->sequence < t->sequence ? -1 : 1;
	if (s->start_ns != t->start_ns)
		return s->start_ns < t->start_ns ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

static void list_forward(struct job *j, struct arena *a)
{
	j->forward = ARENA_ARRAY(a, j->n + 1, uint32_t);
	for (size_t i = 0; i < j->n; i++) {
		if (j->v[i].sequence != KINETO_NO_SEQUENCE && !j->v[i].is_backward)
			j->forward[j->n_forward++] = (uint32_t)i;
	}
	qsort_r(j->forward, j->n_forward, sizeof *j->forward, by_sequence, j);
}

/* The last operator with the number of node b that began before it. NULL: none, or several threads have one: a number is
 * its thread's. */
static const struct kineto_scope *forward_of(const struct job *j, const struct kineto_scope *b)
{
	size_t low = 0, high = j->n_forward; /* behind the last that may be it */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct kineto_scope *s = &j->v[j->forward[middle]];
		if (s->sequence < b->sequence || (s->sequence == b->sequence && s->start_ns < b->start_ns))
			low = middle + 1;
		else
			high = middle;
	}
	const struct kineto_scope *last = low ? &j->v[j->forward[low - 1]] : NULL;
	if (!last || last->sequence != b->sequence)
		return NULL;
	for (size_t i = low - 1, looks = 0; i-- > 0 && looks < MOST_LEVELS; looks++) {
		const struct kineto_scope *s = &j->v[j->forward[i]];
		if (s->sequence != b->sequence)
			break;
		if (s->thread != last->thread)
			return NULL;
	}
	return last;
}

static void give_backward(struct job *j, const struct kineto_scope *forward, const struct work *w)
{
	size_t levels = 0;
	j->stamp++;
	for (const struct kineto_scope *s = forward; s && levels < MOST_LEVELS; s = parent_of(j, s), levels++) {
		struct kineto_scope_row *row = row_of(j, s);
		uint64_t *stamp = &j->stamps[row - j->out->v];
		if (*stamp == j->stamp || end_of(s) <= forward->start_ns)
			continue;
		*stamp = j->stamp;
		sum_add(&row->backward_ns, w->sum_ns);
	}
}

/* The last scope of the thread that began at or before. */
static const struct kineto_scope *scope_at(const struct job *j, uint32_t thread, int64_t at)
{
	size_t low = j->begin[thread], high = j->begin[thread + 1], first = low;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (j->v[middle].start_ns <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low > first ? &j->v[low - 1] : NULL;
}

static void give(struct job *j, const struct kineto_launch *l, const struct work *w)
{
	bool seen[KINETO_SCOPE_KINDS] = {false};
	const struct kineto_scope *node = NULL;
	size_t levels = 0;
	j->stamp++;
	for (const struct kineto_scope *s = scope_at(j, l->thread, l->start_ns); s; s = parent_of(j, s)) {
		if (levels++ == MOST_LEVELS) {
			j->out->n_deep += w->n;
			break;
		}
		if (end_of(s) <= l->start_ns)
			continue;
		struct kineto_scope_row *row = row_of(j, s);
		uint64_t *stamp = &j->stamps[row - j->out->v];
		if (!seen[s->kind])
			sum_add(&row->self_ns, w->sum_ns);
		seen[s->kind] = true;
		node = node || !s->is_backward ? node : s;
		if (*stamp == j->stamp)
			continue;
		*stamp = j->stamp;
		row->n += w->n;
		sum_add(&row->total_ns, w->sum_ns);
	}
	for (unsigned k = 0; k < KINETO_SCOPE_KINDS; k++)
		sum_add(&j->out->outside_ns[k], seen[k] ? 0 : w->sum_ns);
	const struct kineto_scope *forward = node ? forward_of(j, node) : NULL;
	if (forward)
		give_backward(j, forward, w);
	else if (node)
		j->out->n_unmatched += w->n;
}

/* What each launch call started; what has none is outside of every scope. */
static void sum_work(struct job *j)
{
	for (size_t i = 0; i < j->t->n_activities; i++) {
		const struct kineto_activity *x = &j->t->activities[i];
		const struct kineto_launch *l = kineto_launch_of(j->t, x->correlation);
		sum_add(&j->out->all_ns, x->dur_ns);
		for (unsigned k = 0; k < KINETO_SCOPE_KINDS && !l; k++)
			sum_add(&j->out->outside_ns[k], x->dur_ns);
		if (!l)
			continue;
		struct work *w = &j->work[l - j->t->launches];
		sum_add(&w->sum_ns, x->dur_ns);
		w->n++;
	}
}

static int by_total(const void *x, const void *y)
{
	const struct kineto_scope_row *a = x, *b = y;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (a->backward_ns != b->backward_ns)
		return a->backward_ns > b->backward_ns ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return str_cmp(a->name, b->name);
}

void kineto_scopes(struct kineto_scopes *out, struct arena *a, const struct kineto_trace *t)
{
	struct arena scratch;
	struct job j = {.t = t, .out = out, .v = (void *)t->store->scopes.p, .n = t->store->scopes.n};
	*out = (struct kineto_scopes){0};
	arena_init(&scratch);
	j.begin = ARENA_ARRAY(&scratch, t->n_threads + 2, size_t);
	j.rows = ARENA_ARRAY(&scratch, t->n_names * KINETO_SCOPE_KINDS + 1, uint32_t);
	j.work = ARENA_ARRAY(&scratch, t->n_launches + 1, struct work);
	link_scopes(&j);
	make_rows(&j, a);
	j.stamps = ARENA_ARRAY(&scratch, out->n + 1, uint64_t);
	list_forward(&j, &scratch);
	for (size_t i = 0; i < j.n; i++)
		host_time(&j, &j.v[i]);
	sum_work(&j);
	for (size_t i = 0; i < t->n_launches; i++) {
		if (j.work[i].n)
			give(&j, &t->launches[i], &j.work[i]);
	}
	qsort(out->v, out->n, sizeof *out->v, by_total);
	arena_release(&scratch);
}

static const struct sheet_column columns[] = {
	{"kind", "kind", "", SHEET_TEXT},
	{"name", "name", "", SHEET_TEXT | SHEET_KEY},
	{"total_ns", "time", "ns", 0},
	{"share_pct", "share", "%", 0},
	{"self_ns", "self", "ns", 0},
	{"backward_ns", "backward", "ns", 0},
	{"n", "n", "", 0},
	{"calls", "calls", "", SHEET_HIDDEN},
	{"cpu_ns", "CPU time", "ns", SHEET_HIDDEN},
	{"cpu_self_ns", "CPU self", "ns", SHEET_HIDDEN},
};

static bool has_kind(const struct kineto_scopes *v, unsigned kind)
{
	for (size_t i = 0; i < v->n; i++) {
		if (v->v[i].kind == kind)
			return true;
	}
	return false;
}

static const char *note_of(const struct kineto_scopes *v, struct arena *a)
{
	struct buf b;
	buf_init(&b);
	buf_puts(&b, "by the launch call's nesting on its thread; self: in no deeper scope of that kind; backward: of "
		     "backward nodes, by the forward operator");
	for (unsigned k = 0; k < KINETO_SCOPE_KINDS; k++) {
		const char *name = kineto_scope_name((enum kineto_scope_kind)k);
		if (!has_kind(v, k))
			buf_printf(&b, "; no %s was recorded", name);
		else if (v->all_ns > 0)
			buf_printf(&b, "; in no %s: %.1f %%", name, 100 * (double)v->outside_ns[k] / (double)v->all_ns);
	}
	if (v->all_ns <= 0)
		buf_puts(&b, "; no GPU activity in this trace");
	if (v->n_unmatched)
		buf_printf(&b,
			   "; %llu activities of backward nodes have no forward operator here, or several threads have "
			   "one",
			   (unsigned long long)v->n_unmatched);
	if (v->n_deep)
		buf_printf(&b, "; %llu activities lie deeper than %d scopes", (unsigned long long)v->n_deep,
			   MOST_LEVELS);
	struct str text = arena_str(a, buf_view(&b));
	buf_release(&b);
	return text.p;
}

void kineto_scopes_sheet(struct sheet *out, const struct kineto_trace *t, struct arena *a)
{
	struct kineto_scopes v;
	kineto_scopes(&v, a, t);
	sheet_init(out, a, "scopes", columns, COUNT_OF(columns));
	out->title = "GPU time by operator, module and annotation";
	out->note = v.n ? note_of(&v, a) : "no operator, module or annotation in this trace";
	for (size_t i = 0; i < v.n; i++) {
		const struct kineto_scope_row *r = &v.v[i];
		struct sheet_cell *c = sheet_row(out);
		sheet_put_text(&c[0], str_from(kineto_scope_name(r->kind)));
		sheet_put_text(&c[1], r->name);
		sheet_put(&c[2], (double)r->total_ns);
		if (v.all_ns > 0)
			sheet_put(&c[3], 100 * (double)r->total_ns / (double)v.all_ns);
		sheet_put(&c[4], (double)r->self_ns);
		sheet_put(&c[5], (double)r->backward_ns);
		sheet_put(&c[6], (double)r->n);
		sheet_put(&c[7], (double)r->n_calls);
		sheet_put(&c[8], (double)r->host_ns);
		sheet_put(&c[9], (double)r->host_self_ns);
	}
}
