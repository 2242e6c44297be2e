#!/usr/bin/env python3
"""Makes what the tests of the evidence protocol need in the current folder, and runs single steps.

make.py setup [key=value...]      original/, candidate/, suite/, reference/, driver.py, readiness.json
make.py baseline|experiment|target|screen|audit|select NAME [key=value...]   writes NAME.json from the answers so far
make.py get FILE path             one field of an answer
Keys: cost (of the candidate, the original costs 10), pairs, cases, mode (a fault of the driver), format, gpus (UUIDs), ...
"""
import hashlib
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CKO = "cuda-kernel-optimizer/"


def load(name):
    return json.load(open(name, encoding="utf-8"))


def sha(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def put(name, x):
    json.dump(x, open(name, "w", encoding="utf-8"), indent=1)


def gpus(o):
    return o["gpus"].split(",") if o.get("gpus") else []


def limits(o):
    return {
        "operation_timeout_seconds": float(o.get("timeout", 50)),
        "command_timeout_seconds": float(o.get("command", 20)),
        "resource_wait_timeout_seconds": float(o.get("patience", 20)),
        "cleanup_timeout_seconds": 5,
    }


def setup(o):
    for name, cost in (("original", o.get("original", "10")), ("candidate", o.get("cost", "8"))):
        os.makedirs(name, exist_ok=True)
        open(f"{name}/cost", "w").write(cost)
    for name in ("suite", "reference"):
        os.makedirs(name, exist_ok=True)
        open(f"{name}/data", "w").write(name)
    command = o["command_line"].split() if "command_line" in o else [sys.executable, "-S", f"{HERE}/driver.py"]
    if "mode" in o:
        command += [o["mode"]]
    request = {
        "format_version": o.get("format", CKO + "readiness-input-v2"),
        "operation": "check",
        "artifact_root": os.path.abspath("root"),
        "target_mode": "optimization",
        "claim_layer": "workload",
        "test_suite": {"path": "suite", "case_ids": [f"case{i}" for i in range(int(o.get("cases", 2)))]},
        "correctness": {"reference_path": "reference", "method": "driver", "acceptance": {"metric": "errors", "operator": "less_or_equal", "value": 0}},
        "original": {"kind": "source_snapshot", "path": "original"},
        "objective": {
            "primary_metric": {"name": "latency", "unit": "ms", "direction": "lower", "aggregation": o.get("aggregation", "median")},
            "minimum_effect": {"value": float(o.get("effect", 1)), "unit": "percent"},
            "constraints": [{"name": "memory", "unit": "MB", "direction": "lower", "aggregation": "median", "max_regression_pct": 5}],
        },
        "driver": {
            "command": command,
            "request_argument": "--request",
            "evidence_capabilities": ["single_variant_combined", "paired_same_process_combined"],
            "protocol_version": CKO + "driver-v2",
            "profiler_capabilities": o["profilers"].split(",") if "profilers" in o else [],
            "side_effects": [],
            "cleanup_contract": {"kind": "process_group_only", "external_tasks": False},
        },
        "environment_requirements": {"gpu_uuids": gpus(o), "required_tools": []},
        "validity_requirements": {"minimum_pairs": int(o.get("minimum_pairs", 4)), "confidence": 0.95, "bootstrap_samples": 400},
        "smoke": {"case_id": "case0", "resources": {"host_id": "here", "gpu_uuids": gpus(o)}, "runtime_limits": limits(o)},
        "scan_limits": {"max_files": 1000, "max_total_bytes": 10**9, "max_wall_seconds": 30},
    }
    if "fill" in o:  # for the skeletons: files of that name in place of `cost`, no constraint
        request["objective"]["constraints"] = []
    if o.get("objective") == "serving":
        metric = lambda name, unit, direction, how: {"name": name, "unit": unit, "direction": direction, "aggregation": how}
        request["objective"]["primary_metric"] = metric("throughput", "1/s", "higher", "throughput")
        request["objective"]["constraints"] = [{**metric(p, "ms", "lower", p), "max_regression_pct": 50} for p in ("p95", "p99")]
        request["claim_layer"] = "serving"
    if "extra" in o:
        request.update(json.loads(o["extra"]))
    put("readiness.json", request)


def head(operation, o):
    return {"format_version": o.get("format", CKO + "evaluator-input-v2"), "operation": operation, "artifact_root": os.path.abspath("root"), "target_ref": load("readiness.out")["target_ref"]}


def long(operation, o, design):
    n = int(o.get("cases", 2))
    x = head(operation, o)
    x.update(limits(o))
    x["launch_deadline"] = time.time() + 100
    x["resources"] = {"host_id": "here", "gpu_uuids": gpus(o)}
    x["sampling_design"] = {"case_ids": [f"case{i}" for i in range(n)], "seed": int(o.get("seed", 1)), **design}
    for key in ("retry_of",):
        if key in o:
            x[key] = o[key]
    for key in ("replicate", "repeats"):
        if key in o:
            x[key] = int(o[key])
    return x


def contract(o):
    same = o.get("lifecycle", "isolated_process") == "same_process"
    return {
        "relationship": "implementation_equivalence",
        "additional_gates": [],
        "diagnostics": ["checks"],
        "acquisition": {"lifecycle": o.get("lifecycle", "isolated_process"), "shared_state": ["process"] if same else [], "rebuilt_state": ["caches"], "rationale": "test"},
    }


def experiment(o):
    x = head("experiment", o)
    cost = {"p50_seconds": 1, "p90_seconds": 2, "gpu_count": len(gpus(o)), "basis": "guess"}
    x.update(
        baseline_ref=load("baseline.out")["result_ref"],
        source_base={"kind": "source_snapshot", "path": "original"},
        candidate={"kind": "source_snapshot", "path": o.get("candidate", "candidate")},
        hypothesis="costs less",
        mechanism_key="test.cost",
        claim_layer="workload",
        cheapest_falsifier={"kind": "none", "reason": "cheap already"},
        screen_design={"enabled": o.get("screen", "no") == "yes", "kind": "diagnostic_proxy", "reason": "test", "claim": "faster"},
        estimated_cost={"screen": cost, "target": cost},
        minimum_effect=float(o.get("effect", 1)),
        reject_if=[{"kind": "screen_claim_falsified"}],
        promote_if=[{"kind": "passed"}],
        change_scope=[o.get("scope", "cost")],
        max_risk="low",
        comparison_contract=contract(o),
        material_premises=[],
    )
    if "extra" in o:
        x.update(json.loads(o["extra"]))
    return x


def comparison(operation, o):
    x = long(operation, o, {"pairs": int(o.get("pairs", 6))})
    if operation == "final_audit":
        x["comparison_contract"] = contract(o)
    else:
        x["experiment_ref"] = load(o.get("of", "experiment.out"))["experiment_ref"]
    return x


def select(o):
    now = load("show.out")["selection_ref"] if os.path.exists("show.out") else None
    x = head(o.get("do", "select"), o)
    x["format_version"] = CKO + "champion-input-v1"
    if o.get("do") != "show":
        x.update(result_ref=load(o.get("result", "target.out"))["result_ref"], expected_selection_ref=now)
    return x


def reconcile(o):
    kept = {"decision": "kept"}
    names = ("boundary", "execution_form", "scope", "coverage", "cost")
    x = head("reconcile", o)
    x["format_version"] = "assay/reconciliation-input-v1"
    x.update(result_ref=load("target.out")["result_ref"], premises={**{n: kept for n in names}, "exposure": {"decision": "corrected", "value": 0.01}}, conclusion="exposed less than thought")
    return x


def get(name, path):
    x = load(name)
    for key in path.split("."):
        x = x[int(key)] if isinstance(x, list) else x[key]
    print(x if isinstance(x, str) else json.dumps(x, sort_keys=True))


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "get":
        return get(*args)
    o = dict(a.split("=", 1) for a in args if "=" in a)
    if what == "setup":
        return setup(o)
    name = args[0] if args and "=" not in args[0] else what
    if what == "baseline":
        x = long("baseline", o, {"samples_per_case": int(o.get("samples", 3))})
    elif what == "experiment":
        x = experiment(o)
    elif what in ("champion", "select"):
        x = select(o)
    elif what == "reconcile":
        x = reconcile(o)
    else:
        x = comparison("final_audit" if what == "audit" else what, o)
    put(name + ".json", x)


main()
