/* The lab's memory: which data set lies in which slot, expected regions, captures, cases laid out.
 * In: cases, slots, data sets. Out: regions filled and poisoned by the keeper, known to the workers.
 * Public sets have seeds of the operator; fresh ones have seeds that are drawn when they are put somewhere.
 * Never: shows an expected region, a capture or a seed to a candidate's worker. */
#include "measure/lab_data.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "measure/lab_inside.h"
#include "run/watch.h"

enum { LAB_FEW_SLOTS = 4 }; /* captures are worth more than slots beyond these */

uint64_t lab_random(void)
{
	uint64_t x = 0;
	if (getrandom(&x, sizeof(x), 0) != (ssize_t)sizeof(x))
		BUG("the kernel gives no random bytes");
	return x;
}

void lab_close_slots(struct lab *l)
{
	for (size_t i = 0; i < LAB_MAX_SLOTS; i++) {
		if (l->slot_fds[i] >= 0)
			close(l->slot_fds[i]);
		l->slot_fds[i] = -1;
	}
}

size_t lab_n_slots(const struct lab *l)
{
	return l->n_slots;
}

size_t lab_expected_region(const struct lab *l, size_t set)
{
	if (set >= LAB_SEEDS)
		return LAB_FIRST_FRESH + set - LAB_SEEDS;
	return LAB_FIRST_EXPECTED + LAB_SEEDS * l->i_case + set;
}

bool lab_is_filled(const struct lab *l)
{
	return l->has_case && l->expected[l->i_case] == LAB_FILLED;
}

void lab_set_filled(struct lab *l)
{
	l->expected[l->i_case] = LAB_FILLED;
}

/* ---- data sets */

static uint64_t mix(uint64_t z) /* splitmix64's output function (Steele, Lea, Flood 2014) */
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t lab_set_seed(const struct lab *l, size_t set)
{
	if (set < LAB_SEEDS)
		return lab_seed(&l->op->cases[l->i_case], set);
	return l->capture_seed[set - LAB_SEEDS];
}

size_t lab_set_of(const struct lab *l, size_t slot)
{
	return l->slot_set[slot];
}

size_t lab_max_captures(const struct lab *l)
{
	return l->max_captures;
}

void lab_zero_outputs(struct lab *l)
{
	l->is_zeroing = true;
}

uint64_t lab_pattern(const struct lab *l, uint64_t wanted)
{
	return l->is_zeroing ? 0 : wanted;
}

/* Values that setup() gave, from its files. */
static bool write_files(struct lab *l, const struct wire_region_seed *r, size_t set, uint64_t pattern, struct err *e)
{
	if (set >= LAB_SEEDS)
		BUG("a data set that setup() did not give");
	int fd = lab_data_file(l, l->i_case, set);
	for (size_t i = 0; i < l->layout.n_tensors; i++) {
		const struct wire_tensor *t = &l->layout.tensors[i];
		if (layout_is_input(&l->layout, i) &&
		    !keeper_write(l->keeper, (size_t)r->region, t->offset, t->bytes, fd, e))
			return false;
	}
	return keeper_poison(l->keeper, (size_t)r->region, pattern, 1, e);
}

static bool fill(struct lab *l, const struct wire_region_seed *r, size_t set, uint64_t pattern, struct err *e)
{
	return l->options.data_files ? write_files(l, r, set, pattern, e)
				     : keeper_refresh(l->keeper, r, 1, l->fills, pattern, e);
}

bool lab_can_refresh(const struct lab *l)
{
	return !l->options.data_files;
}

bool lab_put(struct lab *l, const struct lab_put *what, size_t n, uint64_t pattern, struct err *e)
{
	struct wire_region_seed r[LAB_MAX_SLOTS];
	if (n > LAB_MAX_SLOTS)
		BUG("more slots than there are");
	for (size_t i = 0; i < n; i++) {
		bool is_fresh = what[i].set == LAB_FRESH;
		uint64_t seed =
			is_fresh ? mix(l->secret + 0x9e3779b97f4a7c15u * ++l->n_fresh) : lab_set_seed(l, what[i].set);
		l->slot_set[what[i].slot] = what[i].set;
		l->slot_seed[what[i].slot] = seed;
		r[i] = (struct wire_region_seed){what[i].slot, seed};
	}
	if (lab_can_refresh(l))
		return keeper_refresh(l->keeper, r, n, l->fills, lab_pattern(l, pattern), e);
	for (size_t i = 0; i < n; i++) {
		if (!write_files(l, &r[i], what[i].set, lab_pattern(l, pattern), e))
			return false;
	}
	return true;
}

bool lab_refresh(struct lab *l, size_t slot, uint64_t pattern, struct err *e)
{
	return lab_put(l, &(struct lab_put){slot, slot % LAB_SEEDS}, 1, pattern, e);
}

bool lab_settle(struct lab *l, uint64_t pattern, struct err *e)
{
	struct lab_put all[LAB_MAX_SLOTS];
	for (size_t i = 0; i < l->n_slots; i++)
		all[i] = (struct lab_put){i, i % LAB_SEEDS};
	return lab_put(l, all, l->n_slots, pattern, e);
}

static bool fill_expected(struct lab *l, size_t set, struct err *e)
{
	struct wire_region_seed r = {lab_expected_region(l, set), lab_set_seed(l, set)};
	return fill(l, &r, set, LAB_PATTERN_A, e);
}

bool lab_capture(struct lab *l, const struct lab_capture *what, size_t n, struct err *e)
{
	struct wire_pair pairs[LAB_MAX_CAPTURES];
	if (n > LAB_MAX_CAPTURES)
		BUG("more captures than there are");
	for (size_t i = 0; i < n; i++) {
		size_t k = what[i].i_capture;
		if (!l->has_capture[k] && !keeper_alloc(l->keeper, lab_capture_region(k), NULL, e))
			return false;
		l->has_capture[k] = true;
		l->capture_seed[k] = l->slot_seed[what[i].slot];
		pairs[i] = (struct wire_pair){what[i].slot, lab_capture_region(k)};
	}
	return keeper_copy(l->keeper, pairs, n, e);
}

bool lab_expect_fresh(struct lab *l, const size_t *i_capture, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (!keeper_alloc(l->keeper, lab_expected_region(l, LAB_SEEDS + i_capture[i]), NULL, e) ||
		    !fill_expected(l, LAB_SEEDS + i_capture[i], e))
			return false;
	}
	return true;
}

size_t lab_capture_region(size_t i_capture)
{
	return LAB_FIRST_CAPTURE + i_capture;
}

void lab_share_fresh(struct lab *to, const struct lab *from)
{
	memcpy(to->capture_seed, from->capture_seed, sizeof(to->capture_seed));
}

/* ---- cases */

/* What the memory limit leaves of the wanted slots and captures. A capture takes two regions: it and its answer. */
static void fit(struct lab *l)
{
	size_t n = l->i_case == 0 ? l->options.n_slots : LAB_SEEDS;
	size_t captures = l->i_case == 0 && lab_can_refresh(l) ? l->options.n_captures : 0;
	uint64_t most = l->options.memory_bytes ? l->options.memory_bytes : UINT64_MAX;
	n = n > LAB_MAX_SLOTS ? LAB_MAX_SLOTS : n < LAB_SEEDS ? LAB_SEEDS : n;
	captures = captures > LAB_MAX_CAPTURES ? LAB_MAX_CAPTURES : captures;
	while ((n > LAB_SEEDS || captures > 1) && (n + 2 * captures + LAB_SEEDS) * l->layout.bytes > most) {
		if (n > LAB_FEW_SLOTS || captures <= 1)
			n--;
		else
			captures--;
	}
	l->n_slots = n;
	l->max_captures = captures;
}

struct wire_layout lab_wire_layout(const struct layout *y, size_t number)
{
	return (struct wire_layout){
		.i_case = number,
		.bytes = y->bytes,
		.tensors = {(const char *)y->tensors, y->n_tensors * sizeof(*y->tensors)},
		.scalars = {(const char *)y->scalars, y->n_args * sizeof(*y->scalars)},
	};
}

enum ask_result lab_ask(struct lab *l, struct lab_worker *w, const struct lab_question *x, struct wire_message *answer,
			struct err *e)
{
	struct worker_question q = {
		.message = x->m, .fd = x->fd, .expect = x->expect, .timeout_ns = l->options.call_timeout_ns};
	return worker_ask(w->process, &q, answer, e);
}

static bool is_staged(const struct lab *l)
{
	return strcmp(keeper_memory(l->keeper), "staged") == 0;
}

static enum ask_result map_slot(struct lab *l, struct lab_worker *w, size_t slot, int fd, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_MAP}, answer;
	m.u.map = (struct wire_map){.slot = slot, .bytes = l->layout.bytes, .staged = is_staged(l)};
	return lab_ask(l, w, &(struct lab_question){&m, fd, WIRE_TYPE_OK}, &answer, e);
}

enum ask_result lab_give_case(struct lab *l, struct lab_worker *w, struct err *e)
{
	struct wire_message m = {.type = WIRE_TYPE_LAYOUT}, answer;
	m.u.layout = lab_wire_layout(&l->layout, l->i_case);
	enum ask_result r = lab_ask(l, w, &(struct lab_question){&m, -1, WIRE_TYPE_OK}, &answer, e);
	for (size_t i = 0; r == ASK_OK && i < l->n_slots; i++)
		r = map_slot(l, w, i, l->slot_fds[i], e);
	return r;
}

/* Host memory is only taken when it is written to: without this look a case that is too large ends in the kernel's
 * choice of a process to kill. */
static bool check_memory(const struct lab *l, struct err *e)
{
	uint64_t n = l->n_slots + LAB_SEEDS + 2 * l->max_captures, available = watch_memory_available();
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

static bool drop_captures(struct lab *l, struct err *e)
{
	for (size_t i = 0; i < LAB_MAX_CAPTURES; i++) {
		if (l->has_capture[i] && (!keeper_drop(l->keeper, lab_capture_region(i), e) ||
					  !keeper_drop(l->keeper, lab_expected_region(l, LAB_SEEDS + i), e)))
			return false;
		l->has_capture[i] = false;
	}
	return true;
}

/* Gives back what the case before needs no more: its slots, its captures unless it is laid out again, its answers where
 * they are not to be kept. */
static bool leave_case(struct lab *l, size_t i_next, struct err *e)
{
	lab_close_slots(l);
	if (!l->has_case)
		return true;
	for (size_t i = 0; i < l->n_slots; i++) {
		if (!keeper_drop(l->keeper, i, e))
			return false;
	}
	if (i_next != l->i_case && !drop_captures(l, e))
		return false;
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
		if (!keeper_alloc(l->keeper, lab_expected_region(l, i), NULL, e) || !fill_expected(l, i, e))
			return false;
	}
	l->expected[l->i_case] = LAB_LAID_OUT;
	l->kept_bytes += LAB_SEEDS * l->layout.bytes;
	return true;
}

struct str lab_refills(struct lab *l, const struct layout *y)
{
	struct wire_refill *f = ARENA_ARRAY(l->arena, y->n_tensors, struct wire_refill);
	for (size_t i = 0; i < y->n_tensors; i++) {
		struct wire_fill one = layout_fill(y, i, 0);
		f[i] = (struct wire_refill){layout_is_input(y, i), one.dtype, one.kind, one.lo, one.hi};
	}
	return (struct str){(const char *)f, y->n_tensors * sizeof(*f)};
}

static bool tell_workers(struct lab *l, struct err *e)
{
	for (size_t i = 0; i < LAB_MAX_WORKERS; i++) {
		struct lab_worker *w = l->workers[i];
		if (!w || !w->is_ready || !worker_is_alive(w->process))
			continue;
		enum ask_result r = lab_give_case(l, w, e);
		const struct worker_fault *f = worker_fault(w->process);
		if (r == ASK_FAULT && f->is_said && !*f->word) /* one that died says so when it is asked to run */
			return err_set(e, ERR_ENVIRONMENT, "%s worker (%s): %s", w->subject->name, w->mode, f->text);
		if (r == ASK_ERR)
			return false;
	}
	return true;
}

bool lab_case(struct lab *l, size_t i_case, struct err *e)
{
	if (!leave_case(l, i_case, e))
		return false;
	layout_make(&l->layout, l->arena, l->op, &l->op->cases[i_case]);
	l->i_case = i_case;
	l->fills = lab_refills(l, &l->layout);
	fit(l);
	l->has_case = true;
	struct wire_layout wire = lab_wire_layout(&l->layout, i_case);
	if (!keeper_layout(l->keeper, &wire, e) || !check_memory(l, e) || !make_expected(l, e))
		return false;
	for (size_t i = 0; i < l->n_slots; i++) {
		if (!keeper_alloc(l->keeper, i, &l->slot_fds[i], e))
			return false;
	}
	return lab_settle(l, LAB_PATTERN_A, e) && tell_workers(l, e);
}

bool lab_turn(struct lab *l, const struct operator* op, const int *files, const char *const *digests, struct err *e)
{
	lab_close_slots(l);
	for (size_t i = 0; l->has_case && i < l->n_slots; i++) {
		if (!keeper_drop(l->keeper, i, e))
			return false;
	}
	if (!drop_captures(l, e))
		return false;
	for (l->i_case = 0; l->i_case < l->op->n_cases; l->i_case++) {
		for (size_t i = 0; l->expected[l->i_case] != LAB_ABSENT && i < LAB_SEEDS; i++) {
			if (!keeper_drop(l->keeper, lab_expected_region(l, i), e))
				return false;
		}
		l->expected[l->i_case] = LAB_ABSENT;
	}
	l->op = op;
	l->options.data_files = files;
	l->options.data_digests = digests;
	l->options.n_slots = LAB_SEEDS;
	l->options.n_captures = 0;
	l->i_case = l->kept_bytes = 0;
	l->has_case = false;
	return true;
}

enum ask_result lab_move_slot(struct lab *l, struct lab_worker *w, size_t slot, struct lab_fault *fault, struct err *e)
{
	struct lab_put put = {slot, l->slot_set[slot]};
	int fd = -1;
	if (!keeper_alloc(l->keeper, slot, &fd, e))
		return ASK_ERR;
	close(l->slot_fds[slot]);
	l->slot_fds[slot] = fd;
	if (!lab_put(l, &put, 1, LAB_PATTERN_A, e))
		return ASK_ERR;
	return lab_judge(l, w, map_slot(l, w, slot, fd, e), fault, e);
}
