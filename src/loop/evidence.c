/* Evidence.
 * In: a folder of an iteration, a claim "metric = value unit". Out: whether the report prints that.
 * A details page is read by its own ruler lines, so pages of ncu and of assay do alike; JSON files by their keys.
 * Never: computes a number that the report does not print. */
#include "loop/evidence.h"

#include <math.h>

#include "base/file.h"

enum { EVIDENCE_MAX_BYTES = 8 << 20, EVIDENCE_MAX_ROWS = 100000 };

static void add_row(struct evidence *v, const struct evidence_row *row)
{
	if (v->n == EVIDENCE_MAX_ROWS)
		return;
	if (v->n == v->cap) {
		v->cap = v->cap ? 2 * v->cap : 256;
		struct evidence_row *grown = ARENA_ARRAY(v->arena, v->cap, struct evidence_row);
		if (v->n)
			memcpy(grown, v->rows, v->n * sizeof(*grown));
		v->rows = grown;
	}
	v->rows[v->n++] = *row;
}

/* Columns of a page, from a line of at least three runs of dashes. */
struct ruler {
	size_t at[5]; /* begins of label, unit, value, name; the last one is the end */
	size_t n;
};

static bool read_ruler(struct ruler *out, struct str line)
{
	out->n = 0;
	for (size_t i = 0; i < line.n; i++) {
		bool is_dash = line.p[i] == '-';
		if (!is_dash && line.p[i] != ' ' && line.p[i] != '\r')
			return false;
		if (is_dash && (i == 0 || line.p[i - 1] != '-') && out->n < 4)
			out->at[out->n++] = i;
	}
	return out->n >= 3;
}

/* Display columns to bytes: pages are laid out in columns, and labels may hold UTF-8. */
static size_t byte_of(struct str line, size_t column)
{
	size_t i = 0;
	for (size_t seen = 0; i < line.n; i++) {
		bool continues = ((unsigned char)line.p[i] & 0xc0) == 0x80;
		if (!continues && seen++ == column)
			break;
	}
	return i;
}

static struct str cell(const struct ruler *r, struct str line, size_t i)
{
	size_t from = byte_of(line, r->at[i]);
	size_t to = i + 1 < r->n ? byte_of(line, r->at[i + 1]) : line.n;
	return str_trim(str_sub(line, from, to > from ? to - from : 0));
}

static void read_page(struct evidence *v, struct str text, const char *file)
{
	struct ruler r = {.n = 0};
	struct str line;
	size_t n_rulers = 0;
	for (unsigned i_line = 1; str_split(&text, '\n', &line); i_line++) {
		struct ruler next;
		if (read_ruler(&next, line)) {
			n_rulers = n_rulers == 3 ? 1 : n_rulers + 1;
			if (n_rulers == 1)
				r = next;
			continue;
		}
		if (n_rulers != 2)
			continue;
		struct evidence_row row = {.label = cell(&r, line, 0),
					   .unit = cell(&r, line, 1),
					   .value = cell(&r, line, 2),
					   .name = r.n > 3 ? cell(&r, line, 3) : STR(""),
					   .file = file,
					   .line = i_line};
		if (!row.label.n)
			n_rulers = 0; /* a blank line: the table had no closing ruler */
		else if (row.value.n)
			add_row(v, &row);
	}
}

/* Counters of the C backend: "name unit value", and the same numbers in full in the report. */
static void read_counters(struct evidence *v, struct str text, const char *file)
{
	struct str line;
	for (unsigned i_line = 1; str_split(&text, '\n', &line); i_line++) {
		struct str rest = str_trim(line), word[3];
		size_t n = 0;
		while (n < 3 && rest.n) {
			size_t blank = str_find_char(rest, ' ');
			word[n++] = str_sub(rest, 0, blank == SIZE_MAX ? rest.n : blank);
			rest = blank == SIZE_MAX ? STR("") : str_trim(str_sub(rest, blank, rest.n));
		}
		double ignored;
		if (n == 3 && !rest.n && str_f64(word[2], &ignored))
			add_row(v, &(struct evidence_row){.label = word[0],
							  .unit = word[1],
							  .value = word[2],
							  .file = file,
							  .line = i_line});
	}
}

static void read_per_call(struct evidence *v, const struct json *report)
{
	const struct json *m = json_get(report, "per_call");
	size_t n_printed = v->n;
	for (size_t i = 0; m && m->type == JSON_OBJECT && i < m->n; i++) {
		struct evidence_row row = {.label = m->members[i].key, .file = "full.perf.json"};
		char number[32];
		for (size_t k = 0; k < n_printed; k++) {
			if (str_eq(v->rows[k].label, row.label))
				row.unit = v->rows[k].unit;
		}
		size_t n = json_repr(number, m->members[i].value->real);
		row.value = (struct str){arena_strndup(v->arena, number, n), n};
		add_row(v, &row);
	}
}

bool evidence_read(struct evidence *out, struct arena *a, const char *folder, struct err *e)
{
	const char *details = path_join(a, folder, "full_details.txt");
	const char *perf = path_join(a, folder, "full.perf.json"),
		   *bench = path_join(a, folder, "benchmark_result.json");
	struct str text;
	*out = (struct evidence){.arena = a};
	if (file_exists(details)) {
		if (!file_read(a, &text, details, EVIDENCE_MAX_BYTES, e))
			return false;
		if (file_exists(perf))
			read_counters(out, text, "full_details.txt");
		else
			read_page(out, text, "full_details.txt");
		out->has_profile = !file_exists(perf) && out->n > 0;
	}
	if (file_exists(perf)) {
		struct json *report = json_read_file(a, perf, JSON_STRICT, e);
		if (!report)
			return false;
		read_per_call(out, report);
	}
	if (!file_exists(bench))
		return true;
	out->bench = json_read_file(a, bench, JSON_STRICT, e);
	return out->bench != NULL;
}

bool evidence_is_empty(const struct evidence *v)
{
	return v->n == 0 && !json_is_number(json_path(v->bench, "kernel.median_ms"));
}

/* What one step of the last digit of a number is worth: 0.01 for 21.89, 100 for 1.2e3. */
static bool step_of(struct str number, double *out)
{
	int decimals = 0;
	bool in_fraction = false;
	size_t i = 0;
	for (; i < number.n && number.p[i] != 'e' && number.p[i] != 'E'; i++) {
		if (number.p[i] == '.')
			in_fraction = true;
		else
			decimals += in_fraction;
	}
	int64_t exponent = 0;
	if (i < number.n) {
		struct str digits = str_sub(number, i + 1, number.n);
		if (digits.n && digits.p[0] == '+')
			digits = str_sub(digits, 1, digits.n);
		if (!str_i64(digits, &exponent) || exponent < -400 || exponent > 400)
			return false;
	}
	*out = pow(10, (double)exponent - decimals);
	return true;
}

/* Printed numbers may group digits by commas. */
static bool number_of(struct str text, char plain[64], double *out)
{
	size_t n = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == ',' && i > 0)
			continue;
		if (n == 63)
			return false;
		plain[n++] = text.p[i];
	}
	plain[n] = 0;
	return str_f64((struct str){plain, n}, out) && isfinite(*out);
}

bool evidence_same_number(struct str given, double actual)
{
	char plain[64];
	double value, step;
	if (!number_of(given, plain, &value) || !step_of(str_from(plain), &step))
		return false;
	/* Half a step to either side, and what the two conversions to binary may lose. */
	return fabs(value - actual) <= step / 2 + 4e-16 * fmax(fabs(value), fabs(actual));
}

static bool same_value(struct str given, struct str printed)
{
	char plain[64];
	double actual;
	if (number_of(printed, plain, &actual))
		return evidence_same_number(given, actual);
	return str_eq(given, printed);
}

/* Units of fields of benchmark_result.json, by the end of the key. */
static const struct {
	const char *ending, *units;
} bench_units[] = {
	{"_ms", "ms"},         {"_us", "us"},
	{"_ns", "ns"},         {"_pct", "%"},
	{"_mhz", "MHz|Mhz"},   {"_bytes", "byte|bytes|B"},
	{"seconds", "s"},      {"_s", "s"},
	{"gflops", "GFLOP/s"}, {"bandwidth_gbps_rough", "GB/s"},
};

static bool unit_fits(struct str key, struct str unit, const char **wanted)
{
	*wanted = "";
	for (size_t i = 0; i < COUNT_OF(bench_units); i++) {
		struct str rest = str_from(bench_units[i].units), one;
		if (!str_ends(key, bench_units[i].ending))
			continue;
		while (str_split(&rest, '|', &one)) {
			if (str_eq(one, unit))
				return true;
		}
		*wanted = bench_units[i].units;
		return false;
	}
	return true; /* a ratio or a count: its unit is not in the key */
}

static bool check_bench(struct evidence_answer *out, const struct evidence *v, const struct evidence_claim *c)
{
	const struct json *j = json_path(v->bench, arena_strndup(v->arena, c->metric.p, c->metric.n));
	const char *wanted;
	char number[32];
	if (!j || (!json_is_number(j) && j->type != JSON_STRING))
		return false;
	out->where = "benchmark_result.json";
	if (j->type == JSON_STRING) {
		out->actual = arena_strndup(v->arena, j->text.p, j->text.n);
		out->match = str_eq(j->text, c->value) ? EVIDENCE_EQUAL : EVIDENCE_OTHER_VALUE;
		return true;
	}
	bool fits = unit_fits(c->metric, c->unit, &wanted);
	json_repr(number, j->real);
	struct str all = str_from(wanted), one = c->unit;
	if (!fits)
		(void)str_split(&all, '|', &one);
	out->actual = arena_printf(v->arena, "%s %.*s", number, STR_ARG(one));
	out->match = !evidence_same_number(c->value, j->real) ? EVIDENCE_OTHER_VALUE
		     : fits                                   ? EVIDENCE_EQUAL
							      : EVIDENCE_OTHER_UNIT;
	return true;
}

static bool is_row(const struct evidence_row *r, struct str metric)
{
	return str_eq(r->label, metric) || (r->name.n && str_eq(r->name, metric));
}

static bool same_unit(struct str given, struct str printed)
{
	return str_eq(given, printed) || (!given.n && str_is(printed, "1"));
}

static const char *nearest(const struct evidence *v, struct str metric)
{
	size_t least = 1 + metric.n / 3;
	struct str best = STR("");
	for (size_t i = 0; i < v->n; i++) {
		size_t d = str_distance(v->rows[i].label, metric), d2 = str_distance(v->rows[i].name, metric);
		if (d < least) {
			least = d;
			best = v->rows[i].label;
		}
		if (v->rows[i].name.n && d2 < least) {
			least = d2;
			best = v->rows[i].name;
		}
	}
	return best.n ? arena_strndup(v->arena, best.p, best.n) : NULL;
}

void evidence_check(struct evidence_answer *out, const struct evidence *v, const struct evidence_claim *c)
{
	*out = (struct evidence_answer){.match = EVIDENCE_NO_METRIC};
	size_t n_shown = 0;
	for (size_t i = 0; i < v->n; i++) {
		const struct evidence_row *r = &v->rows[i];
		if (!is_row(r, c->metric))
			continue;
		bool value = same_value(c->value, r->value), unit = same_unit(c->unit, r->unit);
		out->is_profile = true;
		out->where = r->line ? arena_printf(v->arena, "%s:%u", r->file, r->line) : r->file;
		if (value && unit) {
			out->match = EVIDENCE_EQUAL;
			return;
		}
		out->match = value || out->match == EVIDENCE_OTHER_UNIT ? EVIDENCE_OTHER_UNIT : EVIDENCE_OTHER_VALUE;
		if (n_shown++ < 3)
			out->actual = arena_printf(v->arena, "%s%s%.*s%s%.*s", out->actual ? out->actual : "",
						   out->actual ? " or " : "", STR_ARG(r->value), r->unit.n ? " " : "",
						   STR_ARG(r->unit));
	}
	if (out->match == EVIDENCE_NO_METRIC && !check_bench(out, v, c))
		out->near = nearest(v, c->metric);
}
