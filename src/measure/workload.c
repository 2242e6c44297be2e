/* A kernel in Python made ready for a lab.
 * In: an operator read from text. Out: the operator with setup()'s parameters, the worker's files, the data.
 * setup() runs once a case and data set, in a process of its own; the keeper gets the bytes through the lab.
 * Never: runs a candidate beside the data of another one. */
#include "measure/workload.h"

#include "base/file.h"
#include "operator/guess.h"
#include "run/describe.h"

const int *workload_files(const struct workload *w)
{
	return w->data ? w->data->files : NULL;
}

const char *const *workload_digests(const struct workload *w)
{
	return w->data ? w->data->digests : NULL;
}

void workload_close(struct workload *w)
{
	if (w->data)
		described_release(w->data);
	w->data = NULL;
}

static bool conclude(struct workload *out, struct err *e, const char *word, const char *text)
{
	out->text = text;
	if (!*word)
		return err_set(e, ERR_ENVIRONMENT, "%s", text);
	if (!verdict_from_word(str_from(word), &out->verdict))
		out->verdict = VERDICT_EXITED_EARLY;
	return true;
}

/* The kernel's own setup() beside the one that supplies the data: `own` has ended, too. */
static bool compare_own(struct workload *out, struct arena *a, const struct described *own, struct err *e)
{
	if (own->word)
		return conclude(out, e, own->word, own->text);
	const char *why = described_differ(out->data, own, a);
	return !why || conclude(out, e, "workload_changed", why);
}

/* Both setups at once where there are two, each in a process of its own. False with err. */
static bool describe_both(struct workload *out, struct described *own, struct arena *a, const struct operator* op,
			  const struct describe_options *given, struct err *e)
{
	struct describe_options o = *given;
	o.module = op->kernel.path;
	o.folder = path_join(a, given->folder, "own");
	o.calls_entry = false;
	if (!describe_begin(out->data, a, op, given, e))
		return false;
	bool has_begun = !own || describe_begin(own, a, op, &o, e);
	struct err ignored;
	bool ok = describe_end(out->data, a, has_begun ? e : &ignored) && has_begun;
	return (!own || !has_begun || describe_end(own, a, ok ? e : &ignored)) && ok;
}

static bool take_setup(struct workload *out, struct arena *a, struct operator* op, const struct workload_options *o,
		       struct err *e)
{
	const char *module = o->setup ? path_absolute(a, o->setup) : op->kernel.path;
	struct describe_options d = {.guest = out->guest,
				     .module = module,
				     .folder = path_join(a, o->folder, "setup"),
				     .gpu = o->gpu,
				     .timeout_ns = o->timeout_ns,
				     .calls_entry = true};
	char sha[SHA256_HEX];
	out->data = ARENA_NEW(a, struct described);
	if (!sha256_file(module, sha, e))
		return false;
	struct described own = {.word = NULL};
	bool has_own = strcmp(sha, op->kernel.sha256) != 0 && op->setup_line && op->form != OPERATOR_NATIVE;
	bool ok = describe_both(out, has_own ? &own : NULL, a, op, &d, e);
	if (ok && out->data->word)
		ok = conclude(out, e, out->data->word, out->data->text);
	else if (ok && has_own)
		ok = compare_own(out, a, &own, e);
	described_release(&own);
	if (!ok || out->verdict != VERDICT_PASSED)
		return ok;
	if (!described_apply(out->data, a, op, e))
		return false;
	guess_tolerances(op, o->input);
	return true;
}

bool workload_open(struct workload *out, struct arena *a, struct operator* op, const struct workload_options *o,
		   struct err *e)
{
	*out = (struct workload){.verdict = VERDICT_PASSED, .text = "", .guest = ARENA_NEW(a, struct guest)};
	if (!guest_identify(out->guest, a, o->python, e))
		return false;
	out->interpreter = out->guest;
	bool is_guest = op->form != OPERATOR_NATIVE;
	if (is_guest && !guest_prepare_files(out->guest, a, op, path_join(a, o->folder, "guest"), e))
		return false;
	if (is_guest && o->ahead && !o->ahead(o->ctx, out->guest, e))
		return false;
	if (op->data == DATA_SETUP && !take_setup(out, a, op, o, e))
		return false;
	if (!is_guest) {
		out->guest = NULL; /* only its data comes from Python */
		return true;
	}
	return out->verdict != VERDICT_PASSED || guest_write_description(out->guest, a, op, e);
}
