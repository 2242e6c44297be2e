#!/usr/bin/env python3
"""A workload driver for assay (driver protocol v2). Standard library only; fill in the four hooks.

One call: DRIVER --request FILE. It runs each subject of the request once, in the given order, and writes one result with
correctness and measurements together. The result appears whole or not at all.
"""
import hashlib
import importlib.util
import json
import os
import platform
import sys
import time

# ---- hooks ----


def prepare(request):
    """What all subjects share; the return value is handed to run_subject."""
    return None


def run_subject(subject, request, shared):
    """One subject, one case: subject["variant"]["locator"] is its folder or file, request["case"]["id"] the case.

    Returns (metrics, samples): metrics feed the correctness rule, samples are {metric name: [numbers]} for the primary metric and
    each constraint. Here: solve(case) of solve.py beside the reference's, timed.
    """
    solve = load(subject["variant"]["locator"])
    reference = load(request["correctness"]["reference"]["locator"])
    case = request["case"]["id"]
    wrong = float(solve(case) != reference(case))
    samples = []
    for _ in range(sample_count(request)):
        begin = time.perf_counter()
        solve(case)
        samples.append((time.perf_counter() - begin) * 1e3)
    names = [request["objective"]["primary_metric"]] + request["objective"]["constraints"]
    return {"errors": wrong}, {m["name"]: samples for m in names}


def environment():
    """The same in every call: what differs makes the measurement invalid."""
    return {
        "gpu_uuids": [],
        "gpu_models": [],
        "gpu_architectures": [],
        "driver_version": "none",
        "cuda_runtime_version": "none",
        "frameworks": {"python": platform.python_version()},
        "runtime_provenance": {
            "kind": "host",
            "identity": platform.platform(),
            "lineage_complete": True,
            "lineage": [],
            "components": [],
        },
    }


def cleanup(shared):
    """Ends everything that was started; returns what still runs, which must be nothing."""
    return []


# ---- the protocol ----


def load(locator):
    path = os.path.join(locator, "solve.py") if os.path.isdir(locator) else locator
    spec = importlib.util.spec_from_file_location("solve_" + hashlib.sha256(path.encode()).hexdigest()[:8], path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module.solve


def sample_count(request):
    s = request["sampling"]
    return s.get("samples_per_case") or s.get("repetitions") or 5


def canonical(x):
    return json.dumps(x, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def gate(metrics, rule):
    x, y = metrics[rule["metric"]], rule["value"]
    return {"greater_or_equal": x >= y, "less_or_equal": x <= y, "equal": x == y}[rule["operator"]]


def main():
    request = json.load(open(sys.argv[sys.argv.index("--request") + 1], encoding="utf-8"))
    body = {k: v for k, v in request.items() if k != "request_digest"}
    if hashlib.sha256(canonical(body)).hexdigest() != request["request_digest"]:
        sys.exit("the request is not what its digest names")
    correctness, measurements = [], []
    shared = prepare(request)
    try:
        for subject in request["subjects"]:
            metrics, samples = run_subject(subject, request, shared)
            passed = gate(metrics, request["correctness"]["acceptance"])
            role, o = subject["role"], request["objective"]
            correctness.append({"role": role, "result": {"status": "passed" if passed else "failed", "metrics": metrics}})
            row = lambda m: {"name": m["name"], "unit": m["unit"], "samples": samples[m["name"]]}
            measurements.append({"role": role, "result": {"primary": row(o["primary_metric"]), "constraints": [row(m) for m in o["constraints"]]}})
    finally:
        live = cleanup(shared)
    result = {
        "protocol_version": "cuda-kernel-optimizer/driver-result-v2",
        "request_digest": request["request_digest"],
        "target_id": request["target_id"],
        "execution_id": request["execution_id"],
        "subject_digests": [{"role": s["role"], "digest": s["variant"]["digest"]} for s in request["subjects"]],
        "case_id": request["case"]["id"],
        "artifacts": [],
        "cleanup": {"status": "unconfirmed" if live else "confirmed", "live_tasks": live},
        "driver_identity": request["driver_identity"],
        "environment": environment(),
        "acquisition": request["acquisition"],
        "evidence": {"correctness": correctness, "measurements": measurements},
    }
    path = request["output_path"]
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(result, f)
    os.link(path + ".new", path)  # never over a result that is there
    os.unlink(path + ".new")


if __name__ == "__main__":
    main()
