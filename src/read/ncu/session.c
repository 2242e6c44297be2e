/* Session details and source data.
 * In: messages of block headers and payloads.
 * Out: devices, versions, command line; cubins.
 * Never: prints host names or addresses; they stay raw until asked for. */
#include "read/ncu/session.h"

#include "read/ncu/pb.h"
#include "read/ncu/result.h"

/* Room for one more: arrays grow at powers of two. */
static void *grown(struct arena *a, void *items, size_t n, size_t size)
{
	if (n & (n - 1))
		return items;
	void *more = arena_array(a, n ? n * 2 : 1, size);
	if (n)
		memcpy(more, items, n * size);
	return more;
}

static void add_device(struct ncu_report *r, struct str raw)
{
	struct ncu_session *s = &r->session;
	struct ncu_device d = {.raw = raw};
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			d.id = (uint32_t)f.u;
		else if (f.number == 2 && f.wire == PB_BYTES)
			d.name = f.bytes;
	}
	s->devices = grown(&r->arena, s->devices, s->n_devices, sizeof(d));
	s->devices[s->n_devices++] = d;
}

static void add_version(struct ncu_report *r, struct str raw)
{
	struct ncu_session *s = &r->session;
	struct ncu_version v = {{NULL, 0}, {NULL, 0}};
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_BYTES)
			v.provider = f.bytes;
		else if (f.number == 2 && f.wire == PB_BYTES)
			v.version = f.bytes;
	}
	if (str_is(v.provider, "Nsight Compute Target"))
		r->tool_version = v.version;
	s->versions = grown(&r->arena, s->versions, s->n_versions, sizeof(v));
	s->versions[s->n_versions++] = v;
}

void session_merge(struct ncu_report *r, struct str body)
{
	struct pb w = pb_of(body);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 2 && f.wire == PB_VARINT)
			r->session.created = f.u;
		if (f.wire != PB_BYTES)
			continue;
		if (f.number == 3)
			r->session.host_raw = f.bytes;
		else if (f.number == 4)
			r->session.target_raw = f.bytes;
		else if (f.number == 6)
			add_device(r, f.bytes);
		else if (f.number == 8)
			add_version(r, f.bytes);
		else if (f.number == 10)
			r->session.settings_raw = f.bytes;
		else if (f.number == 11)
			r->session.command = f.bytes;
	}
}

bool session_source(struct ncu_report *r, struct str body, const struct ncu_process *process)
{
	struct ncu_source_data s = {.process = process};
	struct pb w = pb_of(body);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_VARINT)
			s.reference = f.u;
		else if (f.number == 6 && f.wire == PB_VARINT)
			s.sm = (uint32_t)(f.u >> 16 & 0xffff) * 10 + (uint32_t)(f.u & 0xffff);
		if (f.wire != PB_BYTES)
			continue;
		if (f.number == 2)
			s.code = f.bytes;
		else if (f.number == 3)
			s.ptx = f.bytes;
		else if (f.number == 4)
			s.cubin = f.bytes;
		else if (f.number == 8)
			s.files_raw = f.bytes;
		else if (f.number == 9)
			s.relocation_raw = f.bytes;
	}
	if (w.is_bad)
		return false;
	r->sources = grown(&r->arena, r->sources, r->n_sources, sizeof(s));
	r->sources[r->n_sources++] = s;
	return true;
}

struct ncu_attribute *ncu_device_attributes(const struct ncu_device *d, struct arena *a, size_t *n)
{
	struct ncu_attribute *items = NULL;
	struct pb w = pb_of(d->raw);
	struct pb_field f, in;
	*n = 0;
	while (pb_next(&w, &f)) {
		if (f.number != 3 || f.wire != PB_BYTES)
			continue;
		struct ncu_attribute at = {{NULL, 0}, {0}};
		struct pb inner = pb_of(f.bytes);
		bool ok = true;
		while (pb_next(&inner, &in)) {
			if (in.number == 1 && in.wire == PB_BYTES)
				at.name = in.bytes;
			else if (in.number == 2 && in.wire == PB_BYTES)
				ok = result_value(in.bytes, &at.value);
		}
		if (!ok || inner.is_bad)
			continue;
		items = grown(a, items, *n, sizeof(*items));
		items[(*n)++] = at;
	}
	return items;
}

struct str ncu_system_field(struct str raw, uint32_t field)
{
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == field && f.wire == PB_BYTES)
			return f.bytes;
	}
	return (struct str){NULL, 0};
}
