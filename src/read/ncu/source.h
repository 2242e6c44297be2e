/* Per-instruction metrics of a report: instances, functions and their addresses, source lines. */
#ifndef ASSAY_READ_NCU_SOURCE_H
#define ASSAY_READ_NCU_SOURCE_H

#include "read/line_table.h"
#include "read/ncu/ncu.h"

struct ncu_instance {
	struct ncu_metric id; /* kind NCU_U64: program counter, time in ns or ordinal; NCU_STRING: opcode */
	struct ncu_metric value;
};
/* Instanced values of a metric, in file order, in the arena; NULL and *n 0: none (a CSV holds none). */
struct ncu_instance *ncu_instances(const struct ncu_metric *m, struct arena *a, size_t *n);

struct ncu_function { /* where a function of a result's cubins was loaded */
	struct str symbol;
	uint64_t address;
	const struct line_function *code; /* its bytes and lines; NULL: the cubin is not in the report */
};
struct ncu_code {
	struct ncu_function *functions;
	size_t n_functions;
	const char *line_problem; /* why there are no source lines; NULL: there are */
};
/* The functions of the cubins that a result refers to. */
void ncu_code_of(struct ncu_code *out, const struct ncu_report *r, const struct ncu_result *res, struct arena *a);
/* The function whose code holds pc, and the offset in it; NULL: none. */
const struct ncu_function *ncu_function_at(const struct ncu_code *c, uint64_t pc, uint64_t *offset);

#endif
