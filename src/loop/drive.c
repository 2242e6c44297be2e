/* What comes next.
 * In: the manifest, the file of this call. Out: number and path of the next version, written by the proposer if there is one.
 * The manifest notes finished proposals by digest: so a killed call is told apart from a killed proposer.
 * Never: evaluates what a proposer had not finished. */
#include "loop/drive.h"

#include "base/file.h"
#include "loop/gate.h"
#include "loop/proposer.h"
#include "loop/template.h"

static bool check_over(const struct loop *l, struct err *e)
{
	const struct json *ended = json_get(l->run.manifest, "ended");
	if (str_is(json_str(ended, "reason", STR("")), "proposer_touched_files"))
		return err_set(
			e, ERR_USAGE, "%s: the proposer touched files that are not its own (%.*s): this run is over",
			l->run.folder,
			(int)(json_str(ended, "evidence", STR("")).n > 300 ? 300
									   : json_str(ended, "evidence", STR("")).n),
			json_str(ended, "evidence", STR("")).p);
	bool is_redo = (l->o->flags & LOOP_REDO) && l->o->iteration == 0;
	const struct json *v0 = run_iteration(&l->run, 0);
	if (v0 && json_bool(v0, "rejected", false) && !is_redo)
		return err_set(
			e, ERR_USAGE,
			"%s: v0 was rejected (%.*s: %.*s); repaired, it is evaluated again with --iteration=0 --redo",
			l->run.folder, STR_ARG(json_str(v0, "verdict", STR("?"))),
			STR_ARG(json_str(v0, "verdict_text", STR(""))));
	return true;
}

/* With a proposer the kernel of the command line is v0 for ever. */
static bool is_resumed(const struct loop *l)
{
	const struct json *v0 = run_iteration(&l->run, 0);
	return l->o->proposer && v0 && l->o->iteration < 0 &&
	       str_is(json_str(v0, "kernel_sha256", STR("")), l->op.kernel.sha256);
}

bool drive_choose(struct loop *l, struct err *e)
{
	size_t next = run_n_iterations(&l->run);
	int64_t wanted = l->o->iteration;
	bool is_redo = (l->o->flags & LOOP_REDO) != 0;
	if (!check_over(l, e))
		return false;
	if (is_redo && (wanted < 0 || l->o->proposer))
		return err_set(e, ERR_USAGE, "--redo needs --iteration=I, and goes without --proposer");
	if (is_resumed(l)) {
		l->i = next - 1;
		l->path = NULL;
		loop_say(l, arena_printf(l->arena, "goes on after v%zu", l->i));
		return true;
	}
	if (l->o->proposer && next > 0 && wanted < 0 &&
	    strcmp(path_absolute(l->arena, l->path), run_next_path(&l->run, next)) != 0)
		return err_set(
			e, ERR_USAGE,
			"%s: is not v0 of %s any more, nor its next version %s: a run with a proposer goes on with the "
			"file that it began with",
			l->path, l->run.folder, run_next_path(&l->run, next));
	l->i = wanted < 0 ? next : (size_t)wanted;
	if (l->i > (size_t)l->o->max_iterations)
		return err_set(e, ERR_USAGE, "version %zu is beyond --max-iterations=%lld (v0 to v%lld)", l->i,
			       (long long)l->o->max_iterations, (long long)l->o->max_iterations);
	if (l->i > next)
		return err_set(e, ERR_USAGE, "--iteration=%zu: version %zu comes first in %s", l->i, next,
			       l->run.folder);
	if (l->i < next && !is_redo)
		return err_set(e, ERR_USAGE,
			       "%s exists: version %zu was evaluated; --redo keeps the old folder and does it again",
			       run_iteration_folder(&l->run, l->i), l->i);
	return true;
}

static struct json *digest_of(struct arena *a, const char *path)
{
	char digest[SHA256_HEX];
	struct err absent;
	if (!sha256_file(path, digest, &absent))
		return json_new_null(a);
	return json_new_str(a, str_from(digest));
}

static struct json *proposed_now(const struct loop *l)
{
	struct json *j = json_object(l->arena);
	json_set_u64(j, "iteration", l->i + 1);
	json_set(j, "kernel_sha256", digest_of(l->arena, run_next_path(&l->run, l->i + 1)));
	const char *set = run_next_set_path(&l->run, l->i + 1);
	json_set(j, "set_sha256", set ? digest_of(l->arena, set) : json_new_null(l->arena));
	json_set(j, "proposal_sha256", digest_of(l->arena, run_proposal_path(&l->run, l->i)));
	return j;
}

/* What the manifest notes as finished is what lies there. */
static bool is_proposed(const struct loop *l)
{
	static const char *const keys[] = {"kernel_sha256", "proposal_sha256"};
	const struct json *before = json_get(l->run.manifest, "proposed"), *now = proposed_now(l);
	if (json_i64(before, "iteration", -1) != (int64_t)l->i + 1)
		return false;
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct str x = json_str(before, keys[i], STR("")), y = json_str(now, keys[i], STR(""));
		if (!x.n || !str_eq(x, y))
			return false;
	}
	return str_eq(json_str(before, "set_sha256", STR("")), json_str(now, "set_sha256", STR("")));
}

static bool look_at_proposal(struct loop *l, struct gate *g, struct err *e)
{
	struct gate_input in = {.path = run_proposal_path(&l->run, l->i),
				.folder = run_iteration_folder(&l->run, l->i),
				.backend = backend_name(l->op.backend),
				.is_first = l->i == 0,
				.constraints = l->constraints,
				.shown = json_get(l->run.manifest, "constraints")};
	return gate_read(g, l->arena, &in, e);
}

static bool begin_again(struct loop *l, struct err *e)
{
	struct template_input t = {l->i, backend_name(l->op.backend), l->constraints};
	return proposer_clear(&l->run, l->i + 1, e) &&
	       template_write(run_proposal_path(&l->run, l->i), l->arena, &t, e);
}

bool drive_propose(struct loop *l, struct json **touched, struct err *e)
{
	struct gate *g = ARENA_NEW(l->arena, struct gate);
	struct err refusal = {ERR_NONE, ""};
	*touched = NULL;
	proposer_settle(&l->run);
	if (is_proposed(l))
		return true;
	/* A version that lies there without that note: its proposer was killed in the middle. */
	if (file_exists(run_next_path(&l->run, l->i + 1)) && !begin_again(l, e))
		return false;
	for (int k = 0; k < DRIVE_TRIES; k++) {
		bool ok = proposer_run(touched, &l->run, l->out->state, l->o, e);
		json_set(l->out->state, "touched_files", *touched ? *touched : json_array(l->arena));
		if (*touched && (*touched)->n)
			return false;
		if (!ok && k > 0 && e->code == ERR_INPUT)
			break; /* it was asked again and changed nothing: the errors of its proposal are the answer */
		if (!ok || !look_at_proposal(l, g, e))
			return false;
		if (!g->lint.n_errors) {
			json_set_null(l->out->state, "proposal_errors");
			json_set(l->run.manifest, "proposed", proposed_now(l));
			return run_save(&l->run, e);
		}
		(void)gate_refuse(g, &refusal);
		json_set(l->out->state, "proposal_errors", lint_json(&g->lint, l->arena));
		loop_say(l, arena_printf(l->arena, "the proposal has errors: %s", refusal.text));
	}
	*e = refusal;
	return false;
}
