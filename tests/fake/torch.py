"""Just enough of torch for a kernel in Python on the fake GPU: tensors that are passed on, no arithmetic. It stands as torch.py in
the import path of the interpreter that --python names. IMPORT_S: what its import takes, to see how many imports wait for each
other."""
import array
import struct
import time
from types import SimpleNamespace

IMPORT_S = 0
time.sleep(IMPORT_S)
__version__ = "0.0"
strided = "strided"


class dtype:
    def __init__(self, name, code):
        self.name, self.code = name, code

    def __repr__(self):
        return "torch." + self.name


float32 = dtype("float32", "f")
float64 = dtype("float64", "d")
int64 = dtype("int64", "q")


class Tensor:
    """Values on the host, or an address on the device."""

    def __init__(self, shape, kind, values=None, address=0):
        self.shape, self.dtype, self.values, self.address = tuple(shape), kind, values, address
        self.device = SimpleNamespace(type="cuda" if address else "cpu")

    def data_ptr(self):
        return self.address

    def view(self, what):
        return Tensor(self.shape, what, self.values, self.address) if isinstance(what, dtype) else \
            Tensor(what, self.dtype, self.values, self.address)

    def detach(self):
        return self

    cpu = double = contiguous = detach

    def to(self, *where, **more):
        return self

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.values[i]

    def __setitem__(self, i, x):
        self.values[i] = x

    def clone(self):
        return Tensor(self.shape, self.dtype, array.array(self.dtype.code, self.values))

    def numel(self):
        return len(self.values)

    def reshape(self, n):
        return Tensor((len(self.values),), self.dtype, self.values)

    def min(self):
        return min(self.values)

    def max(self):
        return max(self.values)

    def copy_(self, other):
        self.values[:] = array.array(self.dtype.code, other.values)


def is_tensor(x):
    return isinstance(x, Tensor)


def arange(n, dtype=float32, device="cpu"):
    return Tensor((n,), dtype, array.array(dtype.code, range(n)))


empty_like = lambda x: Tensor(x.shape, x.dtype, array.array(x.dtype.code, bytes(len(x.values) * struct.calcsize(x.dtype.code))))


def as_tensor(x, device="cpu"):
    told = x.__cuda_array_interface__
    return Tensor(told["shape"], float32, None, told["data"][0])


def frombuffer(memory, dtype, count, offset=0):
    size = struct.calcsize(dtype.code)
    return Tensor((count,), dtype, memoryview(memory)[offset:offset + count * size].cast("B").cast(dtype.code))


def manual_seed(seed):
    pass


nn = SimpleNamespace(Parameter=Tensor)
cuda = SimpleNamespace(is_available=lambda: True, device_count=lambda: 1, synchronize=lambda: None)


class Event:
    def __init__(self, enable_timing=False):
        self.at = 0.0

    def record(self):
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        return 1e3 * (end.at - self.at)


class Flush:
    def zero_(self):
        pass

    add_ = fill_ = sum = lambda self, *x: self


cuda.Event = Event
zeros = lambda *shape, **how: Flush()
