/* An operator's case as memory and arguments.
 * In: operator and case. Out: tensor offsets, argument kinds, scalar bits, fills.
 * One region holds all tensors of one call, so that a slot is one allocation and one descriptor.
 * Never: decides a size; the operator room did. */
#include "run/layout.h"

enum { LAYOUT_ALIGN = 512 };

static uint64_t align_up(uint64_t n)
{
	return (n + LAYOUT_ALIGN - 1) & ~(uint64_t)(LAYOUT_ALIGN - 1);
}

static uint32_t output_kind(const struct param *p)
{
	if (p->role == PARAM_INOUT)
		return WIRE_IN_OUT;
	return p->role == PARAM_OUT ? WIRE_OUTPUT_ONLY : WIRE_INPUT;
}

/* Where the next tensor lies, and what is taken up to then. */
static uint64_t place(const struct layout_edge *edge, uint64_t *end, uint64_t bytes)
{
	uint64_t at = *end;
	if (!edge) {
		*end = align_up(at + bytes + WIRE_GUARD_BYTES);
		return at;
	}
	uint64_t page = edge->page, size = (bytes + edge->align - 1) / edge->align * edge->align;
	uint64_t rounded = (size + page - 1) / page * page;
	*end = at + rounded + page; /* one page that nobody may touch lies between */
	return edge->is_end ? at + rounded - size : at;
}

void layout_make(struct layout *out, struct arena *a, const struct operator* op, const struct op_case *c)
{
	layout_place(out, a, op, c, NULL);
}

void layout_place(struct layout *out, struct arena *a, const struct operator* op, const struct op_case *c,
		  const struct layout_edge *edge)
{
	*out = (struct layout){.tensors = ARENA_ARRAY(a, op->n_params, struct wire_tensor),
			       .i_param = ARENA_ARRAY(a, op->n_params, size_t),
			       .fills = ARENA_ARRAY(a, op->n_params, struct fill),
			       .scalars = ARENA_ARRAY(a, op->n_params, uint64_t),
			       .args = ARENA_ARRAY(a, op->n_params, struct wire_arg)};
	uint64_t end = edge ? edge->page : LAYOUT_ALIGN;
	for (size_t i = 0; i < op->n_params; i++) {
		const struct param *p = &op->params[i];
		struct wire_arg *arg = &out->args[i];
		snprintf(arg->name, sizeof(arg->name), "%.*s", STR_ARG(p->name));
		arg->dtype = p->dtype;
		if (!param_is_tensor(p)) {
			arg->kind = p->flags & PARAM_REFERENCE ? WIRE_ARG_SCALAR_REF : WIRE_ARG_SCALAR;
			out->scalars[i] = c->args[i].bits;
			continue;
		}
		arg->kind = WIRE_ARG_TENSOR;
		arg->i_tensor = (uint32_t)out->n_tensors;
		out->i_param[out->n_tensors] = i;
		out->fills[out->n_tensors] = c->args[i].fill;
		out->tensors[out->n_tensors++] =
			(struct wire_tensor){.offset = place(edge, &end, (uint64_t)c->args[i].bytes),
					     .bytes = (uint64_t)c->args[i].bytes,
					     .dtype = p->dtype,
					     .is_output = output_kind(p)};
	}
	out->n_args = op->n_params;
	out->bytes = end;
}

struct wire_fill layout_fill(const struct layout *l, size_t i_tensor, uint64_t seed)
{
	const struct fill *f = &l->fills[i_tensor];
	return (struct wire_fill){.i_tensor = i_tensor,
				  .dtype = l->tensors[i_tensor].dtype,
				  .kind = f->kind,
				  .lo = f->lo,
				  .hi = f->hi,
				  .seed = seed};
}

bool layout_is_input(const struct layout *l, size_t i_tensor)
{
	return l->tensors[i_tensor].is_output != WIRE_OUTPUT_ONLY;
}

bool layout_is_output(const struct layout *l, size_t i_tensor)
{
	return l->tensors[i_tensor].is_output != WIRE_INPUT;
}
