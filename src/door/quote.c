/* Command lines as text.
 * In: words, or a JSON request of a verb. Out: text that a shell reads back.
 * Records keep it, so that a person can run again what an agent ran.
 * Never: runs anything. */
#include "door/quote.h"

#include "base/opt_row.h"
#include "base/shell.h"

static const char *value_text(struct arena *a, const struct json *v)
{
	if (v->type == JSON_STRING)
		return v->text.p;
	struct buf b;
	buf_init(&b);
	json_write(&b, v, JSON_COMPACT);
	const char *text = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return text;
}

static void put_row(struct buf *out, struct arena *a, const struct opt_row *r, const struct json *v)
{
	if (r->type == OPT_FLAG) {
		shell_word(out, arena_printf(a, "--%s%s", v->boolean ? "" : "no-", r->name));
		return;
	}
	if (r->type != OPT_LIST) {
		shell_word(out, arena_printf(a, "--%s=%s", r->name, value_text(a, v)));
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		shell_word(out, arena_printf(a, "--%s=%s", r->name, value_text(a, v->items[i])));
}

static void put_words(struct buf *out, struct arena *a, const struct json *list)
{
	for (size_t i = 0; list && i < list->n; i++)
		shell_word(out, value_text(a, list->items[i]));
}

const char *quote_request(struct arena *a, const struct opt_spec *spec, const struct json *request)
{
	const struct json *dims = json_get(request, "dims"), *command = NULL;
	struct buf out;
	buf_init(&out);
	buf_printf(&out, "assay %s", spec->verb);
	put_words(&out, a, json_get(request, "args"));
	for (size_t i = 0; i < spec->n_rows; i++) {
		const struct opt_row *r = &spec->rows[i];
		const struct json *v = json_get(request, opt_key(a, r));
		if (v && r->type == OPT_COMMAND)
			command = v;
		else if (v)
			put_row(&out, a, r, v);
	}
	for (size_t i = 0; dims && i < dims->n; i++)
		shell_word(&out, arena_printf(a, "--%.*s=%s", STR_ARG(dims->members[i].key),
					      value_text(a, dims->members[i].value)));
	if (command) {
		buf_puts(&out, " --");
		put_words(&out, a, command);
	}
	const char *text = arena_strndup(a, out.p, out.n);
	buf_release(&out);
	return text;
}
