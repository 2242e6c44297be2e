/* Evaluator and champion requests from options.
 * In: ids, paths, counts. Out: closed requests with references, digests and limits.
 * What is not named is taken from the evidence root: the newest Experiment, the newest baseline that passed.
 * Never: checks what the request's own checks look at. */
#include "protocol/compose.h"

#include <unistd.h>

#include "base/clock.h"
#include "protocol/evaluate/input.h"
#include "protocol/shape.h"
#include "protocol/target.h"

/* ---- texts ---- */

size_t compose_split(struct compose_parts *parts, struct arena *a, const char *what, const char *text, struct err *e)
{
	struct str rest = str_from(text), part;
	size_t n = 0;
	bool ok = true;
	while (n < parts->most && str_split(&rest, ':', &part)) {
		if (n + 1 == parts->most && rest.p) {
			part.n = (size_t)(rest.p + rest.n - part.p);
			rest = (struct str){NULL, 0};
		}
		ok = ok && part.n > 0;
		parts->v[n++] = arena_strndup(a, part.p, part.n);
	}
	if (ok && n >= parts->least)
		return n;
	err_set(e, ERR_USAGE, "%s: \"%.200s\" has not its %zu parts between colons", what, text, parts->least);
	return 0;
}

struct json *compose_strings(struct arena *a, const struct opt_list *list)
{
	struct json *j = json_array(a);
	for (size_t i = 0; i < list->n; i++)
		json_push_str(j, str_from(list->items[i]));
	return j;
}

struct json *compose_gate(struct arena *a, const char *what, const char *text, struct err *e)
{
	static const struct {
		const char *sign, *word;
	} operators[] = {{"<=", "less_or_equal"}, {">=", "greater_or_equal"}, {"==", "equal"}};
	struct str s = str_from(text);
	for (size_t i = 0; i < COUNT_OF(operators); i++) {
		size_t at = str_find(s, str_from(operators[i].sign));
		double value;
		if (at == SIZE_MAX || at == 0 || !str_f64(str_trim(str_sub(s, at + 2, s.n)), &value))
			continue;
		struct json *j = json_object(a);
		json_set_str(j, "metric", str_trim(str_sub(s, 0, at)));
		json_set_cstr(j, "operator", operators[i].word);
		json_set_f64(j, "value", value);
		return j;
	}
	err_set(e, ERR_USAGE, "%s: \"%.200s\" is not METRIC<=VALUE, METRIC>=VALUE or METRIC==VALUE", what, text);
	return NULL;
}

bool compose_more(struct json *request, const char *path, struct err *e)
{
	if (!path)
		return true;
	struct json *more = json_read_file(request->arena, path, JSON_STRICT, e);
	if (more && more->type != JSON_OBJECT)
		return err_set(e, ERR_INPUT, "%s: is no JSON object", path);
	for (size_t i = 0; more && i < more->n; i++)
		json_put(request, more->members[i].key, more->members[i].value);
	return more != NULL;
}

void compose_limits(struct json *to, const struct compose_limits *l)
{
	json_set_f64(to, "operation_timeout_seconds", l->operation_s);
	json_set_f64(to, "command_timeout_seconds", l->command_s < l->operation_s ? l->command_s : l->operation_s);
	json_set_f64(to, "resource_wait_timeout_seconds", l->resource_wait_s);
	json_set_f64(to, "cleanup_timeout_seconds", l->cleanup_s);
}

struct json *compose_resources(struct arena *a, const struct json *gpu_uuids)
{
	char host[256] = "unknown";
	struct json *j = json_object(a);
	gethostname(host, sizeof(host) - 1);
	json_set_cstr(j, "host_id", host);
	json_set(j, "gpu_uuids", shape_copy(a, gpu_uuids));
	return j;
}

/* ---- what the root knows ---- */

static bool begin(struct json **out, struct target *t, struct protocol *p, const char *operation, struct err *e)
{
	if (!file_exists(evidence_path(p, "target.json")))
		return err_set(e, ERR_INPUT, "%s: holds no target.json; assay target new freezes a Target there",
			       p->root);
	if (!target_load_optimizable(t, p, NULL, e))
		return false;
	struct json *r = *out = json_object(p->arena);
	json_set_cstr(r, "format_version", EVALUATOR_V2);
	json_set_cstr(r, "operation", operation);
	json_set_cstr(r, "artifact_root", p->root);
	json_set(r, "target_ref", t->ref);
	return true;
}

static struct json *reference(struct protocol *p, const char *path, const char *key, const char *id, struct err *e)
{
	char digest[SHA256_HEX];
	struct json *j = json_object(p->arena);
	if (!sha256_file(evidence_path(p, path), digest, e))
		return NULL;
	json_set_cstr(j, key, id);
	json_set_cstr(j, "sha256", digest);
	return j;
}

static const char *result_path(struct protocol *p, const char *id)
{
	return arena_printf(p->arena, "invocations/%s/result.json", id);
}

/* A name that is a part of a path: no record lies elsewhere. */
static bool is_plain_id(const char *id, const char *prefix, struct err *e)
{
	return (strncmp(id, prefix, strlen(prefix)) == 0 && !strchr(id, '/')) ||
	       err_set(e, ERR_INPUT, "\"%.100s\" is no id of the form %s...", id, prefix);
}

static struct json *experiment_ref(struct protocol *p, const char *id, struct err *e)
{
	size_t n = 0;
	int64_t newest = -1;
	char **names = id ? NULL : file_list(p->arena, evidence_path(p, "experiments"), &n, e);
	if (!id && !names)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		int64_t at = file_mtime_ns(arena_printf(p->arena, "%s/experiments/%s", p->root, names[i]));
		if (str_starts(str_from(names[i]), "exp-") && str_ends(str_from(names[i]), ".json") && at > newest) {
			newest = at;
			id = path_stem(p->arena, names[i]);
		}
	}
	if (!id) {
		err_set(e, ERR_INPUT, "%s: holds no Experiment; assay experiment makes one", p->root);
		return NULL;
	}
	return is_plain_id(id, "exp-", e) ? reference(p, arena_printf(p->arena, "experiments/%s.json", id), "id", id, e)
					  : NULL;
}

/* Requests are small; of the results only those of baselines are read, newest first. */
static const char *newest_baseline(struct protocol *p, struct err *e)
{
	size_t n = 0;
	char **names = file_list(p->arena, evidence_path(p, "invocations"), &n, e);
	const char *best = NULL;
	double newest = -1;
	for (size_t i = 0; names && i < n; i++) {
		struct err ignored;
		char *path = arena_printf(p->arena, "invocations/%s/request.json", names[i]);
		if (!file_exists(evidence_path(p, path)) || !file_exists(evidence_path(p, result_path(p, names[i]))))
			continue;
		struct json *q = evidence_record(p, path, NULL, &ignored);
		double at = json_f64(q, "created_at_epoch", 0);
		if (!q || at <= newest || !str_is(json_str(q, "operation", STR("")), "baseline"))
			continue;
		struct json *r = evidence_record(p, result_path(p, names[i]), NULL, &ignored);
		if (!str_is(json_str(r, "verdict", STR("")), "passed"))
			continue;
		newest = at;
		best = names[i];
	}
	if (names && !best)
		err_set(e, ERR_INPUT, "%s: holds no baseline that passed; assay baseline measures one", p->root);
	return best;
}

/* ---- long operations ---- */

static struct json *acquisition(struct arena *a, const char *lifecycle, const struct opt_list *shared,
				const struct opt_list *rebuilt)
{
	struct json *j = json_object(a);
	bool same = lifecycle && strcmp(lifecycle, "same_process") == 0;
	json_set_cstr(j, "lifecycle", same ? "same_process" : "isolated_process");
	json_set(j, "shared_state", compose_strings(a, shared));
	if (same && shared->n == 0)
		json_push_str(json_get(j, "shared_state"), STR("process"));
	json_set(j, "rebuilt_state", compose_strings(a, rebuilt));
	if (!same && rebuilt->n == 0)
		json_push_str(json_get(j, "rebuilt_state"), STR("process"));
	json_set_cstr(j, "rationale", "as given on the command line");
	return j;
}

static struct json *contract(struct arena *a, const char *relationship)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "relationship", relationship ? relationship : "implementation_equivalence");
	json_set_array(j, "additional_gates");
	json_set_array(j, "diagnostics");
	return j;
}

static void put_design(struct json *r, const struct compose_run *c, const struct target *t, bool is_baseline)
{
	struct json *d = json_set_object(r, "sampling_design");
	const struct json *all = json_path(t->record, "test_suite.case_ids");
	json_set(d, "case_ids", c->cases.n ? compose_strings(r->arena, &c->cases) : shape_copy(r->arena, all));
	json_set_i64(d, is_baseline ? "samples_per_case" : "pairs", c->count);
	json_set_i64(d, "seed", c->seed);
}

static void put_ours(struct json *r, const struct compose_run *c)
{
	if (c->repeats)
		json_set_i64(r, "repeats", c->repeats);
	if (c->replicate)
		json_set_i64(r, "replicate", c->replicate);
	if (c->premises_confirmed)
		json_set_bool(r, "premises_confirmed", true);
	if (c->repeats || c->replicate || c->premises_confirmed)
		json_set_cstr(r, "format_version", EVALUATOR_V3);
}

struct json *compose_run(struct protocol *p, const struct compose_run *c, struct err *e)
{
	struct target t;
	struct json *r;
	bool is_baseline = strcmp(c->operation, "baseline") == 0, is_audit = strcmp(c->operation, "final_audit") == 0;
	struct compose_run run = *c;
	if (!begin(&r, &t, p, c->operation, e))
		return NULL;
	if (run.count == 0)
		run.count =
			is_baseline ? 3 : json_i64(json_get(t.record, "validity_requirements"), "minimum_pairs", 10);
	put_design(r, &run, &t, is_baseline);
	json_set(r, "resources", compose_resources(p->arena, target_gpus(&t)));
	compose_limits(r, &c->limits);
	json_set_f64(r, "launch_deadline", (double)clock_unix_ns() / 1e9 + c->limits.launch_s);
	if (c->retry_of)
		json_set_cstr(r, "retry_of", c->retry_of);
	put_ours(r, c);
	if (is_audit) {
		struct json *k = contract(p->arena, c->relationship);
		json_set(k, "acquisition", acquisition(p->arena, c->lifecycle, &c->shared, &c->rebuilt));
		json_set(r, "comparison_contract", k);
	} else if (!is_baseline) {
		struct json *ref = experiment_ref(p, c->experiment, e);
		if (!ref)
			return NULL;
		json_set(r, "experiment_ref", ref);
	}
	return r;
}

/* ---- experiments ---- */

static struct json *kinds(struct arena *a, const struct opt_list *list, const char *fallback)
{
	struct json *j = json_array(a);
	for (size_t i = 0; i < (list->n ? list->n : 1); i++) {
		struct json *x = json_object(a);
		json_set_cstr(x, "kind", list->n ? list->items[i] : fallback);
		json_push(j, x);
	}
	return j;
}

/* What the baseline's calls took, times the calls that the Target's least number of pairs needs. */
static void put_cost(struct json *r, const struct json *baseline, const struct json *target)
{
	static const char *const parts[] = {"screen", "target"};
	double calls = (double)json_i64(baseline, "completed_driver_calls", 1);
	double s = json_f64(baseline, "elapsed_seconds", 0) / (calls > 0 ? calls : 1);
	double n = 2.0 * (double)json_i64(json_get(target, "validity_requirements"), "minimum_pairs", 1) *
		   (double)json_path(target, "test_suite.case_ids")->n;
	const struct json *gpus = json_path(target, "environment.runtime.gpu_uuids");
	struct json *cost = json_set_object(r, "estimated_cost");
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		struct json *x = json_set_object(cost, parts[i]);
		json_set_f64(x, "p50_seconds", s * n);
		json_set_f64(x, "p90_seconds", 1.3 * s * n);
		json_set_i64(x, "gpu_count", gpus ? (int64_t)gpus->n : 0);
		json_set_cstr(x, "basis", "seconds a call of the baseline, times the calls of the least pairs");
	}
}

static bool put_contract(struct json *r, const struct compose_experiment *x, struct err *e)
{
	struct arena *a = r->arena;
	struct json *k = contract(a, x->relationship), *gates = json_get(k, "additional_gates");
	for (size_t i = 0; i < x->gates.n; i++) {
		struct json *g = compose_gate(a, "--gate", x->gates.items[i], e);
		if (!g)
			return false;
		json_push(gates, g);
	}
	json_set(k, "diagnostics", compose_strings(a, &x->diagnostics));
	json_set(k, "acquisition", acquisition(a, x->lifecycle, &x->shared, &x->rebuilt));
	json_set(r, "comparison_contract", k);
	return true;
}

static void put_falsifier(struct json *r, const struct compose_experiment *x)
{
	struct json *f = json_set_object(r, "cheapest_falsifier"), *s = json_set_object(r, "screen_design");
	json_set_cstr(f, "kind", x->falsifier.n ? "command" : "none");
	json_set_cstr(f, "reason", x->falsifier_reason ? x->falsifier_reason : "none was named");
	if (x->falsifier.n) {
		json_set(f, "command", compose_strings(r->arena, &x->falsifier));
		json_set_f64(f, "timeout_seconds", x->falsifier_s);
		json_set_cstr(r, "format_version", EVALUATOR_V3);
	}
	json_set_bool(s, "enabled", x->screen_kind != NULL);
	if (x->screen_kind) {
		json_set_cstr(s, "kind", x->screen_kind);
		json_set_cstr(s, "reason", "as given on the command line");
		json_set_cstr(s, "claim", x->screen_claim ? x->screen_claim : x->hypothesis);
	}
}

/* NAME:lower|higher:THRESHOLD_PCT:WHAT IT IS WORTH */
static bool put_secondaries(struct json *r, const struct compose_experiment *x, struct err *e)
{
	struct json *list = json_array(r->arena);
	for (size_t i = 0; i < x->secondaries.n; i++) {
		struct compose_parts parts = {.least = 4, .most = 4};
		double threshold;
		if (!compose_split(&parts, r->arena, "--secondary", x->secondaries.items[i], e))
			return false;
		if (!str_f64(str_from(parts.v[2]), &threshold))
			return err_set(e, ERR_USAGE, "--secondary: %s is no number of percent", parts.v[2]);
		struct json *j = json_object(r->arena);
		json_set_cstr(j, "name", parts.v[0]);
		json_set_cstr(j, "direction", parts.v[1]);
		json_set_f64(j, "threshold_pct", threshold);
		json_set_cstr(j, "value", parts.v[3]);
		json_push(list, j);
	}
	if (x->secondaries.n) {
		json_set(r, "secondaries", list);
		json_set_cstr(r, "format_version", EVALUATOR_V3);
	}
	return true;
}

static void put_source(struct json *r, const char *key, const char *kind, const char *path)
{
	struct json *j = json_set_object(r, key);
	json_set_cstr(j, "kind", kind ? kind : "source_snapshot");
	json_set_cstr(j, "path", path);
}

/* Where the frozen original lies: the same digest as the sources that it was made from. */
static const char *frozen_original(struct protocol *p, const struct target *t, struct err *e)
{
	const char *digest = json_str(json_get(t->record, "original"), "digest", STR("")).p;
	size_t n = 0;
	char *payload = arena_printf(p->arena, "%s/objects/sha256/%s/payload", p->root, digest);
	struct json *manifest = json_read_file(
		p->arena, arena_printf(p->arena, "%s/objects/sha256/%s/manifest.json", p->root, digest), JSON_LARGE, e);
	struct tree_entry *entries = manifest ? evidence_entries(p, digest, &n, e) : NULL;
	if (!entries)
		return NULL;
	return str_is(json_str(manifest, "source_kind", STR("")), "file") ? path_join(p->arena, payload, entries->path)
									  : payload;
}

static void put_texts(struct json *r, const struct compose_experiment *x, const struct target *t)
{
	struct json *effect = json_get(json_get(t->record, "minimum_effect"), "value");
	json_set_cstr(r, "hypothesis", x->hypothesis);
	json_set_cstr(r, "mechanism_key", x->mechanism);
	json_set_cstr(r, "claim_layer",
		      x->claim_layer ? x->claim_layer : json_str(t->record, "claim_layer", STR("")).p);
	json_set_cstr(r, "max_risk", x->max_risk ? x->max_risk : "low");
	json_set(r, "minimum_effect", shape_copy(r->arena, effect));
	json_set(r, "reject_if", kinds(r->arena, &x->reject_if, "screen_claim_falsified"));
	json_set(r, "promote_if", kinds(r->arena, &x->promote_if, "passed"));
	json_set(r, "change_scope", compose_strings(r->arena, &x->scope));
	json_set_array(r, "material_premises");
	if (x->failure_reach) {
		json_set_cstr(r, "failure_reach", x->failure_reach);
		json_set_cstr(r, "format_version", EVALUATOR_V3);
	}
}

struct json *compose_experiment(struct protocol *p, const struct compose_experiment *x, struct err *e)
{
	struct target t;
	struct json *r;
	if (!begin(&r, &t, p, "experiment", e))
		return NULL;
	if (!x->candidate || !x->hypothesis || !x->mechanism || x->scope.n == 0) {
		err_set(e, ERR_USAGE, "experiment: --candidate, --hypothesis, --mechanism and --scope are wanted");
		return NULL;
	}
	const char *baseline = x->baseline ? x->baseline : newest_baseline(p, e);
	if (!baseline || !is_plain_id(baseline, "inv-", e))
		return NULL;
	struct json *ref = reference(p, result_path(p, baseline), "invocation_id", baseline, e);
	struct json *result = ref ? evidence_record(p, result_path(p, baseline), NULL, e) : NULL;
	const char *base = x->base ? x->base : frozen_original(p, &t, e);
	if (!result || !base)
		return NULL;
	json_set(r, "baseline_ref", ref);
	put_source(r, "source_base", json_str(json_get(t.record, "original"), "kind", STR("")).p, base);
	put_source(r, "candidate", x->kind, x->candidate);
	put_texts(r, x, &t);
	put_falsifier(r, x);
	put_cost(r, result, t.record);
	if (!put_contract(r, x, e) || !put_secondaries(r, x, e))
		return NULL;
	size_t before = r->n;
	if (!compose_more(r, x->more, e))
		return NULL;
	if (r->n > before)
		json_set_cstr(r, "format_version", EVALUATOR_V3);
	return r;
}

/* ---- the Champion, one invocation ---- */

struct json *compose_champion(struct protocol *p, const char *operation, const char *result, struct err *e)
{
	struct target t;
	struct json *r;
	if (!begin(&r, &t, p, operation, e))
		return NULL;
	json_set_cstr(r, "format_version", PROTOCOL("champion-input-v1"));
	if (strcmp(operation, "show") == 0)
		return r;
	if (!result) {
		err_set(e, ERR_USAGE, "champion %s: --result is wanted: the invocation that it rests on", operation);
		return NULL;
	}
	if (!is_plain_id(result, "inv-", e))
		return NULL;
	struct json *ref = reference(p, result_path(p, result), "invocation_id", result, e);
	struct json *record = ref ? evidence_record(p, result_path(p, result), NULL, e) : NULL;
	if (!record)
		return NULL;
	const struct json *seen = json_get(record, "reference_selection_ref");
	json_set(r, "result_ref", ref);
	json_set(r, "expected_selection_ref", seen ? shape_copy(p->arena, seen) : json_new_null(p->arena));
	return r;
}

struct json *compose_falsify(struct protocol *p, const char *experiment, struct err *e)
{
	struct target t;
	struct json *r, *ref;
	if (!begin(&r, &t, p, "falsify", e) || !(ref = experiment_ref(p, experiment, e)))
		return NULL;
	json_set_cstr(r, "format_version", EVALUATOR_V3);
	json_set(r, "experiment_ref", ref);
	return r;
}

struct json *compose_about(struct protocol *p, const char *operation, const char *invocation)
{
	struct json *r = json_object(p->arena);
	json_set_cstr(r, "format_version", EVALUATOR_V2);
	json_set_cstr(r, "operation", operation);
	json_set_cstr(r, "artifact_root", p->root);
	json_set_cstr(r, "invocation_id", invocation);
	return r;
}
