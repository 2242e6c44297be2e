/* The integrity battery.
 * In: a candidate that is right and timed. Out: checks, flags, a rejection.
 * Each round is a file of its own; this one puts them in order and keeps the list.
 * Never: lets a claim alone pass a check. */
#include "measure/battery.h"

#include <math.h>

#include "base/clock.h"
#include "measure/edge.h"
#include "measure/idle.h"
#include "measure/off_grid.h"
#include "measure/sealed.h"
#include "measure/trivial.h"
#include "run/keeper.h"
#include "stats/ceiling.h"

struct battery {
	struct integrity list;
	struct fresh fresh;
	struct sealed sealed;
	bool has_sealed, is_zeroed; /* outputs are zero before each call: the candidate needs it */
	struct battery_claim claim;
};

struct battery *battery_new(struct arena *a, const char *forbid, struct err *e)
{
	struct battery *x = ARENA_NEW(a, struct battery);
	integrity_open(&x->list, a);
	return integrity_forbid(&x->list, forbid, e) ? x : NULL;
}

void battery_begin(struct battery *x, struct lab *l)
{
	fresh_open(&x->fresh, x->list.arena, l);
}

struct fresh *battery_fresh(struct battery *x)
{
	return &x->fresh;
}

size_t battery_share(struct battery *x)
{
	return lab_max_captures(x->fresh.lab) / 4;
}

bool battery_settle(struct battery *x, struct err *e)
{
	return lab_settle(x->fresh.lab, LAB_PATTERN_A, e);
}

/* ---- outputs that must be zero */

static enum ask_result try_zeroed(struct battery *x, const struct battery_ask *ask, struct err *e)
{
	struct correctness again;
	struct arena *a = x->list.arena;
	const struct correctness *first = ask->correct;
	const char *before = first->text;
	bool is_candidate = first->verdict == VERDICT_NOT_FINITE || first->verdict == VERDICT_WRONG ||
			    first->verdict == VERDICT_UNWRITTEN;
	if (!is_candidate || !worker_is_alive(lab_process(ask->worker)))
		return ASK_OK;
	lab_zero_outputs(ask->bench->lab);
	enum ask_result r = correct_run(&again, ask->bench, ask->worker, ask->fault, e);
	if (r != ASK_OK || again.verdict != VERDICT_PASSED)
		return r == ASK_FAULT ? ASK_OK : r;
	*ask->correct = again;
	x->is_zeroed = true;
	integrity_flag(&x->list, VERDICT_FLAG_ZEROED, "keeper",
		       arena_printf(a, "right where outputs were zero before the call; else: %s", before));
	return ASK_OK;
}

enum ask_result battery_task(struct battery *x, const struct battery_ask *ask, struct err *e)
{
	int64_t begin = clock_ns();
	enum ask_result r = correct_is_good(ask->correct) ? ASK_OK : try_zeroed(x, ask, e);
	if (r == ASK_OK && correct_is_good(ask->correct) && !trivial_look(&x->list, ask->bench, e))
		r = ASK_ERR;
	integrity_cost(&x->list, "task", begin);
	return r;
}

/* ---- determinism */

static bool outputs_differ(struct battery *x, const struct battery_ask *ask, size_t slot, double *most, struct err *e)
{
	struct lab *l = ask->bench->lab;
	const struct layout *y = lab_layout(l);
	(void)x;
	for (size_t i = 0; i < y->n_tensors; i++) {
		uint64_t a = 0, b = 0;
		struct wire_compared c;
		struct wire_compare between = {.region = slot, .expected = slot + 1, .i_tensor = i};
		if (!layout_is_output(y, i))
			continue;
		if (!keeper_hash(lab_keeper(l), slot, i, &a, e) || !keeper_hash(lab_keeper(l), slot + 1, i, &b, e))
			return false;
		if (a == b)
			continue;
		if (!keeper_compare(lab_keeper(l), &between, &c, e))
			return false;
		*most = fmax(*most, c.max_abs);
		if (*most == 0) /* other bits of the same value: signs of zero, NaN */
			*most = 5e-324;
	}
	return true;
}

/* The same tensor twice in a row, its bytes put back between: who takes it for done leaves it as it was. */
static enum ask_result call_twice(const struct battery_ask *ask, struct err *e)
{
	struct lab *l = ask->bench->lab;
	struct lab_put put = {0, 0};
	struct lab_rows rows;
	struct lab_batch b = {.n = 1, .flags = WIRE_CALL_AS_IS};
	struct correct_place at = {.i_case = 0, .slot = 0, .what = "the same tensors again"};
	for (size_t i = 0; i < 2; i++) {
		(void)!lab_freeze(ask->worker);
		if (!lab_put(l, &put, 1, i ? LAB_PATTERN_B : LAB_PATTERN_A, e))
			return ASK_ERR;
		enum ask_result r = lab_run(l, ask->worker, &b, &rows, ask->fault, e);
		if (r != ASK_OK)
			return r;
	}
	(void)!lab_freeze(ask->worker);
	return correct_look(ask->correct, ask->bench, &at, e) ? ASK_OK : ASK_ERR;
}

static enum ask_result repeat(struct battery *x, const struct battery_ask *ask, struct err *e)
{
	struct lab *l = ask->bench->lab;
	struct lab_put put[4] = {{0, 0}, {1, 0}, {2, 1}, {3, 1}};
	size_t n = lab_n_slots(l) < 4 ? 2 : 4;
	double most = 0;
	struct lab_rows rows;
	struct lab_batch b = {.n = n, .flags = WIRE_CALL_AS_IS};
	(void)!lab_freeze(ask->worker);
	if (!lab_put(l, put, n, LAB_PATTERN_A, e))
		return ASK_ERR;
	enum ask_result r = lab_run(l, ask->worker, &b, &rows, ask->fault, e);
	(void)!lab_freeze(ask->worker);
	for (size_t i = 0; r == ASK_OK && i < n; i += 2) {
		struct correct_place at = {.i_case = 0, .slot = i + 1, .what = "the same data again"};
		if (!outputs_differ(x, ask, i, &most, e) || !correct_look(ask->correct, ask->bench, &at, e))
			return ASK_ERR;
	}
	if (r == ASK_OK)
		r = call_twice(ask, e);
	if (r != ASK_OK)
		return r;
	struct arena *a = x->list.arena;
	struct json *j = json_object(a);
	json_set_u64(j, "n_pairs", n / 2);
	json_set_f64(j, "largest_difference", most);
	struct integrity_check c = {.name = "determinism",
				    .state = INTEGRITY_PASSED,
				    .witness = "keeper",
				    .text = "the same data give the same bits",
				    .evidence = j};
	if (most > 0) {
		c.text = arena_printf(
			a,
			"two calls on the same data differ by up to %.3g: an order that changes, a race, or "
			"memory that was not initialised",
			most);
		integrity_flag(&x->list, VERDICT_FLAG_NONDETERMINISM, "keeper", c.text);
	}
	integrity_add(&x->list, &c);
	return ASK_OK;
}

/* ---- the sealed batch */

/* Fresh data are cold: a cold time is held to twice what was said. Warm data may be six times as near: a copy of 4 MB took
 * 0.4 ms out of the L3 and 1 ms out of memory. Of a GPU there is no CPU time to say how much of the wall time was other
 * people's load: 3.1 times the claim was seen with eight busy processes on two CPUs. */
static const double COLD_FACTOR = 2, WARM_FACTOR = 6, DEVICE_FACTOR = 10;

static double least_claim(const struct battery_claim *c)
{
	bool is_cold = c->cold_ns > 0 && (c->warm_ns <= 0 || c->cold_ns < c->warm_ns);
	return is_cold ? c->cold_ns : c->warm_ns;
}

static bool is_denied(const struct battery *x)
{
	const struct battery_claim *c = &x->claim;
	if (x->sealed.is_device)
		return sealed_denies(&x->sealed, fmax(least_claim(c), c->wall_ns), DEVICE_FACTOR);
	return sealed_denies(&x->sealed, c->cold_ns, c->is_partly_warm ? WARM_FACTOR : COLD_FACTOR) ||
	       sealed_denies(&x->sealed, c->warm_ns, WARM_FACTOR);
}

static enum ask_result seal(struct battery *x, const struct battery_ask *ask, struct err *e)
{
	bool is_device = !lab_is_host(ask->bench->lab);
	double least = least_claim(&x->claim);
	struct sealed_ask s = {.fresh = &x->fresh,
			       .worker = ask->worker,
			       .claimed_ns = is_device ? fmax(least, x->claim.wall_ns) : least,
			       .n_kept = lab_max_captures(ask->bench->lab) - x->fresh.n_kept,
			       .is_device = is_device,
			       .is_guest = ask->subject->guest != NULL};
	enum ask_result r = sealed_run(&x->sealed, &s, ask->fault, e);
	x->has_sealed = r == ASK_OK;
	return r;
}

static double or_nan(double v)
{
	return v > 0 ? v : NAN;
}

static void add_sealed(struct battery *x)
{
	struct arena *a = x->list.arena;
	const struct battery_claim *said = &x->claim;
	double least = least_claim(said);
	struct integrity_check c = {.name = "sealed_batch",
				    .state = INTEGRITY_UNAVAILABLE,
				    .witness = "parent",
				    .text = "no sealed batch was run"};
	if (!x->has_sealed) {
		integrity_add(&x->list, &c);
		return;
	}
	c.state = is_denied(x) ? INTEGRITY_FAILED : INTEGRITY_PASSED;
	c.evidence = sealed_json(a, &x->sealed);
	json_set_f64(c.evidence, "claimed_cold_ns", or_nan(said->cold_ns));
	json_set_f64(c.evidence, "claimed_warm_ns", or_nan(said->warm_ns));
	json_set_f64(c.evidence, "claimed_wall_ns", or_nan(said->wall_ns));
	json_set_f64(c.evidence, "bound_over_claim", least > 0 ? x->sealed.bound_ns / least : NAN);
	c.text = arena_printf(a,
			      "%zu calls on fresh data by one message took %.6g us each by the parent's clock, "
			      "%.6g us of CPU by the kernel; %.6g us were said",
			      x->sealed.n_calls, x->sealed.bound_ns / 1e3, x->sealed.cpu_ns / 1e3, least / 1e3);
	integrity_add(&x->list, &c);
	if (c.state == INTEGRITY_FAILED)
		integrity_reject(&x->list, VERDICT_TIME_DENIED, c.text);
}

enum ask_result battery_after(struct battery *x, const struct battery_ask *ask, const struct battery_claim *claim,
			      struct err *e)
{
	int64_t begin = clock_ns();
	x->claim = *claim;
	enum ask_result r = repeat(x, ask, e);
	integrity_cost(&x->list, "determinism", begin);
	begin = clock_ns();
	if (r == ASK_OK)
		r = seal(x, ask, e);
	integrity_cost(&x->list, "sealed_batch", begin);
	begin = clock_ns();
	if (r == ASK_OK && !idle_look(&x->list, ask->bench->lab, ask->worker, e))
		r = ASK_ERR;
	integrity_cost(&x->list, "idle", begin);
	return r;
}

/* ---- the end */

/* What is rejected already is asked nothing more. */
static bool look_hidden(struct battery *x, const struct battery_ask *ask, struct err *e)
{
	int64_t begin = clock_ns();
	bool ok = true;
	const struct integrity_check none = {"off_grid", INTEGRITY_UNAVAILABLE, "keeper",
					     "it is rejected already: nothing more was asked", NULL};
	if (correct_is_good(ask->correct) && x->list.verdict == VERDICT_PASSED)
		ok = off_grid_run(&x->list, ask->bench, ask->subject, e);
	else
		integrity_add(&x->list, &none);
	integrity_cost(&x->list, "off_grid", begin);
	return ok;
}

bool battery_end(struct battery *x, const struct battery_ask *ask, struct err *e)
{
	struct edge_ask edge = {.bench = ask->bench, .subject = ask->subject, .worker = ask->worker};
	int64_t begin = clock_ns();
	if (lab_is_host(ask->bench->lab)) {
		if (!edge_run(&x->list, ask->correct, &edge, e))
			return false;
	} else {
		struct integrity_check c = {
			"page_edges", INTEGRITY_NOT_APPLICABLE, "parent",
			"device memory is mapped in pages of 2 MiB: a read beside a tensor is not seen", NULL};
		lab_end(ask->bench->lab, ask->worker);
		integrity_add(&x->list, &c);
	}
	integrity_cost(&x->list, "page_edges", begin);
	begin = clock_ns();
	bool ok = fresh_check(&x->fresh, ask->correct, ask->bench, e);
	integrity_cost(&x->list, "fresh_data", begin);
	return ok && look_hidden(x, ask, e);
}

static void add_fresh(struct battery *x)
{
	const struct fresh *f = &x->fresh;
	struct arena *a = x->list.arena;
	struct json *j = json_object(a);
	json_set_u64(j, "n_calls", f->n_calls);
	json_set_u64(j, "n_blocks", f->n_blocks);
	json_set_u64(j, "n_kept", f->n_kept);
	json_set_u64(j, "n_checked", f->n_checked);
	json_set_u64(j, "n_not_frozen", f->n_unfrozen);
	json_set_cstr(j, "reason", f->reason);
	struct integrity_check c = {.name = "fresh_data",
				    .state = f->n_failed    ? INTEGRITY_FAILED
					     : f->n_checked ? INTEGRITY_PASSED
							    : INTEGRITY_UNAVAILABLE,
				    .witness = "keeper",
				    .evidence = j};
	c.text = f->n_checked
			 ? arena_printf(a,
					"%zu calls on data that nobody had met; %zu of them, drawn afterwards, checked "
					"against their own answers",
					f->n_calls, f->n_checked)
		 : f->reason ? f->reason
			     : "no call was made on fresh data";
	integrity_add(&x->list, &c);
}

/* What every look at memory covers: one line each, by the verdict that would have come of it. */
static void add_looks(struct battery *x, const struct correctness *c)
{
	static const struct {
		const char *name, *passed;
		enum verdict fails;
	} looks[] = {
		{"inputs_unchanged", "hashes of the inputs are the same after the calls", VERDICT_INPUT_MODIFIED},
		{"guard_zones", "memory around the tensors is as it was", VERDICT_GUARD_DAMAGED},
		{"outputs_written", "no element kept its poison, of two patterns", VERDICT_UNWRITTEN},
	};
	for (size_t i = 0; i < COUNT_OF(looks); i++) {
		bool has_failed = c->verdict == looks[i].fails;
		struct integrity_check check = {.name = looks[i].name,
						.state = has_failed ? INTEGRITY_FAILED : INTEGRITY_PASSED,
						.witness = "keeper",
						.text = has_failed ? c->text : looks[i].passed};
		if (x->is_zeroed && looks[i].fails == VERDICT_UNWRITTEN && !has_failed) {
			check.state = INTEGRITY_UNAVAILABLE;
			check.text = "outputs were zero before the calls, which the candidate needs";
		}
		integrity_add(&x->list, &check);
	}
}

static void add_error_size(struct battery *x, const struct correctness *c)
{
	struct arena *a = x->list.arena;
	bool is_known = c->worst_units > 0;
	struct integrity_check check = {.name = "error_size",
					.state = is_known ? INTEGRITY_PASSED : INTEGRITY_NOT_APPLICABLE,
					.witness = "keeper",
					.text = "no rounding error was seen"};
	if (is_known) {
		struct json *j = json_object(a);
		json_set_f64(j, "error_units", c->worst_units);
		json_set_f64(j, "explained_units", c->explained_units);
		check.evidence = j;
		check.text = arena_printf(a, "error of %.3g units, %.3g are explained by type and length of sums",
					  c->worst_units, c->explained_units);
		if (c->worst_units > c->explained_units)
			integrity_flag(&x->list, VERDICT_FLAG_PRECISION, "keeper", check.text);
	}
	integrity_add(&x->list, &check);
}

static void add_floor(struct battery *x, const struct battery_facts *f)
{
	const struct op_case *c = &f->op->cases[0];
	struct arena *a = x->list.arena;
	bool is_declared = !(c->flags & (OP_CASE_BYTES_SUMMED | OP_CASE_BYTES_GUESSED));
	struct ceiling_floor_in in = {.bytes = c->flags & OP_CASE_HAS_BYTES ? c->bytes : 0,
				      .l2_bytes = f->l2_bytes,
				      .pin_rate = f->l2_bytes > 0 ? f->device->pin_rate : 0,
				      .time_ns = f->cold_ns,
				      .flags = CEILING_COLD | (is_declared ? CEILING_DECLARED : 0u)};
	double floor_ns = 0;
	enum ceiling_floor got = f->cold_ns > 0 ? ceiling_floor_of(&in, &floor_ns) : CEILING_FLOOR_UNKNOWN;
	struct json *j = json_object(a);
	json_set_cstr(j, "result", ceiling_floor_name(got));
	json_set_f64(j, "floor_ns", floor_ns);
	json_set_f64(j, "pin_bytes_per_s", in.pin_rate);
	json_set_bool(j, "bytes_declared", is_declared);
	struct integrity_check check = {.name = "physical_floor",
					.state = got == CEILING_FLOOR_UNKNOWN      ? INTEGRITY_UNAVAILABLE
						 : got == CEILING_FLOOR_IMPOSSIBLE ? INTEGRITY_FAILED
										   : INTEGRITY_PASSED,
					.witness = "nvml",
					.evidence = j};
	check.text = got == CEILING_FLOOR_UNKNOWN
			     ? "bytes of a call or rate of the memory are not known"
			     : arena_printf(a, "%.6g us cold; the memory's pins need %.6g us for the bytes",
					    f->cold_ns / 1e3, floor_ns / 1e3);
	integrity_add(&x->list, &check);
	if (got == CEILING_FLOOR_IMPOSSIBLE)
		integrity_reject(&x->list, VERDICT_TIME_IMPOSSIBLE, check.text);
}

static void add_identity(struct battery *x, const struct battery_facts *f)
{
	struct integrity_check c = {.name = "what_ran",
				    .state = f->has & BATTERY_IDENTITY ? INTEGRITY_PASSED : INTEGRITY_UNAVAILABLE,
				    .witness = "claim",
				    .text = f->has & BATTERY_IDENTITY
						    ? "activities of a call as recorded in the candidate's process"
						    : "no record of a call"};
	if (!f->device->gpu) {
		c.state = INTEGRITY_NOT_APPLICABLE;
		c.text = "the CPU has no activity record";
	}
	integrity_add(&x->list, &c);
	if (f->has & BATTERY_SYNCHRONIZES)
		integrity_flag(&x->list, VERDICT_FLAG_SYNC, "claim", "the call waits for the device inside");
	if (f->unordered)
		integrity_flag(&x->list, VERDICT_FLAG_UNORDERED, "claim", f->unordered);
	if (f->unrecorded)
		integrity_flag(&x->list, VERDICT_FLAG_UNRECORDED, "claim", f->unrecorded);
	if (f->has & BATTERY_ALLOCATES)
		integrity_flag(&x->list, VERDICT_FLAG_ALLOCATION, "claim",
			       "the call allocates or frees device memory inside");
}

void battery_conclude(struct battery *x, const struct battery_ask *ask, const struct battery_facts *f)
{
	add_looks(x, ask->correct);
	add_fresh(x);
	add_sealed(x);
	add_error_size(x, ask->correct);
	add_floor(x, f);
	add_identity(x, f);
}

enum verdict battery_verdict(const struct battery *x, const char **text)
{
	*text = x->list.text;
	return x->list.verdict;
}

bool battery_is_zeroed(const struct battery *x)
{
	return x->is_zeroed;
}

void battery_add(struct battery *x, const struct integrity_check *c)
{
	integrity_add(&x->list, c);
}

struct json *battery_json(const struct battery *x, enum verdict v)
{
	return integrity_json(&x->list, v);
}
