/* Judges mechanisms on opcodes by the patterns of signature.def.
 * In: kernels of a listing, a mechanism key.
 * Out: shown, not shown or not applicable, with the opcodes that match.
 * Never takes a name, comment or string for evidence. */
#include "read/sass/signature.h"

#include <string.h>

#include "facts/mechanism.h"
#include "read/sass/internal.h"
#include "read/scan.h"

enum absence { CONTRADICTS, OPEN };
struct signature {
	const char *key, *archs, *pattern;
	enum absence absence;
	const char *note;
};
static const struct signature signatures[] = {
#define SIGNATURE(key, archs, pattern, absence, note) {key, archs, pattern, absence, note},
#include "read/sass/signature.def"
#undef SIGNATURE
};

/* The row of the table that speaks for an architecture: 0 when none does. */
static unsigned family(unsigned sm)
{
	static const struct {
		unsigned sm, family;
	} rows[] = {{80, 80},   {86, 86},   {87, 86},   {88, 86},   {89, 89},   {90, 90},
		    {100, 100}, {101, 100}, {103, 100}, {110, 100}, {120, 120}, {121, 120}};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].sm == sm)
			return rows[i].family;
	return 0;
}

static bool covers(const struct signature *s, unsigned sm)
{
	struct str list = str_from(s->archs), word;
	uint64_t v;
	unsigned f = family(sm);
	while (f && str_split(&list, ' ', &word))
		if (scan_u64(&word, &v) && v == f)
			return true;
	return false;
}

/* '*' stands for any text, once */
static bool glob(struct str name, struct str pattern)
{
	size_t star = str_find_char(pattern, '*');
	if (star == SIZE_MAX)
		return str_eq(name, pattern);
	struct str head = str_sub(pattern, 0, star), tail = str_sub(pattern, star + 1, pattern.n);
	return name.n >= head.n + tail.n && str_eq(str_sub(name, 0, head.n), head) &&
	       str_eq(str_sub(name, name.n - tail.n, tail.n), tail);
}

/* "UTC*MMA.2CTA", "HFMA2.-BF16_V2", "UTCQMMA:scaled" */
static bool alternative(struct str a, const struct sass_opcode *o)
{
	struct str part;
	size_t colon = str_find_char(a, ':');
	if (colon != SIZE_MAX) {
		if (!(o->flags & SASS_SCALED))
			return false;
		a = str_sub(a, 0, colon);
	}
	(void)str_split(&a, '.', &part);
	if ((o->flags & SASS_AS_MOVE) || !glob(opcode_base(o->name), part))
		return false;
	while (str_split(&a, '.', &part)) {
		bool absent = scan_text(&part, "-");
		if (opcode_has_modifier(o->name, part) == absent)
			return false;
	}
	return true;
}

/* Takes the text before `sep` off rest. */
static bool split(struct str *rest, const char *sep, struct str *out)
{
	if (!rest->p)
		return false;
	size_t at = str_find(*rest, str_from(sep));
	*out = str_trim(str_sub(*rest, 0, at));
	*rest = at == SIZE_MAX ? (struct str){0} : str_sub(*rest, at + strlen(sep), rest->n);
	return true;
}

static bool term_matches(struct str term, const struct sass_opcode *o)
{
	struct str a;
	(void)scan_text(&term, "!");
	while (split(&term, " | ", &a))
		if (alternative(a, o))
			return true;
	return false;
}

bool sass_pattern_matches(const char *pattern, const struct sass_opcode *o)
{
	struct str rest = str_from(pattern), term;
	while (split(&rest, " + ", &term))
		if (term_matches(term, o))
			return true;
	return false;
}

#define MAX_TERMS 6
struct term { /* one of the terms that must all occur */
	bool negative;
	uint64_t *words; /* bit per distinct opcode of the listing */
};
struct row {
	struct term terms[MAX_TERMS];
	size_t n_terms;
	const char *key; /* the first row of a key has it, the others NULL */
};
struct sass_signatures {
	struct row rows[COUNT_OF(signatures)];
	size_t n_keys;
};

void signatures_build(struct sass_listing *l, struct arena *a, const struct sass_opcode *words, size_t n_words)
{
	struct sass_signatures *t = l->signatures = ARENA_NEW(a, struct sass_signatures);
	for (size_t i = 0; i < COUNT_OF(signatures); i++) {
		struct row *row = &t->rows[i];
		struct str rest = str_from(signatures[i].pattern), term;
		bool seen = false;
		for (size_t k = 0; k < i; k++)
			seen |= strcmp(signatures[k].key, signatures[i].key) == 0;
		row->key = seen ? NULL : signatures[i].key;
		t->n_keys += !seen;
		while (split(&rest, " + ", &term)) {
			if (row->n_terms == MAX_TERMS)
				BUG("a pattern of signature.def has too many terms");
			struct term *to = &row->terms[row->n_terms++];
			to->negative = term.p[0] == '!';
			to->words = ARENA_ARRAY(a, n_words / 64 + 1, uint64_t);
			for (size_t w = 0; w < n_words; w++)
				if (term_matches(term, &words[w]))
					to->words[w / 64] |= (uint64_t)1 << (w % 64);
		}
	}
}

static bool has_word(const struct term *t, const struct sass_opcode *o)
{
	return (t->words[o->word / 64] >> (o->word % 64)) & 1;
}

static bool row_holds(const struct row *row, const struct sass_kernel *k)
{
	for (size_t i = 0; i < row->n_terms; i++) {
		bool found = false;
		for (size_t o = 0; o < k->n_opcodes && !found; o++)
			found = has_word(&row->terms[i], &k->opcodes[o]);
		if (found == row->terms[i].negative)
			return false;
	}
	return true;
}

static void evidence(struct sass_finding *out, const struct row *row, const struct sass_kernel *k)
{
	for (size_t i = 0; i < k->n_opcodes; i++) {
		bool matches = false;
		for (size_t t = 0; t < row->n_terms; t++)
			matches |= has_word(&row->terms[t], &k->opcodes[i]);
		if (!matches)
			continue;
		out->n_instructions += k->opcodes[i].n;
		if (out->n_evidence < SASS_EVIDENCE)
			out->evidence[out->n_evidence++] = (struct sass_evidence){k, &k->opcodes[i]};
	}
}

/* One kernel and one row of the table. True: the row shows the mechanism. */
static bool judge_row(struct sass_finding *out, const struct sass_listing *l, size_t i, const struct sass_kernel *k)
{
	const struct signature *s = &signatures[i];
	const struct row *row = &l->signatures->rows[i];
	if (!covers(s, k->sm))
		return false;
	if (row_holds(row, k)) {
		if (out->verdict != SASS_SHOWN) {
			out->pattern = s->pattern;
			out->n_evidence = 0; /* parts of the pattern in other kernels */
			out->n_instructions = 0;
		}
		out->verdict = SASS_SHOWN;
		out->note = NULL;
		out->contradicts = false;
		evidence(out, row, k);
		return true;
	}
	if (out->verdict == SASS_SHOWN)
		return false;
	bool first = out->verdict != SASS_NOT_SHOWN;
	out->verdict = SASS_NOT_SHOWN;
	out->contradicts = (first || out->contradicts) && s->absence == CONTRADICTS;
	out->pattern = first ? s->pattern : out->pattern;
	out->note = s->note ? s->note : first ? NULL : out->note;
	evidence(out, row, k);
	return false;
}

static void judge_kernel(struct sass_finding *out, const struct sass_listing *l, const struct sass_kernel *k)
{
	for (size_t i = 0; i < COUNT_OF(signatures); i++)
		if (strcmp(signatures[i].key, out->key) == 0 && judge_row(out, l, i, k))
			return;
}

static void judge_key(struct sass_finding *out, const struct sass_listing *l, const struct sass_kernel *kernel)
{
	out->verdict = SASS_NOT_APPLICABLE;
	out->note = "no signature for this architecture";
	if (kernel) {
		judge_kernel(out, l, kernel);
		return;
	}
	for (size_t i = 0; i < l->n_kernels; i++)
		judge_kernel(out, l, &l->kernels[i]);
}

void sass_judge(struct sass_finding *out, const struct sass_listing *l, const struct sass_kernel *kernel,
		struct str key)
{
	const struct mechanism *m = mechanism_find(key);
	*out = (struct sass_finding){.verdict = SASS_NO_SIGNATURE};
	if (!m)
		return;
	out->key = m->key;
	for (size_t i = 0; i < COUNT_OF(signatures); i++) {
		if (strcmp(signatures[i].key, m->key) == 0) {
			judge_key(out, l, kernel);
			return;
		}
	}
}

struct sass_finding *sass_judge_all(const struct sass_listing *l, const struct sass_kernel *kernel, struct arena *a,
				    size_t *n)
{
	struct sass_finding *out = ARENA_ARRAY(a, l->signatures->n_keys, struct sass_finding);
	*n = 0;
	for (size_t i = 0; i < COUNT_OF(signatures); i++) {
		if (!l->signatures->rows[i].key)
			continue;
		out[*n].key = signatures[i].key;
		judge_key(&out[(*n)++], l, kernel);
	}
	return out;
}

const char *sass_signature_key(size_t i)
{
	size_t n = 0;
	for (size_t row = 0; row < COUNT_OF(signatures); row++) {
		bool seen = false;
		for (size_t before = 0; before < row; before++)
			seen |= strcmp(signatures[before].key, signatures[row].key) == 0;
		if (!seen && n++ == i)
			return signatures[row].key;
	}
	return NULL;
}

bool sass_signature_covers(const char *key, unsigned sm)
{
	for (size_t i = 0; i < COUNT_OF(signatures); i++)
		if (strcmp(signatures[i].key, key) == 0 && covers(&signatures[i], sm))
			return true;
	return false;
}

const char *sass_verdict_name(enum sass_verdict v)
{
	static const char *const names[] = {"shown", "not_shown", "not_applicable", "no_signature"};
	return names[v];
}
