/* Line by line difference of two texts.
 * In: two texts. Out: marked lines.
 * Longest common subsequence of lines (Hunt and McIlroy 1976's problem, solved by the plain table: sources are short).
 * Never: hides a change. */
#include "report/diff.h"

#include "report/html.h"

enum { DIFF_MOST = 4000, DIFF_AROUND = 3 };

struct lines {
	struct str *v;
	size_t n;
};

static struct lines split(struct arena *a, struct str text)
{
	struct lines l = {NULL, 0};
	size_t n = 1;
	struct str line;
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	l.v = ARENA_ARRAY(a, n, struct str);
	if (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	while (l.n < n && str_split(&text, '\n', &line))
		l.v[l.n++] = line;
	return l;
}

struct edit {
	char sign; /* ' ', '-', '+' */
	struct str line;
};

/* table[i][k]: length of the longest common subsequence of x[i..] and y[k..] */
static struct edit *edits_of(struct arena *a, const struct lines *x, const struct lines *y, size_t *n)
{
	size_t w = y->n + 1;
	uint16_t *t = ARENA_ARRAY(a, (x->n + 1) * w, uint16_t);
	for (size_t i = x->n; i-- > 0;) {
		for (size_t k = y->n; k-- > 0;) {
			uint16_t skip = t[(i + 1) * w + k] > t[i * w + k + 1] ? t[(i + 1) * w + k] : t[i * w + k + 1];
			t[i * w + k] = str_eq(x->v[i], y->v[k]) ? (uint16_t)(t[(i + 1) * w + k + 1] + 1) : skip;
		}
	}
	struct edit *e = ARENA_ARRAY(a, x->n + y->n + 1, struct edit);
	size_t i = 0, k = 0;
	*n = 0;
	while (i < x->n || k < y->n) {
		if (i < x->n && k < y->n && str_eq(x->v[i], y->v[k])) {
			e[(*n)++] = (struct edit){' ', x->v[i++]};
			k++;
		} else if (i < x->n && (k == y->n || t[(i + 1) * w + k] >= t[i * w + k + 1])) {
			e[(*n)++] = (struct edit){'-', x->v[i++]};
		} else {
			e[(*n)++] = (struct edit){'+', y->v[k++]};
		}
	}
	return e;
}

static bool is_near(const struct edit *e, size_t n, size_t at)
{
	size_t from = at > DIFF_AROUND ? at - DIFF_AROUND : 0, to = at + DIFF_AROUND < n ? at + DIFF_AROUND : n - 1;
	for (size_t i = from; i <= to; i++) {
		if (e[i].sign != ' ')
			return true;
	}
	return false;
}

void diff_html(struct buf *out, struct arena *a, struct str before, struct str after)
{
	struct lines x = split(a, before), y = split(a, after);
	size_t n;
	if (x.n > DIFF_MOST || y.n > DIFF_MOST) {
		buf_printf(out, "<p class=\"dim\">Not compared: %zu and %zu lines.</p>\n", x.n, y.n);
		return;
	}
	struct edit *e = edits_of(a, &x, &y, &n);
	bool skipped = false;
	buf_puts(out, "<pre class=\"diff\">");
	for (size_t i = 0; i < n; i++) {
		if (!is_near(e, n, i)) {
			if (!skipped)
				buf_puts(out, "<span class=\"dim\">...</span>");
			skipped = true;
			continue;
		}
		skipped = false;
		buf_puts(out, e[i].sign == '+'   ? "<span class=\"add\">+"
			      : e[i].sign == '-' ? "<span class=\"del\">-"
						 : "<span> ");
		html_text(out, e[i].line);
		buf_puts(out, "</span>");
	}
	buf_puts(out, "</pre>\n");
}
