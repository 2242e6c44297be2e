/* Nsight Compute over our own runner.
 * In: a built version. Out: a report that holds its launch, texts made from it, or the reason why not.
 * The runner brackets one call with profiler start and stop; --profile-from-start off leaves all else out.
 * Never: changes clocks (--clock-control none), reads a report of another version as this one's. */
#include "collect/ncu.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/progress.h"
#include "base/shell.h"
#include "build/tool.h"
#include "collect/said.h"
#include "read/ncu/ncu.h"
#include "read/ncu/text.h"
#include "run/job.h"
#include "run/job_command.h"
#include "run/sandbox_env.h"

static const char *const targeted[] = {"--section", "LaunchStats",   "--section", "Occupancy",
				       "--section", "SpeedOfLight",  "--section", "MemoryWorkloadAnalysis",
				       "--section", "SchedulerStats"};
static const char *const full[] = {"--set", "full"};

const char *ncu_set_name(enum ncu_set s)
{
	return s == NCU_SET_TARGETED ? "targeted" : "full";
}

const char *ncu_find(struct arena *a, const char *wanted)
{
	return tool_find(a, "ncu", wanted);
}

static const char **make_argv(struct arena *a, enum ncu_set set, const struct ncu_collect *o, const char *out)
{
	const char *const *extra = set == NCU_SET_TARGETED ? targeted : full;
	size_t n = set == NCU_SET_TARGETED ? COUNT_OF(targeted) : COUNT_OF(full), k = 0;
	const char *const *job = job_argv(a, o->program, o->guest, path_join(a, o->folder, "profile.job"));
	size_t n_job = 0;
	while (job[n_job])
		n_job++;
	const char **argv = ARENA_ARRAY(a, n + n_job + 16, const char *);
	argv[k++] = o->ncu;
	argv[k++] = "--clock-control";
	argv[k++] = "none";
	argv[k++] = "--profile-from-start";
	argv[k++] = "off";
	for (size_t i = 0; i < n; i++)
		argv[k++] = extra[i];
	argv[k++] = "--force-overwrite";
	argv[k++] = "--export";
	argv[k++] = out;
	for (size_t i = 0; i < n_job; i++)
		argv[k++] = job[i];
	return argv;
}

static bool write_text(const char *folder, const char *name, struct buf *text, struct arena *a, struct err *e)
{
	bool ok = file_write_str(path_join(a, folder, name), buf_view(text), e);
	buf_release(text);
	return ok;
}

static bool is_ours(const struct ncu_report *r, const struct ncu_collect *o)
{
	if (!o->kernels)
		return r->n_results > 0;
	for (size_t i = 0; i < r->n_results; i++) {
		for (size_t k = 0; o->kernels[k]; k++) {
			if (str_is(r->results[i].mangled, o->kernels[k]) ||
			    str_is(r->results[i].function, o->kernels[k]))
				return true;
		}
	}
	return false;
}

static bool read_back(struct ncu_collected *out, struct arena *a, enum ncu_set set, const struct ncu_collect *o,
		      struct err *e)
{
	struct ncu_report r;
	struct err bad;
	struct buf summary, details;
	if (!ncu_open(&r, out->report, &bad)) {
		out->reason = arena_printf(a, "profile_incomplete:%s", bad.text);
		ncu_release(&r);
		return true;
	}
	out->n_results = r.n_results;
	if (r.damage.is_damaged)
		out->reason = arena_printf(a, "profile_incomplete:%s", r.damage.reason);
	else if (r.n_results == 0)
		out->reason = "profile_incomplete:the report holds no launch";
	else if (!is_ours(&r, o))
		out->reason = "profile_incomplete:the report holds no kernel that this version launched";
	buf_init(&summary);
	buf_init(&details);
	ncu_summary_text(&r, &summary);
	ncu_details_text(&r, &details);
	ncu_release(&r);
	const char *name = ncu_set_name(set);
	bool ok = write_text(o->folder, arena_printf(a, "%s_summary.txt", name), &summary, a, e);
	return write_text(o->folder, arena_printf(a, "%s_details.txt", name), &details, a, e) && ok;
}

/* What is said and can be run again: without the turn that this process waits for. */
static const char *shown_command(struct arena *a, const struct ncu_collect *o, const char *const *argv)
{
	const char *const seen[] = {arena_printf(a, "CUDA_VISIBLE_DEVICES=%s", o->gpu), NULL};
	return shell_line(a, seen, argv);
}

static const char **with_turn(struct arena *a, const char **argv, const char *turn)
{
	size_t n = 0;
	while (argv[n])
		n++;
	const char **more = ARENA_ARRAY(a, n + 3, const char *);
	memcpy(more, argv, n * sizeof(*argv));
	more[n] = "--after";
	more[n + 1] = turn;
	return more;
}

struct ncu_collection {
	struct arena *arena;
	struct ncu_collect o;
	enum ncu_set set;
	const char *report, *command, *turn;
	struct proc_options proc;
	struct proc_child child;
};

/* The full set's process has a HOME of its own: both tools unpack their files there at the same time. */
static bool fill(struct ncu_collection *c, struct err *e)
{
	struct arena *a = c->arena;
	const struct ncu_collect *o = &c->o;
	const char *home = arena_printf(a, "%s/home-%s", o->scratch, ncu_set_name(c->set));
	const char *extra[] = {arena_printf(a, "HOME=%s", home), NULL};
	struct sandbox_env_options env = {.folder = o->scratch, .gpu = o->gpu, .extra = c->turn ? extra : NULL};
	const char **argv = make_argv(a, c->set, o, c->report);
	c->command = shown_command(a, o, argv);
	c->proc = (struct proc_options){.argv = c->turn ? with_turn(a, argv, c->turn) : argv,
					.timeout_ns = (int64_t)(o->timeout_s * 1e9),
					.flags = PROC_MERGE_STDERR | PROC_PDEATHSIG};
	if (c->turn && !file_mkdirs(home, 0700, e))
		return false;
	c->proc.env = sandbox_env(a, &env, e);
	return c->proc.env != NULL;
}

struct ncu_collection *ncu_begin(struct arena *a, enum ncu_set set, const struct ncu_collect *o, bool waits,
				 struct err *e)
{
	struct ncu_collection *out = ARENA_NEW(a, struct ncu_collection);
	struct job_options job = {.op = o->op,
				  .backend = "cuda",
				  .library = o->library,
				  .symbol = o->symbol,
				  .returns_int = o->returns_int,
				  .mode = "tool",
				  .n_warmup = 3,
				  .n_calls = 1,
				  .data = o->data};
	*out = (struct ncu_collection){.arena = a,
				       .o = *o,
				       .set = set,
				       .report = arena_printf(a, "%s/%s.ncu-rep", o->folder, ncu_set_name(set))};
	if (waits)
		out->turn = arena_printf(a, "%s/turn-%s", o->scratch, ncu_set_name(set));
	bool ok = file_mkdirs(o->scratch, 0700, e) && job_write(path_join(a, o->folder, "profile.job"), &job, e) &&
		  fill(out, e) && proc_begin(&out->child, &out->proc, e);
	return ok ? out : NULL;
}

static bool is_waiting(const struct ncu_collection *c)
{
	return c->turn && file_exists(arena_printf(c->arena, "%s.ready", c->turn));
}

void ncu_await(const struct ncu_collection *c, int64_t most_ns)
{
	int64_t begin = clock_ns(), start = proc_start_time(c->child.pid);
	while (c->turn && !is_waiting(c) && proc_is_alive(c->child.pid, start) && !sig_pending() &&
	       clock_ns() - begin < most_ns) {
		progress_tick();
		clock_sleep_ns(20000000);
	}
}

bool ncu_end(struct ncu_collected *out, struct ncu_collection *c, struct err *e)
{
	struct arena *a = c->arena;
	struct proc_result r;
	bool ok = !c->turn || file_write_str(c->turn, STR(""), e);
	*out = (struct ncu_collected){.command = c->command};
	proc_end(&r, &c->child);
	struct buf log = r.out;
	r.out = (struct buf){NULL, 0, 0};
	out->seconds = (double)r.wall_ns / 1e9;
	if (ok && r.interrupted)
		ok = err_set(e, ERR_INTERRUPTED, "interrupted while ncu collected");
	if (ok) {
		bool there = file_size(c->report) > 0;
		if (!there || r.exit_status != 0 || r.timed_out)
			out->reason = arena_printf(a, "profile_incomplete:%s: %s", proc_describe(a, &r),
						   said_why(a, buf_view(&log)));
		if (there)
			out->report = c->report;
	}
	proc_result_release(&r);
	ok = write_text(c->o.folder, arena_printf(a, "%s.ncu.log", ncu_set_name(c->set)), &log, a, ok ? e : NULL) && ok;
	return ok && (!out->report || out->reason ? true : read_back(out, a, c->set, &c->o, e));
}

bool ncu_collect(struct ncu_collected *out, struct arena *a, enum ncu_set set, const struct ncu_collect *o,
		 struct err *e)
{
	struct ncu_collection *c = ncu_begin(a, set, o, false, e);
	return c && ncu_end(out, c, e);
}
