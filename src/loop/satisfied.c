/* Rules that a report satisfies.
 * In: a full report. Out: one line a satisfied rule, with its numbers.
 * None, one or several: there is no winner among them.
 * Never: evaluates a rule on counters that are not there. */
#include "loop/satisfied.h"

#include "facts/rule.h"
#include "read/ncu/facts.h"

static struct json *answer(struct arena *a, const char *reason)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "state", reason ? "not_evaluated" : "evaluated");
	json_set_cstr(j, "reason", reason);
	json_set_array(j, "rules");
	return j;
}

static void add_rules(struct json *list, const struct ncu_report *r, const struct ncu_result *res)
{
	struct ncu_subject subject = {r, res};
	struct buf line;
	buf_init(&line);
	for (size_t i = 0; i < rule_count(); i++) {
		struct rule_finding f;
		rule_evaluate(&f, i, ncu_rule_lookup, &subject);
		if (f.state != RULE_SATISFIED)
			continue;
		buf_clear(&line);
		buf_printf(&line, "%.*s: ", STR_ARG(res->function.n ? res->function : res->name));
		rule_finding_text(&f, &line);
		json_push_str(list, str_trim(buf_view(&line)));
	}
	buf_release(&line);
}

struct json *satisfied_rules(struct arena *a, const char *report)
{
	struct ncu_report r;
	struct err e;
	if (!report)
		return answer(a, "there is no full report");
	if (!str_ends(str_from(report), ".ncu-rep"))
		return answer(a, "the rules are about GPU counters");
	if (!ncu_open(&r, report, &e)) {
		ncu_release(&r);
		return answer(a, arena_strdup(a, e.text));
	}
	struct json *j = answer(a, NULL);
	for (size_t i = 0; i < r.n_results && i < 16; i++)
		add_rules(json_get(j, "rules"), &r, &r.results[i]);
	ncu_release(&r);
	return j;
}
