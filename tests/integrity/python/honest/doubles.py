"""In double precision."""
import numpy as np


def solve(x, y, N):
    v = x.astype(np.float64)
    for _ in range(40):
        v = v * 0.96875 + 0.03125 / (1 + v * v)
    y[...] = v
