/* Roofline position, physical floor and Amdahl's arithmetic.
 * In: amounts, times, peaks. Out: rates, shares, the binding roof, one word for the floor.
 * An unknown number is 0 in the input and a missing bit in the output, never a guess.
 * Never measures, never decides what to do about it. */
#include "stats/ceiling.h"

#include <math.h>

bool ceiling_of(struct ceiling *out, const struct ceiling_work *w, struct err *e)
{
	*out = (struct ceiling){0};
	const double given[] = {w->flops, w->bytes, w->peak_flops, w->peak_bytes};
	for (size_t i = 0; i < COUNT_OF(given); i++)
		if (!(isfinite(given[i]) && given[i] >= 0))
			return err_set(e, ERR_INPUT,
				       "ceiling: flops %g, bytes %g, peaks %g and %g: none may be negative or infinite",
				       w->flops, w->bytes, w->peak_flops, w->peak_bytes);
	if (!(isfinite(w->time_ns) && w->time_ns > 0))
		return err_set(e, ERR_INPUT, "ceiling: time %g ns; needs more than zero", w->time_ns);
	if (w->flops > 0) {
		out->has |= CEILING_HAS_FLOPS;
		out->flop_rate = w->flops / (w->time_ns * 1e-9);
	}
	if (w->bytes > 0) {
		out->has |= CEILING_HAS_BYTES;
		out->byte_rate = w->bytes / (w->time_ns * 1e-9);
	}
	if (w->flops > 0 && w->bytes > 0) {
		out->has |= CEILING_HAS_INTENSITY;
		out->intensity = w->flops / w->bytes;
	}
	if (w->peak_flops > 0 && w->peak_bytes > 0) {
		out->has |= CEILING_HAS_RIDGE;
		out->ridge = w->peak_flops / w->peak_bytes;
	}
	double by_flops = w->flops > 0 && w->peak_flops > 0 ? w->flops / w->peak_flops * 1e9 : 0;
	double by_bytes = w->bytes > 0 && w->peak_bytes > 0 ? w->bytes / w->peak_bytes * 1e9 : 0;
	out->flop_pct = 100 * by_flops / w->time_ns;
	out->byte_pct = 100 * by_bytes / w->time_ns;
	out->least_ns = fmax(by_flops, by_bytes);
	if (out->least_ns > 0) {
		out->has |= CEILING_HAS_ROOF;
		out->bound = by_flops > by_bytes ? CEILING_COMPUTE : CEILING_MEMORY;
		out->pct = 100 * out->least_ns / w->time_ns;
	}
	return true;
}

const char *ceiling_bound_name(enum ceiling_bound b)
{
	switch (b) {
	case CEILING_NONE:
		return "none";
	case CEILING_MEMORY:
		return "memory";
	case CEILING_COMPUTE:
		return "compute";
	}
	BUG("ceiling bound");
}

struct json *ceiling_json(struct arena *a, const struct ceiling *c)
{
	struct json *j = json_object(a);
	if (c->has & CEILING_HAS_FLOPS)
		json_set_f64(j, "flop_per_s", c->flop_rate);
	if (c->has & CEILING_HAS_BYTES)
		json_set_f64(j, "bytes_per_s", c->byte_rate);
	if (c->has & CEILING_HAS_INTENSITY)
		json_set_f64(j, "intensity_flop_per_byte", c->intensity);
	if (c->has & CEILING_HAS_RIDGE)
		json_set_f64(j, "ridge_flop_per_byte", c->ridge);
	if (c->flop_pct > 0)
		json_set_f64(j, "compute_pct", c->flop_pct);
	if (c->byte_pct > 0)
		json_set_f64(j, "memory_pct", c->byte_pct);
	if (c->has & CEILING_HAS_ROOF) {
		json_set_cstr(j, "binding", ceiling_bound_name(c->bound));
		json_set_f64(j, "least_ns", c->least_ns);
		json_set_f64(j, "binding_pct", c->pct);
	}
	return j;
}

double ceiling_pin_rate(double bus_bits, double memory_hz, double per_clock)
{
	return bus_bits / 8 * memory_hz * per_clock;
}

enum ceiling_floor ceiling_floor_of(const struct ceiling_floor_in *in, double *floor_ns)
{
	double beyond = fmax(0, in->bytes - in->l2_bytes), least = 0;
	if (in->pin_rate > 0)
		least = beyond / in->pin_rate * 1e9;
	if (floor_ns)
		*floor_ns = least;
	if (!(in->bytes > 0) || !(in->pin_rate > 0 || in->measured_rate > 0))
		return CEILING_FLOOR_UNKNOWN;
	if (in->time_ns < least) {
		const unsigned both = CEILING_DECLARED | CEILING_COLD;
		return (in->flags & both) == both ? CEILING_FLOOR_IMPOSSIBLE : CEILING_FLOOR_SUSPECT;
	}
	if (in->measured_rate > 0 && in->time_ns < beyond / in->measured_rate * 1e9)
		return CEILING_FLOOR_SUSPECT;
	return CEILING_FLOOR_PASSED;
}

const char *ceiling_floor_name(enum ceiling_floor f)
{
	switch (f) {
	case CEILING_FLOOR_UNKNOWN:
		return "unknown";
	case CEILING_FLOOR_PASSED:
		return "passed";
	case CEILING_FLOOR_SUSPECT:
		return "suspect";
	case CEILING_FLOOR_IMPOSSIBLE:
		return "impossible";
	}
	BUG("ceiling floor");
}

double ceiling_amdahl(double f, double r, double c)
{
	double left = 1 - f * r + c;
	return left > 0 ? 1 / left - 1 : HUGE_VAL;
}

double ceiling_amdahl_needed(double gain, double f, double c)
{
	return (1 + c - 1 / (1 + gain)) / f;
}
