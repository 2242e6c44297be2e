/* Materials of a Target.
 * In: a reference. Out: the material and the path of its bytes.
 * Bytes are hashed again each time: what is read is what was frozen.
 * Never: copies a material. */
#include "inspect/material.h"

#include "protocol/shape.h"

static bool fail_as(struct inspection *i, const char *what, const char *how)
{
	return !protocol_step(i->p, arena_printf(i->p->arena, "%s_%s", what, how));
}

static bool is_word(struct str s, const char *words)
{
	struct str rest = str_from(words), one;
	while (rest.n && str_split(&rest, '|', &one)) {
		if (str_eq(one, s))
			return true;
	}
	return false;
}

static bool fits(struct inspection *i, const struct json *m, const struct material_rule *r, struct err *e)
{
	struct str kind = json_str(m, "kind", STR("")), tool = json_str(m, "tool", STR("")),
		   dialect = json_str(m, "dialect", STR(""));
	protocol_step(i->p, arena_printf(i->p->arena, "unsupported_%s", r->what));
	if (r->kind && !str_is(kind, r->kind))
		return err_set(e, ERR_INPUT, "%s_ref: the material's kind is %.40s, not %s", r->what, kind.p, r->kind);
	if (r->tool && !str_is(tool, r->tool))
		return err_set(e, ERR_INPUT, "%s_ref: the material's tool is %.60s, not %s", r->what, tool.p, r->tool);
	return is_word(dialect, r->dialects) ||
	       err_set(e, ERR_INPUT, "%s_ref: the material's dialect is %.60s; read are %s", r->what, dialect.p,
		       r->dialects);
}

const struct json *material_find(struct inspection *i, const struct json *ref, const struct material_rule *r,
				 struct err *e)
{
	const struct json *list = json_get(i->target.record, "diagnostic_materials"), *found = NULL;
	char where[64];
	snprintf(where, sizeof(where), "%s_ref", r->what);
	if (!shape_ref(ref, where, "id", e))
		return NULL;
	fail_as(i, r->what, "not_found");
	for (size_t k = 0; list && k < list->n; k++) {
		if (str_eq(json_str(list->items[k], "id", STR("")), json_str(ref, "id", STR(""))))
			found = list->items[k];
	}
	if (!found) {
		err_set(e, ERR_INPUT, "%s: %.64s is no material of the Target (its diagnostic_materials name them)",
			where, json_str(ref, "id", STR("")).p);
		return NULL;
	}
	fail_as(i, r->what, "changed");
	if (!str_eq(json_str(found, "sha256", STR("")), json_str(ref, "sha256", STR("")))) {
		err_set(e, ERR_INPUT, "%s.sha256: the material's object is %.12s", where,
			json_str(found, "sha256", STR("")).p);
		return NULL;
	}
	return fits(i, found, r, e) ? found : NULL;
}

bool material_freeze_report(struct inspection *i, const char *tool, const char *dialects, struct err *e)
{
	const struct material_rule rule = {"report", tool, dialects, "report"};
	const struct json *ref = json_get(i->request, "report_ref"), *m = material_find(i, ref, &rule, e);
	if (!m)
		return false;
	json_set(i->frozen, "report_ref", shape_copy(i->p->arena, ref));
	json_set(i->frozen, "material", shape_copy(i->p->arena, m));
	return true;
}

const char *material_path(struct inspection *i, const struct json *object_ref, const char *what, struct err *e)
{
	const char *digest = json_str(object_ref, "digest", STR("")).p;
	size_t n = 0;
	fail_as(i, what, "changed");
	if (!evidence_check_object(i->p, digest, e))
		return NULL;
	const struct tree_entry *entries = evidence_entries(i->p, digest, &n, e);
	if (!entries)
		return NULL;
	fail_as(i, what, "invalid");
	if (n != 1 || !str_is(json_str(object_ref, "source_kind", STR("")), "file")) {
		err_set(e, ERR_INPUT, "%s: is a folder of %zu entries; one file is read", what, n);
		return NULL;
	}
	return arena_printf(i->p->arena, "%s/objects/sha256/%s/payload/%s", i->p->root, digest, entries[0].path);
}

/* ---- reports ---- */

/* The number in "ncu 2025.3.1.0 (build 36398880)", "nsys export schema 3.25.0", "trace schema 1". */
static struct str number_of(struct str version)
{
	static const char *const before[] = {"ncu ", "nsys export schema ", "trace schema "};
	for (size_t i = 0; i < COUNT_OF(before); i++) {
		if (str_starts(version, before[i]))
			version = str_sub(version, strlen(before[i]), SIZE_MAX);
	}
	size_t blank = str_find(version, STR(" ("));
	return blank == SIZE_MAX ? version : str_sub(version, 0, blank);
}

/* "2025.3" names "2025.3.1.0", and so does "2025.3.1.0, from the cluster". */
static bool names_version(struct str declared, struct str number)
{
	if (!number.n || !declared.n)
		return false;
	bool begins = number.n >= declared.n && memcmp(number.p, declared.p, declared.n) == 0;
	return (begins && (number.n == declared.n || number.p[declared.n] == '.')) ||
	       str_find(declared, number) != SIZE_MAX;
}

static bool check_state(struct material_report *out, struct inspection *i, const struct reader_damage *d, struct err *e)
{
	struct str declared = json_str(out->material, "tool_version", STR(""));
	struct str number = number_of(str_from(d->version));
	bool agrees = names_version(declared, number), is_tool = str_starts(str_from(d->version), "ncu ");
	protocol_step(i->p, "unsupported_report");
	if (d->text[0])
		return err_set(e, ERR_INPUT, "the report is damaged: %s", d->text);
	if (d->derived[0])
		return err_set(e, ERR_INPUT, "the report is no original (%s); evidence is the file it was made from",
			       d->derived);
	protocol_step(i->p, "unsupported_tool_version");
	if (d->is_unverified && !agrees)
		return err_set(
			e, ERR_INPUT,
			"the report is of %s, which no test covers, and the material's tool_version is %.60s; one "
			"that holds \"%.*s\" is read and marked",
			d->version, declared.p, STR_ARG(number));
	json_set_cstr(out->assay, "report_version", number.n ? d->version : NULL);
	json_set_bool(out->assay, "version_verified", !d->is_unverified);
	if (is_tool && number.n)
		json_set_bool(out->assay, "version_agrees", agrees);
	else
		json_set_null(out->assay, "version_agrees");
	return true;
}

static struct json *facts_of(struct inspection *i, const struct reader *reader, void *report)
{
	struct reader_json_options o = {NULL, NULL};
	struct fact_set facts;
	fact_set_init(&facts, i->p->arena, reader->name);
	facts.binding.target = json_str(i->target.ref, "id", STR(""));
	facts.binding.claim_layer = STR("diagnostic");
	if (reader->facts)
		reader->facts(report, &facts, &o);
	return fact_set_json(&facts, i->p->arena);
}

bool material_open(struct material_report *out, struct inspection *i, const char *reader, struct err *e)
{
	struct reader_damage d = {{0}, false, {0}, {0}};
	const struct reader *which;
	struct arena *a = i->p->arena;
	*out = (struct material_report){.material = json_get(i->frozen, "material"), .assay = json_object(a)};
	out->tool = json_object(a);
	json_set(out->tool, "name", json_get(out->material, "tool"));
	json_set(out->tool, "version", json_get(out->material, "tool_version"));
	out->path = material_path(i, json_get(out->material, "object_ref"), "report", e);
	if (!out->path)
		return false;
	protocol_step(i->p, "unsupported_report");
	void *report = reader_open(&which, out->path, NULL, e);
	if (!report)
		return false;
	bool ok = strcmp(which->name, reader) == 0 ||
		  err_set(e, ERR_INPUT, "%s: is read as %s, not as %s", path_base(out->path), which->title, reader);
	out->is_open = ok;
	if (ok && which->damage)
		which->damage(report, &d);
	ok = ok && check_state(out, i, &d, e);
	json_set_cstr(out->assay, "reader", which->name);
	if (ok)
		json_set(out->assay, "facts", facts_of(i, which, report));
	which->close(report);
	return ok;
}

struct json *material_provenance(struct inspection *i, const struct material_report *r)
{
	struct json *j = json_object(i->p->arena);
	json_set(j, "tool", r->tool);
	json_set_array(j, "metrics");
	json_set(j, "parser_version", json_get(r->material, "dialect"));
	json_set(j, "tool_identity", json_get(i->frozen, "tool_identity"));
	json_set_array(j, "command_receipts");
	json_set_null(j, "driver_output");
	json_set(j, "report", json_get(r->material, "object_ref"));
	return j;
}
