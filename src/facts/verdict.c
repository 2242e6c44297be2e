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
