/* Machine code against the words of a proposal.
 * In: the listing of the kernels that a version launched; its tags.
 * Out: lists of mechanisms by verdict; a verdict for each tag that names one.
 * Never: takes a name, a comment or a kernel that was not launched for proof. */
#include "loop/machine.h"

#include "base/file.h"
#include "facts/mechanism.h"
#include "read/sass/signature.h"

static const char *const lists[] = {"shown", "not_shown", "contradicted", "not_applicable"};

static const char *list_of(const struct sass_finding *f)
{
	return f->contradicts ? "contradicted" : sass_verdict_name(f->verdict);
}

struct json *machine_json(struct arena *a, const struct sass_collected *c)
{
	struct json *j = json_object(a);
	size_t n = 0;
	json_set_cstr(j, "state", c->reason ? "unavailable" : "read");
	if (c->reason) {
		json_set_cstr(j, "reason", c->reason);
		return j;
	}
	json_set_cstr(j, "binary_sha256", c->listing.binary_sha256);
	json_set_cstr(j, "tool", c->tool);
	json_set_cstr(j, "tool_version", c->version);
	struct json *kernels = json_set_array(j, "kernels");
	for (size_t i = 0; i < c->listing.n_kernels; i++)
		json_push_str(kernels, c->listing.kernels[i].name);
	json_set_str(j, "arch", c->listing.kernels[0].arch);
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		json_set_array(j, lists[i]);
	struct sass_finding *f = sass_judge_all(&c->listing, NULL, a, &n);
	for (size_t i = 0; i < n; i++) {
		struct json *list = json_get(j, list_of(&f[i]));
		if (list)
			json_push_str(list, str_from(f[i].key));
	}
	return j;
}

bool machine_write(const char *path, struct arena *a, const struct sass_collected *c, struct err *e)
{
	struct json *j = sass_json(&c->listing, a);
	struct buf b;
	json_set_cstr(j, "format", "assay/machine-code-v1");
	json_set_cstr(j, "tool", c->tool);
	json_set_cstr(j, "tool_version", c->version);
	json_set(j, "mechanisms", sass_findings_json(&c->listing, NULL, a));
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = file_write_str(path, buf_view(&b), e);
	buf_release(&b);
	return ok;
}

static bool holds(const struct json *list, const char *key)
{
	for (size_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
		if (list->items[i]->type == JSON_STRING && str_is(list->items[i]->text, key))
			return true;
	}
	return false;
}

struct json *machine_claims(struct arena *a, const struct json *machine_code, const struct tags *t)
{
	struct json *claims = json_array(a);
	if (!str_is(json_str(machine_code, "state", STR("")), "read"))
		return claims;
	for (size_t i = 0; i < t->n; i++) {
		const struct mechanism *m = mechanism_find(str_from(t->items[i]));
		const char *verdict = "no_signature";
		if (!m)
			continue;
		for (size_t k = 0; k < COUNT_OF(lists); k++) {
			if (holds(json_get(machine_code, lists[k]), m->key))
				verdict = lists[k];
		}
		struct json *x = json_object(a);
		json_set_cstr(x, "tag", t->items[i]);
		json_set_cstr(x, "mechanism", m->key);
		json_set_cstr(x, "verdict", verdict);
		json_push(claims, x);
	}
	return claims;
}

const char *machine_tags(struct arena *a, const struct json *claims, const char *verdict)
{
	const char *text = NULL;
	for (size_t i = 0; claims && claims->type == JSON_ARRAY && i < claims->n; i++) {
		struct str tag = json_str(claims->items[i], "tag", STR(""));
		if (str_is(json_str(claims->items[i], "verdict", STR("")), verdict))
			text = arena_printf(a, "%s%s%.*s", text ? text : "", text ? ", " : "", STR_ARG(tag));
	}
	return text;
}
