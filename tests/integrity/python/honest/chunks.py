"""In pieces."""
import numpy as np


def work(x):
    v = x.copy()
    for _ in range(40):
        v = v * np.float32(0.96875) + np.float32(0.03125) / (1 + v * v)
    return v


def solve(x, y, N):
    for i in range(0, N, 1024):
        y[i:i + 1024] = work(x[i:i + 1024])
