#!/usr/bin/env python3
"""A reader of the published formats: every field of the records in root/ by name, every digest and id made again."""
import glob
import hashlib
import json
import os
import sys

bad = []


def canonical(x):
    return json.dumps(x, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def sha(x):
    return hashlib.sha256(x).hexdigest()


def want(where, x, fields, extra=""):
    missing = [f for f in fields.split() if f not in x]
    unknown = [k for k in x if k not in fields.split() + extra.split()]
    if missing or unknown:
        bad.append(f"{where}: missing {missing}, unknown {unknown}")


def load(path):
    return json.load(open(path, encoding="utf-8"))


t = load("root/target.json")
want("target", t, "record_type format_version id target_mode claim_layer test_suite correctness original primary_metric minimum_effect constraints driver "
     "validity_requirements environment readiness_evidence", "assay")
want("driver", t["driver"], "command request_argument evidence_capabilities protocol_version profiler_capabilities side_effects cleanup_contract source_files identity")
want("readiness_evidence", t["readiness_evidence"], "checked_at_epoch probe_id command command_result driver_output_ref driver_artifacts correctness_gate")
want("original", t["original"], "role kind digest locator")
want("object_ref", t["test_suite"]["object_ref"], "digest locator source_kind file_count total_bytes")
if t["id"] != sha(canonical({k: v for k, v in t.items() if k not in ("record_type", "format_version", "id", "readiness_evidence")})):
    bad.append("target.id")
if t["driver"]["identity"] != sha(canonical({k: v for k, v in t["driver"].items() if k != "identity"})):
    bad.append("driver identity")
for m in glob.glob("root/objects/sha256/*/manifest.json"):
    data, digest = open(m, "rb").read(), m.split("/")[-2]
    j = json.loads(data)
    want("manifest", j, "format_version source_kind entries file_count total_bytes")
    if sha(data[:-1]) != digest or data[:-1] != canonical(j):
        bad.append(m)
    for x in j["entries"]:
        if x["kind"] == "file" and sha(open(os.path.join(os.path.dirname(m), "payload", x["path"]), "rb").read()) != x["sha256"]:
            bad.append(x["path"])
for path in glob.glob("root/experiments/*.json"):
    x = load(path)
    want("experiment", x, "record_type format_version id target_ref baseline_ref source_base reference_variant reference_selection_ref candidate hypothesis mechanism_key "
         "claim_layer cheapest_falsifier screen_design estimated_cost minimum_effect reject_if promote_if change_scope max_risk comparison_contract material_premises changed_paths")
    if x["id"] != "exp-" + sha(canonical({k: v for k, v in x.items() if k not in ("record_type", "format_version", "id")})):
        bad.append("experiment id")
for path in glob.glob("root/invocations/*/result.json"):
    r, q = load(path), load(path.replace("result", "request"))
    op = r["operation"]
    more = {"baseline": "", "screen": "comparison_contract reference_selection_ref reference_status experiment_ref screen_claim_status",
            "target": "comparison_contract reference_selection_ref reference_status experiment_ref", "final_audit": "comparison_contract reference_selection_ref reference_status restore_supported"}[op]
    want("result " + op, r, "record_type format_version operation target_ref variant_refs started_at_epoch finished_at_epoch elapsed_seconds execution_status measurement_validity verdict "
         "stop_reason cleanup_status correctness_receipts performance_receipt evidence_plan completed_driver_calls skipped_evidence_steps command_receipts "
         "runtime_attribution_scope " + more, "assay compat_status compat_verdict diagnostic screen_result_refs")
    for c in r["correctness_receipts"]:
        want("correctness_receipt", c, "variant role case_id status passed acceptance metrics gate additional_gates diagnostics evidence_refs")
        want("gate", c["gate"], "passed driver_status metric operator threshold observed status_consistent")
    for c in r["command_receipts"]:
        want("command_receipt", c, "request command_result driver_output_ref driver_artifacts", "inherited_environment")
        want("command_result", c["command_result"], "status stop_reason returncode elapsed_seconds cleanup_status stdout stderr")
        want("driver request", c["request"], "protocol_version request_digest target_id execution_id operation subjects test_suite correctness objective acquisition case sampling "
             "output_path driver_identity")
        if c["request"]["request_digest"] != sha(canonical({k: v for k, v in c["request"].items() if k != "request_digest"})):
            bad.append("driver request digest")
    if op != "baseline":
        p = r["performance_receipt"]
        want("performance_receipt", p, "status acceptance reference candidate reference_status pairs statistics constraint_statistics evidence_refs")
        want("pair", p["pairs"][0], "pair_index case_id order reference candidate constraints valid evidence_refs")
        want("statistics", p["statistics"], "status statistic direction min_effect_pct confidence estimate_pct ci_low_pct ci_high_pct valid_pairs invalid_pairs improvements_pct")
        want("constraint", p["constraint_statistics"][0], "name max_regression_pct estimate_pct ci_low_pct ci_high_pct status values_pct", "from_zero upper_over_pairs_pct")
    want("plan", r["evidence_plan"], "driver_calls full_lifecycle_starts steps conditional_restore_calls conditional_restore_steps")
    want("step", r["evidence_plan"]["steps"][0], "call_index case_id pair_index order roles acquisition")
    left_out = ("limits", "retry_of", "request_digest", "created_at_epoch", "format_version")
    if q["request_digest"] != sha(canonical({k: v for k, v in q.items() if k not in left_out})):
        bad.append("request_digest")
for path in glob.glob("root/champion/selections/*.json"):
    want("selection", load(path), "record_type format_version id target_ref selected_variant decision comparison_result_ref previous_selection_ref created_at_epoch")
if os.path.exists("root/champion/current.json"):
    p = load("root/champion/current.json")
    want("pointer", p, "record_type format_version target_ref selection_ref")
    if sha(open(f"root/champion/selections/{p['selection_ref']['id']}.json", "rb").read()) != p["selection_ref"]["sha256"]:
        bad.append("selection_ref")
print("\n".join(sorted(set(bad))) or "every field, every digest")
sys.exit(bool(bad))
