/* The run page's sections on trust: correctness, integrity.
 * In: the records of a run. Out: sections.
 * Who saw a thing stands beside it: keeper, parent, kernel, NVML, binary, or claim.
 * Never: leaves out a check that did not pass. */
#include <math.h>

#include "base/map.h"
#include "report/run_inside.h"

static void put_output(const struct page *p, size_t i, const struct json *c, const struct json *x)
{
	static const char *const numbers[] = {"n_mismatch", "n", "max_abs_error", "max_rel_error", "n_unwritten"};
	static const char *const damage[] = {"inputs_changed", "guard_bytes_damaged"};
	html_row(p->out);
	html_cell(p->out, str_from(page_label(p, i)), arena_printf(p->arena, "%zu", i));
	html_cell(p->out, json_str(c, "case", STR("?")), NULL);
	html_number(p->out, page_number(p, json_f64(c, "data_set", NAN)), json_f64(c, "data_set", NAN));
	html_cell(p->out, json_str(c, "calls", STR("")), NULL);
	html_cell(p->out, json_str(x, "name", STR("?")), NULL);
	for (size_t m = 0; m < COUNT_OF(numbers); m++)
		html_number(p->out, page_number(p, json_f64(x, numbers[m], NAN)), json_f64(x, numbers[m], NAN));
	for (size_t m = 0; m < COUNT_OF(damage); m++)
		html_number(p->out, page_number(p, json_f64(c, damage[m], 0)), json_f64(c, damage[m], 0));
	html_row_end(p->out);
}

void page_correctness(const struct page *p)
{
	html_table(p->out, "What the keeper saw after the calls of each version; it owns the tensors",
		   ">version|case|>set|calls|output|>mismatches|>of|>abs error|>rel error|>unwritten|>inputs "
		   "changed|>guards damaged");
	for (size_t i = 0; i < p->n; i++) {
		const struct json *cases = json_path(p->bench[i], "correctness.cases");
		for (size_t k = 0; cases && cases->type == JSON_ARRAY && k < cases->n; k++) {
			const struct json *outputs = json_get(cases->items[k], "outputs");
			for (size_t o = 0; outputs && outputs->type == JSON_ARRAY && o < outputs->n; o++)
				put_output(p, i, cases->items[k], outputs->items[o]);
		}
	}
	html_table_end(p->out);
	for (size_t i = 0; i < p->n; i++) {
		const struct json *c = json_path(p->bench[i], "correctness.check");
		struct str text = json_str(c, "text", STR(""));
		if (c && c->type == JSON_OBJECT)
			page_note(p, arena_printf(p->arena, "%s: the problem's own check: %s%s%.*s", page_label(p, i),
						  page_text(p, c, "state", "?"), text.n ? ": " : "", STR_ARG(text)));
	}
}

static const struct json *checks_of(const struct page *p, size_t i)
{
	const struct json *list = json_path(p->bench[i], "integrity.checks");
	return list && list->type == JSON_ARRAY ? list : NULL;
}

/* Names of all checks in the order in which they first appear. */
static void names_of(const struct page *p, struct map *out)
{
	map_init(out, p->arena);
	for (size_t i = 0; i < p->n; i++) {
		const struct json *list = checks_of(p, i);
		for (size_t k = 0; list && k < list->n; k++)
			map_intern(out, json_str(list->items[k], "name", STR("?")), NULL);
	}
}

static struct str state_of(const struct page *p, size_t i, struct str name)
{
	const struct json *list = checks_of(p, i);
	for (size_t k = 0; list && k < list->n; k++) {
		if (str_eq(json_str(list->items[k], "name", STR("?")), name))
			return json_str(list->items[k], "state", STR("?"));
	}
	return STR("not run");
}

static void put_state(const struct page *p, struct str state)
{
	static const struct {
		const char *state, *shown, *class;
	} words[] = {{"passed", "passed", "good"},
		     {"failed", "FAILED", "bad"},
		     {"not_applicable", "n/a", "dim"},
		     {"unavailable", "unknown", "dim"},
		     {"not run", "-", "dim"}};
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (!str_is(state, words[i].state))
			continue;
		buf_printf(p->out, "<td class=\"%s\">%s</td>", words[i].class, words[i].shown);
		return;
	}
	html_cell(p->out, state, NULL);
}

static void put_matrix(const struct page *p, const struct map *names)
{
	struct buf headings;
	buf_init(&headings);
	buf_puts(&headings, "check");
	for (size_t i = 0; i < p->n; i++)
		buf_printf(&headings, "|%s", page_label(p, i));
	html_table(p->out,
		   "Each check by version; n/a: does not apply on this backend; unknown: could not be looked at; -: "
		   "not run, an earlier failure ended the evaluation",
		   headings.p);
	for (size_t k = 0; k < names->n; k++) {
		html_row(p->out);
		html_cell(p->out, names->entries[k].key, NULL);
		for (size_t i = 0; i < p->n; i++)
			put_state(p, state_of(p, i, names->entries[k].key));
		html_row_end(p->out);
	}
	html_table_end(p->out);
	buf_release(&headings);
}

static void put_check(const struct page *p, size_t i, const struct json *c)
{
	html_row(p->out);
	html_cell(p->out, str_from(page_label(p, i)), arena_printf(p->arena, "%zu", i));
	html_cell(p->out, json_str(c, "name", STR("?")), NULL);
	html_cell(p->out, json_str(c, "state", STR("?")), NULL);
	html_cell(p->out, json_str(c, "witness", STR("?")), NULL);
	html_cell(p->out, json_str(c, "text", STR("")), NULL);
	html_row_end(p->out);
}

/* All checks of the best version (of v0 where none is best), and of the others those that did not pass. */
static void put_details(const struct page *p)
{
	size_t shown = p->best > 0 ? (size_t)p->best : 0;
	html_table(p->out,
		   arena_printf(p->arena, "What was seen: all checks of %s, of the others what did not pass",
				page_label(p, shown)),
		   ">version|check|state|witness|what was seen");
	for (size_t i = 0; i < p->n; i++) {
		const struct json *list = checks_of(p, i);
		for (size_t k = 0; list && k < list->n; k++) {
			struct str state = json_str(list->items[k], "state", STR("?"));
			if (i == shown || !(str_is(state, "passed") || str_is(state, "not_applicable") ||
					    str_is(state, "unavailable")))
				put_check(p, i, list->items[k]);
		}
	}
	html_table_end(p->out);
}

void page_integrity(const struct page *p)
{
	struct map names;
	names_of(p, &names);
	if (!names.n) {
		page_note(p, "No integrity checks are recorded.");
		return;
	}
	put_matrix(p, &names);
	put_details(p);
}
