/* Results in the formats of other projects.
 * In: a bench record. Out: a document as the other project's tools read it.
 * Words and units are theirs; what theirs cannot say stands in their free text.
 * Never: makes a number that the record does not hold, except speed-ups that both of theirs are quotients of. */
#include "report/export.h"

#include <math.h>
#include <string.h>

#include "facts/verdict.h"

static struct str word_of(const struct json *record)
{
	return json_str(json_get(record, "verdict"), "word", STR("unchecked"));
}

static bool is_passed(const struct json *record)
{
	return str_is(word_of(record), "passed");
}

static enum verdict_stage stage_of(const struct json *record, enum verdict *v)
{
	*v = VERDICT_UNCHECKED;
	return verdict_from_word(word_of(record), v) ? verdict_stage(*v) : VERDICT_STAGE_RUN;
}

static bool is_compiled(const struct json *record)
{
	enum verdict v;
	enum verdict_stage s = stage_of(record, &v);
	return s != VERDICT_STAGE_BUILD && s != VERDICT_STAGE_CHECK && v != VERDICT_LOAD_FAILED &&
	       v != VERDICT_NO_ENTRY;
}

static void put_or(struct json *to, const char *key, double v, double missing)
{
	json_set_f64(to, key, isfinite(v) ? v : missing);
}

static struct json *stats_of(struct arena *a, const struct json *series)
{
	struct json *s = json_object(a);
	const struct json *summary = json_path(series, "cold.summary");
	put_or(s, "mean", json_f64(series, "average_ms", NAN), -1);
	put_or(s, "std", json_f64(summary, "sd_ns", NAN) / 1e6, -1);
	put_or(s, "min", json_f64(series, "min_ms", NAN), -1);
	put_or(s, "max", json_f64(series, "max_ms", NAN), -1);
	json_set_u64(s, "num_trials", (uint64_t)json_i64(series, "n", 0));
	return s;
}

struct json *export_kernelbench(struct arena *a, const struct json *record, uint64_t sample_id)
{
	struct json *j = json_object(a), *meta = json_set_object(j, "metadata");
	const struct json *kernel = json_get(record, "kernel"), *reference = json_get(record, "reference");
	const struct json *verdict = json_get(record, "verdict"), *device = json_get(record, "device");
	bool passed = is_passed(record);
	json_set_u64(j, "sample_id", sample_id);
	json_set_bool(j, "compiled", is_compiled(record));
	json_set_bool(j, "correctness", passed);
	put_or(j, "runtime", passed ? json_f64(kernel, "average_ms", NAN) : NAN, -1);
	json_set(j, "runtime_stats", passed ? stats_of(a, kernel) : json_object(a));
	put_or(j, "ref_runtime", json_f64(reference, "average_ms", NAN), -1);
	json_set(j, "ref_runtime_stats", json_get(reference, "timing") ? stats_of(a, reference) : json_object(a));
	json_set_str(meta, "hardware", json_str(device, "name", STR("unknown")));
	json_set_str(meta, "verdict", word_of(record));
	json_set_str(meta, "text", json_str(verdict, "text", STR("")));
	json_set_str(meta, "time_source", json_str(kernel, "source", STR("none")));
	json_set_str(meta, "assay_record", json_str(record, "id", STR("")));
	json_set_f64(meta, "max_abs_error", json_f64(json_get(record, "correctness"), "max_abs_error", -1));
	return j;
}

/* The schema's words; integrity is SOL-ExecBench's REWARD_HACK. */
static const char *status_of(const struct json *record)
{
	enum verdict v;
	enum verdict_stage s = stage_of(record, &v);
	if (v == VERDICT_PASSED)
		return "PASSED";
	if (v == VERDICT_OUTPUT_SHAPE)
		return "INCORRECT_SHAPE";
	if (v == VERDICT_OUTPUT_DTYPE)
		return "INCORRECT_DTYPE";
	if (v == VERDICT_HANG || v == VERDICT_BUILD_TIMEOUT)
		return "TIMEOUT";
	if (v == VERDICT_BAD_REFERENCE || v == VERDICT_REFERENCE_FAILED)
		return "INVALID_REFERENCE";
	if (!is_compiled(record))
		return "COMPILE_ERROR";
	if (s == VERDICT_STAGE_INTEGRITY || v == VERDICT_IMPOSSIBLE_TIME)
		return "REWARD_HACK";
	return s == VERDICT_STAGE_CORRECTNESS ? "INCORRECT_NUMERICAL" : "RUNTIME_ERROR";
}

static double largest(const struct json *record, struct str name, const char *key)
{
	const struct json *cases = json_path(record, "correctness.cases");
	double most = NAN;
	for (size_t i = 0; cases && cases->type == JSON_ARRAY && i < cases->n; i++) {
		const struct json *outputs = json_get(cases->items[i], "outputs");
		if (!str_eq(json_str(cases->items[i], "case", STR("")), name))
			continue;
		for (size_t k = 0; outputs && k < outputs->n; k++)
			most = fmax(most, json_f64(outputs->items[k], key, NAN));
	}
	return most;
}

static struct json *evaluation_of(struct arena *a, const struct json *record)
{
	struct json *e = json_object(a), *where = json_set_object(e, "environment"),
		    *libs = json_set_object(where, "libs");
	const struct json *kernel = json_get(record, "kernel"), *reference = json_get(record, "reference");
	struct str name = json_str(json_path(record, "operator.cases.0"), "name", STR(""));
	struct str torch = json_str(json_get(reference, "installed"), "torch", STR(""));
	double ms = json_f64(kernel, "average_ms", NAN), ref_ms = json_f64(reference, "average_ms", NAN);
	double absolute = largest(record, name, "max_abs_error"), relative = largest(record, name, "max_rel_error");
	json_set_cstr(e, "status", status_of(record));
	json_set_str(where, "hardware", json_str(json_get(record, "device"), "name", STR("unknown")));
	json_set_str(libs, "assay", json_str(json_get(record, "tool"), "version", STR("")));
	if (torch.n)
		json_set_str(libs, "torch", torch);
	json_set_str(e, "timestamp", json_str(record, "created", STR("")));
	json_set_cstr(e, "log",
		      arena_printf(a, "assay %.*s: %.*s (%.*s, time by %.*s)", STR_ARG(word_of(record)),
				   STR_ARG(json_str(json_get(record, "verdict"), "text", STR(""))),
				   STR_ARG(json_str(record, "id", STR(""))),
				   STR_ARG(json_str(kernel, "source", STR("none")))));
	json_set_null(e, "correctness");
	json_set_null(e, "performance");
	if (isfinite(absolute)) {
		struct json *c = json_set_object(e, "correctness");
		json_set_f64(c, "max_absolute_error", absolute);
		put_or(c, "max_relative_error", relative, 0);
		json_set_null(c, "extra");
	}
	if (is_passed(record) && isfinite(ms) && isfinite(ref_ms) && ms > 0) {
		struct json *p = json_set_object(e, "performance");
		json_set_f64(p, "latency_ms", ms);
		json_set_f64(p, "reference_latency_ms", ref_ms);
		json_set_f64(p, "speedup_factor", ref_ms / ms);
	}
	return e;
}

struct json *export_trace(struct arena *a, const struct json *record, const struct json *definition,
			  struct json *workload, const char *solution)
{
	struct json *j = json_object(a);
	json_set_str(j, "definition", json_str(definition, "name", STR("")));
	json_set(j, "workload", workload);
	json_set_cstr(j, "solution", solution);
	json_set(j, "evaluation", evaluation_of(a, record));
	return j;
}
