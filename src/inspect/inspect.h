/* Evidence that exists already, as requests of the evidence protocol: profiler reports, compiler stages, machine code, knowledge
 * cards. Materials of a Target or artifacts of its invocations are read by the readers of read/ and answered in the published
 * form; what our readers say beyond it stands in the member `assay`. */
#ifndef ASSAY_INSPECT_INSPECT_H
#define ASSAY_INSPECT_INSPECT_H

#include "protocol/request.h"

/* ncu-input-v1, nsys-input-v1, pytorch-input-v1, compiler-input-v1, sass-input-v1, knowledge-input-v1 */
bool inspect_knows(struct str format);
/* As request_answer. */
MUST_USE bool inspect_answer(struct request_result *out, const struct request_call *how, const struct json *request,
			     struct err *e);
protocol_reader inspect_read; /* for the process that runs an invocation */

#endif
