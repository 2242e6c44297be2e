/* How often does the comparison engine decide wrongly, and how often does it find what is there? `make sim`.
 * In: comparisons a scenario, seed (arguments, both optional). Out: the tables of docs/measurements/simulation.md.
 * Every comparison runs the shipped path: calls -> placement_reduce -> paired_judge.
 * Never touches a clock: the same arguments print the same text. Exit 1 when the false rate is above 5 %. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/pool.h"
#include "stats/paired.h"
#include "stats/simulate.h"
#include "stats/student.h"

#define N_PLACEMENTS 32
#define CHUNK 100
#define MIN_EFFECT 0.005

struct batch { /* n comparisons of one model */
	const struct simulate_model *model;
	uint64_t seed;
	size_t n;
	double (*d)[N_PLACEMENTS];
};

static void fill_chunk(void *ctx, size_t i_chunk)
{
	const struct batch *b = ctx;
	struct simulate_rng rng;
	struct arena scratch;
	arena_init(&scratch);
	simulate_seed(&rng, b->seed + i_chunk);
	for (size_t i = i_chunk * CHUNK; i < b->n && i < (i_chunk + 1) * CHUNK; i++) {
		for (size_t p = 0; p < N_PLACEMENTS; p++) {
			struct placement_call calls[SIMULATE_N];
			struct placement out;
			struct err e;
			simulate_placement(b->model, &rng, p, calls);
			if (!placement_reduce(&out, calls, SIMULATE_N, &scratch, &e)) {
				fprintf(stderr, "%s\n", e.text);
				exit(4);
			}
			b->d[i][p] = out.d;
		}
	}
	arena_release(&scratch);
}

static void fill(struct batch *b)
{
	pool_for((b->n + CHUNK - 1) / CHUNK, 0, fill_chunk, b);
}

struct count {
	size_t n, verdict[4], n_missed, n_placements;
};
struct judging {
	const struct batch *batch;
	size_t n_looks;
	double min_effect, shift;
	struct count *count; /* by chunk */
};

static void judge_chunk(void *ctx, size_t i_chunk)
{
	const struct judging *j = ctx;
	const struct batch *b = j->batch;
	struct count *out = &j->count[i_chunk];
	struct paired_options o = {.min_effect = j->min_effect, .n_cases = 1, .n_looks = j->n_looks};
	double truth = b->model->effect + j->shift;
	struct arena a;
	arena_init(&a);
	for (size_t i = i_chunk * CHUNK; i < b->n && i < (i_chunk + 1) * CHUNK; i++) {
		struct arena_mark mark = arena_mark(&a);
		double d[N_PLACEMENTS];
		for (size_t p = 0; p < N_PLACEMENTS; p++)
			d[p] = b->d[i][p] + j->shift;
		struct paired_input in = {d, spending_look[j->n_looks - 1]};
		struct paired_result r;
		struct err e;
		if (!paired_judge(&r, &in, 1, &o, &a, &e)) {
			fprintf(stderr, "%s\n", e.text);
			exit(4);
		}
		out->n++;
		out->verdict[r.overall.verdict]++;
		out->n_missed += r.overall.lower > truth || r.overall.upper < truth;
		out->n_placements += r.overall.n;
		arena_reset(&a, mark);
	}
	arena_release(&a);
}

/* Judges every comparison of the batch with `shift` added to each d. */
static struct count judge(const struct batch *b, size_t n_looks, double min_effect, double shift)
{
	size_t n_chunks = (b->n + CHUNK - 1) / CHUNK;
	struct count out = {0}, *count = calloc(n_chunks, sizeof *count);
	if (!count)
		exit(4);
	struct judging j = {b, n_looks, min_effect, shift, count};
	pool_for(n_chunks, 0, judge_chunk, &j);
	for (size_t i = 0; i < n_chunks; i++) {
		out.n += count[i].n;
		for (size_t v = 0; v < COUNT_OF(out.verdict); v++)
			out.verdict[v] += count[i].verdict[v];
		out.n_missed += count[i].n_missed;
		out.n_placements += count[i].n_placements;
	}
	free(count);
	return out;
}

static size_t n_decided(const struct count *c)
{
	return c->verdict[PAIRED_FASTER] + c->verdict[PAIRED_SLOWER];
}

static double pct(size_t k, size_t n)
{
	return 100 * (double)k / (double)n;
}

static double upper(size_t k, size_t n)
{
	return 100 * student_rate_upper(k, n, 0.95);
}

static bool false_decisions(size_t n, uint64_t seed)
{
	size_t all = 0, wrong = 0, worst_k = 0;
	double m = log1p(MIN_EFFECT);
	puts("| scenario (no true difference) | faster or slower, 32 placements | upper 95 % | 9 placements | 6 "
	     "placements | "
	     "32, m = 0.5 % | interval misses | called equivalent at a true 0.5 % |");
	puts("|---|---|---|---|---|---|---|---|");
	struct batch b = {.n = n, .d = malloc(n * sizeof *b.d)};
	if (!b.d)
		exit(4);
	for (size_t i = 0; i < simulate_n_models; i++) {
		b.model = &simulate_models[i];
		b.seed = seed + 1000000 * i;
		fill(&b);
		struct count c6 = judge(&b, 6, 0, 0), c2 = judge(&b, 2, 0, 0), c1 = judge(&b, 1, 0, 0);
		struct count cm = judge(&b, 6, MIN_EFFECT, 0);
		struct count up = judge(&b, 6, MIN_EFFECT, m), down = judge(&b, 6, MIN_EFFECT, -m);
		size_t equal = up.verdict[PAIRED_EQUIVALENT] + down.verdict[PAIRED_EQUIVALENT];
		printf("| %s | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %.2f %% |\n", b.model->name,
		       pct(n_decided(&c6), n), upper(n_decided(&c6), n), pct(n_decided(&c2), n), pct(n_decided(&c1), n),
		       pct(n_decided(&cm), n), pct(c6.n_missed, n), pct(equal, 2 * n));
		fflush(stdout);
		all += n;
		wrong += n_decided(&c6);
		worst_k = n_decided(&c6) > worst_k ? n_decided(&c6) : worst_k;
	}
	printf("\nAll scenarios: %zu comparisons, %zu false decisions = %.2f %%, upper 95 %% bound %.2f %%. Worst "
	       "scenario: "
	       "%.2f %%.\n\n",
	       all, wrong, pct(wrong, all), upper(wrong, all), pct(worst_k, n));
	free(b.d);
	return upper(wrong, all) <= 5;
}

static void power(size_t n, uint64_t seed)
{
	static const double effects[] = {0.001, 0.002, 0.005, 0.01};
	struct simulate_model model = simulate_models[0];
	puts("| planted | m | plan | faster | slower | equivalent | mean placements used |");
	puts("|---|---|---|---|---|---|---|");
	struct batch b = {.n = n, .model = &model, .d = malloc(n * sizeof *b.d)};
	if (!b.d)
		exit(4);
	for (size_t i = 0; i < COUNT_OF(effects); i++) {
		model.effect = log1p(effects[i]);
		b.seed = seed + 500000000 + 1000000 * i;
		fill(&b);
		for (int with_m = 0; with_m < 2; with_m++) {
			for (size_t n_looks = 1; n_looks <= SPENDING_LOOKS; n_looks++) {
				struct count c = judge(&b, n_looks, with_m ? MIN_EFFECT : 0, 0);
				printf("| +%.1f %% | %.1f %% | %zu | %.1f %% | %.2f %% | %.1f %% | %.1f |\n",
				       100 * effects[i], with_m ? 100 * MIN_EFFECT : 0.0, spending_look[n_looks - 1],
				       pct(c.verdict[PAIRED_FASTER], n), pct(c.verdict[PAIRED_SLOWER], n),
				       pct(c.verdict[PAIRED_EQUIVALENT], n), (double)c.n_placements / (double)n);
			}
		}
		fflush(stdout);
	}
	puts("");
	free(b.d);
}

/* Families of candidates without any difference: chance that at least one is called faster or slower. The candidates
 * share the baseline's part of each placement, as they do in a real comparison. */
static void families(size_t n, uint64_t seed)
{
	static const size_t sizes[] = {2, 3, 5, 8, 40};
	puts("| candidates, none differs | at least one called faster or slower | upper 95 % |");
	puts("|---|---|---|");
	struct simulate_rng rng;
	struct arena a;
	arena_init(&a);
	simulate_seed(&rng, seed + 900000000);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		size_t n_wrong = 0;
		for (size_t run = 0; run < n; run++) {
			struct arena_mark mark = arena_mark(&a);
			double d[40][N_PLACEMENTS], base[N_PLACEMENTS];
			struct paired_input in[40];
			struct paired_result r[40];
			struct err e;
			for (size_t p = 0; p < N_PLACEMENTS; p++)
				base[p] = 0.002 * simulate_normal(&rng);
			for (size_t c = 0; c < sizes[i]; c++) {
				for (size_t p = 0; p < N_PLACEMENTS; p++)
					d[c][p] = base[p] - 0.002 * simulate_normal(&rng);
				in[c] = (struct paired_input){d[c], N_PLACEMENTS};
			}
			struct paired_options o = {.n_cases = 1, .n_looks = SPENDING_LOOKS};
			if (!paired_judge(r, in, sizes[i], &o, &a, &e))
				exit(4);
			bool wrong = false;
			for (size_t c = 0; c < sizes[i]; c++)
				wrong |= r[c].overall.verdict == PAIRED_FASTER || r[c].overall.verdict == PAIRED_SLOWER;
			n_wrong += wrong;
			arena_reset(&a, mark);
		}
		printf("| %zu | %.2f %% | %.2f %% |\n", sizes[i], pct(n_wrong, n), upper(n_wrong, n));
		fflush(stdout);
	}
	puts("");
	arena_release(&a);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 6700;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	if (n < 10)
		n = 10;
	bool ok = false_decisions(n, seed);
	power(n / 2, seed);
	families(n / 4, seed);
	puts(ok ? "PASS: at most 5 % false" : "FAIL: more than 5 % false");
	return ok ? 0 : 1;
}
