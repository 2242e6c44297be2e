/* The environment in a driver's result.
 * In: the document's member. Out: the normalised copy that a Target freezes and every later call must equal.
 * A container whose lineage is not complete narrows what may be claimed; it is no error.
 * Never: looks at the machine. */
#include "protocol/driver/environment.h"

#include "protocol/shape.h"

#define MOST 64

static bool check_gpus(const struct json *j, struct err *e)
{
	const struct json *uuids = json_get(j, "gpu_uuids"), *models = json_get(j, "gpu_models"),
			  *archs = json_get(j, "gpu_architectures");
	if (!shape_names(uuids, "environment.gpu_uuids", 0, e))
		return false;
	if (uuids->n > MOST)
		return err_set(e, ERR_INPUT, "environment.gpu_uuids: more than %d", MOST);
	if (models->n != uuids->n || archs->n != uuids->n)
		return err_set(e, ERR_INPUT,
			       "environment: gpu_uuids, gpu_models and gpu_architectures differ in length");
	return shape_text(j, "environment", "driver_version", 256, e) &&
	       shape_text(j, "environment", "cuda_runtime_version", 256, e);
}

static bool check_frameworks(const struct json *j, struct err *e)
{
	if (j->n > 128)
		return err_set(e, ERR_INPUT, "environment.frameworks: more than 128");
	for (size_t i = 0; i < j->n; i++) {
		if (j->members[i].value->type != JSON_STRING)
			return err_set(e, ERR_INPUT, "environment.frameworks: versions are strings");
	}
	return true;
}

static bool check_lineage(const struct json *r, bool is_host, struct err *e)
{
	static const char where[] = "environment.runtime_provenance";
	const struct json *lineage = json_get(r, "lineage");
	size_t n_base = 0;
	for (size_t i = 0; i < lineage->n; i++) {
		if (!shape_check(lineage->items[i], "environment.runtime_provenance.lineage", "kind:s identity:s", e) ||
		    !shape_word(lineage->items[i], where, "kind", "base|overlay", e))
			return false;
		n_base += str_is(json_str(lineage->items[i], "kind", STR("")), "base");
	}
	bool complete = json_bool(r, "lineage_complete", false);
	if (is_host && (lineage->n || !complete))
		return err_set(e, ERR_INPUT, "%s: a host has an empty, complete lineage", where);
	if (!is_host && complete && n_base != 1)
		return err_set(e, ERR_INPUT, "%s: a complete container has exactly one base, not %zu", where, n_base);
	return true;
}

static bool check_provenance(const struct json *r, struct err *e)
{
	static const char where[] = "environment.runtime_provenance";
	if (!shape_check(r, where, "kind:s identity:s lineage_complete:b lineage:a components:a", e) ||
	    !shape_word(r, where, "kind", "host|container", e) || !shape_text(r, where, "identity", 4096, e))
		return false;
	const struct json *components = json_get(r, "components");
	for (size_t i = 0; i < components->n; i++) {
		if (!shape_check(components->items[i], "environment.runtime_provenance.components", "name:s identity:s",
				 e) ||
		    !shape_text(components->items[i], where, "name", 128, e))
			return false;
		for (size_t k = 0; k < i; k++) {
			if (str_eq(json_str(components->items[i], "name", STR("")),
				   json_str(components->items[k], "name", STR(""))))
				return err_set(e, ERR_INPUT, "%s.components: a name twice", where);
		}
	}
	return check_lineage(r, str_is(json_str(r, "kind", STR("")), "host"), e);
}

bool environment_normalise(struct json **out, struct arena *a, const struct json *environment, struct err *e)
{
	if (!shape_check(environment, "environment",
			 "gpu_uuids:S gpu_models:S gpu_architectures:S driver_version:s cuda_runtime_version:s "
			 "frameworks:o runtime_provenance:o",
			 e) ||
	    !check_gpus(environment, e) || !check_frameworks(json_get(environment, "frameworks"), e) ||
	    !check_provenance(json_get(environment, "runtime_provenance"), e))
		return false;
	*out = shape_copy(a, environment);
	struct json *r = json_get(*out, "runtime_provenance");
	json_set_cstr(r, "attribution_scope",
		      json_bool(r, "lineage_complete", false) ? "identified_runtime" : "frozen_runtime_only");
	return true;
}
