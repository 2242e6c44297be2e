"""Long arithmetic for each element."""
import numpy as np


def reference(x, N, y=None):
    v = np.asarray(x, np.float64)
    for _ in range(40):
        v = v * 0.96875 + 0.03125 / (1 + v * v)
    if y is None:
        return v.astype(np.float32)
    y[...] = v
    return None
