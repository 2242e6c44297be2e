/* Comparison of kernel files.
 * In: sides and options. Out: a verdict a candidate, the record, rows in the store.
 * Order: read, device and lease, build, correctness of all on every case, identity, plan, placements, record.
 * Never: times a side that is wrong, never mixes two sources of time. */
#include "measure/compare.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/scratch.h"
#include "base/version.h"
#include "measure/compare_state.h"
#include "measure/telemetry.h"
#include "measure/workload.h"
#include "run/trial.h"
#include "store/lease.h"
#include "store/object.h"

const char *compare_label(struct arena *a, size_t i_side)
{
	return arena_printf(a, "%c", (char)('A' + i_side));
}

void compare_phase(struct compare_state *s, const char *name)
{
	int64_t now = clock_ns();
	if (s->phase_name)
		json_set_f64(s->seconds, s->phase_name, (double)(now - s->phase_begin) / 1e9);
	s->phase_name = name;
	s->phase_begin = now;
	if (name)
		progress_phase(name, strcmp(name, "placements") == 0 && !s->o->n_placements ? s->o->budget_s : 0);
}

void compare_put_out(struct compare_state *s, size_t i, enum verdict v, const char *text)
{
	s->is_out[i] = true;
	s->out->sides[i].verdict = v;
	s->out->sides[i].text = text;
}

static bool differ(struct err *e, size_t i, const char *what)
{
	return err_set(e, ERR_USAGE,
		       "A and %c do not compute the same thing: %s; sides take the same parameters in the same order",
		       (char)('A' + i), what);
}

static bool same_params(struct compare_state *s, size_t i, struct err *e)
{
	const struct operator* a = & s->out->sides[0].op, *b = &s->out->sides[i].op;
	if (a->n_params != b->n_params)
		return differ(e, i, arena_printf(s->arena, "%zu parameters against %zu", a->n_params, b->n_params));
	for (size_t k = 0; k < a->n_params; k++) {
		const struct param *x = &a->params[k], *y = &b->params[k];
		if (param_is_tensor(x) != param_is_tensor(y) || x->role != y->role ||
		    (param_is_tensor(x) && x->dtype != y->dtype))
			return differ(e, i,
				      arena_printf(s->arena, "parameter %zu is %s %s '%.*s' against %s %s '%.*s'",
						   k + 1, param_role_name(x->role), dtype_name(x->dtype),
						   STR_ARG(x->name), param_role_name(y->role), dtype_name(y->dtype),
						   STR_ARG(y->name)));
	}
	return true;
}

static bool same_cases(struct compare_state *s, size_t i, struct err *e)
{
	const struct operator* a = & s->out->sides[0].op, *b = &s->out->sides[i].op;
	if (a->n_cases != b->n_cases)
		return differ(e, i, "other cases");
	for (size_t c = 0; c < a->n_cases; c++) {
		for (size_t k = 0; k < a->n_params; k++) {
			const struct op_arg *x = &a->cases[c].args[k], *y = &b->cases[c].args[k];
			if (x->bytes != y->bytes || x->bits != y->bits)
				return differ(e, i,
					      arena_printf(s->arena, "'%.*s' has another size or value in case '%.*s'",
							   STR_ARG(a->params[k].name), STR_ARG(a->cases[c].name)));
		}
	}
	return true;
}

static bool read_side(struct compare_state *s, size_t i, struct err *e)
{
	struct operator_input in = s->o->input;
	const struct operator* first = & s->out->sides[0].op;
	struct operator* op = & s->out->sides[i].op;
	in.path = s->o->sides[i].path;
	if (i > 0) { /* everything but the kernel itself is A's */
		in.op_file = first->op_file.path;
		in.ref = first->reference.path;
		in.flags |= OPERATOR_NO_SEARCH;
	}
	if (!operator_read(op, s->arena, &in, e))
		return false;
	if (op->data == DATA_SETUP && op->form == OPERATOR_NATIVE && !s->o->setup)
		return err_set(
			e, ERR_UNSUPPORTED,
			"%s:%u: setup() would supply the data; a setup() in C or CUDA is not run yet: an operator "
			"file (--op-file) says the sizes instead",
			in.path, op->setup_line);
	return i == 0 || (same_params(s, i, e) && same_cases(s, i, e));
}

/* One device for all: a GPU runs CUDA and Python, the CPU runs C, and Python where there is no GPU. */
static bool same_device(const struct compare_state *s, struct err *e)
{
	const struct compare_outcome *sides = s->out->sides;
	for (size_t i = 1; i < s->o->n_sides; i++) {
		enum backend first = operator_device(&sides[0].op), b = operator_device(&sides[i].op);
		bool fits = s->out->device.gpu ? b != BACKEND_C : b == BACKEND_C || backend_is_python(b);
		if (!fits)
			return err_set(e, ERR_USAGE,
				       "A runs on backend %s and %c on %s: their times come from different clocks and "
				       "are not compared",
				       backend_name(first), (char)('A' + i), backend_name(b));
	}
	return true;
}

/* The setup() of A, or of the module that is named, supplies the data of all sides: it runs once for sides that are entered
 * alike, and beside it the setup() that each has of its own. */
static bool begin_workload(struct compare_state *s, size_t i, struct err *e)
{
	if (i >= s->o->n_sides ||
	    (s->out->sides[i].op.linkage != LINKAGE_PYTHON && s->out->sides[i].op.data != DATA_SETUP))
		return true;
	const struct operator* op = & s->out->sides[i].op, *first = &s->out->sides[0].op;
	struct workload_options *w = &s->workload_options[i];
	bool is_alike = i > 0 && s->workloads[0] && op->data == first->data && op->form == first->form &&
			str_eq(op->entry, first->entry);
	*w = (struct workload_options){.input = &s->o->input,
				       .python = s->o->python,
				       .setup = s->o->setup ? s->o->setup
						: i > 0     ? first->kernel.path
							    : NULL,
				       .first = is_alike ? s->workloads[0] : NULL,
				       .folder = arena_printf(s->arena, "%s/side-%zu", s->folder, i),
				       .gpu = s->out->device.gpu,
				       .timeout_ns = (int64_t)(s->o->timeout_s * 5e9)};
	s->workloads[i] = ARENA_NEW(s->arena, struct workload);
	return file_mkdirs(w->folder, 0700, e) && workload_begin(s->workloads[i], s->arena, op, w, e);
}

static bool end_workload(struct compare_state *s, size_t i, struct err *e)
{
	struct operator* op = & s->out->sides[i].op;
	if (!workload_end(s->workloads[i], s->arena, op, &s->workload_options[i], e))
		return false;
	if (s->workloads[i]->verdict == VERDICT_PASSED)
		return true;
	if (i == 0 && op->data == DATA_SETUP)
		return err_set(e, ERR_INPUT, "A: its setup() gives no data to compare on: %s", s->workloads[i]->text);
	compare_put_out(s, i, s->workloads[i]->verdict, s->workloads[i]->text);
	return true;
}

/* A .py: not built. */
static bool prepare_side(struct compare_state *s, size_t i, struct err *e)
{
	struct compare_outcome *x = &s->out->sides[i];
	x->artifact = (struct artifact){.result = BUILD_OK,
					.library = x->op.kernel.path,
					.symbol = arena_strndup(s->arena, x->op.entry.p, x->op.entry.n),
					.command = "",
					.message = "",
					.facts = json_object(s->arena)};
	memcpy(x->artifact.sha256, x->op.kernel.sha256, sizeof(x->op.kernel.sha256));
	return end_workload(s, i, e);
}

static bool build_side(struct compare_state *s, size_t i, struct err *e)
{
	static const enum verdict verdicts[] = {VERDICT_PASSED, VERDICT_BUILD_FAILED, VERDICT_BUILD_TIMEOUT,
						VERDICT_NO_ENTRY};
	const struct compare_side *x = &s->o->sides[i];
	const struct operator* op = & s->out->sides[i].op;
	if (op->data == DATA_SETUP && (!end_workload(s, i, e) || s->is_out[i]))
		return s->is_out[i];
	struct artifact *made = &s->out->sides[i].artifact;
	const char *entry = arena_strndup(s->arena, op->entry.p, op->entry.n);
	struct build_options b = {.source = x->path,
				  .language = op->backend == BACKEND_C ? BUILD_C : BUILD_CUDA,
				  .entry = entry,
				  .sm = s->out->device.sm,
				  .arch = x->arch ? x->arch : s->o->arch,
				  .flags = x->flags ? x->flags : s->o->flags,
				  .nvcc = x->nvcc ? x->nvcc : s->o->nvcc,
				  .folder = arena_printf(s->arena, "%s/build-%zu", s->folder, i),
				  .name = "kernel",
				  .options = s->o->options & COMPARE_NO_CACHE ? BUILD_NO_CACHE : 0u,
				  .cutlass = op->backend == BACKEND_CUTLASS};
	if (x->library) {
		*made = (struct artifact){.result = BUILD_OK,
					  .library = path_absolute(s->arena, x->library),
					  .symbol = x->symbol ? x->symbol : entry,
					  .command = "",
					  .message = ""};
		return sha256_file(x->library, made->sha256, e);
	}
	if (!build_make(made, s->arena, &b, e))
		return false;
	if (made->result != BUILD_OK)
		compare_put_out(s, i, verdicts[made->result], made->message ? made->message : "");
	return true;
}

static bool measure(struct compare_state *s, struct err *e)
{
	compare_phase(s, "build");
	s->workload_options = ARENA_ARRAY(s->arena, s->o->n_sides, struct workload_options);
	bool has_begun = begin_workload(s, 0, e);
	for (size_t i = 0; i < s->o->n_sides; i++) {
		bool is_python = s->out->sides[i].op.linkage == LINKAGE_PYTHON;
		has_begun = has_begun && begin_workload(s, i + 1, e); /* beside this one: not all, each takes memory */
		if (!has_begun || !(is_python ? prepare_side(s, i, e) : build_side(s, i, e)))
			return false;
	}
	compare_phase(s, "idle check");
	telemetry_wait_idle(s->telemetry, s->o->options & COMPARE_ANY_LOAD ? 0
					  : s->out->device.gpu             ? TELEMETRY_PATIENCE_GPU_NS
									   : TELEMETRY_PATIENCE_CPU_NS);
	if (!compare_open(s, e))
		return false;
	compare_phase(s, "correctness");
	if (!compare_check(s, e))
		return false;
	compare_phase(s, "identity");
	return compare_identify(s, e) && compare_place(s, e);
}

static bool publish(struct compare_state *s, struct err *e)
{
	struct store *store = store_open(s->o->store, e);
	if (!store)
		return false;
	struct json *meta = json_object(s->arena);
	json_set(meta, "tool", version_json(s->arena));
	json_set_cstr(meta, "of", "compare");
	bool ok = s->trial->n == 0 || trial_publish(s->trial, store, meta, s->trial_digest, e);
	compare_phase(s, NULL);
	ok = ok && telemetry_json(&s->telemetry_facts, s->telemetry, store, e);
	s->out->record = compare_record(s);
	ok = ok && store_record(store, "compare", s->out->record, s->out->id, e);
	if (ok)
		json_set_cstr(s->out->record, "id", s->out->id);
	store_close(store);
	return ok;
}

static bool with_lease(struct compare_state *s, struct err *e)
{
	struct lease *lease;
	int64_t wait = s->o->wait_s > 0 ? (int64_t)(s->o->wait_s * 1e9) : 0;
	const char *note = arena_printf(s->arena, "compare %s", path_base(s->o->sides[0].path));
	progress_phase("lease", s->o->wait_s);
	if (!lease_take(&lease, s->out->device.lease, wait, note, e))
		return false;
	struct telemetry_options t = {.program = s->o->program, .folder = s->folder, .device = &s->out->device};
	telemetry_start(s->telemetry, s->arena, &t);
	bool ok = measure(s, e);
	telemetry_stop(s->telemetry);
	compare_phase(s, "end");
	compare_close(s);
	lease_free(lease);
	return ok;
}

static bool read_sides(struct compare_state *s, struct err *e)
{
	const struct compare_options *o = s->o;
	if (o->n_sides < 2 || o->n_sides > COMPARE_MAX_SIDES)
		return err_set(e, ERR_USAGE, "compare: %zu sides; it takes 2 to %d", o->n_sides, COMPARE_MAX_SIDES);
	*s->out = (struct compare){.verdict = VERDICT_INCONCLUSIVE,
				   .text = "",
				   .n_sides = o->n_sides,
				   .sides = ARENA_ARRAY(s->arena, o->n_sides, struct compare_outcome)};
	for (size_t i = 0; i < o->n_sides; i++) {
		s->out->sides[i].verdict = VERDICT_UNCHECKED;
		s->out->sides[i].text = "";
		if (!read_side(s, i, e))
			return false;
	}
	return device_choose(&s->out->device, &s->device_facts, s->arena, operator_device(&s->out->sides[0].op),
			     o->i_gpu, e) &&
	       same_device(s, e);
}

bool compare_read(struct compare *out, struct arena *a, const struct compare_options *o, struct err *e)
{
	struct compare_state s = {.out = out, .arena = a, .o = o, .seconds = json_object(a)};
	return read_sides(&s, e);
}

static bool run(struct compare *out, struct arena *a, const struct compare_options *o, struct err *e)
{
	struct compare_state s = {.out = out, .arena = a, .o = o, .seconds = json_object(a)};
	struct trial trial;
	struct telemetry telemetry = {.sampler = NULL};
	trial_init(&trial, a);
	s.trial = &trial;
	s.telemetry = &telemetry;
	compare_phase(&s, "read");
	if (!read_sides(&s, e))
		return false;
	struct scratch scratch;
	if (!scratch_make(&scratch, a, "compare", e))
		return false;
	s.folder = scratch.path;
	bool ok = with_lease(&s, e);
	if (ok) {
		if (!(o->options & COMPARE_ANY_LOAD))
			s.problem = telemetry_problem(&telemetry);
		compare_conclude(&s);
		ok = publish(&s, e);
	}
	telemetry_free(&telemetry);
	scratch_remove(&scratch);
	return ok;
}

bool compare_run(struct compare *out, struct arena *a, const struct compare_options *o, struct err *e)
{
	progress_begin("compare %s %s", o->n_sides ? path_base(o->sides[0].path) : "",
		       o->n_sides > 1 ? path_base(o->sides[1].path) : "");
	progress_expect(o->n_placements ? 0 : o->budget_s + 1); /* build and correctness have no budget */
	bool ok = run(out, a, o, e);
	progress_end();
	return ok;
}
