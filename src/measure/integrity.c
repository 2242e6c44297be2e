/* The list of integrity checks.
 * In: findings of those who look. Out: the verdict, flags, and the record's list.
 * The first rejection stands; a flag rejects where it is forbidden.
 * Never: looks itself, takes a claim for a fact. */
#include "measure/integrity.h"

#include "base/clock.h"

void integrity_open(struct integrity *g, struct arena *a)
{
	*g = (struct integrity){.arena = a,
				.checks = json_array(a),
				.flags = json_array(a),
				.seconds = json_object(a),
				.verdict = VERDICT_PASSED,
				.text = ""};
}

static const char *all_flags(struct arena *a)
{
	const char *text = "";
	for (size_t i = 0; i < VERDICT_COUNT; i++) {
		if (verdict_stage((enum verdict)i) == VERDICT_STAGE_FLAG)
			text = arena_printf(a, "%s%s%s", text, *text ? ", " : "",
					    verdict_word((enum verdict)i) + strlen("flagged:"));
	}
	return text;
}

bool integrity_forbid(struct integrity *g, const char *names, struct err *e)
{
	struct str rest = str_from(names), name;
	while (rest.n && str_split(&rest, ',', &name)) {
		enum verdict flag;
		if (!verdict_flag(str_trim(name), &flag))
			return err_set(e, ERR_USAGE, "--forbid: '%.*s' is no flag; there are: %s", STR_ARG(name),
				       all_flags(g->arena));
		g->is_forbidden[flag] = true;
	}
	return true;
}

void integrity_add(struct integrity *g, const struct integrity_check *c)
{
	static const char *const states[] = {"passed", "failed", "not_applicable", "unavailable"};
	struct json *j = json_object(g->arena);
	json_set_cstr(j, "name", c->name);
	json_set_cstr(j, "state", states[c->state]);
	json_set_cstr(j, "witness", c->witness);
	json_set_cstr(j, "text", c->text);
	json_set(j, "evidence", c->evidence ? c->evidence : json_new_null(g->arena));
	json_push(g->checks, j);
}

void integrity_reject(struct integrity *g, enum verdict v, const char *text)
{
	if (g->verdict != VERDICT_PASSED)
		return;
	g->verdict = v;
	g->text = text;
}

void integrity_flag(struct integrity *g, enum verdict flag, const char *witness, const char *text)
{
	struct json *j = json_object(g->arena);
	json_set_cstr(j, "word", verdict_word(flag));
	json_set_cstr(j, "meaning", verdict_text(flag));
	json_set_cstr(j, "witness", witness);
	json_set_cstr(j, "text", text);
	json_set_bool(j, "forbidden", g->is_forbidden[flag]);
	json_push(g->flags, j);
	if (g->is_forbidden[flag])
		integrity_reject(g, verdict_forbidden(flag), text);
}

void integrity_cost(struct integrity *g, const char *round, int64_t begin_ns)
{
	json_set_f64(g->seconds, round, (double)(clock_ns() - begin_ns) / 1e9);
}

struct json *integrity_json(const struct integrity *g, enum verdict v)
{
	struct json *j = json_object(g->arena);
	bool is_accepted = v == VERDICT_PASSED || v == VERDICT_UNCHECKED;
	const char *word = verdict_word(v);
	json_set_cstr(j, "verdict",
		      v == VERDICT_PASSED                       ? "accepted"
		      : v == VERDICT_UNCHECKED                  ? "unchecked"
		      : str_starts(str_from(word), "rejected:") ? word
								: arena_printf(g->arena, "rejected:%s", word));
	json_set_bool(j, "accepted", is_accepted);
	json_set(j, "flags", g->flags);
	json_set(j, "checks", g->checks);
	json_set(j, "seconds", g->seconds);
	return j;
}
