#!/usr/bin/env python3
"""`assay mcp` by raw lines: both eras, errors, garbage, giant and half lines, many calls, jobs, cancelling, the border.

usage: tests/mcp/raw.py CASE...   prints one word or line a fact; exit 1 where an answer is not what the protocol says
"""
import json
import os
import select
import subprocess
import sys
import time

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
TIMEOUT_S = 60
GROWTH_KB = 8192 if os.environ.get("BUILD") in ("asan", "cov") else 512


class Server:
    def __init__(self, *args, version="2025-11-25"):
        # A sanitizer that keeps freed memory aside would look like growth.
        env = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1:" + os.environ.get("ASAN_OPTIONS", "")}
        self.p = subprocess.Popen(["assay", "mcp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=open("said", "w"), env=env)
        self.n, self.notes, self.rest = 0, [], b""
        if version:
            self.start = self.call("initialize", {"protocolVersion": version, "capabilities": {},
                                                  "clientInfo": {"name": "raw", "version": "0"}})
            self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.p.stdin.write(text)
        self.p.stdin.flush()

    def line(self, timeout_s=TIMEOUT_S):
        """The next message, or None when none came in time."""
        end = time.monotonic() + timeout_s
        while b"\n" not in self.rest:
            if not select.select([self.p.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                return None
            got = os.read(self.p.stdout.fileno(), 1 << 16)
            if not got:
                return None
            self.rest += got
        text, self.rest = self.rest.split(b"\n", 1)
        message = json.loads(text)
        assert message.get("jsonrpc") == "2.0", message
        return message

    def send(self, method, params=None, modern=False):
        self.n += 1
        params = dict(params or {})
        if modern:
            params["_meta"] = {**MODERN, **params.get("_meta", {})}
        self.write({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params})
        return self.n

    def wait(self, number, timeout_s=TIMEOUT_S):
        while True:
            message = self.line(timeout_s)
            if message is None or message.get("id") == number:
                return message
            self.notes.append(message)

    def call(self, method, params=None, modern=False):
        return self.wait(self.send(method, params, modern))

    def tool(self, name, arguments=None, **more):
        answer = self.call("tools/call", {"name": name, "arguments": arguments or {}, **more})
        return answer["result"]["structuredContent"]

    def finish(self, job, **more):
        """Waits for a job as long as it takes."""
        while True:
            done = self.tool("job", {"job": job, "wait_s": 50}, **more)
            if done["state"] not in ("queued", "running"):
                return done

    def rss_kb(self):
        with open(f"/proc/{self.p.pid}/status") as f:
            return int(next(line for line in f if line.startswith("VmRSS")).split()[1])

    def end(self):
        self.p.stdin.close()
        left = self.p.stdout.read()
        assert self.p.wait(TIMEOUT_S) == 0
        return left


def error(message):
    return message["error"]["code"], message.get("id", "no id")


def versions():
    """Every version is agreed on; an unknown one is answered with the newest that has sessions."""
    for v in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"):
        s = Server(version=v)
        tools = s.call("tools/list")["result"]["tools"]
        answer = s.call("tools/call", {"name": "jobs"})["result"]
        print(v, s.start["result"]["protocolVersion"], "outputSchema" in tools[0], "structuredContent" in answer)
        s.end()
    s = Server(version=None)
    found = s.call("server/discover", modern=True)["result"]
    print(*found["supportedVersions"], found["resultType"], found["ttlMs"], found["cacheScope"])
    answer = s.call("tools/call", {"name": "jobs"}, modern=True)["result"]
    print("modern call", answer["resultType"], answer["isError"], answer["structuredContent"])
    s.end()


def errors():
    """Codes and ids of everything that is not answered with a result."""
    s = Server(version=None)
    print("no session", *error(s.call("tools/list")))
    s.write({"jsonrpc": "2.0", "id": "v", "method": "tools/list", "params": {"_meta": {
        **MODERN, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}}})
    unknown = s.line()
    print("version", *error(unknown), *unknown["error"]["data"]["supported"], unknown["error"]["data"]["requested"])
    del s
    s = Server()
    for text in (b"not json\n", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"nope\"}\n", b"[]\n", b"7\n", b"{}\n",
                 b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n", b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n",
                 b"{\"jsonrpc\":\"1.0\",\"id\":8,\"method\":\"ping\"}\n", b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":[]}\n",
                 b"{\"jsonrpc\":\"2.0\",\"id\":10,\"id\":10,\"method\":\"ping\"}\n", b"\xff\xfe\n", b"[" * 4000 + b"\n"):
        s.write(text)
        print(text[:40].decode("latin-1").strip(), *error(s.line()))
    print("tool", *error(s.call("tools/call", {"name": "nope"})))
    print("cursor", *error(s.call("tools/list", {"cursor": "zz"})))
    print("resource", *error(s.call("resources/read", {"uri": "assay://doc/nope"})))
    print("modern resource", *error(s.call("resources/read", {"uri": "file:///etc/passwd"}, modern=True)))
    print("prompt", *error(s.call("prompts/get", {"name": "optimize_operator", "arguments": {"file": "a.cu"}})))
    for id_text in ('"a b"', "0", "9007199254740991", '"\\u00e9\\ud83d\\ude00"'):
        s.write(b'\r\n{"jsonrpc":"2.0","id":' + id_text.encode() + b',"method":"ping","unknown":1}\r\n')
        answer = s.line()
        print("id", json.dumps(answer["id"]) == json.dumps(json.loads(id_text)), answer["result"])
    s.write({"jsonrpc": "2.0", "method": "notifications/unknown"})
    s.write({"jsonrpc": "2.0", "id": 3, "result": {}})
    s.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})
    print("ping", s.call("ping")["result"], len(s.notes))
    bad = s.tool("bench", {"args": ["k.c"], "repeat": -5})
    print("bad value", bad["state"], bad["exit_status"], bad["error"]["text"])
    bad = s.tool("bench", {"args": ["k.c"], "repaet": 5})
    print("bad key", bad["error"]["text"])
    print("hidden row", s.tool("optimize", {"args": ["k.c"], "max_iterations": 1, "proposer": "rm"})["error"]["text"])
    print("no default", s.tool("optimize", {"args": ["k.c"]})["error"]["text"])
    print("left", s.end())


def batch():
    """Arrays are a batch in 2025-03-26 only."""
    both = json.dumps([{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in (5, 6)]).encode() + b"\n"
    s = Server(version="2025-03-26")
    s.write(both)
    print(s.line()["id"], s.line()["id"])
    s.end()
    s = Server()
    s.write(both)
    print(*error(s.line()))
    s.end()


def lines():
    """Garbage, a giant line, a line in pieces, a line without end."""
    s = Server()
    before = s.rss_kb()
    s.write(bytes(range(256)) * 40 + b"\n")
    n = 0
    while True:
        s.write({"jsonrpc": "2.0", "id": "g", "method": "ping"})
        message = s.line()
        while "error" in message:
            n += 1
            message = s.line()
        break
    print("garbage", n > 10, message["id"])
    s.write(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (40 << 20) + b'"}\n')
    print("giant", *error(s.line()))
    s.write(b'{"jsonrpc":"2.0","id":11,"method":"ping","params":{"x":"' + b"y" * (10 << 20) + b'"}}\n')
    print("10 MB", s.line()["id"])
    whole = b'{"jsonrpc":"2.0","id":12,"method":"ping"}\n'
    for i in range(len(whole)):
        s.write(whole[i:i + 1])
    print("pieces", s.line()["id"])
    print("grown", s.rss_kb() - before < 8 * GROWTH_KB)
    s.write(b'{"jsonrpc":"2.0","id":13,"method":"ping"}')
    print("half at the end", json.loads(s.end())["id"])
    s = Server()
    s.write(b'{"jsonrpc":"2.0","id":13,"meth')
    print("cut", error(json.loads(s.end())))


def many():
    """10,000 calls of every kind that the server answers itself, and 200 that start a verb: memory stays."""
    s = Server()
    calls = [("tools/call", {"name": "jobs"}), ("tools/call", {"name": "explain", "arguments": {"args": ["LATENCY_BOUND"]}}), ("resources/list", {}), ("tools/call", {"name": "nope"}),
             ("tools/call", {"name": "bench", "arguments": {"args": ["../x.c"]}})]
    def go(count):
        for i in range(count):
            s.call(*calls[i % len(calls)])
    go(500)
    before = s.rss_kb()
    go(10000)
    print("grown", s.rss_kb() - before < GROWTH_KB)
    for _ in range(20):
        s.tool("check", {"args": ["loop_v0.c"]})
    before, held = s.rss_kb(), len(os.listdir(f"/proc/{s.p.pid}/fd"))
    for _ in range(200):
        assert s.tool("check", {"args": ["loop_v0.c"]})["exit_status"] == 0
    print("grown by verbs", s.rss_kb() - before < GROWTH_KB, len(os.listdir(f"/proc/{s.p.pid}/fd")) - held)
    numbers = [s.send("tools/call", {"name": "verify"}) for _ in range(100)]
    seen = sorted(s.line()["id"] for _ in numbers)
    print("in flight", seen == numbers)
    s.end()


def pages():
    """Lists come in pages; each resource once, a run's files are read, what lies outside is not."""
    for i in range(60):
        os.makedirs(f"assay-runs/run{i:02}")
        with open(f"assay-runs/run{i:02}/run_manifest.json", "w") as f:
            json.dump({"number": i}, f)
    s, seen, n, cursor = Server(), [], 0, {}
    while n == 0 or cursor:
        page = s.call("resources/list", cursor)["result"]
        seen += [r["uri"] for r in page["resources"]]
        cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else {}
        n += 1
    runs = [u for u in seen if u.startswith("assay://run/")]
    print("pages", n > 1, len(seen) == len(set(seen)), len(runs))
    text = s.call("resources/read", {"uri": "assay://run/run07/run_manifest.json"})["result"]["contents"][0]["text"]
    print("read", json.loads(text)["number"])
    for uri in ("assay://run/../x", "assay://run/run07/../../../etc/passwd", "assay://run/run07", "assay://run/"):
        print("outside", *error(s.call("resources/read", {"uri": uri}))[:1])
    s.end()


def jobs(kernel):
    """A long verb returns a handle at once; the result comes through it, and is a resource."""
    s = Server()
    first = s.tool("bench", {"args": [kernel], "time_budget": 0.05, "repeat": 5, "skip_integrity": True})
    print("handle", first["state"], "job" in first)
    second = s.tool("bench", {"args": [kernel], "time_budget": 0.05, "repeat": 5, "skip_integrity": True})
    print("one at a time", second["state"])
    done = s.finish(first["job"], _meta={"progressToken": "p"})
    told = [n["params"]["progress"] for n in s.notes]
    print("done", done["state"], done["exit_status"], done["is_complete"], told == sorted(set(told)))
    print("says", done["result"]["verdict"]["word"], done["result"]["correctness"]["passed"], done["result"]["kernel"]["median_ms"] > 0)
    whole = s.call("resources/read", {"uri": done["resource"]})["result"]["contents"][0]
    print("whole", json.loads(whole["text"])["format"], len(whole["text"]) == done["bytes"] + 1)
    print("size", len(json.dumps(done)) < 6000)
    listed = s.tool("jobs")["jobs"]
    print("listed", [j["job"] for j in listed] == [second["job"], first["job"]])
    print("cancelled", s.tool("job_cancel", {"job": second["job"]})["state"])
    print("unknown", s.tool("job", {"job": "j999"})["error"]["text"])
    s.end()


def cancel(kernel):
    """A cancelled request is not answered and its work ends; EOF ends what runs."""
    s = Server()
    number = s.send("tools/call", {"name": "bench", "arguments": {"args": [kernel], "time_budget": 30, "wait_s": 100}})
    while not [j for j in s.tool("jobs")["jobs"] if j["state"] == "running"]:
        time.sleep(0.01)
    s.write({"jsonrpc": "2.0", "id": number, "method": "ping"})
    while s.notes[-1:] == [] or "error" not in s.notes[-1]:
        s.notes.append(s.line())
    print("same id", s.notes.pop()["error"]["code"])
    s.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    end = time.monotonic() + 20
    while time.monotonic() < end and children(s.p.pid):
        s.call("ping")
        time.sleep(0.02)
    print("children", children(s.p.pid), "answered", any(n.get("id") == number for n in s.notes))
    s.send("tools/call", {"name": "bench", "arguments": {"args": [kernel], "time_budget": 30}})
    s.line()
    running = descendants(s.p.pid)
    while len(running) < 2:
        running = descendants(s.p.pid)
    s.end()
    while [p for p in running if alive(p)]:
        time.sleep(0.01)
    print("ended", len(running) > 1)


def agent(rounds):
    """From installed skills to the best version: a script that does only what the skill says, through the tools alone. The hands
    that write proposals and versions are the example's proposer."""
    s = Server()
    skill = s.call("resources/read", {"uri": "assay://doc/optimized-skill/operator-optimize-loop/SKILL.md"})
    text = skill["result"]["contents"][0]["text"]
    installed = ".claude/skills/operator-optimize-loop/SKILL.md"
    with open(installed, encoding="utf-8") as f:
        print("skill", f.read() == text)
    kernel, common = "loop/loop_v0.c", {
        "max_iterations": int(rounds), "op_file": "loop/loop.op.json", "ref": "loop/loop_ref.c", "compare_budget": 1,
        "time_budget": 0.1, "repeat": 5, "warmup": 1, "skip_warm": True, "skip_integrity": True, "any_load": True}
    print("ready", s.tool("doctor", {"backend": "c"})["exit_status"], s.tool("check", {"args": [kernel]})["exit_status"])
    more, file = {}, kernel
    for i in range(int(rounds) + 1):
        job = s.tool("optimize", {"args": [file], **common, **more})
        done = s.finish(job["job"])
        whole = s.call("resources/read", {"uri": done["resource"]})["result"]["contents"][0]["text"]
        state = json.loads(whole)
        run_dir = os.path.relpath(state["run_dir"])
        print(f"v{i}", done["state"], done["exit_status"], state["status"])
        if not state.get("next_path"):
            break
        subprocess.run(["sh", "loop/propose.sh"], input=whole.encode(), env={**os.environ, "examples": os.environ["ROOT"] + "/examples"}, check=True, stdout=subprocess.DEVNULL)
        lint = s.tool("optimize", {"lint_proposal": os.path.relpath(state["proposal_path"]), "wait_s": 20})
        assert lint["exit_status"] == 0, lint
        file, more = os.path.relpath(state["next_path"]), {"run_dir": run_dir, "iteration": i + 1}
    name = os.path.basename(run_dir)
    final = s.call("resources/read", {"uri": f"assay://run/{name}/final_summary.md"})["result"]["contents"][0]["text"]
    manifest = s.call("resources/read", {"uri": f"assay://run/{name}/run_manifest.json"})["result"]["contents"][0]["text"]
    manifest = json.loads(manifest)
    print("versions", len(manifest["iterations"]), "best", manifest["best_iteration"] is not None, "summary", len(final) > 500)
    print("listed", any(name in r["uri"] for r in s.call("resources/list")["result"]["resources"]))
    s.end()


def descendants(pid):
    found = children(pid)
    return found + [d for c in found for d in descendants(c)]


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return f.read().split()
    except OSError:
        return []


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def border(kernel):
    """Paths outside the workspace are refused; a verb cannot write outside it either."""
    os.makedirs("inside", exist_ok=True)
    os.symlink("/etc", "inside/link")
    s = Server("--root", "inside")
    outside = os.path.abspath(kernel)
    for args in ([outside], ["../" + kernel], ["link/passwd"], ["no/../../" + kernel]):
        print("refused", s.tool("check", {"args": args})["state"])
    print("flag", s.tool("bench", {"args": ["k.c"], "flags": "-O2 -I/etc"})["state"])
    print("out", s.tool("doctor", {"out": "/tmp/assay-border-test"})["state"])
    print("out inside", s.tool("doctor", {"out": "made/here"})["state"], os.path.exists("inside/made/here/preflight_check.json"))
    # A tool is named by the caller and may lie anywhere: what it writes outside is stopped by the kernel.
    with open("inside/nvcc", "w") as f:
        f.write("#!/bin/sh\necho in > seen; echo out > $HOME/escaped\necho 'release 12.4, V12.4.131'\n")
    os.chmod("inside/nvcc", 0o755)
    s.tool("doctor", {"nvcc_bin": "./nvcc"})
    s.end()
    with open("said") as f:
        confined = "refused by path only" not in f.read()
    print("kernel", os.path.exists("inside/seen"), os.path.exists(os.environ["HOME"] + "/escaped") == (not confined))


def main():
    for case in sys.argv[1:]:
        name, *args = case.split("=")
        globals()[name](*args)


if __name__ == "__main__":
    main()
