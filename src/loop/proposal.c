/* A proposal's form.
 * In: Markdown. Out: sections and the lines of each that have a fixed form.
 * Comments <!-- --> are blanked first, so that a template's own text is not taken for an author's.
 * Never: looks at a report or at the memory. */
#include "loop/proposal.h"

#include "base/file.h"
#include "base/utf8.h"

static const char *const headings[PROPOSAL_HEADINGS] = {
	"Primary references",   "Bottlenecks",   "Evidence", "Pipelining assessment", "Change",
	"Preferred strategies", "Strategy tags",
};

const char *proposal_heading_name(enum proposal_heading h)
{
	return headings[h];
}

/* The text with comments as blanks: lines keep their numbers. */
static struct str without_comments(struct arena *a, struct str text)
{
	char *out = arena_strndup(a, text.p, text.n);
	for (size_t i = 0; i < text.n;) {
		struct str rest = str_sub(text, i, text.n);
		size_t open = str_find(rest, STR("<!--"));
		if (open == SIZE_MAX)
			break;
		size_t close = str_find(str_sub(rest, open, rest.n), STR("-->"));
		size_t end = close == SIZE_MAX ? text.n : i + open + close + 3;
		for (i += open; i < end; i++) {
			if (out[i] != '\n')
				out[i] = ' ';
		}
	}
	return (struct str){out, text.n};
}

static bool same_folded(struct str s, const char *name)
{
	size_t n = strlen(name);
	if (s.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char x = s.p[i], y = name[i];
		if (x >= 'A' && x <= 'Z')
			x = (char)(x | 0x20);
		if (y >= 'A' && y <= 'Z')
			y = (char)(y | 0x20);
		if (x != y)
			return false;
	}
	return true;
}

static bool heading_of(struct str line, enum proposal_heading *out)
{
	struct str name = str_trim(str_sub(line, 3, line.n));
	for (size_t i = 0; i < PROPOSAL_HEADINGS; i++) {
		if (same_folded(name, headings[i])) {
			*out = (enum proposal_heading)i;
			return true;
		}
	}
	return false;
}

/* "- text" gives text; false: the line is no item. */
static bool item_of(struct str line, struct str *out)
{
	line = str_trim(line);
	if (line.n < 2 || (line.p[0] != '-' && line.p[0] != '*') || (line.p[1] != ' ' && line.p[1] != '\t'))
		return false;
	*out = str_trim(str_sub(line, 1, line.n));
	return true;
}

static bool is_numbered(struct str line)
{
	size_t i = 0;
	line = str_trim(line);
	while (i < line.n && line.p[i] >= '0' && line.p[i] <= '9')
		i++;
	return i > 0 && i < line.n && (line.p[i] == '.' || line.p[i] == ')') &&
	       str_trim(str_sub(line, i + 1, line.n)).n > 0;
}

static struct str without_ticks(struct str s)
{
	if (s.n >= 2 && s.p[0] == '`' && s.p[s.n - 1] == '`')
		return str_sub(s, 1, s.n - 2);
	return s;
}

/* Room for one more line of a kind; NULL when PROPOSAL_MAX_ITEMS are there. */
#define NEXT(p, list, count) ((p)->count < PROPOSAL_MAX_ITEMS ? &(p)->list[(p)->count++] : NULL)

static size_t n_answers_at_most(struct str text)
{
	size_t n = 1;
	for (size_t i = 0; i < text.n && n < PROPOSAL_MAX_ANSWERS; i++)
		n += text.p[i] == '\n';
	return n;
}

static void take_evidence(struct proposal *p, struct str text, unsigned line)
{
	struct proposal_evidence *v = NEXT(p, evidence, n_evidence);
	if (!v)
		return;
	*v = (struct proposal_evidence){.line = line, .text = text};
	size_t equals = str_find(text, STR(" = "));
	if (equals == SIZE_MAX)
		return;
	struct str right = str_trim(str_sub(text, equals + 3, text.n));
	size_t blank = str_find_char(right, ' ');
	v->claim.value = str_sub(right, 0, blank == SIZE_MAX ? right.n : blank);
	v->claim.unit = blank == SIZE_MAX ? STR("") : str_trim(str_sub(right, blank, right.n));
	if (v->claim.value.n)
		v->claim.metric = without_ticks(str_trim(str_sub(text, 0, equals)));
}

static enum proposal_status status_of(struct str s)
{
	if (same_folded(s, "adopted"))
		return PROPOSAL_ADOPTED;
	if (same_folded(s, "does not fit"))
		return PROPOSAL_DOES_NOT_FIT;
	return same_folded(s, "conflicts") ? PROPOSAL_CONFLICTS : PROPOSAL_OPEN;
}

static bool is_ruler(struct str line)
{
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != '|' && line.p[i] != '-' && line.p[i] != ':' && line.p[i] != ' ')
			return false;
	}
	return str_find_char(line, '-') != SIZE_MAX;
}

/* Rows below the table's ruler: | item | status | reason |. */
static void take_reference(struct proposal *p, struct str row, unsigned line, bool *is_below)
{
	struct str cells[3] = {STR(""), STR(""), STR("")}, rest, one;
	row = str_trim(row);
	if (!row.n || row.p[0] != '|') {
		*is_below = false;
		return;
	}
	if (is_ruler(row)) {
		*is_below = true;
		return;
	}
	if (!*is_below)
		return;
	rest = str_sub(row, 1, row.n);
	for (size_t i = 0; i < 3 && str_split(&rest, '|', &one); i++)
		cells[i] = str_trim(one);
	struct proposal_reference *r = NEXT(p, references, n_references);
	if (r)
		*r = (struct proposal_reference){.line = line,
						 .item = cells[0],
						 .status_text = cells[1],
						 .reason = cells[2],
						 .status = status_of(cells[1])};
}

static void take_answer(struct proposal *p, struct str text, unsigned line)
{
	size_t colon = str_find_char(text, ':');
	struct str fingerprint = without_ticks(str_trim(str_sub(text, 0, colon == SIZE_MAX ? text.n : colon)));
	if (!fingerprint_is_valid(fingerprint))
		return; /* free text */
	if (p->n_answers == p->max_answers)
		return;
	struct proposal_answer *x = &p->answers[p->n_answers++];
	*x = (struct proposal_answer){.line = line, .fingerprint = fingerprint, .text = text};
	struct str right = colon == SIZE_MAX ? STR("") : str_trim(str_sub(text, colon + 1, text.n));
	size_t stop = 0;
	while (stop < right.n && right.p[stop] != ';' && right.p[stop] != ',' && right.p[stop] != ':')
		stop++;
	struct str word = str_trim(str_sub(right, 0, stop));
	x->reason = str_trim(str_sub(right, stop + 1, right.n));
	x->is_merged = same_folded(word, "merged");
	x->is_answered = x->is_merged || same_folded(word, "not merged");
}

static void take_tag(struct proposal *p, struct arena *a, struct str text, unsigned line)
{
	struct proposal_tag *t = NEXT(p, written, n_written);
	if (!t)
		return;
	*t = (struct proposal_tag){line, without_ticks(text)};
	(void)tags_add(&p->tags, a, t->written); /* what does not fit is for lint to say */
}

static void take_line(struct proposal *p, struct arena *a, enum proposal_heading h, struct str line, unsigned i_line)
{
	struct str item;
	bool is_item = item_of(line, &item);
	switch (h) {
	case PROPOSAL_BOTTLENECKS:
		p->n_bottlenecks += is_numbered(line) || (is_item && line.p[0] != ' ' && line.p[0] != '\t');
		return;
	case PROPOSAL_EVIDENCE:
		if (is_item)
			take_evidence(p, item, i_line);
		return;
	case PROPOSAL_PREFERRED:
		if (is_item)
			take_answer(p, item, i_line);
		return;
	case PROPOSAL_TAGS:
		if (is_item)
			take_tag(p, a, item, i_line);
		return;
	case PROPOSAL_REFERENCES:
	case PROPOSAL_PIPELINING:
	case PROPOSAL_CHANGE:
	case PROPOSAL_HEADINGS:
		return;
	}
}

static void grow_body(struct proposal_section *s, struct str line)
{
	s->body = s->body.p ? (struct str){s->body.p, (size_t)(line.p + line.n - s->body.p)} : line;
}

/* "# From v3 to v4" */
static int64_t title_of(struct str line)
{
	struct str rest = str_trim(str_sub(line, 2, line.n));
	int64_t from;
	if (!str_starts(rest, "From v"))
		return -1;
	rest = str_sub(rest, 6, rest.n);
	size_t blank = str_find_char(rest, ' ');
	return str_i64(str_sub(rest, 0, blank == SIZE_MAX ? rest.n : blank), &from) && from >= 0 ? from : -1;
}

void proposal_parse(struct proposal *out, struct arena *a, const char *path, struct str text)
{
	enum proposal_heading h = PROPOSAL_HEADINGS;
	struct str rest = without_comments(a, text), line;
	bool is_below = false, is_known = false;
	memset(out, 0, sizeof(*out));
	out->path = path;
	out->from = -1;
	out->evidence = ARENA_ARRAY(a, PROPOSAL_MAX_ITEMS, struct proposal_evidence);
	out->references = ARENA_ARRAY(a, PROPOSAL_MAX_ITEMS, struct proposal_reference);
	out->max_answers = n_answers_at_most(rest);
	out->answers = ARENA_ARRAY(a, out->max_answers, struct proposal_answer);
	out->written = ARENA_ARRAY(a, PROPOSAL_MAX_ITEMS, struct proposal_tag);
	for (unsigned i_line = 1; str_split(&rest, '\n', &line); i_line++) {
		if (str_starts(line, "# ") && out->from < 0)
			out->from = title_of(line);
		if (str_starts(line, "## ")) {
			is_known = heading_of(line, &h);
			is_below = false;
			if (is_known && out->sections[h].n++ == 0)
				out->sections[h].line = i_line;
			continue;
		}
		if (!is_known)
			continue;
		grow_body(&out->sections[h], line);
		if (h == PROPOSAL_REFERENCES)
			take_reference(out, line, i_line, &is_below);
		else
			take_line(out, a, h, line, i_line);
	}
	for (size_t i = 0; i < PROPOSAL_HEADINGS; i++)
		out->sections[i].body = str_trim(out->sections[i].body);
}

bool proposal_read(struct proposal *out, struct arena *a, const char *path, struct err *e)
{
	struct str text;
	if (!file_read(a, &text, path, PROPOSAL_MAX_BYTES, e))
		return false;
	if (memchr(text.p, 0, text.n) || !utf8_is_valid(text))
		return err_set(e, ERR_INPUT, "%s: is no UTF-8 text", path);
	proposal_parse(out, a, path, text);
	return true;
}

bool proposal_is_template(const struct proposal *p)
{
	return p->n_written == 0 && p->sections[PROPOSAL_CHANGE].body.n == 0;
}

const struct proposal_answer *proposal_answer(const struct proposal *p, struct str fingerprint)
{
	for (size_t i = 0; i < p->n_answers; i++) {
		if (str_eq(p->answers[i].fingerprint, fingerprint))
			return &p->answers[i];
	}
	return NULL;
}
