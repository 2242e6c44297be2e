/* The verbs, in help order.
 * In: nothing. Out: one table.
 * A new verb is one file and one row here.
 * Never: holds a body. */
#include "verb/verbs.h"

const struct verb *const verb_table[] = {
	&verb_doctor,  &verb_check,    &verb_import, &verb_export,   &verb_bench,      &verb_compare,
	&verb_ceiling, &verb_optimize, &verb_watch,  &verb_memory,   &verb_report,     &verb_profile,
	&verb_read,    &verb_trace,    &verb_driver, &verb_target,   &verb_baseline,   &verb_experiment,
	&verb_falsify, &verb_screen,   &verb_audit,  &verb_champion, &verb_cancel,     &verb_request,
	&verb_handoff, &verb_verify,   &verb_status, &verb_store,    &verb_cache,      &verb_knowledge,
	&verb_explain, &verb_skills,   &verb_mcp,    &verb_config,   &verb_completion, &verb_man,
	&verb_schema,  &verb_worker,   &verb_keeper, &verb_sampler,  &verb_supervise,  NULL,
};
