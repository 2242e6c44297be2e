/* One value into an options struct, whatever door it came through.
 * In: a row, a value as text, number or flag.
 * Out: the field at the row's offset, or an error that names the option and its range.
 * Never: knows argv or JSON. */
#include "base/opt_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* From this maximum on a range is shown as "at least". */
#define NO_MAXIMUM 9e18

struct opt_sink opt_sink_begin(const struct opt_spec *s, void *options, struct arena *a, enum err_code code,
			       struct err *e)
{
	struct opt_sink k = {.spec = s, .options = options, .arena = a, .code = code, .e = e};
	k.seen = ARENA_ARRAY(a, s->n_rows + 1, bool);
	return k;
}

bool opt_fail(const struct opt_sink *k, const char *fmt, ...)
{
	char text[900];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(k->e, k->code, "%s: %s", k->spec->verb, text);
}

const struct opt_row *opt_find(const struct opt_spec *s, struct str name)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		if (str_is(name, s->rows[i].name))
			return &s->rows[i];
	}
	return NULL;
}

const struct opt_row *opt_nearest(const struct opt_spec *s, struct str name, size_t most)
{
	const struct opt_row *best = NULL;
	size_t least = most;
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct opt_row *r = &s->rows[i];
		struct str row = str_from(r->name);
		if ((r->flags & OPT_HIDDEN) || r->type == OPT_COMMAND)
			continue;
		bool begun = name.n >= 3 && name.n < row.n && memcmp(name.p, row.p, name.n) == 0;
		size_t distance = begun ? 1 : str_distance(name, row);
		if (distance < least || (distance == least && !best)) {
			least = distance;
			best = r;
		}
	}
	return best;
}

char *opt_key(struct arena *a, const struct opt_row *r)
{
	char *key = arena_strdup(a, r->name);
	for (char *c = key; *c; c++) {
		if (*c == '-')
			*c = '_';
	}
	return key;
}

static void shown_number(const struct opt_row *r, double v, char out[32])
{
	if (r->type == OPT_I64)
		snprintf(out, 32, "%" PRId64, (int64_t)v);
	else
		snprintf(out, 32, "%.15g", v);
}

void opt_range(const struct opt_row *r, char out[64])
{
	char least[32], most[32];
	out[0] = '\0';
	if ((r->type != OPT_I64 && r->type != OPT_F64) || (r->min == 0 && r->max == 0))
		return;
	shown_number(r, r->min, least);
	if (r->max >= NO_MAXIMUM) {
		snprintf(out, 64, "at least %.28s", least);
		return;
	}
	shown_number(r, r->max, most);
	snprintf(out, 64, "%.28s..%.28s", least, most);
}

static void mark(const struct opt_sink *k, const struct opt_row *r)
{
	k->seen[r - k->spec->rows] = true;
}

static bool in_range(const struct opt_sink *k, const struct opt_row *r, const char *shown, double v)
{
	char range[64], value[32];
	if ((r->min == 0 && r->max == 0) || (v >= r->min && (v <= r->max || r->max >= NO_MAXIMUM)))
		return true;
	opt_range(r, range);
	shown_number(r, v, value);
	return opt_fail(k, "%s: %s is out of range; it must be %s", shown, value, range);
}

bool opt_store_i64(const struct opt_sink *k, const struct opt_row *r, const char *shown, int64_t v)
{
	if (!in_range(k, r, shown, (double)v))
		return false;
	memcpy(k->options + r->offset, &v, sizeof v);
	mark(k, r);
	return true;
}

bool opt_store_f64(const struct opt_sink *k, const struct opt_row *r, const char *shown, double v)
{
	if (!isfinite(v))
		return opt_fail(k, "%s: must be a finite number", shown);
	if (!in_range(k, r, shown, v))
		return false;
	memcpy(k->options + r->offset, &v, sizeof v);
	mark(k, r);
	return true;
}

void opt_store_flag(const struct opt_sink *k, const struct opt_row *r, bool v)
{
	memcpy(k->options + r->offset, &v, sizeof v);
	mark(k, r);
}

static void store_string(const struct opt_sink *k, const struct opt_row *r, struct str value)
{
	const char *copy = arena_strndup(k->arena, value.p, value.n);
	memcpy(k->options + r->offset, &copy, sizeof copy);
	mark(k, r);
}

static bool store_choice(const struct opt_sink *k, const struct opt_row *r, const char *shown, struct str value)
{
	struct buf list;
	char text[STR_SHOWN];
	struct str rest = str_from(r->choices), choice, near = {NULL, 0};
	size_t least = 1 + value.n / 4;
	buf_init(&list);
	while (str_split(&rest, '|', &choice)) {
		if (str_eq(choice, value)) {
			store_string(k, r, value);
			buf_release(&list);
			return true;
		}
		size_t distance = str_distance(choice, value);
		if (distance < least || (distance == least && !near.p)) {
			near = choice;
			least = distance;
		}
		buf_printf(&list, "%s%.*s", list.n ? ", " : "", STR_ARG(choice));
	}
	opt_fail(k, "%s: '%s' is not one of %s%s%.*s%s", shown, str_shown(text, value), list.p,
		 near.p ? "; did you mean " : "", STR_ARG(near), near.p ? "?" : "");
	buf_release(&list);
	return false;
}

static void push(struct arena *a, struct opt_list *list, struct str item)
{
	size_t n = list->n;
	if ((n & (n - 1)) == 0) { /* room for the next power of two; n is 0 or one itself */
		const char **grown = ARENA_ARRAY(a, n ? 2 * n : 1, const char *);
		if (n)
			memcpy(grown, list->items, n * sizeof *grown);
		list->items = grown;
	}
	list->items[list->n++] = arena_strndup(a, item.p, item.n);
}

void opt_push(const struct opt_sink *k, const struct opt_row *r, struct str item)
{
	struct opt_list *list = (struct opt_list *)(void *)(k->options + r->offset);
	if (!k->seen[r - k->spec->rows])
		*list = (struct opt_list){NULL, 0};
	mark(k, r);
	push(k->arena, list, item);
}

void opt_push_arg(const struct opt_sink *k, struct str item)
{
	push(k->arena, (struct opt_list *)(void *)(k->options + k->spec->args_offset), item);
}

static bool store_list(const struct opt_sink *k, const struct opt_row *r, const char *shown, struct str value)
{
	struct str rest = value, item;
	while (str_split(&rest, ',', &item)) {
		if (item.n == 0)
			return opt_fail(k, "%s: empty item in the comma list", shown);
		opt_push(k, r, item);
	}
	return true;
}

bool opt_store_text(const struct opt_sink *k, const struct opt_row *r, const char *shown, struct str value)
{
	char text[STR_SHOWN];
	int64_t i;
	double v;
	switch (r->type) {
	case OPT_STRING:
		store_string(k, r, value);
		return true;
	case OPT_I64:
		if (!str_i64(value, &i))
			return opt_fail(k, "%s: '%s' is not a whole number (of 64 bits)", shown,
					str_shown(text, value));
		return opt_store_i64(k, r, shown, i);
	case OPT_F64:
		if (!str_f64(value, &v))
			return opt_fail(k, "%s: '%s' is not a number", shown, str_shown(text, value));
		return opt_store_f64(k, r, shown, v);
	case OPT_ENUM:
		return store_choice(k, r, shown, value);
	case OPT_LIST:
		return store_list(k, r, shown, value);
	case OPT_FLAG:
	case OPT_COMMAND:
		break;
	}
	BUG("text for an option that takes none");
}

bool opt_is_dim_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!letter && (i == 0 || ((c < '0' || c > '9') && c != '_')))
			return false;
	}
	return name.n > 0 && name.n < 64;
}

bool opt_add_dim(const struct opt_sink *k, struct str name, int64_t v)
{
	struct opt_dims *dims = (struct opt_dims *)(void *)(k->options + k->spec->dims_offset);
	size_t n = dims->n;
	for (size_t i = 0; i < n; i++) {
		if (str_is(name, dims->items[i].name))
			return opt_fail(k, "dim %.*s is given twice", STR_ARG(name));
	}
	if ((n & (n - 1)) == 0) {
		struct opt_dim *grown = ARENA_ARRAY(k->arena, n ? 2 * n : 1, struct opt_dim);
		if (n)
			memcpy(grown, dims->items, n * sizeof *grown);
		dims->items = grown;
	}
	dims->items[dims->n++] = (struct opt_dim){arena_strndup(k->arena, name.p, name.n), v};
	return true;
}

static bool is_alone(const struct opt_sink *k)
{
	for (size_t i = 0; i < k->spec->n_rows; i++) {
		const struct opt_row *r = &k->spec->rows[i];
		if ((r->flags & OPT_ALONE) && k->seen[i] && (r->type != OPT_FLAG || k->options[r->offset]))
			return true;
	}
	return false;
}

static bool check_args(const struct opt_sink *k)
{
	const struct opt_spec *s = k->spec;
	if (!s->positional)
		return true;
	const struct opt_list *args = (const struct opt_list *)(const void *)(k->options + s->args_offset);
	char text[STR_SHOWN];
	if (args->n < s->min_args && !is_alone(k))
		return opt_fail(k, "needs %s; %zu of at least %zu given (see assay %s --help)", s->positional, args->n,
				s->min_args, s->verb);
	if (args->n > s->max_args)
		return opt_fail(k, "'%s' is one argument too many; it takes %s",
				str_shown(text, str_from(args->items[s->max_args])), s->positional);
	return true;
}

bool opt_sink_end(const struct opt_sink *k, bool is_json)
{
	bool alone = is_alone(k);
	for (size_t i = 0; i < k->spec->n_rows; i++) {
		const struct opt_row *r = &k->spec->rows[i];
		if (!(r->flags & OPT_REQUIRED) || k->seen[i] || alone)
			continue;
		if (is_json)
			return opt_fail(k, "\"%s\" is missing and required: %s", opt_key(k->arena, r), r->help);
		if (r->type == OPT_COMMAND)
			return opt_fail(k, "-- COMMAND is missing and required: %s", r->help);
		return opt_fail(k, "--%s%s%s is missing and required: %s", r->name, r->meta ? "=" : "",
				r->meta ? r->meta : "", r->help);
	}
	return check_args(k);
}
