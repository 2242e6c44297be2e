/* Closed JSON objects.
 * In: a tree and a line of member names with types. Out: yes, or an error that names the place.
 * Used for requests, driver results and records alike.
 * Never: changes what it looks at. */
#include "protocol/shape.h"

#include <math.h>
#include <string.h>

static const char *type_text(char t)
{
	switch (t) {
	case 's':
		return "a string that is not empty";
	case 'n':
		return "a number";
	case 'i':
		return "a whole number";
	case 'b':
		return "true or false";
	case 'o':
		return "an object";
	case 'a':
		return "an array";
	case 'S':
		return "an array of strings";
	default:
		return "a string or null";
	}
}

static bool is_string(const struct json *j)
{
	return j->type == JSON_STRING && j->text.n > 0;
}

static bool all_strings(const struct json *j)
{
	if (j->type != JSON_ARRAY)
		return false;
	for (size_t i = 0; i < j->n; i++) {
		if (!is_string(j->items[i]))
			return false;
	}
	return true;
}

static bool has_type(const struct json *j, char t)
{
	switch (t) {
	case 's':
		return is_string(j);
	case 'n':
		return json_is_number(j) && isfinite(j->real);
	case 'i':
		return j->type == JSON_INT || j->type == JSON_UINT;
	case 'b':
		return j->type == JSON_BOOL;
	case 'o':
		return j->type == JSON_OBJECT;
	case 'a':
		return j->type == JSON_ARRAY;
	case 'S':
		return all_strings(j);
	case 'z':
		return j->type == JSON_NULL || is_string(j);
	default:
		return true;
	}
}

struct word {
	struct str name;
	char type;
	bool may_miss;
};

static bool next_word(struct str *rest, struct word *out)
{
	struct str s;
	if (!str_split(rest, ' ', &s))
		return false;
	out->may_miss = str_starts(s, "?");
	if (out->may_miss)
		s = str_sub(s, 1, s.n);
	size_t colon = str_find_char(s, ':');
	if (colon == SIZE_MAX || colon + 1 >= s.n)
		BUG("a shape without a type");
	out->name = str_sub(s, 0, colon);
	out->type = s.p[colon + 1];
	return true;
}

static bool is_known(const char *members, struct str key)
{
	struct str rest = str_from(members);
	struct word w;
	while (next_word(&rest, &w)) {
		if (str_eq(w.name, key))
			return true;
	}
	return false;
}

bool shape_check(const struct json *j, const char *where, const char *members, struct err *e)
{
	struct str rest = str_from(members);
	struct word w;
	char shown[STR_SHOWN];
	if (!j || j->type != JSON_OBJECT)
		return err_set(e, ERR_INPUT, "%s: an object is wanted", where);
	while (next_word(&rest, &w)) {
		const struct json *x = json_find(j, w.name);
		if (!x && !w.may_miss)
			return err_set(e, ERR_INPUT, "%s: \"%.*s\" is missing", where, STR_ARG(w.name));
		if (x && !has_type(x, w.type))
			return err_set(e, ERR_INPUT, "%s.%.*s: %s is wanted", where, STR_ARG(w.name),
				       type_text(w.type));
	}
	for (size_t i = 0; i < j->n; i++) {
		if (!is_known(members, j->members[i].key))
			return err_set(e, ERR_INPUT, "%s: \"%s\" is no field of it", where,
				       str_shown(shown, j->members[i].key));
	}
	return true;
}

bool shape_text(const struct json *j, const char *where, const char *key, size_t most, struct err *e)
{
	struct str s = json_str(j, key, STR(""));
	if (s.n == 0)
		return err_set(e, ERR_INPUT, "%s.%s: a string that is not empty is wanted", where, key);
	return s.n <= most || err_set(e, ERR_INPUT, "%s.%s: %zu bytes, at most %zu", where, key, s.n, most);
}

bool shape_word(const struct json *j, const char *where, const char *key, const char *words, struct err *e)
{
	struct str rest = str_from(words), one, s = json_str(j, key, STR(""));
	char shown[STR_SHOWN];
	while (str_split(&rest, '|', &one)) {
		if (str_eq(one, s))
			return true;
	}
	return err_set(e, ERR_INPUT, "%s.%s: \"%s\" is none of %s", where, key, str_shown(shown, s), words);
}

bool shape_number(const struct json *j, const char *where, const char *key, struct shape_range r, struct err *e)
{
	const struct json *x = json_get(j, key);
	if (!x || !json_is_number(x) || !isfinite(x->real))
		return err_set(e, ERR_INPUT, "%s.%s: a number is wanted", where, key);
	if (x->real < r.least || x->real > r.most || (r.is_open && x->real <= r.least))
		return err_set(e, ERR_INPUT, "%s.%s: %g is outside %s%g..%g", where, key, x->real,
			       r.is_open ? "above " : "", r.least, r.most);
	return true;
}

bool shape_names(const struct json *array, const char *where, size_t n_min, struct err *e)
{
	if (!array || !all_strings(array))
		return err_set(e, ERR_INPUT, "%s: an array of strings is wanted", where);
	if (array->n < n_min)
		return err_set(e, ERR_INPUT, "%s: at least %zu wanted, %zu given", where, n_min, array->n);
	for (size_t i = 0; i < array->n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (str_eq(array->items[i]->text, array->items[k]->text))
				return err_set(e, ERR_INPUT, "%s: \"%.60s\" twice", where, array->items[i]->text.p);
		}
	}
	return true;
}

bool shape_same(const struct json *a, const struct json *b)
{
	struct buf x, y;
	if (!a || !b)
		return false;
	buf_init(&x);
	buf_init(&y);
	json_write(&x, a, JSON_COMPACT);
	json_write(&y, b, JSON_COMPACT);
	bool same = str_eq(buf_view(&x), buf_view(&y));
	buf_release(&x);
	buf_release(&y);
	return same;
}

bool shape_holds(const struct json *array, struct str word)
{
	for (size_t i = 0; array && i < array->n; i++) {
		if (array->items[i]->type == JSON_STRING && str_eq(array->items[i]->text, word))
			return true;
	}
	return false;
}

static bool is_digest(struct str s)
{
	return s.n == 64 && strspn(s.p, "0123456789abcdef") >= 64;
}

bool shape_ref(const struct json *j, const char *where, const char *id_key, struct err *e)
{
	char members[64];
	snprintf(members, sizeof(members), "%s:s sha256:s", id_key);
	if (!shape_check(j, where, members, e))
		return false;
	if (strchr(json_str(j, id_key, STR("")).p, '/') || json_str(j, id_key, STR("")).p[0] == '.')
		return err_set(e, ERR_INPUT, "%s.%s: is no id", where, id_key);
	return is_digest(json_str(j, "sha256", STR(""))) ||
	       err_set(e, ERR_INPUT, "%s.sha256: 64 hexadecimal digits are wanted", where);
}

struct json *shape_copy(struct arena *a, const struct json *j)
{
	if (j->type == JSON_OBJECT) {
		struct json *x = json_object(a);
		for (size_t i = 0; i < j->n; i++)
			json_put(x, j->members[i].key, shape_copy(a, j->members[i].value));
		return x;
	}
	if (j->type == JSON_ARRAY) {
		struct json *x = json_array(a);
		for (size_t i = 0; i < j->n; i++)
			json_push(x, shape_copy(a, j->items[i]));
		return x;
	}
	struct json *x = ARENA_NEW(a, struct json);
	*x = *j;
	x->arena = a;
	x->text = arena_str(a, j->text);
	return x;
}

static bool is_whole(struct str s)
{
	return !s.n || !memchr(s.p, 0, s.n);
}

bool shape_texts(const struct json *j, struct err *e)
{
	char shown[STR_SHOWN];
	struct str bad = {0};
	if (j->type == JSON_STRING && !is_whole(j->text))
		bad = j->text;
	for (size_t i = 0; j->type == JSON_OBJECT && i < j->n; i++) {
		if (!is_whole(j->members[i].key))
			bad = j->members[i].key;
		else if (!shape_texts(j->members[i].value, e))
			return false;
	}
	for (size_t i = 0; j->type == JSON_ARRAY && i < j->n; i++) {
		if (!shape_texts(j->items[i], e))
			return false;
	}
	return !bad.n || err_set(e, ERR_INPUT, "\"%s\": holds the character U+0000", str_shown(shown, bad));
}
