"""The GPU run behind tests/gpu/run.sh: bench, optimize, verdicts, cost. Standard library only."""
import csv
import glob
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ASSAY, OUT = os.environ["ASSAY"], os.environ["OUT"]
WHAT = os.environ.get("WHAT", "unit verdicts bench optimize cost").split()
WORK = os.environ.get("WORK", os.path.join("/tmp", "assay-gpu-work"))
EXAMPLES = ("softmax", "matmul", "transpose")
# kernel of tests/gpu/kernels: expected word, and what else must hold in the record
VERDICTS = {
    "right": ("passed", lambda r: r["identity"]["n_launches"] == 1 and r["kernel"]["source"] == "device_record"),
    "two_kernels": ("passed", lambda r: r["identity"]["n_launches"] == 2 and r["kernel"]["source"] == "event_pair"),
    "streams": ("passed", lambda r: r["identity"]["n_launches"] == 2),
    "graph": ("passed", lambda r: r["identity"]["n_launches"] == 2),
    "syncs": ("passed", lambda r: r["identity"]["synchronizes_inside"]),
    "allocates": ("passed", lambda r: r["identity"]["allocates_inside"]),
    "wrong": ("output_unwritten", None),
    "silent": ("output_unwritten", None),
    "past_end": ("guard_damaged", None),
    "changes_input": ("input_modified", None),
    "illegal": ("cuda_error", None),
    "reset": ("context_destroyed", None),
    "leaves": ("exited_early", None),
    "crashes": ("crash_segv", None),
    "hangs": ("hang", None),
    "broken": ("build_failed", lambda r: "broken.cu:" in r["build"]["message"]),
}
failures, passed, results = [], 0, {}


class Rows(list):
    """Each row is printed when it comes too: a run that is cut off has told what it had."""

    def append(self, row):
        super().append(row)
        print("%-9s %-34s %-18s %s" % row, flush=True)


rows = Rows()


def check(name, ok, detail=""):
    global passed
    if ok:
        passed += 1
    else:
        failures.append("%s: %s" % (name, detail))
        print("FAILED %s: %s" % (name, detail), flush=True)


def assay(*args, timeout=300):
    begin = time.time()
    p = subprocess.run([ASSAY, *args], cwd=ROOT, capture_output=True, text=True, timeout=timeout)
    return p, time.time() - begin


def record(args):
    p, seconds = assay(*args, "--json")
    try:
        return json.loads(p.stdout), p, seconds
    except ValueError:
        return None, p, seconds


def example(name, suffix):
    return "examples/%s/%s%s" % (name, name, suffix)


def part_unit():
    for path in sorted(glob.glob(os.path.join(os.path.dirname(ASSAY), "tests", "test_*"))):
        name = os.path.basename(path)
        if "." in name or name not in ("test_kernels", "test_cupti", "test_nvml", "test_context"):
            continue
        p = subprocess.run([path], cwd=ROOT, capture_output=True, text=True, timeout=120)
        text = p.stdout + p.stderr
        check("unit " + name, p.returncode == 0, text[-600:])
        rows.append(("unit", name, "ok" if p.returncode == 0 else "FAILED",
                     " ".join(re.findall(r"\[  (?:PASSED|SKIPPED) +\] (\d+ test)", text))))


def part_verdicts():
    for name, (word, holds) in VERDICTS.items():
        r, p, seconds = record(["bench", "tests/gpu/kernels/%s.cu" % name, "--op-file", "tests/gpu/kernels/scale.op.json",
                                "--timeout", "8", "--time-budget", "0.3"])
        got = r["verdict"]["word"] if r else p.stderr.strip()
        ok = r is not None and got == word and (holds is None or holds(r))
        detail = r["verdict"]["text"] if r else p.stderr
        check("verdict " + name, ok, "%s (wanted %s) %s" % (got, word, detail[:300]))
        rows.append(("verdict", name, got, "%.1f s, witness %s" % (seconds, r["verdict"]["witness"] if r else "-")))
        results["verdict_" + name] = {"word": got, "seconds": seconds, "text": detail}
    r, p, _ = record(["bench", "tests/gpu/kernels/right.cu", "--op-file", "tests/gpu/kernels/scale.op.json"])
    check("the GPU is usable after all of them", r is not None and r["verdict"]["word"] == "passed", p.stderr)


def part_bench():
    for name in EXAMPLES:
        for suffix, ref in (("_v0", "_ref.c"), ("_v1", "_ref.c"), ("_v2", "_ref.c"), ("_v3", "_ref.c"), ("_slow", "_ref.c"),
                            ("_wrong", "_ref.c"), ("_v3", "_ref.py")):
            r, p, seconds = record(["bench", example(name, suffix + ".cu"), "--ref", example(name, ref), "--op-file",
                                    example(name, ".op.json")])
            want_fail = suffix == "_wrong"
            ok = r is not None and (r["verdict"]["word"] == "passed") != want_fail
            check("bench %s%s %s" % (name, suffix, ref), ok, (r["verdict"]["text"] if r else p.stderr)[:400])
            if r is None:
                continue
            json.dump(r, open(os.path.join(WORK, "bench_%s%s%s.json" % (name, suffix, ref)), "w"))
            k, s = r["kernel"], r["seconds"]
            sampling = sum(k[x]["seconds"] for x in ("cold", "warm", "events") if k.get(x))
            rows.append(("bench", name + suffix + " " + ref, "%.2f us" % (k["median_ms"] * 1e3) if "median_ms" in k else
                         r["verdict"]["word"], "%.2f s, of it sampling %.2f, build %.2f, reference+correctness %.2f" %
                         (seconds, sampling, s.get("build", 0), s.get("correctness", 0))))
            results["bench_%s%s%s" % (name, suffix, ref)] = {
                "median_ms": k.get("median_ms"), "source": k.get("source"), "seconds": seconds, "phases": s,
                "sampling": sampling}


def imported(report):
    """name, duration of every result of a report, by ncu itself"""
    p = subprocess.run(["ncu", "--import", report, "--csv", "--page", "raw", "--print-units", "base"], capture_output=True,
                       text=True)
    table = list(csv.DictReader(io.StringIO(p.stdout[p.stdout.index('"ID"'):]))) if '"ID"' in p.stdout else []
    return [(t["Kernel Name"], float(t["gpu__time_duration.sum"].replace(",", ""))) for t in table if t["ID"]]


def part_optimize():
    runs = (("softmax", "_ref.c", 2), ("softmax", "_ref.py", 0), ("matmul", "_ref.py", 1), ("matmul", "_ref.c", 0),
            ("transpose", "_ref.c", 1), ("transpose", "_ref.py", 0))
    for name, ref, n in runs:
        folder = os.path.join(WORK, "run_%s%s" % (name, ref))
        p, seconds = assay("optimize", example(name, "_v0.cu"), "--max-iterations=%d" % n, "--ref=" + example(name, ref),
                           "--op-file=" + example(name, ".op.json"), "--proposer=" + example(name, "").replace(
                               name + "/" + name, name + "/propose.sh"), "--run-dir=" + folder,
                           "--memory-dir=" + folder + "-memory")
        title = "optimize %s %s" % (name, ref)
        check(title, p.returncode == 0, (p.stdout + p.stderr)[-500:])
        if p.returncode:
            continue
        manifest = json.load(open(os.path.join(folder, "run_manifest.json")))
        check(title + " versions", len(manifest["iterations"]) == n + 1, str(len(manifest["iterations"])))
        for it in manifest["iterations"]:
            launched = {a["name"] for a in json.load(open(os.path.join(it["folder"], "benchmark_result.json")))["identity"]
                        ["activities"] if a["kind"] == "kernel"}
            cold = it["trimmed_mean_ms"] * 1e6
            for kind in ("targeted", "full"):
                found = imported(it[kind + "_report"]) if it.get(kind + "_report") else []
                short = {re.sub(r"^_Z\d+", "", x) for x in launched}
                ours = len(found) == 1 and any(x.startswith(found[0][0].split("(")[0].split("<")[0].split("::")[-1].split(
                    " ")[-1]) for x in short)
                check("%s v%d %s report in ncu --import" % (title, it["iteration"], kind), ours,
                      "%s launched %s" % (found, launched))
                if kind == "full" and found:
                    results["ncu_%s_%s_v%d" % (name, ref, it["iteration"])] = {"cold_ns": cold, "ncu_ns": found[0][1]}
            s = it["seconds"]
            rows.append(("optimize", "%s v%d %s" % (name, it["iteration"], ref), "%.2f us" % (cold / 1e3),
                         "iteration %.1f s: bench %.1f, ncu targeted %.1f, full %.1f; ncu says %.2f us" %
                         (s["bench"] + s["profile"], s["bench"], it.get("targeted_seconds", 0), it.get("full_seconds", 0),
                          found[0][1] / 1e3 if found else 0)))
        results["optimize_%s%s" % (name, ref)] = {"seconds": seconds, "iterations": manifest["iterations"]}
        shutil.copy(os.path.join(folder, "final_summary.md"), os.path.join(OUT, "summary_%s%s.md" % (name, ref)))


def part_loop():
    """4 iterations each, time by phase, one collection: for docs/PERFORMANCE.md. About 5 minutes."""
    for name, more in (("softmax", []), ("matmul", []), ("softmax", ["--one-collection"])):
        kind = "_one" if more else ""
        folder = os.path.join(WORK, "loop_%s%s" % (name, kind))
        p, seconds = assay("optimize", example(name, "_v0.cu"), "--max-iterations=4", "--ref=" + example(name, "_ref.c"),
                           "--op-file=" + example(name, ".op.json"), "--proposer=examples/%s/propose.sh" % name,
                           "--run-dir=" + folder, "--memory-dir=" + folder + "-memory", *more, timeout=560)
        title = "loop %s%s" % (name, kind)
        check(title, p.returncode == 0, (p.stdout + p.stderr)[-500:])
        if p.returncode:
            continue
        manifest = json.load(open(os.path.join(folder, "run_manifest.json")))
        for it in manifest["iterations"]:
            t, phases = it["seconds"], it["seconds"].get("bench_phases", {})
            measured = t["bench"] + t["profile"]
            rows.append(("loop", "%s v%d" % (name + kind, it["iteration"]), "%.1f s" % t["total"],
                         "bench %.1f (%s), targeted %.1f, full %.1f, compare %.1f; %s" %
                         (t["bench"], ", ".join("%s %.1f" % x for x in sorted(phases.items()) if x[1] >= 0.05),
                          it.get("targeted_seconds", 0), it.get("full_seconds", 0), t.get("compare", 0),
                          it["strategy"]["reason"])))
            if more:
                check("%s v%d within 10 s" % (title, it["iteration"]), measured <= 10, "%.1f s" % measured)
        for c in manifest["confirmations"]:
            rows.append(("loop", title + " confirmation", "v%d" % c["candidate"],
                         "%s, %s %% (%s to %s), %d placements" % (c["verdict"], c["effect_pct"], c["lower_pct"],
                                                                 c["upper_pct"], c["n_placements"])))
        results[title] = {"seconds": seconds, "manifest": manifest}
        shutil.copy(os.path.join(folder, "final_summary.md"), os.path.join(OUT, "summary_%s.md" % title.replace(" ", "_")))


def part_selfloop():
    """10 self-loops of a version with one collection: about 6 minutes."""
    env = dict(os.environ, ASSAY=ASSAY, OPTIONS="--compare-budget=3 --ref=%s --op-file=%s --one-collection" % (
        example("softmax", "_ref.c"), example("softmax", ".op.json")))
    p = subprocess.Popen([sys.executable, "bench/self_loop.py", "10", "2", example("softmax", "_v1.cu")], cwd=ROOT, env=env,
                         stdout=subprocess.PIPE, text=True)
    last = "?"
    for last in p.stdout:
        print(last, end="", flush=True)
    check("10 self-loops", p.wait() == 0, last)
    rows.append(("selfloop", "self-loops", "10", last.strip()))


def one_run(title, source, more, n, proposer=None):
    """optimize: both reports of each version hold only its own kernels; cold time against ncu's; seconds of an iteration."""
    folder = os.path.join(WORK, "run_" + title.replace(" ", "_"))
    p, seconds = assay("optimize", source, "--max-iterations=%d" % n, "--run-dir=" + folder, "--memory-dir=" + folder +
                       "-memory", *(["--proposer=" + proposer] if proposer else []), *more, timeout=560)
    check(title, p.returncode == 0, (p.stdout + p.stderr)[-700:])
    if p.returncode:
        return
    manifest = json.load(open(os.path.join(folder, "run_manifest.json")))
    check(title + " versions", len(manifest["iterations"]) == n + 1, str(len(manifest["iterations"])))
    for it in manifest["iterations"]:
        name = "%s v%d" % (title, it["iteration"])
        record = json.load(open(os.path.join(it["folder"], "benchmark_result.json")))
        launched = [a["name"] for a in record["identity"]["activities"] if a["kind"] == "kernel"]
        cold, says = (it.get("trimmed_mean_ms") or 0) * 1e6, {}
        for kind in ("targeted", "full"):
            found = imported(it[kind + "_report"]) if it.get(kind + "_report") else []
            check("%s %s report holds its %d launches" % (name, kind, len(launched)), found and len(found) == len(launched),
                  "%s launched %s" % (found, launched))
            says[kind] = sum(x[1] for x in found)
        s = it["seconds"]
        measured = s["bench"] + s["profile"]
        if source.endswith(".py"):
            check(name + " within 20 s", measured <= 20, "%.1f s" % measured)
        rows.append(("optimize", name, "%.2f us" % (cold / 1e3),
                     "iteration %.1f s (bench %.1f: %s; targeted %.1f, full %.1f, compare %.1f); ncu %.2f, %.2f us" % (
                         measured, s["bench"], ", ".join("%s %.1f" % x for x in sorted(s.get("bench_phases", {}).items())
                                                         if x[1] >= 0.05), it.get("targeted_seconds", 0),
                         it.get("full_seconds", 0), s.get("compare", 0), says["targeted"] / 1e3, says["full"] / 1e3)))
    results[title] = {"seconds": seconds, "manifest": manifest}
    shutil.copy(os.path.join(folder, "final_summary.md"), os.path.join(OUT, "summary_%s.md" % title.replace(" ", "_")))


def compared(title, a, b, more):
    r, p, seconds = record(["compare", a, b, "--time-budget=5", "--any-load", *more])
    effect = (r or {}).get("sides", [{}, {}])[1].get("effect") or {}
    check("compare " + title, bool(effect), (p.stdout + p.stderr)[-400:])
    rows.append(("compare", title, r["verdict"]["word"] if r else "-", "%s %% (%s to %s), %s placements, %.1f s" % (
        effect.get("effect_pct"), effect.get("lower_pct"), effect.get("upper_pct"), effect.get("n_placements"), seconds)))
    return effect


def part_triton():
    folder = "examples/triton/"
    for name in ("add", "softmax_v0", "matmul", "layernorm", "attention"):
        ref = ["--ref=%s%s_ref.py" % (folder, name.split("_")[0])]
        r, p, seconds = record(["bench", folder + name + ".py", *ref])
        ok = r is not None and r["verdict"]["word"] == "passed"
        check("bench triton " + name, ok, (r["verdict"]["text"] if r else p.stderr)[:500])
        if ok:
            rows.append(("bench", "triton " + name, "%.2f us" % (r["kernel"]["median_ms"] * 1e3), "%.1f s: %s" % (
                seconds, ", ".join("%s %.1f" % x for x in sorted(r["seconds"].items()) if x[1] >= 0.05))))
            json.dump(r, open(os.path.join(WORK, "bench_triton_%s.json" % name), "w"))
        if name != "softmax_v0":
            one_run("triton " + name, folder + name + ".py", ref, 0)
    ref = ["--ref=%ssoftmax_ref.py" % folder]
    one_run("triton softmax", folder + "softmax_v0.py", ref, 1, folder + "propose.sh")
    compared("triton softmax v0 v1", folder + "softmax_v0.py", folder + "softmax_v1.py", ref)
    p = subprocess.run([sys.executable, "tests/gpu/triton_native.py", ROOT, WORK], cwd=ROOT, capture_output=True, text=True)
    check("triton cubin behind solve()", p.returncode == 0, p.stderr[-300:])
    native, op = os.path.join(WORK, "add_native.cu"), ["--op-file", os.path.join(WORK, "add_native.op.json")]
    values = []
    for argv in ([folder + "add.py", "--ref=%sadd_ref.py" % folder], [native, *op]):
        r, p, seconds = record(["bench", *argv])
        values.append(r["kernel"]["trimmed_mean_ms"] * 1e3 if r and "median_ms" in r["kernel"] else 0)
    check("the same cubin by Triton and natively within 2 %", values[1] and abs(values[0] / values[1] - 1) < 0.02, str(values))
    rows.append(("bench", "add by Triton, natively", "%.2f us" % values[0], "%.2f us" % values[1]))


def part_cutlass():
    folder = "examples/gemm_relu/gemm_relu"
    more = ["--op-file=%s.op.json" % folder, "--ref=%s_ref.py" % folder]
    for v in ("v0", "v1"):
        r, p, seconds = record(["bench", "%s_%s.cu" % (folder, v), *more])
        ok = r is not None and r["verdict"]["word"] == "passed"
        check("bench cutlass " + v, ok, (r["verdict"]["text"] if r else p.stderr)[:500])
        if ok:
            rows.append(("bench", "cutlass " + v, "%.2f us" % (r["kernel"]["median_ms"] * 1e3), "%.1f s: %s" % (
                seconds, ", ".join("%s %.1f" % x for x in sorted(r["seconds"].items()) if x[1] >= 0.05))))
    compared("cutlass v0 v1", folder + "_v0.cu", folder + "_v1.cu", more)
    one_run("cutlass gemm_relu", folder + "_v0.cu", more + ["--backend=cutlass"], 1, "examples/gemm_relu/propose.sh")


def part_telemetry():
    """A spinning kernel of another process: before, in the middle of a comparison; a sampler that is killed."""
    spin = os.path.join(WORK, "spin")
    subprocess.run(["nvcc", "-O2", "-arch=native", "-o", spin, "tests/gpu/spin.cu"], cwd=ROOT, check=True)
    argv = [example("softmax", "_v1.cu"), "--op-file", example("softmax", ".op.json"), "--ref", example("softmax", "_ref.c")]
    compare = ["compare", example("softmax", "_v1.cu"), *argv, "--placements=8", "--json"]

    def started(command):
        p = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        p.stdout.readline()
        return p

    def said(title, text, seconds=None, want=True):
        r = json.loads(text)
        sides = [s["correctness"]["passed"] for s in r["sides"]] if "sides" in r else [r["verdict"]["word"] == "passed"]
        state = r["performance"]["state"] if "performance" in r else r["verdict"]["word"]
        problem = r["performance"].get("reason") if "performance" in r else r["telemetry"]["problem"]
        check("telemetry: " + title, (state == "inconclusive") == want and all(sides), "%s %s %s" % (state, problem, sides))
        rows.append(("telemetry", title, state, "%s; correctness %s" % (problem, sides)))

    assay("bench", *argv)
    p = started([spin, "30"])
    r, run, seconds = record(["bench", *argv])
    p.terminate()
    p.wait()
    said("busy before", json.dumps(r), seconds)
    def children(of, word):
        found = []
        for pid in open("/proc/%d/task/%d/children" % (of, of)).read().split():
            try:
                found += [int(pid)] if word in open("/proc/%s/cmdline" % pid).read().split("\0") else []
            except OSError:  # it has just ended
                pass
        return found

    def kill_sampler():
        pids = children(run.pid, "sampler")
        check("telemetry: a sampler runs", len(pids) == 1, str(pids))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    for title, act in (("2 s burst in mid-run", lambda: started([spin, "2"]).wait()), ("sampler killed", kill_sampler)):
        run = subprocess.Popen([ASSAY, *compare], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while run.poll() is None and len(children(run.pid, "worker")) < 2:
            time.sleep(0.02)
        time.sleep(1)
        act()
        said(title, run.communicate(timeout=120)[0])
    r, run, seconds = record(compare[:-1])
    said("nobody else", json.dumps(r), want=False)


# mechanism, its kernel in tests/data/sass/signatures.cu, the counter of ncu that is 0 without it, where not `plain` but another kernel
# shows that: the pipe of the special functions also converts integers, which `plain` does
MECHANISMS = (
    ("vectorized_access", "vectorized_access", "smsp__sass_inst_executed_op_memory_128b.sum"),
    ("async_copy", "async_copy", "smsp__inst_executed_op_ldgsts.sum"),
    ("tiling_smem", "tiling_smem", "smsp__sass_inst_executed_op_shared_st.sum"),
    ("ldmatrix", "ldmatrix", "smsp__inst_executed_op_ldsm.sum"),
    ("stmatrix", "stmatrix", "smsp__inst_executed_op_shared_stsm.sum"),
    ("mma_sync", "mma_sync", "sm__inst_executed_pipe_tensor_op_hmma.sum"),
    ("int8_tensor", "int8_tensor", "sm__inst_executed_pipe_tensor_op_imma.sum"),
    ("fp64_tensor", "fp64_tensor", "sm__inst_executed_pipe_tensor_op_dmma.sum"),
    ("wgmma", "wgmma", "sm__inst_executed_pipe_tensor_op_gmma.sum"),
    ("smem_atomics", "atomic_shared", "smsp__inst_executed_op_shared_atom.sum"),
    ("mufu_ex2", "mufu_ex2", "sm__inst_executed_pipe_xu.sum", "has_vectorized_access"),
    ("bulk_copy", "bulk_store", "sm__inst_executed_pipe_tma.sum"),
)


def part_mechanisms():
    """What the machine code shows against what the counters count: a kernel that has a mechanism, and one that has none."""
    program, cubin = os.path.join(WORK, "mechanisms"), os.path.join(WORK, "signatures.cubin")
    nvcc = ["nvcc", "-w", "-gencode=arch=compute_90a,code=sm_90a", "-o"]
    subprocess.run(nvcc + [program, "tests/gpu/mechanisms.cu"], cwd=ROOT, check=True)
    subprocess.run(nvcc + [cubin, "-cubin", "tests/data/sass/signatures.cu"], cwd=ROOT, check=True)
    listing = cubin + ".sass"
    with open(listing, "w") as f:
        subprocess.run(["cuobjdump", "-sass", cubin], stdout=f, check=True)
    p, _ = assay("read", listing, "--json", "-q")
    shown = {m["mechanism"]: {e["kernel"] for e in m["evidence"]} for m in json.loads(p.stdout).get("mechanisms", [])}
    check("the listing of cuobjdump is read", bool(shown), p.stderr[-300:])
    p = subprocess.run(["ncu", "--clock-control", "none", "--metrics", ",".join(sorted({m[2] for m in MECHANISMS})), "--csv",
                        "--page", "raw", "--print-units", "base", program], capture_output=True, text=True)
    check("ncu counts", '"ID"' in p.stdout, (p.stdout + p.stderr)[-500:])
    table = csv.DictReader(io.StringIO(p.stdout[p.stdout.index('"ID"'):]))
    counted = {t["Kernel Name"].split("(")[0]: t for t in table if t["ID"]}
    plain = next(k for k in counted if k.startswith("plain"))
    for mechanism, kernel, metric, *other in MECHANISMS:
        without = other[0] if other else plain
        has, none = (float(counted[k][metric].replace(",", "")) for k in ("has_" + kernel, without))
        of_it, of_none = ("has_" + kernel in shown.get(mechanism, ()), without in shown.get(mechanism, ()))
        check("mechanism " + mechanism, has > 0 and none == 0 and of_it and not of_none,
              "%s: %g, without %g; shown %s, without %s" % (metric, has, none, of_it, of_none))
        rows.append(("mechanism", mechanism, "%g" % has, "%s; without %g; in the machine code: %s, without: %s" % (
            metric, none, of_it, of_none)))


def part_cost():
    """One iteration of a 1024^3 matmul, compile included, reference cached; bench of a built kernel beyond sampling."""
    base = ["--op-file", "examples/matmul/matmul.op.json", "--ref", "examples/matmul/matmul_ref.c", "--M=1024", "--N=1024",
            "--K=1024"]
    assay("bench", "examples/matmul/matmul_v1.cu", *base)  # fills the reference cache
    folder = os.path.join(WORK, "run_1024")
    p, seconds = assay("optimize", "examples/matmul/matmul_v0.cu", "--max-iterations=0", "--run-dir=" + folder, *base)
    check("iteration of matmul 1024^3 within 15 s", p.returncode == 0 and seconds <= 15, "%.1f s %s" % (seconds, p.stderr))
    rows.append(("cost", "optimize iteration, matmul 1024^3", "%.1f s" % seconds, "asked: at most 15 s"))
    beyond = []
    for _ in range(3):
        r, p, seconds = record(["bench", "examples/matmul/matmul_v0.cu", *base])
        sampling = sum(r["kernel"][x]["seconds"] for x in ("cold", "warm", "events") if r["kernel"].get(x))
        beyond.append(seconds - sampling)
    check("bench of a built kernel beyond sampling", sorted(beyond)[1] < 1.5, str(beyond))
    rows.append(("cost", "bench beyond sampling, matmul 1024^3", "%.2f s" % sorted(beyond)[1], "asked: under 1.5 s"))
    p, seconds = assay("doctor")
    p, seconds = assay("doctor")
    rows.append(("cost", "doctor, versions cached", "%.3f s" % seconds, "asked: under 0.3 s"))
    results["cost"] = {"bench_beyond": beyond}


def part_integrity():
    """The kernels of tests/integrity in CUDA and Python: about five minutes, in a call of its own."""
    files = {kind: os.path.join(OUT, "integrity." + kind) for kind in ("md", "json")}
    argv = [sys.executable, "tools/integrity.py", "--backend=" + os.environ.get("BACKEND", "cuda,python"),
            "--only=" + os.environ.get("ONLY", ""), "--jobs=%d" % (os.cpu_count() or 1),
            "--deadline=%s" % os.environ.get("DEADLINE", "480"), "--markdown=" + files["md"], "--json=" + files["json"]]
    begin = time.time()
    p = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    tail = []
    for line in p.stdout:  # as it comes: a call that is cut off has said what it knew
        print(line, end="", flush=True)
        tail.append(line)
    p.wait()
    summary = "".join(x for x in tail if re.match("cheats|honest|detection|false|cost", x))
    check("integrity", p.returncode == 0, "".join(x for x in tail if x.startswith("differs"))[:2000])
    for line in summary.splitlines():
        rows.append(("integrity", line[:20].strip(), "%.0f s" % (time.time() - begin), line[20:]))
    if os.path.exists(files["json"]):
        results["integrity"] = [{k: r.get(k) for k in ("name", "class", "kind", "got", "flags", "ok", "seconds")}
                                for r in json.load(open(files["json"]))]


def part_workload():
    """Training steps in torch through the evidence protocol, from readiness to final audit."""
    import workload
    workload.chain(os.path.join(WORK, "workload"), ASSAY, check,
                   lambda phase, seconds, text: rows.append(("workload", phase, "%.1f s" % seconds, text)))


def part_sanitize():
    """Kernels with one fault each that answer right: the tool whose fault it is rejects, the others do not."""
    tools = ("memcheck", "racecheck", "initcheck", "synccheck")
    for name in os.environ.get("ONLY", "").split() or ("clean",) + tools:
        r, p, seconds = record(["bench", "tests/gpu/sanitize/%s.cu" % name, "--ref=tests/gpu/kernels/scale_ref.c",
                                "--op-file=tests/gpu/kernels/scale.op.json", "--sanitize=all", "--repeat=20", "--skip-warm"])
        if not r or not r.get("sanitizer"):
            check("sanitize " + name, False, (r["verdict"]["text"] if r else p.stderr)[:300])
            continue
        states = {t["tool"]: t["state"] for t in r["sanitizer"]["tools"]}
        found = sorted(t for t in states if states[t] == "errors")
        results["sanitize " + name] = r["sanitizer"]
        check("sanitize " + name, found == [t for t in tools if t == name] and "incomplete" not in states.values(), str(states))
        check("sanitize %s in the verdict" % name, r["verdict"]["word"] == ("passed" if name == "clean" else "rejected:sanitizer"))
        rows.append(("sanitize", name, r["verdict"]["word"], "%.1f s: %s" % (seconds, ", ".join("%s %s" % s for s in states.items()))))


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    os.environ.update(ASSAY_STORE=WORK + "/store", XDG_CACHE_HOME=WORK + "/cache", XDG_DATA_HOME=WORK + "/data")
    head = {"assay": subprocess.run([ASSAY, "--version"], capture_output=True, text=True).stdout.strip(),
            "gpu": subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                                  capture_output=True, text=True).stdout.strip()}
    begin = time.time()
    for what in WHAT:
        try:
            globals()["part_" + what]()
        except Exception as x:  # the other parts are worth their device time
            check(what, False, repr(x))
    results["environment"] = head
    json.dump({"environment": head, "rows": rows, "results": results, "failures": failures},
              open(os.path.join(OUT, "gpu.json"), "w"), indent=1, default=str)
    print("\n%s on %s, %.0f s" % (head["assay"], head["gpu"], time.time() - begin))
    for row in rows:
        print("%-9s %-34s %-18s %s" % row)
    for f in failures:
        print("FAILED", f[:300])
    print("%d passed, %d failed" % (passed, len(failures)))
    return 1 if failures else 0


sys.exit(main())
