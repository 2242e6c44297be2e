/* assay explain: a paragraph on a metric, a class of bottleneck, a card, an error or a verdict.
 * In: a word that assay or a profiler printed. Out: what the tables say of it.
 * Tables: metric.def, signal.def, rule.def, card.def, err.def, verdict.def.
 * Never: knows a text of its own. */
#include <stddef.h>

#include "facts/rule.h"
#include "facts/verdict.h"
#include "knowledge/card.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
};
static const struct opt_row rows[] = {VERB_COMMON_ROWS};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {"assay explain LATENCY_BOUND", "assay explain lts__t_sector_hit_rate.pct",
				       "assay explain lease_taken", NULL};

static const char *text_of(struct arena *a, struct buf *b)
{
	const char *text = arena_strndup(a, b->p ? b->p : "", b->n);
	buf_release(b);
	return text;
}

static const char *metric_text(struct arena *a, struct str word)
{
	enum metric_id m;
	if (!metric_from_id(word, &m) && !metric_from_name(word, &m))
		return NULL;
	const struct metric_row *r = metric_row(m);
	return arena_printf(
		a, "%s: %s, unit %s, %s over the chip's units, collected by the section %s. Profiler names: %s.", r->id,
		r->label, *r->unit ? r->unit : "none", r->aggregation, r->section, *r->names ? r->names : "none");
}

static const char *signal_text(struct arena *a, struct str word)
{
	const struct signal_row *s = signal_find(word);
	return s ? arena_printf(a, "%s: %s, unit %s. Profiler names: %s.", s->id, s->what, *s->unit ? s->unit : "none",
				*s->names ? s->names : "none")
		 : NULL;
}

static const char *rule_text(struct arena *a, struct str word)
{
	static const struct {
		const char *rule;
		enum metric_id metric;
		const char *op;
		double constant, factor;
		enum metric_id other;
		const char *source;
	} rules[] = {
#define GT ">"
#define LT "<"
#define GE ">="
#define RULE(rule, group, metric, op, constant, factor, other, source)                                                 \
	{rule, METRIC_##metric, op, constant, factor, METRIC_##other, source},
#include "facts/rule.def"
#undef RULE
	};
	struct buf b;
	size_t n = 0;
	buf_init(&b);
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		if (!str_is(word, rules[i].rule))
			continue;
		if (n++)
			buf_puts(&b, "; ");
		else
			buf_printf(&b, "%s: a rule over one launch, conditions: ", rules[i].rule);
		buf_printf(&b, "%s %s %g", metric_row(rules[i].metric)->id, rules[i].op, rules[i].constant);
		if (rules[i].factor != 0)
			buf_printf(&b, " + %g * %s", rules[i].factor, metric_row(rules[i].other)->id);
		buf_printf(&b, " (%s)", rules[i].source);
	}
	buf_puts(&b, ". None, one or several rules can hold.");
	const char *text = text_of(a, &b);
	return n ? text : NULL;
}

static const char *card_text(struct arena *a, struct str word)
{
	const struct card *c = card_find(word);
	if (!c)
		return NULL;
	return arena_printf(a, "%s: %s Signs: %s. Against: %s. Cheapest falsifier: %s. Architectures: %s. Sources: %s.",
			    c->id, c->what, c->signs, c->against, c->falsifier, *c->sm ? c->sm : "any", c->sources);
}

static const char *error_text(struct arena *a, struct str word)
{
	static const struct {
		const char *name;
		int exit;
	} errors[] = {
#define ERR(code, name, exit) {name, exit},
#include "base/err.def"
#undef ERR
	};
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		if (str_is(word, errors[i].name))
			return arena_printf(
				a,
				"%s: an error code: assay could not do it; exit status %d. The text beside it names "
				"the place.",
				errors[i].name, errors[i].exit);
	}
	return NULL;
}

static const char *verdict_words(struct arena *a, struct str word)
{
	enum verdict v;
	if (!verdict_from_word(word, &v) && !verdict_flag(word, &v))
		return NULL;
	if (verdict_stage(v) == VERDICT_STAGE_FLAG)
		return arena_printf(a,
				    "%s: a fact about a right answer: %s. Exit status 0; --forbid turns it into %s, "
				    "exit status %d.",
				    verdict_word(v), verdict_text(v), verdict_word(verdict_forbidden(v)),
				    verdict_exit(verdict_forbidden(v)));
	return arena_printf(a, "%s: a verdict of the stage %s: %s. Exit status %d.", verdict_word(v),
			    verdict_stage_name(verdict_stage(v)), verdict_text(v), verdict_exit(v));
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	static const struct {
		const char *kind;
		const char *(*text)(struct arena *, struct str);
	} kinds[] = {{"metric", metric_text}, {"signal", signal_text}, {"class", rule_text},
		     {"card", card_text},     {"error", error_text},   {"verdict", verdict_words}};
	const struct options *o = options;
	struct str word = str_from(o->args.items[0]);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		const char *text = kinds[i].text(call->arena, word);
		if (!text)
			continue;
		if (o->common.json) {
			struct json *j = json_object(call->arena);
			json_set_cstr(j, "format", "assay/explain-v1");
			json_set_cstr(j, "kind", kinds[i].kind);
			json_set_str(j, "word", word);
			json_set_cstr(j, "text", text);
			verb_put_json(call, j);
		} else {
			term_wrap(call->out, str_from(text), 0, 0, call->term.width);
			buf_char(call->out, '\n');
		}
		return true;
	}
	return err_set(e, ERR_INPUT, "explain: '%s' is no metric, class, card, error or verdict", o->args.items[0]);
}

static const struct opt_spec spec = {
	.verb = "explain",
	.summary = "Explains a metric, class, card, error or verdict.",
	.positional = "WORD",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_explain = {&spec, &defaults, run, VERB_READ_ONLY | VERB_QUICK};
