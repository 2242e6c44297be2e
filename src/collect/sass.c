/* Machine code through cuobjdump.
 * In: a binary and the digest of the one that ran. Out: the listing of the kernels that were launched.
 * Kernels that lie in the binary and were not launched prove nothing and are left out.
 * Never: reads another binary than the one that ran. */
#include "collect/sass.h"

#include "base/proc.h"
#include "build/tool.h"

#define LISTING_MAX ((size_t)256 << 20)
#define LISTING_NS INT64_C(60000000000)

static bool is_launched(const struct sass_kernel *k, const char *const *names)
{
	for (size_t i = 0; names[i]; i++) {
		if (str_is(k->name, names[i]))
			return true;
	}
	return false;
}

static size_t keep_launched(struct sass_listing *l, const char *const *names)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n_kernels; i++) {
		if (!names || is_launched(&l->kernels[i], names))
			l->kernels[n++] = l->kernels[i];
	}
	l->n_kernels = n;
	return n;
}

static void read_listing(struct sass_collected *out, struct arena *a, const struct sass_collect *o,
			 const struct proc_result *r)
{
	struct err bad = {ERR_NONE, ""};
	struct str errors = str_trim(buf_view(&r->err));
	if (r->timed_out || r->signal || r->exit_status != 0)
		out->reason = arena_printf(a, "%s: %s: %.*s", out->tool, proc_describe(a, r),
					   (int)(errors.n > 200 ? 200 : errors.n), errors.n ? errors.p : "");
	else if (r->n_dropped)
		out->reason = arena_printf(a, "the listing is longer than %zu MiB", LISTING_MAX >> 20);
	else if (!sass_read(&out->listing, a, "cuobjdump -sass", buf_view(&r->out), &bad))
		out->reason = arena_strdup(a, bad.text);
	else if (!keep_launched(&out->listing, o->kernels))
		out->reason = "the binary holds none of the kernels that were launched";
	else
		memcpy(out->listing.binary_sha256, o->sha256, SHA256_HEX);
}

bool sass_collect(struct sass_collected *out, struct arena *a, const struct sass_collect *o, struct err *e)
{
	char digest[SHA256_HEX];
	struct proc_result r;
	*out = (struct sass_collected){.tool = tool_find(a, "cuobjdump", o->cuobjdump)};
	if (!sha256_file(o->library, digest, e))
		return false;
	if (strcmp(digest, o->sha256) != 0) {
		out->reason = arena_printf(a, "%s is not the binary that ran", o->library);
		return true;
	}
	if (!out->tool) {
		out->reason = "cuobjdump was not found";
		return true;
	}
	struct err bad = {ERR_NONE, ""};
	const char *argv[] = {out->tool, "-sass", o->library, NULL};
	struct proc_options p = {.argv = argv, .timeout_ns = LISTING_NS, .max_output = LISTING_MAX};
	if (!tool_version(&out->version, a, out->tool, "release", 0, &bad)) {
		out->reason = arena_strdup(a, bad.text);
		return true;
	}
	bool ok = proc_run(&r, &p, e);
	if (ok && r.interrupted)
		ok = err_set(e, ERR_INTERRUPTED, "interrupted while cuobjdump ran");
	if (ok)
		read_listing(out, a, o, &r);
	proc_result_release(&r);
	return ok;
}
