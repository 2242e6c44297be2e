/* Knowledge cards: mechanisms with conditions over facts. The table is card.def; conditions are expressions over the ids of
 * facts/metric.def and signal.def, values in base units. A card says what holds, never what to do. */
#ifndef ASSAY_KNOWLEDGE_CARD_H
#define ASSAY_KNOWLEDGE_CARD_H

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define CARD_REVIEWED "2026-11-30"
#define CARD_MAX_VALUES 12

struct card {
	const char *id, *key; /* key: facts/mechanism.h */
	const char *sm, *toolkit, *framework, *layer;
	const char *what, *signs, *when, *against, *unless, *falsifier, *moves, *sources;
};
struct signal_row {
	const char *id, *unit, *what, *names; /* profiler names by preference, "|" between */
};

const struct card *card_at(size_t i);          /* in table order; NULL beyond the end */
const struct card *card_find(struct str name); /* id, or a mechanism's key or alias: its first card; NULL: none */
const struct signal_row *signal_find(struct str id);
const struct signal_row *signal_from_name(struct str profiler_name); /* NULL: none reads it */
/* Whether everything a card names is in its tables: mechanism, conditions, what moves, ranges. */
MUST_USE bool card_check(const struct card *c, struct arena *a, struct err *e);

struct card_identity { /* what is known of the subject; 0 and NULL: not known */
	int64_t sm;
	const char *toolkit, *framework;
};
/* NULL: nothing differs. Else "architecture: 80, the card holds for >=90". */
const char *card_differs(const struct card *c, const struct card_identity *who, struct arena *a);

enum card_state {
	CARD_HOLDS,
	CARD_COUNTERED,     /* its signal holds and so does its counter-signal */
	CARD_NOT_MET,       /* its signal does not hold */
	CARD_NOT_EVALUATED, /* a value is missing */
	CARD_NO_CONDITION   /* our facts cannot show it */
};
const char *card_state_name(enum card_state s);
struct card_value {
	struct str name;
	double value;
	const char *unit;
};
struct card_finding {
	enum card_state state;
	struct card_value values[CARD_MAX_VALUES]; /* what the conditions name and the subject has */
	size_t n_values;
	struct str missing; /* CARD_NOT_EVALUATED: the name that has no value */
};
/* Value of an id in its base unit; false: not there. */
typedef bool card_lookup(void *ctx, struct str id, double *out);
void card_evaluate(struct card_finding *out, const struct card *c, struct arena *a, card_lookup *lookup, void *ctx);
/* Every column of the table as JSON. */
struct json *card_json(const struct card *c, struct arena *a);

#endif
