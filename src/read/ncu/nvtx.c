/* NVTX state of a result.
 * In: the NvtxState message.
 * Out: the open ranges, and the cells in which ncu shows them.
 * Never: infers nesting across threads. */
#include "read/ncu/nvtx.h"

#include "read/ncu/pb.h"
#include "read/ncu/result.h"

struct domain {
	uint64_t id;
	struct str name;
};
struct state {
	struct arena *a;
	struct domain *domains;
	size_t n_domains;
	struct ncu_nvtx_range *ranges;
	size_t n_ranges;
};

static void *grown(struct arena *a, void *items, size_t n, size_t size)
{
	if (n & (n - 1))
		return items;
	void *more = arena_array(a, n ? n * 2 : 1, size);
	if (n)
		memcpy(more, items, n * size);
	return more;
}

static struct str domain_name(const struct state *s, uint64_t id)
{
	for (size_t i = 0; i < s->n_domains; i++) {
		if (s->domains[i].id == id)
			return s->domains[i].name;
	}
	return STR("?");
}

static void add_domain(struct state *s, struct str raw)
{
	struct domain d = {0, {NULL, 0}};
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			d.id = f.u;
		else if (f.number == 2 && f.wire == PB_BYTES)
			d.name = f.bytes;
	}
	s->domains = grown(s->a, s->domains, s->n_domains, sizeof(d));
	s->domains[s->n_domains++] = d;
}

/* Push/pop: 1 name, 2 attributes. Start/end: 1 id, 2 name, 3 attributes, 5 thread. */
static void add_range(struct state *s, struct str raw, struct ncu_nvtx_range r)
{
	uint32_t shift = r.is_start_end ? 1 : 0;
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 + shift && f.wire == PB_BYTES)
			r.name = f.bytes;
		else if (f.number == 2 + shift && f.wire == PB_BYTES)
			r.attributes = f.bytes;
		else if (f.number == 1 && f.wire == PB_VARINT)
			r.id = f.u;
		else if (f.number == 5 && f.wire == PB_VARINT)
			r.thread = (uint32_t)f.u;
	}
	s->ranges = grown(s->a, s->ranges, s->n_ranges, sizeof(r));
	s->ranges[s->n_ranges++] = r;
}

/* {1 domain id, 3 repeated range} */
static void add_ranges_of_domain(struct state *s, struct str raw, struct ncu_nvtx_range r)
{
	struct pb w = pb_of(raw);
	struct pb_field f;
	uint64_t id = 0;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			id = f.u;
	}
	r.domain = domain_name(s, id);
	w = pb_of(raw);
	while (pb_next(&w, &f)) {
		if (f.number == 3 && f.wire == PB_BYTES)
			add_range(s, f.bytes, r);
	}
}

static void add_thread(struct state *s, struct str raw)
{
	struct ncu_nvtx_range r = {0};
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			r.thread = (uint32_t)f.u;
		else if (f.number == 2 && f.wire == PB_BYTES)
			add_ranges_of_domain(s, f.bytes, r);
	}
}

static struct str state_of(const struct ncu_result *res)
{
	struct pb w = pb_of(res->body);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == result_fields(res->kind)->nvtx && f.wire == PB_BYTES)
			return f.bytes;
	}
	return (struct str){NULL, 0};
}

struct ncu_nvtx_range *ncu_nvtx(const struct ncu_result *res, struct arena *a, size_t *n)
{
	struct state s = {.a = a};
	struct str raw = state_of(res);
	struct pb_field f;
	for (uint32_t field = 1; field <= 3; field++) { /* domains before what names them */
		struct pb w = pb_of(raw);
		while (pb_next(&w, &f)) {
			if (f.number != field || f.wire != PB_BYTES)
				continue;
			if (field == 1)
				add_domain(&s, f.bytes);
			else if (field == 2)
				add_thread(&s, f.bytes);
			else
				add_ranges_of_domain(&s, f.bytes, (struct ncu_nvtx_range){.is_start_end = true});
		}
	}
	*n = s.n_ranges;
	return s.ranges;
}

/* A typed value {1 type, 2.. value} inside the attributes, or "none:none". */
static void put_payload(struct buf *out, struct str raw)
{
	static const char *const types[] = {"none", "UInt64", "Int64", "Double", "UInt32", "Int32", "Float"};
	struct pb w = pb_of(raw);
	struct pb_field f;
	uint64_t type = 0, bits = 0;
	while (pb_next(&w, &f)) {
		if (f.number == 1)
			type = f.u;
		else if (f.wire != PB_BYTES)
			bits = f.u;
	}
	if (!type || type >= COUNT_OF(types)) {
		buf_puts(out, ":none:none");
		return;
	}
	buf_printf(out, ":%s:", types[type]);
	double d;
	float v;
	memcpy(&d, &bits, sizeof(d));
	memcpy(&v, &bits, sizeof(v));
	if (type == 3 || type == 6)
		buf_printf(out, "%f", type == 3 ? d : (double)v);
	else if (type == 2 || type == 5)
		buf_printf(out, "%lld", (long long)bits);
	else
		buf_printf(out, "%llu", (unsigned long long)bits);
}

static void put_colour(struct buf *out, struct str raw)
{
	struct pb w = pb_of(raw);
	struct pb_field f;
	uint64_t type = 0, value = 0;
	while (pb_next(&w, &f)) {
		if (f.number == 1)
			type = f.u;
		else if (f.number == 2)
			value = f.u;
	}
	if (type)
		buf_printf(out, ":RGB:0x%llx", (unsigned long long)value);
	else
		buf_puts(out, ":none:none");
}

static void put_message(struct buf *out, struct str raw)
{
	static const char *const types[] = {"none", "ASCII", "UNICODE", "REGISTERED"};
	struct pb w = pb_of(raw);
	struct pb_field f;
	struct str text = STR("none");
	uint64_t type = 0;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			type = f.u;
		else if (f.number == 2 && f.wire == PB_BYTES)
			text = f.bytes;
	}
	buf_printf(out, ":%s:%.*s", types[type < COUNT_OF(types) ? type : 0], STR_ARG(text));
}

static void put_attributes(struct buf *out, struct str raw)
{
	struct str part[6] = {{NULL, 0}};
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number >= 3 && f.number <= 5 && f.wire == PB_BYTES)
			part[f.number] = f.bytes;
	}
	put_payload(out, part[4]);
	put_colour(out, part[3]);
	put_message(out, part[5]);
}

void ncu_nvtx_cells(const struct ncu_result *res, struct buf *push, struct buf *start)
{
	struct arena a;
	size_t n;
	arena_init(&a);
	struct ncu_nvtx_range *ranges = ncu_nvtx(res, &a, &n);
	uint32_t thread = 0;
	bool has_thread = false;
	buf_str(push, res->nvtx_push);
	buf_str(start, res->nvtx_start);
	for (size_t i = 0; i < n; i++) {
		struct buf *out = ranges[i].is_start_end ? start : push;
		if (!ranges[i].is_start_end && (!has_thread || thread != ranges[i].thread)) {
			thread = ranges[i].thread;
			has_thread = true;
			buf_printf(out, "%u ", thread);
		}
		buf_puts(out, " \"");
		if (ranges[i].is_start_end)
			buf_printf(out, "%llu:", (unsigned long long)ranges[i].id);
		buf_printf(out, "%.*s:%.*s", STR_ARG(ranges[i].domain), STR_ARG(ranges[i].name));
		put_attributes(out, ranges[i].attributes);
		buf_puts(out, "\" ");
	}
	arena_release(&a);
}
