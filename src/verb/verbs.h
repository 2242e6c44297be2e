/* The rows of all verbs; each is defined in the file of its verb. */
#ifndef ASSAY_VERB_VERBS_H
#define ASSAY_VERB_VERBS_H

#include "verb/verb.h"

extern const struct verb verb_doctor, verb_check, verb_import, verb_export;
extern const struct verb verb_bench, verb_compare, verb_ceiling, verb_optimize, verb_watch, verb_memory, verb_report,
	verb_read, verb_trace, verb_profile;
extern const struct verb verb_verify, verb_status, verb_cache;
extern const struct verb verb_knowledge, verb_explain, verb_skills, verb_mcp;
extern const struct verb verb_completion, verb_man, verb_schema, verb_config;
extern const struct verb verb_store, verb_target, verb_baseline, verb_experiment, verb_falsify, verb_screen, verb_audit,
	verb_champion, verb_cancel;
extern const struct verb verb_request, verb_driver, verb_handoff, verb_supervise;
extern const struct verb verb_worker, verb_keeper, verb_sampler;

#endif
