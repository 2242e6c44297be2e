/* `read` with several traces: the ranks of one job.
 * In: traces.
 * Out: clocks, waits and stragglers by rank.
 * Never: takes files of different kinds for ranks of one job. */
#include "base/log.h"
#include "verb/read_file.h"
#include "verb/read_timeline.h"

struct ranks_job {
	struct read_job *jobs;
	const struct trace **traces;
	size_t n;
	struct ranks ranks;
};

static bool open_all(struct ranks_job *r, const struct read_options *o, struct verb_call *call, struct err *e)
{
	for (size_t i = 0; i < r->n; i++) {
		struct read_job *j = &r->jobs[i];
		if (!read_job_open(j, o, call, o->files.items[i], e))
			return false;
		if (!j->reader->trace)
			return err_set(e, ERR_USAGE,
				       "%s: a %s is no trace; several files are the ranks of one job (--diff "
				       "compares two reports)",
				       j->path, j->reader->title);
		if (j->reader != r->jobs[0].reader)
			return err_set(e, ERR_USAGE, "%s is a %s, %s a %s: ranks of one job are of one kind",
				       r->jobs[0].path, r->jobs[0].reader->title, j->path, j->reader->title);
		if (!read_job_timeline(j, e))
			return false;
		if (!j->trace.n_activities)
			return err_set(e, ERR_INPUT, "%s: no activity of a device: no rank to compare", j->path);
		r->traces[i] = &j->trace;
	}
	return true;
}

static void note_damage(const struct ranks_job *r, struct verb_call *call)
{
	for (size_t i = 0; i < r->n; i++) {
		if (!*r->jobs[i].damage.text)
			continue;
		log_note("%s: %s", r->jobs[i].path, r->jobs[i].damage.text);
		call->status = err_exit(ERR_INPUT);
	}
}

bool read_ranks(const struct read_options *o, struct verb_call *call, struct err *e)
{
	struct ranks_job r = {.jobs = ARENA_ARRAY(call->arena, o->files.n, struct read_job),
			      .traces = ARENA_ARRAY(call->arena, o->files.n, const struct trace *),
			      .n = o->files.n};
	bool ok = open_all(&r, o, call, e);
	if (ok) {
		struct json *doc = read_document(call->arena, "assay/read-ranks-v1", r.jobs[0].reader->name);
		struct json *files = json_set_array(doc, "files");
		for (size_t i = 0; i < r.n; i++)
			json_push_str(files, str_from(r.jobs[i].path));
		ranks_make(&r.ranks, r.traces, r.n, call->arena);
		struct sheet *s = read_ranks_sheet(&r.ranks, call->arena);
		ok = read_print_sheets(o, call, doc, s, 1, e);
		note_damage(&r, call);
	}
	if (ok && o->perfetto)
		ok = read_write_chrome(o->perfetto, r.jobs, r.n, &r.ranks, e);
	for (size_t i = 0; i < r.n; i++)
		read_job_close(&r.jobs[i]);
	return ok;
}
