"""What setup(**dims) of a module gives: names, shapes, dtypes, values. A process of its own, sandboxed like a worker.

argv: the job (JSON file), descriptor that gets the result. Each case and seed has a memory file; the tensors are packed
into it as src/run/layout.c packs a region. Where setup() names no outputs, the entry is called once to learn what it
returns.
"""
import json
import math
import mmap
import os
import random
import sys
import traceback

import worker
from worker import Fault

ALIGN, GUARD = 512, 256  # layout.c, WIRE_GUARD_BYTES
BYTES = {"float64": 8, "int64": 8, "uint64": 8, "float32": 4, "int32": 4, "uint32": 4, "float16": 2, "bfloat16": 2,
         "int16": 2, "uint16": 2, "int8": 1, "uint8": 1, "bool": 1, "float8_e4m3fn": 1, "float8_e5m2": 1}
CODES = {v: k for k, v in worker.SIZES.items()}


def seed_all(seed):
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def is_tensor(kind, value):
    if kind.name == "torch":
        return kind.torch.is_tensor(value)
    return isinstance(value, kind.numpy.ndarray if kind.name == "numpy" else memoryview)


def form(kind, name, value):
    dtype = CODES.get(value.format, value.format) if kind.name == "memoryview" else str(value.dtype).replace("torch.", "")
    if dtype not in BYTES:
        raise Fault("load_failed", "'%s' holds %s, which is not supported" % (name, dtype))
    if 0 in value.shape or len(value.shape) > 8:
        raise Fault("load_failed", "'%s' has shape %s; 1 to 8 dimensions of at least 1 are supported"
                    % (name, list(value.shape)))
    return {"name": name, "tensor": True, "dtype": dtype, "shape": list(value.shape) or [1]}


def scalar(name, value):
    if hasattr(value, "item") and not isinstance(value, (int, float)):
        value = value.item()
    if isinstance(value, bool):
        return {"name": name, "tensor": False, "dtype": "bool", "value": value}
    if isinstance(value, int) and -2 ** 63 <= value < 2 ** 63:
        return {"name": name, "tensor": False, "dtype": "int64", "value": value}
    if isinstance(value, float) and math.isfinite(value):
        return {"name": name, "tensor": False, "dtype": "float64", "value": value}
    raise Fault("load_failed", "inputs['%s'] is %s; tensors, whole numbers, finite floats and bools can be passed"
                % (name, worker.describe(value)))


def setup_of(module, dims, seed):
    import inspect
    parameters = inspect.signature(module.setup).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    kwargs = {k: v for k, v in dims.items() if takes_all or k in parameters}
    if takes_all or "seed" in parameters:
        kwargs["seed"] = seed
    seed_all(seed)
    got = module.setup(**kwargs)
    if not isinstance(got, dict) or not isinstance(got.get("inputs"), dict):
        raise Fault("load_failed", "setup() must return {\"inputs\": {name: tensor or number}, \"outputs\": [names]}")
    outputs = got.get("outputs") or {}
    if not isinstance(outputs, dict):
        outputs = {name: "inout" for name in outputs}
    for name, role in outputs.items():
        if name not in got["inputs"]:
            raise Fault("load_failed", "setup() names the output '%s', which is not among its inputs" % name)
        if role not in ("out", "inout", "either"):
            raise Fault("load_failed", "setup() gives the output '%s' the role %r; out, inout and either are known"
                        % (name, role))
    return got["inputs"], outputs, got


def params_of(kind, inputs, outputs):
    params = []
    for name, value in inputs.items():
        p = form(kind, name, value) if is_tensor(kind, value) else scalar(name, value)
        role = outputs.get(name, "in")
        p["role"] = ("out" if role == "either" else role) if p["tensor"] else "scalar"
        p["either"] = role == "either"
        if name in outputs and not p["tensor"]:
            raise Fault("load_failed", "the output '%s' is no tensor" % name)
        params.append(p)
    return params


def said_of(returned):
    """What setup() says of the tensors that the entry returns: [{"dtype": ..., "shape": [...]}]."""
    out = []
    for i, x in enumerate(returned):
        name = "returned" if len(returned) == 1 else "returned_%d" % i
        if x["dtype"] not in BYTES or not x["shape"] or min(x["shape"]) < 1 or len(x["shape"]) > 8:
            raise Fault("load_failed", "setup() says that '%s' holds %s of shape %s; that is not supported"
                        % (name, x["dtype"], x["shape"]))
        out.append({"name": name, "tensor": True, "dtype": x["dtype"], "shape": list(x["shape"]), "role": "out",
                    "returned": True, "either": False})
    return out


def returned_of(host, kind, inputs):
    if not callable(host.entry):
        raise Fault("no_entry", "the module has no function '%s', which would show what is returned" % host.job["entry"])
    host.phase = "entry_raised"
    value = host.entry(**inputs)
    host.phase = "load_failed"
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    out = []
    for i, one in enumerate(values):
        name = "returned" if len(values) == 1 else "returned_%d" % i
        if not is_tensor(kind, one):
            raise Fault("output_type", "setup() names no outputs, and the entry returns %s; a tensor is wanted"
                        % worker.describe(one))
        p = form(kind, name, one)
        p.update(role="out", returned=True)
        out.append(p)
    return out


def pack(kind, params, inputs, fd):
    at = ALIGN
    for p in params:
        if p["tensor"]:
            p["offset"], p["bytes"] = at, math.prod(p["shape"]) * BYTES[p["dtype"]]
            at = (at + p["bytes"] + GUARD + ALIGN - 1) // ALIGN * ALIGN
    os.ftruncate(fd, at)
    ranges = {}
    memory = mmap.mmap(fd, at)
    for p in params:
        if not p["tensor"] or p["name"] not in inputs or p["role"] == "out":
            continue
        value, n = inputs[p["name"]], math.prod(p["shape"])
        if kind.name == "torch":
            value = value.detach().cpu().reshape(-1)
            kind.torch.frombuffer(memory, dtype=value.dtype, count=n, offset=p["offset"]).copy_(value)
            wide = value.double()
            low, high = float(wide.min()), float(wide.max())
        elif kind.name == "numpy":
            kind.numpy.frombuffer(memory, dtype=value.dtype, count=n, offset=p["offset"])[:] = value.reshape(-1)
            low, high = float(value.min()), float(value.max())
        else:
            memory[p["offset"]:p["offset"] + p["bytes"]] = value.cast("B").tobytes()
            flat = value.cast("B").cast(value.format)
            low, high = float(min(flat)), float(max(flat))
        ranges[p["name"]] = [low, high] if math.isfinite(low) and math.isfinite(high) else None
    return ranges


def torch_has_gpu():
    """Data of a native kernel may be made on the CPU."""
    try:
        import torch
        return torch.cuda.is_available()
    except ImportError:
        return False


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        job = json.load(f)
    result = {"ok": False}
    host = worker.Worker(job)
    host.phase = "load_failed"
    try:
        host.load(job["module"].encode(), b"", job["is_gpu"] and (not job["is_native"] or torch_has_gpu()))
        host.entry = getattr(sys.modules["kernel"], job["entry"], None) if job["entry"] else None
        if job["is_own"] and not callable(host.entry):
            raise Fault("no_entry", "the module has no function '%s'" % job["entry"])
        module, kind = sys.modules["kernel"], host.arrays
        result.update(arrays=kind.name, version=kind.version, cases=[])
        if not callable(getattr(module, "setup", None)):
            raise Fault("no_entry", "the module has no function setup()")
        for case in job["cases"]:
            described = {"ranges": []}
            for seed, fd in zip(case["seeds"], case["files"]):
                inputs, outputs, got = setup_of(module, case["dims"], seed)
                params = params_of(kind, inputs, outputs)
                if got.get("returned"):
                    described["returned"] = said_of(got["returned"])
                elif job["calls_entry"] and not outputs and not described["ranges"]:
                    described["returned"] = returned_of(host, kind, setup_of(module, case["dims"], seed)[0])
                params += described.get("returned", [])
                if isinstance(got.get("flops"), (int, float)):
                    described["flops"] = float(got["flops"])
                described["ranges"].append(pack(kind, params, inputs, fd))
                if described.setdefault("params", params) != params:
                    raise Fault("load_failed", "setup() gives other names, shapes or numbers with another seed")
            result["cases"].append(described)
        result["ok"] = True
    except BaseException as x:
        host.fail(x, host.phase)
        result.update(word=host.fault[0], text=host.fault[1])
        traceback.print_exc()
    sys.stdout.flush()
    with os.fdopen(int(sys.argv[2]), "w") as f:
        json.dump(result, f)
    os._exit(0)


main()
