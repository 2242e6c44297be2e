"""Many imports with one start of torch: each in a fork, by the scripts that `assay import` runs. For problems that are refused.

usage: imports.py ADAPTER FILE: stdin has a line a problem, "FOLDER SOLUTION"; FILE is the problem's file in the folder. Prints why it
cannot be imported, or how many cases it has."""
import json
import os
import sys

ROOT = os.path.join(os.environ["ROOT"], "src")
sys.path.insert(0, os.path.join(ROOT, "run"))
import torch  # noqa: E402, F401


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def job_of(adapter, name, folder, solution):
    sources = {n: read(os.path.join(folder, n)) for n in sorted(os.listdir(folder)) if n.endswith((".py", ".yml", ".json", ".jsonl", ".h"))}
    texts = {n: read(os.path.join(ROOT, "measure", "import_%s.py" % n)) for n in ("runtime", adapter)}
    return {"format": adapter, "wanted": "", "runtime": texts["runtime"], "adapter": texts[adapter], "problem": name, "sources": sources,
            "blobs": {}, "solution": os.path.basename(solution), "solution_text": read(solution), "path": sys.path}


def run(job):
    script = {"__name__": "importer"}
    exec(read(os.path.join(ROOT, "measure", "import.py")).rsplit("\nmain()\n", 1)[0], script)
    space = {"__name__": "assay_import", "__import__": __import__}
    try:
        print("%d case(s)" % script["convert"](job, space)["n_cases"])
    except BaseException as x:
        print(" ".join(script["explain"](x, job, space)[1].split()))
    sys.stdout.flush()
    os._exit(0)


for line in sys.stdin.read().splitlines():
    if os.fork() == 0:
        run(job_of(sys.argv[1], sys.argv[2], *line.split()))
    os.wait()
