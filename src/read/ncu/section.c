/* Sections and rule results.
 * In: ProfilerSection and RuleResult messages of a result, or the rows of a details CSV.
 * Out: rows and messages in the order of ncu's details page.
 * Never: evaluates a rule; ncu's text is quoted. */
#include "read/ncu/section.h"

#include <stdlib.h>
#include <string.h>

#include "facts/unit.h"
#include "read/ncu/number.h"
#include "read/ncu/pb.h"
#include "read/ncu/result.h"

struct builder {
	const struct ncu_report *r;
	const struct ncu_result *res;
	struct arena *a;
	struct ncu_section *sections;
	size_t n;
};

static void *grown(struct arena *a, void *items, size_t n, size_t size)
{
	if (n & (n - 1))
		return items;
	void *more = arena_array(a, n ? n * 2 : 1, size);
	if (n)
		memcpy(more, items, n * size);
	return more;
}

static struct str printed(struct arena *a, const struct ncu_metric *m, const char *unit, struct str *unit_out)
{
	struct buf b;
	struct unit_scaled s;
	double v;
	buf_init(&b);
	*unit_out = str_from(unit);
	if (ncu_number(m, &v)) {
		unit_scale(&s, unit, v);
		if (s.is_scaled) {
			*unit_out = str_from(arena_strdup(a, s.unit));
			buf_printf(&b, "%.2f", s.value);
		}
	}
	if (!b.n)
		number_put(&b, m);
	struct str text = arena_str(a, buf_view(&b));
	buf_release(&b);
	return text;
}

struct ncu_row ncu_row_of(const struct ncu_report *r, const struct ncu_metric *m, struct str label, struct arena *a)
{
	struct ncu_row row = {.label = label, .metric = r->names[m->name]};
	row.value = printed(a, m, ncu_unit(r, m), &row.unit);
	return row;
}

static void add_row(struct builder *b, struct ncu_section *s, struct str name, struct str label)
{
	uint32_t i = ncu_name(b->r, name);
	const struct ncu_metric *m = i == NCU_NO_METRIC ? NULL : ncu_metric_at(b->res, i);
	if (!m)
		return;
	struct ncu_row row = ncu_row_of(b->r, m, label.n ? label : name, b->a);
	row.section = s->title;
	s->rows = grown(b->a, s->rows, s->n_rows, sizeof(row));
	s->rows[s->n_rows++] = row;
}

static bool has_metric(const struct builder *b, struct str name)
{
	uint32_t i = ncu_name(b->r, name);
	return i != NCU_NO_METRIC && ncu_metric_at(b->res, i);
}

/* "regex:", "group:" and "breakdown:" are metrics whose text lists their members. */
static void add_members(struct builder *b, struct ncu_section *s, struct str name)
{
	uint32_t i = ncu_name(b->r, name);
	const struct ncu_metric *m = i == NCU_NO_METRIC ? NULL : ncu_metric_at(b->res, i);
	if (!m || m->kind != NCU_STRING)
		return;
	struct str rest = {m->text, m->n_text}, part;
	while (str_split(&rest, ',', &part))
		add_row(b, s, str_trim(part), (struct str){NULL, 0});
}

/* A SectionMetric or one of its options. */
struct choice {
	struct str name, label, filter;
};

static struct choice choice_of(struct str raw, uint32_t filter_field)
{
	struct choice c = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.wire != PB_BYTES)
			continue;
		if (f.number == 1)
			c.name = f.bytes;
		else if (f.number == 2)
			c.label = f.bytes;
		else if (f.number == filter_field)
			c.filter = f.bytes;
	}
	return c;
}

/* {1 least, 2 most}: either may be absent. */
static bool in_range(struct str raw, uint64_t arch)
{
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if ((f.number == 1 && arch < f.u) || (f.number == 2 && arch > f.u))
			return false;
	}
	return true;
}

/* Filter: 1 and 2 architecture from and to (CC * 10), 3 repeated ranges of it. */
static bool fits_arch(const struct builder *b, struct str filter)
{
	uint64_t arch = (uint64_t)b->res->cc_major * 10 + b->res->cc_minor;
	bool any = false, fits = false;
	struct pb w = pb_of(filter);
	struct pb_field f;
	if (!b->res->has_cc)
		return true;
	while (pb_next(&w, &f)) {
		if (f.number == 3 && f.wire == PB_BYTES) {
			any = true;
			fits |= in_range(f.bytes, arch);
		}
	}
	return (!any || fits) && in_range(filter, arch);
}

/* Filter 4: {1 repeated scope: 1 launch, 2 range and graph, 3 command list}. -1: the filter has none. */
static int fits_scope(const struct builder *b, struct str filter)
{
	static const uint64_t scopes[] = {[NCU_KERNEL] = 1, [NCU_RANGE] = 2, [NCU_CMDLIST] = 3, [NCU_GRAPH] = 2};
	struct pb w = pb_of(filter);
	struct pb_field f, in;
	int fits = -1;
	while (pb_next(&w, &f)) {
		if (f.number != 4 || f.wire != PB_BYTES)
			continue;
		struct pb inner = pb_of(f.bytes);
		fits = 0;
		while (pb_next(&inner, &in)) {
			if (in.number == 1 && in.u == scopes[b->res->kind])
				return 1;
		}
	}
	return fits;
}

/* 7 options {1 name, 2 label, 3 filter}: the first that fits and is there. One that names architectures goes before the
 * metric itself (seen: L2 compression ratio of CC 9.0), one that does not stands in for it. */
static bool add_option(struct builder *b, struct ncu_section *s, struct str raw, bool with_filter)
{
	struct str label = choice_of(raw, 6).label;
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number != 7 || f.wire != PB_BYTES)
			continue;
		struct choice option = choice_of(f.bytes, 3);
		if ((option.filter.n != 0) == with_filter && has_metric(b, option.name) &&
		    fits_arch(b, option.filter)) {
			add_row(b, s, option.name, option.label.n ? option.label : label);
			return true;
		}
	}
	return false;
}

static void add_section_metric(struct builder *b, struct ncu_section *s, struct str raw, int section_scope)
{
	struct choice c = choice_of(raw, 6);
	int scope = fits_scope(b, c.filter);
	if ((scope >= 0 ? scope : section_scope) == 0)
		return;
	if (str_find_char(c.name, ':') != SIZE_MAX)
		add_members(b, s, c.name);
	else if (add_option(b, s, raw, true))
		return;
	else if (has_metric(b, c.name) && fits_arch(b, c.filter))
		add_row(b, s, c.name, c.label);
	else
		add_option(b, s, raw, false);
}

static int by_metric(const void *a, const void *b)
{
	return str_cmp(((const struct ncu_row *)a)->metric, ((const struct ncu_row *)b)->metric);
}

static void add_section(struct builder *b, struct str raw)
{
	struct ncu_section s = {0};
	struct pb w = pb_of(raw);
	struct pb_field f, in;
	int scope = -1;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_BYTES)
			s.id = f.bytes;
		else if (f.number == 2 && f.wire == PB_BYTES)
			s.title = f.bytes;
		else if (f.number == 3 && f.wire == PB_VARINT)
			s.order = (uint32_t)f.u;
		else if (f.number == 11 && f.wire == PB_BYTES)
			scope = fits_scope(b, f.bytes);
	}
	w = pb_of(raw);
	while (pb_next(&w, &f)) {
		if (f.number != 4 || f.wire != PB_BYTES)
			continue;
		struct pb inner = pb_of(f.bytes);
		while (pb_next(&inner, &in)) {
			if (in.number == 2 && in.wire == PB_BYTES)
				add_section_metric(b, &s, in.bytes, scope);
		}
	}
	if (s.n_rows)
		qsort(s.rows, s.n_rows, sizeof(*s.rows), by_metric);
	b->sections = grown(b->a, b->sections, b->n, sizeof(s));
	b->sections[b->n++] = s;
}

/* "@section:Id:Label@" and "@url:Label:address@" become "Label" and "Label (address)", as ncu prints them. */
static struct str without_links(struct arena *a, struct str text)
{
	struct buf out;
	buf_init(&out);
	struct str rest = text;
	for (;;) {
		size_t at = str_find_char(rest, '@');
		struct str link = str_sub(rest, at == SIZE_MAX ? rest.n : at + 1, SIZE_MAX);
		size_t end = str_find_char(link, '@');
		if (end == SIZE_MAX)
			break;
		struct str inside = str_sub(link, 0, end), kind, first;
		struct str parts = inside;
		bool is_link = str_split(&parts, ':', &kind) && str_split(&parts, ':', &first) && parts.p;
		if (!is_link || (!str_is(kind, "section") && !str_is(kind, "url") && !str_is(kind, "source"))) {
			buf_str(&out, str_sub(rest, 0, at + 1));
			rest = link;
			continue;
		}
		buf_str(&out, str_sub(rest, 0, at));
		if (str_is(kind, "url"))
			buf_printf(&out, "%.*s (%.*s)", STR_ARG(first), STR_ARG(parts));
		else
			buf_str(&out, parts);
		rest = str_sub(link, end + 1, SIZE_MAX);
	}
	buf_str(&out, rest);
	struct str done = arena_str(a, buf_view(&out));
	buf_release(&out);
	return done;
}

static struct ncu_section *section_of(struct builder *b, struct str id)
{
	for (size_t i = 0; i < b->n; i++) {
		if (str_eq(b->sections[i].id, id))
			return &b->sections[i];
	}
	return NULL;
}

static void add_message(struct builder *b, struct ncu_section *s, struct ncu_rule rule, struct str raw)
{
	static const char *const types[] = {"INF", "INF", "WRN", "ERR", "OPT"};
	struct pb w = pb_of(raw);
	struct pb_field f;
	rule.type = types[0];
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_BYTES)
			rule.text = without_links(b->a, f.bytes);
		else if (f.number == 2 && f.wire == PB_VARINT && f.u < COUNT_OF(types))
			rule.type = types[f.u];
	}
	if (!rule.text.n)
		return;
	s->rules = grown(b->a, s->rules, s->n_rules, sizeof(rule));
	s->rules[s->n_rules++] = rule;
}

/* Speedup {1 type, 2 percent}: belongs to the message before it. */
static void add_speedup(struct ncu_rule *rule, struct str raw)
{
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			rule->speedup_type = f.u == 1 ? "local" : f.u == 2 ? "global" : "";
		else if (f.number == 2 && f.wire == PB_FIXED64)
			memcpy(&rule->speedup_pct, &f.u, sizeof(rule->speedup_pct));
	}
}

static void add_rule_items(struct builder *b, struct ncu_section *s, struct ncu_rule rule, struct str body)
{
	struct pb w = pb_of(body);
	struct pb_field item, f;
	size_t before = s->n_rules;
	while (pb_next(&w, &item)) {
		if (item.number != 1 || item.wire != PB_BYTES)
			continue;
		struct pb inner = pb_of(item.bytes);
		while (pb_next(&inner, &f)) {
			if (f.number == 1 && f.wire == PB_BYTES)
				add_message(b, s, rule, f.bytes);
			else if (f.number == 10 && f.wire == PB_BYTES && s->n_rules > before)
				add_speedup(&s->rules[s->n_rules - 1], f.bytes);
		}
	}
}

static void add_rule(struct builder *b, struct str raw)
{
	struct ncu_rule rule = {.type = "INF", .speedup_type = ""};
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_BYTES)
			rule.id = f.bytes;
		else if (f.number == 4 && f.wire == PB_BYTES)
			rule.section = f.bytes;
	}
	struct ncu_section *s = section_of(b, rule.section);
	if (!s)
		return;
	w = pb_of(raw);
	while (pb_next(&w, &f)) {
		if (f.number == 3 && f.wire == PB_BYTES)
			add_rule_items(b, s, rule, f.bytes);
	}
}

static struct ncu_section *csv_section(struct builder *b, struct str title)
{
	for (size_t i = 0; i < b->n; i++) {
		if (str_eq(b->sections[i].title, title))
			return &b->sections[i];
	}
	b->sections = grown(b->a, b->sections, b->n, sizeof(*b->sections));
	b->sections[b->n] = (struct ncu_section){.id = title, .title = title, .order = (uint32_t)b->n};
	return &b->sections[b->n++];
}

/* Rules of a CSV name the section's identifier, rows its title; a section of its own keeps both readable. */
static void sections_of_csv(struct builder *b)
{
	for (size_t i = 0; i < b->res->n_rows; i++) {
		struct ncu_section *s = csv_section(b, b->res->rows[i].section);
		s->rows = grown(b->a, s->rows, s->n_rows, sizeof(*s->rows));
		s->rows[s->n_rows++] = b->res->rows[i];
	}
	for (size_t i = 0; i < b->res->n_rules; i++) {
		struct ncu_section *s = csv_section(b, b->res->rules[i].section);
		s->rules = grown(b->a, s->rules, s->n_rules, sizeof(*s->rules));
		s->rules[s->n_rules++] = b->res->rules[i];
	}
}

static int by_order(const void *a, const void *b)
{
	const struct ncu_section *x = a, *y = b;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return str_cmp(x->title, y->title);
}

struct ncu_section *ncu_sections(const struct ncu_report *r, const struct ncu_result *res, struct arena *a, size_t *n)
{
	struct builder b = {.r = r, .res = res, .a = a};
	const struct result_fields *k = result_fields(res->kind);
	struct pb_field f;
	if (r->format != NCU_REP)
		sections_of_csv(&b);
	for (int pass = 0; pass < 2 && r->format == NCU_REP; pass++) {
		struct pb w = pb_of(res->body);
		while (pb_next(&w, &f)) {
			if (pass == 0 && f.number == k->sections && f.wire == PB_BYTES)
				add_section(&b, f.bytes);
			else if (pass == 1 && f.number == k->rules && f.wire == PB_BYTES)
				add_rule(&b, f.bytes);
		}
	}
	if (b.n)
		qsort(b.sections, b.n, sizeof(*b.sections), by_order);
	*n = b.n;
	return b.sections;
}
