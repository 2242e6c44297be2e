"""Nothing is built: the worker of a machine without a GPU refuses CUDA code before this is asked."""


def load_inline(name, cpp_sources, cuda_sources=None, functions=None):
    raise RuntimeError("Error building extension '%s': there is no compiler behind this stand-in" % name)


def load(name, sources):
    raise RuntimeError("Error building extension '%s': there is no compiler behind this stand-in" % name)
