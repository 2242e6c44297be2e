/* Kernels by grid, block and resources.
 * In: a trace.
 * Out: one row a kernel and launch shape.
 * Never: gives an occupancy for a device whose compute capability the trace does not say. */
#include "read/kineto/launches.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/sum.h"
#include "facts/occupancy.h"

static const struct sheet_column columns[] = {
	{"name", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"total_ns", "time", "ns", SHEET_SHARE},
	{"share_pct", "share", "%", SHEET_HIDDEN},
	{"count", "n", "", 0},
	{"mean_ns", "mean", "ns", 0},
	{"grid", "grid", "", SHEET_TEXT},
	{"block", "block", "", SHEET_TEXT},
	{"registers", "regs", "register/thread", 0},
	{"shared_bytes", "shared", "byte", 0},
	{"occupancy_pct", "occupancy", "%", 0},
	{"limiter", "limited by", "", SHEET_TEXT},
};

struct group {
	uint32_t name, config, lane;
	uint64_t n;
	int64_t total_ns;
};

static int by_total(const void *x, const void *y)
{
	const struct group *const *a = x, *const *b = y;
	if ((*a)->total_ns != (*b)->total_ns)
		return (*a)->total_ns > (*b)->total_ns ? -1 : 1;
	if ((*a)->name != (*b)->name)
		return (*a)->name < (*b)->name ? -1 : 1;
	return (*a)->config < (*b)->config ? -1 : (*a)->config > (*b)->config;
}

/* 90 for 9.0; 0: not said. */
static int capability(const struct kineto_trace *t, int64_t device)
{
	const struct json *list = json_get(t->meta, "deviceProperties");
	for (size_t i = 0; i < (list ? list->n : 0); i++) {
		const struct json *d = json_at(list, i);
		if (json_i64(d, "id", -1) == device && json_get(d, "computeMajor") &&
		    json_get(d, "regsPerMultiprocessor"))
			return (int)(json_i64(d, "computeMajor", 0) * 10 + json_i64(d, "computeMinor", 0));
	}
	return 0;
}

static const char *dims(struct arena *a, const uint32_t v[3])
{
	return arena_printf(a, "%ux%ux%u", v[0], v[1], v[2]);
}

static void put_row(struct sheet *out, const struct kineto_trace *t, const struct group *g, int64_t total)
{
	const struct kineto_config *c = &t->configs[g->config];
	struct sheet_cell *cell = sheet_row(out);
	struct occupancy o;
	char text[64];
	sheet_put_text(&cell[0], t->names[g->name]);
	sheet_put(&cell[1], (double)g->total_ns);
	if (total > 0)
		sheet_put(&cell[2], 100 * (double)g->total_ns / (double)total);
	sheet_put(&cell[3], (double)g->n);
	sheet_put(&cell[4], (double)g->total_ns / (double)g->n);
	if (c->has & 1) {
		sheet_put_text(&cell[5], str_from(dims(out->arena, c->grid)));
		sheet_put_text(&cell[6], str_from(dims(out->arena, c->block)));
	}
	if (c->has & 2)
		sheet_put(&cell[7], c->registers);
	if (c->has & 4)
		sheet_put(&cell[8], c->shared_bytes);
	struct occupancy_in in = {.sm = capability(t, t->lanes[g->lane].device),
				  .threads = (uint64_t)c->block[0] * c->block[1] * c->block[2],
				  .registers = c->registers,
				  .shared_dynamic = c->shared_bytes};
	if ((c->has & 7) != 7 || !occupancy_of(&o, &in))
		return;
	sheet_put(&cell[9], o.pct);
	sheet_put_text(&cell[10], arena_str(out->arena, str_from(occupancy_limits(text, o.limits))));
}

void launches_sheet(struct sheet *out, const struct kineto_trace *t, struct arena *a)
{
	struct map groups;
	int64_t total = 0;
	map_init(&groups, a);
	sheet_init(out, a, "launches", columns, COUNT_OF(columns));
	out->title = "Time by kernel, grid and block";
	out->note = "occupancy: theoretical, from the launch alone, with as much shared memory as the SM can set aside";
	for (size_t i = 0; i < t->n_activities; i++) {
		const struct kineto_activity *v = &t->activities[i];
		uint32_t key[2] = {v->name, v->config};
		if (v->kind != KINETO_KERNEL)
			continue;
		struct map_entry *at = map_intern(&groups, (struct str){(const char *)key, sizeof(key)}, NULL);
		struct group *g = at->value;
		if (!g) {
			g = at->value = ARENA_NEW(a, struct group);
			*g = (struct group){.name = v->name, .config = v->config, .lane = v->lane};
		}
		g->n++;
		sum_add(&g->total_ns, v->dur_ns);
		sum_add(&total, v->dur_ns);
	}
	const struct group **sorted = ARENA_ARRAY(a, groups.n + 1, const struct group *);
	for (size_t i = 0; i < groups.n; i++)
		sorted[i] = groups.entries[i].value;
	qsort(sorted, groups.n, sizeof(*sorted), by_total);
	for (size_t i = 0; i < groups.n; i++)
		put_row(out, t, sorted[i], total);
}
