/* What the strategy memory says before a step.
 * In: the run's level, the global level, a scope. Out: blocked, preferred, opened again, elsewhere.
 * One pass collects all outcomes of a fingerprint; the newest decides.
 * Never: lets another scope or the baseline block. */
#include "loop/constraints.h"

#include "loop/outcome.h"

struct gather { /* outcomes by fingerprint */
	struct arena *arena;
	struct json *by_fingerprint; /* {FINGERPRINT: [entry, ...]}, newest first */
};

static struct json *shown(struct arena *a, struct str fingerprint, const struct json *data, const char *level)
{
	static const char *const copied[][2] = {{"tags", "tags"},
						{"outcome", "last_outcome"},
						{"reason", "last_reason"},
						{"iteration", "last_iteration"},
						{"count", "count"},
						{"evidence", "evidence"},
						{"closes", "closes"},
						{"why", "why"},
						{"at", "at"}};
	struct json *x = json_object(a);
	json_set_str(x, "fingerprint", fingerprint);
	json_set_cstr(x, "level", level);
	for (size_t i = 0; i < COUNT_OF(copied); i++) {
		struct json *v = json_get(data, copied[i][1]);
		json_set(x, copied[i][0], v ? v : json_new_null(a));
	}
	return x;
}

/* a is newer than b; of the same moment the run's own level comes first. */
static bool is_newer(const struct json *a, const struct json *b)
{
	int order = str_cmp(json_str(a, "at", STR("")), json_str(b, "at", STR("")));
	return order > 0 || (order == 0 && str_is(json_str(a, "level", STR("")), "run") &&
			     !str_is(json_str(b, "level", STR("")), "run"));
}

static void add_entry(struct gather *g, struct json *x)
{
	struct str fingerprint = json_str(x, "fingerprint", STR(""));
	struct json *list = json_find(g->by_fingerprint, fingerprint);
	if (!list) {
		list = json_array(g->arena);
		json_put(g->by_fingerprint, fingerprint, list);
	}
	for (size_t i = 0; i < list->n; i++) {
		/* The same evidence on both levels is shown once. */
		if (str_eq(json_str(list->items[i], "at", STR("")), json_str(x, "at", STR(""))) &&
		    str_eq(json_str(list->items[i], "outcome", STR("")), json_str(x, "outcome", STR(""))))
			return;
	}
	json_push(list, x);
	for (size_t i = list->n - 1; i > 0 && is_newer(list->items[i], list->items[i - 1]); i--) {
		struct json *swap = list->items[i];
		list->items[i] = list->items[i - 1];
		list->items[i - 1] = swap;
	}
}

static void add_buckets(struct gather *g, const struct json *buckets, const char *level)
{
	for (size_t k = 0; k < COUNT_OF(memory_outcomes); k++) {
		const struct json *bucket = json_get(buckets, memory_outcomes[k]);
		for (size_t i = 0; bucket && bucket->type == JSON_OBJECT && i < bucket->n; i++)
			add_entry(g, shown(g->arena, bucket->members[i].key, bucket->members[i].value, level));
	}
}

/* The later of both levels; NULL: never opened again. */
static const struct json *reopened(const struct json *run, const struct json *global, struct str fingerprint)
{
	const struct json *x = json_find(run, fingerprint), *y = json_find(global, fingerprint);
	if (!x || !y)
		return x ? x : y;
	return str_cmp(json_str(x, "at", STR("")), json_str(y, "at", STR(""))) >= 0 ? x : y;
}

static bool is_baseline(const struct json *x)
{
	const struct json *tags = json_get(x, "tags");
	return tags && tags->type == JSON_ARRAY && tags->n == 1 && tags->items[0]->type == JSON_STRING &&
	       str_is(tags->items[0]->text, "baseline");
}

static void sort_by_fingerprint(struct json *list)
{
	for (size_t i = 1; i < list->n; i++) {
		for (size_t k = i; k > 0 && str_cmp(json_str(list->items[k], "fingerprint", STR("")),
						    json_str(list->items[k - 1], "fingerprint", STR(""))) < 0;
		     k--) {
			struct json *swap = list->items[k];
			list->items[k] = list->items[k - 1];
			list->items[k - 1] = swap;
		}
	}
}

/* The newest outcome of each fingerprint goes into one of the lists. */
static void decide(struct json *out, const struct gather *g, const struct json *run_again, const struct json *again)
{
	for (size_t i = 0; i < g->by_fingerprint->n; i++) {
		const struct json_member *m = &g->by_fingerprint->members[i];
		struct json *x = m->value->items[0], *also = json_set_array(x, "also");
		const struct json *opened = reopened(run_again, again, m->key);
		for (size_t k = 1; k < m->value->n; k++)
			json_push(also, m->value->items[k]);
		if (str_is(json_str(x, "outcome", STR("")), "positive")) {
			json_push(json_get(out, "preferred"), x);
			continue;
		}
		if (is_baseline(x))
			continue;
		bool is_open = opened && str_cmp(json_str(opened, "at", STR("")), json_str(x, "at", STR(""))) > 0;
		if (is_open) {
			json_set_str(x, "reopened_at", json_str(opened, "at", STR("")));
			json_set_str(x, "because", json_str(opened, "because", STR("")));
		}
		json_push(json_get(out, is_open ? "reopened" : "blocked"), x);
	}
}

static void add_elsewhere(struct json *list, struct arena *a, const struct json_member *scope)
{
	for (size_t k = 0; k < COUNT_OF(memory_outcomes); k++) {
		const struct json *bucket = json_get(scope->value, memory_outcomes[k]);
		for (size_t i = 0; bucket && bucket->type == JSON_OBJECT && i < bucket->n; i++) {
			struct json *x = shown(a, bucket->members[i].key, bucket->members[i].value, "elsewhere");
			json_set_str(x, "scope", scope->key);
			if (!is_baseline(x))
				json_push(list, x);
		}
	}
}

/* Other scopes of the same backend, the newest first. */
static void put_elsewhere(struct json *out, struct arena *a, const struct json *scopes, const struct scope *own)
{
	struct json *all = json_array(a), *list = json_set_array(out, "elsewhere");
	struct str backend = json_str(own->meta, "backend", STR(""));
	for (size_t i = 0; scopes && i < scopes->n; i++) {
		const struct json_member *m = &scopes->members[i];
		if (!str_is(m->key, own->key) &&
		    str_eq(json_str(json_get(m->value, "meta"), "backend", STR("")), backend))
			add_elsewhere(all, a, m);
	}
	json_set_u64(out, "n_elsewhere", all->n);
	for (size_t n = 0; n < CONSTRAINTS_ELSEWHERE && n < all->n; n++) {
		size_t newest = n;
		for (size_t i = n + 1; i < all->n; i++) {
			if (is_newer(all->items[i], all->items[newest]))
				newest = i;
		}
		struct json *swap = all->items[n];
		all->items[n] = all->items[newest];
		all->items[newest] = swap;
		json_push(list, all->items[n]);
	}
}

bool constraints_make(struct json **out, struct run *r, struct memory *m, const struct scope *s, struct err *e)
{
	static const char *const lists[] = {"blocked", "preferred", "reopened"};
	struct arena *a = r->arena;
	const struct json *own = json_get(r->manifest, "strategy_memory");
	struct json *document = memory_document(m, a, e), *j = json_object(a);
	if (!document)
		return false;
	const struct json *scopes = json_get(document, "scopes"), *global = json_get(scopes, s->key);
	struct gather g = {a, json_object(a)};
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		json_set_array(j, lists[i]);
	add_buckets(&g, json_get(own, "current_run"), "run");
	add_buckets(&g, global, "global");
	decide(j, &g, json_get(own, "reopened"), json_get(global, "reopened"));
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		sort_by_fingerprint(json_get(j, lists[i]));
	put_elsewhere(j, a, scopes, s);
	json_set_cstr(j, "scope", s->key);
	json_set(j, "blocked_fingerprints", constraints_fingerprints(j, "blocked", a));
	json_set(j, "preferred_fingerprints", constraints_fingerprints(j, "preferred", a));
	*out = j;
	return true;
}

const struct json *constraints_blocked(const struct json *constraints, const char *fingerprint)
{
	const struct json *list = json_get(constraints, "blocked");
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_is(json_str(list->items[i], "fingerprint", STR("")), fingerprint))
			return list->items[i];
	}
	return NULL;
}

const struct json *constraints_same(const struct json *constraints, const struct tags *t, struct arena *a)
{
	const struct json *list = json_get(constraints, "blocked");
	for (size_t i = 0; list && i < list->n; i++) {
		struct tags other;
		tags_from_json(&other, a, json_get(list->items[i], "tags"));
		if (tags_same_mechanisms(&other, t))
			return list->items[i];
	}
	return NULL;
}

struct json *constraints_fingerprints(const struct json *constraints, const char *list, struct arena *a)
{
	const struct json *from = json_get(constraints, list);
	struct json *out = json_array(a);
	for (size_t i = 0; from && i < from->n; i++)
		json_push_str(out, json_str(from->items[i], "fingerprint", STR("")));
	return out;
}
