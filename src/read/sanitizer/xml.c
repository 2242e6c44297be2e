/* The XML form: one <record> a finding.
 * In: the document of compute-sanitizer --xml.
 * Out: findings.
 * Never follows references other than the five of XML, and accepts a document that is cut. */
#include "read/sanitizer/internal.h"

#include <string.h>

#include "read/scan.h"

#define MAX_DEPTH 16

struct reader {
	struct sanitizer_report *r;
	struct arena *a;
	struct arena scratch; /* decoded text of one record */
	struct str path[MAX_DEPTH];
	size_t depth;
	struct sanitizer_finding f;
	struct str kind, level, type;
};

static bool inside(const struct reader *x, const char *name)
{
	for (size_t i = 0; i < x->depth && i < MAX_DEPTH; i++)
		if (str_is(x->path[i], name))
			return true;
	return false;
}

static struct str decoded(struct reader *x, struct str s)
{
	static const struct {
		const char *name;
		char c;
	} entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
	if (str_find_char(s, '&') == SIZE_MAX)
		return s;
	char *out = arena_alloc(&x->scratch, s.n + 1);
	size_t n = 0;
	while (s.n) {
		size_t i = 0;
		while (i < COUNT_OF(entities) && !str_starts(s, entities[i].name))
			i++;
		size_t step = i < COUNT_OF(entities) ? strlen(entities[i].name) : 1;
		out[n++] = i < COUNT_OF(entities) ? entities[i].c : s.p[0];
		s = str_sub(s, step, s.n);
	}
	return (struct str){out, n};
}

static uint64_t number(struct str s)
{
	uint64_t v;
	if (str_starts(s, "0x") ? scan_hex(&s, &v) : scan_u64(&s, &v))
		return v;
	return 0;
}

static void coordinate(struct reader *x, uint64_t out[3], struct str leaf, struct str text)
{
	size_t i = leaf.n == 1 ? (size_t)(unsigned char)leaf.p[0] - 'x' : 3;
	if (i < 3)
		out[i] = number(text);
	x->f.has |= SANITIZER_HAS_THREAD;
}

static void where(struct reader *x, struct sanitizer_place *p, struct str leaf, struct str text)
{
	if (str_is(leaf, "func"))
		p->kernel = text;
	else if (str_is(leaf, "path"))
		p->file = text;
	else if (str_is(leaf, "line"))
		p->line = number(text);
	else if (str_is(leaf, "pc")) {
		p->pc = number(text);
		x->f.has |= SANITIZER_HAS_PC;
	}
}

static void what(struct reader *x, struct str leaf, struct str text)
{
	struct sanitizer_finding *f = &x->f;
	if (str_is(leaf, "text")) {
		f->text = text;
		sanitizer_classify(f, text);
	} else if (str_is(leaf, "address")) {
		f->address = number(text);
		f->has |= SANITIZER_HAS_ADDRESS;
	} else if (str_is(leaf, "size")) {
		f->size = number(text);
		f->has |= SANITIZER_HAS_SIZE;
	} else if (str_is(leaf, "type")) {
		x->type = text;
	} else if (str_is(leaf, "error")) {
		sanitizer_reason(f, text);
	} else if (str_is(leaf, "count")) {
		f->n_hazards = number(text);
	}
}

/* text of the element that is innermost now */
static void leaf_text(struct reader *x, struct str text)
{
	if (!x->depth || x->depth > MAX_DEPTH || inside(x, "hostStack") || !inside(x, "record"))
		return;
	struct str leaf = x->path[x->depth - 1];
	struct sanitizer_place *p = inside(x, "destination") ? &x->f.other : &x->f.at;
	text = decoded(x, str_trim(text));
	if (!text.n)
		return;
	if (str_is(leaf, "kind"))
		x->kind = text;
	else if (str_is(leaf, "level"))
		x->level = text;
	else if (inside(x, "threadIdx"))
		coordinate(x, x->f.thread, leaf, text);
	else if (inside(x, "blockIdx"))
		coordinate(x, x->f.block, leaf, text);
	else if (inside(x, "where"))
		where(x, p, leaf, text);
	else if (str_is(leaf, "direction"))
		p->access = str_is(text, "Read") || str_is(text, "read")     ? STR("read")
			    : str_is(text, "Write") || str_is(text, "write") ? STR("write")
									     : STR("atomic");
	else if (inside(x, "what"))
		what(x, leaf, text);
}

static void record_end(struct reader *x)
{
	struct sanitizer_finding *f = &x->f;
	if (str_is(x->kind, "Initcheck"))
		f->tool = SANITIZER_INITCHECK;
	else if (str_is(x->kind, "Synccheck"))
		f->tool = SANITIZER_SYNCCHECK;
	else if (str_is(x->kind, "Analysis") || str_is(x->kind, "Hazard"))
		f->tool = SANITIZER_RACECHECK;
	else if (str_is(x->kind, "Api"))
		f->tool = SANITIZER_API;
	f->is_warning = str_is(x->level, "Warning");
	f->note = x->type;
	if (!f->text.n)
		f->text = x->kind;
	sanitizer_add(x->r, x->a, f);
	x->f = (struct sanitizer_finding){.n_hazards = 1};
	x->kind = x->level = x->type = (struct str){0};
	arena_clear(&x->scratch);
}

/* Elements of the tool's documents, 2022 to 2025. */
static void known(struct reader *x, struct str name)
{
	static const char *const names[] = {
		"ComputeSanitizerOutput",
		"record",
		"kind",
		"level",
		"who",
		"threadIdx",
		"blockIdx",
		"x",
		"y",
		"z",
		"what",
		"text",
		"space",
		"size",
		"direction",
		"error",
		"address",
		"type",
		"count",
		"where",
		"func",
		"path",
		"line",
		"pc",
		"hostStack",
		"deviceStack",
		"saveLocation",
		"frame",
		"module",
		"source",
		"destination",
		"api",
		"result",
		"message",
	};
	if (x->depth == 1 && !str_is(name, "record"))
		sanitizer_refuse(x->r, x->a, name, "this element is not known; a finding is a <record>");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_is(name, names[i]))
			return;
	sanitizer_unmodeled(x->r, name);
}

static void tag(struct reader *x, struct str name)
{
	if (scan_text(&name, "/")) {
		if (str_is(name, "record"))
			record_end(x);
		if (str_is(name, "ComputeSanitizerOutput"))
			x->r->has_summary = true;
		x->depth -= x->depth > 0;
		return;
	}
	if (!name.n || name.p[0] == '?' || name.p[0] == '!' || name.p[name.n - 1] == '/')
		return;
	struct str whole = name;
	size_t blank = str_find_char(whole, ' ');
	known(x, str_sub(whole, 0, blank));
	if (x->depth < MAX_DEPTH)
		x->path[x->depth] = str_sub(whole, 0, blank);
	x->depth++;
}

void sanitizer_xml(struct sanitizer_report *r, struct arena *a, struct str s)
{
	struct reader x = {.r = r, .a = a, .f = {.n_hazards = 1}};
	struct str text, name;
	arena_init(&x.scratch);
	while (scan_until(&s, '<', &text)) {
		leaf_text(&x, text);
		if (!scan_until(&s, '>', &name))
			break;
		tag(&x, name);
	}
	if (r->has_summary)
		r->summary_errors = r->n_errors;
	arena_release(&x.scratch);
}
