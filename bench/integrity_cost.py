#!/usr/bin/env python3
"""What the integrity battery costs: a default bench of the examples with it and without it (--skip-integrity), in turns.

usage: bench/integrity_cost.py ASSAY [ROUNDS [WORDS]]
A line a kernel: median seconds of both, what the battery adds in wall time and in processor time. Then the sums over all
kernels, and the rounds of the battery as its own record gives them. Answers of the reference come from the cache in both,
as they do from the second bench of an operator on. WORDS: only examples whose path holds one of them."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def bench(assay, kernel, folder, env, more):
    operator = os.path.basename(os.path.dirname(kernel))
    argv = [assay, "bench", kernel, "--json", "-q", "--op-file", os.path.join(os.path.dirname(kernel), operator + ".op.json"),
            "--store", os.path.join(folder, "store")] + more
    with tempfile.TemporaryFile() as out:
        begin = time.monotonic()
        child = subprocess.Popen(argv, stdout=out, env=env, cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        record = json.loads(out.read().decode())
    if child.returncode != 0:
        sys.exit("integrity_cost.py: %s: %s" % (kernel, json.dumps(record.get("verdict", record))))
    return wall, usage.ru_utime + usage.ru_stime, record["integrity"]


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def main():
    assay, n_rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    words = sys.argv[3:]
    kernels = sorted(k for k in glob.glob(os.path.join(ROOT, "examples", "*", "*_v[0-9].c")) if
                     not words or any(w in k for w in words))
    folder = tempfile.mkdtemp(prefix="assay-integrity-cost-")
    env = dict(os.environ, HOME=folder, XDG_CACHE_HOME=os.path.join(folder, "cache"), ASSAY_IDLE_WAIT="0",
               ASSAY_LEASE_DIR=os.environ.get("ASSAY_LEASE_DIR", os.path.join(folder, "lease")))
    own = []
    sums, parts = {"with": [0.0, 0.0], "without": [0.0, 0.0]}, {}
    ways = {"with": [], "without": ["--skip-integrity"]}
    print("%-14s %9s %9s %12s %12s" % ("kernel", "without s", "with s", "adds, wall", "adds, CPU"))
    try:
        for kernel in kernels:
            bench(assay, kernel, folder, env, ["--time-budget=0.05", "--speedup-budget=0"])  # the reference's answers
            got = {"with": [], "without": []}
            for i in range(n_rounds):
                for way in ("with", "without") if i % 2 else ("without", "with"):
                    wall, cpu, integrity = bench(assay, kernel, folder, env, ways[way])
                    got[way].append((wall, cpu))
                    if integrity:
                        own.append(sum(integrity["seconds"].values()) / (wall - sum(integrity["seconds"].values())))
                    for name, s in (integrity or {}).get("seconds", {}).items():
                        parts.setdefault(name, []).append(s)
            m = {way: [median([r[i] for r in got[way]]) for i in range(2)] for way in got}
            for way in m:
                for i in range(2):
                    sums[way][i] += m[way][i]
            print("%-14s %9.2f %9.2f %+10.1f %% %+10.1f %%" % (
                os.path.basename(kernel)[:-2], m["without"][0], m["with"][0],
                *(100 * (m["with"][i] / m["without"][i] - 1) for i in range(2))), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    wall, cpu = (100 * (sums["with"][i] / sums["without"][i] - 1) for i in range(2))
    print("integrity: %d examples, %d rounds: %.2f s without, %.2f s with the battery: %+.1f %% wall time, %+.1f %% processor time" %
          (len(kernels), n_rounds, sums["without"][0], sums["with"][0], wall, cpu))
    print("  by the record's own account: %+.1f %% in the median bench, %+.1f %% at most; its rounds:" % (100 * median(own), 100 * max(own)))
    for name in sorted(parts, key=lambda n: -median(parts[n])):
        print("  %-14s %.3f s" % (name, median(parts[name])))


main()
