/* perf_event counters over our own runner.
 * In: a built version. Out: targeted.perf.json, full.perf.json and their texts.
 * The worker counts only inside the calls and prints its counters last.
 * Never: fills in a counter that was refused. */
#include "collect/perf.h"

#include <math.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/shell.h"
#include "run/job.h"
#include "run/job_command.h"
#include "run/sandbox.h"
#include "run/sandbox_env.h"

enum { PERF_CALLS = 10, PERF_WARMUP = 3 };

static struct json *last_line(struct arena *a, struct str text)
{
	struct str line, last = STR("");
	struct err bad;
	while (str_split(&text, '\n', &line)) {
		if (str_trim(line).n)
			last = str_trim(line);
	}
	return last.n ? json_parse(a, "counters", last, JSON_STRICT, &bad) : NULL;
}

/* ": what the worker said first", or "". */
static const char *said(struct arena *a, struct str text)
{
	struct str line;
	while (str_split(&text, '\n', &line)) {
		if (str_starts(line, "assay worker: "))
			return arena_printf(a, ": %.300s", arena_str(a, str_sub(line, 14, line.n)).p);
	}
	return "";
}

static void put_ratio(struct json *out, const struct json *c, const char *name, const char *up, const char *down)
{
	double x = json_f64(c, up, NAN), y = json_f64(c, down, NAN);
	if (isfinite(x) && y > 0)
		json_set_f64(out, name, x / y);
}

/* Per call: counters divided by the calls, and the ratios that they give. */
static struct json *per_call(struct arena *a, const struct json *counted, bool is_full)
{
	static const char *const few[] = {"cycles", "instructions", "cache_misses", "branch_misses", "task_clock_ns"};
	struct json *out = json_object(a), *c = json_get(counted, "counters");
	double n = json_f64(counted, "calls", NAN);
	for (size_t i = 0; c && i < c->n; i++) {
		bool wanted = is_full;
		for (size_t k = 0; k < COUNT_OF(few); k++)
			wanted = wanted || str_is(c->members[i].key, few[k]);
		if (wanted)
			json_set_f64(out, arena_strndup(a, c->members[i].key.p, c->members[i].key.n),
				     c->members[i].value->real / n);
	}
	put_ratio(out, c, "instructions_per_cycle", "instructions", "cycles");
	if (is_full) {
		put_ratio(out, c, "cache_miss_ratio", "cache_misses", "cache_references");
		put_ratio(out, c, "branch_miss_ratio", "branch_misses", "branches");
		put_ratio(out, c, "cycles_per_ns", "cycles", "task_clock_ns");
	}
	return out;
}

static const char *unit_of(struct str name)
{
	if (str_ends(name, "_ns"))
		return "ns/call";
	if (str_ends(name, "_ratio") || str_is(name, "instructions_per_cycle") || str_is(name, "cycles_per_ns"))
		return "1";
	return "1/call";
}

static bool write_texts(struct arena *a, const struct perf_collect *o, const char *name, const struct json *report,
			struct err *e)
{
	struct buf text;
	const struct json *m = json_get(report, "per_call"), *refused = json_get(report, "refused");
	buf_init(&text);
	buf_printf(&text, "written by assay from %s.perf.json: perf_event counters, per call\n", name);
	for (size_t i = 0; m && i < m->n; i++)
		buf_printf(&text, "%-28.*s %-8s %.6g\n", STR_ARG(m->members[i].key), unit_of(m->members[i].key),
			   m->members[i].value->real);
	bool ok = file_write_str(path_join(a, o->folder, arena_printf(a, "%s_summary.txt", name)), buf_view(&text), e);
	for (size_t i = 0; refused && i < refused->n; i++)
		buf_printf(&text, "%-28.*s refused  %.*s\n", STR_ARG(refused->members[i].key),
			   STR_ARG(refused->members[i].value->text));
	ok = ok && file_write_str(path_join(a, o->folder, arena_printf(a, "%s_details.txt", name)), buf_view(&text), e);
	buf_release(&text);
	return ok;
}

static const char *write_report(struct arena *a, const struct perf_collect *o, const char *name,
				const struct json *counted, struct err *e)
{
	struct json *j = json_object(a);
	struct buf b;
	const char *path = arena_printf(a, "%s/%s.perf.json", o->folder, name);
	json_set_cstr(j, "format", "assay/perf-v1");
	json_set_cstr(j, "set", name);
	json_set_cstr(j, "binary_sha256", o->sha256);
	json_set_i64(j, "calls", json_i64(counted, "calls", 0));
	json_set(j, "per_call", per_call(a, counted, strcmp(name, "full") == 0));
	struct json *refused = json_get(counted, "refused");
	json_set(j, "refused", refused ? refused : json_object(a));
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = file_write_str(path, buf_view(&b), e) && write_texts(a, o, name, j, e);
	buf_release(&b);
	return ok ? path : NULL;
}

bool perf_collect(struct perf_collected *out, struct arena *a, const struct perf_collect *o, struct err *e)
{
	struct job_options job = {.op = o->op,
				  .backend = "c",
				  .library = o->library,
				  .symbol = o->symbol,
				  .returns_int = o->returns_int,
				  .mode = "count",
				  .n_warmup = PERF_WARMUP,
				  .n_calls = PERF_CALLS,
				  .data = o->data};
	const char *file = path_join(a, o->folder, "perf.job");
	const char *const *argv = job_argv(a, o->program, o->guest, file);
	struct sandbox_env_options env = {.folder = o->scratch, .gpu = "", .extra = o->guest ? o->guest->env : NULL};
	const char *const hidden[] = {"CUDA_VISIBLE_DEVICES=", o->guest ? o->guest->env[0] : NULL, NULL};
	*out = (struct perf_collected){.command = shell_line(a, o->guest ? hidden : NULL, argv)};
	if (!file_mkdirs(o->scratch, 0700, e) || !job_write(file, &job, e))
		return false;
	struct proc_options p = {.argv = argv,
				 .env = sandbox_env(a, &env, e),
				 .timeout_ns = (int64_t)(o->timeout_s * 1e9),
				 .flags = PROC_PDEATHSIG};
	struct proc_result r;
	if (!p.env)
		return false;
	bool ok = proc_run(&r, &p, e);
	out->seconds = (double)r.wall_ns / 1e9;
	struct json *counted = ok && r.exit_status == 0 ? last_line(a, buf_view(&r.out)) : NULL;
	if (ok && r.interrupted)
		ok = err_set(e, ERR_INTERRUPTED, "interrupted while counting");
	if (ok && !counted)
		out->reason = arena_printf(a, "profile_incomplete:the counting process ended with %s%s",
					   proc_describe(a, &r), said(a, buf_view(&r.err)));
	proc_result_release(&r);
	if (!ok || !counted)
		return ok;
	out->targeted = write_report(a, o, "targeted", counted, e);
	out->full = out->targeted ? write_report(a, o, "full", counted, e) : NULL;
	return out->full != NULL;
}
