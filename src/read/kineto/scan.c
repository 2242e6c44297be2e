/* Feeds a trace through pieces, as two stages on two threads where there are two processors: text and structure, events.
 * In: the text of a source.
 * Out: a filled store; what was torn, broken or passed over is counted.
 * Never gives up inside the events: it finds the next one and says what was lost. */
#include "read/kineto/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/progress.h"

#define PIECE_BYTES ((size_t)256 << 10)
#define MAX_PIECE ((size_t)64 << 20) /* the largest event or top-level value */
#define MAX_BROKEN ((size_t)1 << 20) /* as far is looked for the end of a broken event */
#define N_PIECES 4

enum state { STATE_BEGIN, STATE_TOP, STATE_EVENTS, STATE_END };
struct scanner {
	struct kineto_store *s;
	struct input *source;
	const char *path;
	struct err *e;
	struct kineto_trust trust; /* counted by this stage; added to the store's at the end */
	struct piece pieces[N_PIECES];
	struct piece *cur;
	size_t pos; /* in cur: everything before is used */
	enum state state;
	size_t n_open; /* objects around the array of events; 0: the text is a bare array */
	bool eof, ok, saw_events;
	/* between the stages */
	bool two, finished, drains, alive;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct piece *full[N_PIECES], *empty[N_PIECES];
	size_t n_full, n_empty;
	uint64_t done, size; /* of the file, as far as pieces were passed on */
};

static void piece_reserve(struct piece *p, size_t cap)
{
	if (p->cap >= cap)
		return;
	size_t words = cap / 64 + 3;
	p->p = realloc(p->p, cap + PIECE_PAD);
	p->quotes = realloc(p->quotes, words * sizeof *p->quotes);
	if (!p->events)
		p->events = malloc(PIECE_EVENTS * sizeof *p->events);
	if (!p->p || !p->quotes || !p->events)
		BUG("out of memory");
	memset(p->quotes + p->cap / 64, 0, (words - p->cap / 64) * sizeof *p->quotes);
	p->quotes[words - 1] = ~(uint64_t)0;
	p->cap = cap;
}

/* second stage: events into the store until the first stage is done */
static void consume(struct scanner *c)
{
	pthread_mutex_lock(&c->lock);
	c->alive = !c->drains;
	while (c->alive) {
		while (!c->n_full && !c->finished)
			pthread_cond_wait(&c->changed, &c->lock);
		if (!c->n_full)
			break;
		struct piece *p = c->full[0];
		memmove(c->full, c->full + 1, --c->n_full * sizeof c->full[0]);
		pthread_mutex_unlock(&c->lock);
		kineto_events(c->s, p);
		pthread_mutex_lock(&c->lock);
		progress_count("MiB", c->done >> 20, c->size >> 20);
		c->empty[c->n_empty++] = p;
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
}

static void hand_over(struct scanner *c, struct piece *p)
{
	pthread_mutex_lock(&c->lock);
	c->full[c->n_full++] = p;
	input_position(c->source, &c->done, &c->size);
	progress_count("MiB", c->done >> 20, c->size >> 20); /* either stage may run on the thread that shows it */
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

/* An empty piece; when no second thread came to life this one does its work. */
static struct piece *take_empty(struct scanner *c)
{
	pthread_mutex_lock(&c->lock);
	while (!c->n_empty) {
		if (c->alive) {
			pthread_cond_wait(&c->changed, &c->lock);
			continue;
		}
		c->drains = true;
		struct piece *p = c->full[0];
		memmove(c->full, c->full + 1, --c->n_full * sizeof c->full[0]);
		kineto_events(c->s, p);
		c->empty[c->n_empty++] = p;
	}
	struct piece *p = c->empty[--c->n_empty];
	pthread_mutex_unlock(&c->lock);
	return p;
}

/* Passes the events of the piece on and goes on with p[from, n) and new text. False: nothing new came. */
static bool refill(struct scanner *c, size_t from)
{
	struct piece *old = c->cur, *p = old;
	size_t keep = old->n - from;
	uint64_t offset = old->offset + from;
	if (keep >= old->cap && keep >= MAX_PIECE)
		return false;
	size_t cap = keep * 2 > PIECE_BYTES ? keep * 2 : PIECE_BYTES;
	if (c->two && old->n_events) {
		p = take_empty(c);
		piece_reserve(p, cap);
		memcpy(p->p, old->p + from, keep);
		hand_over(c, old);
	} else {
		if (old->n_events)
			kineto_events(c->s, old);
		memmove(old->p, old->p + from, keep);
		piece_reserve(old, cap);
	}
	p->n_events = 0;
	p->n = keep;
	p->offset = offset;
	c->cur = p;
	c->pos = 0;
	while (!c->eof && p->n < p->cap) {
		size_t n = input_read(c->source, p->p + p->n, p->cap - p->n);
		c->eof = n == 0;
		p->n += n;
		if (p->n - keep >= PIECE_BYTES / 2)
			break;
	}
	memset(p->p + p->n, ' ', PIECE_PAD);
	return p->n > keep;
}

static bool blank(char ch)
{
	return ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r';
}

/* Moves pos over blanks and commas, reading on; false at the end of the text. */
static bool skip_blanks(struct scanner *c)
{
	for (;;) {
		while (c->pos < c->cur->n && (blank(c->cur->p[c->pos]) || c->cur->p[c->pos] == ','))
			c->pos++;
		if (c->pos < c->cur->n)
			return true;
		if (!refill(c, c->pos))
			return false;
	}
}

static void torn(struct scanner *c, size_t at)
{
	c->trust.is_torn = true;
	c->trust.torn_offset = c->cur->offset + at;
	c->state = STATE_END;
}

static void broken_top(struct scanner *c)
{
	uint64_t offset = c->cur->offset + c->pos;
	if (c->saw_events) {
		c->trust.n_resyncs++;
		c->trust.lost_bytes += c->cur->n - c->pos;
	} else {
		c->ok = err_set(c->e, ERR_INPUT, "%s: offset %llu: not the JSON of a trace", c->path,
				(unsigned long long)offset);
	}
	c->state = STATE_END;
}

static void top_value(struct scanner *c, struct str key, size_t value, size_t end)
{
	struct piece *p = c->cur;
	if (str_is(key, "traceEvents") && p->p[value] == '[') {
		c->state = STATE_EVENTS;
		c->saw_events = true;
		c->pos = value + 1;
	} else if (str_is(key, "traceEvents") && p->p[value] == '{') {
		c->n_open++;
		c->pos = value + 1;
	} else {
		if (c->s->hook) {
			kineto_events(c->s, p); /* those before it */
			p->n_events = 0;
			c->s->hook->member(c->s->hook->ctx, key, (struct str){p->p + value, end - value});
		}
		kineto_meta(&c->s->meta, key, (struct str){p->p + value, end - value});
		c->pos = end;
	}
}

/* One member of the object around the events, or the end of that object. */
static void top_member(struct scanner *c)
{
	if (!skip_blanks(c)) {
		torn(c, c->pos);
		return;
	}
	if (c->cur->p[c->pos] == '}') {
		c->pos++;
		if (--c->n_open == 0)
			c->state = STATE_END;
		return;
	}
	if (c->cur->p[c->pos] != '"') {
		broken_top(c);
		return;
	}
	for (;;) {
		struct piece *p = c->cur;
		size_t close = scan_value_end(p->p, c->pos, p->n), value = close;
		while (close && value < p->n && (blank(p->p[value]) || p->p[value] == ':'))
			value++;
		bool at_value = close && value < p->n;
		struct str key = at_value ? (struct str){p->p + c->pos + 1, close - c->pos - 2} : (struct str){0};
		bool enters = str_is(key, "traceEvents") && (p->p[value] == '[' || p->p[value] == '{');
		size_t end = at_value && !enters ? scan_value_end(p->p, value, p->n) : 0;
		if (enters || end) {
			top_value(c, key, value, end);
			return;
		}
		if (!refill(c, c->pos)) {
			torn(c, c->pos);
			return;
		}
	}
}

/* What cannot be read at p[at]: goes on at the next event. */
static void resync(struct scanner *c, size_t at)
{
	struct piece *p = c->cur;
	size_t next = scan_event_head(p->p, at + 1, p->n);
	c->trust.n_resyncs++;
	while (next == p->n) {
		size_t keep = p->n - at > 64 ? 64 : 0; /* a head may be cut by the end of the piece */
		c->trust.lost_bytes += p->n - keep - at;
		if (!refill(c, p->n - keep)) {
			torn(c, c->cur->n);
			return;
		}
		p = c->cur;
		at = 0;
		next = scan_event_head(p->p, 0, p->n);
	}
	c->trust.lost_bytes += next - at;
	c->pos = next;
}

/* An event with a line break or a quotation mark inside a string begins at p[at]. */
static void broken_event(struct scanner *c, size_t at)
{
	struct piece *p = c->cur;
	size_t end = scan_tolerant(p->p, at, p->n, p->quotes);
	if (end) {
		p->events[p->n_events++] = (struct event_span){(uint32_t)at, (uint32_t)end};
		c->trust.n_raw_breaks++;
		c->pos = end;
		return;
	}
	if (p->p[at] == '{' && p->n - at < MAX_BROKEN && refill(c, at))
		return;
	if (c->eof && c->cur->n - c->pos < MAX_BROKEN &&
	    scan_event_head(c->cur->p, c->pos + 1, c->cur->n) == c->cur->n) {
		torn(c, c->pos);
		return;
	}
	resync(c, c->pos);
}

static bool only_blanks(const struct piece *p, size_t at)
{
	while (at < p->n && (blank(p->p[at]) || p->p[at] == ','))
		at++;
	return at == p->n;
}

/* The text ended, or no room is left, inside the event at pos. */
static void no_more(struct scanner *c)
{
	if (c->cur->n >= MAX_PIECE)
		resync(c, c->pos);
	else if (c->n_open == 0 && only_blanks(c->cur, c->pos))
		c->state = STATE_END; /* the last bracket of a bare array is optional */
	else
		torn(c, c->pos);
}

static void events(struct scanner *c)
{
	size_t at;
	enum structure_end end = structure_scan(c->cur, c->pos, &at);
	c->pos = at;
	if (end == STRUCTURE_CLOSED) {
		c->pos++;
		c->state = c->n_open ? STATE_TOP : STATE_END;
	} else if (c->cur->n_events == PIECE_EVENTS) {
		(void)refill(c, at); /* the list is full, the text is not used up */
	} else if (end == STRUCTURE_BROKEN) {
		broken_event(c, at);
	} else if (!refill(c, at)) {
		no_more(c);
	}
}

static void begin(struct scanner *c)
{
	static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 byte order mark */
	(void)refill(c, 0);
	if (c->cur->n >= 3 && memcmp(c->cur->p, mark, 3) == 0)
		c->pos = 3;
	if (!skip_blanks(c)) {
		c->ok = err_set(c->e, ERR_INPUT, "%s: the file is empty", c->path);
		c->state = STATE_END;
		return;
	}
	char first = c->cur->p[c->pos++];
	c->n_open = first == '{';
	c->saw_events = first == '[';
	c->state = first == '{' ? STATE_TOP : STATE_EVENTS;
	if (first != '{' && first != '[') {
		c->pos--;
		broken_top(c);
	}
}

/* first stage */
static void produce(struct scanner *c)
{
	while (c->state != STATE_END) {
		if (c->state == STATE_BEGIN)
			begin(c);
		else if (c->state == STATE_TOP)
			top_member(c);
		else
			events(c);
	}
	pthread_mutex_lock(&c->lock);
	if (c->two && c->cur->n_events)
		c->full[c->n_full++] = c->cur;
	c->finished = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void stage(void *ctx, size_t i)
{
	if (i == 0)
		produce(ctx);
	else
		consume(ctx);
}

/* What is left when no second thread ever ran, or none was wanted. */
static void drain(struct scanner *c)
{
	for (size_t i = 0; i < c->n_full; i++)
		kineto_events(c->s, c->full[i]);
	if (!c->two && c->cur->n_events)
		kineto_events(c->s, c->cur);
}

static void add_trust(struct kineto_trust *to, const struct kineto_trust *from)
{
	to->n_raw_breaks += from->n_raw_breaks;
	to->n_resyncs += from->n_resyncs;
	to->lost_bytes += from->lost_bytes;
	to->is_torn = from->is_torn;
	to->torn_offset = from->torn_offset;
}

bool scan_trace(struct kineto_store *s, struct input *source, const char *path, struct err *e)
{
	struct scanner c = {.s = s, .source = source, .path = path, .e = e, .ok = true};
	c.two = !(s->flags & KINETO_ONE_THREAD) && pool_n_cpus() > 1;
	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.changed, NULL);
	for (size_t i = 0; i < N_PIECES; i++)
		c.empty[c.n_empty++] = &c.pieces[i];
	c.cur = c.empty[--c.n_empty];
	piece_reserve(c.cur, PIECE_BYTES);
	if (c.two)
		pool_for(2, 2, stage, &c);
	else
		produce(&c);
	drain(&c);
	add_trust(&s->trace.trust, &c.trust);
	s->trace.bytes = c.cur->offset + c.cur->n;
	if (c.ok && !c.saw_events)
		c.ok = err_set(e, ERR_INPUT, "%s: no \"traceEvents\" at the top level: not a PyTorch trace", path);
	for (size_t i = 0; i < N_PIECES; i++) {
		free(c.pieces[i].p);
		free(c.pieces[i].quotes);
		free(c.pieces[i].events);
	}
	pthread_cond_destroy(&c.changed);
	pthread_mutex_destroy(&c.lock);
	return c.ok;
}
