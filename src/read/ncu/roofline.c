/* Rooflines.
 * In: metrics of a launch.
 * Out: rates and roofs.
 * Never: fills in a metric that was not collected. */
#include "read/ncu/roofline.h"

#include <stdio.h>
#include <string.h>

static const struct sheet_column columns[] = {
	{"id", "id", "", 0},
	{"kernel", "kernel", "", SHEET_TEXT | SHEET_KEY},
	{"unit", "unit", "", SHEET_TEXT},
	{"flop_rate", "reached", "flop/s", 0},
	{"flop_peak", "peak", "flop/s", 0},
	{"flop_pct", "of it", "%", 0},
	{"byte_rate", "DRAM", "byte/s", 0},
	{"byte_peak", "peak", "byte/s", SHEET_HIDDEN},
	{"byte_pct", "of it", "%", 0},
	{"intensity", "flop/byte", "", 0},
	{"ridge", "ridge", "", 0},
	{"roof", "roof", "flop/s", SHEET_HIDDEN},
	{"roof_pct", "of roof", "%", 0},
	{"side", "side", "", SHEET_TEXT},
};

struct job {
	const struct ncu_report *r;
	const struct ncu_result *res;
	struct sheet *out;
	struct arena *a;
	bool has_bytes;
	double byte_rate, byte_peak;
	size_t n_missing;
};

static bool number(const struct job *j, const char *name, double *v)
{
	const struct ncu_metric *m = ncu_metric(j->r, j->res, name);
	return m && ncu_number(m, v);
}

static void put_row(struct job *j, struct str unit, double rate, double peak)
{
	struct sheet_cell *c = sheet_row(j->out);
	sheet_put(&c[0], (double)j->res->id);
	sheet_put_text(&c[1], j->res->name);
	sheet_put_text(&c[2], unit);
	sheet_put(&c[3], rate);
	if (peak > 0) {
		sheet_put(&c[4], peak);
		sheet_put(&c[5], 100 * rate / peak);
	}
	if (!j->has_bytes)
		return;
	sheet_put(&c[6], j->byte_rate);
	sheet_put(&c[7], j->byte_peak);
	sheet_put(&c[8], 100 * j->byte_rate / j->byte_peak);
	if (j->byte_rate <= 0 || peak <= 0)
		return;
	double intensity = rate / j->byte_rate, ridge = peak / j->byte_peak;
	double roof = intensity < ridge ? intensity * j->byte_peak : peak;
	sheet_put(&c[9], intensity);
	sheet_put(&c[10], ridge);
	sheet_put(&c[11], roof);
	sheet_put(&c[12], 100 * rate / roof);
	sheet_put_text(&c[13], intensity < ridge ? STR("memory") : STR("compute"));
}

struct plain { /* flop an instruction of each thread: add, mul, fma */
	const char *unit, *letter;
	double add, fma;
};
static const struct plain plain[] = {{"fp32", "f", 1, 2}, {"fp64", "d", 1, 2}, {"fp16", "h", 2, 4}};

/* False: the section that counts these instructions was not collected. */
static bool plain_rate(const struct job *j, const struct plain *p, double *rate, double *peak)
{
	static const char *const ops[] = {"add", "mul", "fma"};
	double clock, sm_clock, per_cycle = 0, v;
	char name[96];
	if (!number(j, "smsp__cycles_elapsed.avg.per_second", &clock))
		return false;
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		snprintf(name, sizeof(name), "smsp__sass_thread_inst_executed_op_%s%s_pred_on.sum.per_cycle_elapsed",
			 p->letter, ops[i]);
		if (!number(j, name, &v))
			return false;
		per_cycle += v * (i == 2 ? p->fma : p->add);
	}
	*rate = per_cycle * clock;
	snprintf(name, sizeof(name), "sm__sass_thread_inst_executed_op_%sfma_pred_on.sum.peak_sustained", p->letter);
	*peak = number(j, name, &v) && number(j, "sm__cycles_elapsed.avg.per_second", &sm_clock) ? v * p->fma * sm_clock
												 : 0;
	return true;
}

/* sm__ops_path_tensor_src_X.sum.per_second, X without the name of an instruction. */
static void tensor_rows(struct job *j)
{
	static const char head[] = "sm__ops_path_tensor_src_", tail[] = ".sum.per_second";
	for (uint32_t i = 0; i < j->r->n_names; i++) {
		struct str name = j->r->names[i];
		const struct ncu_metric *m = ncu_metric_at(j->res, i);
		double rate, peak;
		if (!m || !str_starts(name, head) || !str_ends(name, tail) || !ncu_number(m, &rate) || rate <= 0)
			continue;
		struct str path = str_sub(name, sizeof(head) - 1, name.n - (sizeof(head) - 1) - (sizeof(tail) - 1));
		const char *roof =
			arena_printf(j->a, "%s%.*s.sum.peak_sustained_elapsed.per_second", head, STR_ARG(path));
		put_row(j, str_from(arena_printf(j->a, "tensor %.*s", STR_ARG(path))), rate,
			number(j, roof, &peak) ? peak : 0);
	}
}

static void one_result(struct job *j)
{
	double clock, peak, rate;
	bool any = false;
	j->has_bytes = number(j, "dram__bytes.sum.per_second", &j->byte_rate) &&
		       number(j, "dram__bytes.sum.peak_sustained", &peak) &&
		       number(j, "dram__cycles_elapsed.avg.per_second", &clock) && peak * clock > 0;
	j->byte_peak = j->has_bytes ? peak * clock : 0;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		bool known = plain_rate(j, &plain[i], &rate, &peak);
		any |= known;
		if (known && rate > 0)
			put_row(j, str_from(plain[i].unit), rate, peak);
	}
	j->n_missing += !any;
	tensor_rows(j);
}

void roofline_rows(const struct ncu_report *r, struct sheet *out, struct arena *a)
{
	struct job j = {.r = r, .out = out, .a = a};
	sheet_init(out, a, "roofline", columns, sizeof(columns) / sizeof(*columns));
	out->title = "Rooflines";
	for (size_t i = 0; i < r->n_results; i++) {
		j.res = &r->results[i];
		one_result(&j);
	}
	if (j.n_missing)
		out->note = arena_printf(
			a,
			"%zu of %zu results count no arithmetic: the sections SpeedOfLight_RooflineChart and "
			"SpeedOfLight_HierarchicalTensorRooflineChart do",
			j.n_missing, r->n_results);
	else
		out->note = "DRAM traffic; side: which roof is the lower one at this intensity";
}
