/* Progress.
 * In: levels, phases, counts. Out: the line on stderr, DIR/.live.json.
 * The state is part of the log's: one stack of levels, of the thread that opened the first.
 * Never: fails; what cannot be written is not shown. */
#include "base/progress.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/proc.h"

enum { LEVELS = 4 };
#define BETWEEN_NS INT64_C(250000000)

struct level {
	char what[96], phase[64], unit[24];
	int64_t begin_ns, phase_ns;
	double expected_s, most_s;
	uint64_t done, most;
	bool has_count;
};
static struct {
	struct level levels[LEVELS];
	size_t n; /* levels that are open, those too deep included */
	pid_t owner;
	int64_t shown_ns;
	double time_ns, clock_mhz;
	char *dir, *command;           /* of the live file; NULL: none */
	char begun_at[25], space[128]; /* space: as proc_space has it */
	int64_t start_time;
} state;

static bool is_ours(void)
{
	return state.owner != 0 && gettid() == state.owner;
}

static struct level *innermost(void)
{
	return state.n == 0 ? NULL : &state.levels[state.n < LEVELS ? state.n - 1 : LEVELS - 1];
}

static double seconds_since(int64_t begin_ns)
{
	return (double)(clock_ns() - begin_ns) / 1e9;
}

void progress_seconds(struct buf *out, double seconds)
{
	int64_t s = (int64_t)(seconds + 0.5);
	if (seconds < 9.95)
		buf_printf(out, "%.1f s", seconds > 0 ? seconds : 0);
	else if (s < 100)
		buf_printf(out, "%lld s", (long long)s);
	else if (s < 6000)
		buf_printf(out, "%lld min %lld s", (long long)(s / 60), (long long)(s % 60));
	else
		buf_printf(out, "%lld h %lld min", (long long)(s / 3600), (long long)(s / 60 % 60));
}

/* Of the outermost level that knows; NaN: none does, or it takes longer than that. */
static double seconds_left(void)
{
	for (size_t i = 0; i < state.n && i < LEVELS; i++) {
		const struct level *l = &state.levels[i];
		double left = l->expected_s - seconds_since(l->begin_ns);
		if (l->expected_s > 0)
			return left > 0 ? left : NAN;
	}
	const struct level *l = innermost(); /* by what is done, where that has a bound */
	double taken = l ? seconds_since(l->phase_ns) : 0;
	bool is_known = l && l->has_count && l->done > 0 && l->done <= l->most && taken >= 1;
	return is_known ? taken / (double)l->done * (double)(l->most - l->done) : NAN;
}

/* "v2 of 5: bench v2.c: cold, 320 samples, 0.4 s of 1.0 s; 12 s so far, about 3.0 s left" */
static void put_line(struct buf *out)
{
	const struct level *l = innermost();
	double taken = seconds_since(state.levels[0].begin_ns), left = seconds_left(),
	       phase = seconds_since(l->phase_ns);
	for (size_t i = 0; i < state.n && i < LEVELS; i++)
		buf_printf(out, "%s%s", i ? ": " : "", state.levels[i].what);
	if (l->phase[0])
		buf_printf(out, ": %s", l->phase);
	if (l->has_count && l->most)
		buf_printf(out, ", %llu of %llu %s", (unsigned long long)l->done, (unsigned long long)l->most, l->unit);
	else if (l->has_count)
		buf_printf(out, ", %llu %s", (unsigned long long)l->done, l->unit);
	if (l->phase[0] && (l->most_s > 0 || phase >= 1)) {
		buf_puts(out, ", ");
		progress_seconds(out, phase);
	}
	if (l->phase[0] && l->most_s > 0) {
		buf_puts(out, " of ");
		progress_seconds(out, l->most_s);
	}
	if (taken >= 10) {
		buf_puts(out, "; ");
		progress_seconds(out, taken);
		buf_puts(out, " so far");
	}
	if (isfinite(left) && left >= 0.05) {
		buf_puts(out, taken >= 10 ? ", about " : "; about ");
		progress_seconds(out, left);
		buf_puts(out, " left");
	}
}

static struct json *level_json(struct arena *a, const struct level *l)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "what", l->what);
	json_set_f64(j, "seconds", seconds_since(l->begin_ns));
	json_set_f64(j, "expected_seconds", l->expected_s > 0 ? l->expected_s : NAN);
	json_set_cstr(j, "phase", l->phase[0] ? l->phase : NULL);
	json_set_f64(j, "phase_seconds", l->phase[0] ? seconds_since(l->phase_ns) : NAN);
	json_set_f64(j, "phase_most_seconds", l->most_s > 0 ? l->most_s : NAN);
	json_set_cstr(j, "unit", l->has_count ? l->unit : NULL);
	if (l->has_count)
		json_set_u64(j, "done", l->done);
	if (l->has_count && l->most)
		json_set_u64(j, "most", l->most);
	return j;
}

static struct json *live_json(struct arena *a)
{
	struct json *j = json_object(a), *levels = json_set_array(j, "levels");
	char now[25];
	clock_utc_iso(now);
	json_set_cstr(j, "format", "assay/live-v1");
	json_set_i64(j, "pid", getpid());
	json_set_i64(j, "start_time", state.start_time);
	json_set_cstr(j, "pid_space", state.space);
	json_set_cstr(j, "command", state.command);
	json_set_cstr(j, "begun_at", state.begun_at);
	json_set_cstr(j, "updated_at", now);
	json_set_i64(j, "updated_unix_ns", clock_unix_ns());
	json_set_f64(j, "time_ns", state.time_ns);
	json_set_f64(j, "clock_mhz", state.clock_mhz);
	json_set_f64(j, "left_seconds", seconds_left());
	for (size_t i = 0; i < state.n && i < LEVELS; i++)
		json_push(levels, level_json(a, &state.levels[i]));
	return j;
}

/* Renamed into its place, so that no reader sees half of it; not flushed: it says what is now. */
static void write_file(void)
{
	struct arena a;
	struct buf b;
	arena_init(&a);
	buf_init(&b);
	const char *last = path_join(&a, state.dir, ".live.json"), *draft = path_join(&a, state.dir, ".live.new");
	json_write(&b, live_json(&a), JSON_PRETTY);
	int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	bool ok = fd >= 0 && write(fd, b.p, b.n) == (ssize_t)b.n;
	if (fd >= 0)
		close(fd);
	if (!ok || rename(draft, last) != 0)
		(void)unlink(draft);
	buf_release(&b);
	arena_release(&a);
}

static void show(void)
{
	struct buf line;
	int64_t now = clock_ns();
	if (state.dir)
		write_file();
	/* What is over at once shows no line. */
	if (state.n == 0 || (state.n == 1 && now - state.levels[0].begin_ns < BETWEEN_NS))
		return;
	state.shown_ns = now;
	buf_init(&line);
	put_line(&line);
	log_progress("%s", line.p);
	buf_release(&line);
}

void progress_tick(void)
{
	if (is_ours() && (state.n || state.dir) && clock_ns() - state.shown_ns >= BETWEEN_NS)
		show();
}

void progress_begin(const char *fmt, ...)
{
	va_list ap;
	if (!state.owner)
		state.owner = gettid();
	if (!is_ours())
		return;
	if (state.n++ >= LEVELS)
		return;
	struct level *l = &state.levels[state.n - 1];
	*l = (struct level){.begin_ns = clock_ns()};
	l->phase_ns = l->begin_ns;
	state.time_ns = state.clock_mhz = NAN;
	va_start(ap, fmt);
	vsnprintf(l->what, sizeof(l->what), fmt, ap);
	va_end(ap);
	show();
}

void progress_end(void)
{
	if (!is_ours() || state.n == 0)
		return;
	if (--state.n)
		return;
	log_progress_end();
	if (!state.dir)
		state.owner = 0;
}

void progress_phase(const char *name, double most_s)
{
	struct level *l = innermost();
	if (!is_ours() || !l || state.n > LEVELS)
		return;
	snprintf(l->phase, sizeof(l->phase), "%s", name);
	l->phase_ns = clock_ns();
	l->most_s = most_s;
	l->has_count = false;
	state.time_ns = NAN;
	show();
}

void progress_expect(double seconds)
{
	struct level *l = innermost();
	if (is_ours() && l && state.n <= LEVELS)
		l->expected_s = seconds;
}

void progress_count(const char *unit, uint64_t done, uint64_t most)
{
	struct level *l = innermost();
	if (!is_ours() || !l || state.n > LEVELS)
		return;
	snprintf(l->unit, sizeof(l->unit), "%s", unit);
	l->done = done;
	l->most = most;
	l->has_count = true;
	progress_tick();
}

void progress_figures(double time_ns, double clock_mhz)
{
	if (!is_ours())
		return;
	state.time_ns = time_ns;
	state.clock_mhz = clock_mhz;
}

void progress_folder(const char *dir, const char *command)
{
	struct arena a;
	if (dir && !state.owner)
		state.owner = gettid();
	if (!is_ours())
		return;
	if (state.dir) {
		arena_init(&a);
		(void)unlink(path_join(&a, state.dir, ".live.json"));
		arena_release(&a);
		free(state.dir);
		free(state.command);
	}
	state.dir = dir ? strdup(dir) : NULL;
	state.command = dir ? strdup(command ? command : "") : NULL;
	if (dir && (!state.dir || !state.command))
		BUG("out of memory");
	if (dir) {
		arena_init(&a);
		snprintf(state.space, sizeof(state.space), "%s", proc_space(&a));
		state.start_time = proc_start_time(getpid());
		arena_release(&a);
	}
	clock_utc_iso(state.begun_at);
	if (dir)
		show();
	else if (state.n == 0)
		state.owner = 0;
}
