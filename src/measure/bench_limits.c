/* A bench's time against the device's limits.
 * In: a bench with a time. Out: roofline position and floor for the record.
 * Ceilings come from the cache of `assay ceiling`, else from the vendor's table.
 * Never: measures. */
#include "measure/bench_parts.h"
#include "measure/limits.h"

/* Physics alone rejects: what takes less than the pins need was not computed in these calls. */
void bench_limits(struct bench_state *s)
{
	struct ceilings c;
	const struct json *facts = lab_facts(s->parts->main);
	bool is_impossible = false;
	s->parts->evict_bytes = (uint64_t)json_f64(facts, "flush_bytes", 0);
	s->parts->cache_bytes = (uint64_t)json_f64(facts, "cache_bytes", 0);
	ceilings_load(&c, s->arena, &s->out->device, s->device_facts);
	struct limits_in in = {.op = &s->out->op,
			       .ceilings = &c,
			       .device_facts = s->device_facts,
			       .time_ns = s->out->trimmed_ns,
			       .l2_bytes = s->parts->cache_bytes,
			       .is_cold = true};
	s->parts->limits = limits_json(s->arena, &in, &is_impossible);
	if (is_impossible)
		bench_conclude(s, VERDICT_IMPOSSIBLE_TIME,
			       arena_printf(s->arena,
					    "%.0f ns for bytes that the memory's pins move in %.0f ns at least",
					    in.time_ns, json_f64(json_get(s->parts->limits, "floor"), "least_ns", 0)));
}
