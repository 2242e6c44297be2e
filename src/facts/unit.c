/* Units of profiler output.
 * In: a unit's spelling, or a value in a base unit.
 * Out: base unit and factor, or the value in the step that ncu would print.
 * Never: guesses an unknown word. */
#include "facts/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit_row {
	const char *spelling, *base;
	double factor;
};

static const struct unit_row unit_words[] = {
#define UNIT_WORD(spelling, base, factor) {spelling, base, factor},
#define UNIT_PER(spelling, base, factor)
#include "facts/unit.def"
#undef UNIT_WORD
#undef UNIT_PER
};

static const struct unit_row unit_pers[] = {
#define UNIT_WORD(spelling, base, factor)
#define UNIT_PER(spelling, base, factor) {spelling, base, factor},
#include "facts/unit.def"
#undef UNIT_WORD
#undef UNIT_PER
};

static const struct unit_row *row_of(const struct unit_row *rows, size_t n, struct str text)
{
	for (size_t i = 0; i < n; i++) {
		if (str_is(text, rows[i].spelling))
			return &rows[i];
	}
	return NULL;
}

bool unit_parse(struct unit *out, struct str text)
{
	size_t slash = str_find_char(text, '/');
	const struct unit_row *word = row_of(unit_words, COUNT_OF(unit_words), str_sub(text, 0, slash));
	if (!word)
		return false;
	if (slash == SIZE_MAX) {
		snprintf(out->base, sizeof(out->base), "%s", word->base);
		out->factor = word->factor;
		return true;
	}
	struct str behind = str_sub(text, slash + 1, SIZE_MAX);
	const struct unit_row *per = row_of(unit_pers, COUNT_OF(unit_pers), behind);
	if (!per)
		return false;
	out->factor = word->factor / per->factor;
	if (strcmp(word->base, "cycle") == 0 && strcmp(per->base, "s") == 0)
		snprintf(out->base, sizeof(out->base), "hz");
	else if (!*per->base)
		snprintf(out->base, sizeof(out->base), "%s", word->base);
	else
		snprintf(out->base, sizeof(out->base), "%s/%s", *word->base ? word->base : "1", per->base);
	return true;
}

/* Index of the largest of n steps of 1000 with |value| at least that step; 0: as it is. */
static size_t step_of(double value, size_t n)
{
	size_t i = 0;
	double step = 1e3;
	while (i < n && fabs(value) >= step) {
		i++;
		step *= 1e3;
	}
	return i;
}

static void scale_prefix(struct unit_scaled *out, const char *base, double value)
{
	static const char prefix[] = " KMGTP";
	size_t i = step_of(value, 5);
	if (!i)
		return;
	out->value = value / pow(1e3, (double)i);
	snprintf(out->unit, sizeof(out->unit), "%c%s", prefix[i], base);
	out->is_scaled = true;
}

void unit_scale(struct unit_scaled *out, const char *base, double value)
{
	static const char *const time_steps[] = {"ns", "us", "ms", "s"};
	static const char *const rate_steps[] = {"s", "ms", "us", "ns"};
	struct str b = str_from(base);
	out->value = value;
	out->is_scaled = false;
	snprintf(out->unit, sizeof(out->unit), "%s", base);
	if (!isfinite(value))
		return;
	if (str_is(b, "hz") || str_is(b, "byte") || str_starts(b, "byte/")) {
		scale_prefix(out, base, value);
		return;
	}
	bool is_rate = str_ends(b, "/s");
	size_t i = is_rate || str_is(b, "ns") ? step_of(value, 3) : 0;
	if (!i)
		return;
	out->value = value / pow(1e3, (double)i);
	out->is_scaled = true;
	if (is_rate)
		snprintf(out->unit, sizeof(out->unit), "%.*s%s", (int)(b.n - 1), b.p, rate_steps[i]);
	else
		snprintf(out->unit, sizeof(out->unit), "%s", time_steps[i]);
}
