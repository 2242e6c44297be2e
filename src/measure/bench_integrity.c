/* The integrity battery of a bench.
 * In: a candidate that is right and timed. Out: its checks, and the verdict of correctness and integrity together.
 * The rounds are the battery's (battery.c).
 * Never: leaves a candidate's worker behind. */
#include "measure/bench_integrity.h"

#include "base/file.h"
#include "measure/battery.h"
#include "measure/bench_extra.h"
#include "measure/bench_parts.h"
#include "measure/lab_data.h"
#include "measure/workload.h"

bool bench_has_battery(const struct bench_state *s)
{
	return !(s->o->options & BENCH_NO_BATTERY);
}

bool bench_battery_open(struct bench_state *s, struct err *e)
{
	s->parts->battery = battery_new(s->arena, s->o->forbid, e);
	return s->parts->battery != NULL;
}

void bench_battery_begin(struct bench_state *s)
{
	battery_begin(s->parts->battery, s->lab);
}

static struct battery_ask ask_of(struct bench_state *s)
{
	struct bench_parts *p = s->parts;
	return (struct battery_ask){.bench = &p->looks,
				    .correct = &p->correct,
				    .subject = &p->subject,
				    .worker = p->main,
				    .fault = &p->fault};
}

bool bench_after_correctness(struct bench_state *s, struct err *e)
{
	struct battery_ask ask = ask_of(s);
	return !bench_has_battery(s) || bench_settle(s, battery_task(s->parts->battery, &ask, e));
}

struct fresh *bench_fresh(struct bench_state *s, size_t *n_kept)
{
	if (!bench_has_battery(s))
		return NULL;
	*n_kept = battery_share(s->parts->battery);
	return battery_fresh(s->parts->battery);
}

bool bench_is_zeroed(const struct bench_state *s)
{
	return battery_is_zeroed(s->parts->battery);
}

/* In-out tensors are restored to the public sets. */
bool bench_after_series(struct bench_state *s, struct err *e)
{
	bench_judge(s);
	return !bench_has_battery(s) || battery_settle(s->parts->battery, e);
}

bool bench_look_further(struct bench_state *s, struct err *e)
{
	const struct bench_extra *x = s->o->extra;
	struct bench_extra_result r = {.verdict = VERDICT_PASSED};
	struct bench_extra_input in = {.arena = s->arena,
				       .bench = s->out,
				       .guest = s->workload ? s->workload->guest : NULL,
				       .store = s->store,
				       .scratch = path_join(s->arena, s->folder, "extra")};
	if (!x || s->is_over)
		return true;
	bench_phase(s, x->key);
	if (!x->look(x->ctx, &r, &in, e))
		return false;
	s->extra = r.facts;
	s->extra_key = x->key;
	for (size_t i = 0; bench_has_battery(s) && i < r.n_checks; i++)
		battery_add(s->parts->battery, &r.checks[i]);
	if (r.verdict != VERDICT_PASSED)
		bench_conclude(s, r.verdict, r.text);
	return true;
}

struct json *bench_integrity_json(const struct bench_state *s)
{
	return bench_has_battery(s) ? battery_json(s->parts->battery, s->out->verdict) : json_new_null(s->arena);
}

void bench_judge(struct bench_state *s)
{
	const struct correctness *c = &s->parts->correct;
	const char *text;
	enum verdict v = battery_verdict(s->parts->battery, &text);
	s->out->verdict = c->verdict;
	s->out->text = c->text;
	if (correct_is_good(c) && v != VERDICT_PASSED) {
		s->out->verdict = v;
		s->out->text = text;
	}
	s->is_over = s->out->verdict != VERDICT_PASSED && s->out->verdict != VERDICT_UNCHECKED;
}

static struct battery_facts facts_of(const struct bench_state *s)
{
	const struct bench_parts *p = s->parts;
	uint64_t marks = p->identity.n && p->has_records ? p->identity.rows[0].marks : 0;
	unsigned has = (p->identity.n && p->has_records ? BATTERY_IDENTITY : 0u) |
		       (marks & WIRE_MARK_SYNCED ? BATTERY_SYNCHRONIZES : 0u) |
		       (marks & WIRE_MARK_ALLOCATED ? BATTERY_ALLOCATES : 0u);
	return (struct battery_facts){.op = &s->out->op,
				      .device = &s->out->device,
				      .l2_bytes = lab_l2_bytes(s->lab),
				      .cold_ns = p->cold_ns,
				      .has = has,
				      .unordered = p->unordered,
				      .unrecorded = p->unrecorded};
}

bool bench_integrity(struct bench_state *s, struct err *e)
{
	struct bench_parts *p = s->parts;
	if (s->is_over || !bench_has_battery(s))
		return true;
	bench_phase(s, "integrity");
	struct battery_ask ask = ask_of(s);
	struct battery_claim claim = {p->cold_ns, p->warm_ns, p->wall_ns, p->evict_bytes < p->cache_bytes};
	if (!bench_settle(s, battery_after(p->battery, &ask, &claim, e)) || s->is_over)
		return s->is_over;
	bench_note_sandbox(s);
	lab_end(s->lab, p->event);
	p->event = p->main = NULL;
	if (!battery_end(p->battery, &ask, e))
		return false;
	struct battery_facts facts = facts_of(s);
	battery_conclude(p->battery, &ask, &facts);
	bench_judge(s);
	return true;
}
