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

static const struct sheet_column rank_columns[] = {
	{"rank", "rank", "", 0},
	{"span_ns", "span", "ns", 0},
	{"busy_ns", "busy", "ns", 0},
	{"compute_ns", "compute", "ns", 0},
	{"communication_ns", "communication", "ns", 0},
	{"exposed_ns", "exposed", "ns", 0},
	{"wait_ns", "waits in collectives", "ns", 0},
	{"last", "came last", "", 0},
	{"caused_ns", "alone late by", "ns", 0},
	{"offset_ns", "clock offset", "ns", 0},
	{"spread_ns", "spread", "ns", 0},
	{"clock", "aligned by", "", SHEET_TEXT},
	{"unmatched", "unmatched", "", SHEET_HIDDEN},
};

static struct sheet *ranks_sheet(const struct ranks *r, struct arena *a)
{
	struct sheet *s = ARENA_NEW(a, struct sheet);
	sheet_init(s, a, "ranks", rank_columns, COUNT_OF(rank_columns));
	s->title = "Ranks";
	s->is_main = true;
	s->note = r->n_matched
			  ? arena_printf(a,
					 "%llu collectives ran on every rank; first to last arrival: median %s, p99 "
					 "%s, largest %s",
					 (unsigned long long)r->n_matched, term_time(a, (double)r->skew.p50_ns),
					 term_time(a, (double)r->skew.p99_ns), term_time(a, (double)r->skew.max_ns))
			  : "no collective ran on every rank equally often: nothing to align clocks by, no waits";
	for (size_t i = 0; i < r->n; i++) {
		const struct rank *v = &r->v[i];
		struct sheet_cell *c = sheet_row(s);
		sheet_put(&c[0], (double)v->rank);
		sheet_put(&c[1], (double)(v->cover.last_ns - v->cover.first_ns));
		sheet_put(&c[2], (double)v->cover.covered_ns);
		sheet_put(&c[3], (double)cover_any(&v->cover, COVER_COMPUTE));
		sheet_put(&c[4], (double)cover_any(&v->cover, COVER_COMM));
		sheet_put(&c[5], (double)v->exposed_ns);
		if (r->n_matched) {
			sheet_put(&c[6], (double)v->wait_ns);
			sheet_put(&c[7], (double)v->n_last);
			sheet_put(&c[8], (double)v->caused_ns);
		}
		sheet_put(&c[9], (double)v->offset_ns);
		sheet_put(&c[10], (double)v->spread_ns);
		sheet_put_text(&c[11], str_from(rank_clock_name(v->clock)));
		sheet_put(&c[12], (double)v->n_unmatched);
	}
	return s;
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
		struct sheet *s = ranks_sheet(&r.ranks, call->arena);
		if (o->table && !str_is(str_from(o->table), "ranks"))
			ok = read_rank_table(s, r.jobs, &r.ranks, r.n, e);
		ok = ok && read_print_sheets(o, call, doc, s, 1, e);
		note_damage(&r, call);
	}
	if (ok && o->perfetto)
		ok = read_write_chrome(o->perfetto, r.jobs, r.n, &r.ranks, e);
	for (size_t i = 0; i < r.n; i++)
		read_job_close(&r.jobs[i]);
	return ok;
}
