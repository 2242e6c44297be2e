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

/* The kernel's own setup() beside the one that supplies the data. */
static bool compare_own(struct workload *out, struct arena *a, const struct operator* op,
			const struct describe_options *given, struct err *e)
{
	struct describe_options o = *given;
	struct described own;
	o.module = op->kernel.path;
	o.folder = path_join(a, given->folder, "own");
	o.calls_entry = false;
	bool ok = describe_run(&own, a, op, &o, e);
	if (ok && own.word)
		ok = conclude(out, e, own.word, own.text);
	else if (ok) {
		const char *why = described_differ(out->data, &own, a);
		if (why)
			ok = conclude(out, e, "workload_changed", why);
	}
	described_release(&own);
	return ok;
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
	if (!sha256_file(module, sha, e) || !describe_run(out->data, a, op, &d, e))
		return false;
	if (out->data->word)
		return conclude(out, e, out->data->word, out->data->text);
	bool is_own = strcmp(sha, op->kernel.sha256) == 0;
	if (!is_own && op->setup_line && op->form != OPERATOR_NATIVE &&
	    (!compare_own(out, a, op, &d, e) || out->verdict != VERDICT_PASSED))
		return out->verdict != VERDICT_PASSED;
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
	if (op->data == DATA_SETUP && !take_setup(out, a, op, o, e))
		return false;
	if (op->form == OPERATOR_NATIVE) {
		out->guest = NULL; /* only its data comes from Python */
		return true;
	}
	return out->verdict != VERDICT_PASSED || guest_prepare(out->guest, a, op, path_join(a, o->folder, "guest"), e);
}
