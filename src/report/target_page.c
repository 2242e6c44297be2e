/* The page of an evidence root.
 * In: target.json, experiments/, falsifications/, invocations/, champion/. Out: one page, or a line an invocation.
 * A record that cannot be read stands in the page with the reason; an invocation without a result is called unfinished.
 * Never: judges; verdicts, gains and intervals are those of the results. */
#include "report/target_page.h"

#include <math.h>

#include "base/file.h"
#include "report/rows.h"
#include "report/run_inside.h"

struct invocation {
	const char *id;
	const struct json *request, *result; /* NULL: absent or not readable */
	const char *problem;                 /* why not; NULL: nothing is wrong */
};
struct root {
	struct page p;            /* manifest: target.json */
	struct invocation *calls; /* in the order in which they were asked for */
	size_t n_calls;
	const struct json **experiments;
	size_t n_experiments;
	const struct json *pointer, *selection; /* champion/current.json, what it names */
};

bool target_is_root(struct arena *a, const char *folder)
{
	return file_exists(path_join(a, folder, "target.json"));
}

static const struct json *read_record(struct arena *a, const char *path, const char **problem)
{
	struct err e;
	const struct json *j = file_exists(path) ? json_read_file(a, path, JSON_LARGE, &e) : NULL;
	if (!j && problem && file_exists(path))
		*problem = arena_printf(a, "%s", e.text);
	return j;
}

static double asked_at(const struct invocation *x)
{
	return json_f64(x->request, "created_at_epoch", json_f64(x->result, "started_at_epoch", NAN));
}

static void read_calls(struct root *r)
{
	struct arena *a = r->p.arena;
	struct err absent;
	size_t n = 0;
	char **names = file_list(a, path_join(a, r->p.folder, "invocations"), &n, &absent);
	r->calls = ARENA_ARRAY(a, n + 1, struct invocation);
	for (size_t i = 0; names && i < n; i++) {
		const char *folder = arena_printf(a, "%s/invocations/%s", r->p.folder, names[i]);
		struct invocation x = {.id = names[i]};
		if (names[i][0] == '.' || !file_is_dir(folder))
			continue;
		x.request = read_record(a, path_join(a, folder, "request.json"), &x.problem);
		x.result = read_record(a, path_join(a, folder, "result.json"), &x.problem);
		size_t at = r->n_calls++;
		for (; at > 0 && asked_at(&r->calls[at - 1]) > asked_at(&x); at--)
			r->calls[at] = r->calls[at - 1];
		r->calls[at] = x;
	}
}

static void read_experiments(struct root *r)
{
	struct arena *a = r->p.arena;
	struct err absent;
	size_t n = 0;
	char **names = file_list(a, path_join(a, r->p.folder, "experiments"), &n, &absent);
	r->experiments = ARENA_ARRAY(a, n + 1, const struct json *);
	for (size_t i = 0; names && i < n; i++) {
		const struct json *j =
			read_record(a, arena_printf(a, "%s/experiments/%s", r->p.folder, names[i]), NULL);
		if (j && json_get(j, "id"))
			r->experiments[r->n_experiments++] = j;
	}
}

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '/' || s.p[i] == '\0')
			return false;
	}
	return s.n > 0;
}

static const struct json *selection_of(const struct root *r, const struct json *ref)
{
	struct str id = json_str(ref, "id", STR(""));
	return is_name(id) ? read_record(r->p.arena,
					 arena_printf(r->p.arena, "%s/champion/selections/%.*s.json", r->p.folder,
						      STR_ARG(id)),
					 NULL)
			   : NULL;
}

static bool root_open(struct root *r, struct buf *out, struct arena *a, const char *folder, struct err *e)
{
	*r = (struct root){.p = {.out = out, .arena = a, .folder = folder, .best = -1, .context = r}};
	r->p.manifest = json_read_file(a, path_join(a, folder, "target.json"), JSON_STRICT, e);
	if (!r->p.manifest)
		return false;
	if (!str_is(json_str(r->p.manifest, "record_type", STR("")), "target"))
		return err_set(e, ERR_INPUT, "%s: its target.json is no record of a Target (record_type target)",
			       folder);
	read_calls(r);
	read_experiments(r);
	r->pointer = read_record(a, path_join(a, folder, "champion/current.json"), NULL);
	r->selection = selection_of(r, json_get(r->pointer, "selection_ref"));
	return true;
}

static const char *experiment_of(const struct root *r, const struct invocation *x)
{
	const struct json *ref = json_get(x->result ? x->result : x->request, "experiment_ref");
	return page_text(&r->p, ref, "id", "-");
}

static const char *gain_text(const struct root *r, const struct json *result)
{
	const struct json *g = json_get(result, "assay");
	double v = json_f64(g, "estimate_pct", NAN), low = json_f64(g, "lower_pct", NAN),
	       high = json_f64(g, "upper_pct", NAN);
	return isfinite(v) ? arena_printf(r->p.arena, "%+.4g %% (%+.4g to %+.4g)", v, low, high) : "-";
}

/* "expected 8, ceiling 12; held", from the claim before the run and from the result after it */
static const char *prediction_text(const struct root *r, const struct json *experiment, const struct json *result)
{
	const struct page *p = &r->p;
	const struct json *claim = json_get(experiment, "opportunity_claim"),
			  *x = json_path(result, "assay.prediction");
	double expected = json_f64(x, "expected_pct", json_f64(claim, "expected_effect_pct", NAN)),
	       ceiling = json_f64(x, "ceiling_pct", NAN);
	if (!isfinite(expected))
		return "-";
	return arena_printf(p->arena, "expected %s %%%s%s", page_number(p, expected),
			    isfinite(ceiling) ? arena_printf(p->arena, ", at most %s %%", page_number(p, ceiling)) : "",
			    !x                                    ? ""
			    : json_bool(x, "contradicted", false) ? ": contradicted"
								  : ": held");
}

static const struct invocation *call_of(const struct root *r, struct str id)
{
	for (size_t i = 0; i < r->n_calls; i++) {
		if (str_is(id, r->calls[i].id))
			return &r->calls[i];
	}
	return NULL;
}

static bool has_champion(const struct root *r)
{
	return str_is(json_str(json_get(r->selection, "selected_variant"), "role", STR("original")), "candidate");
}

static const char *verdict_of(const struct root *r)
{
	const struct page *p = &r->p;
	const struct json *metric = json_get(p->manifest, "primary_metric");
	const char *name = page_text(p, metric, "name", "the metric");
	if (!has_champion(r))
		return arena_printf(p->arena, "Champion: the original. %zu experiment%s, %zu invocation%s.",
				    r->n_experiments, r->n_experiments == 1 ? "" : "s", r->n_calls,
				    r->n_calls == 1 ? "" : "s");
	struct str id = json_str(json_get(r->selection, "comparison_result_ref"), "invocation_id", STR(""));
	const struct invocation *x = call_of(r, id);
	const struct json *result = x ? x->result : NULL;
	return arena_printf(p->arena, "Champion: a candidate. Gain in %s over the one before: %s; verdict of %.*s: %s.",
			    name, gain_text(r, result), STR_ARG(id),
			    page_text(p, result, "verdict", "no result is there"));
}

static const struct root *root_of(const struct page *p)
{
	return p->context;
}

static void put_champion(const struct page *p)
{
	const struct root *r = root_of(p);
	const struct json *s = r->selection;
	if (!s) {
		page_note(p, r->pointer ? "champion/current.json names a selection that is not there."
					: "Nothing was selected: the original is the Champion.");
		return;
	}
	html_table(p->out, "Selections, the newest first", "selection|decision|role|variant|comparison|chosen at");
	for (size_t depth = 0; s && depth < 1000; depth++) {
		const struct json *v = json_get(s, "selected_variant");
		double at = json_f64(s, "created_at_epoch", NAN);
		html_row(p->out);
		html_cell(p->out, json_str(s, "id", STR("?")), NULL);
		html_cell(p->out, json_str(s, "decision", STR("?")), NULL);
		html_cell(p->out, json_str(v, "role", STR("?")), NULL);
		html_cell(p->out, json_str(v, "digest", STR("?")), NULL);
		html_cell(p->out, json_str(json_get(s, "comparison_result_ref"), "invocation_id", STR("-")), NULL);
		html_number(p->out, isfinite(at) ? arena_printf(p->arena, "%.0f", at) : "-", at);
		html_row_end(p->out);
		s = selection_of(r, json_get(s, "previous_selection_ref"));
	}
	html_table_end(p->out);
}

static void put_readiness(const struct page *p)
{
	const struct json *t = p->manifest;
	static const char *const parts[] = {"primary_metric", "minimum_effect", "validity_requirements", "original",
					    "test_suite"};
	html_table(p->out, "What was frozen, and what a gain has to be", "fact|value");
	page_members(p, "", t);
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		page_members(p, arena_printf(p->arena, "%s ", parts[i]), json_get(t, parts[i]));
	page_members(p, "acceptance ", json_path(t, "correctness.acceptance"));
	page_members(p, "driver ", json_get(t, "driver"));
	page_members(p, "runtime ", json_path(t, "environment.runtime"));
	page_members(p, "machine ", json_path(t, "environment.host.machine"));
	page_members(p, "host ", json_path(t, "environment.host"));
	html_table_end(p->out);
}

static void put_experiments(const struct page *p)
{
	const struct root *r = root_of(p);
	if (!r->n_experiments) {
		page_note(p, "No experiment is recorded.");
		return;
	}
	html_table(p->out, "What each experiment claims, and what came of it",
		   "experiment|hypothesis|mechanism|>least effect|risk|operation|verdict|>gain|gain and "
		   "interval|predicted");
	for (size_t i = 0; i < r->n_experiments; i++) {
		const struct json *x = r->experiments[i];
		size_t n = 0;
		for (size_t k = 0; k <= r->n_calls; k++) {
			const struct invocation *c = k < r->n_calls ? &r->calls[k] : NULL;
			if (c ? !str_is(json_str(x, "id", STR("")), experiment_of(r, c)) : n > 0)
				continue;
			const struct json *result = c ? c->result : NULL, *g = json_get(result, "assay");
			double least = json_f64(x, "minimum_effect", NAN), v = json_f64(g, "estimate_pct", NAN);
			n++;
			html_row(p->out);
			html_cell(p->out, json_str(x, "id", STR("?")), NULL);
			html_cell(p->out, json_str(x, "hypothesis", STR("?")), NULL);
			html_cell(p->out, json_str(x, "mechanism_key", STR("?")), NULL);
			html_number(p->out, page_number(p, least), least);
			html_cell(p->out, json_str(x, "max_risk", STR("-")), NULL);
			html_cell(p->out, json_str(c ? c->request : NULL, "operation", STR("not run")), NULL);
			html_cell(p->out, json_str(result, "verdict", c ? STR("unfinished") : STR("-")), NULL);
			html_number(p->out, isfinite(v) ? arena_printf(p->arena, "%+.4g %%", v) : "-", v);
			html_cell(p->out, str_from(gain_text(r, result)), NULL);
			html_cell(p->out, str_from(prediction_text(r, x, result)), NULL);
			html_row_end(p->out);
		}
	}
	html_table_end(p->out);
}

static void put_steps(const struct page *p)
{
	const struct root *r = root_of(p);
	struct chart_effect *s = ARENA_ARRAY(p->arena, r->n_calls + 1, struct chart_effect);
	size_t n = 0;
	for (size_t i = 0; i < r->n_calls; i++) {
		const struct json *g = json_get(r->calls[i].result, "assay");
		if (!isfinite(json_f64(g, "estimate_pct", NAN)))
			continue;
		s[n] = (struct chart_effect){.label = arena_printf(p->arena, "%.16s", r->calls[i].id),
					     .middle = json_f64(g, "estimate_pct", NAN),
					     .low = json_f64(g, "lower_pct", NAN),
					     .high = json_f64(g, "upper_pct", NAN),
					     .word = page_text(p, g, "verdict", "?")};
		n++;
	}
	if (n)
		chart_effects(
			p->out, p->arena, s, n,
			"Gain of each invocation that gave one (diamond) with its interval, in per cent. Right of the "
			"dashed line the candidate is better.");
}

static void put_calls(const struct page *p)
{
	static const char *const numbers[] = {"estimate_pct", "lower_pct", "upper_pct", "n_pairs", "drift_pct"};
	const struct root *r = root_of(p);
	put_steps(p);
	html_table(
		p->out, "Every invocation in the order in which it was asked for; gain by the order-free estimate",
		"invocation|operation|verdict|stop reason|validity|>gain %|>lower|>upper|>pairs|>drift %|>seconds|why");
	for (size_t i = 0; i < r->n_calls; i++) {
		const struct invocation *x = &r->calls[i];
		const struct json *g = json_get(x->result, "assay");
		double s = json_f64(x->result, "elapsed_seconds", NAN);
		html_row(p->out);
		html_cell(p->out, str_from(x->id), NULL);
		html_cell(p->out, json_str(x->request ? x->request : x->result, "operation", STR("?")), NULL);
		html_cell(p->out, json_str(x->result, "verdict", STR("unfinished")), NULL);
		html_cell(p->out, json_str(x->result, "stop_reason", STR("-")), NULL);
		html_cell(p->out, json_str(x->result, "measurement_validity", STR("-")), NULL);
		for (size_t k = 0; k < COUNT_OF(numbers); k++) {
			double v = json_f64(g, numbers[k], NAN);
			html_number(p->out, page_number(p, v), v);
		}
		html_number(p->out, page_number(p, s), s);
		html_cell(p->out, x->problem ? str_from(x->problem) : json_str(g, "blocked_by", STR("")), NULL);
		html_row_end(p->out);
	}
	html_table_end(p->out);
}

static void put_case(const struct page *p, const struct invocation *x, const struct json *c)
{
	static const char *const numbers[] = {"estimate_pct", "lower_pct", "upper_pct", "n_pairs"};
	html_row(p->out);
	html_cell(p->out, str_from(x->id), NULL);
	html_cell(p->out, json_str(c, "case_id", STR("?")), NULL);
	html_cell(p->out, json_str(c, "status", STR("-")), NULL);
	for (size_t k = 0; k < COUNT_OF(numbers); k++) {
		double v = json_f64(c, numbers[k], NAN);
		html_number(p->out, page_number(p, v), v);
	}
	html_row_end(p->out);
}

static void put_pair_row(const struct page *p, const struct invocation *x, const struct json *c)
{
	static const char *const numbers[] = {"pair_index", "reference", "candidate"};
	html_row(p->out);
	html_cell(p->out, str_from(x->id), NULL);
	html_cell(p->out, json_str(c, "case_id", STR("?")), NULL);
	for (size_t k = 0; k < COUNT_OF(numbers); k++) {
		double v = json_f64(c, numbers[k], NAN);
		html_number(p->out, page_number(p, v), v);
	}
	html_cell(p->out, json_str(c, "order", STR("-")), NULL);
	html_cell(p->out, str_from(json_bool(c, "valid", false) ? "yes" : "no"), NULL);
	html_row_end(p->out);
}

static void put_receipt(const struct page *p, const struct invocation *x, const struct json *c)
{
	const struct json *gate = json_get(c, "gate");
	double v = json_f64(gate, "observed", NAN), most = json_f64(gate, "threshold", NAN);
	html_row(p->out);
	html_cell(p->out, str_from(x->id), NULL);
	html_cell(p->out, json_str(c, "case_id", STR("?")), NULL);
	html_cell(p->out, json_str(c, "role", STR("?")), NULL);
	html_cell(p->out, json_str(c, "status", STR("?")), NULL);
	html_cell(p->out, json_str(gate, "metric", STR("-")), NULL);
	html_number(p->out, page_number(p, v), v);
	html_number(p->out, page_number(p, most), most);
	html_row_end(p->out);
}

enum { MOST_ROWS = 2000, MOST_SAMPLES = 20 }; /* of one table, of one cell */

/* One row for each member of result.PATH, of all results. */
static void put_list(const struct page *p, const char *path, const char *caption, const char *headings,
		     void (*put)(const struct page *p, const struct invocation *x, const struct json *c))
{
	const struct root *r = root_of(p);
	size_t n = 0;
	html_table(p->out, caption, headings);
	for (size_t i = 0; i < r->n_calls; i++) {
		const struct json *list = json_path(r->calls[i].result, path);
		for (size_t k = 0; list && list->type == JSON_ARRAY && k < list->n; k++, n++) {
			if (n < MOST_ROWS)
				put(p, &r->calls[i], list->items[k]);
		}
	}
	html_table_end(p->out);
	if (n > MOST_ROWS)
		page_note(p, arena_printf(p->arena, "%zu of %zu rows are left out; they stand in the results.",
					  n - MOST_ROWS, n));
}

static void put_cases(const struct page *p)
{
	put_list(p, "assay.cases", "Gain of each case, with its interval",
		 "invocation|case|status|>gain %|>lower|>upper|>pairs", put_case);
	put_list(p, "performance_receipt.pairs", "Every pair",
		 "invocation|case|>pair|>reference|>candidate|order|valid", put_pair_row);
	put_list(p, "correctness_receipts", "Correctness of every call, as the driver's numbers pass the gate",
		 "invocation|case|role|status|metric|>observed|>threshold", put_receipt);
}

static void put_measured(const struct page *p, const struct invocation *x, const struct json *c)
{
	const struct json *m = json_path(c, "measurement.primary"), *v = json_get(m, "samples");
	struct buf text;
	size_t n = v && v->type == JSON_ARRAY ? v->n : 0;
	buf_init(&text);
	for (size_t i = 0; i < n && i < MOST_SAMPLES; i++)
		buf_printf(&text, "%s%s", i ? ", " : "", page_number(p, v->items[i]->real));
	if (n > MOST_SAMPLES)
		buf_printf(&text, " and %zu more", n - MOST_SAMPLES);
	html_row(p->out);
	html_cell(p->out, str_from(x->id), NULL);
	html_cell(p->out, json_str(c, "case_id", STR("?")), NULL);
	html_cell(p->out, json_str(m, "name", STR("?")), NULL);
	html_cell(p->out, json_str(m, "unit", STR("-")), NULL);
	html_number(p->out, page_number(p, (double)n), (double)n);
	html_cell(p->out, buf_view(&text), NULL);
	html_row_end(p->out);
	buf_release(&text);
}

static void put_baseline(const struct page *p)
{
	put_list(p, "performance_receipt.measurements", "What the original takes, case by case",
		 "invocation|case|metric|unit|>samples|values", put_measured);
}

static void put_command(const struct page *p, const struct invocation *x, const struct json *c)
{
	const struct json *run = json_get(c, "command_result");
	double code = json_f64(run, "returncode", NAN), s = json_f64(run, "elapsed_seconds", NAN);
	html_row(p->out);
	html_cell(p->out, str_from(x->id), NULL);
	html_cell(p->out, json_str(json_path(c, "request.case"), "id", STR("-")), NULL);
	html_cell(p->out, json_str(run, "status", STR("?")), NULL);
	html_number(p->out, page_number(p, code), code);
	html_number(p->out, page_number(p, s), s);
	html_cell(p->out, json_str(json_get(c, "driver_output_ref"), "digest", STR("-")), NULL);
	html_row_end(p->out);
}

static void put_words(const struct page *p, const char *what, const struct json *command)
{
	struct buf line;
	buf_init(&line);
	for (size_t i = 0; command && command->type == JSON_ARRAY && i < command->n; i++)
		buf_printf(&line, "%s%.*s", i ? " " : "", STR_ARG(command->items[i]->text));
	page_pair(p, what, buf_view(&line));
	buf_release(&line);
}

static void put_records(const struct page *p)
{
	const struct root *r = root_of(p);
	html_table(p->out, "Commands", "what|command");
	put_words(p, "driver", json_path(p->manifest, "driver.command"));
	for (size_t i = 0; i < r->n_experiments; i++)
		put_words(p, arena_printf(p->arena, "falsifier of %s", page_text(p, r->experiments[i], "id", "?")),
			  json_path(r->experiments[i], "cheapest_falsifier.command"));
	html_table_end(p->out);
	put_list(p, "command_receipts", "Every call of the driver", "invocation|case|status|>exit|>seconds|output",
		 put_command);
	html_table(p->out, "Digests", "what|id or digest");
	page_pair(p, "target", json_str(p->manifest, "id", STR("?")));
	page_pair(p, "original", json_str(json_get(p->manifest, "original"), "digest", STR("?")));
	for (size_t i = 0; i < r->n_experiments; i++)
		page_pair(p, arena_printf(p->arena, "candidate of %s", page_text(p, r->experiments[i], "id", "?")),
			  json_str(json_get(r->experiments[i], "candidate"), "digest", STR("?")));
	for (size_t i = 0; i < r->n_calls; i++)
		page_pair(p, arena_printf(p->arena, "request of %s", r->calls[i].id),
			  json_str(r->calls[i].request, "request_digest", STR("?")));
	html_table_end(p->out);
	page_note(p, arena_printf(p->arena, "Made from the records of %s.", p->folder));
}

static const struct page_section sections[] = {
	{"champion", "Champion", put_champion},           {"readiness", "Readiness", put_readiness},
	{"baseline", "Baseline", put_baseline},           {"experiments", "Experiments", put_experiments},
	{"invocations", "Invocations", put_calls},        {"cases", "Cases", put_cases},
	{"records", "Records and commands", put_records},
};

bool target_page(struct buf *out, struct arena *a, const char *folder, struct err *e)
{
	struct root r;
	if (!root_open(&r, out, a, folder, e))
		return false;
	const struct page *p = &r.p;
	const struct json *metric = json_get(p->manifest, "primary_metric");
	html_begin(out, str_from(arena_printf(a, "assay: %s", path_base(folder))));
	page_head(p,
		  arena_printf(a, "%s: %zu experiment%s", path_base(folder), r.n_experiments,
			       r.n_experiments == 1 ? "" : "s"),
		  verdict_of(&r), has_champion(&r));
	page_note(p, arena_printf(a, "Target %s; %s (%s, %s is better), least effect %s %s; claim layer %s.",
				  page_text(p, p->manifest, "id", "?"), page_text(p, metric, "name", "?"),
				  page_text(p, metric, "aggregation", "?"), page_text(p, metric, "direction", "?"),
				  page_number(p, json_f64(json_get(p->manifest, "minimum_effect"), "value", NAN)),
				  page_text(p, json_get(p->manifest, "minimum_effect"), "unit", ""),
				  page_text(p, p->manifest, "claim_layer", "?")));
	page_sections(p, sections, COUNT_OF(sections));
	html_end(out);
	return true;
}

bool target_rows(struct buf *out, struct arena *a, const char *folder, bool is_md, struct err *e)
{
	static const char *const texts[] = {"verdict", "stop_reason", "measurement_validity"};
	static const char *const numbers[] = {"estimate_pct", "lower_pct", "upper_pct"};
	struct root r;
	struct rows rows = {.out = out, .is_md = is_md};
	if (!root_open(&r, out, a, folder, e))
		return false;
	if (is_md)
		buf_printf(out, "# %s\n\n%s\n\n", path_base(folder), verdict_of(&r));
	rows_head(&rows, "invocation|operation|experiment|verdict|stop_reason|measurement_validity|estimate_pct|lower_"
			 "pct|upper_pct|"
			 "n_pairs|elapsed_seconds");
	for (size_t i = 0; i < r.n_calls; i++) {
		const struct invocation *x = &r.calls[i];
		const struct json *g = json_get(x->result, "assay");
		rows_cell(&rows, str_from(x->id));
		rows_cell(&rows, json_str(x->request ? x->request : x->result, "operation", STR("")));
		rows_cell(&rows, str_from(experiment_of(&r, x)));
		for (size_t k = 0; k < COUNT_OF(texts); k++)
			rows_cell(&rows, json_str(x->result, texts[k], k ? STR("") : STR("unfinished")));
		for (size_t k = 0; k < COUNT_OF(numbers); k++)
			rows_number(&rows, json_f64(g, numbers[k], NAN));
		rows_cell(&rows,
			  str_from(json_get(g, "n_pairs") ? page_number(&r.p, json_f64(g, "n_pairs", NAN)) : ""));
		rows_number(&rows, json_f64(x->result, "elapsed_seconds", NAN));
		rows_end(&rows);
	}
	return true;
}
