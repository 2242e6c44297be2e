/* Compiler artifacts of a Target.
 * In: an artifact_ref. Out: its place in the store, whose it is, where it was made.
 * An artifact of a driver is bound to the call that left it, with every subject of that call.
 * Never: takes an artifact whose kind is not the stage that is asked for. */
#include "inspect/artifact.h"

#include "inspect/material.h"
#include "protocol/evaluate/plan.h"
#include "protocol/shape.h"

static const char *const dialects[STAGE_COUNT] = {"cuda-source-v1", "triton-ttir-v1", "triton-ttgir-v1", "llvm-ir-v1",
						  "ptx-v1",         "sass-text-v1",   "cuda-binary-v1"};

static enum stage stage_of(struct str word, const char *const *words)
{
	size_t s = 0;
	while (s < STAGE_COUNT && !str_is(word, words ? words[s] : stage_name((enum stage)s)))
		s++;
	return (enum stage)s;
}

/* "a|b" without the stages that the family does not read. */
static bool is_read(const char *stages, enum stage s)
{
	struct str rest = str_from(stages), one;
	while (s != STAGE_COUNT && rest.n && str_split(&rest, '|', &one)) {
		if (str_is(one, stage_name(s)))
			return true;
	}
	return false;
}

struct naming {
	struct inspection *i;
	const struct json *ref;
	const char *stages;
	enum stage asked; /* STAGE_COUNT: the request names none */
	enum stage stage;
	struct json *artifact, *binding;
};

static bool check_stage(struct naming *n, const char *what, struct str said, struct err *e)
{
	protocol_step(n->i->p, "unsupported_artifact");
	if (!is_read(n->stages, n->stage))
		return err_set(e, ERR_INPUT, "artifact_ref: the %s is %.60s; read are %s", what, said.p, n->stages);
	if (n->asked != STAGE_COUNT && n->asked != n->stage)
		return err_set(e, ERR_INPUT, "artifact_ref: the %s is %.60s, the request's stage %s", what, said.p,
			       stage_name(n->asked));
	json_set_cstr(n->artifact, "stage", stage_name(n->stage));
	return true;
}

/* ---- a material ---- */

static bool name_material(struct naming *n, struct err *e)
{
	static const struct material_rule rule = {NULL, NULL,
						  "cuda-source-v1|triton-ttir-v1|triton-ttgir-v1|llvm-ir-v1|ptx-v1|"
						  "sass-text-v1|cuda-binary-v1",
						  "material"};
	const struct json *m = material_find(n->i, json_get(n->ref, "material_ref"), &rule, e);
	if (!m)
		return false;
	struct str dialect = json_str(m, "dialect", STR(""));
	n->stage = stage_of(dialect, dialects);
	if (!check_stage(n, "material's dialect", dialect, e))
		return false;
	json_set(n->artifact, "object_ref", shape_copy(n->i->p->arena, json_get(m, "object_ref")));
	json_set_null(n->artifact, "relative_path");
	json_set_str(n->artifact, "dialect", dialect);
	json_set(n->binding, "material", shape_copy(n->i->p->arena, m));
	json_set_array(n->binding, "subjects");
	json_set_null(n->binding, "role");
	return true;
}

/* ---- what a driver left ---- */

static const struct json *artifact_named(const struct json *receipt, struct str path)
{
	const struct json *list = json_get(receipt, "driver_artifacts");
	for (size_t k = 0; list && k < list->n; k++) {
		if (str_eq(json_str(list->items[k], "relative_path", STR("")), path))
			return list->items[k];
	}
	return NULL;
}

static void bind_subjects(struct naming *n, const struct json *receipt)
{
	struct arena *a = n->i->p->arena;
	const struct json *subjects = json_path(receipt, "request.subjects");
	struct json *list = json_set_array(n->binding, "subjects");
	for (size_t k = 0; subjects && k < subjects->n; k++) {
		const struct json *v = json_get(subjects->items[k], "variant");
		struct json *s = json_object(a);
		json_set_str(s, "role", json_str(subjects->items[k], "role", STR("")));
		json_set_str(s, "kind", json_str(v, "kind", STR("")));
		json_set_str(s, "digest", json_str(v, "digest", STR("")));
		json_push(list, s);
	}
	json_set_null(n->binding, "role"); /* of a call with two subjects nothing says whose it is */
	if (list->n == 1)
		json_set(n->binding, "role", json_get(list->items[0], "role"));
}

static bool bind_mechanism(struct naming *n, const struct json *result, struct err *e)
{
	const struct json *ref = json_get(result, "experiment_ref");
	if (!ref || !str_is(json_str(n->binding, "role", STR("")), "candidate"))
		return true;
	const char *path = arena_printf(n->i->p->arena, "experiments/%s.json", json_str(ref, "id", STR("")).p);
	const struct json *x = plan_record(n->i->p, "experiment", path, ref, e);
	if (!x)
		return false;
	json_set(n->binding, "experiment_ref", shape_copy(n->i->p->arena, ref));
	json_set(n->binding, "mechanism_key", json_get(x, "mechanism_key"));
	return true;
}

static bool name_output(struct naming *n, struct err *e)
{
	struct arena *a = n->i->p->arena;
	const struct json *ref = json_get(n->ref, "invocation_ref");
	struct str path = json_str(n->ref, "relative_path", STR(""));
	int64_t at = json_i64(n->ref, "receipt_index", -1);
	if (!shape_ref(ref, "artifact_ref.invocation_ref", "invocation_id", e))
		return false;
	const char *name = arena_printf(a, "invocations/%s/result.json", json_str(ref, "invocation_id", STR("")).p);
	const struct json *r = plan_record(n->i->p, "invocation", name, ref, e);
	if (!r)
		return false;
	if (!shape_same(json_get(r, "target_ref"), n->i->target.ref))
		return err_set(e, ERR_INPUT, "artifact_ref.invocation_ref: belongs to another Target");
	const struct json *receipt = at < 0 ? NULL : json_at(json_get(r, "command_receipts"), (size_t)at);
	const struct json *x = artifact_named(receipt, path), *output = json_get(receipt, "driver_output_ref");
	protocol_step(n->i->p, "artifact_not_found");
	if (!receipt)
		return err_set(e, ERR_INPUT, "artifact_ref.receipt_index: %lld, the result has %zu command receipts",
			       (long long)at, json_get(r, "command_receipts") ? json_get(r, "command_receipts")->n : 0);
	if (!x || !output || output->type != JSON_OBJECT)
		return err_set(e, ERR_INPUT, "artifact_ref.relative_path: that call left no artifact %.100s", path.p);
	n->stage = stage_of(json_str(x, "kind", STR("")), NULL);
	if (!check_stage(n, "artifact's kind", json_str(x, "kind", STR("")), e))
		return false;
	json_set(n->artifact, "object_ref", shape_copy(a, output));
	json_set_str(n->artifact, "relative_path", path);
	json_set_cstr(n->artifact, "dialect", dialects[n->stage]);
	json_set(n->artifact, "sha256", shape_copy(a, json_get(x, "sha256")));
	json_set(n->binding, "invocation_ref", shape_copy(a, ref));
	json_set_i64(n->binding, "receipt_index", at);
	bind_subjects(n, receipt);
	return bind_mechanism(n, r, e);
}

static struct json *environment_binding(struct inspection *i)
{
	struct json *j = json_object(i->p->arena);
	json_set(j, "host_id", json_path(i->target.record, "environment.host.host_id"));
	json_set(j, "platform", json_path(i->target.record, "environment.host.platform"));
	json_set(j, "runtime", json_path(i->target.record, "environment.runtime"));
	return j;
}

bool artifact_freeze(struct inspection *i, const char *stages, bool stage_of_kind, struct err *e)
{
	struct arena *a = i->p->arena;
	struct naming n = {.i = i,
			   .ref = json_get(i->request, "artifact_ref"),
			   .stages = stages,
			   .asked = STAGE_COUNT,
			   .artifact = json_object(a),
			   .binding = json_object(a)};
	bool is_material = str_is(json_str(n.ref, "source", STR("")), "target_material");
	const char *members =
		arena_printf(a, "source:s%s %s", stage_of_kind ? "" : " stage:s",
			     is_material ? "material_ref:o" : "invocation_ref:o receipt_index:i relative_path:s");
	if (!shape_word(n.ref, "artifact_ref", "source", "target_material|invocation_driver_artifact", e) ||
	    !shape_check(n.ref, "artifact_ref", members, e) ||
	    (!stage_of_kind && !shape_word(n.ref, "artifact_ref", "stage", stages, e)))
		return false;
	if (!stage_of_kind)
		n.asked = stage_of(json_str(n.ref, "stage", STR("")), NULL);
	json_set(n.binding, "source", shape_copy(a, json_get(n.ref, "source")));
	if (!(is_material ? name_material(&n, e) : name_output(&n, e)))
		return false;
	json_set(i->frozen, "artifact_ref", shape_copy(a, n.ref));
	json_set(i->frozen, "artifact", n.artifact);
	json_set(i->frozen, "source_binding", n.binding);
	json_set(i->frozen, "environment_binding", environment_binding(i));
	return true;
}

/* ---- reading ---- */

static const char *path_of(struct inspection *i, const struct json *artifact, struct err *e)
{
	const struct json *object = json_get(artifact, "object_ref");
	struct str relative = json_str(artifact, "relative_path", STR(""));
	if (relative.n == 0)
		return material_path(i, object, "artifact", e);
	const char *digest = json_str(object, "digest", STR("")).p;
	protocol_step(i->p, "artifact_changed");
	if (!evidence_check_object(i->p, digest, e))
		return NULL;
	return arena_printf(i->p->arena, "%s/objects/sha256/%s/payload/%s", i->p->root, digest, relative.p);
}

bool artifact_open(struct artifact *out, struct inspection *i, struct err *e)
{
	const struct json *artifact = json_get(i->frozen, "artifact");
	struct str want = json_str(artifact, "sha256", STR(""));
	struct file_map map;
	*out = (struct artifact){.stage = stage_of(json_str(artifact, "stage", STR("")), NULL)};
	out->path = path_of(i, artifact, e);
	if (!out->path || !file_map(&map, out->path, e))
		return false;
	out->text = (struct str){map.p, map.n};
	out->bytes = map.n;
	sha256_of(map.p, map.n, out->sha256);
	protocol_step(i->p, "artifact_changed");
	return want.n == 0 || str_is(want, out->sha256) ||
	       err_set(e, ERR_CORRUPT, "%s: hashes to %.12s, the driver declared %.12s", out->path, out->sha256,
		       want.p);
}
