/* The record of a bench.
 * In: a bench that is over. Out: one JSON object with the published keys and ours.
 * Times of different sources stand apart, each with its source; a ratio is only formed within one source.
 * Never: computes a number that the stored rows do not give. */

#include <math.h>

#include "base/clock.h"
#include "base/version.h"
#include "measure/bench_integrity.h"
#include "measure/bench_parts.h"
#include "measure/timing.h"

static void put_ms(struct json *j, const struct summary *s)
{
	json_set_f64(j, "average_ms", s->mean / 1e6);
	json_set_f64(j, "median_ms", s->median / 1e6);
	json_set_f64(j, "min_ms", s->min / 1e6);
	json_set_f64(j, "max_ms", s->max / 1e6);
	json_set_f64(j, "trimmed_mean_ms", s->trimmed_mean / 1e6);
}

static bool is_there(const struct series *x)
{
	return x && x->is_there;
}

static void put_series(struct json *j, const char *key, struct arena *a, const struct series *x)
{
	json_set(j, key, is_there(x) ? timing_json(a, &x->t) : json_new_null(a));
}

static void put_rates(struct json *j, const struct bench_state *s)
{
	const struct op_case *c = &s->out->op.cases[0];
	double seconds = s->parts->primary->t.summary.trimmed_mean / 1e9;
	if ((c->flags & OP_CASE_HAS_BYTES) && seconds > 0) {
		json_set_f64(j, "bandwidth_gbps_rough", c->bytes / seconds / 1e9);
		json_set_cstr(j, "bytes_source",
			      c->flags & OP_CASE_BYTES_GUESSED  ? "guessed_shapes"
			      : c->flags & OP_CASE_BYTES_SUMMED ? "sum_of_tensors"
								: "operator_file");
	} else {
		json_set_null(j, "bandwidth_gbps_rough");
	}
	if ((c->flags & OP_CASE_HAS_FLOPS) && seconds > 0)
		json_set_f64(j, "gflops", c->flops / seconds / 1e9);
	else
		json_set_null(j, "gflops");
}

static struct json *kernel_of(const struct bench_state *s)
{
	struct arena *a = s->arena;
	struct json *j = json_object(a);
	put_series(j, "cold", a, s->parts->cold);
	put_series(j, "warm", a, s->parts->warm);
	put_series(j, "events", a, s->parts->events);
	if (s->parts->no_events)
		json_set_cstr(j, "no_events", s->parts->no_events);
	if (!s->parts->primary)
		return j;
	put_ms(j, &s->parts->primary->t.summary);
	json_set_cstr(j, "source", timing_source_name(s->parts->primary->t.source));
	json_set_cstr(j, "cache", "cold");
	json_set_u64(j, "evict_bytes", s->parts->evict_bytes);
	json_set_u64(j, "cache_bytes", s->parts->cache_bytes);
	json_set_u64(j, "n", s->parts->primary->t.n);
	put_rates(j, s);
	return j;
}

static const char *kind_name(uint64_t kind)
{
	static const char *const names[] = {"kernel",   "copy", "memset",      "synchronize",
					    "allocate", "free", "graph_launch"};
	return kind < COUNT_OF(names) ? names[kind] : "other";
}

static struct json *launch_json(struct arena *a, const struct wire_launch *w, const char *name)
{
	struct json *j = json_object(a), *grid = json_set_array(j, "grid"), *block = json_set_array(j, "block");
	json_set_cstr(j, "name", name);
	json_set_cstr(j, "kind", kind_name(w->kind));
	json_set_u64(j, "stream", w->stream);
	json_set_i64(j, "start_ns", w->start_ns);
	json_set_i64(j, "duration_ns", w->end_ns - w->start_ns);
	for (size_t i = 0; i < 3; i++) {
		json_push_i64(grid, w->grid[i]);
		json_push_i64(block, w->block[i]);
	}
	json_set_i64(j, "registers_per_thread", w->registers);
	json_set_i64(j, "shared_static_bytes", w->shared_static);
	json_set_i64(j, "shared_dynamic_bytes", w->shared_dynamic);
	json_set_u64(j, "bytes", w->bytes);
	return j;
}

static struct json *identity_of(const struct bench_state *s)
{
	struct arena *a = s->arena;
	struct json *j = json_object(a);
	json_set_cstr(j, "witness", "claim");
	if (s->parts->compiled)
		json_set(j, "compiled", s->parts->compiled);
	if (!s->parts->identity.n) {
		json_set_cstr(j, "state", s->out->device.gpu ? "not_run" : "not_applicable");
		return j;
	}
	const struct wire_row *row = &s->parts->identity.rows[0];
	uint64_t count[7] = {0};
	struct json *list = json_set_array(j, "activities");
	for (size_t i = 0; i < s->parts->identity.n_launches; i++) {
		const struct wire_launch *w = &s->parts->identity.launches[i];
		if (w->kind < COUNT_OF(count))
			count[w->kind]++;
		if (i < 256)
			json_push(list, launch_json(a, w, s->parts->identity.names[w->i_name]));
	}
	json_set_cstr(j, "state", s->parts->has_records ? "recorded" : "no_records");
	struct json *no_cupti = json_get(s->parts->main_facts, "no_cupti");
	json_set(j, "reason", no_cupti ? no_cupti : json_new_null(a));
	for (size_t i = 0; i < COUNT_OF(count); i++)
		json_set_u64(j, arena_printf(a, "n_%s", kind_name(i)), count[i]);
	json_set_u64(j, "n_launches", row->n_launch);
	json_set_u64(j, "n_streams", row->n_stream);
	json_set_f64(j, "span_ns", row->span_ns);
	json_set_f64(j, "busy_ns", row->busy_ns);
	json_set_f64(j, "gaps_ns", row->span_ns - row->busy_ns);
	json_set_f64(j, "kernel_sum_ns", row->kernel_sum_ns);
	json_set_f64(j, "host_ns", row->host_ns);
	json_set_bool(j, "synchronizes_inside", (row->marks & WIRE_MARK_SYNCED) != 0);
	json_set_bool(j, "allocates_inside", (row->marks & WIRE_MARK_ALLOCATED) != 0);
	return j;
}

static bool reference_summary(const struct bench_state *s, struct summary *out)
{
	const struct json *samples = json_get(s->parts->reference.timing, "samples_ns");
	struct err ignored;
	if (!samples || samples->type != JSON_ARRAY || samples->n == 0)
		return false;
	double *x = ARENA_ARRAY(s->arena, samples->n, double);
	for (size_t i = 0; i < samples->n; i++)
		x[i] = samples->items[i]->real;
	return summary_make(out, x, samples->n, s->arena, &ignored);
}

/* The candidate's series that was taken the way the reference's was; NULL: none, so no ratio. */
static const struct series *same_source(const struct bench_state *s)
{
	struct str source = json_str(s->parts->reference.timing, "source", STR(""));
	if (str_is(source, "host_clock") && !s->out->device.gpu && is_there(s->parts->cold))
		return s->parts->cold;
	if (str_is(source, "device_record") && is_there(s->parts->cold) && s->parts->is_single)
		return s->parts->cold;
	return NULL;
}

static struct json *reference_of(const struct bench_state *s)
{
	struct json *j = s->parts->reference.facts ? s->parts->reference.facts : json_object(s->arena);
	struct summary sum;
	json_set_cstr(j, "fault", s->parts->reference.fault);
	if (!reference_summary(s, &sum))
		return j;
	put_ms(j, &sum);
	json_set(j, "timing", s->parts->reference.timing);
	return j;
}

static void put_speedup(struct json *j, const struct bench_state *s)
{
	struct summary sum;
	const struct series *x = same_source(s);
	struct json *v = json_object(s->arena);
	if (s->parts->speedup) {
		v = s->parts->speedup;
	} else if (s->parts->primary && x && reference_summary(s, &sum) && x->t.summary.trimmed_mean > 0) {
		json_set_f64(v, "value", sum.trimmed_mean / x->t.summary.trimmed_mean);
		json_set_cstr(v, "source", timing_source_name(x->t.source));
		json_set_cstr(v, "method", "ratio_of_trimmed_means_not_paired");
		json_set_cstr(v, "reason", s->parts->no_speedup);
	} else {
		json_set_null(v, "value");
		json_set_cstr(v, "reason",
			      !s->parts->primary ? "the candidate has no time"
			      : !s->parts->reference.timing
				      ? "the reference was not timed"
				      : "reference and candidate were timed by different sources");
	}
	json_set(j, "speedup_vs_reference", v);
}

static struct json *signature_of(struct arena *a, const struct operator* op)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < op->n_params; i++) {
		struct json *x = json_object(a);
		json_set_str(x, "name", op->params[i].name);
		json_set_str(x, "type", op->params[i].type_text);
		json_set_bool(x, "is_const", (op->params[i].flags & PARAM_CONST) != 0);
		json_push(list, x);
	}
	return list;
}

static struct json *verdict_of(const struct bench_state *s)
{
	struct json *j = json_object(s->arena);
	json_set_cstr(j, "word", verdict_word(s->out->verdict));
	json_set_cstr(j, "stage", verdict_stage_name(verdict_stage(s->out->verdict)));
	json_set_cstr(j, "meaning", verdict_text(s->out->verdict));
	json_set_cstr(j, "text", s->out->text);
	json_set_cstr(j, "witness",
		      s->parts->fault.witness     ? s->parts->fault.witness
		      : s->parts->has_correctness ? "keeper"
						  : "parent");
	json_set_cstr(j, "mode", s->parts->fault.mode);
	return j;
}

/* Correctness stands whatever others did; times do not. */
static void put_performance(struct json *j, const struct bench_state *s)
{
	struct json *p = json_set_object(j, "performance");
	json_set_cstr(p, "state", !s->parts->primary ? "not_measured" : s->problem ? "inconclusive" : "measured");
	json_set_cstr(p, "reason", s->parts->primary ? s->problem : NULL);
	json_set(j, "telemetry", s->telemetry_facts ? s->telemetry_facts : json_new_null(s->arena));
}

struct json *bench_trial_meta(const struct bench_state *s)
{
	struct json *meta = json_object(s->arena);
	json_set(meta, "tool", version_json(s->arena));
	json_set_cstr(meta, "kernel_sha256", s->out->op.kernel.sha256);
	return meta;
}

struct json *bench_record(const struct bench_state *s)
{
	struct arena *a = s->arena;
	struct json *j = json_object(a);
	char now[25];
	clock_utc_iso(now);
	json_set_cstr(j, "format", "assay/bench-v1");
	json_set(j, "tool", version_json(a));
	json_set_cstr(j, "created", now);
	json_set_cstr(j, "command", s->o->command);
	json_set_cstr(j, "claim_layer", "kernel");
	json_set_bool(j, "formal", false);
	json_set(j, "verdict", verdict_of(s));
	json_set_cstr(j, "backend", backend_name(s->out->op.backend));
	json_set(j, "operator", operator_json(a, &s->out->op));
	json_set(j, "signature", signature_of(a, &s->out->op));
	json_set(j, "device", s->device_facts);
	json_set(j, "build", s->out->artifact.command ? artifact_json(a, &s->out->artifact) : json_new_null(a));
	json_set_bool(j, "has_reference", s->out->op.reference_kind != REFERENCE_NONE);
	json_set(j, "correctness",
		 s->parts->has_correctness
			 ? correct_json(a, &s->parts->correct, s->out->op.reference_kind != REFERENCE_NONE)
			 : json_new_null(a));
	json_set(j, "integrity", bench_integrity_json(s));
	if (s->extra)
		json_set(j, s->extra_key, s->extra);
	json_set(j, "kernel", kernel_of(s));
	json_set(j, "reference", reference_of(s));
	put_speedup(j, s);
	json_set(j, "limits", s->parts->limits ? s->parts->limits : json_new_null(a));
	json_set(j, "identity", identity_of(s));
	put_performance(j, s);
	json_set(j, "sandbox", s->sandbox ? s->sandbox : json_new_null(a));
	json_set_cstr(j, "memory", s->memory && *s->memory ? s->memory : NULL);
	json_set_cstr(j, "memory_reason", s->memory_reason && *s->memory_reason ? s->memory_reason : NULL);
	json_set_cstr(j, "trial", *s->trial_digest ? s->trial_digest : NULL);
	json_set(j, "seconds", s->seconds);
	return j;
}
