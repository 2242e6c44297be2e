/* What verbs with a kernel file share.
 * In: their options. Out: bench options, the short text of a bench.
 * The text is made from the record's structs, a line a fact.
 * Never: measures. */
#include "verb/candidate.h"

#include <math.h>

#include "base/file.h"

void candidate_bench(struct bench_options *out, const struct candidate_options *c, const char *path,
		     const struct verb_call *call)
{
	*out = (struct bench_options){
		.input = {.path = path,
			  .op_file = c->op_file,
			  .ref = c->ref,
			  .backend = c->backend,
			  .entry = c->entry,
			  .dims = &c->dims,
			  .ptr_size = c->ptr_size,
			  .seed = (uint64_t)c->seed,
			  .atol = c->atol,
			  .rtol = c->rtol,
			  .flags = (c->atol >= 0 ? OPERATOR_HAS_ATOL : 0u) | (c->rtol >= 0 ? OPERATOR_HAS_RTOL : 0u)},
		.program = call->program,
		.command = call->command,
		.store = c->store,
		.python = c->python,
		.nvcc = c->nvcc_bin,
		.cupti = c->cupti,
		.flags = c->flags,
		.arch = c->arch,
		.i_gpu = c->gpu,
		.n_warmup = c->warmup,
		.n_repeat = c->repeat,
		.noise = c->noise_pct / 100,
		.budget_s = c->time_budget_s,
		.timeout_s = c->timeout_s,
		.wait_s = c->wait_s,
		.options = (c->no_cache ? BENCH_NO_CACHE : 0u) | (c->no_warm ? BENCH_NO_WARM : 0u)};
}

static void put_series(struct term_table *t, struct arena *a, const struct json *kernel, const char *key,
		       const char *label)
{
	const struct json *s = json_path(kernel, arena_printf(a, "%s.summary", key));
	if (!s)
		return;
	double trimmed = json_f64(s, "trimmed_mean_ns", NAN);
	const struct json *interval = json_get(s, "interval");
	double half = json_f64(interval, "half_width_ns", NAN),
	       mhz = json_f64(json_get(kernel, key), "clock_mhz_median", NAN);
	term_table_cell(t, str_from(label));
	term_table_cell(t, str_from(term_time(a, trimmed)));
	term_table_cell(t, str_from(isfinite(half) ? arena_printf(a, "%.2f %%", 100 * half / trimmed) : "-"));
	term_table_cell(t, str_from(term_time(a, json_f64(s, "median_ns", NAN))));
	term_table_cell(t, str_from(term_time(a, json_f64(s, "min_ns", NAN))));
	term_table_cell(t, str_from(term_time(a, json_f64(s, "max_ns", NAN))));
	term_table_cell(t, str_from(arena_printf(a, "%lld", (long long)json_i64(s, "n", 0))));
	term_table_cell(t, str_from(isfinite(mhz) ? arena_printf(a, "%.0f", mhz) : "-"));
	term_table_end_row(t);
}

static void put_rates(const struct bench *b, struct verb_call *call)
{
	const struct json *k = json_get(b->record, "kernel");
	double gbps = json_f64(k, "bandwidth_gbps_rough", NAN), gflops = json_f64(k, "gflops", NAN);
	if (isfinite(gbps))
		buf_printf(call->out, "bandwidth  %s (%.*s)\n", term_rate(call->arena, gbps * 1e9, "B"),
			   STR_ARG(json_str(k, "bytes_source", STR(""))));
	if (isfinite(gflops))
		buf_printf(call->out, "rate       %s\n", term_rate(call->arena, gflops * 1e9, "FLOP"));
	const struct json *r = json_get(b->record, "reference");
	double ms = json_f64(r, "median_ms", NAN);
	if (isfinite(ms))
		buf_printf(call->out, "reference  %s median by %.*s%s\n", term_time(call->arena, ms * 1e6),
			   STR_ARG(json_str(json_get(r, "timing"), "source", STR("?"))),
			   json_bool(json_get(r, "timing"), "cached", false) ? " (timed in an earlier run)" : "");
	double x = json_f64(json_get(b->record, "speedup_vs_reference"), "value", NAN);
	if (isfinite(x))
		buf_printf(call->out, "ratio      reference / kernel = %.3g (same clock, not paired)\n", x);
}

static void put_identity(const struct bench *b, struct verb_call *call)
{
	const struct json *i = json_get(b->record, "identity");
	if (!str_is(json_str(i, "state", STR("")), "recorded"))
		return;
	buf_printf(call->out, "call       %lld launch(es), %lld stream(s), %lld copies, %lld memsets%s%s; host %s\n",
		   (long long)json_i64(i, "n_launches", 0), (long long)json_i64(i, "n_streams", 0),
		   (long long)json_i64(i, "n_copy", 0), (long long)json_i64(i, "n_memset", 0),
		   json_bool(i, "synchronizes_inside", false) ? ", synchronises inside" : "",
		   json_bool(i, "allocates_inside", false) ? ", allocates inside" : "",
		   term_time(call->arena, json_f64(i, "host_ns", NAN)));
}

static void put_correctness(const struct bench *b, struct verb_call *call)
{
	const struct json *c = json_get(b->record, "correctness");
	if (b->verdict == VERDICT_PASSED)
		buf_printf(call->out,
			   "correct    passed: %zu case(s) on %d data sets; max abs error %.3g, max rel error %.3g\n",
			   b->op.n_cases, LAB_SEEDS, json_f64(c, "max_abs_error", NAN),
			   json_f64(c, "max_rel_error", NAN));
	else if (b->verdict == VERDICT_UNCHECKED)
		buf_puts(call->out, "unchecked  no reference was given: nothing is claimed about results\n");
}

void candidate_text(const struct bench *b, struct verb_call *call)
{
	struct buf *out = call->out;
	const struct json *k = json_get(b->record, "kernel");
	bool is_good = verdict_exit(b->verdict) == 0;
	buf_printf(out, "%s on %s, backend %s\n", path_base(b->op.kernel.path), b->device.name,
		   backend_name(b->op.backend));
	for (size_t i = 0; i < b->op.n_notes; i++)
		buf_printf(out, "note       %s\n", b->op.notes[i]);
	if (!is_good) {
		term_styled(&call->term, out, TERM_BAD, verdict_word(b->verdict));
		buf_printf(out, ": %s\n", verdict_text(b->verdict));
		if (*b->text)
			buf_printf(out, "           %s\n", b->text);
	}
	put_correctness(b, call);
	if (b->has_time) {
		struct term_table *t =
			term_table_new(call->arena, "cache|>trimmed mean|>+- 95 %|>median|>min|>max|>n|>MHz");
		put_series(t, call->arena, k, "cold", "cold");
		put_series(t, call->arena, k, "warm", "warm");
		put_series(t, call->arena, k, "events", "cold, events");
		term_table_write(t, &call->term, out);
		buf_printf(out, "time by    %s\n", timing_source_name(b->source));
		put_rates(b, call);
		put_identity(b, call);
	}
	buf_printf(out, "command    %s\n", call->command);
	buf_printf(out, "record     %s\n", b->id);
}
