/* Sets of configurations.
 * In: a JSON file. Out: configurations with ids and compiler switches.
 * Order: the product of the parameters, the first one slowest, then the configurations that are named.
 * Never: more than the set's own bound; a switch that a compiler would read as two. */
#include "operator/config_set.h"

#include <string.h>

#include "base/expr.h"
#include "base/file.h"

struct reading {
	struct config_set *out;
	struct arena *arena;
	const struct json *doc;
	int64_t most;
	struct err *e;
};

static bool is_macro(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
		if (!is_letter && !(i > 0 && c >= '0' && c <= '9'))
			return false;
	}
	return s.n > 0 && s.n <= 64;
}

/* One word of a command line that no shell reads. */
static bool is_word(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] <= ' ' || s.p[i] > '~' || strchr("\"'\\", s.p[i]))
			return false;
	}
	return s.n > 0 && s.n <= 200;
}

static bool check_value(struct reading *r, struct str name, const struct json *v)
{
	const char *path = r->out->path;
	if (!is_macro(name))
		return err_set(r->e, ERR_INPUT, "%s: '%.*s' is no name of a macro", path, STR_ARG(name));
	if (v->type == JSON_INT || (v->type == JSON_STRING && is_word(v->text)))
		return true;
	return err_set(
		r->e, ERR_INPUT,
		"%s: a value of '%.*s' is neither a whole number nor a text without blanks, quotes and backslashes",
		path, STR_ARG(name));
}

static struct str text_of(struct arena *a, const struct json *v)
{
	return v->type == JSON_STRING ? v->text : str_from(arena_printf(a, "%lld", (long long)v->i));
}

static bool lookup(void *ctx, struct str name, struct expr_value *out)
{
	const struct json *v = json_find(ctx, name);
	if (!v)
		return false;
	*out = v->type == JSON_STRING ? (struct expr_value){.type = EXPR_STRING, .text = v->text}
				      : (struct expr_value){.type = EXPR_INT, .i = v->i};
	return true;
}

/* Whether all of "where" holds. */
static bool holds(struct reading *r, struct json *values, bool *is)
{
	const struct json *where = json_get(r->doc, "where");
	*is = true;
	for (size_t i = 0; where && i < where->n && *is; i++) {
		struct expr_value v;
		struct err bad;
		struct expr *x =
			where->items[i]->type == JSON_STRING ? expr_parse(r->arena, where->items[i]->text, &bad) : NULL;
		if (where->items[i]->type != JSON_STRING)
			return err_set(r->e, ERR_INPUT, "%s: where[%zu] is no text", r->out->path, i);
		if (!x || !expr_eval(x, lookup, values, &v, &bad))
			return err_set(r->e, ERR_INPUT, "%s: where[%zu]: %s", r->out->path, i, bad.text);
		if (v.type != EXPR_BOOL)
			return err_set(r->e, ERR_INPUT, "%s: where[%zu] is no condition: %.*s", r->out->path, i,
				       STR_ARG(where->items[i]->text));
		*is = v.boolean;
	}
	return true;
}

static const char *switches_of(struct arena *a, const struct json *values, const char *before, const char *between)
{
	const char *text = "";
	for (size_t i = 0; i < values->n; i++)
		text = arena_printf(a, "%s%s%s%.*s=%.*s", text, i ? between : "", before,
				    STR_ARG(values->members[i].key), STR_ARG(text_of(a, values->members[i].value)));
	return text;
}

static bool add(struct reading *r, struct json *values, struct str id)
{
	struct config_set *s = r->out;
	struct config c = {.switches = switches_of(r->arena, values, "-D", " "), .values = values};
	c.id = id.n ? arena_strndup(r->arena, id.p, id.n) : switches_of(r->arena, values, "", ",");
	for (size_t i = 0; i < s->n; i++) {
		bool is_id = strcmp(s->items[i].id, c.id) == 0;
		if (is_id || strcmp(s->items[i].switches, c.switches) == 0)
			return err_set(r->e, ERR_INPUT, "%s: configuration '%s' has the %s of '%s'", s->path, c.id,
				       is_id ? "id" : "values", s->items[i].id);
	}
	if (s->n >= (size_t)r->most)
		return err_set(
			r->e, ERR_INPUT,
			"%s: more than %lld configurations; \"most\" (up to %d) says how many may be built, \"where\" "
			"leaves some out",
			s->path, (long long)r->most, CONFIG_SET_LIMIT);
	s->items[s->n++] = c;
	return true;
}

/* The product; `at` counts through it like digits. */
static bool add_product(struct reading *r, const struct json *parameters)
{
	size_t *at = ARENA_ARRAY(r->arena, parameters->n + 1, size_t), n = parameters->n, k;
	memset(at, 0, n * sizeof(*at));
	while (n) {
		struct json *values = json_object(r->arena);
		bool is;
		for (size_t i = 0; i < n; i++)
			json_put(values, parameters->members[i].key, parameters->members[i].value->items[at[i]]);
		if (!holds(r, values, &is) || (is && !add(r, values, STR(""))))
			return false;
		r->out->n_excluded += !is;
		for (k = n; k > 0 && ++at[k - 1] == parameters->members[k - 1].value->n; k--)
			at[k - 1] = 0;
		if (k == 0)
			break;
	}
	return true;
}

static bool read_parameters(struct reading *r)
{
	const struct json *p = json_get(r->doc, "parameters");
	double product = 1;
	if (!p)
		return true;
	if (p->type != JSON_OBJECT)
		return err_set(r->e, ERR_INPUT, "%s: \"parameters\" is no object", r->out->path);
	for (size_t i = 0; i < p->n; i++) {
		const struct json *v = p->members[i].value;
		if (v->type != JSON_ARRAY || v->n == 0)
			return err_set(r->e, ERR_INPUT, "%s: parameters.%.*s is no list of values", r->out->path,
				       STR_ARG(p->members[i].key));
		for (size_t k = 0; k < v->n; k++) {
			if (!check_value(r, p->members[i].key, v->items[k]))
				return false;
		}
		product *= (double)v->n;
	}
	if (product > 65536)
		return err_set(r->e, ERR_INPUT,
			       "%s: the product of the parameters is %.0f configurations; at most 65536 are looked at",
			       r->out->path, product);
	return add_product(r, p);
}

static bool read_named(struct reading *r)
{
	const struct json *list = json_get(r->doc, "configurations");
	if (list && list->type != JSON_ARRAY)
		return err_set(r->e, ERR_INPUT, "%s: \"configurations\" is no list", r->out->path);
	for (size_t i = 0; list && i < list->n; i++) {
		const struct json *x = list->items[i];
		struct json *values = json_object(r->arena);
		if (x->type != JSON_OBJECT)
			return err_set(r->e, ERR_INPUT, "%s: configurations[%zu] is no object", r->out->path, i);
		for (size_t k = 0; k < x->n; k++) {
			if (str_is(x->members[k].key, "id"))
				continue;
			if (!check_value(r, x->members[k].key, x->members[k].value))
				return false;
			json_put(values, x->members[k].key, x->members[k].value);
		}
		struct str id = json_str(x, "id", STR(""));
		if (json_get(x, "id") && !is_word(id))
			return err_set(r->e, ERR_INPUT,
				       "%s: the id of configurations[%zu] is no text without blanks and quotes",
				       r->out->path, i);
		if (!add(r, values, values->n || id.n ? id : STR("default")))
			return false;
	}
	return true;
}

static bool check_keys(struct reading *r)
{
	static const char *const keys[] = {"format", "parameters", "where", "configurations", "fallback", "most"};
	const struct json *where = json_get(r->doc, "where"), *most = json_get(r->doc, "most");
	for (size_t i = 0; i < r->doc->n; i++) {
		bool is_known = false;
		for (size_t k = 0; k < COUNT_OF(keys); k++)
			is_known = is_known || str_is(r->doc->members[i].key, keys[k]);
		if (!is_known)
			return err_set(r->e, ERR_INPUT,
				       "%s: unknown key \"%.*s\"; format, parameters, where, configurations, fallback "
				       "and most "
				       "are known",
				       r->out->path, STR_ARG(r->doc->members[i].key));
	}
	if (where && where->type != JSON_ARRAY)
		return err_set(r->e, ERR_INPUT, "%s: \"where\" is no list of conditions", r->out->path);
	r->most = most ? json_i64(r->doc, "most", 0) : CONFIG_SET_MOST;
	if (r->most < 1 || r->most > CONFIG_SET_LIMIT)
		return err_set(r->e, ERR_INPUT, "%s: \"most\" is no whole number from 1 to %d", r->out->path,
			       CONFIG_SET_LIMIT);
	return true;
}

static bool find_fallback(struct reading *r)
{
	struct str id = json_str(r->doc, "fallback", STR(""));
	if (!json_get(r->doc, "fallback"))
		return true;
	for (size_t i = 0; i < r->out->n; i++) {
		if (str_is(id, r->out->items[i].id)) {
			r->out->i_fallback = i;
			return true;
		}
	}
	return err_set(r->e, ERR_INPUT, "%s: fallback '%.*s' is the id of no configuration (%s, ...)", r->out->path,
		       STR_ARG(id), r->out->items[0].id);
}

bool config_set_read(struct config_set *out, struct arena *a, const char *path, struct err *e)
{
	struct reading r = {.out = out, .arena = a, .e = e};
	*out = (struct config_set){.path = path, .items = ARENA_ARRAY(a, CONFIG_SET_LIMIT, struct config)};
	r.doc = json_read_file(a, path, JSON_STRICT, e);
	if (!r.doc)
		return false;
	if (r.doc->type != JSON_OBJECT || !str_is(json_str(r.doc, "format", STR("")), "assay/config-set-v1"))
		return err_set(e, ERR_INPUT, "%s: no set of configurations: its format is not \"assay/config-set-v1\"",
			       path);
	if (!check_keys(&r) || !read_parameters(&r) || !read_named(&r))
		return false;
	if (!out->n)
		return err_set(e, ERR_INPUT, "%s: it holds no configuration%s", path,
			       out->n_excluded ? "; \"where\" leaves all of them out" : "");
	return find_fallback(&r);
}

const char *config_set_beside(struct arena *a, const char *kernel)
{
	const char *path = path_join(a, path_dir(a, kernel), arena_printf(a, "%s.set.json", path_stem(a, kernel)));
	return file_exists(path) ? path : NULL;
}

struct json *config_set_json(const struct config_set *s, struct arena *a)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < s->n; i++) {
		struct json *x = json_object(a);
		json_set_cstr(x, "id", s->items[i].id);
		json_set_cstr(x, "switches", s->items[i].switches);
		json_set(x, "values", s->items[i].values);
		json_push(list, x);
	}
	return list;
}
