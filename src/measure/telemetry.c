/* Telemetry.
 * In: samples of device and machine, rows of a trial. Out: marks, an idle check, a column file.
 * Judged from neighbouring samples alone, so that a script can do the same from the stored columns.
 * Never: throws a row away. */
#include "measure/telemetry.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "measure/device.h"
#include "run/sampler.h"
#include "run/trial.h"

static const int64_t LEAST_WINDOW_NS = 150000000, GAP_NS = 1000000000, LATEST_NS = 2000000000;
static const double FOREIGN_CPUS = 0.5, LEFT_CPUS = 0.5, TAKEN_CPUS = 0.1;
enum { QUIET_SAMPLES = 3, IDLE_PCT = 5 };

struct rates { /* CPUs, over the window that ends at a sample */
	double foreign, idle, taken;
	bool is_known;
};

static struct rates rates_of(const struct sampler_sample *s, size_t i)
{
	size_t j = i;
	while (j > 0 && s[i].t_ns - s[j].t_ns < LEAST_WINDOW_NS)
		j--;
	double dt = (double)(s[i].t_ns - s[j].t_ns);
	int64_t own = s[i].load.own_ns - s[j].load.own_ns, busy = s[i].load.busy_ns - s[j].load.busy_ns;
	/* own falls when a child was reaped between two readings: that window says nothing */
	if (s[i].t_ns - s[j].t_ns < LEAST_WINDOW_NS || own < 0 || busy < 0 || s[i].load.n_cpus == 0)
		return (struct rates){.is_known = false};
	int64_t steal = s[i].load.steal_ns - s[j].load.steal_ns;
	int64_t throttled = s[i].load.throttled_ns - s[j].load.throttled_ns;
	return (struct rates){.foreign = fmax(0, (double)(busy - own)) / dt,
			      .idle = (double)(s[i].load.idle_ns - s[j].load.idle_ns) / dt,
			      .taken = (double)(steal + throttled) / dt,
			      .is_known = true};
}

static bool is_cpu_contaminated(const struct sampler_sample *s, size_t i, double *foreign)
{
	struct rates r = rates_of(s, i);
	if (!r.is_known)
		return false;
	*foreign = r.foreign + r.taken;
	return r.taken >= TAKEN_CPUS || (r.foreign >= FOREIGN_CPUS && r.idle < LEFT_CPUS) ||
	       r.foreign >= fmax(1, 0.5 * s[i].load.n_cpus);
}

/* Processes on the GPU that are not ours: by their number, and by pid where NVML counts as we do. The first sample is from
 * before anything of ours ran there; the sampler itself makes no context. */
static bool has_newcomer(const struct sampler_sample *s, size_t i)
{
	if (!(s[i].gpu_has & GPU_SAMPLE_PROCESSES) || !(s[0].gpu_has & GPU_SAMPLE_PROCESSES))
		return false;
	if (s[i].n_ours > 0)
		return s[i].n_processes - s[i].n_ours > s[0].n_processes;
	return s[i].n_processes > s[0].n_processes + s[i].load.n_children;
}

static bool is_gpu_contaminated(const struct sampler_sample *s, size_t i, double *foreign)
{
	*foreign = s[i].foreign_sm_pct > 0 ? s[i].foreign_sm_pct : 0;
	return s[i].foreign_sm_pct > IDLE_PCT || has_newcomer(s, i);
}

static bool is_throttled(uint64_t reasons)
{
	for (uint64_t bit = 1; bit; bit <<= 1) {
		bool is_throttle = false;
		if ((reasons & bit) && gpu_reason_name(bit, &is_throttle) && is_throttle)
			return true;
	}
	return false;
}

/* When the helper last looked before sample i; the parent's own samples do not prove that somebody watches. */
static int64_t helper_before(const struct sampler_sample *s, size_t i)
{
	while (i > 0 && s[--i].by != SAMPLER_HELPER)
		continue;
	return s[i].t_ns;
}

unsigned telemetry_judge(const struct sampler_sample *s, size_t i, bool is_gpu, double *foreign)
{
	double used = 0;
	unsigned flags = 0;
	if (i == 0)
		return 0;
	if (s[i].t_ns - helper_before(s, i) > GAP_NS)
		flags |= TELEMETRY_UNOBSERVED;
	if (is_gpu ? is_gpu_contaminated(s, i, &used) : is_cpu_contaminated(s, i, &used))
		flags |= TELEMETRY_CONTAMINATED;
	if (is_gpu && (s[i].gpu_has & GPU_SAMPLE_REASONS) && is_throttled(s[i].reasons))
		flags |= TELEMETRY_THROTTLED;
	if (foreign)
		*foreign = used;
	return flags;
}

/* ---- */

void telemetry_start(struct telemetry *out, struct arena *a, const struct telemetry_options *o)
{
	struct err e = {ERR_NONE, ""};
	struct sampler_options s = {.program = o->program, .folder = o->folder, .gpu = o->device->gpu};
	*out = (struct telemetry){.arena = a, .is_gpu = o->device->gpu != NULL, .is_idle = true};
	out->sampler = sampler_start(&s, &e);
	if (!out->sampler)
		out->reason = arena_strdup(a, e.text);
}

void telemetry_stop(struct telemetry *t)
{
	if (t->sampler && !sampler_stop(t->sampler))
		t->gone = "the sampler was ended from outside before the last call";
}

void telemetry_free(struct telemetry *t)
{
	sampler_free(t->sampler);
	t->sampler = NULL;
}

static bool is_quiet(const struct telemetry *t, const struct sampler_sample *s, size_t i, double *used)
{
	if (t->is_gpu) {
		*used = s[i].utilization_pct;
		return !(s[i].gpu_has & GPU_SAMPLE_UTILIZATION) || s[i].utilization_pct <= IDLE_PCT;
	}
	struct rates r = rates_of(s, i);
	double left = (double)s[i].load.n_cpus - r.foreign - r.taken;
	*used = r.foreign + r.taken;
	return r.is_known && left >= (s[i].load.n_cpus == 1 ? 0.9 : 1);
}

/* A shorter wait than ours can be asked for; a longer one helps nobody. */
static int64_t wanted_patience(int64_t ns)
{
	const char *own = getenv("ASSAY_IDLE_WAIT");
	double s = 0;
	return own && str_f64(str_from(own), &s) && s >= 0 && s * 1e9 < (double)ns ? (int64_t)(s * 1e9) : ns;
}

void telemetry_wait_idle(struct telemetry *t, int64_t patience_ns)
{
	patience_ns = wanted_patience(patience_ns);
	int64_t begin = clock_ns();
	double used = 0;
	t->is_idle = false;
	for (bool is_late = false; t->sampler && !t->is_idle && !is_late;) {
		size_t n = 0, n_quiet = 0;
		const struct sampler_sample *s = sampler_samples(t->sampler, &n);
		while (n_quiet < n && n_quiet < QUIET_SAMPLES && is_quiet(t, s, n - 1 - n_quiet, &used))
			n_quiet++;
		t->is_idle = n_quiet == QUIET_SAMPLES;
		/* a window of the CPU's counters takes a few samples more */
		int64_t waited = clock_ns() - begin;
		is_late = waited >= patience_ns && (n >= SAMPLER_N_FIRST || waited > LATEST_NS);
		if (!t->is_idle && !is_late)
			clock_sleep_ns(10000000);
	}
	t->idle_check_s = (double)(clock_ns() - begin) / 1e9;
	if (!t->is_idle && t->sampler)
		t->busy = t->is_gpu
				  ? arena_printf(t->arena, "the GPU was %.0f %% busy before anything of ours ran", used)
				  : arena_printf(t->arena, "others used %.1f CPUs before anything of ours ran", used);
}

/* Flags of all intervals that the row's batch overlaps, from sample `first` on. */
static unsigned flags_of(struct telemetry *t, const struct trial_row *row, size_t first)
{
	size_t n = 0;
	unsigned flags = 0;
	const struct sampler_sample *s = sampler_samples(t->sampler, &n);
	for (size_t i = first ? first : 1; i < n && s[i - 1].t_ns < row->end_ns; i++) {
		double foreign = 0;
		if (s[i].t_ns <= row->begin_ns)
			continue;
		unsigned seen = telemetry_judge(s, i, t->is_gpu, &foreign);
		if (seen & TELEMETRY_CONTAMINATED)
			t->worst_foreign = fmax(t->worst_foreign, foreign);
		flags |= seen;
	}
	return flags;
}

static void mark_row(struct telemetry *t, struct trial_row *row, unsigned flags)
{
	row->w.marks |= (flags & TELEMETRY_CONTAMINATED ? WIRE_MARK_CONTAMINATED : 0u) |
			(flags & TELEMETRY_THROTTLED ? WIRE_MARK_THROTTLED : 0u) |
			(flags & TELEMETRY_UNOBSERVED ? WIRE_MARK_UNOBSERVED : 0u);
	t->n_rows++;
	t->n_contaminated += (flags & TELEMETRY_CONTAMINATED) != 0;
	t->n_throttled += (flags & TELEMETRY_THROTTLED) != 0;
	t->n_unobserved += (flags & TELEMETRY_UNOBSERVED) != 0;
}

void telemetry_mark(struct telemetry *t, struct trial *trial, size_t from, size_t to)
{
	size_t n = 0, first = 0;
	unsigned flags = TELEMETRY_UNOBSERVED;
	if (t->sampler)
		sampler_take(t->sampler);
	const struct sampler_sample *s = t->sampler ? sampler_samples(t->sampler, &n) : NULL;
	for (size_t r = from; r < to; r++) {
		struct trial_row *row = &trial->rows[r];
		while (first + 1 < n && s[first + 1].t_ns <= row->begin_ns) /* rows come in order of time */
			first++;
		if (row->flags & (TRIAL_WARMUP | TRIAL_CHECKED))
			continue;
		bool is_same_batch = r > from && row->begin_ns == trial->rows[r - 1].begin_ns;
		if (t->sampler && !is_same_batch)
			flags = flags_of(t, row, first);
		mark_row(t, row, flags);
	}
}

const char *telemetry_problem(const struct telemetry *t)
{
	if (!t->sampler)
		return arena_printf(t->arena, "nobody watched: %s", t->reason);
	if (t->busy || t->gone)
		return t->busy ? t->busy : t->gone;
	if (t->n_unobserved)
		return arena_printf(t->arena, "nobody watched during %zu of %zu timed calls: the sampler was silent",
				    t->n_unobserved, t->n_rows);
	if (!t->n_contaminated)
		return NULL;
	return t->is_gpu ? arena_printf(t->arena, "other processes used the GPU during %zu of %zu timed calls",
					t->n_contaminated, t->n_rows)
			 : arena_printf(t->arena, "others used up to %.1f CPUs during %zu of %zu timed calls",
					t->worst_foreign, t->n_contaminated, t->n_rows);
}
