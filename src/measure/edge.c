/* Tensors at the edges of pages.
 * In: a worker, cases. Out: the check, flags, rejections.
 * Where a fault lay is the worker's word; that there was one is the parent's.
 * Never: leaves the keeper with another case than it had. */
#include "measure/edge.h"

#include <unistd.h>

#include "measure/correct_region.h"
#include "measure/lab_inside.h"

enum { EDGE_REGION = 191, EDGE_LAYOUT = 64, EDGE_WIDE = 64 };
static const uint64_t EDGE_MOST_BYTES = UINT64_C(64) << 20; /* of one case: a check of places, not of sizes */

enum edge_result { EDGE_FINE, EDGE_BESIDE, EDGE_ELSEWHERE, EDGE_OTHER_FAULT };
struct edge {
	struct integrity *g;
	struct correctness *correct;
	const struct edge_ask *ask;
	struct lab *lab;
	struct lab_worker *worker;
	struct lab_fault fault;
	struct layout layout;
	size_t i_case, n_calls, n_skipped;
	const char *what;
};

static bool lay_out(struct edge *x, const struct layout_edge *edge, int *fd, struct err *e)
{
	struct lab *l = x->lab;
	layout_place(&x->layout, l->arena, l->op, &l->op->cases[x->i_case], edge);
	struct wire_layout wire = lab_wire_layout(&x->layout, EDGE_LAYOUT);
	struct wire_region_seed seed = {EDGE_REGION, l->op->cases[x->i_case].seed};
	return keeper_layout(l->keeper, &wire, e) && keeper_alloc(l->keeper, EDGE_REGION, fd, e) &&
	       keeper_refresh(l->keeper, &seed, 1, lab_refills(l, &x->layout), lab_pattern(l, LAB_PATTERN_B), e);
}

static enum ask_result call(struct edge *x, int fd, struct err *e)
{
	struct lab *l = x->lab;
	struct wire_message m = {.type = WIRE_TYPE_LAYOUT}, answer;
	m.u.layout = lab_wire_layout(&x->layout, x->i_case);
	enum ask_result r = lab_ask(l, x->worker, &(struct lab_question){&m, -1, WIRE_TYPE_OK}, &answer, e);
	m = (struct wire_message){.type = WIRE_TYPE_MAP};
	m.u.map = (struct wire_map){.slot = 0, .bytes = x->layout.bytes, .fences = 1};
	if (r == ASK_OK)
		r = lab_ask(l, x->worker, &(struct lab_question){&m, fd, WIRE_TYPE_OK}, &answer, e);
	m = (struct wire_message){.type = WIRE_TYPE_CALLS};
	m.u.calls = (struct wire_calls){.n = 1, .n_slots = 1, .flags = WIRE_CALL_AS_IS};
	if (r == ASK_OK)
		r = lab_ask(l, x->worker, &(struct lab_question){&m, -1, WIRE_TYPE_ROWS}, &answer, e);
	x->n_calls++;
	return lab_judge(l, x->worker, r, &x->fault, e);
}

static bool look(struct edge *x, struct err *e)
{
	bool is_case = x->i_case == x->lab->i_case;
	struct correct_region at = {.i_case = x->i_case,
				    .region = EDGE_REGION,
				    .set = is_case ? 0 : LAB_FRESH,
				    .what = x->what,
				    .layout = &x->layout};
	return correct_look_at(x->correct, x->ask->bench, &at, e);
}

/* Reads where the fault was out of what the worker printed: the last line of its kind. */
static bool fault_offset(struct edge *x, uint64_t *offset)
{
	static const char mark[] = "assay worker: fault at offset ";
	struct str text = worker_stderr(lab_process(x->worker), x->lab->arena), line;
	bool found = false;
	while (str_split(&text, '\n', &line)) {
		if (!str_starts(line, mark))
			continue;
		char *end;
		*offset = strtoull(line.p + sizeof(mark) - 1, &end, 16);
		found = end == line.p + line.n && line.n > sizeof(mark) - 1;
	}
	return found;
}

static enum edge_result judge_fault(struct edge *x, const char **text)
{
	struct arena *a = x->lab->arena;
	const struct operator* op = x->lab->op;
	struct str name = op->cases[x->i_case].name;
	uint64_t at = 0, least = UINT64_MAX;
	size_t i_near = 0;
	*text = x->fault.text;
	if (x->fault.verdict != VERDICT_CRASH_SEGV && x->fault.verdict != VERDICT_CRASH_BUS)
		return EDGE_OTHER_FAULT;
	if (!fault_offset(x, &at))
		return EDGE_ELSEWHERE;
	bool is_before = false;
	for (size_t i = 0; i < x->layout.n_tensors; i++) {
		const struct wire_tensor *t = &x->layout.tensors[i];
		uint64_t far = at < t->offset ? t->offset - at : at - (t->offset + t->bytes);
		if (at >= t->offset && at < t->offset + t->bytes)
			return EDGE_ELSEWHERE;
		if (far < least) {
			least = far;
			i_near = i;
			is_before = at < t->offset;
		}
	}
	struct str param = op->params[x->layout.i_param[i_near]].name;
	*text = arena_printf(a, "an access %llu bytes %s '%.*s' (case '%.*s', %s)", (unsigned long long)least,
			     is_before ? "before" : "behind the end of", STR_ARG(param), STR_ARG(name), x->what);
	return EDGE_BESIDE;
}

/* One placement of one case. False with err. */
static bool try_one(struct edge *x, const struct layout_edge *edge, enum edge_result *result, const char **text,
		    struct err *e)
{
	int fd = -1;
	*result = EDGE_FINE;
	*text = "";
	if (!lay_out(x, edge, &fd, e))
		return false;
	enum ask_result r = call(x, fd, e);
	close(fd);
	if (r == ASK_FAULT)
		*result = judge_fault(x, text);
	return r == ASK_OK ? look(x, e) : r == ASK_FAULT;
}

/* A new worker for the next attempt. */
static enum ask_result restart(struct edge *x, struct err *e)
{
	lab_end(x->lab, x->worker);
	x->worker = lab_start(x->lab, x->ask->subject, "plain", e);
	x->lab->has_case = false; /* its slots are of no use to it */
	enum ask_result r = x->worker ? lab_join(x->lab, x->worker, &x->fault, e) : ASK_ERR;
	x->lab->has_case = true;
	return r;
}

/* Faults outside of the region came up with the least alignment: whether more of it helps. */
static bool try_aligned(struct edge *x, uint64_t page, enum edge_result *result, const char **text, struct err *e)
{
	struct layout_edge wide = {.page = page, .align = EDGE_WIDE, .is_end = true};
	const char *before = *text;
	enum ask_result r = restart(x, e);
	if (r == ASK_ERR)
		return false;
	x->what = "tensors that end at a page's edge, aligned to 64 bytes";
	if (r == ASK_FAULT || !try_one(x, &wide, result, text, e))
		return r == ASK_FAULT;
	if (*result == EDGE_FINE)
		integrity_flag(x->g, VERDICT_FLAG_ALIGNMENT, "parent",
			       arena_printf(x->g->arena,
					    "with tensors aligned to their elements alone: %s; with 64 bytes it works",
					    before));
	return true;
}

static bool run_case(struct edge *x, enum edge_result *result, const char **text, struct err *e)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct layout_edge end = {.page = page, .align = 1, .is_end = true}, begin = {.page = page, .align = 1};
	struct layout y;
	layout_make(&y, x->lab->arena, x->lab->op, &x->lab->op->cases[x->i_case]);
	if (y.bytes > EDGE_MOST_BYTES) {
		x->n_skipped++;
		return true;
	}
	x->what = "tensors that begin at a page's edge";
	if (!try_one(x, &begin, result, text, e) || *result != EDGE_FINE)
		return *result != EDGE_FINE;
	x->what = "tensors that end at a page's edge";
	if (!try_one(x, &end, result, text, e))
		return false;
	return *result != EDGE_ELSEWHERE || try_aligned(x, page, result, text, e);
}

static void conclude(struct edge *x, enum edge_result result, const char *text)
{
	struct json *j = json_object(x->g->arena);
	json_set_u64(j, "n_calls", x->n_calls);
	json_set_u64(j, "n_cases_too_large", x->n_skipped);
	struct integrity_check c = {.name = "page_edges",
				    .state = INTEGRITY_PASSED,
				    .witness = "parent",
				    .text = "no access beside a tensor",
				    .evidence = j};
	if (result != EDGE_FINE) {
		c.state = INTEGRITY_FAILED;
		c.text = text;
		integrity_reject(x->g, result == EDGE_OTHER_FAULT ? x->fault.verdict : VERDICT_OUT_OF_BOUNDS, text);
	} else if (x->n_calls == 0) {
		c.state = INTEGRITY_UNAVAILABLE;
		c.text = "every case is too large to be placed so";
	}
	integrity_add(x->g, &c);
}

bool edge_run(struct integrity *g, struct correctness *c, const struct edge_ask *ask, struct err *e)
{
	struct lab *l = ask->bench->lab;
	struct edge x = {.g = g, .correct = c, .ask = ask, .lab = l, .worker = ask->worker};
	enum edge_result result = EDGE_FINE;
	const char *text = "";
	bool ok = true;
	if (!lab_can_refresh(l)) {
		struct integrity_check none = {"page_edges", INTEGRITY_UNAVAILABLE, "parent",
					       "setup() supplies the data: it is not placed anew", NULL};
		integrity_add(g, &none);
		lab_end(l, x.worker);
		return true;
	}
	for (size_t i = 0; ok && i < l->op->n_cases && result == EDGE_FINE && correct_is_good(c); i++) {
		x.i_case = i;
		ok = run_case(&x, &result, &text, e);
		if (ok && result == EDGE_FINE && !worker_is_alive(lab_process(x.worker)))
			ok = restart(&x, e) != ASK_ERR;
	}
	lab_end(l, x.worker);
	if (!ok)
		return false;
	conclude(&x, result, text);
	struct wire_layout wire = lab_wire_layout(&l->layout, l->i_case);
	return keeper_drop(l->keeper, EDGE_REGION, e) && keeper_layout(l->keeper, &wire, e);
}
