/* Comparison of kernel files.
 * In: sides and options. Out: a verdict a candidate, the record, rows in the store.
 * Order: read, device and lease, build, correctness of all on every case, identity, plan, placements, record.
 * Never: times a side that is wrong, never mixes two sources of time. */
#include "measure/compare.h"

#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/version.h"
#include "measure/bench.h"
#include "measure/compare_record.h"
#include "measure/device.h"
#include "store/lease.h"

enum { COMPARE_SLOTS = 8, COMPARE_WARMUP = 3 };
static const uint64_t GPU_MEMORY = UINT64_C(8) << 30, HOST_MEMORY = UINT64_C(512) << 20;
/* What is assumed of a GPU before anything is measured, to divide the budget between placements and blocks: an H200,
 * 2026-11: restarts spread by 0.2 % a side, a cold call by 1.2 %, so the mean of ten pairs by 0.54 %. */
static const struct plan_spread GPU_SPREAD = {.sd_place = 0.0028, .sd_block = 0.0054};

const char *compare_label(struct arena *a, size_t i_side)
{
	return arena_printf(a, "%c", (char)('A' + i_side));
}

static void phase(struct compare_state *s, const char *name)
{
	int64_t now = clock_ns();
	if (s->phase_name)
		json_set_f64(s->seconds, s->phase_name, (double)(now - s->phase_begin) / 1e9);
	s->phase_name = name;
	s->phase_begin = now;
	if (name)
		log_progress("%s", name);
}

static void put_out(struct compare_state *s, size_t i, enum verdict v, const char *text)
{
	s->looks[i].is_out = true;
	s->out->sides[i].verdict = v;
	s->out->sides[i].text = text;
}

/* ASK_FAULT takes the side out; false for ASK_ERR. */
static bool settle(struct compare_state *s, size_t i, enum ask_result r)
{
	if (r == ASK_FAULT)
		put_out(s, i, s->looks[i].fault.verdict, s->looks[i].fault.text);
	return r != ASK_ERR;
}

/* ---- reading the sides */

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
	if (op->backend != BACKEND_C && op->backend != BACKEND_CUDA && op->backend != BACKEND_CUTLASS)
		return err_set(e, ERR_UNSUPPORTED, "backend %s is not built yet", backend_name(op->backend));
	if ((op->backend == BACKEND_C) != (first->backend == BACKEND_C))
		return err_set(e, ERR_USAGE,
			       "A runs on backend %s and %c on %s: their times come from different clocks and are not "
			       "compared",
			       backend_name(first->backend), (char)('A' + i), backend_name(op->backend));
	return i == 0 || (same_params(s, i, e) && same_cases(s, i, e));
}

/* ---- build, correctness, identity */

static bool build_side(struct compare_state *s, size_t i, struct err *e)
{
	static const enum verdict verdicts[] = {VERDICT_PASSED, VERDICT_BUILD_FAILED, VERDICT_BUILD_TIMEOUT,
						VERDICT_NO_ENTRY};
	const struct compare_side *x = &s->o->sides[i];
	const struct operator* op = & s->out->sides[i].op;
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
				  .options = s->o->options & COMPARE_NO_CACHE ? BUILD_NO_CACHE : 0u};
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
		put_out(s, i, verdicts[made->result], made->message ? made->message : "");
	return true;
}

static bool open_lab(struct compare_state *s, struct err *e)
{
	bool is_gpu = s->out->device.gpu != NULL;
	struct lab_options o = {.program = s->o->program,
				.folder = s->folder,
				.cupti = s->o->cupti,
				.call_timeout_ns = (int64_t)(s->o->timeout_s * 1e9),
				.n_slots = COMPARE_SLOTS,
				.memory_bytes = is_gpu ? GPU_MEMORY : HOST_MEMORY,
				.keep_bytes = is_gpu ? GPU_MEMORY : HOST_MEMORY};
	s->reference_options = (struct reference_options){.program = s->o->program,
							  .folder = s->folder,
							  .python = s->o->python,
							  .nvcc = s->o->nvcc,
							  .timeout_ns = (int64_t)(s->o->timeout_s * 5e9),
							  .no_cache = (s->o->options & COMPARE_NO_CACHE) != 0};
	s->lab = lab_open(s->arena, &s->out->sides[0].op, &s->out->device, &o, e);
	return s->lab &&
	       reference_open(&s->reference, s->arena, &s->out->sides[0].op, &s->out->device, &s->reference_options, e);
}

static bool start_sides(struct compare_state *s, struct err *e)
{
	int64_t begin = clock_ns();
	for (size_t i = 0; i < s->o->n_sides; i++) {
		struct compare_look *k = &s->looks[i];
		const struct compare_outcome *x = &s->out->sides[i];
		k->subject = (struct lab_subject){.name = compare_label(s->arena, i),
						  .library = x->artifact.library,
						  .symbol = x->artifact.symbol,
						  .returns_int = x->op.entry_returns_int,
						  .op = &x->op};
		if (k->is_out)
			continue;
		k->worker = lab_start(s->lab, &k->subject, s->out->device.gpu ? "identity" : "time", e);
		if (!k->worker)
			return false;
	}
	for (size_t i = 0; i < s->o->n_sides; i++) {
		struct compare_look *k = &s->looks[i];
		if (!k->is_out && !settle(s, i, lab_join(s->lab, k->worker, &k->fault, e)))
			return false;
	}
	s->start_ns = clock_ns() - begin;
	return true;
}

static bool check_case(struct compare_state *s, size_t i_case, struct err *e)
{
	struct correct_bench bench = {s->arena, s->lab, &s->reference};
	if (!lab_case(s->lab, i_case, e))
		return false;
	for (size_t i = 0; i < s->o->n_sides; i++) {
		struct compare_look *k = &s->looks[i];
		struct correct_course course = {
			.out = s->out->sides[i].correct, .b = &bench, .worker = k->worker, .fault = &k->fault};
		if (!k->is_out && !settle(s, i, correct_case(&course, i_case, e)))
			return false;
		const struct correctness *c = s->out->sides[i].correct;
		if (!k->is_out && !correct_is_good(c))
			put_out(s, i, c->verdict, c->text);
	}
	return true;
}

static bool check_all(struct compare_state *s, struct err *e)
{
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (s->looks[i].is_out)
			continue;
		s->out->sides[i].correct = ARENA_NEW(s->arena, struct correctness);
		correct_begin(s->out->sides[i].correct, s->arena, &s->reference);
	}
	for (size_t c = s->out->sides[0].op.n_cases; c-- > 0;) {
		if (!check_case(s, c, e))
			return false;
	}
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (!s->looks[i].is_out)
			s->out->sides[i].verdict = s->out->sides[i].correct->verdict;
	}
	return true;
}

static enum ask_result identify(struct compare_state *s, size_t i, struct err *e)
{
	struct compare_look *k = &s->looks[i];
	struct lab_rows rows;
	struct lab_batch first = {.n = 2, .side = i}, second = {.n = 1, .first_call = 2, .side = i};
	struct trial_batch t = {.mode = TRIAL_IDENTITY, .quarter = TRIAL_NO_QUARTER, .flags = TRIAL_WARMUP};
	enum ask_result r = lab_run(s->lab, k->worker, &first, &rows, &k->fault, e);
	if (r == ASK_OK)
		r = lab_run(s->lab, k->worker, &second, &rows, &k->fault, e);
	if (r != ASK_OK)
		return r;
	t.begin_ns = rows.begin_ns;
	t.wall_ns = rows.wall_ns;
	trial_add(&s->trial, rows.rows, rows.n, &t);
	k->identity = rows.rows[0];
	k->has_identity = true;
	return lab_reduce(s->lab, k->worker, &k->fault, e);
}

/* One source for all sides. */
static bool choose_source(struct compare_state *s, struct err *e)
{
	bool is_single = !(s->o->options & COMPARE_EVENTS);
	s->has_records = s->can_hold = true;
	s->out->source = TIMING_HOST;
	if (!s->out->device.gpu) {
		s->can_hold = false;
		return true;
	}
	for (size_t i = 0; i < s->o->n_sides; i++) {
		const struct wire_row *row = &s->looks[i].identity;
		if (!s->looks[i].is_out && !settle(s, i, identify(s, i, e)))
			return false;
		if (s->looks[i].is_out)
			continue;
		s->has_records = s->has_records && !(row->marks & WIRE_MARK_NO_RECORD);
		s->can_hold = s->can_hold && !(row->marks & (WIRE_MARK_SYNCED | WIRE_MARK_ALLOCATED));
		is_single = is_single && row->n_launch == 1 && row->n_copy == 0;
	}
	s->out->source = s->has_records && is_single ? TIMING_RECORD : TIMING_EVENT;
	return true;
}

/* ---- plan and placements */

static size_t n_timed(const struct compare_state *s)
{
	return s->o->options & COMPARE_ALL_CASES ? s->out->sides[0].op.n_cases : 1;
}

/* Sides that may be measured, A first. */
static void gather_sides(struct compare_state *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (s->looks[i].is_out)
			continue;
		s->i_side[n] = i;
		s->sides[n++] = (struct placements_side){
			.subject = &s->looks[i].subject, .number = i, .correct = s->out->sides[i].correct};
	}
	unsigned cold = s->o->options & COMPARE_WARM ? 0u : WIRE_CALL_COLD | WIRE_CALL_POISON;
	s->run = (struct placements){.arena = s->arena,
				     .lab = s->lab,
				     .reference = &s->reference,
				     .trial = &s->trial,
				     .sides = s->sides,
				     .n_sides = n,
				     .plan = {.source = s->out->source,
					      .flags = cold | (s->can_hold ? WIRE_CALL_HOLD : 0u),
					      .n_cases = n_timed(s),
					      .n_warmup = COMPARE_WARMUP,
					      .min_effect = s->o->min_effect,
					      .seed = s->out->sides[0].op.seed}};
}

/* A side that fails here fails in the placements too: it is dropped there. */
static bool measure_cost(struct compare_state *s, struct err *e)
{
	struct lab_worker *workers[COMPARE_MAX_SIDES];
	struct lab_fault fault;
	for (size_t k = 0; k < s->run.n_sides; k++)
		workers[k] = s->looks[s->i_side[k]].worker;
	enum ask_result r = placements_probe(&s->cost, &s->run, workers, &fault, e);
	return r != ASK_ERR;
}

static void make_plan(struct compare_state *s)
{
	struct placements_plan *p = &s->run.plan;
	static const struct plan_spread unknown;
	double call_ns = s->cost.call_ns * (double)s->run.n_sides;
	p->n_calls = s->o->n_calls ? s->o->n_calls : placements_n_calls(s->cost.call_ns);
	struct plan_cost cost = {.start_ns = (double)s->start_ns + s->cost.layout_ns +
					     call_ns * (COMPARE_WARMUP + LAB_SEEDS) * (double)p->n_cases,
				 .block_ns = fmax(1e3, s->cost.block_ns_per_call * (double)p->n_calls)};
	plan_comparison(&s->plan, &cost, s->out->device.gpu ? &GPU_SPREAD : &unknown, s->o->budget_s * 1e9,
			s->o->min_effect, s->run.n_sides - 1);
	p->n_blocks = s->o->n_blocks ? s->o->n_blocks : s->plan.n_blocks;
	p->n_looks = s->plan.n_looks ? s->plan.n_looks : 1;
	p->time_limit_ns = (int64_t)(s->o->budget_s * (s->plan.n_looks ? 1.5e9 : 1e9));
	if (s->o->n_placements) {
		size_t n_looks = spending_n_looks(s->o->n_placements);
		p->n_fixed = s->o->n_placements;
		p->n_looks = n_looks ? n_looks : 1;
		p->time_limit_ns = 0;
		return;
	}
	if (!s->plan.n_looks)
		s->reason = arena_printf(
			s->arena, "%.3g s pay for fewer than %zu placements, which a verdict needs: about %.2g s",
			s->o->budget_s, spending_look[0],
			(double)spending_look[0] * (cost.start_ns + cost.block_ns) / 1e9);
}

static void end_looks(struct compare_state *s)
{
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (s->looks[i].worker && !s->sandbox)
			s->sandbox = worker_sandbox_json(lab_process(s->looks[i].worker), s->arena);
		lab_end(s->lab, s->looks[i].worker);
		s->looks[i].worker = NULL;
	}
}

static bool measure(struct compare_state *s, struct err *e)
{
	phase(s, "build");
	for (size_t i = 0; i < s->o->n_sides; i++) {
		if (!build_side(s, i, e))
			return false;
	}
	phase(s, "start");
	if (!open_lab(s, e) || !start_sides(s, e))
		return false;
	phase(s, "correctness");
	if (!check_all(s, e))
		return false;
	phase(s, "identity");
	if (!choose_source(s, e))
		return false;
	gather_sides(s);
	if (s->looks[0].is_out || s->run.n_sides < 2)
		return true;
	phase(s, "plan");
	if (!measure_cost(s, e))
		return false;
	make_plan(s);
	end_looks(s);
	phase(s, "placements");
	s->has_run = s->run.plan.n_looks > 0;
	return placements_run(&s->run, e);
}

/* ---- outcome */

static enum verdict verdict_of(enum paired_verdict v)
{
	switch (v) {
	case PAIRED_FASTER:
		return VERDICT_FASTER;
	case PAIRED_SLOWER:
		return VERDICT_SLOWER;
	case PAIRED_EQUIVALENT:
		return VERDICT_EQUIVALENT;
	case PAIRED_INCONCLUSIVE:
		break;
	}
	return VERDICT_INCONCLUSIVE;
}

static const char *why_inconclusive(const struct compare_state *s, const struct placements_side *x)
{
	if (s->reason && x->paired.overall.n == 0)
		return s->reason;
	if (x->paired.state == PAIRED_EXHAUSTED)
		return arena_printf(s->arena, "undecided after the plan's last look, at %zu placements",
				    x->paired.n_last);
	return arena_printf(s->arena, "the time was used up after %zu of %zu placements", x->n_placements,
			    x->paired.n_last);
}

static double mean_time(const struct placements_side *x, size_t n_cases)
{
	double sum = 0;
	for (size_t i = 0; i < x->n_placements; i++)
		sum += x->time_ns[i * n_cases];
	return x->n_placements ? sum / (double)x->n_placements : NAN;
}

static void take_out(struct compare_state *s, size_t i, const struct placements_side *x)
{
	const struct correctness *c = x->correct;
	if (!correct_is_good(c))
		put_out(s, i, c->verdict, c->text);
	else
		put_out(s, i, x->fault.verdict, x->fault.text);
}

static void take_side(struct compare_state *s, size_t k)
{
	const struct placements_side *x = &s->sides[k];
	struct compare_outcome *out = &s->out->sides[s->i_side[k]];
	out->time_ns = mean_time(x, s->run.plan.n_cases);
	out->has_time = x->n_placements > 0;
	if (x->is_out) {
		take_out(s, s->i_side[k], x);
		return;
	}
	if (k == 0)
		return;
	out->paired = x->paired;
	out->has_effect = x->paired.overall.n > 0;
	out->effect_pct = paired_pct(x->paired.overall.estimate);
	out->lower_pct = paired_pct(x->paired.overall.lower);
	out->upper_pct = paired_pct(x->paired.overall.upper);
	out->verdict = s->sides[0].is_out ? VERDICT_INCONCLUSIVE : verdict_of(x->paired.overall.verdict);
	if (s->sides[0].is_out)
		out->text = "A failed while it was timed";
	else
		out->text = out->verdict == VERDICT_INCONCLUSIVE ? why_inconclusive(s, x) : "";
}

static void conclude(struct compare_state *s)
{
	struct compare *out = s->out;
	out->n_placements = s->run.n_placements;
	out->resolution_pct = NAN;
	for (size_t k = 0; k < s->run.n_sides; k++) {
		if (s->has_run)
			take_side(s, k);
	}
	for (size_t i = 1; i < out->n_sides; i++) {
		struct compare_outcome *x = &out->sides[i];
		if (s->has_run || s->looks[i].is_out)
			continue;
		x->verdict = VERDICT_INCONCLUSIVE;
		x->text = s->looks[0].is_out ? "A is not right, so nothing is compared with it" : s->reason;
	}
	if (out->sides[1].has_effect)
		out->resolution_pct = paired_pct(out->sides[1].paired.resolution);
	size_t i_told = s->looks[0].is_out ? 0 : 1;
	out->verdict = out->sides[i_told].verdict;
	out->text = out->sides[i_told].text;
}

static bool publish(struct compare_state *s, struct err *e)
{
	struct store *store = store_open(s->o->store ? s->o->store : bench_default_store(s->arena), e);
	if (!store)
		return false;
	struct json *meta = json_object(s->arena);
	json_set(meta, "tool", version_json(s->arena));
	json_set_cstr(meta, "of", "compare");
	bool ok = s->trial.n == 0 || trial_publish(&s->trial, store, meta, s->trial_digest, e);
	phase(s, NULL);
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
	if (!lease_take(&lease, s->out->device.lease, wait, note, e))
		return false;
	bool ok = measure(s, e);
	phase(s, "end");
	end_looks(s);
	lab_free(s->lab);
	lease_free(lease);
	return ok;
}

bool compare_run(struct compare *out, struct arena *a, const struct compare_options *o, struct err *e)
{
	if (o->n_sides < 2 || o->n_sides > COMPARE_MAX_SIDES)
		return err_set(e, ERR_USAGE, "compare: %zu sides; it takes 2 to %d", o->n_sides, COMPARE_MAX_SIDES);
	*out = (struct compare){.verdict = VERDICT_INCONCLUSIVE,
				.text = "",
				.n_sides = o->n_sides,
				.sides = ARENA_ARRAY(a, o->n_sides, struct compare_outcome)};
	struct compare_state s = {.out = out, .arena = a, .o = o, .seconds = json_object(a)};
	trial_init(&s.trial, a);
	phase(&s, "read");
	for (size_t i = 0; i < o->n_sides; i++) {
		out->sides[i].verdict = VERDICT_UNCHECKED;
		out->sides[i].text = "";
		if (!read_side(&s, i, e))
			return false;
	}
	if (!device_choose(&out->device, &s.device_facts, a, out->sides[0].op.backend, o->i_gpu, e))
		return false;
	char scratch[] = "/tmp/assay-compare-XXXXXX";
	if (!mkdtemp(scratch))
		return err_set(e, ERR_IO, "%s: no scratch folder can be made there", scratch);
	s.folder = scratch;
	bool ok = with_lease(&s, e);
	if (ok) {
		conclude(&s);
		ok = publish(&s, e);
	}
	struct err ignored;
	if (!file_remove_tree(scratch, &ignored))
		log_note("%s", ignored.text);
	log_progress_end();
	return ok;
}
