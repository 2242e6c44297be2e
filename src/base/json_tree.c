/* The JSON tree: lookups and building.
 * In: an arena, keys, values.
 * Out: nodes that live in the arena.
 * Never: frees, parses or prints. */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/json_tree.h"

/* Up to this many members are compared one by one; above, a table of slots stands behind the members in the same
 * allocation (2 * cap entries of index + 1, 0 = empty; cap is a power of two). */
#define LINEAR_MAX 16

static uint32_t *index_of(const struct json *obj)
{
	return (uint32_t *)(void *)(obj->members + obj->cap);
}

/* FNV-1a with the address of the object as key and a final mix, so that a document cannot aim at collisions. */
static size_t first_slot(const struct json *obj, struct str key)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(uintptr_t)obj;
	for (size_t i = 0; i < key.n; i++)
		h = (h ^ (unsigned char)key.p[i]) * UINT64_C(0x100000001b3);
	h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 33;
	return (size_t)h & (2 * obj->cap - 1);
}

static struct json_member *find_member(const struct json *obj, struct str key)
{
	if (obj->cap <= LINEAR_MAX) {
		for (size_t i = 0; i < obj->n; i++) {
			if (str_eq(obj->members[i].key, key))
				return &obj->members[i];
		}
		return NULL;
	}
	const uint32_t *slots = index_of(obj);
	for (size_t i = first_slot(obj, key); slots[i] != 0; i = (i + 1) & (2 * obj->cap - 1)) {
		struct json_member *m = &obj->members[slots[i] - 1];
		if (str_eq(m->key, key))
			return m;
	}
	return NULL;
}

static void index_member(struct json *obj, size_t i_member)
{
	uint32_t *slots = index_of(obj);
	size_t i = first_slot(obj, obj->members[i_member].key);
	while (slots[i] != 0)
		i = (i + 1) & (2 * obj->cap - 1);
	slots[i] = (uint32_t)(i_member + 1);
}

static void grow_members(struct json *obj)
{
	size_t cap = obj->cap ? 2 * obj->cap : 4;
	if (cap > UINT32_MAX / 4)
		BUG("json object with 2^30 members");
	size_t extra = cap > LINEAR_MAX ? 2 * cap * sizeof(uint32_t) : 0;
	struct json_member *members = arena_alloc(obj->arena, cap * sizeof *members + extra);
	if (obj->n > 0)
		memcpy(members, obj->members, obj->n * sizeof *members);
	obj->members = members;
	obj->cap = cap;
	for (size_t i = 0; cap > LINEAR_MAX && i < obj->n; i++)
		index_member(obj, i);
}

static void append_member(struct json *obj, struct str key, struct json *value)
{
	if (obj->n == obj->cap)
		grow_members(obj);
	obj->members[obj->n] = (struct json_member){key, value};
	if (obj->cap > LINEAR_MAX)
		index_member(obj, obj->n);
	obj->n++;
}

bool json_add_member(struct json *obj, struct str key, struct json *value)
{
	if (find_member(obj, key))
		return false;
	append_member(obj, key, value);
	return true;
}

struct json *json_find(const struct json *j, struct str key)
{
	if (!j || j->type != JSON_OBJECT)
		return NULL;
	struct json_member *m = find_member(j, key);
	return m ? m->value : NULL;
}

struct json *json_get(const struct json *j, const char *key)
{
	return json_find(j, str_from(key));
}

struct json *json_at(const struct json *j, size_t i)
{
	return j && j->type == JSON_ARRAY && i < j->n ? j->items[i] : NULL;
}

struct json *json_path(const struct json *j, const char *path)
{
	struct str rest = str_from(path), key;
	struct json *at = NULL;
	while (str_split(&rest, '.', &key)) {
		uint64_t i;
		if (j && j->type == JSON_ARRAY)
			at = str_u64(key, &i) && i < j->n ? j->items[i] : NULL;
		else
			at = json_find(j, key);
		if (!at)
			return NULL;
		j = at;
	}
	return at;
}

bool json_is_number(const struct json *j)
{
	return j && (j->type == JSON_INT || j->type == JSON_UINT || j->type == JSON_REAL);
}

struct str json_str(const struct json *j, const char *key, struct str fallback)
{
	const struct json *v = json_get(j, key);
	return v && v->type == JSON_STRING ? v->text : fallback;
}

int64_t json_i64(const struct json *j, const char *key, int64_t fallback)
{
	const struct json *v = json_get(j, key);
	return v && v->type == JSON_INT ? v->i : fallback;
}

double json_f64(const struct json *j, const char *key, double fallback)
{
	const struct json *v = json_get(j, key);
	return json_is_number(v) ? v->real : fallback;
}

bool json_bool(const struct json *j, const char *key, bool fallback)
{
	const struct json *v = json_get(j, key);
	return v && v->type == JSON_BOOL ? v->boolean : fallback;
}

struct json *json_new(struct arena *a, enum json_type type)
{
	struct json *j = ARENA_NEW(a, struct json);
	j->type = type;
	j->arena = a;
	return j;
}

struct json *json_object(struct arena *a)
{
	return json_new(a, JSON_OBJECT);
}

struct json *json_array(struct arena *a)
{
	return json_new(a, JSON_ARRAY);
}

struct json *json_new_str(struct arena *a, struct str s)
{
	struct json *j = json_new(a, JSON_STRING);
	j->text = arena_str(a, s);
	return j;
}

struct json *json_new_i64(struct arena *a, int64_t v)
{
	struct json *j = json_new(a, JSON_INT);
	j->i = v;
	j->real = (double)v;
	return j;
}

struct json *json_new_u64(struct arena *a, uint64_t v)
{
	if (v <= INT64_MAX)
		return json_new_i64(a, (int64_t)v);
	struct json *j = json_new(a, JSON_UINT);
	j->u = v;
	j->real = (double)v;
	return j;
}

struct json *json_new_f64(struct arena *a, double v)
{
	if (!isfinite(v))
		return json_new_null(a);
	struct json *j = json_new(a, JSON_REAL);
	j->real = v;
	return j;
}

struct json *json_new_bool(struct arena *a, bool v)
{
	struct json *j = json_new(a, JSON_BOOL);
	j->boolean = v;
	return j;
}

struct json *json_new_null(struct arena *a)
{
	return json_new(a, JSON_NULL);
}

void json_put(struct json *obj, struct str key, struct json *value)
{
	if (obj->type != JSON_OBJECT)
		BUG("json_set on a value that is no object");
	if (!value)
		BUG("json_set with NULL: use json_new_null");
	struct json_member *m = find_member(obj, key);
	if (m)
		m->value = value;
	else
		append_member(obj, arena_str(obj->arena, key), value);
}

void json_set(struct json *obj, const char *key, struct json *value)
{
	json_put(obj, str_from(key), value);
}

void json_push(struct json *array, struct json *value)
{
	if (array->type != JSON_ARRAY)
		BUG("json_push on a value that is no array");
	if (!value)
		BUG("json_push with NULL: use json_new_null");
	if (array->n == array->cap) {
		size_t cap = array->cap ? 2 * array->cap : 8;
		struct json **items = ARENA_ARRAY(array->arena, cap, struct json *);
		if (array->n > 0)
			memcpy(items, array->items, array->n * sizeof *items);
		array->items = items;
		array->cap = cap;
	}
	array->items[array->n++] = value;
}

void json_set_str(struct json *obj, const char *key, struct str s)
{
	json_set(obj, key, json_new_str(obj->arena, s));
}

void json_set_cstr(struct json *obj, const char *key, const char *s)
{
	json_set(obj, key, s ? json_new_str(obj->arena, str_from(s)) : json_new_null(obj->arena));
}

void json_set_i64(struct json *obj, const char *key, int64_t v)
{
	json_set(obj, key, json_new_i64(obj->arena, v));
}

void json_set_u64(struct json *obj, const char *key, uint64_t v)
{
	json_set(obj, key, json_new_u64(obj->arena, v));
}

void json_set_f64(struct json *obj, const char *key, double v)
{
	json_set(obj, key, json_new_f64(obj->arena, v));
}

void json_set_bool(struct json *obj, const char *key, bool v)
{
	json_set(obj, key, json_new_bool(obj->arena, v));
}

void json_set_null(struct json *obj, const char *key)
{
	json_set(obj, key, json_new_null(obj->arena));
}

struct json *json_set_object(struct json *obj, const char *key)
{
	struct json *j = json_object(obj->arena);
	json_set(obj, key, j);
	return j;
}

struct json *json_set_array(struct json *obj, const char *key)
{
	struct json *j = json_array(obj->arena);
	json_set(obj, key, j);
	return j;
}

void json_push_str(struct json *array, struct str s)
{
	json_push(array, json_new_str(array->arena, s));
}

void json_push_f64(struct json *array, double v)
{
	json_push(array, json_new_f64(array->arena, v));
}

void json_push_i64(struct json *array, int64_t v)
{
	json_push(array, json_new_i64(array->arena, v));
}
