/* A run folder, a strategy memory, proposals, and calls of the loop with hands that measure nothing. */
#ifndef ASSAY_TESTS_LOOP_KIT_H
#define ASSAY_TESTS_LOOP_KIT_H

#include <signal.h>

#include "loop_hands.h"

static inline int kit_setup(void **state)
{
	struct kit *k = calloc(1, sizeof *k);
	arena_init(&k->a);
	/* Memory where there is such a file system: hundreds of flushes are not what is tested. */
	snprintf(k->dir, sizeof k->dir, "%s/assay_loop_XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(k->dir))
		return -1;
	k->dims = (struct opt_dims){k->dim_items, 1};
	k->dim_items[0] = (struct opt_dim){"N", 64};
	k->run = path_join(&k->a, k->dir, "run");
	k->o = (struct loop_options){
		.bench = {.input = {.dims = &k->dims, .backend = "c", .seed = 42, .atol = -1, .rtol = -1},
			  .command = "a test"},
		.max_iterations = 100,
		.iteration = -1,
		.run_dir = k->run,
		.memory_dir = path_join(&k->a, k->dir, "memory"),
		.min_effect = 0.005,
		.compare_budget_s = 1,
		.proposer_timeout_s = 20,
		.hands = &kit_hands};
	kit_now = k;
	signal(SIGPIPE, SIG_IGN); /* as the program does */
	*state = k;
	return 0;
}

static inline int kit_teardown(void **state)
{
	struct kit *k = *state;
	struct err e;
	bool ok = file_remove_tree(k->dir, &e);
	arena_release(&k->a);
	free(k);
	return ok ? 0 : -1;
}

static inline const char *kit_source(struct kit *k, const char *name, const char *says)
{
	const char *path = arena_printf(&k->a, "%s/%s", k->dir, name);
	kit_put(k, path,
		arena_printf(&k->a,
			     "/* %s */\nvoid solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; "
			     "i++)\n\t\ty[i] "
			     "= x[i];\n}\n",
			     says));
	return path;
}

static inline void kit_reference(struct kit *k)
{
	k->o.bench.input.ref = kit_source(k, "solve_ref.c", "");
}

/* One call of the loop with the source in PATH. */
static inline bool kit_call(struct kit *k, const char *path)
{
	k->o.bench.input.path = path;
	bool ok = loop_run(&k->result, &k->a, &k->o, &k->e);
	if (ok)
		k->last = k->result.state;
	return ok;
}

static inline struct json *kit_manifest(struct kit *k)
{
	struct json *m = json_read_file(&k->a, path_join(&k->a, k->run, "run_manifest.json"), JSON_STRICT, &k->e);
	if (!m)
		fail_msg("%s", k->e.text);
	return m;
}

static inline const char *kit_text(struct kit *k, const char *name)
{
	struct str text;
	if (!file_read(&k->a, &text, path_join(&k->a, k->run, name), 4 << 20, &k->e))
		fail_msg("%s", k->e.text);
	return text.p;
}

static inline const char *kit_fingerprint(struct kit *k, const char *list)
{
	struct tags t = {.n = 0};
	struct str rest = str_from(list), one;
	char out[FINGERPRINT_SIZE];
	while (str_split(&rest, ' ', &one))
		(void)tags_add(&t, &k->a, one);
	tags_fingerprint(&t, "c", out);
	return arena_strdup(&k->a, out);
}

/* The proposal for the version after the last one, as an author would write it from the state. */
static inline void kit_propose(struct kit *k, const char *list)
{
	const struct json *s = k->last, *preferred = json_get(s, "preferred");
	struct str path = json_str(s, "proposal_path", STR("")), rest = str_from(list), one;
	struct tags tags = {.n = 0}, part;
	struct buf b;
	buf_init(&b);
	while (str_split(&rest, ' ', &one))
		(void)tags_add(&tags, &k->a, one);
	if (json_i64(s, "iteration", 0) == 0)
		buf_puts(&b, "## Primary references\n| i | s | r |\n|---|---|---|\n| memory: a | adopted | b |\n| "
			     "compute: a | "
			     "does not fit | b |\n| sync: a | conflicts | b |\n");
	const struct json *bench =
		json_read_file(&k->a, json_str(s, "benchmark_result", STR("")).p, JSON_STRICT, &k->e);
	buf_puts(&b, "## Bottlenecks\n1. waits\n## Evidence\n");
	if (json_is_number(json_path(bench, "kernel.median_ms")))
		buf_printf(&b, "- kernel.median_ms = %.10g ms\n", json_path(bench, "kernel.median_ms")->real);
	buf_printf(&b, "## Pipelining assessment\nno\n## Change\nthe change to %s\n## Preferred strategies\n", list);
	for (size_t i = 0; preferred && i < preferred->n; i++) {
		tags_from_json(&part, &k->a, json_get(preferred->items[i], "tags"));
		buf_printf(&b, "- %s: %s\n", json_str(preferred->items[i], "fingerprint", STR("")).p,
			   tags_subset(&part, &tags) ? "merged" : "not merged; another way");
	}
	buf_puts(&b, "## Strategy tags\n");
	for (size_t i = 0; i < tags.n; i++)
		buf_printf(&b, "- %s\n", tags.items[i]);
	kit_put(k, arena_strndup(&k->a, path.p, path.n), b.p);
	buf_release(&b);
}

/* The proposal, then the version. */
static inline bool kit_step(struct kit *k, const char *tags, const char *says)
{
	if (tags)
		kit_propose(k, tags);
	return kit_call(k, kit_source(k, "next.c", says));
}

#endif
