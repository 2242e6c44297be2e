#!/usr/bin/env python3
"""assay, triton's do_bench, cuda-bench (nvbench), torch.utils.benchmark and plain events on the same kernels in one run.

usage: bench/gpu/peers.py FOLDER [--repeats 20] [--anchor 8]
Writes FOLDER/peers.json and prints the tables of docs/measurements/peers.md: each tool's value against what ncu reads
(gpu__time_duration.sum, clocks left alone, both cache settings), the range over the repeats, seconds a measurement takes.
At most 8 minutes on an H200. A tool that is absent or fails has its reason in the table. cuda-bench comes as wheels:
cuda-bench, cuda-bindings, cuda-pathfinder. ASSAY: the program (build/release/assay).
"""
import argparse
import ctypes
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ASSAY = os.environ.get("ASSAY", os.path.join(ROOT, "build/release/assay"))
# name, file, operator file, elements of each tensor, dims: in the order of the entry's parameters
KERNELS = [
    ("tick", "bench/gpu/bank_tick.cu", "bench/gpu/bank_tick.op.json", [33792, 33792], {"N": 33792}),
    ("copy", "bench/gpu/bank_copy.cu", "bench/gpu/bank_copy.op.json", [4096000, 4096000], {"N": 4096000}),
    ("softmax", "examples/softmax/softmax_v3.cu", "examples/softmax/softmax.op.json", [4194304, 4194304],
     {"M": 4096, "N": 1024}),
    ("matmul", "examples/matmul/matmul_v3.cu", "examples/matmul/matmul.op.json", [1048576] * 3,
     {"M": 1024, "N": 1024, "K": 1024}),
]
# Only their value is compared: 2 us to 20 ms.
EXTRA = [
    ("least", "bench/gpu/least.cu", "bench/gpu/least.op.json", [32, 32], {"N": 32}),
    *[(f"copy {n} MB", "bench/gpu/bank_copy.cu", "bench/gpu/bank_copy.op.json", [250000 * n // 4096 * 4096] * 2,
       {"N": 250000 * n // 4096 * 4096}) for n in (4, 32, 64, 256)],
    *[(f"fma x {n}", "bench/gpu/bank_fma.cu", "bench/gpu/bank_fma.op.json", [270336 * n] * 2, {"N": 270336 * n})
      for n in (1, 4, 16, 64, 256)],
    ("transpose", "examples/transpose/transpose_v3.cu", "examples/transpose/transpose.op.json", [4093 * 1021] * 2,
     {"rows": 4093, "cols": 1021}),
    ("softmax v0", "examples/softmax/softmax_v0.cu", "examples/softmax/softmax.op.json", [512000] * 2,
     {"M": 512, "N": 1000}),
]
N_LAUNCHES = 7
ANCHOR = ("examples/softmax/softmax_v2.cu", "examples/softmax/softmax_v3.cu", "examples/softmax/softmax.op.json",
          {"M": 4096, "N": 1024})


def build(path, folder):
    out = os.path.join(folder, os.path.basename(path) + ".so")
    if not os.path.exists(out):
        import torch

        major, minor = torch.cuda.get_device_capability()
        subprocess.run(["nvcc", "-O3", f"-arch=sm_{major}{minor}", "-shared", "-Xcompiler", "-fPIC", "-o", out,
                        os.path.join(ROOT, path)], check=True)
    return out


def entry(path, sizes, dims, folder):
    """A function that makes one call on tensors of its own."""
    import torch

    solve = ctypes.CDLL(build(path, folder)).solve
    tensors = [torch.randn(n, device="cuda") for n in sizes]
    args = [ctypes.c_void_p(t.data_ptr()) for t in tensors] + [ctypes.c_int(v) for v in dims.values()]

    def call():
        solve(*args)

    call.keep = tensors
    return call


def launch_for_ncu(folder):
    """The process that ncu looks at: N_LAUNCHES calls of each kernel, which are one launch each."""
    import torch

    calls = [entry(path, sizes, dims, folder) for _, path, _, sizes, dims in KERNELS + EXTRA]
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_push("assay")
    for call in calls:
        for _ in range(N_LAUNCHES):
            call()
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_pop()


def read_ncu(folder, cache):
    """{kernel: us}, the median of its launches but the first; the clocks that ncu saw go to standard error."""
    command = ["ncu", "--clock-control", "none", "--cache-control", cache, "--nvtx", "--nvtx-include", "assay/", "--metrics",
               "gpu__time_duration.sum,gpc__cycles_elapsed.avg.per_second", "--csv", "--print-units", "base",
               sys.executable, __file__, folder, "--launch"]
    values, clocks = [], []
    for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines():
        cells = line.strip().strip('"').split('","')
        if len(cells) > 3 and cells[-3] == "gpu__time_duration.sum":
            values.append(float(cells[-1].replace(",", "")) / 1e3)
        if len(cells) > 3 and cells[-3].startswith("gpc__cycles"):
            clocks.append(float(cells[-1].replace(",", "")) / 1e6)
    if clocks:
        print(f"ncu, caches {cache}: {min(clocks):.0f} to {max(clocks):.0f} MHz", file=sys.stderr)
    if len(values) != N_LAUNCHES * len(KERNELS + EXTRA):
        print(f"ncu: {len(values)} launches instead of {N_LAUNCHES * len(KERNELS + EXTRA)}", file=sys.stderr)
        return {}
    return {k[0]: statistics.median(values[i * N_LAUNCHES + 1 : (i + 1) * N_LAUNCHES]) for i, k in enumerate(KERNELS + EXTRA)}


def flush_buffer():
    import torch

    return torch.zeros(2 * torch.cuda.get_device_properties(0).L2_cache_size // 4, dtype=torch.int32, device="cuda")


def by_events(call, flush=None, n=30):
    import torch

    times = []
    for _ in range(n):
        if flush is not None:
            flush.zero_()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times)


def by_do_bench(call):
    from triton.testing import do_bench

    return do_bench(call, return_mode="median") * 1e3


def by_torch_benchmark(call):
    from torch.utils.benchmark import Timer

    return Timer("call()", globals={"call": call}).blocked_autorange(min_run_time=0.1).median * 1e6


def by_nvbench(name, folder):
    """In a process of its own: nvbench keeps its benchmarks for the life of one."""
    out = os.path.join(folder, "nvbench.json")
    if os.path.exists(out):
        os.remove(out)
    run = subprocess.run([sys.executable, __file__, folder, "--nvbench", name, "--json", out], capture_output=True,
                         text=True)
    if not os.path.exists(out):
        lines = (run.stderr or run.stdout).strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"exit {run.returncode}")
    values = {}
    for bench in json.load(open(out))["benchmarks"]:
        for state in bench["states"]:
            for s in state.get("summaries") or []:
                for d in s["data"]:
                    if d["name"] == "value":
                        values[s.get("tag") or s.get("name")] = d["value"]
    cold = values.get("nv/cold/time/gpu/mean")
    if cold is None:
        raise RuntimeError("no nv/cold/time/gpu/mean: " + ", ".join(sorted(values)))
    return float(cold) * 1e6


def run_nvbench(name, out, folder):
    import cuda.bench as bench
    import torch

    _, path, _, sizes, dims = next(k for k in KERNELS if k[0] == name)
    call = entry(path, sizes, dims, folder)

    class Legacy:  # the kernels launch on the legacy stream
        def __cuda_stream__(self):
            return 0, torch.cuda.default_stream().cuda_stream

    def kernel(state):
        state.set_stream(Legacy())
        state.exec(lambda launch: call())

    bench.register(kernel)
    bench.run_all_benchmarks([__file__, "--devices", "0", "--json", out, "--quiet"])


def assay_json(args):
    text = subprocess.run([ASSAY, *args, "--json", "-q"], capture_output=True, text=True)
    if not text.stdout.strip():
        raise RuntimeError(text.stderr.strip().splitlines()[-1])
    return json.loads(text.stdout)


def reference(path):
    """The one in Python where there is one: the product in C takes ten seconds."""
    ref = os.path.join(ROOT, path.rsplit("_v", 1)[0] + "_ref.py")
    return ["--ref", ref] if os.path.exists(ref) else []


def by_assay(path, op, dims):
    """Value and the seconds of sampling alone; the whole call is timed outside."""
    r = assay_json(["bench", os.path.join(ROOT, path), "--op-file", os.path.join(ROOT, op), *reference(path), "--skip-warm",
                    "--skip-integrity", "--time-budget=0.1", "--speedup-budget=0", *[f"--{k}={v}" for k, v in dims.items()]])
    if "median_ms" not in r["kernel"]:
        raise RuntimeError(r["verdict"]["word"] + ": " + r["verdict"]["text"])
    return r["kernel"]["trimmed_mean_ms"] * 1e3, r["kernel"]["cold"]["seconds"]


def repeat(n, measure, warm=True):
    """values in us, seconds of one measurement, or the reason why there are none."""
    values, seconds = [], []
    try:
        if warm:
            measure()  # imports, first builds, caches
        for _ in range(n):
            begin = time.perf_counter()
            got = measure()
            seconds.append(time.perf_counter() - begin)
            values.append(got[0] if isinstance(got, tuple) else got)
            if isinstance(got, tuple):
                seconds[-1] = got[1]
    except Exception as e:  # a tool that fails is a row, not the end
        return {"reason": f"{type(e).__name__}: {e}"[:200]}
    return {"values_us": values, "median_us": statistics.median(values), "min_us": min(values), "max_us": max(values),
            "range_pct": 100 * (max(values) - min(values)) / statistics.median(values),
            "seconds": statistics.median(seconds)}


def anchor(n, folder, out):
    """Ratio of two versions of one kernel: by compare, and by do_bench on each in turn."""
    a, b, op, dims = ANCHOR
    sizes = [dims["M"] * dims["N"]] * 2

    def by_compare():
        r = assay_json(["compare", os.path.join(ROOT, a), os.path.join(ROOT, b), "--op-file", os.path.join(ROOT, op),
                        *reference(a), "--time-budget=4.5", "--any-load", *[f"--{k}={v}" for k, v in dims.items()]])
        return math.exp(r["sides"][1]["effect"]["effect_log"]), r["run"]["total_s"]

    first, second = entry(a, sizes, dims, folder), entry(b, sizes, dims, folder)
    out["do_bench"] = repeat(n, lambda: by_do_bench(first) / by_do_bench(second))
    out["assay compare"] = repeat(n, by_compare, warm=False)


def print_tables(r):
    print("| kernel | tool | value | against ncu, caches flushed | range of the repeats | seconds |\n|---|---|---|---|---|---|")
    for name, *_ in KERNELS:
        ncu = r["ncu"].get("all", {}).get(name)
        warm = r["ncu"].get("none", {}).get(name)
        print(f"| {name} | ncu, caches flushed / left | {ncu or 0:.2f} / {warm or 0:.2f} us | | | |")
        for tool, x in r["kernels"].get(name, {}).items():
            if "reason" in x:
                print(f"| {name} | {tool} | {x['reason']} | | | |")
                continue
            off = f"{100 * (x['median_us'] / ncu - 1):+.1f} % ({x['median_us'] - ncu:+.2f} us)" if ncu else ""
            print(f"| {name} | {tool} | {x['median_us']:.2f} us | {off} | {x['range_pct']:.2f} % | {x['seconds']:.3f} |")
    print("\n| kernel | ncu flushed / left us | assay us | against flushed | do_bench us | plain events us |\n|---|---|---|---|---|---|")
    for name, *_ in KERNELS + EXTRA:
        x = r["kernels"].get(name, {})
        ncu, warm = (r["ncu"].get(c, {}).get(name) for c in ("all", "none"))
        us = [x.get(tool, {}).get("median_us") for tool in ("assay", "do_bench", "plain events")]
        off = f"{100 * (us[0] / ncu - 1):+.1f} % ({us[0] - ncu:+.2f} us)" if ncu and us[0] else x.get("assay", {}).get("reason", "")
        print(f"| {name} | {ncu or 0:.2f} / {warm or 0:.2f} | {us[0] or 0:.2f} | {off} | {us[1] or 0:.2f} | {us[2] or 0:.2f} |")
    print("\n| ratio of two softmax versions | median | range | seconds |\n|---|---|---|---|")
    for tool, x in r["anchor"].items():
        if "reason" in x:
            print(f"| {tool} | {x['reason']} | | |")
        else:
            print(f"| {tool} | {x['median_us']:.4f} | {x['range_pct']:.3f} % | {x['seconds']:.2f} |")


def measure_kernel(o, r, kernel, flush):
    name, path, op, sizes, dims = kernel
    row = r["kernels"][name] = {}
    row["assay"] = repeat(o.repeats, lambda: by_assay(path, op, dims))
    if o.values:
        return
    call = entry(path, sizes, dims, o.folder)
    call()
    import torch

    torch.cuda.synchronize()
    row["do_bench"] = repeat(o.repeats, lambda: by_do_bench(call))
    row["torch.utils.benchmark"] = repeat(o.repeats, lambda: by_torch_benchmark(call))
    row["plain events"] = repeat(o.repeats, lambda: by_events(call))
    row["plain events, cache flushed by writing"] = repeat(o.repeats, lambda: by_events(call, flush))
    row["cuda-bench"] = repeat(min(o.repeats, 2), lambda: by_nvbench(name, o.folder), warm=False)
    torch.cuda.empty_cache()


def measure_all(o, r):
    import torch

    began = time.perf_counter()
    r.update(device=torch.cuda.get_device_name(), torch=torch.__version__, repeats=o.repeats)

    def so_far(what):
        r["total_s"] = time.perf_counter() - began
        print(f"{what}: {r['total_s']:.0f} s so far", file=sys.stderr, flush=True)

    for cache in ("all", "none"):
        r["ncu"][cache] = read_ncu(o.folder, cache)
        so_far("ncu")
    flush = flush_buffer()
    for kernel in KERNELS:
        measure_kernel(o, r, kernel, flush)
        so_far(kernel[0])
    for name, path, op, sizes, dims in EXTRA:
        call = entry(path, sizes, dims, o.folder)
        r["kernels"][name] = {"do_bench": repeat(1, lambda: by_do_bench(call)), "plain events": repeat(1, lambda: by_events(call)),
                              "assay": repeat(1, lambda: by_assay(path, op, dims), warm=False)}
        so_far(name)
    if o.anchor and not o.values:
        anchor(o.anchor, o.folder, r["anchor"])
        so_far("anchor")


def stop(signum, frame):
    raise SystemExit(128 + signum)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("folder")
    p.add_argument("--repeats", type=int, default=20)
    p.add_argument("--anchor", type=int, default=8)
    p.add_argument("--values", action="store_true", help="assay once and ncu, no other tool: a minute")
    p.add_argument("--launch", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("--nvbench", help=argparse.SUPPRESS)
    p.add_argument("--json", help=argparse.SUPPRESS)
    o = p.parse_args()
    o.folder = os.path.abspath(o.folder)
    os.makedirs(o.folder, exist_ok=True)
    if o.launch:
        launch_for_ncu(o.folder)
    elif o.nvbench:
        run_nvbench(o.nvbench, o.json, o.folder)
    else:
        signal.signal(signal.SIGTERM, stop)  # one that is cut off tells what it has
        r = {"kernels": {}, "ncu": {}, "anchor": {}}
        try:
            measure_all(o, r)
        finally:
            with open(os.path.join(o.folder, "peers.json"), "w", encoding="utf-8") as f:
                json.dump(r, f, indent=1, sort_keys=True)
            print_tables(r)
    return 0


if __name__ == "__main__":
    sys.exit(main())
