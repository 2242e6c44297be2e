/* Summary and details pages.
 * In: a report.
 * Out: text.
 * Never: adds advice of its own; rule texts are ncu's and marked so. */
#include "read/ncu/text.h"

#include <stdio.h>

#include "base/term.h"
#include "base/version.h"
#include "read/ncu/facts.h"
#include "read/ncu/number.h"
#include "read/ncu/section.h"

#define WRAP_COLUMNS 110

static void put_head(const struct ncu_report *r, struct buf *out)
{
	buf_printf(out, "# written by assay %s from %.*s", version_number(), STR_ARG(r->path));
	if (r->tool_version.n)
		buf_printf(out, " (ncu %.*s)", STR_ARG(r->tool_version));
	buf_char(out, '\n');
	if (r->format == NCU_REP && !r->is_verified)
		buf_puts(out, "# unverified: this version of ncu is not covered by assay's tests\n");
	if (r->damage.is_damaged)
		buf_printf(out, "# damaged: offset %zu: %s; %zu whole results before it\n", r->damage.offset,
			   r->damage.reason, r->n_results);
	if (!r->n_results)
		buf_puts(out, "# no result: nothing was profiled\n");
}

void ncu_title(const struct ncu_result *res, struct buf *out)
{
	buf_str(out, res->name);
	if (res->has_dims)
		buf_printf(out, " (%llu, %llu, %llu)x(%llu, %llu, %llu)", (unsigned long long)res->grid.x,
			   (unsigned long long)res->grid.y, (unsigned long long)res->grid.z,
			   (unsigned long long)res->block.x, (unsigned long long)res->block.y,
			   (unsigned long long)res->block.z);
	if (res->has_context)
		buf_printf(out, ", Context %u", res->context);
	if (res->has_stream)
		buf_printf(out, ", Stream %u", res->stream);
	if (res->has_device)
		buf_printf(out, ", Device %u", res->device);
	if (res->has_cc)
		buf_printf(out, ", CC %u.%u", res->cc_major, res->cc_minor);
}

static void put_wrapped(struct buf *out, const char *first, const char *other, struct str text)
{
	struct str rest = text, word;
	size_t column = 0;
	buf_puts(out, first);
	while (str_split(&rest, ' ', &word)) {
		if (column && column + 1 + word.n > WRAP_COLUMNS) {
			buf_char(out, '\n');
			buf_puts(out, other);
			column = 0;
		} else if (column) {
			buf_char(out, ' ');
			column++;
		}
		buf_str(out, word);
		column += word.n;
	}
	buf_char(out, '\n');
}

static void put_rule(struct buf *out, const struct ncu_rule *rule)
{
	char first[16];
	snprintf(first, sizeof(first), "    %-6s", rule->type);
	if (*rule->speedup_type) {
		buf_printf(out, "%sEst. %sSpeedup: %.4g%%\n", first, *rule->speedup_type == 'l' ? "Local " : "",
			   rule->speedup_pct);
		put_wrapped(out, "          ", "          ", rule->text);
	} else {
		put_wrapped(out, first, "          ", rule->text);
	}
	buf_char(out, '\n');
}

static size_t longest(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void put_line(struct buf *out, size_t a, size_t b, size_t c)
{
	buf_puts(out, "    ");
	buf_repeat(out, '-', a);
	buf_char(out, ' ');
	buf_repeat(out, '-', b);
	buf_char(out, ' ');
	buf_repeat(out, '-', c);
	buf_puts(out, " ------\n");
}

static void put_cells(struct buf *out, const size_t width[3], const struct ncu_row *row)
{
	buf_puts(out, "    ");
	buf_str(out, row->label);
	buf_repeat(out, ' ', width[0] - term_columns(row->label) + 1 + width[1] - row->unit.n);
	buf_str(out, row->unit);
	buf_repeat(out, ' ', 1 + width[2] - term_columns(row->value));
	buf_str(out, row->value);
	if (row->metric.n) {
		buf_char(out, ' ');
		buf_str(out, row->metric);
	}
	buf_char(out, '\n');
}

static void put_rows(struct buf *out, const struct ncu_section *s)
{
	size_t width[3] = {11, 11, 12};
	const struct ncu_row head = {.label = STR("Metric Name"),
				     .unit = STR("Metric Unit"),
				     .value = STR("Metric Value"),
				     .metric = STR("Metric")};
	for (size_t i = 0; i < s->n_rows; i++) {
		width[0] = longest(width[0], term_columns(s->rows[i].label));
		width[1] = longest(width[1], s->rows[i].unit.n);
		width[2] = longest(width[2], term_columns(s->rows[i].value));
	}
	put_line(out, width[0], width[1], width[2]);
	put_cells(out, width, &head);
	put_line(out, width[0], width[1], width[2]);
	for (size_t i = 0; i < s->n_rows; i++)
		put_cells(out, width, &s->rows[i]);
	put_line(out, width[0], width[1], width[2]);
	buf_char(out, '\n');
}

static void put_details(const struct ncu_report *r, const struct ncu_result *res, struct buf *out)
{
	struct arena a;
	size_t n;
	arena_init(&a);
	struct ncu_section *sections = ncu_sections(r, res, &a, &n);
	buf_puts(out, "  ");
	ncu_title(res, out);
	buf_char(out, '\n');
	if (res->has_clock_lock && !res->clock_locked)
		buf_puts(out, "    Clocks were not locked while this was collected\n");
	for (size_t i = 0; i < n; i++) {
		if (!sections[i].n_rows && !sections[i].n_rules)
			continue;
		buf_printf(out, "    Section: %.*s\n", STR_ARG(sections[i].title));
		if (sections[i].n_rows)
			put_rows(out, &sections[i]);
		for (size_t k = 0; k < sections[i].n_rules; k++)
			put_rule(out, &sections[i].rules[k]);
	}
	buf_char(out, '\n');
	arena_release(&a);
}

void ncu_details_text(const struct ncu_report *r, struct buf *out)
{
	put_head(r, out);
	for (size_t i = 0; i < r->n_results; i++)
		put_details(r, &r->results[i], out);
}

static const enum metric_id summary_rows[] = {
	METRIC_KERNEL_DURATION,       METRIC_CYCLES_ELAPSED,  METRIC_SM_THROUGHPUT,
	METRIC_MEMORY_THROUGHPUT,     METRIC_DRAM_THROUGHPUT, METRIC_L1_THROUGHPUT,
	METRIC_L2_THROUGHPUT,         METRIC_DRAM_RATE,       METRIC_OCCUPANCY,
	METRIC_OCCUPANCY_THEORETICAL, METRIC_REGISTERS,       METRIC_SHARED_STATIC,
	METRIC_SHARED_DYNAMIC,        METRIC_WAVES,           METRIC_WARPS_PER_SCHEDULER,
	METRIC_ELIGIBLE_WARPS,        METRIC_IPC_ACTIVE,      METRIC_SM_BUSY,
	METRIC_L1_HIT_RATE,           METRIC_L2_HIT_RATE,     METRIC_SM_FREQUENCY,
	METRIC_DRAM_FREQUENCY,
};

static void put_summary_row(const struct ncu_report *r, const struct ncu_result *res, enum metric_id m, struct buf *out)
{
	const struct ncu_metric *found = ncu_semantic(r, res, m);
	struct arena a;
	if (!found)
		return;
	arena_init(&a);
	struct ncu_row row = ncu_row_of(r, found, str_from(metric_row(m)->label), &a);
	buf_printf(out, "  %-32s %12.*s %-16.*s %s\n", metric_row(m)->label, STR_ARG(row.value), STR_ARG(row.unit),
		   metric_row(m)->id);
	arena_release(&a);
}

static void put_rules_satisfied(const struct ncu_report *r, const struct ncu_result *res, struct buf *out)
{
	struct ncu_subject ctx = {r, res};
	size_t n = 0;
	for (size_t i = 0; i < rule_count(); i++) {
		struct rule_finding f;
		rule_evaluate(&f, i, ncu_rule_lookup, &ctx);
		if (f.state != RULE_SATISFIED)
			continue;
		buf_puts(out, n++ ? "    " : "  rules satisfied:\n    ");
		rule_finding_text(&f, out);
		buf_char(out, '\n');
	}
	if (!n)
		buf_puts(out, "  rules satisfied: none\n");
}

static void put_rules_of_ncu(const struct ncu_report *r, const struct ncu_result *res, struct buf *out)
{
	struct arena a;
	size_t n, n_put = 0;
	arena_init(&a);
	struct ncu_section *sections = ncu_sections(r, res, &a, &n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < sections[i].n_rules; k++) {
			const struct ncu_rule *rule = &sections[i].rules[k];
			if (*rule->type == 'I')
				continue;
			buf_printf(out, "%s%s %.*s (%.*s)", n_put++ ? "    " : "  rules of ncu:\n    ", rule->type,
				   STR_ARG(rule->id), STR_ARG(rule->section));
			if (*rule->speedup_type)
				buf_printf(out, ", its estimate: %.4g %% %s", rule->speedup_pct, rule->speedup_type);
			buf_char(out, '\n');
		}
	}
	arena_release(&a);
}

void ncu_summary_text(const struct ncu_report *r, struct buf *out)
{
	put_head(r, out);
	for (size_t i = 0; i < r->n_results; i++) {
		const struct ncu_result *res = &r->results[i];
		buf_printf(out, "\n[%u] ", res->id);
		ncu_title(res, out);
		buf_char(out, '\n');
		for (size_t k = 0; k < COUNT_OF(summary_rows); k++)
			put_summary_row(r, res, summary_rows[k], out);
		put_rules_satisfied(r, res, out);
		put_rules_of_ncu(r, res, out);
	}
}
