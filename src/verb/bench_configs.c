/* One kernel in a set of configurations.
 * In: a kernel file, a set. Out: the plan, a bench of each configuration, one document of all.
 * The work is measure/configs.c.
 * Never: chooses one; leaves one out of the list. */
#include "verb/bench_configs.h"

#include <math.h>

#include "base/log.h"
#include "measure/configs.h"
#include "verb/dry_run.h"

struct work {
	const struct bench_configs *o;
	struct verb_call *call;
	struct configs configs;
};

static void say_plan(const struct work *w)
{
	const struct configs *c = &w->configs;
	struct buf *out = w->call->out;
	if (w->o->common->json)
		return;
	buf_printf(out, "%s in %zu configuration%s of %s, as many builds; fallback %s\n", w->o->bench->input.path,
		   c->set.n, c->set.n == 1 ? "" : "s", c->set.path, c->set.items[c->set.i_fallback].id);
	if (c->set.n_excluded)
		buf_printf(out, "%zu more of the product are left out by its conditions\n", c->set.n_excluded);
	buf_printf(out, "plan       %s\n", c->plan_id);
	verb_flush(w->call);
}

static void put_text(struct work *w, const char *id)
{
	const struct configs *c = &w->configs;
	struct arena *a = c->arena;
	struct term_table *t = term_table_new(a, "configuration|verdict|>build|>median|>to the lowest");
	double low = c->n_ranked ? c->tried[c->order[0]].rank_ns : NAN;
	for (size_t i = 0; i < c->set.n; i++) {
		const struct configs_tried *x = &c->tried[i];
		bool has_time = x->bench && x->bench->has_time && verdict_exit(x->verdict) == 0;
		term_table_cell(t, str_from(arena_printf(a, "%s%s", x->config->id,
							 i == c->set.i_fallback ? " (fallback)" : "")));
		term_table_cell(t, str_from(verdict_word(x->verdict)));
		term_table_cell(t, str_from(term_time(a, (double)x->artifact.compile_ns)));
		term_table_cell(t, str_from(has_time ? term_time(a, x->bench->median_ns) : "-"));
		term_table_cell(t, str_from(isfinite(x->rank_ns) ? arena_printf(a, "%.3fx", x->rank_ns / low) : "-"));
		term_table_end_row(t);
	}
	term_table_write(t, &w->call->term, w->call->out);
	for (size_t i = 0; i < c->set.n; i++) {
		const struct configs_tried *x = &c->tried[i];
		bool is_tried = x->bench || x->artifact.result != BUILD_OK;
		if (is_tried && verdict_exit(x->verdict) != 0)
			buf_printf(w->call->out, "%s: %s\n", x->config->id,
				   *x->text ? x->text : verdict_text(x->verdict));
	}
	buf_printf(w->call->out,
		   "Each was benched by itself; `assay compare FILE::SWITCHES FILE::SWITCHES` lets two take turns.\n"
		   "record     %s\n",
		   id);
}

static bool conclude(struct work *w, struct err *e)
{
	const struct configs *c = &w->configs;
	struct json *doc = configs_json(c);
	char id[STORE_ID_MAX];
	if (!configs_store(c, doc, id, e))
		return false;
	json_set_cstr(doc, "id", id);
	if (w->o->json_out && !verb_write_json(w->o->json_out, doc, e))
		return false;
	w->call->status = c->stopped_by ? verdict_exit(c->stopped_by->verdict) : 1;
	for (size_t i = 0; i < c->set.n && !c->stopped_by; i++)
		w->call->status = verdict_exit(c->tried[i].verdict) == 0 ? 0 : w->call->status;
	if (w->o->common->json && c->stopped)
		log_note("what was measured is in the record %s", id); /* stdout gets the error */
	else if (w->o->common->json)
		verb_put_json(w->call, doc);
	else
		put_text(w, id);
	return true;
}

/* An interrupt, a full disk: what was measured is a document all the same. */
static void keep_measured(struct work *w)
{
	struct err why = {ERR_NONE, ""};
	size_t n = 0;
	for (size_t i = 0; i < w->configs.set.n; i++)
		n += w->configs.tried[i].bench != NULL;
	if (n && !conclude(w, &why))
		log_note("what was measured could not be kept: %s", why.text);
	verb_flush(w->call); /* an error empties it */
}

bool bench_configs(const struct bench_configs *o, struct verb_call *call, struct err *e)
{
	struct work w = {.o = o, .call = call};
	if (!configs_open(&w.configs, call->arena, o->path, o->bench, e) || !configs_plan(&w.configs, e))
		return false;
	say_plan(&w);
	if (configs_run(&w.configs, e))
		return conclude(&w, e);
	keep_measured(&w);
	return false;
}

bool bench_configs_dry_builds(struct dry_run *d, const struct configs *c, struct err *e)
{
	dry_fact(d, "set",
		 arena_printf(c->arena, "%s: %zu builds, %zu left out by conditions, fallback %s", c->set.path,
			      c->set.n, c->set.n_excluded, c->set.items[c->set.i_fallback].id));
	for (size_t i = 0; i < c->set.n; i++) {
		struct bench_options b = c->bench;
		b.flags = configs_flags(c, i);
		if (!dry_build(d, c->set.items[i].id, &c->op, &c->device, &b, e))
			return false;
	}
	return true;
}

bool bench_configs_dry(struct dry_run *d, const struct bench_configs *o, struct err *e)
{
	struct configs c;
	if (!configs_open(&c, d->call->arena, o->path, o->bench, e))
		return false;
	dry_operator(d, "kernel", &c.op);
	dry_device(d, &c.device);
	if (!bench_configs_dry_builds(d, &c, e))
		return false;
	dry_step(d, "bench", NAN,
		 arena_printf(c.arena, "of each of the %zu, one after the other, each with its steps", c.set.n));
	dry_record(d, o->bench->store);
	return true;
}
