/* The run page's section on compiled code.
 * In: what the compiler reported, the instruction counts of machine_code.json. Out: one section.
 * Instructions are counted as they stand in the code, not as they run.
 * Never: counts a kernel that the version did not launch. */
#include <math.h>

#include "base/file.h"
#include "report/chart.h"
#include "report/run_inside.h"

enum { MOST_CLASSES = 32, SHOWN = 7 };

struct mix { /* instructions by class, over all versions and of each */
	struct str names[MOST_CLASSES];
	double total[MOST_CLASSES];
	size_t n;
	double (*counts)[MOST_CLASSES]; /* one row a version; NAN in [0]: not read */
};

static size_t class_of(struct mix *m, struct str name)
{
	for (size_t i = 0; i < m->n; i++) {
		if (str_eq(m->names[i], name))
			return i;
	}
	if (m->n == MOST_CLASSES)
		return MOST_CLASSES - 1;
	m->names[m->n] = name;
	return m->n++;
}

static bool add_version(const struct page *p, size_t i, struct mix *m)
{
	struct err absent;
	const char *path = arena_printf(p->arena, "%s/iter_v%zu/machine_code.json", p->folder, i);
	const struct json *kernels = json_get(json_read_file(p->arena, path, JSON_STRICT, &absent), "kernels");
	bool is_read = false;
	for (size_t k = 0; kernels && kernels->type == JSON_ARRAY && k < kernels->n; k++) {
		const struct json *by = json_get(kernels->items[k], "by_class");
		for (size_t c = 0; by && by->type == JSON_OBJECT && c < by->n; c++) {
			double v = json_is_number(by->members[c].value) ? by->members[c].value->real : 0;
			if (!(v > 0))
				continue;
			size_t at = class_of(m, by->members[c].key);
			m->counts[i][at] += v;
			m->total[at] += v;
			is_read = true;
		}
	}
	return is_read;
}

/* The classes with the most instructions first. */
static void rank(const struct mix *m, size_t order[MOST_CLASSES])
{
	for (size_t i = 0; i < m->n; i++) {
		size_t at = i;
		for (; at > 0 && m->total[order[at - 1]] < m->total[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

static void put_mix(const struct page *p)
{
	struct mix m = {.counts = arena_array(p->arena, p->n + 1, sizeof(*m.counts))};
	struct chart_bar *bars = ARENA_ARRAY(p->arena, p->n + 1, struct chart_bar);
	size_t order[MOST_CLASSES], *read = ARENA_ARRAY(p->arena, p->n + 1, size_t), n = 0;
	memset(m.counts, 0, (p->n + 1) * sizeof(*m.counts));
	for (size_t i = 0; i < p->n && !p->file; i++) {
		if (add_version(p, i, &m))
			read[n++] = i;
	}
	if (!n) {
		page_note(p, "No machine code was read.");
		return;
	}
	const char *names[SHOWN + 1];
	rank(&m, order);
	size_t n_names = m.n < SHOWN ? m.n : SHOWN;
	for (size_t k = 0; k < n_names; k++)
		names[k] = arena_strndup(p->arena, m.names[order[k]].p, m.names[order[k]].n);
	names[n_names] = "other";
	for (size_t i = 0; i < n; i++) {
		double *parts = ARENA_ARRAY(p->arena, SHOWN + 1, double);
		for (size_t k = 0; k < m.n; k++)
			parts[k < n_names ? k : n_names] += m.counts[read[i]][order[k]];
		bars[i] = (struct chart_bar){page_label(p, read[i]), parts};
	}
	chart_bars(
		p->out, p->arena,
		&(struct chart_bars){"mix", "instructions by class",
				     "Instructions of the launched kernels by class, as they stand in the machine code "
				     "(not as often as they run).",
				     names, n_names + (m.n > n_names), bars, n, true});
}

static void put_kernel(const struct page *p, size_t i, const struct json *k)
{
	static const char *const numbers[] = {"registers",         "static_shared_bytes", "stack_frame_bytes",
					      "spill_store_bytes", "spill_load_bytes",    "barriers"};
	const struct json *r = json_get(k, "resources");
	html_row(p->out);
	html_cell(p->out, str_from(page_label(p, i)), arena_printf(p->arena, "%zu", i));
	html_cell(p->out, json_str(k, "name", STR("?")), NULL);
	html_cell(p->out, json_str(k, "arch", STR("-")), NULL);
	for (size_t m = 0; m < COUNT_OF(numbers); m++) {
		double v = json_f64(r, numbers[m], NAN);
		html_number(p->out, page_number(p, v), v);
	}
	html_row_end(p->out);
}

void page_code(const struct page *p)
{
	size_t n = 0;
	put_mix(p);
	for (size_t i = 0; i < p->n; i++) {
		const struct json *list = json_path(p->bench[i], "build.facts.kernels");
		for (size_t k = 0; list && list->type == JSON_ARRAY && k < list->n; k++) {
			if (!n++)
				html_table(p->out, "What the compiler reported of each kernel",
					   ">version|kernel|arch|>registers|>shared bytes|>stack bytes|>spill "
					   "stores|>spill "
					   "loads|>barriers");
			put_kernel(p, i, list->items[k]);
		}
	}
	if (n)
		html_table_end(p->out);
	else
		page_note(p, "The compiler reported no device kernels.");
}
