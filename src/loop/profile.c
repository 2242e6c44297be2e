/* Reports of one version.
 * In: a measured version. Out: targeted and full report with their texts, or a text that says why there is none.
 * A version that is wrong or does not build is not profiled. With one collection the targeted report is a view of the full one.
 * Never: takes a report of another version for this one's. */
#include "loop/profile.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/progress.h"
#include "base/scratch.h"
#include "collect/ncu.h"
#include "collect/perf.h"
#include "loop/machine.h"
#include "loop/replay.h"
#include "run/guest.h"

static bool write_text(struct profile *s, const char *name, struct str text, struct err *e)
{
	return file_write_str(path_join(s->arena, s->folder, name), text, e);
}

static const char **kernel_names(struct profile *s)
{
	const struct json *list = json_path(s->bench->record, "identity.activities");
	if (!list || list->n == 0)
		return NULL;
	const char **names = ARENA_ARRAY(s->arena, list->n + 1, const char *);
	size_t n = 0;
	for (size_t i = 0; i < list->n; i++) {
		struct str name = json_str(list->items[i], "name", STR(""));
		if (str_is(json_str(list->items[i], "kind", STR("")), "kernel"))
			names[n++] = arena_strndup(s->arena, name.p, name.n);
	}
	return n ? names : NULL;
}

static void put_collected(struct profile *s, const char *set, const char *report, const char *command,
			  const char *reason)
{
	struct arena *a = s->arena;
	json_set_cstr(s->entry, arena_printf(a, "%s_report", set), report && !reason ? report : NULL);
	json_set_cstr(s->entry, arena_printf(a, "%s_file", set), report); /* also one that does not count */
	json_set_cstr(s->entry, arena_printf(a, "%s_command", set), command);
	json_set_cstr(s->entry, arena_printf(a, "%s_reason", set), reason);
}

static bool skipped(struct profile *s, const char *set, const char *why, struct err *e)
{
	struct buf b;
	const char *suffix = s->is_gpu ? "ncu-rep" : "perf.json";
	static const char *const texts[] = {"summary.txt", "details.txt"};
	buf_init(&b);
	buf_printf(&b, "no %s report of version %zu: %s\n", set, s->i, why);
	bool ok = write_text(s, arena_printf(s->arena, "%s.%s.skipped.txt", set, suffix), buf_view(&b), e);
	for (size_t i = 0; ok && i < COUNT_OF(texts); i++)
		ok = write_text(s, arena_printf(s->arena, "%s_%s", set, texts[i]), buf_view(&b), e);
	buf_release(&b);
	put_collected(s, set, NULL, NULL, why);
	return ok;
}

/* Sections of the targeted set, as a details page titles them. */
static bool is_targeted(struct str title)
{
	static const char *const titles[] = {"Launch Statistics", "Occupancy", "GPU Speed Of Light Throughput",
					     "Memory Workload Analysis", "Scheduler Statistics"};
	for (size_t i = 0; i < COUNT_OF(titles); i++) {
		if (str_is(title, titles[i]))
			return true;
	}
	return false;
}

static bool view_text(struct profile *s, const char *name, struct err *e)
{
	struct str text, line;
	struct buf b;
	bool is_shown = true;
	if (!file_read(s->arena, &text, path_join(s->arena, s->folder, arena_printf(s->arena, "full_%s", name)),
		       64u << 20, e))
		return false;
	buf_init(&b);
	buf_puts(&b, "# view of full.ncu-rep (--one-collection)\n");
	while (str_split(&text, '\n', &line)) {
		struct str trimmed = str_trim(line);
		if (str_starts(trimmed, "Section: "))
			is_shown = is_targeted(str_sub(trimmed, 9, trimmed.n));
		else if (line.n > 2 && line.p[2] != ' ')
			is_shown = true; /* the title of the next launch */
		if (is_shown && (line.n || text.p))
			buf_printf(&b, "%.*s\n", STR_ARG(line));
	}
	bool ok = write_text(s, arena_printf(s->arena, "targeted_%s", name), buf_view(&b), e);
	buf_release(&b);
	return ok;
}

/* --one-collection: the targeted report is the full one under another name, its details those of the targeted sections. */
static bool view_of_full(struct profile *s, const struct ncu_collected *full, struct err *e)
{
	const char *path = path_join(s->arena, s->folder, "targeted.ncu-rep");
	if (!full->report)
		return skipped(s, "targeted", full->reason, e);
	if (link(full->report, path) != 0)
		return err_errno(e, ERR_IO, errno, "%s: cannot be linked to the full report", path);
	put_collected(s, "targeted", path, full->command, full->reason);
	return full->reason || (view_text(s, "summary.txt", e) && view_text(s, "details.txt", e));
}

/* A kernel in Python: its interpreter, and the worker files that the commands name. NULL guest: native, or err. */
static bool make_guest(struct guest **out, struct profile *s, struct err *e)
{
	*out = NULL;
	if (s->bench->op.linkage != LINKAGE_PYTHON)
		return true;
	*out = ARENA_NEW(s->arena, struct guest);
	return guest_identify(*out, s->arena, s->o->bench.python, e) &&
	       guest_prepare(*out, s->arena, &s->bench->op, path_join(s->arena, s->folder, REPLAY_GUEST), e);
}

/* What the job's worker loads. */
static const char *library_of(const struct profile *s)
{
	return s->bench->op.linkage == LINKAGE_PYTHON ? s->bench->op.kernel.path
						      : path_join(s->arena, s->folder, "kernel.so");
}

static void begin_phase(const struct profile *s, enum ncu_set set)
{
	progress_phase(arena_printf(s->arena, "ncu, %s set", ncu_set_name(set)), s->o->profile_timeout_s);
}

static bool take(struct profile *s, enum ncu_set set, const struct ncu_collected *got, struct err *e)
{
	const char *name = ncu_set_name(set);
	if (!got->report && !skipped(s, name, got->reason, e))
		return false;
	put_collected(s, name, got->report, got->command, got->reason);
	json_set_f64(s->entry, arena_printf(s->arena, "%s_seconds", name), got->seconds);
	s->has_profile = s->has_profile && got->report && !got->reason;
	return true;
}

/* An interpreter takes seconds to start: both start at once, and the one collects when the imports of both are done, the
 * other after it. One that failed while it shared the machine is collected again by itself. */
static bool collect_both(struct profile *s, const struct ncu_collect *c, struct err *e)
{
	enum { SETS = 2 };
	static const enum ncu_set sets[SETS] = {NCU_SET_TARGETED, NCU_SET_FULL};
	struct ncu_collection *begun[SETS];
	struct ncu_collected got[SETS] = {{0}};
	size_t n = 0;
	bool ok = true;
	begin_phase(s, sets[0]);
	while (n < SETS && (begun[n] = ncu_begin(s->arena, sets[n], c, true, e)))
		n++;
	ok = n == SETS;
	for (size_t i = 0; ok && i < n; i++)
		ncu_await(begun[i], (int64_t)(s->o->profile_timeout_s * 1e9));
	for (size_t i = 0; i < n; i++) {
		struct err ignored;
		begin_phase(s, sets[i]);
		ok = ncu_end(&got[i], begun[i], ok ? e : &ignored) && ok;
	}
	for (size_t i = 0; ok && i < n; i++) {
		if (!got[i].report && got[i].seconds < 0.9 * s->o->profile_timeout_s)
			ok = ncu_collect(&got[i], s->arena, sets[i], c, e);
		ok = ok && take(s, sets[i], &got[i], e);
	}
	return ok;
}

static bool collect_ncu(struct profile *s, const struct guest *guest, const char *scratch, struct err *e)
{
	struct ncu_collect c = {.program = s->o->bench.program,
				.ncu = ncu_find(s->arena, s->o->ncu),
				.gpu = s->bench->device.gpu,
				.op = &s->bench->op,
				.library = library_of(s),
				.symbol = s->bench->artifact.symbol,
				.returns_int = s->bench->op.entry_returns_int,
				.guest = guest,
				.data = s->bench->inputs,
				.folder = s->folder,
				.scratch = scratch,
				.kernels = kernel_names(s),
				.timeout_s = s->o->profile_timeout_s};
	bool is_one = (s->o->flags & LOOP_ONE_COLLECTION) != 0;
	if (!c.ncu)
		return profile_skip(s, "ncu was not found", e);
	s->has_profile = true;
	if (guest && !is_one)
		return collect_both(s, &c, e);
	for (int set = is_one ? NCU_SET_FULL : NCU_SET_TARGETED; set <= NCU_SET_FULL; set++) {
		struct ncu_collected got;
		begin_phase(s, (enum ncu_set)set);
		if (!ncu_collect(&got, s->arena, (enum ncu_set)set, &c, e) || !take(s, (enum ncu_set)set, &got, e))
			return false;
		if (is_one && !view_of_full(s, &got, e))
			return false;
	}
	return true;
}

static bool collect_perf(struct profile *s, const struct guest *guest, const char *scratch, struct err *e)
{
	struct perf_collect c = {.program = s->o->bench.program,
				 .op = &s->bench->op,
				 .library = library_of(s),
				 .symbol = s->bench->artifact.symbol,
				 .returns_int = s->bench->op.entry_returns_int,
				 .guest = guest,
				 .data = s->bench->inputs,
				 .sha256 = s->bench->artifact.sha256,
				 .folder = s->folder,
				 .scratch = scratch,
				 .timeout_s = s->o->profile_timeout_s};
	struct perf_collected got;
	progress_phase("counters", s->o->profile_timeout_s);
	if (!perf_collect(&got, s->arena, &c, e))
		return false;
	if (got.reason && (!skipped(s, "targeted", got.reason, e) || !skipped(s, "full", got.reason, e)))
		return false;
	put_collected(s, "targeted", got.targeted, got.command, got.reason);
	put_collected(s, "full", got.full, got.command, got.reason);
	json_set_f64(s->entry, "full_seconds", got.seconds);
	s->has_profile = !got.reason;
	return true;
}

bool profile_skip(struct profile *s, const char *why, struct err *e)
{
	return skipped(s, "targeted", why, e) && skipped(s, "full", why, e);
}

/* Needs no counters, so it is done without profiler too. */
static bool collect_machine(struct profile *s, struct err *e)
{
	const struct artifact *x = &s->bench->artifact;
	bool is_native = x->library && s->bench->op.linkage != LINKAGE_PYTHON;
	struct sass_collect c = {.library = is_native ? path_join(s->arena, s->folder, "kernel.so") : NULL,
				 .sha256 = x->sha256,
				 .kernels = kernel_names(s)};
	struct sass_collected got = {.reason = "this version is no native binary"};
	if (c.library && !sass_collect(&got, s->arena, &c, e))
		return false;
	json_set(s->entry, "machine_code", machine_json(s->arena, &got));
	return got.reason || machine_write(path_join(s->arena, s->folder, "machine_code.json"), s->arena, &got, e);
}

bool profile_collect(struct profile *s, struct err *e)
{
	bool is_good = verdict_exit(s->bench->verdict) == 0, is_off = (s->o->flags & LOOP_WITHOUT_PROFILE) != 0;
	struct scratch scratch;
	if (!is_good)
		return profile_skip(s, arena_printf(s->arena, "not profiled: %s", verdict_word(s->bench->verdict)), e);
	if (s->is_gpu && !collect_machine(s, e))
		return false;
	if (s->bench->op.data == DATA_SETUP && !s->bench->inputs)
		return profile_skip(s, "profile_incomplete:there was no room for a copy of what setup() gave", e);
	if (is_off)
		return profile_skip(s, "profile_unavailable: --without-profile was given", e);
	if (!scratch_make(&scratch, s->arena, "profile", e))
		return false;
	struct guest *guest;
	progress_begin("reports");
	bool ok = make_guest(&guest, s, e) &&
		  (s->is_gpu ? collect_ncu(s, guest, scratch.path, e) : collect_perf(s, guest, scratch.path, e));
	progress_end();
	scratch_remove(&scratch);
	return ok;
}
