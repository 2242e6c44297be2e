/* The lab: keeper, workers, calls.
 * In: an operator, a device, subjects.
 * Out: rows of calls, and regions that the keeper can be asked about (lab_data.c).
 * Never: interprets a number. */
#include "measure/lab.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "measure/lab_ahead.h"
#include "measure/lab_data.h"
#include "measure/lab_inside.h"
#include "run/guest.h"
#include "run/sandbox.h"
#include "run/watch.h"

struct lab *lab_new(struct arena *a, const struct operator* op, const struct lab_device *d, const struct lab_options *o)
{
	struct lab *l = ARENA_NEW(a, struct lab);
	l->arena = a;
	l->op = op;
	l->device = *d;
	l->options = *o;
	l->secret = lab_random();
	for (size_t i = 0; i < LAB_MAX_SLOTS; i++)
		l->slot_fds[i] = -1;
	if (!watch_become_subreaper()) /* a layer less: the report of each worker says so */
		log_debug("orphans of workers cannot be taken over here");
	return l;
}

bool lab_keep(struct lab *l, struct err *e)
{
	char *folder = path_join(l->arena, l->options.folder, "keeper");
	struct keeper_options k = {
		.program = l->options.program, .folder = folder, .backend = l->device.backend, .gpu = l->device.gpu};
	if (!file_mkdirs(folder, 0700, e))
		return false;
	l->keeper = keeper_start(&k, e);
	return l->keeper != NULL;
}

struct lab *lab_open(struct arena *a, const struct operator* op, const struct lab_device *d,
		     const struct lab_options *o, struct err *e)
{
	struct lab *l = lab_new(a, op, d, o);
	return lab_keep(l, e) ? l : NULL;
}

void lab_use_data(struct lab *l, const int *files, const char *const *digests)
{
	l->options.data_files = files;
	l->options.data_digests = digests;
}

void lab_free(struct lab *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < LAB_MAX_WORKERS; i++) {
		if (l->workers[i])
			lab_leave(l->workers[i]);
	}
	if (l->keeper)
		keeper_bye(l->keeper);
	for (size_t i = 0; i < LAB_MAX_WORKERS; i++)
		lab_end(l, l->workers[i]);
	if (l->keeper)
		keeper_free(l->keeper);
	l->keeper = NULL;
	lab_close_slots(l);
}

const struct layout *lab_layout(const struct lab *l)
{
	return &l->layout;
}

struct keeper *lab_keeper(struct lab *l)
{
	return l->keeper;
}

uint64_t lab_seed(const struct op_case *c, size_t i_seed)
{
	return c->seed + 0x9e3779b97f4a7c15u * i_seed;
}

int lab_data_file(const struct lab *l, size_t i_case, size_t i_seed)
{
	return l->options.data_files ? l->options.data_files[i_case * LAB_SEEDS + i_seed] : -1;
}

const char *lab_data_digest(const struct lab *l)
{
	return l->options.data_digests ? l->options.data_digests[l->i_case] : "";
}

double lab_l2_bytes(const struct lab *l)
{
	return keeper_l2_bytes(l->keeper);
}

bool lab_is_host(const struct lab *l)
{
	return !l->device.gpu;
}

/* A native kernel needs no files but the driver's cache; a Python one keeps what it compiles. */
static const uint64_t LAB_NATIVE_FILE_BYTES = UINT64_C(256) << 20, LAB_NATIVE_DISK_BYTES = UINT64_C(1) << 30,
		      LAB_GUEST_DISK_BYTES = UINT64_C(8) << 30;

/* Host memory of a worker: what was asked for, else four fifths of what is available, so that the machine lives on. */
static uint64_t memory_limit(const struct lab *l)
{
	uint64_t available = watch_memory_available();
	if (l->options.max_memory_bytes || available == UINT64_MAX)
		return l->options.max_memory_bytes;
	return available / 5 * 4;
}

/* torch from a cold disk, or many interpreters at once on few CPUs; it was not the candidate that is slow then. */
static const int64_t LAB_IMPORTS_NS = INT64_C(120000000000);

/* A Python worker: the interpreter may read its own libraries, the candidate's file and the worker's files. */
static void use_guest(struct lab *l, const struct guest *g, struct worker_options *o, struct sandbox_plan *plan)
{
	size_t n = 0, n_paths = plan->n_paths;
	while (g->paths[n])
		n++;
	struct sandbox_path *paths = ARENA_ARRAY(l->arena, n_paths + n + 2, struct sandbox_path);
	memcpy(paths, plan->paths, n_paths * sizeof(*paths));
	for (size_t i = 0; i < n; i++)
		paths[n_paths++] = (struct sandbox_path){g->paths[i], SANDBOX_READ | SANDBOX_EXEC};
	paths[n_paths++] = (struct sandbox_path){g->python, SANDBOX_READ | SANDBOX_EXEC};
	paths[n_paths++] = (struct sandbox_path){g->folder, SANDBOX_READ | SANDBOX_EXEC};
	plan->paths = paths;
	plan->n_paths = n_paths;
	if (plan->kind == SANDBOX_NATIVE)
		plan->kind = SANDBOX_PYTHON;
	o->program = g->python;
	o->args = g->args;
	o->env = l->device.gpu ? NULL : g->env;
	o->greets_later = true;
	o->start_timeout_ns = LAB_IMPORTS_NS > l->options.call_timeout_ns ? LAB_IMPORTS_NS : l->options.call_timeout_ns;
}

static bool start_process(struct lab *l, struct lab_worker *w, struct err *e)
{
	static const char *const args[] = {"worker", NULL};
	char *folder = arena_printf(l->arena, "%s/%s-%s-%lld", l->options.folder, w->subject->name, w->mode,
				    (long long)clock_ns());
	struct sandbox_path paths[] = {{path_real(l->arena, l->options.program), SANDBOX_READ | SANDBOX_EXEC},
				       {path_absolute(l->arena, w->subject->library), SANDBOX_READ | SANDBOX_EXEC},
				       {folder, SANDBOX_READ | SANDBOX_WRITE}};
	struct sandbox_plan plan = {.kind = SANDBOX_NATIVE,
				    .network = SANDBOX_NET_NONE,
				    .paths = paths,
				    .n_paths = COUNT_OF(paths),
				    .max_file_bytes = w->subject->guest ? 0 : LAB_NATIVE_FILE_BYTES,
				    .max_disk_bytes = w->subject->guest ? LAB_GUEST_DISK_BYTES : LAB_NATIVE_DISK_BYTES,
				    .max_memory_bytes = memory_limit(l)};
	bool is_counting = strcmp(w->mode, "count") == 0;
	if (is_counting)
		plan.kind = SANDBOX_TOOL;
	struct worker_options o = {.program = l->options.program,
				   .args = args,
				   .name = arena_printf(l->arena, "%s worker (%s)", w->subject->name, w->mode),
				   .folder = folder,
				   .gpu = l->device.gpu ? l->device.gpu : "",
				   .plan = w->subject->is_trusted ? NULL : &plan};
	if (w->subject->guest)
		use_guest(l, w->subject->guest, &o, &plan);
	if (!file_mkdirs(folder, 0700, e))
		return false;
	w->folder = folder;
	w->process = worker_start(&o, e);
	return w->process != NULL;
}

static bool send_setup(struct lab *l, struct lab_worker *w, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_SETUP};
	struct layout shape;
	const struct operator* op = w->subject->op ? w->subject->op : l->op;
	layout_make(&shape, l->arena, op, &op->cases[0]);
	m.u.setup = (struct wire_setup){.backend = str_from(l->device.backend),
					.mode = str_from(w->mode),
					.library = str_from(path_absolute(l->arena, w->subject->library)),
					.symbol = str_from(w->subject->symbol),
					.cupti = str_from(l->options.cupti),
					.flush_bytes = l->device.gpu ? 0 : l->options.evict_bytes,
					.returns_int = w->subject->returns_int};
	m.u.setup.args = (struct str){(const char *)shape.args, shape.n_args * sizeof(*shape.args)};
	return worker_tell(w->process, &m, e);
}

struct lab_worker *lab_start_ahead(struct lab *l, const struct lab_subject *s, const char *mode, struct err *e)
{
	size_t i = 0;
	while (i < LAB_MAX_WORKERS && l->workers[i])
		i++;
	if (i == LAB_MAX_WORKERS)
		BUG("too many workers in a lab");
	struct lab_worker *w = ARENA_NEW(l->arena, struct lab_worker);
	w->lab = l;
	w->subject = s;
	w->mode = mode;
	if (!start_process(l, w, e))
		return NULL;
	l->workers[i] = w;
	return w;
}

bool lab_set_up(struct lab *l, struct lab_worker *w, struct err *e)
{
	return send_setup(l, w, e);
}

struct lab_worker *lab_start(struct lab *l, const struct lab_subject *s, const char *mode, struct err *e)
{
	struct lab_worker *w = lab_start_ahead(l, s, mode, e);
	return w && send_setup(l, w, e) ? w : NULL;
}

void lab_greet(struct lab_worker *w)
{
	worker_greet(w->process);
}

static void take_fault(struct lab *l, const struct lab_worker *w, struct lab_fault *fault)
{
	const struct worker_fault *f = worker_fault(w->process);
	size_t n = strlen(f->word);
	bool says_word = n && strncmp(f->text, f->word, n) == 0 && f->text[n] == ':' && f->text[n + 1] == ' ';
	*fault = (struct lab_fault){.verdict = VERDICT_EXITED_EARLY,
				    .text = arena_strdup(l->arena, f->text + (says_word ? n + 2 : 0)),
				    .witness = f->is_said ? "claim" : "parent",
				    .mode = w->mode};
	enum verdict v;
	if (verdict_from_word(str_from(f->word), &v) && verdict_stage(v) == VERDICT_STAGE_RUN)
		fault->verdict = v;
	else
		fault->verdict = VERDICT_PROTOCOL_ERROR;
}

/* An answer of FAIL without a word is the worker's own trouble (no device, no memory): assay could not do its job. */
enum ask_result lab_judge(struct lab *l, struct lab_worker *w, enum ask_result r, struct lab_fault *fault,
			  struct err *e)
{
	if (r != ASK_FAULT)
		return r;
	const struct worker_fault *f = worker_fault(w->process);
	if (f->is_said && !*f->word) {
		err_set(e, ERR_ENVIRONMENT, "%s worker (%s): %s", w->subject->name, w->mode, f->text);
		return ASK_ERR;
	}
	if (strcmp(f->word, "not_started") == 0) {
		struct str out = worker_stderr(w->process, l->arena);
		err_set(e, ERR_ENVIRONMENT, "%s worker (%s): %s %.*s", w->subject->name, w->mode, f->text,
			STR_ARG(out));
		return ASK_ERR;
	}
	take_fault(l, w, fault);
	return ASK_FAULT;
}

void lab_await(struct lab_worker *w)
{
	worker_await(w->process, w->lab->options.call_timeout_ns);
}

enum ask_result lab_join(struct lab *l, struct lab_worker *w, struct lab_fault *fault, struct err *e)
{
	struct wire_message ready;
	enum ask_result r = worker_more(w->process, WIRE_TYPE_READY, &ready, l->options.call_timeout_ns, e);
	if (r == ASK_OK) {
		struct err bad;
		w->facts = json_parse(l->arena, "facts", arena_str(l->arena, ready.u.ready.facts), JSON_STRICT, &bad);
		w->is_ready = true;
		worker_observe(w->process);
		if (l->has_case)
			r = lab_give_case(l, w, e);
	}
	return lab_judge(l, w, r, fault, e);
}

bool lab_freeze(struct lab_worker *w)
{
	return worker_freeze(w->process);
}

void lab_thaw(struct lab_worker *w)
{
	worker_thaw(w->process);
}

void lab_leave(struct lab_worker *w)
{
	worker_leave(w->process);
}

void lab_end(struct lab *l, struct lab_worker *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < LAB_MAX_WORKERS; i++) {
		if (l->workers[i] == w)
			l->workers[i] = NULL;
	}
	worker_free(w->process);
	w->process = NULL;
}

struct lab *lab_of(const struct lab_worker *w)
{
	return w->lab;
}

struct worker *lab_process(const struct lab_worker *w)
{
	return w->process;
}

const char *lab_worker_folder(const struct lab_worker *w)
{
	return w->folder;
}

const struct json *lab_facts(const struct lab_worker *w)
{
	return w->facts;
}

static bool take_names(struct lab *l, struct str text, struct lab_rows *out)
{
	size_t n = 0;
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	out->names = ARENA_ARRAY(l->arena, n + 1, const char *);
	struct str name;
	while (out->n_names < n && str_split(&text, '\n', &name))
		out->names[out->n_names++] = arena_strndup(l->arena, name.p, name.n);
	for (size_t i = 0; i < out->n_launches; i++) {
		if (out->launches[i].i_name >= n)
			return false;
	}
	return true;
}

static bool take_blob(struct lab *l, struct str blob, size_t size, void **out, size_t *n)
{
	if (blob.n % size)
		return false;
	*n = blob.n / size;
	*out = arena_alloc(l->arena, blob.n + size);
	if (blob.n)
		memcpy(*out, blob.p, blob.n);
	return true;
}

static enum ask_result bad_rows(struct lab_fault *fault, const struct lab_worker *w)
{
	*fault = (struct lab_fault){VERDICT_PROTOCOL_ERROR, "its rows do not fit the calls", "parent", w->mode};
	return ASK_FAULT;
}

static void name_row(const struct lab *l, struct wire_row *row, const struct lab_batch *b, size_t i)
{
	row->call = b->first_call + i;
	row->placement = b->placement;
	row->block = b->block;
	row->side = b->side;
	row->slot = (b->first_slot + i) % l->n_slots;
	row->phase_ns = b->phases ? b->phases[i] : 0;
	row->marks &= WIRE_MARKS_OF_WORKER;
}

/* One candidate's process at a time: the others, which map the same slots, stand still until they are asked. */
static void freeze_others(struct lab *l, const struct lab_worker *w)
{
	for (size_t i = 0; i < LAB_MAX_WORKERS; i++) {
		struct lab_worker *other = l->workers[i];
		if (other && other != w && other->is_ready && !other->subject->is_trusted)
			(void)!worker_freeze(other->process);
	}
}

enum ask_result lab_run(struct lab *l, struct lab_worker *w, const struct lab_batch *b, struct lab_rows *out,
			struct lab_fault *fault, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_CALLS}, answer;
	m.u.calls = (struct wire_calls){.n = b->n,
					.first_call = b->first_call,
					.first_slot = b->first_slot,
					.n_slots = l->n_slots,
					.flags = b->flags,
					.pattern = lab_pattern(l, b->pattern),
					.placement = b->placement,
					.block = b->block,
					.side = b->side};
	m.u.calls.phases = (struct str){(const char *)b->phases, b->phases ? b->n * 8 : 0};
	*out = (struct lab_rows){0};
	freeze_others(l, w);
	bool is_identity = strcmp(w->mode, "identity") == 0;
	enum ask_result r = lab_ask(
		l, w,
		&(struct lab_question){&m, -1, is_identity && l->device.gpu ? WIRE_TYPE_LAUNCHES : WIRE_TYPE_ROWS},
		&answer, e);
	if (r == ASK_OK && answer.type == WIRE_TYPE_LAUNCHES) {
		void *launches = NULL;
		if (!take_blob(l, answer.u.launches.launches, sizeof(struct wire_launch), &launches, &out->n_launches))
			return bad_rows(fault, w);
		out->launches = launches;
		if (!take_names(l, answer.u.launches.names, out))
			return bad_rows(fault, w);
		r = worker_more(w->process, WIRE_TYPE_ROWS, &answer, l->options.call_timeout_ns, e);
	}
	out->wall_ns = clock_ns();
	out->begin_ns = worker_asked_ns(w->process);
	out->wall_ns -= out->begin_ns;
	if (r != ASK_OK)
		return lab_judge(l, w, r, fault, e);
	void *rows = NULL;
	if (!take_blob(l, answer.u.rows.rows, sizeof(struct wire_row), &rows, &out->n) || out->n != b->n)
		return bad_rows(fault, w);
	out->rows = rows;
	for (size_t i = 0; i < b->n; i++) /* which call a row is, is for the parent to say */
		name_row(l, &out->rows[i], b, i);
	return ASK_OK;
}

enum ask_result lab_reduce(struct lab *l, struct lab_worker *w, struct lab_fault *fault, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_MODE}, answer;
	m.u.mode.mode = STR("time");
	enum ask_result r = lab_ask(l, w, &(struct lab_question){&m, -1, WIRE_TYPE_OK}, &answer, e);
	if (r == ASK_OK)
		w->mode = "time";
	return lab_judge(l, w, r, fault, e);
}

enum ask_result lab_counters(struct lab *l, struct lab_worker *w, struct json **out, struct lab_fault *fault,
			     struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_COUNTERS}, answer;
	enum ask_result r = lab_ask(l, w, &(struct lab_question){&m, -1, WIRE_TYPE_READY}, &answer, e);
	if (r == ASK_OK) {
		struct err bad;
		*out = json_parse(l->arena, "counters", arena_str(l->arena, answer.u.ready.facts), JSON_STRICT, &bad);
		if (!*out)
			return bad_rows(fault, w);
	}
	return lab_judge(l, w, r, fault, e);
}
