/* Result messages of a .ncu-rep.
 * In: one ProfileResult, RangeResult, CmdlistResult or GraphResult and the string table.
 * Out: struct ncu_result with its metrics.
 * Never: decodes sections, rules, NVTX or instances; those are walked when asked for. */
#include "read/ncu/result.h"

#include <stdlib.h>

#include "read/ncu/schema.h"

#define NO_FIELD 0

static const struct result_fields fields[] = {
	[NCU_KERNEL] = {13, 14, 17, 18, 21, 22, 23, 25, 15, 19},
	[NCU_RANGE] = {4, 5, 7, 8, 10, 11, NO_FIELD, 12, 15, 20},
	[NCU_CMDLIST] = {4, 5, 7, 8, 10, 11, 12, 13, 17, 21},
	[NCU_GRAPH] = {4, 5, 7, 8, 10, 11, 12, 13, 17, 22},
};
static const char *const kind_names[] = {
	[NCU_KERNEL] = "kernel", [NCU_RANGE] = "range", [NCU_CMDLIST] = "cmdlist", [NCU_GRAPH] = "graph"};

const struct result_fields *result_fields(enum ncu_kind k)
{
	return &fields[k];
}

const char *result_kind_name(enum ncu_kind k)
{
	return kind_names[k];
}

static bool fail(const struct ncu_report *r, struct result_error *why, const void *at, const char *reason)
{
	why->offset = (size_t)((const char *)at - r->bytes.p);
	why->reason = reason;
	return false;
}

static double float_of(uint64_t bits)
{
	uint32_t b = (uint32_t)bits;
	float v;
	memcpy(&v, &b, sizeof(v));
	return (double)v;
}

bool result_value(struct str raw, struct ncu_metric *out)
{
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		if (f.number == 1 && f.wire == PB_BYTES && f.bytes.n <= UINT32_MAX) {
			out->kind = NCU_STRING;
			out->text = f.bytes.p;
			out->n_text = (uint32_t)f.bytes.n;
		} else if (f.number == 2 && f.wire == PB_FIXED32) {
			out->kind = NCU_FLOAT;
			out->real = float_of(f.u);
		} else if (f.number == 3 && f.wire == PB_FIXED64) {
			out->kind = NCU_DOUBLE;
			memcpy(&out->real, &f.u, sizeof(out->real));
		} else if (f.number == 4 && f.wire == PB_VARINT) {
			out->kind = NCU_U32;
			out->u = f.u;
		} else if (f.number == 5 && f.wire == PB_VARINT) {
			out->kind = NCU_U64;
			out->u = f.u;
		} else {
			return false;
		}
	}
	return !w.is_bad;
}

static bool metric_decode(struct ncu_report *r, struct str raw, struct ncu_metric *out, uint64_t *name)
{
	struct pb w = pb_of(raw);
	struct pb_field f;
	*out = (struct ncu_metric){.raw = raw.p, .n_raw = (uint32_t)raw.n};
	*name = 0;
	for (;;) {
		const unsigned char *at = w.p;
		if (!pb_next(&w, &f))
			break;
		if (f.number == 3 && f.wire == PB_BYTES)
			out->n_instances++;
		else if (f.number == 1 && f.wire == PB_VARINT)
			*name = f.u;
		else if (f.number == 4 && f.wire == PB_VARINT)
			out->category = (uint8_t)(f.u & 0xff);
		else if (f.number != 2 || f.wire != PB_BYTES)
			schema_note(r, "MetricResult", &f, at);
		else if (!result_value(f.bytes, out))
			return false;
	}
	return !w.is_bad;
}

static struct ncu_dim3 dim3_of(struct str raw)
{
	struct ncu_dim3 d = {0, 0, 0};
	struct pb w = pb_of(raw);
	struct pb_field f;
	while (pb_next(&w, &f)) {
		uint64_t *to = f.number == 1 ? &d.x : f.number == 2 ? &d.y : f.number == 3 ? &d.z : NULL;
		if (to && f.wire == PB_VARINT)
			*to = f.u;
	}
	return d;
}

/* What only a kernel result has. */
static void decode_kernel_field(struct ncu_result *out, const struct pb_field *f, struct str names[4])
{
	if (f->wire != PB_BYTES)
		return;
	if (f->number == 31)
		names[0] = f->bytes;
	else if (f->number >= 5 && f->number <= 7)
		names[8 - f->number] = f->bytes;
	else if (f->number == 10)
		out->grid = dim3_of(f->bytes);
	else if (f->number == 11)
		out->block = dim3_of(f->bytes);
	out->has_dims |= f->number == 10;
}

static void decode_clock(struct ncu_result *out, struct str raw)
{
	struct pb w = pb_of(raw);
	struct pb_field f;
	out->has_clock_lock = true;
	while (pb_next(&w, &f)) {
		if (f.number == 2 && f.wire == PB_VARINT)
			out->clock_locked = f.u != 0;
	}
}

static void add_reference(struct ncu_report *r, struct ncu_result *out, uint64_t reference)
{
	size_t n = out->n_references;
	if (n && (n & (n - 1)) == 0) { /* a power of two: full */
		uint64_t *grown = ARENA_ARRAY(&r->arena, n * 2, uint64_t);
		memcpy(grown, out->references, n * sizeof(*grown));
		out->references = grown;
	} else if (!n) {
		out->references = ARENA_NEW(&r->arena, uint64_t);
	}
	out->references[out->n_references++] = reference;
}

/* Kernel: SourceData {1 Reference}; the others: the number, or several packed. */
static void decode_reference(struct ncu_report *r, struct ncu_result *out, const struct pb_field *f)
{
	if (f->wire == PB_VARINT) {
		add_reference(r, out, f->u);
		return;
	}
	struct pb w = pb_of(f->bytes);
	struct pb_field in;
	uint64_t v;
	if (out->kind != NCU_KERNEL) {
		while (w.p != w.end && pb_varint(&w, &v))
			add_reference(r, out, v);
		return;
	}
	while (pb_next(&w, &in)) {
		if (in.number == 1 && in.wire == PB_VARINT)
			add_reference(r, out, in.u);
	}
}

static void decode_common(struct ncu_report *r, struct ncu_result *out, const struct pb_field *f)
{
	const struct result_fields *k = &fields[out->kind];
	uint32_t n = f->number;
	if (n == k->created && f->wire == PB_VARINT) {
		out->created = f->u;
	} else if (n == k->context && f->wire == PB_VARINT) {
		out->context = (uint32_t)f->u;
		out->has_context = true;
	} else if (n == k->stream && f->wire == PB_VARINT) {
		out->stream = (uint32_t)f->u;
		out->has_stream = true;
	} else if (n == k->clock && f->wire == PB_BYTES) {
		decode_clock(out, f->bytes);
	} else if (n == k->reference && (f->wire == PB_BYTES || f->wire == PB_VARINT)) {
		decode_reference(r, out, f);
	}
}

static int by_name(const void *a, const void *b)
{
	uint32_t x = ((const struct ncu_metric *)a)->name, y = ((const struct ncu_metric *)b)->name;
	return x < y ? -1 : x > y;
}

/* Sorts by name; of two entries of one name the one with a value stays. */
static void settle_metrics(struct ncu_result *out)
{
	bool sorted = true;
	for (size_t i = 1; i < out->n_metrics && sorted; i++)
		sorted = out->metrics[i - 1].name < out->metrics[i].name;
	if (sorted)
		return;
	qsort(out->metrics, out->n_metrics, sizeof(*out->metrics), by_name);
	size_t n = 0;
	for (size_t i = 0; i < out->n_metrics; i++) {
		if (n && out->metrics[n - 1].name == out->metrics[i].name) {
			if (out->metrics[n - 1].kind == NCU_NO_VALUE)
				out->metrics[n - 1] = out->metrics[i];
		} else {
			out->metrics[n++] = out->metrics[i];
		}
	}
	out->n_metrics = n;
}

static void take_u32(const struct ncu_report *r, const struct ncu_result *res, const char *name, uint32_t *out,
		     bool *has)
{
	const struct ncu_metric *m = ncu_metric(r, res, name);
	double v;
	if (m && ncu_number(m, &v) && v >= 0 && v <= UINT32_MAX) {
		*out = (uint32_t)v;
		*has = true;
	}
}

static bool take_dim(const struct ncu_report *r, const struct ncu_result *res, const char *name, uint64_t *out)
{
	const struct ncu_metric *m = ncu_metric(r, res, name);
	double v;
	if (!m || !ncu_number(m, &v) || v < 0 || v > 9e15)
		return false;
	*out = (uint64_t)v;
	return true;
}

/* Device and architecture stand only in metrics, and so do the sizes of a graph. A range has none in ncu's own tables. */
static void identity_from_metrics(const struct ncu_report *r, struct ncu_result *out)
{
	bool minor = false;
	take_u32(r, out, "launch__device_id", &out->device, &out->has_device);
	if (!out->has_device)
		take_u32(r, out, "device__attribute_device_index", &out->device, &out->has_device);
	take_u32(r, out, "device__attribute_compute_capability_major", &out->cc_major, &out->has_cc);
	take_u32(r, out, "device__attribute_compute_capability_minor", &out->cc_minor, &minor);
	out->has_cc &= minor;
	if (out->kind != NCU_GRAPH)
		return;
	out->has_dims = take_dim(r, out, "launch__grid_dim_x", &out->grid.x) &&
			take_dim(r, out, "launch__grid_dim_y", &out->grid.y) &&
			take_dim(r, out, "launch__grid_dim_z", &out->grid.z) &&
			take_dim(r, out, "launch__block_dim_x", &out->block.x) &&
			take_dim(r, out, "launch__block_dim_y", &out->block.y) &&
			take_dim(r, out, "launch__block_dim_z", &out->block.z);
}

/* Key fields must keep their wire type in every version. */
static bool key_changed(enum ncu_kind kind, const struct pb_field *f)
{
	if (f->number == fields[kind].metrics)
		return f->wire != PB_BYTES;
	if (kind != NCU_KERNEL)
		return false;
	return ((f->number >= 5 && f->number <= 7) || f->number == 10 || f->number == 11) && f->wire != PB_BYTES;
}

static size_t count_metrics(struct str body, uint32_t field)
{
	struct pb w = pb_of(body);
	struct pb_field f;
	size_t n = 0;
	while (pb_next(&w, &f))
		n += f.number == field && f.wire == PB_BYTES;
	return n;
}

static void choose_name(struct ncu_result *out, const struct str names[4])
{
	out->mangled = names[3];
	out->function = names[2];
	out->name = str_from(kind_names[out->kind]);
	for (size_t i = 4; i-- > 0;) {
		if (names[i].n)
			out->name = names[i];
	}
}

bool result_decode(struct ncu_report *r, struct ncu_result *out, const uint32_t *remap, size_t n_remap,
		   struct result_error *why)
{
	uint32_t metrics_field = fields[out->kind].metrics;
	struct str names[4] = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
	struct pb w = pb_of(out->body);
	struct pb_field f;
	out->metrics = ARENA_ARRAY(&r->arena, count_metrics(out->body, metrics_field), struct ncu_metric);
	for (;;) {
		const unsigned char *at = w.p;
		if (!pb_next(&w, &f))
			break;
		if (key_changed(out->kind, &f))
			return fail(r, why, at, "a key field has another type than in every known version");
		if (f.number != metrics_field) {
			if (out->kind == NCU_KERNEL)
				decode_kernel_field(out, &f, names);
			decode_common(r, out, &f);
			continue;
		}
		struct ncu_metric *m = &out->metrics[out->n_metrics++];
		uint64_t name;
		if (f.bytes.n > UINT32_MAX || !metric_decode(r, f.bytes, m, &name))
			return fail(r, why, f.bytes.p, "a metric does not parse");
		if (name >= n_remap)
			return fail(r, why, f.bytes.p, "a metric's name is not in the string table");
		m->name = remap[name];
	}
	if (w.is_bad)
		return fail(r, why, w.p, "a result does not parse");
	settle_metrics(out);
	choose_name(out, names);
	identity_from_metrics(r, out);
	return true;
}
