/* The preflight as Markdown.
 * In: the document assay/preflight-v1. Out: text.
 * Numbers are the document's, rounded for reading.
 * Never: looks at the machine. */
#include "collect/preflight.h"

#include "base/term.h"

/* A cell: no line break, no bar that would end it. "-" for nothing. */
static void put_cell(struct buf *out, struct str s)
{
	buf_puts(out, " ");
	if (!s.n)
		buf_puts(out, "-");
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '|')
			buf_puts(out, "\\|");
		else
			buf_char(out, (unsigned char)s.p[i] < 0x20 ? ' ' : s.p[i]);
	}
	buf_puts(out, " |");
}

static void put_pair(struct buf *out, const char *key, struct str value)
{
	buf_char(out, '|');
	put_cell(out, str_from(key));
	put_cell(out, value);
	buf_char(out, '\n');
}

static struct str bytes_of(struct arena *a, const struct json *j, const char *key)
{
	double v = json_f64(j, key, -1);
	return str_from(v < 0 ? "" : term_bytes(a, v));
}

static struct str yes_no(const struct json *j, const char *key)
{
	const struct json *v = json_get(j, key);
	if (!v || v->type != JSON_BOOL)
		return STR("not told");
	return v->boolean ? STR("on") : STR("off");
}

static void put_machine(struct buf *out, struct arena *a, const struct json *root)
{
	static const char *const keys[] = {"os", "kernel", "architecture", "cpu", "container"};
	const struct json *m = json_get(root, "machine"), *d = json_get(root, "driver");
	buf_puts(out, "\n## Machine\n\n| fact | value |\n|---|---|\n");
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		put_pair(out, keys[i], json_str(m, keys[i], STR("")));
	put_pair(out, "CPUs",
		 str_from(arena_printf(a, "%lld usable of %lld", (long long)json_i64(m, "n_cpus_usable", 0),
				       (long long)json_i64(m, "n_cpus_online", 0))));
	put_pair(out, "memory", bytes_of(a, m, "memory_bytes"));
	put_pair(out, "driver", json_str(d, "version", json_str(d, "reason", STR(""))));
	put_pair(out, "CUDA of the driver", json_str(d, "cuda", STR("")));
	put_pair(out, "MPS", json_str(d, "mps_pipe", STR("off")));
	put_pair(out, "counters", json_str(json_get(root, "counters"), "found", STR("")));
}

static void put_gpus(struct buf *out, struct arena *a, const struct json *root)
{
	const struct json *gpus = json_get(root, "gpus");
	buf_puts(out, "\n## GPUs\n\n");
	if (!gpus || !gpus->n) {
		buf_puts(out, "None is seen.\n");
		return;
	}
	buf_puts(out, "| GPU | name | compute capability | memory | UUID | MIG | compute mode |\n"
		      "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < gpus->n; i++) {
		const struct json *g = gpus->items[i];
		buf_char(out, '|');
		put_cell(out, str_from(arena_printf(a, "%lld", (long long)json_i64(g, "index", 0))));
		put_cell(out, json_str(g, "name", STR("")));
		put_cell(out, json_str(g, "compute_capability", STR("")));
		put_cell(out, bytes_of(a, g, "memory_bytes"));
		put_cell(out, json_str(g, "uuid", STR("")));
		put_cell(out, yes_no(g, "mig"));
		put_cell(out, json_str(g, "compute_mode", STR("")));
		buf_char(out, '\n');
	}
}

static void put_tools(struct buf *out, const struct json *root)
{
	const struct json *tools = json_get(root, "tools");
	buf_puts(out, "\n## Tools\n\n| tool | state | version | path | without it |\n|---|---|---|---|---|\n");
	for (size_t i = 0; tools && i < tools->n; i++) {
		const struct json *t = tools->members[i].value;
		struct str state = json_str(t, "state", STR(""));
		bool is_found = str_is(state, "found");
		buf_char(out, '|');
		put_cell(out, tools->members[i].key);
		put_cell(out, state);
		put_cell(out, json_str(t, "version", STR("")));
		put_cell(out, json_str(t, "path", json_str(t, "reason", STR(""))));
		put_cell(out, is_found ? STR("") : json_str(t, "absence", STR("")));
		buf_char(out, '\n');
	}
}

void preflight_markdown(struct buf *out, const struct json *root)
{
	const struct json *needs = json_get(root, "needs");
	struct arena a;
	arena_init(&a);
	buf_printf(out, "# Preflight\n\n%s at %.*s\n", json_bool(root, "ready", false) ? "Ready" : "Not ready",
		   STR_ARG(json_str(root, "time", STR("?"))));
	if (needs && needs->n) {
		buf_puts(out, "\n## Needs\n\n| need | state | found |\n|---|---|---|\n");
		for (size_t i = 0; i < needs->n; i++) {
			buf_char(out, '|');
			put_cell(out, json_str(needs->items[i], "need", STR("")));
			put_cell(out, json_str(needs->items[i], "state", STR("")));
			put_cell(out, json_str(needs->items[i], "text", STR("")));
			buf_char(out, '\n');
		}
	}
	put_machine(out, &a, root);
	put_gpus(out, &a, root);
	put_tools(out, root);
	arena_release(&a);
}
