/* Fact sets.
 * In: values from readers.
 * Out: an appendable list and its JSON form.
 * Never: interprets a value. */
#include "facts/fact.h"

#include <string.h>

static const char *const scope_names[FACT_SCOPES] = {
	[FACT_REPORT] = "report",   [FACT_DEVICE] = "device", [FACT_PROCESS] = "process", [FACT_STREAM] = "stream",
	[FACT_KERNEL] = "kernel",   [FACT_LAUNCH] = "launch", [FACT_RANGE] = "range",     [FACT_GRAPH] = "graph",
	[FACT_CMDLIST] = "cmdlist", [FACT_SOURCE] = "source",
};

const char *fact_scope_name(enum fact_scope s)
{
	return scope_names[s];
}

void fact_set_init(struct fact_set *s, struct arena *a, const char *tool)
{
	*s = (struct fact_set){.arena = a, .origin = {.tool = tool}};
}

struct fact *fact_add(struct fact_set *s, struct str id, const char *unit, enum fact_scope scope)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 64;
		struct fact *items = ARENA_ARRAY(s->arena, cap, struct fact);
		if (s->n)
			memcpy(items, s->items, s->n * sizeof(*items));
		s->items = items;
		s->cap = cap;
	}
	struct fact *f = &s->items[s->n++];
	*f = (struct fact){.id = id, .unit = unit, .aggregation = "value", .scope = scope};
	return f;
}

void fact_add_real(struct fact_set *s, const char *id, const char *unit, double v)
{
	struct fact *f = fact_add(s, str_from(id), unit, FACT_REPORT);
	f->type = FACT_REAL;
	f->real = v;
}

void fact_add_count(struct fact_set *s, const char *id, const char *unit, uint64_t v)
{
	struct fact *f = fact_add(s, str_from(id), unit, FACT_REPORT);
	f->type = FACT_COUNT;
	f->count = v;
}

void fact_add_text(struct fact_set *s, const char *id, struct str v)
{
	struct fact *f = fact_add(s, str_from(id), "", FACT_REPORT);
	f->type = FACT_TEXT;
	f->text = v;
}

static void set_some(struct json *j, const char *key, struct str v)
{
	if (v.n)
		json_set_str(j, key, v);
}

static struct json *fact_json(const struct fact *f, struct arena *a)
{
	struct json *j = json_object(a);
	json_set_str(j, "id", f->id);
	switch (f->type) {
	case FACT_REAL:
		json_set_f64(j, "value", f->real);
		break;
	case FACT_COUNT:
		json_set_u64(j, "value", f->count);
		break;
	case FACT_TEXT:
		json_set_str(j, "value", f->text);
		break;
	}
	json_set_cstr(j, "unit", f->unit);
	json_set_cstr(j, "aggregation", f->aggregation);
	json_set_cstr(j, "scope", fact_scope_name(f->scope));
	if (f->subject.n) {
		json_set_str(j, "subject", f->subject);
		json_set_u64(j, "subject_index", f->i_subject);
	}
	set_some(j, "source", f->source);
	return j;
}

struct json *fact_set_json(const struct fact_set *s, struct arena *a)
{
	struct json *j = json_object(a), *origin = json_set_object(j, "origin"), *binding;
	json_set_cstr(j, "format", "assay/facts-v1");
	json_set_cstr(origin, "tool", s->origin.tool);
	set_some(origin, "version", s->origin.version);
	json_set_bool(origin, "verified", s->origin.is_verified);
	set_some(origin, "path", s->origin.path);
	set_some(origin, "derived", s->origin.derived);
	if (*s->origin.sha256)
		json_set_cstr(origin, "sha256", s->origin.sha256);
	binding = json_set_object(j, "binding");
	set_some(binding, "target", s->binding.target);
	set_some(binding, "variant", s->binding.variant);
	set_some(binding, "case", s->binding.kase);
	set_some(binding, "concurrency", s->binding.concurrency);
	set_some(binding, "phase", s->binding.phase);
	set_some(binding, "coverage", s->binding.coverage);
	json_set_str(binding, "claim_layer", s->binding.claim_layer.n ? s->binding.claim_layer : STR("diagnostic"));
	struct json *facts = json_set_array(j, "facts");
	for (size_t i = 0; i < s->n; i++)
		json_push(facts, fact_json(&s->items[i], a));
	if (s->unmodeled)
		json_set(j, "unmodeled", s->unmodeled);
	return j;
}
