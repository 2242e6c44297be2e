/* A job for a tool's process.
 * In: operator, case, shared object. Out: one file of framed messages.
 * The same messages as over a link, so that the worker has one way of being told.
 * Never: holds tensor bytes; the worker makes them from the fills. */
#include "run/job.h"

#include "base/file.h"
#include "run/job_command.h"
#include "wire/link.h"

static void put_setup(struct buf *out, const struct job_options *o, const struct layout *y)
{
	struct wire_message m = {.type = WIRE_TYPE_SETUP};
	m.u.setup = (struct wire_setup){.backend = str_from(o->backend),
					.mode = str_from(o->mode),
					.library = str_from(o->library),
					.symbol = str_from(o->symbol),
					.cupti = STR(""),
					.returns_int = o->returns_int};
	m.u.setup.args = (struct str){(const char *)y->args, y->n_args * sizeof(*y->args)};
	link_frame(out, &m);
}

static void put_tensors(struct buf *out, const struct job_options *o, const struct layout *y)
{
	struct wire_message layout = {.type = WIRE_TYPE_LAYOUT}, map = {.type = WIRE_TYPE_MAP};
	layout.u.layout = (struct wire_layout){.i_case = o->i_case, .bytes = y->bytes};
	layout.u.layout.tensors = (struct str){(const char *)y->tensors, y->n_tensors * sizeof(*y->tensors)};
	layout.u.layout.scalars = (struct str){(const char *)y->scalars, y->n_args * sizeof(*y->scalars)};
	map.u.map = (struct wire_map){.slot = 0,
				      .bytes = y->bytes,
				      .staged = o->data && strcmp(o->backend, "cuda") == 0,
				      .file = str_from(o->data)};
	link_frame(out, &layout);
	link_frame(out, &map);
	for (size_t i = 0; i < y->n_tensors; i++) {
		struct wire_message fill = {.type = WIRE_TYPE_FILL};
		if (o->data || !layout_is_input(y, i))
			continue;
		fill.u.fill = layout_fill(y, i, o->op->cases[o->i_case].seed);
		link_frame(out, &fill);
	}
}

bool job_write(const char *path, const struct job_options *o, struct err *e)
{
	struct arena a;
	struct layout y;
	struct buf out;
	struct wire_message calls = {.type = WIRE_TYPE_CALLS}, bye = {.type = WIRE_TYPE_BYE};
	struct wire_message counters = {.type = WIRE_TYPE_COUNTERS};
	arena_init(&a);
	buf_init(&out);
	layout_make(&y, &a, o->op, &o->op->cases[o->i_case]);
	put_setup(&out, o, &y);
	put_tensors(&out, o, &y);
	calls.u.calls =
		(struct wire_calls){.n = o->n_warmup, .n_slots = 1, .flags = WIRE_CALL_POISON | WIRE_CALL_WARMUP};
	if (o->n_warmup)
		link_frame(&out, &calls);
	calls.u.calls = (struct wire_calls){.n = o->n_calls,
					    .first_call = o->n_warmup,
					    .n_slots = 1,
					    .flags = WIRE_CALL_PROFILE | WIRE_CALL_POISON};
	link_frame(&out, &calls);
	if (strcmp(o->mode, "count") == 0)
		link_frame(&out, &counters);
	link_frame(&out, &bye);
	bool ok = file_write_str(path, buf_view(&out), e);
	buf_release(&out);
	arena_release(&a);
	return ok;
}

const char *const *job_argv(struct arena *a, const char *program, const struct guest *guest, const char *path)
{
	size_t n = 0, n_args = 0;
	while (guest && guest->args[n_args])
		n_args++;
	const char **argv = ARENA_ARRAY(a, n_args + 5, const char *);
	argv[n++] = guest ? guest->python : program;
	for (size_t i = 0; i < n_args; i++)
		argv[n++] = guest->args[i];
	if (!guest)
		argv[n++] = "worker";
	argv[n++] = "--job";
	argv[n++] = path;
	return argv;
}
