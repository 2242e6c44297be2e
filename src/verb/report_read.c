/* assay report of a profiler file or a binary.
 * In: a path. Out: a page, Markdown, text or JSON, from what `assay read` prints of it.
 * The document is that of `assay read --json` itself, so that page and verb cannot differ.
 * Never: runs a profiler. */
#include "verb/report_read.h"

#include "base/file.h"
#include "base/log.h"
#include "report/read_page.h"
#include "verb/read_job.h"

enum { EXCERPT = 200 };

bool report_read_is(const char *path)
{
	struct err absent;
	struct file_map map;
	struct str name = str_from(path);
	if (str_ends(name, ".nsys-rep") || str_ends(name, ".qdrep"))
		return true;
	if (!file_map(&map, path, &absent))
		return false;
	bool is = reader_find(str_sub((struct str){map.p, map.n}, 0, READER_HEAD), path) != NULL;
	file_unmap(&map);
	return is;
}

/* The first activities of the timeline, where the document has one. */
static void excerpt_of(struct read_excerpt *out, const struct read_job *j)
{
	*out = (struct read_excerpt){0};
	if (!j->has_trace)
		return;
	const struct trace *t = &j->trace;
	size_t n = t->n_activities < EXCERPT ? t->n_activities : EXCERPT;
	struct chart_activity *x = ARENA_ARRAY(j->a, n + 1, struct chart_activity);
	static const char *const kinds[TRACE_KINDS] = {[TRACE_COMPUTE] = "kernel",
						       [TRACE_COMM] = "communication",
						       [TRACE_COPY] = "copy",
						       [TRACE_SET] = "memset",
						       [TRACE_GRAPH] = "graph"};
	for (size_t i = 0; i < n; i++) {
		const struct trace_activity *at = &t->activities[i];
		struct str name = t->names[at->name];
		x[i] = (struct chart_activity){arena_strndup(j->a, name.p, name.n),
					       at->kind < TRACE_KINDS ? kinds[at->kind] : "?",
					       (double)(at->start_ns - t->activities[0].start_ns),
					       (double)(at->end_ns - at->start_ns), t->lanes[at->lane].stream};
	}
	*out = (struct read_excerpt){x, n, t->n_activities};
}

static bool put(struct buf *out, struct read_job *j, const char *format, struct err *e)
{
	if (strcmp(format, "txt") == 0)
		return read_print_text(j, e);
	if (!read_print_json(j, e))
		return false;
	if (strcmp(format, "json") == 0)
		return true;
	struct str text = arena_str(j->a, buf_view(out));
	const struct json *doc = json_parse(j->a, j->path, text, JSON_LARGE, e);
	struct read_excerpt excerpt;
	out->n = 0;
	if (!doc)
		return false;
	excerpt_of(&excerpt, j);
	if (strcmp(format, "md") == 0)
		read_rows(out, j->a, j->path, doc);
	else
		read_page(out, j->a, j->path, doc, &excerpt);
	return true;
}

bool report_read(struct buf *out, struct verb_call *call, const char *path, const char *format, struct err *e)
{
	struct verb_call own = *call;
	struct read_options o = {.common = VERB_COMMON_DEFAULTS};
	struct read_job j;
	if (strcmp(format, "csv") == 0)
		return err_set(e, ERR_USAGE,
			       "--format=csv: of a profiler file `assay read %s --csv --table NAME` prints a table",
			       path);
	o.common.json = strcmp(format, "txt") != 0;
	own.out = out;
	bool ok = read_job_open(&j, &o, &own, path, e) && put(out, &j, format, e);
	if (ok && *j.damage.text) {
		log_note("%s: %s", path, j.damage.text);
		call->status = err_exit(ERR_INPUT);
	}
	read_job_close(&j);
	return ok;
}
