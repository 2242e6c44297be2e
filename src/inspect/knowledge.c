/* Knowledge cards as a request.
 * In: what is known of a workload and what was seen. Out: cards that speak of it, each with how far it applies.
 * What was seen may be a mechanism, a fact, a profiler's metric or a word: facts that we emit lead to cards.
 * Never: evaluates a condition, or says what to do. */
#include "inspect/knowledge.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "facts/mechanism.h"
#include "facts/metric.h"
#include "inspect/family.h"
#include "knowledge/card.h"
#include "protocol/shape.h"

#define IDENTITY "gpu_architecture:s cuda_version:s frameworks:o ?phenomena:S claim_layer:s"
#define MAX_CARDS 1024

enum relation { COMPATIBLE, RELATED, INCOMPATIBLE };
static const char *const relations[] = {"compatible", "related", "incompatible"};

struct query {
	struct protocol *p;
	struct arena *a;
	const struct json *frameworks, *phenomena, *keys;
	struct card_identity who;
	int layer; /* target_layer */
	int64_t max_results, max_bytes;
	const char *source;
};
struct match {
	const struct card *card;
	enum relation relation;
	const char *differs; /* NULL: nothing */
	const char *key;     /* domain.key */
};

/* ---- the request ---- */

/* "sm_90a", "90", "9.0" */
static bool take_architecture(struct query *q, struct str s, struct err *e)
{
	char shown[STR_SHOWN];
	struct str number = str_starts(s, "sm_") ? str_sub(s, 3, SIZE_MAX) : s, major;
	int64_t tens = 0;
	while (number.n && (number.p[number.n - 1] == 'a' || number.p[number.n - 1] == 'f'))
		number.n--;
	if (str_find_char(number, '.') != SIZE_MAX && str_split(&number, '.', &major) && str_i64(major, &tens))
		tens *= 10;
	if (str_i64(number, &q->who.sm)) {
		q->who.sm += tens;
		return true;
	}
	return err_set(e, ERR_INPUT, "gpu_architecture: \"%s\" is not as sm_90a, 90 or 9.0", str_shown(shown, s));
}

static bool take_frameworks(struct query *q, const struct json *frameworks, struct err *e)
{
	for (size_t i = 0; i < frameworks->n; i++) {
		if (frameworks->members[i].value->type != JSON_STRING)
			return err_set(e, ERR_INPUT, "frameworks: the version of %.60s is no string",
				       frameworks->members[i].key.p);
	}
	q->frameworks = frameworks;
	return true;
}

static bool take_phenomena(struct query *q, const struct json *from, struct err *e)
{
	q->phenomena = json_get(from, "phenomena") ? json_get(from, "phenomena") : json_array(q->a);
	return shape_names(q->phenomena, "phenomena", 0, e);
}

static bool take_identity(struct query *q, const struct json *request, struct err *e)
{
	const struct json *x = json_get(request, "identity");
	if (!shape_check(x, "identity", IDENTITY, e) ||
	    !shape_word(x, "identity", "claim_layer", "diagnostic|kernel|workload|serving", e) ||
	    !take_phenomena(q, x, e))
		return false;
	q->who.toolkit = json_str(x, "cuda_version", STR("")).p;
	q->layer = target_layer(json_str(x, "claim_layer", STR("")));
	q->source = "detached";
	return take_architecture(q, json_str(x, "gpu_architecture", STR("")), e) &&
	       take_frameworks(q, json_get(x, "frameworks"), e);
}

static bool take_target(struct query *q, const struct json *request, struct err *e)
{
	struct target t;
	if (!q->p->root || !shape_ref(json_get(request, "target_ref"), "target_ref", "id", e) ||
	    !take_phenomena(q, request, e))
		return q->p->root ? false : err_set(e, ERR_INPUT, "artifact_root: is missing");
	if (!target_load(&t, q->p, json_get(request, "target_ref"), e))
		return false;
	protocol_step(q->p, KNOWLEDGE_CODE);
	const struct json *runtime = json_path(t.record, "environment.runtime"),
			  *list = json_get(runtime, "gpu_architectures");
	for (size_t i = 1; list && i < list->n; i++) {
		if (!str_eq(list->items[i]->text, list->items[0]->text))
			return err_set(e, ERR_INPUT,
				       "the Target's GPUs are of several architectures (%.20s, %.20s); an "
				       "identity of its own names one",
				       list->items[0]->text.p, list->items[i]->text.p);
	}
	if (!list || list->n == 0)
		return err_set(e, ERR_INPUT, "the Target knows no GPU architecture; an identity of its own names one");
	q->who.toolkit = json_str(runtime, "cuda_runtime_version", STR("")).p;
	q->layer = target_layer(json_str(t.record, "claim_layer", STR("")));
	q->source = "target";
	return take_architecture(q, list->items[0]->text, e) && take_frameworks(q, json_get(runtime, "frameworks"), e);
}

static bool take_limits(struct query *q, const struct json *request, struct err *e)
{
	const struct json *filters = json_get(request, "filters"), *limits = json_get(request, "limits");
	q->keys = json_array(q->a);
	if (filters && (!shape_check(filters, "filters", "mechanism_keys:S", e) ||
			!shape_names(json_get(filters, "mechanism_keys"), "filters.mechanism_keys", 0, e)))
		return false;
	if (limits &&
	    (!shape_check(limits, "limits", "max_results:i max_context_bytes:i", e) ||
	     !shape_number(limits, "limits", "max_results", (struct shape_range){1, MAX_CARDS, false}, e) ||
	     !shape_number(limits, "limits", "max_context_bytes", (struct shape_range){256, 1 << 26, false}, e)))
		return false;
	if (filters)
		q->keys = json_get(filters, "mechanism_keys");
	q->max_results = json_i64(limits, "max_results", 50);
	q->max_bytes = json_i64(limits, "max_context_bytes", 1 << 20);
	return true;
}

/* ---- which cards ---- */

static bool holds(const char *text, struct str word)
{
	for (size_t n = strlen(text), i = 0; i + word.n <= n; i++) {
		if (strncasecmp(text + i, word.p, word.n) == 0)
			return true;
	}
	return false;
}

/* Our id of a published observation or of a profiler's metric; else the word itself. */
static struct str fact_of(struct str word)
{
	enum metric_id m;
	const char *published = ncu_published_metric(word);
	if (published)
		word = str_from(published);
	const struct signal_row *signal = signal_from_name(word);
	if (signal)
		return str_from(signal->id);
	return metric_from_name(word, &m) ? str_from(metric_row(m)->id) : word;
}

static bool speaks_of(const struct card *c, const char *key, struct str word)
{
	const char *const texts[] = {c->id, key, c->what, c->signs, c->against, c->when, c->unless, c->moves};
	const struct mechanism *m = mechanism_find(word);
	struct str fact = fact_of(word);
	if (m && strcmp(m->key, c->key) == 0)
		return true;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (holds(texts[i], word) || holds(texts[i], fact))
			return true;
	}
	return false;
}

static bool is_wanted(const struct query *q, const struct card *c, const char *key)
{
	const struct json *list = q->keys->n ? q->keys : q->phenomena;
	for (size_t i = 0; i < list->n; i++) {
		struct str word = list->items[i]->text;
		const struct mechanism *m = mechanism_find(word);
		if (q->keys->n ? m && strcmp(m->key, c->key) == 0 : speaks_of(c, key, word))
			return true;
	}
	return list->n == 0;
}

static bool has_framework(const struct query *q, const char *name)
{
	for (size_t i = 0; i < q->frameworks->n; i++) {
		if (strcasecmp(q->frameworks->members[i].key.p, name) == 0)
			return true;
	}
	return false;
}

static void relate(struct match *m, const struct query *q)
{
	const struct card *c = m->card;
	struct card_identity who = q->who;
	m->differs = NULL;
	m->relation = INCOMPATIBLE;
	if (*c->framework && !has_framework(q, c->framework)) {
		m->differs = arena_printf(q->a, "framework: the card is of %s", c->framework);
		return;
	}
	if (target_layer(str_from(c->layer)) > q->layer) {
		m->differs = arena_printf(q->a, "claim layer: the card is of %s", c->layer);
		return;
	}
	who.framework = *c->framework ? c->framework : NULL;
	m->differs = card_differs(c, &who, q->a);
	if (!m->differs)
		m->relation = COMPATIBLE;
	else if (!str_starts(str_from(m->differs), "architecture"))
		m->relation = RELATED;
}

static int by_relation(const void *a, const void *b)
{
	const struct match *x = a, *y = b;
	if (x->relation != y->relation)
		return x->relation < y->relation ? -1 : 1;
	int order = strcmp(x->key, y->key);
	return order ? order : strcmp(x->card->id, y->card->id);
}

static size_t find_matches(struct match *out, const struct query *q)
{
	const struct card *c;
	size_t n = 0;
	for (size_t i = 0; (c = card_at(i)) && n < MAX_CARDS; i++) {
		const struct mechanism *m = mechanism_find(str_from(c->key));
		const char *key = m ? arena_printf(q->a, "%s.%s", m->domain, m->key) : c->key;
		if (!is_wanted(q, c, key))
			continue;
		out[n] = (struct match){.card = c, .key = key};
		relate(&out[n++], q);
	}
	if (n)
		qsort(out, n, sizeof(*out), by_relation);
	return n;
}

/* ---- the answer ---- */

static void put_constraints(struct json *j, const struct card *c)
{
	static const char *const layers[] = {"diagnostic", "kernel", "workload", "serving"};
	struct json *i = json_set_object(j, "identity_constraints"), *list = json_set_array(i, "gpu_architecture");
	if (*c->sm)
		json_push_str(list, str_from(c->sm));
	list = json_set_array(i, "cuda_runtime_version");
	if (*c->toolkit)
		json_push_str(list, str_from(c->toolkit));
	struct json *frameworks = json_set_object(i, "framework_versions");
	if (*c->framework)
		json_set_array(frameworks, c->framework);
	list = json_set_array(i, "claim_layers");
	for (int k = target_layer(str_from(c->layer)); k >= 0 && k < (int)COUNT_OF(layers); k++)
		json_push_str(list, str_from(layers[k]));
}

static struct json *match_json(const struct query *q, const struct match *m)
{
	struct json *j = json_object(q->a);
	json_set_cstr(j, "id", m->card->id);
	json_set_cstr(j, "mechanism_key", m->key);
	json_set_cstr(j, "relation", relations[m->relation]);
	json_set_cstr(j, "differs", m->differs);
	json_set_cstr(j, "status", "source_reviewed");
	json_set_cstr(j, "content_kind", "heuristic");
	json_set_cstr(j, "mechanism", m->card->what);
	json_push_str(json_set_array(j, "positive_signals"), str_from(m->card->signs));
	json_push_str(json_set_array(j, "counter_signals"), str_from(m->card->against));
	json_set_cstr(j, "cheapest_falsifier", m->card->falsifier);
	json_set_cstr(j, "sources", m->card->sources);
	put_constraints(j, m->card);
	json_set(j, "assay", card_json(m->card, q->a));
	return j;
}

static void put_matches(struct json *answer, const struct query *q)
{
	struct match *v = ARENA_ARRAY(q->a, MAX_CARDS, struct match);
	size_t n = find_matches(v, q), bytes = 0;
	struct json *list = json_set_array(answer, "matches"), *more = json_array(q->a);
	bool is_short = false;
	for (size_t i = 0; i < n; i++) {
		if (i && strcmp(v[i].key, v[i - 1].key) == 0 && v[i].relation == v[i - 1].relation) {
			json_push_str(more, str_from(v[i].card->id)); /* one card a mechanism */
			continue;
		}
		struct json *j = match_json(q, &v[i]);
		struct buf b;
		buf_init(&b);
		json_write(&b, j, JSON_COMPACT);
		bool fits = bytes + b.n <= (size_t)q->max_bytes && list->n < (size_t)q->max_results;
		if (fits) {
			json_push(list, j);
			bytes += b.n;
		}
		is_short = is_short || !fits;
		buf_release(&b);
	}
	json_set_u64(answer, "context_bytes", bytes);
	json_set_bool(answer, "truncated", is_short);
	struct json *ours = json_set_object(answer, "assay"), *unknown = json_set_array(ours, "unknown_keys");
	json_set(ours, "further_cards", more);
	for (size_t i = 0; i < q->keys->n; i++) {
		if (!mechanism_find(q->keys->items[i]->text))
			json_push_str(unknown, q->keys->items[i]->text);
	}
}

/* Digests of what could have been answered: every card, every source. */
static void put_provenance(struct json *answer, struct arena *a)
{
	char digest[SHA256_HEX];
	struct json *p = json_set_object(answer, "provenance"), *cards = json_array(a), *sources = json_array(a);
	const struct card *c;
	for (size_t i = 0; (c = card_at(i)); i++) {
		json_push(cards, card_json(c, a));
		json_push_str(sources, str_from(c->sources));
	}
	evidence_canonical(cards, digest);
	json_set_cstr(p, "cards_sha256", digest);
	evidence_canonical(sources, digest);
	json_set_cstr(p, "sources_sha256", digest);
}

bool knowledge_answer(struct json **answer, struct protocol *p, const struct json *request, struct err *e)
{
	struct query q = {.p = p, .a = p->arena};
	bool is_detached = json_get(request, "identity") != NULL;
	protocol_step(p, KNOWLEDGE_CODE);
	if (!shape_check(request, "request",
			 is_detached ? "format_version:s operation:s identity:o ?filters:o ?limits:o"
				     : "format_version:s operation:s artifact_root:s target_ref:o ?phenomena:S "
				       "?filters:o ?limits:o",
			 e) ||
	    !shape_word(request, "request", "operation", "query", e) || !take_limits(&q, request, e) ||
	    !(is_detached ? take_identity(&q, request, e) : take_target(&q, request, e)))
		return false;
	*answer = json_object(p->arena);
	json_set_cstr(*answer, "status", "completed");
	put_matches(*answer, &q);
	put_provenance(*answer, p->arena);
	json_set_cstr(*answer, "identity_source", q.source);
	return true;
}
