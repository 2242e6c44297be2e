/* The metric dictionary.
 * In: metric names of Nsight Compute, semantic ids.
 * Out: base units, rows.
 * Never: a value. */
#include "facts/metric.h"

#include <string.h>

struct ncu_unit_row {
	const char *name, *unit;
};
static const struct ncu_unit_row ncu_units[] = {
#define NCU_UNIT(name, unit) {name, unit},
#include "facts/ncu_unit.def"
#undef NCU_UNIT
};

static const struct metric_row metric_rows[METRIC_COUNT] = {
#define METRIC(e, id, unit, aggregation, section, label, names) {id, unit, aggregation, section, label, names},
#include "facts/metric.def"
#undef METRIC
};

/* A counter's unit and the units of its rates. Warps and registers per cycle stay warps and registers; cycles per cycle
 * have none (both seen in `ncu --query-metrics-mode all` for gh100, 150,179 names). */
struct word {
	const char *word, *unit, *per_second, *per_cycle;
};
static const struct word name_words[] = {
	{"sectors", "sector", "sector/s", "sector/cycle"}, {"requests", "request", "request/s", "request/cycle"},
	{"bytes", "byte", "byte/s", "byte/cycle"},         {"cycles", "cycle", "hz", ""},
	{"inst", "inst", "inst/s", "inst/cycle"},          {"warps", "warp", "warp/s", "warp"},
};
/* Units that only exceptions name. */
static const struct word rare_words[] = {
	{"", "block", "block/s", "block/cycle"},
	{"", "thread", "thread/s", "thread/cycle"},
	{"", "branches", "branches/s", "branches/cycle"},
	{"", "ops", "ops/s", "ops/cycle"},
	{"", "tag", "tag/s", "tag/cycle"},
	{"", "ns", "ns/s", "ns/cycle"},
	{"", "register", "register/s", "register"},
};

static const char *exception_of(struct str name)
{
	size_t lo = 0, hi = COUNT_OF(ncu_units);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = str_cmp(name, str_from(ncu_units[mid].name));
		if (c == 0)
			return ncu_units[mid].unit;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

/* Index behind the last "__", or 0. */
static size_t behind_unit_name(struct str name)
{
	for (size_t i = name.n; i >= 2; i--) {
		if (name.p[i - 1] == '_' && name.p[i - 2] == '_')
			return i;
	}
	return 0;
}

static bool has_token(struct str s, const char *token)
{
	struct str rest = s, part;
	while (str_split(&rest, '_', &part)) {
		if (str_is(part, token))
			return true;
	}
	return false;
}

static const char *unit_of_base(struct str base)
{
	const char *unit = exception_of(base);
	if (unit)
		return unit;
	struct str words = str_sub(base, behind_unit_name(base), SIZE_MAX);
	if (has_token(words, "throughput"))
		return "%";
	if (str_find(words, STR("ratio")) != SIZE_MAX)
		return "";
	for (size_t i = 0; i < COUNT_OF(name_words); i++) {
		if (has_token(words, name_words[i].word))
			return name_words[i].unit;
	}
	return "";
}

static const struct word *word_of(const char *unit)
{
	for (size_t i = 0; i < COUNT_OF(name_words); i++) {
		if (strcmp(name_words[i].unit, unit) == 0)
			return &name_words[i];
	}
	for (size_t i = 0; i < COUNT_OF(rare_words); i++) {
		if (strcmp(rare_words[i].unit, unit) == 0)
			return &rare_words[i];
	}
	return NULL;
}

const char *metric_unit(struct str name)
{
	size_t from = behind_unit_name(name);
	size_t dot = str_find_char(str_sub(name, from, SIZE_MAX), '.');
	if (dot == SIZE_MAX)
		return unit_of_base(name);
	const char *whole = exception_of(name);
	if (whole)
		return whole;
	struct str behind = str_sub(name, from + dot, SIZE_MAX);
	if (str_find(behind, STR("pct")) != SIZE_MAX)
		return "%";
	const char *unit = unit_of_base(str_sub(name, 0, from + dot));
	bool per_second = str_ends(behind, ".per_second");
	bool per_cycle = str_find(behind, STR(".per_cycle")) != SIZE_MAX || str_ends(behind, ".peak_sustained");
	if (!per_second && !per_cycle)
		return unit;
	const struct word *w = word_of(unit);
	if (!w)
		return unit;
	return per_second ? w->per_second : w->per_cycle;
}

const struct metric_row *metric_row(enum metric_id m)
{
	return &metric_rows[m];
}

bool metric_from_id(struct str id, enum metric_id *out)
{
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		if (str_is(id, metric_rows[i].id)) {
			*out = (enum metric_id)i;
			return true;
		}
	}
	return false;
}

struct str metric_name(enum metric_id m, size_t i)
{
	struct str rest = str_from(metric_rows[m].names), part = {NULL, 0};
	for (size_t k = 0; str_split(&rest, '|', &part); k++) {
		if (k == i)
			return part;
	}
	return (struct str){NULL, 0};
}

bool metric_from_name(struct str name, enum metric_id *out)
{
	for (size_t m = 0; m < METRIC_COUNT; m++) {
		struct str rest = str_from(metric_rows[m].names), part;
		while (str_split(&rest, '|', &part)) {
			if (name.n && str_eq(part, name)) {
				*out = (enum metric_id)m;
				return true;
			}
		}
	}
	return false;
}
