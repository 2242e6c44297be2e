/* How often does the engine decide wrongly on placements of a real machine, and what does it find? `make bank-replay`.
 * In: a folder that bench/gpu/bank.sh filled; comparisons a row, seed. Out: the tables of docs/measurements/bank.md.
 * A virtual comparison draws placements of the bank without putting back and goes through the shipped path: calls ->
 * placement_reduce -> paired_judge. Never measures; exit 1 when a promise does not hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/file.h"
#include "stats/paired.h"
#include "stats/placement.h"
#include "stats/plan.h"
#include "stats/plan_compare.h"
#include "stats/simulate.h"
#include "stats/student.h"
#include "store/column.h"

enum { MAX_PLACEMENTS = 1024, MAX_SIDES = 8 };
static const double BUDGETS_S[] = {2, 5, 10, 20, 60};

struct bank {
	struct arena *arena;
	const char *name;
	struct json *record;
	struct column_file trial;
	size_t n_rows, n_placements, n_sides;
	const char *plants[MAX_SIDES]; /* flags of each side */
	struct plan_cost cost;         /* of a comparison of two sides */
};
struct population { /* log ratios of one candidate at so many blocks a placement */
	double d[MAX_PLACEMENTS];
	size_t n;
	double mean, sd;
};

static void die(const char *what)
{
	fprintf(stderr, "replay: %s\n", what);
	exit(2);
}

static struct str read_packed(struct arena *a, const char *path)
{
	struct buf b;
	gzFile f = gzopen(path, "rb");
	if (!f)
		die(arena_printf(a, "%s: cannot be opened", path));
	buf_init(&b);
	for (;;) {
		buf_reserve(&b, 1 << 20);
		int got = gzread(f, b.p + b.n, 1 << 20);
		if (got < 0)
			die(arena_printf(a, "%s: is damaged", path));
		if (got == 0)
			break;
		b.n += (size_t)got;
	}
	gzclose(f);
	char *copy = arena_alloc(a, b.n + 1);
	memcpy(copy, b.p, b.n);
	struct str out = {copy, b.n};
	buf_release(&b);
	return out;
}

static void open_bank(struct bank *k, struct arena *a, const char *folder, const char *name)
{
	struct err e;
	*k = (struct bank){.arena = a, .name = name};
	k->record = json_read_file(a, path_join(a, folder, arena_printf(a, "%s.json", name)), JSON_STRICT, &e);
	struct json *live =
		json_read_file(a, path_join(a, folder, arena_printf(a, "%s.live.json", name)), JSON_STRICT, &e);
	if (!k->record || !live)
		die(e.text);
	const char *path = path_join(a, folder, arena_printf(a, "%s.trial.gz", name));
	if (!column_parse(&k->trial, a, path, read_packed(a, path), &e))
		die(e.text);
	k->n_rows = k->trial.n_rows;
	k->n_placements = (size_t)json_f64(json_get(k->record, "run"), "n_placements", 0);
	const struct json *sides = json_get(k->record, "sides"), *run = json_get(live, "run");
	k->n_sides = sides ? sides->n : 0;
	if (k->n_sides < 2 || k->n_sides > MAX_SIDES || k->n_placements > MAX_PLACEMENTS)
		die("not a bank");
	for (size_t i = 0; i < k->n_sides; i++) {
		struct str flags = json_str(sides->items[i], "flags", STR(""));
		k->plants[i] = arena_strndup(a, flags.p, flags.n);
	}
	double n = json_f64(run, "n_placements", 0), blocks = json_f64(run, "n_blocks", 0);
	if (!(n * blocks > 0))
		die("the live comparison made no placement");
	k->cost.start_ns = 1e9 * json_f64(run, "overhead_s_per_placement", 0);
	k->cost.block_ns = 1e9 * json_f64(run, "sampling_s", 0) / (n * blocks);
}

static const int64_t *whole(const struct bank *k, const char *name)
{
	const int64_t *p = column_i64(&k->trial, name);
	if (!p)
		die("a column is missing");
	return p;
}

struct rows { /* the columns that say which call a row is */
	const int64_t *placement, *side, *block, *marks;
	const uint8_t *quarter, *flags, *mode;
	const double *time, *empty[MAX_SIDES];
};

static void open_rows(struct rows *r, const struct bank *k)
{
	bool is_event = str_is(json_str(k->record, "source", STR("")), "event_pair");
	*r = (struct rows){.placement = whole(k, "placement"),
			   .side = whole(k, "side"),
			   .block = whole(k, "block"),
			   .marks = whole(k, "marks"),
			   .quarter = column_u8(&k->trial, "quarter"),
			   .flags = column_u8(&k->trial, "flags"),
			   .mode = column_u8(&k->trial, "mode"),
			   .time = column_f64(&k->trial, is_event ? "event_ns" : "span_ns")};
	if (!r->quarter || !r->flags || !r->mode || !r->time)
		die("a column is missing");
	for (size_t i = 0; is_event && i < k->n_sides; i++) {
		const struct json *list = json_get(json_at(json_get(k->record, "sides"), i), "empty_pair_ns");
		double *x = ARENA_ARRAY(k->arena, MAX_PLACEMENTS, double);
		for (size_t p = 0; list && p < list->n && p < MAX_PLACEMENTS; p++)
			x[p] = list->items[p]->real;
		r->empty[i] = x;
	}
}

/* The side that a block measures beside the baseline, by block number of a placement. */
static int64_t other_side(const struct rows *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (r->side[i] != 0)
			return r->side[i];
	}
	return 0;
}

/* Calls of candidate `side` in one placement (rows from..to), its first n_blocks blocks. */
static size_t gather(const struct rows *r, size_t from, size_t to, int64_t side, size_t n_blocks,
		     struct placement_call *out)
{
	size_t n = 0, n_seen = 0;
	int64_t last = -1;
	for (size_t i = from; i < to;) {
		size_t end = i;
		while (end < to && r->block[end] == r->block[i] && r->quarter[end] != 255)
			end++;
		if (end == i) { /* warm-up or a look */
			last = r->side[i++];
			continue;
		}
		bool is_wanted = other_side(r, i, end) == side && n_seen < n_blocks;
		n_seen += is_wanted;
		for (; i < end; i++) {
			double off = r->empty[r->side[i]] ? r->empty[r->side[i]][r->placement[i]] : 0,
			       t = r->time[i] - off;
			bool has_time = isfinite(t) && t > 0;
			if (is_wanted)
				out[n++] = (struct placement_call){.time_ns = has_time ? t : 1,
								   .block = (uint32_t)r->block[i],
								   .slot = r->quarter[i],
								   .side = r->side[i] ? PLACEMENT_B : PLACEMENT_A,
								   .skip = !has_time || r->side[i] != last};
			last = r->side[i];
		}
	}
	return n;
}

static void populate(struct population *out, const struct bank *k, int64_t side, size_t n_blocks)
{
	struct rows r;
	struct arena_mark mark = arena_mark(k->arena);
	struct placement_call *calls = ARENA_ARRAY(k->arena, k->n_rows + 1, struct placement_call);
	*out = (struct population){0};
	open_rows(&r, k);
	for (size_t from = 0, to; from < k->n_rows; from = to) {
		struct placement got;
		struct err e;
		for (to = from; to < k->n_rows && r.placement[to] == r.placement[from] && r.mode[to] == r.mode[from];
		     to++)
			continue;
		if (r.mode[from] == 0)
			continue;
		size_t n = gather(&r, from, to, side, n_blocks, calls);
		if (n && placement_reduce(&got, calls, n, k->arena, &e))
			out->d[out->n++] = got.d;
	}
	arena_reset(k->arena, mark);
	for (size_t i = 0; i < out->n; i++)
		out->mean += out->d[i] / (double)out->n;
	for (size_t i = 0; i < out->n; i++)
		out->sd += (out->d[i] - out->mean) * (out->d[i] - out->mean) / (double)(out->n - 1);
	out->sd = sqrt(out->sd);
}

enum treat { AS_IS, CENTRED, SIGNS }; /* of the log ratios: taken away the mean; each with a sign of chance */

struct tally {
	size_t n, faster, slower, equivalent;
	double placements;
};

static void draw(double *out, size_t n, const struct population *x, enum treat treat, struct simulate_rng *rng)
{
	size_t order[MAX_PLACEMENTS];
	for (size_t i = 0; i < x->n; i++)
		order[i] = i;
	for (size_t i = 0; i < n; i++) {
		size_t k = i + (size_t)(simulate_uniform(rng) * (double)(x->n - i));
		size_t swap = order[i];
		order[i] = order[k];
		order[k] = swap;
		double d = x->d[order[i]] - (treat == CENTRED ? x->mean : 0);
		out[i] = treat == SIGNS && simulate_uniform(rng) < 0.5 ? -d : d;
	}
}

static void compare_many(struct tally *out, const struct population *x, enum treat treat, size_t n_looks,
			 double min_effect, struct simulate_rng *rng)
{
	struct arena a;
	size_t n = spending_look[n_looks - 1] < x->n ? spending_look[n_looks - 1] : x->n;
	double d[MAX_PLACEMENTS];
	struct paired_options o = {.min_effect = min_effect, .n_cases = 1, .n_looks = n_looks};
	arena_init(&a);
	for (size_t i = 0; i < out->n; i++) {
		struct paired_result r;
		struct paired_input in = {d, n};
		struct err e;
		draw(d, n, x, treat, rng);
		if (!paired_judge(&r, &in, 1, &o, &a, &e))
			die(e.text);
		out->faster += r.overall.verdict == PAIRED_FASTER;
		out->slower += r.overall.verdict == PAIRED_SLOWER;
		out->equivalent += r.overall.verdict == PAIRED_EQUIVALENT;
		out->placements += (double)r.overall.n / (double)out->n;
		arena_clear(&a);
	}
	arena_release(&a);
}

static double pct(size_t k, size_t n)
{
	return 100 * (double)k / (double)n;
}

/* False decisions between A and A again. */
static bool print_false(const struct bank *k, size_t n, struct simulate_rng *rng)
{
	static const char *const how[] = {"as they are", "mean taken off", "signs by chance"};
	bool ok = true;
	for (size_t i_looks = 1; i_looks <= SPENDING_LOOKS; i_looks++) {
		for (int t = AS_IS; t <= SIGNS; t++) {
			struct population x;
			struct tally c = {.n = n};
			populate(&x, k, 1, 1000000);
			compare_many(&c, &x, (enum treat)t, i_looks, 0, rng);
			double bound = 100 * student_rate_upper(c.faster + c.slower, n, 0.95);
			printf("| %s | %zu | %s | %.2f %% | %.2f %% |\n", k->name, spending_look[i_looks - 1], how[t],
			       pct(c.faster + c.slower, n), bound);
			ok = ok && (t == AS_IS || bound <= 6);
		}
	}
	return ok;
}

/* What a planted effect comes to at each budget, minimum effect 0. */
static bool print_power(const struct bank *k, size_t n, struct simulate_rng *rng)
{
	bool ok = true;
	for (size_t side = 1; side < k->n_sides; side++) {
		for (size_t i = 0; i < COUNT_OF(BUDGETS_S); i++) {
			struct plan_compare plan;
			struct population x, all;
			struct tally c = {.n = n};
			plan_comparison(&plan, &k->cost, &plan_spread_gpu, BUDGETS_S[i] * 1e9, 0, 1);
			populate(&all, k, (int64_t)side, 1000000);
			populate(&x, k, (int64_t)side, plan.n_blocks);
			const char *name = *k->plants[side] ? k->plants[side] : "A again";
			if (plan.n_looks == 0) {
				printf("| %s | %s | %.3f %% | %g s | - | - | - | - |\n", k->name, name,
				       paired_pct(-all.mean), BUDGETS_S[i]);
				continue;
			}
			compare_many(&c, &x, AS_IS, plan.n_looks, 0, rng);
			printf("| %s | %s | %.3f %% | %g s | %zu of %zu blocks | %.1f %% | %.2f %% | %.1f |\n", k->name,
			       name, paired_pct(-all.mean), BUDGETS_S[i], plan.n_placements, plan.n_blocks,
			       pct(c.slower, n), pct(c.faster, n), c.placements);
			bool is_promised = (strstr(name, "PLANT=10") && BUDGETS_S[i] == 5) ||
					   (strstr(name, "PLANT=5") && BUDGETS_S[i] == 20);
			ok = ok && (!is_promised || pct(c.slower, n) >= 95);
		}
	}
	return ok;
}

static void print_spread(const struct bank *k)
{
	for (size_t side = 1; side < k->n_sides; side++) {
		struct population x;
		populate(&x, k, (int64_t)side, 1000000);
		printf("| %s | %s | %zu | %+.4f %% | %.4f %% | %.2f s | %.2f ms |\n", k->name,
		       *k->plants[side] ? k->plants[side] : "A again", x.n, paired_pct(-x.mean), 100 * x.sd,
		       k->cost.start_ns / 1e9, k->cost.block_ns / 1e6);
	}
}

/* Names of kernels in the folder: what stands before ".trial.gz". */
static size_t find_banks(struct bank *out, size_t most, struct arena *a, const char *folder)
{
	struct err e;
	size_t n_files = 0, n = 0;
	char **files = file_list(a, folder, &n_files, &e);
	if (!files)
		die(e.text);
	for (size_t i = 0; i < n_files && n < most; i++) {
		struct str name = str_from(files[i]);
		if (str_ends(name, ".trial.gz"))
			open_bank(&out[n++], a, folder, arena_strndup(a, name.p, name.n - 9));
	}
	return n;
}

int main(int argc, char **argv)
{
	static struct bank banks[16];
	struct arena a;
	struct simulate_rng rng;
	uint64_t n = 2000, seed = 1;
	bool ok = true;
	if (argc < 2 || (argc > 2 && !str_u64(str_from(argv[2]), &n)) ||
	    (argc > 3 && !str_u64(str_from(argv[3]), &seed)) || n == 0)
		die("usage: replay FOLDER [comparisons [seed]]");
	arena_init(&a);
	simulate_seed(&rng, seed);
	size_t n_banks = find_banks(banks, COUNT_OF(banks), &a, argv[1]);
	if (n_banks == 0)
		die("no *.trial.gz in that folder");
	puts("| kernel | side B | placements | A's time below B's by | spread of placements | start | block "
	     "|\n|---|---|---|---|---|---|---|");
	for (size_t i = 0; i < n_banks; i++)
		print_spread(&banks[i]);
	puts("\nA against A again, minimum effect 0: every decision is false.\n\n| kernel | placements | log ratios | "
	     "decided | upper 95 % "
	     "|\n|---|---|---|---|---|");
	for (size_t i = 0; i < n_banks; i++)
		ok = print_false(&banks[i], n, &rng) && ok;
	puts("\nPlanted, minimum effect 0: B is slower.\n\n| kernel | side B | truth | budget | plan | called | called "
	     "the wrong way | "
	     "placements used |\n|---|---|---|---|---|---|---|---|");
	for (size_t i = 0; i < n_banks; i++)
		ok = print_power(&banks[i], n, &rng) && ok;
	puts(ok ? "\nPASS" : "\nFAIL: see above");
	arena_release(&a);
	return ok ? 0 : 1;
}
