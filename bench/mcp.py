"""Latency of calls to `assay mcp` against a pipe through `cat` in the same run: medians of 300 round trips, interleaved; then
knowledge by identity and from a report against reading that report alone.
usage: bench/mcp.py [ASSAY]"""
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPORT = os.path.join(ROOT, "tests/data/ncu/gather.ncu-repz")


def median(xs):
    return sorted(xs)[len(xs) // 2]


class Peer:
    def __init__(self, argv):
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.n = 0

    def ask(self, method, params):
        """Seconds and the answer. Progress lines of others are not wanted here: none is asked for."""
        self.n += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}).encode() + b"\n"
        begin = time.perf_counter()
        self.p.stdin.write(line)
        self.p.stdin.flush()
        answer = self.p.stdout.readline()
        return time.perf_counter() - begin, json.loads(answer)


def whole(argv):
    begin = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main():
    assay = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/assay"))
    calls = [("ping", "ping", {}),
             ("jobs", "tools/call", {"name": "jobs", "arguments": {}}),
             ("explain", "tools/call", {"name": "explain", "arguments": {"args": ["vectorized_access"]}}),
             ("knowledge", "tools/call", {"name": "knowledge", "arguments": {"args": ["query"], "key": ["vectorized_access"]}})]
    with tempfile.TemporaryDirectory() as root:
        server, cat = Peer([assay, "mcp", "--root", root]), Peer(["cat"])
        server.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                  "clientInfo": {"name": "bench", "version": "1"}})
        tools = {t["name"]: t for t in server.ask("tools/list", {})[1]["result"]["tools"]}
        times = {name: [] for name, _, _ in calls}
        echo = []
        for name, method, params in calls:
            if method == "tools/call" and params["name"] not in tools:
                sys.exit("bench/mcp.py: no tool '%s'; there are %s" % (params["name"], ", ".join(sorted(tools))))
            answer = server.ask(method, params)[1]
            if "error" in answer or answer["result"].get("isError"):
                sys.exit("bench/mcp.py: %s: %s" % (name, json.dumps(answer)[:400]))
        for _ in range(300):
            echo.append(cat.ask("ping", {})[0])
            for name, method, params in calls:
                times[name].append(server.ask(method, params)[0])
    e = median(echo) * 1e3
    for name, _, _ in calls:
        t = median(times[name]) * 1e3
        print("mcp: %-10s %.3f ms, through cat %.3f ms: ratio %.1f" % (name, t, e, t / e))
    pairs = [(whole([assay, "knowledge", "query", "--from", REPORT, "--layer", "kernel"]), whole([assay, "read", REPORT])) for _ in range(60)]
    best = [min(x) * 1e3 for x in zip(*pairs)]
    print("knowledge --from a report %.2f ms, reading it %.2f ms: %.2f ms more" % (best[0], best[1], best[0] - best[1]))


main()
