"""Makes a KernelBench problem and its solution into files of assay: data, reference, kernel. The problem is executed here, in
a process of its own, to learn its inputs; the solution is only text.

argv: the job (JSON file), descriptor that gets the result. KernelBench: class Model, get_inputs(), get_init_inputs();
class ModelNew with the same constructor and forward; equal weights by the same seed before each constructor.
"""
import ast
import inspect
import json
import os
import sys

import worker
from worker import Fault

SEED = 42
BUILD = '''

_assay_model = None


def _assay_run(inputs):
    """The model is made once, with the weights that the seed gives."""
    global _assay_model
    import torch as _torch
    if _assay_model is None:
        _torch.manual_seed(%d)
        device = next((x.device for x in inputs.values() if _torch.is_tensor(x)), None)
        _assay_model = %s(*%s).to(device).eval()
    with _torch.no_grad():
        return _assay_model(*inputs.values())
'''
SETUP = '''

def setup(seed=0):
    import torch as _torch
    _torch.manual_seed(seed)
    device = "cuda" if _torch.cuda.is_available() else "cpu"
    values = [x.to(device) if _torch.is_tensor(x) else x for x in get_inputs()]
    return {"inputs": dict(zip(%r, values)), "outputs": []}
'''


def literal(value):
    text = repr(value)
    try:
        if ast.literal_eval(text) == value:
            return text
    except (ValueError, SyntaxError):
        pass
    raise Fault("unsupported", "get_init_inputs() gives what cannot be written as text: %s" % text[:80].replace("\n", " "))


def classes(text, where):
    try:
        return {n.name for n in ast.parse(text).body if isinstance(n, ast.ClassDef)}
    except SyntaxError as x:
        raise Fault("unsupported", "%s:%s: %s" % (where, x.lineno, x.msg))


def convert(host, job):
    if "Model" not in classes(job["problem_text"], job["problem"]):
        raise Fault("unsupported", "%s: no class Model: not a KernelBench problem" % job["problem"])
    if "ModelNew" not in classes(job["solution_text"], job["solution"]):
        raise Fault("unsupported", "%s: no class ModelNew: not a KernelBench solution" % job["solution"])
    host.load(job["module"].encode(), b"", False)
    problem = sys.modules["kernel"]
    init = literal(list(problem.get_init_inputs() if hasattr(problem, "get_init_inputs") else []))
    values = list(problem.get_inputs())
    names = [p.name for p in list(inspect.signature(problem.Model.forward).parameters.values())[1:]]
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
           for p in inspect.signature(problem.Model.forward).parameters.values()) or len(values) > len(names):
        raise Fault("unsupported", "Model.forward takes %s; %d inputs cannot be named after them"
                    % (", ".join(names) or "nothing", len(values)))
    names = names[:len(values)]
    for name, value in zip(names, values):
        if not host.arrays.torch.is_tensor(value) and not isinstance(value, (int, float)):
            raise Fault("unsupported", "get_inputs() gives %s for '%s'; tensors and numbers can be passed"
                        % (worker.describe(value), name))
    call = "{%s}" % ", ".join("%r: %s" % (n, n) for n in names)
    head = "# made by assay import from a KernelBench %s\n"
    model = BUILD % (SEED, "Model", init)
    return {
        "setup": job["problem_text"] + model + SETUP % names
        + "\n\ndef run_kernel(%s):\n    return _assay_run(%s)\n" % (", ".join(names), call) + head % "problem: its data",
        "reference": job["problem_text"] + "\n\natol = rtol = 1e-4\n" + model
        + "\n\ndef reference(%s):\n    return _assay_run(%s)\n" % (", ".join(names), call) + head % "problem: its answer",
        "kernel": job["solution_text"] + BUILD % (SEED, "ModelNew", init)
        + "\n\ndef run_kernel(%s):\n    return _assay_run(%s)\n" % (", ".join(names), call) + head % "solution",
        "inputs": names}


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        job = json.load(f)
    result = {"ok": False}
    host = worker.Worker(job)
    try:
        result.update(convert(host, job), ok=True)
    except BaseException as x:
        host.fail(x, "load_failed")
        result.update(word=host.fault[0], text=host.fault[1])
    sys.stdout.flush()
    with os.fdopen(int(sys.argv[2]), "w") as f:
        json.dump(result, f)
    os._exit(0)


main()
