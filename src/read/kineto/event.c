/* Events: walks the keys of one event, notes what is modeled.
 * In: a piece with spans and quotation marks.
 * Out: events for take.c.
 * Never copies an event; stops at the first key that says the event is not wanted. */
#include "read/kineto/event.h"

#include <string.h>

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

/* Behind the colon. */
static inline size_t value_at(const struct cursor *c, size_t pos)
{
	if (c->p[pos] == ':' && c->p[pos + 1] == ' ' && (unsigned char)c->p[pos + 2] > ' ')
		return pos + 2; /* the pad makes these readable */
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

static inline bool integer(struct cursor *c, size_t pos, int64_t *out)
{
	return kineto_integer(&c->s->trace.trust, c->p + pos, c->p + c->end, out);
}

static void positive(struct cursor *c, size_t pos, uint64_t *out)
{
	int64_t v;
	if (*out)
		c->s->trace.trust.n_duplicate_keys++; /* the first one stays */
	else if (integer(c, pos, &v) && v > 0)
		*out = (uint64_t)v;
}

/* has: the bit of kineto_config.has */
static void resource(struct cursor *c, size_t pos, uint32_t *out, uint8_t has)
{
	int64_t v;
	if (!integer(c, pos, &v))
		return;
	*out = clip32(v);
	c->e->config.has |= has;
}

#define KEY(literal) (n == sizeof(literal) - 1 && memcmp(key, literal, sizeof(literal) - 1) == 0)

static void argument(struct cursor *c, const char *key, size_t n, size_t value)
{
	struct event *e = c->e;
	switch (n) {
	case 4:
		if (KEY("grid") && kineto_triple(c->p + value, c->p + c->end, e->config.grid))
			e->config.has |= 1;
		break;
	case 5:
		if (KEY("block"))
			(void)kineto_triple(c->p + value, c->p + c->end, e->config.block);
		else if (KEY("bytes") || KEY("Bytes"))
			(void)integer(c, value, &e->bytes);
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
	case 9:
		if (KEY("Device Id"))
			(void)integer(c, value, &e->device_id);
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
		if (KEY("shared memory"))
			resource(c, value, &e->config.shared_bytes, 4);
		else if (KEY("Fwd thread id"))
			(void)integer(c, value, &e->forward_thread);
		break;
	case 14:
		if (KEY("Total Reserved"))
			(void)integer(c, value, &e->total_reserved);
		break;
	case 15:
		if (KEY("Total Allocated"))
			(void)integer(c, value, &e->total_allocated);
		else if (KEY("Sequence number"))
			(void)integer(c, value, &e->sequence);
		break;
	case 20:
		if (KEY("registers per thread"))
			resource(c, value, &e->config.registers, 2);
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
		size_t open = next_quote(c, pos);
		open = open < c->end ? open : c->end;
		const char *brace = memchr(c->p + pos, '}', open - pos);
		if (brace || open == c->end)
			return brace ? (size_t)(brace - c->p) + 1 : c->end;
		size_t close = next_quote(c, open + 1);
		if (close >= c->end)
			return c->end;
		size_t value = value_at(c, close + 1);
		if (value >= c->end)
			return c->end;
		argument(c, c->p + open + 1, close - open - 1, value);
		char first = c->p[value];
		pos = first == '"'                   ? next_quote(c, value + 1) + 1
		      : first == '{' || first == '[' ? skip_nested(c, value)
						     : value;
		/* an operator's id is all that its arguments are read for */
		if (c->e->cat == CAT_OPERATOR && c->e->external && c->e->dur && !(c->s->flags & KINETO_SCOPES))
			return c->end;
	}
}

/* "ph": false when the event is done with. */
static bool phase(struct cursor *c, char ph)
{
	struct kineto_trust *t = &c->s->trace.trust;
	c->e->ph = ph;
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
static inline bool member(struct cursor *c, const char *key, size_t n, size_t *pos)
{
	struct event *e = c->e;
	size_t value = *pos;
	char first = c->p[value];
	struct str text = {c->p + value + 1, 0};
	if (first == '"') {
		size_t close = next_quote(c, value + 1);
		text.n = (close < c->end ? close : c->end) - value - 1;
		*pos = close + 1;
	} else if (first == '{' || first == '[') {
		*pos = n == 4 && KEY("args") ? arguments(c, value) : skip_nested(c, value);
		return true;
	}
	if (n == 2) {
		if (KEY("ph"))
			return phase(c, text.n ? text.p[0] : '?');
		if (KEY("ts"))
			e->ts = (uint32_t)value;
	} else if (n == 3) {
		if (KEY("cat"))
			return category(c, text);
		if (KEY("dur"))
			e->dur = (uint32_t)value;
		else if (KEY("pid"))
			e->pid = (uint32_t)value;
		else if (KEY("tid"))
			e->tid = (uint32_t)value;
	} else if (n == 4 && KEY("name")) {
		e->name = text;
	}
	return true;
}

static void event_read(struct kineto_store *s, const struct piece *p, struct event_span span)
{
	struct event e = {.p = p->p,
			  .end = span.end,
			  .name = {"", 0},
			  .total_allocated = -1,
			  .total_reserved = -1,
			  .sequence = -1,
			  .device_id = -1};
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
		kineto_take(s, &e);
	else
		s->trace.trust.n_other++;
}

void kineto_events(struct kineto_store *s, const struct piece *p)
{
	s->trace.trust.n_events += p->n_events;
	if (s->hook) {
		s->hook->events(s->hook->ctx, p);
		return;
	}
	for (size_t i = 0; i < p->n_events && !s->failed; i++) {
		if (p->p[p->events[i].begin] == '{')
			event_read(s, p, p->events[i]);
		else
			s->trace.trust.n_other++;
	}
}
