#!/usr/bin/env python3
"""Writes a run folder of the loop with many versions, as `assay optimize` on a GPU leaves it, for tests and measurements of
the report. The numbers are drawn, the same for the same arguments; nothing was measured.

usage: make_run.py FOLDER VERSIONS [--rows N] [--samples N]     raw samples go into the store, $ASSAY_STORE
--rows: correctness cases in all, --samples: samples a version.
"""
import argparse
import hashlib
import json
import os
import random
import struct

WORDS = ["tile", "vectorize", "double_buffer", "shared_memory", "unroll", "swizzle", "async_copy", "warp_specialize"]
METRICS = [("Duration", "us"), ("SM throughput", "%"), ("Memory throughput", "%"), ("L2 hit rate", "%"),
           ("Achieved occupancy", "%"), ("Registers per thread", "1"), ("Eligible warps", "1"), ("DRAM bytes", "MB")]
CLASSES = ["integer", "fma", "load", "store", "tensor", "control", "convert", "barrier", "move"]
CHECKS = ["task_is_checkable", "determinism", "late_writes", "inputs_unchanged", "guard_zones", "fresh_data",
          "sealed_batch", "error_size", "physical_floor", "what_ran"]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=2, sort_keys=True)


def publish_columns(columns, n_rows):
    """A column file (docs/FORMATS.md) as an object of the store; gives its digest. columns: (name, type, unit, values)."""
    header = {"format": "assay/trial-v1", "n_rows": n_rows,
              "columns": [{"name": n, "type": t, "unit": u} for n, t, u, _ in columns]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = struct.pack("<8sIIQ", b"ASSAYCOL", 1, 0, len(text)) + text
    for _, kind, _, values in columns:
        part = struct.pack(f"<{n_rows}{ {'u8': 'B', 'i64': 'q', 'f64': 'd'}[kind]}", *values)
        data += part + b"\0" * (-len(part) % 8)
    name = hashlib.sha256(data).hexdigest()
    folder = os.path.join(os.environ["ASSAY_STORE"], "objects", name[:2])
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name[2:]), "wb") as f:
        f.write(data)
    return name


def publish_samples(rng, samples):
    """Trial and telemetry of one version: batches of 32 calls 0.2 s apart, a clock that sinks, temperature, power."""
    n = len(samples)
    begin = [10**9 + i // 32 * 200_000_000 for i in range(n)]
    clock = [1980.0 - 15 * (i // 32) for i in range(n)]
    trial = publish_columns([("span_ns", "f64", "ns", samples), ("clock_mhz", "f64", "mhz", clock),
                             ("mode", "u8", "code", [1] * n), ("flags", "u8", "bits", [1] * n),
                             ("begin_ns", "i64", "ns", begin), ("end_ns", "i64", "ns", [b + 150_000_000 for b in begin])], n)
    m = n // 32 + 3
    seen = publish_columns([("t_ns", "i64", "ns", [10**9 + k * 190_000_000 for k in range(m)]),
                            ("temperature_c", "f64", "celsius", [41.0 + k for k in range(m)]),
                            ("power_w", "f64", "w", [round(rng.uniform(300, 420), 1) for _ in range(m)])], m)
    return trial, seen


def summary_of(samples):
    s = sorted(samples)
    cut = len(s) // 10
    middle = s[cut : len(s) - cut]
    half = len(s) // 2
    median = s[half] if len(s) % 2 else (s[half - 1] + s[half]) / 2
    mean = sum(middle) / len(middle)
    return {"n": len(s), "min_ns": s[0], "max_ns": s[-1], "median_ns": median, "mean_ns": sum(s) / len(s),
            "trimmed_mean_ns": mean, "interval": {"half_width_ns": mean * 0.004, "level": 0.95}}


def case_of(rng, i):
    return {"case": f"case_{i:03}", "calls": rng.choice(["correctness", "timed"]), "data_set": i % 4, "witness": "keeper",
            "guard_bytes_damaged": 0, "inputs_changed": 0,
            "outputs": [{"name": "y", "n": rng.randrange(1000, 10**6), "n_mismatch": 0, "n_unwritten": 0,
                         "max_abs_error": rng.random() * 1e-6, "max_rel_error": rng.random() * 1e-5}]}


def bench_of(rng, i, samples, n_cases, stored):
    passed = samples is not None
    checks = [{"name": c, "state": "passed", "witness": "keeper", "text": f"{c} of v{i}", "evidence": None} for c in CHECKS]
    b = {"format": "assay/bench-v1", "backend": "cuda", "device": {"kind": "gpu", "name": "Drawn GPU", "driver": "580.1"},
         "build": {"command": f"nvcc -O3 -o kernel.so v{i}.cu", "compiler_version": "13.0", "sha256": digest(f"bin{i}"),
                   "facts": {"kernels": [{"name": "solve_kernel", "arch": "sm_90", "entry": True,
                                          "resources": {"registers": 32 + i, "spill_load_bytes": 0, "spill_store_bytes": 0,
                                                        "stack_frame_bytes": 0, "barriers": 1}}]}},
         "correctness": {"cases": [case_of(rng, k) for k in range(n_cases)], "passed": passed},
         "integrity": {"checks": checks if passed else checks[:1]},
         "sandbox": [{"layer": "session", "state": "active", "covers": "own process group"}],
         "trial": stored[0], "telemetry": {"samples": stored[1], "power_w": {"min": 300.0, "max": 420.0}}}
    if not passed:
        return b
    s = summary_of(samples)
    ns = s["trimmed_mean_ns"]
    flop, moved = 2.0e9 * 4, 1.0e9
    b["kernel"] = {"source": "device_record", "cold": {"samples_ns": samples, "summary": s, "source": "device_record"}}
    b["limits"] = {"peaks": {"bytes": {"per_s": 3.9e12, "from": "measured"}, "flop": {"per_s": 6.1e13, "from": "measured"}},
                   "roofline": {"intensity_flop_per_byte": flop / moved, "flop_per_s": flop / ns * 1e9,
                                "bytes_per_s": moved / ns * 1e9}}
    first = {"name": "prepare_kernel", "kind": "kernel", "stream": 7, "start_ns": 1000, "duration_ns": int(ns * 0.2)}
    second = {"name": "solve_kernel", "kind": "kernel", "stream": 7, "start_ns": 1000 + int(ns * 0.25),
              "duration_ns": int(ns * 0.7)}
    third = {"name": "fill", "kind": "memset", "stream": 13, "start_ns": 2000, "duration_ns": int(ns * 0.1)}
    b["identity"] = {"state": "recorded", "span_ns": ns * 0.95, "busy_ns": ns * 0.9, "gaps_ns": ns * 0.05,
                     "host_ns": ns * 0.97, "activities": [first, second, third]}
    return b


def source_of(i):
    lines = [f"// version {i}", '#include "common.h"'] + [f"int step_{k}(int x) {{ return x + {k * (1 + i // (k + 1))}; }}"
                                                        for k in range(120)]
    return "\n".join(lines) + "\n"


def compared(rng, i, baseline, ratio, verdict):
    return {"baseline": baseline, "candidate": i, "speedup": ratio, "effect_pct": (ratio - 1) * 100,
            "lower_pct": (ratio * 0.97 - 1) * 100, "upper_pct": (ratio * 1.03 - 1) * 100, "n_placements": 9,
            "verdict": verdict, "record": "compare-" + digest(f"compare {i} {rng.random()}")[:32]}


def make(folder, n, n_rows, n_samples):
    rng = random.Random(n)
    os.makedirs(folder)
    versions, memory = [], {"positive": {}, "negative": {}, "rejected": {}}
    scale, last, best = 900_000.0, 0, 0
    for i in range(n):
        rejected = i % 7 == 3
        better = i == 0 or (not rejected and rng.random() < 0.6)
        ratio = 1.0 if i == 0 else rng.uniform(1.02, 1.25) if better else rng.uniform(0.8, 1.0)
        here = os.path.join(folder, f"iter_v{i}")
        os.makedirs(here)
        time_ns = scale / ratio
        samples = None if rejected else [round(rng.gauss(time_ns, time_ns * 0.01) / 32) * 32.0 for _ in range(n_samples)]
        stored = publish_samples(rng, samples) if samples else (None, None)
        bench = bench_of(rng, i, samples, n_rows * (i + 1) // n - n_rows * i // n, stored)
        write_json(os.path.join(here, "benchmark_result.json"), bench)
        outcome = "rejected" if rejected else "positive" if better else "negative"
        tags = ["baseline"] if i == 0 else sorted(set(rng.sample(WORDS, 1 + i % 3)) | {f"step_{i}"})
        memory[outcome][digest(f"fp{i}")[:16]] = {"tags": tags, "first_iteration": i, "why": f"why of v{i}",
                                                  "last_reason": outcome, "closes": f"this implementation (v{i})"}
        version = {"iteration": i, "path": f"{folder}/iter_v{i}/v{i}.cu", "record": "bench-" + digest(f"r{i}")[:32],
                   "verdict": "output_unwritten" if rejected else "passed", "verdict_text": "never written" * rejected,
                   "status": "correctness_failed" if rejected else "evaluated", "eligible": not rejected,
                   "kernel_sha256": digest(f"k{i}"), "binary_sha256": digest(f"bin{i}"), "source": "device_record",
                   "strategy": {"outcome": outcome, "why": f"why of v{i}"}, "full_command": f"ncu --set full ./v{i}",
                   "seconds": {"total": 12.0, "bench": 6.0, "compare": 4.0, "profile": 1.5,
                               "bench_phases": {"build": 2.0, "correctness": 0.5, "cold": 1.0, "integrity": 0.7}}}
        if not rejected:
            s = bench["kernel"]["cold"]["summary"]
            for key in ("median", "min", "max"):
                version[f"{key}_ms"] = s[f"{key}_ns"] / 1e6
            version["average_ms"] = s["mean_ns"] / 1e6
            if i:
                version["comparison"] = compared(rng, i, last, ratio, "faster" if better else "slower")
            if better:
                scale, last = time_ns, i
                best = i
            with open(os.path.join(here, "full_summary.txt"), "w", encoding="utf-8") as f:
                f.write("[0] solve_kernel\n" + "".join(f"  {name}  {rng.uniform(1, 99):.2f} {unit}  id\n"
                                                      for name, unit in METRICS))
        classes = {name: rng.randrange(4, 90) + i for name in CLASSES}
        write_json(os.path.join(here, "machine_code.json"), {"format": "assay/machine-code-v1", "kernels": [
            {"name": "solve_kernel", "by_class": classes}, {"name": "prepare_kernel", "by_class": {CLASSES[0]: 3}}]})
        versions.append(version)
        with open(os.path.join(here, f"v{i}.cu"), "w", encoding="utf-8") as f:
            f.write(source_of(i))
        with open(os.path.join(here, "optimization_proposal.md"), "w", encoding="utf-8") as f:
            f.write(f"# From v{i} to v{i + 1}\n\n## Strategy tags\n- step_{i + 1}\n")
    confirmed = compared(rng, best, 0, versions[0]["median_ms"] / versions[best]["median_ms"], "faster")
    write_json(os.path.join(folder, "run_manifest.json"), {
        "format": "assay/run-v1", "iterations": versions, "best_iteration": best, "backend": "cuda",
        "source_file": "drawn.cu", "ranking_source": "device_record", "best_reason": "first in rank",
        "confirmations": [confirmed], "strategy_memory": {"current_run": memory}, "tool": {"version": "0"},
        "frozen": {"backend": "cuda", "dims": {"M": 4096}}, "command": "assay optimize drawn.cu", "created_at": "drawn"})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("versions", type=int)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=200)
    a = parser.parse_args()
    make(a.folder, a.versions, a.rows, a.samples)


if __name__ == "__main__":
    main()
