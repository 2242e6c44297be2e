import ast
import base64
import json
import math
import struct
import zlib

FLOATS = {"float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"}
WHOLE = {"int64", "int32", "int16", "int8", "uint8"}
MOST_CASES = 64
LOAD = '''

def _assay_load():
    import importlib
    import os
    import sys
    import tempfile
    folder = tempfile.mkdtemp(prefix="solution-")
    for path, text in SOURCES.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w") as f:
            f.write(text)
%s

_assay_entry = _assay_load()
'''
LOAD_PYTHON = '''    sys.path.insert(0, folder)
    return getattr(importlib.import_module(%r), %r)
'''
LOAD_CUDA = '''    from torch.utils.cpp_extension import load
    built = load(name="solution", sources=[os.path.join(folder, p) for p in SOURCES if p.endswith((".cu", ".cpp", ".cc", ".cxx", ".c"))],
                 extra_cflags=%r, extra_cuda_cflags=%r, extra_ldflags=%r, extra_include_paths=[folder], build_directory=folder)
    return getattr(built, %r)
'''


def read(name, text, what):
    try:
        got = json.loads(text)
    except ValueError as x:
        raise CannotImport("%s: no JSON: %s" % (name, x))
    if not isinstance(got, dict):
        raise CannotImport("%s: %s must be an object" % (name, what))
    return got


TENSOR_TYPES = {"F64": ("float64", 8), "F32": ("float32", 4), "F16": ("float16", 2), "BF16": ("bfloat16", 2),
                "F8_E4M3": ("float8_e4m3fn", 1), "F8_E5M2": ("float8_e5m2", 1), "I64": ("int64", 8), "I32": ("int32", 4),
                "I16": ("int16", 2), "I8": ("int8", 1), "U8": ("uint8", 1), "BOOL": ("bool", 1)}


def is_sizes(x):
    return isinstance(x, list) and all(type(n) is int and n >= 0 for n in x)


class Safetensors:
    """One file: eight bytes with the length of a JSON header, the header, raw little-endian data."""

    def __init__(self, path, text):
        self.path = path
        if not text.startswith("assay-blob: "):
            raise CannotImport("%s: %s" % (path, text.partition("assay-absent: ")[2] or "no such file"))
        data = zlib.decompress(base64.b64decode(text[12:]))
        if len(data) < 8:
            self.bad("no safetensors file: it has %d bytes" % len(data))
        n = struct.unpack("<Q", data[:8])[0]
        if not 2 <= n <= len(data) - 8:
            self.bad("no safetensors file: its header would have %d bytes, the file has %d" % (n, len(data)))
        try:
            self.tensors = json.loads(data[8:8 + n].decode("utf-8"))
        except (ValueError, RecursionError) as x:
            self.bad("the header is no JSON: %s" % x)
        if not isinstance(self.tensors, dict):
            self.bad("the header is no object")
        self.data = memoryview(data)[8 + n:]

    def bad(self, why):
        raise CannotImport("%s: %s" % (self.path, why))

    def find(self, key):
        x = self.tensors.get(key) if key != "__metadata__" else None
        if x is None:
            self.bad("no tensor '%s'; it holds %s" % (key, ", ".join(k for k in self.tensors if k != "__metadata__")[:200] or "none"))
        at = x.get("data_offsets") if isinstance(x, dict) else None
        if not isinstance(x, dict) or not is_sizes(x.get("shape")) or not is_sizes(at) or len(at) != 2:
            self.bad("tensor '%s' needs dtype, shape and data_offsets (two numbers)" % key)
        if x.get("dtype") not in TENSOR_TYPES:
            self.bad("tensor '%s' holds %s, which is not supported; %s are" % (key, x.get("dtype"), ", ".join(TENSOR_TYPES)))
        dtype, size = TENSOR_TYPES[x["dtype"]]
        n = math.prod(x["shape"]) * size
        if at[1] - at[0] != n or at[1] > len(self.data):
            self.bad("tensor '%s' of %d bytes lies at %d to %d; there are %d bytes of data" % (key, n, at[0], at[1], len(self.data)))
        if n == 0:
            self.bad("tensor '%s' is empty" % key)
        kind = getattr(torch, dtype, None)
        if kind is None:
            self.bad("tensor '%s': torch %s has no %s" % (key, torch.__version__, dtype))
        return torch.frombuffer(bytearray(self.data[at[0]:at[1]]), dtype=torch.uint8).view(kind).reshape(x["shape"])


def whole(expression, axes, where):
    """A size: a number, the name of an axis, or arithmetic over them."""
    def value(n):
        if isinstance(n, ast.Expression):
            return value(n.body)
        if isinstance(n, ast.Constant) and isinstance(n.value, int):
            return n.value
        if isinstance(n, ast.Name) and n.id in axes:
            return axes[n.id]
        if isinstance(n, ast.UnaryOp) and isinstance(n.op, (ast.USub, ast.UAdd)):
            return -value(n.operand) if isinstance(n.op, ast.USub) else value(n.operand)
        if isinstance(n, ast.BinOp):
            a, b = value(n.left), value(n.right)
            op = {ast.Add: lambda: a + b, ast.Sub: lambda: a - b, ast.Mult: lambda: a * b, ast.Div: lambda: a / b,
                  ast.FloorDiv: lambda: a // b, ast.Mod: lambda: a % b, ast.Pow: lambda: a ** b}.get(type(n.op))
            if op:
                return op()
        raise CannotImport("%s: '%s' is no size: numbers, axes (%s) and + - * / // %% ** are known"
                           % (where, expression, ", ".join(axes)))
    try:
        got = value(ast.parse(str(expression), mode="eval"))
    except (SyntaxError, ZeroDivisionError, OverflowError) as x:
        raise CannotImport("%s: '%s': %s" % (where, expression, x))
    if got != int(got) or got < 1:
        raise CannotImport("%s: '%s' is %s; a size is a whole number from 1" % (where, expression, got))
    return int(got)


class Problem(Format):
    entry = "run_kernel"

    def __init__(self, name, sources, facts):
        self.name, self.facts, self.kept, self.sources, self.files = name, facts, [], sources, {}
        self.definition = d = read(name, sources[name], "a definition")
        for key, kind in (("name", str), ("axes", dict), ("inputs", dict), ("outputs", dict), ("reference", str)):
            if not isinstance(d.get(key), kind):
                raise CannotImport("%s: the definition has no \"%s\" (%s)" % (name, key, kind.__name__))
        for key in ("inputs", "outputs"):
            for n, x in d[key].items():
                if not isinstance(x, dict) or "dtype" not in x or "shape" not in x:
                    raise CannotImport("%s: %s.%s needs dtype and shape" % (name, key, n))
                if x["dtype"] not in FLOATS | WHOLE | {"bool"}:
                    raise CannotImport("%s: %s.%s: dtype %s is not supported; %s are"
                                       % (name, key, n, x["dtype"], ", ".join(sorted(FLOATS | WHOLE | {"bool"}))))
                if not hasattr(torch, x["dtype"]):
                    raise CannotImport("%s: %s.%s: torch %s has no %s" % (name, key, n, torch.__version__, x["dtype"]))
                if x["shape"] is None and key == "outputs":
                    raise CannotImport("%s: outputs.%s is no tensor (shape null); tensors are compared" % (name, n))
        self.workloads = self.read_workloads(sources)
        self.module = run_source("reference of %s" % d["name"], d["reference"], "assay_definition")
        if not callable(getattr(self.module, "run", None)):
            raise CannotImport("%s: \"reference\" defines no run()" % name)
        self.outputs = dict.fromkeys(d["outputs"], "either")
        self.atol, self.rtol = self.tolerance()

    def read_workloads(self, sources):
        out, refused = [], []
        for name, text in sources.items():
            for i, line in enumerate(text.splitlines() if name.endswith(".jsonl") else []):
                if not line.strip():
                    continue
                where = "%s:%d" % (name, i + 1)
                got = read(where, line, "a workload")
                if got.get("definition", self.definition["name"]) != self.definition["name"]:
                    continue
                w = got.get("workload", got)
                if not isinstance(w, dict) or not isinstance(w.get("axes"), dict) or not isinstance(w.get("inputs"), dict):
                    raise CannotImport("%s: a workload needs axes and inputs" % where)
                absent = self.absent(sources, w)
                if absent:
                    refused.append("%s: %s" % (where, absent))
                    continue
                if w.get("uuid") not in [x.get("uuid") for _, x in out]:
                    out.append((where, dict(w, tolerance=w.get("tolerance") or got.get("tolerance"))))
        if not out:
            raise CannotImport(refused[-1] if refused else "%s: no workload: <name>.jsonl or workload.jsonl beside it, or "
                               "workloads/<op_type>/<name>.jsonl in its data set" % self.name)
        self.kept += refused[:4] + ["%d more workloads cannot be taken" % (len(refused) - 4)] * (len(refused) > 4)
        if len(out) > MOST_CASES:
            self.kept.append("the first %d of %d workloads are taken" % (MOST_CASES, len(out)))
        return out[:MOST_CASES]

    def absent(self, sources, w):
        """Why a file that the workload needs is not at hand; "" when all are."""
        for name, x in w["inputs"].items():
            if isinstance(x, dict) and x.get("type") == "safetensors":
                if not isinstance(x.get("path"), str) or not isinstance(x.get("tensor_key"), str):
                    return "inputs.%s: a safetensors input needs path and tensor_key" % name
                text = sources.get(x["path"], "assay-absent: no such file")
                if text.startswith("assay-absent: "):
                    return "inputs.%s: %s: %s" % (name, x["path"], text[14:])
        return ""

    def stored(self, where, name, spec, x):
        """An input that lies in a file: the same in every data set."""
        path, key = x["path"], x["tensor_key"]
        if path not in self.files:
            self.files[path] = Safetensors(path, self.sources[path])
        value = self.files[path].find(key)
        dtype = str(value.dtype).replace("torch.", "")
        if dtype != spec["dtype"] or spec["shape"] is None:
            raise CannotImport("%s: inputs.%s: tensor '%s' of %s holds %s; the definition says %s"
                               % (where, name, key, path, dtype, spec["dtype"] if spec["shape"] is not None else "a scalar"))
        return value.to(DEVICE)

    def tolerance(self):
        found = [w["tolerance"] for _, w in self.workloads if isinstance(w.get("tolerance"), dict)]
        limits = {}
        for key in ("atol", "rtol"):
            values = [t.get("max_" + key, t.get(key)) for t in found]
            limits[key] = min([float(v) for v in values if isinstance(v, (int, float))] or [1e-2])
        if any(isinstance(t.get("required_matched_ratio"), (int, float)) and t["required_matched_ratio"] < 1 for t in found):
            self.kept.append("required_matched_ratio is below 1 there; here every element is compared")
        if all(x["dtype"] not in FLOATS for x in self.definition["outputs"].values()):
            return 0.0, 0.0
        return limits["atol"], limits["rtol"]

    def notes(self):
        return self.kept

    def cases(self):
        return [str(w.get("uuid", "workload_%d" % (i + 1))) for i, (_, w) in enumerate(self.workloads)]

    def axes(self, i):
        where, w = self.workloads[i]
        axes = {}
        for name, a in self.definition["axes"].items():
            kind = a.get("type") if isinstance(a, dict) else None
            if kind == "const":
                axes[name] = a.get("value")
            elif kind == "var":
                if not isinstance(w["axes"].get(name), int):
                    raise CannotImport("%s: axes has no whole number '%s'" % (where, name))
                axes[name] = w["axes"][name]
            elif kind != "expr":
                raise CannotImport("%s: axis '%s' has the type %r; const, var and expr are known" % (self.name, name, kind))
        for name, a in self.definition["axes"].items():
            if a["type"] == "expr":
                axes[name] = whole(a.get("expression"), axes, "%s: axis '%s'" % (self.name, name))
        return axes

    def size(self, spec, axes, name):
        return [whole(s, axes, "%s: '%s'" % (self.name, name)) for s in spec["shape"]]

    def random(self, spec, shape):
        dtype = getattr(torch, spec["dtype"])
        if spec["dtype"] == "bool":
            return torch.randint(0, 2, shape, device=DEVICE).bool()
        if spec["dtype"] in WHOLE:
            limit = min(1024, 2 ** (8 * torch.empty((), dtype=dtype).element_size() - 1))
            return torch.randint(0 if spec["dtype"] == "uint8" else -limit, limit, shape, device=DEVICE).to(dtype)
        value = torch.randn(shape, device=DEVICE, dtype=torch.float64 if spec["dtype"] == "float64" else torch.float32)
        return (value.clamp_(-2, 2) if "float8" in spec["dtype"] else value).to(dtype)

    def inputs(self, i, seed):
        where, w = self.workloads[i]
        axes, values, made = self.axes(i), {}, None
        entry = self.definition.get("custom_inputs_entrypoint")
        for name, spec in self.definition["inputs"].items():
            x = w["inputs"].get(name)
            kind = x.get("type") if isinstance(x, dict) else None
            if kind == "scalar":
                if not isinstance(x.get("value"), (int, float)):
                    raise CannotImport("%s: inputs.%s: the value is no number" % (where, name))
                values[name] = bool(x["value"]) if spec["dtype"] == "bool" else \
                    float(x["value"]) if spec["dtype"] in FLOATS else int(x["value"])
            elif kind == "random":
                if spec["shape"] is None:
                    raise CannotImport("%s: inputs.%s is a scalar (shape null) without a value" % (where, name))
                values[name] = self.random(spec, self.size(spec, axes, name))
            elif kind == "custom":
                if made is None:
                    if not callable(getattr(self.module, str(entry), None)):
                        raise CannotImport("%s: inputs are custom, and \"reference\" defines no custom_inputs_entrypoint %r"
                                           % (where, entry))
                    numbers = {k: v["value"] for k, v in w["inputs"].items() if v.get("type") == "scalar"}
                    made = getattr(self.module, entry)(dict(axes, **numbers), torch.device(DEVICE))
                if not isinstance(made, dict) or name not in made:
                    raise CannotImport("%s: %s() gives no '%s'" % (where, entry, name))
                values[name] = made[name]
            elif kind == "safetensors":
                values[name] = self.stored(where, name, spec, x)
            else:
                raise CannotImport("%s: inputs.%s has the type %r; random, scalar, safetensors and custom are known"
                                   % (where, name, kind))
            if torch.is_tensor(values[name]) and spec["shape"] is not None and \
                    list(values[name].shape) != self.size(spec, axes, name):
                raise CannotImport("%s: '%s' has shape %s; the definition says %s"
                                   % (where, name, list(values[name].shape), self.size(spec, axes, name)))
        for name, spec in self.definition["outputs"].items():
            values[name] = torch.zeros(self.size(spec, axes, name), dtype=getattr(torch, spec["dtype"]), device=DEVICE)
        return values

    def arguments(self, names):
        """0-dimensional tensors travel with one element."""
        return ", ".join(n + (".reshape(())" if (self.definition["inputs"].get(n) or self.definition["outputs"].get(n))["shape"] == []
                              else "") for n in names)

    def reference(self, values):
        given = [values[n].reshape(()) if s["shape"] == [] else values[n] for n, s in self.definition["inputs"].items()]
        with torch.no_grad():
            got = self.module.run(*given)
        names = list(self.definition["outputs"])
        got = [got.get(n) for n in names] if isinstance(got, dict) else as_list(got)
        if len(got) != len(names) or not all(torch.is_tensor(x) for x in got):
            raise CannotImport("%s: run() returns %s; %d tensors are wanted (%s)"
                               % (self.name, ", ".join(kind_of(x) for x in got), len(names), ", ".join(names)))
        for name, x in zip(names, got):
            if list(x.shape) != list(values[name].shape) and x.numel() != values[name].numel():
                raise CannotImport("%s: run() returns '%s' with shape %s; the definition says %s"
                                   % (self.name, name, list(x.shape), list(values[name].shape)))
        return tuple(got)

    def call(self, function, is_destination):
        inputs, outputs = list(self.definition["inputs"]), list(self.definition["outputs"])
        names = ", ".join(inputs + outputs)
        return "\n\ndef run_kernel(%s):\n    return %s(%s)\n" % (
            names, function, self.arguments(inputs + (outputs if is_destination else [])))

    def glue(self, solution):
        """A bare module: as many parameters as inputs, or inputs and outputs, tell its style."""
        n = len(self.definition["inputs"])
        names = solution.arguments("run")
        if len(names) not in (n, n + len(self.outputs)):
            raise CannotImport("%s: run() takes %d arguments; the definition has %d inputs and %d outputs"
                               % (solution.name, len(names), n, len(self.outputs)))
        return self.call("run", len(names) > n)

    def unpack(self, name, text):
        """A Solution document: text of the kernel's module, and what is appended to it."""
        s = read(name, text, "a solution")
        spec, sources = s.get("spec"), s.get("sources")
        if not isinstance(spec, dict) or not isinstance(sources, list) or not sources or not all(
                isinstance(x, dict) and isinstance(x.get("path"), str) and isinstance(x.get("content"), str) for x in sources):
            raise CannotImport("%s: a solution needs spec and sources (path, content)" % name)
        if s.get("definition") != self.definition["name"]:
            raise CannotImport("%s: it solves '%s'; the definition is '%s'" % (name, s.get("definition"), self.definition["name"]))
        files = {x["path"]: x["content"] for x in sources}
        for path in files:
            if path.startswith("/") or ".." in path.split("/"):
                raise CannotImport("%s: the path '%s' leaves the solution's folder" % (name, path))
        path, _, function = str(spec.get("entry_point", "")).partition("::")
        if path not in files or not function:
            raise CannotImport("%s: spec.entry_point '%s' names no file of sources and a function in it (file::function)"
                               % (name, spec.get("entry_point")))
        is_destination = spec.get("destination_passing_style", True)
        if path.endswith(".py") and len(files) == 1:
            return files[path], self.call(function, is_destination)
        if path.endswith(".py"):
            load = LOAD_PYTHON % (path[:-3].replace("/", "."), function)
        elif spec.get("binding") not in (None, "torch"):
            raise CannotImport("%s: binding '%s' is not built here; torch is" % (name, spec["binding"]))
        else:
            o = spec.get("compile_options") or {}
            load = LOAD_CUDA % (o.get("cflags", []), o.get("cuda_cflags", ["-O3", "--use_fast_math"] if "languages" in spec else ["-O3"]),
                                o.get("ld_flags", ["-lcuda"] if "languages" in spec else []), function)
        return "import torch\n\nSOURCES = %r\n" % files + LOAD % load, self.call("_assay_entry", is_destination)
