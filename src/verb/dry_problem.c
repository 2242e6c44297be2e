/* What a verb with --problem would do.
 * In: the problem's file and the solutions, as text. Out: facts, steps, places.
 * Sizes, cases and entry are what the import finds out by running the problem, so the plan ends where they begin.
 * Never: runs the problem. */
#include <math.h>

#include "base/file.h"
#include "measure/import_format.h"
#include "verb/candidate.h"
#include "verb/dry_run.h"

static bool add_solution(struct dry_run *d, const struct candidate_options *c, const char *path, struct err *e)
{
	struct arena *a = d->call->arena;
	if (file_size(path) < 0 || file_is_dir(path))
		return err_set(e, ERR_INPUT, "%s: no such file; a solution of the problem is wanted", path);
	dry_step(d, "import", 5 * c->timeout_s,
		 arena_printf(a, "of %s: a sandboxed process runs the problem to learn its inputs and cases",
			      path_base(path)));
	dry_write(d, arena_printf(a, "assay-imported/%s-<digest>", path_stem(a, path)),
		  "kernel, data, reference, operator file");
	return true;
}

bool dry_problem(struct dry_run *d, const struct candidate_options *c, const struct opt_list *solutions, struct err *e)
{
	struct arena *a = d->call->arena;
	struct import_problem p;
	const char *python = c->python ? c->python : "python3", *verb = json_str(d->doc, "verb", STR("")).p;
	if (!candidate_owns_data(c, e) || !import_problem_read(&p, a, c->problem, e))
		return false;
	if (!path_which(a, python, NULL))
		return err_set(e, ERR_ENVIRONMENT,
			       "%s was not found: --problem needs it; --python names an interpreter", python);
	dry_fact(d, "problem", arena_printf(a, "%s, %s", p.format->name, p.path));
	for (size_t i = 0; i < solutions->n; i++) {
		if (!add_solution(d, c, solutions->items[i], e))
			return false;
	}
	dry_step(d, verb, NAN,
		 arena_printf(a, "of the files that the import makes; `assay %s --dry-run` of those says its steps",
			      verb));
	dry_record(d, c->store);
	return true;
}
