/* compute-sanitizer over our own runner: a tool ends with the first case in which it finds an error.
 * In: a built version, the tools that are wanted. Out: errors, their places, whether the binary has what a tool looks at.
 * Findings in kernels of ours and of calls of the API (often an echo) are listed and count for nothing.
 * Never: says that a tool passed when it came to no end. */
#include "collect/sanitize.h"

#include "base/file.h"
#include "base/proc.h"
#include "base/progress.h"
#include "base/shell.h"
#include "build/tool.h"
#include "collect/said.h"
#include "collect/sass.h"
#include "run/job.h"
#include "run/job_command.h"
#include "run/sandbox_env.h"
#include "store/object.h"

enum { SANITIZE_LOG_MAX = 64 << 20, SANITIZE_OPCODES = 8 };

struct work {
	struct arena *a;
	const struct sanitize_collect *o;
	const char *version;
	struct sass_collected sass;
	const char *no_sass; /* why the instructions are not known; NULL: they are */
};
struct one { /* a tool over a case */
	struct json *facts;
	uint64_t n_errors;
	const char *first;  /* the first error, as a line */
	const char *reason; /* why it came to no end; NULL: it did */
};

bool sanitize_parse(unsigned *which, const char *names, struct err *e)
{
	struct str rest = str_from(names), name;
	*which = 0;
	if (str_is(rest, "all")) {
		*which = (1u << SANITIZE_TOOLS) - 1;
		return true;
	}
	while (str_split(&rest, ',', &name)) {
		unsigned bit = 0;
		for (unsigned t = 0; t < SANITIZE_TOOLS; t++)
			bit |= str_is(name, sanitizer_tool_name((enum sanitizer_tool)t)) ? 1u << t : 0;
		if (!bit)
			return err_set(e, ERR_USAGE,
				       "--sanitize: '%.*s' is no tool of compute-sanitizer; there are memcheck, "
				       "racecheck, initcheck, synccheck, all",
				       STR_ARG(name));
		*which |= bit;
	}
	return true;
}

/* What the tool has to look at. Generic accesses may be of any space. */
static bool is_subject(enum sanitizer_tool tool, const struct sass_opcode *c)
{
	bool is_access = c->class_of == SASS_LOAD || c->class_of == SASS_STORE || c->class_of == SASS_ATOMIC ||
			 c->class_of == SASS_ASYNC;
	bool is_memory = c->space != SASS_CONSTANT && c->space != SASS_TEXTURE && c->space != SASS_NO_SPACE;
	switch (tool) {
	case SANITIZER_MEMCHECK:
		return is_access && is_memory;
	case SANITIZER_RACECHECK:
		return is_access && (c->space == SASS_SHARED || c->space == SASS_DISTRIBUTED ||
				     c->space == SASS_GENERIC || c->class_of == SASS_ASYNC);
	case SANITIZER_INITCHECK:
		return (c->class_of == SASS_LOAD || c->class_of == SASS_ASYNC) &&
		       (c->space == SASS_GLOBAL || c->space == SASS_GENERIC || c->class_of == SASS_ASYNC);
	case SANITIZER_SYNCCHECK:
	case SANITIZER_API:
		break;
	}
	return c->class_of == SASS_BARRIER || str_starts(c->name, "WARPSYNC");
}

/* NULL: not known; else whether it occurs, with the instructions. */
static const struct json *put_subject(struct work *w, struct json *facts, enum sanitizer_tool tool)
{
	struct json *j = json_set_object(facts, "subject"), *list = json_set_array(j, "instructions");
	uint64_t n = 0;
	json_set_null(j, "occurs");
	json_set_cstr(j, "reason", w->no_sass);
	if (w->no_sass)
		return NULL;
	for (size_t i = 0; i < w->sass.listing.n_kernels; i++) {
		const struct sass_kernel *k = &w->sass.listing.kernels[i];
		for (size_t c = 0; c < k->n_opcodes; c++) {
			if (!is_subject(tool, &k->opcodes[c]))
				continue;
			n += k->opcodes[c].n;
			if (list->n == SANITIZE_OPCODES)
				continue;
			struct json *x = json_object(w->a);
			json_set_str(x, "opcode", k->opcodes[c].name);
			json_set_u64(x, "n", k->opcodes[c].n);
			json_set_str(x, "kernel", k->name);
			json_push(list, x);
		}
	}
	json_set_bool(j, "occurs", n > 0);
	json_set_u64(j, "n", n);
	return json_get(j, "occurs");
}

static const char *const *command_of(struct work *w, enum sanitizer_tool tool, const char *job, const char *log)
{
	const char *const *runner = job_argv(w->a, w->o->program, w->o->guest, job);
	size_t n = 0, k = 0;
	while (runner[n])
		n++;
	const char **argv = ARENA_ARRAY(w->a, n + 6, const char *);
	argv[k++] = w->o->tool;
	argv[k++] = "--tool";
	argv[k++] = sanitizer_tool_name(tool);
	argv[k++] = "--log-file";
	argv[k++] = log;
	memcpy(argv + k, runner, n * sizeof(*argv));
	return argv;
}

static bool is_error(const struct sanitizer_finding *f)
{
	return !f->is_warning && f->kind != SANITIZER_API_ERROR && f->kind != SANITIZER_LEAK &&
	       f->kind != SANITIZER_UNUSED_MEMORY && !str_starts(f->at.kernel, "assay_");
}

static const char *line_of(struct work *w, const struct sanitizer_finding *f, struct str name)
{
	const char *place = f->at.file.n ? arena_printf(w->a, ", %s:%llu", path_base(arena_str(w->a, f->at.file).p),
							(unsigned long long)f->at.line)
					 : "";
	return arena_printf(w->a, "%.*s in %.*s%s (case '%.*s')", STR_ARG(f->text), STR_ARG(f->at.kernel), place,
			    STR_ARG(name));
}

static void judge(struct work *w, struct one *out, const struct sanitizer_report *r, struct str name)
{
	json_set(out->facts, "report", sanitizer_json(r, w->a));
	for (size_t i = 0; i < r->n_sites; i++) {
		const struct sanitizer_finding *f = &r->findings[r->sites[i].i_first];
		if (!is_error(f))
			continue;
		out->first = out->first ? out->first : line_of(w, f, name);
		out->n_errors += r->sites[i].n;
	}
}

static bool read_log(struct work *w, struct one *out, const char *log, const struct proc_result *p, struct str name,
		     struct err *e)
{
	struct sanitizer_report r = {0};
	struct err bad = {ERR_NONE, ""};
	struct str text = STR("");
	char digest[SHA256_HEX];
	if (file_size(log) > 0 && (!file_read(w->a, &text, log, SANITIZE_LOG_MAX, e) ||
				   !store_publish(w->o->store, text.p, text.n, digest, e)))
		return false;
	json_set_cstr(out->facts, "log", text.n ? digest : NULL);
	bool is_read = text.n && sanitizer_read(&r, w->a, "compute-sanitizer", text, &bad);
	const char *said = said_why(w->a, buf_view(&p->out));
	if (is_read)
		judge(w, out, &r, name);
	if (out->n_errors == 0 && (p->timed_out || p->signal))
		out->reason = proc_describe(w->a, p);
	else if (!is_read)
		out->reason = text.n ? arena_strdup(w->a, bad.text)
				     : arena_printf(w->a, "it left no log (%s): %s", proc_describe(w->a, p), said);
	else if (out->n_errors == 0 && (p->exit_status != 0 || r.problem.n || !r.has_summary))
		out->reason = arena_printf(w->a, "the kernel came to no end under it (%s): %s", proc_describe(w->a, p),
					   r.problem.n ? arena_str(w->a, r.problem).p : said);
	return true;
}

static bool run_one(struct work *w, struct one *out, enum sanitizer_tool tool, size_t i_case, struct err *e)
{
	const struct sanitize_collect *o = w->o;
	struct str name = o->op->cases[i_case].name;
	const char *stem = arena_printf(w->a, "%s/%s-%zu", o->scratch, sanitizer_tool_name(tool), i_case);
	const char *job = arena_printf(w->a, "%s.job", stem), *log = arena_printf(w->a, "%s.log", stem);
	const char *const *argv = command_of(w, tool, job, log);
	const char *const seen[] = {arena_printf(w->a, "CUDA_VISIBLE_DEVICES=%s", o->gpu), NULL};
	struct job_options j = {.op = o->op,
				.i_case = i_case,
				.backend = "cuda",
				.library = o->library,
				.symbol = o->symbol,
				.returns_int = o->returns_int,
				.mode = "sanitize",
				.n_calls = 1,
				.data = o->data};
	struct sandbox_env_options env = {.folder = o->scratch, .gpu = o->gpu};
	struct proc_options p = {.argv = argv,
				 .env = sandbox_env(w->a, &env, e),
				 .timeout_ns = (int64_t)(o->timeout_s * 1e9),
				 .flags = PROC_MERGE_STDERR | PROC_PDEATHSIG};
	struct proc_result r;
	*out = (struct one){.facts = json_object(w->a)};
	progress_phase(arena_printf(w->a, "%s, case '%.*s'", sanitizer_tool_name(tool), STR_ARG(name)), o->timeout_s);
	if (!p.env || !job_write(job, &j, e) || !proc_run(&r, &p, e))
		return false;
	json_set_str(out->facts, "case", name);
	json_set_cstr(out->facts, "command", shell_line(w->a, seen, argv));
	json_set_f64(out->facts, "seconds", (double)r.wall_ns / 1e9);
	bool ok = !r.interrupted || err_set(e, ERR_INTERRUPTED, "interrupted while compute-sanitizer ran");
	ok = ok && read_log(w, out, log, &r, name, e);
	json_set_u64(out->facts, "n_errors", out->n_errors);
	json_set_cstr(out->facts, "reason", out->reason);
	proc_result_release(&r);
	return ok;
}

static void conclude(struct work *w, struct sanitize_found *out, const struct one *x, size_t n_cases,
		     const struct json *occurs)
{
	struct arena *a = w->a;
	const char *name = sanitizer_tool_name(out->tool);
	if (x->n_errors) {
		out->state = SANITIZE_FOUND;
		out->text = arena_printf(a, "%s: %llu error(s): %s", name, (unsigned long long)x->n_errors, x->first);
	} else if (x->reason) {
		out->state = SANITIZE_INCOMPLETE;
		out->text = arena_printf(a, "%s: %s", name, x->reason);
	} else if (occurs && !occurs->boolean) {
		out->state = SANITIZE_NO_SUBJECT;
		out->text = arena_printf(a, "%s: no instruction of the binary is its subject; no error in %zu case(s)",
					 name, n_cases);
	} else {
		out->state = SANITIZE_CLEAN;
		out->text = arena_printf(a, "%s: no error in %zu case(s)", name, n_cases);
	}
}

static bool run_tool(struct work *w, struct sanitize_found *out, struct json *facts, struct err *e)
{
	static const char *const states[] = {"clean", "errors", "no_subject", "incomplete"};
	const struct operator* op = w->o->op;
	size_t n_cases = w->o->data ? 1 : op->n_cases, n = 0;
	struct json *runs = json_set_array(facts, "cases");
	struct one x = {.n_errors = 0};
	const struct json *occurs = put_subject(w, facts, out->tool);
	while (n < n_cases && !x.n_errors && !x.reason) {
		if (!run_one(w, &x, out->tool, n++, e))
			return false;
		json_push(runs, x.facts);
	}
	conclude(w, out, &x, n, occurs);
	json_set_cstr(facts, "tool", sanitizer_tool_name(out->tool));
	json_set_cstr(facts, "state", states[out->state]);
	json_set_cstr(facts, "text", out->text);
	return true;
}

/* The instructions of a native kernel. One in Python makes its binary in its own process. */
static bool look_at_binary(struct work *w, struct err *e)
{
	struct sass_collect s = {.library = w->o->library, .sha256 = w->o->sha256};
	w->no_sass = "a kernel in Python makes its binary in a process of its own";
	if (w->o->guest)
		return true;
	if (!sass_collect(&w->sass, w->a, &s, e))
		return false;
	w->no_sass = w->sass.reason;
	return true;
}

bool sanitize_collect(struct sanitize_collected *out, struct arena *a, const struct sanitize_collect *o, struct err *e)
{
	struct work w = {.a = a, .o = o};
	struct err ignored;
	*out = (struct sanitize_collected){.facts = json_object(a)};
	struct json *list = json_set_array(out->facts, "tools");
	if (!file_mkdirs(o->scratch, 0700, e) || !look_at_binary(&w, e))
		return false;
	json_set_cstr(out->facts, "program", o->tool);
	json_set_cstr(out->facts, "version",
		      tool_version(&w.version, a, o->tool, "Version", 0, &ignored) ? w.version : NULL);
	for (unsigned t = 0; t < SANITIZE_TOOLS; t++) {
		struct json *facts = json_object(a);
		if (!(o->which & 1u << t))
			continue;
		out->tools[out->n] = (struct sanitize_found){.tool = (enum sanitizer_tool)t};
		if (!run_tool(&w, &out->tools[out->n++], facts, e))
			return false;
		json_push(list, facts);
	}
	return true;
}
