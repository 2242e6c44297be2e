/* The preflight as a short text.
 * In: the document. Out: facts, a table of tools, what the absent ones cost, what is missing.
 * No line is wider than the terminal, save one that holds a single longer word.
 * Never: looks at the machine. */
#include "report/preflight_text.h"

enum { LABEL = 11, TOOL_LABEL = 19 };

struct writing {
	const struct term *term;
	struct arena *arena;
	struct buf *out;
};

static void put_at(struct writing *w, size_t column, const char *label, const char *text)
{
	buf_printf(w->out, "%-*s", (int)column, label);
	term_wrap(w->out, str_from(text), column, column, w->term->width);
	buf_char(w->out, '\n');
}

static void put(struct writing *w, const char *label, const char *text)
{
	put_at(w, LABEL, label, text);
}

static const char *text_of(struct writing *w, const struct json *j, const char *key)
{
	struct str s = json_str(j, key, STR("unknown"));
	return arena_strndup(w->arena, s.p, s.n);
}

static const char *bytes_of(struct writing *w, const struct json *j, const char *key)
{
	double v = json_f64(j, key, -1);
	return v < 0 ? "unknown" : term_bytes(w->arena, v);
}

static void put_machine(struct writing *w, const struct json *root)
{
	const struct json *m = json_get(root, "machine"), *d = json_get(root, "driver");
	struct str container = json_str(m, "container", STR("")), mps = json_str(d, "mps_pipe", STR(""));
	struct str visible = json_str(d, "visible_devices", STR(""));
	put(w, "machine",
	    arena_printf(w->arena, "%s, %s, %s", text_of(w, m, "os"), text_of(w, m, "kernel"),
			 text_of(w, m, "architecture")));
	put(w, "",
	    arena_printf(w->arena, "%s, %lld of %lld CPUs, memory %s%s%.*s", text_of(w, m, "cpu"),
			 (long long)json_i64(m, "n_cpus_usable", 0), (long long)json_i64(m, "n_cpus_online", 0),
			 bytes_of(w, m, "memory_bytes"), container.n ? ", in a container: " : "", STR_ARG(container)));
	if (str_is(json_str(d, "state", STR("")), "loaded"))
		put(w, "driver",
		    arena_printf(w->arena, "%s, CUDA %s%s%.*s", text_of(w, d, "version"), text_of(w, d, "cuda"),
				 mps.n ? ", MPS at " : ", no MPS", STR_ARG(mps)));
	else
		put(w, "driver", arena_printf(w->arena, "none: %s", text_of(w, d, "reason")));
	if (visible.n)
		put(w, "", arena_printf(w->arena, "CUDA_VISIBLE_DEVICES=%.*s", STR_ARG(visible)));
}

static void put_gpu(struct writing *w, const struct json *g)
{
	const struct json *mig = json_get(g, "mig"), *instances = json_get(g, "mig_instances");
	struct str mode = json_str(g, "compute_mode", STR("")), virtual = json_str(g, "virtualization", STR(""));
	bool is_special = mode.n && !str_is(mode, "default"), is_virtual = str_is(virtual, "vgpu");
	put(w, arena_printf(w->arena, "gpu %lld", (long long)json_i64(g, "index", 0)),
	    arena_printf(w->arena, "%s, compute capability %s, %s%s%s%.*s%s", text_of(w, g, "name"),
			 text_of(w, g, "compute_capability"), bytes_of(w, g, "memory_bytes"),
			 !mig || mig->type != JSON_BOOL ? ""
			 : mig->boolean                 ? ", MIG on"
							: ", MIG off",
			 is_special ? ", compute mode " : "", is_special ? (int)mode.n : 0, is_special ? mode.p : "",
			 is_virtual ? ", virtual (vGPU)" : ""));
	put(w, "", text_of(w, g, "uuid"));
	for (size_t i = 0; instances && i < instances->n; i++)
		put(w, "", arena_printf(w->arena, "MIG instance %.*s", STR_ARG(instances->items[i]->text)));
}

static void put_tools(struct writing *w, const struct json *tools)
{
	struct term_table *t = term_table_new(w->arena, "tool|version|path");
	for (size_t i = 0; tools && i < tools->n; i++) {
		const struct json *tool = tools->members[i].value;
		struct str state = json_str(tool, "state", STR("unknown"));
		bool is_found = str_is(state, "found");
		term_table_cell(t, tools->members[i].key);
		term_table_cell(t, is_found ? json_str(tool, "version", STR("found")) : state);
		term_table_cell(t, json_str(tool, "path", is_found ? STR("") : STR("-")));
		term_table_end_row(t);
	}
	buf_char(w->out, '\n');
	term_table_write(t, w->term, w->out);
	buf_char(w->out, '\n');
	for (size_t i = 0; tools && i < tools->n; i++) {
		const struct json *tool = tools->members[i].value;
		struct str state = json_str(tool, "state", STR("unknown"));
		const char *key = arena_strndup(w->arena, tools->members[i].key.p, tools->members[i].key.n);
		if (str_is(state, "found"))
			continue;
		if (str_is(state, "broken"))
			put_at(w, TOOL_LABEL, key, text_of(w, tool, "reason"));
		put_at(w, TOOL_LABEL, str_is(state, "broken") ? "" : key, text_of(w, tool, "absence"));
	}
}

/* "gpu, nvcc; decided by running: counters" */
static const char *needs_text(struct writing *w, const struct json *needs)
{
	static const char *const states[] = {"met", "decided_by_running"}, *const heads[] = {"",
											     "decided by running: "};
	const char *text = "";
	for (size_t k = 0; k < COUNT_OF(states); k++) {
		bool is_first = true;
		for (size_t i = 0; i < needs->n; i++) {
			if (!str_is(json_str(needs->items[i], "state", STR("")), states[k]))
				continue;
			text = arena_printf(w->arena, "%s%s%s%s", text,
					    !*text     ? ""
					    : is_first ? "; "
						       : ", ",
					    is_first ? heads[k] : "", text_of(w, needs->items[i], "need"));
			is_first = false;
		}
	}
	return text;
}

void preflight_text(const struct json *root, const struct term *term, struct arena *a, struct buf *out)
{
	struct writing w = {term, a, out};
	const struct json *gpus = json_get(root, "gpus"), *needs = json_get(root, "needs");
	const struct json *missing = json_get(root, "missing"), *counters = json_get(root, "counters");
	put_machine(&w, root);
	for (size_t i = 0; gpus && i < gpus->n; i++)
		put_gpu(&w, gpus->items[i]);
	if (gpus && gpus->n) {
		put(&w, "counters", text_of(&w, counters, "found"));
		if (json_str(counters, "advice", STR("")).n)
			put(&w, "", text_of(&w, counters, "advice"));
	}
	put_tools(&w, json_get(root, "tools"));
	for (size_t i = 0; missing && i < missing->n; i++) {
		term_styled(term, out, TERM_BAD, "missing    ");
		term_wrap(out, missing->items[i]->text, LABEL, LABEL, term->width);
		buf_char(out, '\n');
	}
	if (needs && needs->n && json_bool(root, "ready", false)) {
		term_styled(term, out, TERM_GOOD, "ready      ");
		term_wrap(out, str_from(needs_text(&w, needs)), LABEL, LABEL, term->width);
		buf_char(out, '\n');
	}
}
