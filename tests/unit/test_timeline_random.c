/* The timeline against a slow oracle that looks at every nanosecond.
 * In: random small traces, seeded. Out: pass or fail.
 * The oracle knows the definitions in the headers and none of the methods.
 * Never: a trace that another run would not make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/cover.h"
#include "timeline/idle.h"
#include "timeline/launch.h"
#include "timeline/path.h"
#include "timeline/range.h"
#include "timeline/sweep.h"
#include "unit/timeline_kit.h"

enum { TRACES = 400, END = 200 };

static uint64_t state;

static int64_t below(int64_t n)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (int64_t)((z ^ z >> 31) % (uint64_t)n);
}

static void make(struct kit *k, uint64_t seed)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	state = seed;
	kit_start(k);
	int64_t n = 1 + below(40), devices = 1 + below(2), streams = 1 + below(3);
	for (int64_t i = 0; i < n; i++) {
		int64_t start = 20 + below(END - 60), length = below(4) ? below(12) : below(40);
		int64_t call = start - below(30), took = below(8);
		bool linked = below(5) != 0;
		uint32_t c = linked ? kit_call(k, call, call + took, below(2), TRACE_CALL_LAUNCHES) : 0;
		enum trace_kind kind = (enum trace_kind)below(TRACE_KINDS);
		kit_work(k, (struct kit_work){start, start + length, below(devices), below(streams), kind,
					      names[below(5)], c, 0});
	}
	for (int64_t i = below(6); i > 0; i--) {
		int64_t start = below(END);
		(void)kit_call(k, start, start + below(30), below(2), TRACE_CALL_BLOCKS);
	}
	for (int64_t i = below(8); i > 0; i--) {
		int64_t start = below(END);
		kit_range(k, start, start + 1 + below(60), names[below(5)], below(3) == 0);
	}
	trace_finish(&k->t);
}

static bool runs(const struct trace *t, size_t i, uint32_t device, int64_t at)
{
	const struct trace_activity *x = &t->activities[i];
	return (device == SWEEP_ALL || t->lanes[x->lane].device == device) && x->start_ns <= at && at < x->end_ns;
}

static bool any_runs(const struct trace *t, uint32_t device, int64_t at)
{
	for (size_t i = 0; i < t->n_activities; i++) {
		if (runs(t, i, device, at))
			return true;
	}
	return false;
}

static bool span_of(const struct trace *t, uint32_t device, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct trace_activity *x = &t->activities[i];
		if (device != SWEEP_ALL && t->lanes[x->lane].device != device)
			continue;
		*first = x->start_ns < *first ? x->start_ns : *first;
		*last = x->end_ns > *last ? x->end_ns : *last;
	}
	return *first <= *last;
}

static void check_cover(struct kit *k, uint32_t device)
{
	const struct trace *t = &k->t;
	struct cover got, want = {.device = device};
	int64_t first, last;
	cover_device(&got, t, device, &k->a);
	if (!span_of(t, device, &first, &last)) {
		assert_int_equal(got.n, 0);
		return;
	}
	for (int64_t at = first; at < last; at++) {
		unsigned mask = 0;
		size_t level = 0, lanes = 0;
		for (size_t l = 0; l < t->n_lanes; l++) {
			size_t before = level;
			for (size_t i = 0; i < t->n_activities; i++) {
				if (t->activities[i].lane != l || !runs(t, i, device, at))
					continue;
				mask |= cover_class_of(t->activities[i].kind);
				level++;
			}
			lanes += level > before;
		}
		want.class_ns[mask]++;
		want.level_ns[level < COVER_LEVELS ? level : COVER_LEVELS - 1]++;
		want.lane_ns[lanes]++;
		want.covered_ns += level > 0;
		want.max_level = level > want.max_level ? level : want.max_level;
		want.max_lanes = lanes > want.max_lanes ? lanes : want.max_lanes;
	}
	assert_int_equal(got.first_ns, first);
	assert_int_equal(got.last_ns, last);
	assert_int_equal(got.covered_ns, want.covered_ns);
	assert_memory_equal(got.class_ns, want.class_ns, sizeof(want.class_ns));
	assert_memory_equal(got.level_ns, want.level_ns, sizeof(want.level_ns));
	assert_memory_equal(got.lane_ns, want.lane_ns, sizeof(want.lane_ns));
	assert_int_equal(got.max_level, want.max_level);
	assert_int_equal(got.max_lanes, want.max_lanes);
	assert_int_equal(got.excess_ns, got.sum_ns - want.covered_ns);
}

static void check_items(struct kit *k)
{
	const struct trace *t = &k->t;
	struct cover_items items;
	cover_by_name(&items, t, &k->a);
	for (size_t n = 0; n < items.n; n++) {
		int64_t covered = 0, alone = 0;
		for (int64_t at = 0; at < END + 50; at++) {
			for (uint32_t d = 0; d < t->n_devices; d++) {
				bool own = false, other = false;
				for (size_t i = 0; i < t->n_activities; i++) {
					bool is_own = t->activities[i].name == items.v[n].name;
					own |= runs(t, i, d, at) && is_own;
					other |= runs(t, i, d, at) && !is_own;
				}
				covered += own;
				alone += own && !other;
			}
		}
		assert_int_equal(items.v[n].covered_ns, covered);
		assert_int_equal(items.v[n].alone_ns, alone);
	}
}

/* The cause of one idle instant of a device, or of lane `lane` where that is not SIZE_MAX. */
static enum idle_cause cause_at(const struct trace *t, uint32_t device, size_t lane, int64_t at, bool *blocked)
{
	const struct trace_activity *next = NULL;
	int64_t asked = INT64_MAX, queued = INT64_MAX;
	*blocked = false;
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct trace_activity *x = &t->activities[i];
		if (t->lanes[x->lane].device != device || (lane != SIZE_MAX && x->lane != lane) || x->start_ns <= at)
			continue;
		if (!next || x->start_ns < next->start_ns)
			next = x;
		const struct trace_call *c = x->call ? &t->calls[x->call - 1] : NULL;
		asked = c && c->start_ns < asked ? c->start_ns : asked;
		queued = c && c->end_ns < queued ? c->end_ns : queued;
	}
	if (!next)
		return IDLE_EMPTY;
	if (at < asked && !next->call)
		return IDLE_UNKNOWN;
	if (at < asked) {
		for (size_t i = 0; i < t->n_calls; i++) {
			const struct trace_call *c = &t->calls[i];
			*blocked |= (c->flags & TRACE_CALL_BLOCKS) && c->thread == t->calls[next->call - 1].thread &&
				    c->start_ns <= at && at < c->end_ns;
		}
		return IDLE_HOST;
	}
	if (at < queued)
		return IDLE_LAUNCH;
	return lane != SIZE_MAX && any_runs(t, device, at) ? IDLE_STREAM : IDLE_QUEUED;
}

static void check_idle(struct kit *k, uint32_t device)
{
	const struct trace *t = &k->t;
	struct idle got;
	int64_t first, last, want[IDLE_CAUSES] = {0}, blocked_ns = 0;
	bool blocked;
	idle_device(&got, t, device, &(struct idle_options){3}, &k->a);
	if (!span_of(t, device, &first, &last))
		return;
	for (int64_t at = first; at < last; at++) {
		if (any_runs(t, device, at))
			continue;
		want[cause_at(t, device, SIZE_MAX, at, &blocked)]++;
		blocked_ns += blocked;
	}
	assert_memory_equal(got.cause_ns, want, sizeof(want));
	assert_int_equal(got.blocked_ns, blocked_ns);
	for (size_t i = 1; i < got.n_longest; i++)
		assert_true(got.longest[i - 1].to_ns - got.longest[i - 1].from_ns >=
			    got.longest[i].to_ns - got.longest[i].from_ns);
	memset(want, 0, sizeof(want));
	for (size_t l = 0; l < t->n_lanes; l++) {
		for (int64_t at = first; at < last && t->lanes[l].device == device; at++) {
			bool busy = false;
			for (size_t i = 0; i < t->n_activities; i++)
				busy |= t->activities[i].lane == l && runs(t, i, device, at);
			if (!busy)
				want[cause_at(t, device, l, at, &blocked)]++;
		}
	}
	idle_streams(&got, t, device, NULL, &k->a);
	assert_memory_equal(got.cause_ns, want, sizeof(want));
}

static void check_launch(struct kit *k, uint32_t device)
{
	const struct trace *t = &k->t;
	struct launch got;
	int64_t first, last, waits = 0, nothing = 0;
	size_t most = 0;
	launch_device(&got, t, device, &k->a);
	if (!span_of(t, device, &first, &last))
		return;
	for (int64_t at = first; at < last; at++) {
		size_t depth = 0;
		for (size_t i = 0; i < t->n_activities; i++) {
			const struct trace_activity *x = &t->activities[i];
			depth += x->call && t->lanes[x->lane].device == device &&
				 t->calls[x->call - 1].start_ns <= at && at < x->start_ns;
		}
		waits += (int64_t)depth;
		nothing += depth == 0;
		most = depth > most ? depth : most;
	}
	assert_int_equal(got.waits_ns, waits);
	assert_int_equal(got.nothing_ns, nothing);
	assert_int_equal(got.max_depth, most);
}

static void check_steps(struct kit *k)
{
	const struct trace *t = &k->t;
	struct ranges got;
	size_t n = 0;
	ranges_make(&got, t, &k->a);
	for (size_t r = 0; r < t->n_ranges; r++) {
		const struct trace_range *range = &t->ranges[r];
		int64_t covered = 0, busy = 0;
		uint64_t work = 0;
		if (!range->is_step)
			continue;
		for (int64_t at = 0; at < END + 100; at++) {
			bool own = false;
			for (size_t i = 0; i < t->n_activities; i++) {
				const struct trace_activity *x = &t->activities[i];
				int64_t asked = x->call ? t->calls[x->call - 1].start_ns : x->start_ns;
				bool mine = range->start_ns <= asked && asked < range->end_ns;
				own |= mine && runs(t, i, SWEEP_ALL, at);
				work += mine && at == 0;
			}
			covered += own;
			busy += range->start_ns <= at && at < range->end_ns && any_runs(t, SWEEP_ALL, at);
		}
		assert_int_equal(got.steps[n].covered_ns, covered);
		assert_int_equal(got.steps[n].n_work, work);
		assert_int_equal(got.steps[n].busy_ns, busy);
		n++;
	}
	assert_int_equal(got.n_steps, n);
}

/* Any path fills the span; its device pieces lie inside their activities. */
static void check_path(struct kit *k)
{
	const struct trace *t = &k->t;
	struct path p;
	int64_t first, last, sum = 0;
	path_make(&p, t, &(struct path_options){3}, &k->a);
	assert_true(span_of(t, SWEEP_ALL, &first, &last));
	int64_t now = last;
	for (size_t i = 0; i < p.n_pieces; i++) {
		assert_int_equal(p.pieces[i].to_ns, now);
		assert_true(p.pieces[i].from_ns < now);
		now = p.pieces[i].from_ns;
		if (p.pieces[i].kind != PATH_ACTIVITY)
			continue;
		assert_true(t->activities[p.pieces[i].index].start_ns == now);
		assert_true(t->activities[p.pieces[i].index].end_ns >= p.pieces[i].to_ns);
	}
	assert_int_equal(now, first);
	for (size_t i = 0; i < p.n_items; i++)
		sum += p.items[i].total_ns;
	assert_int_equal(sum, last - first);
}

static void test_random(void **unused)
{
	(void)unused;
	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		struct kit k;
		make(&k, seed);
		for (uint32_t d = 0; d < k.t.n_devices; d++) {
			check_cover(&k, d);
			check_idle(&k, d);
			check_launch(&k, d);
		}
		check_cover(&k, SWEEP_ALL);
		check_items(&k);
		check_steps(&k);
		check_path(&k);
		kit_end(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
