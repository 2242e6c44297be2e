/* Requests.
 * In: a JSON document of any format of the protocol. Out: the answer of the part that it is for.
 * Formats are told apart by format_version alone.
 * Never: looks at a field that the part itself checks. */
#include "protocol/request.h"

#include "protocol/champion.h"
#include "protocol/evaluate/experiment.h"
#include "protocol/evaluate/falsify.h"
#include "protocol/evaluate/input.h"
#include "protocol/evaluate/invocation.h"
#include "protocol/evaluate/prediction.h"
#include "protocol/readiness.h"
#include "protocol/readiness_input.h"
#include "protocol/shape.h"

struct routing {
	struct protocol p;
	const struct json *request;
	unsigned flags;
};

static bool route_readiness(struct json **answer, struct routing *r, struct err *e)
{
	if (!(r->flags & REQUEST_EXPLAIN))
		return readiness_check(answer, &r->p, r->request, e);
	protocol_step(&r->p, "invalid_readiness_input");
	if (!readiness_input_check(r->request, e))
		return false;
	bool runs = str_is(json_str(r->request, "target_mode", STR("")), "optimization");
	*answer = json_object(r->p.arena);
	json_set_cstr(*answer, "status", "explained");
	json_set_u64(*answer, "driver_calls", runs ? 1 : 0);
	json_set_null(*answer, "expected_seconds");
	return true;
}

static bool route_evaluator(struct json **answer, struct routing *r, struct err *e)
{
	struct str operation = json_str(r->request, "operation", STR(""));
	protocol_step(&r->p, "invalid_evaluator_input");
	if (!evaluator_input_check(r->request, e))
		return false;
	if (str_is(operation, "experiment"))
		return experiment_create(answer, &r->p, r->request, e);
	if (str_is(operation, "falsify"))
		return falsify_request(answer, &r->p, r->request, e);
	const char *id = json_str(r->request, "invocation_id", STR("")).p;
	if (str_is(operation, "status"))
		return invocation_status(answer, &r->p, id, e);
	if (str_is(operation, "cancel"))
		return invocation_cancel(answer, &r->p, id, e);
	if (r->flags & REQUEST_EXPLAIN)
		return invocation_explain(answer, &r->p, r->request, e);
	unsigned flags = (r->flags & REQUEST_WAIT ? INVOCATION_WAIT : 0u) |
			 (r->flags & REQUEST_FOREGROUND ? INVOCATION_FOREGROUND : 0u);
	return invocation_submit(answer, &r->p, r->request, flags, e);
}

static bool route_champion(struct json **answer, struct routing *r, struct err *e)
{
	return champion_request(answer, &r->p, r->request, e);
}

static bool route_reconciliation(struct json **answer, struct routing *r, struct err *e)
{
	return prediction_reconcile(answer, &r->p, r->request, e);
}

static const struct {
	const char *format;
	bool (*route)(struct json **answer, struct routing *r, struct err *e);
} routes[] = {
	{READINESS_V2, route_readiness},
	{READINESS_V3, route_readiness},
	{EVALUATOR_V2, route_evaluator},
	{EVALUATOR_V3, route_evaluator},
	{PROTOCOL("champion-input-v1"), route_champion},
	{RECONCILIATION, route_reconciliation},
};

int request_status(const struct json *answer)
{
	const struct json *r = json_get(answer, "result") ? json_get(answer, "result") : answer;
	struct str verdict = json_str(r, "verdict", STR(""));
	if (json_get(r, "outcome"))
		return str_is(json_str(r, "outcome", STR("")), "held") ? 0 : 1;
	if (str_is(json_str(r, "operation", STR("")), "screen") && str_is(verdict, "inconclusive"))
		return 0;   /* a screen never passes: it did not reject */
	if (verdict.n == 0) /* evidence that was read, or not */
		return str_is(json_str(r, "execution_status", STR("succeeded")), "succeeded") ? 0 : 1;
	return str_is(verdict, "passed") ? 0 : 1;
}

bool request_answer(struct request_result *out, struct arena *a, const char *program, const struct json *request,
		    unsigned flags, struct err *e)
{
	struct routing r = {
		.p = {.arena = a, .program = program, .code = "invalid_request"}, .request = request, .flags = flags};
	struct str root = json_str(request, "artifact_root", STR("")),
		   format = json_str(request, "format_version", STR(""));
	char shown[STR_SHOWN];
	size_t i = 0;
	*out = (struct request_result){.code = "invalid_request"};
	while (i < COUNT_OF(routes) && !str_is(format, routes[i].format))
		i++;
	if (i == COUNT_OF(routes))
		return err_set(e, ERR_INPUT, "format_version: \"%s\" is no format of this program",
			       str_shown(shown, format));
	if (root.n == 0)
		return err_set(e, ERR_INPUT, "artifact_root: is missing");
	r.p.root = path_absolute(a, root.p);
	bool ok = routes[i].route(&out->answer, &r, e);
	out->code = r.p.code;
	out->status = ok ? request_status(out->answer) : err_exit(e->code);
	return ok;
}
