/* A reference written in Python.
 * In: a module and memory files. Out: outputs in those files, and what the script found.
 * The script is embedded and passed with -c; job and result travel in memory files, so that prints cannot disturb them.
 * Never: runs candidate code. */
#include "measure/python.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "measure/reference.h"
#include "run/guest.h"

extern const char reference_script[];

bool python_identify(const char **out, struct json *facts, struct arena *a, const struct reference_options *o,
		     struct err *e)
{
	struct guest asked;
	const struct guest *g = o->guest;
	if (!g && !guest_identify(&asked, a, o->python, e))
		return false;
	g = g ? g : &asked;
	json_set_cstr(facts, "interpreter", g->python);
	json_set(facts, "installed", json_get(g->facts, "installed"));
	*out = g->python;
	return true;
}

static void add_tensors(struct json *job, const struct operator* op, const struct python_case *pc, struct arena *a)
{
	struct json *tensors = json_set_array(job, "tensors"), *scalars = json_set_object(job, "scalars");
	const struct op_case *c = &op->cases[pc->i_case];
	size_t i_tensor = 0;
	for (size_t i = 0; i < op->n_params; i++) {
		const struct param *p = &op->params[i];
		const char *name = arena_strndup(a, p->name.p, p->name.n);
		if (!param_is_tensor(p)) {
			double v = dtype_load(p->dtype, &c->args[i].bits);
			json_set(scalars, name,
				 dtype_is_float(p->dtype) ? json_new_f64(a, v)
				 : p->dtype == DTYPE_BOOL ? json_new_bool(a, v != 0)
							  : json_new_i64(a, (int64_t)v));
			continue;
		}
		const struct wire_tensor *t = &pc->layout->tensors[i_tensor];
		struct json *x = json_object(a);
		json_set_cstr(x, "name", name);
		json_set_cstr(x, "dtype", dtype_name(p->dtype));
		json_set_i64(x, "n", c->args[i].n_elements);
		json_set_u64(x, "offset", t->offset);
		if (op->linkage == LINKAGE_PYTHON || op->data == DATA_SETUP) { /* the tensors have their shapes */
			struct json *shape = json_set_array(x, "shape");
			for (size_t d = 0; d < c->args[i].n_dims; d++)
				json_push_i64(shape, c->args[i].shape[d]);
		}
		json_set_bool(x, "returned", (p->flags & PARAM_RETURNED) != 0);
		json_set_bool(x, "is_output", layout_is_output(pc->layout, i_tensor));
		json_push(tensors, x);
		i_tensor++;
	}
}

static struct json *case_json(const struct python_job *j, const struct python_case *pc, struct arena *a)
{
	struct json *x = json_object(a), *regions = json_set_array(x, "regions");
	json_set_u64(x, "bytes", pc->layout->bytes);
	json_set_u64(x, "repeat", pc->i_case == 0 ? j->n_repeat : 0);
	for (size_t i = 0; i < j->n_files; i++)
		json_push_i64(regions, pc->files[i]);
	struct json *answers = pc->answers ? json_set_array(x, "answers") : NULL;
	for (size_t i = 0; answers && i < j->n_files; i++)
		json_push_i64(answers, pc->answers[i]);
	add_tensors(x, j->op, pc, a);
	return x;
}

static bool write_job(const struct python_job *j, struct arena *a, int fd, struct err *e)
{
	struct json *job = json_object(a), *cases = json_set_array(job, "cases");
	struct buf text;
	json_set_cstr(job, "module", j->module);
	json_set_cstr(job, "like", backend_is_python(j->op->backend) ? j->op->kernel.path : NULL);
	json_set_bool(job, "want_gpu", j->gpu != NULL);
	json_set_u64(job, "warmup", j->n_warmup);
	json_set_u64(job, "flush_bytes", UINT64_C(256) << 20);
	for (size_t i = 0; i < j->n_cases; i++)
		json_push(cases, case_json(j, &j->cases[i], a));
	buf_init(&text);
	json_write(&text, job, JSON_COMPACT);
	bool ok = file_write_all(fd, text.p, text.n, "the reference's job", e);
	buf_release(&text);
	if (ok && lseek(fd, 0, SEEK_SET) != 0)
		ok = err_errno(e, ERR_IO, errno, "the reference's job");
	return ok;
}

static struct json *read_result(struct arena *a, int fd)
{
	struct err bad;
	off_t n = lseek(fd, 0, SEEK_END);
	if (n <= 0 || n > (16 << 20))
		return NULL;
	char *p = arena_alloc(a, (size_t)n + 1);
	if (pread(fd, p, (size_t)n, 0) != (ssize_t)n)
		return NULL;
	return json_parse(a, "reference", (struct str){p, (size_t)n}, JSON_ALLOW_NAN, &bad);
}

static struct json *judge(const struct python_job *j, struct arena *a, const struct proc_result *r, int fd,
			  const char **fault)
{
	struct json *result = read_result(a, fd);
	if (result && (json_bool(result, "ok", false) || json_i64(result, "n_done", 0) > 0))
		return result; /* a later case that failed is asked for again by itself */
	struct str why = json_str(result, "error", STR(""));
	int64_t line = json_i64(result, "line", 0);
	if (why.n && line)
		*fault = arena_printf(a, "%s:%lld: reference failed: %.*s", j->module, (long long)line, STR_ARG(why));
	else if (why.n)
		*fault = arena_printf(a, "%s: reference failed: %.*s", j->module, STR_ARG(why));
	else
		*fault = arena_printf(a, "%s: the reference process ended without an answer: %s", j->module,
				      proc_describe(a, r));
	return NULL;
}

struct json *python_run(const struct python_job *j, struct arena *a, const char **fault, struct err *e)
{
	int job = file_memfd("job", 0, e), result = job < 0 ? -1 : file_memfd("result", 0, e);
	struct json *out = NULL;
	size_t n = 0;
	int *fds = ARENA_ARRAY(a, 2 * j->n_cases * j->n_files + 2, int);
	if (result < 0 || !write_job(j, a, job, e))
		goto out;
	fds[n++] = job;
	fds[n++] = result;
	for (size_t i = 0; i < j->n_cases; i++) {
		memcpy(fds + n, j->cases[i].files, j->n_files * sizeof(*fds));
		n += j->n_files;
		if (!j->cases[i].answers)
			continue;
		memcpy(fds + n, j->cases[i].answers, j->n_files * sizeof(*fds));
		n += j->n_files;
	}
	const char *argv[] = {
		j->python, "-c", reference_script, arena_printf(a, "%d", job), arena_printf(a, "%d", result), NULL};
	struct proc_options o = {
		.argv = argv, .timeout_ns = j->timeout_ns, .flags = PROC_PDEATHSIG, .pass_fds = fds, .n_pass_fds = n};
	struct proc_result r;
	bool ok = proc_run(&r, &o, e);
	if (ok && r.interrupted)
		err_set(e, ERR_INTERRUPTED, "interrupted while the reference ran");
	else if (ok)
		out = judge(j, a, &r, result, fault);
	proc_result_release(&r);
out:
	if (job >= 0)
		close(job);
	if (result >= 0)
		close(result);
	return out;
}
