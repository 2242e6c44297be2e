/* Durations by group.
 * In: keys and durations, one after the other.
 * Out: sums and exact order statistics.
 * Never: sorts more than one group, or keeps more than 4 bytes of an ordinary duration. */
#include "read/nsys/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"

#define CHUNK_MIN 8
#define CHUNK_MAX 8192
#define SORT_MAX 4096 /* groups up to this are copied and sorted, larger ones selected by counting */
#define LONG_NS UINT32_MAX

__extension__ typedef unsigned __int128 wide; /* the one typedef: C has no other name for it */

struct tally_chunk {
	struct tally_chunk *next;
	uint32_t n, cap;
	uint32_t v[];
};
struct tally_long {
	struct tally_long *next;
	int64_t v;
};

void tally_init(struct tally *t, struct arena *a)
{
	*t = (struct tally){.arena = a, .i_last = SIZE_MAX};
}

static size_t hash_of(int64_t key)
{
	uint64_t h = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h ^ h >> 29);
}

static void grow(struct tally *t)
{
	size_t cap = t->cap_groups ? t->cap_groups * 2 : 256;
	struct tally_group *groups = ARENA_ARRAY(t->arena, cap, struct tally_group);
	if (t->n_groups)
		memcpy(groups, t->groups, t->n_groups * sizeof(*groups));
	t->groups = groups;
	t->cap_groups = cap;
	t->n_slots = cap * 2;
	t->slots = ARENA_ARRAY(t->arena, t->n_slots, uint32_t);
	for (size_t i = 0; i < t->n_groups; i++) {
		size_t at = hash_of(groups[i].key) & (t->n_slots - 1);
		while (t->slots[at])
			at = (at + 1) & (t->n_slots - 1);
		t->slots[at] = (uint32_t)i + 1;
	}
}

static size_t group_of(struct tally *t, int64_t key)
{
	if (t->n_groups == t->cap_groups)
		grow(t);
	size_t at = hash_of(key) & (t->n_slots - 1);
	while (t->slots[at]) {
		if (t->groups[t->slots[at] - 1].key == key)
			return t->slots[at] - 1;
		at = (at + 1) & (t->n_slots - 1);
	}
	t->groups[t->n_groups] = (struct tally_group){.key = key, .min_ns = INT64_MAX, .max_ns = INT64_MIN};
	t->slots[at] = (uint32_t)t->n_groups + 1;
	return t->n_groups++;
}

static void keep_duration(struct tally *t, struct tally_group *g, int64_t d)
{
	struct tally_chunk *c = g->chunks;
	if (d >= (int64_t)LONG_NS) {
		struct tally_long *l = ARENA_NEW(t->arena, struct tally_long);
		*l = (struct tally_long){g->longs, d};
		g->longs = l;
		return;
	}
	if (!c || c->n == c->cap) {
		uint32_t cap = c ? c->cap * 2 : CHUNK_MIN;
		if (cap > CHUNK_MAX)
			cap = CHUNK_MAX;
		struct tally_chunk *more = arena_alloc(t->arena, sizeof(*more) + cap * sizeof(uint32_t));
		more->next = c;
		more->cap = cap;
		g->chunks = c = more;
	}
	c->v[c->n++] = (uint32_t)d;
}

struct tally_group *tally_add(struct tally *t, int64_t key, int64_t d)
{
	if (t->i_last == SIZE_MAX || t->groups[t->i_last].key != key)
		t->i_last = group_of(t, key);
	struct tally_group *g = &t->groups[t->i_last];
	g->n++;
	sum_add(&g->total_ns, d);
	sum_add(&t->total_ns, d);
	t->n++;
	g->min_ns = d < g->min_ns ? d : g->min_ns;
	g->max_ns = d > g->max_ns ? d : g->max_ns;
	wide square = (wide)(uint64_t)d * (uint64_t)d;
	uint64_t lo = (uint64_t)square;
	g->square_lo += lo;
	g->square_hi += (uint64_t)(square >> 64) + (g->square_lo < lo);
	keep_duration(t, g, d);
	return g;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static int by_long(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* Values are selected by counting their digits, from the top: 11, 11 and 10 bits. */
#define N_DIGITS 3
static const unsigned digit_shift[N_DIGITS] = {21, 10, 0};
static const unsigned digit_count[N_DIGITS] = {2048, 2048, 1024};

struct order { /* order statistics of one group */
	const struct tally_group *g;
	uint64_t n_short;
	uint32_t *sorted;         /* of a small group */
	uint64_t (*counts)[2048]; /* of a large one: per digit, of the values with this prefix */
	uint64_t prefix[N_DIGITS];
	int64_t *longs; /* sorted */
};

/* Counts digit i of the values whose digits above it are `prefix`; once as long as the prefix stays. */
static void count_digit(struct order *o, unsigned i, uint32_t prefix)
{
	unsigned shift = digit_shift[i], above = shift + (i == 2 ? 10 : 11);
	if (o->prefix[i] == prefix)
		return;
	o->prefix[i] = prefix;
	memset(o->counts[i], 0, sizeof(o->counts[i]));
	for (const struct tally_chunk *c = o->g->chunks; c; c = c->next) {
		for (uint32_t k = 0; k < c->n; k++) {
			if ((uint64_t)c->v[k] >> above == prefix)
				o->counts[i][c->v[k] >> shift & (digit_count[i] - 1)]++;
		}
	}
}

static void order_init(struct order *o, const struct tally_group *g, struct arena *scratch)
{
	uint64_t n_long = 0, n = 0;
	*o = (struct order){.g = g, .prefix = {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
	for (const struct tally_long *l = g->longs; l; l = l->next)
		n_long++;
	o->n_short = g->n - n_long;
	o->longs = ARENA_ARRAY(scratch, n_long, int64_t);
	for (const struct tally_long *l = g->longs; l; l = l->next)
		o->longs[n++] = l->v;
	if (n)
		qsort(o->longs, n, sizeof(*o->longs), by_long);
	if (o->n_short > SORT_MAX) {
		o->counts = arena_array(scratch, N_DIGITS, sizeof(*o->counts));
		return;
	}
	o->sorted = ARENA_ARRAY(scratch, o->n_short, uint32_t);
	n = 0;
	for (const struct tally_chunk *c = g->chunks; c; c = c->next) {
		memcpy(o->sorted + n, c->v, c->n * sizeof(uint32_t));
		n += c->n;
	}
	if (n)
		qsort(o->sorted, n, sizeof(*o->sorted), by_value);
}

/* The value of that rank, 0 the smallest. */
static double order_value(struct order *o, uint64_t rank)
{
	uint32_t value = 0;
	if (rank >= o->n_short)
		return (double)o->longs[rank - o->n_short];
	if (o->sorted)
		return o->sorted[rank];
	if (!o->counts)
		BUG("a large group without counts");
	for (unsigned i = 0; i < N_DIGITS; i++) {
		uint32_t digit = 0;
		count_digit(o, i, value);
		while (rank >= o->counts[i][digit])
			rank -= o->counts[i][digit++];
		value = value * digit_count[i] + digit;
	}
	return value;
}

void tally_stats(struct tally_stats *out, const struct tally *t, const struct tally_group *g)
{
	struct arena scratch;
	struct order o;
	(void)t;
	*out = (struct tally_stats){0};
	if (!g->n)
		return;
	arena_init(&scratch);
	order_init(&o, g, &scratch);
	double n = (double)g->n, total = (double)g->total_ns;
	out->mean_ns = total / n;
	out->p50_ns = (order_value(&o, (g->n - 1) / 2) + order_value(&o, g->n / 2)) / 2;
	out->p99_ns = order_value(&o, (g->n * 99 + 99) / 100 - 1);
	if (g->n > 1) {
		/* about the whole part of the mean, exact: sum (d - m)^2 = sum d^2 - 2 m sum d + n m^2 */
		uint64_t m = (uint64_t)g->total_ns / g->n;
		wide sum = ((wide)g->square_hi << 64 | g->square_lo) + (wide)m * m * g->n;
		sum -= (wide)m * (uint64_t)g->total_ns * 2;
		double rest = out->mean_ns - (double)m, v = ((double)sum - n * rest * rest) / (n - 1);
		out->stddev_ns = v > 0 ? sqrt(v) : 0;
	}
	arena_release(&scratch);
}
