/* Words of verdicts.
 * In: a verdict or its word. Out: word, text, stage, exit status.
 * Everything stands in facts/verdict.def.
 * Never: decides anything. */
#include "facts/verdict.h"

static const struct {
	const char *word, *text;
	int exit_status;
	enum verdict_stage stage;
} rows[VERDICT_COUNT] = {
#define VERDICT(stage, id, word, exit, text) {word, text, exit, VERDICT_STAGE_##stage},
#include "facts/verdict.def"
#undef VERDICT
};

const char *verdict_word(enum verdict v)
{
	return rows[v].word;
}

const char *verdict_text(enum verdict v)
{
	return rows[v].text;
}

int verdict_exit(enum verdict v)
{
	return rows[v].exit_status;
}

enum verdict_stage verdict_stage(enum verdict v)
{
	return rows[v].stage;
}

const char *verdict_stage_name(enum verdict_stage s)
{
	static const char *const names[] = {"check", "build", "run", "correctness", "integrity", "flag", "comparison"};
	return names[s];
}

bool verdict_flag(struct str name, enum verdict *out)
{
	for (size_t i = 0; i < VERDICT_COUNT; i++) {
		if (rows[i].stage == VERDICT_STAGE_FLAG && str_is(name, rows[i].word + strlen("flagged:"))) {
			*out = (enum verdict)i;
			return true;
		}
	}
	return false;
}

enum verdict verdict_forbidden(enum verdict flag)
{
	if (rows[flag].stage != VERDICT_STAGE_FLAG)
		BUG("no flag");
	return (enum verdict)(flag + 1); /* the table has them in pairs; a test holds it to that */
}

bool verdict_from_word(struct str word, enum verdict *out)
{
	for (size_t i = 0; i < VERDICT_COUNT; i++) {
		if (str_is(word, rows[i].word)) {
			*out = (enum verdict)i;
			return true;
		}
	}
	return false;
}
