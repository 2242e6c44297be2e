/* Events: walks the keys of one event, takes what is modeled.
 * In: a piece with spans and quotation marks.
 * Out: activities, launches, operators, spans, calls in the store.
 * Never copies an event; stops at the first key that says the event is not wanted. */
#include "read/kineto/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum has {
	HAS_TS = 1,
	HAS_DUR = 2,
	HAS_NAME = 4,
	HAS_PH = 8,
	HAS_CAT = 16,
	HAS_DEVICE = 32,
	HAS_STREAM = 64,
	HAS_BAD = 128
};
struct event {
	unsigned has;
	char ph;
	enum category cat;
	struct str name;
	int64_t pid, tid, ts, dur;
	uint64_t correlation, external;
	int64_t device, stream, context, total_allocated, total_reserved, bytes, device_type;
	struct kineto_config config;
};
struct cursor {
	const char *p; /* of the piece */
	const uint64_t *quotes;
	size_t end; /* of the event */
	struct kineto_store *s;
	struct event *e;
};

static const struct {
	const char *text;
	uint32_t n;
	enum category kind;
} categories[] = {
#define CATEGORY(text, kind) {text, sizeof(text) - 1, CAT_##kind},
#include "read/kineto/category.def"
#undef CATEGORY
};

enum category category_of(struct str t)
{
	for (size_t i = 0; i < COUNT_OF(categories); i++)
		if (categories[i].n == t.n && memcmp(categories[i].text, t.p, t.n) == 0)
			return categories[i].kind;
	return CAT_UNKNOWN;
}

/* The same through a table by length and last letter: categories alternate from event to event. */
static enum category category_cached(struct kineto_store *s, struct str t)
{
	struct category_slot *slot =
		&s->slots[(t.n * 7 + (t.n ? (unsigned char)t.p[t.n - 1] : 0u)) % COUNT_OF(s->slots)];
	if (!slot->n || slot->n != t.n || memcmp(slot->text, t.p, t.n) != 0) {
		if (!t.n || t.n > sizeof slot->text)
			return category_of(t);
		slot->n = (uint32_t)t.n;
		memcpy(slot->text, t.p, t.n);
		slot->kind = category_of(t);
	}
	return slot->kind;
}

/* The next quotation mark at or behind pos; the word of ones behind the piece ends every search. */
static inline size_t next_quote(const struct cursor *c, size_t pos)
{
	size_t w = pos >> 6;
	uint64_t m = c->quotes[w] & ~(uint64_t)0 << (pos & 63);
	while (!m)
		m = c->quotes[++w];
	return (w << 6) + (size_t)__builtin_ctzll(m);
}

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static inline size_t value_at(const struct cursor *c, size_t pos)
{
	while (pos < c->end &&
	       (c->p[pos] == ' ' || c->p[pos] == ':' || c->p[pos] == '\n' || c->p[pos] == '\t' || c->p[pos] == '\r'))
		pos++;
	return pos;
}

/* Behind the array or object that begins at pos. */
static size_t skip_nested(const struct cursor *c, size_t pos)
{
	size_t depth = 0;
	while (pos < c->end) {
		char ch = c->p[pos];
		if (ch == '"') {
			pos = next_quote(c, pos + 1);
		} else if (ch == '{' || ch == '[') {
			depth++;
		} else if ((ch == '}' || ch == ']') && --depth == 0) {
			return pos + 1;
		}
		pos++;
	}
	return c->end;
}

/* digits with an exponent, or more than fit: the slow way */
static bool slow_time(struct kineto_trust *trust, const char *p, const char *end, int64_t *ns)
{
	char text[64], *stop;
	size_t n = (size_t)(end - p) < sizeof text - 1 ? (size_t)(end - p) : sizeof text - 1;
	memcpy(text, p, n);
	text[n] = 0;
	double us = strtod(text, &stop);
	trust->n_precision++;
	if (stop == text || !(us > -9.2e15 && us < 9.2e15)) {
		trust->n_bad_numbers++;
		return false;
	}
	*ns = (int64_t)(us * 1000.0);
	return true;
}

bool kineto_time(struct kineto_trust *trust, const char *p, const char *end, int64_t *ns)
{
	const char *start = p;
	bool negative = false;
	if (p < end && *p == '"') {
		trust->n_string_numbers++;
		start = ++p;
	}
	if (p < end && *p == '-') {
		negative = true;
		p++;
	}
	uint64_t v = 0, scale = 1000;
	const char *digits = p;
	for (; p < end && is_digit(*p) && p - digits < 17; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (p == digits) {
		bool word = p < end && ((*p | 0x20) == 'n' || (*p | 0x20) == 'i'); /* nan, NaN, inf, null */
		trust->n_not_finite += word;
		trust->n_bad_numbers += !word;
		return false;
	}
	v *= 1000;
	if (p < end && *p == '.') {
		for (p++; p < end && is_digit(*p); p++) {
			scale /= 10;
			if (scale)
				v += scale * (uint64_t)(*p - '0');
			else if (*p != '0') {
				trust->n_precision++;
				while (p < end && is_digit(*p))
					p++;
				break;
			}
		}
	}
	if (v > 9200000000000000000u || (p < end && (is_digit(*p) || *p == 'e' || *p == 'E')))
		return slow_time(trust, start, end, ns);
	*ns = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* An integer, also as a string ("7", "0x1f", "stream 7"); a fraction is cut off. */
static bool integer(struct cursor *c, size_t pos, int64_t *out)
{
	const char *p = c->p + pos, *end = c->p + c->end;
	bool negative = false, text = *p == '"', named = false;
	if (text) {
		p++;
		named = end - p > 7 && memcmp(p, "stream ", 7) == 0;
		p += named ? 7 : 0;
	}
	if (p < end && *p == '-') {
		negative = true;
		p++;
	}
	uint64_t v = 0;
	const char *digits = p;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
		for (p += 2; p < end && (is_digit(*p) || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'f')); p++)
			v = v << 4 | (uint64_t)(is_digit(*p) ? *p - '0' : (*p | 0x20) - 'a' + 10);
	} else {
		for (; p < end && is_digit(*p) && p - digits < 19; p++)
			v = v * 10 + (uint64_t)(*p - '0');
	}
	if (p == digits || v > INT64_MAX)
		return false;
	c->s->trace.trust.n_string_numbers += text && !named;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* [x, y, z], also as a string "[x, y, z]" */
static bool triple(const struct cursor *c, size_t pos, uint32_t out[3])
{
	const char *p = c->p + pos, *end = c->p + c->end;
	if (*p == '"')
		p++;
	if (p == end || *p != '[')
		return false;
	p++;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t v = 0;
		while (p < end && (*p == ' ' || *p == ',' || *p == '\n'))
			p++;
		if (p == end || !is_digit(*p))
			return false;
		for (; p < end && is_digit(*p) && v <= UINT32_MAX; p++)
			v = v * 10 + (uint64_t)(*p - '0');
		out[i] = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
	}
	return true;
}

static void positive(struct cursor *c, size_t pos, uint64_t *out)
{
	int64_t v;
	if (*out)
		c->s->trace.trust.n_duplicate_keys++; /* the first one stays */
	else if (integer(c, pos, &v) && v > 0)
		*out = (uint64_t)v;
}

static uint32_t clip32(int64_t v)
{
	return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

#define KEY(literal) (n == sizeof(literal) - 1 && memcmp(key, literal, sizeof(literal) - 1) == 0)

static void argument(struct cursor *c, const char *key, size_t n, size_t value)
{
	struct event *e = c->e;
	int64_t v;
	switch (n) {
	case 4:
		if (KEY("grid") && triple(c, value, e->config.grid))
			e->config.has |= 1;
		break;
	case 5:
		if (KEY("block"))
			(void)triple(c, value, e->config.block);
		else if ((KEY("bytes") || KEY("Bytes")) && integer(c, value, &v))
			e->bytes = v;
		break;
	case 6:
		if (KEY("stream") && integer(c, value, &e->stream))
			e->has |= HAS_STREAM;
		else if (KEY("device") && integer(c, value, &e->device))
			e->has |= HAS_DEVICE;
		break;
	case 7:
		if (KEY("context"))
			(void)integer(c, value, &e->context);
		break;
	case 11:
		if (KEY("External id") || KEY("external id"))
			positive(c, value, &e->external);
		else if (KEY("correlation"))
			positive(c, value, &e->correlation);
		else if (KEY("Device Type"))
			(void)integer(c, value, &e->device_type);
		break;
	case 13:
		if (KEY("shared memory") && integer(c, value, &v)) {
			e->config.shared_bytes = clip32(v);
			e->config.has |= 4;
		}
		break;
	case 14:
		if (KEY("Total Reserved"))
			(void)integer(c, value, &e->total_reserved);
		break;
	case 15:
		if (KEY("Total Allocated"))
			(void)integer(c, value, &e->total_allocated);
		break;
	case 20:
		if (KEY("registers per thread") && integer(c, value, &v)) {
			e->config.registers = clip32(v);
			e->config.has |= 2;
		}
		break;
	default:
		break;
	}
}

/* pos: the brace of "args". Returns the position behind it. */
static size_t arguments(struct cursor *c, size_t pos)
{
	if (c->p[pos] != '{')
		return skip_nested(c, pos);
	for (pos++;;) {
		while (pos < c->end && c->p[pos] != '"' && c->p[pos] != '}')
			pos++;
		if (pos >= c->end || c->p[pos] == '}')
			return pos + 1;
		size_t close = next_quote(c, pos + 1);
		if (close >= c->end)
			return c->end;
		size_t value = value_at(c, close + 1);
		if (value >= c->end)
			return c->end;
		argument(c, c->p + pos + 1, close - pos - 1, value);
		char first = c->p[value];
		pos = first == '"'                   ? next_quote(c, value + 1) + 1
		      : first == '{' || first == '[' ? skip_nested(c, value)
						     : value;
		/* an operator's id is all that its arguments are read for */
		if (c->e->cat == CAT_OPERATOR && c->e->external && (c->e->has & HAS_DUR))
			return c->end;
	}
}

static uint32_t id32(struct kineto_store *s, uint64_t v)
{
	s->trace.trust.n_wide_ids += v > UINT32_MAX;
	return (uint32_t)v;
}

static void *added(struct kineto_store *s, struct column *c)
{
	void *p = column_add(c, &s->budget);
	if (!p && !s->failed) {
		s->failed = true;
		s->error = errno;
	}
	return p;
}

static void take_activity(struct kineto_store *s, struct event *e)
{
	struct kineto_trust *trust = &s->trace.trust;
	struct kineto_activity *a = added(s, &s->activities);
	if (!a)
		return;
	if (e->bytes > 0) {
		e->config.bytes = (uint64_t)e->bytes;
		e->config.has |= 8;
	}
	int64_t end;
	trust->n_negative += e->dur < 0;
	if (__builtin_add_overflow(e->ts, e->dur, &end) || end < 0 - INT64_MAX / 2 || end > INT64_MAX / 2) {
		trust->n_bad_numbers++;
		e->dur = 0;
		e->ts = 0;
	}
	*a = (struct kineto_activity){
		.start_ns = e->ts,
		.dur_ns = e->dur < 0 ? 0 : e->dur,
		.name = gather_name(s, e->name),
		.config = gather_config(s, &e->config),
		.correlation = id32(s, e->correlation),
		.external = id32(s, e->external),
		.lane = gather_lane(s, e->has & HAS_DEVICE ? e->device : e->pid,
				    e->has & HAS_STREAM ? e->stream : e->tid, e->context),
		.kind = e->cat == CAT_KERNEL   ? KINETO_KERNEL
			: e->cat == CAT_MEMCPY ? KINETO_MEMCPY
					       : KINETO_MEMSET,
	};
	if (e->dur <= 0 || e->ts == 0) {
		a->flags |= KINETO_ZERO;
		trust->n_zero += e->dur == 0 || e->ts == 0;
	}
	if (a->kind == KINETO_KERNEL && (s->names[a->name].flags & NAME_COLLECTIVE))
		a->flags |= KINETO_COLLECTIVE;
}

static void take_runtime(struct kineto_store *s, const struct event *e)
{
	uint32_t name = gather_name(s, e->name);
	gather_call(s, name, CALLS_RUNTIME, e->dur);
	if (!(s->names[name].flags & NAME_LAUNCH) || !e->correlation)
		return;
	struct kineto_launch *l = added(s, &s->launches);
	if (l)
		*l = (struct kineto_launch){.start_ns = e->ts,
					    .dur_ns = clip32(e->dur),
					    .name = name,
					    .correlation = id32(s, e->correlation),
					    .external = id32(s, e->external),
					    .thread = gather_thread(s, e->pid, e->tid)};
}

static void take_operator(struct kineto_store *s, const struct event *e)
{
	uint32_t name = gather_name(s, e->name);
	gather_call(s, name, CALLS_OPERATOR, e->dur);
	if (!e->external)
		return;
	struct operator_id *o = added(s, &s->operators);
	if (o)
		*o = (struct operator_id){id32(s, e->external), name};
}

static void take_span(struct kineto_store *s, const struct event *e)
{
	struct kineto_span *span = added(s, &s->spans);
	if (!span)
		return;
	bool device = e->cat == CAT_DEVICE_ANNOTATION;
	uint32_t name = gather_name(s, e->name);
	*span = (struct kineto_span){.start_ns = e->ts,
				     .dur_ns = e->dur,
				     .name = name,
				     .place = device ? gather_lane(s, e->pid, e->tid, e->context)
						     : gather_thread(s, e->pid, e->tid),
				     .on_device = device,
				     .is_step = (s->names[name].flags & NAME_STEP) != 0,
				     .is_window = e->cat == CAT_WINDOW};
	if (e->cat == CAT_ANNOTATION && e->external) { /* kernels outside operators name the annotation */
		struct operator_id *o = added(s, &s->operators);
		if (o)
			*o = (struct operator_id){id32(s, e->external), name};
	}
}

static void take_memory(struct kineto_store *s, const struct event *e)
{
	struct memory_sum *m = &s->memory[e->device_type == 1];
	if (!str_is(e->name, "[memory]"))
		return;
	m->n++;
	m->n_alloc += e->bytes > 0;
	m->n_free += e->bytes < 0;
	if (e->total_allocated > m->peak_allocated) {
		m->peak_allocated = e->total_allocated;
		m->peak_ns = e->ts;
	}
	m->peak_reserved = e->total_reserved > m->peak_reserved ? e->total_reserved : m->peak_reserved;
}

static void take(struct kineto_store *s, struct event *e)
{
	switch (e->cat) {
	case CAT_KERNEL:
	case CAT_MEMCPY:
	case CAT_MEMSET:
		s->n_device++;
		s->n_without_ts += !(e->has & (HAS_TS | HAS_BAD));
		s->n_without_dur += !(e->has & (HAS_DUR | HAS_BAD));
		if (e->has & HAS_TS)
			take_activity(s, e);
		else
			s->trace.trust.n_bad_numbers += !(e->has & HAS_BAD);
		break;
	case CAT_RUNTIME:
		take_runtime(s, e);
		break;
	case CAT_OPERATOR:
		take_operator(s, e);
		break;
	case CAT_ANNOTATION:
	case CAT_DEVICE_ANNOTATION:
	case CAT_WINDOW:
		if (e->has & HAS_TS)
			take_span(s, e);
		break;
	case CAT_SYNC:
		gather_call(s, gather_name(s, e->name), CALLS_SYNC, e->dur);
		break;
	case CAT_OVERHEAD:
		s->trace.trust.n_overhead++;
		s->trace.trust.overhead_ns += e->dur > 0 ? e->dur : 0;
		break;
	case CAT_INSTANT:
		take_memory(s, e);
		break;
	case CAT_UNKNOWN:
	case CAT_PYTHON:
	case CAT_FLOW:
	case CAT_OTHER:
	case CATEGORIES:
		break;
	}
}

/* "ph": false when the event is done with. */
static bool phase(struct cursor *c, char ph)
{
	struct kineto_trust *t = &c->s->trace.trust;
	c->e->ph = ph;
	c->e->has |= HAS_PH;
	if (ph == 'X')
		return true;
	if (ph == 'i' || ph == 'I') {
		c->e->cat = CAT_INSTANT;
		return (c->s->wanted >> CAT_INSTANT) & 1;
	}
	if (ph == 'M')
		t->n_metadata++;
	else if (ph == 's' || ph == 'f' || ph == 't')
		t->n_flows++;
	else
		t->n_other++;
	return false;
}

/* "cat": false when the event is done with. */
static bool category(struct cursor *c, struct str text)
{
	struct kineto_store *s = c->s;
	if (c->e->cat == CAT_INSTANT)
		return true;
	c->e->cat = category_cached(s, text);
	c->e->has |= HAS_CAT;
	s->n_category[c->e->cat]++;
	if ((s->wanted >> c->e->cat) & 1)
		return true;
	if (c->e->cat == CAT_UNKNOWN || c->e->cat == CAT_OTHER) {
		s->trace.trust.n_other++;
		gather_unmodeled(s, text);
	}
	return false;
}

/* One key of an event. False: the event is done with. *pos moves behind the value. */
static bool member(struct cursor *c, const char *key, size_t n, size_t *pos)
{
	struct event *e = c->e;
	size_t value = *pos;
	char first = c->p[value];
	struct str text = {c->p + value + 1, 0};
	if (first == '"') {
		size_t close = next_quote(c, value + 1);
		text.n = (close < c->end ? close : c->end) - value - 1;
		*pos = close + 1;
	}
	bool nested = first == '{' || first == '[';
	if (n == 2 && KEY("ph"))
		return phase(c, text.n ? text.p[0] : '?');
	if (n == 3 && KEY("cat"))
		return category(c, text);
	if (n == 4 && KEY("args") && nested) {
		*pos = arguments(c, value);
		return true;
	}
	if (nested)
		*pos = skip_nested(c, value);
	else if (n == 4 && KEY("name")) {
		e->name = text;
		e->has |= HAS_NAME;
	} else if (n == 2 && KEY("ts"))
		e->has |= kineto_time(&c->s->trace.trust, c->p + value, c->p + c->end, &e->ts) ? HAS_TS : HAS_BAD;
	else if (n == 3 && KEY("dur"))
		e->has |= kineto_time(&c->s->trace.trust, c->p + value, c->p + c->end, &e->dur) ? HAS_DUR : HAS_BAD;
	else if (n == 3 && KEY("pid"))
		(void)integer(c, value, &e->pid);
	else if (n == 3 && KEY("tid"))
		(void)integer(c, value, &e->tid);
	return true;
}

static void event_read(struct kineto_store *s, const struct piece *p, struct event_span span)
{
	struct event e = {.name = {"", 0}, .pid = -1, .tid = -1, .total_allocated = -1, .total_reserved = -1};
	struct cursor c = {.p = p->p, .quotes = p->quotes, .end = span.end, .s = s, .e = &e};
	for (size_t pos = span.begin + 1;;) {
		size_t open = next_quote(&c, pos);
		if (open >= c.end)
			break;
		size_t close = next_quote(&c, open + 1);
		if (close >= c.end)
			break;
		pos = value_at(&c, close + 1);
		if (pos >= c.end || !member(&c, c.p + open + 1, close - open - 1, &pos))
			return;
	}
	if (e.ph == 'X' || e.cat == CAT_INSTANT)
		take(s, &e);
	else
		s->trace.trust.n_other++;
}

void kineto_events(struct kineto_store *s, const struct piece *p)
{
	s->trace.trust.n_events += p->n_events;
	for (size_t i = 0; i < p->n_events && !s->failed; i++) {
		if (p->p[p->events[i].begin] == '{')
			event_read(s, p, p->events[i]);
		else
			s->trace.trust.n_other++;
	}
}
