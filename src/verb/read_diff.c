/* `read --diff`: two reports of one kind, before and after.
 * In: two files that one reader opens.
 * Out: kernels matched by a name that holds over builds, what changed in their facts, what came and went.
 * Never: compares a number with one of another unit, or of another tool's report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "facts/kernel_name.h"
#include "verb/read_job.h"

#define SHOWN_CHANGES 30

struct subject { /* a kernel of one report: all of its launches in a trace, one launch elsewhere */
	struct str name;
	uint32_t i;
	size_t *facts, n, cap;
	bool is_matched;
};
struct side {
	struct read_job job;
	struct fact_set facts;
	struct subject *v;
	size_t n, cap;
	struct map by_key;
};
struct unit { /* kernels that are one */
	struct str name;
	enum kernel_name_step step;
	size_t *members[2], n[2];
};
struct value {
	const struct fact *fact; /* id, unit, aggregation */
	bool has[2];
	double v[2];
};
struct diff {
	const struct read_options *o;
	struct arena *a;
	struct side side[2];
	bool by_name; /* a trace: a subject is a name */
	struct unit *units;
	size_t n_units;
	bool has_architectures;
	struct sheet kernels, changes, report;
	const char *measure, *measure_aggregation;
};

static void *grown(struct arena *a, void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	size_t more = *cap ? *cap * 2 : 8;
	void *q = arena_array(a, more, size);
	if (n)
		memcpy(q, p, n * size);
	*cap = more;
	return q;
}

static bool is_kernel(enum fact_scope s)
{
	return s == FACT_KERNEL || s == FACT_LAUNCH || s == FACT_RANGE || s == FACT_GRAPH || s == FACT_CMDLIST;
}

static double number_of(const struct fact *f)
{
	return f->type == FACT_COUNT ? (double)f->count : f->real;
}

static void add_subject_fact(struct diff *d, struct side *s, size_t i_fact)
{
	const struct fact *f = &s->facts.items[i_fact];
	struct arena_mark mark = arena_mark(d->a);
	char *key = arena_alloc(d->a, f->subject.n + sizeof(f->i_subject));
	if (f->subject.n)
		memcpy(key, f->subject.p, f->subject.n);
	if (!d->by_name)
		memcpy(key + f->subject.n, &f->i_subject, sizeof(f->i_subject));
	struct str text = {key, f->subject.n + (d->by_name ? 0 : sizeof(f->i_subject))};
	struct map_entry *at = map_find(&s->by_key, text);
	if (at) {
		arena_reset(d->a, mark);
	} else {
		at = map_intern(&s->by_key, text, NULL);
		s->v = grown(d->a, s->v, s->n, &s->cap, sizeof(*s->v));
		s->v[s->n] = (struct subject){.name = f->subject, .i = f->i_subject};
		at->value = (void *)(uintptr_t)(++s->n);
	}
	struct subject *subject = &s->v[(uintptr_t)at->value - 1];
	subject->facts = grown(d->a, subject->facts, subject->n, &subject->cap, sizeof(*subject->facts));
	subject->facts[subject->n++] = i_fact;
}

/* Every metric of the tool whose name matches, as facts. */
static bool metric_facts(struct diff *d, struct side *s, struct err *e)
{
	if (!s->job.reader->metrics)
		return err_set(e, ERR_USAGE, "%s: a %s has no metrics", s->job.path, s->job.reader->title);
	const struct sheet *m = s->job.reader->metrics(s->job.report, d->o->metrics, d->a);
	for (size_t i = 0; i < m->n_rows; i++) { /* id, kernel, metric, value, unit */
		const struct sheet_cell *c = &m->cells[i * m->n_columns];
		double v;
		if (!str_f64(c[3].text, &v))
			continue;
		struct fact *f =
			fact_add(&s->facts, c[2].text, arena_strndup(d->a, c[4].text.p, c[4].text.n), FACT_LAUNCH);
		f->type = FACT_REAL;
		f->real = v;
		f->subject = c[1].text;
		f->i_subject = (uint32_t)c[0].v;
	}
	return true;
}

static bool open_side(struct diff *d, size_t i, struct verb_call *call, struct err *e)
{
	struct side *s = &d->side[i];
	struct reader_json_options jo = {.filter = d->o->filter};
	if (!read_job_open(&s->job, d->o, call, d->o->files.items[i], e))
		return false;
	const struct reader *r = s->job.reader;
	if (!r->facts)
		return err_set(e, ERR_USAGE, "%s: a %s gives no facts to compare", s->job.path, r->title);
	if (i && r != d->side[0].job.reader)
		return err_set(e, ERR_USAGE, "%s is a %s and %s a %s: --diff compares two of one kind",
			       d->side[0].job.path, d->side[0].job.reader->title, s->job.path, r->title);
	d->by_name = r->trace != NULL;
	fact_set_init(&s->facts, d->a, r->name);
	map_init(&s->by_key, d->a);
	r->facts(s->job.report, &s->facts, &jo);
	if (d->o->metrics && !metric_facts(d, s, e))
		return false;
	if (r->trace && !read_job_timeline(&s->job, e))
		return false;
	if (r->trace)
		timeline_facts(&s->facts, &s->job.timeline);
	for (size_t f = 0; f < s->facts.n; f++) {
		const struct fact *fact = &s->facts.items[f];
		bool wanted = !d->o->filter || sheet_match(fact->subject, d->o->filter);
		if (is_kernel(fact->scope) && fact->type != FACT_TEXT && wanted)
			add_subject_fact(d, s, f);
	}
	if (!s->n)
		return err_set(e, ERR_INPUT, "%s holds no kernel%s: nothing to compare", s->job.path,
			       d->o->filter ? " of that name" : "");
	return true;
}

struct group { /* unmatched kernels of one name at a step */
	size_t *v[2], n[2], cap[2];
};

static void new_unit(struct diff *d, struct str name, enum kernel_name_step step, const struct group *g)
{
	struct unit *u = &d->units[d->n_units++];
	*u = (struct unit){.name = name, .step = step};
	for (size_t i = 0; i < 2; i++) {
		u->members[i] = g->v[i];
		u->n[i] = g->n[i];
		for (size_t k = 0; k < g->n[i]; k++)
			d->side[i].v[g->v[i][k]].is_matched = true;
	}
}

static void match_at(struct diff *d, enum kernel_name_step step)
{
	struct map groups;
	map_init(&groups, d->a);
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < d->side[i].n; k++) {
			struct subject *s = &d->side[i].v[k];
			if (s->is_matched)
				continue;
			struct map_entry *at = map_intern(&groups, kernel_name_at(d->a, s->name, step), NULL);
			if (!at->value)
				at->value = ARENA_NEW(d->a, struct group);
			struct group *g = at->value;
			g->v[i] = grown(d->a, g->v[i], g->n[i], &g->cap[i], sizeof(size_t));
			g->v[i][g->n[i]++] = k;
		}
	}
	for (size_t k = 0; k < groups.n; k++) {
		struct group *g = groups.entries[k].value;
		struct str name =
			step == KERNEL_NAME_EXACT ? d->side[0].v[g->n[0] ? g->v[0][0] : 0].name : groups.entries[k].key;
		if (d->by_name && g->n[0] && g->n[1])
			new_unit(d, name, step, g);
		for (size_t p = 0; !d->by_name && p < g->n[0] && p < g->n[1]; p++)
			new_unit(d, name, step, &(struct group){{g->v[0] + p, g->v[1] + p}, {1, 1}, {0, 0}});
	}
}

static void match(struct diff *d)
{
	d->units = ARENA_ARRAY(d->a, d->side[0].n + d->side[1].n + 1, struct unit);
	for (int s = 0; s < KERNEL_NAME_STEPS; s++)
		match_at(d, (enum kernel_name_step)s);
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < d->side[i].n; k++) {
			struct group alone = {0};
			size_t *one = ARENA_NEW(d->a, size_t);
			if (d->side[i].v[k].is_matched)
				continue;
			*one = k;
			alone.v[i] = one;
			alone.n[i] = 1;
			new_unit(d, d->side[i].v[k].name, KERNEL_NAME_EXACT, &alone);
		}
	}
}

static bool is_additive(const struct fact *f)
{
	return str_is(str_from(f->aggregation ? f->aggregation : ""), "sum") || str_ends(f->id, ".count") ||
	       str_ends(f->id, ".launches");
}

static struct value *value_of(struct diff *d, struct map *values, const struct fact *f, bool with_source)
{
	struct arena_mark mark = arena_mark(d->a);
	const char *key =
		arena_printf(d->a, "%.*s|%s|%.*s|%s|%.*s", STR_ARG(f->id), f->aggregation ? f->aggregation : "",
			     with_source ? (int)f->source.n : 0, with_source ? f->source.p : "", f->unit,
			     is_kernel(f->scope) ? 0 : (int)f->subject.n, f->subject.p ? f->subject.p : "");
	struct map_entry *at = map_find(values, str_from(key));
	if (at) {
		arena_reset(d->a, mark);
		return at->value;
	}
	at = map_intern(values, str_from(key), NULL);
	struct value *v = ARENA_NEW(d->a, struct value);
	v->fact = f;
	at->value = v;
	return v;
}

/* Binaries of several architectures hold a kernel once for each: their facts name it as source. */
static bool has_architectures(const struct diff *d)
{
	bool several = false;
	if (d->by_name || str_is(str_from(d->side[0].job.reader->name), "ncu"))
		return false;
	for (size_t i = 0; i < 2; i++) {
		const struct fact_set *set = &d->side[i].facts;
		const struct subject *s = &d->side[i].v[0];
		for (size_t k = 1; k < d->side[i].n; k++)
			several |= !str_eq(set->items[d->side[i].v[k].facts[0]].source, set->items[s->facts[0]].source);
	}
	return several;
}

static void collect(struct diff *d, const struct unit *u, struct map *values)
{
	for (size_t i = 0; i < 2; i++) {
		for (size_t m = 0; m < u->n[i]; m++) {
			const struct subject *s = &d->side[i].v[u->members[i][m]];
			for (size_t k = 0; k < s->n; k++) {
				const struct fact *f = &d->side[i].facts.items[s->facts[k]];
				if (u->n[i] > 1 && !is_additive(f))
					continue;
				struct value *v = value_of(d, values, f, d->has_architectures);
				v->v[i] += number_of(f);
				v->has[i] = true;
			}
		}
	}
}

static void put_change(struct sheet_cell *c, const struct value *v)
{
	for (size_t i = 0; i < 2; i++) {
		if (v->has[i])
			sheet_put(&c[i], v->v[i]);
	}
	if (!v->has[0] || !v->has[1])
		return;
	sheet_put(&c[2], v->v[1] - v->v[0]);
	if (v->v[0] != 0)
		sheet_put(&c[3], 100 * (v->v[1] - v->v[0]) / v->v[0]);
}

static const struct sheet_column change_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"fact", "fact", "", SHEET_TEXT},
	{"aggregation", "of", "", SHEET_TEXT},
	{"before", "before", "", 0},
	{"after", "after", "", 0},
	{"change", "change", "", 0},
	{"change_pct", "change", "%", 0},
	{"unit", "unit", "", SHEET_TEXT},
};

static void put_value(struct sheet *s, struct str subject, const struct value *v)
{
	struct sheet_cell *c = sheet_row(s);
	sheet_put_text(&c[0], subject);
	sheet_put_text(&c[1], v->fact->id);
	sheet_put_text(&c[2], str_from(v->fact->aggregation ? v->fact->aggregation : ""));
	put_change(&c[3], v);
	sheet_put_text(&c[7], str_from(v->fact->unit));
}

static bool is_measure(const struct diff *d, const struct fact *f)
{
	return str_is(f->id, d->measure) &&
	       (!d->measure_aggregation ||
		str_is(str_from(f->aggregation ? f->aggregation : ""), d->measure_aggregation));
}

/* What a kernel is ranked by. */
static void choose_measure(struct diff *d, struct sheet_column *columns, size_t n)
{
	static const char *const ids[] = {"kernel.total",     "kernel.time",        "kernel.duration",
					  "binary.registers", "compiler.registers", "sass.instructions"};
	const struct fact_set *set = &d->side[0].facts;
	d->measure = "";
	for (size_t k = 0; k < COUNT_OF(ids); k++) {
		for (size_t i = 0; i < set->n && !*d->measure; i++) {
			if (!is_kernel(set->items[i].scope) || !str_is(set->items[i].id, ids[k]))
				continue;
			d->measure = ids[k];
			d->measure_aggregation = set->items[i].aggregation;
			for (size_t c = 0; c < n; c++)
				columns[c].unit = c >= 2 && c <= 4 ? set->items[i].unit : columns[c].unit;
		}
	}
}

static const struct sheet_column kernel_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"matched", "matched by", "", SHEET_TEXT},
	{"before", "before", "", 0},
	{"after", "after", "", 0},
	{"change", "change", "", 0},
	{"change_pct", "change", "%", 0},
	{"n_before", "names before", "", SHEET_HIDDEN},
	{"n_after", "names after", "", SHEET_HIDDEN},
};

static void put_kernel(struct diff *d, const struct unit *u, const struct value *measure)
{
	struct sheet_cell *c = sheet_row(&d->kernels);
	sheet_put_text(&c[0], u->name);
	sheet_put_text(&c[1], str_from(!u->n[0] ? "appeared" : !u->n[1] ? "vanished" : kernel_name_step(u->step)));
	if (measure)
		put_change(&c[2], measure);
	sheet_put(&c[6], (double)u->n[0]);
	sheet_put(&c[7], (double)u->n[1]);
}

static void compare_kernels(struct diff *d)
{
	for (size_t i = 0; i < d->n_units; i++) {
		const struct unit *u = &d->units[i];
		const struct value *measure = NULL;
		struct map values;
		map_init(&values, d->a);
		collect(d, u, &values);
		for (size_t k = 0; k < values.n; k++) {
			const struct value *v = values.entries[k].value;
			if (is_measure(d, v->fact) && !measure)
				measure = v;
			if (u->n[0] && u->n[1] && (v->has[0] != v->has[1] || v->v[0] != v->v[1]))
				put_value(&d->changes, u->name, v);
		}
		put_kernel(d, u, measure);
	}
}

static void compare_reports(struct diff *d)
{
	struct map values;
	map_init(&values, d->a);
	for (size_t i = 0; i < 2; i++) {
		for (size_t f = 0; f < d->side[i].facts.n; f++) {
			const struct fact *fact = &d->side[i].facts.items[f];
			if (is_kernel(fact->scope) || fact->type == FACT_TEXT || fact->scope == FACT_SOURCE)
				continue;
			struct value *v = value_of(d, &values, fact, false);
			v->v[i] += number_of(fact);
			v->has[i] = true;
		}
	}
	for (size_t k = 0; k < values.n; k++) {
		const struct value *v = values.entries[k].value;
		put_value(&d->report, v->fact->subject, v);
	}
}

/* By how far apart the two values are, in either direction; what is on one side only comes last. */
static double distance(const struct sheet_cell *c, size_t before)
{
	double a = c[before].v, b = c[before + 1].v;
	if (!c[before].has || !c[before + 1].has)
		return -1;
	if (a == b)
		return 0;
	return a > 0 && b > 0 ? fabs(log(b / a)) : INFINITY;
}

static int by_distance(const void *x, const void *y)
{
	double a = distance(x, 3), b = distance(y, 3);
	return a > b ? -1 : a < b;
}

static double moved(const struct sheet_cell *c)
{
	return fabs((c[3].has ? c[3].v : 0) - (c[2].has ? c[2].v : 0));
}

static int by_moved(const void *x, const void *y)
{
	double a = moved(x), b = moved(y);
	return a > b   ? -1
	       : a < b ? 1
		       : str_cmp(((const struct sheet_cell *)x)->text, ((const struct sheet_cell *)y)->text);
}

/* What differs in how the two were made. */
static const char *unlike(struct diff *d)
{
	struct buf b;
	buf_init(&b);
	const struct fact_origin *x = &d->side[0].facts.origin, *y = &d->side[1].facts.origin;
	if (!str_eq(x->version, y->version))
		buf_printf(&b, "; tool version %.*s against %.*s", STR_ARG(x->version), STR_ARG(y->version));
	struct str gpu[2] = {{0}};
	for (size_t i = 0; i < 2; i++) {
		const struct fact_set *set = &d->side[i].facts;
		for (size_t f = 0; f < set->n && !gpu[i].n; f++)
			gpu[i] = str_is(set->items[f].id, "device.name") ? set->items[f].text : gpu[i];
		if (d->side[i].job.has_trace && d->side[i].job.trace.n_devices && !gpu[i].n)
			gpu[i] = d->side[i].job.trace.devices[0].name;
	}
	if (!str_eq(gpu[0], gpu[1]))
		buf_printf(&b, "; device %.*s against %.*s", STR_ARG(gpu[0]), STR_ARG(gpu[1]));
	const char *text = b.n ? arena_printf(d->a, "not like for like: %s", b.p + 2) : NULL;
	buf_release(&b);
	return text;
}

/* The tables that were asked for, of facts and of the reader itself; names: of all of them. */
static size_t choose(struct diff *d, struct sheet **out, struct buf *names)
{
	size_t n_own = 0, n = 0;
	const struct reader *r = d->side[0].job.reader;
	struct sheet *own = r->diff ? r->diff(d->side[0].job.report, d->side[1].job.report, d->a, &n_own) : NULL;
	struct sheet *all = ARENA_ARRAY(d->a, n_own + 3, struct sheet);
	*out = ARENA_ARRAY(d->a, n_own + 3, struct sheet);
	all[0] = d->kernels;
	for (size_t i = 0; i < n_own; i++)
		all[1 + i] = own[i];
	all[1 + n_own] = d->report;
	all[2 + n_own] = d->changes;
	for (size_t i = 0; i < n_own + 3; i++) {
		bool is_own = i > 0 && i <= n_own;
		bool wanted =
			d->o->table ? str_is(str_from(d->o->table), all[i].name) || str_is(str_from(d->o->table), "all")
				    : !is_own || all[i].is_main || d->o->common.json;
		buf_printf(names, "%s%s", i ? ", " : "", all[i].name);
		if (wanted)
			(*out)[n++] = all[i];
	}
	return n;
}

static void make_sheets(struct diff *d)
{
	struct sheet_column *columns = ARENA_ARRAY(d->a, COUNT_OF(kernel_columns), struct sheet_column);
	memcpy(columns, kernel_columns, sizeof(kernel_columns));
	choose_measure(d, columns, COUNT_OF(kernel_columns));
	sheet_init(&d->kernels, d->a, "kernels", columns, COUNT_OF(kernel_columns));
	sheet_init(&d->changes, d->a, "changes", change_columns, COUNT_OF(change_columns));
	sheet_init(&d->report, d->a, "report", change_columns, COUNT_OF(change_columns));
	compare_kernels(d);
	compare_reports(d);
	const char *note = unlike(d);
	d->kernels.title =
		arena_printf(d->a, "Kernels by change of %s", *d->measure ? d->measure : "nothing they share");
	d->kernels.note =
		arena_printf(d->a,
			     "matched by name: exact; build: without parameters, hashes, autotune numbers; family: "
			     "without template arguments and tile sizes%s%s",
			     note ? "; " : "", note ? note : "");
	d->changes.title = "What moved most";
	d->changes.note = "facts of kernels that are on both sides, the largest ratio first";
	d->report.title = "The reports as a whole";
	if (d->kernels.n_rows)
		qsort(d->kernels.cells, d->kernels.n_rows, d->kernels.n_columns * sizeof(struct sheet_cell), by_moved);
	if (d->changes.n_rows) /* of a file against itself nothing */
		qsort(d->changes.cells, d->changes.n_rows, d->changes.n_columns * sizeof(struct sheet_cell),
		      by_distance);
	if (d->changes.n_rows > SHOWN_CHANGES && !d->o->table && !d->o->common.json) {
		d->changes.note = arena_printf(d->a, "%s; %d of %zu, --table changes prints all", d->changes.note,
					       SHOWN_CHANGES, d->changes.n_rows);
		d->changes.n_rows = SHOWN_CHANGES;
	}
}

bool read_diff(const struct read_options *o, struct verb_call *call, struct err *e)
{
	struct diff d = {.o = o, .a = call->arena};
	struct sheet *shown;
	struct buf names;
	buf_init(&names);
	bool ok = open_side(&d, 0, call, e) && open_side(&d, 1, call, e);
	if (ok) {
		d.has_architectures = has_architectures(&d);
		match(&d);
		make_sheets(&d);
		size_t n = choose(&d, &shown, &names);
		struct json *doc = read_document(d.a, "assay/read-diff-v1", d.side[0].job.reader->name);
		json_set_cstr(doc, "before", o->files.items[0]);
		json_set_cstr(doc, "after", o->files.items[1]);
		json_set_cstr(doc, "unlike", unlike(&d));
		struct read_options cut = *o;
		if (!o->top && !o->table && !o->common.json && !o->csv)
			cut.top = SHOWN_CHANGES;
		ok = n ? read_print_sheets(&cut, call, doc, shown, n, e)
		       : err_set(e, ERR_USAGE, "no table \"%s\" in this diff; it has %s", o->table, names.p);
	}
	buf_release(&names);
	for (size_t i = 0; i < 2; i++) {
		if (ok && *d.side[i].job.damage.text) {
			log_note("%s: %s", d.side[i].job.path, d.side[i].job.damage.text);
			call->status = err_exit(ERR_INPUT);
		}
		read_job_close(&d.side[i].job);
	}
	return ok;
}
