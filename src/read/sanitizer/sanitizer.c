/* The door of the sanitizer reader: which form it is, findings filed by site, JSON.
 * In: what compute-sanitizer printed.
 * Out: struct sanitizer_report.
 * Never decides what a finding means for a verdict. */
#include "read/sanitizer/sanitizer.h"

#include <string.h>

#include "read/sanitizer/internal.h"
#include "read/scan.h"

#define MAX_FINDINGS ((size_t)65536)
#define MAX_SITES ((size_t)4096)
#define MAX_TEXT ((size_t)1024)

static void *grown(struct arena *a, const void *old, size_t n, size_t *cap, size_t size)
{
	*cap = *cap ? *cap * 2 : 16;
	void *p = arena_array(a, *cap, size);
	if (n)
		memcpy(p, old, n * size);
	return p;
}

static bool same_place(const struct sanitizer_place *x, const struct sanitizer_place *y)
{
	return x->pc == y->pc && x->line == y->line && str_eq(x->kernel, y->kernel) && str_eq(x->file, y->file);
}

void sanitizer_unmodeled(struct sanitizer_report *r, struct str what)
{
	if (what.n && r->unmodeled.n < 64)
		(void)map_intern(&r->unmodeled, str_sub(what, 0, 64), NULL);
}

void sanitizer_refuse(struct sanitizer_report *r, struct arena *a, struct str text, const char *why)
{
	if (!r->refused.n)
		r->refused = str_from(arena_printf(a, "\"%.*s\": %s", STR_ARG(str_sub(text, 0, 200)), why));
}

static void file_under_site(struct sanitizer_report *r, struct arena *a, size_t i)
{
	const struct sanitizer_finding *f = &r->findings[i];
	size_t oldest = r->n_sites > 256 ? r->n_sites - 256 : 0;
	for (size_t s = r->n_sites; s > oldest; s--) { /* repeated findings stand together: newest first */
		const struct sanitizer_finding *g = &r->findings[r->sites[s - 1].i_first];
		if (f->kind == g->kind && f->tool == g->tool && same_place(&f->at, &g->at) &&
		    same_place(&f->other, &g->other)) {
			r->sites[s - 1].n++;
			return;
		}
	}
	if (r->n_sites == MAX_SITES)
		return;
	if (r->n_sites == r->cap_sites)
		r->sites = grown(a, r->sites, r->n_sites, &r->cap_sites, sizeof *r->sites);
	r->sites[r->n_sites++] = (struct sanitizer_site){i, 1};
}

static struct str kept(struct arena *a, struct str s)
{
	return s.n ? arena_str(a, str_sub(s, 0, MAX_TEXT)) : (struct str){0};
}

static void keep_place(struct arena *a, struct sanitizer_place *p)
{
	p->kernel = kept(a, p->kernel);
	p->file = kept(a, p->file);
}

void sanitizer_add(struct sanitizer_report *r, struct arena *a, const struct sanitizer_finding *f)
{
	r->n_errors += !f->is_warning;
	r->n_warnings += f->is_warning;
	if (f->has & SANITIZER_BAD_UNIT)
		sanitizer_refuse(r, a, f->text, "a size is in bytes in every form that is known");
	if (r->n_findings == MAX_FINDINGS)
		return;
	if (r->n_findings == r->cap_findings)
		r->findings = grown(a, r->findings, r->n_findings, &r->cap_findings, sizeof *r->findings);
	struct sanitizer_finding *to = &r->findings[r->n_findings];
	*to = *f;
	to->text = kept(a, f->text);
	to->note = kept(a, f->note);
	to->space = kept(a, f->space);
	keep_place(a, &to->at);
	keep_place(a, &to->other);
	file_under_site(r, a, r->n_findings++);
}

void sanitizer_reason(struct sanitizer_finding *f, struct str text)
{
	if (f->tool != SANITIZER_MEMCHECK || f->kind == SANITIZER_LEAK)
		return;
	if (str_find(text, STR("out of bounds")) != SIZE_MAX)
		f->kind = SANITIZER_OUT_OF_BOUNDS;
	else if (str_find(text, STR("misaligned")) != SIZE_MAX)
		f->kind = SANITIZER_MISALIGNED;
}

/* What stands behind a size: " bytes ...", cut inside the word, or no word (cuda-memcheck). */
static bool is_bytes(struct str rest)
{
	return !str_starts(rest, " ") || str_starts(rest, " byte") ||
	       (rest.n < 6 && memcmp(rest.p, " bytes", rest.n) == 0);
}

/* "Invalid __global__ write of size 4 bytes": space, access and size */
static void access_words(struct sanitizer_finding *f, struct str text)
{
	static const char *const accesses[] = {" read", " write", " atomic"}; /* no "thread" */
	struct str word;
	size_t at = str_find(text, STR("__"));
	if (at != SIZE_MAX) {
		struct str s = str_sub(text, at + 2, text.n);
		size_t end = str_find(s, STR("__"));
		f->space = str_sub(s, 0, end == SIZE_MAX ? 0 : end);
	}
	for (size_t i = 0; i < COUNT_OF(accesses); i++)
		if (!f->at.access.n && str_find(text, str_from(accesses[i])) != SIZE_MAX)
			f->at.access = str_from(accesses[i] + 1);
	at = str_find(text, STR(" of size "));
	word = at == SIZE_MAX ? (struct str){0} : str_sub(text, at + 9, text.n);
	if (scan_u64(&word, &f->size))
		f->has |= is_bytes(word) ? SANITIZER_HAS_SIZE : SANITIZER_BAD_UNIT;
}

void sanitizer_classify(struct sanitizer_finding *f, struct str text)
{
	static const struct {
		const char *start;
		enum sanitizer_tool tool;
		enum sanitizer_kind kind;
	} rows[] = {
		{"Invalid __", SANITIZER_MEMCHECK, SANITIZER_INVALID_ACCESS},
		{"Misaligned", SANITIZER_MEMCHECK, SANITIZER_MISALIGNED},
		{"Leaked", SANITIZER_MEMCHECK, SANITIZER_LEAK},
		{"Uninitialized", SANITIZER_INITCHECK, SANITIZER_UNINITIALIZED},
		{"Unused memory", SANITIZER_INITCHECK, SANITIZER_UNUSED_MEMORY},
		{"Barrier error", SANITIZER_SYNCCHECK, SANITIZER_BARRIER},
		{"Race", SANITIZER_RACECHECK, SANITIZER_RACE},
		{"Potential ", SANITIZER_RACECHECK, SANITIZER_RACE},
		{"Program hit", SANITIZER_API, SANITIZER_API_ERROR},
	};
	f->kind = SANITIZER_OTHER;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (!str_starts(text, rows[i].start))
			continue;
		f->tool = rows[i].tool;
		f->kind = rows[i].kind;
		break;
	}
	if (f->tool != SANITIZER_API && f->kind != SANITIZER_RACE)
		access_words(f, text);
	sanitizer_reason(f, text);
}

const char *sanitizer_tool_name(enum sanitizer_tool t)
{
	static const char *const names[] = {"memcheck", "racecheck", "initcheck", "synccheck", "api"};
	return names[t];
}

const char *sanitizer_kind_name(enum sanitizer_kind k)
{
	static const char *const names[] = {"out_of_bounds", "misaligned",    "invalid_access", "leak",      "race",
					    "uninitialized", "unused_memory", "barrier",        "api_error", "other"};
	return names[k];
}

static void set_text(struct json *j, const char *key, struct str s)
{
	if (s.n)
		json_set_str(j, key, s);
}

static void place_json(const struct sanitizer_place *p, bool has_pc, struct json *j)
{
	set_text(j, "kernel", p->kernel);
	set_text(j, "file", p->file);
	set_text(j, "access", p->access);
	if (p->line)
		json_set_u64(j, "line", p->line);
	if (has_pc)
		json_set_u64(j, "pc", p->pc);
}

static struct json *site_json(const struct sanitizer_report *r, const struct sanitizer_site *s, struct arena *a)
{
	const struct sanitizer_finding *f = &r->findings[s->i_first];
	struct json *j = json_object(a);
	json_set_cstr(j, "tool", sanitizer_tool_name(f->tool));
	json_set_cstr(j, "kind", sanitizer_kind_name(f->kind));
	json_set_cstr(j, "level", f->is_warning ? "warning" : "error");
	json_set_u64(j, "n", s->n);
	set_text(j, "text", f->text);
	set_text(j, "space", f->space);
	set_text(j, "note", f->note);
	place_json(&f->at, f->has & SANITIZER_HAS_PC, j);
	if (f->other.kernel.n)
		place_json(&f->other, true, json_set_object(j, "other"));
	if (f->kind == SANITIZER_RACE)
		json_set_u64(j, "hazards", f->n_hazards);
	if (f->has & SANITIZER_HAS_ADDRESS)
		json_set_u64(j, "address", f->address);
	if (f->has & SANITIZER_HAS_SIZE)
		json_set_u64(j, "size", f->size);
	if (f->has & SANITIZER_HAS_THREAD) {
		struct json *thread = json_set_array(j, "thread"), *block = json_set_array(j, "block");
		for (size_t i = 0; i < 3; i++) {
			json_push(thread, json_new_u64(a, f->thread[i]));
			json_push(block, json_new_u64(a, f->block[i]));
		}
	}
	return j;
}

struct json *sanitizer_json(const struct sanitizer_report *r, struct arena *a)
{
	struct json *j = json_object(a), *sites = json_set_array(j, "sites");
	for (size_t i = 0; i < r->n_sites; i++)
		json_push(sites, site_json(r, &r->sites[i], a));
	json_set_u64(j, "n_errors", r->n_errors);
	json_set_u64(j, "n_warnings", r->n_warnings);
	json_set_bool(j, "complete", r->has_summary);
	if (r->has_summary)
		json_set_u64(j, "summary_errors", r->summary_errors);
	set_text(j, "problem", r->problem);
	return j;
}

static bool is_xml(struct str text)
{
	text = str_trim(str_sub(text, 0, 65536));
	return (str_starts(text, "<?xml") || str_starts(text, "<ComputeSanitizerOutput")) &&
	       str_find(text, STR("<ComputeSanitizerOutput")) != SIZE_MAX;
}

bool sanitizer_is_output(struct str text)
{
	struct str head = str_sub(text, 0, 65536);
	return is_xml(text) || str_find(head, STR("========= COMPUTE-SANITIZER")) != SIZE_MAX ||
	       str_find(head, STR("========= CUDA-MEMCHECK")) != SIZE_MAX;
}

bool sanitizer_read(struct sanitizer_report *out, struct arena *a, const char *name, struct str text, struct err *e)
{
	*out = (struct sanitizer_report){0};
	map_init(&out->unmodeled, a);
	if (is_xml(text))
		sanitizer_xml(out, a, text);
	else
		sanitizer_text(out, a, text);
	if (out->refused.n)
		return err_set(e, ERR_UNSUPPORTED, "%s: %.*s", name, STR_ARG(out->refused));
	if (is_xml(text))
		return true;
	if (out->n_errors || out->n_warnings || out->has_summary || out->problem.n || sanitizer_is_output(text))
		return true;
	return err_set(e, ERR_INPUT,
		       "%s: no line of compute-sanitizer (they begin with \"=========\") and no XML of it", name);
}
