/* What GPU work belongs to, by nesting on the CPU: an activity belongs to every scope that is open on the thread of its
 * launch call when the call begins. Scopes are operators (cpu_op), modules (python_function "nn.Module: ...") and
 * annotations (user_annotation). Work that backward nodes launch, on threads of their own, also leads to the forward
 * operator with their sequence number, and so to the module it ran in. Needs a trace read with KINETO_SCOPES. */
#ifndef ASSAY_READ_KINETO_SCOPE_H
#define ASSAY_READ_KINETO_SCOPE_H

#include "read/kineto/kineto.h"
#include "read/sheet.h"

enum kineto_scope_kind { KINETO_OPERATOR, KINETO_MODULE, KINETO_ANNOTATION, KINETO_SCOPE_KINDS };
const char *kineto_scope_name(enum kineto_scope_kind k); /* "operator", "module", "annotation" */

#define KINETO_NO_SEQUENCE UINT32_MAX
struct kineto_scope { /* 40 bytes: a call of an operator or module, an annotation; with KINETO_SCOPES only */
	int64_t start_ns, dur_ns;
	uint32_t name, thread;
	uint32_t sequence;         /* of autograd: a forward operator and its backward node have the same */
	uint32_t parent;           /* scope.c: index + 1; before that its place in the file */
	uint8_t kind, is_backward; /* enum kineto_scope_kind; a node of the backward pass */
};
struct kineto_scope_row { /* all scopes of one kind and name */
	struct str name;
	enum kineto_scope_kind kind;
	uint64_t n_calls, n; /* n: GPU activities */
	/* A recursive call counts once. self: no scope of the same kind is open inside. */
	int64_t total_ns, self_ns;
	int64_t backward_ns; /* of backward nodes whose forward operator is the scope or ran in it; part of no total here
			      * but where such a scope is open around the backward pass too */
	int64_t host_ns, host_self_ns; /* on the CPU; self: without the scopes of the same kind inside */
};
struct kineto_scopes {
	struct kineto_scope_row *v; /* by total_ns, then backward_ns, falling */
	size_t n;
	int64_t all_ns;                         /* of all GPU activities */
	int64_t outside_ns[KINETO_SCOPE_KINDS]; /* of those in no scope of the kind; + the sum of self_ns = all_ns */
	uint64_t n_unmatched; /* activities of backward nodes without one forward operator in the trace:
						 * none, or on several threads */
	uint64_t n_deep;      /* activities below more scopes than are looked at (4096) */
};
void kineto_scopes(struct kineto_scopes *out, struct arena *a, const struct kineto_trace *t);
/* The sheet "scopes". */
void kineto_scopes_sheet(struct sheet *out, const struct kineto_trace *t, struct arena *a);

#endif
