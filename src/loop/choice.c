/* One of a set.
 * In: a version's set of configurations. Out: the bench of the one that stands for the version, and what became of all.
 * A minimum over noisy medians is too low; so the first bench of each chooses, and another one of the chosen is the figure.
 * Never: takes a configuration that failed once; looks at the workload. */
#include "loop/choice.h"

#include "base/sha256.h"

static bool passed(const struct bench *b)
{
	return verdict_exit(b->verdict) == 0;
}

/* Those in rank, until one passes again or the machine's verdict ends it. */
static bool take_ranked(struct choice *c, struct bench *bench, const struct bench_options *b, struct err *e)
{
	struct configs *set = &c->configs;
	for (size_t k = 0; k < set->n_ranked; k++) {
		struct configs_tried *t = &set->tried[set->order[k]];
		struct bench_options own = *b;
		own.flags = configs_flags(set, set->order[k]);
		t->second = ARENA_NEW(set->arena, struct bench);
		if (!bench_run(t->second, set->arena, &own, e))
			return false;
		*bench = *t->second;
		c->chosen = passed(bench) ? t : NULL;
		if (c->chosen || verdict_exit(bench->verdict) > 1)
			break;
	}
	return true;
}

/* What failed keeps its first verdict; what did not build, or was not timed, says so once more in the version's folder. */
static bool take_fallback(struct choice *c, struct bench *bench, const struct bench_options *b, struct err *e)
{
	struct configs *set = &c->configs;
	size_t i = set->i_untimed < set->set.n ? set->i_untimed : set->set.i_fallback;
	struct configs_tried *t = &set->tried[i];
	struct bench_options own = *b;
	own.flags = configs_flags(set, i);
	if (t->bench && !passed(t->bench)) {
		*bench = *t->bench;
	} else if (!bench_run(bench, set->arena, &own, e)) {
		return false;
	}
	c->chosen = passed(bench) ? t : NULL;
	return true;
}

static const char *say_none(const struct choice *c, const struct bench *bench)
{
	const struct configs *set = &c->configs;
	const char *why = bench->text && *bench->text ? bench->text : verdict_text(bench->verdict);
	if (set->n_ranked)
		return arena_printf(set->arena, "%zu of %zu configurations passed, but not when benched again; %s",
				    set->n_ranked, set->set.n, why);
	return arena_printf(set->arena, "none of %zu configurations passed; %s", set->set.n, why);
}

bool choice_make(struct choice *out, struct bench *bench, const char *set, const struct bench_options *b,
		 struct arena *a, struct err *e)
{
	struct bench_options first = *b;
	struct configs *c = &out->configs;
	*out = (struct choice){.chosen = NULL};
	first.folder = first.inputs = NULL;
	first.extra = NULL; /* of the chosen one alone */
	if (!configs_open(c, a, set, &first, e) || !configs_plan(c, e) || !configs_run(c, e))
		return false;
	if (c->stopped_by)
		*bench = *c->stopped_by->bench;
	else if (!(c->n_ranked ? take_ranked(out, bench, b, e) : take_fallback(out, bench, b, e)))
		return false;
	if (!out->chosen && !c->stopped_by)
		bench->text = say_none(out, bench);
	out->results = configs_json(c);
	json_set_cstr(out->results, "chosen", out->chosen ? out->chosen->config->id : NULL);
	return configs_store(c, out->results, out->id, e);
}

struct json *choice_json(const struct choice *c, const char *set, const char *results, struct arena *a)
{
	const struct configs *x = &c->configs;
	const struct config *config = c->chosen ? c->chosen->config : NULL;
	struct json *j = json_object(a);
	char sha[SHA256_HEX];
	struct err ignored;
	size_t n_passed = 0;
	for (size_t i = 0; i < x->set.n; i++)
		n_passed += x->tried[i].bench && passed(x->tried[i].bench) ? 1 : 0;
	json_set_cstr(j, "id", config ? config->id : NULL);
	json_set_cstr(j, "switches", config ? config->switches : NULL);
	json_set(j, "values", config ? config->values : json_new_null(a));
	json_set_cstr(j, "set", set);
	json_set_cstr(j, "set_sha256", sha256_file(set, sha, &ignored) ? sha : NULL);
	json_set_cstr(j, "results", results);
	json_set_cstr(j, "record", c->id);
	json_set_u64(j, "n", x->set.n);
	json_set_u64(j, "n_passed", n_passed);
	return j;
}
