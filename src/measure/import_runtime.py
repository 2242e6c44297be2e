# ---- how a problem of another project is run (the same for every format)

import contextlib
import linecache
import math
import os
import random
import sys
import types

import torch

HAS_GPU = torch.cuda.is_available()
DEVICE = "cuda" if HAS_GPU else "cpu"
SEEN = {}  # tolerances that the problem's own check has used


class CannotImport(Exception):
    """What is wrong with the problem or the solution, and what to do about it."""


def module_of(name, attributes):
    module = types.ModuleType(name)
    module.__dict__.update(attributes)
    sys.modules[name] = module
    return module


def run_source(name, text, module_name=None):
    """Text under its own file name, so that what it raises and what inspect finds is in its lines."""
    module = types.ModuleType(module_name or os.path.splitext(os.path.basename(name))[0])
    module.__file__ = name
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    sys.modules[module.__name__] = module
    exec(compile(text, name, "exec"), module.__dict__)
    return module


class SourceFinder:
    """import finds the files that lie beside the problem."""

    def __init__(self, sources):
        self.sources = {os.path.splitext(os.path.basename(k))[0]: (k, v) for k, v in sources.items() if k.endswith(".py")}

    def find_spec(self, name, path=None, target=None):
        import importlib.util
        return importlib.util.spec_from_loader(name, self) if name in self.sources else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name, text = self.sources[module.__name__]
        module.__file__ = name
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), module.__dict__)


def is_cuda(device):
    return str(device).startswith("cuda")


def without_gpu():
    """Where there is no GPU, "cuda" means the CPU to the problem's file."""
    def wrapped(make):
        def call(*args, **kwargs):
            if is_cuda(kwargs.get("device", "")):
                kwargs["device"] = "cpu"
            return make(*args, **kwargs)
        call.assay = True
        return call

    for name in ("arange", "as_tensor", "empty", "empty_like", "empty_strided", "eye", "full", "full_like", "linspace", "ones",
                 "ones_like", "rand", "rand_like", "randint", "randn", "randn_like", "randperm", "tensor", "zeros",
                 "zeros_like"):
        if not hasattr(getattr(torch, name), "assay"):
            setattr(torch, name, wrapped(getattr(torch, name)))

    def moved(move):
        def call(self, *args, **kwargs):
            args = ["cpu" if isinstance(x, (str, torch.device)) and is_cuda(x) else x for x in args]
            return wrapped(move)(self, *args, **kwargs)
        return call

    for kind in (torch.Tensor, torch.nn.Module):
        kind.to = moved(kind.to)
        kind.cuda = lambda self, *args, **kwargs: self
    torch.cuda.synchronize = torch.cuda.empty_cache = torch.cuda.manual_seed = torch.cuda.manual_seed_all = \
        lambda *args, **kwargs: None


class Seeds:
    """A seed that the problem fixes itself is moved by the data set's, so that two data sets differ."""
    offset = 0
    manual_seed = staticmethod(torch.manual_seed)

    class Generator(torch.Generator):
        def __new__(cls, device="cpu"):
            return super().__new__(cls, device if HAS_GPU else "cpu")

        def manual_seed(self, seed):
            return super().manual_seed((int(seed) + Seeds.offset) % 2 ** 63)

    @classmethod
    def install(cls):
        torch.manual_seed = lambda seed: cls.manual_seed((int(seed) + cls.offset) % 2 ** 63)
        torch.Generator = cls.Generator

    @classmethod
    @contextlib.contextmanager
    def of(cls, seed):
        cls.offset = seed
        random.seed(seed)
        cls.manual_seed(seed)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(seed % 2 ** 32)
        try:
            yield
        finally:
            cls.offset = 0


def seen_tolerance(atol, rtol):
    """The strictest that a check has used counts."""
    atol, rtol = float(atol), float(rtol)
    SEEN["atol"] = min(atol, SEEN.get("atol", atol))
    SEEN["rtol"] = min(rtol, SEEN.get("rtol", rtol))


@contextlib.contextmanager
def watching_tolerances():
    import inspect

    def watched(function):
        signature = inspect.signature(function) if not isinstance(function, types.BuiltinFunctionType) else None

        def call(*args, **kwargs):
            if signature:
                bound = signature.bind(*args, **kwargs)
                bound.apply_defaults()
                values = bound.arguments
            else:
                values = dict(zip(("rtol", "atol"), args[2:4]), **kwargs)
            atol, rtol = values.get("atol"), values.get("rtol")
            if not signature or (atol is not None and rtol is not None):
                seen_tolerance(1e-8 if atol is None else atol, 1e-5 if rtol is None else rtol)
            return function(*args, **kwargs)
        return call

    places = [(torch, "allclose"), (torch, "isclose"), (torch.testing, "assert_close")]
    before = [getattr(m, n) for m, n in places]
    for (module, name), function in zip(places, before):
        setattr(module, name, watched(function))
    try:
        yield
    finally:
        for (module, name), function in zip(places, before):
            setattr(module, name, function)


def largest(accepts, least, most):
    """The largest power of 2**0.25 between these that is accepted, as accepting ends somewhere; 0: none."""
    if not accepts(least):
        return 0.0
    low, high = 0, int(4 * (math.log2(most) - math.log2(least)))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if accepts(least * 2 ** (middle / 4)) else (low, middle - 1)
    return least * 2 ** (low / 4)


def tried_tolerance(check, answer):
    """What a check that compares by hand accepts, found by trying answers that are off by a little: (atol, rtol), or the text of why
    there is none. It is rounded down, so that nothing passes here that it refuses by more than a fifth."""
    if not torch.is_tensor(answer) and type(answer) not in (tuple, list):
        return "the answer is %s" % kind_of(answer)
    tensors = [x for x in as_list(answer) if torch.is_tensor(x) and x.is_floating_point()]
    sizes = torch.cat([x.detach().abs().double().flatten() for x in tensors]) if tensors else torch.zeros(0)
    sizes = sizes[torch.isfinite(sizes)]
    if not len(sizes) or sizes.max() == 0:
        return "there is no value that could be varied"

    def moved(change):
        def one(x):
            return change(x) if torch.is_tensor(x) and x.is_floating_point() else x
        return one(answer) if torch.is_tensor(answer) else type(answer)(one(x) for x in answer)

    def absolute(e):
        return check(moved(lambda x: (x.double() + e).to(x.dtype)))

    def relative(e):
        return check(moved(lambda x: (x.double() * (1 + e)).to(x.dtype)))

    big, small = float(sizes.max()), float(sizes.min())
    if absolute(4 * big) or relative(4.0):
        return "it accepts answers that are several times as large"
    a, r = largest(absolute, 2.0 ** -40 * big, 2 * big), largest(relative, 2.0 ** -40, 2.0)
    # |error| <= atol + rtol |x| meets its bound at the smallest value when e is added, at the largest when x is scaled
    rtol = max(0.0, (r - a / big) / (1 - small / big)) if small < big else r
    atol = max(0.0, a - rtol * small)
    if atol < a / 64:
        atol = 0.0
    return atol, (rtol if rtol >= r / 64 else 0.0)


def kind_of(value):
    if value is None:
        return "None"
    return "of type %s" % type(value).__name__


def exact(value):
    return value.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


class Flat:
    """Nested data as named tensors and numbers, and the expression that builds it again from those names."""

    def __init__(self, data, stem, fixed=None):
        self.values, self.notes = {}, []
        self.expression = self.walk(data, stem, stem)

    def number(self, name, value):
        self.values[name] = value
        return name

    def tensor(self, name, value):
        order = sorted(range(value.dim()), key=lambda d: (-value.stride(d), d))
        base = value.permute(order) if not value.is_contiguous() else value
        if base is not value and base.is_contiguous():
            self.values[name] = base
            return "%s.permute(%s)" % (name, ", ".join(str(order.index(d)) for d in range(value.dim())))
        if base is not value:
            self.notes.append("'%s' is not dense; it is passed as a contiguous copy" % name)
        self.values[name] = value.contiguous()
        return name if value.dim() else "%s.reshape(())" % name

    def walk(self, value, name, where):
        if torch.is_tensor(value):
            return self.tensor(name, value.detach())
        if value is None or isinstance(value, (str, torch.dtype, torch.device)):
            if isinstance(value, torch.device):
                return "__import__('torch').device(%r)" % str(value)
            return "__import__('torch').%s" % str(value)[6:] if isinstance(value, torch.dtype) else repr(value)
        if isinstance(value, (int, float)):
            return self.number(name, value)
        if isinstance(value, dict) and all(isinstance(k, (str, int)) for k in value):
            return "{%s}" % ", ".join("%r: %s" % (k, self.walk(v, "%s_%s" % (name, "".join(
                c if c.isalnum() else "_" for c in str(k))), "%s[%r]" % (where, k))) for k, v in value.items())
        if type(value) in (tuple, list):
            parts = [self.walk(v, "%s_%d" % (name, i), "%s[%d]" % (where, i)) for i, v in enumerate(value)]
            if isinstance(value, list):
                return "[%s]" % ", ".join(parts)
            return "(%s%s)" % (", ".join(parts), "," if len(parts) == 1 else "")
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            raise CannotImport("%s is a named tuple (%s); a plain tuple, list or dict can be passed"
                               % (where, type(value).__name__))
        raise CannotImport("%s is %s; tensors, numbers, bools, strings, None and tuples, lists and dicts of them can be passed"
                           % (where, kind_of(value)))


def rebuilt(expression, values):
    return eval(expression, {"__import__": __import__}, dict(values))


def as_list(value):
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, (tuple, list)) else [value]


def answer_of(reference, values):
    """What the reference returns, for dtypes and shapes alone: without computing where that works (torch's meta device), since
    the cases of a problem may be meant for a GPU."""
    try:
        with torch.no_grad():
            got = as_list(reference({k: v.to("meta") if torch.is_tensor(v) else v for k, v in values.items()}))
        if got and all(torch.is_tensor(x) and x.device.type == "meta" for x in got):
            return got
    except Exception:
        pass  # it looks at values, or makes tensors of its own: it is run
    with torch.no_grad():
        return as_list(reference({k: v.clone() if torch.is_tensor(v) else v for k, v in values.items()}))


def start(sources):
    if not HAS_GPU:
        without_gpu()
    Seeds.install()
    sys.meta_path.insert(0, SourceFinder(sources))


def assay_setup(problem, case, seed):
    if not 1 <= case <= len(problem.cases()):
        raise CannotImport("there is no case %d; there are %d" % (case, len(problem.cases())))
    with Seeds.of(seed):
        inputs = problem.inputs(case - 1, seed)
    for name in problem.facts.get("floats", ()):
        inputs[name] = float(inputs[name])
    got = {"inputs": {k: v.detach() if torch.is_tensor(v) else v for k, v in inputs.items()}, "outputs": problem.outputs}
    if not problem.outputs:
        got["returned"] = problem.facts["returned"][case - 1]
    flops = problem.flops(case - 1)
    return dict(got, flops=flops) if flops is not None else got


class Format:
    """What each format supplies; `facts` is what was learnt at the import."""
    outputs = {}      # names among the inputs, "out", "inout" or "either"; none: they are returned
    native = False    # whether a solution may be .cu or .c, whose entry gets the inputs in their order
    entry = "solve"   # of such a solution
    rtol = atol = None

    def learn(self):
        return {}

    def notes(self):
        return []

    def head(self, solution):
        """A line that must run before a solution in Python: modules of the judge that it imports and that hold no answer."""
        return ""

    def flops(self, i):
        return None


# ---- the format
