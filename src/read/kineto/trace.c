/* The door of the trace reader: opens, scans, sorts, links launches with what they started, counts doubts.
 * In: a path.
 * Out: struct kineto_trace.
 * Never repairs a number silently: every doubt is a count in trust. */
#include "read/kineto/kineto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "facts/tool.h"
#include "read/kineto/internal.h"

#define SUSPECT_FACTOR 100
#define SUSPECT_NS 1000000 /* shorter overlaps are never suspect */

static int by_start(const void *x, const void *y)
{
	const struct kineto_activity *a = x, *b = y;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->dur_ns < b->dur_ns ? -1 : a->dur_ns > b->dur_ns;
}

static int by_correlation(const void *x, const void *y)
{
	const struct kineto_launch *a = x, *b = y;
	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static int by_external(const void *x, const void *y)
{
	const struct operator_id *a = x, *b = y;
	return a->external < b->external ? -1 : a->external > b->external;
}

static int by_span_start(const void *x, const void *y)
{
	const struct kineto_span *a = x, *b = y;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->dur_ns > b->dur_ns ? -1 : a->dur_ns < b->dur_ns; /* the enclosing one first */
}

/* Most columns come in order; sorting what is sorted costs one pass. */
static void sort_column(struct column *c, int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < c->n; i++) {
		if (compare(c->p + (i - 1) * c->size, c->p + i * c->size) > 0) {
			qsort(c->p, c->n, c->size, compare);
			return;
		}
	}
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

static void put_utf8(struct buf *b, uint32_t v)
{
	if (v < 0x80) {
		buf_char(b, (char)v);
		return;
	}
	if (v < 0x800) {
		buf_char(b, (char)(0xc0 | v >> 6));
	} else if (v < 0x10000) {
		buf_char(b, (char)(0xe0 | v >> 12));
		buf_char(b, (char)(0x80 | (v >> 6 & 63)));
	} else {
		buf_char(b, (char)(0xf0 | v >> 18));
		buf_char(b, (char)(0x80 | (v >> 12 & 63)));
		buf_char(b, (char)(0x80 | (v >> 6 & 63)));
	}
	buf_char(b, (char)(0x80 | (v & 63)));
}

/* The number of an escape \uXXXX at i. */
static bool four_digits(struct str s, size_t i, uint32_t *v)
{
	*v = 0;
	if (i + 5 >= s.n || s.p[i] != '\\' || s.p[i + 1] != 'u')
		return false;
	for (size_t k = 2; k < 6; k++) {
		int digit = hex_digit(s.p[i + k]);
		if (digit < 0)
			return false;
		*v = *v << 4 | (uint32_t)digit;
	}
	return true;
}

/* The escape \uXXXX at i, two of them for a character beyond 16 bits; half of such a pair becomes U+FFFD. Returns its bytes. */
static size_t put_escaped(struct kineto_store *s, struct buf *b, struct str raw, size_t i)
{
	uint32_t v, low;
	if (!four_digits(raw, i, &v))
		return 0;
	bool is_high = v >= 0xd800 && v < 0xdc00,
	     is_pair = is_high && four_digits(raw, i + 6, &low) && low >> 10 == 0x37;
	if (is_pair)
		v = 0x10000 + ((v & 0x3ff) << 10 | (low & 0x3ff));
	s->trace.trust.n_bad_escapes += v >> 11 == 0x1b;
	put_utf8(b, v >> 11 == 0x1b ? 0xfffd : v);
	return is_pair ? 12 : 6;
}

/* Escapes of JSON; a backslash that begins none of them stays as it is and is counted. */
static struct str decoded(struct kineto_store *s, struct str raw)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	struct buf b;
	if (str_find_char(raw, '\\') == SIZE_MAX)
		return raw;
	buf_init(&b);
	for (size_t i = 0, n; i < raw.n; i += n) {
		const char *e = raw.p[i] == '\\' && i + 1 < raw.n ? memchr(from, raw.p[i + 1], sizeof from - 1) : NULL;
		n = e ? 2 : put_escaped(s, &b, raw, i);
		if (n == 0) {
			s->trace.trust.n_bad_escapes += raw.p[i] == '\\';
			buf_char(&b, raw.p[i]);
			n = 1;
		} else if (e) {
			buf_char(&b, to[e - from]);
		}
	}
	struct str out = arena_str(&s->arena, buf_view(&b));
	buf_release(&b);
	return out;
}

static void finish_names(struct kineto_store *s)
{
	struct kineto_trace *t = &s->trace;
	t->n_names = s->n_names;
	t->names = ARENA_ARRAY(&s->arena, s->n_names ? s->n_names : 1, struct str);
	for (size_t i = 0; i < s->n_names; i++)
		t->names[i] = decoded(s, s->names[i].raw);
	t->n_unmodeled = s->unmodeled.n + s->meta.unmodeled.n;
	t->unmodeled = ARENA_ARRAY(&s->arena, t->n_unmodeled ? t->n_unmodeled : 1, struct str);
	for (size_t i = 0; i < s->unmodeled.n; i++)
		t->unmodeled[i] = s->unmodeled.entries[i].key;
	for (size_t i = 0; i < s->meta.unmodeled.n; i++)
		t->unmodeled[s->unmodeled.n + i] = s->meta.unmodeled.entries[i].key;
}

static size_t first_launch(const struct kineto_trace *t, uint32_t correlation)
{
	size_t low = 0, high = t->n_launches;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->launches[middle].correlation < correlation)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct kineto_launch *kineto_launch_of(const struct kineto_trace *t, uint32_t correlation)
{
	size_t i = first_launch(t, correlation);
	return correlation && i < t->n_launches && t->launches[i].correlation == correlation ? &t->launches[i] : NULL;
}

/* ROCm: grid, block and shared memory stand at the launch call. */
static void take_shape(struct kineto_store *s, struct kineto_activity *a, const struct kineto_launch *l)
{
	struct kineto_config own = s->trace.configs[a->config];
	const struct kineto_config *from = &s->trace.configs[l->config];
	if (a->kind != KINETO_KERNEL || (own.has & 5) == 5 || !(from->has & 5) || (a->flags & KINETO_GRAPH))
		return;
	if (!(own.has & 1)) {
		memcpy(own.grid, from->grid, sizeof own.grid);
		memcpy(own.block, from->block, sizeof own.block);
	}
	if (!(own.has & 4))
		own.shared_bytes = from->shared_bytes;
	own.has |= from->has & 5;
	a->config = gather_config(s, &own);
}

static void link_launches(struct kineto_store *s)
{
	struct kineto_trace *t = &s->trace;
	size_t hint = 0;
	for (size_t i = 0; i < t->n_activities; i++) {
		struct kineto_activity *a = &t->activities[i];
		uint32_t wanted = a->correlation;
		/* launches and activities go in step most of the time */
		if (hint + 1 < t->n_launches && t->launches[hint + 1].correlation == wanted &&
		    t->launches[hint].correlation != wanted)
			hint++;
		else if (hint >= t->n_launches || t->launches[hint].correlation != wanted)
			hint = first_launch(t, wanted);
		if (!wanted || hint >= t->n_launches || t->launches[hint].correlation != wanted) {
			t->trust.n_unlinked++;
			continue;
		}
		a->flags |= KINETO_LINKED;
		t->launches[hint].n_activities++;
		if (s->names[t->launches[hint].name].flags & NAME_GRAPH) {
			a->flags |= KINETO_GRAPH;
			t->trust.n_graph_kernels++;
		}
		take_shape(s, a, &t->launches[hint]);
	}
	for (size_t i = 0; i < t->n_launches; i++) {
		bool graph = s->names[t->launches[i].name].flags & NAME_GRAPH, none = t->launches[i].n_activities == 0;
		bool kernel = str_find(t->names[t->launches[i].name], STR("Launch")) != SIZE_MAX;
		t->trust.n_graph_launches += graph;
		t->trust.n_graph_empty += graph && none;
		t->trust.n_empty_launches += kernel && none;
	}
}

static int by_value(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

static int64_t median_of_name(const struct kineto_trace *t, uint32_t name)
{
	size_t n = 0, k = 0;
	for (size_t i = 0; i < t->n_activities; i++)
		n += t->activities[i].name == name;
	int64_t *v = malloc((n + 1) * sizeof *v), median;
	if (!v)
		BUG("out of memory");
	for (size_t i = 0; i < t->n_activities; i++)
		if (t->activities[i].name == name)
			v[k++] = t->activities[i].dur_ns;
	qsort(v, n, sizeof *v, by_value);
	median = v[n / 2];
	free(v);
	return median;
}

/* The end of a runs past the start of b, the next one on its stream: real, or an end that was never recorded? */
static void check_overlap(struct kineto_store *s, struct kineto_activity *a, const struct kineto_activity *b,
			  int64_t *medians)
{
	int64_t excess = a->start_ns + a->dur_ns - b->start_ns;
	s->trace.trust.n_overlapping++;
	if (excess < SUSPECT_NS || excess / 10 < b->start_ns - a->start_ns)
		return;
	if (medians[a->name] < 0)
		medians[a->name] = median_of_name(&s->trace, a->name);
	if (a->dur_ns / SUSPECT_FACTOR <= medians[a->name])
		return;
	a->flags |= KINETO_SUSPECT;
	s->trace.trust.n_suspect++;
	sum_add(&s->trace.trust.suspect_ns, excess);
}

static void check_streams(struct kineto_store *s)
{
	struct kineto_trace *t = &s->trace;
	struct arena scratch;
	arena_init(&scratch);
	size_t *last = ARENA_ARRAY(&scratch, t->n_lanes + 1, size_t); /* index + 1 */
	int64_t *medians = ARENA_ARRAY(&scratch, t->n_names + 1, int64_t);
	memset(medians, 0xff, (t->n_names + 1) * sizeof *medians);
	bool any = false;
	for (size_t i = 0; i < t->n_activities; i++) {
		struct kineto_activity *a = &t->activities[i];
		size_t *before = &last[a->lane];
		if (a->start_ns == 0)
			continue;
		if (*before && t->activities[*before - 1].start_ns + t->activities[*before - 1].dur_ns > a->start_ns)
			check_overlap(s, &t->activities[*before - 1], a, medians);
		*before = i + 1;
		int64_t end = a->start_ns + a->dur_ns;
		t->first_ns = any ? t->first_ns : a->start_ns;
		t->last_ns = any && t->last_ns > end ? t->last_ns : end;
		any = true;
	}
	arena_release(&scratch);
}

uint32_t kineto_operator(const struct kineto_trace *t, const struct kineto_activity *v)
{
	const struct operator_id *o = (const struct operator_id *)(const void *)t->store->operators.p;
	size_t low = 0, n = t->store->operators.n, high = n;
	uint32_t external = v->external;
	if (!external) {
		const struct kineto_launch *l = kineto_launch_of(t, v->correlation);
		external = l ? l->external : 0;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (o[middle].external < external)
			low = middle + 1;
		else
			high = middle;
	}
	return external && low < n && o[low].external == external ? o[low].name : UINT32_MAX;
}

bool kineto_finish(struct kineto_store *s, struct err *e)
{
	struct kineto_trace *t = &s->trace;
	if (s->failed)
		return err_errno(e, ERR_SYSTEM, s->error,
				 "no room for %zu GPU activities in memory or in the temporary folder",
				 s->activities.n);
	finish_names(s);
	sort_column(&s->activities, by_start);
	sort_column(&s->launches, by_correlation);
	sort_column(&s->operators, by_external);
	sort_column(&s->spans, by_span_start);
	t->activities = (void *)s->activities.p;
	t->n_activities = s->activities.n;
	t->launches = (void *)s->launches.p;
	t->n_launches = s->launches.n;
	t->spans = (void *)s->spans.p;
	t->n_spans = s->spans.n;
	if (!(s->flags & KINETO_KERNELS_ONLY))
		link_launches(s);
	check_streams(s);
	const struct memory_sum *m = &s->memory[s->memory[1].n > 0];
	t->memory = (struct kineto_memory){.n = m->n,
					   .peak_allocated = m->peak_allocated,
					   .peak_reserved = m->peak_reserved,
					   .peak_ns = m->peak_ns,
					   .n_alloc = (int64_t)m->n_alloc,
					   .n_free = (int64_t)m->n_free};
	t->has_base = s->meta.has_base;
	t->base_ns = s->meta.base_ns;
	return true;
}

/* RULES R2.3: a renamed key or an unknown unit is refused in every version, another schema is marked. */
static bool check_schema(struct kineto_store *s, const char *path, struct err *e)
{
	struct kineto_trace *t = &s->trace;
	const struct json *version = json_get(t->meta, "schemaVersion");
	struct str unit = json_str(t->meta, "displayTimeUnit", (struct str){0});
	t->schema = version ? version->text : (struct str){0};
	t->is_verified = !t->schema.n || tool_is_tested("kineto-schema", t->schema);
	if (unit.n && !str_is(unit, "ms") && !str_is(unit, "ns"))
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: displayTimeUnit \"%.*s\" is not known; times are read as microseconds only", path,
			       STR_ARG(unit));
	const char *missing = s->n_without_ts == s->n_device ? "ts" : s->n_without_dur == s->n_device ? "dur" : NULL;
	if (s->n_device && missing)
		return err_set(e, ERR_UNSUPPORTED, "%s: none of the %llu GPU events has the key \"%s\"", path,
			       (unsigned long long)s->n_device, missing);
	return true;
}

bool kineto_is_trace(struct str head)
{
	static const char *const keys[] = {"\"traceEvents\"", "\"schemaVersion\"", "\"deviceProperties\"", "\"ph\""};
	head = str_trim(str_sub(head, 0, 65536));
	if (str_starts(head, "\xef\xbb\xbf"))
		head = str_trim(str_sub(head, 3, head.n));
	if (!head.n || (head.p[0] != '{' && head.p[0] != '['))
		return false;
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (str_find(head, str_from(keys[i])) != SIZE_MAX)
			return true;
	return false;
}

struct kineto_trace *kineto_read(const char *path, const struct kineto_options *o, struct err *e)
{
	struct input *source = input_open(path, e);
	if (!source)
		return NULL;
	struct kineto_store *s = malloc(sizeof *s);
	if (!s)
		BUG("out of memory");
	gather_init(s, o);
	bool ok = scan_trace(s, source, path, e);
	s->trace.compression = input_compression(source);
	s->trace.trust.source_problem = arena_str(&s->arena, input_problem(source));
	input_close(source);
	ok = ok && check_schema(s, path, e) && (kineto_finish(s, e) || err_prefix(e, "%s", path));
	if (ok && !s->trace.trust.n_events && (s->trace.trust.is_torn || s->trace.trust.source_problem.n))
		ok = err_set(e, ERR_CORRUPT, "%s: cut before the first whole event (offset %llu)", path,
			     (unsigned long long)s->trace.trust.torn_offset);
	if (ok)
		return &s->trace;
	gather_release(s);
	free(s);
	return NULL;
}

void kineto_free(struct kineto_trace *t)
{
	if (!t)
		return;
	struct kineto_store *s = t->store;
	gather_release(s);
	free(s);
}
