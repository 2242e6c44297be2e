/* The timeline on traces whose answers are known in closed form.
 * In: traces made by hand. Out: pass or fail.
 * Shows that nested, overlapping, same-stream and replayed work is counted exactly.
 * Never: reads a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stats/ceiling.h"
#include "timeline/busy.h"
#include "timeline/cover.h"
#include "timeline/idle.h"
#include "timeline/launch.h"
#include "timeline/path.h"
#include "timeline/range.h"
#include "timeline/ranks.h"
#include "timeline/sweep.h"
#include "unit/timeline_kit.h"

static void test_empty(void **state)
{
	struct kit k;
	struct cover c;
	struct idle idle;
	struct launch l;
	struct path p;
	struct ranges r;
	(void)state;
	kit_start(&k);
	trace_finish(&k.t);
	cover_device(&c, &k.t, SWEEP_ALL, &k.a);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.covered_ns, 0);
	idle_device(&idle, &k.t, SWEEP_ALL, NULL, &k.a);
	idle_streams(&idle, &k.t, SWEEP_ALL, NULL, &k.a);
	assert_int_equal(idle.total_ns, 0);
	launch_device(&l, &k.t, SWEEP_ALL, &k.a);
	assert_int_equal(l.span_ns, 0);
	path_make(&p, &k.t, NULL, &k.a);
	assert_int_equal(p.n_pieces, 0);
	ranges_make(&r, &k.t, &k.a);
	assert_int_equal(r.n_names + r.n_steps, 0);
	kit_end(&k);
}

/* A chain of n kernels of length d, gap g; copies of length c centred in every kernel on a second stream; a collective over
 * the whole second half. */
static void test_cover_closed_form(void **state)
{
	enum { N = 1000, D = 70, G = 30, C = 10 };
	struct kit k;
	struct cover c;
	(void)state;
	kit_start(&k);
	int64_t last = (N - 1) * (D + G) + D, half = N / 2 * (D + G);
	for (int64_t i = 0; i < N; i++) {
		int64_t at = i * (D + G);
		kit_work(&k, (struct kit_work){at, at + D, 0, 7, TRACE_COMPUTE, "gemm", 0, 0});
		kit_work(&k, (struct kit_work){at + 30, at + 30 + C, 0, 8, TRACE_COPY, "copy", 0, 0});
	}
	kit_work(&k, (struct kit_work){half, last, 0, 9, TRACE_COMM, "nccl", 0, 0});
	trace_finish(&k.t);
	cover_device(&c, &k.t, 0, &k.a);
	assert_int_equal(c.n, 2 * N + 1);
	assert_int_equal(c.first_ns, 0);
	assert_int_equal(c.last_ns, last);
	assert_int_equal(c.sum_ns, N * (D + C) + last - half);
	assert_int_equal(c.covered_ns, N / 2 * D + last - half);
	assert_int_equal(c.excess_ns, c.sum_ns - c.covered_ns);
	assert_int_equal(c.class_ns[0], N / 2 * G);
	assert_int_equal(c.class_ns[COVER_COMPUTE], N / 2 * (D - C));
	assert_int_equal(c.class_ns[COVER_COMPUTE | COVER_COPY], N / 2 * C);
	assert_int_equal(c.class_ns[COVER_COMM], (N / 2 - 1) * G);
	assert_int_equal(c.class_ns[COVER_COMM | COVER_COMPUTE], N / 2 * (D - C));
	assert_int_equal(c.class_ns[COVER_COMM | COVER_COMPUTE | COVER_COPY], N / 2 * C);
	assert_int_equal(cover_only(&c, COVER_COMM), (N / 2 - 1) * G);
	assert_int_equal(cover_any(&c, COVER_COMM), last - half);
	assert_int_equal(c.level_ns[1], N / 2 * (D - C) + (N / 2 - 1) * G);
	assert_int_equal(c.level_ns[2], N * (D - C) / 2 + N / 2 * C);
	assert_int_equal(c.level_ns[3], N / 2 * C);
	assert_int_equal(c.max_level, 3);
	assert_int_equal(c.max_lanes, 3);
	kit_end(&k);
}

/* Nested [0,100) in [0,1000), the same stream overlapping itself, and zero-length work. */
static void test_nested_and_same_stream(void **state)
{
	struct kit k;
	struct cover c;
	struct cover_items items;
	(void)state;
	kit_start(&k);
	kit_work(&k, (struct kit_work){0, 1000, 0, 1, TRACE_COMPUTE, "outer", 0, 0});
	kit_work(&k, (struct kit_work){100, 400, 0, 2, TRACE_COMPUTE, "inner", 0, 0});
	kit_work(&k, (struct kit_work){900, 1200, 0, 1, TRACE_COMPUTE, "early", 0, 0}); /* programmatic launch */
	kit_work(&k, (struct kit_work){1100, 1100, 0, 1, TRACE_COMPUTE, "empty", 0, 0});
	trace_finish(&k.t);
	cover_device(&c, &k.t, 0, &k.a);
	assert_int_equal(c.sum_ns, 1600);
	assert_int_equal(c.covered_ns, 1200);
	assert_int_equal(c.excess_ns, 400);
	assert_int_equal(c.level_ns[2], 400);
	assert_int_equal(c.lane_ns[2], 300); /* 100 ns are two activities of one stream */
	assert_int_equal(c.lane_ns[1], 900);
	cover_by_name(&items, &k.t, &k.a);
	assert_int_equal(items.n, 4);
	assert_string_equal(k.t.names[items.v[0].name].p, "outer");
	assert_int_equal(items.v[0].alone_ns, 600);
	assert_string_equal(k.t.names[items.v[1].name].p, "early");
	assert_int_equal(items.v[1].alone_ns, 200);
	assert_string_equal(k.t.names[items.v[2].name].p, "inner");
	assert_int_equal(items.v[2].alone_ns, 0);
	assert_int_equal(items.v[2].covered_ns, 300);
	/* removing half of "outer": 600 of 1200 ns are its own */
	assert_true(ceiling_amdahl(600.0 / 1200, 0.5, 0) == 1 / 0.75 - 1);
	kit_end(&k);
}

static void test_devices_are_apart(void **state)
{
	struct kit k;
	struct cover c;
	struct cover_items items;
	(void)state;
	kit_start(&k);
	kit_work(&k, (struct kit_work){0, 10, 0, 1, TRACE_COMPUTE, "a", 0, 0});
	kit_work(&k, (struct kit_work){5, 25, 1, 1, TRACE_COMPUTE, "a", 0, 0});
	trace_finish(&k.t);
	assert_int_equal(k.t.n_devices, 2);
	cover_device(&c, &k.t, 1, &k.a);
	assert_int_equal(c.covered_ns, 20);
	cover_device(&c, &k.t, SWEEP_ALL, &k.a);
	assert_int_equal(c.covered_ns, 25);
	cover_by_name(&items, &k.t, &k.a);
	assert_int_equal(items.v[0].alone_ns, 30);
	kit_end(&k);
}

/* One stream: launched late, launched early and held, inside one replay, not linked. */
static void test_idle_causes(void **state)
{
	struct kit k;
	struct idle idle;
	(void)state;
	kit_start(&k);
	uint32_t c1 = kit_call(&k, -20, -10, 1, TRACE_CALL_LAUNCHES);
	uint32_t c2 = kit_call(&k, 130, 150, 1, TRACE_CALL_LAUNCHES);
	uint32_t c3 = kit_call(&k, 160, 170, 1, TRACE_CALL_LAUNCHES);
	(void)kit_call(&k, 50, 120, 1, TRACE_CALL_BLOCKS);
	kit_work(&k, (struct kit_work){0, 100, 0, 1, TRACE_COMPUTE, "a", c1, 0});
	kit_work(&k, (struct kit_work){160, 200, 0, 1, TRACE_COMPUTE, "b", c2, 0});
	kit_work(&k, (struct kit_work){230, 300, 0, 1, TRACE_COMPUTE, "c", c3, TRACE_IN_GRAPH});
	kit_work(&k, (struct kit_work){310, 320, 0, 1, TRACE_COMPUTE, "d", c3, TRACE_IN_GRAPH});
	kit_work(&k, (struct kit_work){400, 410, 0, 1, TRACE_COMPUTE, "e", 0, 0});
	trace_finish(&k.t);
	idle_device(&idle, &k.t, 0, &(struct idle_options){2}, &k.a);
	assert_int_equal(idle.n_gaps, 4);
	assert_int_equal(idle.total_ns, 60 + 30 + 10 + 80);
	assert_int_equal(idle.cause_ns[IDLE_HOST], 30);   /* 100..130 */
	assert_int_equal(idle.blocked_ns, 20);            /* 100..120 inside "sync" */
	assert_int_equal(idle.cause_ns[IDLE_LAUNCH], 20); /* 130..150 */
	assert_int_equal(idle.cause_ns[IDLE_QUEUED], 10 + 30);
	assert_int_equal(idle.cause_ns[IDLE_GRAPH], 10);
	assert_int_equal(idle.cause_ns[IDLE_UNKNOWN], 80);
	assert_int_equal(idle.n_longest, 2);
	assert_int_equal(idle.longest[0].from_ns, 320);
	assert_int_equal(idle.longest[1].from_ns, 100);
	kit_end(&k);
}

/* Stream 2 waits for stream 1, and has nothing more at the end. */
static void test_idle_streams(void **state)
{
	struct kit k;
	struct idle idle;
	(void)state;
	kit_start(&k);
	uint32_t c1 = kit_call(&k, -30, -20, 1, TRACE_CALL_LAUNCHES);
	uint32_t c2 = kit_call(&k, 10, 20, 1, TRACE_CALL_LAUNCHES);
	kit_work(&k, (struct kit_work){0, 100, 0, 1, TRACE_COMPUTE, "a", c1, 0});
	kit_work(&k, (struct kit_work){105, 150, 0, 2, TRACE_COMPUTE, "b", c2, 0});
	kit_work(&k, (struct kit_work){150, 180, 0, 1, TRACE_COMPUTE, "c", c1, 0});
	trace_finish(&k.t);
	idle_streams(&idle, &k.t, 0, &(struct idle_options){9}, &k.a);
	assert_int_equal(idle.total_ns, 2 * 180 - 130 - 45);
	assert_int_equal(idle.cause_ns[IDLE_HOST], 10);
	assert_int_equal(idle.cause_ns[IDLE_LAUNCH], 10);
	/* stream 2: 20..100 beside stream 1, 100..105 alone; stream 1: 100..105 alone, 105..150 beside stream 2 */
	assert_int_equal(idle.cause_ns[IDLE_STREAM], 80 + 45);
	assert_int_equal(idle.cause_ns[IDLE_QUEUED], 5 + 5);
	assert_int_equal(idle.cause_ns[IDLE_EMPTY], 30);
	kit_end(&k);
}

/* N launches, one every 10 ns, each running 100 ns on one stream: the queue grows by a launch every 10 ns. */
static void test_launches(void **state)
{
	enum { N = 100 };
	struct kit k;
	struct launch l;
	(void)state;
	kit_start(&k);
	for (int64_t i = 0; i < N; i++) {
		uint32_t c = kit_call(&k, i * 10, i * 10 + 4, 1, TRACE_CALL_LAUNCHES);
		kit_work(&k, (struct kit_work){5 + i * 100, 105 + i * 100, 0, 1, TRACE_COMPUTE, "a", c, 0});
	}
	trace_finish(&k.t);
	launch_device(&l, &k.t, 0, &k.a);
	assert_int_equal(l.delay.n, N);
	assert_int_equal(l.delay.min_ns, 5);
	assert_int_equal(l.delay.max_ns, 5 + (N - 1) * 90);
	assert_int_equal(l.delay.p50_ns, 5 + 49 * 90);
	assert_int_equal(l.delay.sum_ns, 5 * N + 90 * N * (N - 1) / 2);
	assert_int_equal(l.latency.n, N);
	assert_int_equal(l.latency.max_ns, 1); /* the first: call ends at 4, start at 5; then back to back */
	assert_int_equal(l.latency.p50_ns, 0);
	/* behind the last call at 990 all but those that started by then (5, 105, .. 905) are queued */
	assert_int_equal(l.max_depth, N - 10);
	assert_int_equal(l.waits_ns, 5 * N + 90 * N * (N - 1) / 2 - 5);
	assert_int_equal(l.span_ns, N * 100);
	assert_int_equal(l.nothing_ns, 5 + 100); /* 5..10 before the second call, and while the last one runs */
	kit_end(&k);
}

static void test_graph_delay_counts_once(void **state)
{
	struct kit k;
	struct launch l;
	(void)state;
	kit_start(&k);
	uint32_t c = kit_call(&k, 0, 10, 1, TRACE_CALL_LAUNCHES);
	for (int64_t i = 0; i < 600; i++)
		kit_work(&k, (struct kit_work){20 + i * 5, 24 + i * 5, 0, 1, TRACE_COMPUTE, "node", c, TRACE_IN_GRAPH});
	trace_finish(&k.t);
	launch_device(&l, &k.t, 0, &k.a);
	assert_int_equal(l.delay.n, 1);
	assert_int_equal(l.delay.max_ns, 20);
	assert_int_equal(l.max_depth, 599);
	kit_end(&k);
}

static void test_ranges(void **state)
{
	struct kit k;
	struct ranges r;
	(void)state;
	kit_start(&k);
	for (int64_t i = 0; i < 3; i++) {
		int64_t at = i * 1000;
		kit_range(&k, at, at + 900, "step", true);
		kit_range(&k, at + 10, at + 500, "forward", false);
		kit_range(&k, at + 20, at + 100, "layer", false);
		kit_range(&k, at + 100, at + 200, "layer", false);
		uint32_t c1 = kit_call(&k, at + 30, at + 35, 1, TRACE_CALL_LAUNCHES);
		uint32_t c2 = kit_call(&k, at + 100, at + 105, 1, TRACE_CALL_LAUNCHES);
		uint32_t c3 = kit_call(&k, at + 120, at + 125, 2, TRACE_CALL_LAUNCHES); /* another thread */
		kit_work(&k, (struct kit_work){at + 40, at + 140, 0, 1, TRACE_COMPUTE, "a", c1, 0});
		kit_work(&k, (struct kit_work){at + 100 + 10, at + 160, 0, 2, TRACE_COMPUTE, "b", c2, 0});
		kit_work(&k, (struct kit_work){at + 800, at + 950, 0, 1, TRACE_COMPUTE, "c", c3, 0});
	}
	kit_work(&k, (struct kit_work){970, 980, 0, 1, TRACE_COMPUTE, "not linked", 0, 0});
	trace_finish(&k.t);
	ranges_make(&r, &k.t, &k.a);
	assert_int_equal(r.n_steps, 3);
	assert_int_equal(r.steps[1].start_ns, 1000);
	assert_int_equal(r.steps[1].n_work, 3);
	assert_int_equal(r.steps[1].host_ns, 900);
	assert_int_equal(r.steps[1].sum_ns, 300);
	assert_int_equal(r.steps[1].covered_ns, 120 + 150);
	assert_int_equal(r.steps[1].projected_ns, 910);
	assert_int_equal(r.steps[1].busy_ns, 120 + 100);
	assert_int_equal(r.n_names, 2);
	assert_string_equal(k.t.names[r.names[0].name].p, "layer"); /* 100 and 50 apart: more than their union */
	assert_int_equal(r.names[0].n, 6);
	assert_int_equal(r.names[0].covered_ns, 3 * 150);
	assert_string_equal(k.t.names[r.names[1].name].p, "forward");
	assert_int_equal(r.names[1].covered_ns, 3 * 120);
	assert_int_equal(r.names[1].n_work, 6);
	assert_int_equal(r.n_outside, 4);
	assert_int_equal(r.n_outside_steps, 1);
	assert_int_equal(r.outside_steps_ns, 10);
	kit_end(&k);
}

/* a on stream 1, then b (its stream, no gap), then c on stream 2 that waited for b, then the host syncs, works, launches d. */
static void test_path(void **state)
{
	struct kit k;
	struct path p;
	(void)state;
	kit_start(&k);
	uint32_t c1 = kit_call(&k, -100, -90, 1, TRACE_CALL_LAUNCHES);
	uint32_t c2 = kit_call(&k, -80, -70, 1, TRACE_CALL_LAUNCHES);
	uint32_t c3 = kit_call(&k, -60, -50, 1, TRACE_CALL_LAUNCHES);
	(void)kit_call(&k, -40, 90100, 1, TRACE_CALL_BLOCKS);
	uint32_t c4 = kit_call(&k, 95000, 96000, 1, TRACE_CALL_LAUNCHES);
	kit_work(&k, (struct kit_work){0, 30000, 0, 1, TRACE_COMPUTE, "a", c1, 0});
	kit_work(&k, (struct kit_work){30000, 60000, 0, 1, TRACE_COMPUTE, "b", c2, 0});
	kit_work(&k, (struct kit_work){60500, 90000, 0, 2, TRACE_COMPUTE, "c", c3, 0});
	kit_work(&k, (struct kit_work){97000, 100000, 0, 1, TRACE_COMPUTE, "d", c4, 0});
	trace_finish(&k.t);
	path_make(&p, &k.t, NULL, &k.a);
	assert_int_equal(p.span_ns, 100000);
	assert_int_equal(p.kind_ns[PATH_ACTIVITY], 3000 + 29500 + 60000);
	assert_int_equal(p.kind_ns[PATH_WAIT], 1000 + 500);
	assert_int_equal(p.kind_ns[PATH_CALL], 1000);
	assert_int_equal(p.kind_ns[PATH_HOST], 4900);
	assert_int_equal(p.kind_ns[PATH_SYNC], 100);
	assert_int_equal(p.kind_ns[PATH_UNKNOWN], 0);
	assert_int_equal(p.n_inferred, 1);
	assert_int_equal(p.items[0].total_ns, 30000);
	assert_string_equal(k.t.names[p.items[0].name].p, "a");
	kit_end(&k);
}

/* Programmatic launch: the path leaves a kernel where the next one of the stream begins. Nothing is known before x. */
static void test_path_overlap_and_unknown(void **state)
{
	struct kit k;
	struct path p;
	(void)state;
	kit_start(&k);
	kit_work(&k, (struct kit_work){0, 10, 0, 3, TRACE_COMPUTE, "first", 0, 0});
	kit_work(&k, (struct kit_work){100, 200, 1, 1, TRACE_COMPUTE, "x", 0, 0});
	kit_work(&k, (struct kit_work){180, 300, 1, 1, TRACE_COMPUTE, "y", 0, 0});
	trace_finish(&k.t);
	path_make(&p, &k.t, NULL, &k.a);
	assert_int_equal(p.kind_ns[PATH_ACTIVITY], 120 + 80);
	assert_int_equal(p.kind_ns[PATH_UNKNOWN], 100);
	assert_int_equal(p.pieces[1].to_ns, 180);
	kit_end(&k);
}

/* Four ranks whose clocks are off by 1000 r; rank 2 starts every collective 40 late, the last one 90 late. */
static void test_ranks(void **state)
{
	enum { RANKS = 4, N = 10 };
	struct kit k[RANKS];
	const struct trace *traces[RANKS];
	struct ranks r;
	struct arena a;
	(void)state;
	arena_init(&a);
	for (int64_t i = 0; i < RANKS; i++) {
		kit_start(&k[i]);
		k[i].t.rank = i;
		for (int64_t c = 0; c < N; c++) {
			int64_t at = 1000 * i + 500 * c, late = i != 2 ? 0 : c == N - 1 ? 90 : 40;
			kit_work(&k[i], (struct kit_work){at, at + 100, 0, 1, TRACE_COMPUTE, "gemm", 0, 0});
			kit_work(&k[i], (struct kit_work){at + 100 + late, at + 300, 0, 2, TRACE_COMM, "nccl", 0, 0});
		}
		if (i == 3)
			kit_work(&k[i], (struct kit_work){9000, 9001, 0, 2, TRACE_COMM, "only here", 0, 0});
		trace_finish(&k[i].t);
		traces[i] = &k[i].t;
	}
	ranks_make(&r, traces, RANKS, &a);
	assert_int_equal(r.n_matched, N);
	for (int64_t i = 0; i < RANKS; i++) {
		assert_int_equal(r.v[i].rank, i);
		assert_int_equal(r.v[i].clock, RANK_CLOCK_COLLECTIVES);
		assert_int_equal(r.v[i].offset_ns, 1000 * i);
		assert_int_equal(r.v[i].spread_ns, 0);
		assert_int_equal(r.v[i].wait_ns, i == 2 ? 0 : 9 * 40 + 90);
		assert_int_equal(r.v[i].n_last, i == 2 ? N : 0);
		assert_int_equal(r.v[i].caused_ns, i == 2 ? 9 * 40 + 90 : 0);
		assert_int_equal(r.v[i].exposed_ns, (i == 2 ? N * 200 - 9 * 40 - 90 : N * 200) + (i == 3));
		assert_int_equal(r.v[i].n_unmatched, i == 3);
	}
	assert_int_equal(r.skew.p50_ns, 40);
	assert_int_equal(r.skew.max_ns, 90);
	for (size_t i = 0; i < RANKS; i++)
		kit_end(&k[i]);
	arena_release(&a);
}

/* Clock noise: offset is the lower median, spread the largest deviation. Without collectives: base times, or none. */
static void test_rank_clocks(void **state)
{
	static const int64_t noise[5] = {-3, 8, 0, 1, -1};
	struct kit k[2];
	const struct trace *traces[2] = {&k[0].t, &k[1].t};
	struct ranks r;
	struct arena a;
	(void)state;
	arena_init(&a);
	for (int64_t i = 0; i < 2; i++) {
		kit_start(&k[i]);
		for (int64_t c = 0; c < 5; c++)
			kit_work(&k[i], (struct kit_work){c * 100 + i * 7000, c * 100 + 50 + i * (7000 + noise[c]), 0,
							  1, TRACE_COMM, "nccl", 0, 0});
		trace_finish(&k[i].t);
	}
	ranks_make(&r, traces, 2, &a);
	assert_int_equal(r.v[1].offset_ns, 7000);
	assert_int_equal(r.v[1].spread_ns, 8);
	for (size_t i = 0; i < 2; i++) {
		kit_end(&k[i]);
		kit_start(&k[i]);
		kit_work(&k[i], (struct kit_work){0, 10, 0, 1, TRACE_COMPUTE, "gemm", 0, 0});
		trace_finish(&k[i].t);
	}
	ranks_make(&r, traces, 2, &a);
	assert_int_equal(r.v[1].clock, RANK_CLOCK_NONE);
	k[0].t.has_base = k[1].t.has_base = true;
	k[0].t.base_ns = 100;
	k[1].t.base_ns = 170;
	ranks_make(&r, traces, 2, &a);
	assert_int_equal(r.v[1].clock, RANK_CLOCK_BASE);
	assert_int_equal(r.v[1].offset_ns, -70);
	for (size_t i = 0; i < 2; i++)
		kit_end(&k[i]);
	arena_release(&a);
}

/* Calls are sorted; activities keep theirs. */
static void test_links_survive_sorting(void **state)
{
	struct kit k;
	(void)state;
	kit_start(&k);
	uint32_t late = kit_call(&k, 50, 60, 1, TRACE_CALL_LAUNCHES);
	uint32_t early = kit_call(&k, 10, 20, 2, TRACE_CALL_LAUNCHES);
	kit_work(&k, (struct kit_work){70, 80, 0, 1, TRACE_COMPUTE, "late", late, 0});
	kit_work(&k, (struct kit_work){30, 40, 0, 1, TRACE_COMPUTE, "early", early, 0});
	kit_work(&k, (struct kit_work){90, 95, 0, 1, TRACE_COMPUTE, "none", 0, 0});
	trace_finish(&k.t);
	assert_int_equal(k.t.n_unlinked, 1);
	assert_int_equal(k.t.calls[k.t.activities[0].call - 1].start_ns, 10);
	assert_int_equal(k.t.calls[k.t.activities[1].call - 1].start_ns, 50);
	kit_end(&k);
}

static void test_select(void **state)
{
	int64_t v[101];
	(void)state;
	for (size_t i = 0; i < 101; i++)
		v[i] = (int64_t)(i * 37 % 101);
	for (size_t i = 0; i < 101; i++)
		assert_int_equal(sweep_select(v, 101, i), i);
	assert_int_equal(sweep_rank(1, 500), 0);
	assert_int_equal(sweep_rank(4, 500), 1);
	assert_int_equal(sweep_rank(100, 990), 98);
	assert_int_equal(sweep_rank(101, 990), 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_cover_closed_form),
		cmocka_unit_test(test_nested_and_same_stream),
		cmocka_unit_test(test_devices_are_apart),
		cmocka_unit_test(test_idle_causes),
		cmocka_unit_test(test_idle_streams),
		cmocka_unit_test(test_launches),
		cmocka_unit_test(test_graph_delay_counts_once),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_path_overlap_and_unknown),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_rank_clocks),
		cmocka_unit_test(test_links_survive_sorting),
		cmocka_unit_test(test_select),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
