#!/usr/bin/env python3
"""Requests about evidence that exists, for the tests of src/inspect/.

reports.py make                     plain.csv (four columns), n.sqlite (schema 3.25.0), t.json.gz: small, every number known
reports.py target FILE:TOOL:VERSION:DIALECT[:KIND]...    target.json.in: readiness of a diagnostic Target with these materials
reports.py ask NAME FAMILY MATERIAL [key=JSON...]        NAME.json: analyze; MATERIAL is an index, - none, + collect; a key with null goes away
reports.py about NAME FAMILY OPERATION ID                NAME.json: status or cancel
reports.py get FILE PATH...                              fields of an answer
reports.py fields                                        every record in root/invocations by the published names, digests made again"""
import glob
import gzip
import hashlib
import json
import os
import sqlite3
import sys
import time

CKO = "cuda-kernel-optimizer/"
SEVEN = {"dram__throughput.avg.pct_of_peak_sustained_elapsed": ("%", 40), "dram__bytes.sum": ("Kbyte", 2),
         "sm__warps_active.avg.pct_of_peak_sustained_active": ("%", 50), "sm__cycles_active.avg.pct_of_peak_sustained_elapsed": ("%", 60),
         "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active": ("%", 0),
         "smsp__average_warp_latency_issue_stalled_barrier_per_warp_active.pct": ("%", 3),
         "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct": ("%", 12.5)}


def put(name, x):
    with open(name, "w", encoding="utf-8") as f:
        json.dump(x, f, indent=1)


def sha(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def make():
    with open("plain.csv", "w", encoding="utf-8") as f:
        f.write('==PROF== a line of the program, "quoted"\n"Kernel Name","Host","Metric Name","Metric Unit","Metric Value"\n')
        for k, kernel in enumerate(("gemm_a", "gemm_b", "softmax")):
            for name, (unit, value) in SEVEN.items():
                f.write('"%s","here","%s","%s","%s"\n' % (kernel, name, unit, "1,0%02d" % k if name == "dram__bytes.sum" else value + k))
            f.write('"%s","here","lts__t_sectors.sum","sector","7"\n' % kernel)
    d = sqlite3.connect("n.sqlite")
    d.executescript("create table META_DATA_EXPORT (name text, value text); create table StringIds (id integer primary key, value text);"
                    "create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer, streamId integer, demangledName integer, shortName integer);"
                    "create table NVTX_EVENTS (start integer, end integer);")
    d.executemany("insert into META_DATA_EXPORT values (?, ?)", (("EXPORT_SCHEMA_VERSION", "3.25.0"), ("EXPORT_PRODUCT_VERSION", "2026.2.1.210")))
    d.executemany("insert into StringIds values (?, ?)", ((1, "void gemm<float>(float *)"), (2, "gemm")))
    d.executemany("insert into CUPTI_ACTIVITY_KIND_KERNEL values (?, ?, 0, 7, ?, ?)", ((300, 350, 1, 2), (100, 200, 1, 2), (400, 401, None, None)))
    d.commit()
    d.close()
    trace("t.json.gz", [(10.5, 2.25, "kernel", "k" * 600, 0, 7), (20, 0.5, "cpu_op", "aten::mm", 12, 12), (0, 40, "Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler")])


def trace(name, rows):
    events = [{"ph": "X", "cat": c, "name": n, "pid": p, "tid": t, "ts": ts, "dur": dur, "args": {"stream": 7, "device": 0, "correlation": 5, "grid": [1, 1, 1], "block": [32, 1, 1]}}
              for ts, dur, c, n, p, t in rows]
    events.append({"ph": "i", "s": "t", "name": "mark", "pid": 0, "tid": 0, "ts": 1})
    with gzip.open(name, "wt", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}, f)


def target(materials):
    def one(m):
        path, tool, version, dialect, kind = (m.split(":") + ["report"])[:5]
        return {"kind": kind, "path": os.path.abspath(path), "tool": tool, "tool_version": version, "dialect": dialect}
    put("target.json.in", {
        "format_version": CKO + "readiness-input-v2", "operation": "check", "artifact_root": os.path.abspath("root"), "target_mode": "diagnostic",
        "claim_layer": "diagnostic", "original": {"kind": "artifact", "path": os.path.abspath(materials[0].split(":")[0])},
        "materials": [one(m) for m in materials], "environment_requirements": {"gpu_uuids": [], "required_tools": json.loads(os.environ.get("TOOLS", "[]"))},
        "scan_limits": {"max_files": 100, "max_total_bytes": 10**9, "max_wall_seconds": 60}})


def head(family, operation):
    return {"format_version": "%s%s-input-v1" % (CKO, family), "operation": operation, "artifact_root": os.path.abspath("root")}


def ask(name, family, material, *more):
    with open("root/target.json", encoding="utf-8") as f:
        t = json.load(f)
    x = head(family, "analyze")
    x.update({"target_ref": {"id": t["id"], "sha256": sha("root/target.json")}, "resources": {"host_id": t["environment"]["host"]["host_id"], "gpu_uuids": []}, "launch_deadline": time.time() + 100,
              "operation_timeout_seconds": 50, "command_timeout_seconds": 20, "resource_wait_timeout_seconds": 5, "cleanup_timeout_seconds": 5})
    m = t.get("diagnostic_materials", [])[int(material)] if material not in "-+" else {"id": "", "sha256": ""}
    ref = {"id": m["id"], "sha256": m["sha256"]}
    if family in ("compiler", "sass"):
        x["artifact_ref"] = {"source": "target_material", "material_ref": ref}
    else:
        x["report_ref"] = ref
    if family == "ncu":
        x["kernel_name_hints"] = []
    if material == "+":
        del x["report_ref"]
        x.update(operation="collect", role="original", case_id="case0", baseline_ref=json.load(open("baseline.out"))["result_ref"])
    for m in more:
        key, value = m.split("=", 1)
        at, keys = x, key.split(".")
        for k in keys[:-1]:
            at = at[k]
        at[keys[-1]] = json.loads(value)
        if at[keys[-1]] is None:
            del at[keys[-1]]
    put(name + ".json", x)


def about(name, family, operation, invocation):
    put(name + ".json", dict(head(family, operation), invocation_id=invocation))


def get(path, *fields):
    with open(path, encoding="utf-8") as f:
        whole = json.load(f)
    for field in fields:
        x = whole
        for key in field.split("."):
            x = x[int(key)] if isinstance(x, list) else x[key]
        print(x if isinstance(x, str) else json.dumps(x, sort_keys=True))


RESULT = "record_type format_version operation target_ref started_at_epoch finished_at_epoch elapsed_seconds execution_status stop_reason cleanup_status observations unmodeled provenance diagnostic"
FAMILIES = {
    "ncu": ("profiler", "report_ref kernel_name_hints measurement_validity", "semantic_id value unit scope aggregation source_metric tool",
            "tool metrics parser_version tool_identity command_receipts driver_output report csv"),
    "nsys": ("profiler", "report_ref measurement_validity", "semantic_id value unit scope aggregation source tool",
             "tool metrics parser_version tool_identity command_receipts driver_output report"),
    "pytorch": ("profiler", "report_ref measurement_validity", "semantic_id value unit interval duration_us category name scope aggregation source tool",
                "tool metrics parser_version tool_identity command_receipts driver_output report"),
    "compiler": ("compiler", "artifact_ref source_binding environment_binding evidence_validity", "stage content_sha256 size_bytes encoding line_count ends_with_newline structural_markers",
                 "artifact parser_version tool_identity command_receipts"),
    "sass": ("sass", "artifact_ref source_binding environment_binding evidence_validity", "architectures function_count instruction_count opcode_counts content_sha256 size_bytes",
             "artifact parser_version tool_identity command_receipts"),
}
OPTIONAL = {"compiler": "encoding line_count ends_with_newline", "sass": "signature"}


def fields():
    bad, seen = [], set()

    def want(where, x, names, extra=""):
        if set(names.split()) - set(x) or set(x) - set(names.split()) - set(extra.split()):
            bad.append("%s: missing %s, unknown %s" % (where, sorted(set(names.split()) - set(x)), sorted(set(x) - set(names.split() + extra.split()))))

    for path in sorted(glob.glob("root/invocations/*/result.json")):
        with open(path, encoding="utf-8") as f:
            r = json.load(f)
        with open(path.replace("result", "request"), encoding="utf-8") as f:
            q = json.load(f)
        family = q["input_format"].split("/")[1].split("-")[0]
        if family == "evaluator":
            continue
        kind, more, observation, provenance = FAMILIES[family]
        collects = q["operation"] == "collect"
        if collects:
            more = more.replace("report_ref", "baseline_ref role case_id" + (" experiment_ref correctness_ref" if q["role"] == "candidate" else ""))
            provenance += " export" if family == "nsys" else ""
        done = r["execution_status"] == "succeeded"
        seen.add(family + " collect" * collects + " failed" * (not done))
        want(family, r, RESULT + " " + more, "assay")
        want(family + " tool_identity", r["provenance"]["tool_identity"], "version result_contract implementations digest")
        for key, value in (("format_version", CKO + kind + "-result-v1"), ("record_type", kind + "_result"), ("operation", q["operation"]), ("cleanup_status", "confirmed")):
            if r[key] != value:
                bad.append("%s.%s is %s" % (family, key, r[key]))
        if r["execution_status"] not in "succeeded failed timed_out cancelled invalid".split() or (r["stop_reason"] == "completed") != done:
            bad.append("%s: %s, %s" % (family, r["execution_status"], r["stop_reason"]))
        for o in r["observations"]:
            optional = OPTIONAL.get(family, "")
            want(family + " observation", o, " ".join(k for k in observation.split() if k not in optional.split()), optional)
        if done:
            want(family + " provenance", r["provenance"], provenance)
        else:
            want(family + " diagnostic", r["diagnostic"], "error_type message")
        for c in r["provenance"].get("command_receipts", []):
            if "request" in c:
                want("call receipt", c, "request command_result driver_output_ref driver_artifacts", "inherited_environment")
                continue
            want("command receipt", c, "argv result")
            want("command result", c["result"], "status stop_reason returncode elapsed_seconds cleanup_status stdout stderr")
        left_out = ("limits", "retry_of", "request_digest", "created_at_epoch", "format_version")
        text = json.dumps({k: v for k, v in q.items() if k not in left_out}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        if q["request_digest"] != hashlib.sha256(text.encode()).hexdigest():
            bad.append(family + ".request_digest")
    print("\n".join(sorted(set(bad))) or "every field of %s" % ", ".join(sorted(seen)))
    sys.exit(bool(bad))


if __name__ == "__main__":
    verb, rest = sys.argv[1], sys.argv[2:]
    {"make": make, "target": lambda *m: target(m), "ask": ask, "about": about, "get": get, "fields": fields}[verb](*rest)
