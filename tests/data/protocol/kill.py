#!/usr/bin/env python3
"""kill.py N [SEED]: N invocations, each with one process of it (caller, guardian, worker, driver, or all) killed at a random
moment. Afterwards: a result with the right stop reason, no process, no lease, a root that verifies, and a retry that passes.
Runs in a folder that make.py has set up and whose baseline is named in baseline.json."""
import glob
import json
import os
import random
import signal
import subprocess
import sys
import time

assay = os.environ.get("ASSAY", "assay")
n, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
rng = random.Random(seed)
base = json.load(open("baseline.json"))
base["format_version"] = "assay/evaluator-input-v3"
root = base["artifact_root"]
seen = {}


def processes():
    """pid -> command line of everything that belongs to this root."""
    found = {}
    for d in glob.glob("/proc/[0-9]*"):
        try:
            line = open(d + "/cmdline", "rb").read()
            cwd = os.readlink(d + "/cwd")
        except OSError:
            continue
        pid = int(d[6:])
        if pid != os.getpid() and (cwd.startswith(root) or root.encode() in line):
            if b"kill.py" not in line and open(d + "/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX":
                found[pid] = line
    return found


def ask(request, *more):
    json.dump(request, open("ask.json", "w"))
    r = subprocess.run([assay, "request", "ask.json", *more], capture_output=True, text=True)
    return json.loads(r.stdout) if r.stdout else {"error": r.stderr}


def fail(i, text):
    sys.exit(f"kill {i} (seed {seed}): {text}")


for i in range(n):
    request = dict(base, replicate=1000 * seed + i, launch_deadline=time.time() + 100)
    json.dump(request, open("kill.json", "w"))
    who = rng.choice(["caller", "guardian", "worker", "driver", "all"])
    caller = subprocess.Popen([assay, "request", "kill.json", "--wait"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.uniform(0, 0.25))
    for pid, line in processes().items():
        words = line.split(b"\0")
        is_caller = pid == caller.pid
        is_driver = b"driver.py" in line
        name = open(f"/proc/{pid}/comm").read().strip() if os.path.exists(f"/proc/{pid}/comm") else ""
        kind = "caller" if is_caller else "driver" if is_driver else "worker" if name == "assay-worker" else "guardian"
        if who in (kind, "all"):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    if who == "all":
        caller.kill()
    caller.wait()
    identity = ask(request, "--explain").get("invocation_id")
    status = {"format_version": "cuda-kernel-optimizer/evaluator-input-v2", "operation": "status", "artifact_root": root, "invocation_id": identity}
    if not os.path.isdir(f"{root}/invocations/{identity}"):  # killed before it was submitted
        seen["never"] = seen.get("never", 0) + 1
        continue
    until = time.time() + 10
    while (s := ask(status)).get("query_status") in ("starting", "running") and time.time() < until:
        time.sleep(0.01)
    reason = s.get("stop_reason")
    if reason not in ("completed", "owner_lost", "command_failed"):
        fail(i, f"{who}: {s}"[:500])
    if reason == "command_failed" and who == "caller":
        fail(i, f"{who} killed, stop reason {reason}")
    if s["cleanup_status"] != "confirmed":
        fail(i, "cleanup is not confirmed")
    left = processes()
    if left:
        time.sleep(0.2)
        left = processes()
    if left:
        fail(i, f"{who}: processes are left: {left}")
    for _ in range(500):  # a killed process gives its files back when the disk lets it
        leases = json.loads(subprocess.run([assay, "status", "--json"], capture_output=True, text=True).stdout)["leases"]
        if not leases:
            break
        time.sleep(0.02)
    if leases:
        fail(i, f"{who}: a lease is left: {leases}")
    if reason != "completed":
        again = ask(dict(request, retry_of=identity), "--wait")
        if again.get("verdict") != "passed":
            fail(i, f"retry: {again}"[:500])
    key = f"{who} {reason}"
    seen[key] = seen.get(key, 0) + 1
v = subprocess.run([assay, "verify", "--store", root], capture_output=True, text=True)
if v.returncode:
    fail(n, v.stdout)
print(seen, file=sys.stderr)
print(f"{n} kills: nothing lost, no process, no lease")
