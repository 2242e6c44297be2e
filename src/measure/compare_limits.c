/* The times of a comparison against the device's limits.
 * In: sides with times, cold or warm. Out: roofline position and floor of each, first case.
 * A time that is impossible becomes its side's verdict.
 * Never: measures. */
#include "measure/compare_state.h"

#include "measure/limits.h"

void compare_limits(struct compare_state *s)
{
	struct ceilings c;
	ceilings_load(&c, s->arena, &s->out->device, s->device_facts);
	for (size_t i = 0; i < s->out->n_sides; i++) {
		struct compare_outcome *x = &s->out->sides[i];
		bool is_impossible = false;
		struct limits_in in = {.op = &s->out->sides[0].op,
				       .ceilings = &c,
				       .device_facts = s->device_facts,
				       .time_ns = x->time_ns,
				       .l2_bytes = s->l2_bytes,
				       .is_cold = !(s->o->options & COMPARE_WARM)};
		if (!x->has_time)
			continue;
		s->limits[i] = limits_json(s->arena, &in, &is_impossible);
		if (is_impossible)
			compare_put_out(s, i, VERDICT_IMPOSSIBLE_TIME, verdict_text(VERDICT_IMPOSSIBLE_TIME));
	}
	for (size_t i = 1; s->is_out[0] && i < s->out->n_sides; i++) {
		if (s->is_out[i])
			continue;
		s->out->sides[i].verdict = VERDICT_INCONCLUSIVE;
		s->out->sides[i].text = "A is not right, so nothing is compared with it";
	}
}
