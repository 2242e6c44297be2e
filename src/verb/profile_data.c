/* Data and worker files for a profiler's process.
 * In: an operator whose data a setup() supplies, or that is written in Python. Out: files beside the reports.
 * The command that is printed names them, so they stay.
 * Never: keeps what the kernel's own fault made. */
#include "verb/profile_data.h"

#include "base/file.h"
#include "measure/workload.h"
#include "run/guest.h"

bool profile_data_open(struct profile_data *out, struct arena *a, struct operator* op,
		       const struct profile_data_options *o, struct err *e)
{
	struct workload_options w = {.input = &o->bench->input,
				     .python = o->bench->python,
				     .setup = o->bench->setup,
				     .folder = o->scratch,
				     .gpu = o->gpu,
				     .timeout_ns = (int64_t)(o->bench->timeout_s * 1e9)};
	*out = (struct profile_data){.workload = ARENA_NEW(a, struct workload)};
	if (!workload_open(out->workload, a, op, &w, e))
		return false;
	out->verdict = out->workload->verdict;
	out->text = out->workload->text;
	if (out->verdict != VERDICT_PASSED)
		return true;
	const int *files = workload_files(out->workload);
	out->file = files ? path_join(a, o->folder, "profile.data") : NULL;
	if (files && !file_copy(arena_printf(a, "/proc/self/fd/%d", files[0]), out->file, e))
		return false;
	if (op->linkage != LINKAGE_PYTHON)
		return true;
	out->guest = out->workload->guest;
	return guest_prepare(out->workload->guest, a, op, path_join(a, o->folder, "collect"), e);
}

void profile_data_close(struct profile_data *d)
{
	if (d->workload)
		workload_close(d->workload);
	d->workload = NULL;
}

const struct guest *profile_data_guest(struct arena *a, const struct bench_options *b, const char *folder)
{
	struct guest *g = ARENA_NEW(a, struct guest);
	const char *collect = path_join(a, folder, "collect"), **args = ARENA_ARRAY(a, 6, const char *);
	args[0] = "-B";
	args[1] = "-u";
	args[2] = path_join(a, collect, "worker.py");
	args[3] = path_join(a, collect, "probe.so");
	args[4] = path_join(a, collect, "operator.json");
	g->python = b->python ? b->python : "python3";
	g->args = args;
	return g;
}
