"""The Python worker: a candidate module behind probe.so, which owns the loop, the clocks, caches and records.

argv: probe.so, a JSON description of the entry's parameters and cases, --link FD [--seal FD] or --job FILE; --preload NAMES --path
FOLDERS: imported from there before anything is asked; --after FILE: nothing is done on a device before it is there.
Tensors are made once a slot, from the addresses that C mapped; nothing here takes a time or compares a result. What the
entry returns is checked and copied into the slot's outputs after the call has ended. Candidate code lives in this process:
all that it says is a claim.
"""
import ctypes
import functools
import importlib.machinery
import importlib.util
import json
import math
import os
import re
import struct
import sys
import traceback

SIZES = {"float64": "d", "float32": "f", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
         "uint32": "I", "int64": "q", "uint64": "Q", "bool": "?"}
TYPESTR = {"float64": "<f8", "float32": "<f4", "float16": "<f2", "bfloat16": "<i2", "float8_e4m3fn": "|u1",
           "float8_e5m2": "|u1", "int8": "|i1", "uint8": "|u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4",
           "uint32": "<u4", "int64": "<i8", "uint64": "<u8", "bool": "|b1"}
ENVIRONMENT = ("torch", "triton", "numpy")


class Fault(Exception):
    """word: of the verdict table, "" when it is not the candidate's fault."""

    def __init__(self, word, text):
        super().__init__(text)
        self.word = word


class FromSource(importlib.machinery.SourceFileLoader):
    """The text that was looked at is what runs: no compiled file beside it is taken, whoever wrote it."""

    def get_code(self, fullname):
        return self.source_to_code(self.get_data(self.path), self.path)


def host_bytes(address, n_bytes):
    return (ctypes.c_char * n_bytes).from_address(address)


class Device:
    """What __cuda_array_interface__ says of one tensor in memory that C has mapped."""

    def __init__(self, address, shape, typestr):
        self.__cuda_array_interface__ = {"data": (address, False), "shape": tuple(shape), "typestr": typestr, "version": 2}


class Torch:
    name = "torch"

    def __init__(self, is_gpu):
        import torch
        self.torch, self.is_gpu, self.version = torch, is_gpu, torch.__version__
        if is_gpu and not torch.cuda.is_available():
            raise Fault("", "torch %s of %s sees no GPU" % (torch.__version__, sys.executable))

    def dtype(self, name):
        found = getattr(self.torch, name, None)
        if found is None:
            raise Fault("", "torch %s has no dtype %s" % (self.version, name))
        return found

    def view(self, address, shape, dtype):
        torch, n = self.torch, math.prod(shape)
        if self.is_gpu:
            flat = torch.as_tensor(Device(address, (n,), TYPESTR[dtype]), device="cuda")
            return flat.view(self.dtype(dtype)).view(shape)
        memory = host_bytes(address, n * torch.empty((), dtype=self.dtype(dtype)).element_size())
        return torch.frombuffer(memory, dtype=self.dtype(dtype), count=n).view(shape)

    def check(self, name, value, want):
        torch = self.torch
        if not torch.is_tensor(value):
            raise Fault("output_type", "output '%s' is %s; a tensor is wanted" % (name, describe(value)))
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            raise Fault("output_type", "output '%s' is a subclass of Tensor (%s), whose methods are the kernel's own; "
                        "return a plain tensor" % (name, type(value).__name__))
        if value.layout != torch.strided or value.device.type != want.device.type:
            raise Fault("output_type", "output '%s' is a %s tensor on the %s; a dense one on the %s is wanted"
                        % (name, str(value.layout).replace("torch.", ""), value.device.type, want.device.type))
        check_form(name, value.shape, want.shape, str(value.dtype), str(want.dtype))

    def store(self, value, want):
        if value.data_ptr() != want.data_ptr() or value.stride() != want.stride():
            want.copy_(value.detach())


class Numpy:
    name = "numpy"

    def __init__(self, is_gpu):
        import numpy
        self.numpy, self.version = numpy, numpy.__version__
        if is_gpu:
            raise Fault("", "arrays of numpy are in host memory; a module for a GPU imports torch")

    def view(self, address, shape, dtype):
        if dtype not in SIZES and dtype != "float16":
            raise Fault("", "numpy has no dtype %s" % dtype)
        n = math.prod(shape)
        kind = self.numpy.dtype(dtype)
        return self.numpy.frombuffer(host_bytes(address, n * kind.itemsize), dtype=kind, count=n).reshape(shape)

    def check(self, name, value, want):
        if not isinstance(value, self.numpy.ndarray):
            raise Fault("output_type", "output '%s' is %s; an array is wanted" % (name, describe(value)))
        if type(value) is not self.numpy.ndarray:
            raise Fault("output_type", "output '%s' is a subclass of ndarray (%s), whose methods are the kernel's own; "
                        "return a plain array" % (name, type(value).__name__))
        check_form(name, value.shape, want.shape, str(value.dtype), str(want.dtype))

    def store(self, value, want):
        want[...] = value


class Plain:
    name, version = "memoryview", ""

    def __init__(self, is_gpu):
        if is_gpu:
            raise Fault("", "a module for a GPU imports torch")

    def view(self, address, shape, dtype):
        if dtype not in SIZES:
            raise Fault("", "tensors of %s need torch or numpy: import one in the module" % dtype)
        n = math.prod(shape) * struct.calcsize(SIZES[dtype])
        return memoryview(host_bytes(address, n)).cast("B").cast(SIZES[dtype], tuple(shape))

    def check(self, name, value, want):
        if not isinstance(value, memoryview):
            raise Fault("output_type", "output '%s' is %s; a memoryview is wanted" % (name, describe(value)))
        check_form(name, value.shape, want.shape, value.format, want.format)

    def store(self, value, want):
        want.cast("B")[:] = value.cast("B")


def describe(value):
    if value is None:
        return "None"
    if hasattr(value, "__next__"):
        return "a generator (it has computed nothing yet)"
    return "of type %s" % type(value).__name__


def build_error(text):
    """The compiler's first error of what torch's builder says."""
    lines = [line.strip() for line in text.splitlines()]
    errors = [line for line in lines if re.search(r"\b(fatal )?error\b", line) and not line.startswith("FAILED")]
    return "the extension does not build: %s" % re.sub(r"\S*/", "", errors[0] if errors else lines[-1])[:300]


def check_form(name, shape, want_shape, dtype, want_dtype):
    if tuple(shape) != tuple(want_shape):
        raise Fault("output_shape", "output '%s' has shape %s; %s is wanted" % (name, list(shape), list(want_shape)))
    if dtype != want_dtype:
        raise Fault("output_dtype", "output '%s' is %s; %s is wanted"
                    % (name, dtype.replace("torch.", ""), want_dtype.replace("torch.", "")))


def cuda_means_cpu():
    """Where there is no GPU, device="cuda" in a factory function of torch means the CPU: the tensors lie there."""
    try:
        import torch
    except ImportError:
        return

    def wrapped(make):
        def call(*args, **kwargs):
            if str(kwargs.get("device", "")).startswith("cuda"):
                kwargs["device"] = "cpu"
            return make(*args, **kwargs)
        return call

    for name in ("arange", "as_tensor", "empty", "empty_like", "empty_strided", "eye", "full", "full_like", "linspace", "ones",
                 "ones_like", "rand", "rand_like", "randint", "randn", "randn_like", "randperm", "tensor", "zeros",
                 "zeros_like"):
        setattr(torch, name, wrapped(getattr(torch, name)))


class RefuseCudaBuilds:
    """Where there is no GPU, a module that builds CUDA code is told so, instead of failing in the search for an architecture.
    A finder of modules, because torch.utils.cpp_extension takes a second to import: only who imports it pays."""
    TARGET = "torch.utils.cpp_extension"

    def find_spec(self, name, path=None, target=None):
        if name != self.TARGET or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            execute = spec.loader.exec_module

            def execute_and_mend(module):
                execute(module)
                refuse_cuda_builds(module)
            spec.loader.exec_module = execute_and_mend
        return spec


def refuse_cuda_builds(extension):
    def names_cuda(arguments):
        sources = arguments.get("sources") or []
        sources = [sources] if isinstance(sources, str) else sources
        return arguments.get("cuda_sources") or arguments.get("with_cuda") or \
            any(str(s).endswith((".cu", ".cuh")) for s in sources)

    def refusing(build, names):
        def call(*args, **kwargs):
            if names_cuda(dict(zip(names, args), **kwargs)):
                raise Fault("", "it builds CUDA code (%s), and there is no GPU here to build it for and to run it on" % build.__name__)
            return build(*args, **kwargs)
        return call
    extension.load_inline = refusing(extension.load_inline, ("name", "cpp_sources", "cuda_sources"))
    extension.load = refusing(extension.load, ("name", "sources"))


def tuned(wrapper):
    """What an autotuner chose, and what that took."""
    best = getattr(wrapper, "best_config", None)
    if best is None or not hasattr(wrapper, "configs"):
        return None
    chosen = best.all_kwargs() if hasattr(best, "all_kwargs") else dict(getattr(best, "kwargs", {}))
    return {"n_configs": len(wrapper.configs), "seconds": getattr(wrapper, "bench_time", None),
            "config": {str(k): v if isinstance(v, (int, float, bool)) else str(v) for k, v in chosen.items()}}


def compiled(module):
    """What Triton says that it compiled for the module's kernels, one entry a variant. Fields that its version lacks are left
    out: these are facts for people, nothing rests on them."""
    out = []
    for name, value in list(vars(module).items()):
        choice, function = None, value
        for _ in range(4):  # autotuners and heuristics wrap the function
            choice = choice or tuned(function)
            if hasattr(function, "device_caches") or not hasattr(function, "fn"):
                break
            function = function.fn
        caches = getattr(function, "device_caches", None)
        for per_device in list(caches.values()) if isinstance(caches, dict) else []:
            kernels = per_device[0] if isinstance(per_device, tuple) else per_device
            for kernel in list(kernels.values()):
                meta = getattr(kernel, "metadata", None)
                entry = {"function": name, "kernel": getattr(meta, "name", None), "num_warps": getattr(meta, "num_warps", None),
                         "num_stages": getattr(meta, "num_stages", None), "num_ctas": getattr(meta, "num_ctas", None),
                         "shared_bytes": getattr(meta, "shared", None), "registers": getattr(kernel, "n_regs", None),
                         "spills": getattr(kernel, "n_spills", None), "autotune": choice}
                out.append({k: v for k, v in entry.items() if v is not None})
    return out[:64]


class Worker:
    def __init__(self, description):
        self.description, self.module_path = description, ""
        self.fault = ("", "")
        self.bound, self.views, self.kept = {}, {}, {}
        self.n_compiled = 0

    def place(self, x):
        """file:line of the module where the exception passed through it last."""
        shown = os.path.basename(self.module_path)
        if isinstance(x, SyntaxError) and x.filename == self.module_path:
            return "%s:%s: " % (shown, x.lineno)
        lines = [t.lineno for t in traceback.extract_tb(x.__traceback__) if t.filename == self.module_path]
        return "%s:%d: " % (shown, lines[-1]) if lines else ""

    def fail(self, x, word):
        text = "%s: %s" % (type(x).__name__, x) if str(x) else type(x).__name__
        if isinstance(x, SyntaxError):
            text = "%s: %s" % (type(x).__name__, x.msg)
        if isinstance(x, Fault):
            word, text = x.word, str(x)
        elif isinstance(x, SystemExit):
            word, text = (word if word == "load_failed" else "exited_early"), "called sys.exit(%s)" % (x.code,)
        elif isinstance(x, ModuleNotFoundError):
            text = "needs the module '%s', which %s does not have" % (x.name, sys.executable)
            if word == "load_failed" and x.name and x.name.split(".")[0] in ENVIRONMENT:
                word = ""
        elif "Error building extension" in text:
            text = build_error(str(x))
        elif "OutOfMemoryError" in type(x).__name__:
            word = "out_of_device_memory"
        elif "CUDA error" in text:
            word = "cuda_error"
        self.fault = (word, " ".join((self.place(x) + text).split()))
        return 1

    def guarded(self, function, word):
        def run(*args):
            try:
                function(*args)
                return 0
            except BaseException as x:  # SystemExit and KeyboardInterrupt too: an entry that leaves has not answered
                return self.fail(x, word)
        return run

    def load(self, module, entry, is_gpu):
        """The description is there by now, though not when a process that is started ahead begins."""
        self.module_path = module.decode()
        if isinstance(self.description, dict):
            self.job = self.description
        else:
            with open(self.description, encoding="utf-8") as f:
                self.job = json.load(f)
        self.returned = [p for p in self.job.get("params", []) if p["returned"]]
        self.either = [p for p in self.job.get("params", []) if p.get("either")]
        sys.path[:] = self.job["path"]
        spec = importlib.util.spec_from_loader("kernel", FromSource("kernel", self.module_path))
        loaded = importlib.util.module_from_spec(spec)
        sys.modules["kernel"] = loaded
        if not is_gpu and "torch" in self.text():
            cuda_means_cpu()
            sys.meta_path.insert(0, RefuseCudaBuilds())
        spec.loader.exec_module(loaded)
        self.entry = getattr(loaded, entry.decode(), None) if entry else None
        if entry and not callable(self.entry):
            raise Fault("no_entry", "the module has no function '%s'" % entry.decode())
        self.arrays = self.choose(bool(is_gpu))
        sys.stdout.flush()

    def text(self):
        with open(self.module_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def choose(self, is_gpu):
        text = self.text()
        for kind in (Torch, Numpy):
            if kind.name in sys.modules or "import " + kind.name in text or (kind is Torch and "import triton" in text):
                return kind(is_gpu)
        return Plain(is_gpu)

    def map(self, i_case, slot, addresses, n):
        self.bound.pop(slot, None)
        tensors, kwargs = {}, {}
        at = iter(addresses[:n])
        for p, arg in zip(self.job["params"], self.job["cases"][i_case]):
            if p["tensor"]:
                value = tensors[p["name"]] = self.arrays.view(next(at), arg["shape"], p["dtype"])
            else:
                value = arg["value"]
            if not p["returned"]:
                kwargs[p["name"]] = value
        self.views[slot] = tensors
        self.bound[slot] = functools.partial(self.entry, **kwargs)

    def call(self, slot):
        try:
            self.kept[slot] = self.bound[slot]()
            return 0
        except BaseException as x:
            if slot not in self.bound:  # its tensors could not be made: that fault stands
                return 1
            return self.fail(x, "entry_raised")

    def tell_compiled(self):
        """A file for the parent, in this process's own folder, each time that there is more to tell."""
        try:
            found = compiled(sys.modules["kernel"])
            if len(found) > self.n_compiled:
                with open("compiled.json", "w", encoding="utf-8") as f:
                    json.dump(found, f)
                self.n_compiled = len(found)
        except Exception:  # of another version of Triton, or of a candidate that plays it: no fact, no fault
            self.n_compiled = sys.maxsize

    def finish(self, slot):
        self.tell_compiled()
        value = self.kept.pop(slot, None)
        names = [p["name"] for p in self.returned or (self.either if value is not None else [])]
        if not names:
            return
        if isinstance(value, dict) and set(value) == set(names):
            value = [value[name] for name in names]
        values = value if isinstance(value, (tuple, list)) else [value]
        if len(values) != len(names):
            raise Fault("output_type", "the entry returned %d values; %d are wanted (%s)"
                        % (len(values), len(names), ", ".join(names)))
        for name, one in zip(names, values):
            want = self.views[slot][name]
            self.arrays.check(name, one, want)
            self.arrays.store(one, want)

    def why(self, word, word_bytes, text, text_bytes):
        for at, room, value in ((word, word_bytes, self.fault[0]), (text, text_bytes, self.fault[1])):
            data = value.encode(errors="replace")[:room - 1] + b"\0"
            ctypes.memmove(at, data, len(data))
        sys.stdout.flush()


def preload(names, path):
    """What the module will import anyway, from where it will, and what takes longest; its own import says what is wrong with
    them."""
    sys.path[:] = path.split(":")
    for name in filter(None, names.split(",")):
        try:
            importlib.import_module(name)
        except Exception:
            pass


def await_turn(path):
    """Ready, and idle until the file is there: another process is at work on the device."""
    import time
    with open(path + ".ready", "w"):
        pass
    while not os.path.exists(path):
        time.sleep(0.02)


def main():
    options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    worker = Worker(sys.argv[2])
    if "--preload" in options:
        preload(options["--preload"], options["--path"])
    if "--after" in options:
        await_turn(options["--after"])
    c_int, c_u64, c_str = ctypes.c_int, ctypes.c_uint64, ctypes.c_char_p
    load = ctypes.CFUNCTYPE(c_int, c_str, c_str, c_int)
    mapped = ctypes.CFUNCTYPE(c_int, c_u64, c_u64, ctypes.POINTER(c_u64), c_u64)
    slot = ctypes.CFUNCTYPE(c_int, c_u64)
    why = ctypes.CFUNCTYPE(None, ctypes.c_void_p, c_u64, ctypes.c_void_p, c_u64)

    class Guest(ctypes.Structure):
        _fields_ = [("load", load), ("map", mapped), ("call", slot), ("finish", slot), ("why", why)]

    guest = Guest(load(worker.guarded(worker.load, "load_failed")), mapped(worker.guarded(worker.map, "")),
                  slot(worker.call), slot(worker.guarded(worker.finish, "output_type")), why(worker.why))
    serve = ctypes.CDLL(sys.argv[1]).assay_probe_serve
    serve.argtypes = [c_int, c_int, c_str, ctypes.POINTER(Guest)]
    job = options["--job"].encode() if "--job" in options else None
    if job:
        worker.n_compiled = sys.maxsize  # under a tool this folder is the caller's: nothing is left there
    status = serve(int(options.get("--link", -1)), int(options.get("--seal", -1)), job, ctypes.byref(guest))
    sys.stdout.flush()
    os._exit(status)  # exit handlers of the candidate are not wanted


if __name__ == "__main__":
    main()
