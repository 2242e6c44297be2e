/* The timeline of a trace.
 * In: a sorted trace.
 * Out: every analysis of this room, and facts.
 * Never: reads a file. */
#include "timeline/timeline.h"

#include "base/sum.h"
#include "stats/ceiling.h"
#include "timeline/sweep.h"

static const char *label_of(const struct trace *t, size_t i, struct arena *a)
{
	const struct trace_device *d = &t->devices[i];
	for (size_t k = 0; k < t->n_devices; k++) {
		if (k != i && t->devices[k].process != d->process && d->process >= 0)
			return arena_printf(a, "%lld of process %lld", (long long)d->id, (long long)d->process);
	}
	return arena_printf(a, "%lld", (long long)d->id);
}

void timeline_make(struct timeline *out, const struct trace *t, const struct timeline_options *o, struct arena *a)
{
	struct idle_options gaps = {o ? o->n_gaps : 0};
	struct path_options path = {o ? o->slack_ns : 0};
	struct cover all;
	*out = (struct timeline){.trace = t, .n_devices = t->n_devices};
	out->devices = ARENA_ARRAY(a, t->n_devices + 1, struct timeline_device);
	for (uint32_t i = 0; i < t->n_devices; i++) {
		struct timeline_device *d = &out->devices[i];
		cover_device(&d->cover, t, i, a);
		idle_device(&d->idle, t, i, &gaps, a);
		d->unattributed_ns = d->idle.cause_ns[IDLE_UNKNOWN];
		d->label = label_of(t, i, a);
	}
	cover_device(&all, t, SWEEP_ALL, a);
	out->span_ns = all.last_ns - all.first_ns;
	if (o && o->is_brief)
		return;
	for (uint32_t i = 0; i < t->n_devices; i++) {
		idle_streams(&out->devices[i].streams, t, i, NULL, a);
		launch_device(&out->devices[i].launch, t, i, a);
	}
	cover_by_name(&out->items, t, a);
	ranges_make(&out->ranges, t, a);
	path_make(&out->path, t, &path, a);
}

/* The names that match become one item of a copy of the trace. */
void timeline_saving(struct timeline_saving *out, const struct timeline *l, const char *pattern, timeline_match *match,
		     const double r_and_c[2], struct arena *scratch)
{
	const struct trace *t = l->trace;
	struct trace copy = *t;
	struct cover_items items;
	struct arena_mark mark = arena_mark(scratch);
	*out = (struct timeline_saving){0};
	bool *is_in = ARENA_ARRAY(scratch, t->n_names + 1, bool);
	uint32_t first = UINT32_MAX;
	for (uint32_t i = 0; i < t->n_names; i++) {
		is_in[i] = match(t->names[i], pattern);
		first = is_in[i] && first == UINT32_MAX ? i : first;
	}
	copy.activities = ARENA_ARRAY(scratch, t->n_activities + 1, struct trace_activity);
	for (size_t i = 0; i < t->n_activities; i++) {
		copy.activities[i] = t->activities[i];
		if (is_in[t->activities[i].name])
			copy.activities[i].name = first;
	}
	cover_by_name(&items, &copy, scratch);
	for (size_t i = 0; i < items.n; i++) {
		if (items.v[i].name != first)
			continue;
		out->n = items.v[i].n;
		out->sum_ns = items.v[i].sum_ns;
		out->alone_ns = items.v[i].alone_ns;
	}
	int64_t span = 0;
	for (size_t i = 0; i < l->n_devices; i++)
		sum_add(&span, l->devices[i].cover.last_ns - l->devices[i].cover.first_ns);
	out->f = span > 0 ? (double)out->alone_ns / (double)span : 0;
	out->gain = ceiling_amdahl(out->f, r_and_c[0], r_and_c[1]);
	arena_reset(scratch, mark);
}

static void put(struct fact_set *out, const char *id, const char *aggregation, const struct timeline_device *d,
		int64_t ns)
{
	struct fact *f = fact_add(out, str_from(id), "ns", FACT_DEVICE);
	f->type = FACT_REAL;
	f->real = (double)ns;
	f->aggregation = aggregation;
	f->subject = str_from(d->label);
	f->source = STR("timeline");
}

static void put_count(struct fact_set *out, const char *id, const struct timeline_device *d, uint64_t n)
{
	struct fact *f = fact_add(out, str_from(id), "", FACT_DEVICE);
	f->type = FACT_COUNT;
	f->count = n;
	f->subject = str_from(d->label);
	f->source = STR("timeline");
}

static void device_facts(struct fact_set *out, const struct timeline_device *d)
{
	const struct cover *c = &d->cover;
	put(out, "timeline.span", "sum", d, c->last_ns - c->first_ns);
	put(out, "timeline.busy", "sum", d, c->covered_ns);
	put(out, "timeline.activity", "sum", d, c->sum_ns);
	put(out, "timeline.overlap_excess", "sum", d, c->excess_ns);
	put(out, "timeline.compute", "sum", d, cover_any(c, COVER_COMPUTE));
	put(out, "timeline.communication", "sum", d, cover_any(c, COVER_COMM));
	put(out, "timeline.communication_exposed", "sum", d, cover_only(c, COVER_COMM));
	put(out, "timeline.copy", "sum", d, cover_any(c, COVER_COPY));
	put(out, "timeline.copy_exposed", "sum", d, cover_only(c, COVER_COPY));
	put(out, "timeline.idle", "sum", d, d->idle.total_ns);
	put(out, "timeline.unattributed", "sum", d, d->unattributed_ns);
	for (unsigned k = 0; k < IDLE_CAUSES; k++) {
		char *id = arena_printf(out->arena, "timeline.idle_%s", idle_cause_name((enum idle_cause)k));
		if (k != IDLE_STREAM && k != IDLE_EMPTY)
			put(out, id, "sum", d, d->idle.cause_ns[k]);
	}
	put_count(out, "timeline.max_concurrency", d, c->max_level);
	put_count(out, "timeline.max_streams", d, c->max_lanes);
	put_count(out, "launch.unlinked", d, d->launch.n_unlinked);
	if (d->launch.delay.n) {
		put(out, "launch.delay", "p50", d, d->launch.delay.p50_ns);
		put(out, "launch.delay", "p99", d, d->launch.delay.p99_ns);
		put(out, "launch.delay", "max", d, d->launch.delay.max_ns);
		put_count(out, "launch.max_queue_depth", d, d->launch.max_depth);
	}
	if (d->launch.latency.n) {
		put(out, "launch.latency", "p50", d, d->launch.latency.p50_ns);
		put(out, "launch.latency", "p99", d, d->launch.latency.p99_ns);
	}
}

void timeline_facts(struct fact_set *out, const struct timeline *l)
{
	for (size_t i = 0; i < l->n_devices; i++)
		device_facts(out, &l->devices[i]);
	for (unsigned k = 0; k < PATH_KINDS && l->path.span_ns; k++) {
		char *id = arena_printf(out->arena, "path.%s", path_kind_name((enum path_kind)k));
		fact_add_real(out, id, "ns", (double)l->path.kind_ns[k]);
	}
	if (l->path.span_ns)
		fact_add_count(out, "path.inferred_steps", "", l->path.n_inferred);
	for (size_t i = 0; i < l->items.n; i++) {
		const struct cover_item *item = &l->items.v[i];
		struct fact *f = fact_add(out, STR("kernel.removable"), "ns", FACT_KERNEL);
		f->type = FACT_REAL;
		f->real = (double)item->alone_ns;
		f->aggregation = "sum";
		f->subject = l->trace->names[item->name];
		f->i_subject = (uint32_t)i;
		f->source = STR("timeline");
	}
}
