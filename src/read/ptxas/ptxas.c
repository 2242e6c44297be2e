/* Reads what compilers print: kernels with their resources, and messages.
 * In: the captured output of nvcc, ptxas, gcc, clang or ld.
 * Out: struct ptxas_log.
 * Never takes a resource line that stands inside another message. */
#include "read/ptxas/ptxas.h"

#include <string.h>

#include "read/ptxas/internal.h"
#include "read/scan.h"

#define MAX_MESSAGES ((size_t)4096)
#define MAX_KERNELS ((size_t)65536)
#define MAX_TEXT ((size_t)2048) /* bytes kept of one message */

struct reader {
	struct ptxas_log *log;
	struct arena *a;
	size_t i_entry;    /* last entry function; SIZE_MAX: none yet */
	size_t i_function; /* last function of "Function properties" */
	struct str arch;
	size_t n_lines;
};

/* The first one is kept: what it is, and the line. */
static void problem(struct reader *r, struct str line, const char *what)
{
	if (!r->log->problem.n)
		r->log->problem = str_from(arena_printf(r->a, "line %zu: \"%.*s\": %s", r->n_lines,
							STR_ARG(str_trim(str_sub(line, 0, 200))), what));
}

/* Doubles an array that lives in the arena; the old one stays there until the arena goes. */
static void *grown(struct arena *a, const void *old, size_t n, size_t *cap, size_t size)
{
	*cap = *cap ? *cap * 2 : 16;
	void *p = arena_array(a, *cap, size);
	if (n)
		memcpy(p, old, n * size);
	return p;
}

static size_t kernel_index(struct reader *r, struct str name, struct str arch)
{
	struct ptxas_log *log = r->log;
	size_t newest = log->n_kernels > 64 ? log->n_kernels - 64 : 0; /* repeated lines stand close together */
	for (size_t i = log->n_kernels; i > newest; i--)
		if (str_eq(log->kernels[i - 1].name, name) && str_eq(log->kernels[i - 1].arch, arch))
			return i - 1;
	if (log->n_kernels == MAX_KERNELS) {
		log->n_dropped++;
		return SIZE_MAX;
	}
	if (log->n_kernels == log->cap_kernels)
		log->kernels = grown(r->a, log->kernels, log->n_kernels, &log->cap_kernels, sizeof *log->kernels);
	log->kernels[log->n_kernels] =
		(struct ptxas_kernel){.name = arena_str(r->a, name), .arch = arena_str(r->a, arch)};
	return log->n_kernels++;
}

/* "8 bytes cmem[0]", "1 barriers", "16+8 bytes smem": number, then what it counts */
static void resource_part(struct reader *reader, struct resources *r, struct str part)
{
	static const struct {
		const char *word;
		enum resource id;
	} words[] = {
		{"bytes stack frame", RESOURCE_STACK},
		{"stack", RESOURCE_STACK_TOTAL}, /* nvlink */
		{"bytes spill stores", RESOURCE_SPILL_STORES},
		{"bytes spill loads", RESOURCE_SPILL_LOADS},
		{"registers", RESOURCE_REGISTERS},
		{"barriers", RESOURCE_BARRIERS},
		{"bytes smem", RESOURCE_SHARED},
		{"bytes lmem", RESOURCE_LOCAL},
		{"bytes cumulative stack size", RESOURCE_STACK_TOTAL},
		{"bytes cmem[0]", RESOURCE_CONST0},
		{"bytes cmem[", RESOURCE_CONST_OTHER},
		{"textures", RESOURCE_TEXTURES},
		{"surfaces", RESOURCE_SURFACES},
		{"samplers", RESOURCE_SAMPLERS},
	};
	uint64_t v, more;
	part = str_trim(part);
	(void)scan_text(&part, "used ");
	if (!scan_u64(&part, &v))
		return;
	if (scan_text(&part, "+") && scan_u64(&part, &more))
		v += more;
	scan_spaces(&part);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (!str_starts(part, words[i].word))
			continue;
		if (words[i].id == RESOURCE_CONST_OTHER)
			resources_add(r, words[i].id, v);
		else
			resources_set(r, words[i].id, v);
		return;
	}
	if (part.n && reader->log->unmodeled.n < 64)
		(void)map_intern(&reader->log->unmodeled, str_sub(part, 0, 64), NULL);
}

static void resource_line(struct reader *r, size_t i_kernel, struct str s)
{
	struct str part;
	if (i_kernel == SIZE_MAX)
		return;
	struct resources *res = &r->log->kernels[i_kernel].r;
	while (str_split(&s, ',', &part))
		resource_part(r, res, part);
}

/* "Used 10 registers, used 0 barriers": of a kernel that was named before, registers first. */
static void used_line(struct reader *r, size_t i_kernel, struct str s)
{
	if (i_kernel == SIZE_MAX)
		problem(r, s, "of no kernel: no line \"Compiling entry function 'NAME'\" stands before it");
	resource_line(r, i_kernel, s);
	if (i_kernel != SIZE_MAX && !resources_has(&r->log->kernels[i_kernel].r, RESOURCE_REGISTERS))
		problem(r, s, "no number of \"registers\" in it");
}

/* "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" */
static void stack_line(struct reader *r, struct str s)
{
	resource_line(r, r->i_function, s);
	struct resources *res = r->i_function == SIZE_MAX ? NULL : &r->log->kernels[r->i_function].r;
	if (res && (!resources_has(res, RESOURCE_STACK) || !resources_has(res, RESOURCE_SPILL_STORES) ||
		    !resources_has(res, RESOURCE_SPILL_LOADS)))
		problem(r, s, "expected bytes of stack frame, spill stores and spill loads");
}

static void compile_time(struct reader *r, struct str s)
{
	uint64_t ns;
	if (r->i_function == SIZE_MAX || !scan_fixed(&s, 1000000, &ns))
		return;
	scan_spaces(&s);
	if (str_starts(s, "ms"))
		resources_set(&r->log->kernels[r->i_function].r, RESOURCE_COMPILE_NS, ns);
	else if (str_starts(s, "s") && ns < UINT64_MAX / 1000)
		resources_set(&r->log->kernels[r->i_function].r, RESOURCE_COMPILE_NS, ns * 1000);
}

static bool entry_line(struct reader *r, struct str s)
{
	struct str name, arch;
	size_t at = str_find(s, STR("Compiling entry function '"));
	if (at == SIZE_MAX)
		return false;
	s = str_sub(s, at + 26, s.n);
	if (!scan_until(&s, '\'', &name))
		return false;
	scan_spaces(&s);
	r->arch = (struct str){0};
	if (scan_text(&s, "for '") && scan_until(&s, '\'', &arch))
		r->arch = arch;
	r->i_entry = r->i_function = kernel_index(r, name, r->arch);
	if (r->i_entry != SIZE_MAX)
		r->log->kernels[r->i_entry].is_entry = true;
	return true;
}

/* A line of `ptxas -v` or `nvlink -v` that states facts. s begins at "ptxas info" or "nvlink info". */
static bool fact_line(struct reader *r, struct str s)
{
	size_t colon = str_find_char(s, ':');
	if (colon == SIZE_MAX)
		return false;
	s = str_trim(str_sub(s, colon + 1, s.n));
	if (entry_line(r, s))
		return true;
	if (scan_text(&s, "Function properties for ")) {
		s = str_trim(s);
		(void)scan_text(&s, "'");
		struct str name = scan_name(&s);
		r->i_function = name.n ? kernel_index(r, name, r->arch) : SIZE_MAX;
		return true;
	}
	if (scan_text(&s, "Compile time = ")) {
		compile_time(r, s);
		return true;
	}
	if (scan_text(&s, "used ")) { /* nvlink, of a kernel as linked */
		if (r->i_function != SIZE_MAX)
			r->log->kernels[r->i_function].is_entry = true;
		resource_line(r, r->i_function, s);
		return true;
	}
	if (scan_text(&s, "Used ")) {
		bool own = r->i_function != SIZE_MAX && r->log->kernels[r->i_function].is_entry;
		used_line(r, own ? r->i_function : r->i_entry, s);
		return true;
	}
	if (str_find(s, STR("bytes stack frame")) != SIZE_MAX) {
		stack_line(r, s);
		return true;
	}
	if (str_find(s, STR("bytes gmem")) == SIZE_MAX)
		return false;
	r->arch = (struct str){0}; /* a module begins; its global memory is no kernel's */
	return true;
}

static struct str clipped(struct arena *a, struct str s)
{
	return arena_str(a, str_sub(s, 0, MAX_TEXT));
}

static void keep_message(struct reader *r, const struct ptxas_message *m)
{
	struct ptxas_log *log = r->log;
	log->n_errors += m->severity == PTXAS_ERROR;
	log->n_warnings += m->severity == PTXAS_WARNING;
	if (log->n_messages == MAX_MESSAGES) {
		log->n_dropped++;
		return;
	}
	if (log->n_messages == log->cap_messages)
		log->messages = grown(r->a, log->messages, log->n_messages, &log->cap_messages, sizeof *log->messages);
	struct ptxas_message *to = &log->messages[log->n_messages++];
	*to = *m;
	to->tool = arena_str(r->a, m->tool);
	to->file = clipped(r->a, m->file);
	to->code = clipped(r->a, m->code);
	to->text = clipped(r->a, m->text);
	to->kernel = clipped(r->a, m->kernel);
}

static void one_line(struct reader *r, struct str line)
{
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	struct str info = message_tool_text(line, "ptxas info");
	if (!info.n)
		info = message_tool_text(line, "nvlink info");
	if (info.n && fact_line(r, info))
		return;
	struct str t = str_trim(line);
	if (t.n && t.p[0] >= '0' && t.p[0] <= '9' && str_find(t, STR(" stack frame, ")) != SIZE_MAX) {
		stack_line(r, t);
		return;
	}
	struct ptxas_message m;
	if (message_parse(line, &m))
		keep_message(r, &m);
}

const struct ptxas_kernel *ptxas_find(const struct ptxas_log *log, struct str name, struct str arch)
{
	for (size_t i = 0; i < log->n_kernels; i++)
		if (str_eq(log->kernels[i].name, name) && (!arch.n || str_eq(log->kernels[i].arch, arch)))
			return &log->kernels[i];
	return NULL;
}

const struct ptxas_message *ptxas_first_error(const struct ptxas_log *log)
{
	const struct ptxas_message *best = NULL;
	int best_rank = -1; /* 2: file and line, 1: file, 0: neither */
	for (size_t i = 0; i < log->n_messages; i++) {
		const struct ptxas_message *m = &log->messages[i];
		int rank = m->file.n ? 1 + (m->line != 0) : 0;
		if (m->severity == PTXAS_ERROR && rank > best_rank) {
			best = m;
			best_rank = rank;
		}
	}
	return best;
}

const char *ptxas_severity_name(enum ptxas_severity s)
{
	static const char *const names[] = {"error", "warning", "note", "info"};
	return names[s];
}

void ptxas_message_write(struct buf *out, const struct ptxas_message *m)
{
	if (m->file.n) {
		buf_str(out, m->file);
		if (m->line)
			buf_printf(out, ":%llu", (unsigned long long)m->line);
		if (m->line && m->column)
			buf_printf(out, ":%llu", (unsigned long long)m->column);
		buf_puts(out, ": ");
	} else {
		buf_printf(out, "%.*s: ", STR_ARG(m->tool));
	}
	buf_printf(out, "%s: %.*s", ptxas_severity_name(m->severity), STR_ARG(m->text));
	if (m->code.n)
		buf_printf(out, " [%.*s]", STR_ARG(m->code));
}

static void kernel_json(const struct ptxas_kernel *k, struct json *to)
{
	json_set_str(to, "name", k->name);
	if (k->arch.n)
		json_set_str(to, "arch", k->arch);
	json_set_bool(to, "entry", k->is_entry);
	resources_json(&k->r, json_set_object(to, "resources"));
}

static void message_json(const struct ptxas_message *m, struct json *to)
{
	json_set_cstr(to, "severity", ptxas_severity_name(m->severity));
	json_set_str(to, "tool", m->tool);
	json_set_str(to, "text", m->text);
	if (m->file.n)
		json_set_str(to, "file", m->file);
	if (m->line)
		json_set_u64(to, "line", m->line);
	if (m->column)
		json_set_u64(to, "column", m->column);
	if (m->code.n)
		json_set_str(to, "code", m->code);
	if (m->kernel.n)
		json_set_str(to, "kernel", m->kernel);
}

struct json *ptxas_json(const struct ptxas_log *log, struct arena *a)
{
	struct json *j = json_object(a), *kernels = json_set_array(j, "kernels");
	struct json *messages = json_set_array(j, "messages");
	for (size_t i = 0; i < log->n_kernels; i++) {
		struct json *k = json_object(a);
		kernel_json(&log->kernels[i], k);
		json_push(kernels, k);
	}
	for (size_t i = 0; i < log->n_messages; i++) {
		struct json *m = json_object(a);
		message_json(&log->messages[i], m);
		json_push(messages, m);
	}
	json_set_u64(j, "n_errors", log->n_errors);
	json_set_u64(j, "n_warnings", log->n_warnings);
	json_set_u64(j, "n_dropped", log->n_dropped);
	return j;
}

void ptxas_read(struct ptxas_log *out, struct arena *a, struct str text)
{
	struct str line;
	*out = (struct ptxas_log){0};
	map_init(&out->unmodeled, a);
	struct reader r = {.log = out, .a = a, .i_entry = SIZE_MAX, .i_function = SIZE_MAX};
	while (str_split(&text, '\n', &line)) {
		struct str before = out->problem;
		r.n_lines++;
		one_line(&r, line);
		if (!text.p) /* a last line without its end may be cut */
			out->problem = before;
	}
}
