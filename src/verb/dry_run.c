/* What a verb would do.
 * In: options as the verb has them, operators as they are read.
 * Out: facts, steps with their budgets, places that would be written.
 * Never: starts, builds, leases or writes anything. */
#include "verb/dry_run.h"

#include <math.h>

#include "base/file.h"
#include "base/progress.h"
#include "store/object.h"

enum { DRY_LABEL = 13 };

void dry_begin(struct dry_run *d, struct verb_call *call, const char *verb)
{
	*d = (struct dry_run){.call = call, .doc = json_object(call->arena)};
	json_set_cstr(d->doc, "format", "assay/plan-v1");
	json_set_cstr(d->doc, "verb", verb);
	json_set_cstr(d->doc, "command", call->command);
	d->facts = json_set_object(d->doc, "facts");
	d->steps = json_set_array(d->doc, "steps");
	d->writes = json_set_array(d->doc, "writes");
}

void dry_fact(struct dry_run *d, const char *name, const char *text)
{
	json_set_cstr(d->facts, name, text);
}

void dry_step(struct dry_run *d, const char *name, double seconds, const char *text)
{
	struct json *j = json_object(d->call->arena);
	json_set_cstr(j, "step", name);
	json_set_f64(j, "seconds_at_most", seconds);
	json_set_cstr(j, "what", text);
	json_push(d->steps, j);
	d->seconds += isfinite(seconds) ? seconds : 0;
}

void dry_write(struct dry_run *d, const char *path, const char *what)
{
	struct json *j = json_object(d->call->arena);
	json_set_cstr(j, "path", path);
	json_set_cstr(j, "what", what);
	json_push(d->writes, j);
}

static void put_label(struct buf *out, struct str name)
{
	buf_printf(out, "%-*.*s", DRY_LABEL, STR_ARG(name));
	if (name.n >= DRY_LABEL)
		buf_char(out, ' ');
}

static void put_text(struct dry_run *d, struct buf *out)
{
	buf_puts(out, "dry run      nothing is started, built, leased or written\n");
	for (size_t i = 0; i < d->facts->n; i++) {
		put_label(out, d->facts->members[i].key);
		buf_printf(out, "%.*s\n", STR_ARG(d->facts->members[i].value->text));
	}
	for (size_t i = 0; i < d->steps->n; i++) {
		const struct json *s = d->steps->items[i];
		double seconds = json_f64(s, "seconds_at_most", NAN);
		put_label(out, json_str(s, "step", STR("")));
		buf_printf(out, "%.*s", STR_ARG(json_str(s, "what", STR(""))));
		if (isfinite(seconds)) {
			buf_puts(out, "; at most ");
			progress_seconds(out, seconds);
		}
		buf_char(out, '\n');
	}
	for (size_t i = 0; i < d->writes->n; i++) {
		put_label(out, i ? STR("") : STR("writes"));
		buf_printf(out, "%.*s: %.*s\n", STR_ARG(json_str(d->writes->items[i], "path", STR("?"))),
			   STR_ARG(json_str(d->writes->items[i], "what", STR("?"))));
	}
	put_label(out, STR("time"));
	progress_seconds(out, d->seconds);
	buf_puts(out, " by the budgets above; what has none comes on top\n");
}

void dry_end(struct dry_run *d, const struct verb_common *common)
{
	struct buf text;
	json_set_f64(d->doc, "seconds_by_budgets", d->seconds);
	if (common->json) {
		verb_put_json(d->call, d->doc);
		return;
	}
	buf_init(&text);
	put_text(d, &text);
	term_lines(d->call->out, &d->call->term, buf_view(&text), DRY_LABEL);
	buf_release(&text);
}

void dry_operator(struct dry_run *d, const char *label, const struct operator* op)
{
	struct arena *a = d->call->arena;
	const char *name = path_base(op->kernel.path);
	const char *cases = "";
	for (size_t i = 0; i < op->n_cases; i++)
		cases = arena_printf(a, "%s%s%.*s", cases, i ? ", " : "", STR_ARG(op->cases[i].name));
	dry_fact(d, label,
		 arena_printf(a, "%s, entry %.*s, backend %s; %zu case%s: %s", name, STR_ARG(op->entry),
			      backend_name(op->backend), op->n_cases, op->n_cases == 1 ? "" : "s", cases));
	for (size_t i = 0; i < op->n_notes; i++)
		dry_fact(d, arena_printf(a, "note%s", i ? arena_printf(a, " %zu", i + 1) : ""), op->notes[i]);
}

void dry_device(struct dry_run *d, const struct lab_device *x)
{
	dry_fact(d, "device", x->gpu ? arena_printf(d->call->arena, "%s, %s", x->name, x->gpu) : x->name);
}

bool dry_build(struct dry_run *d, const char *name, const struct operator* op, const struct lab_device *x,
	       const struct bench_options *b, struct err *e)
{
	struct build_options build = {.source = op->kernel.name ? op->kernel.name : op->kernel.path,
				      .language = op->backend == BACKEND_C ? BUILD_C : BUILD_CUDA,
				      .entry = arena_strndup(d->call->arena, op->entry.p, op->entry.n),
				      .sm = x->sm,
				      .arch = b->arch,
				      .flags = b->flags,
				      .nvcc = b->nvcc,
				      .folder = "FOLDER",
				      .name = "kernel",
				      .cutlass = op->backend == BACKEND_CUTLASS};
	if (op->linkage == LINKAGE_PYTHON) {
		dry_step(d, name, NAN, "nothing is compiled: the worker's interpreter imports the module");
		return true;
	}
	const char *command = build_command(d->call->arena, &build, e);
	if (!command)
		return false;
	bool is_cached = !(b->options & BENCH_NO_CACHE);
	dry_step(d, name, NAN,
		 is_cached ? arena_printf(d->call->arena, "%s, unless the same is in the cache", command) : command);
	return true;
}

void dry_lease(struct dry_run *d, const struct lab_device *x, double wait_s)
{
	struct arena *a = d->call->arena;
	dry_step(d, "lease", NAN,
		 wait_s > 0 ? arena_printf(a, "%s, waited for at most %.15g s", x->lease, wait_s)
			    : arena_printf(a, "%s, not waited for", x->lease));
	dry_step(d, "idle check", x->gpu ? 3 : 1, "until nobody else uses the device");
}

void dry_correctness(struct dry_run *d, const struct operator* op)
{
	if (op->reference_kind == REFERENCE_NONE)
		dry_step(d, "correctness", NAN, "not looked at: there is no reference");
	else
		dry_step(d, "correctness", NAN,
			 arena_printf(d->call->arena, "%zu case%s on 2 data sets each against %s", op->n_cases,
				      op->n_cases == 1 ? "" : "s", path_base(op->reference.path)));
}

void dry_record(struct dry_run *d, const char *store)
{
	dry_write(d, store ? store : store_default_root(d->call->arena), "the record and every sample");
}

static void dry_series(struct dry_run *d, const struct lab_device *x, const struct bench_options *b)
{
	struct arena *a = d->call->arena;
	long long warmup = (long long)b->n_warmup, n = (long long)b->n_repeat;
	if (n) {
		dry_step(d, "cold", NAN,
			 arena_printf(a, "%lld calls before sampling, then exactly %lld samples", warmup, n));
	} else {
		dry_step(d, "cold", b->budget_s,
			 arena_printf(a, "%lld calls before sampling, then until the mean is known to +-%.3g %%",
				      warmup, 100 * b->noise));
	}
	if (!(b->options & BENCH_NO_WARM))
		dry_step(d, "warm", n ? NAN : b->budget_s / 4, "the same with caches as they are");
	if (x->gpu)
		dry_step(d, "events", n ? NAN : b->budget_s / 4,
			 "a second opinion by events; four times as long where the "
			 "call is no single kernel");
}

void dry_bench(struct dry_run *d, const struct operator* op, const struct lab_device *x, const struct bench_options *b)
{
	bool is_native = op->reference_kind == REFERENCE_C || op->reference_kind == REFERENCE_CPP ||
			 op->reference_kind == REFERENCE_CU;
	double turn = b->speedup_budget_s >= 0 ? b->speedup_budget_s : x->gpu ? 5 : 2;
	bool is_fixed = b->speedup_budget_s < 0 && b->n_repeat > 0;
	dry_lease(d, x, b->wait_s);
	dry_step(d, "processes", NAN, "a keeper with the tensors, a worker in a sandbox with the kernel, a sampler");
	dry_correctness(d, op);
	dry_step(d, "identity", NAN, "what one call launches");
	dry_series(d, x, b);
	if (is_native && turn > 0 && !is_fixed && (op->reference_kind == REFERENCE_CU) == (x->gpu != NULL))
		dry_step(d, "reference", turn, "reference and kernel in turn");
	if (!(b->options & BENCH_NO_BATTERY))
		dry_step(d, "integrity", NAN, "how the answer came about");
}
