/* The keeper as the parent sees it.
 * In: what to allocate, fill, poison, compare. Out: facts about memory that the candidate does not control.
 * A keeper that fails is assay's own trouble: an err, never a verdict.
 * Never: gives an answer to a worker. */
#include "run/keeper.h"

#include <unistd.h>

#include "base/json.h"
#include "run/worker.h"

/* The largest step is a compare or fill of 2^40 bytes, below 300 s at memory speed. */
enum { KEEPER_SECONDS = 300 };

struct keeper {
	struct worker *worker;
	char memory[16], reason[256];
	bool is_ready; /* it has answered OPEN: workers may start while it makes its context */
	double l2_bytes;
};

struct request { /* one message to the keeper and the answer that it wants */
	struct wire_message m;
	int fd; /* goes along, or -1 */
	enum wire_type expect;
	int *answer_fd;
};

static void take_facts(struct keeper *k, struct str text)
{
	struct arena a;
	struct err bad;
	arena_init(&a);
	const struct json *facts = json_parse(&a, "facts", text, JSON_STRICT, &bad);
	struct str memory = json_str(facts, "memory", STR("?")), reason = json_str(facts, "reason", STR(""));
	snprintf(k->memory, sizeof(k->memory), "%.*s", STR_ARG(memory));
	snprintf(k->reason, sizeof(k->reason), "%.*s", STR_ARG(reason));
	double l2 = json_f64(facts, "l2_bytes", 0);
	k->l2_bytes = l2 > 0 ? l2 : 0;
	arena_release(&a);
}

static enum ask_result await_ready(struct keeper *k, struct err *e)
{
	struct wire_message ready;
	enum ask_result r = ASK_OK;
	if (k->is_ready)
		return ASK_OK;
	r = worker_more(k->worker, WIRE_TYPE_READY, &ready, (int64_t)KEEPER_SECONDS * 1000000000, e);
	k->is_ready = r == ASK_OK;
	if (k->is_ready)
		take_facts(k, ready.u.ready.facts);
	return r;
}

static bool ask(struct keeper *k, const struct request *r, struct wire_message *answer, struct err *e)
{
	struct worker_question q = {.message = &r->m,
				    .fd = r->fd,
				    .expect = r->expect,
				    .answer_fd = r->answer_fd,
				    .timeout_ns = (int64_t)KEEPER_SECONDS * 1000000000};
	enum ask_result got = await_ready(k, e);
	if (got == ASK_OK)
		got = worker_ask(k->worker, &q, answer, e);
	if (got == ASK_FAULT) {
		const struct worker_fault *f = worker_fault(k->worker);
		err_set(e, f->is_said ? ERR_ENVIRONMENT : ERR_SYSTEM, "the keeper of the tensors failed at %s: %s%s%s",
			wire_name(k->is_ready ? r->m.type : WIRE_TYPE_OPEN), f->word, *f->word ? ": " : "", f->text);
	}
	return got == ASK_OK;
}

static bool ask_ok(struct keeper *k, const struct wire_message *m, int fd, struct err *e)
{
	struct request r = {.m = *m, .fd = fd, .expect = WIRE_TYPE_OK};
	struct wire_message answer;
	return ask(k, &r, &answer, e);
}

struct keeper *keeper_start(const struct keeper_options *o, struct err *e)
{
	static const char *const args[] = {"keeper", NULL};
	struct worker_options w = {
		.program = o->program, .args = args, .name = "keeper", .folder = o->folder, .gpu = o->gpu};
	struct keeper *k = calloc(1, sizeof(*k));
	if (!k)
		BUG("out of memory");
	k->worker = worker_start(&w, e);
	struct wire_message m = {.type = WIRE_TYPE_OPEN};
	m.u.open.backend = str_from(o->backend);
	if (!k->worker || !worker_tell(k->worker, &m, e)) {
		keeper_free(k);
		return NULL;
	}
	return k;
}

void keeper_bye(struct keeper *k)
{
	if (k)
		worker_leave(k->worker);
}

double keeper_l2_bytes(const struct keeper *k)
{
	return k->l2_bytes;
}

void keeper_free(struct keeper *k)
{
	if (!k)
		return;
	worker_free(k->worker);
	free(k);
}

const char *keeper_memory(const struct keeper *k)
{
	return k->memory;
}

const char *keeper_reason(const struct keeper *k)
{
	return k->reason;
}

bool keeper_layout(struct keeper *k, const struct wire_layout *l, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_LAYOUT};
	m.u.layout = *l;
	m.u.layout.scalars = STR("");
	return ask_ok(k, &m, -1, e);
}

bool keeper_alloc(struct keeper *k, size_t region, int *fd, struct err *e)
{
	struct wire_message answer;
	struct request r = {.m = {.type = WIRE_TYPE_ALLOC}, .fd = -1, .expect = WIRE_TYPE_REGION, .answer_fd = fd};
	r.m.u.alloc.region = region;
	r.m.u.alloc.export = fd != NULL;
	if (!ask(k, &r, &answer, e))
		return false;
	return !fd || *fd >= 0 || err_set(e, ERR_PROTOCOL, "the keeper sent no descriptor");
}

bool keeper_drop(struct keeper *k, size_t region, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_FREE};
	m.u.free.region = region;
	return ask_ok(k, &m, -1, e);
}

bool keeper_fill(struct keeper *k, const struct wire_fill *f, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_FILL};
	m.u.fill = *f;
	return ask_ok(k, &m, -1, e);
}

bool keeper_poison(struct keeper *k, size_t region, uint64_t pattern, unsigned guards, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_POISON};
	m.u.poison =
		(struct wire_poison){.region = region, .i_tensor = UINT64_MAX, .pattern = pattern, .guards = guards};
	return ask_ok(k, &m, -1, e);
}

bool keeper_refresh(struct keeper *k, const struct wire_region_seed *what, size_t n, struct str fills, uint64_t pattern,
		    struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_REFRESH};
	m.u.refresh = (struct wire_refresh){{(const char *)what, n * sizeof(*what)}, fills, pattern};
	return ask_ok(k, &m, -1, e);
}

bool keeper_copy(struct keeper *k, const struct wire_pair *pairs, size_t n, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_COPY};
	m.u.copy.pairs = (struct str){(const char *)pairs, n * sizeof(*pairs)};
	return ask_ok(k, &m, -1, e);
}

bool keeper_read(struct keeper *k, size_t region, uint64_t offset, uint64_t bytes, int fd, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_READ};
	m.u.read = (struct wire_read){.region = region, .offset = offset, .bytes = bytes};
	return ask_ok(k, &m, fd, e);
}

bool keeper_write(struct keeper *k, size_t region, uint64_t offset, uint64_t bytes, int fd, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_WRITE};
	m.u.write = (struct wire_write){.region = region, .offset = offset, .bytes = bytes};
	return ask_ok(k, &m, fd, e);
}

bool keeper_compare(struct keeper *k, const struct wire_compare *c, struct wire_compared *out, struct err *e)
{
	struct wire_message answer;
	struct request r = {.m = {.type = WIRE_TYPE_COMPARE}, .fd = -1, .expect = WIRE_TYPE_COMPARED};
	r.m.u.compare = *c;
	if (!ask(k, &r, &answer, e))
		return false;
	*out = answer.u.compared;
	return true;
}

bool keeper_hash(struct keeper *k, size_t region, size_t i_tensor, uint64_t *out, struct err *e)
{
	struct wire_message answer;
	struct request r = {.m = {.type = WIRE_TYPE_HASH}, .fd = -1, .expect = WIRE_TYPE_HASHED};
	r.m.u.hash = (struct wire_hash){.region = region, .i_tensor = i_tensor};
	if (!ask(k, &r, &answer, e))
		return false;
	*out = answer.u.hashed.digest;
	return true;
}

bool keeper_guard(struct keeper *k, size_t region, struct wire_guarded *out, struct err *e)
{
	struct wire_message answer;
	struct request r = {.m = {.type = WIRE_TYPE_GUARD}, .fd = -1, .expect = WIRE_TYPE_GUARDED};
	r.m.u.guard.region = region;
	if (!ask(k, &r, &answer, e))
		return false;
	*out = answer.u.guarded;
	return true;
}
