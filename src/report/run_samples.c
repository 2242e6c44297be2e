/* The run page's samples: as distributions and in order of time.
 * In: the records of a run, its trials and telemetry in the store. Out: a section.
 * When a sample was taken comes from the trial, what was seen meanwhile from the telemetry.
 * Never: places a sample in time when the trial's rows are not these samples. */
#include <math.h>

#include "report/chart.h"
#include "report/run_inside.h"

static bool sample_of(const struct page *p, size_t i, struct chart_sample *out)
{
	const struct json *x = json_get(page_primary(p->bench[i]), "samples_ns");
	if (!x || x->type != JSON_ARRAY || x->n < 4)
		return false;
	double *v = ARENA_ARRAY(p->arena, x->n, double);
	for (size_t k = 0; k < x->n; k++)
		v[k] = x->items[k]->real;
	*out = (struct chart_sample){page_label(p, i), v, x->n, (int64_t)i == p->best && i > 0};
	return true;
}

void page_columns_open(const struct page *p, const char *digest, struct page_columns *out)
{
	struct err absent;
	out->is_open = p->store && digest && store_has(p->store, digest) &&
		       column_open(p->store, p->arena, digest, &out->map, &out->f, &absent);
}

void page_columns_shut(struct page_columns *c)
{
	if (c->is_open)
		file_unmap(&c->map);
}

/* Calls of a batch share its begin and end; they are placed evenly between. */
void page_place_batch(struct page_view *v, size_t from, double begin, double end)
{
	for (size_t i = from; i < v->n; i++)
		v->t_ns[i] = begin + (end - begin) * ((double)(i - from) + 0.5) / (double)(v->n - from);
}

/* Rows are these samples only when there are as many and, where the source is the span, all are equal. */
static bool view_of(const struct page *p, const struct column_file *f, const struct chart_sample *s,
		    struct page_view *v)
{
	const uint8_t *flags = column_u8(f, "flags"), *mode = column_u8(f, "mode");
	const int64_t *begin = column_i64(f, "begin_ns"), *end = column_i64(f, "end_ns");
	const double *span = column_f64(f, "span_ns"), *clock = column_f64(f, "clock_mhz");
	if (!flags || !mode || !begin || !end || !span || !clock)
		return false;
	size_t from = 0;
	int64_t at = 0, until = 0;
	*v = (struct page_view){ARENA_ARRAY(p->arena, s->n + 1, double), ARENA_ARRAY(p->arena, s->n + 1, double), 0};
	for (uint64_t i = 0; i < f->n_rows && v->n < s->n; i++) {
		if (mode[i] != PAGE_ROW_TIME || (flags[i] & (PAGE_ROW_COLD | PAGE_ROW_WARMUP)) != PAGE_ROW_COLD ||
		    span[i] != s->x[v->n])
			continue;
		if (v->n && begin[i] != at) {
			page_place_batch(v, from, (double)at, (double)until);
			from = v->n;
		}
		at = begin[i], until = end[i];
		v->clock[v->n++] = clock[i];
	}
	page_place_batch(v, from, (double)at, (double)until);
	return v->n == s->n;
}

/* Lanes of the telemetry that have two readings while the samples were taken. */
static size_t lanes_of(const struct page *p, const struct column_file *f, double zero_ns, double last_s,
		       struct chart_lane *out)
{
	static const struct {
		const char *column, *name, *unit;
	} kinds[] = {{"temperature_c", "temperature",
		      "\xc2\xb0"
		      "C"},
		     {"power_w", "power", "W"},
		     {"load1", "load", ""}};
	const int64_t *t = column_i64(f, "t_ns");
	size_t n = 0;
	for (size_t k = 0; t && k < COUNT_OF(kinds); k++) {
		const double *v = column_f64(f, kinds[k].column);
		size_t n_seen = 0;
		double *t_s = ARENA_ARRAY(p->arena, f->n_rows + 1, double);
		for (uint64_t i = 0; v && i < f->n_rows; i++) {
			t_s[i] = ((double)t[i] - zero_ns) / 1e9;
			n_seen += isfinite(v[i]) && t_s[i] >= 0 && t_s[i] <= last_s ? 1 : 0;
		}
		if (n_seen >= 2)
			out[n++] = (struct chart_lane){kinds[k].name, kinds[k].unit, t_s, v, f->n_rows};
	}
	return n;
}

void page_series(const struct page *p, const struct json *record, const struct chart_sample *s,
		 const struct page_view *v)
{
	struct page_columns seen;
	struct chart_lane lanes[4];
	struct chart_series c = {.sample = *s, .lanes = lanes};
	page_columns_open(p, page_text(p, json_get(record, "telemetry"), "samples", NULL), &seen);
	if (v) {
		double zero = v->t_ns[0], last = (v->t_ns[v->n - 1] - zero) / 1e9;
		double *t_s = ARENA_ARRAY(p->arena, v->n, double);
		bool has_clock = false;
		for (size_t k = 0; k < v->n; k++) {
			t_s[k] = (v->t_ns[k] - zero) / 1e9;
			has_clock = has_clock || isfinite(v->clock[k]);
		}
		c.t_s = t_s;
		if (has_clock)
			lanes[c.n_lanes++] = (struct chart_lane){"SM clock", "MHz", t_s, v->clock, v->n};
		if (seen.is_open)
			c.n_lanes += lanes_of(p, &seen.f, zero, last, &lanes[c.n_lanes]);
	}
	chart_series(p->out, p->arena, &c);
	page_columns_shut(&seen);
}

/* With their times when the trial's rows are these samples. */
static void put_series(const struct page *p, size_t i, const struct chart_sample *s)
{
	struct page_columns trial;
	struct page_view v;
	page_columns_open(p, page_text(p, p->bench[i], "trial", NULL), &trial);
	bool has_times = trial.is_open && view_of(p, &trial.f, s, &v);
	page_series(p, p->bench[i], s, has_times ? &v : NULL);
	page_columns_shut(&trial);
}

void page_samples(const struct page *p)
{
	struct chart_sample s[2];
	size_t which[2], n = 0, best = p->best > 0 ? (size_t)p->best : 0;
	if (p->n && sample_of(p, 0, &s[n]))
		which[n++] = 0;
	if (best > 0 && sample_of(p, best, &s[n]))
		which[n++] = best;
	if (n)
		chart_strips(p->out, p->arena, s, n);
	for (size_t i = 0; i < n; i++)
		put_series(p, which[i], &s[i]);
	if (!n)
		page_note(p, "No samples are recorded.");
}
