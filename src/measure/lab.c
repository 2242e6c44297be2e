/* The lab. Regions 0 .. n_slots-1 are slots; two regions a case hold its data sets with the expected outputs.
 * In: an operator, a device, subjects.
 * Out: rows of calls, and regions that the keeper can be asked about.
 * Never: interprets a number, shows an expected region to a candidate's worker. */
#include "measure/lab.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "run/guest.h"
#include "run/keeper.h"
#include "run/sandbox.h"
#include "run/watch.h"

enum { LAB_FIRST_EXPECTED = 32, LAB_MAX_WORKERS = 16 };

struct lab_worker {
	struct lab *lab;
	struct worker *process;
	const struct lab_subject *subject;
	const char *mode;
	const struct json *facts;
	bool is_ready;
};
enum lab_state { LAB_ABSENT, LAB_LAID_OUT, LAB_FILLED }; /* of a case's expected regions */
struct lab {
	struct arena *arena;
	const struct operator* op;
	struct lab_device device;
	struct lab_options options;
	struct keeper *keeper;
	struct layout layout;
	size_t i_case, n_slots;
	int slot_fds[LAB_MAX_SLOTS];
	struct lab_worker *workers[LAB_MAX_WORKERS];
	bool has_case;
	uint64_t kept_bytes; /* of expected regions */
	enum lab_state expected[KEEPER_MAX_LAYOUTS];
};

static void close_slots(struct lab *l)
{
	for (size_t i = 0; i < LAB_MAX_SLOTS; i++) {
		if (l->slot_fds[i] >= 0)
			close(l->slot_fds[i]);
		l->slot_fds[i] = -1;
	}
}

struct lab *lab_open(struct arena *a, const struct operator* op, const struct lab_device *d,
		     const struct lab_options *o, struct err *e)
{
	struct lab *l = ARENA_NEW(a, struct lab);
	l->arena = a;
	l->op = op;
	l->device = *d;
	l->options = *o;
	for (size_t i = 0; i < LAB_MAX_SLOTS; i++)
		l->slot_fds[i] = -1;
	char *folder = path_join(a, o->folder, "keeper");
	if (!watch_become_subreaper()) /* a layer less: the report of each worker says so */
		log_debug("orphans of workers cannot be taken over here");
	struct keeper_options k = {.program = o->program, .folder = folder, .backend = d->backend, .gpu = d->gpu};
	if (!file_mkdirs(folder, 0700, e))
		return NULL;
	l->keeper = keeper_start(&k, e);
	return l->keeper ? l : NULL;
}

void lab_free(struct lab *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < LAB_MAX_WORKERS; i++) {
		if (l->workers[i])
			lab_leave(l->workers[i]);
	}
	keeper_bye(l->keeper);
	for (size_t i = 0; i < LAB_MAX_WORKERS; i++)
		lab_end(l, l->workers[i]);
	keeper_free(l->keeper);
	l->keeper = NULL;
	close_slots(l);
}

const struct layout *lab_layout(const struct lab *l)
{
	return &l->layout;
}

struct keeper *lab_keeper(struct lab *l)
{
	return l->keeper;
}

size_t lab_n_slots(const struct lab *l)
{
	return l->n_slots;
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

size_t lab_expected_region(const struct lab *l, size_t i_seed)
{
	return LAB_FIRST_EXPECTED + LAB_SEEDS * l->i_case + i_seed;
}

bool lab_is_filled(const struct lab *l)
{
	return l->has_case && l->expected[l->i_case] == LAB_FILLED;
}

void lab_set_filled(struct lab *l)
{
	l->expected[l->i_case] = LAB_FILLED;
}

static bool fill_region(struct lab *l, size_t region, size_t i_seed, uint64_t pattern, struct err *e)
{
	uint64_t seed = lab_seed(&l->op->cases[l->i_case], i_seed);
	int data = lab_data_file(l, l->i_case, i_seed);
	for (size_t i = 0; i < l->layout.n_tensors; i++) {
		if (!layout_is_input(&l->layout, i))
			continue;
		const struct wire_tensor *t = &l->layout.tensors[i];
		if (data >= 0) {
			if (!keeper_write(l->keeper, region, t->offset, t->bytes, data, e))
				return false;
			continue;
		}
		struct wire_fill f = layout_fill(&l->layout, i, seed);
		f.region = region;
		if (!keeper_fill(l->keeper, &f, e))
			return false;
	}
	return keeper_poison(l->keeper, region, pattern, 1, e);
}

bool lab_refresh(struct lab *l, size_t slot, uint64_t pattern, struct err *e)
{
	return fill_region(l, slot, slot % LAB_SEEDS, pattern, e);
}

static size_t fitting_slots(const struct lab *l)
{
	size_t n = l->i_case == 0 ? l->options.n_slots : LAB_SEEDS;
	uint64_t most = l->options.memory_bytes;
	if (n > LAB_MAX_SLOTS)
		n = LAB_MAX_SLOTS;
	while (n > LAB_SEEDS && most && (n + LAB_SEEDS) * l->layout.bytes > most)
		n--;
	return n < LAB_SEEDS ? LAB_SEEDS : n;
}

static struct wire_layout wire_layout_of(const struct lab *l)
{
	const struct layout *y = &l->layout;
	return (struct wire_layout){
		.i_case = l->i_case,
		.bytes = y->bytes,
		.tensors = {(const char *)y->tensors, y->n_tensors * sizeof(*y->tensors)},
		.scalars = {(const char *)y->scalars, y->n_args * sizeof(*y->scalars)},
	};
}

struct question {
	const struct wire_message *m;
	int fd;
	enum wire_type expect;
};

static enum ask_result ask(struct lab *l, struct lab_worker *w, const struct question *x, struct wire_message *answer,
			   struct err *e)
{
	struct worker_question q = {
		.message = x->m, .fd = x->fd, .expect = x->expect, .timeout_ns = l->options.call_timeout_ns};
	return worker_ask(w->process, &q, answer, e);
}

/* Tells a worker of the current layout and gives it the slots. */
static bool is_staged(const struct lab *l)
{
	return strcmp(keeper_memory(l->keeper), "staged") == 0;
}

static enum ask_result give_case(struct lab *l, struct lab_worker *w, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_LAYOUT}, answer;
	const struct layout *y = &l->layout;
	m.u.layout = wire_layout_of(l);
	enum ask_result r = ask(l, w, &(struct question){&m, -1, WIRE_TYPE_OK}, &answer, e);
	for (size_t i = 0; r == ASK_OK && i < l->n_slots; i++) {
		struct wire_message map = {.type = WIRE_TYPE_MAP};
		map.u.map = (struct wire_map){.slot = i, .bytes = y->bytes, .staged = is_staged(l)};
		r = ask(l, w, &(struct question){&map, l->slot_fds[i], WIRE_TYPE_OK}, &answer, e);
	}
	return r;
}

/* Host memory is only taken when it is written to: without this look a case that is too large ends in the kernel's
 * choice of a process to kill. */
static bool check_memory(const struct lab *l, struct err *e)
{
	uint64_t n = l->n_slots + LAB_SEEDS, available = watch_memory_available();
	if ((l->device.gpu && !is_staged(l)) || l->layout.bytes <= available / n)
		return true;
	struct str name = l->op->cases[l->i_case].name;
	return err_set(
		e, ERR_ENVIRONMENT,
		"case '%.*s' needs %.1f GB: its tensors take %.1f GB and %llu copies of them are held; %.1f GB of "
		"memory are free",
		STR_ARG(name), (double)l->layout.bytes * (double)n / 1e9, (double)l->layout.bytes / 1e9,
		(unsigned long long)n, (double)available / 1e9);
}

/* Gives back what the case before needs no more: its slots, and its answers where they are not to be kept. */
static bool leave_case(struct lab *l, struct err *e)
{
	close_slots(l);
	if (!l->has_case)
		return true;
	for (size_t i = 0; i < l->n_slots; i++) {
		if (!keeper_drop(l->keeper, i, e))
			return false;
	}
	uint64_t bytes = LAB_SEEDS * l->layout.bytes;
	if (l->kept_bytes <= l->options.keep_bytes)
		return true;
	for (size_t i = 0; i < LAB_SEEDS; i++) {
		if (!keeper_drop(l->keeper, lab_expected_region(l, i), e))
			return false;
	}
	l->expected[l->i_case] = LAB_ABSENT;
	l->kept_bytes -= bytes;
	return true;
}

static bool make_expected(struct lab *l, struct err *e)
{
	if (l->expected[l->i_case] != LAB_ABSENT)
		return true;
	for (size_t i = 0; i < LAB_SEEDS; i++) {
		if (!keeper_alloc(l->keeper, lab_expected_region(l, i), NULL, e) ||
		    !fill_region(l, lab_expected_region(l, i), i, LAB_PATTERN_A, e))
			return false;
	}
	l->expected[l->i_case] = LAB_LAID_OUT;
	l->kept_bytes += LAB_SEEDS * l->layout.bytes;
	return true;
}

bool lab_case(struct lab *l, size_t i_case, struct err *e)
{
	if (!leave_case(l, e))
		return false;
	layout_make(&l->layout, l->arena, l->op, &l->op->cases[i_case]);
	l->i_case = i_case;
	l->n_slots = fitting_slots(l);
	l->has_case = true;
	struct wire_layout wire = wire_layout_of(l);
	if (!keeper_layout(l->keeper, &wire, e) || !check_memory(l, e) || !make_expected(l, e))
		return false;
	for (size_t i = 0; i < l->n_slots; i++) {
		if (!keeper_alloc(l->keeper, i, &l->slot_fds[i], e) || !lab_refresh(l, i, LAB_PATTERN_A, e))
			return false;
	}
	for (size_t i = 0; i < LAB_MAX_WORKERS; i++) {
		struct lab_worker *w = l->workers[i];
		if (!w || !w->is_ready || !worker_is_alive(w->process))
			continue;
		enum ask_result r = give_case(l, w, e);
		const struct worker_fault *f = worker_fault(w->process);
		if (r == ASK_FAULT && f->is_said && !*f->word) /* one that died says so when it is asked to run */
			return err_set(e, ERR_ENVIRONMENT, "%s worker (%s): %s", w->subject->name, w->mode, f->text);
		if (r == ASK_ERR)
			return false;
	}
	return true;
}

/* Host memory of a worker: what was asked for, else four fifths of what is available, so that the machine lives on. */
static uint64_t memory_limit(const struct lab *l)
{
	uint64_t available = watch_memory_available();
	if (l->options.max_memory_bytes || available == UINT64_MAX)
		return l->options.max_memory_bytes;
	return available / 5 * 4;
}

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
					.returns_int = w->subject->returns_int};
	m.u.setup.args = (struct str){(const char *)shape.args, shape.n_args * sizeof(*shape.args)};
	return worker_tell(w->process, &m, e);
}

struct lab_worker *lab_start(struct lab *l, const struct lab_subject *s, const char *mode, struct err *e)
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
	return send_setup(l, w, e) ? w : NULL;
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
static enum ask_result judge(struct lab *l, struct lab_worker *w, enum ask_result r, struct lab_fault *fault,
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
			r = give_case(l, w, e);
	}
	return judge(l, w, r, fault, e);
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

enum ask_result lab_run(struct lab *l, struct lab_worker *w, const struct lab_batch *b, struct lab_rows *out,
			struct lab_fault *fault, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_CALLS}, answer;
	m.u.calls = (struct wire_calls){.n = b->n,
					.first_call = b->first_call,
					.first_slot = b->first_slot,
					.n_slots = l->n_slots,
					.flags = b->flags,
					.pattern = b->pattern,
					.placement = b->placement,
					.block = b->block,
					.side = b->side};
	m.u.calls.phases = (struct str){(const char *)b->phases, b->phases ? b->n * 8 : 0};
	*out = (struct lab_rows){0};
	bool is_identity = strcmp(w->mode, "identity") == 0;
	int64_t begin = clock_ns();
	enum ask_result r = ask(
		l, w, &(struct question){&m, -1, is_identity && l->device.gpu ? WIRE_TYPE_LAUNCHES : WIRE_TYPE_ROWS},
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
	out->begin_ns = begin;
	out->wall_ns = clock_ns() - begin;
	if (r != ASK_OK)
		return judge(l, w, r, fault, e);
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
	enum ask_result r = ask(l, w, &(struct question){&m, -1, WIRE_TYPE_OK}, &answer, e);
	if (r == ASK_OK)
		w->mode = "time";
	return judge(l, w, r, fault, e);
}

enum ask_result lab_counters(struct lab *l, struct lab_worker *w, struct json **out, struct lab_fault *fault,
			     struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_COUNTERS}, answer;
	enum ask_result r = ask(l, w, &(struct question){&m, -1, WIRE_TYPE_READY}, &answer, e);
	if (r == ASK_OK) {
		struct err bad;
		*out = json_parse(l->arena, "counters", arena_str(l->arena, answer.u.ready.facts), JSON_STRICT, &bad);
		if (!*out)
			return bad_rows(fault, w);
	}
	return judge(l, w, r, fault, e);
}
