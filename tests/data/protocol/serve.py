"""A request-serving driver: a local server of the subject's kind, a client, throughput and tail latencies of the same requests.
The subject's file `cost` is what a request takes, in ms. Times are of the processor: a busy machine changes nothing."""
import json
import os
import socket
import sys
import threading
import time

q = json.load(open(sys.argv[sys.argv.index("--request") + 1]))
BATCHES, REQUESTS = 5, 60  # 300 latencies: enough for a p99


def server(listener, cost):
    c, _ = listener.accept()
    while len(data := c.recv(64)) > 0:
        until = time.process_time() + cost
        while time.process_time() < until:
            pass
        c.sendall(data[::-1])
    c.close()


def measure(cost):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1)
    thread = threading.Thread(target=server, args=(listener, cost))
    thread.start()
    s = socket.create_connection(listener.getsockname())
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    rates, latencies, wrong = [], [], 0
    for _ in range(BATCHES):
        begin = time.process_time()
        for i in range(REQUESTS):
            t = time.process_time()
            s.sendall(b"abc")
            wrong += s.recv(64) != b"cba"
            latencies.append((time.process_time() - t) * 1e3)
        rates.append(REQUESTS / (time.process_time() - begin))
    s.close()
    thread.join()
    listener.close()
    return rates, latencies, wrong


correctness, measurements = [], []
for s in q["subjects"]:
    rates, latencies, wrong = measure(float(open(os.path.join(s["variant"]["locator"], "cost")).read()) / 1e3)
    metrics = {"errors": float(wrong), "requests": BATCHES * REQUESTS, "batches": BATCHES, "per_batch": REQUESTS}
    correctness.append({"role": s["role"], "result": {"status": "passed" if not wrong else "failed", "metrics": metrics}})
    rows = {"throughput": rates, "p95": latencies, "p99": latencies}
    row = lambda m: {"name": m["name"], "unit": m["unit"], "samples": rows[m["name"]]}
    measurements.append({"role": s["role"], "result": {"primary": row(q["objective"]["primary_metric"]), "constraints": [row(m) for m in q["objective"]["constraints"]]}})
r = {
    "protocol_version": "cuda-kernel-optimizer/driver-result-v2",
    "subject_digests": [{"role": s["role"], "digest": s["variant"]["digest"]} for s in q["subjects"]],
    "case_id": q["case"]["id"],
    "artifacts": [],
    "cleanup": {"status": "confirmed", "live_tasks": []},
    "environment": {"gpu_uuids": [], "gpu_models": [], "gpu_architectures": [], "driver_version": "none", "cuda_runtime_version": "none", "frameworks": {},
                    "runtime_provenance": {"kind": "host", "identity": "test", "lineage_complete": True, "lineage": [], "components": []}},
    "evidence": {"correctness": correctness, "measurements": measurements},
}
for key in ("request_digest", "target_id", "execution_id", "driver_identity", "acquisition"):
    r[key] = q[key]
json.dump(r, open(q["output_path"], "w"))
