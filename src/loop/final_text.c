/* The final answer as text.
 * In: the record of final.c. Out: Markdown, the seed's nine items in its order.
 * Numbers are printed with all digits, so that they can be held against the records.
 * Never: prints a speed-up that the paired comparison did not give. */
#include <math.h>

#include "loop/final.h"
#include "loop/machine.h"
#include "loop/text.h"

struct page {
	struct buf *b;
	struct arena *arena;
	const struct json *j;
	bool has_reference;
};

static void put_quote(struct buf *b, struct str text)
{
	struct str line;
	while (str_split(&text, '\n', &line))
		buf_printf(b, "> %.*s\n", STR_ARG(line));
}

static const char *pct(struct arena *a, const struct json *j, const char *key)
{
	return arena_printf(a, "%+.2f %%", json_f64(j, key, NAN));
}

static void put_head(const struct page *p)
{
	const struct json *ended = json_get(p->j, "ended"), *cut = json_get(p->j, "interrupted");
	buf_printf(p->b, "# Summary of %s\n\n", text_or(p->arena, p->j, "run_dir", "?"));
	buf_printf(p->b, "%lld of %lld versions evaluated. Claim layer: kernel. Not a formal result.\n",
		   (long long)json_i64(p->j, "n_versions", 0), (long long)json_i64(p->j, "max_iterations", 0) + 1);
	if (ended && ended->type == JSON_OBJECT)
		buf_printf(p->b, "Ended: %s: %s.\n", text_or(p->arena, ended, "reason", "?"),
			   text_or(p->arena, ended, "evidence", "?"));
	else
		buf_puts(p->b, "Ended: no; the run can go on.\n");
	if (cut && cut->type == JSON_OBJECT)
		buf_printf(p->b, "Interrupted at v%lld.\n", (long long)json_i64(cut, "iteration", 0));
	if (!p->has_reference)
		buf_puts(p->b, "No reference was given: nothing is claimed about results.\n");
}

/* How the file is built to be that version. */
static void put_configuration(const struct page *p, const struct json *c)
{
	if (json_str(c, "id", STR("")).n)
		buf_printf(p->b, "\nIts configuration: %s (`%s`), of %lld, of which %lld passed; %s has all.\n",
			   text_or(p->arena, c, "id", "?"), text_or(p->arena, c, "switches", ""),
			   (long long)json_i64(c, "n", 0), (long long)json_i64(c, "n_passed", 0),
			   text_or(p->arena, c, "results", "?"));
}

/* "v3", "v3 (TILE=8)" */
static const char *label(const struct page *p, const struct json *v)
{
	const char *id = text_or(p->arena, v, "configuration", NULL);
	long long i = (long long)json_i64(v, "iteration", 0);
	return id ? arena_printf(p->arena, "v%lld (%s)", i, id) : arena_printf(p->arena, "v%lld", i);
}

static void put_best(const struct page *p)
{
	const struct json *x = json_get(p->j, "best");
	int64_t best = json_i64(x, "iteration", -1), measured = json_i64(x, "best_measured", -1);
	buf_puts(p->b, "\n## 1. Best version\n\n");
	if (best >= 0)
		buf_printf(p->b, "%s\n\nv%lld: %s\n", text_or(p->arena, x, "path", "?"), (long long)best,
			   text_or(p->arena, x, "reason", ""));
	else
		buf_printf(p->b, "None: %s (benchmark done, %sfull report there).\n",
			   text_or(p->arena, x, "reason", "?"), p->has_reference ? "results right, " : "");
	put_configuration(p, json_get(x, "configuration"));
	if (best >= 0 || measured < 0)
		return;
	buf_printf(p->b, "\nBest measured, without reports (profile_unavailable): v%lld %s\n", (long long)measured,
		   text_or(p->arena, x, "best_measured_path", "?"));
	put_configuration(p, json_get(x, "best_measured_configuration"));
}

static void put_row(const struct page *p, const struct json *v)
{
	if (!v || v->type != JSON_OBJECT)
		return;
	buf_printf(p->b, "| %s | %s | %s | %s | %s | %s | %s |\n", label(p, v), text_ms(p->arena, v, "median_ms"),
		   text_ms(p->arena, v, "average_ms"), text_ms(p->arena, v, "min_ms"), text_ms(p->arena, v, "max_ms"),
		   text_or(p->arena, v, "source", "-"), text_or(p->arena, v, "results", "-"));
}

static void put_confirmation(const struct page *p, const struct json *c)
{
	char number[32];
	json_repr(number, json_f64(c, "speedup", NAN));
	buf_printf(p->b,
		   "\nConfirmed on fresh placements and data: v%lld is %s times as fast as v0 (v0 takes %s more time, "
		   "%s to %s; "
		   "%lld placements, %s%s%s).\n",
		   (long long)json_i64(c, "candidate", 0), number, pct(p->arena, c, "effect_pct"),
		   pct(p->arena, c, "lower_pct"), pct(p->arena, c, "upper_pct"),
		   (long long)json_i64(c, "n_placements", 0), text_or(p->arena, c, "source", "?"),
		   json_str(c, "record", STR("")).n ? ", record " : "", text_or(p->arena, c, "record", ""));
}

static void put_comparison(const struct page *p)
{
	const struct json *x = json_get(p->j, "comparison"), *c = json_get(x, "confirmation");
	const struct json *base = json_get(x, "baseline"), *best = json_get(x, "best"),
			  *all = json_get(x, "confirmations");
	buf_puts(p->b, "\n## 2. Baseline and best version\n\n| | median | average | min | max | source | results "
		       "|\n|---|---|---|---|---|---|---|\n");
	put_row(p, base);
	if (best && best->type == JSON_OBJECT && json_i64(best, "iteration", 0) != 0)
		put_row(p, best);
	if (c && c->type == JSON_OBJECT)
		put_confirmation(p, c);
	else
		buf_puts(p->b,
			 "\nNo speed-up is claimed: no paired comparison of the best version with v0 says faster.\n");
	for (size_t i = 0; all && all->type == JSON_ARRAY && i < all->n; i++) {
		const struct json *y = all->items[i];
		if (!str_is(json_str(y, "verdict", STR("")), "faster"))
			buf_printf(p->b, "Not confirmed: v%lld against v0: %s%s%s.\n",
				   (long long)json_i64(y, "candidate", 0), text_or(p->arena, y, "verdict", "?"),
				   json_str(y, "text", STR("")).n ? ": " : "", text_or(p->arena, y, "text", ""));
	}
}

static void put_reports(const struct page *p)
{
	const struct json *c = json_get(p->j, "commands");
	buf_printf(p->b, "\n## 3. Full report of the best version\n\n%s\n",
		   text_or(p->arena, p->j, "full_report", "none"));
	buf_printf(p->b, "\n## 4. Commands of its reports\n\n- targeted: `%s`\n- full: `%s`\n",
		   text_or(p->arena, c, "targeted", "none"), text_or(p->arena, c, "full", "none"));
	if (json_bool(c, "one_collection", false))
		buf_puts(p->b, "\nOne collection: the targeted report is a view of the full one.\n");
}

/* What the machine code says to the tags of that change. */
static void put_claims(const struct page *p, const struct json *idea)
{
	const struct json *claims = json_get(idea, "claims");
	const char *shown = machine_tags(p->arena, claims, "shown");
	const char *against = machine_tags(p->arena, claims, "contradicted");
	if (shown || against)
		buf_printf(p->b, "\nMachine code%s%s%s%s%s.\n", shown ? " shows: " : "", shown ? shown : "",
			   shown && against ? ";" : "", against ? " contradicts: " : "", against ? against : "");
	buf_char(p->b, '\n');
}

static void put_author(const struct page *p)
{
	const struct json *x = json_get(p->j, "bottleneck"), *rules = json_get(x, "rules_satisfied");
	const struct json *list = json_get(rules, "rules"), *ideas = json_get(p->j, "key_ideas");
	struct str body = json_str(x, "stated_by_author", STR(""));
	buf_puts(p->b, "\n## 5. Main bottleneck\n\n");
	buf_puts(p->b, body.n ? "As the author of the winning version states it:\n\n" : "No statement of an author.\n");
	put_quote(p->b, body.n ? body : (struct str){NULL, 0});
	if (str_is(json_str(rules, "state", STR("")), "evaluated"))
		buf_puts(p->b, list->n ? "\nRules that its full report satisfies:\n\n"
				       : "\nIts full report satisfies no bottleneck rule.\n");
	else
		buf_printf(p->b, "\nRules were not evaluated: %s.\n", text_or(p->arena, rules, "reason", "?"));
	for (size_t i = 0; list && i < list->n; i++)
		buf_printf(p->b, "- %.*s\n", STR_ARG(list->items[i]->text));
	buf_puts(p->b, "\n## 6. Key ideas\n\n");
	for (size_t i = 0; ideas && i < ideas->n; i++) {
		buf_printf(p->b, "From v%lld to v%lld, in its author's words:\n\n",
			   (long long)json_i64(ideas->items[i], "from", 0),
			   (long long)json_i64(ideas->items[i], "to", 0));
		put_quote(p->b, json_str(ideas->items[i], "stated_by_author", STR("")));
		put_claims(p, ideas->items[i]);
	}
	if (!ideas || !ideas->n)
		buf_puts(p->b, "None stated.\n");
}

static void put_others(const struct page *p)
{
	const struct json *list = json_get(p->j, "others");
	buf_puts(p->b, "\n## 7. Versions that are not the best\n\n| version | place | outcome | reason | why | median "
		       "|\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; list && i < list->n; i++) {
		const struct json *x = list->items[i];
		struct str why = json_str(x, "why", STR("?")), line;
		buf_printf(p->b, "| %s | %s | %s | %s | ", label(p, x), text_or(p->arena, x, "place", "?"),
			   text_or(p->arena, x, "outcome", "-"), text_or(p->arena, x, "reason", "-"));
		while (str_split(&why, '\n', &line)) {
			for (size_t k = 0; k < line.n; k++)
				buf_char(p->b, line.p[k] == '|' ? '/' : line.p[k]);
			buf_char(p->b, ' ');
		}
		const char *against = machine_tags(p->arena, json_get(x, "claims"), "contradicted");
		if (against)
			buf_printf(p->b, "(machine code contradicts: %s) ", against);
		buf_printf(p->b, "| %s |\n", text_ms(p->arena, x, "median_ms"));
	}
}

static void put_memory(const struct page *p)
{
	static const char *const kinds[] = {"positive", "negative", "rejected"};
	const struct json *m = json_get(p->j, "strategy_memory");
	buf_puts(p->b, "\n## 8. Strategy memory of this run\n\n| level | fingerprint | tags | version | reason "
		       "|\n|---|---|---|---|---|\n");
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		const struct json *list = json_get(m, kinds[k]);
		for (size_t i = 0; list && i < list->n; i++) {
			const struct json *x = list->items[i], *tags = json_get(x, "tags");
			buf_printf(p->b, "| %s | %s | ", kinds[k], text_or(p->arena, x, "fingerprint", "?"));
			for (size_t t = 0; tags && t < tags->n; t++)
				buf_printf(p->b, "%s%.*s", t ? ", " : "", STR_ARG(tags->items[t]->text));
			buf_printf(p->b, " | v%lld | %s |\n", (long long)json_i64(x, "iteration", 0),
				   text_or(p->arena, x, "reason", "?"));
		}
	}
}

static void put_marks(const struct page *p, const char *label, const struct json *list)
{
	buf_printf(p->b, "- %s:", label);
	for (size_t i = 0; list && i < list->n; i++)
		buf_printf(p->b, "%s v%lld %s", i ? "," : "", (long long)json_i64(list->items[i], "iteration", 0),
			   text_or(p->arena, list->items[i], "fingerprint", "?"));
	buf_puts(p->b, list && list->n ? "\n" : " none\n");
}

static void put_constraints(const struct page *p)
{
	const struct json *x = json_get(p->j, "constraints");
	buf_puts(p->b, "\n## 9. Blocked strategies avoided, preferred strategies merged\n\n");
	buf_printf(p->b, "- blocked strategies avoided: %s\n", json_bool(x, "blocked_avoided", false) ? "yes" : "no");
	put_marks(p, "blocked strategies that came again", json_get(x, "blocked_reused"));
	put_marks(p, "preferred strategies merged", json_get(x, "preferred_merged"));
	put_marks(p, "preferred strategies not merged", json_get(x, "preferred_not_merged"));
}

void final_markdown(struct buf *out, const struct json *summary)
{
	struct arena a;
	arena_init(&a);
	struct page p = {out, &a, summary, json_bool(summary, "has_reference", false)};
	put_head(&p);
	put_best(&p);
	put_comparison(&p);
	put_reports(&p);
	put_author(&p);
	put_others(&p);
	put_memory(&p);
	put_constraints(&p);
	arena_release(&a);
}
