"""Runs a user's reference module on tensors that lie in memory files. Trusted code of the user; no candidate is here.

argv: descriptor of the job (JSON), descriptor that gets the result (JSON). Everything the module prints stays on stdout.
Kwargs are the parameter names of the entry: flat 1-D tensors and numbers. Outputs are written in place or returned.
Tensors are torch's when the module imports torch and it is there (on the GPU when there is one), else numpy's when it
imports numpy; a module that imports neither gets what the kernel imports when that is Python, else memoryviews.
"""
import sys

IN_FOLDER = "" in sys.path  # where we start: the user's modules lie there, none of those below
sys.path[:] = [p for p in sys.path if p]
import importlib
import importlib.util
import inspect
import json
import mmap
import os
import struct
import time
import traceback

if IN_FOLDER:
    sys.path.insert(0, "")

OPENED = set()


def watch(event, args):
    """Every file that is opened for reading from here on: the outputs may depend on it, so the cache must know."""
    if event == "open" and isinstance(args[0], (str, bytes)) and not set(str(args[1] or "r")) & set("wax"):
        OPENED.add(os.path.realpath(os.fsdecode(args[0])))


def files_read():
    """Files of the user's: not the interpreter's, not its packages', not the system's."""
    ours = {os.path.realpath(m.__file__) for m in list(sys.modules.values()) if getattr(m, "__file__", None)} | OPENED
    places = {sys.prefix, sys.base_prefix, sys.exec_prefix, "/usr", "/lib", "/lib64", "/etc", "/proc", "/sys"}
    places.update(p for p in sys.path if p.endswith(("site-packages", "dist-packages")))
    inside = tuple(os.path.realpath(p) + os.sep for p in places)
    return sorted(p for p in ours if not p.startswith(inside) and not p.endswith(".pyc") and os.path.isfile(p))


FORMATS = {"float64": "d", "float32": "f", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
           "uint32": "I", "int64": "q", "uint64": "Q", "bool": "?"}


def load(path):
    spec = importlib.util.spec_from_file_location("assay_reference", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["assay_reference"] = module
    sys.path.insert(0, os.path.dirname(path))
    spec.loader.exec_module(module)
    if not callable(getattr(module, "reference", None)):
        raise AttributeError("the module has no function reference(**kwargs)")
    return module


class Torch:
    name = "torch"

    def __init__(self, torch, want_gpu):
        self.torch = torch
        self.device = "cuda" if want_gpu and torch.cuda.is_available() else "cpu"

    def view(self, memory, t):
        dtype = getattr(self.torch, t["dtype"])
        host = self.torch.frombuffer(memory, dtype=dtype, count=t["n"], offset=t["offset"])
        host = host.view(t.get("shape", [t["n"]]))
        return host if self.device == "cpu" else host.to(self.device)

    def store(self, memory, t, value):
        host = self.torch.frombuffer(memory, dtype=getattr(self.torch, t["dtype"]), count=t["n"], offset=t["offset"])
        if not self.torch.is_tensor(value):
            value = self.torch.as_tensor(value)
        if value.numel() != t["n"]:
            raise ValueError("output %s: %d elements, %d are wanted" % (t["name"], value.numel(), t["n"]))
        flat = value.detach().reshape(-1)
        if flat.data_ptr() != host.data_ptr():
            host.copy_(flat.to(host.dtype).cpu())

    def sync(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def version(self):
        return self.torch.__version__


class Numpy:
    name = "numpy"
    device = "cpu"

    def __init__(self, numpy):
        self.numpy = numpy

    def view(self, memory, t):
        flat = self.numpy.frombuffer(memory, dtype=t["dtype"], count=t["n"], offset=t["offset"])
        return flat.reshape(t.get("shape", [t["n"]]))

    def store(self, memory, t, value):
        out = self.view(memory, t).reshape(-1)
        value = self.numpy.asarray(value).reshape(-1)
        if value.size != t["n"]:
            raise ValueError("output %s: %d elements, %d are wanted" % (t["name"], value.size, t["n"]))
        out[:] = value

    def sync(self):
        pass

    def version(self):
        return self.numpy.__version__


class Plain:
    name = "memoryview"
    device = "cpu"

    def view(self, memory, t):
        if t["dtype"] not in FORMATS:
            raise TypeError("tensors of %s need torch or numpy: import one in the reference" % t["dtype"])
        size = struct.calcsize(FORMATS[t["dtype"]])
        return memoryview(memory)[t["offset"]:t["offset"] + t["n"] * size].cast(FORMATS[t["dtype"]])

    def store(self, memory, t, value):
        out = self.view(memory, t)
        if value is out:
            return
        if len(value) != t["n"]:
            raise ValueError("output %s: %d elements, %d are wanted" % (t["name"], len(value), t["n"]))
        for i, v in enumerate(value):
            out[i] = v

    def sync(self):
        pass

    def version(self):
        return ""


def arrays(paths, want_gpu):
    """A module may import its arrays only when it is called: its text says which it knows. One that names none gets those of
    the kernel, when that is a module too."""
    text = ""
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        if any(("import " + name) in text for name in ("torch", "numpy", "triton")):
            break
    text = text.replace("import triton", "import triton import torch")
    for name, kind in (("torch", lambda m: Torch(m, want_gpu)), ("numpy", Numpy)):
        if name in sys.modules or ("import " + name) in text:
            try:
                return kind(importlib.import_module(name))
            except ImportError:
                continue
    return Plain()


def arguments(kind, job, memory):
    """Outputs that a kernel in Python returns are arguments only where reference() names them."""
    views = {t["name"]: kind.view(memory, t) for t in job["tensors"] if not t["returned"] or t["name"] in job["named"]}
    return views, dict(job["scalars"], **views)


def run_once(module, kind, job, memory):
    views, kwargs = arguments(kind, job, memory)
    returned = module.reference(**kwargs)
    kind.sync()
    outputs = [t for t in job["tensors"] if t["is_output"]]
    if returned is None:
        for t in outputs:
            if t["name"] not in views:
                raise ValueError("reference returned None; the kernel returns '%s'" % t["name"])
            kind.store(memory, t, views[t["name"]])
    else:
        values = returned if isinstance(returned, (tuple, list)) else [returned]
        if len(values) != len(outputs):
            raise ValueError("reference returned %d values for %d outputs" % (len(values), len(outputs)))
        for t, v in zip(outputs, values):
            kind.store(memory, t, v)


def said(answer):
    """(accepted, text) of what a check returns: a truth value, (truth value, text), or a text that is empty when it accepts."""
    if isinstance(answer, str):
        return not answer, answer
    if isinstance(answer, tuple):
        return bool(answer[0]), "" if answer[0] else " ".join(str(x) for x in answer[1:])
    return bool(answer), ""


def ask_check(module, kind, job, given, got):
    views, _ = arguments(kind, job, given)
    outputs = {t["name"]: kind.view(got, t) for t in job["tensors"] if t["is_output"]}
    try:
        accepted, text = said(module.check(dict(job["scalars"], **views), outputs))
    except Exception as x:  # an assertion is a refusal, too
        accepted, text = False, "%s: %s" % (type(x).__name__, x)
    kind.sync()
    return accepted, " ".join(text.split())[:1000]


def check_one(module, kind, job, given, got):
    """Nothing that the check does to its arguments stays. One that refuses is asked about the reference's own answer, too."""
    def copy(fd):
        return mmap.mmap(fd, job["bytes"], access=mmap.ACCESS_COPY)
    accepted, text = ask_check(module, kind, job, copy(given), copy(got))
    result = {"accepted": accepted, "text": text}
    if not accepted:
        answer = copy(given)
        run_once(module, kind, job, answer)
        result["own_answer"] = ask_check(module, kind, job, copy(given), answer)[0]
    return result


def time_host(module, kind, job, memory, n_warmup, n):
    views, kwargs = arguments(kind, job, memory)
    samples = []
    for i in range(n_warmup + n):
        begin = time.perf_counter_ns()
        module.reference(**kwargs)
        end = time.perf_counter_ns()
        if i >= n_warmup:
            samples.append(end - begin)
    return {"source": "host_clock", "cache": "warm", "samples_ns": samples}


def time_events(module, kind, job, memory, n_warmup, n):
    torch = kind.torch
    views, kwargs = arguments(kind, job, memory)
    flush = torch.zeros(job["flush_bytes"] // 8, dtype=torch.int64, device="cuda")
    samples = []
    for i in range(n_warmup + n):
        flush.sum()  # evicts by reading, so that no dirty line is charged to the reference
        torch.cuda.synchronize()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        module.reference(**kwargs)
        end.record()
        torch.cuda.synchronize()
        if i >= n_warmup:
            samples.append(start.elapsed_time(end) * 1e6)
    return {"source": "plain_event_pair", "cache": "cold", "samples_ns": samples}


def main():
    with os.fdopen(int(sys.argv[1]), "rb") as f:
        job = json.loads(f.read().decode())
    result = {"ok": False}
    sys.addaudithook(watch)
    try:
        module = load(job["module"])
        job["named"] = list(inspect.signature(module.reference).parameters)
        kind = arrays([job["module"]] + [x for x in [job["like"]] if x], job["want_gpu"])
        result.update(arrays=kind.name, version=kind.version(), device=kind.device,
                      python=".".join(map(str, sys.version_info[:3])))
        for key in ("atol", "rtol"):
            if isinstance(getattr(module, key, None), (int, float)):
                result[key] = float(getattr(module, key))
        result["n_done"] = 0
        for case in job["cases"]:  # the one that is asked for now comes first
            case.update(named=job["named"], flush_bytes=job["flush_bytes"])
            for given, got in zip(case["regions"], case.get("answers", ())):
                result.setdefault("checks", []).append(check_one(module, kind, case, given, got))
            if "answers" in case:
                continue
            for fd in case["regions"]:
                begin = time.perf_counter_ns()
                run_once(module, kind, case, mmap.mmap(fd, case["bytes"]))
                result["call_ns"] = time.perf_counter_ns() - begin  # of the timed case, which comes last
            if case["repeat"]:
                memory = mmap.mmap(case["regions"][0], case["bytes"], access=mmap.ACCESS_COPY)
                timer = time_events if kind.device == "cuda" else time_host
                result["timing"] = timer(module, kind, case, memory, job["warmup"], case["repeat"])
            result["n_done"] += 1
        result["ok"] = True
    except BaseException as x:  # SystemExit too: a reference that exits has not answered
        trace = traceback.extract_tb(x.__traceback__)
        place = [t for t in trace if t.filename == job["module"]]
        result["error"] = "%s: %s" % (type(x).__name__, x)
        if place:
            result["line"] = place[-1].lineno
        traceback.print_exc()
    result["files"] = files_read()
    with os.fdopen(int(sys.argv[2]), "w") as f:
        json.dump(result, f)
    sys.stdout.flush()
    os._exit(0)


main()
