"""What the evidence protocol costs: a supervised driver call against the same command called directly, in the same run, and
freezing against cp -r and sha256sum (bench/evidence.c).

usage: bench/protocol.py ASSAY EVIDENCE [CALLS] [MB]
"""
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MAKE = os.path.join(HERE, "..", "tests", "data", "protocol", "make.py")


def run(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, **more).stdout


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def calls(assay, n):
    """Median milliseconds of a call as the evidence says, of the whole operation a call, and of the command alone."""
    env = {**os.environ, "DATA": os.path.dirname(MAKE), "ASSAY_LEASE_DIR": os.path.abspath("leases")}
    run(sys.executable, "-S", MAKE, "setup", "cases=1")
    run(assay, "request", "readiness.json", env=env)
    result = json.loads(run(assay, "baseline", "root", "--repeats", str(n), "--wait", "--json", env=env))
    folder = os.path.join("root", "invocations", result["invocation_id"], "driver")
    supervised, direct = [], []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name, "call.json"), encoding="utf-8") as f:
            call = json.load(f)
        supervised.append((call["end_ns"] - call["begin_ns"]) / 1e6)
    request = call["receipt"]["request"]
    with open("root/target.json", encoding="utf-8") as f:
        driver = json.load(f)["driver"]
    # The materials are gone with the workspace: the original itself, and an output of our own.
    request["subjects"][0]["variant"]["locator"] = os.path.abspath("original")
    request["output_path"] = os.path.abspath("out/result.json")
    os.makedirs("out", exist_ok=True)
    with open("request.json", "w", encoding="utf-8") as f:
        json.dump(request, f)
    command = driver["command"] + [driver["request_argument"], os.path.abspath("request.json")]
    for _ in range(n):
        begin = time.perf_counter()
        subprocess.run(command, check=True, env=env)
        direct.append((time.perf_counter() - begin) * 1e3)
    s, d, whole = median(supervised), median(direct), result["elapsed_seconds"] * 1e3 / n
    print(f"driver call: supervised {s:.2f} ms, directly {d:.2f} ms: {s - d:.2f} ms more; the whole operation {whole:.2f} ms a call, {n} calls")


def main():
    assay, evidence = (os.path.abspath(p) for p in sys.argv[1:3])
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    megabytes = sys.argv[4] if len(sys.argv) > 4 else "512"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        calls(assay, n)
        for what in ("small", megabytes):
            sys.stdout.flush()
            subprocess.run([evidence, os.path.join(folder, "freeze"), what], check=True)
        os.chdir("/")


main()
