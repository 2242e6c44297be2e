/* A command under a profiler.
 * In: a command and what to collect.
 * Out: reports, the command line that ran, what stands against them.
 * Never: changes clocks unless asked, or anything else of the machine; never takes a report that was there before. */
#include "collect/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/shell.h"
#include "build/tool.h"
#include "collect/machine.h"
#include "collect/profile_check.h"

extern const char collect_torch_hook[], collect_torch_hook_end[];
extern char **environ;

static const char *const targeted[] = {"LaunchStats", "Occupancy", "SpeedOfLight", "MemoryWorkloadAnalysis",
				       "SchedulerStats"};

const char *profile_state_name(enum profile_state s)
{
	static const char *const names[] = {"collected",  "empty_capture", "permission_denied", "tool_incompatible",
					    "other_tool", "timed_out",     "command_failed",    "tool_failed"};
	return names[s];
}

struct args {
	struct arena *a;
	const char **v;
	size_t n, cap;
};

static void add(struct args *x, const char *text)
{
	if (x->n + 1 >= x->cap) {
		size_t cap = x->cap ? x->cap * 2 : 32;
		const char **more = ARENA_ARRAY(x->a, cap, const char *);
		if (x->n)
			memcpy(more, x->v, x->n * sizeof(*more));
		x->v = more;
		x->cap = cap;
	}
	x->v[x->n++] = text;
	x->v[x->n] = NULL;
}

static void add_two(struct args *x, const char *option, const char *value)
{
	add(x, option);
	add(x, value);
}

static void add_command(struct args *x, const char *const *command)
{
	for (size_t i = 0; command[i]; i++)
		add(x, command[i]);
}

static const char *number(struct arena *a, int64_t v)
{
	return arena_printf(a, "%lld", (long long)v);
}

static void ncu_args(struct args *x, const struct profile_options *o, const char *report)
{
	const char *const *sections = o->sections, *const *metrics = o->metrics;
	bool none = !(sections && *sections) && !(metrics && *metrics);
	add_two(x, "--clock-control", o->flags & PROFILE_LOCK_CLOCKS ? "base" : "none");
	add_two(x, "--target-processes", "all");
	if (o->flags & PROFILE_FROM_START_OFF)
		add_two(x, "--profile-from-start", "off");
	if (o->flags & PROFILE_FULL)
		add_two(x, "--set", "full");
	for (size_t i = 0; none && !(o->flags & PROFILE_FULL) && i < COUNT_OF(targeted); i++)
		add_two(x, "--section", targeted[i]);
	for (size_t i = 0; sections && sections[i]; i++)
		add_two(x, "--section", sections[i]);
	for (size_t i = 0; metrics && metrics[i]; i++)
		add_two(x, "--metrics", metrics[i]);
	if (o->nvtx) {
		add(x, "--nvtx");
		/* a bare name is a push and pop range: ncu wants a slash behind it */
		add_two(x, "--nvtx-include", strpbrk(o->nvtx, "/@") ? o->nvtx : arena_printf(x->a, "%s/", o->nvtx));
	}
	if (o->kernel)
		add_two(x, "--kernel-name",
			strchr(o->kernel, ':') ? o->kernel : arena_printf(x->a, "regex:%s", o->kernel));
	if (o->n_skip)
		add_two(x, "--launch-skip", number(x->a, o->n_skip));
	if (o->n_launches)
		add_two(x, "--launch-count", number(x->a, o->n_launches));
	add(x, "--force-overwrite");
	add_two(x, "--export", report);
	add_command(x, o->command);
}

static void nsys_args(struct args *x, const struct profile_options *o, const char *stem)
{
	add(x, "profile");
	add(x, "--trace=cuda,nvtx");
	add(x, "--force-overwrite=true");
	add(x, "--export=sqlite");
	add(x, "--cuda-graph-trace=node");
	if (o->flags & PROFILE_FROM_START_OFF) {
		add(x, "--capture-range=cudaProfilerApi");
		add(x, "--capture-range-end=stop");
	} else if (o->nvtx) {
		add(x, "--capture-range=nvtx");
		add(x, arena_printf(x->a, "--nvtx-capture=%s", o->nvtx));
		add(x, "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0");
	}
	add(x, arena_printf(x->a, "--output=%s", stem));
	add_command(x, o->command);
}

static bool is_named(const char *line, const char *name)
{
	size_t n = strlen(name);
	return strncmp(line, name, n) == 0 && line[n] == '=';
}

/* The environment without what makes tools refuse; with what the torch hook needs. */
static const char *const *make_env(struct arena *a, const struct profile_options *o, const char *trace,
				   const char *hook)
{
	static const char *const hinders[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "ASSAY_TORCH_TRACE",
					      "ASSAY_TORCH_STACKS"};
	struct args x = {.a = a};
	const char *python_path = NULL;
	const char *const *from = o->env ? o->env : (const char *const *)(void *)environ;
	for (size_t i = 0; from[i]; i++) {
		bool keep = true;
		for (size_t k = 0; k < COUNT_OF(hinders); k++)
			keep &= !is_named(from[i], hinders[k]);
		if (trace && is_named(from[i], "PYTHONPATH")) {
			python_path = from[i] + strlen("PYTHONPATH=");
			keep = false;
		}
		if (keep)
			add(&x, from[i]);
	}
	if (trace) {
		add(&x,
		    arena_printf(a, "PYTHONPATH=%s%s%s", hook, python_path ? ":" : "", python_path ? python_path : ""));
		add(&x, arena_printf(a, "ASSAY_TORCH_TRACE=%s", trace));
		add(&x, arena_printf(a, "ASSAY_TORCH_STACKS=%d", o->flags & PROFILE_STACKS ? 1 : 0));
	}
	if (!x.v)
		add(&x, "LC_ALL=C");
	return x.v;
}

/* The tool and its arguments; *report: where the report will be. */
static bool make_argv(struct profile_collected *out, struct args *x, const struct profile_options *o,
		      const char **report, struct err *e)
{
	const char *name = o->tool == PROFILE_NCU ? "ncu" : "nsys", *program;
	if (o->tool == PROFILE_TORCH) {
		program = path_which(x->a, o->command[0], NULL);
		if (!program)
			return err_set(e, ERR_INPUT, "%s: no such program", o->command[0]);
		add(x, program);
		add_command(x, o->command + 1);
		*report = path_join(x->a, o->folder, "torch");
		out->tool = "torch.profiler";
		return true;
	}
	program = tool_find(x->a, name, o->path);
	if (!program)
		return err_set(e, ERR_ENVIRONMENT,
			       "%s was not found (PATH, CUDA_HOME, /opt/nvidia); it collects %s reports", name,
			       o->tool == PROFILE_NCU ? "Nsight Compute" : "Nsight Systems");
	if (!path_which(x->a, o->command[0], NULL))
		return err_set(e, ERR_INPUT, "%s: no such program", o->command[0]);
	out->tool = program;
	add(x, program);
	*report = path_join(x->a, o->folder, o->tool == PROFILE_NCU ? "report.ncu-rep" : "report");
	if (o->tool == PROFILE_NCU)
		ncu_args(x, o, *report);
	else
		nsys_args(x, o, *report);
	return true;
}

static bool write_hook(struct arena *a, const struct profile_options *o, const char **folder, struct err *e)
{
	struct str text = str_upto(collect_torch_hook, collect_torch_hook_end);
	*folder = path_join(a, o->folder, "hook");
	return file_mkdirs(*folder, 0755, e) && file_write_str(path_join(a, *folder, "sitecustomize.py"), text, e);
}

/* Reports that an earlier run left there would be taken for this one's. */
static bool clear_old(struct arena *a, const char *folder, struct err *e)
{
	size_t n;
	if (!file_mkdirs(folder, 0755, e))
		return false;
	char **names = file_list(a, folder, &n, e);
	for (size_t i = 0; names && i < n; i++) {
		struct str name = str_from(names[i]);
		if (str_starts(name, "report.") || (str_starts(name, "torch.") && str_ends(name, ".json")))
			return err_set(e, ERR_USAGE, "%s holds a report already (%s); name another folder with --out",
				       folder, names[i]);
	}
	return names != NULL;
}

bool profile_export(struct arena *a, const char *nsys, const char *report, const char *database, struct err *e)
{
	const char *tool = tool_find(a, "nsys", nsys),
		   *hint = "nsys export --type sqlite FILE makes a file that assay reads";
	if (!tool)
		return err_set(e, ERR_ENVIRONMENT,
			       "%s: only nsys reads this form, and it was not found here; where it is, %s", report,
			       hint);
	const char *argv[] = {
		tool,   "export", "--type=sqlite", "--force-overwrite=true", arena_printf(a, "--output=%s", database),
		report, NULL};
	struct proc_options p = {
		.argv = argv, .timeout_ns = INT64_C(1800) * 1000000000, .flags = PROC_MERGE_STDERR | PROC_PDEATHSIG};
	struct proc_result r;
	bool ok = proc_run(&r, &p, e);
	if (ok && r.interrupted)
		ok = err_set(e, ERR_INTERRUPTED, "interrupted while nsys exported");
	else if (ok && file_size(database) <= 0)
		ok = err_set(e, ERR_ENVIRONMENT, "%s: %s could not export it (%s): %.300s", report, tool,
			     proc_describe(a, &r), r.out.n ? r.out.p : "it printed nothing");
	proc_result_release(&r);
	for (char *c = e->text; !ok && *c; c++)
		*c = (unsigned char)*c < 0x20 ? ' ' : *c;
	return ok;
}

/* nsys writes report.nsys-rep and exports it; where it did not, a second call does. */
static bool export_nsys(struct profile_collected *out, struct arena *a, const char *stem, struct err *e)
{
	const char *raw = arena_printf(a, "%s.nsys-rep", stem), *database = arena_printf(a, "%s.sqlite", stem);
	if (file_size(database) > 0 || file_size(raw) <= 0)
		return true;
	return profile_export(a, out->tool, raw, database, e);
}

const char *profile_command(struct arena *a, const struct profile_options *o, struct err *e)
{
	struct profile_collected found = {.reports = NULL};
	struct args x = {.a = a};
	const char *report;
	return make_argv(&found, &x, o, &report, e) ? shell_line(a, o->shown, x.v) : NULL;
}

bool profile_run(struct profile_collected *out, struct arena *a, const struct profile_options *o, struct err *e)
{
	struct args x = {.a = a};
	const char *report = NULL, *hook = NULL;
	struct profile_log log = {0};
	struct err ignored;
	*out = (struct profile_collected){.reports = ARENA_ARRAY(a, 1, const char *),
					  .nan_metrics = ARENA_ARRAY(a, 1, const char *)};
	if (!make_argv(out, &x, o, &report, e) || !clear_old(a, o->folder, e) ||
	    (o->tool == PROFILE_TORCH && !write_hook(a, o, &hook, e)))
		return false;
	if (o->tool != PROFILE_TORCH && !tool_version(&out->version, a, out->tool, "ersion", 0, &ignored))
		out->version = NULL;
	out->command = shell_line(a, o->shown, x.v);
	struct proc_options p = {.argv = x.v,
				 .env = make_env(a, o, o->tool == PROFILE_TORCH ? report : NULL, hook),
				 .timeout_ns = (int64_t)(o->timeout_s * 1e9),
				 .flags = PROC_MERGE_STDERR | PROC_PDEATHSIG};
	struct proc_result r;
	if (!proc_run(&r, &p, e))
		return proc_result_release(&r), false;
	out->exit_status = r.exit_status;
	out->seconds = (double)r.wall_ns / 1e9;
	out->log = path_join(a, o->folder, "log.txt");
	log = (struct profile_log){.text = arena_str(a, buf_view(&r.out)),
				   .how = proc_describe(a, &r),
				   .timed_out = r.timed_out,
				   .failed = r.exit_status != 0};
	bool interrupted = r.interrupted;
	proc_result_release(&r);
	if (!file_write_str(out->log, log.text, e))
		return false;
	if (interrupted)
		return err_set(e, ERR_INTERRUPTED, "interrupted while %s collected", path_base(out->tool));
	if (o->tool == PROFILE_NSYS && !export_nsys(out, a, report, e))
		return false;
	return profile_check(out, a, o, report, &log, e);
}

static void push_all(struct json *j, const char *key, const char *const *v)
{
	struct json *list = json_set_array(j, key);
	for (size_t i = 0; v && v[i]; i++)
		json_push_str(list, str_from(v[i]));
}

struct json *profile_json(const struct profile_collected *p, struct arena *a)
{
	struct json *j = json_object(a), *tool;
	json_set_cstr(j, "format", "assay/profile-v1");
	json_set_cstr(j, "state", profile_state_name(p->state));
	json_set_cstr(j, "reason", p->reason);
	json_set_cstr(j, "command", p->command);
	tool = json_set_object(j, "collector");
	json_set_cstr(tool, "path", p->tool);
	json_set_cstr(tool, "version", p->version);
	json_set_cstr(tool, "unverified", p->unverified);
	push_all(j, "reports", p->reports);
	push_all(j, "nan_metrics", p->nan_metrics);
	json_set_cstr(j, "log", p->log);
	json_set_i64(j, "exit_status", p->exit_status);
	json_set_f64(j, "seconds", p->seconds);
	return j;
}
