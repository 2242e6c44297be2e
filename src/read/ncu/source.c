/* Per-instruction metrics.
 * In: metrics with instances, cubins and load addresses of a report.
 * Out: instances; program counters as function, offset and source line.
 * Never: takes an instance for a program counter that lies in no function. */
#include "read/ncu/source.h"

#include "read/ncu/pb.h"
#include "read/ncu/result.h"

struct ncu_instance *ncu_instances(const struct ncu_metric *m, struct arena *a, size_t *n)
{
	struct pb w = pb_of((struct str){m->raw, m->n_raw});
	struct pb_field f, in;
	*n = 0;
	if (!m->raw || !m->n_instances)
		return NULL;
	struct ncu_instance *items = ARENA_ARRAY(a, m->n_instances, struct ncu_instance);
	while (*n < m->n_instances && pb_next(&w, &f)) {
		if (f.number != 3 || f.wire != PB_BYTES)
			continue;
		struct ncu_instance *at = &items[*n];
		struct pb inner = pb_of(f.bytes);
		bool ok = true;
		*at = (struct ncu_instance){.id = {.name = m->name}, .value = {.name = m->name}};
		while (ok && pb_next(&inner, &in)) {
			if (in.number == 1 && in.wire == PB_BYTES)
				ok = result_value(in.bytes, &at->id);
			else if (in.number == 2 && in.wire == PB_BYTES)
				ok = result_value(in.bytes, &at->value);
		}
		*n += ok && !inner.is_bad;
	}
	return items;
}

static bool refers_to(const struct ncu_result *res, const struct ncu_source_data *s)
{
	if (s->process != res->process)
		return false;
	for (size_t i = 0; i < res->n_references; i++) {
		if (res->references[i] == s->reference)
			return true;
	}
	return false;
}

/* RelocationData: 1 repeated function {1 symbol, 2 address} */
static size_t take_functions(struct str raw, struct ncu_function *out)
{
	struct pb w = pb_of(raw);
	struct pb_field f, in;
	size_t n = 0;
	while (pb_next(&w, &f)) {
		if (f.number != 1 || f.wire != PB_BYTES)
			continue;
		struct ncu_function fn = {{NULL, 0}, 0, NULL};
		struct pb inner = pb_of(f.bytes);
		while (pb_next(&inner, &in)) {
			if (in.number == 1 && in.wire == PB_BYTES)
				fn.symbol = in.bytes;
			else if (in.number == 2 && in.wire == PB_VARINT)
				fn.address = in.u;
		}
		if (out)
			out[n] = fn;
		n++;
	}
	return n;
}

static const struct line_function *code_of(const struct line_table *tables, size_t n, struct str symbol)
{
	for (size_t i = 0; i < n; i++) {
		const struct line_function *f = line_table_function(&tables[i], symbol);
		if (f)
			return f;
	}
	return NULL;
}

/* Reports before 2023 hold no addresses; the kernel's own is an instance of launch__function_pcs. */
static void own_function(struct ncu_code *out, const struct ncu_report *r, const struct ncu_result *res,
			 struct arena *a)
{
	const struct ncu_metric *m = ncu_metric(r, res, "launch__function_pcs");
	size_t n = 0;
	struct ncu_instance *pcs = m ? ncu_instances(m, a, &n) : NULL;
	if (out->n_functions || n != 1 || pcs[0].value.kind != NCU_U64)
		return;
	out->functions = ARENA_NEW(a, struct ncu_function);
	out->functions[0] = (struct ncu_function){res->mangled, pcs[0].value.u, NULL};
	out->n_functions = 1;
}

void ncu_code_of(struct ncu_code *out, const struct ncu_report *r, const struct ncu_result *res, struct arena *a)
{
	struct line_table *tables = ARENA_ARRAY(a, r->n_sources, struct line_table);
	size_t n_tables = 0, n = 0;
	*out = (struct ncu_code){.line_problem = "the report holds no binary"};
	for (size_t i = 0; i < r->n_sources; i++) {
		if (!refers_to(res, &r->sources[i]))
			continue;
		n += take_functions(r->sources[i].relocation_raw, NULL);
		if (!r->sources[i].cubin.n)
			continue;
		line_table_read(&tables[n_tables], a, r->sources[i].cubin);
		out->line_problem = tables[n_tables++].problem;
	}
	out->functions = ARENA_ARRAY(a, n, struct ncu_function);
	for (size_t i = 0; i < r->n_sources; i++) {
		if (refers_to(res, &r->sources[i]))
			out->n_functions +=
				take_functions(r->sources[i].relocation_raw, out->functions + out->n_functions);
	}
	own_function(out, r, res, a);
	for (size_t i = 0; i < out->n_functions; i++)
		out->functions[i].code = code_of(tables, n_tables, out->functions[i].symbol);
}

const struct ncu_function *ncu_function_at(const struct ncu_code *c, uint64_t pc, uint64_t *offset)
{
	for (size_t i = 0; i < c->n_functions; i++) {
		const struct ncu_function *f = &c->functions[i];
		if (f->code && pc >= f->address && pc - f->address < f->code->code.n) {
			*offset = pc - f->address;
			return f;
		}
	}
	return NULL;
}
