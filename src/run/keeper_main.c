/* The keeper process.
 * In: messages of the parent. Out: regions with their descriptors, digests, comparisons.
 * One space (host or GPU), regions by number, each of the layout that was current when it was made.
 * Never: maps anything that a worker made, runs code that is not ours. */
#include "run/keeper_main.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/json.h"
#include "gpu/space.h"
#include "run/keeper.h"
#include "wire/link.h"

enum { KEEPER_MAX_TENSORS = 64 };

struct shape { /* a layout: what the regions of one case hold */
	struct wire_tensor tensors[KEEPER_MAX_TENSORS];
	size_t n_tensors;
	size_t region_bytes;
};
struct region {
	struct space_region memory;
	const struct shape *shape;
	uint64_t pattern; /* the last poison */
};
struct state {
	struct link link;
	struct space *space;
	struct shape shapes[KEEPER_MAX_LAYOUTS];
	const struct shape *shape; /* of the regions that are made now */
	struct region regions[KEEPER_MAX_REGIONS];
	uint64_t hash_key; /* random: damage cannot be made to fit */
};

static bool send_ok(struct state *k, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_OK};
	return link_send(&k->link, &m, -1, e);
}

static struct region *region_at(struct state *k, uint64_t i, struct err *e)
{
	if (i < KEEPER_MAX_REGIONS && k->regions[i].memory.base)
		return &k->regions[i];
	err_set(e, ERR_PROTOCOL, "no region %llu", (unsigned long long)i);
	return NULL;
}

/* Tensor i of a region: its description, and *at its address. */
static const struct wire_tensor *tensor_at(const struct region *r, uint64_t i, uint64_t *at, struct err *e)
{
	if (i >= r->shape->n_tensors) {
		err_set(e, ERR_PROTOCOL, "no tensor %llu", (unsigned long long)i);
		return NULL;
	}
	*at = r->memory.base + r->shape->tensors[i].offset;
	return &r->shape->tensors[i];
}

static void release_region(struct state *k, struct region *r)
{
	space_release(k->space, &r->memory);
	*r = (struct region){.memory = {.fd = -1}};
}

static bool answer_ready(struct state *k, const char *memory, const char *reason, struct err *e)
{
	struct arena a;
	struct buf text;
	struct wire_message m = {.type = WIRE_TYPE_READY};
	arena_init(&a);
	buf_init(&text);
	struct json *facts = json_object(&a);
	json_set_cstr(facts, "memory", memory);
	json_set_cstr(facts, "reason", reason);
	struct gpu_context *gpu = space_context(k->space);
	struct gpu_facts f;
	struct err unknown;
	if (gpu && gpu_facts(&f, gpu->gpu, gpu->ordinal, &unknown))
		json_set_i64(facts, "l2_bytes", f.l2_bytes);
	json_write(&text, facts, JSON_COMPACT);
	m.u.ready.facts = buf_view(&text);
	bool ok = link_send(&k->link, &m, -1, e);
	buf_release(&text);
	arena_release(&a);
	return ok;
}

/* Where a GPU's memory cannot be shared, the tensors lie in memory files and workers copy them. */
static bool do_open(struct state *k, const struct wire_open *o, struct err *e)
{
	struct err why = {ERR_NONE, ""};
	bool is_host = str_is(o->backend, "c");
	k->space = space_open(is_host ? SPACE_HOST : SPACE_GPU, (int)o->gpu, e);
	if (!k->space)
		return false;
	if (space_can_export(k->space, &why))
		return answer_ready(k, is_host ? "host" : "exported", NULL, e);
	if (why.code != ERR_ENVIRONMENT) {
		*e = why;
		return false;
	}
	space_free(k->space);
	k->space = space_open(SPACE_HOST, 0, e);
	return k->space && answer_ready(k, "staged", why.text, e);
}

static bool do_layout(struct state *k, const struct wire_layout *l, struct err *e)
{
	size_t n = l->tensors.n / sizeof(struct wire_tensor);
	if (l->tensors.n % sizeof(struct wire_tensor) || n > KEEPER_MAX_TENSORS || l->i_case >= KEEPER_MAX_LAYOUTS)
		return err_set(e, ERR_PROTOCOL, "LAYOUT %llu of %zu tensors", (unsigned long long)l->i_case, n);
	struct shape *s = &k->shapes[l->i_case];
	k->shape = s;
	if (s->n_tensors == n && s->region_bytes == l->bytes && memcmp(s->tensors, l->tensors.p, l->tensors.n) == 0)
		return send_ok(k, e);
	for (size_t i = 0; i < KEEPER_MAX_REGIONS; i++) {
		if (k->regions[i].shape == s)
			release_region(k, &k->regions[i]);
	}
	memcpy(s->tensors, l->tensors.p, l->tensors.n);
	s->n_tensors = n;
	s->region_bytes = (size_t)l->bytes;
	return send_ok(k, e);
}

static bool do_alloc(struct state *k, const struct wire_alloc *a, struct err *e)
{
	if (a->region >= KEEPER_MAX_REGIONS || !k->shape)
		return err_set(e, ERR_PROTOCOL, "region %llu", (unsigned long long)a->region);
	struct region *r = &k->regions[a->region];
	release_region(k, r);
	if (!space_create(k->space, &r->memory, k->shape->region_bytes, e))
		return false;
	r->shape = k->shape;
	int fd = -1;
	if (a->export) {
		fd = space_export(k->space, &r->memory, e);
		if (fd < 0)
			return false;
	}
	struct wire_message m = {.type = WIRE_TYPE_REGION};
	m.u.region = (struct wire_region){a->region, k->shape->region_bytes};
	bool ok = link_send(&k->link, &m, fd, e);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool do_free(struct state *k, const struct wire_free *f, struct err *e)
{
	if (f->region < KEEPER_MAX_REGIONS)
		release_region(k, &k->regions[f->region]);
	return send_ok(k, e);
}

static bool fill_tensor(struct state *k, const struct wire_fill *f, struct err *e)
{
	uint64_t at = 0;
	const struct region *r = region_at(k, f->region, e);
	const struct wire_tensor *t = r ? tensor_at(r, f->i_tensor, &at, e) : NULL;
	if (!t)
		return false;
	if (f->dtype >= DTYPE_COUNT || f->kind >= FILL_KINDS)
		return err_set(e, ERR_PROTOCOL, "FILL of unknown kind");
	struct value_source v = {.dtype = (enum dtype)f->dtype,
				 .fill = {(enum fill_kind)f->kind, f->lo, f->hi},
				 .seed = f->seed,
				 .tensor = (uint32_t)f->i_tensor};
	return space_fill(k->space, at, (size_t)t->bytes / dtype_bytes(v.dtype), &v, e);
}

static bool do_fill(struct state *k, const struct wire_fill *f, struct err *e)
{
	return fill_tensor(k, f, e) && send_ok(k, e);
}

/* Calls fn for each stretch of the region that belongs to no tensor. */
static bool each_guard(struct state *k, const struct region *r,
		       bool (*fn)(struct state *k, uint64_t at, uint64_t bytes, void *ctx, struct err *e), void *ctx,
		       struct err *e)
{
	uint64_t at = 0;
	const struct shape *s = r->shape;
	for (size_t i = 0; i <= s->n_tensors; i++) { /* tensors come in order of their offsets */
		uint64_t end = i < s->n_tensors ? s->tensors[i].offset : s->region_bytes;
		if (end > at && !fn(k, r->memory.base + at, end - at, ctx, e))
			return false;
		if (i < s->n_tensors)
			at = s->tensors[i].offset + s->tensors[i].bytes;
	}
	return true;
}

static uint64_t guard_pattern(void)
{
	return 0x0101010101010101u * WIRE_GUARD_PATTERN;
}

static bool write_guard(struct state *k, uint64_t at, uint64_t bytes, void *ctx, struct err *e)
{
	(void)ctx;
	return space_poison(k->space, at, (size_t)bytes, guard_pattern(), e);
}

static bool poison_region(struct state *k, const struct wire_poison *p, struct err *e)
{
	struct region *r = region_at(k, p->region, e);
	if (!r || (p->guards && !each_guard(k, r, write_guard, NULL, e)))
		return false;
	r->pattern = p->pattern;
	for (size_t i = 0; i < r->shape->n_tensors; i++) {
		const struct wire_tensor *t = &r->shape->tensors[i];
		bool wanted = p->i_tensor == UINT64_MAX ? t->is_output == WIRE_OUTPUT_ONLY : p->i_tensor == i;
		if (wanted && !space_poison(k->space, r->memory.base + t->offset, (size_t)t->bytes, p->pattern, e))
			return false;
	}
	return true;
}

static bool do_poison(struct state *k, const struct wire_poison *p, struct err *e)
{
	return poison_region(k, p, e) && send_ok(k, e);
}

static bool do_refresh(struct state *k, const struct wire_refresh *r, struct err *e)
{
	struct wire_refill fills[KEEPER_MAX_TENSORS];
	struct wire_region_seed what;
	size_t n = r->what.n / sizeof(what), n_fills = r->fills.n / sizeof(fills[0]);
	if (r->what.n % sizeof(what) || r->fills.n % sizeof(fills[0]) || n_fills > KEEPER_MAX_TENSORS)
		return err_set(e, ERR_PROTOCOL, "REFRESH makes no sense");
	memcpy(fills, r->fills.p, r->fills.n);
	for (size_t i = 0; i < n; i++) {
		memcpy(&what, r->what.p + i * sizeof(what), sizeof(what));
		struct wire_poison poison = {what.region, UINT64_MAX, r->pattern, 1};
		for (size_t t = 0; t < n_fills; t++) {
			const struct wire_refill *f = &fills[t];
			struct wire_fill fill = {what.region, t, f->dtype, f->kind, f->lo, f->hi, what.seed};
			if (f->is_wanted && !fill_tensor(k, &fill, e))
				return false;
		}
		if (!poison_region(k, &poison, e))
			return false;
	}
	return send_ok(k, e);
}

static bool do_copy(struct state *k, const struct wire_copy *c, struct err *e)
{
	struct wire_pair pair;
	if (c->pairs.n % sizeof(pair))
		return err_set(e, ERR_PROTOCOL, "COPY makes no sense");
	for (size_t i = 0; i < c->pairs.n; i += sizeof(pair)) {
		memcpy(&pair, c->pairs.p + i, sizeof(pair));
		const struct region *from = region_at(k, pair.from, e);
		struct region *to = from ? region_at(k, pair.to, e) : NULL;
		if (!to)
			return false;
		if (to->shape != from->shape)
			return err_set(e, ERR_PROTOCOL, "COPY between regions of two layouts");
		if (!space_copy(k->space, to->memory.base, from->memory.base, from->shape->region_bytes, e))
			return false;
		to->pattern = from->pattern;
	}
	return send_ok(k, e);
}

static bool do_transfer(struct state *k, const struct wire_read *t, int fd, bool is_read, struct err *e)
{
	const struct region *r = region_at(k, t->region, e);
	if (!r)
		return false;
	if (fd < 0 || t->offset > r->shape->region_bytes || t->bytes > r->shape->region_bytes - t->offset)
		return err_set(e, ERR_PROTOCOL, "transfer outside the region");
	if (t->bytes == 0)
		return send_ok(k, e);
	size_t end = (size_t)(t->offset + t->bytes);
	char *p = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return err_errno(e, ERR_SYSTEM, errno, "mapping a memory file");
	bool ok = is_read ? space_read(k->space, p + t->offset, r->memory.base + t->offset, (size_t)t->bytes, e)
			  : space_write(k->space, r->memory.base + t->offset, p + t->offset, (size_t)t->bytes, e);
	munmap(p, end);
	return ok && send_ok(k, e);
}

/* One element as a double, for messages. */
static bool element(struct state *k, uint64_t at, enum dtype t, double *out, struct err *e)
{
	unsigned char bytes[8];
	if (!space_read(k->space, bytes, at, dtype_bytes(t), e))
		return false;
	*out = dtype_load(t, bytes);
	return true;
}

static bool do_compare(struct state *k, const struct wire_compare *c, struct err *e)
{
	uint64_t actual = 0, expected = 0;
	const struct region *r = region_at(k, c->region, e), *x = region_at(k, c->expected, e);
	const struct wire_tensor *t = r && x ? tensor_at(r, c->i_tensor, &actual, e) : NULL;
	const struct wire_tensor *u = t ? tensor_at(x, c->i_tensor, &expected, e) : NULL;
	if (!u)
		return false;
	if (t->bytes != u->bytes || t->dtype != u->dtype)
		return err_set(e, ERR_PROTOCOL, "COMPARE of tensors that are not alike");
	enum dtype d = (enum dtype)t->dtype;
	struct twin_compare_args args = {.actual = actual,
					 .expected = expected,
					 .n = t->bytes / dtype_bytes(d),
					 .dtype = t->dtype,
					 .dtype_expected = t->dtype,
					 .atol = c->atol,
					 .rtol = c->rtol};
	struct twin_guard_args poison = {
		.p = args.actual, .bytes = t->bytes, .pattern = r->pattern, .element_bytes = (uint32_t)dtype_bytes(d)};
	struct twin_compare got;
	struct twin_guard left = {0, 0, UINT64_MAX};
	if (!space_compare(k->space, &args, &got, e) || !space_guard(k->space, &poison, &left, e))
		return false;
	struct wire_message m = {.type = WIRE_TYPE_COMPARED};
	struct wire_compared *out = &m.u.compared;
	*out = (struct wire_compared){.n = args.n,
				      .n_bad = got.n_bad,
				      .first_bad = got.first_bad,
				      .max_abs = got.max_abs,
				      .max_rel = got.max_rel,
				      .sum_abs = got.sum_abs,
				      .sum_sq = got.sum_sq_err,
				      .sum_ref_sq = got.sum_sq_ref,
				      .n_nan = got.n_nan,
				      .n_inf = got.n_inf,
				      .n_poison = left.n_untouched};
	uint64_t i = got.first_bad * dtype_bytes(d);
	if (got.n_bad &&
	    (!element(k, args.actual + i, d, &out->actual, e) || !element(k, args.expected + i, d, &out->expected, e)))
		return false;
	return link_send(&k->link, &m, -1, e);
}

static bool do_hash(struct state *k, const struct wire_hash *h, struct err *e)
{
	uint64_t at = 0;
	const struct region *r = region_at(k, h->region, e);
	const struct wire_tensor *t = r ? tensor_at(r, h->i_tensor, &at, e) : NULL;
	struct wire_message m = {.type = WIRE_TYPE_HASHED};
	return t && space_hash(k->space, at, (size_t)t->bytes, k->hash_key, &m.u.hashed.digest, e) &&
	       link_send(&k->link, &m, -1, e);
}

static bool check_guard(struct state *k, uint64_t at, uint64_t bytes, void *ctx, struct err *e)
{
	struct wire_guarded *g = ctx;
	struct twin_guard_args args = {.p = at, .bytes = bytes, .pattern = guard_pattern(), .element_bytes = 1};
	struct twin_guard got = {0, 0, UINT64_MAX};
	if (!space_guard(k->space, &args, &got, e))
		return false;
	if (got.n_changed && g->first_offset == UINT64_MAX)
		g->first_offset = at + got.first; /* an address; the caller takes the base off */
	g->n_damaged += got.n_changed;
	return true;
}

static bool do_guard(struct state *k, const struct wire_guard *g, struct err *e)
{
	const struct region *r = region_at(k, g->region, e);
	struct wire_message m = {.type = WIRE_TYPE_GUARDED};
	m.u.guarded.first_offset = UINT64_MAX;
	if (!r || !each_guard(k, r, check_guard, &m.u.guarded, e))
		return false;
	if (m.u.guarded.first_offset != UINT64_MAX)
		m.u.guarded.first_offset -= r->memory.base;
	return link_send(&k->link, &m, -1, e);
}

static bool handle(struct state *k, const struct wire_message *m, int fd, struct err *e)
{
	if (!k->space && m->type != WIRE_TYPE_OPEN)
		return err_set(e, ERR_PROTOCOL, "message %s before OPEN", wire_name(m->type));
	struct wire_read write = {m->u.write.region, m->u.write.offset, m->u.write.bytes};
	switch ((int)m->type) {
	case WIRE_TYPE_OPEN:
		return do_open(k, &m->u.open, e);
	case WIRE_TYPE_LAYOUT:
		return do_layout(k, &m->u.layout, e);
	case WIRE_TYPE_ALLOC:
		return do_alloc(k, &m->u.alloc, e);
	case WIRE_TYPE_FREE:
		return do_free(k, &m->u.free, e);
	case WIRE_TYPE_FILL:
		return do_fill(k, &m->u.fill, e);
	case WIRE_TYPE_POISON:
		return do_poison(k, &m->u.poison, e);
	case WIRE_TYPE_READ:
		return do_transfer(k, &m->u.read, fd, true, e);
	case WIRE_TYPE_WRITE:
		return do_transfer(k, &write, fd, false, e);
	case WIRE_TYPE_COMPARE:
		return do_compare(k, &m->u.compare, e);
	case WIRE_TYPE_REFRESH:
		return do_refresh(k, &m->u.refresh, e);
	case WIRE_TYPE_COPY:
		return do_copy(k, &m->u.copy, e);
	case WIRE_TYPE_HASH:
		return do_hash(k, &m->u.hash, e);
	case WIRE_TYPE_GUARD:
		return do_guard(k, &m->u.guard, e);
	default:
		return err_set(e, ERR_PROTOCOL, "message %s is not for the keeper", wire_name(m->type));
	}
}

static int serve(struct state *k, struct err *e)
{
	for (;;) {
		struct wire_message m;
		int fd;
		enum link_result r = link_receive(&k->link, &m, &fd, 0, e);
		if (r != LINK_OK || m.type == WIRE_TYPE_BYE)
			return r == LINK_OK || r == LINK_CLOSED ? 0 : 4;
		bool ok = handle(k, &m, fd, e);
		if (fd >= 0)
			close(fd);
		struct wire_message fail = {.type = WIRE_TYPE_FAIL};
		fail.u.fail.word = STR("");
		fail.u.fail.text = str_from(e->text);
		if (!ok && !link_send(&k->link, &fail, -1, e))
			return 4;
	}
}

int keeper_main(int link_fd)
{
	struct state *k = calloc(1, sizeof(*k));
	if (!k)
		BUG("out of memory");
	struct err e = {ERR_NONE, ""};
	link_init(&k->link, link_fd, "parent");
	fcntl(link_fd, F_SETFD, FD_CLOEXEC);
	for (size_t i = 0; i < KEEPER_MAX_REGIONS; i++)
		k->regions[i].memory.fd = -1;
	if (getrandom(&k->hash_key, sizeof(k->hash_key), 0) != (ssize_t)sizeof(k->hash_key))
		k->hash_key = (uint64_t)getpid() * 0x9e3779b97f4a7c15u;
	struct wire_message hello = {.type = WIRE_TYPE_HELLO};
	hello.u.hello = (struct wire_hello){WIRE_VERSION, STR("keeper"), (uint64_t)getpid()};
	int status = link_send(&k->link, &hello, -1, &e) ? serve(k, &e) : 4;
	_exit(status); /* the driver's own threads are not waited for */
}
