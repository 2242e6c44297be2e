#!/usr/bin/env python3
"""Kills the loop at random moments and continues it: the manifest is that of a run that was not killed, but for times.

usage: tools/kill_test.py [KILLS [SEED]]     ASSAY=path of the program (build/release/assay)
A 4-iteration run of tests/data/loop (versions that differ by factors of ten, one wrong) is made once undisturbed. Then, KILLS
times: the same run in a new folder, SIGKILL to assay after a random part of that time, the same command again until it is
through. Looked at afterwards: the manifest, temporary files in the run folder, the strategy memory and TMPDIR, leases, processes
that are left. One line a kill that went wrong; exit 1 when there is one. About 20 s a kill on a quiet machine.
"""
import fcntl
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ASSAY = os.path.abspath(os.environ.get("ASSAY", os.path.join(ROOT, "build/release/assay")))
DATA = os.path.join(ROOT, "tests/data/loop")
# Times and measurements, and what tells attempts and runs apart.
MASKED = {"at", "created_at", "updated_at", "run_id", "attempt", "baseline_attempt", "candidate_attempt", "seconds", "record",
          "median_ms", "average_ms", "min_ms", "max_ms", "trimmed_mean_ms", "times", "effect_pct", "lower_pct", "upper_pct",
          "speedup", "baseline_ms", "candidate_ms", "baseline_median_ms", "current_median_ms", "full_seconds", "why",
          "n_placements", "proposal_sha256", "binary_sha256"}  # a binary holds the path of its source


def command(folder):
    return [ASSAY, "optimize", f"{DATA}/loop_v0.c", "--backend=c", "--max-iterations=4", f"--ref={DATA}/loop_ref.c",
            f"--op-file={DATA}/loop.op.json", f"--proposer={DATA}/propose.sh", f"--run-dir={folder}/run", "--warmup=1",
            "--repeat=5", "--skip-warm", "--min-effect=20", "--compare-budget=30", "--quiet",
            "--any-load"]


def environment(folder):
    env = dict(os.environ, XDG_DATA_HOME=f"{folder}/data", XDG_CACHE_HOME=f"{os.path.dirname(folder)}/cache", TMPDIR=f"{folder}/tmp",
               ASSAY_LEASE_DIR=f"{folder}/lease")
    for name in ("data", "tmp", "lease"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    return env


def start(folder):
    return subprocess.Popen(command(folder), env=environment(folder), stdout=open(f"{folder}/out", "a"),
                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)


def mask(x, folder):
    if isinstance(x, dict):
        return {k: None if k in MASKED else mask(v, folder) for k, v in x.items()}
    if isinstance(x, list):
        return [mask(v, folder) for v in x]
    return x.replace(folder, "FOLDER") if isinstance(x, str) else x


def manifest(folder):
    with open(f"{folder}/run/run_manifest.json", encoding="utf-8") as f:
        return json.dumps(mask(json.load(f), folder), indent=1, sort_keys=True)


def leftovers(folder):
    """Temporary files, held leases, processes."""
    found = []
    for where in ("run", "data"):
        for at, _, names in os.walk(f"{folder}/{where}"):
            if ".partial-" not in at:
                found += [f"{at}/{n}" for n in names if re.fullmatch(r"\..*\.[A-Za-z0-9]{6}|\.tmp-.*", n)]
    found += [f"{folder}/tmp/{n}" for n in os.listdir(f"{folder}/tmp")]
    for name in os.listdir(f"{folder}/lease"):
        with open(f"{folder}/lease/{name}", "r+", encoding="utf-8") as f:
            try:
                fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                found.append(f"lease {name} is held")
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if f"TMPDIR={folder}/tmp".encode() in f.read().split(b"\0"):
                    found.append(f"process {pid}")
        except OSError:
            pass
    return found


def through(folder, tries):
    """The same command until it ends by itself; what it said when it does not."""
    for _ in range(tries):
        p = start(folder)
        if p.wait() == 0:
            return None
        time.sleep(0.2)
    with open(f"{folder}/out", encoding="utf-8", errors="replace") as f:
        return f.read()[-400:]


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    root = tempfile.mkdtemp(prefix="assay-kill-test-")
    bad = 0
    os.makedirs(f"{root}/whole")
    begin = time.monotonic()
    said = through(f"{root}/whole", 1)
    whole = time.monotonic() - begin
    if said:
        print(f"kill_test: the undisturbed run failed: {said}")
        return 1
    wanted = manifest(f"{root}/whole")
    for i in range(n):
        folder = f"{root}/{i}"
        os.makedirs(folder)
        p = start(folder)
        time.sleep(whole * rng.random())
        p.send_signal(signal.SIGKILL)
        p.wait()
        said = through(folder, 3)
        found = [said] if said else leftovers(folder)
        if not said and manifest(folder) != wanted:
            with open(f"{root}/wanted.json", "w", encoding="utf-8") as f:
                f.write(wanted)
            with open(f"{root}/{i}.json", "w", encoding="utf-8") as f:
                f.write(manifest(folder))
            found.append(f"another manifest: diff {root}/wanted.json {root}/{i}.json")
        for x in found:
            print(f"kill {i}: {x}")
        bad += bool(found)
        if not found:
            shutil.rmtree(folder)
    print(f"{n} kills over {whole:.1f} s, {bad} wrong")
    if not bad:
        shutil.rmtree(root)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
