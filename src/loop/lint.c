/* Lint of a proposal.
 * In: a proposal, what its iteration's report prints, the preferred strategies. Out: findings with lines.
 * Order: headings, then each section in the order of the file.
 * Never: judges whether an idea is good. */
#include "loop/lint.h"

#include <stdarg.h>
#include <stdio.h>

#include "facts/mechanism.h"
#include "loop/guide.h"

static void PRINTF_LIKE(4, 5) found(struct lint *l, enum lint_level level, unsigned line, const char *fmt, ...)
{
	char text[600];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 16;
		struct lint_finding *grown = ARENA_ARRAY(l->arena, l->cap, struct lint_finding);
		if (l->n)
			memcpy(grown, l->items, l->n * sizeof(*grown));
		l->items = grown;
	}
	l->items[l->n++] = (struct lint_finding){level, line, arena_strdup(l->arena, text)};
	l->n_errors += level == LINT_ERROR;
}

/* "21.89 %" as one value for messages. */
static const char *shown(struct arena *a, struct str s)
{
	char out[STR_SHOWN];
	return arena_strdup(a, str_shown(out, s));
}

static void check_headings(struct lint *l, const struct proposal *p, const struct lint_context *c)
{
	for (size_t i = 0; i < PROPOSAL_HEADINGS; i++) {
		const struct proposal_section *s = &p->sections[i];
		bool is_wanted = i == PROPOSAL_REFERENCES ? c->is_first
				 : i == PROPOSAL_BOTTLENECKS || i == PROPOSAL_EVIDENCE || i == PROPOSAL_PIPELINING
					 ? !c->is_first
					 : true;
		const char *name = proposal_heading_name((enum proposal_heading)i);
		if (!s->n && is_wanted)
			found(l, LINT_ERROR, 0, "no heading \"## %s\"", name);
		if (s->n > 1)
			found(l, LINT_ERROR, s->line, "heading \"## %s\" stands %u times", name, s->n);
	}
}

static void check_references(struct lint *l, const struct proposal *p, const struct lint_context *c)
{
	const struct proposal_section *s = &p->sections[PROPOSAL_REFERENCES];
	if (!s->n)
		return;
	for (size_t i = 0; i < p->n_references; i++) {
		const struct proposal_reference *r = &p->references[i];
		if (!r->item.n)
			found(l, LINT_ERROR, r->line, "a row of the reference table names no item");
		if (r->status == PROPOSAL_OPEN)
			found(l, LINT_ERROR, r->line,
			      "\"%s\": status \"%s\" is none of adopted, does not fit, conflicts",
			      shown(l->arena, r->item), shown(l->arena, r->status_text));
		if (!r->reason.n)
			found(l, LINT_ERROR, r->line, "\"%s\": no reason", shown(l->arena, r->item));
	}
	for (size_t i = 0; c->is_first; i++) {
		const char *group = guide_group(c->backend, i);
		size_t n = 0;
		if (!group)
			break;
		for (size_t k = 0; k < p->n_references; k++)
			n += str_starts(p->references[k].item, group);
		if (!n)
			found(l, LINT_ERROR, s->line, "the reference table has no row \"%s...\" (backend %s: %s)",
			      group, c->backend, guide_files(c->backend));
	}
}

static void check_bottlenecks(struct lint *l, const struct proposal *p, const struct lint_context *c)
{
	const struct proposal_section *s = &p->sections[PROPOSAL_BOTTLENECKS];
	if (s->n && p->n_bottlenecks == 0 && !c->is_first)
		found(l, LINT_ERROR, s->line, "no bottleneck: a numbered list of one or two is wanted");
	if (p->n_bottlenecks > 2)
		found(l, LINT_ERROR, s->line, "%zu bottlenecks: a version deals with at most two", p->n_bottlenecks);
}

static void check_claim(struct lint *l, const struct proposal_evidence *x, const struct evidence *v, size_t *n_profile)
{
	struct evidence_answer answer;
	struct arena *a = l->arena;
	if (!x->claim.metric.n) {
		found(l, LINT_ERROR, x->line, "\"%s\" is not of the form \"metric = value unit\"", shown(a, x->text));
		return;
	}
	if (!v)
		return;
	evidence_check(&answer, v, &x->claim);
	*n_profile += answer.match == EVIDENCE_EQUAL && answer.is_profile;
	const char *metric = shown(a, x->claim.metric);
	switch (answer.match) {
	case EVIDENCE_EQUAL:
		return;
	case EVIDENCE_NO_METRIC:
		found(l, LINT_ERROR, x->line, "neither the full report nor benchmark_result.json has \"%s\"%s%s%s",
		      metric, answer.near ? "; the nearest name is \"" : "", answer.near ? answer.near : "",
		      answer.near ? "\"" : "");
		return;
	case EVIDENCE_OTHER_UNIT:
	case EVIDENCE_OTHER_VALUE:
		found(l, LINT_ERROR, x->line, "%s = %s%s%s, but %s says %s", metric, shown(a, x->claim.value),
		      x->claim.unit.n ? " " : "", x->claim.unit.n ? shown(a, x->claim.unit) : "", answer.where,
		      answer.actual);
		return;
	}
}

static void check_evidence(struct lint *l, const struct proposal *p, const struct lint_context *c)
{
	const struct proposal_section *s = &p->sections[PROPOSAL_EVIDENCE];
	size_t n_profile = 0;
	for (size_t i = 0; i < p->n_evidence; i++)
		check_claim(l, &p->evidence[i], c->evidence, &n_profile);
	if (!s->n || c->is_first || !c->evidence)
		return;
	if (p->n_evidence == 0 && !evidence_is_empty(c->evidence))
		found(l, LINT_ERROR, s->line, "no evidence line \"- metric = value unit\"");
	else if (p->n_evidence > 0 && n_profile == 0 && c->evidence->has_profile)
		found(l, LINT_ERROR, s->line, "no evidence line cites the full report (full_details.txt)");
}

static void check_bodies(struct lint *l, const struct proposal *p, const struct lint_context *c)
{
	static const struct {
		enum proposal_heading heading;
		bool in_first;
		const char *wanted;
	} bodies[] = {
		{PROPOSAL_PIPELINING, false, "whether a deeper pipeline fits, with the reason"},
		{PROPOSAL_CHANGE, true, "what the next version does"},
	};
	for (size_t i = 0; i < COUNT_OF(bodies); i++) {
		const struct proposal_section *s = &p->sections[bodies[i].heading];
		if (s->n && !s->body.n && (bodies[i].in_first || !c->is_first))
			found(l, LINT_ERROR, s->line, "\"## %s\" is empty: %s",
			      proposal_heading_name(bodies[i].heading), bodies[i].wanted);
	}
}

static void check_answer(struct lint *l, const struct proposal *p, const struct json *strategy)
{
	struct str fingerprint = json_str(strategy, "fingerprint", STR(""));
	const struct proposal_answer *x = proposal_answer(p, fingerprint);
	struct tags tags;
	tags_from_json(&tags, l->arena, json_get(strategy, "tags"));
	bool is_subset = tags_subset(&tags, &p->tags);
	if (!x) {
		if (!str_is(json_str(strategy, "reason", STR("")), "baseline_seed"))
			found(l, LINT_ERROR, p->sections[PROPOSAL_PREFERRED].line,
			      "preferred strategy %.*s (%s) is not answered: merged, or not merged with the reason",
			      STR_ARG(fingerprint), tags_text(l->arena, &tags));
		return;
	}
	if (!x->is_answered)
		found(l, LINT_ERROR, x->line, "%.*s: neither \"merged\" nor \"not merged\" follows the colon",
		      STR_ARG(fingerprint));
	else if (x->is_merged && !is_subset)
		found(l, LINT_ERROR, x->line,
		      "%.*s is called merged, but its tags (%s) are not all among the new ones (%s)",
		      STR_ARG(fingerprint), tags_text(l->arena, &tags), tags_text(l->arena, &p->tags));
	else if (!x->is_merged && is_subset)
		found(l, LINT_NOTE, x->line, "%.*s is called not merged, and its tags are all among the new ones",
		      STR_ARG(fingerprint));
	if (x->is_answered && !x->is_merged && !x->reason.n)
		found(l, LINT_ERROR, x->line, "%.*s: not merged, and no reason", STR_ARG(fingerprint));
}

static bool is_known_strategy(const struct json *preferred, struct str fingerprint)
{
	for (size_t i = 0; preferred && i < preferred->n; i++) {
		if (str_eq(json_str(preferred->items[i], "fingerprint", STR("")), fingerprint))
			return true;
	}
	return false;
}

static void check_preferred(struct lint *l, const struct proposal *p, const struct lint_context *c)
{
	if (!c->preferred)
		return;
	for (size_t i = 0; p->sections[PROPOSAL_PREFERRED].n && i < c->preferred->n; i++)
		check_answer(l, p, c->preferred->items[i]);
	for (size_t i = 0; i < p->n_answers; i++) {
		const struct proposal_answer *x = &p->answers[i];
		if (!is_known_strategy(c->preferred, x->fingerprint))
			found(l, LINT_NOTE, x->line, "%.*s is no preferred strategy here", STR_ARG(x->fingerprint));
	}
}

static void check_tags(struct lint *l, const struct proposal *p)
{
	const struct proposal_section *s = &p->sections[PROPOSAL_TAGS];
	struct arena *a = l->arena;
	if (s->n && p->tags.n == 0)
		found(l, LINT_ERROR, s->line,
		      "no strategy tag: \"- tag\", one a line; without tags there is no next version");
	for (size_t i = 0; i < p->n_written; i++) {
		const struct proposal_tag *t = &p->written[i];
		const char *normal = tag_normal(a, t->written);
		if (t->written.n > TAG_LENGTH_MAX) {
			found(l, LINT_ERROR, t->line, "a tag of %zu bytes; %d are allowed", t->written.n,
			      TAG_LENGTH_MAX);
			continue;
		}
		if (!*normal) {
			found(l, LINT_ERROR, t->line, "tag \"%s\" keeps nothing of a-z 0-9 _ -", shown(a, t->written));
			continue;
		}
		if (!tags_has(&p->tags, normal))
			found(l, LINT_ERROR, t->line, "tag \"%s\" is beyond the limit of %d", normal, TAGS_MAX);
		if (!str_is(t->written, normal))
			found(l, LINT_NOTE, t->line, "tag \"%s\" is taken as %s", shown(a, t->written), normal);
		if (!mechanism_find(str_from(normal)))
			found(l, LINT_NOTE, t->line, "tag %s names no known mechanism", normal);
	}
}

void lint_proposal(struct lint *out, struct arena *a, const struct proposal *p, const struct lint_context *c)
{
	*out = (struct lint){.arena = a, .path = p->path};
	check_headings(out, p, c);
	check_references(out, p, c);
	check_bottlenecks(out, p, c);
	check_evidence(out, p, c);
	check_bodies(out, p, c);
	check_preferred(out, p, c);
	check_tags(out, p);
}

void lint_text(const struct lint *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct lint_finding *f = &l->items[i];
		buf_printf(out, "%s:", l->path);
		if (f->line)
			buf_printf(out, "%u:", f->line);
		buf_printf(out, " %s: %s\n", f->level == LINT_ERROR ? "error" : "note", f->text);
	}
}

struct json *lint_json(const struct lint *l, struct arena *a)
{
	struct json *list = json_array(a);
	for (size_t i = 0; i < l->n; i++) {
		struct json *x = json_object(a);
		json_set_cstr(x, "level", l->items[i].level == LINT_ERROR ? "error" : "note");
		json_set(x, "line", l->items[i].line ? json_new_i64(a, l->items[i].line) : json_new_null(a));
		json_set_cstr(x, "text", l->items[i].text);
		json_push(list, x);
	}
	return list;
}

const struct lint_finding *lint_first_error(const struct lint *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->items[i].level == LINT_ERROR)
			return &l->items[i];
	}
	return NULL;
}
