/* Unit tests of loop/tags, loop/proposal, loop/evidence and loop/lint.
 * In: literals, and a report written as the readers write theirs.
 * Out: cmocka's report.
 * Never: runs a kernel. */
#include "loop/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/file.h"
#include "loop/guide.h"

struct fixture {
	struct arena a;
	struct err e;
	struct buf b;
	char dir[64];
	struct evidence v;
	struct proposal p;
	struct lint l;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	arena_init(&f->a);
	buf_init(&f->b);
	snprintf(f->dir, sizeof f->dir, "/tmp/assay_proposal_XXXXXX");
	*state = f;
	return mkdtemp(f->dir) ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct err e;
	bool ok = file_remove_tree(f->dir, &e);
	arena_release(&f->a);
	buf_release(&f->b);
	free(f);
	return ok ? 0 : -1;
}

static void put(struct fixture *f, const char *name, const char *text)
{
	if (!file_write_str(path_join(&f->a, f->dir, name), str_from(text), &f->e))
		fail_msg("%s", f->e.text);
}

static const char *fingerprint(struct fixture *f, const char *backend, const char *list)
{
	struct tags t = {.n = 0};
	struct str rest = str_from(list), one;
	char out[FINGERPRINT_SIZE];
	while (str_split(&rest, ',', &one))
		(void)tags_add(&t, &f->a, one);
	tags_fingerprint(&t, backend, out);
	return arena_strdup(&f->a, out);
}

static void fingerprints(void **state)
{
	struct fixture *f = *state;
	struct tags t = {.n = 0}, u = {.n = 0};
	assert_string_equal(fingerprint(f, "cutlass", "baseline"), "d576b5ea15008131");
	/* sha1 of {"backend": "cuda", "tags": ["split-k", "vector_loads"]} */
	assert_string_equal(fingerprint(f, "cuda", "Vector  Loads!,split-k,vector_loads"), "ca8703b685267c33");
	assert_string_equal(tag_normal(&f->a, STR("  Warp \t Shuffle (v2) ")), "warp_shuffle_v2");
	assert_string_equal(tag_normal(&f->a, STR("\xc3\xa9!")), "");
	assert_false(tags_add(&t, &f->a, STR("!!")));
	assert_true(tags_add(&t, &f->a, STR("double_buffering")) && tags_add(&t, &f->a, STR("float4")));
	assert_true(tags_add(&u, &f->a, STR("multi-stage pipeline")) && tags_add(&u, &f->a, STR("vectorized_access")));
	assert_true(tags_same_mechanisms(&t, &u));
	assert_true(tags_add(&u, &f->a, STR("my_own_idea")));
	assert_false(tags_same_mechanisms(&t, &u));
	assert_string_equal(json_str(tags_mechanisms(&f->a, &u), "multi-stage_pipeline", STR("")).p,
			    "memory.multi_stage_pipeline");
	assert_null(json_get(tags_mechanisms(&f->a, &u), "my_own_idea"));
	for (int i = 0; i < TAGS_MAX; i++)
		(void)tags_add(&u, &f->a, str_from(arena_printf(&f->a, "t%d", i)));
	assert_int_equal(u.n, TAGS_MAX);
	assert_false(tags_add(&u, &f->a, STR("one_more")));
}

static const char details[] = /* as read/ncu/text.c writes it: labels left, units and values right, names behind */
	"# written by assay 0.1.0 from full.ncu-rep (ncu 2025.3.1.0)\n"
	"  softmax(const float *, float *, int, int) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
	"    Section: GPU Speed Of Light Throughput\n"
	"    ----------------------- ----------- ------------ ------\n"
	"    Metric Name             Metric Unit Metric Value Metric\n"
	"    ----------------------- ----------- ------------ ------\n"
	"    DRAM Frequency                  Ghz         3.19 dram__cycles_elapsed.avg.per_second\n"
	"    DRAM Throughput                   %        21.89 gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed\n"
	"    Elapsed Cycles                cycle       32,370 gpc__cycles_elapsed.max\n"
	"    ----------------------- ----------- ------------ ------\n"
	"\n"
	"    OPT   Compute is more heavily utilized than Memory\n"
	"\n"
	"    Section: Launch Statistics\n"
	"    ---------------------------- --------------- ---------------\n"
	"    Metric Name                      Metric Unit    Metric Value\n"
	"    ---------------------------- --------------- ---------------\n"
	"    Function Cache Configuration                 CachePreferNone\n"
	"    Registers Per Thread         register/thread              32\n"
	"    ---------------------------- --------------- ---------------\n"
	"\n"
	"  second(float *) (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
	"    Section: GPU Speed Of Light Throughput\n"
	"    ----------------------- ----------- ------------\n"
	"    Metric Name             Metric Unit Metric Value\n"
	"    ----------------------- ----------- ------------\n"
	"    DRAM Throughput                   %         0.18\n"
	"    ----------------------- ----------- ------------\n";

static void numbers(void **state)
{
	static const struct {
		const char *given;
		double actual;
		bool same;
	} cases[] = {
		{"21.89", 21.89, true},
		{"21.9", 21.89, true},
		{"22", 21.89, true},
		{"21.8", 21.89, false},
		{"21.890", 21.89, true},
		{"21.891", 21.89, false},
		{"3.2e3", 3246.6, true},
		{"3.3e3", 3246.6, false},
		{"-1.5", -1.52, true},
		{"0.1", 0.1, true},
		{"3.2480465", 3.2480465, true},
		{"3.2480466", 3.2480465, false},
		{"32,370", 32370, true},
		{"1e-05", 1.04e-05, true},
		{"2e-05", 1.04e-05, false},
		{"nan", 1, false},
		{"", 0, false},
		{"1e999", 1, false},
		{"1e-999", 0, false},

		{"12abc", 12, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (evidence_same_number(str_from(cases[i].given), cases[i].actual) != cases[i].same)
			fail_msg("%s against %g", cases[i].given, cases[i].actual);
	}
}

static void check(struct fixture *f, const char *metric, const char *value, const char *unit, const char *want)
{
	struct evidence_answer x;
	struct evidence_claim c = {str_from(metric), str_from(value), str_from(unit)};
	static const char *const words[] = {"equal", "no metric", "other unit", "other value"};
	evidence_check(&x, &f->v, &c);
	const char *got =
		arena_printf(&f->a, "%s|%s|%s", words[x.match], x.actual ? x.actual : "", x.near ? x.near : "");
	if (strcmp(got, want) != 0 && !(x.match == EVIDENCE_EQUAL && strcmp(want, "equal") == 0))
		fail_msg("%s = %s %s: %s, wanted %s", metric, value, unit, got, want);
}

static void evidence_of_a_page(void **state)
{
	struct fixture *f = *state;
	put(f, "full_details.txt", details);
	put(f, "benchmark_result.json",
	    "{\"kernel\": {\"median_ms\": 3.2480465, \"source\": \"event_pair\"}, \"n\": 3}");
	assert_true(evidence_read(&f->v, &f->a, f->dir, &f->e));
	assert_true(f->v.has_profile);
	assert_int_equal(f->v.n, 6);
	check(f, "DRAM Throughput", "21.89", "%", "equal");
	check(f, "DRAM Throughput", "0.18", "%", "equal"); /* of the second launch */
	check(f, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "21.9", "%", "equal");
	check(f, "DRAM Throughput", "45.1", "%", "other value|21.89 % or 0.18 %|");
	check(f, "DRAM Throughput", "21.89", "", "other unit|21.89 % or 0.18 %|");
	check(f, "Elapsed Cycles", "32370", "cycle", "equal");
	check(f, "Function Cache Configuration", "CachePreferNone", "", "equal");
	check(f, "Function Cache Configuration", "CachePreferL1", "", "other value|CachePreferNone|");
	check(f, "Dram Throughputs", "21.89", "%", "no metric||DRAM Throughput");
	check(f, "kernel.median_ms", "3.248", "ms", "equal");
	check(f, "kernel.median_ms", "3.248", "us", "other unit|3.2480465 ms|");
	check(f, "kernel.median_ms", "3.247", "ms", "other value|3.2480465 ms|");
	check(f, "kernel.source", "event_pair", "", "equal");
	check(f, "kernel", "1", "", "no metric||");
	check(f, "n", "3", "", "equal");
}

static void evidence_of_counters(void **state)
{
	struct fixture *f = *state;
	put(f, "full_details.txt",
	    "written by assay from full.perf.json: perf_event counters, per call\n"
	    "task_clock_ns                ns/call  3.24661e+06\npage_faults                  1/call   0\n"
	    "cycles                       refused  No such file or directory\n");
	put(f, "full.perf.json", "{\"per_call\": {\"task_clock_ns\": 3246606.1, \"page_faults\": 0.0}}");
	assert_true(evidence_read(&f->v, &f->a, f->dir, &f->e));
	assert_false(f->v.has_profile);
	check(f, "task_clock_ns", "3.24661e+06", "ns/call", "equal");
	check(f, "task_clock_ns", "3246606.1", "ns/call", "equal");
	check(f, "task_clock_ns", "3.3e+06", "ns/call", "other value|3.24661e+06 ns/call or 3246606.1 ns/call|");
	check(f, "page_faults", "0", "1/call", "equal");
	check(f, "cycles", "1", "1/call", "no metric||");
	put(f, "full.perf.json", "{\"per_call\": ");
	assert_false(evidence_read(&f->v, &f->a, f->dir, &f->e));
	assert_non_null(strstr(f->e.text, "full.perf.json"));
}

/* The findings' errors as "LINE text" lines; notes are left out unless asked for. */
static const char *lint(struct fixture *f, const struct lint_context *c, const char *text, enum lint_level least)
{
	proposal_parse(&f->p, &f->a, "p.md", arena_str(&f->a, str_from(text)));
	lint_proposal(&f->l, &f->a, &f->p, c);
	buf_clear(&f->b);
	for (size_t i = 0; i < f->l.n; i++) {
		if (f->l.items[i].level >= least)
			buf_printf(&f->b, "%u %s\n", f->l.items[i].line, f->l.items[i].text);
	}
	return f->b.n ? f->b.p : "";
}

static void expect(const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_msg("got:\n%swanted:\n%s", got, want);
}

#define FIRST                                                                                                          \
	"# From v0 to v1\n\n## Primary references\n| item | status | reason |\n|---|---|---|\n"                        \
	"| memory: coalesced_access | adopted | rows apart |\n| compute: tensor_core | does not fit | no product |\n"  \
	"| sync: atomics | Conflicts | later |\n\n"
#define TAIL "## Change\nVectors.\n\n## Preferred strategies\nnone so far\n\n## Strategy tags\n- float4\n- `my idea`\n"
#define LATER                                                                                                          \
	"# From v3 to v4\n\n## Bottlenecks\n1. Loads are narrow.\n\n## Evidence\n- DRAM Throughput = 21.9 %\n\n"       \
	"## Pipelining assessment\nNo: no reuse.\n\n"

static void good_proposals(void **state)
{
	struct fixture *f = *state;
	struct lint_context c = {.backend = "cuda", .is_first = true};
	expect(lint(f, &c, FIRST TAIL, LINT_ERROR), "");
	expect(lint(f, &c, FIRST TAIL, LINT_NOTE),
	       "18 tag \"my idea\" is taken as my_idea\n18 tag my_idea names no known mechanism\n");
	assert_int_equal(f->p.from, 0);
	assert_int_equal(f->p.tags.n, 2);
	put(f, "full_details.txt", details);
	assert_true(evidence_read(&f->v, &f->a, f->dir, &f->e));
	c = (struct lint_context){.backend = "cuda", .evidence = &f->v};
	expect(lint(f, &c, LATER TAIL, LINT_ERROR), "");
}

static void headings_and_bodies(void **state)
{
	struct fixture *f = *state;
	struct lint_context c = {.backend = "cuda", .is_first = true};
	expect(lint(f, &c, "", LINT_ERROR),
	       "0 no heading \"## Primary references\"\n0 no heading \"## Change\"\n"
	       "0 no heading \"## Preferred strategies\"\n0 no heading \"## Strategy tags\"\n");
	assert_true(proposal_is_template(&f->p));
	c.is_first = false;
	expect(lint(f, &c,
		    "## Bottlenecks\n## Evidence\n## Pipelining assessment\n## Change\n## Change\n"
		    "## Preferred strategies\n## Strategy tags\n<!-- - tag -->\n",
		    LINT_ERROR),
	       "4 heading \"## Change\" stands 2 times\n"
	       "1 no bottleneck: a numbered list of one or two is wanted\n"
	       "3 \"## Pipelining assessment\" is empty: whether a deeper pipeline fits, with the reason\n"
	       "4 \"## Change\" is empty: what the next version does\n"
	       "7 no strategy tag: \"- tag\", one a line; without tags there is no next version\n");
	expect(lint(f, &c, "## bottlenecks\n1. a\n2) b\n- c\n## Evidence\n## Pipelining assessment\nno\n" TAIL,
		    LINT_ERROR),
	       "1 3 bottlenecks: a version deals with at most two\n");
	expect(lint(f, &c, LATER "## Change\nx\n## Preferred strategies\n## Strategy tags\n- !!\n", LINT_ERROR),
	       "15 no strategy tag: \"- tag\", one a line; without tags there is no next version\n"
	       "16 tag \"!!\" keeps nothing of a-z 0-9 _ -\n");
}

static void references(void **state)
{
	struct fixture *f = *state;
	struct lint_context c = {.backend = "c", .is_first = true};
	expect(lint(f, &c,
		    "## Primary references\n| item | s | r |\n|---|---|---|\n| memory: x | maybe | |\n| | adopted | y "
		    "|\n" TAIL,
		    LINT_ERROR),
	       "4 \"memory: x\": status \"maybe\" is none of adopted, does not fit, conflicts\n"
	       "4 \"memory: x\": no reason\n5 a row of the reference table names no item\n"
	       "1 the reference table has no row \"compute...\" (backend c: reference/cuda/{optim,memory-optim,"
	       "compute-optim,sync-optim}.md)\n"
	       "1 the reference table has no row \"sync...\" (backend c: reference/cuda/{optim,memory-optim,"
	       "compute-optim,sync-optim}.md)\n");
	c.backend = "cutlass";
	assert_non_null(strstr(lint(f, &c, FIRST TAIL, LINT_ERROR), "no row \"pattern...\""));
	assert_non_null(strstr(f->b.p, "no row \"structural parameters...\""));
	c.backend = "triton";
	assert_non_null(strstr(lint(f, &c, FIRST TAIL, LINT_ERROR), "no row \"shape...\""));
	assert_non_null(strstr(f->b.p, "no row \"autotune...\""));
}

static void evidence_lines(void **state)
{
	struct fixture *f = *state;
	put(f, "full_details.txt", details);
	put(f, "benchmark_result.json", "{\"kernel\": {\"median_ms\": 3.25}}");
	assert_true(evidence_read(&f->v, &f->a, f->dir, &f->e));
	struct lint_context c = {.backend = "cuda", .evidence = &f->v};
#define WITH(lines) "## Bottlenecks\n1. a\n## Evidence\n" lines "## Pipelining assessment\nno\n" TAIL
	expect(lint(f, &c, WITH("- DRAM Throughput = 45 %\n- DRAM = 3 %\n- it is slow\n"), LINT_ERROR),
	       "4 DRAM Throughput = 45 %, but full_details.txt:27 says 21.89 % or 0.18 %\n"
	       "5 neither the full report nor benchmark_result.json has \"DRAM\"\n"
	       "6 \"it is slow\" is not of the form \"metric = value unit\"\n"
	       "3 no evidence line cites the full report (full_details.txt)\n");
	expect(lint(f, &c, WITH(""), LINT_ERROR), "3 no evidence line \"- metric = value unit\"\n");
	expect(lint(f, &c, WITH("- kernel.median_ms = 3.25 ms\n"), LINT_ERROR),
	       "3 no evidence line cites the full report (full_details.txt)\n");
	expect(lint(f, &c, WITH("- kernel.median_ms = 3.25 ms\n- `Elapsed Cycles` = 32370 cycle\n"), LINT_ERROR), "");
	f->v = (struct evidence){.arena = &f->a}; /* rejected before it was measured: nothing to cite */
	expect(lint(f, &c, WITH("none\n"), LINT_ERROR), "");
}

static void preferred(void **state)
{
	struct fixture *f = *state;
	struct json *list =
		json_parse(&f->a, "list",
			   STR("[{\"fingerprint\": \"0123456789abcdef\", \"tags\": [\"float4\"]},"
			       "{\"fingerprint\": \"1123456789abcdef\", \"tags\": [\"float4\", \"tiling\"]},"
			       "{\"fingerprint\": \"2123456789abcdef\", \"tags\": [\"baseline\"],"
			       " \"reason\": \"baseline_seed\"}]"),
			   JSON_STRICT, &f->e);
	struct lint_context c = {.backend = "cuda", .preferred = list};
#define ANSWERS(lines) LATER "## Change\nx\n## Preferred strategies\n" lines "## Strategy tags\n- float4\n"
	expect(lint(f, &c, ANSWERS(""), LINT_ERROR), "14 preferred strategy 0123456789abcdef (float4) is not answered: "
						     "merged, or not merged with the reason\n"
						     "14 preferred strategy 1123456789abcdef (float4, tiling) is not "
						     "answered: merged, or not merged with the "
						     "reason\n");
	expect(lint(f, &c, ANSWERS("- 0123456789abcdef: not merged\n- 1123456789abcdef: merged\n- free text\n"),
		    LINT_NOTE),
	       "15 0123456789abcdef is called not merged, and its tags are all among the new ones\n"
	       "15 0123456789abcdef: not merged, and no reason\n"
	       "16 1123456789abcdef is called merged, but its tags (float4, tiling) are not all among the new ones "
	       "(float4)\n");
	expect(lint(f, &c,
		    ANSWERS("- `0123456789abcdef`: merged; as it was\n- 1123456789abcdef: not merged; no tile\n"
			    "- 9123456789abcdef: yes\n"),
		    LINT_NOTE),
	       "17 9123456789abcdef is no preferred strategy here\n");
	expect(lint(f, &c, ANSWERS("- 0123456789abcdef: perhaps\n- 1123456789abcdef: not merged, no tile\n"),
		    LINT_ERROR),
	       "15 0123456789abcdef: neither \"merged\" nor \"not merged\" follows the colon\n");
}

static void odd_files(void **state)
{
	struct fixture *f = *state;
	const char *path = path_join(&f->a, f->dir, "p.md");
	assert_false(proposal_read(&f->p, &f->a, path, &f->e));
	put(f, "p.md", "## Strategy tags\n- a\xff\n");
	assert_false(proposal_read(&f->p, &f->a, path, &f->e));
	assert_non_null(strstr(f->e.text, "is no UTF-8 text"));
	put(f, "p.md", "## Strategy tags\r\n- A b\r\n- \xe7\xad\x96\r\n<!-- never closed\n- c\n");
	assert_true(proposal_read(&f->p, &f->a, path, &f->e));
	assert_int_equal(f->p.tags.n, 1);
	assert_string_equal(f->p.tags.items[0], "a_b");
	assert_int_equal(f->p.n_written, 2);
	/* More lines than are looked at. */
	buf_puts(&f->b, "## Evidence\n## Strategy tags\n");
	for (int i = 0; i < 2 * PROPOSAL_MAX_ITEMS; i++)
		buf_printf(&f->b, "- t%d\n", i);
	put(f, "p.md", f->b.p);
	assert_true(proposal_read(&f->p, &f->a, path, &f->e));
	assert_int_equal(f->p.n_written, PROPOSAL_MAX_ITEMS);
	assert_int_equal(f->p.tags.n, TAGS_MAX);
	/* A scope that has long been worked in: every preferred strategy can be answered. */
	buf_clear(&f->b);
	buf_puts(&f->b, "## Preferred strategies\n");
	for (unsigned i = 0; i < 1000; i++)
		buf_printf(&f->b, "- %016x: not merged; another way\n", i);
	put(f, "p.md", f->b.p);
	assert_true(proposal_read(&f->p, &f->a, path, &f->e));
	assert_int_equal(f->p.n_answers, 1000);
	assert_non_null(proposal_answer(&f->p, STR("00000000000003e7")));
}

/* What a table of v0 points at is there. */
static void reference_documents(void **state)
{
	static const char *const backends[] = {"cuda", "cutlass", "triton"};
	struct fixture *f = *state;
	for (size_t k = 0; k < COUNT_OF(backends); k++) {
		const struct guide_item *x;
		for (size_t i = 0; (x = guide_item(backends[k], i)) != NULL; i++) {
			struct str text;
			const char *path = arena_printf(&f->a, "reference/%s", guide_file(x));
			if (!file_read(&f->a, &text, path, 1 << 20, &f->e))
				fail_msg("%s", f->e.text);
			if (str_find(text, str_from(arena_printf(&f->a, "\n## %s\n", x->key))) == SIZE_MAX)
				fail_msg("%s has no heading ## %s", path, x->key);
		}
		assert_true(file_exists("reference/cuda/optim.md"));
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(fingerprints),   TEST(numbers),    TEST(evidence_of_a_page),  TEST(evidence_of_counters),
		TEST(good_proposals), TEST(references), TEST(headings_and_bodies), TEST(evidence_lines),
		TEST(preferred),      TEST(odd_files),  TEST(reference_documents),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
