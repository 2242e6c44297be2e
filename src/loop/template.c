/* The template of a proposal.
 * In: a version's number, the backend, what the memory says. Out: Markdown with the fixed headings.
 * What is not the author's stands in comments, which the lint does not read.
 * Never: fills in an answer. */
#include "loop/template.h"

#include "base/file.h"
#include "loop/guide.h"
#include "loop/tags.h"

static void put_references(struct buf *b, const char *backend)
{
	const struct guide_item *x;
	buf_printf(b,
		   "## Primary references\n<!-- %s. Each row: adopted, does not fit or conflicts, and the reason; rows "
		   "may go "
		   "and others may come, at least one of each group stays. -->\n",
		   guide_files(backend));
	buf_puts(b, "| item | adopted / does not fit / conflicts | reason |\n|---|---|---|\n");
	for (size_t i = 0; (x = guide_item(backend, i)) != NULL; i++)
		buf_printf(b, "| %s: %s | | |\n", x->group, x->key);
	if (strcmp(backend, "cutlass") == 0)
		buf_puts(b, "<!-- pattern: which one and why; structural parameters: their values. -->\n");
	if (strcmp(backend, "triton") == 0)
		buf_puts(b, "<!-- shape: its parameters; autotune: number of candidates before and after. -->\n");
	buf_char(b, '\n');
}

static void put_later(struct buf *b)
{
	buf_puts(b,
		 "## Bottlenecks\n<!-- One or two, numbered: those that the full report shows most clearly. -->\n\n"
		 "## Evidence\n<!-- Lines \"- metric = value unit\", as full_details.txt prints them, to the digits "
		 "given; "
		 "fields of benchmark_result.json such as kernel.median_ms may be cited too. -->\n\n"
		 "## Pipelining assessment\n<!-- Whether double buffering or a deeper pipeline fits, and why. -->\n\n");
}

static void put_preferred(struct buf *b, struct arena *a, const struct json *constraints)
{
	const struct json *list = json_get(constraints, "preferred"), *blocked = json_get(constraints, "blocked");
	buf_puts(b, "## Preferred strategies\n<!-- One line each: \"- FINGERPRINT: merged; ...\" (all its tags are "
		    "among the new "
		    "ones) or \"- FINGERPRINT: not merged; reason\". -->\n");
	for (size_t i = 0; list && i < list->n; i++) {
		struct tags t;
		tags_from_json(&t, a, json_get(list->items[i], "tags"));
		if (!str_is(json_str(list->items[i], "reason", STR("")), "baseline_seed"))
			buf_printf(b, "- %.*s: <!-- %s -->\n",
				   STR_ARG(json_str(list->items[i], "fingerprint", STR(""))), tags_text(a, &t));
	}
	buf_puts(b, "\n## Strategy tags\n<!-- \"- tag\", one a line. Blocked sets of tags:");
	for (size_t i = 0; blocked && i < blocked->n; i++) {
		struct tags t;
		tags_from_json(&t, a, json_get(blocked->items[i], "tags"));
		buf_printf(b, "%s [%s]", i ? "," : "", tags_text(a, &t));
	}
	buf_puts(b, blocked && blocked->n ? ". -->\n" : " none. -->\n");
}

bool template_write(const char *path, struct arena *a, const struct template_input *in, struct err *e)
{
	struct buf b;
	if (file_exists(path))
		return true;
	buf_init(&b);
	buf_printf(&b, "# From v%zu to v%zu\n\n", in->i, in->i + 1);
	if (in->i == 0)
		put_references(&b, in->backend);
	else
		put_later(&b);
	buf_puts(&b, "## Change\n<!-- What the new version does. -->\n\n");
	put_preferred(&b, a, in->constraints);
	bool ok = file_write_str(path, buf_view(&b), e);
	buf_release(&b);
	return ok;
}
