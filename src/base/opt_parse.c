/* argv to an options struct.
 * In: the arguments behind program and verb.
 * Out: the struct filled by the verb's rows, or one error that names the argument.
 * Never: prints. */
#include "base/opt.h"

#include <string.h>

#include "base/opt_row.h"

struct cursor {
	char **argv;
	size_t argc, at; /* at: the next argument */
};

bool opt_wants_help(const struct opt_spec *s, size_t argc, char **argv)
{
	bool has_h = false;
	for (size_t i = 0; i < s->n_rows; i++)
		has_h = has_h || s->rows[i].letter == 'h';
	for (size_t i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--help") == 0 || (!has_h && strcmp(argv[i], "-h") == 0))
			return true;
	}
	return false;
}

static const struct opt_row *by_letter(const struct opt_spec *s, char letter)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		if (s->rows[i].letter == letter && letter)
			return &s->rows[i];
	}
	return NULL;
}

/* The value of an option that stands in the next argument. One that begins with -- is taken for a forgotten value. */
static bool next_value(const struct opt_sink *k, struct cursor *c, const char *shown, struct str *out)
{
	if (c->at == c->argc)
		return opt_fail(k, "%s needs a value", shown);
	const char *value = c->argv[c->at];
	if (value[0] == '-' && value[1] == '-')
		return opt_fail(k, "%s needs a value; write %s=VALUE if it begins with --", shown, shown);
	c->at++;
	*out = str_from(value);
	return true;
}

static bool unknown(const struct opt_sink *k, struct str name, const char *written)
{
	char text[STR_SHOWN];
	const struct opt_row *near = opt_nearest(k->spec, name, 1 + name.n / 4);
	str_shown(text, str_from(written));
	if (near)
		return opt_fail(k, "unknown option %s; did you mean --%s?", text, near->name);
	if (k->spec->dims_offset != SIZE_MAX && opt_is_dim_name(name))
		return opt_fail(k, "unknown option %s; a dim is written --%.*s=VALUE", text, STR_ARG(name));
	return opt_fail(k, "unknown option %s (see assay %s --help)", text, k->spec->verb);
}

/* --NAME=VALUE that is no option. A name one edit from an option's and five or more long is a slip of the option: taken
 * as a dim it would be lost. */
static bool take_dim(const struct opt_sink *k, struct str name, struct str value, const char *written)
{
	char text[STR_SHOWN];
	int64_t v;
	const struct opt_row *near = opt_nearest(k->spec, name, 1);
	if (near && name.n >= 5)
		return unknown(k, name, written);
	if (!str_i64(value, &v)) {
		near = opt_nearest(k->spec, name, 1 + name.n / 4);
		return opt_fail(k, "dim %.*s: '%s' is not a whole number (of 64 bits) like 4096%s%s%s", STR_ARG(name),
				str_shown(text, value), near ? "; did you mean --" : "", near ? near->name : "",
				near ? "?" : "");
	}
	return opt_add_dim(k, name, v);
}

static bool take_known(const struct opt_sink *k, struct cursor *c, const struct opt_row *r, struct str name,
		       const struct str *value)
{
	const char *shown = arena_printf(k->arena, "--%.*s", STR_ARG(name));
	struct str next = {"", 0};
	if (r->type == OPT_COMMAND)
		return opt_fail(k, "write the command behind a lone --: assay %s ... -- %s", k->spec->verb,
				r->meta ? r->meta : "COMMAND");
	if (r->type == OPT_FLAG) {
		if (value)
			return opt_fail(k, "%s takes no value (--no-%s turns it off)", shown, r->name);
		opt_store_flag(k, r, true);
		return true;
	}
	if (value)
		return opt_store_text(k, r, shown, *value);
	return next_value(k, c, shown, &next) && opt_store_text(k, r, shown, next);
}

/* At --NAME or --NAME=VALUE. */
static bool take_long(const struct opt_sink *k, struct cursor *c)
{
	const char *written = c->argv[c->at++];
	struct str text = str_from(written + 2), value = {NULL, 0};
	size_t equals = str_find_char(text, '=');
	bool has_value = equals != SIZE_MAX;
	struct str name = has_value ? str_sub(text, 0, equals) : text;
	if (has_value)
		value = str_sub(text, equals + 1, text.n);
	const struct opt_row *r = opt_find(k->spec, name);
	if (r)
		return take_known(k, c, r, name, has_value ? &value : NULL);
	if (str_starts(name, "no-") && !has_value) {
		r = opt_find(k->spec, str_sub(name, 3, name.n));
		if (r && r->type == OPT_FLAG) {
			opt_store_flag(k, r, false);
			return true;
		}
	}
	if (has_value && k->spec->dims_offset != SIZE_MAX && opt_is_dim_name(name))
		return take_dim(k, name, value, written);
	return unknown(k, name, written);
}

/* At -x, -xVALUE or several flags -xy. */
static bool take_short(const struct opt_sink *k, struct cursor *c)
{
	const char *written = c->argv[c->at++];
	for (size_t i = 1; written[i]; i++) {
		char text[STR_SHOWN], shown[3] = {'-', written[i], '\0'};
		const struct opt_row *r = by_letter(k->spec, written[i]);
		struct str value = str_from(written + i + 1);
		if (!r)
			return opt_fail(k, "unknown option %s (see assay %s --help)",
					str_shown(text, str_from(written)), k->spec->verb);
		if (r->type == OPT_FLAG) {
			opt_store_flag(k, r, true);
			continue;
		}
		if (value.n == 0 && !next_value(k, c, shown, &value))
			return false;
		return opt_store_text(k, r, shown, value);
	}
	return true;
}

/* Behind the lone --: the command of a verb that takes one, else positionals. */
static bool take_rest(const struct opt_sink *k, struct cursor *c)
{
	const struct opt_row *command = NULL;
	for (size_t i = 0; i < k->spec->n_rows; i++) {
		if (k->spec->rows[i].type == OPT_COMMAND)
			command = &k->spec->rows[i];
	}
	if (!command && !k->spec->positional && c->at < c->argc)
		return opt_fail(k, "takes nothing behind --");
	for (; c->at < c->argc; c->at++) {
		if (command)
			opt_push(k, command, str_from(c->argv[c->at]));
		else
			opt_push_arg(k, str_from(c->argv[c->at]));
	}
	return true;
}

bool opt_parse_words(const struct opt_spec *s, void *options, struct arena *a, const struct opt_words *w, struct err *e)
{
	struct opt_sink k = opt_sink_begin(s, options, a, ERR_USAGE, e);
	struct cursor c = {w->items, w->n, 0};
	if (w->seen)
		k.seen = w->seen;
	while (c.at < w->n) {
		const char *arg = w->items[c.at];
		bool ok = true;
		if (strcmp(arg, "--") == 0) {
			c.at++;
			ok = take_rest(&k, &c);
		} else if (arg[0] == '-' && arg[1] == '-') {
			ok = take_long(&k, &c);
		} else if (arg[0] == '-' && arg[1]) {
			ok = take_short(&k, &c);
		} else if (!s->positional) {
			char text[STR_SHOWN];
			ok = opt_fail(&k, "takes no argument: '%s'", str_shown(text, str_from(arg)));
		} else {
			opt_push_arg(&k, str_from(arg));
			c.at++;
		}
		if (!ok)
			return false;
	}
	return opt_sink_end(&k, false);
}

bool opt_parse(const struct opt_spec *s, void *options, struct arena *a, size_t argc, char **argv, struct err *e)
{
	struct opt_words w = {argc, argv, NULL};
	return opt_parse_words(s, options, a, &w, e);
}
