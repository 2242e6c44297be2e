"""The wrappers of an ATen operator in a module: is there one for each overload, does its signature follow the schema, does
it answer a call as torch does. A process of its own, sandboxed like a worker.

argv: the job (JSON file), descriptor that gets the result. Overloads come from torch's own schemas (those that take a
tensor), or from the list of names that an operator specification gave.
"""
import inspect
import json
import os
import sys

import worker
from worker import Fault


def schemas_of(torch, op):
    space, _, name = op.partition("::")
    packet = getattr(getattr(torch.ops, space), name, None) if name else None
    if packet is None or not hasattr(packet, "overloads"):
        raise Fault("", "torch %s has no operator %s" % (torch.__version__, op))
    found = {}
    for overload in packet.overloads():
        f = getattr(packet, overload)
        schema = f._schema
        if any("Tensor" in str(a.type) for a in schema.arguments):
            found[name if overload == "default" else "%s.%s" % (name, overload)] = (f, schema)
    return found


def differs(function, schema):
    """What in the signature does not follow the schema; "" when it does."""
    have = inspect.signature(function).parameters
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in have.values()):
        return ""
    want = {a.name: a for a in schema.arguments}
    missing = [n for n in want if n not in have]
    extra = [n for n, p in have.items() if n not in want and p.default is p.empty]
    if missing or extra:
        return "; ".join(filter(None, ["lacks " + ", ".join(missing) if missing else "",
                                       "has " + ", ".join(extra) + ", which the schema lacks" if extra else ""]))
    order = [n for n, a in want.items() if not a.kwarg_only and not a.has_default_value()]
    got = [n for n, p in have.items() if p.kind is not p.KEYWORD_ONLY and n in order]
    if order != got:
        return "takes (%s) by position, the schema (%s)" % (", ".join(got), ", ".join(order))
    return ""


def value_for(torch, a, device, i):
    kind = str(a.type)
    if kind == "Tensor":
        generator = torch.Generator().manual_seed(17 + i)
        return torch.rand(4, 6, generator=generator).add_(0.5).to(device)
    known = {"number": 1.5, "Scalar": 1.5, "float": 1.5, "int": 1, "bool": True, "List[int]": [1],
             "List[Tensor]": None}
    if known.get(kind) is None:
        raise Fault("skip", "no value is made for '%s' of type %s" % (a.name, kind))
    return known[kind]


def arguments(torch, schema, device, with_options):
    """Required arguments; with_options: numbers that have a default too, by keyword."""
    args, kwargs = [], {}
    for i, a in enumerate(schema.arguments):
        is_number = str(a.type) in ("number", "Scalar")
        if a.has_default_value() and not (with_options and is_number):
            continue
        value = 2 if a.has_default_value() else value_for(torch, a, device, i)
        if a.kwarg_only or a.has_default_value():
            kwargs[a.name] = value
        else:
            args.append(value)
    return args, kwargs


def agree(torch, got, want, where):
    if isinstance(want, (tuple, list)):
        if not isinstance(got, (tuple, list)) or len(got) != len(want):
            return "returns %s; %d tensors are wanted" % (worker.describe(got), len(want))
        return next(filter(None, (agree(torch, g, w, where) for g, w in zip(got, want))), "")
    if not torch.is_tensor(want):
        return "" if got == want else "returns %r; torch gives %r" % (got, want)
    if not torch.is_tensor(got):
        return "returns %s; a tensor is wanted" % worker.describe(got)
    if got.shape != want.shape or got.dtype != want.dtype:
        return "returns %s %s; torch gives %s %s" % (list(got.shape), got.dtype, list(want.shape), want.dtype)
    if not torch.allclose(got.double(), want.double(), rtol=1e-3, atol=1e-4, equal_nan=True):
        return "differs from torch (%s)" % where
    return ""


def try_overload(host, torch, function, f, schema, device):
    wrong = differs(function, schema)
    if wrong:
        return "signature", wrong
    for with_options in (False, True):
        args, kwargs = arguments(torch, schema, device, with_options)
        given, given_kw = arguments(torch, schema, device, with_options)
        want = f(*args, **kwargs)
        try:
            got = function(*given, **given_kw)
        except BaseException as x:
            host.fail(x, "entry_raised")
            return "fails", "when called%s: %s" % (" with the optional numbers" if with_options else "", host.fault[1])
        wrong = agree(torch, got, want, "numbers given" if with_options else "defaults")
        if wrong:
            return "wrong", wrong
    return "passes", ""


def look(host, torch, module, job, device):
    wanted = {}
    if job["op"]:
        wanted = schemas_of(torch, job["op"])
        if job["names"]:
            base = job["op"].partition("::")[2]
            listed = [n for n in job["names"] if n == base or n.startswith(base + ".")]
            wanted = {n: wanted.get(n) for n in listed} or wanted
    else:
        for name in job["names"]:
            wanted[name] = schemas_of(torch, "aten::" + name.partition(".")[0]).get(name)
    rows = []
    for name, found in wanted.items():
        wrapper = name.replace(".", "_")
        function = getattr(module, wrapper, None)
        row = {"overload": name, "wrapper": wrapper, "state": "passes", "text": ""}
        if not callable(function):
            row.update(state="missing", text="no function of that name")
        elif found is None:
            row.update(state="unknown", text="torch %s has no such overload" % torch.__version__)
        else:
            try:
                row["state"], row["text"] = try_overload(host, torch, function, found[0], found[1], device)
            except Fault as x:
                row.update(state="not_called", text=str(x))
        rows.append(row)
    return rows


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        job = json.load(f)
    result = {"ok": False}
    host = worker.Worker(job)
    try:
        try:
            import torch
        except ImportError:
            raise Fault("", "torch is needed for the schemas of %s; %s does not have it" % (job["op"] or "ATen",
                                                                                            sys.executable))
        host.load(job["module"].encode(), b"", job["is_gpu"])
        rows = look(host, torch, sys.modules["kernel"], job, "cuda" if job["is_gpu"] else "cpu")
        result.update(ok=True, overloads=rows, torch=torch.__version__)
    except BaseException as x:
        host.fail(x, "load_failed")
        result.update(word=host.fault[0], text=host.fault[1])
    sys.stdout.flush()
    with os.fdopen(int(sys.argv[2]), "w") as f:
        json.dump(result, f)
    os._exit(0)


main()
