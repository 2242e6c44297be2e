/* Texts that are shortened and still told apart.
 * In: the cells of one column.
 * Out: the same cells, none wider than the column.
 * Never: makes two different texts alike. */
#include "base/term_shorten.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/term.h"

#define DOTS 3
#define BACK 8 /* a piece begins at a word, at most this far before what differs */

struct cut {
	struct str whole, brief;
	size_t at; /* in the caller's array */
};

static int by_brief(const void *x, const void *y)
{
	const struct cut *a = x, *b = y;
	int c = str_cmp(a->brief, b->brief);
	if (!c)
		c = str_cmp(a->whole, b->whole);
	return c ? c : a->at < b->at ? -1 : a->at > b->at;
}

static struct str cut_end(struct str s, size_t width, struct arena *a)
{
	bool has_escape = str_find_char(s, '\033') != SIZE_MAX;
	struct str head = str_sub(s, 0, term_fit(s, width - DOTS));
	return str_from(arena_printf(a, "%.*s...%s", STR_ARG(head), has_escape ? "\033[0m" : ""));
}

static bool is_inside(struct str s, size_t i)
{
	return i > 0 && i < s.n && ((unsigned char)s.p[i] & 0xc0) == 0x80;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* Where the piece begins that shows what stands at `differs`. */
static size_t piece_at(struct str s, size_t differs, size_t columns)
{
	size_t at = differs < s.n ? differs : s.n, least = at > BACK ? at - BACK : 0;
	for (size_t i = at; i > least; i--) {
		if (is_word(s.p[i - 1]))
			continue;
		at = i;
		break;
	}
	/* room behind the end of the text is for what stands before the piece */
	while (at > 0 && term_columns(str_sub(s, at - 1, s.n)) <= columns)
		at--;
	while (is_inside(s, at))
		at++;
	return at;
}

static struct str cut_middle(struct str s, size_t differs, size_t width, struct arena *a)
{
	size_t n_head = width / 3 > DOTS ? width / 3 : DOTS, room = width - n_head - DOTS;
	size_t at = piece_at(s, differs, room);
	struct str head = str_sub(s, 0, term_fit(s, n_head)), piece = str_sub(s, at, s.n);
	if (at <= head.n)
		return cut_end(s, width, a);
	if (term_columns(piece) <= room)
		return str_from(arena_printf(a, "%.*s...%.*s", STR_ARG(head), STR_ARG(piece)));
	piece = str_sub(piece, 0, term_fit(piece, room > DOTS ? room - DOTS : 1));
	return str_from(arena_printf(a, "%.*s...%.*s%s", STR_ARG(head), STR_ARG(piece), room > DOTS ? "..." : ""));
}

static size_t common(struct str a, struct str b)
{
	size_t i = 0;
	while (i < a.n && i < b.n && a.p[i] == b.p[i])
		i++;
	return i;
}

/* Cells [from, to) look alike: they get the part in which they differ. */
static void part(struct cut *v, size_t from, size_t to, size_t width, struct arena *a)
{
	size_t differs = common(v[from].whole, v[to - 1].whole); /* sorted: no pair between has less in common */
	for (size_t i = from; i < to; i++) {
		if (str_find_char(v[i].whole, '\033') == SIZE_MAX)
			v[i].brief = cut_middle(v[i].whole, differs, width, a);
	}
}

/* What was tried last stays, with a number. *n: numbers given so far, in the whole column. */
static void number(struct cut *v, size_t from, size_t to, size_t width, size_t *n, struct arena *a)
{
	++*n;
	for (size_t i = from; i < to; i++) {
		*n += i > from && !str_eq(v[i].whole, v[i - 1].whole);
		if (str_find_char(v[i].whole, '\033') != SIZE_MAX)
			continue;
		char *mark = arena_printf(a, "...~%zu", *n);
		size_t room = strlen(mark) < width ? width - strlen(mark) : 0;
		struct str head =
			str_ends(v[i].brief, "...") ? str_sub(v[i].brief, 0, v[i].brief.n - DOTS) : v[i].brief;
		head = str_sub(head, 0, term_fit(head, room));
		v[i].brief = str_from(arena_printf(a, "%.*s%s", STR_ARG(head), mark));
	}
}

/* One look at all cells that come out alike: they are parted, or numbered. False: there is none. */
static bool tell_apart(struct cut *v, size_t n, size_t width, bool numbered, struct arena *a)
{
	bool any = false;
	size_t n_numbers = 0;
	qsort(v, n, sizeof *v, by_brief);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && str_eq(v[to].brief, v[from].brief);)
			to++;
		if (str_eq(v[from].whole, v[to - 1].whole))
			continue;
		if (numbered)
			number(v, from, to, width, &n_numbers, a);
		else
			part(v, from, to, width, a);
		any = true;
	}
	return any;
}

void term_shorten(struct str *text, size_t n, size_t width, struct arena *a)
{
	struct cut *v = ARENA_ARRAY(a, n + 1, struct cut);
	size_t n_cut = 0;
	for (size_t i = 0; i < n; i++) {
		if (term_columns(text[i]) > width)
			v[n_cut++] = (struct cut){text[i], cut_end(text[i], width, a), i};
	}
	/* each look makes groups smaller, or leaves them to the numbers */
	for (unsigned looks = 0; n_cut > 1 && looks < 4 && tell_apart(v, n_cut, width, false, a);)
		looks++;
	if (n_cut > 1)
		(void)tell_apart(v, n_cut, width, true, a);
	for (size_t i = 0; i < n_cut; i++)
		text[v[i].at] = v[i].brief;
}
