/* Kernels of a trace by family.
 * In: a timeline.
 * Out: one row a family, with how many names it has.
 * Never: puts copies or memsets into a family. */
#include <stdlib.h>

#include "facts/kernel_name.h"
#include "verb/read_timeline.h"

static const struct sheet_column columns[] = {
	{"name", "family", "", SHEET_TEXT | SHEET_KEY},
	{"total_ns", "time", "ns", SHEET_SHARE},
	{"share_pct", "share", "%", 0},
	{"n", "n", "", 0},
	{"names", "names", "", 0},
	{"removable_ns", "removable", "ns", 0},
};

struct family {
	struct str name;
	uint64_t n, n_names;
	int64_t sum_ns, alone_ns;
};

static int by_sum(const void *x, const void *y)
{
	const struct family *const *a = x, *const *b = y;
	if ((*a)->sum_ns != (*b)->sum_ns)
		return (*a)->sum_ns > (*b)->sum_ns ? -1 : 1;
	return str_cmp((*a)->name, (*b)->name);
}

void read_groups_sheet(struct sheet *out, const struct timeline *l, struct arena *a)
{
	struct map families;
	int64_t total = 0;
	map_init(&families, a);
	sheet_init(out, a, "groups", columns, COUNT_OF(columns));
	out->title = "Time by family of kernels";
	out->note = "names without parameters, template arguments, hashes, tile sizes and autotune numbers; removable: "
		    "sum over the "
		    "names of the time in which each runs alone";
	for (size_t i = 0; i < l->items.n; i++) {
		const struct cover_item *item = &l->items.v[i];
		if (item->kind != TRACE_COMPUTE && item->kind != TRACE_COMM)
			continue;
		struct str name = kernel_name_base(a, l->trace->names[item->name]);
		struct map_entry *at = map_intern(&families, name, NULL);
		struct family *f = at->value ? at->value : ARENA_NEW(a, struct family);
		at->value = f;
		f->name = name;
		f->n += item->n;
		f->n_names++;
		f->sum_ns += item->sum_ns;
		f->alone_ns += item->alone_ns;
		total += item->sum_ns;
	}
	const struct family **sorted = ARENA_ARRAY(a, families.n + 1, const struct family *);
	for (size_t i = 0; i < families.n; i++)
		sorted[i] = families.entries[i].value;
	qsort(sorted, families.n, sizeof(*sorted), by_sum);
	for (size_t i = 0; i < families.n; i++) {
		struct sheet_cell *c = sheet_row(out);
		sheet_put_text(&c[0], sorted[i]->name);
		sheet_put(&c[1], (double)sorted[i]->sum_ns);
		if (total > 0)
			sheet_put(&c[2], 100 * (double)sorted[i]->sum_ns / (double)total);
		sheet_put(&c[3], (double)sorted[i]->n);
		sheet_put(&c[4], (double)sorted[i]->n_names);
		sheet_put(&c[5], (double)sorted[i]->alone_ns);
	}
}
