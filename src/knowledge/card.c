/* The card table and the evaluation of its conditions.
 * In: cards, an identity, values by id. Out: what holds, with the numbers; what differs.
 * A condition that needs a missing value is not evaluated; one that and/or decide without it is.
 * Never: ranks cards or says what to do. */
#include "knowledge/card.h"

#include <string.h>

#include "base/expr.h"
#include "facts/mechanism.h"
#include "facts/metric.h"

static const struct card cards[] = {
#define CARD(id, key, sm, toolkit, framework, layer, ...) {id, key, sm, toolkit, framework, layer, __VA_ARGS__},
#include "knowledge/card.def"
#undef CARD
};
static const struct signal_row signals[] = {
#define SIGNAL(id, unit, what, names) {id, unit, what, names},
#include "knowledge/signal.def"
#undef SIGNAL
};

const struct card *card_at(size_t i)
{
	return i < COUNT_OF(cards) ? &cards[i] : NULL;
}

const struct card *card_find(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(cards); i++) {
		if (str_is(name, cards[i].id))
			return &cards[i];
	}
	const struct mechanism *m = mechanism_find(name);
	for (size_t i = 0; m && i < COUNT_OF(cards); i++) {
		if (strcmp(m->key, cards[i].key) == 0)
			return &cards[i];
	}
	return NULL;
}

const struct signal_row *signal_find(struct str id)
{
	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		if (str_is(id, signals[i].id))
			return &signals[i];
	}
	return NULL;
}

const struct signal_row *signal_from_name(struct str profiler_name)
{
	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		struct str rest = str_from(signals[i].names), name;
		while (rest.n && str_split(&rest, '|', &name)) {
			if (str_eq(name, profiler_name))
				return &signals[i];
		}
	}
	return NULL;
}

static const char *unit_of(struct str id)
{
	enum metric_id m;
	const struct signal_row *s = signal_find(id);
	return s ? s->unit : metric_from_id(id, &m) ? metric_row(m)->unit : "";
}

static bool is_known(struct str id)
{
	enum metric_id m;
	return signal_find(id) || metric_from_id(id, &m);
}

/* ---- check ---- */

struct names {
	struct str unknown;
};

static void look_up(void *ctx, struct str name)
{
	struct names *n = ctx;
	if (!is_known(name))
		n->unknown = name;
}

static bool check_condition(const struct card *c, const char *text, struct arena *a, struct err *e)
{
	struct names n = {{NULL, 0}};
	if (!*text)
		return true;
	struct expr *x = expr_parse(a, str_from(text), e);
	if (!x)
		return err_prefix(e, "card %s", c->id);
	expr_names(x, look_up, &n);
	if (n.unknown.n)
		return err_set(e, ERR_INPUT, "card %s: no metric or signal %.*s", c->id, STR_ARG(n.unknown));
	return true;
}

/* ">=80", "80-89", "90", "": the bounds. */
static bool read_range(const char *text, int64_t *low, int64_t *high)
{
	struct str s = str_from(text), first;
	*low = 0;
	*high = INT64_MAX;
	if (s.n == 0)
		return true;
	if (str_starts(s, ">="))
		return str_i64(str_sub(s, 2, s.n - 2), low);
	if (!str_split(&s, '-', &first) || !str_i64(first, low))
		return false;
	*high = *low;
	return !s.p || str_i64(s, high);
}

/* "12.4" as 12004; false: not a version. */
static bool read_version(struct str s, int64_t *out)
{
	struct str major, minor;
	int64_t a = 0, b = 0;
	if (!str_split(&s, '.', &major) || !str_i64(major, &a))
		return false;
	if (str_split(&s, '.', &minor) && !str_i64(minor, &b))
		return false;
	*out = a * 1000 + b;
	return true;
}

bool card_check(const struct card *c, struct arena *a, struct err *e)
{
	struct str moves = str_from(c->moves), id;
	int64_t low, high, version;
	const struct mechanism *m = mechanism_find(str_from(c->key));
	if (!m || strcmp(m->key, c->key) != 0)
		return err_set(e, ERR_INPUT, "card %s: no mechanism %s", c->id, c->key);
	if (!read_range(c->sm, &low, &high))
		return err_set(e, ERR_INPUT, "card %s: architectures %s", c->id, c->sm);
	if (*c->toolkit &&
	    (!str_starts(str_from(c->toolkit), ">=") || !read_version(str_from(c->toolkit + 2), &version)))
		return err_set(e, ERR_INPUT, "card %s: toolkit %s", c->id, c->toolkit);
	if (moves.n &&
	    (!str_split(&moves, ' ', &id) || !is_known(id) || (!str_is(moves, "up") && !str_is(moves, "down"))))
		return err_set(e, ERR_INPUT, "card %s: moves %s", c->id, c->moves);
	if (!*c->what || !*c->signs || !*c->against || !*c->falsifier || !*c->sources)
		return err_set(e, ERR_INPUT, "card %s: a text is missing", c->id);
	return check_condition(c, c->when, a, e) && check_condition(c, c->unless, a, e);
}

/* ---- identity ---- */

const char *card_differs(const struct card *c, const struct card_identity *who, struct arena *a)
{
	int64_t low, high, have, want;
	if (who->sm && read_range(c->sm, &low, &high) && (who->sm < low || who->sm > high))
		return arena_printf(a, "architecture: %lld, the card holds for %s", (long long)who->sm, c->sm);
	if (who->toolkit && *c->toolkit && read_version(str_from(who->toolkit), &have) &&
	    read_version(str_from(c->toolkit + 2), &want) && have < want)
		return arena_printf(a, "toolkit: %s, the card holds for %s", who->toolkit, c->toolkit);
	if (who->framework && *c->framework && strcmp(who->framework, c->framework) != 0)
		return arena_printf(a, "framework: %s, the card is about %s", who->framework, c->framework);
	return NULL;
}

/* ---- evaluation ---- */

struct subject {
	card_lookup *lookup;
	void *ctx;
	struct card_finding *out;
	struct str missing;
};

static bool look(void *ctx, struct str name, struct expr_value *out)
{
	struct subject *s = ctx;
	*out = (struct expr_value){.type = EXPR_REAL};
	if (s->lookup(s->ctx, name, &out->real))
		return true;
	s->missing = name;
	return false;
}

static void keep_value(void *ctx, struct str name)
{
	struct subject *s = ctx;
	double v;
	for (size_t i = 0; i < s->out->n_values; i++) {
		if (str_eq(s->out->values[i].name, name))
			return;
	}
	if (s->out->n_values < CARD_MAX_VALUES && s->lookup(s->ctx, name, &v))
		s->out->values[s->out->n_values++] = (struct card_value){name, v, unit_of(name)};
}

/* 1 true, 0 false, -1 not to be evaluated. */
static int decide(struct subject *s, const char *text, struct arena *a)
{
	struct err e;
	struct expr_value v;
	struct expr *x = *text ? expr_parse(a, str_from(text), &e) : NULL;
	if (!x)
		return *text ? -1 : 0;
	expr_names(x, keep_value, s);
	return expr_eval(x, look, s, &v, &e) && v.type == EXPR_BOOL ? v.boolean : -1;
}

void card_evaluate(struct card_finding *out, const struct card *c, struct arena *a, card_lookup *lookup, void *ctx)
{
	*out = (struct card_finding){.state = CARD_NO_CONDITION};
	struct subject s = {lookup, ctx, out, {NULL, 0}};
	if (!*c->when)
		return;
	int when = decide(&s, c->when, a);
	if (when < 0) {
		out->state = CARD_NOT_EVALUATED;
		out->missing = s.missing;
		return;
	}
	if (when == 0) {
		out->state = CARD_NOT_MET;
		return;
	}
	out->state = decide(&s, c->unless, a) == 1 ? CARD_COUNTERED : CARD_HOLDS;
}

const char *card_state_name(enum card_state s)
{
	static const char *const names[] = {"holds", "countered", "not_met", "not_evaluated", "no_condition"};
	return names[s];
}

struct json *card_json(const struct card *c, struct arena *a)
{
	const struct mechanism *m = mechanism_find(str_from(c->key));
	const struct {
		const char *name, *value;
	} rows[] = {{"id", c->id},
		    {"mechanism", m ? arena_printf(a, "%s.%s", m->domain, m->key) : c->key},
		    {"title", m ? m->title : c->key},
		    {"architectures", *c->sm ? c->sm : "any"},
		    {"toolkit", *c->toolkit ? c->toolkit : "any"},
		    {"framework", *c->framework ? c->framework : "any"},
		    {"claim_layer", c->layer},
		    {"what", c->what},
		    {"signs", c->signs},
		    {"condition", c->when},
		    {"against", c->against},
		    {"counter_condition", c->unless},
		    {"falsifier", c->falsifier},
		    {"moves", c->moves},
		    {"sources", c->sources},
		    {"reviewed", CARD_REVIEWED}};
	struct json *j = json_object(a);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (*rows[i].value)
			json_set_cstr(j, rows[i].name, rows[i].value);
	}
	return j;
}
