/* The strategy memory as one document.
 * In: a database, or a document. Out: the other one.
 * The shape is the published one (docs/FORMATS.md, "Strategy memory") with members of ours.
 * Never: takes an entry whose outcome or fingerprint is not one. */
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "loop/memory_inside.h"

typedef bool each_row(struct memory *m, struct sql_query *q, struct json *out, struct err *e);

static bool for_rows(struct memory *m, const char *statement, each_row *each, struct json *out, struct err *e)
{
	struct sql_query q;
	bool has_row = true, ok;
	if (!sql_begin(&q, &m->sql, statement, e))
		return false;
	do {
		ok = sql_step(&q, &has_row, e) && (!has_row || each(m, &q, out, e));
		progress_tick();
	} while (ok && has_row);
	sql_end(&q);
	return ok;
}

static struct json *member(struct json *j, struct str key)
{
	struct json *found = json_find(j, key);
	if (!found) {
		found = json_object(j->arena);
		json_put(j, key, found);
	}
	return found;
}

static struct json *parse_column(struct memory *m, struct sql_query *q, int i, struct arena *a, struct err *e)
{
	return json_parse(a, m->sql.path, sql_text(q, i, a), JSON_STRICT, e);
}

static bool put_scope(struct memory *m, struct sql_query *q, struct json *scopes, struct err *e)
{
	struct arena *a = scopes->arena;
	struct json *meta = parse_column(m, q, 1, a, e), *x = member(scopes, sql_text(q, 0, a));
	if (!meta)
		return false;
	json_set(x, "meta", meta);
	for (size_t i = 0; i < COUNT_OF(memory_outcomes); i++)
		json_set_object(x, memory_outcomes[i]);
	return true;
}

static bool put_entry(struct memory *m, struct sql_query *q, struct json *scopes, struct err *e)
{
	struct arena *a = scopes->arena;
	struct json *data = parse_column(m, q, 3, a, e);
	if (!data)
		return false;
	struct json *bucket = member(member(scopes, sql_text(q, 0, a)), sql_text(q, 2, a));
	json_put(bucket, sql_text(q, 1, a), data);
	return true;
}

static bool put_reopened(struct memory *m, struct sql_query *q, struct json *scopes, struct err *e)
{
	struct arena *a = scopes->arena;
	struct json *data = parse_column(m, q, 2, a, e);
	if (!data)
		return false;
	json_put(member(member(scopes, sql_text(q, 0, a)), STR("reopened")), sql_text(q, 1, a), data);
	return true;
}

static bool put_run(struct memory *m, struct sql_query *q, struct json *runs, struct err *e)
{
	(void)m;
	(void)e;
	json_put(runs, sql_text(q, 0, runs->arena), json_new_i64(runs->arena, sql_i64(q, 1)));
	return true;
}

static bool put_state(struct memory *m, struct sql_query *q, struct json *out, struct err *e)
{
	struct str key = sql_text(q, 0, out->arena);
	(void)m;
	(void)e;
	if (str_is(key, "sequence"))
		json_set_i64(out, "sequence", sql_i64(q, 1));
	else if (str_is(key, "changed_at"))
		json_set_str(out, "updated_at", sql_text(q, 1, out->arena));
	return true;
}

struct json *memory_document(struct memory *m, struct arena *a, struct err *e)
{
	struct json *j = json_object(a), *scopes = json_object(a), *runs = json_object(a);
	json_set_cstr(j, "format", MEMORY_FORMAT);
	json_set_i64(j, "version", 1);
	json_set_cstr(j, "fingerprint_algo", "sha1-16");
	json_set(j, "scopes", scopes);
	json_set(j, "runs", runs);
	bool ok = for_rows(m, "SELECT key, value FROM state", put_state, j, e) &&
		  for_rows(m, "SELECT key, meta FROM scope", put_scope, scopes, e) &&
		  for_rows(m, "SELECT scope, fingerprint, outcome, data FROM entry", put_entry, scopes, e) &&
		  for_rows(m, "SELECT scope, fingerprint, data FROM reopened", put_reopened, scopes, e) &&
		  for_rows(m, "SELECT id, n_applied FROM run", put_run, runs, e);
	return ok ? j : NULL;
}

/* ---- taking a document in ---- */

struct take {
	struct memory *m;
	struct arena *arena;
	const char *scope, *updated_at;
	size_t n;
};

static bool refuse(const struct take *t, struct str fingerprint, const char *what, struct err *e)
{
	char shown[STR_SHOWN];
	return err_set(e, ERR_INPUT, "strategy memory: scopes.%s: \"%s\" %s", t->scope, str_shown(shown, fingerprint),
		       what);
}

static struct json *copy_of(struct arena *a, const struct json *j)
{
	struct json *out = json_object(a);
	for (size_t i = 0; i < j->n; i++)
		json_put(out, j->members[i].key, j->members[i].value);
	return out;
}

static struct str time_of(const struct take *t, const struct json *entry)
{
	return json_str(entry, "at", str_from(t->updated_at));
}

static bool take_entry(struct take *t, const struct json_member *x, const char *outcome, struct err *e)
{
	struct json *before;
	if (!fingerprint_is_valid(x->key))
		return refuse(t, x->key, "is no fingerprint (16 hex digits)", e);
	if (x->value->type != JSON_OBJECT || !json_get(x->value, "tags") ||
	    json_get(x->value, "tags")->type != JSON_ARRAY)
		return refuse(t, x->key, "is no entry: it has no list of tags", e);
	struct memory_key k = {t->scope, arena_strndup(t->arena, x->key.p, x->key.n), outcome};
	if (!memory_get(t->m, &k, &before, t->arena, e))
		return false;
	struct json *data = copy_of(t->arena, x->value);
	int64_t count = json_i64(data, "count", 1), old = json_i64(before, "count", 0);
	json_set_str(data, "at", time_of(t, x->value));
	if (before && str_cmp(time_of(t, before), time_of(t, x->value)) >= 0)
		data = copy_of(t->arena, before);
	json_set_i64(data, "count", count > old ? count : old);
	json_set_cstr(data, "last_outcome", outcome);
	if (!json_get(data, "sequence"))
		json_set_i64(data, "sequence", 0);
	t->n += !before;
	return memory_put(t->m, &k, data, e);
}

static bool take_bucket(struct take *t, const struct json *scope, const char *outcome, struct err *e)
{
	const struct json *bucket = json_get(scope, outcome);
	if (!bucket)
		return true;
	if (bucket->type != JSON_OBJECT)
		return refuse(t, str_from(outcome), "is no object", e);
	for (size_t i = 0; i < bucket->n; i++) {
		if (!take_entry(t, &bucket->members[i], outcome, e))
			return false;
	}
	return true;
}

static bool take_reopened(struct take *t, const struct json *scope, struct err *e)
{
	const struct json *list = json_get(scope, "reopened");
	for (size_t i = 0; list && list->type == JSON_OBJECT && i < list->n; i++) {
		const struct json_member *x = &list->members[i];
		if (!fingerprint_is_valid(x->key) || x->value->type != JSON_OBJECT)
			return refuse(t, x->key, "is no fingerprint that was opened again", e);
		if (!memory_put_reopened(t->m, t->scope, arena_strndup(t->arena, x->key.p, x->key.n), x->value, e))
			return false;
	}
	return true;
}

static bool take_scope(struct take *t, const struct json_member *x, struct err *e)
{
	struct json *meta = json_get(x->value, "meta");
	t->scope = arena_strndup(t->arena, x->key.p, x->key.n);
	if (x->value->type != JSON_OBJECT)
		return refuse(t, x->key, "is no scope", e);
	if (!meta || meta->type != JSON_OBJECT) { /* a published file says it only in the key: BACKEND__SOURCE__... */
		size_t end = str_find(x->key, STR("__"));
		meta = json_object(t->arena);
		json_set_str(meta, "backend", str_sub(x->key, 0, end == SIZE_MAX ? 0 : end));
		json_set_str(meta, "published_key", x->key);
	}
	if (!memory_put_scope(t->m, t->scope, meta, e))
		return false;
	for (size_t i = 0; i < COUNT_OF(memory_outcomes); i++) {
		if (!take_bucket(t, x->value, memory_outcomes[i], e))
			return false;
	}
	return take_reopened(t, x->value, e);
}

static bool take_runs(struct take *t, const struct json *runs, struct err *e)
{
	for (size_t i = 0; runs && runs->type == JSON_OBJECT && i < runs->n; i++) {
		const struct json_member *x = &runs->members[i];
		if (x->value->type == JSON_INT &&
		    !memory_put_run(t->m, arena_strndup(t->arena, x->key.p, x->key.n), x->value->i, e))
			return false;
	}
	return true;
}

/* The number goes on after that of the document, so that it never falls. */
static bool take_sequence(struct take *t, const struct json *document, struct err *e)
{
	struct sql_query q;
	int64_t sequence;
	if (!sql_begin(&q, &t->m->sql, "UPDATE state SET value = max(value, ?1) WHERE key = 'sequence'", e))
		return false;
	sql_bind_i64(&q, 1, json_i64(document, "sequence", 0));
	char now[25];
	clock_utc_iso(now);
	return sql_finish(&q, e) && memory_next(t->m, &sequence, now, e);
}

bool memory_take(struct memory *m, const struct json *document, size_t *n_taken, struct err *e)
{
	struct arena a;
	const struct json *scopes = json_get(document, "scopes");
	if (!scopes || scopes->type != JSON_OBJECT || json_i64(document, "version", 1) != 1)
		return err_set(e, ERR_INPUT, "no strategy memory: an object with version 1 and scopes is wanted");
	arena_init(&a);
	struct str at = json_str(document, "updated_at", STR(""));
	struct take t = {.m = m, .arena = &a, .updated_at = arena_strndup(&a, at.p, at.n)};
	bool ok = true;
	for (size_t i = 0; ok && i < scopes->n; i++)
		ok = take_scope(&t, &scopes->members[i], e);
	ok = ok && take_runs(&t, json_get(document, "runs"), e) && take_sequence(&t, document, e);
	*n_taken = t.n;
	arena_release(&a);
	return ok;
}

bool memory_import(struct memory *m, const struct json *document, size_t *n_taken, struct err *e)
{
	*n_taken = 0;
	return memory_change(m, e) && memory_done(m, memory_take(m, document, n_taken, e), e);
}

bool memory_verify(struct memory *m, bool *is_equal, struct err *e)
{
	struct arena a;
	struct buf now;
	struct str mirror = STR("");
	if (!memory_change(m, e))
		return false;
	arena_init(&a);
	buf_init(&now);
	struct json *document = memory_document(m, &a, e);
	if (document)
		json_write(&now, document, JSON_PRETTY);
	bool ok = document && file_read(&a, &mirror, m->mirror, 256u << 20, e);
	*is_equal = ok && str_eq(mirror, buf_view(&now));
	buf_release(&now);
	ok = memory_done(m, ok, e);
	arena_release(&a);
	return ok;
}
