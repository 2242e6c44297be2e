/* The verb `trace`: a trace written again, smaller, mended or without what tells who made it.
 * In: a trace.
 * Out: a valid trace with a mark and the digest of its source.
 * Never: writes over its source. */
/* table: option rows */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "read/kineto/rewrite.h"
#include "read/nsys/rewrite.h"
#include "verb/read_file.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args, devices, drop, words;
	const char *out, *steps, *time;
};
#define ROW(field_, type_) .name = #field_, .type = (type_), .offset = offsetof(struct options, field_)
static const struct opt_row rows[] = {
	{ROW(out, OPT_STRING), .letter = 'o', .meta = "FILE", .flags = OPT_REQUIRED,
	 .help = "The new file; a name that ends in .gz is compressed. It must not exist."},
	{ROW(steps, OPT_STRING), .meta = "FIRST[:LAST]", .help = "slim: only these profiler steps, by number."},
	{ROW(time, OPT_STRING), .meta = "FROM:TO",
	 .help = "slim: only this time since the first activity, as 10ms:2.5s (ns, us, ms, s)."},
	{ROW(devices, OPT_LIST), .meta = "N", .help = "slim: only work of these GPUs."},
	{ROW(drop, OPT_LIST), .meta = "CATEGORY",
	 .help = "slim: leave out events of these categories (python_function)."},
	{ROW(words, OPT_LIST), .meta = "WORD",
	 .help = "redact: also take out these words. User and host name of this machine always go."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {
	"assay trace slim tests/data/kineto/generated.json --time 0ms:1ms --drop python_function --out slim.json",
	"assay trace repair tests/data/kineto/generated.json --out whole.json.gz",
	"assay trace redact tests/data/kineto/generated.json --words project-x --out public.json",
	NULL,
};

enum action { SLIM, REPAIR, REDACT };
struct job {
	const struct options *o;
	struct verb_call *call;
	enum action action;
	const char *source;
	char *temporary;
	struct json *mark, *result;
	struct redact redact;
	int64_t first_ns; /* of the activities: --time counts from there */
	int fd;
	gzFile gz;
};

static bool scaled(struct str text, double *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	double factor = 1;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (!str_ends(text, units[i].unit))
			continue;
		factor = units[i].ns;
		text.n -= strlen(units[i].unit);
		break;
	}
	return str_f64(text, ns) && (*ns *= factor) >= 0 && *ns <= 9e15;
}

static bool window_of(const struct job *j, int64_t *from, int64_t *to, struct err *e)
{
	struct str rest = str_from(j->o->time), a, b;
	double v[2];
	if (!str_split(&rest, ':', &a) || !str_split(&rest, ':', &b) || rest.p || !scaled(a, &v[0]) ||
	    !scaled(b, &v[1]) || v[0] >= v[1])
		return err_set(e, ERR_USAGE, "--time %s: it is FROM:TO, as 10ms:2.5s, FROM below TO", j->o->time);
	*from = j->first_ns + (int64_t)v[0];
	*to = j->first_ns + (int64_t)v[1];
	return true;
}

static bool steps_of(const struct job *j, int64_t *first, int64_t *last, struct err *e)
{
	struct str rest = str_from(j->o->steps), a, b;
	(void)str_split(&rest, ':', &a);
	b = a;
	if (rest.p && !str_split(&rest, ':', &b))
		b = a;
	if (!str_i64(a, first) || !str_i64(b, last) || *first > *last || rest.p)
		return err_set(e, ERR_USAGE, "--steps %s: it is FIRST or FIRST:LAST, numbers of steps", j->o->steps);
	return true;
}

static bool write_piece(void *ctx, const struct buf *b, struct err *e)
{
	struct job *j = ctx;
	if (!j->gz)
		return file_write_all(j->fd, b->p, b->n, j->temporary, e);
	for (size_t at = 0; at < b->n;) {
		unsigned n = b->n - at > 1u << 30 ? 1u << 30 : (unsigned)(b->n - at);
		if (gzwrite(j->gz, b->p + at, n) != (int)n)
			return err_errno(e, ERR_SYSTEM, errno, "%s", j->temporary);
		at += n;
	}
	return true;
}

static bool open_target(struct job *j, struct err *e)
{
	j->fd = open(j->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (j->fd < 0)
		return err_errno(e, ERR_SYSTEM, errno, "%s", j->temporary);
	if (str_ends(str_from(j->o->out), ".gz") && !(j->gz = gzdopen(j->fd, "wb6")))
		return err_set(e, ERR_SYSTEM, "%s: out of memory", j->temporary);
	return true;
}

static bool close_target(struct job *j, bool ok, struct err *e)
{
	int rc = j->gz ? gzclose(j->gz) : j->fd >= 0 ? close(j->fd) : 0;
	if (rc != 0 && ok)
		ok = err_errno(e, ERR_SYSTEM, errno, "%s", j->temporary);
	return ok;
}

static bool cut_of(struct job *j, struct kineto_cut *cut, const struct kineto_trace *t, struct err *e)
{
	int64_t first, last;
	j->first_ns = t->first_ns;
	if (j->o->steps) {
		if (!steps_of(j, &first, &last, e))
			return false;
		if (!kineto_step_window(cut, t, first, last))
			return err_set(e, ERR_INPUT, "%s: no profiler step of the numbers %s", j->source, j->o->steps);
	} else if (j->o->time) {
		cut->has_window = true;
		if (!window_of(j, &cut->from_ns, &cut->to_ns, e))
			return false;
	}
	int64_t *devices = ARENA_ARRAY(j->call->arena, j->o->devices.n + 1, int64_t);
	for (size_t i = 0; i < j->o->devices.n; i++) {
		if (!str_i64(str_from(j->o->devices.items[i]), &devices[i]))
			return err_set(e, ERR_USAGE, "--devices %s: a number", j->o->devices.items[i]);
	}
	cut->devices = devices;
	cut->n_devices = j->o->devices.n;
	cut->drop = j->o->drop.items;
	cut->n_drop = j->o->drop.n;
	return true;
}

static bool rewrite_kineto(struct job *j, struct kineto_trace *t, struct err *e)
{
	struct kineto_cut cut = {0};
	struct kineto_rewritten n;
	struct kineto_rewrite o = {.trace = t, .mark = j->mark, .write = write_piece, .ctx = j};
	if (j->action == SLIM && !cut_of(j, &cut, t, e))
		return false;
	o.cut = j->action == SLIM ? &cut : NULL;
	o.redact = j->action == REDACT ? &j->redact : NULL;
	bool ok = open_target(j, e) && kineto_rewrite(&n, j->source, &o, e);
	if (!close_target(j, ok, e) || !ok)
		return false;
	json_set_u64(j->result, "events", n.n_events);
	json_set_u64(j->result, "kept", n.n_kept);
	json_set_u64(j->result, "mended", n.n_mended);
	json_set_u64(j->result, "broken_events", n.n_broken);
	json_set_u64(j->result, "lost_bytes", n.lost_bytes);
	if (n.torn_offset)
		json_set_u64(j->result, "torn_offset", n.torn_offset);
	return true;
}

static int64_t first_of(struct trace *t)
{
	return t->n_activities ? t->activities[0].start_ns : 0;
}

static bool rewrite_nsys(struct job *j, struct read_job *r, struct err *e)
{
	struct nsys_rewrite o = {.mark = j->mark};
	struct nsys_rewritten n;
	if (j->action == REPAIR)
		return err_set(e, ERR_USAGE,
			       "%s: an SQLite file; repair mends JSON (sqlite3's .recover mends databases)", j->source);
	if (j->o->steps || j->o->devices.n || j->o->drop.n)
		return err_set(e, ERR_USAGE, "%s: an nsys export is cut by --time only", j->source);
	if (j->action == SLIM && !j->o->time)
		return err_set(e, ERR_USAGE, "slim: --time says what stays");
	if (j->o->time) {
		if (!read_job_timeline(r, e))
			return false;
		j->first_ns = first_of(&r->trace);
		o.has_window = true;
		if (!window_of(j, &o.from_ns, &o.to_ns, e))
			return false;
	}
	o.redact = j->action == REDACT ? &j->redact : NULL;
	if (!nsys_rewrite(&n, j->source, j->temporary, &o, e))
		return false;
	json_set_u64(j->result, "deleted_rows", n.n_deleted);
	json_set_u64(j->result, "redacted_values", n.n_redacted);
	return true;
}

/* User and host of this machine, and what the command line gives. */
static void set_words(struct job *j)
{
	static char host[256];
	const char *user = getenv("USER");
	const char **words = ARENA_ARRAY(j->call->arena, j->o->words.n + 3, const char *);
	size_t n = 0;
	for (size_t i = 0; i < j->o->words.n; i++)
		words[n++] = j->o->words.items[i];
	if (user && strlen(user) > 2 && strcmp(user, "root") != 0)
		words[n++] = user;
	if (gethostname(host, sizeof(host) - 1) == 0 && strlen(host) > 2 && strcmp(host, "localhost") != 0)
		words[n++] = host;
	j->redact = (struct redact){.words = words, .n_words = n};
}

static void put_result(struct job *j)
{
	struct buf *out = j->call->out;
	if (j->action == REDACT) {
		json_set_u64(j->result, "paths", j->redact.n_paths);
		json_set_u64(j->result, "addresses", j->redact.n_addresses);
		json_set_u64(j->result, "names", j->redact.n_names);
		json_set_u64(j->result, "secrets", j->redact.n_secrets);
	}
	json_set_cstr(j->result, "out", j->o->out);
	json_set_i64(j->result, "bytes_before", file_size(j->source));
	json_set_i64(j->result, "bytes_after", file_size(j->o->out));
	if (j->o->common.json) {
		verb_put_json(j->call, j->result);
		return;
	}
	buf_printf(out, "%s: %s, %s of %s\n", j->o->out, json_get(j->mark, "kind")->text.p,
		   term_bytes(j->call->arena, (double)file_size(j->o->out)),
		   term_bytes(j->call->arena, (double)file_size(j->source)));
	for (size_t i = 0; i < j->result->n; i++) {
		const struct json_member *m = &j->result->members[i];
		if (json_is_number(m->value) && m->value->i && !str_starts(m->key, "bytes"))
			buf_printf(out, "%.*s %lld\n", STR_ARG(m->key), (long long)m->value->i);
	}
	if (j->action == REDACT)
		buf_puts(out, "what is not recognised stays: look at the result before it goes out\n");
}

static bool parse(struct job *j, struct err *e)
{
	static const char *const names[] = {"slim", "repair", "redact"};
	const struct options *o = j->o;
	size_t i = 0;
	while (i < COUNT_OF(names) && strcmp(names[i], o->args.items[0]) != 0)
		i++;
	if (i == COUNT_OF(names))
		return err_set(e, ERR_USAGE, "trace %s: it is slim, repair or redact", o->args.items[0]);
	j->action = (enum action)i;
	j->source = o->args.items[1];
	if (j->action != SLIM && (o->steps || o->time || o->devices.n || o->drop.n))
		return err_set(e, ERR_USAGE, "--steps, --time, --devices and --drop belong to slim");
	if (o->steps && o->time)
		return err_set(e, ERR_USAGE, "--steps or --time, not both");
	if (file_exists(o->out))
		return err_set(e, ERR_USAGE, "%s is there already; name another file", o->out);
	j->temporary = arena_printf(j->call->arena, "%s.tmp-%d", o->out, (int)getpid());
	static const char *const kinds[] = {"slimmed", "repaired", "redacted"};
	j->mark = read_mark(j->call->arena, kinds[i], j->source, e);
	return j->mark != NULL;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	struct job j = {.o = options, .call = call, .fd = -1};
	struct read_options ro = {.common = VERB_COMMON_DEFAULTS};
	struct read_job r = {0};
	if (!parse(&j, e) || !read_job_open(&r, &ro, call, j.source, e)) {
		read_job_close(&r);
		return false;
	}
	set_words(&j);
	progress_begin("trace");
	progress_phase("writing", 0);
	j.result = read_document(call->arena, "assay/rewritten-v1", r.reader->name);
	json_set(j.result, "mark", j.mark);
	bool ok = str_is(str_from(r.reader->name), "kineto") ? rewrite_kineto(&j, r.report, e)
		  : str_is(str_from(r.reader->name), "nsys")
			  ? rewrite_nsys(&j, &r, e)
			  : err_set(e, ERR_USAGE, "%s: a %s is no trace", j.source, r.reader->title);
	progress_end();
	read_job_close(&r);
	if (ok && rename(j.temporary, j.o->out) != 0)
		ok = err_errno(e, ERR_SYSTEM, errno, "%s", j.o->out);
	if (!ok)
		(void)unlink(j.temporary);
	else
		put_result(&j);
	return ok;
}

static const struct opt_spec spec = {
	.verb = "trace",
	.summary = "Writes a trace again: slim, repair or redact.",
	.positional = "slim|repair|redact FILE",
	.min_args = 2,
	.max_args = 2,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "PyTorch traces (plain, .gz, .zst, .zip) and SQLite exports of Nsight Systems (slim --time, redact). "
		 "The result "
		 "carries a mark with the digest of its source: it is no original and is refused where identity "
		 "matters.",
};
const struct verb verb_trace = {&spec, &defaults, run, 0};
