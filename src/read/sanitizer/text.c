/* The text form: blocks of lines that begin with "=========".
 * In: compute-sanitizer's standard output of any version (2019 to 2025 print places in three ways).
 * Out: findings.
 * Never takes a line of the application for one of the tool. */
#include "read/sanitizer/internal.h"

#include <string.h>

#include "read/scan.h"

struct reader {
	struct sanitizer_report *r;
	struct arena *a;
	struct sanitizer_finding f;
	bool open; /* f holds a finding that is not filed yet */
};

static void flush(struct reader *t)
{
	if (t->open)
		sanitizer_add(t->r, t->a, &t->f);
	t->open = false;
}

/* digits with thousands commas */
static bool number(struct str *s, uint64_t *out)
{
	uint64_t part;
	if (!scan_u64(s, out))
		return false;
	while (s->n > 3 && s->p[0] == ',' && s->p[1] >= '0' && s->p[1] <= '9') {
		*s = str_sub(*s, 1, s->n);
		if (!scan_u64(s, &part) || __builtin_mul_overflow(*out, (uint64_t)1000, out) ||
		    __builtin_add_overflow(*out, part, out))
			*out = UINT64_MAX;
	}
	return true;
}

static bool triple(struct str *s, uint64_t out[3])
{
	struct str t = *s;
	if (!scan_text(&t, "(") || !scan_u64(&t, &out[0]) || !scan_text(&t, ",") || !scan_u64(&t, &out[1]) ||
	    !scan_text(&t, ",") || !scan_u64(&t, &out[2]) || !scan_text(&t, ")"))
		return false;
	*s = t;
	return true;
}

/* "bug.cu:2" at the end of a text -> file and line */
static void file_line(struct str s, struct sanitizer_place *p)
{
	size_t colon = s.n;
	while (colon && s.p[colon - 1] != ':')
		colon--;
	struct str digits = str_sub(s, colon, s.n);
	if (colon > 1 && scan_u64(&digits, &p->line) && !digits.n)
		p->file = str_sub(s, 0, colon - 1);
}

/* "oob(float *, int)+0x90 in bug.cu:2", "0x90 in oob(float*)", "0x90 in /a/bug.cu:2:oob(float*, int)" */
static void place(struct reader *t, struct str s, struct sanitizer_place *p)
{
	struct str rest = s;
	uint64_t pc;
	s = str_trim(s);
	rest = s;
	if (str_starts(s, "0x") && scan_hex(&rest, &pc)) {
		p->pc = pc;
		t->f.has |= SANITIZER_HAS_PC;
		(void)scan_text(&rest, " in ");
		size_t colon = str_find(rest, STR(":"));
		struct str tail = colon == SIZE_MAX ? (struct str){0} : str_sub(rest, colon + 1, rest.n);
		if (tail.n && scan_u64(&tail, &p->line) && scan_text(&tail, ":")) {
			p->file = str_sub(rest, 0, colon);
			p->kernel = tail;
		} else {
			p->line = 0;
			p->kernel = rest;
		}
		return;
	}
	size_t plus = str_find(s, STR("+0x"));
	if (plus == SIZE_MAX)
		return;
	p->kernel = str_sub(s, 0, plus);
	rest = str_sub(s, plus + 1, s.n);
	if (scan_hex(&rest, &p->pc))
		t->f.has |= SANITIZER_HAS_PC;
	if (scan_text(&rest, " in "))
		file_line(str_sub(rest, 0, str_find(rest, STR(" ["))), p);
}

static struct str direction(struct str word)
{
	return str_starts(word, "Read") ? STR("read") : str_starts(word, "Write") ? STR("write") : STR("atomic");
}

/* "Race reported between Write access at PLACE" and "and Read access at PLACE [256 hazards]" */
static void race_side(struct reader *t, struct str s, struct sanitizer_place *p)
{
	size_t at = str_find(s, STR(" access at "));
	if (at == SIZE_MAX)
		return;
	p->access = direction(s);
	place(t, str_sub(s, at + 11, s.n), p);
	struct str n;
	size_t open = str_find(s, STR(" ["));
	if (open == SIZE_MAX)
		return;
	n = str_sub(s, open + 2, s.n);
	if (number(&n, &t->f.n_hazards) && !str_starts(n, " hazard"))
		t->f.n_hazards = 1;
}

/* racecheck --racecheck-report hazard: "Potential RAW hazard detected at __shared__ 0x10 in block (0,0,0)" */
static void hazard(struct reader *t, struct str s)
{
	size_t at = str_find(s, STR("__ 0x")), block = str_find(s, STR("block ("));
	struct str address = at == SIZE_MAX ? (struct str){0} : str_sub(s, at + 3, s.n);
	struct str where = block == SIZE_MAX ? (struct str){0} : str_sub(s, block + 6, s.n);
	if (scan_hex(&address, &t->f.address))
		t->f.has |= SANITIZER_HAS_ADDRESS;
	(void)triple(&where, t->f.block);
	if (str_find(s, STR("__shared__")) != SIZE_MAX)
		t->f.space = STR("shared");
}

/* "Write Thread (0,0,0) at race(int *)+0xa0 in bug.cu:3" */
static void hazard_side(struct reader *t, struct str s)
{
	struct sanitizer_place *p = t->f.at.access.n ? &t->f.other : &t->f.at;
	uint64_t thread[3];
	p->access = direction(s);
	size_t at = str_find(s, STR("Thread "));
	s = str_sub(s, at + 7, s.n);
	if (triple(&s, thread) && p == &t->f.at) {
		memcpy(t->f.thread, thread, sizeof thread);
		t->f.has |= SANITIZER_HAS_THREAD;
	}
	scan_spaces(&s);
	if (scan_text(&s, "at "))
		place(t, s, p);
}

static void begin(struct reader *t, struct str s)
{
	flush(t);
	t->f = (struct sanitizer_finding){.n_hazards = 1};
	t->open = true;
	struct str body = s;
	if (scan_text(&body, "Warning: "))
		t->f.is_warning = true;
	else
		(void)scan_text(&body, "Error: ");
	sanitizer_classify(&t->f, body);
	t->f.text = s;
	if (str_starts(body, "Potential "))
		hazard(t, body);
	else if (scan_text(&body, "Race reported between "))
		race_side(t, body, &t->f.at);
}

static void thread_line(struct reader *t, struct str s)
{
	size_t at = str_find(s, STR("block "));
	struct str block = at == SIZE_MAX ? (struct str){0} : str_sub(s, at + 6, s.n);
	if (triple(&s, t->f.thread) && triple(&block, t->f.block))
		t->f.has |= SANITIZER_HAS_THREAD;
}

/* What is read no further. */
static bool is_passed_over(struct str s)
{
	static const char *const starts[] = {
		"Saved host backtrace", "Host Frame:", "Device Frame:", "Backtrace ", "in ",
		"Current Value",        "Detected ",   "Generated by "};
	for (size_t i = 0; i < COUNT_OF(starts); i++)
		if (str_starts(s, starts[i]))
			return true;
	return false;
}

/* a line of the open finding, without its indent */
static void detail(struct reader *t, struct str s)
{
	if (str_starts(s, "Write Thread ") || str_starts(s, "Read Thread ")) {
		hazard_side(t, s);
	} else if (scan_text(&s, "at ")) {
		place(t, s, &t->f.at);
	} else if (scan_text(&s, "by thread ")) {
		thread_line(t, s);
	} else if (scan_text(&s, "and is ")) {
		t->f.note = s;
	} else if (scan_text(&s, "and ") && str_find(s, STR(" access at ")) != SIZE_MAX) {
		race_side(t, s, &t->f.other);
	} else if (scan_text(&s, "Access to ") || scan_text(&s, "Address ")) {
		if (scan_hex(&s, &t->f.address))
			t->f.has |= SANITIZER_HAS_ADDRESS;
		sanitizer_reason(&t->f, s);
	} else if (!is_passed_over(s)) {
		sanitizer_unmodeled(t->r, s);
	}
}

/* "ERROR SUMMARY: 29 errors", "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)" */
static bool summary(struct reader *t, struct str s)
{
	size_t at = str_find(s, STR(" SUMMARY: "));
	if (at == SIZE_MAX || at > 16)
		return false;
	flush(t);
	if (!str_starts(s, "ERROR ") && !str_starts(s, "LEAK ") && !str_starts(s, "RACECHECK "))
		sanitizer_refuse(t->r, t->a, s, "this summary is not known; it is ERROR, LEAK or RACECHECK SUMMARY");
	bool leaks = str_starts(s, "LEAK");
	uint64_t n;
	s = str_sub(s, at + 10, s.n);
	t->r->has_summary = true;
	if (!leaks && number(&s, &n))
		t->r->summary_errors += n;
	return true;
}

static bool is_failure(struct str s)
{
	static const char *const starts[] = {"Target application returned an error",
					     "Error: process didn't terminate",
					     "Error: No attachable process",
					     "Error: Failed to",
					     "Error: Target application terminated",
					     "Error: Unable to",
					     "Internal Sanitizer Error",
					     "Internal Error"};
	for (size_t i = 0; i < COUNT_OF(starts); i++)
		if (str_starts(s, starts[i]))
			return true;
	return false;
}

void sanitizer_text(struct sanitizer_report *r, struct arena *a, struct str text)
{
	struct reader t = {.r = r, .a = a};
	struct str line;
	while (str_split(&text, '\n', &line)) {
		if (!scan_text(&line, "========="))
			continue;
		struct str s = str_trim(line);
		bool indented = line.n > 4 && str_starts(line, "     ");
		if (!s.n) {
			flush(&t);
		} else if (is_failure(s)) {
			flush(&t);
			if (!r->problem.n)
				r->problem = arena_str(a, str_sub(s, 0, 1024));
		} else if (summary(&t, s) || str_starts(s, "COMPUTE-SANITIZER") || str_starts(s, "CUDA-MEMCHECK")) {
			continue;
		} else if (!indented) {
			flush(&t);
			if (text.p) /* a last line without its end may be cut */
				begin(&t, s);
		} else if (t.open) {
			detail(&t, s);
		}
	}
	flush(&t);
}
