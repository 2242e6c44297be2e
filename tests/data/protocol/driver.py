"""A driver whose numbers are made up from the file `cost` of its subject, so that tests are exact; `mode` makes it misbehave."""
import hashlib
import json
import os
import signal
import subprocess
import sys
import time

args = [a for a in sys.argv[1:]]
path = args[args.index("--request") + 1]
mode = args[0] if args[0] != "--request" else ""
q = json.load(open(path))
smoke = q["operation"] == "readiness_smoke"
if not smoke:
    if mode == "slow":
        time.sleep(0.05)
    if mode == "hang":
        time.sleep(60)
    if mode == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    if mode == "flood":
        os.write(1, b"begin\n")
        for _ in range(200):
            os.write(1, b"x" * 65536)
        os.write(1, b"\nthe end\n")
    if mode == "forks":
        for _ in range(3):
            subprocess.Popen(["setsid", "sleep", "77.7"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if mode == "zombie":  # an orphan that has ended and that nobody of ours waits for
        if os.fork() == 0:
            if os.fork() == 0:
                os._exit(0)
            os._exit(0)
    if mode == "fds":  # the standard three, and the one that lists
        if len(os.listdir("/proc/self/fd")) != 4:
            os._exit(9)
    if mode == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
count = q["sampling"].get("samples_per_case") or q["sampling"].get("repetitions") or 3


def noise(*key):
    h = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    return int.from_bytes(h[:4], "big") / 2**32 - 0.5


correctness, measurements = [], []
for s in q["subjects"]:
    words = open(os.path.join(s["variant"]["locator"], "cost")).read().split()
    cost = float(words[0])
    slow = dict(w.split("=") for w in words[1:])
    case, pair = q["case"]["id"], q["sampling"].get("pair_index")
    cost *= float(slow.get(case, 1))
    samples = [cost * (1 + 0.01 * noise(case, pair, s["role"], i)) for i in range(count)]
    bad = float("wrong" in slow)
    status = "failed" if bad else "passed"
    metrics = {"errors": bad, "checks": 1, "requests": 10, "tokens": 5, "total": 50 if mode != "denominator" else 40}
    memory = float(slow.get("memory", 100))
    correctness.append({"role": s["role"], "result": {"status": status, "metrics": metrics}})
    measurements.append({"role": s["role"], "result": {"primary": {"name": "latency", "unit": "ms", "samples": samples},
                         "constraints": [{"name": "memory", "unit": "MB", "samples": [memory] * count}]}})
uuids = sorted(u for u in os.environ["CUDA_VISIBLE_DEVICES"].split(",") if u)
host = {"kind": "host", "identity": "test" + ("2" if mode == "moves" and not smoke else ""), "lineage_complete": True, "lineage": [], "components": []}
r = {
    "protocol_version": "cuda-kernel-optimizer/driver-result-v2",
    "subject_digests": [{"role": s["role"], "digest": s["variant"]["digest"]} for s in q["subjects"]],
    "case_id": q["case"]["id"],
    "artifacts": [],
    "cleanup": {"status": "confirmed", "live_tasks": []},
    "environment": {"gpu_uuids": uuids, "gpu_models": ["one model"] * len(uuids), "gpu_architectures": ["sm_90"] * len(uuids), "driver_version": "none", "cuda_runtime_version": "none",
                    "frameworks": {}, "runtime_provenance": host},
    "evidence": {"correctness": correctness, "measurements": measurements},
}
for key in ("request_digest", "target_id", "execution_id", "driver_identity", "acquisition"):
    r[key] = q[key]
if mode == "digest" and not smoke:
    open(os.path.join(os.path.dirname(q["output_path"]), "log"), "w").write("log")
    r["artifacts"] = [{"kind": "log", "relative_path": "log", "sha256": "0" * 64}]
for s in q["subjects"]:  # art.ptx in a variant comes back as the artifact ROLE.ptx of kind ptx
    for name in sorted(os.listdir(s["variant"]["locator"])):
        if name.startswith("art."):
            data, to = open(os.path.join(s["variant"]["locator"], name), "rb").read(), s["role"] + name[3:]
            open(os.path.join(os.path.dirname(q["output_path"]), to), "wb").write(data)
            r["artifacts"].append({"kind": name[4:], "relative_path": to, "sha256": hashlib.sha256(data).hexdigest()})
json.dump(r, open(q["output_path"], "w"))
