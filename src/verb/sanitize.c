/* --sanitize: compute-sanitizer in the verdict.
 * In: names of tools. Out: a look that a bench makes beside its times; its checks, its verdict.
 * What it cannot do here is said before anything is measured.
 * Never: lets a tool that came to no end reject a kernel, or pass for one that looked. */
#include "verb/sanitize.h"

#include <math.h>

#include "base/file.h"
#include "build/tool.h"
#include "collect/sanitize.h"

/* Under the tools a kernel takes ten to a hundred times as long. */
static const double SANITIZE_SLOWER = 10;

static struct integrity_check check_of(struct arena *a, const struct sanitize_found *f)
{
	static const enum integrity_state states[] = {INTEGRITY_PASSED, INTEGRITY_FAILED, INTEGRITY_NOT_APPLICABLE,
						      INTEGRITY_UNAVAILABLE};
	return (struct integrity_check){.name = arena_printf(a, "sanitizer_%s", sanitizer_tool_name(f->tool)),
					.state = states[f->state],
					.witness = "claim",
					.text = f->text};
}

/* The kernel ran on the CPU after all: a module in Python that uses no GPU. */
static void leave_out(struct bench_extra_result *out, const struct sanitize_verb *x, struct arena *a)
{
	struct json *list = json_set_array(out->facts = json_object(a), "tools");
	for (unsigned t = 0; t < SANITIZE_TOOLS; t++) {
		struct sanitize_found f = {.tool = (enum sanitizer_tool)t,
					   .state = SANITIZE_INCOMPLETE,
					   .text = "compute-sanitizer looks at GPU kernels; this one ran on the CPU"};
		if (!(x->which & 1u << t))
			continue;
		struct json *one = json_object(a);
		json_set_cstr(one, "tool", sanitizer_tool_name(f.tool));
		json_set_cstr(one, "state", "incomplete");
		json_set_cstr(one, "text", arena_printf(a, "%s: %s", sanitizer_tool_name(f.tool), f.text));
		json_push(list, one);
		out->checks[out->n_checks++] = check_of(a, &f);
	}
}

static bool look(void *ctx, struct bench_extra_result *out, const struct bench_extra_input *in, struct err *e)
{
	const struct sanitize_verb *x = ctx;
	const struct bench *b = in->bench;
	struct sanitize_collected got;
	struct sanitize_collect o = {.program = x->program,
				     .tool = x->tool,
				     .gpu = b->device.gpu,
				     .op = &b->op,
				     .library = b->artifact.library,
				     .symbol = b->artifact.symbol,
				     .sha256 = b->artifact.sha256,
				     .returns_int = b->op.entry_returns_int,
				     .guest = in->guest && b->op.linkage == LINKAGE_PYTHON ? in->guest : NULL,
				     .data = b->inputs,
				     .scratch = in->scratch,
				     .store = in->store,
				     .which = x->which,
				     .timeout_s = x->timeout_s};
	if (!o.gpu) {
		leave_out(out, x, in->arena);
		return true;
	}
	if (!sanitize_collect(&got, in->arena, &o, e))
		return false;
	out->facts = got.facts;
	for (size_t i = 0; i < got.n; i++) {
		const struct sanitize_found *f = &got.tools[i];
		out->checks[out->n_checks++] = check_of(in->arena, f);
		if (f->state != SANITIZE_FOUND || out->verdict != VERDICT_PASSED)
			continue;
		out->verdict = VERDICT_SANITIZER;
		out->text = f->text;
	}
	return true;
}

bool sanitize_begin(struct sanitize_verb *x, struct bench_options *b, const char *names, struct arena *a, struct err *e)
{
	struct operator op;
	*x = (struct sanitize_verb){
		.program = b->program, .timeout_s = SANITIZE_SLOWER * b->timeout_s, .extra = {"sanitizer", look, x}};
	if (!names)
		return true;
	if (!sanitize_parse(&x->which, names, e) || !operator_read(&op, a, &b->input, e))
		return false;
	if (operator_device(&op) == BACKEND_C)
		return err_set(e, ERR_USAGE, "--sanitize: compute-sanitizer looks at GPU kernels; %s runs on the CPU",
			       b->input.path);
	x->tool = tool_find(a, "compute-sanitizer", NULL);
	if (!x->tool)
		return err_set(e, ERR_ENVIRONMENT,
			       "--sanitize: compute-sanitizer was not found on PATH, under CUDA_HOME or in the "
			       "toolkit's usual folders: it comes with the CUDA toolkit");
	if (!scratch_make(&x->scratch, a, "sanitize", e))
		return false;
	if (!b->inputs)
		b->inputs = path_join(a, x->scratch.path, "inputs");
	b->extra = &x->extra;
	return true;
}

void sanitize_end(struct sanitize_verb *x)
{
	if (x->scratch.path)
		scratch_remove(&x->scratch);
	x->scratch.path = NULL;
}

void sanitize_dry(struct dry_run *d, const struct sanitize_verb *x)
{
	for (unsigned t = 0; x->tool && t < SANITIZE_TOOLS; t++) {
		if (x->which & 1u << t)
			dry_step(d, "sanitizer", NAN,
				 arena_printf(d->call->arena, "%s --tool %s over one call a case", x->tool,
					      sanitizer_tool_name((enum sanitizer_tool)t)));
	}
}
