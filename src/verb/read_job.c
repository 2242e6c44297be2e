/* One open report of the verb `read`: its sheets, and the timeline where it is a trace.
 * In: a path and the options.
 * Out: sheets.
 * Never: prints. */
#include "verb/read_job.h"

#include <string.h>

#include "base/file.h"
#include "base/progress.h"
#include "base/version.h"
#include "collect/profile.h"
#include "verb/read_timeline.h"

#define QUICK_BYTES                                                                                                    \
	((int64_t)64 << 20) /* an export up to this size has its timeline shown unasked: well under a second */
#define N_GAPS 50

/* A report of nsys itself is exported first; *path: the file to read. */
static bool exported(struct read_job *j, const char **path, struct err *e)
{
	struct str name = str_from(*path);
	if ((!str_ends(name, ".nsys-rep") && !str_ends(name, ".qdrep")) || !file_exists(*path))
		return true;
	if (!scratch_make(&j->export, j->a, "export", e))
		return false;
	const char *database = path_join(j->a, j->export.path, "export.sqlite");
	if (!profile_export(j->a, NULL, *path, database, e))
		return false;
	*path = database;
	return true;
}

bool read_job_open(struct read_job *j, const struct read_options *o, struct verb_call *call, const char *path,
		   struct err *e)
{
	*j = (struct read_job){.o = o, .call = call, .a = call->arena, .path = path};
	/* these take more from a trace than the others: the reader is told in every case */
	bool more = o->table && (str_is(str_from(o->table), "scopes") || str_is(str_from(o->table), "memory") ||
				 str_is(str_from(o->table), "all"));
	bool one = o->table && !o->common.json && !o->perfetto && !o->saving.n && !read_timeline_is(o->table);
	if (!exported(j, &path, e))
		return false;
	progress_phase(path_base(path), 0);
	j->report = reader_open(&j->reader, path, one || more ? o->table : NULL, e);
	if (!j->report)
		return false;
	j->reader->damage(j->report, &j->damage);
	return true;
}

void read_job_close(struct read_job *j)
{
	if (j->has_trace)
		trace_release(&j->trace);
	if (j->report)
		j->reader->close(j->report);
	if (j->export.path)
		scratch_remove(&j->export);
}

bool read_job_wants_timeline(const struct read_job *j)
{
	const struct read_options *o = j->o;
	if (!j->reader->trace || o->metrics || o->details)
		return false;
	if (o->perfetto || o->saving.n || read_timeline_is(o->table) || (o->table && str_is(str_from(o->table), "all")))
		return true;
	bool quick =
		!str_is(str_from(j->reader->name), "nsys") ||
		file_size(j->export.path ? path_join(j->a, j->export.path, "export.sqlite") : j->path) <= QUICK_BYTES;
	return !o->table && quick;
}

static void make_steps(struct trace *t, const char *pattern)
{
	for (size_t i = 0; i < t->n_ranges && pattern; i++)
		t->ranges[i].is_step |= sheet_match(t->names[t->ranges[i].name], pattern);
}

/* Only what is shown unasked. */
static bool is_brief(const struct read_options *o)
{
	return !o->table && !o->common.json && !o->perfetto && !o->saving.n && !o->diff && o->files.n <= 1;
}

bool read_job_timeline(struct read_job *j, struct err *e)
{
	struct timeline_options gaps = {.n_gaps = N_GAPS, .is_brief = is_brief(j->o)};
	if (j->has_trace)
		return true;
	if (!j->reader->trace)
		return err_set(e, ERR_USAGE, "%s: a %s has no timeline", j->path, j->reader->title);
	trace_init(&j->trace);
	j->has_trace = true;
	progress_phase("timeline", 0);
	if (!j->reader->trace(j->report, &j->trace, e))
		return false;
	make_steps(&j->trace, j->o->steps);
	timeline_make(&j->timeline, &j->trace, &gaps, j->a);
	return true;
}

/* The named one, or those that are shown when none is named. */
static size_t keep_wanted(struct sheet *all, size_t n, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (name ? str_is(str_from(name), all[i].name) : all[i].is_main)
			all[kept++] = all[i];
	}
	return kept;
}

static bool has_sheet(const struct sheet *s, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (str_is(str_from(name), s[i].name))
			return true;
	}
	return false;
}

/* The reader's sheets and, behind the first of them, the timeline's. A reader's own table of the same name stands before. */
static bool all_sheets(struct read_job *j, struct sheet **out, size_t *n, struct err *e)
{
	size_t n_timeline = 0, n_saving = j->o->saving.n > 0, k = 0;
	struct sheet *timeline = NULL, *own = j->reader->sheets(j->report, j->o->table, j->a, n);
	if (read_job_wants_timeline(j)) {
		if (!read_job_timeline(j, e))
			return false;
		timeline = is_brief(j->o) ? read_timeline_brief(&j->timeline, j->a, &n_timeline)
					  : read_timeline_sheets(&j->timeline, j->a, &n_timeline);
	}
	*out = ARENA_ARRAY(j->a, *n + n_timeline + n_saving + 1, struct sheet);
	if (n_saving && !read_savings_sheet(&(*out)[k++], &j->timeline, &j->o->saving, j->a, e))
		return false;
	for (size_t i = 0; i < *n; i++) {
		(*out)[k++] = own[i];
		for (size_t t = 0; t < n_timeline && i == 0; t++) {
			if (timeline[t].n_rows || !has_sheet(own, *n, timeline[t].name))
				(*out)[k++] = timeline[t];
		}
	}
	*n = k;
	return true;
}

static bool no_table(const struct read_job *j, struct err *e)
{
	struct buf names;
	size_t n;
	const struct sheet *own = j->reader->sheets(j->report, "all", j->a, &n);
	buf_init(&names);
	for (size_t i = 0; i < n; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", own[i].name);
	for (size_t i = 0; j->reader->trace && read_timeline_name(i); i++) {
		if (!has_sheet(own, n, read_timeline_name(i)))
			buf_printf(&names, ", %s", read_timeline_name(i));
	}
	err_set(e, ERR_USAGE, "no table \"%s\" in %s; it has %s", j->o->table ? j->o->table : "", j->path, names.p);
	buf_release(&names);
	return false;
}

bool read_job_sheets(struct read_job *j, struct sheet **first, size_t *n, struct err *e)
{
	const char *name = j->o->table;
	if (j->o->metrics && !name) {
		if (!j->reader->metrics)
			return err_set(e, ERR_USAGE, "%s: a %s has no metrics", j->path, j->reader->title);
		*first = j->reader->metrics(j->report, j->o->metrics, j->a);
		*n = 1;
		return true;
	}
	if (!all_sheets(j, first, n, e))
		return false;
	if ((j->o->common.json && !name && !j->o->budget) || (name && str_is(str_from(name), "all")))
		return true;
	size_t n_all = *n;
	struct sheet *copy = ARENA_ARRAY(j->a, n_all + 1, struct sheet);
	memcpy(copy, *first, n_all * sizeof(*copy));
	*n = keep_wanted(copy, n_all, name);
	if (!*n)
		return no_table(j, e);
	*first = copy;
	return true;
}

struct json *read_document(struct arena *a, const char *format, const char *reader)
{
	struct json *doc = json_object(a);
	json_set_cstr(doc, "format", format);
	json_set(doc, "tool", version_json(a));
	json_set_cstr(doc, "reader", reader);
	json_set_cstr(doc, "claim_layer", "diagnostic");
	json_set_bool(doc, "formal", false);
	return doc;
}
