/* The run page's sections on what was tried: strategy memory, sources, proposals.
 * In: the records of a run. Out: sections.
 * A strategy hangs below the one whose tags it contains, so the tree shows what was built on what.
 * Never: compares sources in the page that are not in it. */
#include "base/file.h"
#include "report/diff.h"
#include "report/run_inside.h"

struct strategy {
	const struct json *entry;
	const char *outcome;
	struct str fingerprint;
	int64_t version;
	size_t parent; /* index, or the own one at the root */
};

static const struct json *tags_of(const struct strategy *s)
{
	const struct json *t = json_get(s->entry, "tags");
	return t && t->type == JSON_ARRAY ? t : NULL;
}

static bool has_tag(const struct json *tags, struct str tag)
{
	for (size_t i = 0; tags && i < tags->n; i++) {
		if (str_eq(tags->items[i]->text, tag))
			return true;
	}
	return false;
}

static bool contains(const struct strategy *big, const struct strategy *small)
{
	const struct json *b = tags_of(big), *s = tags_of(small);
	if (!b || !s || s->n >= b->n)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (!has_tag(b, s->items[i]->text))
			return false;
	}
	return true;
}

/* The largest strategy within it; else the baseline, which is the first. */
static size_t parent_of(const struct strategy *s, size_t n, size_t i)
{
	size_t best = 0, most = 0;
	for (size_t k = 0; k < n; k++) {
		if (k != i && contains(&s[i], &s[k]) && tags_of(&s[k])->n > most) {
			most = tags_of(&s[k])->n;
			best = k;
		}
	}
	return best;
}

/* All strategies of the run by the version that tried them first. */
static struct strategy *strategies_of(const struct page *p, size_t *n)
{
	static const char *const kinds[] = {"positive", "negative", "rejected"};
	const struct json *all = json_path(p->manifest, "strategy_memory.current_run");
	size_t cap = 0;
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		const struct json *list = json_get(all, kinds[k]);
		cap += list && list->type == JSON_OBJECT ? list->n : 0;
	}
	struct strategy *s = ARENA_ARRAY(p->arena, cap + 1, struct strategy);
	*n = 0;
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		const struct json *list = json_get(all, kinds[k]);
		for (size_t i = 0; list && list->type == JSON_OBJECT && i < list->n; i++) {
			struct strategy x = {list->members[i].value, kinds[k], list->members[i].key,
					     json_i64(list->members[i].value, "first_iteration", 0), 0};
			size_t at = (*n)++;
			for (; at > 0 && s[at - 1].version > x.version; at--)
				s[at] = s[at - 1];
			s[at] = x;
		}
	}
	for (size_t i = 0; i < *n; i++)
		s[i].parent = parent_of(s, *n, i);
	return s;
}

static void put_tags(const struct page *p, const struct strategy *s, const struct strategy *parent)
{
	const struct json *t = tags_of(s), *old = parent && parent != s ? tags_of(parent) : NULL;
	for (size_t i = 0; t && i < t->n; i++) {
		bool is_new = !has_tag(old, t->items[i]->text);
		buf_puts(p->out, is_new ? "<b>" : "<span class=\"dim\">");
		html_text(p->out, t->items[i]->text);
		buf_puts(p->out, is_new ? "</b>" : "</span>");
		if (i + 1 < t->n)
			buf_puts(p->out, " + ");
	}
}

static void put_node(const struct page *p, const struct strategy *s, size_t n, size_t i, unsigned depth)
{
	const char *class = strcmp(s[i].outcome, "positive") == 0   ? "good"
			    : strcmp(s[i].outcome, "negative") == 0 ? "warn"
								    : "bad";
	buf_printf(p->out, "<li data-label=\"v%lld\"><span class=\"outcome %s\">v%lld %s</span> ",
		   (long long)s[i].version, class, (long long)s[i].version, s[i].outcome);
	put_tags(p, &s[i], &s[s[i].parent]);
	buf_puts(p->out, "<br><span class=\"dim\">");
	html_text(p->out, json_str(s[i].entry, "why", STR("")));
	buf_puts(p->out, "</span>");
	bool is_open = false;
	for (size_t k = 0; k < n && depth < 64; k++) {
		if (k == i || s[k].parent != i || k == s[k].parent)
			continue;
		if (!is_open)
			buf_puts(p->out, "<ul>");
		is_open = true;
		put_node(p, s, n, k, depth + 1);
	}
	buf_puts(p->out, is_open ? "</ul></li>" : "</li>");
}

static void put_strategy_row(const struct page *p, const struct strategy *s)
{
	const struct json *t = tags_of(s);
	struct buf tags;
	buf_init(&tags);
	buf_add(&tags, "", 0);
	for (size_t m = 0; t && m < t->n; m++)
		buf_printf(&tags, "%s%.*s", m ? ", " : "", STR_ARG(t->items[m]->text));
	html_row(p->out);
	html_cell(p->out, str_from(arena_printf(p->arena, "v%lld", (long long)s->version)),
		  arena_printf(p->arena, "%lld", (long long)s->version));
	html_cell(p->out, str_from(s->outcome), NULL);
	html_cell(p->out, s->fingerprint, NULL);
	html_cell(p->out, buf_view(&tags), NULL);
	html_cell(p->out, json_str(s->entry, "last_reason", STR("")), NULL);
	html_cell(p->out, json_str(s->entry, "closes", STR("")), NULL);
	html_row_end(p->out);
	buf_release(&tags);
}

void page_memory(const struct page *p)
{
	size_t n;
	struct strategy *s = strategies_of(p, &n);
	if (!n) {
		page_note(p, "No strategy is recorded.");
		return;
	}
	page_note(p, "Each strategy below the largest one that it contains; bold: the tags it adds.");
	buf_puts(p->out, "<ul class=\"tree\">");
	put_node(p, s, n, 0, 0);
	buf_puts(p->out, "</ul>\n");
	html_table(p->out, "Strategies of this run", ">version|outcome|fingerprint|tags|reason|closes");
	for (size_t i = 0; i < n; i++)
		put_strategy_row(p, &s[i]);
	html_table_end(p->out);
}

static bool source_of(const struct page *p, size_t i, struct str *out)
{
	struct str path = json_str(p->versions->items[i], "path", STR(""));
	return path.n && page_file(p, i, path_base(arena_strndup(p->arena, path.p, path.n)), out);
}

static void put_one_diff(const struct page *p, size_t from, size_t to, const char *open)
{
	struct str x, y;
	if (from == to || !source_of(p, from, &x) || !source_of(p, to, &y))
		return;
	buf_printf(p->out, "<details class=\"pair\"%s><summary>v%zu to v%zu</summary>\n", open, from, to);
	diff_html(p->out, p->arena, x, y);
	buf_puts(p->out, "</details>\n");
}

static void put_folded(const struct page *p, const char *class, const char *id, const char *summary, struct str text)
{
	buf_printf(p->out, "<details class=\"%s\"><summary>%s</summary><pre id=\"%s\">", class, summary, id);
	html_text(p->out, text);
	buf_puts(p->out, "</pre></details>\n");
}

/* Every source once; from these the script compares any two, without it the pairs above can be read. */
void page_sources(const struct page *p)
{
	struct str text;
	if (p->best > 1)
		put_one_diff(p, 0, (size_t)p->best, " open");
	for (size_t i = 1; i < p->n; i++)
		put_one_diff(p, i - 1, i, p->best == 1 && i == 1 ? " open" : "");
	buf_puts(p->out, "<div id=\"compare\"></div>\n");
	for (size_t i = 0; i < p->n; i++) {
		if (source_of(p, i, &text))
			put_folded(p, "source", arena_printf(p->arena, "source-v%zu", i),
				   arena_printf(p->arena, "Source of v%zu", i), text);
	}
	for (size_t i = 0; i + 1 < p->n; i++) {
		if (page_file(p, i, "optimization_proposal.md", &text))
			put_folded(p, "proposal", arena_printf(p->arena, "proposal-v%zu", i),
				   arena_printf(p->arena, "Proposal from v%zu to v%zu, its author's words", i, i + 1),
				   text);
	}
}
