/* The run page's table of configurations: versions that came with a set.
 * In: configs.json of each version. Out: a table under the versions; nothing where no version has a set.
 * Each was benched by itself; the chosen one was benched again, and that is the version's figure.
 * Never: leaves out one that did not pass. */
#include <math.h>

#include "report/run_inside.h"

static const struct json *results_of(const struct page *p, size_t i, struct json **doc)
{
	struct str text;
	struct err ignored;
	const struct json *c = json_get(p->versions->items[i], "configuration"), *list;
	if (!c || c->type != JSON_OBJECT || !page_file(p, i, "configs.json", &text))
		return NULL;
	*doc = json_parse(p->arena, "configs.json", text, JSON_STRICT, &ignored);
	list = json_get(*doc, "results");
	return list && list->type == JSON_ARRAY ? list : NULL;
}

static void put_row(const struct page *p, size_t i, const struct json *x, struct str chosen)
{
	struct str id = json_str(x, "id", STR("?"));
	const struct json *second = json_get(x, "second");
	double ns = json_f64(x, "median_ns", NAN), again = json_f64(second, "median_ns", NAN);
	html_row(p->out);
	html_cell(p->out, str_from(page_label(p, i)), arena_printf(p->arena, "%zu", i));
	html_cell(p->out, str_eq(id, chosen) ? str_from(arena_printf(p->arena, "%.*s (the version)", STR_ARG(id))) : id,
		  NULL);
	html_cell(p->out, json_str(x, "verdict", STR("?")), NULL);
	html_number(p->out, page_ms(p, ns / 1e6), ns);
	html_cell(p->out, json_str(x, "source", STR("-")), NULL);
	html_cell(p->out, json_str(second, "verdict", STR("-")), NULL);
	html_number(p->out, page_ms(p, again / 1e6), again);
	html_cell(p->out, json_str(x, "text", STR("")), NULL);
	html_row_end(p->out);
}

void page_configurations(const struct page *p)
{
	bool is_begun = false;
	for (size_t i = 0; i < p->n; i++) {
		struct json *doc = NULL;
		const struct json *list = results_of(p, i, &doc);
		for (size_t k = 0; list && k < list->n; k++) {
			if (!is_begun)
				html_table(p->out,
					   "Configurations: each was benched by itself; the first in rank was benched "
					   "again, which is the version's figure",
					   ">version|configuration|verdict|>median|source|again|>median again|text");
			is_begun = true;
			put_row(p, i, list->items[k], json_str(doc, "chosen", STR("")));
		}
	}
	if (is_begun)
		html_table_end(p->out);
}
