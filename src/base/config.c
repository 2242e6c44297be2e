/* Configuration.
 * In: a file of lines, the environment, the option rows of all verbs.
 * Out: entries that name a row each, put into an options struct on request.
 * Never: sets a row that is not OPT_SETTABLE; guesses a name. */
#include "base/config.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/opt_row.h"
#include "base/utf8.h"

extern char **environ;

enum { FILE_MOST = 1 << 16 };

void config_init(struct config *out, struct arena *a, const struct opt_spec *const *specs, size_t n)
{
	const char *own = getenv("ASSAY_CONFIG"), *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	*out = (struct config){.arena = a, .specs = specs, .n_specs = n};
	if (own && own[0])
		out->path = own;
	else if (xdg && xdg[0] == '/') /* a relative one is to be ignored: XDG base directory specification 0.8 */
		out->path = path_join(a, xdg, "assay/config");
	else if (home && home[0])
		out->path = path_join(a, home, ".config/assay/config");
}

static bool is_settable(const struct opt_row *r)
{
	return (r->flags & OPT_SETTABLE) && !(r->flags & OPT_HIDDEN) && r->type != OPT_COMMAND;
}

static const struct opt_spec *spec_of(const struct config *c, struct str verb)
{
	for (size_t i = 0; i < c->n_specs; i++) {
		if (str_is(verb, c->specs[i]->verb))
			return c->specs[i];
	}
	return NULL;
}

/* ---- values ---- */

/* Stores the value at the row; messages begin with `origin`. */
static bool store(const struct config *c, const struct opt_spec *s, const struct opt_row *r, void *options,
		  const struct config_entry *x, struct err *e)
{
	static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
	struct opt_spec named = *s;
	named.verb = x->origin; /* what messages begin with */
	struct opt_sink k = opt_sink_begin(&named, options, c->arena, ERR_USAGE, e);
	char text[STR_SHOWN];
	if (r->type != OPT_FLAG)
		return opt_store_text(&k, r, x->key, x->value);
	for (size_t i = 0; i < COUNT_OF(yes); i++) {
		if (str_is(x->value, yes[i]) || str_is(x->value, no[i])) {
			opt_store_flag(&k, r, str_is(x->value, yes[i]));
			return true;
		}
	}
	return opt_fail(&k, "%s: '%s' is neither true nor false", x->key, str_shown(text, x->value));
}

/* The value fits every row that it would set. */
static bool check(const struct config *c, const struct config_entry *x, struct err *e)
{
	for (size_t i = 0; i < c->n_specs; i++) {
		const struct opt_spec *s = c->specs[i];
		const struct opt_row *r = opt_find(s, str_from(x->option));
		if (!r || !is_settable(r) || (x->verb && strcmp(x->verb, s->verb) != 0))
			continue;
		if (!store(c, s, r, arena_alloc(c->arena, s->options_size), x, e))
			return false;
	}
	return true;
}

/* ---- names ---- */

static void nearer(struct str name, const char *candidate, const char **best, size_t *least)
{
	struct str whole = str_from(candidate);
	bool begun = name.n >= 3 && name.n < whole.n && memcmp(name.p, whole.p, name.n) == 0;
	size_t distance = begun ? 1 : str_distance(name, whole);
	if (distance < *least || (distance == *least && !*best)) {
		*least = distance;
		*best = candidate;
	}
}

static const char *nearest_verb(const struct config *c, struct str name)
{
	const char *best = NULL;
	size_t least = 1 + name.n / 4;
	for (size_t i = 0; i < c->n_specs; i++)
		nearer(name, c->specs[i]->verb, &best, &least);
	return best;
}

static const char *nearest_option(const struct config *c, const struct opt_spec *only, struct str name)
{
	const char *best = NULL;
	size_t least = 1 + name.n / 4;
	for (size_t i = 0; i < c->n_specs; i++) {
		for (size_t k = 0; k < c->specs[i]->n_rows && (!only || only == c->specs[i]); k++) {
			if (is_settable(&c->specs[i]->rows[k]))
				nearer(name, c->specs[i]->rows[k].name, &best, &least);
		}
	}
	return best;
}

static bool unknown_verb(const struct config *c, struct str verb, const char *origin, struct err *e)
{
	char text[STR_SHOWN];
	const char *near = nearest_verb(c, verb);
	return err_set(e, ERR_USAGE, "%s: there is no verb '%s'%s%s%s; assay --help lists them", origin,
		       str_shown(text, verb), near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool unknown_option(const struct config *c, const struct opt_spec *only, struct str name, const char *origin,
			   struct err *e)
{
	char text[STR_SHOWN];
	const char *near = nearest_option(c, only, name), *of = only ? only->verb : "any verb";
	for (size_t i = 0; i < c->n_specs; i++) {
		if ((!only || only == c->specs[i]) && opt_find(c->specs[i], name))
			return err_set(e, ERR_USAGE,
				       "%s: '%s' of %s belongs to what one call asks for: a configuration does not set "
				       "it; give it with the call",
				       origin, str_shown(text, name), c->specs[i]->verb);
	}
	return err_set(e, ERR_USAGE, "%s: '%s' is no option of %s%s%s%s; assay config --explain lists them", origin,
		       str_shown(text, name), of, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* "noise", "bench.noise" to verb and option. */
static bool take_key(const struct config *c, struct config_entry *out, struct str key, const char *origin,
		     struct err *e)
{
	size_t dot = str_find_char(key, '.');
	struct str name = dot == SIZE_MAX ? key : str_sub(key, dot + 1, key.n), verb = str_sub(key, 0, dot);
	const struct opt_spec *only = dot == SIZE_MAX ? NULL : spec_of(c, verb);
	if (dot != SIZE_MAX && !only)
		return unknown_verb(c, verb, origin, e);
	for (size_t i = 0; i < c->n_specs; i++) {
		const struct opt_row *r = !only || only == c->specs[i] ? opt_find(c->specs[i], name) : NULL;
		if (!r || !is_settable(r))
			continue;
		out->key = arena_strndup(c->arena, key.p, key.n);
		out->verb = only ? only->verb : NULL;
		out->option = r->name;
		return true;
	}
	return unknown_option(c, only, name, origin, e);
}

bool config_read_line(const struct config *c, struct config_entry *out, struct str line, const char *origin,
		      struct err *e)
{
	char text[STR_SHOWN];
	size_t equals = str_find_char(line, '=');
	*out = (struct config_entry){.origin = origin};
	if (!utf8_is_valid(line) || str_find_char(line, '\0') != SIZE_MAX)
		return err_set(e, ERR_USAGE, "%s: is no text in UTF-8", origin);
	struct str key = str_trim(str_sub(line, 0, equals));
	if (equals == SIZE_MAX || key.n == 0)
		return err_set(e, ERR_USAGE, "%s: '%s': a line is `option = value` or `verb.option = value`", origin,
			       str_shown(text, str_trim(line)));
	out->value = arena_str(c->arena, str_trim(str_sub(line, equals + 1, line.n)));
	if (!take_key(c, out, key, origin, e))
		return false;
	if (out->value.n == 0)
		return err_set(e, ERR_USAGE, "%s: %s has no value; a line that begins with # is none", origin,
			       out->key);
	return check(c, out, e);
}

bool config_read_key(const struct config *c, struct config_entry *out, const char *key, struct err *e)
{
	*out = (struct config_entry){.origin = "config"};
	return take_key(c, out, str_from(key), "config", e);
}

/* ---- reading ---- */

static void push(struct config *c, const struct config_entry *x)
{
	if ((c->n & (c->n - 1)) == 0) {
		struct config_entry *grown = ARENA_ARRAY(c->arena, c->n ? 2 * c->n : 1, struct config_entry);
		if (c->n)
			memcpy(grown, c->items, c->n * sizeof(*grown));
		c->items = grown;
	}
	c->items[c->n++] = *x;
}

static bool is_set(const char *key, const struct config *c, const struct config_entry **before)
{
	for (size_t i = 0; i < c->n; i++) {
		*before = &c->items[i];
		if (strcmp(c->items[i].key, key) == 0)
			return true;
	}
	return false;
}

static bool is_comment(struct str line)
{
	struct str text = str_trim(line);
	return text.n == 0 || text.p[0] == '#';
}

static bool load_file(struct config *c, struct err *e)
{
	struct str text, line;
	const struct config_entry *before;
	if (!c->path || (!file_exists(c->path) && !getenv("ASSAY_CONFIG")))
		return true;
	if (!file_read(c->arena, &text, c->path, FILE_MOST, e)) {
		e->code = ERR_USAGE;
		return false;
	}
	if (str_starts(text, "\xef\xbb\xbf")) /* a byte order mark, which some editors write */
		text = str_sub(text, 3, text.n);
	for (size_t n = 1; text.n && str_split(&text, '\n', &line); n++) {
		struct config_entry x;
		if (is_comment(line))
			continue;
		if (!config_read_line(c, &x, line, arena_printf(c->arena, "%s:%zu", c->path, n), e))
			return false;
		if (is_set(x.key, c, &before))
			return err_set(e, ERR_USAGE, "%s: %s is set in line %zu already", x.origin, x.key,
				       before->line);
		x.line = n;
		push(c, &x);
	}
	return true;
}

const char *config_variable(struct arena *a, const char *verb, const char *option)
{
	char *name = arena_printf(a, "ASSAY_%s%s%s", verb ? verb : "", verb ? "__" : "", option);
	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
	return name;
}

static bool load_variable(struct config *c, const char *verb, const struct opt_row *r, struct err *e)
{
	const char *name = config_variable(c->arena, verb, r->name), *value = getenv(name);
	const struct config_entry *before;
	const char *key = verb ? arena_printf(c->arena, "%s.%s", verb, r->name) : r->name;
	if (!value || !value[0] || is_set(key, c, &before))
		return true;
	struct config_entry x = {.key = key,
				 .verb = verb,
				 .option = r->name,
				 .value = arena_str(c->arena, str_from(value)),
				 .origin = name};
	if (!check(c, &x, e))
		return false;
	push(c, &x);
	return true;
}

/* "BENCH" of ASSAY_BENCH__NOISE; NULL: no verb, so the variable may be somebody else's. */
static const struct opt_spec *spec_named(const struct config *c, struct str upper)
{
	for (size_t i = 0; i < c->n_specs; i++) {
		const char *name = config_variable(c->arena, NULL, c->specs[i]->verb);
		if (str_is(upper, name + strlen("ASSAY_")))
			return c->specs[i];
	}
	return NULL;
}

/* A variable that names a verb and no option of it is a slip of the pen, as in the file. */
static bool check_variables(const struct config *c, struct err *e)
{
	for (size_t i = 0; environ[i]; i++) {
		struct str line = str_from(environ[i]), name = str_sub(line, 0, str_find_char(line, '='));
		size_t at = str_starts(name, "ASSAY_") ? str_find(name, STR("__")) : SIZE_MAX;
		const struct opt_spec *s = at == SIZE_MAX ? NULL : spec_named(c, str_sub(name, 6, at - 6));
		bool is_known = !s || name.n == line.n || name.n + 1 == line.n; /* an empty one says nothing */
		for (size_t k = 0; !is_known && k < s->n_rows; k++)
			is_known = is_settable(&s->rows[k]) &&
				   str_is(name, config_variable(c->arena, s->verb, s->rows[k].name));
		if (is_known)
			continue;
		char *option = arena_strndup(c->arena, name.p + at + 2, name.n - at - 2);
		for (char *p = option; *p; p++)
			*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
		return unknown_option(c, s, str_from(option), arena_strndup(c->arena, name.p, name.n), e);
	}
	return true;
}

static bool load_variables(struct config *c, struct err *e)
{
	for (size_t i = 0; i < c->n_specs; i++) {
		for (size_t k = 0; k < c->specs[i]->n_rows; k++) {
			const struct opt_row *r = &c->specs[i]->rows[k];
			if (is_settable(r) &&
			    (!load_variable(c, NULL, r, e) || !load_variable(c, c->specs[i]->verb, r, e)))
				return false;
		}
	}
	return check_variables(c, e);
}

bool config_load(struct config *c, struct err *e)
{
	struct config file = *c;
	if (!load_variables(c, e) || !load_file(&file, e))
		return false;
	for (size_t i = 0; i < file.n; i++)
		push(c, &file.items[i]);
	return true;
}

/* ---- use ---- */

const struct config_entry *config_find(const struct config *c, const struct opt_spec *s, const struct opt_row *r)
{
	const struct config_entry *best = NULL;
	int best_rank = 0;
	for (size_t i = 0; i < c->n && is_settable(r); i++) {
		const struct config_entry *x = &c->items[i];
		int rank = 1 + (x->verb ? 1 : 0) + (x->line ? 0 : 2);
		bool fits = strcmp(x->option, r->name) == 0 && (!x->verb || strcmp(x->verb, s->verb) == 0);
		if (fits && rank > best_rank) {
			best = x;
			best_rank = rank;
		}
	}
	return best;
}

bool config_apply(const struct config *c, const struct opt_spec *s, void *options, const struct config_entry **used,
		  struct err *e)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		used[i] = config_find(c, s, &s->rows[i]);
		if (used[i] && !store(c, s, &s->rows[i], options, used[i], e))
			return false;
	}
	return true;
}

const char *config_word(struct arena *a, const struct opt_row *r, struct str value)
{
	bool is_off = str_is(value, "false") || str_is(value, "no") || str_is(value, "off") || str_is(value, "0");
	if (r->type == OPT_FLAG)
		return arena_printf(a, "--%s%s", is_off ? "no-" : "", r->name);
	return arena_printf(a, "--%s=%.*s", r->name, STR_ARG(value));
}

static const char *list_text(struct arena *a, const struct opt_list *l)
{
	const char *text = "";
	for (size_t i = 0; i < l->n; i++)
		text = arena_printf(a, "%s%s%s", text, i ? "," : "", l->items[i]);
	return text;
}

const char *config_value_text(struct arena *a, const struct opt_row *r, const void *options)
{
	const char *at = (const char *)options + r->offset, *s;
	int64_t i;
	double v;
	bool flag;
	switch (r->type) {
	case OPT_FLAG:
		memcpy(&flag, at, sizeof(flag));
		return flag ? "true" : "false";
	case OPT_STRING:
	case OPT_ENUM:
		memcpy(&s, at, sizeof(s));
		return s ? s : "";
	case OPT_I64:
		memcpy(&i, at, sizeof(i));
		return arena_printf(a, "%" PRId64, i);
	case OPT_F64:
		memcpy(&v, at, sizeof(v));
		return isnan(v) ? "" : arena_printf(a, "%.15g", v);
	case OPT_LIST:
	case OPT_COMMAND:
		return list_text(a, (const struct opt_list *)(const void *)at);
	}
	BUG("option type");
}

static bool has_key(struct str line, const char *key)
{
	size_t equals = str_find_char(line, '=');
	return !is_comment(line) && equals != SIZE_MAX && str_is(str_trim(str_sub(line, 0, equals)), key);
}

bool config_edit(struct buf *out, const struct config *c, const char *key, struct str value, bool *found, struct err *e)
{
	struct str text = STR(""), line;
	*found = false;
	if (file_exists(c->path) && !file_read(c->arena, &text, c->path, FILE_MOST, e))
		return false;
	while (text.n && str_split(&text, '\n', &line)) {
		bool is_it = has_key(line, key);
		if (!is_it)
			buf_printf(out, "%.*s\n", STR_ARG(line));
		else if (value.p && !*found)
			buf_printf(out, "%s = %.*s\n", key, STR_ARG(value));
		*found = *found || is_it;
	}
	if (value.p && !*found)
		buf_printf(out, "%s = %.*s\n", key, STR_ARG(value));
	return true;
}
