"""Reference: output[cols][rows] is input[rows][cols] transposed. With torch where it can be imported, else with NumPy."""
try:
    import torch
except ImportError:
    torch = None
    import numpy

atol = 0.0
rtol = 0.0


def reference(**kwargs):
    rows, cols = kwargs["rows"], kwargs["cols"]
    kwargs["output"].reshape(cols, rows)[...] = kwargs["input"].reshape(rows, cols).T
