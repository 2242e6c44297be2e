/* A time against the device's limits.
 * In: a case's bytes and operations, ceilings, a time. Out: one JSON object.
 * A peak that was not measured comes from the vendor's table, and the object says so.
 * Never: rejects on anything but declared bytes and the pins. */
#include "measure/limits.h"

#include <math.h>

#include "stats/ceiling.h"

/* The type that the arithmetic is taken to be in: of the first tensor of floats that is read, else of the first at all. */
static enum dtype arithmetic_type(const struct operator* op)
{
	enum dtype first = DTYPE_COUNT;
	for (size_t i = 0; i < op->n_params; i++) {
		const struct param *p = &op->params[i];
		if (!param_is_tensor(p) || p->dtype >= DTYPE_COUNT)
			continue;
		if (first == DTYPE_COUNT)
			first = p->dtype;
		if (p->role != PARAM_OUT && dtype_is_float(p->dtype))
			return p->dtype;
	}
	return first;
}

static void put_peak(struct json *j, const char *key, double v, bool is_measured)
{
	if (!(v > 0)) {
		json_set_null(j, key);
		return;
	}
	struct json *x = json_set_object(j, key);
	json_set_f64(x, "per_s", v);
	json_set_cstr(x, "from", is_measured ? "measured" : "vendor");
}

static double pin_rate(const struct json *facts)
{
	double bits = json_f64(facts, "memory_bus_bits", 0), mhz = json_f64(facts, "max_memory_mhz", 0);
	return ceiling_pin_rate(bits, mhz * 1e6, 2); /* both edges of the clock, as in every DDR and HBM */
}

static struct json *floor_json(struct arena *a, const struct limits_in *in, bool *is_impossible)
{
	const struct op_case *c = &in->op->cases[in->i_case];
	bool is_declared = !(c->flags & (OP_CASE_BYTES_SUMMED | OP_CASE_BYTES_GUESSED)), is_measured = false;
	double measured = ceilings_peak_bytes(in->ceilings, &is_measured), least = 0;
	uint64_t l2 = in->ceilings->l2_bytes ? in->ceilings->l2_bytes : in->l2_bytes;
	struct ceiling_floor_in f = {
		.bytes = (c->flags & OP_CASE_HAS_BYTES) && l2 ? c->bytes
							      : 0, /* without the cache's size nothing is said */
		.l2_bytes = (double)l2,
		.pin_rate = pin_rate(in->device_facts),
		.measured_rate = is_measured ? measured : 0,
		.time_ns = in->time_ns,
		.flags = (is_declared ? CEILING_DECLARED : 0u) | (in->is_cold ? CEILING_COLD : 0u)};
	enum ceiling_floor floor = ceiling_floor_of(&f, &least);
	struct json *j = json_object(a);
	*is_impossible = floor == CEILING_FLOOR_IMPOSSIBLE;
	json_set_cstr(j, "word", ceiling_floor_name(floor));
	json_set_f64(j, "least_ns", f.pin_rate > 0 ? least : NAN);
	json_set_f64(j, "pin_bytes_per_s", f.pin_rate > 0 ? f.pin_rate : NAN);
	json_set_f64(j, "l2_bytes", f.l2_bytes);
	json_set_bool(j, "bytes_declared", is_declared && f.bytes > 0);
	return j;
}

struct json *limits_json(struct arena *a, const struct limits_in *in, bool *is_impossible)
{
	const struct op_case *c = &in->op->cases[in->i_case];
	enum dtype t = arithmetic_type(in->op);
	bool flops_measured = false, bytes_measured = false;
	struct err ignored;
	struct ceiling roof;
	struct ceiling_work w = {.flops = c->flags & OP_CASE_HAS_FLOPS ? c->flops : 0,
				 .bytes = c->flags & OP_CASE_HAS_BYTES ? c->bytes : 0,
				 .time_ns = in->time_ns,
				 .peak_flops = ceilings_peak_flops(in->ceilings, t, &flops_measured),
				 .peak_bytes = ceilings_peak_bytes(in->ceilings, &bytes_measured)};
	*is_impossible = false;
	if (!(w.flops > 0 || w.bytes > 0) || !ceiling_of(&roof, &w, &ignored))
		return json_new_null(a);
	struct json *j = json_object(a), *peaks = json_set_object(j, "peaks");
	json_set(j, "roofline", ceiling_json(a, &roof));
	json_set_cstr(peaks, "arithmetic_type", t < DTYPE_COUNT ? dtype_name(t) : NULL);
	put_peak(peaks, "flop", w.peak_flops, flops_measured);
	put_peak(peaks, "bytes", w.peak_bytes, bytes_measured);
	json_set_cstr(peaks, "vendor_source", in->ceilings->vendor_source);
	json_set_bool(j, "ceilings_measured", in->ceilings->is_measured);
	json_set(j, "floor", floor_json(a, in, is_impossible));
	return j;
}
