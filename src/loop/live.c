/* A run as it is now.
 * In: a run folder. Out: one document: state, what is being done, versions, the best so far.
 * A process is the run's own when its number and its start time are those of the live file.
 * Never: writes; takes the run's lock. */
#include "loop/live.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"

struct live {
	struct arena *arena;
	const char *folder;
	struct json *manifest, *file; /* NULL: there is none */
	struct json *out;
	bool is_running;
};

#define FRESH_NS INT64_C(10000000000) /* a live file of a process that cannot be seen from here */

/* Written while we read, or of another version of assay: as if it were not there. */
static struct json *read_file(struct live *l)
{
	const char *path = path_join(l->arena, l->folder, ".live.json");
	struct err ignored;
	struct json *j = file_exists(path) ? json_read_file(l->arena, path, JSON_STRICT, &ignored) : NULL;
	return str_is(json_str(j, "format", STR("")), "assay/live-v1") ? j : NULL;
}

/* NULL unless it is an array: a damaged manifest is read as far as it goes. */
static const struct json *list_of(const struct json *j, const char *key)
{
	const struct json *list = json_get(j, key);
	return list && list->type == JSON_ARRAY ? list : NULL;
}

static bool read_manifest(struct live *l, struct err *e)
{
	const char *path = path_join(l->arena, l->folder, "run_manifest.json");
	if (!file_exists(path))
		return true;
	l->manifest = json_read_file(l->arena, path, JSON_STRICT, e);
	if (!l->manifest)
		return false;
	if (!str_is(json_str(l->manifest, "format", STR("")), "assay/run-v1"))
		return err_set(e, ERR_INPUT, "%s: is no run manifest (its format is not assay/run-v1)", path);
	return true;
}

static bool is_running(const struct live *l)
{
	int64_t pid = json_i64(l->file, "pid", 0), start = json_i64(l->file, "start_time", -1);
	if (!l->file || pid <= 0)
		return false;
	if (str_eq(json_str(l->file, "pid_space", STR("")), str_from(proc_space(l->arena))))
		return proc_is_alive((int)pid, start);
	return clock_unix_ns() - json_i64(l->file, "updated_unix_ns", 0) < FRESH_NS; /* another container or machine */
}

/* An attempt that no call finished, where there is no live file (it is as old as that file's format). */
static bool has_attempt(const struct live *l)
{
	const struct json *list = list_of(l->manifest, "iterations");
	const char *mark = arena_printf(l->arena, "%s/iter_v%zu/.attempt", l->folder, list ? list->n : 0);
	return file_exists(mark);
}

static const char *state_of(const struct live *l)
{
	const struct json *ended = json_get(l->manifest, "ended");
	if (l->is_running)
		return "running";
	const struct json *interrupted = json_get(l->manifest, "interrupted");
	if (!l->file && interrupted && interrupted->type == JSON_OBJECT)
		return "interrupted";
	if (l->file || has_attempt(l))
		return "gone";
	return ended && ended->type == JSON_OBJECT ? "ended" : "waiting";
}

static struct json *value_or_null(struct arena *a, const struct json *j, const char *key)
{
	struct json *v = json_get(j, key);
	return v ? v : json_new_null(a);
}

static struct json *version_json(struct arena *a, const struct json *it)
{
	static const char *const keys[] = {"iteration", "verdict",  "verdict_text", "median_ms",
					   "eligible",  "rejected", "record"},
				 *const of_strategy[] = {"outcome", "reason", "tags"},
				 *const of_pair[] = {"effect_pct", "lower_pct", "upper_pct", "verdict"};
	struct json *j = json_object(a), *pair = json_set_object(j, "comparison");
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		json_set(j, keys[i], value_or_null(a, it, keys[i]));
	for (size_t i = 0; i < COUNT_OF(of_strategy); i++)
		json_set(j, of_strategy[i], value_or_null(a, json_get(it, "strategy"), of_strategy[i]));
	for (size_t i = 0; i < COUNT_OF(of_pair); i++)
		json_set(pair, of_pair[i], value_or_null(a, json_get(it, "comparison"), of_pair[i]));
	if (!json_get(it, "comparison"))
		json_set_null(j, "comparison");
	json_set_f64(j, "seconds", json_f64(json_get(it, "seconds"), "total", NAN));
	json_set(j, "configuration", value_or_null(a, json_get(it, "configuration"), "id"));
	return j;
}

/* The version that the run's rank puts first, and what its comparison with v0 says. */
static void put_best(struct live *l)
{
	const struct json *m = l->manifest, *confirmations = list_of(m, "confirmations");
	int64_t i = json_i64(m, "best_iteration", -1);
	bool is_measured = i < 0;
	if (is_measured)
		i = json_i64(m, "best_measured", -1);
	if (i < 0) {
		json_set_null(l->out, "best");
		return;
	}
	struct json *best = json_set_object(l->out, "best");
	const struct json *it = json_at(list_of(m, "iterations"), (size_t)i),
			  *v0 = json_at(list_of(m, "iterations"), 0);
	double ms = json_f64(it, "median_ms", NAN), first = json_f64(v0, "median_ms", NAN);
	json_set_i64(best, "iteration", i);
	json_set_bool(best, "measured_only", is_measured);
	json_set(best, "path", value_or_null(l->arena, it, "path"));
	json_set(best, "configuration", value_or_null(l->arena, json_get(it, "configuration"), "id"));
	json_set(best, "confirmed", value_or_null(l->arena, m, "best_confirmed"));
	json_set_f64(best, "median_ms", ms);
	json_set_f64(best, "ratio_of_medians", first / ms); /* of two processes: a figure on the way, no verdict */
	json_set_null(best, "confirmation");
	for (size_t k = 0; confirmations && k < confirmations->n; k++) {
		if (json_i64(confirmations->items[k], "candidate", -1) == i)
			json_set(best, "confirmation", confirmations->items[k]);
	}
}

static const char *word(struct arena *a, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
	struct buf b;
	if (s[strspn(s, plain)] == '\0')
		return s;
	buf_init(&b);
	buf_char(&b, '\'');
	for (; *s; s++)
		buf_puts(&b, *s == '\'' ? "'\\''" : (const char[]){*s, '\0'});
	buf_char(&b, '\'');
	s = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return s;
}

/* The command of its last call; with --run-dir it goes on. */
static const char *resume_command(const struct live *l)
{
	struct str said = json_str(l->file ? l->file : l->manifest, "command", STR(""));
	if (!said.n)
		return NULL;
	if (str_find(said, STR(" --run-dir")) != SIZE_MAX)
		return arena_strndup(l->arena, said.p, said.n);
	return arena_printf(l->arena, "%.*s --run-dir=%s", STR_ARG(said), word(l->arena, l->folder));
}

static double utc_seconds(struct str iso)
{
	struct tm tm = {0};
	char text[25];
	if (iso.n < 19 || iso.n >= sizeof(text))
		return NAN;
	memcpy(text, iso.p, iso.n);
	text[iso.n] = '\0';
	return strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) ? (double)timegm(&tm) : NAN;
}

static double seconds_between(struct str from, struct str to)
{
	double x = utc_seconds(from), y = to.n ? utc_seconds(to) : (double)clock_unix_ns() / 1e9;
	return y > x ? y - x : 0;
}

static void put_times(struct live *l, const char *state)
{
	bool is_live = strcmp(state, "running") == 0;
	struct str begun = json_str(l->manifest, "created_at", json_str(l->file, "begun_at", STR("")));
	struct str until = json_str(l->file, "updated_at", json_str(l->manifest, "updated_at", STR("")));
	json_set_str(l->out, "begun_at", begun);
	json_set_str(l->out, "updated_at", until);
	json_set_f64(l->out, "seconds", begun.n ? seconds_between(begun, is_live ? STR("") : until) : NAN);
}

static void fill(struct live *l)
{
	static const char *const keys[] = {"backend", "source_file", "max_iterations", "ended", "interrupted"};
	const char *state = state_of(l);
	struct json *j = l->out, *versions = json_set_array(j, "versions");
	const struct json *list = list_of(l->manifest, "iterations");
	json_set_cstr(j, "format", "assay/watch-v1");
	json_set_cstr(j, "run_dir", l->folder);
	json_set_cstr(j, "state", state);
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		json_set(j, keys[i], value_or_null(l->arena, l->manifest, keys[i]));
	for (size_t i = 0; list && i < list->n; i++)
		json_push(versions, version_json(l->arena, list->items[i]));
	put_best(l);
	put_times(l, state);
	json_set(j, "now", l->file ? l->file : json_new_null(l->arena));
	bool goes_on = strcmp(state, "running") != 0 && strcmp(state, "ended") != 0;
	json_set_cstr(j, "resume", goes_on ? resume_command(l) : NULL);
	bool is_due = strcmp(state, "waiting") == 0 && list && list->n;
	struct str ext = json_str(l->manifest, "suffix", STR(""));
	json_set_cstr(j, "next_path",
		      is_due ? arena_printf(l->arena, "%s/versions/v%zu%.*s", l->folder, list->n, STR_ARG(ext)) : NULL);
}

/* A folder of runs was given: the newest of them is named. */
static bool refuse(struct arena *a, const char *folder, struct err *e)
{
	struct err ignored;
	size_t n = 0;
	const char *newest = NULL;
	int64_t newest_ns = -1;
	char **names = file_list(a, folder, &n, &ignored);
	for (size_t i = 0; names && i < n; i++) {
		const char *manifest = arena_printf(a, "%s/%s/run_manifest.json", folder, names[i]);
		if (file_mtime_ns(manifest) > newest_ns) {
			newest_ns = file_mtime_ns(manifest);
			newest = names[i];
		}
	}
	if (newest)
		return err_set(e, ERR_INPUT, "%s: is a folder of runs, not a run; the newest is %s/%s", folder, folder,
			       newest);
	return err_set(e, ERR_INPUT,
		       "%s: is no run: it has no run_manifest.json; a run is a folder that assay optimize made",
		       folder);
}

bool live_read(struct json **out, struct arena *a, const char *folder, struct err *e)
{
	struct live l = {.arena = a, .folder = path_absolute(a, folder), .out = json_object(a)};
	*out = l.out;
	if (!file_exists(folder))
		return err_errno(e, ERR_INPUT, ENOENT, "%s", folder);
	if (!file_is_dir(folder))
		return err_set(e, ERR_INPUT, "%s: is a file; a run is the folder that assay optimize made", folder);
	l.file = read_file(&l);
	l.is_running = is_running(&l);
	if (l.file && !l.is_running && !file_exists(path_join(a, l.folder, ".live.json")))
		l.file = NULL; /* it ended as it should while we looked; its manifest is read after that */
	if (!read_manifest(&l, e))
		return false;
	if (!l.manifest && !l.file)
		return refuse(a, folder, e);
	fill(&l);
	return true;
}
