/* Machine code.
 * In: a binary, listed by the cuobjdump that the Target froze, or a listing. Out: architectures, functions, opcodes.
 * Of a candidate's artifact also whether the mechanism of its Experiment shows.
 * Never: takes a name, comment or string for evidence. */
#include "base/clock.h"
#include "base/proc.h"
#include "facts/mechanism.h"
#include "inspect/artifact.h"
#include "protocol/shape.h"
#include "read/sass/signature.h"

#define LISTING_MAX ((size_t)512 << 20)

struct dumping {
	struct inspection *i;
	const char *tool;
	struct json *receipts;
};

/* ---- cuobjdump ---- */

static bool check_tool(struct inspection *i, struct err *e)
{
	const struct json *t = json_path(i->target.record, "environment.host.tools.cuobjdump");
	char digest[SHA256_HEX];
	protocol_step(i->p, "cuobjdump_not_frozen");
	if (!t)
		return err_set(e, ERR_INPUT,
			       "the Target froze no tool cuobjdump; required_tools of its readiness names "
			       "it, or a listing is read as dialect sass-text-v1");
	const char *path = json_str(t, "path", STR("")).p;
	protocol_step(i->p, "cuobjdump_changed");
	return (sha256_file(path, digest, e) && str_is(json_str(t, "sha256", STR("")), digest)) ||
	       err_set(e, ERR_INPUT, "%s: is not the cuobjdump that the Target froze", path);
}

static void put_receipt(struct dumping *d, const char *const *argv, const struct proc_result *r, bool is_listing)
{
	struct arena *a = d->i->p->arena;
	struct json *j = json_object(a), *list = json_set_array(j, "argv"), *x = json_set_object(j, "result");
	bool done = !r->timed_out && r->exit_status == 0;
	for (; *argv; argv++)
		json_push_str(list, str_from(*argv));
	json_set_cstr(x, "status", r->timed_out ? "timed_out" : done ? "completed" : "failed");
	json_set_cstr(x, "stop_reason", r->timed_out ? "command_timeout" : done ? "completed" : "command_failed");
	json_set_i64(x, "returncode", r->signal ? -r->signal : r->exit_status);
	json_set_f64(x, "elapsed_seconds", (double)r->wall_ns / 1e9);
	json_set_cstr(x, "cleanup_status", "confirmed");
	json_set_str(x, "stdout", is_listing ? STR("") : str_sub(buf_view(&r->out), 0, 65536));
	json_set_str(x, "stderr", str_sub(buf_view(&r->err), 0, 65536));
	json_push(d->receipts, j);
}

static bool run_tool(struct buf *out, struct dumping *d, const char *word, const char *path, struct err *e)
{
	double seconds = json_f64(json_get(d->i->frozen, "limits"), "command_timeout_seconds", 60);
	const char *argv[] = {d->tool, word, path, NULL};
	struct proc_options o = {.argv = argv, .timeout_ns = (int64_t)(seconds * 1e9), .max_output = LISTING_MAX};
	struct proc_result r;
	protocol_step(d->i->p, "cuobjdump_command_failed");
	bool ok = proc_run(&r, &o, e);
	if (ok) {
		put_receipt(d, argv, &r, path != NULL);
		struct str errors = str_sub(str_trim(buf_view(&r.err)), 0, 300);
		if (r.timed_out)
			protocol_step(d->i->p, "command_timeout");
		if (r.timed_out || r.exit_status != 0)
			ok = err_set(e, ERR_ENVIRONMENT, "%s %s: %s %.*s", d->tool, word,
				     proc_describe(d->i->p->arena, &r), STR_ARG(errors));
		else if (r.n_dropped)
			ok = err_set(e, ERR_INPUT, "%s %s: prints more than 512 MiB", d->tool, word);
	}
	if (ok)
		buf_str(out, buf_view(&r.out));
	proc_result_release(&r);
	return ok;
}

/* The listing, kept as artifacts/sass.txt of the invocation. */
static bool dump(struct buf *text, struct dumping *d, const char *binary, struct err *e)
{
	struct arena *a = d->i->p->arena;
	char *folder = arena_printf(a, "%s/artifacts", d->i->folder);
	struct buf version;
	buf_init(&version);
	if (!check_tool(d->i, e))
		return false;
	d->tool = json_str(json_path(d->i->target.record, "environment.host.tools.cuobjdump"), "path", STR("")).p;
	bool ok = run_tool(&version, d, "--version", NULL, e) && run_tool(text, d, "--dump-sass", binary, e);
	buf_release(&version);
	if (!ok)
		return false;
	protocol_step(d->i->p, "worker_error");
	return file_mkdirs(folder, 0755, e) && file_write_str(path_join(a, folder, "sass.txt"), buf_view(text), e);
}

/* ---- the answer ---- */

static struct json *opcode_counts(struct arena *a, const struct sass_listing *l)
{
	struct json *counts = json_object(a);
	for (size_t k = 0; k < l->n_kernels; k++) {
		for (size_t i = 0; i < l->kernels[k].n_opcodes; i++) {
			const struct sass_opcode *o = &l->kernels[k].opcodes[i];
			struct str base = str_sub(o->name, 0, str_find_char(o->name, '.'));
			struct json *n = json_find(counts, base);
			json_put(counts, base, json_new_u64(a, (n ? (uint64_t)n->i : 0) + o->n));
		}
	}
	return counts;
}

static struct json *architectures(struct arena *a, const struct sass_listing *l)
{
	struct json *list = json_array(a);
	for (size_t k = 0; k < l->n_kernels; k++) {
		if (l->kernels[k].arch.n && !shape_holds(list, l->kernels[k].arch))
			json_push_str(list, l->kernels[k].arch);
	}
	return list;
}

static const char *applicability(const struct sass_finding *f, struct str key)
{
	if (f->verdict == SASS_NO_SIGNATURE)
		return mechanism_find(key) ? "no_sass_patterns" : "signature_unavailable";
	return f->verdict == SASS_NOT_APPLICABLE ? "not_applicable" : "applicable";
}

static void put_signature(struct json *o, struct json *assay, struct inspection *i, const struct sass_listing *l)
{
	struct arena *a = i->p->arena;
	struct str key = json_str(json_get(i->frozen, "source_binding"), "mechanism_key", STR(""));
	struct sass_finding f;
	if (key.n == 0)
		return;
	sass_judge(&f, l, NULL, key);
	struct json *j = json_set_object(o, "signature"), *found = json_set_array(j, "patterns_found"),
		    *missing = json_set_array(j, "patterns_missing");
	json_set_str(j, "mechanism_key", key);
	json_set_cstr(j, "applicability", applicability(&f, key));
	json_set_bool(j, "require_any", false);
	if (f.verdict == SASS_SHOWN || f.verdict == SASS_NOT_SHOWN)
		json_push_str(f.verdict == SASS_SHOWN ? found : missing, str_from(f.pattern));
	json_set(assay, "signature", sass_finding_json(&f, l, a));
}

/* Mechanisms that the code shows; of the others its absence proves little. */
static struct json *shown(struct arena *a, const struct sass_listing *l)
{
	struct json *list = json_array(a), *all = sass_findings_json(l, NULL, a);
	for (size_t k = 0; k < all->n; k++) {
		if (str_is(json_str(all->items[k], "verdict", STR("")), sass_verdict_name(SASS_SHOWN)))
			json_push(list, all->items[k]);
	}
	return list;
}

static void put_answer(struct json *result, struct dumping *d, const struct artifact *f, const struct sass_listing *l)
{
	struct inspection *i = d->i;
	struct arena *a = i->p->arena;
	struct json *o = json_object(a), *assay = json_set_object(result, "assay");
	uint64_t n = 0;
	for (size_t k = 0; k < l->n_kernels; k++)
		n += l->kernels[k].n;
	json_set(o, "architectures", architectures(a, l));
	json_set_u64(o, "function_count", l->n_kernels);
	json_set_u64(o, "instruction_count", n);
	json_set(o, "opcode_counts", opcode_counts(a, l));
	json_set_cstr(o, "content_sha256", f->sha256);
	json_set_u64(o, "size_bytes", f->bytes);
	put_signature(o, assay, i, l);
	json_push(json_set_array(result, "observations"), o);
	json_set(assay, "sass", sass_json(l, a));
	json_set(assay, "mechanisms", shown(a, l));
	json_set_array(result, "unmodeled");
	struct json *p = json_set_object(result, "provenance");
	json_set(p, "artifact", json_get(i->frozen, "artifact"));
	json_set_cstr(p, "parser_version", "cuobjdump-sass-v1");
	json_set(p, "tool_identity", json_get(i->frozen, "tool_identity"));
	json_set(p, "command_receipts", d->receipts);
}

static bool read_code(struct json *result, struct inspection *i, struct err *e)
{
	struct dumping d = {.i = i, .receipts = json_array(i->p->arena)};
	struct sass_listing l;
	struct artifact f;
	struct buf text;
	if (!artifact_open(&f, i, e))
		return false;
	buf_init(&text);
	if (f.stage == STAGE_BINARY && !dump(&text, &d, f.path, e)) {
		buf_release(&text);
		return false;
	}
	protocol_step(i->p, "unrecognized_sass_dialect");
	bool ok = sass_read(&l, i->p->arena, f.path, f.stage == STAGE_BINARY ? buf_view(&text) : f.text, e);
	if (ok && l.n_unread)
		ok = err_set(e, ERR_INPUT, "%llu rows look like instructions and cannot be read: %.*s",
			     (unsigned long long)l.n_unread, STR_ARG(l.problem));
	if (ok) {
		memcpy(l.binary_sha256, f.stage == STAGE_BINARY ? f.sha256 : "",
		       f.stage == STAGE_BINARY ? SHA256_HEX : 1);
		put_answer(result, &d, &f, &l);
	}
	buf_release(&text);
	return ok;
}

static bool freeze_code(struct inspection *i, struct err *e)
{
	if (!artifact_freeze(i, "binary|sass", true, e))
		return false;
	if (!str_is(json_str(json_get(i->frozen, "artifact"), "stage", STR("")), "binary"))
		return true;
	protocol_step(i->p, "resource_mismatch");
	if (!shape_same(json_path(i->request, "resources.host_id"),
			json_path(i->target.record, "environment.host.host_id")))
		return err_set(e, ERR_INPUT, "resources.host_id: is not the Target's host %s, whose cuobjdump it froze",
			       json_str(json_path(i->target.record, "environment.host"), "host_id", STR("")).p);
	return check_tool(i, e);
}

const struct family family_sass = {
	.name = "sass",
	.format = PROTOCOL("sass-input-v1"),
	.code = "invalid_sass_input",
	.contract = PROTOCOL("sass-result-v1"),
	.record_type = "sass_result",
	.members = "artifact_ref:o",
	.freeze = freeze_code,
	.read = read_code,
};
