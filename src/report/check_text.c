/* The prerequisites as a short text.
 * In: the document. Out: a line a prerequisite, the source line looked at below it, the answers to those not met.
 * No line is wider than the terminal, save one that holds a single longer word.
 * Never: judges. */
#include "report/check_text.h"

#include "base/file.h"

enum { STATUS = 12, FOUND = 34, SOURCE = 14 };

static void put_status(const struct term *term, struct buf *out, struct str status)
{
	static const struct {
		const char *status, *label;
		enum term_style style;
	} labels[] = {
		{"met", "met", TERM_GOOD},
		{"not_met", "not met", TERM_BAD},
		{"not_applicable", "-", TERM_DIM},
		{"decided_by_running", "by running", TERM_WARN},
	};
	for (size_t i = 0; i < COUNT_OF(labels); i++) {
		if (!str_is(status, labels[i].status))
			continue;
		term_styled(term, out, labels[i].style, labels[i].label);
		buf_repeat(out, ' ', STATUS - strlen(labels[i].label));
	}
}

/* One line of source, clipped. */
static void put_source(const struct term *term, struct buf *out, long long line, struct str text)
{
	char label[32];
	int n = snprintf(label, sizeof(label), "line %lld: ", line);
	size_t used = SOURCE + (size_t)n, room = term->width > used + 8 ? term->width - used : 8;
	text = str_trim(text);
	size_t fits = term_fit(text, room);
	buf_repeat(out, ' ', SOURCE);
	buf_puts(out, label);
	if (fits < text.n)
		fits = term_fit(text, room - 3);
	for (size_t i = 0; i < fits; i++)
		buf_char(out, (unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f ? ' ' : text.p[i]);
	buf_puts(out, fits < text.n ? "...\n" : "\n");
}

/* A line that stands above already is not repeated. */
static void put_item(const struct json *item, int64_t *shown, const struct term *term, struct buf *out)
{
	struct str key = json_str(item, "key", STR("?"));
	int64_t line = json_i64(item, "line", 0);
	put_status(term, out, json_str(item, "status", STR("")));
	buf_printf(out, "%-*.*s", FOUND - STATUS, STR_ARG(key));
	term_wrap(out, json_str(item, "found", STR("")), FOUND, FOUND, term->width);
	buf_char(out, '\n');
	if (line > 0 && line != *shown)
		put_source(term, out, (long long)line, json_str(item, "line_text", STR("")));
	*shown = line > 0 ? line : *shown;
}

void check_text(const struct json *root, const struct term *term, struct arena *a, struct buf *out)
{
	const struct json *items = json_get(root, "prerequisites"), *run = json_get(root, "run");
	struct str path = json_str(root, "kernel", STR("?")), data = json_str(root, "data", STR(""));
	int64_t shown = 0;
	buf_printf(out, "%s, backend %.*s%s%.*s\n", path_base(arena_strndup(a, path.p, path.n)),
		   STR_ARG(json_str(root, "backend", STR("?"))), data.n ? ", data: " : "", STR_ARG(data));
	for (size_t i = 0; items && i < items->n; i++)
		put_item(items->items[i], &shown, term, out);
	for (size_t i = 0; items && i < items->n; i++) {
		struct str answer = json_str(items->items[i], "answer", STR(""));
		if (!answer.n)
			continue;
		struct str key = json_str(items->items[i], "key", STR("?"));
		const char *label = arena_printf(a, "%.*s: ", STR_ARG(key));
		buf_puts(out, label);
		term_wrap(out, answer, strlen(label), 2, term->width);
		buf_char(out, '\n');
	}
	if (json_str(run, "record", STR("")).n)
		buf_printf(out, "record      %.*s\n", STR_ARG(json_str(run, "record", STR(""))));
}
