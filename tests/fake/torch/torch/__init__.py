"""A stand-in for torch on numpy, for tests of what assay does with problems and kernels that import torch: it is there in 0.1 s
where torch takes more than a second, which ten processes of a test pay. On the CPU alone; what is not here raises
AttributeError. cli/import_torch.t and cli/python_torch.t run torch itself.
"""
import collections
import contextlib
import sys
import types

import numpy as np

__version__ = "0.0+standin"


class Size(tuple):
    def __repr__(self):
        return "torch.Size(%s)" % list(self)


class dtype:
    def __init__(self, name, kind):
        self.name, self.kind = name, np.dtype(kind)

    def __repr__(self):
        return "torch." + self.name


class device:
    def __init__(self, name):
        self.type = str(name).split(":")[0]

    def __str__(self):
        return self.type


strided = type("layout", (), {"__str__": lambda self: "torch.strided"})()
CPU = device("cpu")
DTYPES = {n: dtype(n, n) for n in ("float64", "float32", "float16", "complex64", "int64", "int32", "int16", "int8", "uint8", "bool")}
globals().update(DTYPES, bfloat16=dtype("bfloat16", "V2"), float=DTYPES["float32"], long=DTYPES["int64"])
BY_KIND = {d.kind: d for d in DTYPES.values()}


def bare(x):
    """Arrays of the tensors in an argument."""
    return x.a if isinstance(x, Tensor) else type(x)(bare(y) for y in x) if type(x) in (tuple, list) else x


def on_cpu(place):
    if place is not None and device(place).type != "cpu":
        raise RuntimeError("no %s here" % place)


class Tensor:
    layout, device = strided, CPU

    def __init__(self, a):
        self.a = np.asarray(a)

    shape = property(lambda self: Size(self.a.shape))
    dtype = property(lambda self: BY_KIND[self.a.dtype])

    def __repr__(self):
        return "tensor(%s)" % np.array2string(self.a, separator=", ")

    def __getitem__(self, key):
        return Tensor(self.a[bare(key)])

    def __setitem__(self, key, value):
        self.a[bare(key)] = bare(value)

    def __len__(self):
        return len(self.a)

    def __bool__(self):
        return self.a.item() != 0

    def __format__(self, spec):
        return format(self.a.item(), spec)

    def dim(self):
        return self.a.ndim

    def numel(self):
        return self.a.size

    def stride(self, d=None):
        steps = tuple(s // self.a.itemsize for s in self.a.strides)
        return steps if d is None else steps[d]

    def data_ptr(self):
        return self.a.ctypes.data

    def element_size(self):
        return self.a.itemsize

    def is_floating_point(self):
        return self.a.dtype.kind == "f"

    def is_contiguous(self):
        return self.a.flags.c_contiguous

    def item(self):
        return self.a.item()

    def tolist(self):
        return self.a.tolist()

    def detach(self):
        return Tensor(self.a)

    cpu = detach

    def clone(self):
        return Tensor(self.a.copy(order="K"))

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.a))

    def to(self, what):
        if isinstance(what, dtype):
            return Tensor(self.a.astype(what.kind, copy=False))
        on_cpu(what)
        return self

    def view(self, *shape):
        if isinstance(shape[0], dtype):
            return Tensor(self.a.view(shape[0].kind))
        return self.reshape(*shape)

    def reshape(self, *shape):
        return Tensor(self.a.reshape(sizes(shape)))

    def flatten(self):
        return self.reshape(-1)

    def t(self):
        return Tensor(self.a.T)

    def permute(self, *order):
        return Tensor(self.a.transpose(sizes(order)))

    def unsqueeze(self, d):
        return Tensor(np.expand_dims(self.a, d))

    def chunk(self, n, dim=0):
        return [Tensor(x) for x in np.array_split(self.a, n, axis=dim)]

    def index_select(self, dim, index):
        return Tensor(self.a.take(index.a, axis=dim))

    def flip(self, d):
        return Tensor(np.flip(self.a, d))

    def equal(self, other):
        return equal(self, other)

    def copy_(self, other):
        self.a[...] = other.a
        return self

    def zero_(self):
        self.a[...] = 0
        return self

    def clamp_min_(self, low):
        np.maximum(self.a, low, out=self.a)
        return self

    def addmv_(self, matrix, vector):
        self.a += matrix.a @ vector.a
        return self

    def sort(self):
        return [Tensor(np.sort(self.a)), Tensor(np.argsort(self.a))]

    def double(self):
        return self.to(DTYPES["float64"])

    def float(self):
        return self.to(DTYPES["float32"])

    def half(self):
        return self.to(DTYPES["float16"])

    def bool(self):
        return self.to(DTYPES["bool"])

    def __float__(self):
        return self.a.item() * 1.0


def sizes(shape):
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape


def define(name, f, operator=None):
    """A function of torch and a method, one that writes into its tensor, an operator and its reflection."""
    def function(x, *args, out=None, **kwargs):
        result = Tensor(f(bare(x), *bare(args), **kwargs))
        return result if out is None else out.copy_(result)

    def in_place(self, *args, **kwargs):
        return self.copy_(function(self, *args, **kwargs))
    globals()[name] = function
    setattr(Tensor, name, function)
    setattr(Tensor, name + "_", in_place)
    if operator:
        setattr(Tensor, "__%s__" % operator, lambda x, y: function(x, y))
        setattr(Tensor, "__r%s__" % operator, lambda x, y: Tensor(f(bare(y), x.a)))


def reduce(name, f):
    def function(x, dim=None, keepdim=False, **kwargs):
        return Tensor(f(x.a, axis=dim, keepdims=keepdim, **kwargs))
    globals()[name] = function
    setattr(Tensor, name, function)


def largest(x, dim=None):
    if dim is None:
        return Tensor(x.a.max())
    return collections.namedtuple("max", "values indices")(Tensor(x.a.max(axis=dim)), Tensor(x.a.argmax(axis=dim)))


define("add", lambda x, y, alpha=1: x + y * alpha if alpha != 1 else x + y, "add")
define("sub", lambda x, y: x - y, "sub")
define("mul", lambda x, y: x * y, "mul")
define("div", lambda x, y: x / y, "truediv")
define("addmm", lambda bias, x, y: bias + x @ y)
define("maximum", np.maximum)
define("abs", np.abs)
define("exp", np.exp)
define("log1p", np.log1p)
define("sqrt", np.sqrt)
define("rsqrt", lambda x: 1 / np.sqrt(x))
define("square", np.square)
define("relu", lambda x: np.maximum(x, x.dtype.type(0)))
define("sigmoid", lambda x: 1 / (1 + np.exp(-x)))
define("isfinite", np.isfinite)
define("nan_to_num", np.nan_to_num)
define("eq", lambda x, y: x == y, "eq")
define("le", lambda x, y: x <= y, "le")
define("ge", lambda x, y: x >= y, "ge")
define("lt", lambda x, y: x < y, "lt")
define("gt", lambda x, y: x > y, "gt")
Tensor.__neg__ = lambda x: Tensor(-x.a)
Tensor.__invert__ = lambda x: Tensor(~x.a)
Tensor.__hash__ = object.__hash__
reduce("sum", np.sum)
reduce("mean", np.mean)
reduce("amax", np.max)
reduce("all", np.all)
reduce("argmax", np.argmax)
reduce("var", lambda x, unbiased=True, **kwargs: np.var(x, ddof=1 if unbiased else 0, **kwargs))
max = Tensor.max = largest
Tensor.min = lambda x: Tensor(x.a.min())


class Generator:
    def __new__(cls, device="cpu"):
        on_cpu(device)
        self = super().__new__(cls)
        self.state = np.random.default_rng(0)
        return self

    def manual_seed(self, seed):
        self.state = np.random.default_rng(seed)
        return self


default_generator = Generator()


def manual_seed(seed):
    return default_generator.manual_seed(seed)


def factory(make, kind="float32"):
    def function(*shape, dtype=None, device=None, generator=None):
        on_cpu(device)
        made = make((generator or default_generator).state, *shape)
        return Tensor(made.astype((dtype or DTYPES[kind]).kind if dtype or kind else made.dtype))
    return function


def like(make):
    def function(x, *args, dtype=None, device=None):
        on_cpu(device)
        return make(x.shape, *args, dtype=dtype or x.dtype)
    return function


def from_values(values, dtype=None, device=None):
    on_cpu(device)
    a = np.array(bare(values))
    return Tensor(a.astype(dtype.kind if dtype else "float32" if a.dtype == np.float64 and not isinstance(values, Tensor) else a.dtype))


def fill(shape, value, dtype=None, device=None):
    on_cpu(device)
    return Tensor(np.full(shape, value, (dtype or DTYPES["float32"]).kind))


full, tensor, as_tensor = fill, from_values, from_values
zeros = factory(lambda r, *shape: np.zeros(sizes(shape)))
ones = factory(lambda r, *shape: np.ones(sizes(shape)))
empty = factory(lambda r, *shape: np.full(sizes(shape), np.nan) if shape else np.zeros(()))
rand = factory(lambda r, *shape: r.random(sizes(shape)))
randn = factory(lambda r, *shape: r.standard_normal(sizes(shape)))
randint = factory(lambda r, low, high, shape: r.integers(low, high, sizes((shape,))), "int64")
randperm = factory(lambda r, n: r.permutation(n), "int64")
arange = factory(lambda r, *bounds: np.arange(*bounds), None)
linspace = factory(lambda r, *bounds: np.linspace(*bounds))
eye = factory(lambda r, n: np.eye(n))
zeros_like, ones_like, empty_like, rand_like, randn_like, full_like = map(like, (zeros, ones, empty, rand, randn, fill))


def empty_strided(shape, steps, dtype=None, device=None):
    raise NotImplementedError("empty_strided")


def frombuffer(memory, dtype, count=-1, offset=0):
    return Tensor(np.frombuffer(memory, dtype.kind, count, offset))


def is_tensor(x):
    return isinstance(x, Tensor)


def cat(tensors):
    return Tensor(np.concatenate(bare(tensors)))


def equal(x, y):
    return bool_of(np.array_equal(x.a, y.a))


def isclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    return Tensor(np.isclose(x.a, y.a, rtol, atol, equal_nan))


def allclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    if x.dtype is not y.dtype:
        raise RuntimeError("%s did not match %s" % (x.dtype, y.dtype))
    return bool_of(np.allclose(x.a, y.a, rtol, atol, equal_nan))


def bool_of(x):
    return x is True or x == np.True_


def assert_close(actual, expected, rtol=1.3e-6, atol=1e-5):
    if not allclose(actual, expected, rtol, atol):
        raise AssertionError("Tensor-likes are not close!")


@contextlib.contextmanager
def no_grad():
    yield


@contextlib.contextmanager
def autocast(device, enabled=True):
    yield


cuda = types.ModuleType("torch.cuda")
cuda.is_available = lambda: False
testing = types.ModuleType("torch.testing")
testing.assert_close = assert_close
sys.modules.update({"torch.cuda": cuda, "torch.testing": testing})
import torch.nn  # noqa: E402, F401
