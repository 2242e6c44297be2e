/* assay knowledge: the mechanism cards, and which of them a profile speaks for.
 * In: an action; an identity; a profile. Out: cards, applicable, related or inapplicable, with the numbers.
 * The table and its conditions are knowledge/card.c.
 * Never: ranks cards, or says what to do. */
#include <stddef.h>

#include "facts/mechanism.h"
#include "knowledge/card.h"
#include "read/sass/signature.h"
#include "verb/knowledge_from.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args, keys;
	const char *from, *arch, *toolkit, *framework, *domain, *layer, *text;
	int64_t limit;
	bool all;
};
#define AT(field) .offset = offsetof(struct options, field)
static const struct opt_row rows[] = {
	{.name = "from",
	 .type = OPT_STRING,
	 AT(from),
	 .meta = "PATH",
	 .help = "query: an iteration folder, a report or a trace."},
	{.name = "key",
	 .type = OPT_LIST,
	 AT(keys),
	 .meta = "KEY",
	 .help = "query: these mechanisms or cards, whatever holds."},
	{.name = "arch",
	 .type = OPT_STRING,
	 AT(arch),
	 .meta = "SM",
	 .help = "Architecture, as in sm_90a or 90; without it the report's."},
	{.name = "toolkit", .type = OPT_STRING, AT(toolkit), .meta = "V", .help = "CUDA version, as in 12.4."},
	{.name = "framework",
	 .type = OPT_STRING,
	 AT(framework),
	 .meta = "NAME",
	 .help = "cuda, cutlass, triton, torch, nccl or serving."},
	{.name = "domain",
	 .type = OPT_STRING,
	 AT(domain),
	 .meta = "D",
	 .help = "Only memory, compute, latency, host, ..."},
	{.name = "layer",
	 .type = OPT_ENUM,
	 AT(layer),
	 .choices = "kernel|workload|diagnostic",
	 .meta = "L",
	 .help = "Only cards of this claim layer."},
	{.name = "text", .type = OPT_STRING, AT(text), .meta = "WORD", .help = "Only cards that hold this word."},
	{.name = "limit",
	 .type = OPT_I64,
	 AT(limit),
	 .min = 1,
	 .max = 1000,
	 .meta = "N",
	 .help = "At most N cards; how many more there are is said."},
	{.name = "all", .type = OPT_FLAG, AT(all), .help = "query --from: also cards whose condition does not hold."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .limit = 20};
static const char *const examples[] = {
	"assay knowledge query --from tests/data/ncu/gather.ncu-repz",
	"assay knowledge query --arch sm_90 --domain memory",
	"assay knowledge show coalesced_access",
	NULL,
};

struct work {
	const struct options *o;
	struct verb_call *call;
	struct card_identity who;
	struct knowledge_subject subjects[KNOWLEDGE_MAX_SUBJECTS];
	size_t n_subjects;
	struct json *list;
	size_t n_left_out;
};

static const char *domain_of(const struct card *c)
{
	const struct mechanism *m = mechanism_find(str_from(c->key));
	return m ? m->domain : "";
}

static bool holds_word(const struct card *c, const char *word)
{
	const char *const texts[] = {c->id, c->key, c->what, c->signs, c->against, c->falsifier, c->sources};
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (strcasestr(texts[i], word))
			return true;
	}
	return false;
}

static bool is_named(const struct work *w, const struct card *c)
{
	for (size_t i = 0; i < w->o->keys.n; i++) {
		const struct card *k = card_find(str_from(w->o->keys.items[i]));
		if (k && (k == c || strcmp(k->key, c->key) == 0))
			return true;
	}
	return false;
}

static bool is_wanted(const struct work *w, const struct card *c)
{
	const struct options *o = w->o;
	return (!o->domain || strcmp(o->domain, domain_of(c)) == 0) && (!o->layer || strcmp(o->layer, c->layer) == 0) &&
	       (!o->text || holds_word(c, o->text)) && (!o->keys.n || is_named(w, c));
}

static void put_values(struct json *j, const struct card_finding *f)
{
	struct json *list = json_set_array(j, "values");
	for (size_t i = 0; i < f->n_values; i++) {
		struct json *v = json_object(j->arena);
		json_set_str(v, "metric", f->values[i].name);
		json_set_f64(v, "value", f->values[i].value);
		json_set_cstr(v, "unit", f->values[i].unit);
		json_push(list, v);
	}
}

/* Whether SASS of that architecture can show the mechanism (assay read CUBIN says whether it does). */
static void put_signature(const struct work *w, const struct card *c, struct json *j)
{
	if (w->who.sm && sass_signature_covers(c->key, (unsigned)w->who.sm))
		json_set_cstr(j, "sass_signature", c->key);
}

/* One card over all launches; NULL when it is not to be shown. */
static struct json *evaluated(const struct work *w, const struct card *c, const char *differs)
{
	struct arena *a = w->call->arena;
	struct json *j = card_json(c, a), *launches = json_set_array(j, "launches");
	enum card_state best = CARD_NO_CONDITION;
	for (size_t i = 0; i < w->n_subjects; i++) {
		struct card_finding f;
		struct knowledge_subject k = w->subjects[i];
		card_evaluate(&f, c, a, knowledge_lookup, &k);
		best = f.state < best ? f.state : best;
		if ((f.state != CARD_HOLDS && !w->o->all) || launches->n >= 4)
			continue;
		struct json *x = json_object(a);
		json_set_u64(x, "launch", k.i);
		json_set_str(x, "kernel", str_sub(k.name, 0, 80));
		json_set_cstr(x, "state", card_state_name(f.state));
		if (f.missing.n)
			json_set_str(x, "missing", f.missing);
		put_values(x, &f);
		json_push(launches, x);
	}
	json_set_cstr(j, "state", card_state_name(best));
	json_set_cstr(j, "applies", differs ? "inapplicable" : best == CARD_HOLDS ? "applicable" : "related");
	json_set_cstr(j, "differs", differs);
	if (best != CARD_HOLDS && !w->o->all && !w->o->keys.n)
		return NULL;
	put_signature(w, c, j);
	return j;
}

static struct json *named(const struct work *w, const struct card *c, const char *differs)
{
	struct json *j = card_json(c, w->call->arena);
	put_signature(w, c, j);
	json_set_cstr(j, "applies", differs ? "inapplicable" : is_named(w, c) ? "applicable" : "related");
	json_set_cstr(j, "differs", differs);
	return j;
}

static void collect(struct work *w)
{
	const struct card *c;
	for (size_t i = 0; (c = card_at(i)); i++) {
		if (!is_wanted(w, c))
			continue;
		const char *differs = card_differs(c, &w->who, w->call->arena);
		bool is_quiet = differs && !w->o->keys.n && !w->o->all;
		struct json *j = is_quiet ? NULL : w->n_subjects ? evaluated(w, c, differs) : named(w, c, differs);
		if (j && w->list->n < (size_t)w->o->limit)
			json_push(w->list, j);
		else if (j)
			w->n_left_out++;
	}
}

enum { CARD_LABEL = 20 }; /* columns before a fact */

static void write_cards(const struct work *w, struct buf *out)
{
	for (size_t i = 0; i < w->list->n; i++) {
		const struct json *j = w->list->items[i], *launches = json_get(j, "launches");
		buf_printf(out, "%s%s  %s", i ? "\n" : "", json_str(j, "id", STR("")).p,
			   json_str(j, "mechanism", STR("")).p);
		struct str applies = json_str(j, "applies", STR(""));
		buf_printf(out, "%s%.*s\n", applies.n ? "  " : "", STR_ARG(applies));
		static const char *const lines[] = {
			"differs",           "what",      "signs", "condition",      "against",
			"counter_condition", "falsifier", "moves", "sass_signature", "sources"};
		for (size_t k = 0; k < COUNT_OF(lines); k++) {
			struct str s = json_str(j, lines[k], STR(""));
			if (s.n)
				buf_printf(out, "  %-17s %.*s\n", lines[k], STR_ARG(s));
		}
		for (size_t k = 0; launches && k < launches->n; k++) {
			const struct json *x = launches->items[k], *values = json_get(x, "values");
			buf_printf(out, "  launch %lld %.*s: %s", (long long)json_i64(x, "launch", 0),
				   STR_ARG(json_str(x, "kernel", STR(""))), json_str(x, "state", STR("")).p);
			for (size_t v = 0; v < values->n; v++)
				buf_printf(out, "%s %s %.6g %s", v ? ";" : ":",
					   json_str(values->items[v], "metric", STR("")).p,
					   json_f64(values->items[v], "value", 0),
					   json_str(values->items[v], "unit", STR("")).p);
			buf_char(out, '\n');
		}
	}
	buf_printf(out, "%s%zu card%s%s", w->list->n ? "\n" : "", w->list->n, w->list->n == 1 ? "" : "s",
		   w->n_left_out ? "" : "\n");
	if (w->n_left_out)
		buf_printf(out, ", %zu left out (--limit)\n", w->n_left_out);
}

static void print_cards(const struct work *w)
{
	struct buf lines;
	buf_init(&lines);
	write_cards(w, &lines);
	term_lines(w->call->out, &w->call->term, buf_view(&lines), CARD_LABEL);
	buf_release(&lines);
}

static void put(struct work *w, const char *source)
{
	struct arena *a = w->call->arena;
	if (!w->o->common.json) {
		print_cards(w);
		return;
	}
	struct json *j = json_object(a), *who = json_set_object(j, "identity");
	json_set_cstr(j, "format", "assay/knowledge-v1");
	json_set_cstr(j, "claim_layer", "diagnostic");
	json_set_bool(j, "formal", false);
	json_set_cstr(j, "from", source);
	if (w->who.sm)
		json_set_i64(who, "sm", w->who.sm);
	json_set_cstr(who, "toolkit", w->who.toolkit);
	json_set_cstr(who, "framework", w->who.framework);
	json_set(j, "cards", w->list);
	json_set_u64(j, "n_launches", w->n_subjects);
	json_set_u64(j, "n_left_out", w->n_left_out);
	verb_put_json(w->call, j);
}

static bool take_identity(struct work *w, struct err *e)
{
	const char *arch = w->o->arch;
	w->who = (struct card_identity){.toolkit = w->o->toolkit, .framework = w->o->framework};
	if (!arch)
		return true;
	struct str s = str_from(arch);
	s = str_starts(s, "sm_") ? str_sub(s, 3, s.n - 3) : s;
	while (s.n && (s.p[s.n - 1] == 'a' || s.p[s.n - 1] == 'f'))
		s.n--;
	return str_i64(s, &w->who.sm) || err_set(e, ERR_USAGE, "--arch: '%s' is not as sm_90a or 90", arch);
}

static bool query(struct work *w, struct err *e)
{
	struct knowledge_source *source = NULL;
	for (size_t i = 0; i < w->o->keys.n; i++) {
		if (!card_find(str_from(w->o->keys.items[i])))
			return err_set(e, ERR_INPUT, "--key: there is no card or mechanism '%s'", w->o->keys.items[i]);
	}
	if (w->o->from) {
		source = knowledge_open(w->o->from, e);
		if (!source)
			return false;
		w->n_subjects = knowledge_subjects(source, w->subjects, COUNT_OF(w->subjects));
		if (!w->who.sm && w->n_subjects)
			w->who.sm = w->subjects[0].sm;
	}
	collect(w);
	put(w, source ? knowledge_path(source) : NULL);
	if (source)
		knowledge_close(source);
	return true;
}

static bool show(struct work *w, struct err *e)
{
	const char *id = w->o->args.n > 1 ? w->o->args.items[1] : "";
	const struct card *c = card_find(str_from(id));
	if (!c)
		return err_set(e, ERR_INPUT,
			       "knowledge show: there is no card or mechanism '%s'; knowledge list names them", id);
	json_push(w->list, card_json(c, w->call->arena));
	put(w, NULL);
	return true;
}

static void list(struct work *w)
{
	const struct card *c;
	struct term_table *t = term_table_new(w->call->arena, "id|domain|architectures|what");
	for (size_t i = 0; (c = card_at(i)); i++) {
		if (!is_wanted(w, c))
			continue;
		json_push(w->list, card_json(c, w->call->arena));
		term_table_cell(t, str_from(c->id));
		term_table_cell(t, str_from(domain_of(c)));
		term_table_cell(t, str_from(*c->sm ? c->sm : "any"));
		term_table_cell(t, str_from(c->what));
		term_table_end_row(t);
	}
	if (w->o->common.json)
		put(w, NULL);
	else
		term_table_write(t, &w->call->term, w->call->out);
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct work w = {.o = o, .call = call, .list = json_array(call->arena)};
	const char *action = o->args.items[0];
	if (!take_identity(&w, e))
		return false;
	if (strcmp(action, "query") == 0)
		return query(&w, e);
	if (strcmp(action, "show") == 0)
		return show(&w, e);
	if (strcmp(action, "list") != 0)
		return err_set(e, ERR_USAGE, "knowledge %s: there is list, show and query", action);
	list(&w);
	return true;
}

static const struct opt_spec spec = {
	.verb = "knowledge",
	.summary = "Shows mechanism cards, and which a profile speaks for.",
	.positional = "list|show|query [CARD]",
	.min_args = 1,
	.max_args = 2,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes =
		"query --from prints the cards whose condition holds for a launch, with the values. A card that is not "
		"printed "
		"is not refuted: its metric may be missing (--all says so). inapplicable names the field that differs.",
};
const struct verb verb_knowledge = {&spec, &defaults, run, VERB_READ_ONLY};
