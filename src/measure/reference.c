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
#include "run/keeper.h"
#include "store/cache.h"

static const uint64_t REFERENCE_MAX_CACHE = UINT64_C(1) << 30, REFERENCE_MAX_AHEAD = UINT64_C(1) << 30;

struct fill_job { /* one reference_fill */
	struct reference *r;
	struct arena *arena;
	struct lab *lab;
	const struct operator* op;
	const struct lab_device *device;
	const struct reference_options *options;
	size_t i_case;
	int files[LAB_SEEDS];    /* memory files laid out like a region */
	struct json *files_read; /* a Python reference: what it opened, with digests */
};

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
	bool ok = out->kind == REFERENCE_PY ? python_identify(&out->python, out->facts, a, o->python, e)
					    : open_native(out, a, e);
	if (ok)
		identify(out, a);
	return ok;
}

/* ---- running it: every way ends with the outputs in the job's memory files */

static bool move_outputs(struct fill_job *j, struct lab *from, size_t region, int fd, struct err *e)
{
	const struct layout *y = lab_layout(from);
	for (size_t i = 0; i < y->n_tensors; i++) {
		if (layout_is_output(y, i) &&
		    !keeper_read(lab_keeper(from), region, y->tensors[i].offset, y->tensors[i].bytes, fd, e))
			return false;
	}
	(void)j;
	return true;
}

static bool run_in_lab(struct fill_job *j, struct lab *l, struct err *e)
{
	struct lab_subject s = {
		.name = "reference", .library = j->r->built.library, .symbol = j->r->built.symbol, .is_trusted = true};
	struct lab_fault fault;
	struct lab_rows rows;
	struct lab_batch one = {.n = LAB_SEEDS};
	struct lab_worker *w = lab_start(l, &s, "plain", e);
	if (!w)
		return false;
	enum ask_result r = lab_join(l, w, &fault, e);
	if (r == ASK_OK)
		r = lab_run(l, w, &one, &rows, &fault, e);
	bool timed = r == ASK_OK && j->i_case == 0 && j->options->n_repeat && !j->r->timing;
	struct lab_batch many = {.n = j->options->n_warmup + j->options->n_repeat, .flags = WIRE_CALL_COLD};
	if (r == ASK_OK)
		for (size_t i = 0; i < LAB_SEEDS; i++)
			if (!move_outputs(j, l, i, j->files[i], e))
				r = ASK_ERR;
	if (r == ASK_OK && timed) {
		r = lab_run(l, w, &many, &rows, &fault, e);
		struct json *t = json_object(j->arena), *samples = json_set_array(t, "samples_ns");
		json_set_cstr(t, "source", "host_clock");
		json_set_cstr(t, "cache", "cold");
		for (size_t i = j->options->n_warmup; r == ASK_OK && i < rows.n; i++)
			json_push_f64(samples, rows.rows[i].wall_ns);
		j->r->timing = t;
	}
	lab_end(l, w);
	if (r == ASK_FAULT)
		j->r->fault =
			arena_printf(j->arena, "the reference failed: %s: %s", verdict_word(fault.verdict), fault.text);
	return r != ASK_ERR;
}

static bool run_native(struct fill_job *j, struct err *e)
{
	bool same_device = (j->r->kind == REFERENCE_CU) == (j->device->gpu != NULL);
	if (same_device) {
		if (!run_in_lab(j, j->lab, e))
			return false;
		for (size_t i = 0; i < lab_n_slots(j->lab); i++) {
			if (!lab_refresh(j->lab, i, LAB_PATTERN_A, e))
				return false;
		}
		return true;
	}
	struct lab_device cpu = {.backend = "c", .name = "CPU"};
	struct lab_options o = {.program = j->options->program,
				.folder = path_join(j->arena, j->options->folder, "reference-cpu"),
				.call_timeout_ns = j->options->timeout_ns};
	if (!file_mkdirs(o.folder, 0700, e))
		return false;
	struct lab *host = lab_open(j->arena, j->op, &cpu, &o, e);
	bool ok = host && lab_case(host, j->i_case, e) && run_in_lab(j, host, e);
	lab_free(host);
	return ok;
}

/* [{"path","sha256"}]: what the module read beside itself. */
static struct json *digest_files(struct arena *a, const struct json *paths)
{
	struct json *list = json_array(a);
	for (size_t i = 0; paths && i < paths->n; i++) {
		char digest[SHA256_HEX];
		struct err gone;
		struct json *x = json_object(a);
		const char *path = arena_strndup(a, paths->items[i]->text.p, paths->items[i]->text.n);
		json_set_cstr(x, "path", path);
		json_set_cstr(x, "sha256", sha256_file(path, digest, &gone) ? digest : "gone");
		json_push(list, x);
	}
	return list;
}

static bool files_hold(struct arena *a, const struct json *list)
{
	for (size_t i = 0; list && i < list->n; i++) {
		char digest[SHA256_HEX];
		struct err gone;
		struct str path = json_str(list->items[i], "path", STR(""));
		if (!sha256_file(arena_strndup(a, path.p, path.n), digest, &gone) ||
		    !str_is(json_str(list->items[i], "sha256", STR("")), digest))
			return false;
	}
	return true;
}

/* The region of a case that is not laid out in the lab: the same values, made on the host, outputs poisoned. */
static bool fill_ahead(struct fill_job *j, const struct python_case *pc, size_t i_seed, struct err *e)
{
	const struct layout *y = pc->layout;
	size_t bytes = (size_t)y->bytes;
	int data = lab_data_file(j->lab, pc->i_case, i_seed);
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, pc->files[i_seed], 0);
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
					 .seed = lab_seed(&j->op->cases[pc->i_case], i_seed),
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
	cases[(*n)++] = (struct python_case){lab_layout(j->lab), j->i_case, j->files};
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
		cases[*n] = (struct python_case){y, i, files};
		for (size_t s = 0; s < LAB_SEEDS; s++) {
			if (!fill_ahead(j, &cases[*n], s, e))
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

static bool run_python(struct fill_job *j, struct err *e)
{
	const struct layout *y = lab_layout(j->lab);
	struct python_case *cases = ARENA_ARRAY(j->arena, j->op->n_cases + 1, struct python_case);
	size_t n_cases = 0;
	if (take_ahead(j)) {
		j->files_read = j->r->files_read;
		return true;
	}
	for (size_t i = 0; i < LAB_SEEDS; i++) {
		if (!keeper_read(lab_keeper(j->lab), lab_expected_region(j->lab, i), 0, y->bytes, j->files[i], e))
			return false;
	}
	if (!gather_cases(j, cases, &n_cases, e))
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
	j->r->files_read = j->files_read = digest_files(j->arena, json_get(result, "files"));
	return true;
}

/* ---- cache */

static void cache_key(const struct fill_job *j, char key[SHA256_HEX])
{
	struct sha256 s;
	const struct layout *y = lab_layout(j->lab);
	const struct op_case *c = &j->op->cases[j->i_case];
	sha256_init(&s);
	sha256_str(&s, str_from(j->r->identity));
	if (*lab_data_digest(j->lab))
		sha256_str(&s, str_from(lab_data_digest(j->lab)));
	sha256_add(&s, y->tensors, y->n_tensors * sizeof(*y->tensors));
	sha256_add(&s, y->scalars, y->n_args * sizeof(*y->scalars));
	for (size_t i = 0; i < y->n_tensors; i++) {
		struct wire_fill f = layout_fill(y, i, c->seed);
		sha256_add(&s, &f, sizeof(f));
	}
	sha256_str(&s, str_from(j->r->python && j->device->gpu ? "gpu" : "cpu"));
	sha256_hex(&s, key);
}

static uint64_t output_bytes(const struct layout *y)
{
	uint64_t n = 0;
	for (size_t i = 0; i < y->n_tensors; i++)
		n += layout_is_output(y, i) ? y->tensors[i].bytes : 0;
	return n;
}

struct held { /* cached outputs being looked at */
	struct arena *arena;
	struct json *meta;
};

static bool files_are_same(void *ctx, const struct cache_entry *entry)
{
	struct held *h = ctx;
	struct err e;
	h->meta = json_read_file(h->arena, path_join(h->arena, entry->path, "meta.json"), JSON_STRICT, &e);
	return h->meta && files_hold(h->arena, json_get(h->meta, "files"));
}

/* A miss leaves the key for a new entry in `key`. */
static bool fetch(struct fill_job *j, struct cache *c, char key[SHA256_HEX])
{
	struct cache_entry entry;
	struct err e;
	const struct layout *y = lab_layout(j->lab);
	struct held h = {.arena = j->arena};
	struct cache_check check = {files_are_same, &h};
	char vacant[SHA256_HEX];
	if (!cache_get_checked(c, j->arena, key, &check, &entry, vacant)) {
		memcpy(key, vacant, SHA256_HEX);
		return false;
	}
	struct json *meta = h.meta;
	bool ok = true;
	for (size_t s = 0; ok && s < LAB_SEEDS; s++) {
		struct file_map m;
		const char *name = arena_printf(j->arena, "outputs%zu.bin", s);
		ok = file_map(&m, path_join(j->arena, entry.path, name), &e);
		if (!ok)
			break;
		ok = m.n == output_bytes(y);
		size_t at = 0;
		for (size_t i = 0; ok && i < y->n_tensors; i++) {
			if (!layout_is_output(y, i))
				continue;
			size_t n = (size_t)y->tensors[i].bytes;
			ok = pwrite(j->files[s], m.p + at, n, (off_t)y->tensors[i].offset) == (ssize_t)n;
			at += n;
		}
		file_unmap(&m);
	}
	cache_done(&entry);
	if (!ok)
		return false;
	struct json *facts = json_get(meta, "facts");
	for (size_t i = 0; facts && i < facts->n; i++)
		json_set(j->r->facts, arena_strndup(j->arena, facts->members[i].key.p, facts->members[i].key.n),
			 facts->members[i].value);
	if (json_get(meta, "atol"))
		j->r->flags |= REFERENCE_HAS_ATOL;
	if (json_get(meta, "rtol"))
		j->r->flags |= REFERENCE_HAS_RTOL;
	j->r->atol = json_f64(meta, "atol", 0);
	j->r->rtol = json_f64(meta, "rtol", 0);
	struct json *timing = json_get(meta, "timing");
	if (timing && timing->type == JSON_OBJECT && !j->r->timing) {
		j->r->timing = timing;
		json_set_bool(timing, "cached", true);
	}
	return true;
}

static bool write_outputs(struct fill_job *j, const char *folder, size_t s, struct err *e)
{
	const struct layout *y = lab_layout(j->lab);
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < y->n_tensors; i++) {
		if (!layout_is_output(y, i))
			continue;
		size_t n = (size_t)y->tensors[i].bytes;
		buf_reserve(&b, n);
		if (pread(j->files[s], b.p + b.n, n, (off_t)y->tensors[i].offset) != (ssize_t)n) {
			buf_release(&b);
			return err_errno(e, ERR_IO, errno, "reading reference outputs");
		}
		b.n += n;
	}
	bool ok = file_write_str(path_join(j->arena, folder, arena_printf(j->arena, "outputs%zu.bin", s)), buf_view(&b),
				 e);
	buf_release(&b);
	return ok;
}

/* A cache that cannot be written costs the next run its time, nothing else. */
static void keep(struct fill_job *j, struct cache *c, const char *key)
{
	struct cache_draft draft;
	struct err e;
	struct buf b;
	if (!cache_begin(c, j->arena, key, &draft, &e))
		return;
	struct json *meta = json_object(j->arena);
	json_set(meta, "facts", j->r->facts);
	json_set(meta, "files", j->files_read ? j->files_read : json_array(j->arena));
	if (j->r->flags & REFERENCE_HAS_ATOL)
		json_set_f64(meta, "atol", j->r->atol);
	if (j->r->flags & REFERENCE_HAS_RTOL)
		json_set_f64(meta, "rtol", j->r->rtol);
	json_set(meta, "timing", j->r->timing ? j->r->timing : json_new_null(j->arena));
	buf_init(&b);
	json_write(&b, meta, JSON_PRETTY);
	bool ok = file_write_str(path_join(j->arena, draft.path, "meta.json"), buf_view(&b), &e);
	buf_release(&b);
	for (size_t s = 0; ok && s < LAB_SEEDS; s++)
		ok = write_outputs(j, draft.path, s, &e);
	if (!ok || !cache_commit(c, &draft, &e))
		cache_abandon(&draft);
}

/* ---- into the expected regions */

static bool all_finite(const char *p, uint64_t bytes, enum dtype t, uint64_t *first)
{
	if (!dtype_is_float(t))
		return true;
	size_t size = dtype_bytes(t);
	for (uint64_t i = 0; i < bytes / size; i++) {
		if (!isfinite(dtype_load(t, p + i * size))) {
			*first = i;
			return false;
		}
	}
	return true;
}

static bool check_finite(struct fill_job *j, size_t s, struct err *e)
{
	const struct layout *y = lab_layout(j->lab);
	char *p = mmap(NULL, (size_t)y->bytes, PROT_READ, MAP_SHARED, j->files[s], 0);
	if (p == MAP_FAILED)
		return err_errno(e, ERR_SYSTEM, errno, "mapping reference outputs");
	for (size_t i = 0; i < y->n_tensors && !j->r->fault; i++) {
		uint64_t first = 0;
		const struct wire_tensor *t = &y->tensors[i];
		if (layout_is_output(y, i) && !all_finite(p + t->offset, t->bytes, (enum dtype)t->dtype, &first))
			j->r->fault =
				arena_printf(j->arena,
					     "the reference's own output '%.*s' is not finite at element %llu of case "
					     "'%.*s', data set %zu: the case is invalid",
					     STR_ARG(j->op->params[y->i_param[i]].name), (unsigned long long)first,
					     STR_ARG(j->op->cases[j->i_case].name), s);
	}
	munmap(p, (size_t)y->bytes);
	return true;
}

static bool store_expected(struct fill_job *j, struct err *e)
{
	const struct layout *y = lab_layout(j->lab);
	for (size_t s = 0; s < LAB_SEEDS && !j->r->fault; s++) {
		if (!check_finite(j, s, e))
			return false;
		for (size_t i = 0; i < y->n_tensors; i++) {
			if (layout_is_output(y, i) &&
			    !keeper_write(lab_keeper(j->lab), lab_expected_region(j->lab, s), y->tensors[i].offset,
					  y->tensors[i].bytes, j->files[s], e))
				return false;
		}
	}
	return true;
}

static bool fill_files(struct fill_job *j, struct err *e)
{
	struct err ignored;
	char key[SHA256_HEX];
	uint64_t most = j->options->max_cache_bytes ? j->options->max_cache_bytes : REFERENCE_MAX_CACHE;
	bool cacheable = !j->options->no_cache && LAB_SEEDS * output_bytes(lab_layout(j->lab)) <= most;
	struct cache *c = cacheable ? cache_open("reference", 0, &ignored) : NULL;
	cache_key(j, key);
	bool hit = c && fetch(j, c, key), ok = true;
	json_set_bool(j->r->facts, "outputs_cached", hit);
	if (!hit) {
		ok = j->r->python ? run_python(j, e) : run_native(j, e);
		if (ok && c && key[0] && !j->r->fault)
			keep(j, c, key);
	}
	cache_free(c);
	return ok;
}

bool reference_fill(struct reference *r, struct arena *a, struct lab *l, size_t i_case, struct err *e)
{
	struct fill_job j = {.r = r,
			     .arena = a,
			     .lab = l,
			     .op = r->op,
			     .device = r->device,
			     .options = r->options,
			     .i_case = i_case};
	bool ok = true;
	for (size_t s = 0; s < LAB_SEEDS; s++)
		j.files[s] = -1;
	for (size_t s = 0; ok && s < LAB_SEEDS; s++) {
		j.files[s] = file_memfd("expected", lab_layout(l)->bytes, e);
		ok = j.files[s] >= 0;
	}
	ok = ok && fill_files(&j, e) && store_expected(&j, e);
	if (ok && !r->fault)
		lab_set_filled(l);
	for (size_t s = 0; s < LAB_SEEDS; s++) {
		if (j.files[s] >= 0)
			close(j.files[s]);
	}
	return ok;
}
