/* assay ceiling: what this device can do at best.
 * In: nothing but the device. Out: measured rates beside the vendor's; kept for bench and compare.
 * The work is measure/ceilings.c.
 * Never: says what a kernel could reach. */
#include <math.h>
#include <stddef.h>

#include "base/progress.h"
#include "measure/ceilings.h"
#include "store/lease.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	const char *backend, *cublaslt;
	int64_t gpu;
	double wait_s;
	bool again;
};

static const struct opt_row rows[] = {
	{.name = "backend",
	 .type = OPT_ENUM,
	 .offset = offsetof(struct options, backend),
	 .choices = "c|cuda",
	 .meta = "B",
	 .help = "c: the CPU; cuda: a GPU."},
	{.name = "gpu",
	 .type = OPT_I64,
	 .offset = offsetof(struct options, gpu),
	 .min = 0,
	 .max = 1023,
	 .meta = "I",
	 .flags = OPT_SETTABLE,
	 .help = "GPU number, as nvidia-smi counts."},
	{.name = "again", .type = OPT_FLAG, .offset = offsetof(struct options, again), .help = "Measure anew."},
	{.name = "cublaslt",
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, cublaslt),
	 .meta = "FILE",
	 .flags = OPT_SETTABLE,
	 .help = "libcublasLt to use."},
	{.name = "wait",
	 .type = OPT_F64,
	 .offset = offsetof(struct options, wait_s),
	 .min = 0,
	 .max = 1e7,
	 .meta = "S",
	 .flags = OPT_SETTABLE,
	 .help = "Seconds to wait for a lease that is taken."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .backend = "cuda"};
static const char *const examples[] = {"assay ceiling --backend=c", "assay ceiling --gpu=0", NULL};

static const char *shown(struct arena *a, enum ceilings_id i, double v)
{
	if (!isfinite(v))
		return "-";
	return strcmp(ceilings_unit(i), "ns") == 0 ? term_time(a, v) : term_rate(a, v, ceilings_unit(i));
}

static void put_text(struct verb_call *call, const struct ceilings *c, const struct lab_device *d, bool is_cached)
{
	struct arena *a = call->arena;
	struct term_table *t = term_table_new(a, "ceiling|>measured|>vendor");
	struct str created = json_str(c->record, "created", STR("?"));
	buf_printf(call->out, "%s%s\n", d->name, is_cached ? arena_printf(a, ", measured %.*s", STR_ARG(created)) : "");
	for (int i = 0; i < CEILINGS_COUNT; i++) {
		if (!isfinite(c->measured[i]) && !isfinite(c->vendor[i]))
			continue;
		term_table_cell(t, str_from(ceilings_name((enum ceilings_id)i)));
		term_table_cell(t, str_from(shown(a, (enum ceilings_id)i, c->measured[i])));
		term_table_cell(t, str_from(shown(a, (enum ceilings_id)i, c->vendor[i])));
		term_table_end_row(t);
	}
	term_table_write(t, &call->term, call->out);
	if (c->vendor_source)
		buf_printf(call->out, "vendor     %s\n", c->vendor_source);
	const struct json *reasons = json_get(c->record, "not_measured");
	for (size_t i = 0; reasons && i < reasons->n; i++)
		buf_printf(call->out, "not known  %.*s: %.*s\n", STR_ARG(reasons->members[i].key),
			   STR_ARG(reasons->members[i].value->text));
}

static bool measure(struct ceilings *out, const struct options *o, struct verb_call *call, const struct lab_device *d,
		    const struct json *facts, struct err *e)
{
	struct lease *lease;
	struct ceilings_options options = {.cublaslt = o->cublaslt};
	int64_t wait = o->wait_s > 0 ? (int64_t)(o->wait_s * 1e9) : 0;
	if (!lease_take(&lease, d->lease, wait, "ceiling", e))
		return false;
	progress_begin("ceilings of %s", d->name);
	bool ok = ceilings_measure(out, call->arena, d, facts, &options, e);
	progress_end();
	lease_free(lease);
	if (ok)
		ceilings_keep(out, d, facts);
	return ok;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct lab_device d;
	struct json *facts;
	struct ceilings c;
	enum backend b = strcmp(o->backend, "c") == 0 ? BACKEND_C : BACKEND_CUDA;
	if (!device_choose(&d, &facts, call->arena, b, o->gpu, e))
		return false;
	ceilings_load(&c, call->arena, &d, facts);
	bool is_cached = c.is_measured && !o->again;
	if (!is_cached && !measure(&c, o, call, &d, facts, e))
		return false;
	if (o->common.json)
		verb_put_json(call, c.record);
	else
		put_text(call, &c, &d, is_cached);
	return true;
}

static const struct opt_spec spec = {
	.verb = "ceiling",
	.summary = "Measures what the device can do at best.",
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "Kept per GPU and driver; bench and compare say how near a kernel comes to it.",
};
const struct verb verb_ceiling = {&spec, &defaults, run, VERB_LONG};
