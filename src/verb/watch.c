/* assay watch: a run of the loop as it is now, until it ends.
 * In: a run folder. Out: a screen that is drawn again, lines where nobody reads along, or one document.
 * What is shown comes from loop/live.c.
 * Never: writes to the run; takes its lock. */
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "loop/live.h"
#include "report/watch_text.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	bool once;
	double interval_s, wait_s;
};

static const struct opt_row rows[] = {
	{.name = "once",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, once),
	 .help = "Say what is now and end; --json does so too."},
	{.name = "interval",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, interval_s),
	 .min = 0.1,
	 .max = 3600,
	 .meta = "S",
	 .flags = OPT_SETTABLE,
	 .help = "Seconds between two looks."},
	{.name = "wait",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, wait_s),
	 .min = 0,
	 .max = 1e7,
	 .meta = "S",
	 .help = "Seconds to go on while no process works in the run: its next version is awaited."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .interval_s = 0.5};
static const char *const examples[] = {"assay watch assay-runs/softmax_v0-20261129T100000Z",
				       "assay watch --json assay-runs/softmax_v0-20261129T100000Z", NULL};

struct screen {
	size_t n_lines; /* that the last picture had */
};

static void draw(struct screen *s, const struct json *now, struct verb_call *call, bool is_last)
{
	struct buf picture;
	buf_init(&picture);
	term_init(&call->term, STDOUT_FILENO,
		  call->term.colour ? TERM_ALWAYS : TERM_NEVER); /* the window may have changed */
	watch_text(now, &call->term, is_last ? 0 : call->term.height - 1, &picture);
	if (s->n_lines)
		printf("\033[%zuA\r\033[J", s->n_lines); /* verb_flush lets nothing through that moves */
	buf_str(call->out, buf_view(&picture));
	s->n_lines = 0;
	for (size_t i = 0; i < picture.n; i++)
		s->n_lines += picture.p[i] == '\n';
	buf_release(&picture);
	verb_flush(call);
}

static bool is_state(const struct json *now, const char *state)
{
	return str_is(json_str(now, "state", STR("")), state);
}

static bool is_cut_short(const struct json *now)
{
	return is_state(now, "gone") || is_state(now, "interrupted");
}

/* A version is due: somebody may be writing it. */
static bool goes_on(const struct json *now, double idle_s, const struct options *o)
{
	return is_state(now, "running") || (is_state(now, "waiting") && idle_s < o->wait_s);
}

static bool nap(double seconds, struct err *e)
{
	int64_t until = clock_ns() + (int64_t)(seconds * 1e9);
	while (clock_ns() < until) {
		if (sig_pending())
			return err_set(e, ERR_INTERRUPTED, "interrupted; the run goes on");
		clock_sleep_ns(INT64_C(20000000));
	}
	return true;
}

static bool follow(const struct options *o, struct verb_call *call, struct err *e)
{
	struct arena arenas[2]; /* one look and the one before */
	struct screen screen = {0};
	struct json *now = NULL, *before = NULL;
	int64_t idle_since = clock_ns();
	bool ok = true, on = true;
	arena_init(&arenas[0]);
	arena_init(&arenas[1]);
	for (size_t i = 0; ok && on; i++) {
		struct arena *a = &arenas[i % 2];
		arena_clear(a);
		before = now;
		ok = live_read(&now, a, o->args.items[0], e);
		if (!ok)
			break;
		if (is_state(now, "running"))
			idle_since = clock_ns();
		on = goes_on(now, (double)(clock_ns() - idle_since) / 1e9, o);
		if (call->term.is_terminal) {
			draw(&screen, now, call, !on);
		} else {
			watch_lines(before, now, call->out);
			verb_flush(call);
		}
		call->status = is_cut_short(now) ? 1 : 0;
		ok = !on || nap(o->interval_s, e);
	}
	arena_release(&arenas[0]);
	arena_release(&arenas[1]);
	return ok;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct json *now;
	call->term.is_quiet = o->common.quiet;
	if (!o->once && !o->common.json)
		return follow(o, call, e);
	if (!live_read(&now, call->arena, o->args.items[0], e))
		return false;
	if (o->common.json)
		verb_put_json(call, now);
	else
		watch_text(now, &call->term, 0, call->out);
	call->status = is_cut_short(now) ? 1 : 0;
	return true;
}

static const struct opt_spec spec = {
	.verb = "watch",
	.summary = "Shows a run of the loop while it works.",
	.positional = "RUN",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "Reads the run folder only, so it may be started and ended at any time. Ends when the run has ended "
		 "or no "
		 "process works in it. Exit status 1: its process was interrupted or is gone in the middle of a "
		 "version; the command that "
		 "goes "
		 "on from there is printed.",
};
const struct verb verb_watch = {&spec, &defaults, run, VERB_READ_ONLY};
