"""Makes a problem of another project and a solution into files of assay: data, reference, operator file, kernel. The problem is
executed here, in a process of its own; the solution is only text. What a format is stands in its adapter (import_*.py), which
runs on import_runtime.py: the same two go into the files that are written.

argv: the job (JSON file), descriptor that gets the result. Job: format, runtime, adapter, problem (name), sources (of the
problem: name -> text), blobs (files of tensors: path -> descriptor, or why there is none), solution (name, text). Result: kernel, entry, setup, reference, op_file (texts), params, notes.
"""
import ast
import base64
import json
import keyword
import os
import sys
import traceback
import zlib

import worker

HEAD = '"""%s of the %s %s; made by assay import."""\n'
SETUP = "\n\ndef setup(case=1, seed=0):\n    return assay_setup(PROBLEM, case, seed)\n"
MOST_CASES = 64
DTYPES = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "int16", "int32", "int64",
          "uint8", "uint16", "uint32", "uint64", "bool")


class Refused(Exception):
    """The text of what cannot be imported."""


class Solution:
    """A candidate's text; it is parsed, never run."""

    def __init__(self, name, text, is_python):
        self.name, self.text, self.is_python = name, text, is_python  # of a .cu or .json nothing is looked at here
        try:
            self.tree = ast.parse(text) if self.is_python else None
        except SyntaxError as x:
            raise Refused("%s:%s: %s" % (name, x.lineno, x.msg))

    def find(self, kind, name):
        return next((n for n in self.tree.body if isinstance(n, kind) and n.name == name), None)

    def function(self, name):
        found = self.find(ast.FunctionDef, name)
        if not found:
            raise Refused("%s: no function %s()" % (self.name, name))
        return found

    def arguments(self, name, n=None):
        """Names of its positional parameters; n: how many will be passed."""
        f = self.function(name)
        names = [a.arg for a in f.args.posonlyargs + f.args.args]
        n_needed = len(names) - len(f.args.defaults)
        if n is not None and not f.args.vararg and not n_needed <= n <= len(names):
            raise Refused("%s:%d: %s() takes %d arguments (%s); the problem passes %d"
                          % (self.name, f.lineno, name, len(names), ", ".join(names), n))
        return names

    def imports(self):
        """Names of the modules that it imports, each with its first line."""
        out = {}
        for n in ast.walk(self.tree):
            names = [a.name for a in n.names] if isinstance(n, ast.Import) else \
                [n.module] if isinstance(n, ast.ImportFrom) and n.module and not n.level else []
            for name in names:
                out.setdefault(name.split(".")[0], n.lineno)
        return out

    def with_head(self, head):
        """One line of code before the first statement, in a line that is there, so that lines keep their numbers."""
        if not head:
            return self.text
        lines = self.text.splitlines(True)
        future = [n for n in self.tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
        if future:
            at = future[-1].end_lineno - 1
            lines[at] = lines[at].rstrip("\n").split("#")[0].rstrip() + "; " + head + "\n"
        elif not lines[0].strip() or lines[0].startswith("#"):
            lines[0] = head + "  " + lines[0].strip() + "\n"
        elif isinstance(self.tree.body[0], (ast.Import, ast.ImportFrom, ast.Expr, ast.Assign)):
            lines[0] = head + "; " + lines[0]
        else:
            lines.insert(0, head + "\n")
        return "".join(lines)

    def has_class(self, name):
        return self.find(ast.ClassDef, name) is not None


def quoted(text):
    return '"""\\\n%s"""' % text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\0", "\\0")


def source_table(sources):
    lines = ["    %r: %s,\n" % (name, quoted(text if text.endswith("\n") else text + "\n")) for name, text in sources.items()]
    return "SOURCES = {\n%s}\n" % "".join(lines)


def form(name, value, torch):
    if not torch.is_tensor(value):
        raise Refused("'%s' is %s; a tensor is wanted" % (name, worker.describe(value)))
    dtype = str(value.dtype).replace("torch.", "")
    if dtype not in DTYPES:
        raise Refused("'%s' holds %s, which is not supported; %s are" % (name, dtype, ", ".join(DTYPES)))
    if 0 in value.shape or value.dim() > 8:
        raise Refused("'%s' has shape %s; 1 to 8 dimensions of at least 1 are supported" % (name, list(value.shape)))
    return {"dtype": dtype, "shape": list(value.shape) or [1]}


def describe(problem, i, torch):
    """Parameters of case i; what is returned comes last."""
    params = []
    values = problem.inputs(i, 0)
    for name, value in values.items():
        p = {"name": name, "tensor": torch.is_tensor(value)}
        if p["tensor"]:
            p.update(form(name, value, torch))
        else:
            p.update(dtype="bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float64", value=value)
        role = problem.outputs.get(name, "in")
        p["role"] = ("out" if role == "either" else role) if p["tensor"] else "scalar"
        params.append(p)
    return params


def agree(problem, described):
    """Cases may differ in shapes and numbers, in nothing else. A number that is whole in one case and not in another is a
    fraction."""
    for name, params in zip(problem.cases(), described):
        if [p["name"] for p in params] != [p["name"] for p in described[0]]:
            raise Refused("case '%s' passes %s; case '%s' passes %s" % (
                name, ", ".join(p["name"] for p in params), problem.cases()[0], ", ".join(p["name"] for p in described[0])))
        for p, first in zip(params, described[0]):
            both = {p["dtype"], first["dtype"]}
            if p["tensor"] != first["tensor"] or (both != {p["dtype"]} and both != {"int64", "float64"}):
                raise Refused("'%s' is %s in case '%s' and %s in case '%s'; one operator has one type for it" % (
                    p["name"], p["dtype"], name, first["dtype"], problem.cases()[0]))


def floats_of(described):
    """Numbers that are fractions in some case, so that each case passes a fraction."""
    return sorted({p["name"] for params in described for p in params if not p["tensor"] and p["dtype"] == "float64"})


def make_reference(params):
    names = [p["name"] for p in params]
    return "\n\ndef reference(%s):\n    with Seeds.of(0):\n        return PROBLEM.reference({%s})\n" % (
        ", ".join(names), ", ".join("%r: %s" % (n, n) for n in names))


def make_check(problem):
    return "\n\ndef check(given, got):\n    with Seeds.of(0):\n        return PROBLEM.check(given, got)\n" \
        if hasattr(problem, "check") else ""


def make_op_file(problem):
    op = {"format": "assay/operator-v1",
          "cases": [{"name": "".join(c if c >= " " else "?" for c in str(n))[:100], "dims": {"case": i + 1}}
                    for i, n in enumerate(problem.cases())]}
    for key in ("atol", "rtol"):
        if getattr(problem, key) is not None:
            op[key] = getattr(problem, key)
    return json.dumps(op, indent=1) + "\n"


def check_names(params):
    for p in params:
        if not p["name"].isidentifier() or keyword.iskeyword(p["name"]):
            raise Refused("'%s' cannot be the name of a parameter: it is no identifier of Python" % p["name"])


def answers(problem, space, which):
    """What the reference returns in these cases: dtype and shape of each tensor; it must answer at all."""
    torch, out = space["torch"], []
    for i in which:
        values = problem.inputs(i, 0)
        if problem.outputs:
            problem.reference({k: v.clone() if torch.is_tensor(v) else v for k, v in values.items()})
            continue
        got = space["answer_of"](problem.reference, values)
        if not got or got[0] is None:
            raise Refused("%s: the reference returns None, and nothing is an output" % problem.name)
        out.append([form("returned" if len(got) == 1 else "returned_%d" % k, x, torch) for k, x in enumerate(got)])
    return out


def blob_text(blob):
    """A file of tensors as one of the texts that go into what is written."""
    if "why" in blob:
        return "assay-absent: " + blob["why"]
    with os.fdopen(blob["fd"], "rb") as f:
        return "assay-blob: " + base64.b64encode(zlib.compress(f.read(), 6)).decode()


def convert(job, space):
    label = job["format"]
    job["sources"].update((path, blob_text(x)) for path, x in job["blobs"].items())
    exec(compile(job["runtime"], "import_runtime.py", "exec"), space)
    exec(compile(job["adapter"], "import_adapter.py", "exec"), space)
    torch = space["torch"]
    solution = Solution(job["solution"], job["solution_text"], job["solution"].endswith(".py"))
    space["start"](job["sources"])
    problem = space["Problem"](job["problem"], job["sources"], {})
    is_packed = not solution.is_python and hasattr(problem, "unpack")
    if not solution.is_python and not is_packed and not (problem.native and solution.name.endswith((".cu", ".c"))):
        raise Refused("%s: a solution of a %s is %s" % (solution.name, label, job["wanted"]))
    facts = problem.learn()
    if len(problem.cases()) > MOST_CASES:
        raise Refused("%s: %d cases; at most %d are taken" % (problem.name, len(problem.cases()), MOST_CASES))
    if not problem.cases():
        raise Refused("%s: it has no test case" % job["problem"])
    with space["Seeds"].of(0):
        described = [describe(problem, i, torch) for i in range(len(problem.cases()))]
        agree(problem, described)
        n = len(problem.cases())
        facts["returned"] = answers(problem, space, [n - 1] if problem.outputs else range(n))
    check_names(described[0])
    facts["floats"] = floats_of(described)
    if is_packed:
        text, glue = problem.unpack(solution.name, solution.text)
        solution = Solution(solution.name, text, True)
    else:
        glue = problem.glue(solution) if solution.is_python else ""
    if glue and not {"torch", "triton"} & set(solution.imports()):
        glue = "\n\nimport torch  # its data are tensors\n" + glue
    if glue.strip() in solution.text:  # it was imported before
        glue = ""
    made = "# Import again instead of editing this file.\nimport torch\n\n" + source_table(job["sources"]) \
        + "FACTS = %r\n\n" % facts + job["runtime"] + job["adapter"] \
        + "\n\nstart(SOURCES)\nPROBLEM = Problem(%r, SOURCES, FACTS)\n" % job["problem"]
    tolerance = "".join("%s = %r\n" % (k, getattr(problem, k)) for k in ("atol", "rtol") if getattr(problem, k) is not None)
    text = solution.with_head(problem.head(solution)) if solution.is_python and glue else solution.text
    return {"kernel": text + glue, "native": not solution.is_python, "entry": problem.entry,
            "setup": HEAD % ("Data", label, job["problem"]) + made + SETUP,
            "reference": HEAD % ("Answer", label, job["problem"]) + made + tolerance + make_reference(described[0]) + make_check(problem),
            "op_file": make_op_file(problem), "params": described[0], "n_cases": len(described),
            "notes": problem.notes()}


def place(x, job):
    """file:line of the problem's own text where the exception passed through it last."""
    if isinstance(x, SyntaxError) and x.filename in job["sources"]:
        return "%s:%s: " % (x.filename, x.lineno)
    lines = [(t.filename, t.lineno) for t in traceback.extract_tb(x.__traceback__)
             if t.filename in job["sources"] or t.filename.startswith("reference of ")]
    return "%s:%d: " % lines[-1] if lines else ""


def explain(x, job, space):
    """(word, text): "" is the environment's fault."""
    if isinstance(x, Refused) or isinstance(x, space.get("CannotImport", Refused)):
        return "unsupported", str(x)
    if isinstance(x, ModuleNotFoundError):
        text = "needs the module '%s', which %s does not have" % (x.name, sys.executable)
        ours = x.name and x.name.split(".")[0] in worker.ENVIRONMENT
        return "" if ours else "unsupported", place(x, job) + text
    if isinstance(x, SystemExit):
        return "unsupported", place(x, job) + "called sys.exit(%s)" % (x.code,)
    text = x.msg if isinstance(x, SyntaxError) else "%s: %s" % (type(x).__name__, x) if str(x) else type(x).__name__
    return "unsupported", (place(x, job) or job["problem"] + ": ") + text


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        job = json.load(f)
    sys.path[:] = job["path"]
    result, space = {"ok": False}, {"__name__": "assay_import", "__import__": __import__}
    try:
        result.update(convert(job, space), ok=True)
    except BaseException as x:
        word, text = explain(x, job, space)
        result.update(word=word, text=" ".join(text.split()))
        traceback.print_exc()
    sys.stdout.flush()
    with os.fdopen(int(sys.argv[2]), "w") as f:
        json.dump(result, f)
    os._exit(0)


main()
