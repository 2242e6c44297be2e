/* Ranks of one job against each other.
 * In: the sorted traces of the ranks.
 * Out: clock offsets, skew of collectives, who came last, per rank.
 * Never: aligns by a collective that not every rank ran. */
#include "timeline/ranks.h"

#include "timeline/sweep.h"

const char *rank_clock_name(enum rank_clock c)
{
	static const char *const names[] = {"collectives", "base_time", "none"};
	return names[c];
}

struct match {        /* collectives of one name */
	uint32_t **v; /* by rank: activities, in order */
	uint32_t *n;
};
struct job {
	const struct trace *const *traces;
	size_t n_ranks;
	struct ranks *out;
	struct arena *a;
	struct map names;
	uint32_t **matched; /* by rank: activities; the i-th of each rank belong together */
};

static void count_names(struct job *j)
{
	for (size_t r = 0; r < j->n_ranks; r++) {
		const struct trace *t = j->traces[r];
		for (size_t i = 0; i < t->n_activities; i++) {
			const struct trace_activity *x = &t->activities[i];
			if (x->kind != TRACE_COMM)
				continue;
			struct map_entry *at = map_intern(&j->names, t->names[x->name], NULL);
			struct match *m = at->value;
			if (!m) {
				m = at->value = ARENA_NEW(j->a, struct match);
				m->n = ARENA_ARRAY(j->a, j->n_ranks, uint32_t);
			}
			m->n[r]++;
		}
	}
}

static bool is_matched(const struct job *j, const struct match *m)
{
	for (size_t r = 1; r < j->n_ranks; r++) {
		if (m->n[r] != m->n[0])
			return false;
	}
	return j->n_ranks > 1;
}

static size_t match_names(struct job *j)
{
	size_t n = 0;
	for (size_t k = 0; k < j->names.n; k++) {
		struct match *m = j->names.entries[k].value;
		bool matched = is_matched(j, m);
		for (size_t r = 0; r < j->n_ranks; r++)
			j->out->v[r].n_unmatched += matched ? 0 : m->n[r];
		n += matched ? m->n[0] : 0;
		m->v = ARENA_ARRAY(j->a, j->n_ranks, uint32_t *);
		for (size_t r = 0; r < j->n_ranks && matched; r++)
			m->v[r] = ARENA_ARRAY(j->a, m->n[r] + 1, uint32_t);
	}
	return n;
}

/* The i-th collective of a name on every rank. */
static void collect(struct job *j, size_t r)
{
	const struct trace *t = j->traces[r];
	size_t n = 0;
	for (size_t k = 0; k < j->names.n; k++) {
		struct match *m = j->names.entries[k].value;
		m->n[r] = 0;
	}
	for (size_t i = 0; i < t->n_activities; i++) {
		if (t->activities[i].kind != TRACE_COMM)
			continue;
		struct match *m = map_get(&j->names, t->names[t->activities[i].name]);
		if (m->v[r])
			m->v[r][m->n[r]++] = (uint32_t)i;
	}
	for (size_t k = 0; k < j->names.n; k++) {
		const struct match *m = j->names.entries[k].value;
		for (uint32_t i = 0; i < m->n[r]; i++)
			j->matched[r][n++] = m->v[r][i];
	}
}

static void align(struct job *j, size_t r, size_t n, int64_t *scratch)
{
	struct rank *rank = &j->out->v[r];
	const struct trace *t = j->traces[r], *first = j->traces[0];
	rank->clock = n ? RANK_CLOCK_COLLECTIVES : t->has_base && first->has_base ? RANK_CLOCK_BASE : RANK_CLOCK_NONE;
	if (!n) {
		/* time + base is unix time on both */
		rank->offset_ns = rank->clock == RANK_CLOCK_BASE ? first->base_ns - t->base_ns : 0;
		return;
	}
	for (size_t i = 0; i < n; i++)
		scratch[i] = t->activities[j->matched[r][i]].end_ns - first->activities[j->matched[0][i]].end_ns;
	rank->offset_ns = sweep_select(scratch, n, (n - 1) / 2);
	for (size_t i = 0; i < n; i++) {
		int64_t d = scratch[i] - rank->offset_ns;
		d = d < 0 ? -d : d;
		rank->spread_ns = d > rank->spread_ns ? d : rank->spread_ns;
	}
}

static int64_t start_of(const struct job *j, size_t r, size_t i)
{
	return j->traces[r]->activities[j->matched[r][i]].start_ns - j->out->v[r].offset_ns;
}

/* Returns the skew of the i-th collective. */
static int64_t one_collective(struct job *j, size_t i)
{
	int64_t first = INT64_MAX, last = INT64_MIN, second = INT64_MIN;
	size_t who = 0;
	for (size_t r = 0; r < j->n_ranks; r++) {
		int64_t at = start_of(j, r, i);
		first = at < first ? at : first;
		if (at > last) {
			second = last;
			last = at;
			who = r;
		} else if (at > second) {
			second = at;
		}
	}
	if (last > second) {
		j->out->v[who].n_last++;
		j->out->v[who].caused_ns += last - second;
	}
	for (size_t r = 0; r < j->n_ranks; r++)
		j->out->v[r].wait_ns += last - start_of(j, r, i);
	return last - first;
}

static void skews(struct job *j, size_t n, int64_t *v)
{
	struct launch_times *s = &j->out->skew;
	*s = (struct launch_times){.n = n};
	for (size_t i = 0; i < n; i++) {
		v[i] = one_collective(j, i);
		s->sum_ns += v[i];
	}
	if (!n)
		return;
	s->p50_ns = sweep_select(v, n, sweep_rank(n, 500));
	s->p99_ns = sweep_select(v, n, sweep_rank(n, 990));
	s->min_ns = sweep_select(v, n, 0);
	s->max_ns = sweep_select(v, n, n - 1);
}

void ranks_make(struct ranks *out, const struct trace *const *traces, size_t n, struct arena *a)
{
	struct job j = {.traces = traces, .n_ranks = n, .out = out, .a = a};
	*out = (struct ranks){.v = ARENA_ARRAY(a, n, struct rank), .n = n};
	map_init(&j.names, a);
	count_names(&j);
	size_t n_matched = match_names(&j);
	int64_t *scratch = ARENA_ARRAY(a, n_matched + 1, int64_t);
	j.matched = ARENA_ARRAY(a, n, uint32_t *);
	for (size_t r = 0; r < n; r++) {
		j.matched[r] = ARENA_ARRAY(a, n_matched + 1, uint32_t);
		collect(&j, r);
	}
	for (size_t r = 0; r < n; r++) {
		struct rank *rank = &out->v[r];
		rank->rank = traces[r]->rank >= 0 ? traces[r]->rank : (int64_t)r;
		cover_device(&rank->cover, traces[r], SWEEP_ALL, a);
		rank->exposed_ns = cover_only(&rank->cover, COVER_COMM);
		align(&j, r, n_matched, scratch);
	}
	out->n_matched = n_matched;
	skews(&j, n_matched, scratch);
}
