/* Budgets.
 * In: a Target's limits, what its invocations took. Out: seconds left.
 * .index/spent holds a name ID.MILLISECONDS for each; without it the results are read.
 * Never: ends anything. */
#include "protocol/evaluate/budget.h"

#include <math.h>

#include "protocol/evaluate/plan.h"

static bool spent_by_index(double *s, struct protocol *p, struct err *e)
{
	size_t n = 0;
	char **names = plan_index(p, "spent", &n, e);
	*s = 0;
	for (size_t i = 0; names && i < n; i++) {
		uint64_t ms = 0;
		const char *dot = strrchr(names[i], '.');
		if (dot && str_u64(str_from(dot + 1), &ms))
			*s += (double)ms / 1e3;
	}
	return names != NULL;
}

static bool spent_by_results(double *s, struct protocol *p, struct err *e)
{
	size_t n = 0;
	char **names = file_list(p->arena, evidence_path(p, "invocations"), &n, e);
	*s = 0;
	for (size_t i = 0; names && i < n; i++) {
		char *path = arena_printf(p->arena, "invocations/%s/result.json", names[i]);
		if (!file_exists(evidence_path(p, path)))
			continue;
		struct json *r = evidence_record(p, path, NULL, e);
		if (!r)
			return false;
		*s += json_f64(r, "elapsed_seconds", 0);
	}
	return names != NULL;
}

bool budget_left(double *seconds, struct protocol *p, const struct target *t, struct err *e)
{
	const struct json *b = json_path(t->record, "assay.budget"), *gpus = target_gpus(t);
	double s;
	*seconds = (double)INFINITY;
	if (!b)
		return true;
	bool has_index = file_is_dir(evidence_path(p, ".index/spent"));
	if (!(has_index ? spent_by_index(&s, p, e) : spent_by_results(&s, p, e)))
		return false;
	*seconds = json_f64(b, "wall_seconds", 0) - s;
	double n = gpus ? (double)gpus->n : 0;
	if (n > 0)
		*seconds = fmin(*seconds, json_f64(b, "gpu_seconds", 0) / n - s);
	return true;
}

bool budget_spend(struct protocol *p, const char *id, double seconds, struct err *e)
{
	return plan_index_add(p, "spent", arena_printf(p->arena, "%s.%.0f", id, ceil(seconds * 1e3)), e);
}
