/* The timeline of a trace as sheets.
 * In: a timeline.
 * Out: tables for people and programs.
 * Never: computes; the room timeline does. */
#include "verb/read_timeline.h"

#include "stats/ceiling.h"

static const char *const names[READ_TIMELINE_SHEETS] = {
	"timeline", "links",     "overlap", "concurrency", "idle", "gaps",
	"ceilings", "launching", "ranges",  "steps",       "path", "groups",
};

const char *read_timeline_name(size_t i)
{
	return i < COUNT_OF(names) ? names[i] : NULL;
}

bool read_timeline_is(const char *table)
{
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (table && str_is(str_from(table), names[i]))
			return true;
	}
	return false;
}

struct job {
	const struct timeline *l;
	struct arena *a;
	struct sheet *out;
};

static void put_share(struct sheet_cell *c, int64_t ns, int64_t of)
{
	if (of > 0)
		sheet_put(c, 100 * (double)ns / (double)of);
}

static struct str name_of(const struct job *j, size_t activity)
{
	const struct trace *t = j->l->trace;
	return activity == SIZE_MAX ? (struct str){0} : t->names[t->activities[activity].name];
}

/* device | what | time | share of the span */
static const struct sheet_column share_columns[] = {
	{"device", "device", "", SHEET_TEXT},
	{"what", "what", "", SHEET_TEXT},
	{"time_ns", "time", "ns", 0},
	{"share_pct", "of span", "%", 0},
};

static void share_row(struct job *j, const struct timeline_device *d, const char *what, int64_t ns)
{
	struct sheet_cell *c = sheet_row(j->out);
	sheet_put_text(&c[0], str_from(d->label));
	sheet_put_text(&c[1], str_from(what));
	sheet_put(&c[2], (double)ns);
	put_share(&c[3], ns, d->cover.last_ns - d->cover.first_ns);
}

static void class_rows(struct job *j, const struct timeline_device *d, const char *what, unsigned class)
{
	if (!cover_any(&d->cover, class))
		return;
	share_row(j, d, what, cover_any(&d->cover, class));
	share_row(j, d, "    exposed", cover_only(&d->cover, class));
}

static void fill_timeline(struct job *j)
{
	sheet_init(j->out, j->a, "timeline", share_columns, COUNT_OF(share_columns));
	j->out->title = "Timeline";
	j->out->note = "span: first start to last end of a device's kernels, copies and memsets; busy: their union; "
		       "exposed: nothing of another kind runs";
	j->out->is_main = true;
	for (size_t i = 0; i < j->l->n_devices; i++) {
		const struct timeline_device *d = &j->l->devices[i];
		const struct cover *c = &d->cover;
		share_row(j, d, "span", c->last_ns - c->first_ns);
		share_row(j, d, "busy", c->covered_ns);
		share_row(j, d, "  compute", cover_any(c, COVER_COMPUTE));
		class_rows(j, d, "  communication", COVER_COMM);
		class_rows(j, d, "  copies", COVER_COPY);
		if (c->excess_ns)
			share_row(j, d, "overlap excess", c->excess_ns);
		share_row(j, d, "idle", d->idle.total_ns);
		for (unsigned k = 0; k < IDLE_CAUSES; k++) {
			if (d->idle.cause_ns[k])
				share_row(j, d, arena_printf(j->a, "  %s", idle_cause_name((enum idle_cause)k)),
					  d->idle.cause_ns[k]);
			if (k == IDLE_HOST && d->idle.blocked_ns)
				share_row(j, d, "    in a blocking call", d->idle.blocked_ns);
		}
	}
	if (!j->l->n_devices)
		j->out->note = "no activity of a device was recorded";
}

static const struct sheet_column link_columns[] = {{"what", "what", "", SHEET_TEXT}, {"value", "value", "", 0}};

static void link_row(struct job *j, const char *what, uint64_t v)
{
	if (!v)
		return;
	struct sheet_cell *c = sheet_row(j->out);
	sheet_put_text(&c[0], str_from(what));
	sheet_put(&c[1], (double)v);
	j->out->is_main = true;
}

static void fill_links(struct job *j)
{
	const struct trace *t = j->l->trace;
	uint64_t nodes = 0, replays = 0, negative = 0;
	sheet_init(j->out, j->a, "links", link_columns, COUNT_OF(link_columns));
	j->out->title = "What the timeline rests on";
	for (size_t i = 0; i < t->n_activities; i++) {
		nodes += (t->activities[i].flags & TRACE_IN_GRAPH) != 0;
		replays += t->activities[i].kind == TRACE_GRAPH;
	}
	for (size_t i = 0; i < j->l->n_devices; i++)
		negative += j->l->devices[i].launch.n_negative;
	link_row(j, "activities_without_their_launch_call", t->n_unlinked);
	link_row(j, "activities_that_start_before_their_call", negative);
	link_row(j, "activities_left_out", t->n_left_out);
	link_row(j, "ends_cut_to_the_next_start", t->n_clipped);
	link_row(j, "time_cut_ns", (uint64_t)t->clipped_ns);
	link_row(j, "activities_of_graph_replays", nodes);
	link_row(j, "graph_replays_as_one_record", replays);
	link_row(j, "path_steps_inferred", j->l->path.n_inferred);
}

static void fill_overlap(struct job *j)
{
	sheet_init(j->out, j->a, "overlap", share_columns, COUNT_OF(share_columns));
	j->out->title = "What runs together";
	j->out->note = "each instant of the span once, by the kinds that run then";
	for (size_t i = 0; i < j->l->n_devices; i++) {
		const struct timeline_device *d = &j->l->devices[i];
		for (unsigned m = 0; m < COVER_CLASSES; m++) {
			const char *what = arena_printf(j->a, "%s%s%s%s%s",
							m & COVER_COMPUTE ? "compute"
							: m               ? ""
									  : "idle",
							(m & COVER_COMPUTE) && m != COVER_COMPUTE ? " + " : "",
							m & COVER_COPY ? "copies" : "",
							(m & COVER_COPY) && (m & COVER_COMM) ? " + " : "",
							m & COVER_COMM ? "communication" : "");
			if (d->cover.class_ns[m])
				share_row(j, d, what, d->cover.class_ns[m]);
		}
	}
}

static const struct sheet_column concurrency_columns[] = {
	{"device", "device", "", SHEET_TEXT},     {"at_once", "at once", "", SHEET_TEXT},
	{"activities_ns", "activities", "ns", 0}, {"activities_pct", "of span", "%", 0},
	{"streams_ns", "streams", "ns", 0},       {"streams_pct", "of span", "%", 0},
};

static void fill_concurrency(struct job *j)
{
	sheet_init(j->out, j->a, "concurrency", concurrency_columns, COUNT_OF(concurrency_columns));
	j->out->title = "Concurrency";
	j->out->note = "time with so many activities, and so many streams, at once";
	for (size_t i = 0; i < j->l->n_devices; i++) {
		const struct cover *c = &j->l->devices[i].cover;
		for (unsigned k = 0; k < COVER_LEVELS; k++) {
			if (!c->level_ns[k] && !c->lane_ns[k])
				continue;
			struct sheet_cell *cell = sheet_row(j->out);
			sheet_put_text(&cell[0], str_from(j->l->devices[i].label));
			sheet_put_text(&cell[1],
				       str_from(arena_printf(j->a, "%u%s", k, k + 1 == COVER_LEVELS ? "+" : "")));
			sheet_put(&cell[2], (double)c->level_ns[k]);
			put_share(&cell[3], c->level_ns[k], c->last_ns - c->first_ns);
			sheet_put(&cell[4], (double)c->lane_ns[k]);
			put_share(&cell[5], c->lane_ns[k], c->last_ns - c->first_ns);
		}
	}
}

static const struct sheet_column idle_columns[] = {
	{"device", "device", "", SHEET_TEXT},    {"cause", "cause", "", SHEET_TEXT},
	{"device_ns", "device idle", "ns", 0},   {"device_pct", "of it", "%", 0},
	{"streams_ns", "streams idle", "ns", 0}, {"streams_pct", "of it", "%", 0},
};

static void fill_idle(struct job *j)
{
	sheet_init(j->out, j->a, "idle", idle_columns, COUNT_OF(idle_columns));
	j->out->title = "Idle time by cause";
	j->out->note = "host: nothing queued, the host had not asked yet; launch: inside the launch call; graph: "
		       "between nodes "
		       "of one replay; other_stream: queued while another stream runs; queued: queued, nothing runs; "
		       "empty: no "
		       "later work on the stream; unknown: what launched the next activity is not in the trace";
	for (size_t i = 0; i < j->l->n_devices; i++) {
		const struct timeline_device *d = &j->l->devices[i];
		for (unsigned k = 0; k < IDLE_CAUSES; k++) {
			if (!d->idle.cause_ns[k] && !d->streams.cause_ns[k])
				continue;
			struct sheet_cell *c = sheet_row(j->out);
			sheet_put_text(&c[0], str_from(d->label));
			sheet_put_text(&c[1], str_from(idle_cause_name((enum idle_cause)k)));
			if (k != IDLE_STREAM && k != IDLE_EMPTY)
				sheet_put(&c[2], (double)d->idle.cause_ns[k]);
			if (k != IDLE_STREAM && k != IDLE_EMPTY)
				put_share(&c[3], d->idle.cause_ns[k], d->idle.total_ns);
			sheet_put(&c[4], (double)d->streams.cause_ns[k]);
			put_share(&c[5], d->streams.cause_ns[k], d->streams.total_ns);
		}
	}
}

static const struct sheet_column gap_columns[] = {
	{"device", "device", "", SHEET_TEXT}, {"at_ns", "at", "ns", 0},
	{"length_ns", "length", "ns", 0},     {"cause", "cause", "", SHEET_TEXT},
	{"cause_ns", "of it", "ns", 0},       {"after", "ends with", "", SHEET_TEXT | SHEET_KEY},
	{"op", "asked by", "", SHEET_TEXT},   {"before", "begins after", "", SHEET_TEXT | SHEET_HIDDEN},
};

static void fill_gaps(struct job *j)
{
	const struct trace *t = j->l->trace;
	sheet_init(j->out, j->a, "gaps", gap_columns, COUNT_OF(gap_columns));
	j->out->title = "Longest idle gaps";
	j->out->note = "at: since the first activity; cause: the largest one";
	for (size_t i = 0; i < j->l->n_devices; i++) {
		const struct timeline_device *d = &j->l->devices[i];
		for (size_t g = 0; g < d->idle.n_longest; g++) {
			const struct idle_gap *gap = &d->idle.longest[g];
			unsigned cause = 0;
			for (unsigned k = 1; k < IDLE_CAUSES; k++)
				cause = gap->cause_ns[k] > gap->cause_ns[cause] ? k : cause;
			struct sheet_cell *c = sheet_row(j->out);
			uint32_t op = t->activities[gap->after].op, call = t->activities[gap->after].call;
			sheet_put_text(&c[0], str_from(d->label));
			sheet_put(&c[1], (double)(gap->from_ns - d->cover.first_ns));
			sheet_put(&c[2], (double)(gap->to_ns - gap->from_ns));
			sheet_put_text(&c[3], str_from(idle_cause_name((enum idle_cause)cause)));
			sheet_put(&c[4], (double)gap->cause_ns[cause]);
			sheet_put_text(&c[5], name_of(j, gap->after));
			if (op || call)
				sheet_put_text(&c[6], t->names[op ? op - 1 : t->calls[call - 1].name]);
			sheet_put_text(&c[7], name_of(j, gap->before));
		}
	}
}

static const struct sheet_column ceiling_columns[] = {
	{"name", "name", "", SHEET_TEXT | SHEET_KEY},
	{"removable_ns", "removable", "ns", SHEET_SHARE},
	{"removable_pct", "of span", "%", 0},
	{"gain_pct", "ceiling", "%", 0},
	{"path_ns", "on path", "ns", 0},
	{"covered_ns", "covered", "ns", 0},
	{"sum_ns", "sum", "ns", SHEET_HIDDEN},
	{"n", "n", "", 0},
};

static int64_t path_time(const struct path *p, uint32_t name)
{
	for (size_t i = 0; i < p->n_items; i++) {
		if (p->items[i].kind == PATH_ACTIVITY && p->items[i].name == name)
			return p->items[i].total_ns;
	}
	return 0;
}

static void fill_ceilings(struct job *j)
{
	int64_t span = 0;
	sheet_init(j->out, j->a, "ceilings", ceiling_columns, COUNT_OF(ceiling_columns));
	j->out->title = "Ceiling of each item";
	j->out->note =
		"removable: time in which only this item runs, which is all that can go when nothing else moves; "
		"ceiling: Amdahl's gain of the span without it";
	for (size_t i = 0; i < j->l->n_devices; i++)
		span += j->l->devices[i].cover.last_ns - j->l->devices[i].cover.first_ns;
	for (size_t i = 0; i < j->l->items.n; i++) {
		const struct cover_item *item = &j->l->items.v[i];
		struct sheet_cell *c = sheet_row(j->out);
		sheet_put_text(&c[0], j->l->trace->names[item->name]);
		sheet_put(&c[1], (double)item->alone_ns);
		put_share(&c[2], item->alone_ns, span);
		if (span > item->alone_ns)
			sheet_put(&c[3], 100 * ceiling_amdahl((double)item->alone_ns / (double)span, 1, 0));
		sheet_put(&c[4], (double)path_time(&j->l->path, item->name));
		sheet_put(&c[5], (double)item->covered_ns);
		sheet_put(&c[6], (double)item->sum_ns);
		sheet_put(&c[7], (double)item->n);
	}
}

static const struct sheet_column launch_columns[] = {
	{"device", "device", "", SHEET_TEXT},
	{"what", "what", "", SHEET_TEXT},
	{"n", "n", "", 0},
	{"p50_ns", "p50", "ns", 0},
	{"p99_ns", "p99", "ns", 0},
	{"max_ns", "max", "ns", 0},
	{"mean", "mean", "", 0},
	{"max", "most", "", 0},
};

static void times_row(struct job *j, const struct timeline_device *d, const char *what, const struct launch_times *v)
{
	struct sheet_cell *c = sheet_row(j->out);
	sheet_put_text(&c[0], str_from(d->label));
	sheet_put_text(&c[1], str_from(what));
	sheet_put(&c[2], (double)v->n);
	if (!v->n)
		return;
	sheet_put(&c[3], (double)v->p50_ns);
	sheet_put(&c[4], (double)v->p99_ns);
	sheet_put(&c[5], (double)v->max_ns);
}

static void fill_launching(struct job *j)
{
	sheet_init(j->out, j->a, "launching", launch_columns, COUNT_OF(launch_columns));
	j->out->title = "Launching";
	j->out->note = "delay: from the start of the launch call to the start on the device; latency: from when the "
		       "stream was "
		       "free and the work queued; queue: launched and not yet started (mean and most over the span)";
	for (size_t i = 0; i < j->l->n_devices; i++) {
		const struct timeline_device *d = &j->l->devices[i];
		times_row(j, d, "delay", &d->launch.delay);
		times_row(j, d, "latency", &d->launch.latency);
		struct sheet_cell *c = sheet_row(j->out);
		sheet_put_text(&c[0], str_from(d->label));
		sheet_put_text(&c[1], STR("queue"));
		sheet_put(&c[2], (double)(d->cover.n - d->launch.n_unlinked - d->launch.n_negative));
		if (d->launch.span_ns)
			sheet_put(&c[6], (double)d->launch.waits_ns / (double)d->launch.span_ns);
		sheet_put(&c[7], (double)d->launch.max_depth);
	}
}

static const struct sheet_column range_columns[] = {
	{"name", "name", "", SHEET_TEXT | SHEET_KEY},
	{"n", "n", "", 0},
	{"host_ns", "host time", "ns", SHEET_SHARE},
	{"activities", "activities", "", 0},
	{"covered_ns", "GPU covered", "ns", 0},
	{"sum_ns", "GPU sum", "ns", SHEET_HIDDEN},
	{"projected_ns", "GPU first to last", "ns", 0},
	{"busy_ns", "busy meanwhile", "ns", 0},
	{"busy_pct", "busy", "%", 0},
	{"start_ns", "start", "ns", SHEET_HIDDEN},
};

static void range_sheet(struct job *j, const char *name, const struct range_sum *v, size_t n)
{
	sheet_init(j->out, j->a, name, range_columns, COUNT_OF(range_columns));
	for (size_t i = 0; i < n; i++) {
		struct sheet_cell *c = sheet_row(j->out);
		sheet_put_text(&c[0], j->l->trace->names[v[i].name]);
		sheet_put(&c[1], (double)v[i].n);
		sheet_put(&c[2], (double)v[i].host_ns);
		sheet_put(&c[3], (double)v[i].n_work);
		sheet_put(&c[4], (double)v[i].covered_ns);
		sheet_put(&c[5], (double)v[i].sum_ns);
		sheet_put(&c[6], (double)v[i].projected_ns);
		sheet_put(&c[7], (double)v[i].busy_ns);
		put_share(&c[8], v[i].busy_ns, v[i].host_ns);
		sheet_put(&c[9], (double)v[i].start_ns);
	}
}

static void fill_ranges(struct job *j)
{
	range_sheet(j, "ranges", j->l->ranges.names, j->l->ranges.n_names);
	j->out->title = "Ranges";
	j->out->note =
		arena_printf(j->a,
			     "work whose launch call lies in the range on its thread; nested ranges each count it; "
			     "%llu of %zu activities lie in none",
			     (unsigned long long)j->l->ranges.n_outside, j->l->trace->n_activities);
}

static void fill_steps(struct job *j)
{
	const struct ranges *r = &j->l->ranges;
	range_sheet(j, "steps", r->steps, r->n_steps);
	j->out->title = "Steps";
	j->out->note =
		r->n_steps
			? arena_printf(j->a, "work launched in the step from any thread; %llu activities lie in none",
				       (unsigned long long)r->n_outside_steps)
			: "the trace has no steps (--steps PATTERN makes steps of ranges)";
}

static const struct sheet_column path_columns[] = {
	{"kind", "kind", "", SHEET_TEXT},
	{"name", "name", "", SHEET_TEXT | SHEET_KEY},
	{"time_ns", "time", "ns", SHEET_SHARE},
	{"share_pct", "of span", "%", 0},
	{"n", "n", "", 0},
};

static void fill_path(struct job *j)
{
	const struct path *p = &j->l->path;
	sheet_init(j->out, j->a, "path", path_columns, COUNT_OF(path_columns));
	j->out->title = "Critical path";
	j->out->note = arena_printf(
		j->a,
		"one chain of work and waits from the last end back to the first start; %llu steps between "
		"streams are inferred from their order in time",
		(unsigned long long)p->n_inferred);
	for (size_t i = 0; i < p->n_items; i++) {
		struct sheet_cell *c = sheet_row(j->out);
		sheet_put_text(&c[0], str_from(path_kind_name(p->items[i].kind)));
		sheet_put_text(&c[1], p->items[i].name == UINT32_MAX ? STR("") : j->l->trace->names[p->items[i].name]);
		sheet_put(&c[2], (double)p->items[i].total_ns);
		put_share(&c[3], p->items[i].total_ns, p->span_ns);
		sheet_put(&c[4], (double)p->items[i].n);
	}
}

static void fill_groups(struct job *j)
{
	read_groups_sheet(j->out, j->l, j->a);
}

static struct sheet *some_sheets(const struct timeline *l, struct arena *a, size_t n)
{
	static void (*const fill[READ_TIMELINE_SHEETS])(struct job * j) = {
		fill_timeline, fill_links,     fill_overlap, fill_concurrency, fill_idle, fill_gaps,
		fill_ceilings, fill_launching, fill_ranges,  fill_steps,       fill_path, fill_groups,
	};
	struct sheet *s = ARENA_ARRAY(a, n, struct sheet);
	for (size_t i = 0; i < n; i++) {
		struct job j = {l, a, &s[i]};
		fill[i](&j);
	}
	return s;
}

struct sheet *read_timeline_sheets(const struct timeline *l, struct arena *a, size_t *n)
{
	return some_sheets(l, a, *n = READ_TIMELINE_SHEETS);
}

struct sheet *read_timeline_brief(const struct timeline *l, struct arena *a, size_t *n)
{
	return some_sheets(l, a, *n = 2);
}

static const struct sheet_column saving_columns[] = {
	{"name", "pattern", "", SHEET_TEXT},   {"n", "n", "", 0},
	{"shorter_pct", "shorter by", "%", 0}, {"cost_pct", "cost", "%", 0},
	{"exposed_pct", "exposed", "%", 0},    {"removable_ns", "removable", "ns", 0},
	{"gain_pct", "ceiling", "%", 0},
};

static bool percent(struct str text, double *out)
{
	if (str_ends(text, "%"))
		text.n--;
	return str_f64(text, out) && *out >= 0 && *out <= 100;
}

bool read_savings_sheet(struct sheet *out, const struct timeline *l, const struct opt_list *savings, struct arena *a,
			struct err *e)
{
	sheet_init(out, a, "savings", saving_columns, COUNT_OF(saving_columns));
	out->title = "Ceiling of a saving";
	out->note = "Amdahl: 1 / (1 - exposed * shorter + cost) - 1, when nothing else moves; exposed: share of the "
		    "span in which "
		    "only what matches runs";
	out->is_main = true;
	for (size_t i = 0; i < savings->n; i++) {
		struct str text = str_from(savings->items[i]), cost = {0};
		size_t at = text.n;
		double v[2] = {0, 0};
		while (at && text.p[at - 1] != '=')
			at--;
		struct str r = str_sub(text, at, text.n);
		size_t plus = str_find_char(r, '+');
		if (plus != SIZE_MAX) {
			cost = str_sub(r, plus + 1, r.n);
			r = str_sub(r, 0, plus);
		}
		if (at < 2 || !percent(r, &v[0]) || (plus != SIZE_MAX && !percent(cost, &v[1])))
			return err_set(e, ERR_USAGE,
				       "--saving %s: it is PATTERN=PERCENT or PATTERN=PERCENT+PERCENT, each 0 to 100",
				       savings->items[i]);
		const char *pattern = arena_strndup(a, text.p, at - 1);
		double r_and_c[2] = {v[0] / 100, v[1] / 100};
		struct timeline_saving s;
		timeline_saving(&s, l, pattern, sheet_match, r_and_c, a);
		struct sheet_cell *c = sheet_row(out);
		sheet_put_text(&c[0], str_from(pattern));
		sheet_put(&c[1], (double)s.n);
		sheet_put(&c[2], v[0]);
		sheet_put(&c[3], v[1]);
		sheet_put(&c[4], 100 * s.f);
		sheet_put(&c[5], (double)s.alone_ns);
		sheet_put(&c[6], 100 * s.gain);
	}
	return true;
}
