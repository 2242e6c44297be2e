/* What v0 freezes.
 * In: the operator as read now. Out: "frozen" in the manifest, or the field that differs.
 * Files are frozen by digest; their paths are kept so that later versions are read with the same ones.
 * Never: changes what is frozen. */
#include "loop/frozen.h"

#include "base/file.h"

static struct json *freeze(struct arena *a, const struct operator* op, const struct loop_options *o, struct err *e)
{
	char sha[SHA256_HEX];
	struct json *j = json_object(a), *dims = json_set_object(j, "dims");
	const struct bench_options *b = &o->bench;
	json_set_cstr(j, "backend", backend_name(op->backend));
	json_set_cstr(j, "reference", op->reference.path ? path_absolute(a, op->reference.path) : NULL);
	json_set_cstr(j, "reference_sha256", op->reference.path ? op->reference.sha256 : NULL);
	json_set_cstr(j, "op_file", op->op_file.path ? path_absolute(a, op->op_file.path) : NULL);
	json_set_cstr(j, "op_file_sha256", op->op_file.path ? op->op_file.sha256 : NULL);
	if (b->setup) {
		if (!sha256_file(b->setup, sha, e))
			return NULL;
		json_set_cstr(j, "setup", path_absolute(a, b->setup));
		json_set_cstr(j, "setup_sha256", sha);
	}
	json_set_u64(j, "seed", op->seed);
	json_set_i64(j, "ptr_size", op->ptr_size);
	json_set(j, "atol", b->input.flags & OPERATOR_HAS_ATOL ? json_new_f64(a, b->input.atol) : json_new_null(a));
	json_set(j, "rtol", b->input.flags & OPERATOR_HAS_RTOL ? json_new_f64(a, b->input.rtol) : json_new_null(a));
	for (size_t i = 0; b->input.dims && i < b->input.dims->n; i++)
		json_set_i64(dims, b->input.dims->items[i].name, b->input.dims->items[i].value);
	return j;
}

static const char *as_text(struct arena *a, const struct json *j)
{
	struct buf b;
	if (!j)
		return "absent";
	buf_init(&b);
	json_write(&b, j, JSON_COMPACT);
	const char *text = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return text;
}

bool frozen_check(struct run *r, const struct operator* op, const struct loop_options *o, struct err *e)
{
	/* Paths may differ as long as the bytes are the same. */
	static const char *const fields[] = {"backend", "reference_sha256", "op_file_sha256", "setup_sha256", "dims",
					     "seed",    "ptr_size",         "atol",           "rtol"};
	struct json *now = freeze(r->arena, op, o, e), *before = json_get(r->manifest, "frozen");
	if (!now)
		return false;
	if (!before) {
		json_set(r->manifest, "frozen", now);
		return true;
	}
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		const char *x = as_text(r->arena, json_get(before, fields[i]));
		const char *y = as_text(r->arena, json_get(now, fields[i]));
		if (strcmp(x, y) != 0)
			return err_set(e, ERR_USAGE,
				       "%s: %s was frozen by v0 as %s and is now %s; another run folder takes it anew",
				       r->folder, fields[i], x, y);
	}
	return true;
}

bool frozen_verify(const struct run *r, struct err *e)
{
	static const char *const files[][2] = {
		{"reference", "reference_sha256"}, {"op_file", "op_file_sha256"}, {"setup", "setup_sha256"}};
	const struct json *frozen = json_get(r->manifest, "frozen");
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct str path = json_str(frozen, files[i][0], STR("")),
			   before = json_str(frozen, files[i][1], STR(""));
		char now[SHA256_HEX];
		if (!path.n)
			continue;
		if (!sha256_file(arena_strndup(r->arena, path.p, path.n), now, e))
			return false;
		if (!str_is(before, now))
			return err_set(e, ERR_USAGE,
				       "%s: %.*s was frozen by v0 and has changed (sha256 %.12s, was %.*s)", r->folder,
				       STR_ARG(path), now, 12, before.n ? before.p : "");
	}
	return true;
}
