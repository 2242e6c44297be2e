/* Occupancy of profiled launches.
 * In: metrics of a launch.
 * Out: theoretical, achieved, each limit.
 * Never: takes a limit of 0 for one: ncu writes it for what the chip does not have. */
#include "read/ncu/occupancy_table.h"

#include "facts/occupancy.h"
#include "read/ncu/facts.h"

static const struct sheet_column columns[] = {
	{"id", "id", "", 0},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"grid", "grid", "", SHEET_TEXT | SHEET_HIDDEN},
	{"block", "block", "", SHEET_TEXT},
	{"theoretical_pct", "max", "%", 0},
	{"achieved_pct", "achieved", "%", 0},
	{"lost_pct", "lost", "%", SHEET_HIDDEN},
	{"limiter", "limited by", "", SHEET_TEXT},
	{"blocks", "blocks", "block", SHEET_HIDDEN},
	{"by_registers", "regs", "block", 0},
	{"by_shared", "shared", "block", 0},
	{"by_warps", "warps", "block", 0},
	{"by_blocks", "SM", "block", 0},
	{"by_barriers", "barriers", "block", SHEET_HIDDEN},
	{"registers", "registers", "register/thread", SHEET_HIDDEN},
	{"shared_bytes", "shared bytes", "byte/block", SHEET_HIDDEN},
	{"waves", "waves", "", SHEET_HIDDEN},
	{"source", "source", "", SHEET_TEXT | SHEET_HIDDEN},
};
enum { C_ID, C_KERNEL, C_GRID, C_BLOCK, C_THEORETICAL, C_ACHIEVED, C_LOST, C_LIMITER, C_BLOCKS, C_BY_REGISTERS };
enum {
	C_BY_SHARED = C_BY_REGISTERS + 1,
	C_BY_WARPS,
	C_BY_BLOCKS,
	C_BY_BARRIERS,
	C_REGISTERS,
	C_SHARED,
	C_WAVES,
	C_SOURCE
};

static bool number(struct ncu_subject *s, enum metric_id m, double *v)
{
	return ncu_rule_lookup(s, m, v);
}

static void put(struct ncu_subject *s, struct sheet_cell *c, enum metric_id m, bool zero_is_none)
{
	double v;
	if (number(s, m, &v) && !(zero_is_none && v <= 0))
		sheet_put(c, v);
}

/* From the launch where the section lacks. */
static void computed(struct ncu_subject *s, struct sheet_cell *c, struct arena *a)
{
	const struct ncu_result *res = s->res;
	double registers, fixed = 0, dynamic = 0, config = 0;
	struct occupancy o;
	char text[64];
	if (!res->has_cc || !res->has_dims || !number(s, METRIC_REGISTERS, &registers) ||
	    !number(s, METRIC_SHARED_STATIC, &fixed) || !number(s, METRIC_SHARED_DYNAMIC, &dynamic) || registers < 0 ||
	    fixed < 0 || dynamic < 0 || fixed > 1e9 || dynamic > 1e9 || registers > 1e6)
		return;
	if (!number(s, METRIC_SHARED_CONFIG, &config) || config < 0 || config > 1e9)
		config = 0;
	struct occupancy_in in = {.sm = (int)(res->cc_major % 100 * 10 + res->cc_minor % 10),
				  .threads = res->block.x % 2048 * (res->block.y % 2048) * (res->block.z % 2048),
				  .registers = (uint64_t)registers,
				  .shared_static = (uint64_t)fixed,
				  .shared_dynamic = (uint64_t)dynamic,
				  .shared_config = (uint64_t)config};
	if (!occupancy_of(&o, &in))
		return;
	sheet_put(&c[C_THEORETICAL], o.pct);
	sheet_put_text(&c[C_LIMITER], arena_str(a, str_from(occupancy_limits(text, o.limits))));
	sheet_put(&c[C_BLOCKS], (double)o.blocks);
	sheet_put(&c[C_BY_REGISTERS], (double)o.by_registers);
	sheet_put(&c[C_BY_SHARED], (double)o.by_shared);
	sheet_put(&c[C_BY_WARPS], (double)o.by_warps);
	sheet_put(&c[C_BY_BLOCKS], (double)o.by_blocks);
	sheet_put_text(&c[C_SOURCE], STR("launch"));
}

static void from_section(struct ncu_subject *s, struct sheet_cell *c, struct arena *a)
{
	static const enum metric_id limits[] = {METRIC_LIMIT_REGISTERS, METRIC_LIMIT_SHARED, METRIC_LIMIT_WARPS,
						METRIC_LIMIT_BLOCKS, METRIC_LIMIT_BARRIERS};
	double blocks;
	const char *limiter = rule_occupancy_limiter(a, ncu_rule_lookup, s, &blocks);
	put(s, &c[C_THEORETICAL], METRIC_OCCUPANCY_THEORETICAL, false);
	if (limiter) {
		sheet_put_text(&c[C_LIMITER], str_from(limiter));
		sheet_put(&c[C_BLOCKS], blocks);
	}
	for (size_t i = 0; i < COUNT_OF(limits); i++)
		put(s, &c[C_BY_REGISTERS + i], limits[i], true);
	if (limiter && c[C_THEORETICAL].has)
		sheet_put_text(&c[C_SOURCE], STR("ncu"));
}

static struct str dims(struct arena *a, struct ncu_dim3 d)
{
	return str_from(arena_printf(a, "%llux%llux%llu", (unsigned long long)d.x, (unsigned long long)d.y,
				     (unsigned long long)d.z));
}

void occupancy_rows(const struct ncu_report *r, struct sheet *out, struct arena *a)
{
	size_t n_computed = 0, n_none = 0;
	sheet_init(out, a, "occupancy", columns, COUNT_OF(columns));
	out->title = "Occupancy";
	for (size_t i = 0; i < r->n_results; i++) {
		struct ncu_subject s = {r, &r->results[i]};
		struct sheet_cell *c = sheet_row(out);
		double fixed = 0, dynamic = 0, driver = 0;
		sheet_put(&c[C_ID], s.res->id);
		sheet_put_text(&c[C_KERNEL], s.res->name);
		if (s.res->has_dims) {
			sheet_put_text(&c[C_GRID], dims(a, s.res->grid));
			sheet_put_text(&c[C_BLOCK], dims(a, s.res->block));
		}
		put(&s, &c[C_ACHIEVED], METRIC_OCCUPANCY, false);
		put(&s, &c[C_REGISTERS], METRIC_REGISTERS, false);
		put(&s, &c[C_WAVES], METRIC_WAVES, false);
		if (number(&s, METRIC_SHARED_STATIC, &fixed) && number(&s, METRIC_SHARED_DYNAMIC, &dynamic)) {
			(void)number(&s, METRIC_SHARED_DRIVER, &driver);
			sheet_put(&c[C_SHARED], fixed + dynamic + driver);
		}
		from_section(&s, c, a);
		if (!c[C_SOURCE].has)
			computed(&s, c, a);
		if (c[C_THEORETICAL].has && c[C_ACHIEVED].has)
			sheet_put(&c[C_LOST], c[C_THEORETICAL].v - c[C_ACHIEVED].v);
		n_computed += c[C_SOURCE].has && str_is(c[C_SOURCE].text, "launch");
		n_none += !c[C_SOURCE].has;
	}
	out->note = arena_printf(
		a, "share of an SM's warps; regs, shared, warps, SM: blocks an SM by each limit alone%s%s",
		n_computed ? "; computed from the launch where ncu did not collect the section Occupancy" : "",
		n_none ? "; - : neither the section nor the launch's resources were collected" : "");
}
