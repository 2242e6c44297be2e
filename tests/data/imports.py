"""Many imports with one start of torch: each in a fork, by the scripts that `assay import` runs.

usage: imports.py ADAPTER FILE: stdin has a line a problem, "FOLDER SOLUTION"; FILE is the problem's file in the folder. Prints why it
cannot be imported, or how many cases it has.
imports.py --run: a line has ADAPTER FILE before. The files that were made are run in the fork, too: in which cases what the
kernel gives is what the reference gives."""
import importlib.util
import inspect
import os
import sys
import tempfile

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


def module(folder, name, text):
    path = os.path.join(folder, name + ".py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def answer(function, given, outputs):
    """What it returns, or what it wrote."""
    copies = {k: v.clone() if torch.is_tensor(v) else v for k, v in given.items()}
    parameters = inspect.signature(function).parameters
    returned = function(**{k: v for k, v in copies.items() if k in parameters})
    if returned is None:
        return [copies[k] for k in outputs]
    return list(returned) if isinstance(returned, (tuple, list)) else [returned]


def agrees(setup, reference, kernel, case):
    got = setup.setup(case=case, seed=0)
    want, have = (answer(f, got["inputs"], got.get("outputs") or {}) for f in (reference.reference, kernel.run_kernel))
    return len(want) == len(have) and all(x.shape == y.shape and torch.allclose(x.double(), y.double(), rtol=1e-3, atol=1e-4)
                                          for x, y in zip(want, have))


def execute(made):
    with tempfile.TemporaryDirectory() as folder:
        files = [module(folder, name, made[name]) for name in ("setup", "reference", "kernel")]
        return [case for case in range(1, made["n_cases"] + 1) if agrees(*files, case)]


def run(job, is_run):
    script = {"__name__": "importer"}
    exec(read(os.path.join(ROOT, "measure", "import.py")).rsplit("\nmain()\n", 1)[0], script)
    space = {"__name__": "assay_import", "__import__": __import__}
    try:
        made = script["convert"](job, space)
        print("%d case(s)%s" % (made["n_cases"], ", right: %s" % execute(made) if is_run else ""))
    except BaseException as x:
        print(" ".join(script["explain"](x, job, space)[1].split()))
    sys.stdout.flush()
    os._exit(0)


IS_RUN = sys.argv[1] == "--run"
for line in sys.stdin.read().splitlines():
    adapter, name, folder, solution = line.split() if IS_RUN else sys.argv[1:3] + line.split()
    if os.fork() == 0:
        run(job_of(adapter, name, folder, solution), IS_RUN)
    os.wait()
