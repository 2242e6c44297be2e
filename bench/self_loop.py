#!/usr/bin/env python3
"""Self-loops: every version is the same source. How often is one called faster, and is v0 named best?

usage: bench/self_loop.py [RUNS [STEPS [SOURCE]]]     ASSAY=path of the program; OPTIONS: more options of optimize
30 runs of 2 steps of tests/data/loop/loop_v0.c without arguments. The expected rate is the engine's one-sided error: at most one
step in 20 on average (5 % two-sided, both sides). Prints a line a run and a total; exit 1 when v0 is not best or the rate is higher.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ASSAY = os.path.abspath(os.environ.get("ASSAY", os.path.join(ROOT, "build/release/assay")))
PROPOSER = r"""
import json, sys
s = json.load(sys.stdin)
i = s["iteration"]
text = "" if i else "## Primary references\n|i|s|r|\n|---|---|---|\n" + "".join(
    f"| {g}: none | does not fit | a self-loop |\n" for g in ("memory", "compute", "sync"))
text += "## Bottlenecks\n1. none\n## Evidence\n"
bench = json.load(open(s["benchmark_result"]))
text += "- kernel.median_ms = %r ms\n" % bench["kernel"]["median_ms"]
if s["report"]["full_report"] and s["report"]["full_report"].endswith(".ncu-rep"):
    for line in open(s["report"]["full_details"]):
        if line.startswith("    Registers Per Thread "):
            text += "- Registers Per Thread = %s %s\n" % (line.split()[4], line.split()[3])
            break
text += "## Pipelining assessment\nno\n## Change\nnone\n## Preferred strategies\n"
text += "".join("- %s: not merged; a self-loop\n" % x["fingerprint"] for x in s["preferred"])
text += "## Strategy tags\n- self_%d\n" % i
open(s["proposal_path"], "w").write(text)
open(s["next_path"], "w").write(open(SOURCE).read())
"""


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    source = os.path.abspath(sys.argv[3] if len(sys.argv) > 3 else f"{ROOT}/tests/data/loop/loop_v0.c")
    root = tempfile.mkdtemp(prefix="assay-self-loop-")
    os.makedirs(f"{root}/tools")
    with open(f"{root}/tools/propose.py", "w", encoding="utf-8") as f:
        f.write(PROPOSER.replace("SOURCE", repr(source)))
    stem = os.path.splitext(source)[0]
    more = shlex.split(os.environ.get("OPTIONS", ""))
    beside = [f"--op-file={os.path.dirname(source)}/loop.op.json"] if stem.endswith("loop_v0") else []
    faster = steps_done = not_v0 = 0
    for i in range(runs):
        folder = f"{root}/{i}"
        p = subprocess.run([ASSAY, "optimize", source, f"--max-iterations={steps}", f"--run-dir={folder}", "--quiet",
                            f"--memory-dir={root}/memory{i}", f"--proposer={sys.executable} {root}/tools/propose.py", *beside,
                            *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if p.returncode:
            print(f"run {i}: exit {p.returncode}: {p.stderr.strip()[-300:]}")
            return 1
        with open(f"{folder}/run_manifest.json", encoding="utf-8") as f:
            m = json.load(f)
        words = [x["comparison"]["verdict"] for x in m["iterations"][1:]]
        outcome = [x["strategy"]["outcome"] for x in m["iterations"][1:]]
        faster += outcome.count("positive")
        steps_done += len(words)
        not_v0 += m["best_iteration"] != 0
        took = [x["seconds"]["bench"] + x["seconds"]["profile"] for x in m["iterations"]]
        print(f"run {i}: {' '.join(words)}; best v{m['best_iteration']}; an iteration took {min(took):.1f} to {max(took):.1f} s, "
              "comparisons aside", flush=True)
    shutil.rmtree(root)
    print(f"{faster} of {steps_done} steps called faster, {not_v0} of {runs} runs name another version than v0")
    return 1 if faster * 20 > steps_done or not_v0 else 0


if __name__ == "__main__":
    sys.exit(main())
