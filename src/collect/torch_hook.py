"""Runs torch.profiler around a program that knows nothing of it. On PYTHONPATH as sitecustomize.
In: ASSAY_TORCH_TRACE, the path of the trace without .PID.json; ASSAY_TORCH_STACKS. Out: a trace at exit.
Never: imports torch itself; fails the program."""
import atexit
import importlib.abc
import importlib.util
import os
import sys

_target = os.environ.get("ASSAY_TORCH_TRACE")


def _start(torch):
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    profiler = profile(activities=activities, record_shapes=True, with_stack=os.environ.get("ASSAY_TORCH_STACKS") == "1")
    profiler.start()

    def finish():
        try:
            if torch.cuda.is_available() and torch.cuda.is_initialized():
                torch.cuda.synchronize()
            profiler.stop()
            profiler.export_chrome_trace("%s.%d.json" % (_target, os.getpid()))
        except Exception as error:
            sys.stderr.write("assay: torch profiler: %s\n" % error)

    atexit.register(finish)


class _Loader(importlib.abc.Loader):
    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        try:
            _start(module)
        except Exception as error:
            sys.stderr.write("assay: torch profiler: %s\n" % error)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            spec.loader = _Loader(spec.loader)
        return spec


if _target:
    sys.meta_path.insert(0, _Finder())

# The sitecustomize that this one stands before.
_here = os.path.dirname(os.path.abspath(__file__))
for _folder in sys.path:
    _other = os.path.join(_folder, "sitecustomize.py")
    if os.path.abspath(_folder) != _here and os.path.exists(_other):
        _spec = importlib.util.spec_from_file_location("sitecustomize_next", _other)
        try:
            _spec.loader.exec_module(importlib.util.module_from_spec(_spec))
        except Exception as _error:
            sys.stderr.write("sitecustomize: %s\n" % _error)
        break
