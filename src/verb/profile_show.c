/* What a collection came to, printed.
 * In: what was collected.
 * Out: text or JSON, exit status.
 * Never: shows a report that does not count. */
#include "verb/profile_print.h"
#include "verb/read_job.h"

static bool show_report(const char *path, const struct verb_common *common, struct verb_call *call, struct err *e)
{
	struct read_options ro = {.common = *common, .top = 10};
	struct read_job r;
	bool ok = read_job_open(&r, &ro, call, path, e) && read_print_text(&r, e);
	read_job_close(&r);
	return ok;
}

bool profile_show(const struct profile_collected *p, const struct verb_common *common, struct verb_call *call,
		  struct err *e)
{
	struct buf *out = call->out;
	call->status =
		p->state == PROFILE_COLLECTED ? 0
		: p->state == PROFILE_EMPTY || p->state == PROFILE_COMMAND_FAILED || p->state == PROFILE_TIMED_OUT
			? 1
			: err_exit(ERR_ENVIRONMENT);
	if (common->json) {
		struct json *doc = profile_json(p, call->arena);
		json_set_cstr(doc, "claim_layer", "diagnostic");
		json_set_bool(doc, "formal", false);
		verb_put_json(call, doc);
		return true;
	}
	buf_printf(out, "%s%s%s\n", profile_state_name(p->state), p->reason ? ": " : "", p->reason ? p->reason : "");
	for (size_t i = 0; p->reports[i]; i++)
		buf_printf(out, "report   %s\n", p->reports[i]);
	buf_printf(out, "log      %s\ncommand  %s\n", p->log, p->command);
	if (p->version)
		buf_printf(out, "tool     %s%s\n", p->version, p->unverified ? " (not covered by assay's tests)" : "");
	for (size_t i = 0; p->nan_metrics[i]; i++)
		buf_printf(out, "%s%s%s", i ? ", " : "NaN      ", p->nan_metrics[i], p->nan_metrics[i + 1] ? "" : "\n");
	if (!p->reports[0] || p->state != PROFILE_COLLECTED)
		return true;
	buf_char(out, '\n');
	return show_report(p->reports[0], common, call, e);
}
