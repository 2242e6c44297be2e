/* Reduces the calls of one placement to one log ratio of two sides.
 * In: calls in order of time, each with block, slot and side. Out: struct placement.
 * The rules are those of the header, numbered there.
 * Never pairs across blocks, never drops a call for its value. */
#include "stats/placement.h"

#include <math.h>

#include "stats/summary.h"

struct pairs {
	double *ratio, *a, *b; /* in block order */
	double *block_mean;
	size_t n, n_blocks;
};

static bool check_order(const struct placement_call *c, size_t i, struct err *e)
{
	if (c[i].slot > 3 || c[i].side > PLACEMENT_B)
		return err_set(e, ERR_INPUT, "placement: call %zu: slot %u, side %u; slots are 0..3, sides 0..1", i,
			       (unsigned)c[i].slot, (unsigned)c[i].side);
	if (i > 0 && (c[i].block < c[i - 1].block || (c[i].block == c[i - 1].block && c[i].slot < c[i - 1].slot)))
		return err_set(e, ERR_INPUT, "placement: call %zu comes before its predecessor: block %u slot %u", i,
			       (unsigned)c[i].block, (unsigned)c[i].slot);
	if (!c[i].skip && !(isfinite(c[i].time_ns) && c[i].time_ns > 0))
		return err_set(e, ERR_INPUT, "placement: call %zu: time %g; a ratio needs times above zero", i,
			       c[i].time_ns);
	return true;
}

/* Is call i kept (rules 1 and 2)? */
static bool is_kept(const struct placement_call *c, size_t i)
{
	return i > 0 && c[i].side == c[i - 1].side && !c[i].skip;
}

/* Pairs the calls of two slots of one block: indexes from[x]..to[x]-1. */
static void pair_slots(struct pairs *p, const struct placement_call *c, const size_t *from, const size_t *to)
{
	size_t i = from[0], j = from[1];
	for (;;) {
		while (i < to[0] && !is_kept(c, i))
			i++;
		while (j < to[1] && !is_kept(c, j))
			j++;
		if (i >= to[0] || j >= to[1])
			return;
		bool first_is_a = c[i].side == PLACEMENT_A;
		p->a[p->n] = first_is_a ? c[i].time_ns : c[j].time_ns;
		p->b[p->n] = first_is_a ? c[j].time_ns : c[i].time_ns;
		p->ratio[p->n] = log(p->a[p->n] / p->b[p->n]);
		p->n++;
		i++;
		j++;
	}
}

/* One block, calls from..to-1. */
static bool pair_block(struct pairs *p, const struct placement_call *c, size_t from, size_t to, struct err *e)
{
	size_t start[5];
	size_t at = from;
	for (unsigned slot = 0; slot < 4; slot++) {
		start[slot] = at;
		while (at < to && c[at].slot == slot) {
			if ((c[at].side ^ c[from].side ^ c[from].slot ^ (c[from].slot >> 1) ^ slot ^ (slot >> 1)) & 1)
				return err_set(e, ERR_INPUT,
					       "placement: block %u: the sides of its slots are not x y y x",
					       (unsigned)c[at].block);
			at++;
		}
	}
	start[4] = at;
	size_t before = p->n;
	pair_slots(p, c, (const size_t[]){start[0], start[1]}, (const size_t[]){start[1], start[2]});
	pair_slots(p, c, (const size_t[]){start[3], start[2]}, (const size_t[]){start[4], start[3]});
	if (p->n > before)
		p->block_mean[p->n_blocks++] = summary_sum(p->ratio + before, p->n - before) / (double)(p->n - before);
	return true;
}

static void finish(struct placement *out, struct pairs *p)
{
	double n = (double)p->n_blocks, mean = summary_sum(p->block_mean, p->n_blocks) / n, squares = 0;
	for (size_t i = 0; i < p->n_blocks; i++)
		squares += (p->block_mean[i] - mean) * (p->block_mean[i] - mean);
	if (p->n_blocks >= 2)
		out->se = sqrt(squares / (n - 1) / n);
	summary_sort(p->ratio, p->n);
	summary_sort(p->a, p->n);
	summary_sort(p->b, p->n);
	out->d = summary_trimmed(p->ratio, p->n);
	out->time_a = summary_trimmed(p->a, p->n);
	out->time_b = summary_trimmed(p->b, p->n);
	out->n_pairs = p->n;
	out->n_blocks = p->n_blocks;
}

bool placement_reduce(struct placement *out, const struct placement_call *calls, size_t n, struct arena *scratch,
		      struct err *e)
{
	*out = (struct placement){0};
	for (size_t i = 0; i < n; i++)
		if (!check_order(calls, i, e))
			return false;
	struct arena_mark mark = arena_mark(scratch);
	struct pairs p = {.ratio = ARENA_ARRAY(scratch, n + 1, double),
			  .a = ARENA_ARRAY(scratch, n + 1, double),
			  .b = ARENA_ARRAY(scratch, n + 1, double),
			  .block_mean = ARENA_ARRAY(scratch, n + 1, double)};
	bool ok = true;
	for (size_t from = 0, to; ok && from < n; from = to) {
		for (to = from; to < n && calls[to].block == calls[from].block; to++)
			;
		ok = pair_block(&p, calls, from, to, e);
	}
	if (ok && p.n == 0)
		ok = err_set(e, ERR_INPUT, "placement: no pair remains of %zu calls; a slot needs two calls or more",
			     n);
	if (ok)
		finish(out, &p);
	out->n_discarded = n - 2 * p.n;
	arena_reset(scratch, mark);
	return ok;
}
