/* Names what a collection came to.
 * In: the log and the files of a profiler's run.
 * Out: state, reason, reports, metrics that are no numbers.
 * Never: calls a report without work collected. */
#include "collect/profile_check.h"

#include <math.h>

#include "base/file.h"
#include "collect/machine.h"
#include "collect/said.h"
#include "read/ncu/ncu.h"
#include "read/reader.h"

#define MAX_NAN 50

static bool says(const struct profile_log *log, const char *what)
{
	return str_find(log->text, str_from(what)) != SIZE_MAX;
}

static const char *advice(struct arena *a)
{
	const struct json *counters = machine_counters(a, "");
	struct str text = json_str(counters, "advice", (struct str){0});
	return text.n ? arena_printf(a, "; an administrator can change it: %.*s", STR_ARG(text)) : "";
}

struct sign { /* what tools print, and what it means */
	const char *text;
	enum profile_state state;
	const char *reason;
};
static const struct sign signs[] = {
	{"ERR_NVGPUCTRPERM", PROFILE_PERMISSION, "this user may not read GPU performance counters (ERR_NVGPUCTRPERM)"},
	{"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", PROFILE_PERMISSION,
	 "this user may not read GPU performance counters (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)"},
	{"Another tool/injection might be loaded", PROFILE_OTHER_TOOL, "another profiler is loaded into the process"},
	{"already in use by another", PROFILE_OTHER_TOOL, "another profiler uses the GPU's counters"},
	{"ERR_NVGPUCTRINUSE", PROFILE_OTHER_TOOL, "another profiler uses the GPU's counters"},
	{"Cuda driver is not compatible", PROFILE_INCOMPATIBLE, "tool and driver do not fit"},
	{"is not compatible with the driver", PROFILE_INCOMPATIBLE, "tool and driver do not fit"},
	{"driver version is insufficient", PROFILE_INCOMPATIBLE,
	 "the driver is older than the tool or the program needs"},
	{"is not supported on this device", PROFILE_INCOMPATIBLE, "the tool does not know this GPU"},
	{"LibraryNotLoaded", PROFILE_INCOMPATIBLE, "the tool could not load the driver's library"},
	{"No kernels were profiled", PROFILE_EMPTY, "no kernel ran inside what was captured"},
	{"No CUDA events collected", PROFILE_EMPTY, "no CUDA work ran inside what was captured"},
	{"No reports were generated", PROFILE_EMPTY, "the captured range was never entered"},
	{"were collected because the capture range", PROFILE_EMPTY, "the captured range was never entered"},
};

static void set_state(struct profile_collected *out, enum profile_state state, const char *reason)
{
	if (out->state != PROFILE_COLLECTED)
		return; /* the first cause stands */
	out->state = state;
	out->reason = reason;
}

static void by_log(struct profile_collected *out, struct arena *a, const struct profile_log *log)
{
	for (size_t i = 0; i < COUNT_OF(signs); i++) {
		if (!says(log, signs[i].text))
			continue;
		set_state(out, signs[i].state,
			  arena_printf(a, "%s%s", signs[i].reason,
				       signs[i].state == PROFILE_PERMISSION ? advice(a) : ""));
		return;
	}
}

/* Metrics that are NaN wherever they were collected. */
static void find_nan(struct profile_collected *out, struct arena *a, const struct ncu_report *r)
{
	size_t n = 0;
	out->nan_metrics = ARENA_ARRAY(a, MAX_NAN + 1, const char *);
	for (uint32_t name = 0; name < r->n_names && n < MAX_NAN; name++) {
		size_t n_nan = 0, n_numbers = 0;
		for (size_t i = 0; i < r->n_results; i++) {
			const struct ncu_metric *m = ncu_metric_at(&r->results[i], name);
			double v;
			bool is_number = m && ncu_number(m, &v);
			n_numbers += is_number;
			n_nan += is_number && isnan(v);
		}
		if (n_nan && n_nan == n_numbers)
			out->nan_metrics[n++] = arena_strndup(a, r->names[name].p, r->names[name].n);
	}
}

static void check_ncu(struct profile_collected *out, struct arena *a, const char *path)
{
	struct ncu_report r;
	struct err e;
	if (!ncu_open(&r, path, &e)) {
		set_state(out, PROFILE_TOOL_FAILED, arena_strdup(a, e.text));
		ncu_release(&r);
		return;
	}
	if (r.damage.is_damaged)
		set_state(out, PROFILE_TOOL_FAILED, arena_strdup(a, r.damage.reason));
	else if (!r.n_results)
		set_state(out, PROFILE_EMPTY, "the report holds no launch");
	find_nan(out, a, &r);
	if (!r.is_verified)
		out->unverified = arena_strndup(a, r.tool_version.p, r.tool_version.n);
	ncu_release(&r);
}

/* Activities of the device in a trace; -1: it cannot be read. */
static int64_t count_work(struct profile_collected *out, struct arena *a, const char *path)
{
	const struct reader *reader;
	struct trace t;
	struct reader_damage damage;
	struct err e;
	int64_t n = -1;
	void *report = reader_open(&reader, path, NULL, &e);
	if (!report) {
		set_state(out, PROFILE_TOOL_FAILED, arena_strdup(a, e.text));
		return -1;
	}
	reader->damage(report, &damage);
	if (damage.is_unverified)
		out->unverified = arena_strdup(a, damage.version);
	trace_init(&t);
	if (!reader->trace || !reader->trace(report, &t, &e))
		set_state(out, PROFILE_TOOL_FAILED, reader->trace ? arena_strdup(a, e.text) : "the report is no trace");
	else
		n = (int64_t)t.n_activities;
	trace_release(&t);
	reader->close(report);
	return n;
}

static bool list_traces(struct profile_collected *out, struct arena *a, const char *stem, struct err *e)
{
	size_t n, k = 0;
	int64_t most = -1;
	char **names = file_list(a, path_dir(a, stem), &n, e);
	if (!names)
		return false;
	out->reports = ARENA_ARRAY(a, n + 1, const char *);
	for (size_t i = 0; i < n; i++) {
		if (!str_starts(str_from(names[i]), "torch.") || !str_ends(str_from(names[i]), ".json"))
			continue;
		const char *path = path_join(a, path_dir(a, stem), names[i]);
		int64_t work = count_work(out, a, path);
		out->reports[k++] = path;
		if (work > most) { /* the one with most work first */
			out->reports[k - 1] = out->reports[0];
			out->reports[0] = path;
			most = work;
		}
	}
	if (k && most == 0)
		set_state(out, PROFILE_EMPTY, "the trace holds no work of a GPU: CPU only, or CUPTI gave nothing");
	return true;
}

static bool find_reports(struct profile_collected *out, struct arena *a, const struct profile_options *o,
			 const char *report, struct err *e)
{
	const char *path = o->tool == PROFILE_NSYS ? arena_printf(a, "%s.sqlite", report) : report;
	if (o->tool == PROFILE_TORCH)
		return list_traces(out, a, report, e);
	if (file_size(path) <= 0)
		return true;
	out->reports = ARENA_ARRAY(a, 2, const char *);
	out->reports[0] = path;
	if (o->tool == PROFILE_NCU)
		check_ncu(out, a, path);
	else if (count_work(out, a, path) == 0)
		set_state(out, PROFILE_EMPTY, "the export holds no work of a GPU");
	return true;
}

bool profile_check(struct profile_collected *out, struct arena *a, const struct profile_options *o, const char *report,
		   const struct profile_log *log, struct err *e)
{
	if (log->timed_out)
		set_state(out, PROFILE_TIMED_OUT, log->how);
	by_log(out, a, log);
	if (!find_reports(out, a, o, report, e))
		return false;
	if (out->reports[0])
		return true;
	if (log->failed)
		set_state(out, o->tool == PROFILE_TORCH ? PROFILE_COMMAND_FAILED : PROFILE_TOOL_FAILED,
			  arena_printf(a, "%s: %s", log->how, said_why(a, log->text)));
	set_state(out, PROFILE_EMPTY,
		  o->tool == PROFILE_TORCH
			  ? "no trace was written: the program never imported torch, or ended by a signal"
			  : "no report was written");
	return true;
}
