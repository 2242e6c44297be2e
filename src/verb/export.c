/* assay export: results in the formats of other projects.
 * In: a run folder, a bench record (file or id). Out: KernelBench's eval results, or traces of flashinfer-trace.
 * The documents are report/export.c's.
 * Never: measures, changes what it reads. */
#include <stddef.h>

#include "base/file.h"
#include "measure/import_format.h"
#include "report/export.h"
#include "store/object.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *to, *problem, *solution, *out, *store;
};

static const struct opt_row rows[] = {
	{.name = "to",
	 .type = OPT_ENUM,
	 .offset = offsetof(struct options, to),
	 .choices = "kernelbench|flashinfer-trace",
	 .meta = "FORMAT",
	 .flags = OPT_REQUIRED,
	 .help = "Whose format."},
	{.name = "problem",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, problem),
	 .meta = "PATH",
	 .help = "flashinfer-trace: the definition, beside which the workloads are."},
	{.name = "solution",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, solution),
	 .meta = "NAME",
	 .help = "flashinfer-trace: name of the solution; without it the kernel file's."},
	{.name = "out",
	 .letter = 'o',
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, out),
	 .meta = "FILE",
	 .help = "Where to write; without it stdout."},
	{.name = "store",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, store),
	 .meta = "DIR",
	 .flags = OPT_SETTABLE,
	 .help = "Store of records."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {
	"assay export assay-runs/softmax_v0-20261129T120000Z --to kernelbench -o eval_results.json",
	"assay export record.json --to flashinfer-trace --problem definitions/rmsnorm/h64.json",
	NULL,
};

enum { MAX_VERSIONS = 1001 };
struct records {
	struct json *items[MAX_VERSIONS];
	uint64_t numbers[MAX_VERSIONS];
	size_t n;
	const char *name; /* of the run or the kernel */
};

static bool is_bench(const struct json *j, const char *path, struct err *e)
{
	return str_is(json_str(j, "format", STR("")), "assay/bench-v1") ||
	       err_set(e, ERR_INPUT, "%s: is no bench record (assay/bench-v1)", path);
}

static bool read_run(struct records *out, struct arena *a, const char *path, struct err *e)
{
	if (!file_exists(path_join(a, path, "run_manifest.json")))
		return err_set(e, ERR_INPUT, "%s: is no run folder: no run_manifest.json", path);
	for (uint64_t i = 0; i < MAX_VERSIONS; i++) {
		const char *name = arena_printf(a, "%s/iter_v%llu/benchmark_result.json", path, (unsigned long long)i);
		if (!file_exists(name))
			continue;
		struct json *j = json_read_file(a, name, JSON_STRICT, e);
		if (!j || !is_bench(j, name, e))
			return false;
		out->items[out->n] = j;
		out->numbers[out->n++] = i;
	}
	return out->n || err_set(e, ERR_INPUT, "%s: no version has been measured", path);
}

static bool read_records(struct records *out, struct verb_call *call, const struct options *o, struct err *e)
{
	const char *arg = o->args.items[0];
	struct arena *a = call->arena;
	if (file_is_dir(arg)) {
		if (!read_run(out, a, arg, e))
			return false;
	} else if (file_exists(arg) || strncmp(arg, "bench-", 6) != 0) {
		out->items[out->n++] = json_read_file(a, arg, JSON_STRICT, e);
	} else {
		struct store *s = store_open(o->store, e);
		out->items[out->n++] = s ? store_record_read(s, a, arg, e) : NULL;
		store_close(s);
	}
	if (!out->items[0] || !is_bench(out->items[0], arg, e))
		return false;
	struct str kernel = json_str(json_path(out->items[0], "operator.kernel"), "path", STR("kernel"));
	out->name = path_stem(a, arena_str(a, kernel).p);
	return true;
}

static void put_kernelbench(struct buf *out, struct arena *a, const struct records *r)
{
	struct json *j = json_object(a), *list = json_set_array(j, r->name);
	for (size_t i = 0; i < r->n; i++)
		json_push(list, export_kernelbench(a, r->items[i], r->numbers[i]));
	json_write(out, j, JSON_PRETTY);
}

/* The workload of that uuid among the problem's .jsonl files. */
static struct json *find_workload(struct arena *a, const struct import_problem *p, struct str uuid)
{
	for (size_t i = 0; i < p->sources->n; i++) {
		struct str text = p->sources->members[i].value->text, line;
		struct err ignored;
		if (!str_ends(p->sources->members[i].key, ".jsonl"))
			continue;
		while (str_split(&text, '\n', &line)) {
			struct json *j = line.n ? json_parse(a, "workload", line, JSON_STRICT, &ignored) : NULL;
			struct json *w = j && json_get(j, "workload") ? json_get(j, "workload") : j;
			if (w && str_eq(json_str(w, "uuid", STR("")), uuid))
				return w;
		}
	}
	return NULL;
}

static bool put_traces(struct buf *out, struct arena *a, const struct records *r, const struct options *o,
		       struct err *e)
{
	struct import_problem p;
	if (!o->problem)
		return err_set(e, ERR_USAGE,
			       "export: --to flashinfer-trace needs --problem: a trace names its definition "
			       "and repeats its workload");
	if (!import_problem_read(&p, a, o->problem, e))
		return false;
	const char *name = path_base(p.path);
	const struct json *d = json_parse(a, name, json_str(p.sources, name, STR("")), JSON_STRICT, e);
	if (!d || !json_str(d, "name", STR("")).n)
		return d && err_set(e, ERR_INPUT, "%s: is no definition of flashinfer-trace: no \"name\"", p.path);
	for (size_t i = 0; i < r->n; i++) {
		struct str uuid = json_str(json_path(r->items[i], "operator.cases.0"), "name", STR(""));
		struct json *w = find_workload(a, &p, uuid);
		if (!w)
			return err_set(
				e, ERR_INPUT,
				"%s: no workload '%.*s', which the record timed: it was made from another problem",
				p.path, STR_ARG(uuid));
		const char *solution = o->solution ? o->solution : r->name;
		if (r->n > 1)
			solution = arena_printf(a, "%s_v%llu", solution, (unsigned long long)r->numbers[i]);
		json_write(out, export_trace(a, r->items[i], d, w, solution), JSON_COMPACT);
		buf_str(out, STR("\n"));
	}
	return true;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct records *r = ARENA_NEW(call->arena, struct records);
	struct buf text;
	if (!read_records(r, call, o, e))
		return false;
	buf_init(&text);
	bool ok = true;
	if (strcmp(o->to, "kernelbench") == 0)
		put_kernelbench(&text, call->arena, r);
	else
		ok = put_traces(&text, call->arena, r, o, e);
	if (ok && o->out)
		ok = file_write_str(o->out, buf_view(&text), e);
	else if (ok)
		buf_str(call->out, buf_view(&text));
	buf_release(&text);
	return ok;
}

static const struct opt_spec spec = {
	.verb = "export",
	.summary = "Writes results in the formats of other projects.",
	.positional = "RUN",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "RUN is a run folder, the file of a bench record, or its id. kernelbench: one entry a version, as in "
		 "eval_results.json, times in ms. flashinfer-trace: one trace a line, of the workload that was timed.",
};
const struct verb verb_export = {&spec, &defaults, run, 0};
