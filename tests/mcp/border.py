#!/usr/bin/env python3
"""The border of `assay mcp`: what a client names is a regular file in the workspace, or refused; nothing that it names keeps the
server from answering; no link leads the server or its jobs outside; a compiler reads nothing outside, whatever its flags say.

usage: tests/mcp/border.py CASE...   prints one line a fact
"""
import os
import socket
import sys

import raw
from raw import Server, error


def confined():
    with open("said", encoding="utf-8") as f:
        return "refused by path only" not in f.read()


def makes_devices(path):
    try:
        os.mknod(path, 0o20644, os.makedev(1, 5))  # as /dev/zero: it never ends
        return True
    except OSError:
        return False


def tools(s):
    found, cursor = [], {}
    while True:
        page = s.call("tools/list", cursor)["result"]
        found += [t for t in page["tools"] if t["name"] not in ("job", "jobs", "job_cancel")]
        if "nextCursor" not in page:
            return found
        cursor = {"cursor": page["nextCursor"]}


def special():
    """A pipe without a writer, an endless device, a socket and a folder, for every argument of every tool that takes a text."""
    os.makedirs("w/assay-runs/run")
    os.mkfifo("w/x.json")
    os.mkfifo("w/assay-runs/run/pipe.md")
    sock = socket.socket(socket.AF_UNIX)
    sock.bind("w/x.py")
    os.makedirs("w/x.c")
    names = ["x.json", "x.py", "x.c"]
    if makes_devices("w/x.cu"):
        makes_devices("w/assay-runs/run/device.md")
        names.append("x.cu")
    s = Server("--root", "w")
    n_asked, answers = 0, []
    for t in tools(s):
        properties = t["inputSchema"]["properties"]
        common = {"wait_s": 100} if "wait_s" in properties else {}
        if "max_iterations" in properties:
            common["max_iterations"] = 1
        texts = [k for k, v in properties.items() if v.get("type") == "string" and "enum" not in v]
        for name in names:
            calls = [{"args": [name]}, {"args": [name, name]}] + [{"args": [name], k: name} for k in texts]
            for arguments in calls:
                n_asked += 1
                number = s.send("tools/call", {"name": t["name"], "arguments": {**arguments, **common}})
                ping = s.send("ping")
                s.wait(ping)
                answer = [n for n in s.notes if n.get("id") == number] or [s.wait(number)]
                s.notes.clear()
                if answer[0] is None:
                    print("no answer", t["name"], arguments)
                    return
                answers.append(answer[0])
    passed = [a for a in answers if "result" in a and a["result"]["structuredContent"].get("exit_status") == 0]
    print("asked", n_asked > 100, "answered", len(answers) == n_asked)
    print("read as a file", sum("device" in str(a) and "passed" in str(a) for a in passed))
    for name in ("pipe.md", "device.md"):
        print("resource", *error(s.call("resources/read", {"uri": "assay://run/run/" + name}))[:1])
    said = s.tool("check", {"args": ["x.json"]})
    print("says", "pipe" in str(said))
    s.end()


def floods():
    """Arguments that would take the server long to look at: it answers a ping at once, and stays small."""
    with open("k.c", "w", encoding="utf-8") as f:
        f.write("void solve(float *a) {}\n")
    s = Server()
    before = s.rss_kb()
    for arguments in ({"args": ["a/" * 2000000 + "x"]}, {"args": ["k.c"], "flags": "a " * 4000000},
                      {"args": ["k.c"] * 1000000}, {"args": ["k.c"], "dims": {f"M{i}": 1 for i in range(500000)}}):
        print("refused", s.tool("bench", arguments)["error"]["text"][:15])
    for arguments in ({"args": ["a/" * 1900 + "x"]}, {"args": ["../" * 1300 + "x"]}, {"args": ["a/" * 2046]}):
        print("deep", s.tool("check", arguments)["state"])
    print("wide", s.tool("bench", {"args": ["k.c"], "flags": "a/b " * 15000 + "../x"})["state"])
    print("uri", *error(s.call("resources/read", {"uri": "assay://run/" + "a/" * 4000000}))[:1])
    print("small", s.rss_kb() - before < 40 * raw.GROWTH_KB)
    s.end()


def links():
    """Links where the server and its jobs write of themselves."""
    outside = os.path.abspath("outside")
    os.makedirs(outside)
    for place in (".assay", ".assay/store", ".assay/cache", ".assay/data", ".assay/tmp"):
        os.makedirs("a/" + os.path.dirname(place), exist_ok=True)
        os.symlink(outside, "a/" + place)
        p = raw.subprocess.run(["assay", "mcp", "--root", "a"], stdin=raw.subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=60, check=False)
        print("start", place, p.returncode, "symbolic link" in p.stderr, os.listdir(outside))
        os.unlink("a/" + place)
    os.makedirs("b")
    with open("b/k.c", "w", encoding="utf-8") as f:
        f.write("void solve(float *a, int n) { for (int i = 0; i < n; i++) a[i] = 1; }\n")
    s = Server("--root", "b")
    print("honest", s.tool("check", {"args": ["k.c"]})["state"])
    # The client changes the workspace while the server runs.
    for place in ("store", "cache", "data", "tmp"):
        os.rename("b/.assay/" + place, "b/.assay/was")
        os.symlink(outside, "b/.assay/" + place)
        done = s.tool("check", {"args": ["k.c"]})
        print("job", place, done["exit_status"], "symbolic link" in done["error"]["text"], os.listdir(outside))
        os.unlink("b/.assay/" + place)
        os.rename("b/.assay/was", "b/.assay/" + place)
    os.makedirs(outside + "/run")
    with open(outside + "/run/run_manifest.json", "w", encoding="utf-8") as f:
        f.write("{}")
    os.symlink(outside, "b/assay-runs")
    done = s.tool("optimize", {"args": ["k.c"], "max_iterations": 1, "wait_s": 60})
    print("runs", done["exit_status"], "no folder but a link" in done["error"]["text"], os.listdir(outside))
    listed = s.call("resources/list")["result"]["resources"]
    print("listed", [r["uri"] for r in listed if "run_manifest" in r["uri"]])
    print("read", *error(s.call("resources/read", {"uri": "assay://run/run/run_manifest.json"}))[:1])
    os.unlink("b/assay-runs")
    for key, value in (("out", "away/x"), ("out", "away")):
        os.symlink(outside, "b/away")
        print("named", s.tool("doctor", {key: value})["state"], sorted(os.listdir(outside)))
        os.unlink("b/away")
    s.end()


def flags(language="c"):
    """A header outside the workspace: by flags it is refused by its path, by the source itself the kernel refuses it."""
    outside = os.path.abspath("outside-" + language)
    os.makedirs(outside + "/sub")
    for name in ("/leak.h", "/sub/leak.h"):
        with open(outside + name, "w", encoding="utf-8") as f:
            f.write("static const int leaked = 7;\n")
    root = "w-" + language
    os.makedirs(root + "/include/sub")
    with open(root + "/include/sub/ours.h", "w", encoding="utf-8") as f:
        f.write("#define ONE 1.0f\n")
    ext = "." + language
    body = "#include <math.h>\n%s\nextern \"C\" void solve(float *a, int n) { for (int i = 0; i < n; i++) a[i] = %s; }\n"
    if language == "c":
        body = body.replace('extern "C" ', "")
    else:
        body = ("#include <cuda_runtime.h>\n#include <math.h>\n%s\n__global__ void fill(float *a, int n) { for (int i = 0; i < n; i++) a[i] = %s; }\n"
                "extern \"C\" void solve(float *a, int n) { fill<<<1, 1>>>(a, n); }\n")
    texts = {"plain": body % ("", "1"), "leak": body % ("#include <leak.h>", "1"),
             "absolute": body % (f"#include \"{outside}/leak.h\"", "1"), "climbs": body % (f"#include \"../{os.path.basename(outside)}/leak.h\"", "1"),
             "ours": body % ("#include \"ours.h\"", "ONE * sqrtf(1.0f)")}
    for name, text in texts.items():
        with open(f"{root}/{name}{ext}", "w", encoding="utf-8") as f:
            f.write(text)
    os.symlink(outside, root + "/link")
    with open(root + "/args", "w", encoding="utf-8") as f:
        f.write(f"-I{outside}\n")
    s = Server("--root", root)
    o = outside
    for text in (f"-I{o}", f"-include{o}/leak.h", f"-include {o}/leak.h", f"-imacros{o}/leak.h", f"-isystem{o}", f"-iquote{o}", f"-idirafter{o}",
                 f"-B{o}", f"--sysroot={o}", f"@{o}/args", f"-Wl,-T,{o}/x", f"-Wl,-L{o}", f"-Xlinker {o}/x", f"-fplugin={o}/x.so",
                 f"-specs={o}/x", f"-L{o}", f"-o{o}/x", f"-o {o}/x", f"-Wp,-I{o}", f"-Xcompiler=-I{o}", f"--unknown{o}", "-I..", "-I../x",
                 "-Ilink", "-includelink/leak.h", "-O2 -I include/../../x", "-I~/x", f"-fprofile-use={o}", f"-DX -O3 -include{o}/leak.h"):
        done = s.tool("bench", {"args": ["plain" + ext], "flags": text, "wait_s": 50})
        if done["state"] != "refused" or os.path.exists(o + "/x"):
            print("not refused:", text.replace(o, "OUTSIDE"), done["state"])
    # What no look at paths can see.
    for name, more in (("absolute", ""), ("climbs", ""), ("leak", "@args")):
        done = s.tool("bench", {"args": [name + ext], "wait_s": 50, "dims": {"n": 16}, "repeat": 3, "skip_integrity": True, **({"flags": more} if more else {})})
        print(name, "stopped" if done["exit_status"] == 1 or not confined() else "built")
    for more in ("-Iinclude/sub", "-I include/sub -O3", "-Iinclude/sub -DX=1 -O1", "-I/usr/include -Iinclude/sub"):
        done = s.tool("bench", {"args": ["ours" + ext], "flags": more if language == "c" else more.replace("-I include", "-Iinclude"), "wait_s": 50, "warmup": 1,
                                "repeat": 3, "time_budget": 0.05, "skip_integrity": True, "dims": {"n": 16}})
        print("honest", done["state"], done.get("exit_status"), done["result"]["verdict"]["word"])
    s.end()


def main():
    for case in sys.argv[1:]:
        name, *args = case.split("=")
        globals()[name](*args)


if __name__ == "__main__":
    main()
