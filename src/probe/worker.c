/* The worker process: a loop over the parent's messages.
 * In: SETUP, LAYOUT, MAP, CALLS, ... Out: READY, ROWS, LAUNCHES, OK, or FAIL with a word for the candidate's fault.
 * Tool and device first, then the seal, then the candidate: its constructors already run sealed.
 * Never: allocates or decodes records between the calls of a batch. */
#include "probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "probe/batch.h"
#include "probe/fence.h"
#include "probe/guest.h"
#include "probe/perf.h"
#include "probe/seal.h"

/* Virtual machines report the sum of all slices of the socket's last-level cache; one core fills one slice, 96 MiB on the
 * largest that are sold. */
enum { PROBE_MAX_HOST_FLUSH = 192 << 20 };

static bool answer(struct probe *p, const struct wire_message *m, struct err *e)
{
	return link_send(&p->link, m, -1, e);
}

static bool answer_ok(struct probe *p, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_OK};
	return answer(p, &m, e);
}

static bool answer_fail(struct probe *p, const char *word, const char *text, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_FAIL};
	m.u.fail.word = str_from(word);
	m.u.fail.text = str_from(text);
	if (p->link.out_fd < 0) { /* a job: nobody listens, the exit status says it */
		fprintf(stderr, "assay worker: %s: %s\n", word, text);
		return err_set(e, ERR_SYSTEM, "%s", text);
	}
	return answer(p, &m, e);
}

static bool mode_from(struct str s, enum probe_mode *out)
{
	static const char *const names[] = {"plain", "identity", "time", "event", "tool", "count", "sanitize"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (str_is(s, names[i])) {
			*out = (enum probe_mode)i;
			return true;
		}
	}
	return false;
}

/* The last-level cache of this CPU in bytes, 32 MiB when the system does not say. */
static size_t last_level_cache(void)
{
	long most = sysconf(_SC_LEVEL3_CACHE_SIZE);
	if (most <= 0)
		most = sysconf(_SC_LEVEL2_CACHE_SIZE);
	return most > 0 ? (size_t)most : (size_t)32 << 20;
}

static bool open_tools(struct probe *p, const struct wire_setup *s, char *cupti_text, size_t n, struct err *e)
{
	struct err why = {ERR_NONE, ""};
	bool is_gpu = str_is(s->backend, "cuda");
	if (p->mode == PROBE_COUNT && !is_gpu)
		p->perf = perf_open();
	if (is_gpu && (p->mode == PROBE_IDENTITY || p->mode == PROBE_TIME)) {
		char path[512];
		snprintf(path, sizeof(path), "%.*s", STR_ARG(s->cupti));
		p->recorder = recorder_open(path, p->mode == PROBE_IDENTITY, &why);
		if (!p->recorder)
			snprintf(cupti_text, n, "%.400s", why.text);
	}
	p->space = space_open(is_gpu ? SPACE_GPU : SPACE_HOST, (int)s->gpu, e);
	if (!p->space)
		return false;
	p->flush_bytes = (size_t)s->flush_bytes;
	if (is_gpu)
		return probe_device_open(p, e);
	if (p->flush_bytes == 0) {
		size_t twice = 2 * last_level_cache();
		p->flush_bytes = twice < PROBE_MAX_HOST_FLUSH ? twice : PROBE_MAX_HOST_FLUSH;
	}
	return true;
}

/* The buffer of the host is made when it is first needed: touching it takes longer than starting a worker. */
static bool have_flush(struct probe *p, uint64_t flags, struct err *e)
{
	if (!(flags & WIRE_CALL_COLD) || p->flush.base)
		return true;
	return space_alloc(p->space, &p->flush, p->flush_bytes, e) &&
	       space_poison(p->space, p->flush.base, p->flush_bytes, 0, e);
}

static void put_json_text(struct buf *out, const char *text)
{
	struct arena a;
	arena_init(&a);
	json_write(out, json_new_str(&a, str_from(text)), JSON_COMPACT);
	arena_release(&a);
}

static bool answer_ready(struct probe *p, const char *no_cupti, struct err *e)
{
	struct buf facts;
	buf_init(&facts);
	size_t cache = p->flush_bytes / 2; /* of a GPU */
	if (space_kind(p->space) == SPACE_HOST)
		cache = last_level_cache();
	buf_printf(&facts, "{\"cache_bytes\":%zu,\"flush_bytes\":%zu,\"pid\":%d", cache, p->flush_bytes, (int)getpid());
	bool ok = true;
	if (space_kind(p->space) == SPACE_GPU && !probe_has_tool(p)) {
		buf_char(&facts, ',');
		ok = probe_calibrate(p, 51, &facts, e);
	}
	if (p->recorder) {
		uint32_t version = 0;
		const char *path = recorder_library(p->recorder, &version);
		buf_printf(&facts, ",\"cupti_version\":%u,\"cupti_path\":", version);
		put_json_text(&facts, path);
	}
	if (*no_cupti) {
		buf_puts(&facts, ",\"no_cupti\":");
		put_json_text(&facts, no_cupti);
	}
	buf_char(&facts, '}');
	struct wire_message m = {.type = WIRE_TYPE_READY};
	m.u.ready.facts = buf_view(&facts);
	ok = ok && answer(p, &m, e);
	buf_release(&facts);
	return ok;
}

/* The parent sees a crash as the signal that it is: a handler of a sanitizer or of a preloaded library would make an exit
 * of it. */
static void default_signals(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	for (size_t i = 0; i < COUNT_OF(signals); i++)
		signal(signals[i], SIG_DFL);
}

static bool install_seal(struct probe *p, struct err *e)
{
	int fd = p->seal_fd;
	p->seal_fd = -1;
	return fd < 0 || seal_install(fd, e);
}

/* A guest compiles when it is loaded and when it is first called: its seal follows with the first calls that count. */
static bool load_guest(struct probe *p, const char *module, const char *symbol, const char *no_cupti, struct err *e)
{
	struct probe_fault fault = {"", ""};
	if (p->guest->load(module, symbol, space_kind(p->space) == SPACE_GPU) != 0) {
		probe_guest_fault(p, &fault);
		return answer_fail(p, fault.word, fault.text, e);
	}
	return answer_ready(p, no_cupti, e);
}

static bool do_setup(struct probe *p, const struct wire_setup *s, struct err *e)
{
	char no_cupti[512] = "", library[4096], symbol[1024];
	struct wire_arg args[ENTRY_MAX_ARGS];
	size_t n_args = s->args.n / sizeof(args[0]);
	if (!mode_from(s->mode, &p->mode) || s->args.n % sizeof(args[0]) || n_args > ENTRY_MAX_ARGS)
		return err_set(e, ERR_PROTOCOL, "SETUP makes no sense");
	memcpy(args, s->args.p, s->args.n);
	snprintf(library, sizeof(library), "%.*s", STR_ARG(s->library));
	snprintf(symbol, sizeof(symbol), "%.*s", STR_ARG(s->symbol));
	p->returns_int = s->returns_int != 0;
	struct err why = {ERR_NONE, ""};
	if (!open_tools(p, s, no_cupti, sizeof(no_cupti), &why))
		return answer_fail(p, "", why.text, e);
	if (p->guest)
		return load_guest(p, library, symbol, no_cupti, e);
	if (!install_seal(p, &why))
		return answer_fail(p, "", why.text, e);
	enum entry_fault fault;
	if (!probe_has_tool(p))
		default_signals();
	p->entry = entry_open(library, symbol, args, n_args, &fault, &why);
	if (!p->entry)
		return answer_fail(p, fault == ENTRY_NO_SYMBOL ? "no_entry" : "load_failed", why.text, e);
	return answer_ready(p, no_cupti, e);
}

static void free_slots(struct probe *p)
{
	for (size_t i = 0; i < PROBE_MAX_SLOTS; i++) {
		space_release(p->space, &p->slots[i]);
		space_release(p->space, &p->pristine[i]);
	}
}

static bool do_layout(struct probe *p, const struct wire_layout *l, struct err *e)
{
	size_t n = l->tensors.n / sizeof(p->tensors[0]);
	size_t n_least = p->entry ? entry_n_tensors(p->entry) : 0;
	if ((!p->entry && !p->guest) || l->tensors.n % sizeof(p->tensors[0]) || n > ENTRY_MAX_ARGS || n < n_least)
		return err_set(e, ERR_PROTOCOL, "LAYOUT makes no sense");
	free_slots(p);
	memcpy(p->tensors, l->tensors.p, l->tensors.n);
	p->n_tensors = n;
	p->region_bytes = (size_t)l->bytes;
	p->i_case = (size_t)l->i_case;
	if (p->guest)
		return answer_ok(p, e);
	uint64_t bits[ENTRY_MAX_ARGS];
	size_t n_bits = l->scalars.n / 8 < ENTRY_MAX_ARGS ? l->scalars.n / 8 : ENTRY_MAX_ARGS;
	memcpy(bits, l->scalars.p, n_bits * 8);
	entry_set_scalars(p->entry, bits, n_bits);
	return answer_ok(p, e);
}

static bool map_guest(struct probe *p, size_t slot, struct err *e)
{
	uint64_t at[ENTRY_MAX_ARGS];
	struct probe_fault fault = {"", ""};
	for (size_t i = 0; i < p->n_tensors; i++)
		at[i] = probe_address(p, slot, i);
	if (p->guest->map(p->i_case, slot, at, p->n_tensors) == 0)
		return answer_ok(p, e);
	probe_guest_fault(p, &fault);
	return answer_fail(p, fault.word, fault.text, e);
}

/* An empty tensor has a byte, so that its address is one. */
static bool set_apart(struct probe *p, struct err *e)
{
	for (size_t i = 0; i < p->n_tensors; i++) {
		size_t bytes = (size_t)p->tensors[i].bytes;
		space_release(p->space, &p->apart[i]);
		if (!space_alloc(p->space, &p->apart[i], bytes ? bytes : 1, e))
			return false;
	}
	return true;
}

static bool do_map(struct probe *p, const struct wire_map *m, int fd, struct err *e)
{
	struct err why = {ERR_NONE, ""};
	if (m->slot >= PROBE_MAX_SLOTS || m->bytes < p->region_bytes)
		return err_set(e, ERR_PROTOCOL, "MAP makes no sense");
	struct space_region *r = &p->slots[m->slot];
	space_release(p->space, r);
	bool ok = fd < 0      ? space_alloc(p->space, r, (size_t)m->bytes, &why)
		  : m->staged ? space_stage(p->space, r, fd, (size_t)m->bytes, &why) && space_pull(p->space, r, &why)
			      : space_import(p->space, r, fd, (size_t)m->bytes, &why);
	if (!ok || (fd >= 0 && !probe_keep_pristine(p, (size_t)m->slot, &why)) ||
	    (p->mode == PROBE_SANITIZE && !set_apart(p, &why)))
		return answer_fail(p, "", why.text, e);
	if (m->fences && space_kind(p->space) == SPACE_HOST)
		fence_install(p, (size_t)m->slot);
	return p->guest ? map_guest(p, (size_t)m->slot, e) : answer_ok(p, e);
}

/* A job names its data by a file. */
static bool map_file(struct probe *p, const struct wire_map *m, struct err *e)
{
	char path[4096];
	if (p->link.out_fd >= 0 || m->file.n >= sizeof(path))
		return err_set(e, ERR_PROTOCOL, "MAP names a file");
	memcpy(path, m->file.p, m->file.n);
	path[m->file.n] = 0;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, ERR_IO, errno, "%s: the data of the job cannot be opened", path);
	bool ok = do_map(p, m, fd, e);
	close(fd);
	return ok;
}

static bool do_fill(struct probe *p, const struct wire_fill *f, struct err *e)
{
	struct err why = {ERR_NONE, ""};
	if (f->region >= PROBE_MAX_SLOTS || f->i_tensor >= p->n_tensors || f->dtype >= DTYPE_COUNT ||
	    f->kind >= FILL_KINDS)
		return err_set(e, ERR_PROTOCOL, "FILL makes no sense");
	const struct wire_tensor *t = &p->tensors[f->i_tensor];
	struct value_source v = {.dtype = (enum dtype)f->dtype,
				 .fill = {(enum fill_kind)f->kind, f->lo, f->hi},
				 .seed = f->seed,
				 .tensor = (uint32_t)f->i_tensor};
	uint64_t at = p->slots[f->region].base + t->offset;
	if (!space_fill(p->space, at, (size_t)t->bytes / dtype_bytes(v.dtype), &v, &why) ||
	    !probe_keep_pristine(p, (size_t)f->region, &why))
		return answer_fail(p, "", why.text, e);
	return answer_ok(p, e);
}

/* Before the first calls that count (cold, no warm-up): one that nobody counts where none was made, since it may compile;
 * then the seal. */
static bool ready_guest(struct probe *p, const struct wire_calls *c, struct probe_fault *fault)
{
	struct err e = {ERR_NONE, ""};
	size_t slot = (size_t)(c->first_slot % c->n_slots);
	if (p->seal_fd < 0 || (c->flags & WIRE_CALL_WARMUP) || !(c->flags & WIRE_CALL_COLD))
		return true;
	if (!p->n_guest_calls && (p->guest->call(slot) != 0 || p->guest->finish(slot) != 0))
		return probe_guest_fault(p, fault);
	return (space_sync(p->space, &e) && install_seal(p, &e)) || probe_trouble(fault, &e);
}

/* Slots that are copies (WIRE_MAP): the keeper may have changed them since, and looks at them afterwards. */
static bool move_slots(struct probe *p, size_t n, bool is_pull, struct probe_fault *fault)
{
	struct err e = {ERR_NONE, ""};
	for (size_t i = 0; i < n; i++) {
		bool ok = is_pull ? space_pull(p->space, &p->slots[i], &e) : space_push(p->space, &p->slots[i], &e);
		if (!ok)
			return probe_trouble(fault, &e);
	}
	return true;
}

static bool do_calls(struct probe *p, const struct wire_calls *c, struct err *e)
{
	if ((!p->entry && !p->guest) || c->n == 0 || c->n > BATCH_MAX_CALLS || c->n_slots == 0 ||
	    c->n_slots > PROBE_MAX_SLOTS || (c->phases.n && c->phases.n != c->n * 8))
		return err_set(e, ERR_PROTOCOL, "CALLS makes no sense");
	for (size_t i = 0; i < c->n_slots; i++) {
		if (!p->slots[i].base)
			return err_set(e, ERR_PROTOCOL, "CALLS on slot %zu, which is not mapped", i);
	}
	struct batch b;
	struct err why = {ERR_NONE, ""};
	struct probe_fault fault = {"", ""};
	if (!have_flush(p, c->flags, &why))
		return answer_fail(p, "", why.text, e);
	if (p->guest && !ready_guest(p, c, &fault))
		return answer_fail(p, fault.word, fault.text, e);
	batch_init(&b);
	size_t n_slots = (size_t)c->n_slots;
	bool is_run = move_slots(p, n_slots, true, &fault) && batch_run(&b, p, c, &fault) &&
		      move_slots(p, n_slots, false, &fault);
	bool ok = is_run ? batch_answer(&b, p, e) : answer_fail(p, fault.word, fault.text, e);
	p->n_guest_calls += b.n;
	batch_release(&b);
	return ok;
}

static bool do_counters(struct probe *p, struct err *e)
{
	struct buf json;
	buf_init(&json);
	if (p->perf)
		perf_write(p->perf, &json);
	else
		buf_puts(&json, "{}");
	struct wire_message m = {.type = WIRE_TYPE_READY};
	m.u.ready.facts = buf_view(&json);
	if (p->link.out_fd < 0) { /* a job: the last line of its output */
		printf("\n%s\n", json.p);
		fflush(stdout);
	}
	bool ok = answer(p, &m, e);
	buf_release(&json);
	return ok;
}

static bool do_mode(struct probe *p, struct err *e)
{
	struct err why = {ERR_NONE, ""};
	if (p->mode != PROBE_IDENTITY)
		return err_set(e, ERR_PROTOCOL, "MODE makes no sense");
	if (p->recorder && !recorder_reduce(p->recorder, &why))
		return answer_fail(p, "", why.text, e);
	p->mode = PROBE_TIME;
	return answer_ok(p, e);
}

static bool handle(struct probe *p, const struct wire_message *m, int fd, struct err *e)
{
	if (m->type != WIRE_TYPE_SETUP && !p->space)
		return err_set(e, ERR_PROTOCOL, "message %s before SETUP", wire_name(m->type));
	if (m->type == WIRE_TYPE_SETUP && p->space)
		return err_set(e, ERR_PROTOCOL, "SETUP twice");
	switch ((int)m->type) {
	case WIRE_TYPE_SETUP:
		return do_setup(p, &m->u.setup, e);
	case WIRE_TYPE_LAYOUT:
		return do_layout(p, &m->u.layout, e);
	case WIRE_TYPE_MAP:
		return m->u.map.file.n ? map_file(p, &m->u.map, e) : do_map(p, &m->u.map, fd, e);
	case WIRE_TYPE_FILL:
		return do_fill(p, &m->u.fill, e);
	case WIRE_TYPE_CALLS:
		return do_calls(p, &m->u.calls, e);
	case WIRE_TYPE_COUNTERS:
		return do_counters(p, e);
	case WIRE_TYPE_MODE:
		return do_mode(p, e);
	default:
		return err_set(e, ERR_PROTOCOL, "message %s is not for a worker", wire_name(m->type));
	}
}

static int serve(struct probe *p)
{
	struct err e = {ERR_NONE, ""};
	for (;;) {
		struct wire_message m;
		int fd;
		enum link_result r = link_receive(&p->link, &m, &fd, 0, &e);
		bool ok = r == LINK_OK && m.type != WIRE_TYPE_BYE && handle(p, &m, fd, &e);
		if (fd >= 0)
			close(fd);
		if (r == LINK_CLOSED || (r == LINK_OK && m.type == WIRE_TYPE_BYE))
			return 0;
		if (!ok) {
			fprintf(stderr, "assay worker: %s\n", e.text);
			return 4;
		}
	}
}

static int run(struct probe *p, int link_fd, const char *job)
{
	struct err e = {ERR_NONE, ""};
	if (job) {
		int fd = open(job, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			fprintf(stderr, "assay worker: %s cannot be opened\n", job);
			return 2;
		}
		link_init_file(&p->link, fd, "job");
	} else {
		link_init(&p->link, link_fd, "parent");
		fcntl(link_fd, F_SETFD, FD_CLOEXEC);
	}
	struct wire_message hello = {.type = WIRE_TYPE_HELLO};
	hello.u.hello.version = WIRE_VERSION;
	hello.u.hello.role = STR("worker");
	hello.u.hello.pid = (uint64_t)getpid();
	if (!answer(p, &hello, &e)) {
		fprintf(stderr, "assay worker: %s\n", e.text);
		return 4;
	}
	return serve(p);
}

int probe_main(int link_fd, int seal_fd, const char *job)
{
	struct probe p = {.seal_fd = seal_fd};
	int status = run(&p, link_fd, job);
	fflush(NULL);
	_exit(status); /* the candidate's atexit handlers are not wanted */
}

int assay_probe_serve(int link_fd, int seal_fd, const char *job, const struct probe_guest *guest)
{
	struct probe p = {.seal_fd = seal_fd, .guest = guest};
	return run(&p, link_fd, job);
}
