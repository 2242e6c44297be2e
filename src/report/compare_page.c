/* The page of a comparison.
 * In: the record, its trial and telemetry in the store. Out: one page, or a line a side as CSV or Markdown.
 * The sides stand where the versions of a run stand, so that both pages are made of the same parts.
 * Never: computes a verdict or an interval; those are the record's. */
#include "report/compare_page.h"

#include <math.h>

#include "base/file.h"
#include "report/rows.h"
#include "report/run_inside.h"

enum { MOST_DOTS = 1000 }; /* of a side, in the charts of samples */

static const struct json *side_of(const struct page *p, size_t i)
{
	return json_at(json_get(p->manifest, "sides"), i);
}

static const char *word_of(const struct page *p, const struct json *side)
{
	return page_text(p, json_get(side, "verdict"), "word", "?");
}

static const char *against(const struct page *p, size_t i)
{
	return arena_printf(p->arena, "%s against %s", page_label(p, i), page_label(p, 0));
}

static double ratio_of(double pct)
{
	return 1 + pct / 100;
}

static struct chart_step step_of(const struct page *p, const char *label, const struct json *effect, const char *word)
{
	return (struct chart_step){.label = label,
				   .ratio = ratio_of(json_f64(effect, "effect_pct", NAN)),
				   .low = ratio_of(json_f64(effect, "lower_pct", NAN)),
				   .high = ratio_of(json_f64(effect, "upper_pct", NAN)),
				   .word = page_text(p, effect, "verdict", word)};
}

static const char *pct_text(const struct page *p, double v)
{
	return isfinite(v) ? arena_printf(p->arena, "%+.3g %%", v) : "-";
}

/* The verdict of candidate i as a sentence. */
static const char *verdict_of(const struct page *p, size_t i)
{
	const struct json *side = side_of(p, i), *effect = json_get(side, "effect");
	struct chart_step s = step_of(p, "", effect, word_of(p, side));
	const char *why = page_text(p, json_get(side, "verdict"), "text", ""), *word = word_of(p, side);
	if (!isfinite(s.ratio))
		return arena_printf(p->arena, "%s: %s%s%s.", page_label(p, i), word, *why ? ": " : "", why);
	return arena_printf(p->arena,
			    "%s against %s: %s. %.3g times as fast, 95 %% interval %.3g to %.3g; %s against %s.",
			    page_label(p, i), page_label(p, 0), word, s.ratio, s.low, s.high,
			    page_ms(p, json_f64(side, "time_ns", NAN) / 1e6),
			    page_ms(p, json_f64(side_of(p, 0), "time_ns", NAN) / 1e6));
}

static void put_head(const struct page *p)
{
	const struct json *m = p->manifest, *verdict = json_get(m, "verdict");
	struct buf title, line;
	const char *word = page_text(p, verdict, "word", "?");
	buf_init(&title);
	buf_init(&line);
	for (size_t i = 0; i < p->n; i++)
		buf_printf(&title, "%s%s", i ? " against " : "", path_base(page_text(p, side_of(p, i), "path", "?")));
	if (!str_is(json_str(verdict, "stage", STR("comparison")), "comparison"))
		buf_printf(&line, "%s: %s. ", word, page_text(p, verdict, "meaning", ""));
	for (size_t i = 1; i < p->n; i++)
		buf_printf(&line, "%s%s", i > 1 ? " " : "", verdict_of(p, i));
	page_head(p, title.n ? title.p : "comparison", line.n ? line.p : word,
		  strcmp(word, "faster") == 0 || strcmp(word, "equivalent") == 0);
	buf_release(&title);
	buf_release(&line);
	page_note(p, arena_printf(
			     p->arena,
			     "Paired, in fresh processes. Device: %s; backend %s; %s cache; times by %s; least effect "
			     "that counts %.3g %%. Claim layer kernel, not a formal result.%s",
			     page_text(p, json_get(m, "device"), "name", "?"), page_text(p, m, "backend", "?"),
			     page_text(p, m, "cache", "?"), page_text(p, m, "source", "?"),
			     json_f64(m, "min_effect_pct", NAN),
			     json_bool(m, "same_binary", false) ? " Both sides are the same binary: what differs is "
								  "the measurement."
								: ""));
}

static void put_side_row(const struct page *p, size_t i)
{
	static const char *const effects[] = {"effect_pct", "lower_pct", "upper_pct", "detectable_pct"};
	const struct json *side = side_of(p, i), *effect = json_get(side, "effect");
	double ns = json_f64(side, "time_ns", NAN), n = json_f64(effect, "n_placements", NAN);
	html_row(p->out);
	html_cell(p->out, str_from(page_label(p, i)), NULL);
	html_cell(p->out, str_from(word_of(p, side)), NULL);
	html_number(p->out, page_ms(p, ns / 1e6), ns);
	for (size_t k = 0; k < COUNT_OF(effects); k++) {
		double v = json_f64(effect, effects[k], NAN);
		html_number(p->out, pct_text(p, v), v);
	}
	html_number(p->out, page_number(p, n), n);
	html_cell(p->out, json_str(effect, "state", STR("-")), NULL);
	html_cell(p->out, json_str(side, "flags", STR("-")), NULL);
	html_cell(p->out, json_str(side, "path", STR("?")), NULL);
	html_cell(p->out, json_str(json_get(side, "verdict"), "text", STR("")), NULL);
	html_row_end(p->out);
}

static void put_cases(const struct page *p)
{
	size_t n = 0;
	for (size_t i = 1; i < p->n; i++) {
		const struct json *cases = json_path(side_of(p, i), "effect.cases");
		for (size_t k = 0; cases && cases->n > 1 && k < cases->n; k++) {
			const struct json *c = cases->items[k];
			static const char *const keys[] = {"effect_pct", "lower_pct", "upper_pct"};
			if (!n++)
				html_table(p->out, "Each case by itself: how much longer the baseline takes",
					   "side|case|verdict|>effect|>lower|>upper");
			html_row(p->out);
			html_cell(p->out, str_from(page_label(p, i)), NULL);
			html_cell(p->out, json_str(c, "name", STR("?")), NULL);
			html_cell(p->out, json_str(c, "verdict", STR("-")), NULL);
			for (size_t m = 0; m < COUNT_OF(keys); m++)
				html_number(p->out, pct_text(p, json_f64(c, keys[m], NAN)), json_f64(c, keys[m], NAN));
			html_row_end(p->out);
		}
	}
	if (n)
		html_table_end(p->out);
}

static void put_sides(const struct page *p)
{
	struct chart_step *s = ARENA_ARRAY(p->arena, p->n + 1, struct chart_step);
	for (size_t i = 1; i < p->n; i++)
		s[i - 1] = step_of(p, against(p, i), json_get(side_of(p, i), "effect"), word_of(p, side_of(p, i)));
	if (p->n > 1)
		chart_speedups(p->out, p->arena, s, p->n - 1);
	html_table(p->out, "All sides; effect: how much longer the baseline takes, with its 95 % interval",
		   "side|verdict|>time|>effect|>lower|>upper|>detectable|>placements|state|flags|kernel|why");
	for (size_t i = 0; i < p->n; i++)
		put_side_row(p, i);
	html_table_end(p->out);
	put_cases(p);
}

static const struct json *first_case(const struct page *p, size_t i, const char *key)
{
	const struct json *x = json_get(json_at(json_get(side_of(p, i), "cases"), 0), key);
	return x && x->type == JSON_ARRAY ? x : NULL;
}

static void put_run(const struct page *p)
{
	const struct json *run = json_get(p->manifest, "run"), *r = json_get(p->manifest, "resolution"),
			  *budgets = json_get(r, "budgets");
	html_table(p->out, "How it was measured, and what it resolves", "fact|value");
	page_members(p, "", run);
	page_members(p, "plan ", json_get(run, "plan"));
	page_members(p, "", r);
	for (size_t i = 0; budgets && budgets->type == JSON_ARRAY && i < budgets->n; i++)
		page_pair(p,
			  arena_printf(p->arena, "resolution_pct in %s s",
				       page_number(p, json_f64(budgets->items[i], "budget_s", NAN))),
			  str_from(page_number(p, json_f64(budgets->items[i], "resolution_pct", NAN))));
	html_table_end(p->out);
}

static void put_placements(const struct page *p)
{
	struct chart_effect *s = ARENA_ARRAY(p->arena, p->n + 1, struct chart_effect);
	size_t n = 0;
	for (size_t i = 1; i < p->n; i++) {
		const struct json *d = first_case(p, i, "log_ratio"), *effect = json_get(side_of(p, i), "effect");
		if (!d || !d->n)
			continue;
		double *v = ARENA_ARRAY(p->arena, d->n, double);
		for (size_t k = 0; k < d->n; k++)
			v[k] = json_is_number(d->items[k]) ? 100 * expm1(d->items[k]->real) : NAN;
		s[n] = (struct chart_effect){.label = against(p, i),
					     .pct = v,
					     .n = d->n,
					     .middle = json_f64(effect, "effect_pct", NAN),
					     .low = json_f64(effect, "lower_pct", NAN),
					     .high = json_f64(effect, "upper_pct", NAN),
					     .word = word_of(p, side_of(p, i))};
		n++;
	}
	if (n)
		chart_effects(
			p->out, p->arena, s, n,
			"How much longer the baseline takes, placement by placement (fresh processes each): a dot "
			"each. Below them their mean (diamond) with its 95 % interval. Right of the dashed line the "
			"candidate is faster.");
	else
		page_note(p, "No placement gave a pair.");
	if (json_get(p->manifest, "run"))
		put_run(p);
}

struct calls { /* the columns of the trial that tell the timed calls of a side */
	const uint8_t *flags, *mode, *which, *quarter;
	const int64_t *placement, *side, *begin, *end;
	const double *time, *clock;
	uint64_t n;
};

static bool calls_of(const struct page *p, const struct column_file *f, struct calls *c)
{
	bool by_event = str_is(json_str(p->manifest, "source", STR("")), "event_pair");
	*c = (struct calls){column_u8(f, "flags"),
			    column_u8(f, "mode"),
			    column_u8(f, "case"),
			    column_u8(f, "quarter"),
			    column_i64(f, "placement"),
			    column_i64(f, "side"),
			    column_i64(f, "begin_ns"),
			    column_i64(f, "end_ns"),
			    column_f64(f, by_event ? "event_ns" : "span_ns"),
			    column_f64(f, "clock_mhz"),
			    f->n_rows};
	return c->flags && c->mode && c->which && c->quarter && c->placement && c->side && c->begin && c->end &&
	       c->time && c->clock;
}

/* The cost of an empty event pair is taken off, as where the ratios come from. */
static double off_of(const struct page *p, size_t i, int64_t placement)
{
	const struct json *x = json_get(side_of(p, i), "empty_pair_ns");
	x = x && x->type == JSON_ARRAY && placement >= 0 ? json_at(x, (size_t)placement) : NULL;
	return x && json_is_number(x) ? x->real : 0;
}

static bool is_timed(const struct calls *c, uint64_t row)
{
	return (c->mode[row] == PAGE_ROW_TIME || c->mode[row] == PAGE_ROW_EVENT) && c->which[row] == 0 &&
	       !(c->flags[row] & (PAGE_ROW_WARMUP | PAGE_ROW_CHECKED)) && isfinite(c->time[row]);
}

/* The timed calls of side i, first case; of more than MOST_DOTS each k-th. `n_all`: how many there are. */
static void gather(const struct page *p, const struct calls *c, size_t i, struct chart_sample *s, struct page_view *v,
		   size_t *n_all)
{
	double *x = ARENA_ARRAY(p->arena, c->n + 1, double);
	size_t from = 0;
	int64_t at = 0, until = 0;
	*v = (struct page_view){ARENA_ARRAY(p->arena, c->n + 1, double), ARENA_ARRAY(p->arena, c->n + 1, double), 0};
	for (uint64_t row = 0; row < c->n; row++) {
		if (c->side[row] != (int64_t)i || !is_timed(c, row))
			continue;
		if (v->n && c->begin[row] != at) {
			page_place_batch(v, from, (double)at, (double)until);
			from = v->n;
		}
		at = c->begin[row], until = c->end[row];
		x[v->n] = c->time[row] - off_of(p, i, c->placement[row]);
		v->clock[v->n++] = c->clock[row];
	}
	page_place_batch(v, from, (double)at, (double)until);
	*n_all = v->n;
	size_t every = v->n / MOST_DOTS + 1, n = 0;
	for (size_t k = 0; k < v->n; k += every, n++)
		x[n] = x[k], v->t_ns[n] = v->t_ns[k], v->clock[n] = v->clock[k];
	v->n = n;
	*s = (struct chart_sample){page_label(p, i), x, n, i > 0};
}

static void put_calls(const struct page *p, const struct calls *c)
{
	struct chart_sample *s = ARENA_ARRAY(p->arena, p->n + 1, struct chart_sample);
	struct page_view *v = ARENA_ARRAY(p->arena, p->n + 1, struct page_view);
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		size_t n_all = 0;
		gather(p, c, i, &s[n], &v[n], &n_all);
		if (s[n].n < n_all)
			page_note(p, arena_printf(p->arena, "%s: %zu of %zu calls are drawn, evenly through the run.",
						  s[n].label, s[n].n, n_all));
		n += s[n].n >= 4 ? 1 : 0;
	}
	if (n)
		chart_strips(p->out, p->arena, s, n);
	for (size_t i = 0; i < n; i++)
		page_series(p, p->manifest, &s[i], &v[i]);
	if (!n)
		page_note(p, "The trial has no timed calls.");
}

/* Without the trial: the time of each side in every placement, which the record itself holds. */
static void put_means(const struct page *p)
{
	struct chart_sample *s = ARENA_ARRAY(p->arena, p->n + 1, struct chart_sample);
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct json *x = first_case(p, i, "time_ns");
		double *v = ARENA_ARRAY(p->arena, x ? x->n + 1 : 1, double);
		size_t k = 0;
		for (size_t m = 0; x && m < x->n; m++) {
			if (json_is_number(x->items[m]))
				v[k++] = x->items[m]->real;
		}
		s[n] = (struct chart_sample){page_label(p, i), v, k, i > 0};
		n += k >= 2 ? 1 : 0;
	}
	page_note(p, n ? "The trial is not in the store here: the mean time of each side in every placement."
		       : "No samples are recorded.");
	if (n)
		chart_strips(p->out, p->arena, s, n);
	for (size_t i = 0; i < n; i++)
		page_series(p, p->manifest, &s[i], NULL);
}

static void put_samples(const struct page *p)
{
	struct page_columns trial;
	struct calls c;
	page_columns_open(p, page_text(p, p->manifest, "trial", NULL), &trial);
	if (trial.is_open && calls_of(p, &trial.f, &c))
		put_calls(p, &c);
	else
		put_means(p);
	page_columns_shut(&trial);
}

/* What stands beside the outputs: how often the timed calls were looked at, what a call launched, whether a time is below
 * the floor, and who else used the machine. */
static void put_integrity(const struct page *p)
{
	static const char *const numbers[] = {"n_looks_at_timed_calls", "n_launches", "n_copies"};
	const struct json *telemetry = json_get(p->manifest, "telemetry");
	html_table(p->out, "Each side beside its outputs; floor: whether its time is one that the device can reach",
		   "side|outputs|>looks at timed calls|>launches of a call|>copies of a call|floor|verdict");
	for (size_t i = 0; i < p->n; i++) {
		const struct json *side = side_of(p, i);
		html_row(p->out);
		html_cell(p->out, str_from(page_label(p, i)), NULL);
		html_cell(p->out, json_str(json_get(side, "correctness"), "verdict", STR("unchecked")), NULL);
		for (size_t k = 0; k < COUNT_OF(numbers); k++) {
			double v = json_f64(side, numbers[k], NAN);
			html_number(p->out, page_number(p, v), v);
		}
		html_cell(p->out, json_str(json_path(side, "limits.floor"), "word", STR("-")), NULL);
		html_cell(p->out, str_from(word_of(p, side)), NULL);
		html_row_end(p->out);
	}
	html_table_end(p->out);
	html_table(p->out, "The machine while the calls were timed", "fact|value");
	page_members(p, "before: ", json_get(telemetry, "idle_check"));
	page_members(p, "timed calls ", json_get(telemetry, "timed_calls"));
	page_members(p, "", telemetry);
	html_table_end(p->out);
}

static const struct page_section sections[] = {
	{"sides", "Sides", put_sides},
	{"placements", "Placements", put_placements},
	{"samples", "Samples", put_samples},
	{"limits", "Roofline", page_limits},
	{"code", "Compiled code", page_code},
	{"correctness", "Correctness", page_correctness},
	{"integrity", "Integrity", put_integrity},
	{"environment", "Environment", page_environment},
	{"records", "Records and commands", page_records},
};

/* What a side shares with the record of a bench, with the facts of the whole measurement. */
static struct json *bench_of(struct arena *a, const struct json *record, const struct json *side)
{
	static const char *const own[] = {"build", "correctness", "limits", "verdict"}, *const shared[] = {"device",
													   "sandbox"};
	struct json *b = json_object(a);
	for (size_t i = 0; i < COUNT_OF(own); i++) {
		if (json_get(side, own[i]))
			json_set(b, own[i], json_get(side, own[i]));
	}
	for (size_t i = 0; i < COUNT_OF(shared); i++) {
		if (json_get(record, shared[i]))
			json_set(b, shared[i], json_get(record, shared[i]));
	}
	return b;
}

/* The record with the names that the shared parts look for. */
static void open_record(struct page *p, struct json *record)
{
	const struct json *sides = json_get(record, "sides");
	struct json *m = json_object(p->arena), *list = json_set_array(m, "iterations");
	size_t n = sides && sides->type == JSON_ARRAY ? sides->n : 0;
	const char **labels = ARENA_ARRAY(p->arena, n + 1, const char *);
	p->bench = ARENA_ARRAY(p->arena, n + 1, struct json *);
	for (size_t i = 0; i < record->n; i++)
		json_put(m, record->members[i].key, record->members[i].value);
	for (size_t i = 0; i < n; i++) {
		labels[i] = page_text(p, sides->items[i], "label", "?");
		p->bench[i] = bench_of(p->arena, record, sides->items[i]);
		json_push(list, sides->items[i]);
	}
	json_set_str(m, "record", json_str(record, "id", STR("")));
	json_set_str(m, "created_at", json_str(record, "created", STR("?")));
	p->manifest = m;
	p->versions = list;
	p->labels = labels;
	p->n = n;
	p->best = -1;
}

void compare_page(struct buf *out, struct arena *a, const char *path, struct json *record, struct store *s)
{
	struct page p = {.out = out, .arena = a, .folder = path_dir(a, path), .file = path, .store = s};
	open_record(&p, record);
	html_begin(out, str_from(arena_printf(a, "assay: %s", path_base(path))));
	put_head(&p);
	page_sections(&p, sections, COUNT_OF(sections));
	html_end(out);
}

void compare_rows(struct buf *out, struct arena *a, struct json *record, bool is_md)
{
	static const char *const effects[] = {"effect_pct", "lower_pct", "upper_pct"};
	struct page p = {.out = out, .arena = a};
	struct rows r = {.out = out, .is_md = is_md};
	open_record(&p, record);
	if (is_md) {
		buf_puts(out, "# Comparison\n\n");
		for (size_t i = 1; i < p.n; i++)
			buf_printf(out, "%s\n\n", verdict_of(&p, i));
	}
	rows_head(&r, "side|path|flags|verdict|time_ns|effect_pct|lower_pct|upper_pct|n_placements|binary_sha256");
	for (size_t i = 0; i < p.n; i++) {
		const struct json *side = side_of(&p, i), *effect = json_get(side, "effect");
		rows_cell(&r, str_from(page_label(&p, i)));
		rows_cell(&r, json_str(side, "path", STR("")));
		rows_cell(&r, json_str(side, "flags", STR("")));
		rows_cell(&r, str_from(word_of(&p, side)));
		rows_number(&r, json_f64(side, "time_ns", NAN));
		for (size_t k = 0; k < COUNT_OF(effects); k++)
			rows_number(&r, json_f64(effect, effects[k], NAN));
		rows_cell(&r, str_from(json_get(effect, "n_placements")
					       ? page_number(&p, json_f64(effect, "n_placements", NAN))
					       : ""));
		rows_cell(&r, json_str(side, "binary_sha256", STR("")));
		rows_end(&r);
	}
	if (is_md)
		buf_printf(out, "\nRecord %s. `%s`\n", page_text(&p, record, "id", "?"),
			   page_text(&p, record, "command", ""));
}
