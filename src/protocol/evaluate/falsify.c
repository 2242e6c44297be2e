/* Falsifiers.
 * In: an Experiment with a command. Out: how the command ended, recorded.
 * It runs beside copies of candidate and original, with the Target's leases; all that it starts ends with it.
 * Never: runs by itself. */
#include "protocol/evaluate/falsify.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/proc.h"
#include "protocol/driver/call.h"
#include "protocol/evaluate/plan.h"
#include "protocol/shape.h"
#include "store/lease.h"

#define KEEP ((size_t)32 << 10) /* bytes of its output */

struct falsifier {
	struct protocol *p;
	struct target target;
	struct json *experiment;
	const struct json *design; /* cheapest_falsifier */
	const char *folder;
	size_t n_before;
	struct json *record;
};

static const char *name_of(struct protocol *p, const struct json *experiment, size_t n)
{
	return arena_printf(p->arena, "falsifications/%s-%zu.json", json_str(experiment, "id", STR("")).p, n);
}

/* The run that decided, or the last one; *n: how many there are. */
static bool find(struct json **out, size_t *n, struct protocol *p, const struct json *experiment, struct err *e)
{
	*out = NULL;
	for (*n = 0; file_exists(evidence_path(p, name_of(p, experiment, *n + 1))); (*n)++) {
		*out = evidence_record(p, name_of(p, experiment, *n + 1), NULL, e);
		if (!*out)
			return false;
	}
	return true;
}

static bool decided(const struct json *record)
{
	return record && !str_is(json_str(record, "outcome", STR("")), "not_evaluated");
}

bool falsify_gate(struct protocol *p, const struct json *experiment, struct err *e)
{
	struct json *record;
	size_t n;
	if (!str_is(json_str(json_get(experiment, "cheapest_falsifier"), "kind", STR("")), "command"))
		return true;
	if (!find(&record, &n, p, experiment, e))
		return false;
	protocol_step(p, "falsifier_required");
	if (!decided(record))
		return err_set(e, ERR_INPUT,
			       "the Experiment's falsifier has not decided; the operation falsify runs it");
	protocol_step(p, "experiment_falsified");
	if (!str_is(json_str(record, "outcome", STR("")), "held"))
		return err_set(e, ERR_INPUT, "the Experiment was falsified by its own command");
	return protocol_step(p, "invalid_evaluator_input");
}

/* ---- one run ---- */

static bool stage(struct falsifier *f, struct err *e)
{
	static const char *const roles[] = {"candidate", "original"};
	char *parent = evidence_path(f->p, ".staging"), *temp = arena_printf(f->p->arena, "%s/falsify-XXXXXX", parent);
	if (!file_mkdirs(parent, 0755, e))
		return false;
	if (!mkdtemp(temp))
		return err_set(e, ERR_IO, "%s: cannot be made", temp);
	f->folder = temp;
	for (size_t i = 0; i < COUNT_OF(roles); i++) {
		const struct json *v =
			i == 0 ? json_get(f->experiment, "candidate") : json_get(f->target.record, "original");
		if (!evidence_materialise(f->p, json_str(v, "digest", STR("")).p,
					  path_join(f->p->arena, temp, roles[i]), e))
			return false;
	}
	return true;
}

static const char **environment(struct falsifier *f)
{
	struct arena *a = f->p->arena;
	size_t n = 0;
	while (environ[n])
		n++;
	const char **env = ARENA_ARRAY(a, n + 3, const char *);
	for (size_t i = 0; i < n; i++)
		env[i] = environ[i];
	env[n] = arena_printf(a, "ASSAY_CANDIDATE=%s/candidate", f->folder);
	env[n + 1] = arena_printf(a, "ASSAY_ORIGINAL=%s/original", f->folder);
	return env;
}

static void put_run(struct falsifier *f, const struct proc_result *r)
{
	struct json *j = f->record;
	bool ended = !r->timed_out && r->signal == 0;
	json_set_cstr(j, "outcome",
		      ended && r->exit_status == 0   ? "held"
		      : ended && r->exit_status == 1 ? "falsified"
						     : "not_evaluated");
	json_set_cstr(j, "ended", proc_describe(f->p->arena, r));
	json_set_null(j, "exit_status");
	if (ended)
		json_set_i64(j, "exit_status", r->exit_status);
	json_set_f64(j, "elapsed_seconds", (double)r->wall_ns / 1e9);
	json_set_str(j, "output", arena_str(f->p->arena, buf_view(&r->out)));
	json_set_u64(j, "bytes_left_out", r->n_dropped);
}

static bool run(struct falsifier *f, struct err *e)
{
	const struct json *command = json_get(f->design, "command");
	const char **argv = ARENA_ARRAY(f->p->arena, command->n + 1, const char *);
	for (size_t i = 0; i < command->n; i++)
		argv[i] = command->items[i]->text.p;
	argv[0] = path_which(f->p->arena, argv[0], NULL);
	if (!argv[0])
		return err_set(e, ERR_INPUT, "falsifier: %.200s is not there or cannot be executed",
			       command->items[0]->text.p);
	struct proc_options o = {.argv = argv,
				 .env = environment(f),
				 .cwd = f->folder,
				 .timeout_ns = (int64_t)(json_f64(f->design, "timeout_seconds", 60) * 1e9),
				 .max_output = KEEP,
				 .flags = PROC_NEW_SESSION | PROC_MERGE_STDERR};
	struct proc_result r;
	call_adopt_orphans();
	bool ok = proc_run(&r, &o, e);
	bool is_clean = call_end_all(NULL, NULL, INT64_C(5000000000));
	if (ok && r.interrupted)
		ok = err_set(e, ERR_INTERRUPTED, "interrupted while the falsifier ran");
	if (ok) {
		put_run(f, &r);
		json_set_cstr(f->record, "cleanup_status", is_clean ? "confirmed" : "unconfirmed");
	}
	proc_result_release(&r);
	return ok;
}

/* What it may measure is measured as a driver would. */
static bool run_leased(struct falsifier *f, struct err *e)
{
	const struct json *gpus = target_gpus(&f->target);
	size_t n = gpus ? gpus->n : 0, n_held = 0;
	struct lease **held = ARENA_ARRAY(f->p->arena, n + 1, struct lease *);
	bool ok = true;
	for (size_t i = 0; ok && i < (n ? n : 1); i++) {
		const char *key = n ? arena_printf(f->p->arena, "gpu:%s", gpus->items[i]->text.p) : "cpu";
		ok = lease_take(&held[n_held], key, INT64_C(600000000000), "falsifier", e);
		n_held += ok;
	}
	ok = ok && run(f, e);
	while (n_held > 0)
		lease_free(held[--n_held]);
	return ok;
}

static bool keep(struct falsifier *f, const struct json *request, struct err *e)
{
	struct json *j = f->record;
	json_set_cstr(j, "record_type", "falsification");
	json_set_cstr(j, "format_version", "assay/falsification-v1");
	json_set(j, "experiment_ref", shape_copy(f->p->arena, json_get(request, "experiment_ref")));
	json_set(j, "target_ref", f->target.ref);
	json_set(j, "command", shape_copy(f->p->arena, json_get(f->design, "command")));
	json_set_u64(j, "attempt", f->n_before + 1);
	json_set_f64(j, "created_at_epoch", (double)clock_unix_ns() / 1e9);
	return evidence_write(f->p, name_of(f->p, f->experiment, f->n_before + 1), j, NULL, e);
}

static bool load(struct falsifier *f, const struct json *request, struct err *e)
{
	const struct json *ref = json_get(request, "experiment_ref");
	char *path = arena_printf(f->p->arena, "experiments/%s.json", json_str(ref, "id", STR("")).p);
	if (!target_load_optimizable(&f->target, f->p, json_get(request, "target_ref"), e))
		return false;
	f->experiment = plan_record(f->p, "experiment", path, ref, e);
	if (!f->experiment)
		return false;
	f->design = json_get(f->experiment, "cheapest_falsifier");
	protocol_step(f->p, "falsifier_absent");
	return str_is(json_str(f->design, "kind", STR("")), "command") ||
	       err_set(e, ERR_INPUT, "the Experiment names no falsifier command");
}

bool falsify_request(struct json **answer, struct protocol *p, const struct json *request, struct err *e)
{
	struct falsifier f = {.p = p};
	struct json *before;
	struct err ignored;
	if (!load(&f, request, e))
		return false;
	protocol_step(p, "evaluator_error");
	int lock = evidence_lock(p, json_str(f.experiment, "id", STR("")).p, e);
	if (lock < 0)
		return false;
	bool ok = find(&before, &f.n_before, p, f.experiment, e);
	f.record = json_object(p->arena);
	if (ok && decided(before))
		f.record = before;
	else if (ok)
		ok = stage(&f, e) && run_leased(&f, e) && keep(&f, request, e);
	if (f.folder && !file_remove_tree(f.folder, &ignored))
		log_note("%s", ignored.text);
	close(lock);
	*answer = f.record;
	return ok;
}
