/* A report's facts.
 * In: results and their metrics.
 * Out: fact sets; lookups for rules.
 * Never: derives a number that the report does not hold. */
#include "read/ncu/facts.h"

#include <math.h>
#include <stdlib.h>

#include "read/ncu/result.h"

const struct ncu_metric *ncu_semantic(const struct ncu_report *r, const struct ncu_result *res, enum metric_id m)
{
	for (size_t i = 0;; i++) {
		struct str name = metric_name(m, i);
		if (!name.n)
			return NULL;
		uint32_t at = ncu_name(r, name);
		const struct ncu_metric *found = at == NCU_NO_METRIC ? NULL : ncu_metric_at(res, at);
		double v;
		if (found && ncu_number(found, &v) && !isnan(v))
			return found;
	}
}

bool ncu_rule_lookup(void *ctx, enum metric_id m, double *out)
{
	const struct ncu_subject *s = ctx;
	const struct ncu_metric *found = ncu_semantic(s->r, s->res, m);
	return found && ncu_number(found, out);
}

static enum fact_scope scope_of(const struct ncu_result *res)
{
	static const enum fact_scope scopes[] = {[NCU_KERNEL] = FACT_LAUNCH,
						 [NCU_RANGE] = FACT_RANGE,
						 [NCU_CMDLIST] = FACT_CMDLIST,
						 [NCU_GRAPH] = FACT_GRAPH};
	return scopes[res->kind];
}

static void set_value(struct fact *f, const struct ncu_metric *m)
{
	double v = 0;
	if (m->kind == NCU_STRING) {
		f->type = FACT_TEXT;
		f->text = (struct str){m->text, m->n_text};
	} else if (m->kind == NCU_U32 || m->kind == NCU_U64) {
		f->type = FACT_COUNT;
		f->count = m->u;
	} else if (ncu_number(m, &v)) {
		f->type = FACT_REAL;
		f->real = v;
	}
}

static void add_metric(const struct ncu_report *r, const struct ncu_result *res, const struct ncu_metric *m,
		       struct str id, struct fact_set *out)
{
	if (m->kind == NCU_NO_VALUE)
		return;
	struct fact *f = fact_add(out, id, ncu_unit(r, m), scope_of(res));
	set_value(f, m);
	f->subject = res->name;
	f->i_subject = res->id;
	f->source = r->names[m->name];
}

static void add_result(const struct ncu_report *r, const struct ncu_result *res, struct fact_set *out, bool all)
{
	for (int m = 0; m < METRIC_COUNT; m++) {
		const struct ncu_metric *found = ncu_semantic(r, res, (enum metric_id)m);
		if (!found)
			continue;
		add_metric(r, res, found, str_from(metric_row((enum metric_id)m)->id), out);
		out->items[out->n - 1].aggregation = metric_row((enum metric_id)m)->aggregation;
	}
	for (size_t i = 0; all && i < res->n_metrics; i++) {
		enum metric_id m;
		struct str name = r->names[res->metrics[i].name];
		if (!metric_from_name(name, &m))
			add_metric(r, res, &res->metrics[i], name, out);
	}
}

static void add_trust(const struct ncu_report *r, struct fact_set *out)
{
	size_t n_unlocked = 0, n_said = 0;
	for (size_t i = 0; i < r->n_results; i++) {
		n_said += r->results[i].has_clock_lock;
		n_unlocked += r->results[i].has_clock_lock && !r->results[i].clock_locked;
	}
	fact_add_count(out, "report.results", "", r->n_results);
	if (n_said)
		fact_add_count(out, "trust.results_without_clock_lock", "", n_unlocked);
	fact_add_count(out, "trust.unmodeled_fields", "", r->n_unmodeled);
	if (r->damage.is_damaged) {
		fact_add_count(out, "trust.damage_offset", "byte", r->damage.offset);
		fact_add_count(out, "trust.missing_bytes", "byte", r->damage.n_missing);
		fact_add_text(out, "trust.damage", str_from(r->damage.reason));
	}
	for (size_t i = 0; i < r->session.n_devices; i++) {
		struct fact *f = fact_add(out, STR("device.name"), "", FACT_DEVICE);
		f->type = FACT_TEXT;
		f->text = f->subject = r->session.devices[i].name;
		f->i_subject = r->session.devices[i].id;
	}
}

struct json *ncu_unmodeled_json(const struct ncu_report *r, struct arena *a)
{
	if (!r->n_unmodeled)
		return NULL;
	struct json *list = json_array(a);
	for (size_t i = 0; i < r->n_unmodeled; i++) {
		const struct ncu_unmodeled *u = &r->unmodeled[i];
		struct json *o = json_object(a);
		json_push(list, o);
		json_set_cstr(o, "message", u->message);
		json_set_u64(o, "field", u->field);
		json_set_u64(o, "wire", u->wire);
		json_set_u64(o, "count", u->n);
		json_set_u64(o, "offset", u->offset);
	}
	return list;
}

void ncu_facts(const struct ncu_report *r, struct fact_set *out, bool all)
{
	out->origin.tool = "ncu";
	out->origin.version = r->tool_version;
	out->origin.is_verified = r->is_verified;
	out->origin.path = r->path;
	out->unmodeled = ncu_unmodeled_json(r, out->arena);
	add_trust(r, out);
	for (size_t i = 0; i < r->n_results; i++)
		add_result(r, &r->results[i], out, all);
}
