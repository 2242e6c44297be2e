/* A proposal on its own.
 * In: a file, and the run that it belongs to where there is one. Out: findings.
 * The constraints are those that stand in the run's state: the memory is not opened, so that nothing is written.
 * Never: changes a run. */
#include "loop/lint_file.h"

#include "base/file.h"
#include "loop/gate.h"

struct place {
	const char *run_dir;
	int64_t iteration;
	struct json *manifest;
};

/* .../RUN/iter_vI/FILE */
static void by_folder(struct place *p, struct arena *a, const char *path)
{
	const char *folder = path_dir(a, path_absolute(a, path)), *run = path_dir(a, folder);
	struct str name = str_from(path_base(folder));
	int64_t i;
	if (!str_starts(name, "iter_v") || !str_i64(str_sub(name, 6, name.n), &i) || i < 0)
		return;
	if (!p->run_dir && file_exists(path_join(a, run, "run_manifest.json")))
		p->run_dir = run;
	if (p->iteration < 0)
		p->iteration = i;
}

static bool find_place(struct place *p, struct arena *a, const struct lint_file *in, struct err *e)
{
	*p = (struct place){.run_dir = in->run_dir, .iteration = in->iteration};
	by_folder(p, a, in->path);
	if (!p->run_dir)
		return true;
	const char *path = path_join(a, p->run_dir, "run_manifest.json");
	p->manifest = json_read_file(a, path, JSON_STRICT, e);
	return p->manifest != NULL;
}

static const char *folder_of(struct place *p, struct arena *a)
{
	const char *folder = arena_printf(a, "%s/iter_v%lld", p->run_dir, (long long)p->iteration);
	return file_is_dir(folder) ? folder : NULL;
}

static void sum_up(struct buf *text, const struct gate *g, struct arena *a)
{
	lint_text(&g->lint, text);
	if (g->strategy.tags.n)
		buf_printf(text, "tags: %s; fingerprint %s\n", tags_text(a, &g->strategy.tags),
			   g->strategy.fingerprint);
	if (g->blocked)
		buf_printf(text, "blocked: %.*s, %.*s: %.*s\n", STR_ARG(json_str(g->blocked, "level", STR("?"))),
			   STR_ARG(json_str(g->blocked, "reason", STR("?"))),
			   STR_ARG(json_str(g->blocked, "why", STR("?"))));
	if (g->same)
		buf_printf(text, "same mechanisms under other names as blocked %.*s\n",
			   STR_ARG(json_str(g->same, "fingerprint", STR("?"))));
	if (g->lint.n_errors)
		buf_printf(text, "%zu error%s\n", g->lint.n_errors, g->lint.n_errors == 1 ? "" : "s");
	else
		buf_puts(text, g->blocked ? "form and evidence: ok\n" : "ok\n");
}

bool lint_file(struct json **out, struct buf *text, struct arena *a, const struct lint_file *in, struct err *e)
{
	struct place p;
	struct gate g;
	struct proposal title;
	if (!find_place(&p, a, in, e) || !proposal_read(&title, a, in->path, e))
		return false;
	if (p.iteration < 0)
		p.iteration = title.from;
	struct str backend = json_str(p.manifest, "backend", STR("cuda"));
	struct gate_input g_in = {.path = in->path,
				  .folder = p.run_dir && p.iteration >= 0 ? folder_of(&p, a) : NULL,
				  .backend = in->backend ? in->backend : arena_strndup(a, backend.p, backend.n),
				  .is_first = p.iteration == 0,
				  .constraints = json_get(p.manifest, "constraints"),
				  .shown = json_get(p.manifest, "constraints")};
	if (!gate_read(&g, a, &g_in, e))
		return false;
	*out = gate_json(a, &g);
	json_set_cstr(*out, "run_dir", p.run_dir);
	json_set(*out, "iteration", p.iteration < 0 ? json_new_null(a) : json_new_i64(a, p.iteration));
	json_set_bool(*out, "evidence_checked", g_in.folder != NULL);
	sum_up(text, &g, a);
	return true;
}
