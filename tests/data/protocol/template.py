"""A driver as the published template has it: nothing but what protocol v2 says, and all of that checked before anything runs.

usage: template.py --request FILE
"""
import argparse
import hashlib
import json
import os
import sys
import time

PREFIX = "cuda-kernel-optimizer/"
REQUEST = {"protocol_version", "request_digest", "target_id", "execution_id", "operation", "subjects", "test_suite", "correctness", "objective", "acquisition", "case",
           "sampling", "output_path", "driver_identity"}
OPERATIONS = {"readiness_smoke", "baseline", "screen", "target", "final_audit", "profile_ncu_collect", "profile_nsys_collect", "profile_pytorch_collect"}
ROLES = {"original", "reference", "candidate"}


def canonical(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()).hexdigest()


def once(pairs):
    keys = [k for k, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key twice")
    return dict(pairs)


def closed(value, keys, where):
    if not isinstance(value, dict) or set(value) != set(keys):
        raise ValueError(f"{where}: {sorted(set(value) ^ set(keys))}")
    return value


def check_sampling(operation, sampling):
    if operation == "readiness_smoke":
        return closed(sampling, ("kind", "repetitions"), "sampling")["repetitions"]
    if operation == "baseline":
        closed(sampling, ("case_ids", "samples_per_case", "seed", "pair_index", "order"), "sampling")
        if sampling["pair_index"] is not None or sampling["order"] is not None:
            raise ValueError("a baseline has no pair")
        return sampling["samples_per_case"]
    closed(sampling, ("case_ids", "pairs", "seed", "orders", "pair_index", "order"), "sampling")
    if len(sampling["orders"]) != sampling["pairs"] or sampling["orders"][sampling["pair_index"]] != sampling["order"]:
        raise ValueError("orders")
    return 3


def check(q):
    closed(q, REQUEST, "request")
    if q["protocol_version"] != PREFIX + "driver-request-v2" or q["operation"] not in OPERATIONS:
        raise ValueError("version or operation")
    if canonical({k: v for k, v in q.items() if k != "request_digest"}) != q["request_digest"]:
        raise ValueError("request_digest")
    for key, most in (("target_id", 128), ("execution_id", 128), ("operation", 64)):
        if not 0 < len(q[key]) <= most:
            raise ValueError(key)
    closed(q["test_suite"], ("digest", "locator", "case_ids"), "test_suite")
    closed(q["correctness"], ("reference", "method", "acceptance"), "correctness")
    closed(q["correctness"]["reference"], ("digest", "locator"), "reference")
    closed(q["correctness"]["acceptance"], ("metric", "operator", "value"), "acceptance")
    closed(q["objective"], ("primary_metric", "constraints"), "objective")
    closed(q["objective"]["primary_metric"], ("name", "unit", "direction", "aggregation"), "primary")
    closed(q["acquisition"], ("lifecycle", "shared_state", "rebuilt_state"), "acquisition")
    if closed(q["case"], ("id",), "case")["id"] not in q["test_suite"]["case_ids"]:
        raise ValueError("case")
    roles = [closed(s, ("role", "variant"), "subject")["role"] for s in q["subjects"]]
    if not set(roles) <= ROLES or len(set(roles)) != len(roles) or not 1 <= len(roles) <= 2:
        raise ValueError("roles")
    same = q["acquisition"]["lifecycle"] == "same_process"
    if same != (len(roles) == 2) or same != bool(q["acquisition"]["shared_state"]):
        raise ValueError("lifecycle")
    if same and q["sampling"]["order"] != ("BA" if roles[0] == "candidate" else "AB"):
        raise ValueError("the order of subjects is the run order")
    for s in q["subjects"]:
        closed(s["variant"], ("kind", "digest", "locator"), "variant")
        if not os.path.isabs(s["variant"]["locator"]) or not os.path.exists(s["variant"]["locator"]):
            raise ValueError("locator")
    if os.environ["CUDA_VISIBLE_DEVICES"] != "" or os.read(0, 1) != b"" or os.getsid(0) != os.getpid():
        raise ValueError("launch")
    if os.path.basename(q["output_path"]) != "result.json" or os.listdir(os.path.dirname(q["output_path"])):
        raise ValueError("output_path")
    return check_sampling(q["operation"], q["sampling"])


def measure(q, subject, count):
    """The workload: so many additions as the file `cost` says."""
    with open(os.path.join(subject["variant"]["locator"], "cost"), encoding="utf-8") as f:
        n = int(float(f.read().split()[0]) * 1000)
    samples, total = [], 0
    for _ in range(count):
        begin, total = time.perf_counter(), 0
        for i in range(n):
            total += i
        samples.append(((time.perf_counter() - begin) * 0 + n) / 1e3)  # exact: what is tested is the protocol
    objective = q["objective"]
    constraints = [{"name": c["name"], "unit": c["unit"], "samples": [100.0] * count} for c in objective["constraints"]]
    primary = {"name": objective["primary_metric"]["name"], "unit": objective["primary_metric"]["unit"], "samples": samples}
    bad = float(total != n * (n - 1) // 2)
    correct = {"status": "failed" if bad else "passed", "metrics": {q["correctness"]["acceptance"]["metric"]: bad, "checks": 1.0}}
    return correct, {"primary": primary, "constraints": constraints}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--request", required=True)
    with open(parser.parse_args().request, encoding="utf-8") as f:
        q = json.load(f, object_pairs_hook=once)
    count = check(q)
    done = [(s, *measure(q, s, count)) for s in q["subjects"]]
    folder = os.path.dirname(q["output_path"])
    os.makedirs(os.path.join(folder, "logs"))
    note = f"{q['operation']} {q['case']['id']}\n".encode()
    with open(os.path.join(folder, "logs", "note.txt"), "wb") as f:
        f.write(note)
    result = {
        "protocol_version": PREFIX + "driver-result-v2",
        **{k: q[k] for k in ("request_digest", "target_id", "execution_id", "driver_identity", "acquisition")},
        "subject_digests": [{"role": s["role"], "digest": s["variant"]["digest"]} for s in q["subjects"]],
        "case_id": q["case"]["id"],
        "artifacts": [{"kind": "log", "relative_path": "logs/note.txt", "sha256": hashlib.sha256(note).hexdigest()}],
        "cleanup": {"status": "confirmed", "live_tasks": []},
        "environment": {"gpu_uuids": [], "gpu_models": [], "gpu_architectures": [], "driver_version": "none", "cuda_runtime_version": "none",
                        "frameworks": {"python": sys.version.split()[0]},
                        "runtime_provenance": {"kind": "container", "identity": "image", "lineage_complete": True,
                                               "lineage": [{"kind": "base", "identity": "base"}, {"kind": "overlay", "identity": "ours"}],
                                               "components": [{"name": "python", "identity": sys.executable}]}},
        "evidence": {"correctness": [{"role": s["role"], "result": c} for s, c, _ in done], "measurements": [{"role": s["role"], "result": m} for s, _, m in done]},
    }
    assert len(result) == 12
    with open(q["output_path"], "w", encoding="utf-8") as f:
        json.dump(result, f, allow_nan=False)


if __name__ == "__main__":
    main()
