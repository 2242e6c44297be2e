/* Chrome JSON of a timeline.
 * In: sorted traces.
 * Out: text, in pieces.
 * Never: drops what overlaps. */
#include "timeline/chrome.h"

#include "base/json.h"

#define PIECE ((size_t)1 << 20)
#define SUB_ROWS 16 /* rows of one stream beside each other; beyond, the last one is shared */

struct job {
	const struct chrome_track *track;
	const struct chrome_sink *sink;
	struct buf out;
	bool any, ok;
	size_t i_track;
	uint64_t n_flows;
	struct err *e;
};

static void flush(struct job *j, size_t least)
{
	if (j->out.n < least || !j->ok)
		return;
	j->ok = j->sink->write(j->sink->ctx, &j->out, j->e);
	buf_clear(&j->out);
}

/* As JSON; bytes that are not UTF-8 become U+FFFD. */
static void put_string(struct buf *out, struct str s)
{
	buf_char(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		size_t more = c >= 0xf0 && c < 0xf8 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0, k = 1;
		while (c >= 0x80 && k <= more && i + k < s.n && ((unsigned char)s.p[i + k] & 0xc0) == 0x80)
			k++;
		if (c == '"' || c == '\\')
			buf_char(out, '\\');
		if (c < 0x20)
			buf_printf(out, "\\u%04x", c);
		else if (c < 0x80)
			buf_char(out, (char)c);
		else if (c >= 0xf8 || !more || k <= more)
			buf_puts(out, "\xef\xbf\xbd");
		else
			buf_add(out, s.p + i, k);
		i += c >= 0x80 && c < 0xf8 && more && k > more ? more : 0;
	}
	buf_char(out, '"');
}

/* Microseconds with three digits, as Kineto writes them. */
static void put_time(struct buf *out, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	buf_printf(out, "%s%llu.%03llu", ns < 0 ? "-" : "", (unsigned long long)(v / 1000),
		   (unsigned long long)(v % 1000));
}

struct slice {
	const char *cat;
	struct str name;
	int64_t pid, tid, start, end;
};

static void open_event(struct job *j)
{
	buf_puts(&j->out, j->any ? ",\n" : "\n");
	j->any = true;
}

static void put_slice(struct job *j, const struct slice *s)
{
	open_event(j);
	buf_printf(&j->out, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":", s->cat);
	put_string(&j->out, s->name);
	buf_printf(&j->out, ",\"pid\":%lld,\"tid\":%lld,\"ts\":", (long long)s->pid, (long long)s->tid);
	put_time(&j->out, s->start - j->track->offset_ns);
	buf_puts(&j->out, ",\"dur\":");
	put_time(&j->out, s->end - s->start);
}

static void put_label(struct job *j, const char *what, int64_t pid, int64_t tid, struct str name)
{
	open_event(j);
	buf_printf(&j->out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%lld,\"tid\":%lld,\"args\":{\"name\":", what,
		   (long long)pid, (long long)tid);
	put_string(&j->out, name);
	buf_puts(&j->out, "}}");
}

/* Rows: devices are processes 1000 r + d of rank r, the host 1000 r + 900, the path 1000 r + 901. */
static int64_t pid_of(const struct job *j, int64_t row)
{
	return (int64_t)j->i_track * 1000 + row;
}
enum { ROW_HOST = 900, ROW_PATH = 901 };

static void put_flow(struct job *j, const struct trace_activity *a, int64_t pid, int64_t tid)
{
	const struct trace_call *c = &j->track->trace->calls[a->call - 1];
	open_event(j);
	buf_printf(&j->out,
		   "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%llu,\"pid\":%lld,\"tid\":%u,\"ts\":",
		   (unsigned long long)++j->n_flows, (long long)pid_of(j, ROW_HOST), c->thread);
	put_time(&j->out, c->start_ns - j->track->offset_ns);
	buf_printf(&j->out,
		   "},\n{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%llu,\"pid\":%lld,\"tid\":"
		   "%lld,\"ts\":",
		   (unsigned long long)j->n_flows, (long long)pid, (long long)tid);
	put_time(&j->out, a->start_ns - j->track->offset_ns);
	buf_char(&j->out, '}');
}

static void put_activities(struct job *j, struct arena *scratch)
{
	static const char *const cats[TRACE_KINDS] = {"kernel", "kernel", "gpu_memcpy", "gpu_memset", "kernel"};
	const struct trace *t = j->track->trace;
	int64_t *ends = ARENA_ARRAY(scratch, t->n_lanes * SUB_ROWS + 1, int64_t);
	for (size_t i = 0; i < t->n_lanes * SUB_ROWS; i++)
		ends[i] = INT64_MIN;
	for (size_t i = 0; i < t->n_activities && j->ok; i++) {
		const struct trace_activity *a = &t->activities[i];
		int64_t *end = ends + (size_t)a->lane * SUB_ROWS, sub = 0;
		while (sub + 1 < SUB_ROWS && end[sub] > a->start_ns)
			sub++;
		end[sub] = a->end_ns;
		int64_t pid = pid_of(j, t->lanes[a->lane].device), tid = a->lane * SUB_ROWS + sub;
		put_slice(j, &(struct slice){cats[a->kind], t->names[a->name], pid, tid, a->start_ns, a->end_ns});
		buf_printf(&j->out, ",\"args\":{\"device\":%lld,\"stream\":%lld,\"correlation\":%u}}",
			   (long long)t->devices[t->lanes[a->lane].device].id, (long long)t->lanes[a->lane].stream,
			   a->call);
		if (a->call)
			put_flow(j, a, pid, tid);
		flush(j, PIECE);
	}
}

static void put_host(struct job *j)
{
	const struct trace *t = j->track->trace;
	for (size_t i = 0; i < t->n_calls && j->ok; i++) {
		const struct trace_call *c = &t->calls[i];
		put_slice(j, &(struct slice){"cuda_runtime", t->names[c->name], pid_of(j, ROW_HOST), c->thread,
					     c->start_ns, c->end_ns});
		buf_printf(&j->out, ",\"args\":{\"correlation\":%zu}}", i + 1);
		flush(j, PIECE);
	}
	for (size_t i = 0; i < t->n_ranges && j->ok; i++) {
		const struct trace_range *r = &t->ranges[i];
		put_slice(j, &(struct slice){"user_annotation", t->names[r->name], pid_of(j, ROW_HOST), r->thread,
					     r->start_ns, r->end_ns});
		buf_char(&j->out, '}');
		flush(j, PIECE);
	}
}

static void put_path(struct job *j)
{
	const struct trace *t = j->track->trace;
	const struct path *p = j->track->path;
	for (size_t i = 0; p && i < p->n_pieces && j->ok; i++) {
		const struct path_piece *piece = &p->pieces[p->n_pieces - 1 - i];
		struct str name = piece->kind == PATH_ACTIVITY ? t->names[t->activities[piece->index].name]
				  : piece->kind == PATH_CALL || piece->kind == PATH_SYNC
					  ? t->names[t->calls[piece->index].name]
					  : str_from(path_kind_name(piece->kind));
		put_slice(j,
			  &(struct slice){"critical_path", name, pid_of(j, ROW_PATH), 0, piece->from_ns, piece->to_ns});
		buf_printf(&j->out, ",\"args\":{\"kind\":\"%s\",\"inferred\":%s}}", path_kind_name(piece->kind),
			   piece->is_inferred ? "true" : "false");
		flush(j, PIECE);
	}
}

static void put_labels(struct job *j, struct arena *scratch)
{
	const struct trace *t = j->track->trace;
	const char *rank = t->rank >= 0 ? arena_printf(scratch, "rank %lld ", (long long)t->rank) : "";
	for (size_t i = 0; i < t->n_devices; i++)
		put_label(j, "process_name", pid_of(j, (int64_t)i), 0,
			  str_from(arena_printf(scratch, "%sdevice %lld %.*s", rank, (long long)t->devices[i].id,
						STR_ARG(t->devices[i].name))));
	for (size_t i = 0; i < t->n_lanes; i++)
		put_label(j, "thread_name", pid_of(j, t->lanes[i].device), (int64_t)i * SUB_ROWS,
			  str_from(arena_printf(scratch, "stream %lld", (long long)t->lanes[i].stream)));
	put_label(j, "process_name", pid_of(j, ROW_HOST), 0, str_from(arena_printf(scratch, "%shost", rank)));
	for (size_t i = 0; i < t->n_threads; i++)
		put_label(j, "thread_name", pid_of(j, ROW_HOST), (int64_t)i,
			  str_from(arena_printf(scratch, "thread %lld", (long long)t->threads[i].id)));
	if (j->track->path)
		put_label(j, "process_name", pid_of(j, ROW_PATH), 0,
			  str_from(arena_printf(scratch, "%scritical path", rank)));
}

bool chrome_write(const struct chrome_track *v, size_t n, const struct json *mark, const struct chrome_sink *sink,
		  struct err *e)
{
	struct job j = {.sink = sink, .ok = true, .e = e};
	struct arena scratch;
	arena_init(&scratch);
	buf_init(&j.out);
	buf_puts(&j.out, "{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"assayMark\":");
	json_write(&j.out, mark, JSON_COMPACT);
	if (n && v[0].trace->has_base)
		buf_printf(&j.out, ",\"baseTimeNanoseconds\":%lld", (long long)v[0].trace->base_ns);
	buf_puts(&j.out, ",\"traceEvents\":[");
	for (size_t i = 0; i < n && j.ok; i++) {
		j.track = &v[i];
		j.i_track = i;
		put_labels(&j, &scratch);
		put_activities(&j, &scratch);
		put_host(&j);
		put_path(&j);
	}
	buf_puts(&j.out, "\n]}\n");
	flush(&j, 0);
	buf_release(&j.out);
	arena_release(&scratch);
	return j.ok;
}
