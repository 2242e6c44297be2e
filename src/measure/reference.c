/* The reference's outputs in the lab's expected regions: in the lab for a native reference of the same device, in a second
 * lab on the CPU for a C reference of a GPU kernel (the generators agree bit for bit), in memory files for Python.
 * In: a reference file and a lab with a case. Out: expected outputs, from the cache where they are there.
 * Never: lets a candidate's worker map an expected region. */
#include "measure/reference.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "gpu/values.h"
#include "measure/python.h"
#include "measure/reference_inside.h"
#include "run/keeper.h"
#include "store/cache.h"

static const uint64_t REFERENCE_MAX_CACHE = UINT64_C(1) << 30, REFERENCE_MAX_AHEAD = UINT64_C(1) << 30;

/* The public sets of case 0 are timed too, where that is wanted. */
static size_t n_timed(const struct fill_job *j)
{
	return j->i_case == 0 && j->sets[0] == 0 && !j->r->timing ? j->options->n_repeat : 0;
}

static bool fault_out(struct reference *r, const char *text)
{
	r->fault = text;
	return true;
}

static bool open_native(struct reference *out, struct arena *a, struct err *e)
{
	struct build_options b = {.source = out->path,
				  .language = out->kind == REFERENCE_CU    ? BUILD_CUDA
					      : out->kind == REFERENCE_CPP ? BUILD_CPP
									   : BUILD_C,
				  .entry = arena_strndup(a, out->op->entry.p, out->op->entry.n),
				  .sm = out->device->sm,
				  .nvcc = out->options->nvcc,
				  .folder = path_join(a, out->options->folder, "reference"),
				  .name = "reference"};
	if (!build_make(&out->built, a, &b, e))
		return false;
	json_set(out->facts, "build", artifact_json(a, &out->built));
	if (out->built.result != BUILD_OK)
		return fault_out(out, arena_printf(a, "the reference does not build: %s", out->built.message));
	return true;
}

static void identify(struct reference *out, struct arena *a)
{
	struct sha256 s;
	struct str facts;
	struct buf b;
	buf_init(&b);
	json_write(&b, out->facts, JSON_COMPACT);
	facts = arena_str(a, buf_view(&b));
	buf_release(&b);
	sha256_init(&s);
	sha256_str(&s, STR("assay/reference-v1"));
	sha256_str(&s, str_from(json_str(out->facts, "sha256", STR("")).p));
	sha256_str(&s, str_from(out->built.symbol ? out->built.sha256 : ""));
	sha256_str(&s, out->python ? facts : STR(""));
	sha256_hex(&s, out->identity);
}

bool reference_open(struct reference *out, struct arena *a, const struct operator* op, const struct lab_device *d,
		    const struct reference_options *o, struct err *e)
{
	*out = (struct reference){.op = op,
				  .device = d,
				  .options = o,
				  .kind = op->reference_kind,
				  .path = op->reference.path,
				  .facts = json_object(a)};
	out->ahead = ARENA_ARRAY(a, op->n_cases * LAB_SEEDS + 1, int);
	for (size_t i = 0; i < op->n_cases * LAB_SEEDS; i++)
		out->ahead[i] = -1;
	json_set_cstr(out->facts, "kind", reference_kind_name(out->kind));
	if (out->kind == REFERENCE_NONE)
		return true;
	json_set_cstr(out->facts, "path", out->path);
	json_set_cstr(out->facts, "sha256", op->reference.sha256);
	if (out->kind == REFERENCE_CU && !d->gpu)
		return fault_out(out, "a .cu reference needs a GPU, the candidate runs on the CPU");
	bool ok =
		out->kind == REFERENCE_PY ? python_identify(&out->python, out->facts, a, o, e) : open_native(out, a, e);
	if (ok)
		identify(out, a);
	return ok;
}

/* ---- running it: every way ends with the outputs in the job's memory files */

static bool move_outputs(struct lab *from, size_t region, int fd, struct err *e)
{
	const struct layout *y = lab_layout(from);
	for (size_t i = 0; i < y->n_tensors; i++) {
		if (layout_is_output(y, i) &&
		    !keeper_read(lab_keeper(from), region, y->tensors[i].offset, y->tensors[i].bytes, fd, e))
			return false;
	}
	return true;
}

struct native { /* the reference at work in a lab */
	struct fill_job *j;
	struct lab *lab;
	struct lab_worker *worker;
	struct lab_fault fault;
};

/* Sets j->sets[first ..], as many as there are slots. */
static enum ask_result run_sets(struct native *x, size_t first, size_t n, struct err *e)
{
	struct lab_put put[LAB_MAX_SLOTS];
	struct lab_rows rows;
	struct lab_batch b = {.n = n, .flags = WIRE_CALL_AS_IS};
	for (size_t i = 0; i < n; i++)
		put[i] = (struct lab_put){i, x->j->sets[first + i]};
	if (!lab_put(x->lab, put, n, LAB_PATTERN_A, e))
		return ASK_ERR;
	enum ask_result r = lab_run(x->lab, x->worker, &b, &rows, &x->fault, e);
	if (r == ASK_OK)
		x->j->r->call_ns = (double)rows.wall_ns / (double)n;
	for (size_t i = 0; r == ASK_OK && i < n; i++) {
		if (!move_outputs(x->lab, i, x->j->files[first + i], e))
			return ASK_ERR;
	}
	return r;
}

static enum ask_result time_native(struct native *x, struct err *e)
{
	struct fill_job *j = x->j;
	struct lab_rows rows;
	struct lab_batch many = {.n = j->options->n_warmup + j->options->n_repeat, .flags = WIRE_CALL_COLD};
	enum ask_result r = lab_run(x->lab, x->worker, &many, &rows, &x->fault, e);
	struct json *t = json_object(j->arena), *samples = json_set_array(t, "samples_ns");
	json_set_cstr(t, "source", "host_clock");
	json_set_cstr(t, "cache", "cold");
	for (size_t i = j->options->n_warmup; r == ASK_OK && i < rows.n; i++)
		json_push_f64(samples, rows.rows[i].wall_ns);
	j->r->timing = t;
	return r;
}

static bool run_in_lab(struct fill_job *j, struct lab *l, struct err *e)
{
	struct lab_subject s = {
		.name = "reference", .library = j->r->built.library, .symbol = j->r->built.symbol, .is_trusted = true};
	struct native x = {.j = j, .lab = l, .worker = lab_start(l, &s, "plain", e)};
	if (!x.worker)
		return false;
	enum ask_result r = lab_join(l, x.worker, &x.fault, e);
	for (size_t at = 0; r == ASK_OK && at < j->n;) {
		size_t n = j->n - at > lab_n_slots(l) ? lab_n_slots(l) : j->n - at;
		r = run_sets(&x, at, n, e);
		at += n;
	}
	if (r == ASK_OK && n_timed(j) > 0)
		r = time_native(&x, e);
	lab_end(l, x.worker);
	if (r == ASK_FAULT)
		j->r->fault = arena_printf(j->arena, "the reference failed: %s: %s", verdict_word(x.fault.verdict),
					   x.fault.text);
	return r != ASK_ERR;
}

static bool run_native(struct fill_job *j, struct err *e)
{
	bool same_device = (j->r->kind == REFERENCE_CU) == (j->device->gpu != NULL);
	if (same_device)
		return run_in_lab(j, j->lab, e) && lab_settle(j->lab, LAB_PATTERN_A, e);
	struct lab_device cpu = {.backend = "c", .name = "CPU"};
	struct lab_options o = {.program = j->options->program,
				.folder = path_join(j->arena, j->options->folder, "reference-cpu"),
				.call_timeout_ns = j->options->timeout_ns};
	if (!file_mkdirs(o.folder, 0700, e))
		return false;
	struct lab *host = lab_open(j->arena, j->op, &cpu, &o, e);
	if (host)
		lab_share_fresh(host, j->lab);
	bool ok = host && lab_case(host, j->i_case, e) && run_in_lab(j, host, e);
	lab_free(host);
	return ok;
}

bool reference_given(struct lab *l, const struct operator* op, const struct python_case *pc, size_t i_seed, int fd,
		     struct err *e)
{
	const struct layout *y = pc->layout;
	size_t bytes = (size_t)y->bytes;
	int data = lab_data_file(l, pc->i_case, i_seed);
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *from = data < 0 || p == MAP_FAILED ? NULL : mmap(NULL, bytes, PROT_READ, MAP_SHARED, data, 0);
	bool ok = p != MAP_FAILED && from != MAP_FAILED;
	if (!ok)
		err_errno(e, ERR_SYSTEM, errno, "mapping inputs of the reference");
	if (ok)
		memset(p, (int)(LAB_PATTERN_A & 255), bytes);
	for (size_t i = 0; ok && i < y->n_tensors; i++) {
		const struct wire_tensor *t = &y->tensors[i];
		struct value_source v = {.dtype = (enum dtype)t->dtype,
					 .fill = y->fills[i],
					 .seed = lab_seed(&op->cases[pc->i_case], i_seed),
					 .tensor = (uint32_t)i};
		if (!layout_is_input(y, i))
			continue;
		if (from)
			memcpy(p + t->offset, from + t->offset, (size_t)t->bytes);
		else
			value_fill(&v, 0, (size_t)t->bytes / dtype_bytes(v.dtype), p + t->offset);
	}
	if (p != MAP_FAILED)
		munmap(p, bytes);
	if (from && from != MAP_FAILED)
		munmap(from, bytes);
	return ok;
}

/* The cases that this process answers: the one asked for, then all before it, as far as they fit into memory. */
static bool gather_cases(struct fill_job *j, struct python_case *cases, size_t *n, struct err *e)
{
	struct reference *r = j->r;
	uint64_t bytes = 0;
	cases[(*n)++] = (struct python_case){lab_layout(j->lab), j->i_case, j->files, NULL};
	for (size_t i = j->i_case; i-- > 0;) {
		struct layout *y = ARENA_NEW(j->arena, struct layout);
		layout_make(y, j->arena, j->op, &j->op->cases[i]);
		bytes += LAB_SEEDS * y->bytes;
		if (bytes > REFERENCE_MAX_AHEAD)
			break;
		int *files = r->ahead + i * LAB_SEEDS;
		for (size_t s = 0; s < LAB_SEEDS; s++) {
			files[s] = file_memfd("expected", y->bytes, e);
			if (files[s] < 0)
				return false;
		}
		cases[*n] = (struct python_case){y, i, files, NULL};
		for (size_t s = 0; s < LAB_SEEDS; s++) {
			if (!reference_given(j->lab, j->op, &cases[*n], s, files[s], e))
				return false;
		}
		(*n)++;
	}
	return true;
}

/* Outputs that an earlier process has answered. */
static bool take_ahead(struct fill_job *j)
{
	int *files = j->r->ahead + j->i_case * LAB_SEEDS;
	if (files[0] < 0)
		return false;
	for (size_t s = 0; s < LAB_SEEDS; s++) {
		close(j->files[s]);
		j->files[s] = files[s];
		files[s] = -1;
	}
	return true;
}

static void drop_ahead(struct reference *r, size_t i_case)
{
	for (size_t s = 0; s < LAB_SEEDS; s++) {
		if (r->ahead[i_case * LAB_SEEDS + s] >= 0)
			close(r->ahead[i_case * LAB_SEEDS + s]);
		r->ahead[i_case * LAB_SEEDS + s] = -1;
	}
}

void reference_release(struct reference *r)
{
	for (size_t i = 0; r->ahead && i < r->op->n_cases; i++)
		drop_ahead(r, i);
}

static bool read_inputs(struct fill_job *j, struct err *e)
{
	for (size_t i = 0; i < j->n; i++) {
		size_t region = lab_expected_region(j->lab, j->sets[i]);
		if (!keeper_read(lab_keeper(j->lab), region, 0, lab_layout(j->lab)->bytes, j->files[i], e))
			return false;
	}
	return true;
}

/* Sets of case 0 that no earlier process can have answered. */
static bool run_python_fresh(struct fill_job *j, struct err *e)
{
	struct python_case one = {lab_layout(j->lab), j->i_case, j->files, NULL};
	struct python_job p = {.python = j->r->python,
			       .module = j->r->path,
			       .folder = j->options->folder,
			       .gpu = j->device->gpu,
			       .op = j->op,
			       .cases = &one,
			       .n_cases = 1,
			       .n_files = j->n,
			       .timeout_ns = j->options->timeout_ns};
	return read_inputs(j, e) && (python_run(&p, j->arena, &j->r->fault, e) || j->r->fault);
}

static bool run_python(struct fill_job *j, struct err *e)
{
	if (j->sets[0] != 0)
		return run_python_fresh(j, e);
	struct python_case *cases = ARENA_ARRAY(j->arena, j->op->n_cases + 1, struct python_case);
	size_t n_cases = 0;
	if (take_ahead(j)) {
		j->files_read = j->r->files_read;
		return true;
	}
	if (!read_inputs(j, e) || !gather_cases(j, cases, &n_cases, e))
		return false;
	struct python_job p = {.python = j->r->python,
			       .module = j->r->path,
			       .folder = j->options->folder,
			       .gpu = j->device->gpu,
			       .op = j->op,
			       .cases = cases,
			       .n_cases = n_cases,
			       .n_files = LAB_SEEDS,
			       .n_warmup = j->options->n_warmup,
			       .n_repeat = j->options->n_repeat,
			       .timeout_ns = j->options->timeout_ns};
	struct json *result = python_run(&p, j->arena, &j->r->fault, e);
	size_t n_done = result ? (size_t)json_i64(result, "n_done", 0) : 0;
	for (size_t i = n_done < 1 ? 1 : n_done; i < n_cases; i++)
		drop_ahead(j->r, cases[i].i_case);
	if (!result)
		return j->r->fault != NULL;
	static const char *const keys[] = {"arrays", "version", "device", "python"};
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		json_set(j->r->facts, keys[i], json_get(result, keys[i]));
	if (json_get(result, "atol"))
		j->r->flags |= REFERENCE_HAS_ATOL;
	if (json_get(result, "rtol"))
		j->r->flags |= REFERENCE_HAS_RTOL;
	j->r->atol = json_f64(result, "atol", 0);
	j->r->rtol = json_f64(result, "rtol", 0);
	if (json_get(result, "timing"))
		j->r->timing = json_get(result, "timing");
	j->r->files_read = j->files_read = reference_digest_files(j->arena, json_get(result, "files"));
	j->r->call_ns = json_f64(result, "call_ns", 0);
	return true;
}

/* ---- into the expected regions */

/* Exponent bits all set: infinity or NaN. float8_e4m3fn has no infinity, its NaN is all ones below the sign. */
#define COUNT_ODD(type, mask)                                                                                          \
	do {                                                                                                           \
		for (uint64_t i = 0; i < n; i++) {                                                                     \
			type x;                                                                                        \
			memcpy(&x, p + i * sizeof(x), sizeof(x));                                                      \
			odd += (x & (type)(mask)) == (type)(mask);                                                     \
		}                                                                                                      \
	} while (0)

static uint64_t n_not_finite(const char *p, uint64_t n, enum dtype t)
{
	uint64_t odd = 0;
	if (t == DTYPE_F64)
		COUNT_ODD(uint64_t, 0x7ff0000000000000);
	else if (t == DTYPE_F32)
		COUNT_ODD(uint32_t, 0x7f800000);
	else if (t == DTYPE_F16)
		COUNT_ODD(uint16_t, 0x7c00);
	else if (t == DTYPE_BF16)
		COUNT_ODD(uint16_t, 0x7f80);
	else if (t == DTYPE_F8E5M2)
		COUNT_ODD(uint8_t, 0x7c);
	else if (t == DTYPE_F8E4M3)
		COUNT_ODD(uint8_t, 0x7f);
	return odd;
}

static bool all_finite(const char *p, uint64_t bytes, enum dtype t, uint64_t *first)
{
	size_t size = dtype_bytes(t);
	if (n_not_finite(p, bytes / size, t) == 0)
		return true;
	*first = 0;
	while (isfinite(dtype_load(t, p + *first * size)))
		(*first)++;
	return false;
}

/* What is not finite in answer i of the job; NULL: nothing. False with err. */
static bool find_fault(struct fill_job *j, size_t i_set, const char **text, struct err *e)
{
	const struct layout *y = lab_layout(j->lab);
	char *p = mmap(NULL, (size_t)y->bytes, PROT_READ, MAP_SHARED, j->files[i_set], 0);
	if (p == MAP_FAILED)
		return err_errno(e, ERR_SYSTEM, errno, "mapping reference outputs");
	*text = NULL;
	for (size_t i = 0; i < y->n_tensors && !*text; i++) {
		uint64_t first = 0;
		const struct wire_tensor *t = &y->tensors[i];
		if (layout_is_output(y, i) && !all_finite(p + t->offset, t->bytes, (enum dtype)t->dtype, &first))
			*text = arena_printf(j->arena,
					     "the reference's own output '%.*s' is not finite at element %llu of case "
					     "'%.*s', data set %zu: the case is invalid",
					     STR_ARG(j->op->params[y->i_param[i]].name), (unsigned long long)first,
					     STR_ARG(j->op->cases[j->i_case].name), j->sets[i_set]);
	}
	munmap(p, (size_t)y->bytes);
	return true;
}

static bool store_answer(struct fill_job *j, size_t i_set, struct err *e)
{
	const struct layout *y = lab_layout(j->lab);
	size_t region = lab_expected_region(j->lab, j->sets[i_set]);
	for (size_t i = 0; i < y->n_tensors; i++) {
		if (layout_is_output(y, i) && !keeper_write(lab_keeper(j->lab), region, y->tensors[i].offset,
							    y->tensors[i].bytes, j->files[i_set], e))
			return false;
	}
	return true;
}

static bool store_expected(struct fill_job *j, struct err *e)
{
	for (size_t s = 0; s < j->n && !j->r->fault; s++) {
		if (!find_fault(j, s, &j->r->fault, e) || (!j->r->fault && !store_answer(j, s, e)))
			return false;
	}
	return true;
}

static bool fill_files(struct fill_job *j, struct err *e)
{
	struct err ignored;
	char key[SHA256_HEX];
	uint64_t most = j->options->max_cache_bytes ? j->options->max_cache_bytes : REFERENCE_MAX_CACHE;
	bool cacheable = !j->options->no_cache && LAB_SEEDS * reference_output_bytes(lab_layout(j->lab)) <= most;
	struct cache *c = cacheable ? cache_open("reference", 0, &ignored) : NULL;
	reference_cache_key(j, key);
	bool hit = c && reference_fetch(j, c, key), ok = true;
	json_set_bool(j->r->facts, "outputs_cached", hit);
	if (!hit) {
		ok = j->r->python ? run_python(j, e) : run_native(j, e);
		if (ok && c && key[0] && !j->r->fault)
			reference_keep(j, c, key);
	}
	cache_free(c);
	return ok;
}

static bool open_job(struct fill_job *j, struct reference *r, struct arena *a, struct lab *l, struct err *e)
{
	*j = (struct fill_job){.r = r,
			       .arena = a,
			       .lab = l,
			       .op = r->op,
			       .device = r->device,
			       .options = r->options,
			       .n = j->n,
			       .i_case = j->i_case};
	for (size_t s = 0; s < j->n; s++)
		j->files[s] = -1;
	for (size_t s = 0; s < j->n; s++) {
		j->files[s] = file_memfd("expected", lab_layout(l)->bytes, e);
		if (j->files[s] < 0)
			return false;
	}
	return true;
}

static void close_job(struct fill_job *j)
{
	for (size_t s = 0; s < j->n; s++) {
		if (j->files[s] >= 0)
			close(j->files[s]);
	}
}

bool reference_fill(struct reference *r, struct arena *a, struct lab *l, size_t i_case, struct err *e)
{
	struct fill_job j = {.n = LAB_SEEDS, .i_case = i_case};
	bool ok = open_job(&j, r, a, l, e);
	for (size_t i = 0; i < j.n; i++)
		j.sets[i] = i;
	ok = ok && fill_files(&j, e) && store_expected(&j, e);
	if (ok && !r->fault)
		lab_set_filled(l);
	close_job(&j);
	return ok;
}

bool reference_fresh(struct reference *r, struct arena *a, struct lab *l, const struct reference_captures *c,
		     struct err *e)
{
	struct fill_job j = {.n = c->n};
	bool ok = open_job(&j, r, a, l, e) && lab_expect_fresh(l, c->i_capture, c->n, e);
	for (size_t i = 0; i < j.n; i++)
		j.sets[i] = LAB_SEEDS + c->i_capture[i];
	bool is_wanted = r->kind != REFERENCE_NONE;
	if (ok && is_wanted)
		ok = r->python ? run_python(&j, e) : run_native(&j, e);
	for (size_t i = 0; !is_wanted && i < j.n; i++)
		c->is_valid[i] = true; /* its inputs */
	for (size_t i = 0; is_wanted && ok && !r->fault && i < j.n; i++) {
		const char *odd = NULL;
		ok = find_fault(&j, i, &odd, e) && store_answer(&j, i, e);
		c->is_valid[i] = odd == NULL;
	}
	close_job(&j);
	return ok;
}
