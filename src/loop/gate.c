/* The gate between two versions.
 * In: a proposal, the reports beside it, what the memory says. Out: findings, tags, fingerprint, what blocks it.
 * The same code answers `--lint-proposal` and stands before each build.
 * Never: lets a proposal without tags pass. */
#include "loop/gate.h"

bool gate_read(struct gate *out, struct arena *a, const struct gate_input *in, struct err *e)
{
	memset(out, 0, sizeof(*out));
	if (!proposal_read(&out->proposal, a, in->path, e) ||
	    (in->folder && !evidence_read(&out->evidence, a, in->folder, e)))
		return false;
	struct lint_context c = {.backend = in->backend,
				 .is_first = in->is_first,
				 .evidence = in->folder ? &out->evidence : NULL,
				 .preferred = json_get(in->shown, "preferred")};
	lint_proposal(&out->lint, a, &out->proposal, &c);
	out->strategy.tags = out->proposal.tags;
	tags_fingerprint(&out->strategy.tags, in->backend, out->strategy.fingerprint);
	if (!out->strategy.tags.n)
		return true;
	out->blocked = constraints_blocked(in->constraints, out->strategy.fingerprint);
	if (!out->blocked)
		out->same = constraints_same(in->constraints, &out->strategy.tags, a);
	return true;
}

bool gate_refuse(const struct gate *g, struct err *e)
{
	const struct lint_finding *f = lint_first_error(&g->lint);
	const char *path = g->lint.path;
	if (proposal_is_template(&g->proposal))
		return err_set(e, ERR_INPUT,
			       "%s: is still the template; the next version is looked at once it says what changes and "
			       "has tags",
			       path);
	if (g->lint.n_errors > 1)
		return err_set(e, ERR_INPUT, "%s:%u: %s (%zu more: assay optimize --lint-proposal %s)", path, f->line,
			       f->text, g->lint.n_errors - 1, path);
	return err_set(e, ERR_INPUT, "%s:%u: %s", path, f->line, f->text);
}

struct json *gate_json(struct arena *a, const struct gate *g)
{
	struct json *j = json_object(a), *none = json_new_null(a);
	json_set_cstr(j, "format", "assay/proposal-lint-v1");
	json_set_cstr(j, "path", g->lint.path);
	json_set_bool(j, "ok", g->lint.n_errors == 0 && !g->blocked);
	json_set_u64(j, "n_errors", g->lint.n_errors);
	json_set(j, "tags", tags_json(a, &g->strategy.tags));
	json_set_cstr(j, "fingerprint", g->strategy.tags.n ? g->strategy.fingerprint : NULL);
	json_set(j, "mechanisms", tags_mechanisms(a, &g->strategy.tags));
	struct json *blocked = json_get(g->blocked, "fingerprint"), *same = json_get(g->same, "fingerprint");
	json_set(j, "blocked", blocked ? blocked : none);
	json_set(j, "same_mechanisms_as", same ? same : none);
	json_set(j, "findings", lint_json(&g->lint, a));
	return j;
}
