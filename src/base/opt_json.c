/* Option rows as JSON: a request to an options struct, and the schema of such requests.
 * In: an object whose keys are row names with _ for -, "args" and "dims".
 * Out: the struct, or one error that names the key; a JSON schema (draft 2020-12 words) that admits the same.
 * Never: sets a hidden row: those are for the program's own argv. */
#include "base/opt.h"

#include <math.h>
#include <string.h>

#include "base/opt_row.h"

static struct str row_name(struct arena *a, struct str key)
{
	char *name = arena_strndup(a, key.p, key.n);
	for (size_t i = 0; i < key.n; i++) {
		if (name[i] == '_')
			name[i] = '-';
		else if (name[i] == '-')
			name[i] = '_'; /* the key of a row is written with _ only */
	}
	return (struct str){name, key.n};
}

/* A string that C can hold: no NUL inside. */
static bool is_text(const struct json *v)
{
	return v->type == JSON_STRING && str_find_char(v->text, '\0') == SIZE_MAX;
}

/* 5 and 5.0 are the same number in JSON schema. */
static bool whole(const struct json *v, int64_t *out)
{
	if (v->type == JSON_INT) {
		*out = v->i;
		return true;
	}
	if (v->type != JSON_REAL || v->real != floor(v->real) || fabs(v->real) > 0x1p53)
		return false;
	*out = (int64_t)v->real;
	return true;
}

static bool all_text(const struct opt_sink *k, const char *shown, const struct json *v)
{
	if (v->type != JSON_ARRAY)
		return opt_fail(k, "\"%s\" must be an array of strings", shown);
	for (size_t i = 0; i < v->n; i++) {
		if (!is_text(v->items[i]))
			return opt_fail(k, "\"%s\": element %zu must be a string without NUL", shown, i);
	}
	return true;
}

static bool store_json(const struct opt_sink *k, const struct opt_row *r, const char *shown, const struct json *v)
{
	int64_t i;
	switch (r->type) {
	case OPT_FLAG:
		if (v->type != JSON_BOOL)
			return opt_fail(k, "\"%s\" must be true or false", shown);
		opt_store_flag(k, r, v->boolean);
		return true;
	case OPT_STRING:
	case OPT_ENUM:
		if (!is_text(v))
			return opt_fail(k, "\"%s\" must be a string without NUL", shown);
		return opt_store_text(k, r, shown, v->text);
	case OPT_I64:
		if (!whole(v, &i))
			return opt_fail(k, "\"%s\" must be a whole number of 64 bits", shown);
		return opt_store_i64(k, r, shown, i);
	case OPT_F64:
		if (!json_is_number(v))
			return opt_fail(k, "\"%s\" must be a number", shown);
		return opt_store_f64(k, r, shown, v->real);
	case OPT_LIST:
	case OPT_COMMAND:
		if (!all_text(k, shown, v))
			return false;
		for (size_t n = 0; n < v->n; n++)
			opt_push(k, r, v->items[n]->text);
		return true;
	}
	BUG("option type");
}

static bool store_args(const struct opt_sink *k, const struct json *v)
{
	if (!all_text(k, "args", v))
		return false;
	for (size_t i = 0; i < v->n; i++)
		opt_push_arg(k, v->items[i]->text);
	return true;
}

static bool store_dims(const struct opt_sink *k, const struct json *v)
{
	char text[STR_SHOWN];
	int64_t value;
	if (v->type != JSON_OBJECT)
		return opt_fail(k, "\"dims\" must be an object of whole numbers");
	for (size_t i = 0; i < v->n; i++) {
		struct str name = v->members[i].key;
		str_shown(text, name);
		if (!opt_is_dim_name(name))
			return opt_fail(k, "dim '%s': a name is a letter, then letters, digits or _, at most 63", text);
		if (!whole(v->members[i].value, &value))
			return opt_fail(k, "dim %s must be a whole number of 64 bits", text);
		if (!opt_add_dim(k, name, value))
			return false;
	}
	return true;
}

static bool store_member(const struct opt_sink *k, struct str key, const struct json *v)
{
	char text[STR_SHOWN];
	struct str name = row_name(k->arena, key);
	const struct opt_row *r = opt_find(k->spec, name);
	str_shown(text, key);
	if (r && !(r->flags & OPT_HIDDEN))
		return store_json(k, r, text, v);
	if (k->spec->positional && str_is(key, "args"))
		return store_args(k, v);
	if (k->spec->dims_offset != SIZE_MAX && str_is(key, "dims"))
		return store_dims(k, v);
	r = opt_nearest(k->spec, name, 1 + name.n / 4);
	if (r)
		return opt_fail(k, "unknown key \"%s\"; did you mean \"%s\"?", text, opt_key(k->arena, r));
	return opt_fail(k, "unknown key \"%s\" (see assay schema)", text);
}

bool opt_from_json(const struct opt_spec *s, void *options, struct arena *a, const struct json *j, struct err *e)
{
	struct opt_sink k = opt_sink_begin(s, options, a, ERR_INPUT, e);
	if (!j || j->type != JSON_OBJECT)
		return opt_fail(&k, "the options must be a JSON object");
	for (size_t i = 0; i < j->n; i++) {
		if (!store_member(&k, j->members[i].key, j->members[i].value))
			return false;
	}
	return opt_sink_end(&k, true);
}

static void add_bound(struct json *p, const struct opt_row *r, const char *key, double v)
{
	if (r->type == OPT_I64)
		json_set_i64(p, key, (int64_t)v);
	else
		json_set_f64(p, key, v);
}

static void string_array(struct json *p)
{
	json_set_cstr(p, "type", "array");
	json_set_cstr(json_set_object(p, "items"), "type", "string");
}

static void add_property(struct json *p, const struct opt_row *r)
{
	struct str rest, choice;
	json_set_cstr(p, "description", r->help);
	switch (r->type) {
	case OPT_FLAG:
		json_set_cstr(p, "type", "boolean");
		return;
	case OPT_STRING:
		json_set_cstr(p, "type", "string");
		return;
	case OPT_ENUM:
		json_set_cstr(p, "type", "string");
		json_set_array(p, "enum");
		rest = str_from(r->choices);
		while (str_split(&rest, '|', &choice))
			json_push_str(json_get(p, "enum"), choice);
		return;
	case OPT_I64:
	case OPT_F64:
		json_set_cstr(p, "type", r->type == OPT_I64 ? "integer" : "number");
		if (r->min == 0 && r->max == 0)
			return;
		add_bound(p, r, "minimum", r->min);
		if (r->max < 9e18)
			add_bound(p, r, "maximum", r->max);
		return;
	case OPT_LIST:
	case OPT_COMMAND:
		string_array(p);
		return;
	}
	BUG("option type");
}

struct json *opt_schema(const struct opt_spec *s, struct arena *a)
{
	struct json *schema = json_object(a), *required = json_array(a);
	json_set_cstr(schema, "type", "object");
	json_set_bool(schema, "additionalProperties", false);
	struct json *properties = json_set_object(schema, "properties");
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct opt_row *r = &s->rows[i];
		if (r->flags & OPT_HIDDEN)
			continue;
		const char *key = opt_key(a, r);
		add_property(json_set_object(properties, key), r);
		if (r->flags & OPT_REQUIRED)
			json_push_str(required, str_from(key));
	}
	if (s->positional) {
		struct json *args = json_set_object(properties, "args");
		json_set_cstr(args, "description", s->positional);
		string_array(args);
		json_set_u64(args, "minItems", s->min_args);
		if (s->max_args < INT32_MAX)
			json_set_u64(args, "maxItems", s->max_args);
		if (s->min_args > 0)
			json_push_str(required, STR("args"));
	}
	if (s->dims_offset != SIZE_MAX) {
		struct json *dims = json_set_object(properties, "dims");
		json_set_cstr(dims, "description", "sizes by name, as in {\"M\": 4096}");
		json_set_cstr(dims, "type", "object");
		json_set_cstr(json_set_object(dims, "additionalProperties"), "type", "integer");
	}
	json_set(schema, "required", required);
	return schema;
}
