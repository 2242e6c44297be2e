/* A driver's result.
 * In: the request, the output folder. Out: the checked document, or the published stop reason with a line of text.
 * Artifacts are hashed here; the folder holds result.json, them and their folders, nothing else.
 * Never: believes a digest that the driver wrote. */
#include "protocol/driver/result.h"

#include <math.h>
#include <string.h>

#include "protocol/driver/driver.h"
#include "protocol/driver/environment.h"
#include "protocol/shape.h"

#define MOST_SAMPLES 100000
#define MOST_ARTIFACTS 128
#define MOST_ARTIFACT_BYTES (UINT64_C(8) << 30)

#define MEMBERS                                                                                                        \
	"protocol_version:s request_digest:s target_id:s execution_id:s subject_digests:a case_id:s artifacts:a "      \
	"cleanup:o driver_identity:s environment:o acquisition:o evidence:o"

static const char *const echoes[] = {"request_digest", "target_id", "execution_id", "driver_identity", "acquisition"};

static bool check_echoes(const struct json *j, const struct json *request, struct err *e)
{
	if (!shape_word(j, "result", "protocol_version", DRIVER_RESULT, e))
		return false;
	for (size_t i = 0; i < COUNT_OF(echoes); i++) {
		if (!shape_same(json_get(j, echoes[i]), json_get(request, echoes[i])))
			return err_set(e, ERR_INPUT, "result.%s: is not that of the request", echoes[i]);
	}
	if (!str_eq(json_str(j, "case_id", STR("")), json_str(json_get(request, "case"), "id", STR(""))))
		return err_set(e, ERR_INPUT, "result.case_id: is not that of the request");
	return true;
}

static bool check_subjects(const struct json *j, const struct json *request, struct err *e)
{
	const struct json *given = json_get(j, "subject_digests"), *asked = json_get(request, "subjects");
	if (given->n != asked->n)
		return err_set(e, ERR_INPUT, "result.subject_digests: %zu, the request has %zu subjects", given->n,
			       asked->n);
	for (size_t i = 0; i < given->n; i++) {
		if (!shape_check(given->items[i], "result.subject_digests", "role:s digest:s", e))
			return false;
		if (!str_eq(json_str(given->items[i], "role", STR("")), json_str(asked->items[i], "role", STR(""))) ||
		    !str_eq(json_str(given->items[i], "digest", STR("")),
			    json_str(json_get(asked->items[i], "variant"), "digest", STR(""))))
			return err_set(e, ERR_INPUT, "result.subject_digests: not those of the request");
	}
	return true;
}

/* ---- artifacts ---- */

static bool is_canonical(struct str path)
{
	struct str rest = path, part;
	if (path.n == 0 || path.n > 4096 || path.p[0] == '/' || memchr(path.p, '\\', path.n))
		return false;
	while (str_split(&rest, '/', &part)) {
		if (part.n == 0 || str_is(part, ".") || str_is(part, ".."))
			return false;
	}
	return !str_is(path, "result.json");
}

static const struct json *artifact_at(const struct json *artifacts, struct str path)
{
	for (size_t i = 0; i < artifacts->n; i++) {
		if (str_eq(json_str(artifacts->items[i], "relative_path", STR("")), path))
			return artifacts->items[i];
	}
	return NULL;
}

static bool is_parent(const struct json *artifacts, struct str folder)
{
	for (size_t i = 0; i < artifacts->n; i++) {
		struct str path = json_str(artifacts->items[i], "relative_path", STR(""));
		if (path.n > folder.n && memcmp(path.p, folder.p, folder.n) == 0 && path.p[folder.n] == '/')
			return true;
	}
	return false;
}

/* What the folder holds, against what was declared. */
static bool check_entries(const struct json *artifacts, const struct json *entries, struct err *e)
{
	size_t n_found = 0;
	for (size_t i = 0; i < entries->n; i++) {
		struct str path = json_str(entries->items[i], "path", STR(""));
		bool is_folder = str_is(json_str(entries->items[i], "kind", STR("")), "directory");
		const struct json *a = is_folder ? NULL : artifact_at(artifacts, path);
		if (is_folder ? is_parent(artifacts, path) : str_is(path, "result.json"))
			continue;
		if (!a)
			return err_set(e, ERR_INPUT, "output: %.200s is there and not declared", path.p);
		if (!str_eq(json_str(a, "sha256", STR("")), json_str(entries->items[i], "sha256", STR(""))))
			return err_set(e, ERR_INPUT, "artifact %.200s: its bytes hash to %.12s, declared is %.12s",
				       path.p, json_str(entries->items[i], "sha256", STR("")).p,
				       json_str(a, "sha256", STR("")).p);
		n_found++;
	}
	return n_found == artifacts->n ||
	       err_set(e, ERR_INPUT, "artifacts: %zu declared, %zu there", artifacts->n, n_found);
}

static bool check_artifacts(struct driver_answer *out, struct protocol *p, const char *folder, struct err *e)
{
	const struct json *artifacts = json_get(out->result, "artifacts");
	struct tree_limits limits = {.max_files = MOST_ARTIFACTS + 1,
				     .max_bytes = MOST_ARTIFACT_BYTES + (UINT64_C(1) << 30)};
	struct tree t;
	struct buf text;
	if (artifacts->n > MOST_ARTIFACTS)
		return err_set(e, ERR_INPUT, "artifacts: more than %d", MOST_ARTIFACTS);
	for (size_t i = 0; i < artifacts->n; i++) {
		const struct json *x = artifacts->items[i];
		if (!shape_check(x, "artifacts", "kind:s relative_path:s sha256:s", e) ||
		    !shape_text(x, "artifacts", "kind", 128, e))
			return false;
		if (!is_canonical(json_str(x, "relative_path", STR(""))))
			return err_set(e, ERR_INPUT, "artifacts: \"%.100s\" is no relative path",
				       json_str(x, "relative_path", STR("")).p);
	}
	buf_init(&text);
	bool ok = tree_manifest(folder, &limits, &t, &text, e);
	struct json *manifest = ok ? json_parse(p->arena, folder, buf_view(&text), JSON_LARGE, e) : NULL;
	buf_release(&text);
	if (!manifest || !check_entries(artifacts, json_get(manifest, "entries"), e))
		return false;
	out->output_ref = json_object(p->arena);
	json_set_cstr(out->output_ref, "digest", t.digest);
	json_set_cstr(out->output_ref, "locator", arena_printf(p->arena, "objects/sha256/%s", t.digest));
	json_set_cstr(out->output_ref, "source_kind", "directory");
	json_set_u64(out->output_ref, "file_count", t.n_files);
	json_set_u64(out->output_ref, "total_bytes", t.n_bytes);
	return true;
}

/* ---- evidence ---- */

struct json *driver_answer_of(const struct json *result, const char *which, struct str role)
{
	const struct json *list = json_get(json_get(result, "evidence"), which);
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_eq(json_str(list->items[i], "role", STR("")), role))
			return json_get(list->items[i], "result");
	}
	return NULL;
}

bool driver_gate_holds(double observed, struct str op, double threshold)
{
	if (str_is(op, "greater_or_equal"))
		return observed >= threshold;
	return str_is(op, "less_or_equal") ? observed <= threshold : observed == threshold;
}

static bool check_correctness(const struct json *r, struct err *e)
{
	if (!shape_check(r, "evidence.correctness.result", "status:s metrics:o", e) ||
	    !shape_word(r, "evidence.correctness.result", "status", "passed|failed", e))
		return false;
	const struct json *m = json_get(r, "metrics");
	if (m->n > 256)
		return err_set(e, ERR_INPUT, "evidence.correctness: more than 256 metrics");
	for (size_t i = 0; i < m->n; i++) {
		if (m->members[i].key.n > 128 || !json_is_number(m->members[i].value) ||
		    !isfinite(m->members[i].value->real))
			return err_set(e, ERR_INPUT,
				       "evidence.correctness.metrics: a name is too long or a value no number");
	}
	return true;
}

static bool check_samples(const struct json *x, struct err *e)
{
	const struct json *s = json_get(x, "samples");
	if (!shape_check(x, "evidence.measurements", "name:s unit:s samples:a", e))
		return false;
	if (s->n == 0 || s->n > MOST_SAMPLES)
		return err_set(e, ERR_INPUT, "evidence.measurements: %zu samples, 1 to %d wanted", s->n, MOST_SAMPLES);
	for (size_t i = 0; i < s->n; i++) {
		if (!json_is_number(s->items[i]) || !isfinite(s->items[i]->real))
			return err_set(e, ERR_INPUT, "evidence.measurements: sample %zu is no finite number", i);
	}
	return true;
}

static bool check_measurements(const struct json *r, struct err *e)
{
	if (!shape_check(r, "evidence.measurements.result", "primary:o constraints:a", e))
		return false;
	const struct json *c = json_get(r, "constraints");
	bool ok = check_samples(json_get(r, "primary"), e);
	if (ok && c->n > 128)
		ok = err_set(e, ERR_INPUT, "evidence.measurements: more than 128 constraints");
	for (size_t i = 0; ok && i < c->n; i++)
		ok = check_samples(c->items[i], e);
	return ok;
}

static bool check_evidence(const struct json *j, const struct json *request, struct err *e)
{
	static const char *const lists[] = {"correctness", "measurements"};
	const struct json *subjects = json_get(request, "subjects"), *evidence = json_get(j, "evidence");
	if (!shape_check(evidence, "evidence", "correctness:a measurements:a", e))
		return false;
	for (size_t k = 0; k < COUNT_OF(lists); k++) {
		const struct json *list = json_get(evidence, lists[k]);
		if (list->n != subjects->n)
			return err_set(e, ERR_INPUT, "evidence.%s: one entry a subject is wanted", lists[k]);
		for (size_t i = 0; i < list->n; i++) {
			if (!shape_check(list->items[i], lists[k], "role:s result:o", e))
				return false;
		}
		for (size_t i = 0; i < subjects->n; i++) {
			const struct json *r =
				driver_answer_of(j, lists[k], json_str(subjects->items[i], "role", STR("")));
			if (!r)
				return err_set(e, ERR_INPUT, "evidence.%s: a role of the request is missing", lists[k]);
			if (!(k == 0 ? check_correctness(r, e) : check_measurements(r, e)))
				return false;
		}
	}
	return true;
}

/* ---- against the objective ---- */

static const struct json *named(const struct json *list, struct str name)
{
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_eq(json_str(list->items[i], "name", STR("")), name))
			return list->items[i];
	}
	return NULL;
}

static int64_t wanted_samples(const struct json *request)
{
	const struct json *s = json_get(request, "sampling");
	return json_i64(s, "samples_per_case", json_i64(s, "repetitions", 0));
}

/* The published median takes exactly the samples that were asked for; a tail needs more of them than batches. */
static bool is_count(const struct json *samples, const struct json *metric, size_t n)
{
	bool is_exact = str_is(json_str(metric, "aggregation", STR("median")), "median");
	return n == 0 || (is_exact ? samples->n == n : samples->n >= n);
}

static const char *compare_objective(const struct json *m, const struct json *request)
{
	const struct json *objective = json_get(request, "objective"), *primary = json_get(m, "primary");
	const struct json *want = json_get(objective, "primary_metric"), *limits = json_get(objective, "constraints");
	const struct json *have = json_get(m, "constraints");
	size_t n = (size_t)wanted_samples(request);
	if (!str_eq(json_str(primary, "name", STR("")), json_str(want, "name", STR(""))) ||
	    !str_eq(json_str(primary, "unit", STR("")), json_str(want, "unit", STR(""))))
		return "primary_metric_mismatch";
	if (have->n != limits->n)
		return "constraint_metric_mismatch";
	for (size_t i = 0; i < limits->n; i++) {
		const struct json *x = named(have, json_str(limits->items[i], "name", STR("")));
		if (!x)
			return "constraint_metric_mismatch";
		if (!str_eq(json_str(x, "unit", STR("")), json_str(limits->items[i], "unit", STR(""))))
			return "constraint_unit_mismatch";
		if (!is_count(json_get(x, "samples"), limits->items[i], n))
			return "sample_count_mismatch";
	}
	return is_count(json_get(primary, "samples"), want, n) ? NULL : "sample_count_mismatch";
}

static void against_objective(struct driver_answer *out, const struct json *request)
{
	const struct json *list = json_get(json_get(out->result, "evidence"), "measurements");
	for (size_t i = 0; !out->problem && i < list->n; i++) {
		out->problem = compare_objective(json_get(list->items[i], "result"), request);
		out->text = out->problem ? "names, units and sample counts are not those of the request" : NULL;
	}
}

bool driver_answer_read(struct driver_answer *out, struct protocol *p, const struct json *request, const char *folder,
			struct err *e)
{
	struct err why = {ERR_NONE, ""};
	*out = (struct driver_answer){0};
	out->result = json_read_file(p->arena, path_join(p->arena, folder, "result.json"), JSON_LARGE, &why);
	bool ok = out->result && shape_check(out->result, "result", MEMBERS, &why) &&
		  check_echoes(out->result, request, &why) && check_subjects(out->result, request, &why) &&
		  check_artifacts(out, p, folder, &why) && check_evidence(out->result, request, &why) &&
		  environment_normalise(&out->environment, p->arena, json_get(out->result, "environment"), &why);
	if (ok) {
		const struct json *c = json_get(out->result, "cleanup"), *live = json_get(c, "live_tasks");
		ok = shape_check(c, "cleanup", "status:s live_tasks:a", &why) &&
		     (str_is(json_str(c, "status", STR("")), "confirmed") ||
		      err_set(&why, ERR_INPUT, "cleanup.status: is not confirmed")) &&
		     (live->n == 0 || err_set(&why, ERR_INPUT, "cleanup.live_tasks: is not empty"));
	}
	if (!ok) {
		if (why.code == ERR_NO_SPACE || why.code == ERR_SYSTEM)
			return err_set(e, why.code, "%s", why.text);
		out->problem = "driver_result_invalid";
		out->text = arena_strdup(p->arena, why.text);
		return true;
	}
	against_objective(out, request);
	return true;
}
