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

static void release(struct workload *w, struct described *d)
{
	struct err ignored;
	bool is_over = !d || !d->running || describe_end(d, w->arena, &ignored);
	(void)is_over; /* interrupted: it is gone all the same */
	if (d)
		described_release(d);
}

void workload_close(struct workload *w)
{
	if (!w->shares_data)
		release(w, w->data);
	release(w, w->own);
	w->data = w->own = NULL;
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

/* Both setups at once where there are two, each in a process of its own. What began is ended by workload_close at the latest. */
static bool begin_setup(struct workload *out, struct arena *a, const struct operator* op,
			const struct workload_options *o, struct err *e)
{
	struct describe_options d = {.guest = out->guest,
				     .module = o->setup ? path_absolute(a, o->setup) : op->kernel.path,
				     .folder = path_join(a, o->folder, "setup"),
				     .gpu = o->gpu,
				     .timeout_ns = o->timeout_ns,
				     .calls_entry = true};
	char sha[SHA256_HEX];
	if (!sha256_file(d.module, sha, e))
		return false;
	out->shares_data = o->first && o->first->data;
	out->data = out->shares_data ? o->first->data : ARENA_NEW(a, struct described);
	if (!out->shares_data && !describe_begin(out->data, a, op, &d, e))
		return false;
	if (strcmp(sha, op->kernel.sha256) == 0 || !op->setup_line || op->form == OPERATOR_NATIVE)
		return true;
	d.module = op->kernel.path;
	d.folder = path_join(a, d.folder, "own");
	d.calls_entry = false;
	out->own = ARENA_NEW(a, struct described);
	return describe_begin(out->own, a, op, &d, e);
}

static bool end_setup(struct workload *out, struct arena *a, struct operator* op, const struct workload_options *o,
		      struct err *e)
{
	if (!out->shares_data && !describe_end(out->data, a, e))
		return false;
	if (out->own && !describe_end(out->own, a, e))
		return false;
	if (out->data->word)
		return conclude(out, e, out->data->word, out->data->text);
	bool ok = !out->own || compare_own(out, a, out->own, e);
	release(out, out->own);
	out->own = NULL; /* its memory */
	if (!ok)
		return false;
	if (out->verdict != VERDICT_PASSED)
		return true;
	if (!described_apply(out->data, a, op, e))
		return false;
	guess_tolerances(op, o->input);
	return true;
}

bool workload_begin(struct workload *out, struct arena *a, const struct operator* op, const struct workload_options *o,
		    struct err *e)
{
	*out = (struct workload){
		.verdict = VERDICT_PASSED, .text = "", .guest = ARENA_NEW(a, struct guest), .arena = a};
	if (o->first)
		*out->guest = *o->first->interpreter;
	else if (!guest_identify(out->guest, a, o->python, e))
		return false;
	out->interpreter = out->guest;
	bool is_guest = op->form != OPERATOR_NATIVE;
	if (is_guest && !guest_prepare_files(out->guest, a, op, path_join(a, o->folder, "guest"), e))
		return false;
	if (is_guest && o->ahead && !o->ahead(o->ctx, out->guest, e))
		return false;
	return op->data != DATA_SETUP || begin_setup(out, a, op, o, e);
}

bool workload_end(struct workload *out, struct arena *a, struct operator* op, const struct workload_options *o,
		  struct err *e)
{
	if (op->data == DATA_SETUP && !end_setup(out, a, op, o, e))
		return false;
	if (op->form == OPERATOR_NATIVE) {
		out->guest = NULL; /* only its data comes from Python */
		return true;
	}
	return out->verdict != VERDICT_PASSED || guest_write_description(out->guest, a, op, e);
}

bool workload_open(struct workload *out, struct arena *a, struct operator* op, const struct workload_options *o,
		   struct err *e)
{
	return workload_begin(out, a, op, o, e) && workload_end(out, a, op, o, e);
}
