/* Two listings side by side as sheets.
 * In: a listing before and one after.
 * Out: mechanisms that came and went, opcodes whose counts changed.
 * Never: compares code of two architectures. */
#include "read/sass/diff_sheet.h"

#include "read/sass/diff.h"

static const struct sheet_column mechanism_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"change", "change", "", SHEET_TEXT},
	{"mechanism", "mechanism", "", SHEET_TEXT},
};
static const struct sheet_column opcode_columns[] = {
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"opcode", "opcode", "", SHEET_TEXT},
	{"before", "before", "", 0},
	{"after", "after", "", 0},
	{"change", "change", "", 0},
};

static void mechanism_rows(struct sheet *s, const struct diff_kernel *k, const char *change, const char *const *v,
			   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sheet_cell *c = sheet_row(s);
		sheet_put_text(&c[0], k->name);
		sheet_put_text(&c[1], str_from(change));
		sheet_put_text(&c[2], str_from(v[i]));
	}
}

static void opcode_rows(struct sheet *s, const struct diff_kernel *k)
{
	for (size_t i = 0; i < k->n_counts; i++) {
		const struct diff_count *v = &k->counts[i];
		struct sheet_cell *c = sheet_row(s);
		sheet_put_text(&c[0], k->name);
		sheet_put_text(&c[1], v->name);
		sheet_put(&c[2], (double)v->before);
		sheet_put(&c[3], (double)v->after);
		sheet_put(&c[4], (double)v->after - (double)v->before);
	}
}

struct sheet *sass_diff_sheets(const struct sass_listing *before, const struct sass_listing *after, struct arena *a,
			       size_t *n)
{
	struct sheet *s = ARENA_ARRAY(a, 2, struct sheet);
	size_t n_only[2] = {0};
	struct diff d;
	diff_sass(&d, a, before, after);
	sheet_init(&s[0], a, "mechanisms", mechanism_columns, COUNT_OF(mechanism_columns));
	sheet_init(&s[1], a, "opcodes", opcode_columns, COUNT_OF(opcode_columns));
	s[0].title = "Mechanisms gained and lost";
	s[1].title = "Opcodes by kernel";
	s[0].is_main = true;
	for (size_t i = 0; i < d.n; i++) {
		const struct diff_kernel *k = &d.v[i];
		n_only[0] += k->state == DIFF_REMOVED;
		n_only[1] += k->state == DIFF_ADDED;
		if (k->state != DIFF_CHANGED)
			continue;
		mechanism_rows(&s[0], k, "gained", k->gained, k->n_gained);
		mechanism_rows(&s[0], k, "lost", k->lost, k->n_lost);
		opcode_rows(&s[1], k);
	}
	s[0].note = s[1].note = arena_printf(
		a, "of kernels that both have for one architecture; %zu are the same, %zu only before, %zu only after",
		d.n_same, n_only[0], n_only[1]);
	*n = 2;
	return s;
}
